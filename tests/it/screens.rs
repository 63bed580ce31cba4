//! Every recorded screen of a real agent is read as it was labelled.

use crate::support::Sandbox;
use deck::reference::Catalogue;
use deck::reference::Lines;
use deck::reference::Registry;
use std::fs;
use std::path::Path;

struct Recorded {
    tool: String,
    name: String,
    want: String,
    title: String,
    screen: String,
}

fn recorded() -> Vec<Recorded> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/fixtures/status");
    let mut all = Vec::new();
    for folder in fs::read_dir(root).unwrap() {
        let folder = folder.unwrap().path();
        let tool = folder.file_name().unwrap().to_str().unwrap().split('-').next().unwrap().to_owned();
        for line in fs::read_to_string(folder.join("INDEX.tsv")).unwrap().lines().skip(1) {
            let fields: Vec<&str> = line.split('\t').collect();
            // How a process ended is not on its screen.
            if fields[2] == "1" {
                continue;
            }
            let screen = fs::read_to_string(folder.join(format!("{}.txt", fields[0]))).unwrap();
            let title = fields.get(3).copied().unwrap_or_default().to_owned();
            all.push(Recorded {
                tool: tool.clone(),
                name: fields[0].into(),
                want: fields[1].into(),
                title,
                screen,
            });
        }
    }
    all
}

fn registry() -> Registry {
    let none = Path::new("/nonexistent");
    Registry::load(none, none, "", &toml::Table::new())
}

fn fits(want: &str, got: &str) -> bool {
    match want {
        // Moments of change: any calm answer is right.
        "settling" | "starting" => !matches!(got, "blocked" | "failed"),
        want => want.split('|').any(|w| w == got),
    }
}

/// Those recorded at the two usual sizes: the very narrow and the very wide ones are not bent further.
fn usual() -> Vec<Recorded> {
    let is_usual = |r: &Recorded| !(r.name.ends_with("-40x20") || r.name.ends_with("-300x60"));
    recorded().into_iter().filter(is_usual).collect()
}

/// Reads the screens after `change`, and lists those read otherwise.
fn misses(all: Vec<Recorded>, change: impl Fn(&Recorded) -> String) -> Vec<String> {
    let registry = registry();
    let wrong = |r: &Recorded| {
        let reading = registry.tool(&r.tool).unwrap().rules().read(&Lines::of(&change(r)), &r.title);
        let got = reading.what.word();
        (!fits(&r.want, got))
            .then(|| format!("{}/{}: wanted {}, got {got} by {:?}", r.tool, r.name, r.want, reading.rule))
    };
    all.iter().filter_map(wrong).collect()
}

#[test]
fn as_labelled() {
    assert!(usual().len() > 300 && recorded().len() > 650);
    assert_eq!(misses(recorded(), |r| r.screen.clone()), Vec::<String>::new());
}

#[test]
fn with_other_spinner_frames() {
    let turned =
        |r: &Recorded| r.screen.replace(['✢', '✳', '✶', '✻', '✽'], "✶").replace(['⠋', '⠙', '⠹', '⠸'], "⠼");
    assert_eq!(misses(usual(), turned), Vec::<String>::new());
}

#[test]
fn with_windows_line_ends_and_blank_lines_below() {
    assert_eq!(misses(usual(), |r| r.screen.replace('\n', "\r\n") + "\n\n\n"), Vec::<String>::new());
}

#[test]
fn with_a_reply_that_prints_prompts_and_spinners() {
    // What an agent prints in an answer stands indented above its composer.
    let hostile = |r: &Recorded| {
        let mut lines: Vec<&str> = r.screen.lines().collect();
        lines.splice(
            0..lines.len().min(1),
            ["  Do you want to proceed?", "  ❯ 1. Yes", "    2. No", "  esc to interrupt"],
        );
        lines.join("\n")
    };
    let registry = registry();
    let ready: Vec<Recorded> =
        usual().into_iter().filter(|r| r.want == "ready" && r.screen.lines().count() > 12).collect();
    assert!(ready.len() > 50);
    for r in &ready {
        let got = registry.tool(&r.tool).unwrap().rules().read(&Lines::of(&hostile(r)), &r.title).what;
        assert_eq!(got.word(), "ready", "{}/{}", r.tool, r.name);
    }
}

#[test]
fn the_verb_agrees_with_the_engine() {
    let sandbox = Sandbox::new();
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/fixtures/status/claude-2.1.330");
    let screen = folder.join("permission-bash-80x24.txt");
    let text = sandbox.deck(&["tool", "test", "claude", screen.to_str().unwrap(), "--json"]).ok();
    let value: serde_json::Value = serde_json::from_str(&text).unwrap();
    assert_eq!((&value["observation"], &value["kind"]), (&"blocked".into(), &"permission".into()));
    let text = sandbox.deck(&["tool", "test", "claude", screen.to_str().unwrap(), "--dead", "3"]).ok();
    assert_eq!(text, "gone · exited 3\n");
}

/// What a person reads off each recorded dialog: the screen, its kind, its choices.
fn read_by_people(tool: &str) -> Vec<(String, String)> {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join(format!("tests/fixtures/choices/{tool}.tsv"));
    let text = fs::read_to_string(path).unwrap();
    let line = |l: &str| {
        let fields: Vec<&str> = l.split('\t').collect();
        (fields[0].to_owned(), fields.get(2).copied().unwrap_or_default().to_owned())
    };
    text.lines().filter(|l| !l.trim().is_empty()).map(line).collect()
}

#[test]
fn the_choices_of_every_recorded_dialog() {
    let registry = registry();
    let all = recorded();
    let mut wrong = Vec::new();
    let mut dialogs = 0;
    for tool in ["claude", "codex", "gemini", "opencode"] {
        let rules = registry.tool(tool).unwrap();
        for (name, want) in read_by_people(tool) {
            let r = all.iter().find(|r| r.tool == tool && r.name == name).expect(&name);
            let lines = Lines::of(&r.screen);
            let reading = rules.rules().read_part(&lines, &r.title, false);
            let dialog = rules.rules().dialog(&lines, &reading);
            let got = dialog.map(|d| {
                let choice = |c: &deck::reference::Choice| format!("{}={}", c.number, c.label);
                d.choices.iter().map(choice).collect::<Vec<_>>().join("|")
            });
            dialogs += usize::from(!want.is_empty());
            if got.clone().unwrap_or_default() != want {
                wrong.push(format!("{tool}/{name} by {:?}:\n  want {want}\n  got  {got:?}", reading.rule));
            }
        }
    }
    assert!(dialogs > 20, "{dialogs}");
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn the_kind_of_every_recorded_dialog() {
    let registry = registry();
    let all = recorded();
    let mut wrong = Vec::new();
    for tool in ["claude", "codex", "gemini", "opencode"] {
        let path = Path::new(env!("CARGO_MANIFEST_DIR")).join(format!("tests/fixtures/choices/{tool}.tsv"));
        for line in fs::read_to_string(path).unwrap().lines() {
            let mut fields = line.split('\t');
            let (name, want) = (fields.next().unwrap(), fields.next().unwrap());
            let r = all.iter().find(|r| r.tool == tool && r.name == name).expect(name);
            let reading =
                registry.tool(tool).unwrap().rules().read_part(&Lines::of(&r.screen), &r.title, false);
            let got = reading.what.kind().unwrap_or_default();
            if got != want {
                wrong.push(format!("{tool}/{name}: wanted {want}, got {got} by {:?}", reading.rule));
            }
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

/// Recorded screens, and what they ask or what failed in the agent's words.
#[test]
fn what_recorded_screens_ask() {
    let registry = registry();
    let all = recorded();
    for (tool, name, want) in [
        ("claude", "permission-mcp-80x24", "store — Deploy Tool"),
        ("claude", "elicitation-form-60x24", "Which region should it use?"),
        ("claude", "elicitation-confirm-80x24", "Delete the old release?"),
        ("claude", "elicitation-url-200x50", "Sign in to the store"),
        ("claude", "rewind-menu-prompt-80x24", "Rewind"),
        ("opencode", "connect-dialog-60x24", "Connect a provider"),
        ("opencode", "connect-oauth-80x24", "Waiting for authorization"),
        ("opencode", "permission-always-confirm-40x20", "This will allow edit until OpenCode is restarted."),
    ] {
        let r = all.iter().find(|r| r.tool == tool && r.name == name).expect(name);
        let reading = registry.tool(tool).unwrap().rules().read_part(&Lines::of(&r.screen), &r.title, false);
        assert_eq!(reading.asks.as_deref(), Some(want), "{name} by {:?}", reading.rule);
    }
}

/// Which kind of work recorded screens show.
#[test]
fn a_running_tool_is_seen() {
    let registry = registry();
    let tools = |r: &&Recorded| {
        r.name.contains("working-tool-running") && matches!(r.tool.as_str(), "gemini" | "opencode")
    };
    let all = recorded();
    let wrong: Vec<String> = all
        .iter()
        .filter(tools)
        .map(|r| {
            (r, registry.tool(&r.tool).unwrap().rules().read_part(&Lines::of(&r.screen), &r.title, false))
        })
        .filter(|(_, reading)| reading.what.kind().as_deref() != Some("tool"))
        .map(|(r, reading)| format!("{}/{}: {:?} by {:?}", r.tool, r.name, reading.what.kind(), reading.rule))
        .collect();
    assert_eq!(wrong, Vec::<String>::new());
}

#[test]
fn a_screen_without_a_dialog_has_no_choices() {
    let registry = registry();
    for r in recorded().iter().filter(|r| !r.want.contains("blocked")) {
        let rules = registry.tool(&r.tool).unwrap();
        let lines = Lines::of(&r.screen);
        let reading = rules.rules().read(&lines, &r.title);
        assert_eq!(rules.rules().dialog(&lines, &reading), None, "{}/{}", r.tool, r.name);
    }
}

/// What is out of view can't be read: that is *unknown*, which changes no status. Anything else is a lie.
#[track_caller]
fn assert_nothing_wrong(misses: &[String], what: &str) {
    let wrong: Vec<&String> = misses.iter().filter(|m| !m.contains("got unknown")).collect();
    assert!(wrong.is_empty(), "{what}: {wrong:?}");
    assert!(misses.len() * 100 <= recorded().len(), "{what}: {misses:?}");
}

#[test]
fn in_colours() {
    // Every word in its own colour, as programs paint them.
    let painted = |r: &Recorded| {
        let word = |(i, w): (usize, &str)| format!("\u{1b}[38;2;{};80;90m{w}\u{1b}[39m", i % 255);
        let line = |l: &str| l.split(' ').enumerate().map(word).collect::<Vec<_>>().join(" ");
        r.screen.lines().map(line).collect::<Vec<_>>().join("\n")
    };
    assert_eq!(misses(usual(), painted), Vec::<String>::new());
}

#[test]
fn with_the_window_scrolled() {
    for rows in 1..=4 {
        let scrolled = |r: &Recorded| r.screen.lines().skip(rows).collect::<Vec<_>>().join("\n");
        assert_nothing_wrong(&misses(usual(), scrolled), &format!("{rows} rows"));
    }
}

#[test]
fn with_the_last_line_cut() {
    for part in [3, 2] {
        let cut = |r: &Recorded| {
            let mut lines: Vec<&str> = r.screen.trim_end().lines().collect();
            let last = lines.pop().unwrap_or_default();
            let chars = last.chars().count();
            let kept: String = last.chars().take(chars * (part - 1) / part).collect();
            lines.push(&kept);
            lines.join("\n")
        };
        assert_nothing_wrong(&misses(usual(), cut), &format!("1/{part}"));
    }
}

/// Screens on which something is typed and not sent.
fn is_typed(name: &str) -> bool {
    // Claude Code puts a prompt back that is interrupted before its answer begins.
    ["typed-not-sent", "user-typing", "slash-menu", "shell-mode", "interrupted-before-output"]
        .iter()
        .any(|state| name.contains(state))
}

#[test]
fn unsent_input_is_seen_and_an_empty_field_is_empty() {
    let registry = registry();
    let mut seen = 0;
    let mut wrong = Vec::new();
    for r in usual() {
        // A dialog takes the place of the field, and a prompt may just have been sent.
        let asks = ["blocked", "gone", "settling"].iter().any(|w| r.want.contains(w));
        let typed = registry.tool(&r.tool).unwrap().rules().typed(&Lines::of(&r.screen));
        let right = match &typed {
            Some(text) if is_typed(&r.name) => !text.is_empty(),
            Some(text) => text.is_empty() || asks,
            None => !is_typed(&r.name),
        };
        seen += usize::from(typed.is_some());
        if !right {
            wrong.push(format!("{}/{} ({}): {typed:?}", r.tool, r.name, r.want));
        }
    }
    assert_eq!(wrong, Vec::<String>::new());
    assert!(seen > 200, "the field is found on {seen} screens");
}

#[test]
fn a_sidebar_beside_the_field_is_not_typed() {
    let gap = " ".repeat(150);
    let field = |text: &str| {
        format!(
            "  ┃\n  ┃  {text}\n  ┃{gap}/home/me/src/a/folder\n  ┃  Build · Model{gap}/that is long\n  ╹▀▀▀▀▀▀▀▀▀▀\n   footer"
        )
    };
    let registry = registry();
    let typed = |text: &str| registry.tool("opencode").unwrap().rules().typed(&Lines::of(&field(text)));
    assert_eq!(typed("").as_deref(), Some(""));
    assert_eq!(typed("half typed").as_deref(), Some("half typed"));
}

#[test]
fn a_field_in_shell_mode_is_not_empty() {
    // As Codex 0.169 and OpenCode 1.18 draw it.
    let codex = "› ECHO hello\n\n• hello\n\n!\n\n  gpt-5-codex default · /home/me\n";
    let opencode = "  ┃\n  ┃\n  ┃  Shell\n  ╹▀▀▀▀▀▀▀▀▀▀\n   /home/me\n";
    let registry = registry();
    let typed = |tool, screen| registry.tool(tool).unwrap().rules().typed(&Lines::of(screen));
    assert_eq!(typed("codex", codex).as_deref(), Some("!"));
    assert_eq!(typed("opencode", opencode).as_deref(), Some("Shell"));
}
