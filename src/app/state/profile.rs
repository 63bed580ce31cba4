//! What is known of the profile that is shown. Another profile has another one of these.

use std::collections::{BTreeMap, BTreeSet};

use super::Shells;
use crate::app::questions::Questions;
use crate::app::revival::Banner;
use crate::domain::id::{ProfileName, SessionId};
use crate::domain::worker::WorkerId;
use crate::ops::{PreviewHeader, RowFacts, Snapshot};
use crate::ports::mux::ScreenCapture;

/// How many sessions' captures are remembered.
const CAPTURES: usize = 40;

/// One profile: its sessions, and what is being done to them.
#[derive(Debug)]
pub struct ProfileState {
    pub name: ProfileName,
    /// The sessions.
    pub snapshot: Snapshot,
    /// Whether the server has been asked yet.
    pub looked: bool,
    /// Why the sessions could not be polled.
    pub trouble: Option<String>,
    /// Captures of sessions, newest last.
    pub captures: Vec<(SessionId, Option<WorkerId>, ScreenCapture)>,
    /// What is above the captures.
    pub headings: BTreeMap<SessionId, PreviewHeader>,
    /// What rows show beside a status.
    pub facts: BTreeMap<SessionId, RowFacts>,
    /// Lines added and removed in sessions' folders since the last commit.
    pub changes: BTreeMap<SessionId, Option<(usize, usize)>>,
    /// The headless shells.
    pub shells: Shells,
    /// What sessions ask, and since when that is shown.
    pub questions: Questions,
    pub marked: BTreeSet<SessionId>,
    /// The line above the list that offers to restart what was lost.
    pub banner: Banner,
    /// The order of all sessions before they were sorted last.
    pub arranged: Option<Vec<SessionId>>,
}

impl ProfileState {
    pub(super) fn new(name: ProfileName, snapshot: Snapshot) -> Self {
        Self {
            name,
            snapshot,
            looked: false,
            trouble: None,
            captures: Vec::new(),
            headings: BTreeMap::new(),
            facts: BTreeMap::new(),
            changes: BTreeMap::new(),
            shells: Shells::default(),
            questions: Questions::default(),
            marked: BTreeSet::new(),
            banner: Banner::Off,
            arranged: None,
        }
    }

    /// The capture of a session's agent, or of a terminal beside it.
    pub(super) fn capture(&self, id: &SessionId, worker: Option<&WorkerId>) -> Option<&ScreenCapture> {
        let is_it = |of: &SessionId, tab: &Option<WorkerId>| of == id && tab.as_ref() == worker;
        self.captures.iter().find(|(of, tab, _)| is_it(of, tab)).map(|(_, _, capture)| capture)
    }

    pub fn remember(&mut self, id: SessionId, worker: Option<WorkerId>, capture: ScreenCapture) {
        self.captures.retain(|(of, tab, _)| *of != id || *tab != worker);
        self.captures.push((id, worker, capture));
        if self.captures.len() > CAPTURES {
            self.captures.remove(0);
        }
    }

    /// Whether something of it that is shown ages by the second.
    pub(super) fn moves(&self) -> bool {
        self.questions.any_rests()
            || self.shells.any_runs()
            || self.snapshot.states.values().any(|l| l.verdict.status.is_live())
    }
}
