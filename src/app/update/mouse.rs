//! The mouse.

use jiff::SignedDuration;

use super::super::diff;
use super::super::drag::{self, Drag};
use super::super::effect::Effect;
use super::super::key::{Key, KeyCode};
use super::super::msg::{Mouse, MouseKind};
use super::super::panel_layout::{self, PanelRow};
use super::super::state::{Layout, Mode, Model};
use super::super::{commands, footer, geometry, header, pass_through, revival};
use super::keys::{self, in_dialog};
use crate::domain::status::StatusFilter;
use crate::domain::tree::{Row, RowKey};

/// Two presses within this time are a double click.
const DOUBLE: SignedDuration = SignedDuration::from_millis(400);
/// Rows that a turn of the wheel moves.
const WHEEL: i64 = 3;

pub(super) fn take(model: &mut Model, mouse: Mouse) -> Vec<Effect> {
    if model.layout() == Layout::Tiny {
        return Vec::new();
    }
    if !model.dialogs.is_empty() {
        let key = match mouse.kind {
            MouseKind::WheelDown => KeyCode::Down,
            MouseKind::WheelUp => KeyCode::Up,
            MouseKind::Press => return press_dialog(model, mouse),
            _ => return Vec::new(),
        };
        return in_dialog(model, |dialog, model| dialog.key(Key::plain(key), model));
    }
    if let Some(effects) = diff::mouse(model, mouse) {
        return effects;
    }
    let over_picture = geometry::of(model).capture.has(mouse.column, mouse.row);
    match mouse.kind {
        MouseKind::WheelDown | MouseKind::WheelUp if over_picture => {
            let up = mouse.kind == MouseKind::WheelUp;
            if model.mode.pass_through().is_some() {
                return pass_through::wheel(model, up);
            }
            commands::scroll(model, if up { WHEEL } else { -WHEEL });
        }
        MouseKind::WheelDown => commands::step(model, WHEEL),
        MouseKind::WheelUp => commands::step(model, -WHEEL),
        MouseKind::Release => return drag::end(model, mouse),
        MouseKind::Drag => drag::go(model, mouse),
        MouseKind::Press => {
            model.view.round = None;
            let mut effects = if over_picture { Vec::new() } else { pass_through::leave(model) };
            effects.extend(press(model, mouse));
            return effects;
        }
    }
    Vec::new()
}

/// A press on what a dialog shows as a key is that key, one on a choice takes it.
fn press_dialog(model: &mut Model, mouse: Mouse) -> Vec<Effect> {
    let Some(panel) = model.dialogs.last().map(|d| d.panel(model)) else { return Vec::new() };
    let laid = panel_layout::layout(model, &panel);
    model.app.messages.toast = None;
    if let Some((_, key, _)) = laid.keys.iter().find(|(area, ..)| area.has(mouse.column, mouse.row)) {
        let key = match key.as_str() {
            "↓" | "↑↓" => Some(Key::plain(KeyCode::Down)),
            "→" | "←→" => Some(Key::plain(KeyCode::Right)),
            other => Key::parse(other),
        };
        return key.map_or_else(Vec::new, |key| in_dialog(model, |dialog, model| dialog.key(key, model)));
    }
    let is_here = |r: &&PanelRow| r.y == mouse.row && laid.area.has(mouse.column, mouse.row);
    let Some(row) = laid.rows.iter().find(is_here) else { return Vec::new() };
    let piece = row.before + panel_layout::piece_at(&row.block, laid.title.0, mouse.column);
    let block = row.source;
    in_dialog(model, |dialog, model| dialog.click(block, piece, model))
}

/// A press on a key in the footer runs its command.
fn press_footer(model: &mut Model, mouse: Mouse) -> Option<Vec<Effect>> {
    let area = geometry::of(model).footer;
    if area.y != mouse.row || model.mode.pass_through().is_some() {
        return None;
    }
    let on = |k: &footer::FooterKey| (k.x..k.x + k.width).contains(&mouse.column);
    if model.mode.is_find() {
        let key = Key::parse(&footer::find_keys(model).into_iter().find(on)?.key)?;
        return Some(keys::take(model, key));
    }
    let key = footer::keys(model).into_iter().find(on)?;
    model.mode = Mode::default();
    model.app.messages.toast = None;
    let name = if key.key == "⏎" { "enter" } else { key.key.as_str() };
    Some(match key.command {
        Some(command) => (command.run)(model),
        None => Key::parse(name).map_or_else(Vec::new, |key| keys::take(model, key)),
    })
}

/// A press on a count shows only those, one on a name goes there.
fn press_header(model: &mut Model, mouse: Mouse) -> Option<Vec<Effect>> {
    let g = geometry::of(model);
    let is_on = |x: u16, width: u16| (x..x + width).contains(&mouse.column);
    if g.header.y == mouse.row {
        // On a narrow terminal the counts are drawn over the end of the title.
        if let Some(counter) = header::counters(model).into_iter().find(|c| is_on(c.x, c.width)) {
            model.show_only(StatusFilter::only(counter.kind));
            return Some(Vec::new());
        }
        let is_clear = header::clears(model).is_some_and(|(x, width)| is_on(x, width));
        return Key::parse("esc").filter(|_| is_clear).map(|esc| keys::take(model, esc));
    }
    // What is wrong is shown in their place.
    if g.attention.y != mouse.row || model.profile.trouble.is_some() {
        return None;
    }
    let id = header::attention(model).0.into_iter().find(|n| is_on(n.x, n.width))?.id;
    Some(model.go_to(&id))
}

fn press(model: &mut Model, mouse: Mouse) -> Vec<Effect> {
    let divider = geometry::of(model).divider;
    if model.layout() == Layout::Wide && divider.has(mouse.column, mouse.row) {
        model.mode.begin_drag(Drag::Split);
        return Vec::new();
    }
    let pressed = press_header(model, mouse).or_else(|| revival::press_banner(model, mouse));
    if let Some(effects) = pressed.or_else(|| press_footer(model, mouse)) {
        return effects;
    }
    let Some(key) = model.row_at(mouse).map(Row::key) else { return Vec::new() };
    let double = model
        .view
        .pressed
        .take()
        .is_some_and(|(when, on)| on == key && model.app.now.duration_since(when) < DOUBLE);
    model.view.cursor = Some(key.clone());
    if double && matches!(key, RowKey::Session(_) | RowKey::Shell(_)) {
        return commands::open(model);
    }
    model.mode.begin_drag(Drag::Row { what: key.clone(), over: None });
    model.view.pressed = Some((model.app.now, key));
    Vec::new()
}
