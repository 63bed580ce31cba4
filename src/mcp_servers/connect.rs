//! `deck mcp run` of a shared server: passes an agent's lines to the pool and back, and starts the pool if there is none.
//!
//! Invariants: nothing that may have reached the server is sent again; an agent learns of each open request that was lost.

use std::collections::BTreeSet;
use std::io::{self, BufRead as _, BufReader, Read as _, Write as _};
use std::net::Shutdown;
use std::os::unix::net::UnixStream;
use std::process::{ExitCode, Stdio};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use serde_json::{Value, json};

use super::answer_error::{SERVER_ERROR, answer_error};
use super::lines::each_line;
use super::place::Place;
use super::pool::{Hello, READY, Spec, VERB, WELCOME};
use super::server_process::small_thread;
use crate::ports::Cancel;
use crate::sys::{files, lock, spawn};

/// How long a pool is tried to be reached.
const PATIENCE: Duration = Duration::from_secs(30);
/// The id under which the handshake is repeated with another pool.
const REPLAY: &str = "deck:again";

/// What both directions know.
#[derive(Default)]
struct Shared {
    /// The pool, while there is one.
    pool: Option<UnixStream>,
    /// The agent's open requests, as their ids were written.
    open: BTreeSet<String>,
    /// The agent's `initialize`, once it was sent.
    greeting: Option<Value>,
}

impl Shared {
    /// The id of the agent's `initialize`, as it was written.
    fn greeting_id(&self) -> Option<String> {
        Some(self.greeting.as_ref()?.get("id")?.to_string())
    }
}

#[derive(Clone, Default)]
struct Link(Arc<(Mutex<Shared>, Condvar)>);

impl Link {
    fn shared(&self) -> MutexGuard<'_, Shared> {
        self.0.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Connects the agent with the pool until either ends for good.
pub(super) fn connect(spec: &Spec, session: &str) -> ExitCode {
    let name = &spec.name;
    let first = match reach(spec, session) {
        Ok(stream) => stream,
        Err(why) => return answer_error(&format!("MCP server {name:?}: {why}")),
    };
    let link = Link::default();
    let reader = link.clone();
    let started = small_thread("agent-in", move || {
        each_line(BufReader::new(io::stdin()), |line| {
            from_agent(&reader, &line);
            true
        });
        // The agent is gone, and nothing is left to do for it.
        if let Some(pool) = &reader.shared().pool {
            let _ = pool.shutdown(Shutdown::Both);
        }
        std::process::exit(0);
    });
    if let Err(error) = started {
        return answer_error(&format!("MCP server {name:?}: {error}"));
    }
    let mut stream = first;
    loop {
        match stream.try_clone() {
            Ok(to) => {
                let mut shared = link.shared();
                shared.pool = Some(to);
                link.0.1.notify_all();
            }
            Err(_) => return ExitCode::FAILURE,
        }
        to_agent(&link, &stream);
        let words = format!(
            "the process that shares the server {name} ended; whether this call took effect is not known"
        );
        if lose(&link, &words).is_err() {
            return ExitCode::FAILURE;
        }
        stream = match reach(spec, session).and_then(|stream| again(&link, stream)) {
            Ok(stream) => stream,
            Err(why) => {
                let _ = writeln!(io::stderr(), "MCP server {name:?}: {why}");
                return ExitCode::FAILURE;
            }
        };
    }
}

/// Passes a line of the agent's on, as soon as there is a pool.
fn from_agent(link: &Link, line: &[u8]) {
    let message: Option<Value> = serde_json::from_slice(line).ok();
    let stream = {
        let mut shared = link.shared();
        while shared.pool.is_none() {
            shared = link.0.1.wait(shared).unwrap_or_else(PoisonError::into_inner);
        }
        if let Some(message) = message.filter(|m| m.get("method").is_some()) {
            if let Some(id) = message.get("id").filter(|id| !id.is_null()) {
                shared.open.insert(id.to_string());
            }
            if message.get("method").and_then(Value::as_str) == Some("initialize") {
                shared.greeting = Some(message);
            }
        }
        shared.pool.as_ref().and_then(|pool| pool.try_clone().ok())
    };
    if let Some(mut stream) = stream {
        let mut piece = line.to_vec();
        piece.push(b'\n');
        // One that fails is noticed by who reads from it: this request is open, and is answered there.
        let _ = stream.write_all(&piece);
    }
}

/// Passes the pool's lines to the agent until it ends.
fn to_agent(link: &Link, stream: &UnixStream) {
    let mut out = io::stdout();
    each_line(BufReader::new(stream), |mut line| {
        if let Some(id) = answered(&line) {
            link.shared().open.remove(&id);
        }
        line.push(b'\n');
        out.write_all(&line).and_then(|()| out.flush()).is_ok()
    });
}

/// The id that a line answers, as it was written.
fn answered(line: &[u8]) -> Option<String> {
    #[derive(serde::Deserialize)]
    struct Head {
        id: Option<Value>,
        method: Option<serde::de::IgnoredAny>,
    }
    let head: Head = serde_json::from_slice(line).ok()?;
    head.id.filter(|_| head.method.is_none()).map(|id| id.to_string())
}

/// Answers all open requests with an error: the pool is gone. A handshake is left open: it changes nothing, and another pool
/// answers it.
fn lose(link: &Link, words: &str) -> io::Result<()> {
    let open = {
        let mut shared = link.shared();
        shared.pool = None;
        let greeting = shared.greeting_id();
        let (stays, lost): (BTreeSet<_>, BTreeSet<_>) =
            std::mem::take(&mut shared.open).into_iter().partition(|id| Some(id) == greeting.as_ref());
        shared.open = stays;
        lost
    };
    let mut out = io::stdout();
    for id in open {
        let id: Value = serde_json::from_str(&id)?;
        let error = json!({ "code": SERVER_ERROR, "message": words });
        writeln!(out, "{}", json!({ "jsonrpc": "2.0", "id": id, "error": error }))?;
    }
    out.flush()
}

/// Repeats the agent's handshake with another pool; its answer is for nobody, unless the agent waits for it.
fn again(link: &Link, mut stream: UnixStream) -> Result<UnixStream, String> {
    let (greeting, is_open) = {
        let shared = link.shared();
        let is_open = shared.greeting_id().is_some_and(|id| shared.open.contains(&id));
        (shared.greeting.clone(), is_open)
    };
    let Some(mut greeting) = greeting else { return Ok(stream) };
    if is_open {
        let sent = writeln!(stream, "{greeting}");
        return sent.map(|()| stream).map_err(|error| format!("can't repeat the handshake: {error}"));
    }
    if let Some(object) = greeting.as_object_mut() {
        object.insert("id".to_owned(), REPLAY.into());
    }
    let broke = |error: io::Error| format!("can't repeat the handshake: {error}");
    writeln!(stream, "{greeting}").map_err(broke)?;
    let mut input = BufReader::with_capacity(1, stream.try_clone().map_err(broke)?);
    loop {
        let mut line = String::new();
        if input.read_line(&mut line).map_err(broke)? == 0 {
            return Err("the pool ended during the handshake".to_owned());
        }
        let answer: Value = serde_json::from_str(&line).unwrap_or_default();
        if answer.get("id").and_then(Value::as_str) != Some(REPLAY) {
            continue;
        }
        return match answer.get("error") {
            None => Ok(stream),
            Some(error) => Err(error.get("message").map_or_else(|| error.to_string(), Value::to_string)),
        };
    }
}

/// A pool that has taken this client in; it is started if there is none.
fn reach(spec: &Spec, session: &str) -> Result<UnixStream, String> {
    let place = Place::of(&spec.run, &spec.key).map_err(|error| format!("can't be shared: {error}"))?;
    let begun = Instant::now();
    let mut last = String::new();
    while begun.elapsed() < PATIENCE {
        if let Some(stream) = welcomed(&place, session) {
            return Ok(stream);
        }
        let file = lock::file(&place.lock())
            .map_err(|error| format!("can't lock {}: {error}", place.lock().display()))?;
        let held = lock::exclusive(file, PATIENCE, &Cancel::default());
        let _held = match held {
            Ok(Ok(held)) => held,
            Ok(Err(_)) => return Err("another process has been starting it for half a minute".to_owned()),
            Err(error) => return Err(format!("can't lock {}: {error}", place.lock().display())),
        };
        // Another client may have been faster.
        if let Some(stream) = welcomed(&place, session) {
            return Ok(stream);
        }
        if let Err(why) = start_pool(spec, &place) {
            last = why;
        }
        if let Some(stream) = welcomed(&place, session) {
            return Ok(stream);
        }
        std::thread::park_timeout(Duration::from_millis(100));
    }
    Err(if last.is_empty() { "the process that shares it can't be reached".to_owned() } else { last })
}

/// A connection on which the pool has answered that it serves.
fn welcomed(place: &Place, session: &str) -> Option<UnixStream> {
    let mut stream = UnixStream::connect(place.socket()).ok()?;
    stream.set_read_timeout(Some(PATIENCE)).ok()?;
    let hello = serde_json::to_string(&Hello::Client { session: session.to_owned() }).ok()?;
    writeln!(stream, "{hello}").ok()?;
    let mut line = Vec::new();
    // Byte by byte: what comes after it belongs to who reads then.
    let mut byte = [0_u8];
    while stream.read(&mut byte).ok()? == 1 {
        match byte {
            [b'\n'] => {
                stream.set_read_timeout(None).ok()?;
                return (line == WELCOME.as_bytes()).then_some(stream);
            }
            [other] if line.len() < WELCOME.len() => line.push(other),
            _ => return None,
        }
    }
    None
}

/// Starts the pool, which then serves on the place's socket. The lock is held meanwhile.
fn start_pool(spec: &Spec, place: &Place) -> Result<(), String> {
    let failed = |error: io::Error| format!("the process that shares it can't be started: {error}");
    let program = std::env::current_exe().map_err(failed)?;
    let log = files::open_to_append(&place.log()).map_err(failed)?;
    let mut command = spawn::command(program);
    command.args(["mcp", VERB]).env_clear();
    // What a test, or its user, finds it by, and what it needs for its own files.
    for name in ["PATH", "HOME", "DECK_HOME", "DECK_LOG", "LANG"] {
        command.envs(std::env::var_os(name).map(|value| (name, value)));
    }
    command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(log);
    let mut child = command.spawn().map_err(failed)?;
    let text = serde_json::to_string(spec).map_err(|error| failed(error.into()))?;
    if let Some(mut input) = child.stdin.take() {
        input.write_all(text.as_bytes()).map_err(failed)?;
    }
    let mut line = String::new();
    if let Some(output) = child.stdout.take() {
        BufReader::new(output).take(4096).read_line(&mut line).map_err(failed)?;
    }
    match line.trim() {
        READY => Ok(()),
        "" => Err("the process that shares it ended at once".to_owned()),
        why => Err(format!("the process that shares it ended at once: {why}")),
    }
}
