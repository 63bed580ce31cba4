//! What a repository wants set up: seen, run once, and only with its user's consent to just that.

use super::{commit, repository};
use crate::support::{Sandbox, Screen, wait_until};

fn world(setup: &str) -> (Sandbox, String) {
    let s = Sandbox::new();
    s.agent("claude");
    let path = repository(&s, "api");
    std::fs::write(format!("{path}/.deck.toml"), setup).unwrap();
    std::fs::write(format!("{path}/prepare.sh"), "#!/bin/sh\necho prepared > prepared\n").unwrap();
    std::fs::write(format!("{path}/.gitignore"), "prepared\nruns\nnode_modules/\n").unwrap();
    commit(&s, &path, "setup");
    (s, path)
}

fn add(s: &Sandbox, path: &str, branch: &str) -> crate::support::Answer {
    s.deck(&["add", path, "-w", branch, "-c", "claude"])
}

fn becomes(s: &Sandbox, title: &str, want: &str) {
    wait_until(&format!("{title} is {want}"), || {
        let session = s.session(title);
        let is = format!(
            "{} {}",
            session["status"].as_str().unwrap(),
            session["reason"].as_str().unwrap_or_default()
        );
        if is.trim() == want { Ok(()) } else { Err(is) }
    });
}

fn output_has(s: &Sandbox, title: &str, what: &str) {
    wait_until(&format!("{title} shows {what:?}"), || {
        let text = s.deck(&["output", title]).ok();
        if text.contains(what) { Ok(()) } else { Err(text) }
    });
}

const SETUP: &str = "setup = [\"sh ./prepare.sh\", \"echo x >> runs; echo $FOO on $DECK_PORT\"]\nenv = { FOO = \"bar\" }\nlink = [\"node_modules\"]\n";

#[test]
fn it_runs_before_the_agent_once_it_is_allowed() {
    let (s, path) = world(SETUP);
    std::fs::create_dir(format!("{path}/node_modules")).unwrap();
    let said = add(&s, &path, "a").fails(6);
    assert!(said.contains("you have not allowed yet: .deck.toml, prepare.sh"), "{said}");
    assert!(said.contains("deck repo trust --show api") && s.list().is_empty(), "{said}");
    assert!(s.deck(&["repo", "trust", "api", "--show"]).ok().contains("echo prepared > prepared"));
    s.deck(&["repo", "trust", "api"]).ok();
    add(&s, &path, "a").ok();
    output_has(&s, "a", "agent ");
    let text = s.deck(&["output", "a"]).ok();
    assert!(text.contains("$ sh ./prepare.sh") && text.contains("bar on 20000"), "{text}");
    let at = s.path("home").join("src/api-worktrees/a");
    assert!(at.join("prepared").exists() && at.join("node_modules").symlink_metadata().unwrap().is_symlink());
    assert_eq!(s.git(at.to_str().unwrap(), &["status", "--porcelain"]), "", "the link is ignored");
    assert_eq!(s.session("a")["place"]["setup"], "done");
    // It is never repeated by itself.
    s.deck(&["restart", "a"]).ok();
    s.deck(&["stop", "a"]).ok();
    s.deck(&["start", "a"]).ok();
    output_has(&s, "a", "agent ");
    assert_eq!(std::fs::read_to_string(at.join("runs")).unwrap(), "x\n");
    s.deck(&["worktree", "setup", "a"]).ok();
    s.deck(&["restart", "a"]).ok();
    wait_until("it ran again", || match std::fs::read_to_string(at.join("runs")).unwrap() {
        runs if runs == "x\nx\n" => Ok(()),
        runs => Err(runs),
    });
}

#[test]
fn another_byte_asks_again_and_nobody_consents_from_inside_a_session() {
    let (s, path) = world(SETUP);
    s.deck(&["repo", "add", &path]).ok();
    s.deck(&["repo", "trust", "api"]).ok();
    add(&s, &path, "a").ok();
    std::fs::write(format!("{path}/prepare.sh"), "#!/bin/sh\necho prepared > prepareD\n").unwrap();
    commit(&s, &path, "one byte");
    add(&s, &path, "b").fails(6);
    let id = s.session("a")["id"].as_str().unwrap().to_owned();
    let inside = |line: &str| s.shell(line, Some(&id));
    let said = inside("deck repo trust api").fails(6);
    assert!(said.contains("not from inside a session"), "{said}");
    inside(&format!("deck add {path} -w b -c claude --no-parent")).fails(6);
    assert_eq!(s.list().len(), 1);
    // What its user wants instead needs no consent.
    s.file(
        "config.toml",
        "[repositories.api]\nsetup = [\"echo mine\"]\nlink = []\nenv = {}\nteardown = []\n",
    );
    add(&s, &path, "c").ok();
    output_has(&s, "c", "$ echo mine");
    s.file("config.toml", "");
    s.deck(&["add", &path, "-w", "d", "-c", "claude", "--no-setup"]).ok();
    assert_eq!(s.session("d")["place"]["setup"], "skipped");
    // On another branch it is as it was: that is allowed still.
    s.deck(&["repo", "trust", "api", "a", "--show"]).ok();
    s.deck(&["add", &path, "-w", "e", "--base", "a", "-c", "claude"]).ok();
}

#[test]
fn scripts_behind_links_and_large_ones_are_not_passed_over() {
    let (s, path) = world("setup = [\"./run\"]\n");
    std::os::unix::fs::symlink("prepare.sh", format!("{path}/run")).unwrap();
    commit(&s, &path, "a link");
    s.deck(&["repo", "add", &path]).ok();
    let shown = s.deck(&["repo", "trust", "api", "--show"]).ok();
    assert!(
        shown.contains("run:") && shown.contains("prepare.sh:") && shown.contains("echo prepared"),
        "{shown}"
    );
    s.deck(&["repo", "trust", "api"]).ok();
    add(&s, &path, "a").ok();
    std::fs::write(format!("{path}/prepare.sh"), "#!/bin/sh\necho another\n").unwrap();
    commit(&s, &path, "what the link leads to");
    add(&s, &path, "b").fails(6);
    std::fs::write(format!("{path}/prepare.sh"), "#".repeat(300_000)).unwrap();
    commit(&s, &path, "too large to be read");
    let said = add(&s, &path, "c").fails(2);
    assert!(said.contains("prepare.sh has more than 262144 bytes"), "{said}");
    std::fs::write(format!("{path}/.deck.toml"), "#".repeat(1_000_000)).unwrap();
    commit(&s, &path, "a file that is too large");
    add(&s, &path, "d").fails(2);
    assert_eq!(s.list().len(), 1);
}

#[test]
fn a_command_that_fails_keeps_the_agent_from_starting_until_its_user_decides() {
    let (s, path) = world("setup = [\"echo trying; test -e fixed\"]\n");
    s.deck(&["repo", "add", &path]).ok();
    s.deck(&["repo", "trust", "api"]).ok();
    add(&s, &path, "a").ok();
    becomes(&s, "a", "error setup exited 1");
    assert!(s.deck(&["output", "a"]).ok().contains("trying"));
    assert_eq!(s.session("a")["place"]["setup"], "failed");
    let said = s.deck(&["restart", "a"]).fails(1);
    assert!(
        said.contains("failed with 1: $ echo trying") && said.contains("deck restart --no-setup a"),
        "{said}"
    );
    becomes(&s, "a", "error setup exited 1");
    std::fs::write(s.path("home").join("src/api-worktrees/a/fixed"), "").unwrap();
    s.deck(&["restart", "a"]).ok();
    output_has(&s, "a", "agent ");
    add(&s, &path, "b").ok();
    becomes(&s, "b", "error setup exited 1");
    s.deck(&["restart", "b", "--no-setup"]).ok();
    output_has(&s, "b", "agent ");
}

#[test]
fn it_is_starting_for_as_long_as_that_takes_and_a_dead_deck_changes_nothing() {
    let (s, path) = world("setup = [\"until [ -e go ]; do sleep 0.05; done\"]\n");
    s.deck(&["repo", "add", &path]).ok();
    s.deck(&["repo", "trust", "api"]).ok();
    add(&s, &path, "a").ok();
    becomes(&s, "a", "starting setup");
    let explained = s.deck(&["explain", "a"]).ok();
    assert!(explained.contains("starting · setup"), "{explained}");
    // The deck that started it is gone; what it lost with its server begins again.
    std::fs::write(s.path("home").join("src/api-worktrees/a/go"), "").unwrap();
    output_has(&s, "a", "agent ");
    wait_until("that is recorded", || match s.session("a")["place"]["setup"].as_str().unwrap() {
        "done" => Ok(()),
        other => Err(other.to_owned()),
    });
}

#[test]
fn mistakes_in_the_file_are_said_with_their_line() {
    for (text, words) in [
        ("setpu = []\n", "line 1: unknown key `setpu`; did you mean `setup`?"),
        ("\nsetup = [\n", "line "),
        ("link = [\"../x\"]\n", "line 1: `link` must be a list of paths inside the repository"),
    ] {
        let (s, path) = world(text);
        let said = add(&s, &path, "a").fails(2);
        assert!(
            said.contains(".deck.toml: ") && said.contains(words) && said.contains("--no-setup"),
            "{said}"
        );
        assert!(s.list().is_empty());
        s.deck(&["add", &path, "-w", "a", "-c", "claude", "--no-setup"]).ok();
    }
}

#[test]
fn at_a_terminal_it_is_shown_and_asked() {
    let (s, path) = world(SETUP);
    s.program("deck", &format!("exec '{}' \"$@\"", env!("CARGO_BIN_EXE_deck")));
    let shell = Screen::shell(&s, "term");
    let run = |line: &str| shell.keys(&[line, "Enter"]);
    let line = |branch: &str| format!("clear; deck add {path} -w {branch} -c claude");
    run(&line("a"));
    shell.shows("[o]nce, [a]lways, [n]o:");
    shell.shows("echo prepared > prepared");
    run("maybe");
    run("n");
    shell.shows("error: repository \"api\" brings commands");
    assert!(s.list().is_empty());
    run(&line("a"));
    shell.shows("[o]nce, [a]lways, [n]o:");
    run("once");
    shell.shows("started a in");
    run(&line("b"));
    shell.shows("[o]nce, [a]lways, [n]o:");
    run("always");
    shell.shows("started b in");
    run(&line("c"));
    shell.shows("started c in");
}
