//! The screen in plain letters, for terminals without the characters that deck draws with.
//!
//! What sessions show is theirs and stays as it is; so do the letters of titles.

use ratatui::buffer::Buffer;
use ratatui::layout::Rect;

use crate::domain::status::Status;

/// What deck draws with, and what stands for it.
const SIGNS: &[(&str, &str)] = &[
    ("─", "-"),
    ("│", "|"),
    ("┌", "+"),
    ("┐", "+"),
    ("└", "+"),
    ("┘", "+"),
    ("├", "+"),
    ("┬", "+"),
    ("┴", "+"),
    ("▌", ">"),
    ("▾", "v"),
    ("▸", ">"),
    ("▶", ">"),
    ("◆", "*"),
    ("←", "<"),
    ("→", ">"),
    ("↑", "^"),
    ("↓", "v"),
    ("·", "-"),
    ("…", "~"),
    ("›", ">"),
];

/// Replaces each sign in a part of the screen.
pub(super) fn letters(buffer: &mut Buffer, area: Rect) {
    for y in area.top()..area.bottom() {
        for x in area.left()..area.right() {
            let Some(cell) = buffer.cell_mut((x, y)) else { continue };
            let sign = SIGNS.iter().find(|(sign, _)| *sign == cell.symbol()).map(|(_, plain)| *plain);
            let status = || Status::ALL.into_iter().find(|s| s.glyph() == cell.symbol()).map(Status::ascii);
            if let Some(plain) = sign.or_else(status) {
                cell.set_symbol(plain);
            }
        }
    }
}
