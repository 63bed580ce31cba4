//! All that the TUI shows, as one value, divided by how long each part lives.
//!
//! Invariants: what belongs to the user is in [`AppState`] and lives as long as deck does; what belongs to a
//! profile is in [`ProfileState`], and what is shown of it in [`View`]: both are replaced when the user
//! goes to another profile. The topmost dialog has the keys; without one, [`Mode`] says who has them.

mod app;
mod layout;
mod messages;
mod mode;
mod profile;
mod settings;
mod shells;
mod view;

pub use app::AppState;
pub use layout::{Layout, Zoom, layout_of};
pub use messages::Toast;
pub use mode::Mode;
pub use profile::ProfileState;
pub use settings::{Settings, Switch, SwitchDoes, ToolInfo};
pub use shells::Shells;
pub use view::{Filter, View};

use std::sync::Arc;

use super::dialogs::Dialog;
use crate::domain::group::GroupPath;
use crate::domain::id::{ProfileName, SessionId};
use crate::domain::profile::Profile;
use crate::domain::session::Session;
use crate::domain::status::{Status, StatusKind};
use crate::domain::tree::RowKey;
use crate::ops::{SessionState, Snapshot};
use crate::ports::mux::ScreenCapture;

#[derive(Debug)]
pub struct Model {
    /// What lives as long as deck.
    pub app: AppState,
    /// The profile that is shown.
    pub profile: ProfileState,
    /// What is shown of it.
    pub view: View,
    /// Who has the keys while no dialog is open.
    pub mode: Mode,
    /// Dialogs, the topmost last.
    pub dialogs: Vec<Box<dyn Dialog>>,
}

impl Model {
    /// A model that knows what is on disk.
    pub fn new(settings: Arc<Settings>, profile: ProfileName, snapshot: Snapshot, size: (u16, u16)) -> Self {
        let view = View::new(settings.split);
        let app = AppState::new(settings, size, snapshot.at);
        let profile = ProfileState::new(profile, snapshot);
        let mut model = Self { app, profile, view, mode: Mode::default(), dialogs: Vec::new() };
        model.open_profile();
        model
    }

    /// Goes to another profile. What belongs to the user, whichever profile they are in, stays.
    pub fn switch_profile(&mut self, name: ProfileName, snapshot: Snapshot) {
        self.profile = ProfileState::new(name, snapshot);
        self.view = View::new(self.app.settings.split);
        self.mode = Mode::default();
        self.dialogs.clear();
        self.app.receipts.clear();
        self.open_profile();
    }

    /// Shows what there is to say about the profile's file, and lays out its rows.
    fn open_profile(&mut self) {
        self.app.messages.open_with(self.profile.snapshot.recovered.clone());
        self.relayout();
    }

    /// Lays out the rows again and keeps the selection on what it was on, or next to it.
    pub fn relayout(&mut self) {
        self.view.relayout(&self.profile);
    }

    /// The profile as it is on disk: its sessions and groups.
    pub fn record(&self) -> &Arc<Profile> {
        &self.profile.snapshot.profile
    }

    /// The selected row's place.
    pub fn index(&self) -> Option<usize> {
        self.view.index()
    }

    pub fn selected(&self) -> Option<&SessionId> {
        match self.view.cursor.as_ref()? {
            RowKey::Session(id) => Some(id),
            RowKey::Group(_) | RowKey::Shell(_) | RowKey::Shells => None,
        }
    }

    /// The selected session.
    pub fn session(&self) -> Option<&Session> {
        self.record().session(self.selected()?)
    }

    /// The selected group.
    pub fn group(&self) -> Option<&GroupPath> {
        match self.view.cursor.as_ref()? {
            RowKey::Group(path) => Some(path),
            RowKey::Session(_) | RowKey::Shell(_) | RowKey::Shells => None,
        }
    }

    /// The group that the selection is in or on.
    pub fn here(&self) -> GroupPath {
        match (self.group(), self.session().or_else(|| self.shell_owner())) {
            (Some(path), _) => path.clone(),
            (_, Some(session)) => session.group_path.clone(),
            _ => GroupPath::root(),
        }
    }

    /// What is known of a session.
    pub fn state(&self, id: &SessionId) -> Option<&SessionState> {
        self.profile.snapshot.state(id)
    }

    /// A session's status; none before the first poll.
    pub fn status(&self, id: &SessionId) -> Option<Status> {
        self.state(id).map(|l| l.verdict.status)
    }

    /// The capture of the selected session, or of its terminal that is shown, never of another.
    pub fn capture(&self) -> Option<&ScreenCapture> {
        let terminal = self.terminal().and_then(|listed| listed.record.as_ref()).map(|record| &record.id);
        self.profile.capture(self.selected()?, terminal)
    }

    /// Sessions that need their user, in the order in which they do.
    pub fn attention(&self) -> Vec<(&Session, &SessionState)> {
        crate::ops::needy(&self.profile.snapshot)
    }

    /// How many sessions are of a kind.
    pub fn count(&self, kind: StatusKind) -> usize {
        self.profile.snapshot.states.values().filter(|l| l.verdict.kind() == kind).count()
    }

    /// The glyph of a kind of sessions, in the characters that are shown.
    pub fn glyph(&self, kind: StatusKind) -> &'static str {
        if self.app.settings.ascii { kind.ascii() } else { kind.glyph() }
    }

    /// Whether the user is in the middle of nothing: what comes by itself may move the selection, or open a dialog.
    pub fn is_free(&self) -> bool {
        self.dialogs.is_empty() && self.mode == Mode::default() && self.view.diff.is_none()
    }

    /// Whether something shown ages by the second.
    pub fn moves(&self) -> bool {
        self.app.messages.fades()
            || !self.app.working.is_empty()
            || self.dialogs.last().is_some_and(|dialog| dialog.ages())
            || self.profile.moves()
    }

    pub const fn layout(&self) -> Layout {
        layout_of(self.app.size.0, self.app.size.1)
    }

    /// Shows a message.
    pub fn notify(&mut self, text: impl Into<String>) {
        self.app.messages.show(Toast { text: text.into(), is_error: false }, self.app.now);
    }

    /// Shows an error.
    pub fn notify_error(&mut self, text: impl Into<String>) {
        self.app.messages.show(Toast { text: text.into(), is_error: true }, self.app.now);
    }

    /// Keeps an error among the past messages, without showing it.
    pub fn log_error(&mut self, text: impl Into<String>) {
        self.app.messages.log_error(text.into(), self.app.now);
    }

    /// Shows something about the key just pressed, which nobody needs to read again.
    pub fn flash(&mut self, text: impl Into<String>) {
        self.app.messages.flash(text.into());
    }
}
