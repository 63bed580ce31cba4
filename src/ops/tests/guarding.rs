//! What is refused to agents, and never to their user.

use std::sync::Arc;

use super::world::World;
use super::*;
use crate::domain::guard::{Limits, Refusal};
use crate::domain::mcp_scope::Scope;
use crate::domain::mcp_servers::McpChoice;
use crate::domain::session::Session;
use crate::domain::tool::{McpServer, OwnSettings, Tool};
use crate::ops::guard::{Actor, actor, begin_wait};
use crate::ports::fake::{FakeGit, FakeTools};

/// A deck as the agent of a session sees it, or its user.
fn as_agent(w: &World, id: &SessionId, scopes: &[Scope]) -> Cx {
    let words = crate::domain::mcp_scope::words(scopes);
    w.cx.change_session(id, |s| s.mcp.clone_from(&words)).unwrap();
    by(&w.cx, id)
}

fn by(cx: &Cx, id: &SessionId) -> Cx {
    let caller = Caller { inside: Some(id.clone()), ..Caller::default() };
    Cx { caller: Arc::new(caller), ..cx.clone() }
}

fn refusal<T: std::fmt::Debug>(result: OpResult<T>) -> Refusal {
    match result {
        Err(OpError::Guard { refusal, .. }) => *refusal,
        other => panic!("not refused: {other:?}"),
    }
}

/// A session below another one, made by its user.
fn child(w: &World, title: &str, parent: &SessionId) -> SessionId {
    let new = New { parent: Some(parent.clone()), ..w.new_session(title) };
    create(&w.cx, &new).unwrap().session.id
}

fn send_text(cx: &Cx, to: &SessionId, text: &str) -> OpResult<Receipt> {
    send(cx, to, text, SendOptions::default())
}

#[test]
fn who_asks() {
    let w = World::new();
    let agent = w.add("agent");
    let shell = create(&w.cx, &New { command: Some("bash".into()), ..w.new_session("shell") }).unwrap();
    let is_user = |cx: &Cx| matches!(actor(cx).unwrap(), Actor::User);
    assert!(is_user(&w.cx), "no session");
    assert!(is_user(&by(&w.cx, &shell.session.id)), "a user at a program that is no agent");
    assert!(!is_user(&by(&w.cx, &agent)));
    assert!(is_user(&by(&w.cx, &SessionId::new("gone"))), "of no session there is");
    let served = Caller { scopes: Some(vec![Scope::Look]), ..Caller::default() };
    assert!(!is_user(&Cx { caller: Arc::new(served), ..w.cx.clone() }), "an MCP server");
    // A program that was given scopes is an agent, whatever it is.
    assert!(!is_user(&as_agent(&w, &shell.session.id, &[Scope::Look])));
}

#[test]
fn a_variable_alone_gives_no_rights() {
    let w = World::new();
    let (a, b) = (w.add("a"), w.add("b"));
    let cx = as_agent(&w, &a, &[Scope::TalkAll]);
    *w.host.is_outside.lock().unwrap() = true;
    assert_eq!(refusal(send_text(&cx, &b, "hello")), Refusal::NotProven);
    assert!(w.mux.inputs.lock().unwrap().is_empty());
}

#[test]
fn without_the_scope_nothing_is_done_and_the_error_says_what_gives_it() {
    let w = World::new();
    let (a, b) = (w.add("a"), w.add("b"));
    let cx = as_agent(&w, &a, &[Scope::Look]);
    let error = send_text(&cx, &b, "hello").unwrap_err();
    assert_eq!(error.to_string(), "the session \"a\" was not given the scope `talk=all`");
    let hint = error.hint().unwrap();
    assert_eq!(
        hint,
        Hint::GiveScopes(w.cx.session(&a).unwrap().name(), vec!["look".into(), "talk=all".into()])
    );
    for done in [
        stop(&cx, &b, Terminals::Keep).map(drop),
        restart(&cx, &b, false).map(drop),
        delete(&cx, std::slice::from_ref(&b), true).map(drop),
        archive(&cx, &b).map(drop),
        fork(&cx, &b, None).map(drop),
        set(&cx, &b, "mcp", "talk=all").map(drop),
        set(&cx, &a, "mcp", "talk=all").map(drop),
        press(&cx, &b, &["enter".into()]),
        answer(&cx, &b, &Pick::Number(1), None).map(drop),
    ] {
        refusal(done);
    }
    assert!(w.mux.inputs.lock().unwrap().is_empty(), "nothing was typed");
    assert_eq!(w.cx.session(&a).unwrap().mcp, ["look"]);
}

#[test]
fn a_message_says_who_sends_it_and_a_ring_ends_at_the_budget() {
    let w = World::new();
    let a = w.add("a");
    let b = child(&w, "b", &a);
    let limits = Limits { messages: 2, ..Limits::default() };
    let installation = Installation { limits, ..(*w.cx.installation).clone() };
    let w = World { cx: Cx { installation: Arc::new(installation), ..w.cx.clone() }, ..w };
    let cx = as_agent(&w, &a, &[Scope::Talk]);
    send_text(&cx, &b, "run the tests").unwrap();
    let typed = format!("{:?}", w.mux.inputs.lock().unwrap());
    assert!(
        typed.contains(r#"Message from the session \"a\", not from your user:\nrun the tests"#),
        "{typed}"
    );
    w.clock.pass(5);
    assert_eq!(refusal(send_text(&cx, &b, "run the tests")), Refusal::Repeated("b".into()));
    let back = as_agent(&w, &b, &[Scope::Talk]);
    send_text(&back, &a, "they pass").unwrap();
    w.clock.pass(5);
    assert_eq!(refusal(send_text(&cx, &b, "again")), Refusal::Budget(2));
    // Their user acts: they go on.
    send_text(&w.cx, &b, "go on").unwrap();
    w.clock.pass(5);
    send_text(&cx, &b, "again").unwrap();
    send_text(&back, &a, "once more").unwrap();
    w.clock.pass(5);
    assert_eq!(refusal(send_text(&cx, &b, "and again")), Refusal::Budget(2));
    // So they do when they type in one of the sessions.
    let now = w.cx.clock.now().as_second();
    w.mux.change("a", |s| s.typed_at = Some(now));
    w.clock.pass(5);
    send_text(&cx, &b, "and again").unwrap();
}

#[test]
fn a_message_that_is_refused_counts_for_nothing() {
    let w = World::new();
    let a = w.add("a");
    let b = child(&w, "b", &a);
    let cx = as_agent(&w, &a, &[Scope::Talk]);
    w.show("b", "continue? [y/n]");
    assert!(matches!(send_text(&cx, &b, "hello"), Err(OpError::Blocked { .. })));
    w.show("b", "");
    send_text(&cx, &b, "hello").unwrap();
}

#[test]
fn what_an_agent_starts_is_its_child_with_no_more_rights() {
    let w = World::new();
    let a = w.add("a");
    let cx = as_agent(&w, &a, &[Scope::Spawn, Scope::Look]);
    let new = New { prompt: Some("fix it".into()), ..w.new_session("b") };
    let made = create(&cx, &New { mcp: McpWish::Usual, ..new.clone() }).unwrap().session;
    assert_eq!((made.parent_id.as_ref(), made.mcp.as_slice()), (Some(&a), &["look".to_owned()][..]));
    assert!(made.draft.as_deref().unwrap_or_default().starts_with("Message from the session \"a\""));
    let refused = |new: New| refusal(create(&cx, &new));
    let scopes = McpWish::Scopes(vec![Scope::Look, Scope::TalkAll]);
    assert_eq!(refused(New { mcp: scopes, ..new.clone() }), Refusal::MoreScopes(vec![Scope::TalkAll]));
    assert_eq!(refused(New { args: vec!["--yolo".into()], ..new.clone() }), Refusal::Choice("arguments"));
    let env = [("PATH".to_owned(), "/tmp".to_owned())].into();
    assert_eq!(refused(New { env, ..new.clone() }), Refusal::Choice("the environment"));
    let mcps = McpChoice { attach: vec!["memory".into()], ..McpChoice::default() };
    assert_eq!(refused(New { mcps, ..new.clone() }), Refusal::Choice("MCP servers"));
    assert_eq!(refused(New { parent: Some(made.id), ..new.clone() }), Refusal::Choice("the parent"));
    let command = Some("mint --dangerous".into());
    assert_eq!(refused(New { command, ..new.clone() }), Refusal::Tool("mint --dangerous".into()));
    assert_eq!(
        refused(New { path: "/elsewhere".into(), ..new.clone() }),
        Refusal::Folder("/elsewhere".into())
    );
    create(&cx, &New { path: "/src/below".into(), ..new }).unwrap();
}

#[test]
fn a_worktree_of_the_same_repository_is_its_own_folder() {
    let w = World::new();
    let a = w.add("a");
    let git = FakeGit::default();
    for folder in ["/src", "/worktree"] {
        git.diffs.lock().unwrap().insert(folder.into(), crate::domain::diff::Diff::default());
    }
    let cx = Cx { git: Arc::new(git), ..as_agent(&w, &a, &[Scope::Spawn]) };
    create(&cx, &New { path: "/worktree".into(), ..w.new_session("b") }).unwrap();
}

#[test]
fn how_many_and_how_deep_has_a_limit() {
    let w = World::new();
    let a = w.add("a");
    let cx = as_agent(&w, &a, &[Scope::Spawn]);
    let mut last: Option<Session> = None;
    for n in 0..4 {
        last = Some(create(&cx, &w.new_session(&format!("b{n}"))).unwrap().session);
    }
    assert_eq!(refusal(create(&cx, &w.new_session("more"))), Refusal::Children(4));
    let b = last.unwrap().id;
    let c = create(&as_agent(&w, &b, &[Scope::Spawn]), &w.new_session("c")).unwrap().session.id;
    let cx = as_agent(&w, &c, &[Scope::Spawn]);
    assert_eq!(refusal(create(&cx, &w.new_session("deeper"))), Refusal::Depth(2));
    // One that was stopped is no longer counted.
    stop(&w.cx, &b, Terminals::Keep).unwrap();
    create(&by(&w.cx, &a), &w.new_session("another")).unwrap();
}

#[test]
fn an_agent_answers_its_children_alone_and_permission_only_if_it_may() {
    let w = World::new();
    let a = w.add("a");
    let asks = |title: &str| {
        let new = New { command: Some("asker".into()), parent: Some(a.clone()), ..w.new_session(title) };
        let id = create(&w.cx, &new).unwrap().session.id;
        w.show(title, "Proceed?\n❯ 1. Yes\n  2. No");
        id
    };
    let b = asks("b");
    let cx = as_agent(&w, &a, &[Scope::Answer]);
    let needs = Refusal::NotGiven { agent: Some("a".into()), scope: Scope::AnswerPermissions };
    assert_eq!(refusal(answer(&cx, &b, &Pick::Number(1), None)), needs);
    let cx = as_agent(&w, &a, &[Scope::AnswerPermissions]);
    w.mux.change("b", |s| s.attached = 1);
    assert_eq!(refusal(answer(&cx, &b, &Pick::Number(1), None)), Refusal::Attached("b".into()));
}

#[test]
fn two_that_wait_for_each_other_are_refused() {
    let w = World::new();
    let a = w.add("a");
    let b = child(&w, "b", &a);
    let (by_a, by_b) = (as_agent(&w, &a, &[Scope::Look]), as_agent(&w, &b, &[Scope::Look]));
    let waiting = begin_wait(&by_a, std::slice::from_ref(&b)).unwrap();
    assert_eq!(refusal(begin_wait(&by_b, std::slice::from_ref(&a))), Refusal::Ring("a".into()));
    drop(waiting);
    begin_wait(&by_b, std::slice::from_ref(&a)).unwrap();
    // Their user waits for whom they like.
    begin_wait(&w.cx, &[a, b]).unwrap();
}

#[test]
fn what_deck_passed_to_an_agent_goes_to_none_that_it_starts() {
    let w = World::new();
    let installation = Installation { files: "/deck/agents".into(), ..(*w.cx.installation).clone() };
    let tool = Tool {
        name: "kept".into(),
        command: "mint".into(),
        settings: OwnSettings { env: "KEPT_SETTINGS".into(), ..OwnSettings::default() },
        mcp: McpServer {
            env: "KEPT_CONFIG".into(),
            value: r#"{"mcp":{"deck":{}}}"#.into(),
            ..McpServer::default()
        },
        ..Tool::default()
    };
    let with = |settings: &str, config: &str| {
        let env = [("KEPT_SETTINGS", settings), ("KEPT_CONFIG", config), ("KEY", "k")];
        let env = env.map(|(name, value)| (name.to_owned(), value.to_owned())).to_vec();
        let cx = Cx {
            installation: Arc::new(installation.clone()),
            tools: Arc::new(FakeTools::of(vec![tool.clone()])),
            caller: Arc::new(Caller { env, ..Caller::default() }),
            ..w.cx.clone()
        };
        let new = New { command: Some("kept".into()), ..w.new_session("child") };
        let plan = prepare(&cx, &new).unwrap().launch;
        ["KEPT_SETTINGS", "KEPT_CONFIG", "KEY"].map(|name| plan.env.get(name).cloned().unwrap_or_default())
    };
    assert_eq!(with("/deck/agents/kept.json", r#"{"mcp":{"deck":{"command":["deck"]}}}"#), ["", "", "k"]);
    // What is the user's stays.
    assert_eq!(
        with("/home/me/kept.json", r#"{"mcp":{"deck":{},"mine":{}}}"#),
        ["/home/me/kept.json", r#"{"mcp":{"mine":{}}}"#, "k"]
    );
}
