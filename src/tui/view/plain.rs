//! The TUI in ASCII, for terminals without the characters that deck draws with.
//!
//! The screens of sessions and the letters of titles are left unchanged.

use ratatui::buffer::Buffer;
use ratatui::layout::Rect;

use crate::domain::status::StatusKind;

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
    ("✓", "+"),
    ("←", "<"),
    ("→", ">"),
    ("↑", "^"),
    ("↓", "v"),
    ("·", "-"),
    ("…", "~"),
    ("›", ">"),
    ("−", "-"),
    ("␍", "^"),
];

/// Replaces each sign in a part of the TUI.
pub(super) fn letters(buffer: &mut Buffer, area: Rect) {
    for y in area.top()..area.bottom() {
        for x in area.left()..area.right() {
            let Some(cell) = buffer.cell_mut((x, y)) else { continue };
            let sign = SIGNS.iter().find(|(sign, _)| *sign == cell.symbol()).map(|(_, plain)| *plain);
            let kind = || {
                let kind = StatusKind::ALL.into_iter().find(|k| k.glyph() == cell.symbol());
                kind.map(StatusKind::ascii)
            };
            if let Some(plain) = sign.or_else(kind) {
                cell.set_symbol(plain);
            }
        }
    }
}
