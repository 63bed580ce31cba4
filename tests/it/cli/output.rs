//! What is printed, for people and for programs.

use crate::support::Sandbox;

#[test]
fn help_and_reference() {
    let s = Sandbox::new();
    insta::assert_snapshot!("help", s.deck(&["--help"]).ok());
    insta::assert_snapshot!("help-add", s.deck(&["add", "--help"]).ok());
    insta::assert_snapshot!("help-send", s.deck(&["send", "--help"]).ok());
}

#[test]
fn errors_name_thing_cause_and_way_out() {
    let s = Sandbox::new();
    s.agent("claude");
    let dir = s.project("p");
    for title in ["api", "api"] {
        s.deck(&["add", &dir, "-t", title, "-c", "claude", "--no-start"]).ok();
    }
    let text = s.deck(&["stop", "apo"]).fails(3);
    assert_eq!(text, "error: no session \"apo\"\n  hint: did you mean api, api?\n");
    assert!(s.deck(&["stop", "api"]).fails(3).contains("matches 2 sessions"));
    let json = s.deck(&["stop", "none", "--json"]).fails(3);
    let value: serde_json::Value = serde_json::from_str(&json).unwrap();
    assert_eq!(value["error"]["code"], "not_found");
    // A flag behind the message is a flag, not a message.
    let json = s.deck(&["send", "none", "text", "--json"]).fails(3);
    let value: serde_json::Value = serde_json::from_str(&json).unwrap();
    assert_eq!(value["error"]["message"], "no session \"none\"");
    assert!(s.deck(&["send", "none"]).fails(2).contains("a session and a message are required"));
    assert!(s.deck(&["undo", "none"]).fails(3).contains("this profile's trash is empty"));
    assert!(s.deck(&["add", &dir, "-c", "sh 'x"]).fails(2).contains("unclosed quote"));
    assert!(s.deck(&["add", &dir, "-c", "claud"]).fails(1).contains("did you mean the tool claude?"));
    s.deck(&["list", "--status", "sleeping"]).fails(2);
    s.deck(&["nonsense"]).fails(2);
}

#[test]
fn missing_tmux_is_named_with_the_line_that_installs_it() {
    let s = Sandbox::new();
    s.agent("claude");
    s.file("config.toml", "[tmux]\nprogram = \"no-such-tmux\"\n");
    let text = s.deck(&["add", &s.project("p"), "-c", "claude"]).fails(4);
    assert!(text.contains("tmux is not installed") && text.contains("install it: "), "{text}");
    assert_eq!(s.deck(&["list", "--json"]).ok(), "[]\n", "reading needs no tmux, and nothing was left");
}

#[test]
fn an_add_that_tmux_fails_can_be_repeated() {
    let s = Sandbox::new();
    s.agent("claude");
    let dir = s.project("p");
    s.program("sick-tmux", "exit 1");
    s.file("config.toml", "[tmux]\nprogram = \"sick-tmux\"\n");
    let first = s.deck(&["add", &dir, "-t", "api", "-c", "claude"]);
    assert_ne!(first.code(), 0);
    let kept = s.list().len();
    assert!(kept == 0 || first.stderr().contains("deck start api"), "{}", first.stderr());
    s.file("config.toml", "");
    if kept == 0 {
        s.deck(&["add", &dir, "-t", "api", "-c", "claude"]).ok();
    } else {
        s.deck(&["start", "api"]).ok();
    }
    assert_eq!(s.list().len(), 1);
}

#[test]
fn config_and_doctor() {
    let s = Sandbox::new();
    s.file("config.toml", "[ui]\nsplt = 3\n");
    let check = s.deck(&["config", "check"]);
    assert!(check.stdout().contains("did you mean `ui.split`?"));
    check.fails(1);
    s.file("config.toml", "[ui\n");
    let answer = s.deck(&["list"]);
    assert!(answer.stderr().contains("config.toml:1"), "{}", answer.stderr());
    answer.ok();
    s.file("config.toml", "");
    assert!(s.deck(&["doctor"]).stdout().contains("tmux"));
    for shell in ["bash", "zsh", "fish"] {
        assert!(s.deck(&["completions", shell]).ok().contains("deck"));
    }
    s.deck(&["completions", "basic"]).fails(2);
}

/// What programs may rely on.
fn json() -> String {
    let mut text = format!(
        "## JSON\n\nWith `--json` a verb prints one JSON value on stdout: an object for one thing, an array for a list. \
         `deck list --watch --json` prints one object a line. `deck next`, `deck doctor` and the verbs that check exit with 1 for what they found, which is on stdout. A verb that fails prints `{{\"error\":{{\"code\",\"message\",\"hint\"}}}}` \
         as the last line on stderr. Times are RFC 3339. `deck schema VERB` prints the JSON Schema of each.\n\n\
         Every object on stdout carries `schema_version`, now {}: also those in an array and on a line of their own, but not those inside \
         of another object. (What `deck conversation` prints has its keys in camelCase, as other programs keep such files: there it is `schemaVersion`.) With the same version, these may change: a field may be added; a field whose schema lists \
         examples may have a new word; the text of `message`, `hint`, `asks` and `text` is for people. A field that is \
         removed or renamed, or that gets another type or meaning, gets a new version.\n\n\
         ## Exit codes\n\n| exit code | `code` in JSON | meaning |\n|---|---|---|\n| 0 | | Done. |\n",
        deck::reference::SCHEMA_VERSION
    );
    for code in deck::reference::Code::ALL {
        text.push_str(&format!("| {} | `{}` | {} |\n", code.number(), code.word(), code.doc()));
    }
    text
}

#[test]
fn docs_cli_md_is_up_to_date() {
    let s = Sandbox::new();
    let mut text = "# The command line\n\nGenerated from the program's help. Run `DECK_UPDATE_DOCS=1 cargo test docs_` to update it.\n\n".to_owned();
    let mut section = |args: &[&str]| {
        let help = s
            .command(env!("CARGO_BIN_EXE_deck"))
            .env("COLUMNS", "100")
            .args(args)
            .arg("--help")
            .output()
            .unwrap();
        let title = format!("deck {}", args.join(" "));
        let help = String::from_utf8_lossy(&help.stdout).into_owned();
        text.push_str(&format!("## {}\n\n```text\n{}\n```\n\n", title.trim(), help.trim_end()));
    };
    let mut commands = Vec::new();
    super::help::walk(&<deck::cli::Cli as clap::CommandFactory>::command(), "", &mut commands);
    for (verb, _) in commands {
        section(&verb.split_whitespace().collect::<Vec<_>>());
    }
    text.push_str(&json());
    crate::docs::up_to_date("cli.md", &text);
}

#[test]
fn a_script_is_not_printed_as_json() {
    let s = Sandbox::new();
    let dir = s.project("api");
    s.deck(&["add", &dir, "-c", "sleep 600", "--no-start"]).ok();
    for args in [["add", &dir, "--dry-run", "--json"], ["show", "api", "--command", "--json"]] {
        let error = s.deck(&args).fails(2);
        assert!(error.contains("prints a script, not JSON"), "{error}");
    }
}
