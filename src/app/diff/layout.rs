//! Where things are in the panel: for drawing them and for the mouse.

use super::DiffPanel;
use crate::app::geometry::{self, Area};
use crate::app::state::Model;

/// The parts of the panel.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Parts {
    /// What is compared with what, and numbers.
    pub header: Area,
    /// The files.
    pub files: Area,
    /// The first file shown.
    pub first: usize,
    /// The line below.
    pub rule: Area,
    /// The chosen file.
    pub body: Area,
    /// The comment that is being written; of no height without one.
    pub field: Area,
}

/// Rows of a panel that has room for more than one file in its list.
const ROOMY: u16 = 10;

/// The parts of a panel.
pub fn parts(model: &Model, panel: &DiffPanel) -> Parts {
    let area = geometry::diff_area(model);
    let count = panel.files().len();
    let most = if area.height < ROOMY { 1 } else { (area.height / 4).max(3) };
    let rows = u16::try_from(count).unwrap_or(u16::MAX).min(most).min(area.height.saturating_sub(3));
    let line = |y: u16, height: u16| Area { y, height: height.min(area.bottom().saturating_sub(y)), ..area };
    // As many lines as it has, as long as most of the panel stays.
    let written = panel.writing.as_ref().map_or(0, |w| w.editor.lines().len());
    let field = u16::try_from(written).unwrap_or(u16::MAX).min((area.height / 3).max(1));
    let body = area.y + 1 + rows + 1;
    let bottom = area.bottom().saturating_sub(field);
    let visible = usize::from(rows);
    let first = panel.file.saturating_sub(visible / 2).min(count.saturating_sub(visible));
    Parts {
        header: line(area.y, 1),
        files: line(area.y + 1, rows),
        first,
        rule: line(area.y + 1 + rows, 1),
        body: Area { y: body.min(bottom), height: bottom.saturating_sub(body), ..area },
        field: Area { y: bottom, height: field, ..area },
    }
}
