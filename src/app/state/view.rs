//! What is shown of a profile: which rows, which of them is selected, how far everything is scrolled.

use std::collections::BTreeMap;

use jiff::Timestamp;

use super::{ProfileState, Zoom};
use crate::app::diff::DiffPanel;
use crate::domain::fuzzy::Query;
use crate::domain::id::SessionId;
use crate::domain::session::Session;
use crate::domain::status::StatusFilter;
use crate::domain::tree::{Row, RowKey, rows, with_shells};
use crate::domain::worker::WorkerId;
use crate::ops::shell::ShellsInView;

/// Which sessions of the list are shown.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Filter {
    /// Those that these words fit; empty for all.
    pub words: String,
    /// Only these.
    pub only: Option<StatusFilter>,
}

impl Filter {
    /// Whether everything passes.
    pub fn is_off(&self) -> bool {
        self.words.is_empty() && self.only.is_none()
    }
}

/// Cursor, scrolling and filter.
#[derive(Debug)]
pub struct View {
    /// The visible rows.
    pub rows: Vec<Row>,
    /// The selected row.
    pub cursor: Option<RowKey>,
    /// The first row shown.
    pub offset: usize,
    /// Which sessions are shown.
    pub filter: Filter,
    /// What to select as soon as it has a row.
    pub wanted: Option<RowKey>,
    /// The session whose capture is asked for.
    pub watched: Option<SessionId>,
    /// Whether the shells that no session owns are folded away.
    pub shells_folded: bool,
    /// The shells that are in sight, of which more is asked for.
    pub shells_in_view: ShellsInView,
    /// Of which worker the tab is shown of a session, where that isn't its agent.
    pub tabs: BTreeMap<SessionId, WorkerId>,
    /// How many lines the capture is scrolled back.
    pub scrolled: u32,
    /// Whether list or capture has all the room.
    pub zoom: Zoom,
    /// The width of the list in percent, if the user has chosen one; else the terminal's width decides.
    pub split: Option<u16>,
    /// The session that `next` went to, if nothing was done since.
    pub round: Option<SessionId>,
    /// What changed in the selected session's folder, in place of its capture.
    pub diff: Option<Box<DiffPanel>>,
    /// How often changes were asked for: it tells answers apart.
    pub diffs: u64,
    /// The last press of the mouse, to recognise double clicks.
    pub pressed: Option<(Timestamp, RowKey)>,
}

impl View {
    /// One in which nothing is selected or filtered, with the list this wide.
    pub(super) fn new(split: Option<u16>) -> Self {
        Self {
            rows: Vec::new(),
            cursor: None,
            offset: 0,
            filter: Filter::default(),
            wanted: None,
            watched: None,
            shells_folded: false,
            shells_in_view: ShellsInView::default(),
            tabs: BTreeMap::new(),
            scrolled: 0,
            zoom: Zoom::default(),
            split,
            round: None,
            diff: None,
            diffs: 0,
            pressed: None,
        }
    }

    /// The selected row's place.
    pub(super) fn index(&self) -> Option<usize> {
        let cursor = self.cursor.as_ref()?;
        self.rows.iter().position(|r| r.key() == *cursor)
    }

    /// Lays out the rows again and keeps the selection on what it was on, or next to it.
    pub(super) fn relayout(&mut self, profile: &ProfileState) {
        let (snapshot, facts) = (&profile.snapshot, &profile.facts);
        let before = self.index();
        let query = Query::new(&self.filter.words);
        let only = self.filter.only;
        let keep = |s: &Session| {
            let branch = facts.get(&s.id).and_then(|f| f.branch.as_deref()).unwrap_or_default();
            let asks = snapshot.state(&s.id).and_then(|l| l.verdict.asks.as_deref()).unwrap_or_default();
            let others = [s.project_path.as_str(), s.group_path.as_str(), s.tool.as_str(), branch, asks];
            query.score(&s.title, &others).is_some()
                && only.is_none_or(|f| snapshot.state(&s.id).is_some_and(|l| f.keeps(l.verdict.kind())))
        };
        let is_filtered = !self.filter.is_off();
        // A shell has no status of a session.
        let shells = if only.is_some() {
            Vec::new()
        } else {
            profile.shells.nodes(&snapshot.profile, &self.filter.words)
        };
        let sessions = rows(&snapshot.profile, is_filtered, keep);
        self.rows = with_shells(sessions, &shells, is_filtered || !self.shells_folded);
        if let Some(key) = self.wanted.take() {
            let has_row = |rows: &[Row]| rows.iter().any(|r| r.key() == key);
            if !has_row(&self.rows) && is_filtered && exists(profile, &key) {
                self.filter = Filter::default();
                let shells = profile.shells.nodes(&snapshot.profile, "");
                let sessions = rows(&snapshot.profile, false, |_| true);
                self.rows = with_shells(sessions, &shells, !self.shells_folded);
            }
            // What is not there yet, or in a folded group, will be.
            if has_row(&self.rows) {
                self.cursor = Some(key);
            } else {
                self.wanted = Some(key);
            }
        }
        let there = self.cursor.as_ref().is_some_and(|c| self.rows.iter().any(|r| r.key() == *c));
        if !there {
            let at = before.unwrap_or_else(|| self.first_session()).min(self.rows.len().saturating_sub(1));
            self.cursor = self.rows.get(at).map(Row::key);
        }
    }

    fn first_session(&self) -> usize {
        self.rows.iter().position(|r| matches!(r, Row::Session(_))).unwrap_or(0)
    }
}

/// Whether there is what a row would show.
fn exists(state: &ProfileState, key: &RowKey) -> bool {
    let profile = &state.snapshot.profile;
    match key {
        RowKey::Session(id) => profile.session(id).is_some_and(Session::is_live),
        RowKey::Group(path) => profile.group(path).is_some(),
        RowKey::Shell(id) => state.shells.get(id).is_some(),
        RowKey::Shells => !state.shells.all().is_empty(),
    }
}
