//! What is attached is passed at the start, noted, and marked when it is out of date.

use std::os::unix::fs::PermissionsExt as _;

use serde_json::{Value, json};

use super::{arguments, entries, sandbox};
use crate::support::Sandbox;

fn names(s: &Sandbox, title: &str) -> Value {
    s.session(title)["loaded_mcp_names"].clone()
}

#[test]
fn a_server_is_added_attached_and_passed_without_its_secrets() {
    let s = sandbox();
    let secret = "s3cret-value";
    let added =
        s.deck(&["mcp", "add", "memory", "--env", &format!("API_TOKEN={secret}"), "--", "serve", secret]);
    assert!(added.stderr().contains("env.API_TOKEN is written to"), "{}", added.stderr());
    s.deck(&["mcp", "add", "linear", "--url", "https://example.com/mcp", "--header", "X=$Y"]).ok();
    s.deck(&["add", &s.project("p"), "-t", "api", "-c", "vibe"]).ok();
    assert_eq!(arguments(&s), "");
    let attached = s.deck(&["mcp", "attach", "api", "memory", "linear"]).ok();
    assert!(attached.contains("api: attached memory, linear; it holds from its next start on"), "{attached}");
    assert_eq!(
        s.session("api")["mcp_changes"],
        json!([{"name": "memory", "source": "deck", "change": "added"}])
    );
    s.deck(&["restart", "api"]).ok();
    let entry = entries(&s)["memory"].clone();
    let set = entry["args"][4].as_str().unwrap().to_owned();
    assert_eq!(entry["args"], json!(["mcp", "run", "memory", "--set", set]));
    assert_eq!(std::fs::metadata(&set).unwrap().permissions().mode() & 0o777, 0o600);
    assert!(std::fs::read_to_string(&set).unwrap().contains(secret), "its own file has the definition");
    assert_eq!((names(&s, "api"), &s.session("api")["mcp_changes"]), (json!(["memory"]), &json!([])));
    let status = s.deck(&["mcp", "status", "api"]).ok();
    assert!(status.contains("left out") && status.contains("its agent can't use http servers"), "{status}");
    let all = [
        entry.to_string(),
        status,
        s.deck(&["--json", "mcp", "status", "api"]).ok(),
        s.deck(&["--json", "mcp", "list"]).ok().replace(&format!("\"{secret}\"\n"), ""),
        s.deck(&["show", "api"]).ok(),
        s.deck(&["show", "--command", "api"]).ok(),
        std::fs::read_to_string(s.path("deck/profiles/default/sessions.json")).unwrap(),
    ];
    for text in all {
        assert!(!text.contains(secret), "{text}");
    }
}

#[test]
fn the_mark_follows_each_file_and_goes_with_the_difference() {
    let s = sandbox();
    let project = s.project("p");
    let file = format!("{project}/.vibe.json");
    std::fs::write(&file, r#"{"mcpServers":{"own":{"command":"x","args":["1"]},"two":{}}}"#).unwrap();
    s.deck(&["add", &project, "-t", "api", "-c", "vibe"]).ok();
    arguments(&s);
    assert_eq!(names(&s, "api"), json!(["own", "two"]));
    let changes = || s.session("api")["mcp_changes"].clone();
    assert_eq!(changes(), json!([]));
    std::fs::write(&file, r#"{ "mcpServers": { "two": {}, "own": { "args": ["1"], "command": "x" } } }"#)
        .unwrap();
    assert_eq!(changes(), json!([]), "a reordered file means the same");
    std::fs::write(&file, r#"{"mcpServers":{"own":{"command":"y"}}}"#).unwrap();
    let want = json!([
        {"name": "own", "source": "project", "change": "changed"},
        {"name": "two", "source": "project", "change": "removed"},
    ]);
    assert_eq!(changes(), want);
    std::fs::write(&file, r#"{"mcpServers":{"own":{"command":"x","args":["1"]},"two":{}}}"#).unwrap();
    assert_eq!(changes(), json!([]), "it is as it was");
    // A name of theirs is left to them.
    s.file("mcps/own.toml", "command = \"z\"\n");
    s.deck(&["mcp", "attach", "api", "own"]).ok();
    s.deck(&["restart", "api"]).ok();
    assert_eq!(arguments(&s), "");
    let status = s.deck(&["mcp", "status", "api"]).ok();
    assert!(status.contains("the agent's own files give it a server of this name (project)"), "{status}");
    assert_eq!(
        std::fs::read_to_string(&file).unwrap(),
        r#"{"mcpServers":{"own":{"command":"x","args":["1"]},"two":{}}}"#
    );
    // Unless its user wants deck's in its place.
    s.deck(&["mcp", "attach", "api", "own", "--replace"]).ok();
    let want = json!([
        {"name": "own", "source": "deck", "change": "added"},
        {"name": "own", "source": "project", "change": "removed"},
    ]);
    assert_eq!(changes(), want);
    s.deck(&["restart", "api"]).ok();
    assert_eq!(entries(&s).as_object().unwrap().keys().collect::<Vec<_>>(), ["own"]);
    assert_eq!((changes(), names(&s, "api")), (json!([]), json!(["own", "two"])));
    s.deck(&["mcp", "detach", "api", "own"]).ok();
    s.deck(&["mcp", "attach", "api", "own"]).ok();
    s.deck(&["restart", "api"]).ok();
    assert_eq!(arguments(&s), "", "without the word it is theirs again");
    let config = super::TOOL.replace("replaces = true\n", "");
    s.file("config.toml", &config);
    let refused = s.deck(&["mcp", "attach", "api", "own", "--replace"]).fails(6);
    assert!(refused.contains("vibe has no way to that"), "{refused}");
}

#[test]
fn settings_and_groups_give_servers_to_many() {
    let s = sandbox();
    s.file("config.toml", &format!("mcp.default = [\"one\"]\n{}[mcp_sets]\nweb = [\"two\"]\n", super::TOOL));
    for name in ["one", "two"] {
        s.file(&format!("mcps/{name}.toml"), "command = \"serve\"\n");
    }
    let project = s.project("p");
    s.deck(&["add", &project, "-t", "api", "-c", "vibe", "-g", "work", "--mcp-server", "@web"]).ok();
    let given = entries(&s);
    assert_eq!(given.as_object().unwrap().keys().collect::<Vec<_>>(), ["one", "two"]);
    s.deck(&["add", &project, "-t", "bare", "-c", "vibe", "-g", "work", "--no-mcp-servers"]).ok();
    assert_eq!(arguments(&s), "");
    s.deck(&["mcp", "attach", "--group", "work", "two"]).ok();
    assert_eq!(
        s.session("bare")["mcp_changes"],
        json!([{"name": "two", "source": "deck", "change": "added"}])
    );
    let refused = s.deck(&["add", &project, "-c", "vibe", "--mcp-server", "tow"]).fails(3);
    assert!(refused.contains("no MCP server \"tow\"") && refused.contains("did you mean two?"), "{refused}");
    s.file("config.toml", "mcp.default = [\"oen\"]\n[mcps.two]\ncommand = \"x\"\nurl = \"https://a\"\n");
    let checked = s.deck(&["config", "check"]).stdout();
    assert!(
        checked.contains("`mcp.default`: unknown MCP server \"oen\"; did you mean \"one\"?"),
        "{checked}"
    );
    assert!(
        checked.contains("config.toml:4: MCP server \"two\": `url` can't be given beside `command`"),
        "{checked}"
    );
}

#[test]
fn each_built_in_agent_is_told_in_its_own_way() {
    let s = sandbox();
    s.file("mcps/one.toml", "command = \"hushed\"\nenv = { T = \"$GH\" }\n");
    s.file(
        "mcps/far.toml",
        "url = \"https://example.com/mcp\"\nheaders = { Authorization = \"Bearer $GH\" }\n",
    );
    s.file("mcps/old.toml", "url = \"https://example.com/sse\"\ntransport = \"sse\"\n");
    let project = s.project("p");
    for tool in ["claude", "gemini", "codex", "opencode"] {
        s.program(tool, "exec cat");
        let args = [
            "add",
            &project,
            "-t",
            tool,
            "-c",
            tool,
            "--mcp-server",
            "one,far,old",
            "--env",
            "GH=t0ken",
            "--dry-run",
        ];
        let script = s.deck(&args).ok();
        assert!(!script.contains("hushed") && !script.contains("t0ken"), "{tool}: {script}");
        match tool {
            "claude" => assert!(script.contains("--mcp-config="), "{script}"),
            "codex" => {
                let one = "mcp_servers.one={command=";
                let far = r#"mcp_servers.far={url="https://example.com/mcp",bearer_token_env_var="GH",env_http_headers={}}"#;
                assert!(script.contains(one) && script.contains(far), "{script}");
                assert!(!script.contains("mcp_servers.old"), "{script}");
            }
            // A variable, which is not in the script.
            _ => assert!(!script.contains("mcp_servers"), "{script}"),
        }
        s.deck(&args[..args.len() - 1]).ok();
        if tool == "gemini" {
            // It would show its user an error about a file in a folder that others may write to, as this one is in.
            let status = s.deck(&["mcp", "status", tool]).ok();
            assert!(status.contains("deck can't pass a settings file: others may write to"), "{status}");
            continue;
        }
        let loaded = if tool == "codex" { json!(["far", "one"]) } else { json!(["far", "old", "one"]) };
        assert_eq!(names(&s, tool), loaded, "{tool}");
    }
}
