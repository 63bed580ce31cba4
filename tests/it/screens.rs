//! Every recorded screen of a real agent is read as it was labelled.

use crate::support::Sandbox;
use deck::domain::screen::Lines;
use deck::ports::Catalogue;
use deck::tools::Registry;
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

/// Reads all screens after `change`, and lists those read otherwise.
fn misses(change: impl Fn(&Recorded) -> String) -> Vec<String> {
    let registry = registry();
    let wrong = |r: &Recorded| {
        let reading = registry.tool(&r.tool).unwrap().rules().read(&Lines::of(&change(r)), &r.title);
        let got = reading.what.word();
        (!fits(&r.want, got))
            .then(|| format!("{}/{}: wanted {}, got {got} by {:?}", r.tool, r.name, r.want, reading.rule))
    };
    recorded().iter().filter_map(wrong).collect()
}

#[test]
fn as_labelled() {
    assert!(recorded().len() > 300);
    assert_eq!(misses(|r| r.screen.clone()), Vec::<String>::new());
}

#[test]
fn with_other_spinner_frames() {
    let turned =
        |r: &Recorded| r.screen.replace(['✢', '✳', '✶', '✻', '✽'], "✶").replace(['⠋', '⠙', '⠹', '⠸'], "⠼");
    assert_eq!(misses(turned), Vec::<String>::new());
}

#[test]
fn with_windows_line_ends_and_blank_lines_below() {
    assert_eq!(misses(|r| r.screen.replace('\n', "\r\n") + "\n\n\n"), Vec::<String>::new());
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
        recorded().into_iter().filter(|r| r.want == "ready" && r.screen.lines().count() > 12).collect();
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
