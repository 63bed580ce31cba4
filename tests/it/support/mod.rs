//! A sandbox for tests: own HOME, own folders, own tmux servers, stand-in agents.
//!
//! Invariants: every program that a test starts goes through [`Sandbox`], which gives it nothing of
//! the user's environment; what it started is ended by id; a sandbox that touched anything of the
//! user's fails its test.

mod asker;
mod guard;

use std::fs;
use std::os::unix::fs::{OpenOptionsExt, PermissionsExt};
use std::path::PathBuf;
use std::process::{Child, Command, Output, Stdio};
use std::time::{Duration, Instant};

use guard::Guard;
use serde_json::Value;
use tempfile::TempDir;

/// How long anything may take to become true.
const PATIENCE: Duration = Duration::from_secs(60);
/// How often to look.
const POLL_INTERVAL: Duration = Duration::from_millis(25);

/// A throw-away world.
pub struct Sandbox {
    dir: TempDir,
    guard: Guard,
}

impl Sandbox {
    pub fn new() -> Self {
        let dir = tempfile::Builder::new().prefix("deck-it-").tempdir().unwrap();
        for folder in ["home", "bin", "deck", "tmux", "proj", "tmp"] {
            fs::create_dir(dir.path().join(folder)).unwrap();
        }
        fs::set_permissions(dir.path().join("tmux"), fs::Permissions::from_mode(0o700)).unwrap();
        Self { dir, guard: Guard::now() }
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

    /// Runs git in a folder, as a user with a name.
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

    #[track_caller]
    pub fn git(&self, dir: &str, args: &[&str]) -> String {
        let mut command = self.command("git");
        command.current_dir(dir).args(["-c", "user.name=a", "-c", "user.email=a@b"]).args(args);
        let output = bounded(&mut command).unwrap_or_else(|| panic!("git {args:?} did not end"));
        assert!(output.status.success(), "git {args:?}: {}", String::from_utf8_lossy(&output.stderr));
        String::from_utf8_lossy(&output.stdout).into_owned()
    }

    /// deck's own tmux socket.
    pub fn socket(&self) -> String {
        let text = self.deck(&["doctor", "--json"]).ok();
        let at = text.find("socket deck-").expect("doctor names the socket") + "socket ".len();
        text[at..at + "deck-01234567".len()].to_owned()
    }

    pub fn tmux(&self, socket: &str, args: &[&str]) -> String {
        let mut command = self.command("tmux");
        command.args(["-u", "-L", socket]).args(args);
        bounded(&mut command).map(|o| String::from_utf8_lossy(&o.stdout).into_owned()).unwrap_or_default()
    }

    /// Ends what is left of this sandbox's processes: those whose command line or environment names its
    /// folder. A screen that is still open would start its server again, outside of a folder that is gone: so it is looked
    /// until none is left, since one that was started meanwhile may not be seen.
    fn end_processes(&self) {
        wait_until("all of the sandbox's processes are gone", || match self.end_those_seen() {
            0 => Ok(()),
            left => Err(format!("{left} were left")),
        });
    }

    /// Ends those that are seen now. Returns how many those were.
    fn end_those_seen(&self) -> usize {
        let mut seen = 0;
        let mark = self.dir.path().to_str().unwrap().as_bytes().to_vec();
        for entry in fs::read_dir("/proc").into_iter().flatten().flatten() {
            let Some(pid) = entry.file_name().to_str().and_then(|n| n.parse::<i32>().ok()) else { continue };
            let names = |file: &str| {
                let bytes = fs::read(entry.path().join(file)).unwrap_or_default();
                bytes.windows(mark.len()).any(|w| w == mark)
            };
            if names("cmdline") || names("environ") {
                seen += 1;
                let _ = nix::sys::signal::kill(
                    nix::unistd::Pid::from_raw(pid),
                    nix::sys::signal::Signal::SIGKILL,
                );
            }
        }
        seen
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
        // A client whose deck was killed holds up the end of its server: connecting ends it first.
        if self.path("deck").join("run").exists() {
            self.deck(&["doctor"]);
        }
        // The terminals first, and the screens on them.
        self.tmux("outer", &["kill-server"]);
        for socket in fs::read_dir(self.path("tmux")).into_iter().flatten().flatten() {
            for socket in fs::read_dir(socket.path()).into_iter().flatten().flatten() {
                let name = socket.file_name().into_string().unwrap_or_default();
                self.tmux(&name, &["kill-server"]);
            }
        }
        self.end_processes();
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
            Err(_) => pause(),
        }
    }
}

fn pause() {
    std::thread::sleep(POLL_INTERVAL);
}

/// A deck on its own terminal.
pub struct Screen<'a> {
    sandbox: &'a Sandbox,
    name: String,
}

impl<'a> Screen<'a> {
    pub fn open(sandbox: &'a Sandbox, name: &str, size: (u16, u16), args: &[&str]) -> Self {
        let (width, height) = (size.0.to_string(), size.1.to_string());
        let mut words = vec!["-f", "/dev/null", "new-session", "-d", "-s", name, "-x", &width, "-y", &height];
        let deck_home = format!("DECK_HOME={}", sandbox.path("deck").display());
        // Two words, so that there is no shell between the terminal and deck.
        words.extend(["-e", &deck_home, "env", env!("CARGO_BIN_EXE_deck")]);
        words.extend(args);
        sandbox.tmux("outer", &words);
        sandbox.tmux(
            "outer",
            &["set-option", "-g", "remain-on-exit", "on", ";", "set-option", "-g", "status", "off"],
        );
        Self { sandbox, name: name.to_owned() }
    }

    /// A shell on its own terminal, to run deck from.
    pub fn shell(sandbox: &'a Sandbox, name: &str) -> Self {
        let deck_home = format!("DECK_HOME={}", sandbox.path("deck").display());
        let words = [
            "-f",
            "/dev/null",
            "new-session",
            "-d",
            "-s",
            name,
            "-x",
            "100",
            "-y",
            "30",
            "-e",
            &deck_home,
            "sh",
        ];
        sandbox.tmux("outer", &words);
        sandbox.tmux("outer", &["set-option", "-g", "status", "off"]);
        let shell = Self { sandbox, name: name.to_owned() };
        // What is typed before its prompt is echoed twice.
        wait_until("the shell shows its prompt", || {
            let text = shell.text();
            if text.trim().is_empty() { Err(text) } else { Ok(()) }
        });
        shell
    }

    pub fn text(&self) -> String {
        self.sandbox.tmux("outer", &["capture-pane", "-p", "-t", &self.name])
    }

    /// Waits until the shell of [`Screen::shell`] has its terminal back: what is typed before is echoed twice.
    #[track_caller]
    pub fn shell_is_back(&self) {
        // Its prompt is a sign and a blank; what a program left on that line may stand behind them.
        wait_until("the cursor is behind the shell's prompt", || {
            match self.ask("#{cursor_x} #{alternate_on}") {
                at if at == "2 0" => Ok(()),
                at => Err(format!("{at}\n{}", self.text())),
            }
        });
    }

    /// What is shown, with the sequences that set its colours.
    pub fn painted(&self) -> String {
        self.sandbox.tmux("outer", &["capture-pane", "-p", "-e", "-t", &self.name])
    }

    /// What tmux reports of this terminal, once its program has ended.
    #[track_caller]
    pub fn after_end(&self, format: &str) -> String {
        wait_until(
            "deck has left",
            || if self.ask("#{pane_dead}") == "1" { Ok(()) } else { Err(self.text()) },
        );
        // tmux 3.3a sometimes never learns how a child ended; when it does, it was well.
        self.sandbox.tmux("outer", &["run-shell", "true"]);
        let status = self.ask("#{pane_dead_status}");
        assert!(matches!(status.as_str(), "" | "0"), "it ended with {status}\n{}", self.text());
        self.ask(format)
    }

    pub fn ask(&self, format: &str) -> String {
        self.sandbox.tmux("outer", &["display-message", "-p", "-t", &self.name, format]).trim().to_owned()
    }

    /// Presses keys. What follows an Escape waits until the program has read that: two that are read at
    /// once are one key with Alt.
    #[track_caller]
    pub fn keys(&self, keys: &[&str]) {
        for part in keys.split_inclusive(|k| *k == "Escape") {
            let mut words = vec!["send-keys", "-t", &self.name];
            words.extend(part);
            self.sandbox.tmux("outer", &words);
            if part.last() == Some(&"Escape") {
                self.has_read_its_input();
            }
        }
    }

    #[track_caller]
    fn has_read_its_input(&self) {
        use nix::poll::{PollFd, PollFlags, PollTimeout, poll};
        use std::os::fd::AsFd;
        let tty = self.ask("#{pane_tty}");
        let tty = fs::OpenOptions::new().read(true).custom_flags(nix::libc::O_NOCTTY).open(tty).unwrap();
        wait_until("the program has read its input", || {
            let mut fds = [PollFd::new(tty.as_fd(), PollFlags::POLLIN)];
            match poll(&mut fds, PollTimeout::ZERO) {
                Ok(0) => Ok(()),
                other => Err(format!("{other:?}\n{}", self.text())),
            }
        });
    }

    /// Gives the program bytes as a terminal would: reports of the mouse, for example.
    pub fn raw(&self, bytes: &str) {
        let hex: Vec<String> = bytes.bytes().map(|b| format!("{b:02x}")).collect();
        let mut words = vec!["send-keys", "-t", &self.name, "-H"];
        words.extend(hex.iter().map(String::as_str));
        self.sandbox.tmux("outer", &words);
    }

    #[track_caller]
    pub fn shows(&self, what: &str) {
        wait_until(&format!("the screen shows {what:?}"), || {
            let text = self.text();
            if text.contains(what) { Ok(()) } else { Err(text) }
        });
    }

    #[track_caller]
    pub fn hides(&self, what: &str) {
        wait_until(&format!("the screen no longer shows {what:?}"), || {
            let text = self.text();
            if text.contains(what) { Err(text) } else { Ok(()) }
        });
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
