//! Statuses on the command line: why, until when, whom first, and what is answered.

use serde_json::Value;

use crate::support::{Sandbox, wait_until};

fn json(text: &str) -> Value {
    serde_json::from_str(text).unwrap_or_else(|e| panic!("{e}: {text}"))
}

#[test]
fn a_question_is_answered_by_number_or_by_words() {
    let s = Sandbox::new();
    s.asker();
    let dir = s.ask_session("api");
    let nothing = s.deck(&["answer", "api"]).fails(1);
    assert!(nothing.contains("asks nothing that can be answered") && nothing.contains("hint: "), "{nothing}");

    s.deck(&["send", "api", "ask everything"]).ok();
    assert_eq!(s.deck(&["wait", "api"]).ok(), "api: waiting · permission\n");
    assert_eq!(
        s.deck(&["answer", "api"]).ok(),
        "Delete everything?\n  1  Yes\n  2  No, never\n  3  Type something   (with --text)\n"
    );
    let session = s.session("api");
    assert_eq!(session["asks"], "Delete everything?");
    assert_eq!(session["choices"][1]["label"], "No, never");
    assert!(s.deck(&["answer", "api", "9"]).fails(2).contains("its choices are: 1 Yes, 2 No, never"));
    s.deck(&["answer", "api", "maybe"]).fails(2);
    let typed = s.deck(&["answer", "api", "3"]).fails(6);
    assert!(typed.contains("needs typed input") && typed.contains("--text TEXT"), "{typed}");
    let refused = s.deck(&["send", "api", "hello"]).fails(6);
    assert!(refused.contains("deck answer api"), "{refused}");

    assert!(s.deck(&["answer", "api", "no, n"]).ok().starts_with("api: answered 2 No, never; now "));
    let answers = std::fs::read_to_string(format!("{dir}/answers")).unwrap();
    assert_eq!(answers, "2\n", "one key, once");
    s.deck(&["wait", "api", "--for", "idle", "--timeout", "120"]).ok();
}

#[test]
fn a_text_is_written_into_the_choice_that_takes_one_and_the_next_question_follows() {
    let s = Sandbox::new();
    s.asker();
    let dir = s.ask_session("api");
    s.ask_session("web");
    assert!(s.deck(&["answer", "--next"]).fails(1).contains("no session is asking a question"));
    s.deck(&["answer"]).fails(2);
    for (title, about) in [("api", "everything"), ("web", "nothing")] {
        s.deck(&["send", title, &format!("ask {about}")]).ok();
        s.deck(&["wait", title]).ok();
    }
    let shown = s.deck(&["answer", "--next"]).ok();
    assert!(shown.starts_with("api: Delete everything?\n  1  Yes\n"), "the one that waits longest: {shown}");
    assert!(s.deck(&["answer", "api", "1", "--text", "x"]).fails(2).contains("not for text"));
    let said = s.deck(&["answer", "api", "3", "--text", "only the old ones", "--next"]).ok();
    assert!(said.starts_with("api: answered 3 Type something; now "), "{said}");
    assert!(said.contains("\nweb: Delete nothing?\n  1  Yes\n"), "{said}");
    assert_eq!(std::fs::read_to_string(format!("{dir}/answers")).unwrap(), "3 only the old ones\n");
    let next = json(&s.deck(&["answer", "--next", "--json"]).ok());
    assert_eq!((&next["title"], &next["asks"]), (&Value::from("web"), &Value::from("Delete nothing?")));
    // The one choice that takes text needs no number.
    let last = json(&s.deck(&["answer", "web", "--text", "none", "--next", "--json"]).ok());
    assert_eq!((&last["answer"]["number"], &last["next"]), (&Value::from(3), &Value::Null));
}

#[test]
fn an_answer_is_completed_by_the_dialog_that_only_asks_to_confirm_it() {
    let s = Sandbox::new();
    s.asker();
    let dir = s.ask_session("api");
    s.deck(&["send", "api", "always all"]).ok();
    s.deck(&["wait", "api"]).ok();
    assert!(s.deck(&["answer", "api", "yes, always"]).ok().starts_with("api: answered 2 Yes, always; now "));
    assert_eq!(std::fs::read_to_string(format!("{dir}/answers")).unwrap(), "2\n1\n");
    // Another choice of the first dialog doesn't lead there: what is asked next is the user's to answer.
    s.deck(&["wait", "api", "--for", "idle", "--timeout", "120"]).ok();
    s.deck(&["send", "api", "always all"]).ok();
    s.deck(&["wait", "api"]).ok();
    let said = s.deck(&["answer", "api", "1"]).ok();
    assert_eq!(said, "api: answered 1 Yes; now waiting · permission: Sure?\n");
    assert_eq!(std::fs::read_to_string(format!("{dir}/answers")).unwrap(), "2\n1\n1\n");
}

#[test]
fn an_answered_question_counts_no_more() {
    let s = Sandbox::new();
    s.asker();
    s.ask_session("api");
    // A hook reports the question; after the answer the screen shows nothing that is understood.
    s.deck(&["send", "api", "report all"]).ok();
    assert_eq!(s.deck(&["wait", "api"]).ok(), "api: waiting · permission\n");
    let said = s.deck(&["answer", "api", "1"]).ok();
    assert_eq!(said, "api: answered 1 Yes; now running · tool\n");
    let session = s.session("api");
    assert_eq!((&session["status"], &session["reason"]), (&"running".into(), &"tool".into()));
}

#[test]
fn why_a_session_has_its_status() {
    let s = Sandbox::new();
    s.asker();
    s.ask_session("api");
    s.deck(&["send", "api", "ask files"]).ok();
    s.deck(&["wait", "api"]).ok();
    let text = s.deck(&["explain", "api", "--history"]).ok();
    for part in ["◐ waiting · permission", "Delete files?", "← decides", "matched \"ask\"", "○ idle"] {
        assert!(text.contains(part), "{part} in\n{text}");
    }
    let v = json(&s.deck(&["explain", "api", "--history", "--json"]).ok());
    assert_eq!((&v["status"], &v["reason"]), (&"waiting".into(), &"permission".into()));
    let screen = v["evidence"].as_array().unwrap().iter().find(|e| e["source"] == "screen").unwrap();
    assert_eq!((&screen["observation"], &screen["standing"]), (&"blocked".into(), &"decides".into()));
    let last = v["history"].as_array().unwrap().last().unwrap();
    assert_eq!((&last["status"], &last["rule"]), (&"waiting".into(), &"ask".into()));
    s.deck(&["explain", "nobody"]).fails(3);
}

#[test]
fn waiting_for_what_can_come_and_for_what_can_not() {
    let s = Sandbox::new();
    s.asker();
    s.ask_session("a");
    s.ask_session("b");
    assert!(s.deck(&["wait", "a", "--for", "running", "--timeout", "0.3"]).fails(5).contains("timed out"));
    s.deck(&["wait", "a", "--for", "sleeping"]).fails(2);
    s.deck(&["wait", "a", "--timeout", "soon"]).fails(2);
    s.deck(&["send", "b", "work"]).ok();
    assert_eq!(s.deck(&["wait", "a", "b", "--for", "running", "--any"]).ok(), "b: running · thinking\n");
    s.deck(&["send", "a", "bye 3", "--no-enter"]).ok();
    let all = json(&s.deck(&["wait", "a", "b", "--for", "running", "--any", "--json"]).ok());
    assert_eq!(all.as_array().unwrap().len(), 2);
    s.deck(&["stop", "a"]).ok();
    assert!(s.deck(&["wait", "a", "--for", "idle"]).fails(1).contains("can no longer reach idle"));
    s.deck(&["wait", "a", "--for", "exit"]).ok();
}

#[test]
fn who_needs_the_user_first() {
    let s = Sandbox::new();
    s.asker();
    let none = s.deck(&["next"]).fails(1);
    assert!(none.contains("no session needs your attention"), "{none}");
    for title in ["done", "asks"] {
        s.ask_session(title);
    }
    s.deck(&["send", "done", "work"]).ok();
    s.deck(&["wait", "done", "--for", "running"]).ok();
    s.deck(&["send", "done", "", "--no-enter"]).fails(2);
    s.deck(&["send", "done", "x"]).ok();
    s.deck(&["wait", "done"]).ok();
    s.deck(&["send", "asks", "ask all"]).ok();
    s.deck(&["wait", "asks"]).ok();
    assert_eq!(json(&s.deck(&["next", "--json"]).ok())["title"], "asks", "a question before a finished turn");
    let counts = s.deck(&["status", "--format", "◐ {waiting} ● {running} ({needs})"]).ok();
    assert_eq!(counts, "◐ 2 ● 0 (asks, done)\n");
    let kinds = s.deck(&["status", "--format", "{ask} {failed} {done} of {waiting}"]).ok();
    assert_eq!(kinds, "1 0 1 of 2\n");
    assert_eq!(s.deck(&["status"]).ok(), "◐ 1 ask   ◆ 1 done\n");
    let titles = |status: &str| {
        let all = json(&s.deck(&["list", "--status", status, "--json"]).ok());
        let all = all.as_array().unwrap().iter().map(|v| (v["title"].clone(), v["status"].clone()));
        all.map(|(title, status)| format!("{} {}", title.as_str().unwrap(), status.as_str().unwrap()))
            .collect::<Vec<_>>()
    };
    assert_eq!(titles("ask"), ["asks waiting"]);
    assert_eq!(titles("done"), ["done waiting"]);
    assert_eq!(titles("waiting").len(), 2);
    assert!(s.deck(&["list", "--status", "asking"]).fails(2).contains("waiting, ask, done"));
    s.deck(&["ack", "asks", "done"]).ok();
    assert_eq!(s.session("done")["status"], "idle");
    assert_eq!(s.session("asks")["status"], "waiting", "a question is not acknowledged away");
    assert!(s.deck(&["status", "--format", "{wating}"]).fails(2).contains("unknown placeholder"));
}

#[test]
fn every_change_is_reported_once() {
    let s = Sandbox::new();
    s.asker();
    s.ask_session("api");
    let path = s.path("tmp").join("watch");
    let mut command = s.command(env!("CARGO_BIN_EXE_deck"));
    command.args(["list", "--watch", "--json"]).stdout(std::fs::File::create(&path).unwrap());
    let mut watch = command.spawn().unwrap();
    let report = || -> Vec<(Value, Value)> {
        let text = std::fs::read_to_string(&path).unwrap();
        let complete = text.lines().filter(|l| l.ends_with('}'));
        complete.map(json).map(|v| (v["status"].clone(), v["reason"].clone())).collect()
    };
    // What was answered counts as being done until the screen has shown for a moment that it is over.
    let words = || -> Vec<String> {
        let all = report().into_iter().map(|(s, r)| format!("{s} {r}").replace('"', ""));
        all.filter(|w| w != "running tool").collect()
    };
    let comes_to = |count: usize| {
        wait_until(&format!("{count} lines"), || {
            if words().len() >= count { Ok(()) } else { Err(format!("{:?}", report())) }
        });
    };
    comes_to(1);
    s.deck(&["send", "api", "ask all"]).ok();
    comes_to(2);
    s.deck(&["answer", "api", "1"]).ok();
    comes_to(3);
    s.deck(&["rm", "--stop", "api"]).ok();
    // That it was stopped may be seen before that it was deleted.
    wait_until("the last line", || {
        if words().last().is_some_and(|w| w == "null null") { Ok(()) } else { Err(format!("{:?}", report())) }
    });
    watch.kill().unwrap();
    watch.wait().unwrap();
    let words = words();
    assert_eq!(words[..2], ["idle null", "waiting permission"]);
    assert!(matches!(words[2].as_str(), "idle null" | "waiting finished"), "{words:?}");
    let ends: Vec<_> = words[3..].iter().filter(|w| *w != "stopped null").collect();
    assert_eq!(ends, ["null null"], "{words:?}");
}

#[test]
fn hooks_never_speak_and_never_fail() {
    let s = Sandbox::new();
    s.asker();
    let dir = s.ask_session("api");
    let out = || std::fs::read_to_string(format!("{dir}/hook-out")).unwrap_or_default();
    let evidence = |what: &str| {
        let v = json(&s.deck(&["explain", "api", "--json"]).ok());
        let hook = v["evidence"].as_array().unwrap().iter().find(|e| e["source"] == "hook").cloned();
        match hook {
            Some(hook) if hook["observation"] == what => Ok(()),
            other => Err(format!("{other:?}")),
        }
    };
    // PaneInput straight into the pane: a hook changes nothing on the screen that a receipt could go by.
    let (socket, pane) = (s.socket(), s.session("api")["tmux"]["pane_id"].as_str().unwrap().to_owned());
    let type_in = |line: &str| {
        s.tmux(&socket, &["send-keys", "-t", &pane, "-l", line]);
        s.tmux(&socket, &["send-keys", "-t", &pane, "Enter"]);
    };
    type_in("hook UserPromptSubmit {}");
    // What it said is written after it has ended.
    let is_silent = || {
        wait_until("it has ended well and said nothing", || match out().as_str() {
            "0\n" => Ok(()),
            other => Err(format!("{other:?}")),
        });
        std::fs::remove_file(format!("{dir}/hook-out")).unwrap();
    };
    wait_until("the hook is heard", || evidence("busy"));
    is_silent();
    type_in(r#"hook StopFailure {"error":"rate_limit","last_assistant_message":"too many"}"#);
    wait_until("the failure is heard", || evidence("failed"));
    is_silent();
    assert_eq!(s.session("api")["reason"], "limit");
    assert_eq!(s.session("api")["asks"], "too many");
    type_in("hook Stop #(touch pwned) {broken");
    wait_until("the end is heard", || evidence("ready"));
    is_silent();
    // Outside of a session, with far too much to read, and with an event of the future.
    for event in ["Stop", "SomethingNew"] {
        let mut command = s.command(env!("CARGO_BIN_EXE_deck"));
        let big = s.path("tmp").join("big");
        std::fs::write(&big, "x".repeat(1_000_000)).unwrap();
        let output =
            command.args(["hook", event]).stdin(std::fs::File::open(&big).unwrap()).output().unwrap();
        assert!(
            output.status.success() && output.stdout.is_empty() && output.stderr.is_empty(),
            "{output:?}"
        );
    }
}

#[test]
fn with_a_filter_only_changes_of_what_passes_it_are_reported() {
    let s = Sandbox::new();
    s.asker();
    for title in ["api", "web"] {
        s.ask_session(title);
    }
    let path = s.path("tmp").join("watch");
    let mut command = s.command(env!("CARGO_BIN_EXE_deck"));
    command.args(["list", "--watch", "--json", "--status", "ask"]);
    let mut watch = command.stdout(std::fs::File::create(&path).unwrap()).spawn().unwrap();
    let lines = || std::fs::read_to_string(&path).unwrap();
    let asks = |n: usize| {
        wait_until("a line for each question", || match lines() {
            text if text.matches("\"status\":\"waiting\"").count() >= n => Ok(()),
            text => Err(text),
        });
    };
    s.deck(&["send", "api", "ask all"]).ok();
    asks(1);
    s.deck(&["send", "web", "work"]).ok();
    s.deck(&["wait", "web", "--for", "running"]).ok();
    s.deck(&["rm", "web", "--stop"]).ok();
    s.ask_session("other");
    s.deck(&["send", "other", "ask all"]).ok();
    asks(2);
    assert!(!lines().contains("web"), "{}", lines());
    watch.kill().unwrap();
    watch.wait().unwrap();
}
