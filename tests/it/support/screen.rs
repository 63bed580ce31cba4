//! A terminal that a test looks at: an outer tmux server, which shows deck or a shell.

use std::fs;
use std::os::unix::fs::OpenOptionsExt;

use super::{Sandbox, wait_until};

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
        Self::new(sandbox, name, &words)
    }

    /// Opens deck below a shell, where a test can stop it: tmux continues a program at once that it has started itself.
    pub fn open_below_a_shell(sandbox: &'a Sandbox, name: &str, size: (u16, u16)) -> Self {
        let (width, height) = (size.0.to_string(), size.1.to_string());
        let deck_home = format!("DECK_HOME={}", sandbox.path("deck").display());
        let mut words = vec!["-f", "/dev/null", "new-session", "-d", "-s", name, "-x", &width, "-y", &height];
        words.extend(["-e", &deck_home, "sh", "-c", "\"$0\"; exit", env!("CARGO_BIN_EXE_deck")]);
        Self::new(sandbox, name, &words)
    }

    /// The process that the shell of [`Screen::open_below_a_shell`] has started.
    pub fn below_the_shell(&self) -> i32 {
        let shell = self.ask("#{pane_pid}");
        let children = fs::read_to_string(format!("/proc/{shell}/task/{shell}/children")).unwrap();
        children.trim().parse().unwrap_or_else(|_| panic!("the shell's children: {children:?}"))
    }

    fn new(sandbox: &'a Sandbox, name: &str, words: &[&str]) -> Self {
        sandbox.tmux("outer", words);
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
