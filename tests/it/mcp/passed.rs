//! deck's MCP server, passed to an agent when it starts.

use serde_json::Value;

use crate::support::{Sandbox, wait_until};

const TOOLS: &str = r#"
[tools.vibe]
command = "vibe"
[tools.vibe.mcp]
file = '{"mcpServers":{"deck":{"command":"{deck}","args":["mcp","--scopes","{scopes}"]}}}'
args = ["--mcp-config={file}"]
[tools.caged]
command = "vibe"
[tools.caged.mcp]
env = "CAGED_CONFIG"
value = '{"mcp":{"deck":{"command":["{deck}","mcp","--scopes","{scopes}"]}}}'
config = "caged mcp add deck -- {deck} mcp --scopes {scopes}"
confines = true
[tools.plain]
command = "vibe"
"#;

fn sandbox() -> Sandbox {
    let s = Sandbox::new();
    s.file("config.toml", TOOLS);
    let log = s.path("tmp/started");
    let body = format!(
        "printf '%s\\n' \"$@\" > {0}.part; printf '%s' \"$CAGED_CONFIG\" > {0}.env; mv {0}.part {0}; exec cat",
        log.display()
    );
    s.program("vibe", &body);
    s
}

/// The arguments that the agent was started with, once it was.
fn arguments(s: &Sandbox) -> String {
    let log = s.path("tmp/started");
    wait_until("the agent starts", || std::fs::metadata(&log).map(drop).map_err(|e| e.to_string()));
    let text = std::fs::read_to_string(&log).unwrap();
    std::fs::remove_file(&log).unwrap();
    text.trim().to_owned()
}

#[test]
fn an_agent_gets_the_server_only_if_that_is_asked_for() {
    let s = sandbox();
    s.deck(&["add", &s.project("p"), "-t", "bare", "-c", "vibe"]).ok();
    assert_eq!(arguments(&s), "");

    let dry = s.deck(&["add", &s.project("p"), "-t", "v", "-c", "vibe", "--mcp", "--dry-run"]).ok();
    assert!(dry.contains("--mcp-config="), "{dry}");
    s.deck(&["add", &s.project("p"), "-t", "v", "-c", "vibe", "--mcp"]).ok();
    let args = arguments(&s);
    let file = args.strip_prefix("--mcp-config=").unwrap_or_else(|| panic!("{args}"));
    let config: Value = serde_json::from_str(&std::fs::read_to_string(file).unwrap()).unwrap();
    let server = config.pointer("/mcpServers/deck").unwrap();
    assert_eq!(server["args"], serde_json::json!(["mcp", "--scopes", "shells,look"]));
    // It is deck itself, and it has the tools.
    let program = std::fs::canonicalize(server["command"].as_str().unwrap()).unwrap();
    assert_eq!(program, std::fs::canonicalize(env!("CARGO_BIN_EXE_deck")).unwrap());
    assert!(s.deck(&["mcp", "tools"]).ok().contains("startSession"));
    assert_eq!(s.session("v")["mcp"], serde_json::json!(["shells", "look"]));
    assert!(s.deck(&["show", "v"]).ok().contains("MCP scopes    shells, look"));

    // It stays with the session, until that is changed.
    s.deck(&["restart", "v"]).ok();
    assert_eq!(arguments(&s), args);
    s.deck(&["set", "v", "mcp=none"]).ok();
    s.deck(&["restart", "v"]).ok();
    assert_eq!(arguments(&s), "");
}

#[test]
fn a_server_in_a_variable_stands_beside_what_the_user_has_there() {
    let s = sandbox();
    let add = |config: &str, mcp: &str| {
        let env = format!("CAGED_CONFIG={config}");
        s.deck(&["add", &s.project("p"), "-c", "caged", mcp, "--env", &env])
    };
    let printed = add("{}", "--mcp").stderr();
    assert!(printed.contains("has no shells") && printed.contains("--mcp=shells,look"), "{printed}");
    assert_eq!(s.session("p")["mcp"], serde_json::json!(["look"]));
    s.deck(&["rm", "--stop", "p"]).ok();
    arguments(&s);
    let refused = add("// mine", "--mcp=shells");
    let words = refused.stderr();
    assert!(words.contains("CAGED_CONFIG, whose value is no JSON object"), "{words}");
    assert_eq!(s.deck(&["--json", "list"]).ok().trim(), "[]", "nothing was added");

    add(r#"{"model":"m"}"#, "--mcp=shells").ok();
    arguments(&s);
    let text = std::fs::read_to_string(s.path("tmp/started.env")).unwrap();
    let config: Value = serde_json::from_str(&text).unwrap();
    assert_eq!(config["model"], "m");
    assert_eq!(config["mcp"]["deck"]["command"][1], "mcp");
}

#[test]
fn the_settings_name_tools_that_get_it_unasked() {
    let s = sandbox();
    s.file("config.toml", &format!("mcp.pass = [\"vibe\", \"caged\"]\n{TOOLS}"));
    s.deck(&["add", &s.project("p"), "-t", "v", "-c", "vibe"]).ok();
    assert!(arguments(&s).starts_with("--mcp-config="));
    s.deck(&["add", &s.project("p"), "-t", "none", "-c", "vibe", "--mcp=none"]).ok();
    assert_eq!(arguments(&s), "");
    s.file("config.toml", &format!("mcp.pass = [\"vibes\"]\n{TOOLS}"));
    let checked = s.deck(&["config", "check"]).stdout();
    assert!(checked.contains("`mcp.pass`: unknown tool \"vibes\"; did you mean `vibe`?"), "{checked}");
    // What confines its commands gets no shells unasked.
    s.file("config.toml", &format!("mcp.pass = [\"caged\", \"plain\"]\n{TOOLS}"));
    for (tool, scopes) in [("caged", serde_json::json!(["look"])), ("plain", serde_json::json!([]))] {
        s.deck(&["add", &s.project("p"), "-t", tool, "-c", tool]).ok();
        arguments(&s);
        assert_eq!(s.session(tool)["mcp"], scopes);
    }
}

#[test]
fn what_can_not_be_passed_is_refused_with_a_way_out() {
    let s = sandbox();
    let refused = s.deck(&["add", &s.project("p"), "-c", "plain", "--mcp"]);
    let words = refused.stderr();
    assert!(
        words.contains("\"plain\": its table has no `mcp`") && words.contains("deck mcp config"),
        "{words}"
    );
    let refused = s.deck(&["add", &s.project("p"), "-c", "vibe", "--mcp=bogus"]);
    assert!(
        refused.stderr().contains("unknown scope \"bogus\"; scopes are shells, look"),
        "{}",
        refused.stderr()
    );
    let printed = s.deck(&["mcp", "config", "caged"]).ok();
    assert!(
        printed.starts_with("caged mcp add deck -- /") && printed.contains(" mcp --scopes shells,look"),
        "{printed}"
    );
    let unknown = s.deck(&["mcp", "config", "cagd"]);
    assert!(unknown.stderr().contains("did you mean \"caged\"?"), "{}", unknown.stderr());
}
