//! The mouse.

use jiff::SignedDuration;

use super::super::diff;
use super::super::drag::{self, Drag};
use super::super::effect::Effect;
use super::super::key::{Key, KeyCode};
use super::super::msg::{Mouse, MouseKind};
use super::super::state::{Layout, Model};
use super::super::{commands, geometry, header, pass_through};
use super::keys::in_dialog;
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

/// A press on a count shows only those, one on a name goes there.
fn press_header(model: &mut Model, mouse: Mouse) -> Option<Vec<Effect>> {
    let g = geometry::of(model);
    let is_on = |x: u16, width: u16| (x..x + width).contains(&mouse.column);
    if g.header.y == mouse.row {
        let counter = header::counters(model).into_iter().find(|c| is_on(c.x, c.width))?;
        model.show_only(StatusFilter::only(counter.kind));
        return Some(Vec::new());
    }
    let needy = header::attention(model).0.into_iter().find(|n| is_on(n.x, n.width));
    let id = needy.filter(|_| g.attention.y == mouse.row)?.id;
    Some(model.go_to(&id))
}

fn press(model: &mut Model, mouse: Mouse) -> Vec<Effect> {
    let area = geometry::of(model).list;
    if model.layout() == Layout::Wide && mouse.column == area.right() {
        model.mode.begin_drag(Drag::Split);
        return Vec::new();
    }
    if let Some(effects) = press_header(model, mouse) {
        return effects;
    }
    let Some(key) = model.row_at(mouse).map(Row::key) else { return Vec::new() };
    let double = model
        .view
        .pressed
        .take()
        .is_some_and(|(when, on)| on == key && model.app.now.duration_since(when) < DOUBLE);
    model.view.cursor = Some(key.clone());
    if double && matches!(key, RowKey::Session(_)) {
        return commands::open(model);
    }
    model.mode.begin_drag(Drag::Row { what: key.clone(), over: None });
    model.view.pressed = Some((model.app.now, key));
    Vec::new()
}
