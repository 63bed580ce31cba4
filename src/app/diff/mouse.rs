//! The mouse in the panel.

use super::{Row, parts, with};
use crate::app::effect::Effect;
use crate::app::msg::{Mouse, MouseKind};
use crate::app::state::Model;

/// Rows that a turn of the wheel moves.
const WHEEL: usize = 3;

/// Takes what the mouse did. None where that isn't the panel's.
pub(in crate::app) fn take(model: &mut Model, mouse: Mouse) -> Option<Vec<Effect>> {
    let panel = model.diff()?;
    let parts = parts(model, panel);
    match mouse.kind {
        MouseKind::WheelDown => with(model, false, |p, _| p.cursor = p.cursor.saturating_add(WHEEL)),
        MouseKind::WheelUp => with(model, false, |p, _| p.cursor = p.cursor.saturating_sub(WHEEL)),
        MouseKind::Press if parts.files.has(mouse.column, mouse.row) => {
            let file = parts.first + usize::from(mouse.row - parts.files.y);
            return Some(super::read::choose(model, file));
        }
        MouseKind::Press if parts.body.has(mouse.column, mouse.row) => {
            let row = panel.top + usize::from(mouse.row - parts.body.y);
            let is_there = panel.rows.get(row).is_some_and(|r| !matches!(r, Row::Note(_)));
            if is_there {
                with(model, false, |p, _| p.cursor = row);
            }
        }
        MouseKind::Press if parts.header.has(mouse.column, mouse.row) => {}
        _ => return None,
    }
    Some(Vec::new())
}
