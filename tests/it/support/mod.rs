//! A sandbox for tests: own HOME, own folders, own tmux servers, stand-in agents.
//!
//! Invariants: every program that a test starts goes through [`Sandbox`], which gives it nothing of
//! the user's environment; what it started is ended by id; a sandbox that touched anything of the
//! user's fails its test.

mod asker;
mod guard;
mod leftovers;
mod screen;

use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::path::PathBuf;
use std::process::{Child, Command, Output, Stdio};
use std::sync::LazyLock;
use std::time::{Duration, Instant};

use guard::Guard;
use leftovers::Started;
pub use screen::Screen;
use serde_json::Value;
use tempfile::TempDir;

/// How long anything may take to become true.
const PATIENCE: Duration = Duration::from_secs(60);
/// The pauses between two looks: a fifth of what was waited so far, within these bounds. A look often starts a program, and
/// dozens of tests that wait at the same time would leave the processors to nobody else.
const PAUSES: (Duration, Duration) = (Duration::from_millis(10), Duration::from_millis(300));

/// A throw-away world.
pub struct Sandbox {
    dir: TempDir,
    guard: Guard,
    started: Started,
}

impl Sandbox {
    pub fn new() -> Self {
        let dir = tempfile::Builder::new().prefix("deck-it-").tempdir().unwrap();
        for folder in ["home", "bin", "deck", "tmux", "proj", "tmp"] {
            fs::create_dir(dir.path().join(folder)).unwrap();
        }
        fs::set_permissions(dir.path().join("tmux"), fs::Permissions::from_mode(0o700)).unwrap();
        Self { dir, guard: Guard::now(), started: Started::now() }
    }

    pub fn path(&self, name: &str) -> PathBuf {
        self.dir.path().join(name)
    }

    /// A folder to work in.
    pub fn project(&self, name: &str) -> String {
        let path = self.path("proj").join(name);
        fs::create_dir_all(&path).unwrap();
        path.to_str().unwrap().to_owned()
    }

    /// Puts a shell script on the sandbox's PATH.
    pub fn program(&self, name: &str, script: &str) {
        let path = self.path("bin").join(name);
        // Put in its place as a whole: one that is just being started can't be written to.
        let new = self.path("bin").join(format!(".{name}.new"));
        fs::write(&new, format!("#!/bin/sh\n{script}\n")).unwrap();
        fs::set_permissions(&new, fs::Permissions::from_mode(0o755)).unwrap();
        fs::rename(&new, &path).unwrap();
    }

    /// A stand-in that shows its arguments and stays.
    pub fn agent(&self, name: &str) {
        self.program(name, "echo \"agent $0 $*\"\nexec cat");
    }

    pub fn file(&self, name: &str, text: &str) {
        let path = self.path("deck").join(name);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, text).unwrap();
    }

    /// A program with nothing of the user's environment.
    pub fn command(&self, program: &str) -> Command {
        let mut command = Command::new(program);
        if ignores_signals() {
            command = Command::new("env");
            command.args(["--default-signal=HUP,INT,QUIT", program]);
        }
        let path = format!("{}:/usr/local/bin:/usr/bin:/bin", self.path("bin").display());
        command
            .env_clear()
            .env("PATH", path)
            .env("HOME", self.path("home"))
            .env("DECK_HOME", self.path("deck"))
            .env("TMUX_TMPDIR", self.path("tmux"))
            .env("TMPDIR", self.path("tmp"))
            .env("LANG", "C.UTF-8")
            .env("SHELL", "/bin/sh")
            .env("TERM", "xterm-256color")
            .env("COLORTERM", "truecolor")
            .current_dir(self.path("proj"))
            .stdin(Stdio::null());
        command
    }

    #[track_caller]
    pub fn deck(&self, args: &[&str]) -> Answer {
        let mut command = self.command(env!("CARGO_BIN_EXE_deck"));
        let output = bounded(command.args(args)).unwrap_or_else(|| panic!("deck {args:?} did not end"));
        Answer { output, args: args.join(" ") }
    }

    /// A program that is an MCP server which gives each request the same answer.
    pub fn mcp_server(&self, name: &str) {
        let script = r#"while IFS= read -r line; do case $line in *'"id":'*)
            rest=${line#*\"id\":}; id=${rest%%[,\}]*}
            echo "{\"jsonrpc\":\"2.0\",\"id\":$id,\"result\":{\"protocolVersion\":\"2025-06-18\"}}";; esac; done"#;
        self.program(name, script);
    }

    /// Has a session of Claude Code's share an MCP server of this name, which goes on running after it was used.
    pub fn share_server(&self, name: &str) {
        let words = "command = \"sleep\"\nargs = [\"1000\"]\nshare = \"profile\"\nidle = \"1h\"\n";
        self.file(&format!("mcps/{name}.toml"), words);
        let dir = self.project("sharing");
        self.deck(&["add", &dir, "-t", "sharing", "-c", "claude", "--mcp-server", name]).ok();
        let set = format!("state/agents/mcp/{}-set.json", self.session("sharing")["id"].as_str().unwrap());
        let set = self.path("deck").join(set);
        self.deck(&["mcp", "run", name, "--set", set.to_str().unwrap()]).ok();
    }

    /// Runs a line in a shell that finds `deck`, as if typed in the session `inside`, if any.
    pub fn shell(&self, line: &str, inside: Option<&str>) -> Answer {
        self.program("deck", &format!("exec '{}' \"$@\"", env!("CARGO_BIN_EXE_deck")));
        let mut command = self.command("sh");
        command.args(["-c", line]);
        command.envs(inside.map(|id| ("DECK_SESSION_ID", id)));
        let output = bounded(&mut command).unwrap_or_else(|| panic!("{line:?} did not end"));
        Answer { output, args: line.to_owned() }
    }

    pub fn spawn_deck(&self, args: &[&str]) -> Child {
        let mut command = self.command(env!("CARGO_BIN_EXE_deck"));
        command.args(args).stdout(Stdio::null()).stderr(Stdio::null()).spawn().unwrap()
    }

    /// Runs deck until it reaches a step, and kills it there.
    #[track_caller]
    pub fn killed_at(&self, step: &str, args: &[&str]) {
        let mut command = self.command(env!("CARGO_BIN_EXE_deck"));
        let mut child = command.args(args).env("DECK_STOP_AT", step).spawn().unwrap();
        let stat = format!("/proc/{}/stat", child.id());
        wait_until(&format!("it is stopped at {step}"), || {
            let text = fs::read_to_string(&stat).unwrap_or_default();
            if text.contains(") T ") { Ok(()) } else { Err(text) }
        });
        child.kill().unwrap();
        child.wait().unwrap();
    }

    /// Runs git in a folder, as a user with a name. It leaves no maintenance running in that folder.
    #[track_caller]
    pub fn git(&self, dir: &str, args: &[&str]) -> String {
        let mut command = self.command("git");
        let user = "-c user.name=a -c user.email=a@b -c maintenance.auto=false";
        command.current_dir(dir).args(user.split(' ')).args(args);
        let output = bounded(&mut command).unwrap_or_else(|| panic!("git {args:?} did not end"));
        assert!(output.status.success(), "git {args:?}: {}", String::from_utf8_lossy(&output.stderr));
        String::from_utf8_lossy(&output.stdout).into_owned()
    }

    /// deck's own tmux socket: the name under which its server listens or, before there is one, would.
    pub fn socket(&self) -> String {
        let folders = fs::read_dir(self.path("tmux")).into_iter().flatten().flatten();
        let sockets = folders.flat_map(|folder| fs::read_dir(folder.path()).into_iter().flatten().flatten());
        let mut names = sockets.filter_map(|socket| socket.file_name().into_string().ok());
        names.find(|name| name.starts_with("deck-") && !name.ends_with(".lock")).unwrap_or_else(|| {
            let text = self.deck(&["doctor", "--json"]).ok();
            let at = text.find("socket deck-").expect("doctor names the socket") + "socket ".len();
            text[at..at + "deck-01234567".len()].to_owned()
        })
    }

    pub fn tmux(&self, socket: &str, args: &[&str]) -> String {
        let mut command = self.command("tmux");
        command.args(["-u", "-L", socket]).args(args);
        bounded(&mut command).map(|o| String::from_utf8_lossy(&o.stdout).into_owned()).unwrap_or_default()
    }

    pub fn list(&self) -> Vec<Value> {
        serde_json::from_str::<Vec<Value>>(&self.deck(&["list", "--json"]).ok()).unwrap()
    }

    /// One session as `deck list --json` shows it.
    pub fn session(&self, title: &str) -> Value {
        self.list().into_iter().find(|s| s["title"] == title).unwrap_or_else(|| panic!("no session {title}"))
    }

    pub fn profile(&self, name: &str) -> Value {
        let path = self.path("deck").join("profiles").join(name).join("sessions.json");
        serde_json::from_str(&fs::read_to_string(path).unwrap()).unwrap()
    }
}

impl Drop for Sandbox {
    fn drop(&mut self) {
        self.started.end(self.dir.path());
        if !std::thread::panicking() {
            assert_eq!(Guard::now(), self.guard, "a test touched the user's own deck or tmux");
        }
    }
}

/// Runs a program and returns its output; `None`, and the program is ended, when it takes too long.
fn bounded(command: &mut Command) -> Option<Output> {
    let mut child = command.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
    let (out, err) = (child.stdout.take().unwrap(), child.stderr.take().unwrap());
    let read = |mut pipe: Box<dyn std::io::Read + Send>| {
        std::thread::spawn(move || {
            let mut bytes = Vec::new();
            pipe.read_to_end(&mut bytes).map(|_| bytes).unwrap_or_default()
        })
    };
    let begun = Instant::now();
    let (stdout, stderr) = (read(Box::new(out)), read(Box::new(err)));
    loop {
        if let Some(status) = child.try_wait().unwrap() {
            return Some(Output { status, stdout: stdout.join().unwrap(), stderr: stderr.join().unwrap() });
        }
        if begun.elapsed() > PATIENCE * 10 {
            child.kill().unwrap();
            child.wait().unwrap();
            return None;
        }
        std::thread::sleep(Duration::from_millis(2));
    }
}

/// What a run of deck answered.
pub struct Answer {
    output: Output,
    args: String,
}

impl Answer {
    pub fn code(&self) -> i32 {
        self.output.status.code().unwrap_or(-1)
    }

    pub fn stdout(&self) -> String {
        String::from_utf8_lossy(&self.output.stdout).into_owned()
    }

    pub fn stderr(&self) -> String {
        String::from_utf8_lossy(&self.output.stderr).into_owned()
    }

    /// Its stdout, when it did well.
    #[track_caller]
    pub fn ok(self) -> String {
        assert!(self.output.status.success(), "deck {}\n{}{}", self.args, self.stdout(), self.stderr());
        self.stdout()
    }

    /// Its stderr, when it failed with this code.
    #[track_caller]
    pub fn fails(self, code: i32) -> String {
        assert_eq!(self.code(), code, "deck {}\n{}{}", self.args, self.stdout(), self.stderr());
        self.stderr()
    }
}

/// Waits until something is so, and shows what was there instead when it never is.
#[track_caller]
pub fn wait_until(what: &str, mut look: impl FnMut() -> Result<(), String>) {
    let begun = Instant::now();
    loop {
        match look() {
            Ok(()) => return,
            Err(seen) if begun.elapsed() > PATIENCE => panic!("never: {what}\n{seen}"),
            Err(_) => std::thread::sleep((begun.elapsed() / 5).clamp(PAUSES.0, PAUSES.1)),
        }
    }
}

/// Whether the tests were started with signals ignored that they send, as a script starts what it puts into the
/// background: deck would ignore them, too, and a shell would show that it does.
fn ignores_signals() -> bool {
    let status = fs::read_to_string("/proc/self/status").unwrap_or_default();
    let mask = status.lines().find_map(|l| l.strip_prefix("SigIgn:")).unwrap_or_default();
    // Hang-up, interrupt, quit.
    u64::from_str_radix(mask.trim(), 16).is_ok_and(|mask| mask & 0b111 != 0)
}

/// Whether tmux may fail to learn how a child ended: 3.3a sometimes does, other versions are not known to.
pub fn may_miss_exits() -> bool {
    static VERSION: LazyLock<String> = LazyLock::new(|| {
        let output = Command::new("tmux").arg("-V").output().unwrap();
        String::from_utf8_lossy(&output.stdout).trim().to_owned()
    });
    *VERSION == "tmux 3.3a"
}
