//! What an agent is told to start becomes the server, or answers why there is none.

use super::{Server, arguments, entries, sandbox};
use crate::support::Sandbox;

/// A deck whose session `api` has this server, and its entry.
fn served(s: &Sandbox, server: &str) -> serde_json::Value {
    s.file("mcps/one.toml", server);
    s.deck(&["add", &s.project("p"), "-t", "api", "-c", "vibe", "--mcp-server", "one"]).ok();
    entries(s)["one"].clone()
}

#[test]
fn the_server_runs_as_its_definition_says() {
    let s = sandbox();
    s.program(
        "serve",
        "echo \"$$|$1|$PWD|$TOKEN|$FILE|$OWN|${ANTHROPIC_API_KEY-none}|${DECK_SESSION_ID-none}\"; exec cat",
    );
    s.file("secrets.env", "OWN=of a file\n");
    let secrets = s.path("deck/secrets.env");
    let entry = served(
        &s,
        &format!(
            "command = \"serve\"\nargs = [\"{{project}}/db\"]\nenv_file = {secrets:?}\nenv = {{ TOKEN = \"x-$SECRET\", FILE = \"~/m.json\" }}\n"
        ),
    );
    let env = [("SECRET", "s3cret"), ("ANTHROPIC_API_KEY", "key"), ("DECK_SESSION_ID", "1")];
    let mut server = Server::start(&s, &entry, &env);
    let said = server.line();
    let project = s.path("proj/p");
    let (home, project) = (s.path("home"), project.display());
    let want = format!(
        "{}|{project}/db|{project}|x-s3cret|{}/m.json|of a file|none|none",
        server.child.id(),
        home.display()
    );
    assert_eq!(said, want, "no process is added, and it has what its definition names");
    server.send(&serde_json::json!({"id": 1}));
    assert_eq!(server.line(), r#"{"id":1}"#, "its streams are the agent's");
    assert_eq!(server.end(), Some(0));
}

#[test]
fn what_keeps_it_from_starting_is_the_answer_to_the_agent() {
    let s = sandbox();
    let entry = served(&s, "command = \"serve\"\nenv = { TOKEN = \"$SECRET\" }\n");
    let words = |env: &[(&str, &str)]| {
        let mut server = Server::start(&s, &entry, env);
        let answer = server.ask(7, "initialize");
        assert_eq!((&answer["id"], &answer["error"]["code"]), (&7.into(), &(-32_000).into()));
        assert_eq!(server.end(), Some(1));
        answer["error"]["message"].as_str().unwrap().to_owned()
    };
    let missing =
        "MCP server \"one\": the variable SECRET is not set: export it before you start the session";
    assert_eq!(words(&[]), missing);
    assert!(words(&[("SECRET", "1")]).starts_with("MCP server \"one\": its program \"serve\" was not found"));
    // It can be run, but the system can't.
    s.program("serve", "");
    std::fs::write(s.path("bin/serve"), "#!/no/such/interpreter\n").unwrap();
    let broken = words(&[("SECRET", "1")]);
    assert!(
        broken.starts_with("MCP server \"one\": can't start its program \"serve\": No such file"),
        "{broken}"
    );
    assert!(!broken.contains("1,"), "no value is told");
}

#[test]
fn an_agent_that_reconnects_gets_what_its_session_was_started_with() {
    let s = sandbox();
    s.program("old", "echo old; exec cat");
    s.program("new", "echo new; exec cat");
    let entry = served(&s, "command = \"old\"\n");
    s.file("mcps/one.toml", "command = \"new\"\n");
    let said = |entry| Server::start(&s, entry, &[]).line();
    assert_eq!(said(&entry), "old");
    let status = s.deck(&["mcp", "status", "api"]).ok();
    assert!(status.contains("out of date: ~one"), "{status}");
    s.deck(&["restart", "api"]).ok();
    assert_eq!(said(&entries(&s)["one"]), "new");
    s.deck(&["stop", "api"]).ok();
    s.deck(&["mcp", "detach", "api", "one"]).ok();
    s.deck(&["start", "api"]).ok();
    assert_eq!(arguments(&s), "", "nothing is passed");
}
