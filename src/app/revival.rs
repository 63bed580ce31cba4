//! Restarting sessions that were lost with their server: the offer, and its progress.

use std::collections::BTreeSet;

use super::effect::Effect;
use super::key::{Key, KeyCode};
use super::msg::Mouse;
use super::state::Model;
use super::{footer, geometry};
use crate::domain::id::SessionId;
use crate::domain::text;
use crate::ops;

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

/// The line above the list that offers to restart what was lost.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Banner {
    /// There is none.
    #[default]
    Off,
    /// It has just come: Enter and Esc are for it.
    New,
    /// The user does something else meanwhile.
    Seen,
}

/// Offers to restart what was lost: what was so when deck opened, or several at once, as with their server.
pub(super) fn offer(model: &mut Model, first: bool, lost_before: usize) {
    let lost = ops::lost(&model.profile.snapshot).len();
    if lost > 0 && (first || (lost_before == 0 && lost > 1)) {
        model.profile.banner = Banner::New;
    }
}

/// The banner as it is shown: what was lost, and the keys for it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct BannerLine {
    pub words: String,
    pub keys: Vec<BannerKey>,
}

/// A key of the banner, and where it is: from the banner's left edge, in columns.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct BannerKey {
    pub x: usize,
    pub width: usize,
    pub key: String,
    pub does: &'static str,
    restarts: bool,
}

/// What is between its words and its keys.
pub const BETWEEN: &str = " · ";

/// Whether there is something for a banner to say.
pub(super) fn has_banner(model: &Model) -> bool {
    // Asked several times a frame: nothing is counted where there is nothing to say.
    model.profile.banner != Banner::Off
        && model.app.revival.is_none()
        && !ops::lost(&model.profile.snapshot).is_empty()
}

/// The banner in so many columns, if there is one.
pub fn banner(model: &Model, width: usize) -> Option<BannerLine> {
    if !has_banner(model) {
        return None;
    }
    let lost = ops::lost(&model.profile.snapshot).len();
    let words =
        if lost == 1 { "1 session was lost".to_owned() } else { format!("{lost} sessions were lost") };
    let restart = match model.profile.banner {
        Banner::New => ("enter".to_owned(), "restart all"),
        // Without a key it is in the palette, by its name.
        _ => match model.app.keymap.key("revive") {
            name if name.starts_with(": ") => (name, ""),
            key => (key, "restart all"),
        },
    };
    let mut keys: Vec<BannerKey> = [(restart, true), (("esc".to_owned(), "later"), false)]
        .into_iter()
        .map(|((key, does), restarts)| {
            let key = footer::shown_key(model, key);
            let width = text::cells(&key) + if does.is_empty() { 0 } else { 1 + text::cells(does) };
            BannerKey { x: 0, width, key, does, restarts }
        })
        .collect();
    let tail: usize = keys.iter().map(|k| text::cells(BETWEEN) + k.width).sum();
    // Where there is little room the keys matter more.
    let fits = 1 + text::cells(&words) + tail <= width;
    let words = if fits { words } else { format!("{lost} lost") };
    let mut x = 1 + text::cells(&words);
    for key in &mut keys {
        key.x = x + text::cells(BETWEEN);
        x = key.x + key.width;
    }
    Some(BannerLine { words, keys })
}

/// A press on one of its keys.
pub(super) fn press_banner(model: &mut Model, mouse: Mouse) -> Option<Vec<Effect>> {
    let area = geometry::of(model).banner;
    if !area.has(mouse.column, mouse.row) {
        return None;
    }
    let at = usize::from(mouse.column - area.x);
    let line = banner(model, usize::from(area.width))?;
    Some(match line.keys.into_iter().find(|k| (k.x..k.x + k.width).contains(&at)) {
        Some(key) if key.restarts => restart_all(model),
        Some(_) => {
            model.profile.banner = Banner::Off;
            Vec::new()
        }
        None => Vec::new(),
    })
}

fn restart_all(model: &mut Model) -> Vec<Effect> {
    model.profile.banner = Banner::Off;
    let ids = ops::lost(&model.profile.snapshot).iter().map(|s| s.id.clone()).collect();
    vec![Effect::Revive(ids)]
}

/// A key, if it is for the banner.
pub(super) fn banner_key(model: &mut Model, key: Key) -> Option<Vec<Effect>> {
    if !has_banner(model) {
        return None;
    }
    match (key.code, model.profile.banner) {
        (KeyCode::Enter, Banner::New) => Some(restart_all(model)),
        (KeyCode::Esc, _) if model.view.filter.is_off() && model.profile.marked.is_empty() => {
            model.profile.banner = Banner::Off;
            Some(Vec::new())
        }
        _ => {
            model.profile.banner = Banner::Seen;
            None
        }
    }
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
