//! All that the TUI shows, as one value.

use std::collections::{BTreeMap, BTreeSet};
use std::path::PathBuf;
use std::sync::Arc;

use jiff::Timestamp;

use super::dialogs::{Dialog, Setting};
use super::drag::Drag;
use super::key::Key;
use super::keymap::Keymap;
use super::pass_through::PassThrough;
use super::questions::Questions;
use super::revival::Revival;
use crate::domain::fuzzy::Query;
use crate::domain::group::GroupPath;
use crate::domain::id::{ProfileName, SessionId};
use crate::domain::session::Session;
use crate::domain::status::Status;
use crate::domain::tree::{Row, RowKey, rows};
use crate::ops::{PreviewHeader, SessionState, Snapshot};
use crate::ports::mux::ScreenCapture;

/// How many sessions' captures are remembered.
const PICTURES: usize = 40;

/// How long words that are no error stay, at least.
const READ: jiff::SignedDuration = jiff::SignedDuration::from_secs(8);
/// How many messages of deck's are kept.
const LOGGED: usize = 500;
/// How many sent messages are kept.
const SENT: usize = 100;

/// A tool as the new-session form offers it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ToolInfo {
    /// Its name.
    pub name: String,
    /// Its name for people.
    pub title: String,
    /// Whether its program was found.
    pub found: bool,
    /// Its switches: words and arguments.
    pub options: Vec<(String, Vec<String>)>,
}

/// What doesn't change while deck runs.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Settings {
    /// The user's home.
    pub home: Option<String>,
    /// The folder deck was opened in.
    pub cwd: PathBuf,
    /// Plain letters in place of status glyphs.
    pub ascii: bool,
    /// Width of the list in percent of a wide terminal.
    pub split: u16,
    /// The tool used where none is named.
    pub default_tool: String,
    /// The tools, in the order in which they are offered.
    pub tools: Vec<ToolInfo>,
    /// Every setting, for the list of them.
    pub all: Vec<Setting>,
}

/// A message to the user.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Toast {
    /// The words.
    pub text: String,
    /// Whether it is an error.
    pub is_error: bool,
}

/// What is looked for in the list.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Find {
    /// The words; empty for none.
    pub words: String,
    /// Whether keys are typed into it.
    pub pass_through: bool,
    /// Only this status.
    pub status: Option<Status>,
}

impl Find {
    /// Whether everything passes.
    pub fn is_off(&self) -> bool {
        self.words.is_empty() && self.status.is_none()
    }
}

/// How the TUI is laid out.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Layout {
    /// Too small for anything.
    Tiny,
    /// The list alone, or the capture alone.
    Narrow,
    /// The capture below the list.
    Medium,
    /// Side by side.
    Wide,
}

/// The layout for a terminal of this size.
pub const fn layout_of(width: u16, height: u16) -> Layout {
    match (width, height) {
        (..40, _) | (_, ..10) => Layout::Tiny,
        (..60, _) | (_, ..18) => Layout::Narrow,
        (..100, _) => Layout::Medium,
        _ => Layout::Wide,
    }
}

/// The model.
#[derive(Debug)]
pub struct Model {
    /// What doesn't change.
    pub settings: Arc<Settings>,
    /// Which keys stand for what.
    pub keymap: Arc<Keymap>,
    /// The profile shown.
    pub profile: ProfileName,
    /// All profiles.
    pub profiles: Vec<ProfileName>,
    /// The sessions.
    pub snapshot: Snapshot,
    /// Whether the server has been asked yet.
    pub looked: bool,
    /// Whether the terminal's window has the focus, as far as it is known.
    pub focused: bool,
    /// The visible rows.
    pub rows: Vec<Row>,
    /// The selected row.
    pub cursor: Option<RowKey>,
    /// The first row shown.
    pub offset: usize,
    /// What is looked for.
    pub find: Find,
    /// The session that keys are typed into.
    pub pass_through: Option<PassThrough>,
    /// How many lines the capture is scrolled back.
    pub scrolled: u32,
    /// Pictures of sessions, newest last.
    pub captures: Vec<(SessionId, ScreenCapture)>,
    /// What is above the captures.
    pub headings: BTreeMap<SessionId, PreviewHeader>,
    /// In a narrow layout: whether the capture is shown in place of the list.
    pub flipped: bool,
    /// The width of the list in percent.
    pub split: u16,
    /// What is dragged with the mouse.
    pub drag: Option<Drag>,
    /// Columns and rows of the terminal.
    pub size: (u16, u16),
    /// The present time.
    pub now: Timestamp,
    /// Dialogs, the topmost last.
    pub dialogs: Vec<Box<dyn Dialog>>,
    /// What sessions ask, and since when that is shown.
    pub questions: Questions,
    /// Keys of a command that is not complete yet.
    pub pending: Vec<Key>,
    /// The last message, until the next key or, if it is not an error, until it was long enough to be read.
    pub toast: Option<Toast>,
    /// The first tick of the clock that it was seen at.
    pub toast_seen: Option<Timestamp>,
    /// Sessions that something is being done to: what, and since when.
    pub working: BTreeMap<SessionId, (&'static str, Timestamp)>,
    /// Versions of the tools, as far as they were asked for.
    pub versions: BTreeMap<String, String>,
    /// Sessions that are marked.
    pub marked: BTreeSet<SessionId>,
    /// What was written and not sent yet, by the sessions that it is for: nobody else gets it.
    pub drafts: BTreeMap<Vec<SessionId>, String>,
    /// The receipts of what was sent last.
    pub receipts: Vec<String>,
    /// What was sent, oldest first.
    pub sent: Vec<String>,
    /// The commands that were run from the palette, by their ids, the last one first.
    pub recent: Vec<&'static str>,
    /// Past messages, with their times.
    pub log: Vec<(Timestamp, Toast)>,
    /// The order of all sessions before they were sorted last.
    pub arranged: Option<Vec<SessionId>>,
    /// Sessions that are being brought back.
    pub revival: Option<Revival>,
    /// The last press of the mouse, to recognise double clicks.
    pub pressed: Option<(Timestamp, RowKey)>,
    /// The session whose capture is asked for.
    pub watched: Option<SessionId>,
    /// Why the sessions could not be looked at.
    pub trouble: Option<String>,
    /// A session to select as soon as it exists.
    pub wanted: Option<SessionId>,
}

impl Model {
    /// A model that knows what is on disk.
    pub fn new(settings: Arc<Settings>, profile: ProfileName, snapshot: Snapshot, size: (u16, u16)) -> Self {
        let toast = snapshot.recovered.clone().map(|text| Toast { text, is_error: true });
        let mut model = Self {
            split: settings.split.clamp(20, 80),
            settings,
            keymap: Arc::default(),
            profile,
            profiles: Vec::new(),
            now: snapshot.at,
            snapshot,
            looked: false,
            focused: true,
            rows: Vec::new(),
            cursor: None,
            offset: 0,
            find: Find::default(),
            pass_through: None,
            scrolled: 0,
            captures: Vec::new(),
            headings: BTreeMap::new(),
            flipped: false,
            drag: None,
            size,
            dialogs: Vec::new(),
            questions: Questions::default(),
            pending: Vec::new(),
            toast,
            toast_seen: None,
            working: BTreeMap::new(),
            versions: BTreeMap::new(),
            marked: BTreeSet::new(),
            drafts: BTreeMap::new(),
            receipts: Vec::new(),
            sent: Vec::new(),
            recent: Vec::new(),
            log: Vec::new(),
            arranged: None,
            revival: None,
            pressed: None,
            watched: None,
            trouble: None,
            wanted: None,
        };
        model.relayout();
        model
    }

    /// The model of another profile. What belongs to the user, whichever profile they are in, is kept.
    #[must_use]
    pub fn in_profile(&mut self, profile: ProfileName, snapshot: Snapshot) -> Self {
        let mut other = Self::new(self.settings.clone(), profile, snapshot, self.size);
        other.keymap = self.keymap.clone();
        (other.focused, other.split, other.now) = (self.focused, self.split, self.now);
        other.log = std::mem::take(&mut self.log);
        other.sent = std::mem::take(&mut self.sent);
        other.recent = std::mem::take(&mut self.recent);
        // Drafts are kept by session: no other profile shows them, and they are there when the user comes back.
        other.drafts = std::mem::take(&mut self.drafts);
        other.versions = std::mem::take(&mut self.versions);
        other
    }

    /// Lays out the rows again and keeps the selection on what it was on, or next to it.
    pub fn relayout(&mut self) {
        let before = self.index();
        let query = Query::new(&self.find.words);
        let status = self.find.status;
        let snapshot = &self.snapshot;
        let keep = |s: &Session| {
            let others = [s.project_path.as_str(), s.group_path.as_str(), s.tool.as_str()];
            query.score(&s.title, &others).is_some()
                && status.is_none_or(|st| snapshot.state(&s.id).is_some_and(|l| l.verdict.status == st))
        };
        self.rows = rows(&snapshot.profile, !self.find.is_off(), keep);
        if let Some(id) = self.wanted.clone() {
            let key = RowKey::Session(id);
            if self.rows.iter().any(|r| r.key() == key) {
                self.cursor = Some(key);
                self.wanted = None;
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

    /// The selected row's place.
    pub fn index(&self) -> Option<usize> {
        let cursor = self.cursor.as_ref()?;
        self.rows.iter().position(|r| r.key() == *cursor)
    }

    /// The selected session's id.
    pub fn selected(&self) -> Option<&SessionId> {
        match self.cursor.as_ref()? {
            RowKey::Session(id) => Some(id),
            RowKey::Group(_) => None,
        }
    }

    /// The selected session.
    pub fn session(&self) -> Option<&Session> {
        self.snapshot.profile.session(self.selected()?)
    }

    /// The selected group.
    pub fn group(&self) -> Option<&GroupPath> {
        match self.cursor.as_ref()? {
            RowKey::Group(path) => Some(path),
            RowKey::Session(_) => None,
        }
    }

    /// The group that the selection is in or on.
    pub fn here(&self) -> GroupPath {
        match (self.group(), self.session()) {
            (Some(path), _) => path.clone(),
            (_, Some(session)) => session.group_path.clone(),
            _ => GroupPath::root(),
        }
    }

    /// What is known of a session.
    pub fn state(&self, id: &SessionId) -> Option<&SessionState> {
        self.snapshot.state(id)
    }

    /// A session's status; none while nobody has looked yet.
    pub fn status(&self, id: &SessionId) -> Option<Status> {
        self.state(id).map(|l| l.verdict.status)
    }

    /// The capture of the selected session, never of another.
    pub fn capture(&self) -> Option<&ScreenCapture> {
        let id = self.selected()?;
        self.captures.iter().find(|(of, _)| of == id).map(|(_, p)| p)
    }

    /// Remembers a session's capture.
    pub fn remember(&mut self, id: SessionId, capture: ScreenCapture) {
        self.captures.retain(|(of, _)| *of != id);
        self.captures.push((id, capture));
        if self.captures.len() > PICTURES {
            self.captures.remove(0);
        }
    }

    /// Sessions that need their user, in the order in which they do.
    pub fn attention(&self) -> Vec<(&Session, &SessionState)> {
        crate::ops::needy(&self.snapshot)
    }

    /// How many sessions have a status.
    pub fn count(&self, status: Status) -> usize {
        self.snapshot.states.values().filter(|l| l.verdict.status == status).count()
    }

    /// Whether something shown ages by the second.
    pub fn moves(&self) -> bool {
        !self.working.is_empty()
            || self.questions.any_rests(self.now)
            || self.toast.as_ref().is_some_and(|t| !t.is_error)
            || self.snapshot.states.values().any(|l| l.verdict.status.is_live())
    }

    /// The layout.
    pub const fn layout(&self) -> Layout {
        layout_of(self.size.0, self.size.1)
    }

    /// Shows a message.
    pub fn notify(&mut self, text: impl Into<String>) {
        self.show(Toast { text: text.into(), is_error: false });
    }

    /// Shows an error.
    pub fn notify_error(&mut self, text: impl Into<String>) {
        self.show(Toast { text: text.into(), is_error: true });
    }

    /// Shows something about the key just pressed, which nobody needs to read again.
    pub fn flash(&mut self, text: impl Into<String>) {
        (self.toast, self.toast_seen) = (Some(Toast { text: text.into(), is_error: false }), None);
    }

    /// Clears what was shown long enough to be read. An error stays until a key is pressed.
    pub(super) fn fade_toast(&mut self) {
        if self.toast.as_ref().is_none_or(|t| t.is_error) {
            return;
        }
        let seen = *self.toast_seen.get_or_insert(self.now);
        if self.now.duration_since(seen) >= READ {
            (self.toast, self.toast_seen) = (None, None);
        }
    }

    /// Keeps words in the log alone.
    pub(super) fn log_only(&mut self, text: &str) {
        self.keep_in_log(Toast { text: text.to_owned(), is_error: false });
    }

    fn keep_in_log(&mut self, toast: Toast) {
        if self.log.len() >= LOGGED {
            self.log.remove(0);
        }
        self.log.push((self.now, toast));
    }

    fn show(&mut self, toast: Toast) {
        self.keep_in_log(toast.clone());
        (self.toast, self.toast_seen) = (Some(toast), None);
    }

    /// Keeps what was written for these sessions and not sent; nothing but blanks is not worth it.
    pub fn keep_draft(&mut self, to: Vec<SessionId>, text: String) {
        if text.trim().is_empty() {
            self.drafts.remove(&to);
        } else {
            self.drafts.insert(to, text);
        }
    }

    /// Remembers what was sent.
    pub fn note_sent(&mut self, text: &str) {
        self.receipts.clear();
        self.sent.retain(|t| t != text);
        if self.sent.len() >= SENT {
            self.sent.remove(0);
        }
        self.sent.push(text.to_owned());
    }
}
