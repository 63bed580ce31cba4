//! Where things are on the screen: for drawing them and for the mouse.

use super::revival;
use super::state::{Layout, Model, Zoom};

/// A rectangle in cells.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Area {
    /// Its first column.
    pub x: u16,
    /// Its first row.
    pub y: u16,
    /// Its columns.
    pub width: u16,
    /// Its rows.
    pub height: u16,
}

impl Area {
    /// A rectangle.
    pub const fn new(x: u16, y: u16, width: u16, height: u16) -> Self {
        Self { x, y, width, height }
    }

    /// The column behind its last.
    pub const fn right(self) -> u16 {
        self.x.saturating_add(self.width)
    }

    /// Whether a cell is in it.
    pub const fn has(self, column: u16, row: u16) -> bool {
        column >= self.x && column < self.right() && row >= self.y && row < self.bottom()
    }

    /// The row behind its last.
    pub const fn bottom(self) -> u16 {
        self.y.saturating_add(self.height)
    }
}

/// The parts of the TUI. A part of no size isn't shown.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Geometry {
    /// Name, profile and counts.
    pub header: Area,
    /// Who needs the user.
    pub attention: Area,
    /// The hairline below.
    pub top_rule: Area,
    /// The offer above the rows.
    pub banner: Area,
    /// The rows.
    pub list: Area,
    /// The line between list and capture.
    pub divider: Area,
    /// The selected session's facts.
    pub facts: Area,
    /// Its tabs, if it has more than its agent.
    pub tabs: Area,
    pub capture: Area,
    /// What changed in its folder, in place of its capture.
    pub diff: Area,
    /// The hairline above the footer.
    pub bottom_rule: Area,
    /// The keys.
    pub footer: Area,
}

/// Rows of a session's facts above its capture.
const FACTS: u16 = 2;

/// The width of the list in percent: a wide terminal has room for more columns.
pub fn split(model: &Model) -> u16 {
    let by_width = 38 + model.app.size.0.saturating_sub(120) / 8;
    model.view.split.unwrap_or(by_width.min(48))
}

/// The parts of the TUI for a model.
pub fn of(model: &Model) -> Geometry {
    let (width, height) = model.app.size;
    let layout = model.layout();
    if layout == Layout::Tiny {
        return Geometry::default();
    }
    let line = |y| Area::new(0, y, width, 1);
    let (top, bottom) = (3, height - 2);
    let room = bottom - top;
    let mut g = Geometry {
        header: line(0),
        attention: line(1),
        top_rule: line(2),
        bottom_rule: line(bottom),
        footer: line(bottom + 1),
        ..Geometry::default()
    };
    let whole = Area::new(0, top, width, room);
    let zoom = model.view.zoom;
    match layout {
        // Nothing to show beside an empty list: its text has the whole TUI.
        _ if model.view.rows.is_empty() => g.list = whole,
        // Only a part of the TUI has too little room for it.
        _ if model.diff_fills() => g.diff = whole,
        // What changed is shown where the preview is.
        Layout::Medium | Layout::Wide if zoom == Zoom::Preview => g.set_preview(whole),
        Layout::Medium | Layout::Wide if zoom == Zoom::List && model.diff().is_none() => g.list = whole,
        Layout::Wide => {
            let left = u32::from(width) * u32::from(split(model)) / 100;
            let left = u16::try_from(left).unwrap_or(width).clamp(24, width - 30);
            g.list = Area { width: left, ..whole };
            g.divider = Area::new(left, top, 1, room);
            g.set_preview(Area::new(left + 1, top, width - left - 1, room));
        }
        Layout::Medium => {
            let rows = u16::try_from(model.view.rows.len()).unwrap_or(u16::MAX).max(4);
            let list = rows.min(room / 2);
            g.list = Area { height: list, ..whole };
            g.divider = line(top + list);
            g.set_preview(Area::new(0, top + list + 1, width, room - list - 1));
        }
        Layout::Narrow | Layout::Tiny => {
            if zoom == Zoom::Preview {
                g.set_preview(whole);
            } else {
                g.list = whole;
            }
        }
    }
    if !model.tabs().is_empty() && g.capture.height > 2 {
        g.tabs = Area { height: 1, ..g.capture };
        g.capture = Area { y: g.capture.y + 1, height: g.capture.height - 1, ..g.capture };
    }
    if model.diff().is_some() && g.diff.height == 0 {
        (g.diff, g.capture) = (g.capture, Area::default());
    }
    if g.list.height > 3 && revival::has_banner(model) {
        g.banner = Area { height: 1, ..g.list };
        g.list = Area { y: g.list.y + 1, height: g.list.height - 1, ..g.list };
    }
    g
}

/// Where what changed is shown.
pub(super) fn diff_area(model: &Model) -> Area {
    of(model).diff
}

impl Geometry {
    pub(super) fn set_preview(&mut self, area: Area) {
        self.facts = Area { height: FACTS.min(area.height), ..area };
        self.capture =
            Area { y: area.y + self.facts.height, height: area.height - self.facts.height, ..area };
    }
}

/// The size at which a session that is made now is seen first: that of the preview, if there is one.
pub fn first_size(model: &Model) -> (u16, u16) {
    preview_size(model).unwrap_or(crate::ops::UNSEEN)
}

/// The columns and rows of the selected session's window so that its lines are whole in the preview; none while it should
/// keep what it has. It has no fewer than agents draw well in: then only its last rows are shown.
pub fn fit_size(model: &Model) -> Option<(u16, u16)> {
    // A dialog may be about what the session shows.
    let may = model.app.settings.preview_fit && model.dialogs.is_empty();
    preview_size(model).filter(|_| may)
}

/// The size of a session that is laid out for the preview, if that is shown.
fn preview_size(model: &Model) -> Option<(u16, u16)> {
    let capture = of(model).capture;
    let size = (capture.width.saturating_sub(1).max(LEAST.0), capture.height.max(LEAST.1));
    (capture.height > 0).then_some(size)
}

/// The least columns and rows that agents draw well in.
const LEAST: (u16, u16) = (60, 24);

/// Rows of the list that are shown.
pub(super) fn list_height(model: &Model) -> u16 {
    of(model).list.height
}
