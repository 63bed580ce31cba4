//! Restarting sessions that were lost with their server: the offer, and its progress.

use std::collections::BTreeSet;

use super::dialogs::Confirm;
use super::effect::Effect;
use super::state::Model;
use crate::domain::id::SessionId;
use crate::domain::text;
use crate::ops;

/// The most titles that are named in the offer.
const NAMED: usize = 5;

/// Sessions that are being brought back.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Revival {
    open: BTreeSet<SessionId>,
    total: usize,
    failed: Vec<String>,
}

impl Revival {
    /// How many are done, of how many.
    pub fn progress(&self) -> (usize, usize) {
        (self.total - self.open.len(), self.total)
    }
}

/// When deck opens on sessions that were lost, it offers to bring them back.
pub(super) fn offer(model: &mut Model) {
    let lost = ops::lost(&model.profile.snapshot);
    if lost.is_empty() || !model.dialogs.is_empty() {
        return;
    }
    let many = lost.len();
    let what = if many == 1 { "1 session was".to_owned() } else { format!("{many} sessions were") };
    let mut lines: Vec<String> = lost.iter().take(NAMED).map(|s| text::clean(&s.title)).collect();
    if many > NAMED {
        lines.push(format!("and {} more", many - NAMED));
    }
    lines.push(String::new());
    lines.push("The tmux server ended, and its agents with it. The conversations are kept.".to_owned());
    let ids: Vec<SessionId> = lost.iter().map(|s| s.id.clone()).collect();
    let confirm = Confirm::new(&format!("{what} lost"), lines, "restart", vec![Effect::Revive(ids)]);
    model.dialogs.push(Box::new(confirm));
}

/// Notes that these are being brought back.
pub(super) fn begin(model: &mut Model, ids: &[SessionId]) {
    let revival = model.app.revival.get_or_insert_default();
    for id in ids {
        if revival.open.insert(id.clone()) {
            revival.total += 1;
        }
        model.app.working.insert(id.clone(), ("reviving", model.app.now));
    }
}

/// Notes what became of one.
pub(super) fn note(model: &mut Model, id: &SessionId, error: Option<String>) {
    model.app.working.remove(id);
    let counted = model.app.revival.as_mut().filter(|r| r.open.contains(id));
    let Some(revival) = counted else {
        // It is none of those that are counted.
        if let Some(error) = error {
            model.notify_error(error);
        }
        return;
    };
    revival.open.remove(id);
    revival.failed.extend(error);
    let (done, total) = revival.progress();
    if done < total {
        model.notify(format!("reviving: {done} of {total}"));
        return;
    }
    let failed = std::mem::take(&mut revival.failed);
    model.app.revival = None;
    match failed.first() {
        None => model.notify(format!("revived {total}")),
        Some(first) => model.notify_error(format!("revived {} of {total}; {first}", total - failed.len())),
    }
}
