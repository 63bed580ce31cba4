//! The TUI in ASCII, for terminals without the characters that deck draws with.
//!
//! The screens of sessions and the letters of titles are left unchanged.

use ratatui::buffer::Buffer;
use ratatui::layout::Rect;

use crate::domain::status::Status;

/// What deck draws with, and its replacement.
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

/// Replaces each sign in a part of the TUI.
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
