//! The help of every verb: it has examples, and each of them runs.

use clap::{Command, CommandFactory};

use crate::support::{Sandbox, wait_until};

/// A conversation that no session has.
const CONVERSATION: &str = "5b1e2c90-0000-4000-8000-000000000000";

/// Examples that a test can't run to a good end: what they exit with instead, and why.
const EXCEPTIONS: &[(&str, i32, &str)] = &[
    ("deck", 2, "opens the TUI, which needs a terminal"),
    ("deck demo", 2, "opens the TUI, which needs a terminal"),
    ("deck attach api", 2, "attaching needs a terminal"),
    ("deck attach api:tests", 2, "attaching needs a terminal"),
    ("deck next --attach", 2, "attaching needs a terminal"),
    ("deck list --watch --json", 124, "runs until it is interrupted"),
    ("deck conversation events --follow --json", 124, "runs until it is interrupted"),
    ("deck handoff api --to codex", 6, "there is no transcript"),
    ("deck handoff api --to gemini --go --keep", 6, "there is no transcript"),
    ("deck handoff api --to codex --when-idle --wait-answer", 6, "there is no transcript"),
    ("deck handoff api --to codex --dry-run", 6, "there is no transcript"),
    ("deck conversation compact pm-feature-auth", 6, "it is not large enough"),
    #[cfg(feature = "web")]
    ("deck serve", 124, "runs until it is interrupted"),
    #[cfg(feature = "web")]
    ("deck serve --read-only", 124, "runs until it is interrupted"),
    #[cfg(feature = "web")]
    ("deck serve status", 1, "nothing is served"),
    #[cfg(feature = "web")]
    ("deck serve status --json", 1, "nothing is served"),
    #[cfg(feature = "web")]
    ("deck serve stop", 1, "nothing is served"),
    #[cfg(feature = "web")]
    ("deck serve pair", 1, "nothing is served"),
    #[cfg(feature = "web")]
    ("deck serve pair --qr", 1, "nothing is served"),
    #[cfg(feature = "web")]
    ("deck serve pair --read-only", 1, "nothing is served"),
    #[cfg(feature = "web")]
    ("deck serve revoke 3kX9aB12", 3, "there is no such browser"),
];

/// A verb's path, such as `group add`, and its examples.
struct Examples {
    verb: String,
    lines: Vec<String>,
}

/// All visible commands with their paths.
pub fn walk(command: &Command, path: &str, found: &mut Vec<(String, Command)>) {
    found.push((path.to_owned(), command.clone()));
    for sub in command.get_subcommands().filter(|c| !c.is_hide_set() && c.get_name() != "help") {
        walk(sub, format!("{path} {}", sub.get_name()).trim(), found);
    }
}

/// The part of a line before its explanation: up to two spaces outside quotes.
fn command_of(line: &str) -> &str {
    let mut quoted = false;
    let mut last = ' ';
    for (at, c) in line.char_indices() {
        quoted ^= c == '\'';
        if !quoted && c == ' ' && last == ' ' {
            return line[..at].trim();
        }
        last = c;
    }
    line.trim()
}

fn examples() -> Vec<Examples> {
    let mut commands = Vec::new();
    walk(&deck::cli::Cli::command(), "", &mut commands);
    let mut all = Vec::new();
    for (verb, command) in commands {
        let help = command.get_after_help().map(ToString::to_string).unwrap_or_default();
        let (_, lines) = help.split_once("Examples:\n").unwrap_or_else(|| panic!("deck {verb}: no examples"));
        let lines: Vec<_> = lines.lines().take_while(|l| l.starts_with("  ")).map(str::trim_start).collect();
        assert!(!lines.is_empty(), "deck {verb}: no examples");
        all.push(Examples { verb, lines: lines.iter().map(|l| command_of(l).to_owned()).collect() });
    }
    all
}

/// What most examples need: sessions that don't run, groups, a profile, folders, a screen.
fn world(verb: &str, lines: &str) -> Sandbox {
    let s = Sandbox::new();
    s.agent("claude");
    s.agent("gemini");
    s.asker();
    for folder in ["home/src/api", "home/src/api-moved", "home/src/backend", "home/.config/fish/completions"]
    {
        std::fs::create_dir_all(s.path(folder)).unwrap();
    }
    // Only those that the examples name.
    let names = |word: &str| lines.contains(word) || word == "api";
    let dir = s.project("p");
    for title in ["api", "docs", "review", "old-idea"].into_iter().filter(|t| names(t)) {
        s.deck(&["add", &dir, "-t", title, "-c", "asker", "--no-start"]).ok();
    }
    match verb {
        "group add" => {}
        "group" if lines.contains("add") => {}
        _ => {
            for group in ["work/backend", "tools", "old"].into_iter().filter(|g| names(g)) {
                s.deck(&["group", "add", group]).ok();
            }
        }
    }
    if lines.contains("--group work") {
        s.deck(&["group", "add", "work"]).ok();
        s.deck(&["move", "api", "--to", "work"]).ok();
    }
    match verb {
        "profile add" => {}
        "profile" if lines.contains("profile add") => {}
        _ => {
            for profile in ["work", "old"].into_iter().filter(|p| names(p)) {
                s.deck(&["profile", "add", profile]).ok();
            }
        }
    }
    std::fs::write(s.path("proj").join("screen.txt"), "> \n").unwrap();
    s
}

fn start(s: &Sandbox, lines: &str) {
    for title in ["api", "docs", "review"] {
        if lines.contains(title) || title == "api" {
            s.deck(&["start", title]).ok();
            s.deck(&["wait", title, "--for", "idle", "--timeout", "120"]).ok();
        }
    }
}

fn ask(s: &Sandbox) {
    s.deck(&["send", "api", "ask everything"]).ok();
    s.deck(&["wait", "api", "--for", "waiting", "--timeout", "120"]).ok();
}

/// A shell with a job.
fn shell(s: &Sandbox, verb: &str) {
    if verb == "shell replay" {
        crate::shells::lost(s, "api");
        return;
    }
    s.deck(&["shell", "start", "--name", "api"]).ok();
    if verb == "job write" {
        s.deck(&["shell", "exec", "api", "cat", "--background", "--stdin", "open"]).ok();
    } else {
        s.deck(&["shell", "exec", "api", "echo on port 80"]).ok();
    }
    if verb == "shell restore" {
        s.deck(&["shell", "checkpoint", "api", "before-upgrade"]).ok();
    }
}

/// A repository with a worktree.
fn places(s: &Sandbox, verb: &str) {
    let path = crate::places::repository(s, "api");
    let worktree = s.path("home").join("src/api-worktrees/feat-login");
    let worktree = worktree.to_str().unwrap();
    s.git(&path, &["worktree", "add", "-q", "-b", "feat/login", worktree]);
    if !["repo", "repo add"].contains(&verb) {
        s.deck(&["repo", "add", &path]).ok();
    }
    if verb == "worktree unlock" {
        s.git(&path, &["worktree", "lock", worktree]);
    }
    if verb == "worktree add" {
        s.git(&path, &["tag", "v1.2"]);
    }
    if verb == "worktree setup" || verb == "worktree restore" {
        s.deck(&["rm", "api"]).ok();
        std::fs::write(format!("{path}/.deck.toml"), "setup = ['true']\n").unwrap();
        crate::places::commit(s, &path, "setup");
        s.deck(&["repo", "trust", "api"]).ok();
        s.deck(&["add", &path, "-w", "feat/api", "-t", "api", "-c", "asker"]).ok();
        if verb == "worktree restore" {
            s.deck(&["stop", "api"]).ok();
            std::fs::remove_dir_all(s.session("api")["project_path"].as_str().unwrap()).unwrap();
        }
    }
    if verb.starts_with("worktree finish") {
        let remote = s.path("home").join("remote.git");
        s.git(&path, &["clone", "-q", "--bare", ".", remote.to_str().unwrap()]);
        s.git(&path, &["remote", "add", "origin", remote.to_str().unwrap()]);
    }
    if verb == "worktree show" {
        // The example's own folder.
        s.git(s.path("proj").to_str().unwrap(), &["init", "-q"]);
    }
}

/// The workers that the examples name.
fn workers(s: &Sandbox, verb: &str, lines: &str) {
    s.program("npm", "cat");
    std::fs::write(s.path("proj").join("p/PLAN.md"), "# Plan\n").unwrap();
    let command = if verb == "wait" { "true" } else { "cat" };
    if verb != "worker add" && ["api:tests", "api:2"].iter().any(|name| lines.contains(name)) {
        let name = if verb == "worker rename" { "unnamed" } else { "tests" };
        s.deck(&["worker", "add", "api", "-n", name, "-c", command]).ok();
    }
    if lines.contains("api:diff") {
        s.deck(&["worker", "add", "api", "--type", "diff"]).ok();
    }
    if lines.contains("api:PLAN.md") {
        s.deck(&["worker", "add", "api", "--type", "markdown", "--file", "PLAN.md"]).ok();
    }
}

/// A conversation of Claude Code's on disk.
fn conversation(s: &Sandbox, id: &str) {
    let dir = s.path("home").join(".claude/projects/-p");
    std::fs::create_dir_all(&dir).unwrap();
    let cwd = s.path("home").join("src/api");
    let text = format!(
        "{{\"type\":\"user\",\"sessionId\":\"{id}\",\"cwd\":{cwd:?},\"message\":{{\"content\":\"hello\"}}}}\n"
    );
    std::fs::write(dir.join(format!("{id}.jsonl")), text).unwrap();
}

/// What this verb's example needs beyond [`world`].
fn prepare(s: &Sandbox, verb: &str, lines: &str) {
    prepare_verb(s, verb, lines);
    if verb.starts_with("worker") || lines.contains("api:") {
        workers(s, verb, lines);
    }
}

fn prepare_verb(s: &Sandbox, verb: &str, lines: &str) {
    match verb {
        "" if lines.contains("send") => start(s, lines),
        "send" => {
            start(s, lines);
            let git = "git init -q && echo a > f && git add f && echo b > f";
            s.shell(git, None).ok();
        }
        "diff" => {
            let dir = s.project("p");
            s.git(&dir, &["init", "-q", "-b", "main"]);
            s.git(&dir, &["commit", "-q", "--allow-empty", "-m", "first"]);
            s.git(&dir, &["tag", "v1.2"]);
            s.git(&dir, &["checkout", "-q", "-b", "feat"]);
        }
        _ if verb.starts_with("repo") || verb.starts_with("worktree") => places(s, verb),
        "add" if lines.contains("-w feat") => drop(crate::places::repository(s, "api")),
        "stop" | "restart" | "keys" | "output" | "ack" | "explain" | "attach" | "tool test" => {
            start(s, lines)
        }
        "rm" if lines.contains("--stop") => start(s, lines),
        "answer" | "next" => {
            start(s, lines);
            ask(s);
        }
        "wait" => {
            start(s, lines);
            if lines.contains("--for waiting") {
                ask(s);
            } else if lines.contains("--children") {
                let dir = s.project("p");
                s.deck(&["add", &dir, "-t", "child", "-c", "asker", "--parent", "api"]).ok();
            }
        }
        "fork" => {
            s.deck(&["rm", "api"]).ok();
            s.deck(&["add", &s.project("p"), "-t", "api", "-c", "claude"]).ok();
            conversation(s, s.session("api")["resume_id"].as_str().unwrap());
        }
        "revive" => {
            start(s, lines);
            let socket = s.socket();
            s.tmux(&socket, &["kill-server"]);
            wait_until("they are gone", || {
                let reason = s.session("api")["reason"].to_string();
                if reason.contains("gone") { Ok(()) } else { Err(reason) }
            });
        }
        _ if verb == "mcp" || verb.starts_with("mcp ") => mcp(s, verb),
        _ if verb.starts_with("conversation ") => talks(s, verb),
        "config" | "config edit" => {
            s.program("vi", "true");
        }
        "shell" | "shell start" => {}
        _ if verb == "job" || verb.starts_with("job ") || verb.starts_with("shell ") => shell(s, verb),
        "unarchive" => {
            s.deck(&["archive", "api"]).ok();
        }
        "undo" => {
            s.deck(&["rm", "api"]).ok();
        }
        "import" => {
            conversation(s, CONVERSATION);
            std::fs::create_dir_all(s.path("home").join(".agent-console")).unwrap();
            std::fs::write(s.path("home").join(".agent-console/sessions.json"), "[]").unwrap();
            let dir = s.project("p");
            s.program("claude", "while read -r line; do echo \"got $line\"; done");
            for name in ["work", "2"] {
                let words = ["-f", "/dev/null", "new-session", "-d", "-s", name, "-c", &dir, "exec claude"];
                s.tmux("default", &words);
            }
            wait_until("both are offered", || {
                let found = s.deck(&["import", "-q"]).ok();
                if found.lines().count() == 2 { Ok(()) } else { Err(found) }
            });
        }
        _ => {}
    }
}

/// A conversation with messages, and what else an example of a verb needs.
fn talks(s: &Sandbox, verb: &str) {
    let deck = |args: &[&str]| s.deck(&[&["conversation"], args].concat()).ok();
    let session = |command: &str| s.deck(&["set", "api", &format!("command={command}")]).ok();
    if verb == "conversation open" {
        s.program("claude", "exec cat");
        return;
    }
    if matches!(verb, "conversation carry" | "conversation detach") {
        s.program("claude", "exec cat");
        session("claude");
        deck(&["open", "--role", "dev", "--feature", "auth", "--task", "login"]);
    }
    deck(&["open", "--role", "pm", "--feature", "auth"]);
    for (role, text) in [("user", "Only GitHub."), ("assistant", "Yes."), ("user", "What is next?")] {
        deck(&["add", "pm-feature-auth", "--role", role, text]);
    }
    std::fs::write(s.path("proj").join("answer.md"), "Understood.\n").unwrap();
    match verb {
        "conversation unpin" => drop(deck(&["pin", "pm-feature-auth", "Never touch billing."])),
        "conversation detach" => drop(deck(&["carry", "login", "api"])),
        "conversation unarchive" => drop(deck(&["archive", "pm-feature-auth"])),
        "conversation undo" => drop(deck(&["rm", "pm-feature-auth"])),
        "conversation import" => drop(deck(&["export", "pm-feature-auth", "out"])),
        _ => {}
    }
}

/// Sessions of an agent that takes MCP servers, and servers for them.
fn mcp(s: &Sandbox, verb: &str) {
    s.program("codex", "true");
    s.program("claude", "exec cat");
    s.file("config.toml", "[mcp_sets]\nweb = [\"fetch\"]\n");
    s.file("mcps/fetch.toml", "command = \"true\"\n");
    if verb != "mcp" && verb != "mcp add" {
        s.file("mcps/memory.toml", "command = \"true\"\n");
    }
    for session in s.list() {
        s.deck(&["set", session["title"].as_str().unwrap(), "command=claude"]).ok();
    }
    match verb {
        "mcp detach" => drop(s.deck(&["mcp", "attach", "api", "memory"]).ok()),
        "mcp import" => {
            std::fs::remove_file(s.path("deck/mcps/fetch.toml")).unwrap();
            let servers = |name: &str| format!(r#"{{"mcpServers": {{"{name}": {{"command": "true"}}}}}}"#);
            std::fs::write(s.path("home/.claude.json"), servers("fetch")).unwrap();
            std::fs::write(s.path("proj/.mcp.json"), servers("ours")).unwrap();
        }
        "mcp check" => {
            s.mcp_server("greets");
            s.file("mcps/memory.toml", "command = \"greets\"\n");
        }
        "mcp restart" | "mcp logs" => s.share_server("memory"),
        _ => {}
    }
}

/// What went wrong with an example, if anything.
fn run(s: &Sandbox, verb: &str, example: &str) -> Result<(), String> {
    let inside =
        example.contains(" . --children").then(|| s.session("api")["id"].as_str().unwrap().to_owned());
    let exception = EXCEPTIONS.iter().find(|(line, ..)| *line == example);
    // What bash reads from deck is enough here: the shell itself may not be installed.
    let line = example.strip_prefix("source <(").and_then(|l| l.strip_suffix(')')).unwrap_or(example);
    let line = match exception {
        // The usual port may be taken here.
        Some((_, 124, _)) if line.starts_with("deck serve") => {
            format!("timeout 1 {line} --listen 127.0.0.1:0")
        }
        Some((_, 124, _)) => format!("timeout 1 {line}"),
        _ => line.to_owned(),
    };
    let answer = s.shell(&line, inside.as_deref());
    let (want, why) = exception.map_or((0, "succeeds"), |(_, code, why)| (*code, *why));
    if answer.code() == want {
        return Ok(());
    }
    let (code, out, err) = (answer.code(), answer.stdout(), answer.stderr());
    Err(format!("deck {verb} --help: {line}\nexits {code}, not {want} ({why})\n{out}{err}"))
}

/// Runs a verb's examples one after the other; one that doesn't fit what the others left gets a world to itself.
fn run_all(examples: &Examples) -> Vec<String> {
    let Examples { verb, lines } = examples;
    let prepared = |lines: &str| {
        let s = world(verb, lines);
        prepare(&s, verb, lines);
        s
    };
    let shared = prepared(&lines.join("\n"));
    let alone = |line: &String| run(&shared, verb, line).or_else(|_| run(&prepared(line), verb, line)).err();
    lines.iter().filter_map(alone).collect()
}

#[test]
fn every_example_runs() {
    let all = examples();
    let next = std::sync::atomic::AtomicUsize::new(0);
    let failed = std::sync::Mutex::new(Vec::new());
    std::thread::scope(|scope| {
        for _ in 0..4 {
            scope.spawn(|| {
                while let Some(examples) = all.get(next.fetch_add(1, std::sync::atomic::Ordering::Relaxed)) {
                    let errors = run_all(examples);
                    failed.lock().unwrap().extend(errors);
                }
            });
        }
    });
    let failed = failed.into_inner().unwrap();
    assert!(failed.is_empty(), "{} failed:\n\n{}", failed.len(), failed.join("\n\n"));
    for (line, ..) in EXCEPTIONS {
        assert!(all.iter().any(|e| e.lines.iter().any(|l| l == line)), "no help has {line:?} any more");
    }
}

#[test]
fn an_example_ends_before_its_explanation() {
    assert_eq!(command_of("deck rm --stop api           stop it, then delete it"), "deck rm --stop api");
    assert_eq!(
        command_of("deck status --format '{a}  {b}'   for a prompt"),
        "deck status --format '{a}  {b}'"
    );
    assert_eq!(command_of("deck list"), "deck list");
}

#[test]
fn first_lines_are_short_sentences() {
    let mut commands = Vec::new();
    walk(&deck::cli::Cli::command(), "", &mut commands);
    for (verb, command) in commands {
        let about = command.get_about().map(ToString::to_string).unwrap_or_default();
        assert!(about.starts_with(|c: char| c.is_uppercase()), "deck {verb}: {about:?}");
        assert!(about.len() <= 72 && !about.ends_with('.'), "deck {verb}: {about:?}");
    }
}
