//! Worktrees for sessions, on a git in memory: what is recorded before git is asked, and what needs consent.

use std::path::Path;
use std::sync::Arc;

use super::world::World;
use super::*;
use crate::domain::place::SetupState;
use crate::ops::worktree::{Consented, PlaceError, WorktreeWish};
use crate::ports::fake::FakeGit;

fn world(file: Option<&str>) -> World {
    let git = FakeGit::at("/src");
    if let Some(text) = file {
        git.files.lock().unwrap().insert(".deck.toml".into(), text.into());
    }
    let w = World::new();
    let installation = Installation { location: "sibling".into(), ..(*w.cx.installation).clone() };
    let cx = Cx { git: Arc::new(git), installation: Arc::new(installation), ..w.cx.clone() };
    World { cx, ..w }
}

fn new(w: &World, branch: &str) -> New {
    New { worktree: Some(WorktreeWish::of(branch)), ..w.new_session(branch) }
}

#[test]
fn a_plan_changes_nothing() {
    let w = world(None);
    let prepared = prepare(&w.cx, &new(&w, "feat")).unwrap();
    let plan = prepared.worktree.unwrap();
    assert_eq!((plan.path.as_path(), plan.base.as_deref()), (Path::new("/src-worktrees/feat"), Some("main")));
    let profile = w.store.0.lock().unwrap().clone();
    assert!(profile.sessions.is_empty() && profile.repositories.is_empty());
    assert_eq!(w.cx.git.worktrees(Path::new("/src"), &|| false).unwrap().len(), 1);
}

#[test]
fn the_worktree_is_made_and_its_session_works_there() {
    let w = world(None);
    let session = create(&w.cx, &new(&w, "feat")).unwrap().session;
    assert_eq!(session.project_path, "/src-worktrees/feat");
    let place = session.place.unwrap();
    assert!(place.made && place.pending.is_none() && place.setup == SetupState::None);
    let profile = w.store.0.lock().unwrap().clone();
    assert_eq!(profile.repositories[0].id, place.repository_id);
    assert_eq!(w.cx.git.worktrees(Path::new("/src"), &|| false).unwrap()[1].branch.as_deref(), Some("feat"));
}

#[test]
fn what_a_repository_brings_needs_consent_to_just_that() {
    let w = world(Some("setup = ['make']\n"));
    let error = create(&w.cx, &new(&w, "feat")).unwrap_err();
    let OpError::Place(PlaceError::Consent { content, can_ask: true, .. }) = error else { panic!("{error}") };
    assert!(w.store.0.lock().unwrap().sessions.is_empty());
    let other = Consented { sha256: "0".repeat(64), always: false };
    assert!(create(&w.cx, &new(&w, "feat").allowing(other)).is_err());
    let given = Consented { sha256: content.sha256(), always: false };
    let inside = Caller { inside: Some(SessionId::new("x")), ..Caller::default() };
    let inside = Cx { caller: Arc::new(inside), ..w.cx.clone() };
    let error = create(&inside, &new(&w, "feat").allowing(given.clone())).unwrap_err();
    assert!(matches!(error, OpError::Place(PlaceError::Consent { can_ask: false, .. })), "{error}");
    assert!(create(&w.cx, &new(&w, "feat").allowing(given)).is_ok());
}
