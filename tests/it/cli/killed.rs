//! A deck that is killed or gives up while it connects or leaves: the tmux server and its sessions live on.
//!
//! tmux 3.3a crashes if it announces something while a control client is halfway through connecting. That
//! moment can't be hit on purpose, so these tests hold what makes it impossible: who connects, and under
//! which lock clients come and go.

use std::fs::{File, OpenOptions};
use std::os::unix::fs::MetadataExt;
use std::process::Child;

use nix::sys::signal::{Signal, kill};
use nix::unistd::Pid;

use crate::support::{Sandbox, Screen, wait_until};

fn lock_file(s: &Sandbox, socket: &str) -> File {
    let path = s.path("deck").join("run").join(format!("{socket}.turn"));
    OpenOptions::new().read(true).write(true).open(path).unwrap()
}

fn control_clients(s: &Sandbox, socket: &str) -> usize {
    s.tmux(socket, &["list-clients", "-F", "#{client_control_mode}"]).lines().filter(|l| *l == "1").count()
}

fn notes(s: &Sandbox) -> usize {
    let files = std::fs::read_dir(s.path("deck").join("run")).unwrap().flatten();
    files.filter(|f| f.path().extension().is_some_and(|e| e == "client")).count()
}

/// A deck that stays until it is killed, once it has connected.
fn connected(s: &Sandbox, socket: &str) -> Child {
    let child = s.spawn_deck(&["wait", "api", "--for", "exit"]);
    wait_until("it has connected", || match control_clients(s, socket) {
        1 => Ok(()),
        n => Err(format!("{n} control clients")),
    });
    // Its lock is given back once it is in.
    lock_file(s, socket).lock().unwrap();
    child
}

/// Where tmux is.
fn real_tmux() -> &'static str {
    let real = ["/usr/local/bin/tmux", "/usr/bin/tmux", "/bin/tmux"];
    real.into_iter().find(|p| std::path::Path::new(p).exists()).expect("tmux is installed")
}

#[test]
fn a_short_command_connects_no_control_client() {
    let s = Sandbox::new();
    s.agent("claude");
    let log = s.path("tmp/tmux.log");
    let real = real_tmux();
    s.program("tmux", &format!("echo \"$*\" >> {}\nexec {real} \"$@\"", log.display()));
    s.deck(&["add", &s.project("p"), "-t", "api", "-c", "claude"]).ok();
    for args in [
        &["status"][..],
        &["list"],
        &["show", "api"],
        &["explain", "api"],
        &["output", "api"],
        &["keys", "api", "Enter"],
        &["rm", "api", "--stop"],
    ] {
        s.deck(args).ok();
    }
    let log = std::fs::read_to_string(log).unwrap();
    let connecting: Vec<&str> = log.lines().filter(|l| l.split(' ').any(|w| w == "-C")).collect();
    assert_eq!(connecting, Vec::<&str>::new());
    assert!(log.lines().count() > 10, "{log}");
}

#[test]
fn the_client_of_a_killed_deck_leaves_under_the_lock() {
    let s = Sandbox::new();
    s.agent("claude");
    s.deck(&["add", &s.project("p"), "-t", "api", "-c", "claude"]).ok();
    let socket = s.socket();
    let mut deck = connected(&s, &socket);
    // As another deck that connects just now.
    let lock = lock_file(&s, &socket);
    lock.lock().unwrap();
    let inode = lock.metadata().unwrap().ino();
    deck.kill().unwrap();
    deck.wait().unwrap();
    // The kernel lists who waits for a lock, too.
    wait_until("the client waits for its turn to leave", || {
        let locks = std::fs::read_to_string("/proc/locks").unwrap();
        let waits = |l: &str| l.contains("-> FLOCK") && l.contains(&format!(":{inode} "));
        if locks.lines().any(waits) { Ok(()) } else { Err(locks) }
    });
    assert_eq!(control_clients(&s, &socket), 1);
    lock.unlock().unwrap();
    wait_until("it has left", || match (control_clients(&s, &socket), notes(&s)) {
        (0, 0) => Ok(()),
        seen => Err(format!("clients and notes: {seen:?}")),
    });
    assert_eq!(s.list().len(), 1);
}

#[test]
fn the_lock_outlives_a_deck_that_is_killed_while_it_connects() {
    let s = Sandbox::new();
    s.agent("claude");
    s.deck(&["add", &s.project("p"), "-t", "api", "-c", "claude"]).ok();
    let socket = s.socket();
    let server: i32 = s.tmux(&socket, &["display-message", "-p", "#{pid}"]).trim().parse().unwrap();
    // A server that is stopped lets nobody in, so the client stays on its way.
    let real = real_tmux();
    let script = format!("case \" $* \" in *' -C '*) kill -STOP {server};; esac\nexec {real} \"$@\"");
    s.program("tmux", &script);
    let screen = Screen::open(&s, "killed", (80, 24), &[]);
    // The client may be noted before it has stopped the server.
    wait_until("a client is started, and the server is stopped", || {
        let stat = std::fs::read_to_string(format!("/proc/{server}/stat")).unwrap();
        match notes(&s) {
            1 if stat.contains(") T ") => Ok(()),
            n => Err(format!("{n} notes; {stat}")),
        }
    });
    let deck: i32 = screen.ask("#{pane_pid}").parse().unwrap();
    kill(Pid::from_raw(deck), Signal::SIGKILL).unwrap();
    wait_until(
        "deck is gone",
        || if screen.ask("#{pane_dead}") == "1" { Ok(()) } else { Err(screen.text()) },
    );
    assert!(lock_file(&s, &socket).try_lock().is_err(), "its client is still on its way");
    kill(Pid::from_raw(server), Signal::SIGCONT).unwrap();
    wait_until("the client came and left", || match (lock_file(&s, &socket).try_lock(), notes(&s)) {
        (Ok(()), 0) => Ok(()),
        seen => Err(format!("{seen:?}")),
    });
    assert_eq!(s.tmux(&socket, &["display-message", "-p", "#{pid}"]).trim(), server.to_string());
    assert_eq!(control_clients(&s, &socket), 0);
}

/// A process that has the lock on a file, and is stopped.
struct Holder(Child);

impl Holder {
    fn new(s: &Sandbox, path: std::path::PathBuf) -> Self {
        let file = OpenOptions::new().append(true).create(true).open(path).unwrap();
        file.lock().unwrap();
        let mut cat = s.command("cat");
        let child = cat.stdin(std::process::Stdio::piped()).stderr(file).spawn().unwrap();
        // What sets its signals may run first.
        let name = format!("/proc/{}/comm", child.id());
        wait_until("it is the program itself", || match std::fs::read_to_string(&name).unwrap() {
            name if name == "cat\n" => Ok(()),
            name => Err(name),
        });
        kill(Pid::from_raw(child.id().cast_signed()), Signal::SIGSTOP).unwrap();
        Self(child)
    }
}

impl Drop for Holder {
    fn drop(&mut self) {
        self.0.kill().unwrap();
        self.0.wait().unwrap();
    }
}

#[test]
fn a_stopped_process_that_has_a_lock_is_named() {
    let s = Sandbox::new();
    s.agent("claude");
    s.deck(&["add", &s.project("p"), "-t", "api", "-c", "claude"]).ok();
    let of_server = s.path("deck/run").join(format!("{}.turn", s.socket()));
    let of_profile = s.path("deck/profiles/default/sessions.json.lock");
    for (path, verb) in [(of_server, &["stop", "api"][..]), (of_profile, &["rename", "api", "other"])] {
        assert!(path.exists(), "{}", path.display());
        let holder = Holder::new(&s, path);
        let pid = holder.0.id();
        let words = s.deck(verb).fails(5);
        assert!(words.contains(&format!("locked by process {pid} (cat), which is stopped")), "{words}");
        assert!(words.contains("hint: ") && words.contains(&format!("kill -CONT {pid}")), "{words}");
        drop(holder);
        s.deck(verb).ok();
    }
}
