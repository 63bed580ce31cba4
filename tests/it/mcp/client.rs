//! A client of `deck mcp`: lines of JSON-RPC over pipes.

use std::collections::BTreeMap;
use std::fs::File;
use std::io::{BufRead, BufReader, Read, Write};
use std::process::{Child, Stdio};
use std::sync::{Arc, Condvar, Mutex};
use std::time::{Duration, Instant};

use serde_json::{Value, json};

use crate::support::Sandbox;

/// How long an answer may take on a busy machine.
const LIMIT: Duration = Duration::from_secs(120);

#[derive(Default)]
struct Heard {
    answers: BTreeMap<u64, Value>,
    notes: Vec<Value>,
    is_over: bool,
}

pub struct Client {
    /// The server, where the test itself started it.
    pub child: Option<Child>,
    stdin: Option<Box<dyn Write + Send>>,
    heard: Arc<(Mutex<Heard>, Condvar)>,
    next: u64,
    /// What it says that it can.
    capabilities: Value,
    /// What each request carries.
    meta: Value,
    /// The tools with their schemas, once they were asked for.
    tools: Value,
}

impl Client {
    /// One that has begun as most agents do.
    pub fn open(s: &Sandbox) -> Self {
        let mut client = Self::start(s, &[]);
        client.shake_hands();
        client
    }

    /// The client of a server that runs in a session and talks by two pipes with names, `PATH.in` and `PATH.out`.
    pub fn by_pipes(path: &str, capabilities: Value) -> Self {
        // Open both ways, so that neither waits for a server that never comes.
        let open = |end: &str| File::options().read(true).write(true).open(format!("{path}.{end}")).unwrap();
        let (stdin, stdout) = (open("in"), open("out"));
        let mut client = Self::over(Box::new(stdin), stdout, None);
        client.capabilities = capabilities;
        client.shake_hands();
        client
    }

    /// From now on each request carries its version and what it can, as those of the newest version do.
    pub fn speak_newest(&mut self) {
        self.meta = Self::newest(&self.capabilities);
    }

    fn newest(capabilities: &Value) -> Value {
        json!({
            "io.modelcontextprotocol/protocolVersion": "2026-07-28",
            "io.modelcontextprotocol/clientInfo": { "name": "test", "version": "1" },
            "io.modelcontextprotocol/clientCapabilities": capabilities,
        })
    }

    fn shake_hands(&mut self) {
        let client = self;
        let capabilities = client.capabilities.clone();
        let hello = json!({ "protocolVersion": "2025-06-18", "capabilities": capabilities, "clientInfo": { "name": "test", "version": "1" } });
        let answer = client.ask("initialize", hello);
        assert_eq!(answer["result"]["serverInfo"]["name"], "deck", "{answer}");
        client.say(&json!({ "jsonrpc": "2.0", "method": "notifications/initialized" }).to_string());
    }

    /// One that carries its version and its name in each request.
    pub fn open_without_handshake(s: &Sandbox) -> Self {
        let mut client = Self::start(s, &[]);
        client.speak_newest();
        let answer = client.ask("server/discover", json!({}));
        assert!(answer["result"]["supportedVersions"].to_string().contains("2026-07-28"), "{answer}");
        client
    }

    pub fn start(s: &Sandbox, args: &[&str]) -> Self {
        let mut command = s.command(env!("CARGO_BIN_EXE_deck"));
        command.arg("mcp").args(args).stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::null());
        let mut child = command.spawn().unwrap();
        let (stdin, stdout) = (child.stdin.take().unwrap(), child.stdout.take().unwrap());
        Self::over(Box::new(stdin), stdout, Some(child))
    }

    fn over(stdin: Box<dyn Write + Send>, stdout: impl Read + Send + 'static, child: Option<Child>) -> Self {
        let heard: Arc<(Mutex<Heard>, Condvar)> = Arc::default();
        let told = heard.clone();
        std::thread::spawn(move || {
            for line in BufReader::new(stdout).lines().map_while(Result::ok) {
                let value: Value = serde_json::from_str(&line).unwrap_or_else(|e| panic!("{e}: {line}"));
                let mut heard = told.0.lock().unwrap();
                // A request of the server's has a number of its own.
                match value["id"].as_u64().filter(|_| value["method"].is_null()) {
                    Some(id) => drop(heard.answers.insert(id, value)),
                    None => heard.notes.push(value),
                }
                told.1.notify_all();
            }
            told.0.lock().unwrap().is_over = true;
            told.1.notify_all();
        });
        let (capabilities, meta) = (json!({}), json!({}));
        Self { child, stdin: Some(stdin), heard, next: 0, capabilities, meta, tools: Value::Null }
    }

    /// Writes a line.
    pub fn say(&mut self, line: &str) {
        let stdin = self.stdin.as_mut().unwrap();
        stdin.write_all(format!("{line}\n").as_bytes()).unwrap();
        stdin.flush().unwrap();
    }

    /// Sends a request, and returns its number.
    pub fn send(&mut self, method: &str, mut params: Value) -> u64 {
        self.next += 1;
        if let (Some(params), Some(meta)) = (params.as_object_mut(), self.meta.as_object()) {
            let all = params.entry("_meta").or_insert_with(|| json!({}));
            all.as_object_mut().unwrap().extend(meta.clone());
        }
        self.say(
            &json!({ "jsonrpc": "2.0", "id": self.next, "method": method, "params": params }).to_string(),
        );
        self.next
    }

    /// Its answer.
    #[track_caller]
    pub fn answer(&self, id: u64) -> Value {
        let until = Instant::now() + LIMIT;
        let mut heard = self.heard.0.lock().unwrap();
        loop {
            if let Some(answer) = heard.answers.remove(&id) {
                return answer;
            }
            let left = until.saturating_duration_since(Instant::now());
            assert!(!left.is_zero() && !heard.is_over, "no answer to {id}; notes: {:?}", heard.notes);
            heard = self.heard.1.wait_timeout(heard, left).unwrap().0;
        }
    }

    #[track_caller]
    pub fn ask(&mut self, method: &str, params: Value) -> Value {
        let id = self.send(method, params);
        self.answer(id)
    }

    /// Calls a tool, and returns its result.
    #[track_caller]
    pub fn call(&mut self, tool: &str, arguments: Value) -> Value {
        self.ask("tools/call", json!({ "name": tool, "arguments": arguments }))["result"].clone()
    }

    /// The data of a result that is no error.
    #[track_caller]
    pub fn ok(&mut self, tool: &str, arguments: Value) -> Value {
        let result = self.call(tool, arguments);
        assert_ne!(result["isError"], true, "{result}");
        let data = result["structuredContent"].clone();
        let text: Value = serde_json::from_str(result["content"][0]["text"].as_str().unwrap()).unwrap();
        assert_eq!(text, data, "the same as text");
        self.check_schema(tool, &data);
        data
    }

    /// Every answer fits the schema that the tool is listed with.
    #[track_caller]
    fn check_schema(&mut self, name: &str, data: &Value) {
        if self.tools.is_null() {
            self.tools = self.ask("tools/list", json!({}))["result"]["tools"].clone();
        }
        let tool = self.tools.as_array().unwrap().iter().find(|t| t["name"] == name).unwrap();
        let mut schemas = boon::Schemas::new();
        let mut compiler = boon::Compiler::new();
        compiler.add_resource("schema.json", tool["outputSchema"].clone()).unwrap();
        let schema = compiler.compile("schema.json", &mut schemas).unwrap();
        if let Err(error) = schemas.validate(data, schema) {
            panic!("{name}: {error:#}\n{data}");
        }
    }

    /// The error of a result that is one.
    #[track_caller]
    pub fn fails(&mut self, tool: &str, arguments: Value) -> (String, String) {
        let result = self.call(tool, arguments);
        assert_eq!(result["isError"], true, "{result}");
        assert!(result["structuredContent"].is_null(), "clients would check it against the schema: {result}");
        let code = result["_meta"]["error"]["code"].as_str().unwrap().to_owned();
        (code, result["content"][0]["text"].as_str().unwrap().to_owned())
    }

    /// What was told without being asked for.
    pub fn notes(&self) -> Vec<Value> {
        self.heard.0.lock().unwrap().notes.clone()
    }

    /// The next request of the server's, and its number.
    #[track_caller]
    pub fn asked(&self) -> (u64, Value) {
        let until = Instant::now() + LIMIT;
        let mut heard = self.heard.0.lock().unwrap();
        loop {
            let at = heard.notes.iter().position(|note| !note["id"].is_null());
            if let Some(at) = at {
                let request = heard.notes.remove(at);
                return (request["id"].as_u64().unwrap(), request);
            }
            let left = until.saturating_duration_since(Instant::now());
            assert!(!left.is_zero() && !heard.is_over, "the server asked nothing: {:?}", heard.notes);
            heard = self.heard.1.wait_timeout(heard, left).unwrap().0;
        }
    }

    /// Replies to a request of the server's.
    pub fn reply(&mut self, id: u64, result: Value) {
        self.say(&json!({ "jsonrpc": "2.0", "id": id, "result": result }).to_string());
    }

    /// Closes its input, and waits for its end.
    pub fn end(&mut self) -> std::process::ExitStatus {
        self.stdin = None;
        self.child.as_mut().unwrap().wait().unwrap()
    }
}

impl Drop for Client {
    fn drop(&mut self) {
        self.stdin = None;
        if let Some(child) = &mut self.child {
            let _ = child.kill();
            let _ = child.wait();
        }
    }
}
