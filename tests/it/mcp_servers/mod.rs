//! MCP servers of the user's: from the catalogue to the program that an agent talks to.

mod import;
mod passing;
mod project;
mod running;
mod sharing;
mod when_idle;

use std::io::{BufRead as _, BufReader, Write as _};
use std::process::{Child, ChildStdin, ChildStdout, Stdio};

use serde_json::{Value, json};

use crate::support::{Sandbox, wait_until};

/// A tool whose agents are told of servers by a file, and read one of their own in the project.
const TOOL: &str = r#"
[tools.vibe]
command = "vibe"
[tools.vibe.mcp.servers]
stdio = '"{name}":{"command":"{deck}","args":["mcp","run","{name}","--set","{set}"]}'
file = '{"mcpServers":{{entries}}}'
args = ["--mcp-config={file}"]
replaces = true
[[tools.vibe.mcp.read]]
file = ["{project}/.vibe.json"]
at = ["mcpServers"]
as = "project"
"#;

/// A deck with that tool, whose agent notes its arguments.
fn sandbox() -> Sandbox {
    let s = Sandbox::new();
    s.file("config.toml", TOOL);
    let log = s.path("tmp/started");
    s.program("vibe", &format!("printf '%s\\n' \"$@\" > {0}.part; mv {0}.part {0}; exec cat", log.display()));
    s
}

/// The arguments that the agent was started with, once it was.
fn arguments(s: &Sandbox) -> String {
    let log = s.path("tmp/started");
    wait_until("the agent starts", || std::fs::metadata(&log).map(drop).map_err(|e| e.to_string()));
    let text = std::fs::read_to_string(&log).unwrap();
    std::fs::remove_file(&log).unwrap();
    text.trim().to_owned()
}

/// The entries in the file that an agent was told of.
fn entries(s: &Sandbox) -> Value {
    let arguments = arguments(s);
    let file = arguments.strip_prefix("--mcp-config=").unwrap_or_else(|| panic!("{arguments:?}"));
    let text = std::fs::read_to_string(file).unwrap();
    serde_json::from_str::<Value>(&text).unwrap()["mcpServers"].clone()
}

/// A server as an agent has it: started by its entry, spoken to over pipes.
struct Server {
    child: Child,
    stdin: Option<ChildStdin>,
    stdout: BufReader<ChildStdout>,
}

impl Server {
    /// Starts what an entry names, with variables that the agent passes on.
    fn start(s: &Sandbox, entry: &Value, env: &[(&str, &str)]) -> Self {
        let mut command = s.command(entry["command"].as_str().unwrap());
        command.args(entry["args"].as_array().unwrap().iter().map(|a| a.as_str().unwrap()));
        command.envs(env.iter().copied()).stdin(Stdio::piped()).stdout(Stdio::piped());
        let mut child = command.spawn().unwrap();
        let (stdin, stdout) = (child.stdin.take(), child.stdout.take().unwrap());
        Self { child, stdin, stdout: BufReader::new(stdout) }
    }

    fn send(&mut self, message: &Value) {
        writeln!(self.stdin.as_mut().unwrap(), "{message}").unwrap();
    }

    fn line(&mut self) -> String {
        let mut line = String::new();
        self.stdout.read_line(&mut line).unwrap();
        line.trim_end().to_owned()
    }

    /// The answer to a request.
    fn ask(&mut self, id: i32, method: &str) -> Value {
        self.send(&json!({"jsonrpc": "2.0", "id": id, "method": method, "params": {}}));
        serde_json::from_str(&self.line()).unwrap()
    }

    /// Ends its input; returns its exit code.
    fn end(mut self) -> Option<i32> {
        drop(self.stdin.take());
        self.child.wait().unwrap().code()
    }
}
