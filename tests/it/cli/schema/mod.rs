//! Every verb's JSON is what its schema describes.

mod checked;
mod sessions;
mod setup;
mod work;

use std::collections::BTreeSet;

use clap::CommandFactory;
use deck::reference::{ERROR, SCHEMA_VERSION, WATCH, outputs};
use serde_json::Value;

use self::checked::{Checked, Compiled};
use self::sessions::{conversations, messages, profiles_and_groups, records, running};
use self::setup::setup;
use self::work::{mcp_servers, places, shells, talks, workers};
use super::help::walk;
use crate::support::Sandbox;

/// Verbs that print no JSON, and why.
const NO_JSON: &[(&str, &str)] = &[
    ("attach", "hands the terminal to a session"),
    ("demo", "opens the TUI"),
    #[cfg(feature = "web")]
    ("serve token", "prints what a script sends"),
    #[cfg(feature = "web")]
    ("serve unit", "prints what another program reads"),
    ("schema", "prints a schema"),
    ("config schema", "prints a schema"),
    ("config edit", "opens an editor"),
    ("completions", "prints a script for a shell"),
    ("mcp logs", "prints what another program wrote"),
    ("mcp config", "prints what another program reads"),
    ("mcp tools", "prints what the protocol describes"),
];

#[test]
fn every_verb_prints_what_its_schema_describes() {
    let s = Sandbox::new();
    s.agent("claude");
    s.agent("gemini");
    s.asker();
    s.program("failing", "exit 3");
    let mut c = Checked::new(&s);
    let dir = s.project("p");
    let screen = s.path("proj").join("screen.txt");
    std::fs::write(&screen, "Delete everything?\n❯ 1. Yes\n  2. No\n").unwrap();
    let screen = screen.to_str().unwrap();

    profiles_and_groups(&mut c, &dir);
    c.ok("add", &[&dir, "-t", "api", "-c", "asker", "-g", "work"]);
    for title in ["docs", "review", "old"] {
        c.ok("add", &[&dir, "-t", title, "-c", "asker", "--no-start", "--parent", "api"]);
    }
    c.ok("add", &[&dir, "-t", "resumable", "-c", "claude"]);
    c.ok("add", &[&dir, "-t", "ended", "-c", "failing"]);
    c.ok("wait", &["api", "--for", "idle", "--timeout", "60"]);
    c.ok("wait", &["ended", "--for", "exit", "--timeout", "60"]);
    c.exits(5, "wait", &["api", "--for", "running", "--timeout", "0"]);
    c.exits(1, "next", &["-p", "empty"]);

    records(&mut c, &dir);
    messages(&mut c);
    running(&mut c);
    conversations(&mut c, &dir);

    let shown = c.ok("show", &["resumable", "--totals"]);
    assert!(shown["conversation"]["last_prompt"].is_string(), "no conversation was validated: {shown}");
    assert!(shown["totals"]["prompts"].is_u64(), "no totals were validated: {shown}");
    let explained = c.ok("explain", &["api", "--history"]);
    assert!(!explained["history"].as_array().unwrap().is_empty(), "no change was validated");
    assert!(!explained["evidence"].as_array().unwrap().is_empty(), "no evidence was validated");
    for args in [&[][..], &["--all-profiles"], &["-p", "empty"]] {
        c.ok("list", args);
    }
    c.ok("status", &[]);
    places(&mut c);
    workers(&mut c, &dir);
    mcp_servers(&mut c, &dir);
    talks(&mut c);
    shells(&mut c);
    setup(&mut c, screen);

    c.exits(3, "show", &["nonesuch"]);
    c.exits(2, "list", &["--status", "sleeping"]);
    c.exits(2, "list", &["--no-such-flag"]);

    let all: BTreeSet<String> = outputs().into_iter().collect();
    assert_eq!(c.seen(), all, "each schema was compared with what is printed");
}

#[test]
fn every_verb_has_a_schema_or_a_reason() {
    let mut commands = Vec::new();
    walk(&deck::cli::Cli::command(), "", &mut commands);
    let leaves = commands.iter().filter(|(path, c)| !path.is_empty() && c.get_subcommands().next().is_none());
    let mut verbs: BTreeSet<&str> = leaves.map(|(path, _)| path.as_str()).collect();
    for (verb, why) in NO_JSON {
        assert!(verbs.remove(verb), "there is no verb {verb}, which {why}");
    }
    let described = outputs();
    let described: BTreeSet<&str> =
        described.iter().map(String::as_str).filter(|n| ![WATCH, ERROR].contains(n)).collect();
    assert_eq!(verbs, described);
}

#[test]
fn a_schema_describes_one_verb_and_no_other() {
    let s = Sandbox::new();
    let schema = Compiled::new(serde_json::from_str(&s.deck(&["schema", "status"]).ok()).unwrap());
    let text = s.deck(&["status", "--json"]).ok();
    let value: Value = serde_json::from_str(&text).unwrap();
    assert_eq!(schema.mistakes(&value), None);
    assert_eq!(value["schema_version"], SCHEMA_VERSION);
    for key in value.as_object().unwrap().keys() {
        let mut less = value.clone();
        less.as_object_mut().unwrap().remove(key);
        assert!(schema.mistakes(&less).is_some(), "{key} may be missing");
    }
    let mut more = value.clone();
    more["another"] = true.into();
    assert!(schema.mistakes(&more).is_some(), "an unknown field was not found");
    let mut wrong = value;
    wrong["total"] = "3".into();
    assert!(schema.mistakes(&wrong).is_some(), "a wrong type was not found");

    assert_eq!(s.deck(&["schema", "ls"]).ok(), s.deck(&["schema", "list"]).ok());
    assert!(s.deck(&["schema", "attach"]).fails(2).contains("deck attach prints no JSON"));
    assert!(s.deck(&["schema", "group"]).fails(2).contains("one of group add, group list"));
    assert!(s.deck(&["schema", "lst"]).fails(2).contains("did you mean list?"));
    s.file("config.toml", "[ui\n");
    assert!(s.deck(&["schema", "list"]).ok().contains("$defs"), "it needs no settings");
}
