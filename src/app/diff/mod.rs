//! The panel that shows what changed in a session's folder, in place of its capture.
//!
//! Invariants: it is about one session, and closes when another one is selected; an answer to an older request is
//! dropped; reading again keeps the place; comments stay until they are sent or emptied.

mod commands;
mod layout;
mod mouse;
mod read;
mod rows;

pub use commands::{COMMANDS, SECTION, footer};
pub use layout::parts;
pub use rows::{Row, shown_text};

pub(super) use commands::type_comment;
pub(super) use mouse::take as mouse;
pub(super) use read::{moved, open, open_against, take};

use super::dialogs::Editor;
use super::effect::Effect;
use super::state::Model;
use crate::domain::diff::{Against, Comment, Diff, FileDiff, message};
use crate::domain::id::SessionId;
use crate::ports::git::Lines;
use jiff::Timestamp;

/// From N columns on a terminal has room for two columns of code.
pub const ROOM_FOR_TWO: u16 = 140;

/// The panel.
#[derive(Debug)]
pub struct DiffPanel {
    /// The session.
    pub session: SessionId,
    /// What its folder is compared with.
    pub against: Against,
    /// What was read, or why it can't be; none before the first answer.
    pub result: Option<Result<Diff, String>>,
    /// The chosen file.
    pub file: usize,
    /// What is shown of it.
    pub rows: Vec<Row>,
    /// The chosen row.
    pub cursor: usize,
    /// The first row shown.
    pub top: usize,
    /// How many cells are scrolled off at the left.
    pub left: usize,
    /// Whether old and new lines are side by side, as far as there is room.
    pub split: bool,
    /// The comment that is being written.
    pub writing: Option<Writing>,
    /// What was asked for and isn't answered yet: its number, which lines, and when.
    asked: Option<(u64, Lines, Timestamp)>,
    /// Whether something moved since that was asked.
    again: bool,
    /// Whether what is shown may be out of date: reading takes too long to be done at every change.
    pub is_stale: bool,
    /// Whether the last reading took long.
    is_slow: bool,
}

/// A comment that is being written.
#[derive(Debug)]
pub struct Writing {
    /// What it is on, with the text it had.
    pub comment: Comment,
    /// Its text.
    pub editor: Editor,
}

impl DiffPanel {
    fn new(session: SessionId, against: Against) -> Self {
        Self {
            session,
            against,
            result: None,
            file: 0,
            rows: Vec::new(),
            cursor: 0,
            top: 0,
            left: 0,
            split: false,
            writing: None,
            asked: None,
            again: false,
            is_stale: false,
            is_slow: false,
        }
    }

    /// The files.
    pub fn files(&self) -> &[FileDiff] {
        match &self.result {
            Some(Ok(diff)) => &diff.files,
            _ => &[],
        }
    }

    /// The chosen file.
    pub fn chosen(&self) -> Option<&FileDiff> {
        self.files().get(self.file)
    }

    /// Whether an answer is awaited.
    pub const fn is_reading(&self) -> bool {
        self.asked.is_some()
    }

    /// What it is compared with, in words.
    pub fn base(&self) -> String {
        match (&self.result, &self.against) {
            (Some(Ok(diff)), Against::Branch | Against::Left(_)) => {
                let commit = diff.base.commit.as_deref().and_then(|c| c.get(..8));
                commit.map_or_else(|| diff.base.name.clone(), |c| format!("{} at {c}", diff.base.name))
            }
            (Some(Ok(diff)), _) => diff.base.name.clone(),
            (_, Against::Head) => "HEAD".to_owned(),
            (_, Against::Branch) => "the branch it came from".to_owned(),
            (_, Against::Index) => "the index".to_owned(),
            (_, Against::Commit(name) | Against::Left(name)) => name.clone(),
        }
    }
}

impl Model {
    /// The panel, if it is open.
    pub fn diff(&self) -> Option<&DiffPanel> {
        self.view.diff.as_deref()
    }

    /// Whether the panel takes the place of list and preview, since it needs the room.
    pub fn diff_fills(&self) -> bool {
        self.diff().is_some_and(|p| self.layout() != super::state::Layout::Wide || self.is_split(p))
    }

    /// Whether old and new lines are side by side.
    pub const fn is_split(&self, panel: &DiffPanel) -> bool {
        panel.split && self.app.size.0 >= ROOM_FOR_TWO
    }

    /// The comments on the changes of a session.
    pub fn comments(&self, session: &SessionId) -> &[Comment] {
        self.app.comments.get(session).map_or(&[], Vec::as_slice)
    }
}

/// Changes the panel, and lays out its rows again if asked to.
fn with(model: &mut Model, rows: bool, act: impl FnOnce(&mut DiffPanel, &Model)) {
    let Some(mut panel) = model.view.diff.take() else { return };
    act(&mut panel, model);
    if rows {
        let split = model.is_split(&panel);
        panel.rows = rows::of(&panel, split, model.comments(&panel.session));
    }
    panel.cursor = panel.cursor.min(panel.rows.len().saturating_sub(1));
    model.view.diff = Some(panel);
    // How much room there is depends on what the panel shows.
    let height = model.diff().map_or(1, |p| usize::from(parts(model, p).body.height).max(1));
    if let Some(panel) = &mut model.view.diff {
        panel.top = panel.top.clamp((panel.cursor + 1).saturating_sub(height), panel.cursor);
        panel.top = panel.top.min(panel.rows.len().saturating_sub(height));
    }
}

/// Closes the panel.
pub(super) fn close(model: &mut Model) -> Vec<Effect> {
    if model.view.diff.take().is_some() { vec![Effect::StopDiff] } else { Vec::new() }
}

/// Closes the panel if another session is selected.
pub(super) fn check(model: &mut Model) -> Vec<Effect> {
    let is_here = model.diff().is_none_or(|p| model.selected() == Some(&p.session));
    if is_here { Vec::new() } else { close(model) }
}

/// Lays the panel out again in a terminal of another size.
pub(super) fn resized(model: &mut Model) {
    with(model, true, |_, _| {});
}

/// Takes a paste into the comment that is being written.
pub(super) fn paste(model: &mut Model, text: &str) {
    with(model, false, |panel, _| {
        if let Some(writing) = &mut panel.writing {
            let is_text = |c: &char| matches!(c, '\n' | '\t') || !c.is_control();
            writing.editor.insert(&text.chars().filter(is_text).collect::<String>());
        }
    });
}

/// Forgets comments that are on their way to their session.
pub(super) fn sent(model: &mut Model, effects: &[Effect]) {
    for effect in effects {
        let Effect::Send(id, text, _) = effect else { continue };
        if message(model.comments(id)) == *text {
            model.app.comments.remove(id);
            with(model, true, |_, _| {});
        }
    }
}
