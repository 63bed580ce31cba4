//! Adopting agents on the user's own servers, and taking them home.

use std::sync::Arc;

use super::world::World;
use super::*;
use crate::domain::session::Session;
use crate::domain::tool::Tool;
use crate::ports::fake::FakeTools;
use crate::ports::host::Running;
use crate::ports::mux::ServerId;

const SERVER: &str = "default";

fn process(pid: i32, argv: &[&str]) -> Running {
    Running { pid, argv: argv.iter().map(|w| (*w).to_owned()).collect(), folder: "/src".into() }
}

/// A deck beside a tmux session of the user's with these processes on its terminal.
fn beside(running: Vec<Running>) -> World {
    let w = World::new();
    w.mux.add_foreign(SERVER, "mine", 10, "welcome to screened\n");
    w.host.running.lock().unwrap().insert(10, running);
    w
}

/// Beside an agent that was typed into a shell.
fn beside_agent() -> World {
    beside(vec![
        process(10, &["-bash"]),
        process(12, &["/usr/bin/node", "/opt/bin/mint", "--resume", "kept-1"]),
    ])
}

fn one(w: &World) -> Candidate {
    let mut found = candidates(&w.cx).unwrap();
    assert_eq!(found.agents.len(), 1);
    found.agents.remove(0)
}

fn adopted(w: &World) -> Session {
    adopt(&w.cx, &one(w), None, &GroupPath::default()).unwrap()
}

#[test]
fn an_agent_is_known_by_its_program() {
    let found = one(&beside_agent());
    assert_eq!((found.tool.as_str(), found.known_by, found.agent), ("mint", KnownBy::Process, 12));
    assert_eq!((found.program.as_str(), found.conversation.as_deref()), ("mint", Some("kept-1")));
    assert_eq!(*found.pane.server(), ServerId::from(SERVER));
}

#[test]
fn a_conversation_on_the_command_line_is_one_that_exists() {
    let files = Tool {
        name: "filed".into(),
        command: "filed".into(),
        conversation_files: vec!["/c/{id}".into()],
        ..Tool::default()
    };
    let mut w = beside(vec![process(12, &["filed", "-x", "some-conversation"])]);
    w.cx.tools = Arc::new(FakeTools::of(vec![files]));
    assert_eq!(one(&w).conversation.as_deref(), Some("some-conversation"));
    *w.host.no_files.lock().unwrap() = true;
    assert_eq!(one(&w).conversation, None);
}

#[test]
fn an_agent_is_known_by_what_it_shows_unless_that_is_a_shell() {
    let screened = Tool {
        name: "screened".into(),
        command: "screened".into(),
        detect_patterns: vec!["welcome to screened".into()],
        ..Tool::default()
    };
    let with = |argv: &[&str]| {
        let mut w = beside(vec![process(10, argv)]);
        w.cx.tools = Arc::new(FakeTools::of(vec![screened.clone()]));
        candidates(&w.cx).unwrap().agents
    };
    let found = with(&["/opt/wrapper"]);
    assert_eq!((found[0].tool.as_str(), found[0].known_by), ("screened", KnownBy::Screen));
    assert_eq!(found[0].program, "wrapper");
    assert_eq!(with(&["-bash"]), [], "it may show anything");
    let mut w = beside(vec![process(10, &["/opt/wrapper"])]);
    w.cx.tools = Arc::new(FakeTools::of(vec![Tool { detect_patterns: vec!["other".into()], ..screened }]));
    assert_eq!(candidates(&w.cx).unwrap().agents, []);
}

#[test]
fn what_a_deck_has_already_is_not_offered() {
    let w = beside_agent();
    w.mux.change("mine", |s| drop(s.tags.insert(TagName::Id, "another-decks".into())));
    assert_eq!(candidates(&w.cx).unwrap().agents, []);
    let w = beside_agent();
    adopted(&w);
    w.mux.change("mine", |s| s.tags.clear());
    assert_eq!(candidates(&w.cx).unwrap().agents, [], "its mark was removed, its record is there");
}

#[test]
fn servers_that_do_not_answer_are_named() {
    let w = beside_agent();
    assert_eq!(candidates(&w.cx).unwrap().skipped(), None);
    w.mux.silent.lock().unwrap().insert(SERVER.into());
    let found = candidates(&w.cx).unwrap();
    assert_eq!(found.agents, []);
    assert_eq!(found.skipped().unwrap(), "the tmux server default doesn't answer and was skipped");
    w.mux.silent.lock().unwrap().insert("b".into());
    let skipped = candidates(&w.cx).unwrap().skipped().unwrap();
    assert_eq!(skipped, "the tmux servers b, default don't answer and were skipped");
}

#[test]
fn an_adopted_session_is_recorded_marked_and_watched_where_it_is() {
    let mut w = beside_agent();
    let session = adopted(&w);
    assert_eq!((session.title.as_str(), session.tool.as_str()), ("mine", "mint"));
    assert_eq!(session.tmux.socket, ServerId::from(SERVER));
    assert_eq!(session.tmux.adopted.as_ref().unwrap().to_string(), "%1 10 12 mint");
    assert_eq!(session.resume.id.as_deref(), Some("kept-1"));
    let tags = w.mux.sessions.lock().unwrap()["$1"].tags.clone();
    assert_eq!((tags[&TagName::Id].as_str(), tags[&TagName::Pane].as_str()), (session.id.as_str(), "%1"));
    assert_eq!(tags[&TagName::Adopted], "%1 10 12 mint");
    w.clock.pass(60);
    w.show("mine", "working");
    assert_eq!(w.state(&session.id), "running thinking");
}

#[test]
fn titles_are_not_given_twice_and_an_own_one_is_taken() {
    let w = beside_agent();
    w.add("mine");
    assert_ne!(adopted(&w).title, "mine");
    let w = beside_agent();
    let session = adopt(&w.cx, &one(&w), Some("theirs"), &GroupPath::parse("a/b").unwrap()).unwrap();
    assert_eq!((session.title.as_str(), session.group_path.as_str()), ("theirs", "a/b"));
}

#[test]
fn what_ended_meanwhile_is_not_adopted() {
    let w = beside_agent();
    let found = one(&w);
    w.mux.sessions.lock().unwrap().clear();
    let error = adopt(&w.cx, &found, None, &GroupPath::default()).unwrap_err();
    assert!(matches!(error, OpError::NotRunning(s) if s.title == "mine"));
    assert!(w.store.0.lock().unwrap().sessions.is_empty());
}

#[test]
fn an_adopted_agent_that_ended_is_started_again_at_home() {
    let w = beside_agent();
    let session = adopted(&w);
    assert!(matches!(start(&w.cx, &session.id, false, None), Err(OpError::Running(_))));
    w.mux.change("mine", |s| s.dead = Some(Exit::ToShell));
    let launched = start(&w.cx, &session.id, false, None).unwrap();
    assert!(launched.plan.command_line().contains("--resume kept-1"));
    assert_eq!(
        panes::find_row(&w.cx, &launched.session).unwrap().unwrap().pane.server,
        w.cx.installation.socket
    );
    let now = w.cx.session(&session.id).unwrap().tmux;
    assert_eq!((&now.socket, &now.adopted), (&w.cx.installation.socket, &None));
    let theirs = &w.mux.sessions.lock().unwrap()["$1"];
    assert!(theirs.tags[&TagName::Id].is_empty(), "their session is theirs alone again");
    assert_eq!(theirs.starts, 1);
}

#[test]
fn an_adopted_agent_whose_conversation_nobody_knows_is_not_taken_home() {
    let w = beside(vec![process(12, &["mint"])]);
    let session = adopted(&w);
    w.mux.change("mine", |s| s.dead = Some(Exit::ToShell));
    assert!(matches!(start(&w.cx, &session.id, false, None), Err(OpError::ConversationUnknown(_))));
    assert_eq!(w.mux.sessions.lock().unwrap()["$1"].tags[&TagName::Id], session.id.as_str());
    start(&w.cx, &session.id, true, None).unwrap();
}

#[test]
fn what_is_stopped_is_the_agent_and_not_the_users_session() {
    let w = beside_agent();
    let session = adopted(&w);
    assert!(stop(&w.cx, &session.id, Terminals::Keep).unwrap().ran);
    assert_eq!(*w.host.ended.lock().unwrap(), [10]);
    assert_eq!(w.mux.sessions.lock().unwrap().len(), 1);
}

#[test]
fn nothing_is_done_to_a_session_whose_server_does_not_answer() {
    let w = beside_agent();
    let session = adopted(&w);
    w.mux.silent.lock().unwrap().insert(SERVER.into());
    let unreached = |e: &OpError| matches!(e, OpError::Mux(crate::ports::MuxError::Unreached { .. }));
    assert!(unreached(&start(&w.cx, &session.id, false, None).unwrap_err()));
    assert!(unreached(&stop(&w.cx, &session.id, Terminals::Keep).unwrap_err()));
    assert!(unreached(&delete(&w.cx, std::slice::from_ref(&session.id), true).unwrap_err()));
    // The other sessions are shown, and so is the last that is known of this one.
    let snapshot = Watcher::new().tick(&w.cx).unwrap();
    assert_eq!(snapshot.silences().len(), 1);
    assert!(
        snapshot
            .state(&session.id)
            .is_some_and(|s| s.verdict.reason != Some(crate::domain::status::Reason::Gone))
    );
}

#[test]
fn a_profile_that_is_renamed_is_renamed_on_the_users_servers_too() {
    let w = beside_agent();
    adopted(&w);
    w.add("own");
    retag_profile(&w.cx, &crate::domain::id::ProfileName::parse("work").unwrap()).unwrap();
    let all = w.mux.sessions.lock().unwrap();
    assert!(all.values().all(|s| s.tags[&TagName::Profile] == "work"));
}
