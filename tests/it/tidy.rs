//! The project's own rules: layers, file sizes, one spawner, one sandbox.

use std::fs;
use std::path::{Path, PathBuf};

fn root() -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR"))
}

fn sources(folder: &str) -> Vec<(String, String)> {
    fn walk(dir: &Path, out: &mut Vec<PathBuf>) {
        for entry in fs::read_dir(dir).unwrap() {
            let path = entry.unwrap().path();
            if path.is_dir() {
                walk(&path, out);
            } else if path.extension().is_some_and(|e| e == "rs") {
                out.push(path);
            }
        }
    }
    let mut files = Vec::new();
    walk(&root().join(folder), &mut files);
    files.sort();
    let name = |p: &PathBuf| p.strip_prefix(root()).unwrap().to_str().unwrap().to_owned();
    files.iter().map(|p| (name(p), fs::read_to_string(p).unwrap())).collect()
}

/// Which folders of `src` each folder may use.
const LAYERS: &[(&str, &[&str])] = &[
    ("domain", &[]),
    ("ports", &["domain"]),
    ("sys", &["domain", "ports"]),
    ("config", &["domain", "ports", "sys"]),
    ("store", &["domain", "ports", "sys"]),
    ("tmux", &["domain", "ports", "sys"]),
    ("tools", &["domain", "ports", "sys"]),
    ("git", &["domain", "ports", "sys"]),
    ("shells", &["domain", "ports", "sys"]),
    ("mcp", &["domain", "ports", "ops", "engine", "api"]),
    ("mcp_servers", &["domain", "ports", "sys"]),
    ("server", &["api", "app", "engine", "ops", "domain", "ports", "sys", "wiring"]),
    ("ops", &["domain", "ports"]),
    ("api", &["domain", "ports", "ops"]),
    ("engine", &["domain", "ports", "ops"]),
    ("app", &["domain", "ports", "ops"]),
    ("tui", &["app", "engine", "ops", "domain", "config", "ports", "sys", "wiring"]),
    (
        "cli",
        &[
            "api",
            "mcp",
            "mcp_servers",
            "server",
            "app",
            "engine",
            "ops",
            "domain",
            "config",
            "ports",
            "sys",
            "tui",
            "tools",
            "wiring",
        ],
    ),
];

#[test]
fn no_arrow_runs_the_wrong_way() {
    let mut wrong = Vec::new();
    for (folder, allowed) in LAYERS {
        for (name, text) in sources(&format!("src/{folder}")) {
            for (i, line) in text.lines().enumerate() {
                let code = line.split("//").next().unwrap_or_default();
                for used in code.split("crate::").skip(1) {
                    let layer: String =
                        used.chars().take_while(|c| c.is_alphanumeric() || *c == '_').collect();
                    let known = LAYERS.iter().any(|(f, _)| *f == layer) || layer == "wiring";
                    if known && layer != *folder && !allowed.contains(&layer.as_str()) {
                        wrong.push(format!("{name}:{}: {folder} must not use {layer}", i + 1));
                    }
                }
            }
        }
    }
    assert_eq!(wrong, Vec::<String>::new());
}

#[test]
fn the_documented_layers_are_those_that_hold() {
    let text = fs::read_to_string(root().join("docs/architecture.md")).unwrap();
    for (folder, allowed) in LAYERS {
        let row = text.lines().find(|l| l.starts_with(&format!("| `src/{folder}/` |")));
        let row = row.unwrap_or_else(|| panic!("docs/architecture.md has no row of src/{folder}"));
        let last = row.trim_end_matches([' ', '|']).rsplit(" | ").next().unwrap();
        let mut documented: Vec<&str> = last.split('`').skip(1).step_by(2).collect();
        let mut allowed = allowed.to_vec();
        documented.sort_unstable();
        allowed.sort_unstable();
        assert_eq!(documented, allowed, "src/{folder}");
    }
}

#[test]
fn every_file_that_the_docs_name_exists() {
    let files: Vec<String> = ["src", "tests"].into_iter().flat_map(sources).map(|(name, _)| name).collect();
    let mut missing = Vec::new();
    for page in ["docs/architecture.md", "docs/adding-a-tool.md", "docs/status.md", "CONTRIBUTING.md"] {
        let text = fs::read_to_string(root().join(page)).unwrap();
        for name in text.split('`').skip(1).step_by(2).filter(|w| w.ends_with(".rs") && !w.contains("NAME")) {
            if !files.iter().any(|f| f == name || f.ends_with(&format!("/{name}"))) {
                missing.push(format!("{page}: {name}"));
            }
        }
    }
    assert_eq!(missing, Vec::<String>::new());
}

#[test]
fn only_the_tmux_engine_knows_how_facts_are_kept() {
    let known = |(name, text): &(String, String)| !name.starts_with("src/tmux/") && text.contains("@deck_");
    let wrong: Vec<String> = sources("src").into_iter().filter(known).map(|(name, _)| name).collect();
    assert_eq!(wrong, Vec::<String>::new());
}

#[test]
fn the_core_has_no_words_for_one_face() {
    for folder in ["domain", "ports", "ops", "engine"] {
        for (name, text) in sources(&format!("src/{folder}")) {
            for (at, line) in text.lines().enumerate().filter(|(_, l)| !l.trim_start().starts_with("//")) {
                let names_command = line.contains("`deck ");
                assert!(!names_command, "{name}:{}: only the command line names a command: {line}", at + 1);
            }
        }
    }
}

#[test]
fn the_domain_is_pure() {
    let forbidden = [
        "std::fs",
        "std::env",
        "std::process",
        "std::net",
        "std::time",
        "Timestamp::now",
        "tokio",
        "async fn",
    ];
    for (name, text) in sources("src/domain") {
        for word in forbidden {
            assert!(!text.contains(word), "{name} uses {word}");
        }
    }
}

#[test]
fn the_state_of_the_tui_does_no_io() {
    // What a use case works with is what reaches the disk and the multiplexer.
    let forbidden = ["std::fs", "std::io", "std::net", "std::process", "tokio", "Cx", "Timestamp::now"];
    for (name, text) in sources("src/app") {
        for word in forbidden {
            let used =
                text.split(|c: char| !c.is_alphanumeric() && c != ':' && c != '_').any(|w| w.contains(word));
            assert!(!used, "{name} uses {word}");
        }
    }
}

#[test]
fn only_two_places_start_programs() {
    for (name, text) in sources("src") {
        let starts = text.contains("Command::new(") && !name.ends_with("cli/verbs/mod.rs");
        let may = ["src/tmux/connection.rs", "src/sys/spawn.rs"].contains(&name.as_str());
        assert!(!starts || may, "{name} starts a program");
    }
}

#[test]
fn tests_start_programs_in_the_sandbox_alone() {
    for (name, text) in sources("tests") {
        let may = name == "tests/it/support/mod.rs" || name == "tests/it/tidy.rs";
        assert!(may || !text.contains("Command::new("), "{name} starts a program outside of the sandbox");
    }
}

#[test]
fn files_are_small() {
    for (name, text) in ["src", "tests"].into_iter().flat_map(sources) {
        let lines = text.lines().count();
        assert!(lines <= 450, "{name} has {lines} lines");
    }
}

#[test]
fn modules_say_what_they_are_for() {
    for (name, text) in sources("src") {
        assert!(text.starts_with("//! "), "{name} opens without a word about itself");
    }
}

#[test]
fn every_built_in_tool_with_rules_has_fixtures() {
    for (name, text) in deck::reference::BUILTIN {
        if text.contains("[[rules]]") {
            let folder = root().join("tests/fixtures/status");
            let there = fs::read_dir(folder)
                .unwrap()
                .any(|e| e.unwrap().file_name().to_str().is_some_and(|n| n.split('-').next() == Some(name)));
            assert!(there, "{name} has rules and no recorded screens");
        }
    }
}

#[test]
fn each_dependency_has_its_reason() {
    let text = fs::read_to_string(root().join("Cargo.toml")).unwrap();
    let part = text.split("[dependencies]").nth(1).unwrap().split("[profile").next().unwrap();
    let mut before = "";
    for line in part.lines() {
        let is_dependency = line.contains(" = ") && !line.starts_with(['#', '[', ' ']);
        let excused = before.starts_with('#') || before.contains(" = ");
        assert!(!is_dependency || excused, "no reason for {line}");
        before = line;
    }
}
