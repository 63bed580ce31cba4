//! Terminals beside an agent.

use super::{shows, worker};
use crate::support::{Sandbox, may_miss_exits};

fn world() -> Sandbox {
    let s = Sandbox::new();
    s.agent("claude");
    let dir = s.project("api");
    s.deck(&["add", &dir, "-t", "api", "-c", "claude"]).ok();
    s
}

#[test]
fn a_terminal_is_read_typed_into_and_ended_by_its_name() {
    let s = world();
    let said = s.deck(&["worker", "add", "api", "-n", "sh", "-c", "cat"]).ok();
    assert_eq!(said, "added api:sh (terminal, tab 2)\n");
    s.deck(&["send", "api:sh", "one two"]).ok();
    shows(&s, "api:2", "one two\none two");
    s.deck(&["keys", "api:sh", "x", "enter"]).ok();
    shows(&s, "api:sh", "x\nx");
    let id = worker(&s, "api", "sh")["id"].as_str().unwrap().to_owned();
    assert!(s.deck(&["output", &id, "--lines", "1"]).ok().contains('x'));
    let shown = s.deck(&["show", "api:sh"]).ok();
    assert!(shown.contains("running") && shown.contains("cat"), "{shown}");
    let session = s.session("api");
    assert_eq!(session["workers"][0]["id"], format!("{}-agent", session["id"].as_str().unwrap()));
    assert_eq!(session["workers"][1]["alive"], true);
    let words = s.deck(&["worker", "rm", "api:sh"]).fails(6);
    assert!(words.contains("is still running") && words.contains("deck worker rm --stop api:sh"), "{words}");
    s.deck(&["keys", "api:sh", "ctrl-d"]).ok();
    // An end of which the exit code is not known counts as a failure.
    let ended = s.deck(&["wait", "api:sh", "--for", "exit", "--timeout", "60"]);
    assert!(ended.code() == 0 || ended.code() == 1 && may_miss_exits(), "{}", ended.stderr());
    let words = s.deck(&["send", "api:sh", "more"]).fails(1);
    assert!(words.contains("deck worker restart api:sh"), "{words}");
    shows(&s, "api:sh", "one two");
    s.deck(&["worker", "restart", "api:sh"]).ok();
    assert_eq!(worker(&s, "api", "sh")["alive"], true);
    s.deck(&["worker", "rename", "api:sh", "cat"]).ok();
    assert_eq!(s.deck(&["worker", "rm", "--stop", "api:cat"]).ok(), "ended and removed cat\n");
    assert_eq!(s.session("api")["workers"].as_array().unwrap().len(), 1);
    assert_eq!(
        s.session("api")["tmux"]["pane_id"],
        session["tmux"]["pane_id"],
        "its agent was never touched"
    );
}

#[test]
fn it_has_what_its_session_has() {
    let s = world();
    let session = s.session("api");
    s.deck(&["worker", "add", "api", "-n", "env", "-c", "echo $DECK_SESSION_ID:$PWD:$PATH; exit 3"]).ok();
    let words = s.deck(&["wait", "api:env", "--for", "exit", "--timeout", "60"]).fails(1);
    assert!(words.contains("api:env exited 3") || words.contains("exited") && may_miss_exits(), "{words}");
    // All that it printed is on what it shows last.
    let text = s.deck(&["output", "api:env"]).ok();
    let expected =
        format!("{}:{}:", session["id"].as_str().unwrap(), session["project_path"].as_str().unwrap());
    assert!(text.contains(&expected), "{text}");
    // The programs of this sandbox are found in it.
    assert!(text.contains(s.path("bin").to_str().unwrap()), "{text}");
    let exit = worker(&s, "api", "env")["exit"].clone();
    assert!(exit == 3 || exit.is_null() && may_miss_exits(), "{exit}");
}

#[test]
fn what_can_not_be_a_worker_is_refused_before_anything_is_recorded() {
    let s = world();
    for (args, code, words) in [
        (&["worker", "add", "api", "-n", "2"][..], 2, "not a number"),
        (&["worker", "add", "api", "-n", "a:b"], 2, "without colons"),
        (&["worker", "add", "api", "-n", "claude"], 2, "already"),
        (&["worker", "add", "api", "--type", "markdown"], 2, "--file FILE"),
        (
            &["worker", "add", "api", "--type", "markdown", "--file", "../../etc/passwd"],
            2,
            "file \"../../etc/passwd\"",
        ),
        (
            &["worker", "add", "api", "--type", "link", "--url", "javascript:alert(1)"],
            2,
            "neither http nor https",
        ),
        (&["worker", "rm", "api:9"], 3, "one of 1 claude"),
        (&["worker", "rm", "api:1"], 2, "first worker"),
        (&["worker", "list", "nope"], 3, "no session"),
        (&["output", "nope:2"], 3, "no session"),
        (&["output", "api:diff"], 3, "has no worker \"diff\""),
    ] {
        let said = s.deck(args).fails(code);
        assert!(said.contains(words), "{args:?}: {said}");
    }
    let dir = s.session("api")["project_path"].as_str().unwrap().to_owned();
    std::os::unix::fs::symlink("/etc/passwd", format!("{dir}/out.md")).unwrap();
    nix::unistd::mkfifo(format!("{dir}/fifo.md").as_str(), nix::sys::stat::Mode::S_IRWXU).unwrap();
    std::fs::write(format!("{dir}/bytes.md"), b"\xff\xfe").unwrap();
    for (file, words) in [
        ("out.md", "leads out"),
        ("fifo.md", "is not a file"),
        ("bytes.md", "not UTF-8"),
        (".", "is not a file"),
    ] {
        let said = s.deck(&["worker", "add", "api", "--type", "markdown", "--file", file]).fails(2);
        assert!(said.contains(words), "{file}: {said}");
    }
    assert_eq!(s.session("api")["workers"].as_array().unwrap().len(), 1);
    // A title may hold a colon: the whole word comes first.
    let other = s.project("other");
    s.deck(&["add", &other, "-t", "api:2", "-c", "claude"]).ok();
    s.deck(&["worker", "add", "api", "-c", "cat"]).ok();
    assert!(s.deck(&["show", "api:2", "--json"]).ok().contains("\"title\": \"api:2\""));
    assert!(s.deck(&["show", "api:cat"]).ok().contains("tab 2"));
    let words = s.deck(&["stop", "api:cat"]).fails(2);
    assert!(words.contains("is a terminal, and no session"), "{words}");
}

#[test]
fn a_terminal_whose_deck_was_killed_is_there_once() {
    let s = world();
    s.killed_at("worker-recorded", &["worker", "add", "api", "-n", "sh", "-c", "cat"]);
    assert_eq!(worker(&s, "api", "sh")["alive"], false, "recorded, and yet to be made");
    s.deck(&["restart", "api"]).ok();
    assert_eq!(worker(&s, "api", "sh")["alive"], true, "a start makes what was begun");
    let name = s.session("api")["tmux"]["name"].as_str().unwrap().to_owned();
    s.deck(&["restart", "api"]).ok();
    let windows = s.tmux(&s.socket(), &["list-windows", "-t", &format!("={name}:"), "-F", "#{window_name}"]);
    assert_eq!(windows.lines().count(), 2, "{windows}");
}
