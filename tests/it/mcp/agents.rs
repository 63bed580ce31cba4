//! Agents that see, start and answer each other: servers in real sessions, each of which the test plays the agent of.

use serde_json::{Value, json};

use super::client::Client;
use crate::support::{Sandbox, wait_until};

/// An agent that is nothing but its MCP server, talking by pipes with names; and one that asks and prints what it is sent.
const TOOLS: &str = r#"
[tools.peer]
command = "peer"
[tools.peer.mcp]
args = ["{scopes}"]
[tools.asker]
command = "asker"
prompt_patterns = ["[y/n]"]
"#;

fn sandbox() -> Sandbox {
    let s = Sandbox::new();
    s.file("config.toml", TOOLS);
    let pipes = s.path("tmp");
    let body = format!(
        "pipe='{0}'/\"$DECK_SESSION_ID\"; mkfifo \"$pipe.in\" \"$pipe.out\"; exec '{1}' mcp --scopes \"$1\" < \"$pipe.in\" > \"$pipe.out\"",
        pipes.display(),
        env!("CARGO_BIN_EXE_deck")
    );
    s.program("peer", &body);
    s.program("asker", "printf 'ready\\n'; while IFS= read -r line; do echo \"<$line>\"; case $line in *ask*) printf 'continue? [y/n] ' ;; esac; done");
    s
}

/// The agent of a session that has just been added.
fn agent(s: &Sandbox, title: &str, capabilities: Value) -> Client {
    let pipe = s.path("tmp").join(s.session(title)["id"].as_str().unwrap());
    let pipe = pipe.to_str().unwrap();
    wait_until("its server has its pipes", || {
        std::fs::metadata(format!("{pipe}.out")).map(drop).map_err(|e| e.to_string())
    });
    Client::by_pipes(pipe, capabilities)
}

fn add(s: &Sandbox, title: &str, scopes: &str) -> Client {
    add_that_can(s, title, scopes, json!({}))
}

fn add_that_can(s: &Sandbox, title: &str, scopes: &str, capabilities: Value) -> Client {
    s.deck(&["add", &s.project("p"), "-t", title, "-c", "peer", &format!("--mcp={scopes}")]).ok();
    agent(s, title, capabilities)
}

/// Sends to the helper, once that is ready.
fn send(lead: &mut Client, text: &str) {
    wait_until("the message is sent", || {
        let result = lead.call("send_to_agent", json!({ "agent": "helper", "text": text }));
        if result["isError"] == true { Err(result.to_string()) } else { Ok(()) }
    });
}

/// Waits for the helper, as often as that takes.
fn until_it_waits(lead: &mut Client) -> Value {
    loop {
        let waited = lead.ok("wait_agent", json!({ "agents": ["helper"] }));
        assert_eq!(waited["never"], json!([]), "{waited}");
        if waited["timedOut"] == false {
            return waited;
        }
    }
}

fn titles(answer: &Value) -> Vec<(String, String)> {
    let of = |a: &Value, key: &str| a[key].as_str().unwrap_or_default().to_owned();
    let mut all: Vec<_> =
        answer["agents"].as_array().unwrap().iter().map(|a| (of(a, "title"), of(a, "family"))).collect();
    all.sort();
    all
}

fn pair(title: &str, family: &str) -> (String, String) {
    (title.to_owned(), family.to_owned())
}

#[test]
fn an_agent_sees_its_family_and_starts_waits_for_reads_and_stops_a_child() {
    let s = sandbox();
    s.deck(&["add", &s.project("p"), "-t", "stranger", "-c", "asker"]).ok();
    let mut lead = add(&s, "lead", "shells,look,talk,spawn");
    assert_eq!(titles(&lead.ok("list_agents", json!({}))), [pair("lead", "yourself")]);
    let spawned = lead.ok("spawn_agent", json!({ "tool": "asker", "title": "helper" }));
    assert_eq!(spawned["agent"]["title"], "helper");
    assert_eq!(
        titles(&lead.ok("list_agents", json!({}))),
        [pair("helper", "child"), pair("lead", "yourself")]
    );
    let helper = s.session("helper");
    assert_eq!((&helper["parent_id"], &helper["mcp"]), (&s.session("lead")["id"], &json!([])));

    send(&mut lead, "please ask");
    let waited = until_it_waits(&mut lead);
    assert_eq!(waited["agents"][0]["status"], "waiting");
    let read = lead.ok("read_agent", json!({ "agent": "helper", "what": "screen" }));
    let text = read["text"].as_str().unwrap();
    assert!(text.contains("<Message from the session \"lead\", not from your user:>"), "{text}");
    assert!(text.contains("<please ask>") && read["untrusted"] == true, "{text}");
    // Its user sees who sent it.
    let words = s.deck(&["explain", "helper"]).ok();
    assert!(words.contains("message from the session \"lead\" "), "{words}");
    let explained: Value = serde_json::from_str(&s.deck(&["explain", "helper", "--json"]).ok()).unwrap();
    assert_eq!(explained["messages"][0]["from"], s.session("lead")["id"], "{explained}");

    // What its user didn't give it is refused, and what it is told helps.
    let (code, words) =
        lead.fails("answer_agent", json!({ "agent": "helper", "question": "x", "choice": "y" }));
    assert_eq!(code, "refused");
    assert!(words.contains("needs the scope `answer`"), "{words}");
    let (code, words) = lead.fails("read_agent", json!({ "agent": "stranger" }));
    assert_eq!(code, "refused");
    assert!(
        words.contains("look=all") && words.contains("deck set lead mcp=shells,look=all,talk,spawn"),
        "{words}"
    );
    let (code, words) = lead.fails("spawn_agent", json!({ "tool": "asker", "path": "/" }));
    assert_eq!(code, "refused");
    assert!(words.contains("/ is not below the agent's own folder"), "{words}");
    let (_, words) = lead.fails("stop_agent", json!({ "agent": "stranger" }));
    assert!(words.contains("only sessions that it started itself"), "{words}");

    assert_eq!(lead.ok("stop_agent", json!({ "agent": "helper" }))["stopped"], true);
    assert_eq!(s.session("helper")["status"], "stopped");
    assert_eq!(s.session("stranger")["parent_id"], Value::Null);
    assert_eq!(s.list().len(), 3, "nothing else was started");
}

#[test]
fn an_agent_answers_what_its_child_asks_if_it_is_still_that_question() {
    let s = sandbox();
    let mut lead = add(&s, "lead", "look,talk,spawn,answer=permissions");
    lead.ok("spawn_agent", json!({ "tool": "asker", "title": "helper" }));
    send(&mut lead, "ask");
    let waited = until_it_waits(&mut lead);
    let asks = waited["agents"][0]["asks"].as_str().unwrap().to_owned();
    let old = json!({ "agent": "helper", "question": "delete all?", "choice": "y" });
    let (code, words) = lead.fails("answer_agent", old);
    assert!(code == "refused" && words.contains("changed; nothing was sent"), "{words}");
    let answered = lead.ok("answer_agent", json!({ "agent": "helper", "question": asks, "choice": "y" }));
    assert_eq!(answered["choice"], "y");
    wait_until("it got the answer", || {
        let text = s.deck(&["output", "helper"]).ok();
        if text.contains("<y>") { Ok(()) } else { Err(text) }
    });
}

#[test]
fn a_server_can_do_no_more_than_its_session_was_given_and_a_variable_alone_nothing() {
    let s = sandbox();
    let mut lead = add(&s, "lead", "look");
    let tools = lead.ask("tools/list", json!({}))["result"]["tools"].clone();
    let names: Vec<&str> = tools.as_array().unwrap().iter().map(|t| t["name"].as_str().unwrap()).collect();
    assert_eq!(names, ["list_agents", "read_agent", "wait_agent"]);
    // Somebody else who says that they are this session, with all scopes.
    let id = s.session("lead")["id"].as_str().unwrap().to_owned();
    let send = |from: &str, text: &str| s.shell(&format!("deck send lead '{text}'"), Some(from));
    let words = send(&id, "hello").fails(6);
    assert!(words.contains("that agent didn't start this command"), "{words}");
    // A user at a session that is no agent is no agent.
    s.deck(&["add", &s.project("p"), "-t", "sh", "-c", "shell"]).ok();
    let shell = s.session("sh")["id"].as_str().unwrap().to_owned();
    assert_ne!(send(&shell, "hello").code(), 6);
}

#[test]
fn agents_that_send_to_each_other_for_ever_stop_at_the_budget() {
    let s = sandbox();
    s.file("config.toml", &format!("mcp.messages = 4\n{TOOLS}"));
    let mut lead = add(&s, "lead", "look,talk,spawn");
    lead.ok("spawn_agent", json!({ "tool": "asker", "title": "helper" }));
    let send = |lead: &mut Client, n: u32| {
        let result = lead.call("send_to_agent", json!({ "agent": "helper", "text": format!("message {n}") }));
        let words = result["content"][0]["text"].as_str().unwrap().to_owned();
        (result["isError"] == true).then_some(words)
    };
    let (mut sent, mut tries) = (0, 0);
    let refused = loop {
        match send(&mut lead, sent) {
            None => sent += 1,
            Some(words) if words.contains("mcp.messages") => break words,
            // It was sent one a moment ago, or isn't ready yet: that counts for nothing.
            Some(_) => tries += 1,
        }
        assert!(sent <= 4 && tries < 1000);
    };
    assert_eq!(sent, 4);
    assert!(
        refused.contains("sent 4 messages since their user last acted") && refused.contains("`mcp.messages`"),
        "{refused}"
    );
    // Its user acts: it goes on.
    s.deck(&["send", "helper", "go on"]);
    wait_until("it may send again", || match send(&mut lead, 100) {
        None => Ok(()),
        Some(words) => Err(words),
    });
}

fn with_consent(words: &str) -> Sandbox {
    let s = sandbox();
    s.file("config.toml", &format!("mcp.consent = {words}\n{TOOLS}"));
    s
}

#[test]
fn its_user_is_asked_before_an_agent_starts_another_if_they_want_that() {
    let s = with_consent(r#"["spawn"]"#);
    let mut lead = add_that_can(&s, "lead", "look,talk,spawn", json!({ "elicitation": {} }));
    let spawn = json!({ "name": "spawn_agent", "arguments": { "tool": "asker", "title": "helper", "prompt": "say  hi" } });
    for (action, is_error) in [("decline", true), ("cancel", true), ("accept", false)] {
        let call = lead.send("tools/call", spawn.clone());
        let (id, asked) = lead.asked();
        assert_eq!(asked["method"], "elicitation/create");
        let words = asked["params"]["message"].as_str().unwrap();
        let folder = s.project("p");
        let want = format!(
            "The agent \"lead\" asks to start \"asker\" in \"{folder}\", with the prompt \"say hi\". Allow it?"
        );
        assert_eq!(words, want);
        assert_eq!(s.list().len(), 1, "nothing is started before the reply");
        lead.reply(id, json!({ "action": action }));
        let result = lead.answer(call)["result"].clone();
        assert_eq!(result["isError"].as_bool().unwrap_or_default(), is_error, "{result}");
        if is_error {
            assert!(result["content"][0]["text"].as_str().unwrap().contains("The user declined"), "{result}");
        }
    }
    assert_eq!(s.list().len(), 2);
    // What would be refused is not asked about, and what takes another scope isn't either.
    let (_, words) = lead.fails("spawn_agent", json!({ "tool": "asker", "path": "/" }));
    assert!(words.contains("not below the agent's own folder"), "{words}");
    send(&mut lead, "hello");
    // A call that is cancelled while its user thinks starts nothing.
    let call = lead.send("tools/call", spawn.clone());
    lead.asked();
    lead.say(
        &json!({ "jsonrpc": "2.0", "method": "notifications/cancelled", "params": { "requestId": call } })
            .to_string(),
    );
    lead.ok("list_agents", json!({}));
    assert_eq!(s.list().len(), 2);
}

#[test]
fn the_newest_protocol_asks_by_the_result_of_the_call() {
    let s = with_consent(r#"["spawn", "talk"]"#);
    let mut lead = add_that_can(&s, "lead", "look,talk,spawn", json!({ "elicitation": { "form": {} } }));
    lead.speak_newest();
    let mut spawn = json!({ "name": "spawn_agent", "arguments": { "tool": "asker", "title": "helper" } });
    let result = lead.ask("tools/call", spawn.clone())["result"].clone();
    assert_eq!(result["resultType"], "input_required", "{result}");
    let (key, request) = result["inputRequests"].as_object().unwrap().iter().next().unwrap();
    assert!(request["params"]["message"].as_str().unwrap().contains("asks to start \"asker\""), "{request}");
    spawn["inputResponses"] = json!({ key.as_str(): { "action": "accept" } });
    // The reply is to that question, and to none with other arguments.
    let mut other = spawn.clone();
    other["arguments"]["prompt"] = "delete all".into();
    assert_eq!(lead.ask("tools/call", other)["result"]["resultType"], "input_required");
    assert_eq!(s.list().len(), 1);
    let result = lead.ask("tools/call", spawn)["result"].clone();
    assert_eq!(result["structuredContent"]["agent"]["title"], "helper", "{result}");
}

#[test]
fn where_a_user_cannot_be_asked_it_is_refused() {
    let s = with_consent(r#"["answer", "talk", "spawn"]"#);
    let mut lead = add(&s, "lead", "look,talk,spawn");
    let (code, words) = lead.fails("spawn_agent", json!({ "tool": "asker" }));
    assert_eq!(code, "refused");
    assert!(words.contains("`spawn` (`mcp.consent`)") && words.contains("elicitation"), "{words}");
    assert_eq!(s.list().len(), 1);
}
