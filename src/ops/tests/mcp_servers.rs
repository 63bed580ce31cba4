//! MCP servers of the user's: what is attached, passed and noted, and when that is out of date.

use std::path::Path;

use super::world::World;
use super::*;
use crate::domain::group::GroupPath;
use crate::domain::mcp_servers::Attaching;
use crate::domain::mcp_servers::{Change, Definition, SetFile, Source};
use crate::ops::mcp_servers::{Deed, McpState, Place, change, restart_if_idle};
use crate::ports::Host as _;

fn stdio(command: &str) -> Definition {
    Definition { command: command.into(), ..Definition::default() }
}

/// A deck with two servers.
fn world() -> World {
    let w = World::new();
    let mut catalogue = w.mcp_servers.0.lock().unwrap();
    catalogue.servers.insert("memory".into(), stdio("mem"));
    catalogue.servers.insert("fetch".into(), stdio("fetch"));
    catalogue.sets.insert("web".into(), vec!["fetch".into()]);
    drop(catalogue);
    w
}

fn attach(w: &World, place: &Place, names: &[&str]) -> OpResult<bool> {
    let names: Vec<String> = names.iter().map(|n| (*n).to_owned()).collect();
    change(&w.cx, place, &names, Deed::Attach(Attaching::default()))
}

fn detach(w: &World, place: &Place, name: &str) -> OpResult<bool> {
    change(&w.cx, place, &[name.to_owned()], Deed::Detach)
}

/// What a session would have now, looked at after the files' time is over.
fn state(w: &mut World, id: &SessionId) -> McpState {
    w.clock.pass(6);
    w.watcher.tick(&w.cx).unwrap().state(id).unwrap().mcp.clone()
}

fn words(state: &McpState) -> Vec<String> {
    state.changes().iter().map(Change::word).collect()
}

#[test]
fn what_is_attached_is_passed_and_noted_at_the_start() {
    let mut w = world();
    let id = w.add("api");
    assert_eq!(state(&mut w, &id), McpState::Known(Vec::new()));
    assert!(attach(&w, &Place::Session(id.clone()), &["memory"]).unwrap());
    assert!(!attach(&w, &Place::Session(id.clone()), &["memory"]).unwrap(), "it is already");
    assert_eq!(words(&state(&mut w, &id)), ["+memory"]);
    restart(&w.cx, &id, false).unwrap();
    let session = w.cx.session(&id).unwrap();
    assert_eq!(session.loaded_mcps, ["memory"]);
    assert_eq!(session.loaded_mcp_state.unwrap()[0].source, Source::Deck);
    assert_eq!(state(&mut w, &id), McpState::Known(Vec::new()));
    let set = Path::new("mcp").join(format!("{id}-set.json"));
    let set = SetFile::parse(&w.host.written.lock().unwrap()[&set]).unwrap();
    assert_eq!((set.session.as_str(), set.project.as_str()), (id.as_str(), "/src"));
    assert_eq!(set.servers["memory"], stdio("mem"));
}

#[test]
fn what_the_settings_say_later_is_a_difference() {
    let mut w = world();
    let id = w.add("api");
    attach(&w, &Place::Session(id.clone()), &["memory"]).unwrap();
    restart(&w.cx, &id, false).unwrap();
    w.mcp_servers.0.lock().unwrap().servers.insert("memory".into(), stdio("other"));
    assert_eq!(words(&state(&mut w, &id)), ["~memory"]);
    w.mcp_servers.0.lock().unwrap().servers.insert("memory".into(), stdio("mem"));
    assert_eq!(words(&state(&mut w, &id)), [""; 0], "it is as it was");
    w.mcp_servers.0.lock().unwrap().servers.remove("memory");
    assert_eq!(words(&state(&mut w, &id)), ["-memory"]);
    // A start without it is made, and says so.
    restart(&w.cx, &id, false).unwrap();
    let session = w.cx.session(&id).unwrap();
    assert_eq!((session.loaded_mcps.len(), session.left_out_mcps[0].name.as_str()), (0, "memory"));
    assert_eq!(words(&state(&mut w, &id)), [""; 0]);
    w.mcp_servers.0.lock().unwrap().servers.insert("memory".into(), stdio("mem"));
    assert_eq!(words(&state(&mut w, &id)), ["+memory"], "it is there again");
}

#[test]
fn groups_and_the_default_give_their_sessions_servers() {
    let mut w = world();
    let id = w.add("api");
    let group = Place::Group(GroupPath::parse("work").unwrap());
    attach(&w, &group, &["@web"]).unwrap();
    assert_eq!(words(&state(&mut w, &id)), ["+fetch"]);
    assert!(detach(&w, &Place::Session(id.clone()), "fetch").unwrap());
    assert_eq!(words(&state(&mut w, &id)), [""; 0]);
    w.mcp_servers.0.lock().unwrap().default = vec!["memory".into()];
    assert_eq!(words(&state(&mut w, &id)), ["+memory"]);
    detach(&w, &group, "memory").unwrap();
    assert_eq!(words(&state(&mut w, &id)), [""; 0]);
    detach(&w, &group, "@web").unwrap();
    let own = w.cx.profile.store.load().unwrap().profile.groups[0].mcps.clone();
    assert_eq!((own.attach.len(), own.detach), (0, vec!["memory".to_owned()]));
}

#[test]
fn names_that_there_are_not_are_refused() {
    let w = world();
    let id = w.add("api");
    let place = Place::Session(id.clone());
    let error = attach(&w, &place, &["memory", "memroy"]).unwrap_err();
    assert_eq!(error.to_string(), "no MCP server \"memroy\"");
    assert_eq!(error.hint(), Some(crate::domain::hint::Hint::UseName(vec!["memory".into()])));
    assert_eq!(attach(&w, &place, &["@none"]).unwrap_err().to_string(), "no MCP set \"@none\"");
    assert!(w.cx.session(&id).unwrap().mcps.is_empty(), "nothing is changed");
    let error = detach(&w, &place, "memory").unwrap_err();
    assert_eq!(error.to_string(), "session \"api\" has no MCP server \"memory\"");
    let other =
        create(&w.cx, &New { command: Some("make".into()), ..w.new_session("x") }).unwrap().session.id;
    let error = attach(&w, &Place::Session(other), &["memory"]).unwrap_err();
    assert!(error.to_string().starts_with("deck can't pass MCP servers to session \"x\""), "{error}");
}

#[test]
fn a_session_of_an_older_deck_is_not_known() {
    let mut w = world();
    let id = w.add("api");
    w.cx.change_session(&id, |s| s.loaded_mcp_state = None).unwrap();
    assert_eq!(state(&mut w, &id), McpState::NotKnown);
}

#[test]
fn a_name_of_the_agents_own_files_is_left_to_them() {
    let mut w = world();
    w.host.put(Path::new("/src/.mint.json"), r#"{"servers":{"memory":{"command":"mine"}}}"#).unwrap();
    let id = w.add("api");
    attach(&w, &Place::Session(id.clone()), &["memory"]).unwrap();
    restart(&w.cx, &id, false).unwrap();
    let session = w.cx.session(&id).unwrap();
    assert_eq!(session.loaded_mcp_state.unwrap()[0].source, Source::Project);
    assert!(session.left_out_mcps[0].why.contains("the agent's own files"), "{:?}", session.left_out_mcps);
    assert_eq!(words(&state(&mut w, &id)), [""; 0]);
    w.host
        .put(Path::new("/src/.mint.json"), r#"{ "servers": { "memory": { "command": "mine" } } }"#)
        .unwrap();
    assert_eq!(words(&state(&mut w, &id)), [""; 0], "it means the same");
    w.host.put(Path::new("/src/.mint.json"), r#"{"servers":{"memory":{"command":"changed"}}}"#).unwrap();
    assert_eq!(words(&state(&mut w, &id)), ["~memory"]);
    w.host.put(Path::new("/src/.mint.json"), "{}").unwrap();
    assert_eq!(words(&state(&mut w, &id)), ["+memory", "-memory"], "deck's own takes its place");
}

#[test]
fn only_an_idle_session_is_started_again() {
    let mut w = world();
    let id = w.add("api");
    attach(&w, &Place::Session(id.clone()), &["memory"]).unwrap();
    w.show("api", "working\n");
    w.state(&id);
    let error = restart_if_idle(&w.cx, &id).unwrap_err().to_string();
    assert!(error.ends_with("not idle: it wasn't started again"), "{error}");
    assert!(w.cx.session(&id).unwrap().loaded_mcps.is_empty());
    w.show("api", "> \n");
    (0..10).for_each(|_| drop(w.state(&id)));
    assert_eq!(w.state(&id), "waiting finished");
    restart_if_idle(&w.cx, &id).unwrap();
    assert_eq!(w.cx.session(&id).unwrap().loaded_mcps, ["memory"]);
}
