//! deck's MCP server, with the real program over pipes.

mod agents;
pub mod client;
mod passed;

use std::collections::BTreeSet;

use client::Client;
use serde_json::{Value, json};

use crate::support::{Sandbox, wait_until};

/// A client, and a shell of its own.
fn with_shell(s: &Sandbox) -> (Client, String) {
    let mut c = Client::open(s);
    let started = c.ok("startSession", json!({ "name": "api" }));
    let id = started["sessionId"].as_str().unwrap().to_owned();
    (c, id)
}

fn exec(c: &mut Client, code: &str) -> Value {
    c.ok("exec", json!({ "sessionId": "api", "code": code }))
}

fn status(s: &Sandbox, job: &str) -> String {
    let text = s.deck(&["--json", "job", "show", job]).ok();
    serde_json::from_str::<Value>(&text).unwrap()["status"].as_str().unwrap().to_owned()
}

#[test]
fn a_shell_keeps_its_state_between_calls_and_for_the_command_line() {
    let s = Sandbox::new();
    let (mut c, _) = with_shell(&s);
    let first = exec(&mut c, "cd /tmp; export A=1; f() { echo in f; }; echo out; echo err >&2; false");
    assert_eq!((&first["stdout"], &first["stderr"]), (&"out\n".into(), &"err\n".into()));
    assert_eq!(
        (&first["code"], &first["success"], &first["status"]),
        (&1.into(), &false.into(), &"failed".into())
    );
    assert_eq!((&first["workDir"], &first["state"]), (&"/tmp".into(), &"kept".into()));
    assert_eq!(exec(&mut c, "echo $PWD $A; f")["stdout"], "/tmp 1\nin f\n");
    assert_eq!(s.deck(&["shell", "exec", "api", "echo $A"]).ok(), "1\n");
    // The record is the same whoever looks.
    let job = first["jobId"].as_str().unwrap();
    assert_eq!(s.deck(&["job", "output", job, "--stderr"]).ok(), "err\n");
    let listed = c.ok("listJobs", json!({ "sessionId": "api", "filter": { "status": ["failed"] } }));
    assert_eq!(listed["jobs"][0]["jobId"], job);
}

#[test]
fn code_without_a_shell_leaves_nothing() {
    let s = Sandbox::new();
    let mut c = Client::open(&s);
    let ran = c.ok("exec", json!({ "code": "X=1; echo $X; exit 3" }));
    assert_eq!((&ran["stdout"], &ran["code"]), (&"1\n".into(), &3.into()));
    assert_eq!(c.ok("listSessions", json!({}))["sessions"], json!([]));
    assert_eq!(s.deck(&["--json", "shell", "list", "--all"]).ok().trim(), "[]");
}

#[test]
fn a_job_in_the_background_is_waited_for_read_on_written_to_and_ended() {
    let s = Sandbox::new();
    let (mut c, _) = with_shell(&s);
    let code = "while read -r line; do echo \"got $line\"; done; echo over; sleep 600";
    let begun =
        c.ok("exec", json!({ "sessionId": "api", "code": code, "background": true, "stdin": "open" }));
    let job = begun["jobId"].clone();
    assert_eq!(begun["status"], "running");
    assert!(begun["next"].as_str().unwrap().contains("waitJob"));
    c.ok("writeJob", json!({ "jobId": job, "text": "one\n" }));
    let waited = c.ok("waitJob", json!({ "jobId": job, "for": "^got one$" }));
    assert_eq!((&waited["matched"], &waited["stdout"]), (&"got one".into(), &"got one\n".into()));
    c.ok("writeJob", json!({ "jobId": job, "text": "two\n", "eof": true }));
    // From where the last answer ended.
    let more = c.ok("waitJob", json!({ "jobId": job, "for": "over", "since": waited["offset"] }));
    assert_eq!(more["stdout"], "got two\nover\n");
    let still = c.ok("waitJob", json!({ "jobId": job, "timeout": "200" }));
    assert_eq!((&still["status"], &still["success"]), (&"running".into(), &Value::Null));
    let killed = c.ok("killJob", json!({ "jobId": job }));
    assert_eq!((&killed["status"], &killed["hadEnded"]), (&"killed".into(), &false.into()));
    let read = c.ok("getJobOutput", json!({ "jobId": job, "since": { "stdout": 8 } }));
    assert_eq!(read["stdout"], "got two\nover\n", "it stays readable");
}

#[test]
fn a_call_that_takes_too_long_is_answered_and_its_state_is_kept() {
    let s = Sandbox::new();
    let (mut c, _) = with_shell(&s);
    let code = "echo begun; until [ -e ~/go ]; do sleep 0.02; done; late=1";
    let begun = c.ok("exec", json!({ "sessionId": "api", "code": code, "timeout": 300 }));
    // On a busy machine it may not even have begun.
    assert!(begun["status"] == "running" || begun["status"] == "queued", "{begun}");
    assert!(begun["next"].as_str().unwrap().contains("waitJob"));
    c.ok("waitJob", json!({ "jobId": begun["jobId"], "for": "^begun$" }));
    std::fs::write(s.path("home/go"), "").unwrap();
    let ended = c.ok("waitJob", json!({ "jobId": begun["jobId"] }));
    assert_eq!((&ended["status"], &ended["state"]), (&"completed".into(), &"kept".into()));
    assert_eq!(exec(&mut c, "echo $late")["stdout"], "1\n");
}

#[test]
fn a_cancelled_call_ends_its_command_unless_it_is_to_be_kept() {
    let s = Sandbox::new();
    let (mut c, _) = with_shell(&s);
    for (n, keep) in [(1, false), (2, true)] {
        let file = s.path(&format!("home/begun-{n}"));
        let code = format!(": > ~/begun-{n}; until [ -e ~/go ]; do sleep 0.02; done");
        let on_cancel = if keep { "keep" } else { "kill" };
        let arguments = json!({ "sessionId": "api", "code": code, "onCancel": on_cancel });
        let id = c.send("tools/call", json!({ "name": "exec", "arguments": arguments }));
        wait_until("it runs", || if file.exists() { Ok(()) } else { Err(String::new()) });
        let cancel = json!({ "requestId": id, "reason": "esc" });
        let note =
            json!({ "jsonrpc": "2.0", "method": "notifications/cancelled", "params": cancel }).to_string();
        // Twice, and late: the second one has nothing to end any more.
        c.say(&note);
        c.say(&note);
        if keep {
            std::fs::write(s.path("home/go"), "").unwrap();
        }
        let wanted = if keep { "completed" } else { "killed" };
        wait_until("it has ended as it should", || match status(&s, &format!("api/{n}")) {
            now if now == wanted => Ok(()),
            now => Err(now),
        });
    }
    assert_eq!(exec(&mut c, "echo lives")["stdout"], "lives\n");
}

#[test]
fn mistakes_are_answered_in_words_and_the_server_lives() {
    let s = Sandbox::new();
    let mut c = Client::open(&s);
    let (code, words) = c.fails("exec", json!({ "sessionId": "nonesuch", "code": "true" }));
    assert_eq!(code, "not_found");
    assert!(words.contains("nonesuch") && words.contains("listSessions"), "{words}");
    let (code, words) = c.fails("exec", json!({ "cod": "true" }));
    assert!(code == "usage" && words.contains("cod"), "{words}");
    assert_eq!(c.fails("exec", json!({ "code": " " })).0, "usage");
    assert_eq!(c.fails("waitJob", json!({ "jobId": "job-x-1" })).0, "not_found");
    assert_eq!(c.fails("startSession", json!({ "command": ["vim"] })).0, "usage");
    assert_eq!(c.fails("listJobs", json!({ "filter": { "status": ["odd"] } })).0, "usage");
    assert_eq!(c.fails("spawn_agent", json!({})).0, "refused");
    assert_eq!(c.fails("fly", json!({})).0, "not_found");
    assert_eq!(c.ask("no/such/method", json!({}))["error"]["code"], -32601);
    // No JSON at all, and much of it.
    c.say("this is no JSON");
    c.say(
        &json!({ "jsonrpc": "2.0", "method": "notifications/odd", "params": { "x": "y".repeat(1 << 20) } })
            .to_string(),
    );
    assert_eq!(c.ok("exec", json!({ "code": "echo lives" }))["stdout"], "lives\n");
    assert!(c.end().success());
}

#[test]
fn much_output_is_answered_by_its_ends() {
    let s = Sandbox::new();
    let (mut c, _) = with_shell(&s);
    let ran = exec(&mut c, "seq 100000; echo last >&2");
    let text = ran["stdout"].as_str().unwrap();
    assert!(text.starts_with("1\n2\n") && text.ends_with("99999\n100000\n"), "{}", text.len());
    assert!(text.len() < 33 * 1024 && ran["stderr"] == "last\n" && ran["truncated"] == true);
    let omitted = &ran["omitted"][0];
    let part = json!({ "jobId": ran["jobId"], "since": { "stdout": omitted["from"] }, "maxBytes": 1000 });
    let read = c.ok("getJobOutput", part);
    assert_eq!(read["start"]["stdout"], omitted["from"], "what was left out can be had");
}

#[test]
fn a_server_that_is_killed_loses_nothing() {
    let s = Sandbox::new();
    let (mut c, _) = with_shell(&s);
    let code = ": > ~/begun; until [ -e ~/go ]; do sleep 0.02; done; echo done; x=5";
    let arguments = json!({ "sessionId": "api", "code": code });
    c.send("tools/call", json!({ "name": "exec", "arguments": arguments }));
    wait_until("it runs", || if s.path("home/begun").exists() { Ok(()) } else { Err(String::new()) });
    c.child.as_mut().unwrap().kill().unwrap();
    c.child.as_mut().unwrap().wait().unwrap();
    std::fs::write(s.path("home/go"), "").unwrap();
    let mut next = Client::open_without_handshake(&s);
    let ended = next.ok("waitJob", json!({ "jobId": "api/1" }));
    assert_eq!((&ended["stdout"], &ended["state"]), (&"done\n".into(), &"kept".into()));
    assert_eq!(next.ok("exec", json!({ "sessionId": "api", "code": "echo $x" }))["stdout"], "5\n");
}

#[test]
fn a_client_that_asks_for_it_is_told_of_progress() {
    let s = Sandbox::new();
    let (mut c, _) = with_shell(&s);
    let code = "for i in 1 2 3; do echo \"line $i\"; until [ -e ~/go-$i ]; do sleep 0.02; done; done";
    let params = json!({
        "name": "exec", "arguments": { "sessionId": "api", "code": code }, "_meta": { "progressToken": "p1" },
    });
    let id = c.send("tools/call", params);
    for i in 1..=3 {
        wait_until("the line is told", || {
            let notes = c.notes();
            let is_told =
                notes.iter().any(|n| n["params"]["message"].to_string().contains(&format!("line {i}")));
            if is_told { Ok(()) } else { Err(format!("{notes:?}")) }
        });
        std::fs::write(s.path(&format!("home/go-{i}")), "").unwrap();
    }
    assert_eq!(c.answer(id)["result"]["structuredContent"]["success"], true);
    assert!(c.notes().iter().all(|n| n["params"]["progressToken"] == "p1"));
}

#[test]
fn many_calls_at_once_are_all_answered() {
    let s = Sandbox::new();
    let (mut c, _) = with_shell(&s);
    let arguments = json!({ "sessionId": "api", "code": "n=$((n + 1)); echo $n" });
    let ids: Vec<u64> =
        (0..16).map(|_| c.send("tools/call", json!({ "name": "exec", "arguments": arguments }))).collect();
    let lists: Vec<u64> =
        (0..84).map(|_| c.send("tools/call", json!({ "name": "listSessions", "arguments": {} }))).collect();
    let mut seen: Vec<u32> = ids
        .into_iter()
        .map(|id| {
            let answer = c.answer(id);
            let text = answer["result"]["structuredContent"]["stdout"].as_str().map(str::to_owned);
            text.unwrap_or_else(|| panic!("{answer}")).trim().parse().unwrap()
        })
        .collect();
    seen.sort_unstable();
    assert_eq!(seen, (1..=16).collect::<Vec<u32>>(), "one after the other, none lost");
    lists.into_iter().for_each(|id| assert!(c.answer(id)["error"].is_null()));
}

#[test]
fn each_tool_of_shells_answers_as_its_schema_says() {
    let s = Sandbox::new();
    let (mut c, _) = with_shell(&s);
    let calls = [
        ("startSession", json!({ "cwd": "/tmp", "env": { "A": "1" } })),
        ("exec", json!({ "sessionId": "api", "code": "printf '\\377'; sleep 600 & echo hi" })),
        ("exec", json!({ "sessionId": "api", "code": "cat", "background": true, "stdin": "open" })),
        ("listJobs", json!({})),
        ("getJobOutput", json!({ "jobId": "api/1", "maxBytes": "10" })),
        ("waitJob", json!({ "jobId": "api/2", "idle": 10 })),
        ("writeJob", json!({ "jobId": "api/2", "text": "x\n" })),
        ("killJob", json!({ "jobId": "api/2" })),
        ("killJob", json!({ "jobId": "api/1" })),
        ("updateSession", json!({ "sessionId": "api", "cwd": "/", "vars": { "l": ["a"] }, "name": "api2" })),
        ("checkpointSession", json!({ "sessionId": "api2", "name": "one" })),
        ("restoreSession", json!({ "sessionId": "api2" })),
        ("listSessions", json!({})),
        ("endSession", json!({ "sessionId": "api2", "kill": true })),
    ];
    let called: BTreeSet<&str> = calls.iter().map(|(name, _)| *name).collect();
    for (name, arguments) in calls {
        // The client holds each answer against its schema.
        c.ok(name, arguments);
    }
    let listed: Value =
        serde_json::from_str(&s.deck(&["mcp", "--scopes", "shells", "tools", "--json"]).ok()).unwrap();
    let listed: BTreeSet<&str> =
        listed["tools"].as_array().unwrap().iter().map(|t| t["name"].as_str().unwrap()).collect();
    assert_eq!(called, listed);
}

#[test]
fn at_a_terminal_and_with_a_scope_that_there_isnt() {
    let s = Sandbox::new();
    let refused = s.deck(&["mcp", "--scopes", "bogus"]).fails(2);
    assert!(refused.contains("bogus") && refused.contains("shells"), "{refused}");
    let tools: Value = serde_json::from_str(&s.deck(&["mcp", "tools", "--json"]).ok()).unwrap();
    assert_eq!(tools["tools"].as_array().unwrap().len(), 15);
    assert!(s.deck(&["mcp", "tools"]).ok().contains("exec"));
}
