//! Looking at a server: it is started a few times in an empty folder, greeted, asked for its tools, and ended.

use std::collections::BTreeSet;
use std::path::Path;
use std::sync::mpsc::{Receiver, RecvTimeoutError, sync_channel};
use std::time::{Duration, Instant};

use serde_json::{Value, json};

use super::pool::Event;
use super::server_process::{self, ServerProcess};
use super::spec::environment;
use crate::domain::env_file::env_lines;
use crate::domain::mcp_servers::{Definition, Place, Prepared, Seen, prepare};
use crate::sys::{files, process};

/// How long a server may take to answer: a program may be fetched first.
const PATIENCE: Duration = Duration::from_secs(90);
/// The versions of the protocol that agents ask for.
const VERSIONS: &[&str] = &["2025-11-25", "2025-06-18", "2024-11-05"];
/// The most that is read of a file of variables, in bytes.
const MAX_BYTES: u64 = 16 * 1024 * 1024;

/// Looks at a server that is a program. `protocol` is the version that shared servers are asked for.
///
/// # Errors
/// Words for its user: why it can't be started, or how it ended.
pub fn check(server: &Definition, protocol: &str) -> Result<Seen, String> {
    let env = environment();
    let empty = tempfile::tempdir().map_err(|error| format!("can't make an empty folder: {error}"))?;
    let home = env.get("HOME").map_or("/", String::as_str);
    let folder = empty.path().to_string_lossy();
    let place = Place { project: &folder, home };
    let more = match server.env_file.as_str() {
        "" => std::collections::BTreeMap::new(),
        path => {
            let path = place.fill(path);
            let text = files::read_text(Path::new(&path), MAX_BYTES);
            env_lines(&text.map_err(|error| format!("can't read its file of variables {path}: {error}"))?)
        }
    };
    let mut ready = prepare(server, place, &env, &more).map_err(|missing| missing.to_string())?;
    if server.cwd.is_empty() {
        ready.dir = folder.to_string();
    }
    let log = empty.path().join("log");
    let mut seen = Seen::default();
    let able = json!({ "roots": { "listChanged": true }, "sampling": {}, "elicitation": {} });
    let mut versions: Vec<&str> = VERSIONS.to_vec();
    if !versions.contains(&protocol) {
        versions.push(protocol);
    }
    let mut last = Err("no version of the protocol was tried".to_owned());
    for version in versions {
        let is_main = version == protocol;
        let one = Run::start(&ready, &log)?.look(version, &json!({}), is_main);
        let answered = one.as_ref().ok().and_then(|run| run.protocol.clone());
        seen.protocols.push((version.to_owned(), answered));
        if is_main {
            if let Ok(run) = &one {
                seen.starts_ms = run.starts_ms;
                seen.memory_kib = run.memory_kib;
                seen.tools.clone_from(&run.tools);
                seen.junk = run.junk;
            }
            last = one;
        }
    }
    last?;
    let run = Run::start(&ready, &log)?.look(protocol, &able, true)?;
    seen.tools_for_able = run.tools;
    seen.asks = run.asks.into_iter().collect();
    Ok(seen)
}

/// What one start of it came to.
#[derive(Default)]
struct Looked {
    protocol: Option<String>,
    starts_ms: u64,
    memory_kib: Option<u64>,
    tools: Vec<String>,
    asks: BTreeSet<String>,
    junk: u64,
}

/// A server that is running to be looked at. It ends with this.
struct Run {
    server: ServerProcess,
    events: Receiver<Event>,
    began: Instant,
    looked: Looked,
}

impl Drop for Run {
    fn drop(&mut self) {
        self.server.stdin.close();
        if let Err(error) = process::end_group(self.server.pid) {
            tracing::warn!(%error, pid = self.server.pid, "can't end a server that was looked at");
        }
    }
}

impl Run {
    fn start(ready: &Prepared, log: &Path) -> Result<Self, String> {
        let (to, events) = sync_channel(1024);
        let began = Instant::now();
        let server = server_process::start(ready, "check", log.to_owned(), 0, &to)
            .map_err(|error| format!("can't start {:?}: {error}", ready.program))?;
        Ok(Self { server, events, began, looked: Looked::default() })
    }

    fn look(mut self, version: &str, capabilities: &Value, lists: bool) -> Result<Looked, String> {
        let params = json!({
            "protocolVersion": version,
            "capabilities": capabilities,
            "clientInfo": { "name": "deck", "version": env!("CARGO_PKG_VERSION") },
        });
        let greeting = self.ask(1, "initialize", &params)?;
        self.looked.starts_ms = u64::try_from(self.began.elapsed().as_millis()).unwrap_or(u64::MAX);
        let spoken = greeting.pointer("/result/protocolVersion").and_then(Value::as_str);
        self.looked.protocol = spoken.map(str::to_owned);
        if spoken.is_some() && lists {
            self.send(&json!({ "jsonrpc": "2.0", "method": "notifications/initialized" }));
            let answer = self.ask(2, "tools/list", &json!({}))?;
            let tools = answer.pointer("/result/tools").and_then(Value::as_array);
            let name = |tool: &Value| Some(tool.get("name")?.as_str()?.to_owned());
            self.looked.tools = tools.into_iter().flatten().filter_map(name).collect();
            // What it asks of its client once it is greeted comes before this is answered.
            self.ask(3, "ping", &json!({}))?;
            self.looked.memory_kib = process::memory_of_group(self.server.pid);
        }
        Ok(std::mem::take(&mut self.looked))
    }

    fn send(&self, message: &Value) {
        self.server.stdin.push(message.to_string());
    }

    /// The answer to a request; what it asks meanwhile is noted and refused.
    fn ask(&mut self, id: u64, method: &str, params: &Value) -> Result<Value, String> {
        self.send(&json!({ "jsonrpc": "2.0", "id": id, "method": method, "params": params }));
        let until = Instant::now() + PATIENCE;
        loop {
            let left = until.saturating_duration_since(Instant::now());
            let line = match self.events.recv_timeout(left) {
                Ok(Event::Server(_, line)) => line,
                Ok(Event::ServerEnded(_, how)) => {
                    return Err(format!("it ended before it answered {method} ({how})"));
                }
                Ok(_) => continue,
                Err(RecvTimeoutError::Timeout | RecvTimeoutError::Disconnected) => {
                    return Err(format!("it didn't answer {method} within {} s", PATIENCE.as_secs()));
                }
            };
            let message: Value = serde_json::from_slice(&line).unwrap_or_default();
            if !message.is_object() {
                self.looked.junk += 1;
                continue;
            }
            match (message.get("method").and_then(Value::as_str), message.get("id")) {
                (None, Some(of)) if of.as_u64() == Some(id) => return Ok(message),
                (Some("ping"), Some(of)) => self.send(&json!({ "jsonrpc": "2.0", "id": of, "result": {} })),
                (Some(asked), Some(of)) => {
                    self.looked.asks.insert(asked.to_owned());
                    let error = json!({ "code": -32601, "message": "it is only looked at" });
                    self.send(&json!({ "jsonrpc": "2.0", "id": of, "error": error }));
                }
                _ => {}
            }
        }
    }
}
