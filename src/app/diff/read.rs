//! Asking for what changed, and taking the answer.

use jiff::SignedDuration;

use super::{DiffPanel, Row, with};
use crate::app::effect::Effect;
use crate::app::state::Model;
use crate::domain::diff::{Against, Content, Diff};
use crate::domain::id::SessionId;
use crate::ports::git::Lines;

/// What takes longer than this is not read at every change.
const SLOW: SignedDuration = SignedDuration::from_secs(2);

/// Opens the panel for the selected session.
pub(in crate::app) fn open(model: &mut Model) -> Vec<Effect> {
    let Some(session) = model.selected().cloned() else { return Vec::new() };
    let against = model.record().session(&session).map(Against::default_of).unwrap_or_default();
    open_against(model, session, against)
}

/// Opens the panel for a session, compared with this.
pub(in crate::app) fn open_against(model: &mut Model, session: SessionId, against: Against) -> Vec<Effect> {
    model.view.diff = Some(Box::new(DiffPanel::new(session, against)));
    ask(model, Lines::All)
}

/// Asks for lines. An answer that is still awaited is given up.
pub(super) fn ask(model: &mut Model, lines: Lines) -> Vec<Effect> {
    model.view.diffs += 1;
    let (number, now) = (model.view.diffs, model.app.now);
    let Some(panel) = &mut model.view.diff else { return Vec::new() };
    panel.asked = Some((number, lines.clone(), now));
    (panel.again, panel.is_stale) = (false, false);
    vec![Effect::Diff(panel.session.clone(), number, panel.against.clone(), lines)]
}

/// Takes an answer.
pub(in crate::app) fn take(
    model: &mut Model,
    id: &SessionId,
    number: u64,
    result: Result<Diff, String>,
) -> Vec<Effect> {
    let awaited = model.diff().filter(|p| p.session == *id).and_then(|p| p.asked.clone());
    let Some((_, lines, at)) = awaited.filter(|(n, ..)| *n == number) else { return Vec::new() };
    let took = model.app.now.duration_since(at);
    with(model, true, |panel, model| {
        panel.asked = None;
        if matches!(lines, Lines::Of(_)) {
            merge(panel, result);
        } else {
            panel.is_slow = took > SLOW;
            keep_place(panel, result, model);
        }
    });
    if model.diff().is_some_and(|p| p.again) {
        return moved(model, id);
    }
    rest(model, &lines)
}

/// Puts what was read of one file in its place.
fn merge(panel: &mut DiffPanel, result: Result<Diff, String>) {
    let (Some(Ok(diff)), Ok(read)) = (&mut panel.result, result) else { return };
    for file in read.files.into_iter().filter(|f| f.content != Content::NotRead) {
        if let Some(old) =
            diff.files.iter_mut().find(|o| o.path == file.path && o.content == Content::NotRead)
        {
            *old = file;
        }
    }
}

/// Shows another answer at the same place, as far as that is still there.
fn keep_place(panel: &mut DiffPanel, result: Result<Diff, String>, model: &Model) {
    let path = panel.chosen().map(|f| f.path.clone());
    let number = panel.line_at(panel.cursor).and_then(|l| l.new.or(l.old));
    let offset = panel.cursor.saturating_sub(panel.top);
    panel.result = Some(result);
    let found = path.and_then(|path| panel.files().iter().position(|f| f.path == path));
    let is_same = found.is_some();
    panel.file = found.unwrap_or(panel.file).min(panel.files().len().saturating_sub(1));
    panel.rows = super::rows::of(panel, model.is_split(panel), model.comments(&panel.session));
    match number {
        Some(number) if is_same => {
            panel.cursor = panel.row_of(number);
            panel.top = panel.cursor.saturating_sub(offset);
        }
        _ if is_same => {}
        _ => first_row(panel),
    }
}

fn first_row(panel: &mut DiffPanel) {
    (panel.cursor, panel.top, panel.left) = (0, 0, 0);
    // The first line that changed is of more use than a note.
    let head = panel.rows.iter().position(|r| matches!(r, Row::Head(_)));
    panel.cursor = head.unwrap_or(0);
}

/// Asks for the lines of the chosen file, if they were too many to come with all others.
fn rest(model: &mut Model, last: &Lines) -> Vec<Effect> {
    let path = model.diff().and_then(DiffPanel::chosen).filter(|f| f.content == Content::NotRead);
    let path = path.map(|f| f.path.clone()).filter(|p| !p.ends_with('/'));
    match path {
        Some(path) if *last != Lines::Of(path.clone()) => ask(model, Lines::Of(path)),
        _ => Vec::new(),
    }
}

/// Chooses a file.
pub(super) fn choose(model: &mut Model, file: usize) -> Vec<Effect> {
    with(model, true, |panel, model| {
        let file = file.min(panel.files().len().saturating_sub(1));
        if file != panel.file {
            panel.file = file;
            panel.rows = super::rows::of(panel, model.is_split(panel), model.comments(&panel.session));
            first_row(panel);
        }
    });
    if model.diff().is_some_and(DiffPanel::is_reading) {
        // Its lines are asked for when all others are there.
        return Vec::new();
    }
    rest(model, &Lines::All)
}

/// Something moved in a session: what is shown of it is read again.
pub(in crate::app) fn moved(model: &mut Model, id: &SessionId) -> Vec<Effect> {
    let Some(panel) = model.view.diff.as_mut().filter(|p| p.session == *id) else { return Vec::new() };
    if panel.asked.is_some() {
        panel.again = true;
        return Vec::new();
    }
    panel.again = false;
    if panel.is_slow {
        panel.is_stale = true;
        return Vec::new();
    }
    ask(model, Lines::All)
}
