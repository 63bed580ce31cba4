//! Servers of the agents' own files are taken into the settings; the files are only read.

use super::sandbox;

#[test]
fn a_server_is_taken_out_of_an_agents_file_without_its_secret() {
    let s = sandbox();
    let theirs = r#"{"mcpServers": {"github": {"command": "gh-mcp", "env": {"GH_TOKEN": "marked", "MODE": "x"}},
        "Bad Name": {"command": "x"}, "odd": {}}}"#;
    let claude = s.path("home/.claude.json");
    std::fs::write(&claude, theirs).unwrap();
    std::fs::create_dir_all(s.path("home/.codex")).unwrap();
    let codex = "[mcp_servers.linear]\nurl = \"https://mcp.example\"\nbearer_token_env_var = \"LINEAR\"\n";
    std::fs::write(s.path("home/.codex/config.toml"), codex).unwrap();

    let shown = s.deck(&["mcp", "import"]).ok();
    for words in ["github", "gh-mcp · env.GH_TOKEN would become variables", "linear", "https://mcp.example"]
    {
        assert!(shown.contains(words), "{shown}");
    }
    assert!(shown.contains("its name") && shown.contains("neither a command nor an address"), "{shown}");
    assert_eq!(s.deck(&["mcp", "import", "-q"]).ok(), "github\nlinear\n");
    assert!(!s.path("deck/mcps").exists(), "it is only shown");

    let taken = s.deck(&["mcp", "import", "github"]);
    let words = taken.stderr();
    assert!(
        words.contains("the value of env.GH_TOKEN of github stays in its file; export GH_TOKEN"),
        "{words}"
    );
    let written = std::fs::read_to_string(s.path("deck/mcps/github.toml")).unwrap();
    assert!(written.contains("GH_TOKEN = \"$GH_TOKEN\"") && written.contains("MODE = \"x\""), "{written}");
    assert!(!(written + &words + &shown + &taken.ok()).contains("marked"));
    assert!(
        s.deck(&["mcp", "import", "github"]).fails(6).contains("there is an MCP server \"github\" already")
    );
    assert!(s.deck(&["mcp", "import", "none"]).fails(3).contains("no file has an MCP server \"none\""));
    assert!(s.deck(&["mcp", "import", "Bad Name"]).fails(6).contains("can't be taken: its name"));
    assert!(s.deck(&["mcp", "import", "--from", "nowhere.json"]).fails(3).contains("is no tool"));

    // Of all, those that can be are taken, and the others named.
    let all = s.deck(&["mcp", "import", "--all"]);
    assert!(all.stderr().contains("\"odd\" of"), "{}", all.stderr());
    let shown = s.deck(&["mcp", "show", "linear"]).ok();
    assert!(shown.contains("Authorization") && shown.contains("$LINEAR"), "{shown}");
    assert_eq!(std::fs::read_to_string(&claude).unwrap(), theirs);
    assert_eq!(std::fs::read_to_string(s.path("home/.codex/config.toml")).unwrap(), codex);
}
