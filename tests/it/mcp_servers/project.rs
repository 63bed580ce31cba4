//! Servers in a project's `.mcp.json`: put in and taken out without touching anything else, or not at all.

use std::os::unix::fs::{PermissionsExt as _, symlink};
use std::path::PathBuf;

use super::sandbox;
use crate::support::{Sandbox, wait_until};

const AS_PEOPLE_WRITE: &str =
    "{\r\n\t\"mcpServers\": {\r\n\t\t\"theirs\": {\"command\":  \"x\"}\r\n\t},\r\n\t\"z\": 1\r\n}";

/// A deck with a session in a project, and servers.
fn world() -> (Sandbox, PathBuf) {
    let s = sandbox();
    s.agent("claude");
    for name in ["memory", "fetch", "other"] {
        s.file(&format!("mcps/{name}.toml"), "command = \"true\"\nenv = { T = \"$TOKEN\" }\n");
    }
    s.file("config.toml", "[mcp_sets]\nweb = [\"fetch\", \"other\"]\n");
    let dir = s.project("p");
    s.deck(&["add", &dir, "-t", "api", "-c", "claude"]).ok();
    let file = PathBuf::from(dir).join(".mcp.json");
    (s, file)
}

fn text(file: &PathBuf) -> String {
    std::fs::read_to_string(file).unwrap()
}

fn in_project<'a>(verb: &'a str, name: &'a str) -> [&'a str; 6] {
    ["mcp", verb, "api", name, "--scope", "project"]
}

#[test]
fn a_file_is_made_for_all_who_have_the_project_and_goes_again() {
    let (s, file) = world();
    let said = s.deck(&in_project("attach", "memory")).ok();
    assert!(said.ends_with(".mcp.json has memory now\n"), "{said}");
    insta::assert_snapshot!(text(&file), @r#"
    {
      "mcpServers": {
        "memory": {
          "command": "true",
          "env": {
            "T": "${TOKEN}"
          }
        }
      }
    }
    "#);
    assert_eq!(file.metadata().unwrap().permissions().mode() & 0o700, 0o600);
    wait_until("the session is out of date", || {
        let status = s.deck(&["mcp", "status", "api"]).ok();
        if status.contains("memory") && status.contains("project") { Ok(()) } else { Err(status) }
    });
    assert!(s.deck(&in_project("attach", "memory")).ok().contains("has memory already"));
    s.deck(&in_project("attach", "@web")).ok();
    assert!(s.deck(&in_project("detach", "memory")).ok().contains("has memory no more"));
    let said = s.deck(&in_project("detach", "@web")).ok();
    assert!(said.contains("is removed: nothing but @web was in it"), "{said}");
    assert!(!file.exists());
}

#[test]
fn every_other_byte_stays_and_an_undo_brings_back_all() {
    let (s, file) = world();
    std::fs::write(&file, AS_PEOPLE_WRITE).unwrap();
    let attach = s.deck(&in_project("attach", "memory"));
    let told = attach.stderr();
    let copy = told.split(" is in ").nth(1).unwrap().split(';').next().unwrap();
    assert_eq!(std::fs::read_to_string(copy).unwrap(), AS_PEOPLE_WRITE);
    let new = text(&file);
    assert!(new.starts_with(
        "{\r\n\t\"mcpServers\": {\r\n\t\t\"theirs\": {\"command\":  \"x\"},\r\n\t\t\"memory\": {\r\n"
    ));
    s.deck(&in_project("detach", "memory")).ok();
    assert_eq!(text(&file), AS_PEOPLE_WRITE);
    // Each is undone by itself.
    assert!(s.deck(&["undo"]).ok().contains("detached memory in "));
    assert_eq!(text(&file), new);
    s.deck(&["undo"]).ok();
    assert_eq!(text(&file), AS_PEOPLE_WRITE);
    assert!(s.deck(&in_project("detach", "memory")).fails(6).contains("deck has not put \"memory\" into"));
    // What another program did since stays.
    s.deck(&in_project("attach", "memory")).ok();
    std::fs::write(&file, "{}").unwrap();
    let kept = s.deck(&["undo"]).fails(6);
    assert!(kept.contains("was changed since, and is left as it is; what it was before is in "), "{kept}");
    assert_eq!(text(&file), "{}");
    // A file that wasn't there is gone again.
    std::fs::remove_file(&file).unwrap();
    s.deck(&in_project("attach", "memory")).ok();
    s.deck(&["undo"]).ok();
    assert!(!file.exists());
}

#[test]
fn in_doubt_it_is_refused_and_left() {
    let (s, file) = world();
    let theirs = "{\"mcpServers\": {\"memory\": {\"command\": \"theirs\"}}}";
    for (content, words) in [
        ("{\"a\": ", "can't be read as JSON"),
        ("// ours\n{}", "can't be read as JSON"),
        ("[]", "no object"),
        (theirs, "another definition of this name, which differs in command, env"),
    ] {
        std::fs::write(&file, content).unwrap();
        let refused = s.deck(&in_project("attach", "memory")).fails(6);
        assert!(refused.contains("is left as it is") && refused.contains(words), "{refused}");
        assert_eq!(text(&file), content);
    }
    s.deck(&["mcp", "attach", "api", "memory", "--scope", "project", "--replace"]).ok();
    assert!(text(&file).contains("${TOKEN}"));
    s.deck(&in_project("detach", "memory")).ok();
    assert_eq!(text(&file), theirs);

    std::fs::write(&file, vec![b' '; 5 * 1024 * 1024]).unwrap();
    assert!(s.deck(&in_project("attach", "memory")).fails(6).contains("more than 4 MiB"));
    std::fs::write(&file, "{}").unwrap();
    std::fs::set_permissions(&file, std::fs::Permissions::from_mode(0o444)).unwrap();
    assert!(s.deck(&in_project("attach", "memory")).fails(6).contains("you may not write it"));
    std::fs::remove_file(&file).unwrap();

    let elsewhere = s.path("tmp/elsewhere.json");
    std::fs::write(&elsewhere, "{}").unwrap();
    symlink(&elsewhere, &file).unwrap();
    assert!(s.deck(&in_project("attach", "memory")).fails(6).contains("out of the project"));
    assert_eq!(text(&elsewhere), "{}");
    std::fs::remove_file(&file).unwrap();
    let inside = file.with_file_name("servers.json");
    std::fs::write(&inside, "{}").unwrap();
    symlink("servers.json", &file).unwrap();
    s.deck(&in_project("attach", "memory")).ok();
    assert!(file.is_symlink() && text(&inside).contains("memory"));

    for (toml, words) in [
        ("command = \"x\"\nenv = { TOKEN = \"marked-secret\" }", "env.TOKEN is written out"),
        ("command = \"x\"\nenv_file = \"~/e\"", "which others don't have"),
    ] {
        s.file("mcps/mine.toml", toml);
        let refused = s.deck(&in_project("attach", "mine")).fails(6);
        assert!(refused.contains(words) && !refused.contains("marked-secret"), "{refused}");
    }
    assert!(s.deck(&in_project("attach", "nonesuch")).fails(3).contains("no MCP server \"nonesuch\""));
}

#[test]
fn several_decks_at_once_lose_nothing() {
    let (s, file) = world();
    std::fs::write(&file, AS_PEOPLE_WRITE).unwrap();
    let at_once = |verb: &str| {
        std::thread::scope(|scope| {
            for name in ["memory", "fetch", "other"] {
                let s = &s;
                scope.spawn(move || s.deck(&in_project(verb, name)).ok());
            }
        });
    };
    at_once("attach");
    let new = text(&file);
    for name in ["memory", "fetch", "other", "theirs"] {
        assert!(new.contains(&format!("\"{name}\"")), "{new}");
    }
    at_once("detach");
    assert_eq!(text(&file), AS_PEOPLE_WRITE);
}
