//! What is shown of each profile, kept for the next deck: soon after it changes, however deck ends.

use std::path::Path;
use std::time::Duration;

use tokio::task::JoinHandle;
use tokio::time::Instant;

use super::Program;
use crate::app::{self, Model};
use crate::config::Paths;
use crate::domain::group::GroupPath;
use crate::domain::id::ProfileName;
use crate::domain::kept_view::KeptView;
use crate::domain::status::StatusFilter;
use crate::domain::tree::RowKey;
use crate::sys::files;

/// How long what is shown must have stayed before it is kept: nobody needs each row that was passed.
const REST: Duration = Duration::from_millis(500);

/// What was kept last, and when what changed since is to be.
#[derive(Debug, Default)]
pub(super) struct Kept {
    view: KeptView,
    due: Option<Instant>,
    /// Whether the kept filter was applied.
    is_filtered: bool,
    /// What is being written: a later one waits for it.
    writing: Option<JoinHandle<()>>,
}

impl Kept {
    /// What a profile's file holds.
    pub fn read(paths: &Paths, profile: &ProfileName) -> Self {
        let text = files::read_text(&paths.view(profile), files::MAX_BYTES).unwrap_or_default();
        Self { view: KeptView::parse(&text), due: None, is_filtered: false, writing: None }
    }

    /// When something is to be kept, if it is.
    pub fn due(&self) -> Option<Instant> {
        self.due
    }

    /// Shows the model's profile as the last deck did, as far as that still exists.
    pub fn restore(&self, model: &mut Model) {
        let kept = &self.view;
        model.view.split = kept.split.or(model.view.split);
        let group = kept.group.as_deref().and_then(|path| GroupPath::parse(path).ok()).map(RowKey::Group);
        let cursor = kept.session.clone().map(RowKey::Session).or(group);
        model.view.cursor = cursor.or(model.view.cursor.take());
        model.view.shells_folded = kept.shells_folded;
        // It is known only once the shells were looked at.
        model.view.wanted = kept.shell.clone().map(RowKey::Shell).or(model.view.wanted.take());
        model.relayout();
    }

    /// Filters as the last deck did. Before the first poll nobody knows what passes, and the selection would be lost.
    fn filter(&mut self, model: &mut Model) {
        if std::mem::replace(&mut self.is_filtered, true) || !model.view.filter.is_off() {
            return;
        }
        model.view.filter.only = self.view.only.as_deref().and_then(StatusFilter::from_word);
        model.view.filter.words.clone_from(&self.view.find);
        model.relayout();
    }

    /// Notes what is shown now.
    fn note(&mut self, view: KeptView) {
        if view == self.view {
            return;
        }
        self.view = view;
        self.due = Some(Instant::now() + REST);
    }
}

/// How the model's profile is shown.
fn view_of(model: &Model, last: &KeptView) -> KeptView {
    let (mut session, mut group, mut shell) = (None, None, None);
    match &model.view.cursor {
        Some(RowKey::Session(id)) => session = Some(id.clone()),
        Some(RowKey::Group(path)) => group = Some(path.to_string()),
        Some(RowKey::Shell(id)) => shell = Some(id.clone()),
        Some(RowKey::Shells) | None => {}
    }
    let filter = &model.view.filter;
    KeptView {
        session,
        group,
        shell,
        shells_folded: model.view.shells_folded,
        only: filter.only.map(|f| f.word.to_owned()),
        find: filter.words.clone(),
        // What the settings say is not the user's choice for this profile.
        split: model.view.split.filter(|split| Some(*split) != model.app.settings.split),
        preview: app::fit_size(model).or(last.preview),
    }
}

/// Writes what was kept. Without it the next deck begins at the first row.
fn write(path: &Path, text: &str) {
    let folder = path.parent().map_or(Ok(()), files::make_dir);
    if let Err(error) = folder.and_then(|()| files::replace_unsynced(path, text.as_bytes())) {
        tracing::warn!(%error, "can't keep what is shown of a profile");
    }
}

impl Program<'_> {
    /// Notes what is shown now, to be kept once it has stayed for a moment.
    pub(super) fn note_view(&mut self) {
        if self.model.profile.looked {
            self.kept.filter(&mut self.model);
            let view = view_of(&self.model, &self.kept.view);
            self.kept.note(view);
        }
    }

    /// Keeps it beside the loop.
    pub(super) fn keep_view(&mut self) {
        if self.kept.writing.as_ref().is_some_and(|writing| !writing.is_finished()) {
            self.kept.due = Some(Instant::now() + REST);
            return;
        }
        self.kept.due = None;
        let path = self.wiring.paths.view(&self.model.profile.name);
        let text = self.kept.view.to_json();
        self.kept.writing = Some(self.beside.spawn_blocking(move || write(&path, &text)));
    }

    /// Keeps what has not been kept yet, before deck leaves this profile.
    pub(super) async fn keep_view_now(&mut self) {
        self.note_view();
        if let Some(writing) = self.kept.writing.take() {
            // It has logged what went wrong.
            let _ = writing.await;
        }
        if self.kept.due.take().is_some() {
            write(&self.wiring.paths.view(&self.model.profile.name), &self.kept.view.to_json());
        }
    }
}
