//! The last line: the keys that help here, and what deck says, with their places, for drawing them and for the mouse.

use std::borrow::Cow;

use super::commands::{self, Command};
use super::state::Model;
use super::{diff, geometry};
use crate::domain::text;

/// From N columns on the footer has room for more than help at its end.
const ROOMY: u16 = 60;

/// A key in the footer.
#[derive(Debug, Clone)]
pub struct FooterKey {
    pub key: String,
    /// What it does.
    pub title: Cow<'static, str>,
    /// What a press runs; none where it is the key itself.
    pub command: Option<&'static Command>,
    /// Its first column.
    pub x: u16,
    pub width: u16,
}

/// The keys that are shown, from the left.
pub fn keys(model: &Model) -> Vec<FooterKey> {
    let area = geometry::of(model).footer;
    let all = offered(model);
    // Help and the way to everything else are always there, whatever else has no room.
    let mut tail: Vec<FooterKey> = all.iter().filter(|k| is_kept(k, area.width)).cloned().collect();
    let message = message_width(model);
    let needs = |keys: &[FooterKey]| 1 + keys.iter().map(|k| k.width).sum::<u16>() + message;
    if needs(&tail) > area.width {
        tail.retain(is_help);
    }
    let mut used = needs(&tail);
    let mut shown = Vec::new();
    for key in all.into_iter().filter(|k| !is_kept(k, area.width)) {
        if used + key.width > area.width {
            break;
        }
        used += key.width;
        shown.push(key);
    }
    let mut x = area.x + 1;
    shown.extend(tail);
    for key in &mut shown {
        key.x = x;
        x += key.width;
    }
    shown
}

/// The keys while a filter is typed, behind its words.
pub fn find_keys(model: &Model) -> Vec<FooterKey> {
    let words = text::cells(&text::clean(&model.view.filter.words));
    let mut x = geometry::of(model).footer.x + u16::try_from(words + 5).unwrap_or(u16::MAX - 100);
    let mut of = |key: &str, title: &'static str| {
        let width = u16::try_from(key.len() + 1 + title.len()).unwrap_or(u16::MAX);
        let key = FooterKey { key: key.to_owned(), title: title.into(), command: None, x, width };
        // A dot between them, with a blank on both sides.
        x = x.saturating_add(width + 3);
        key
    };
    vec![of("enter", "keep"), of("esc", "clear")]
}

fn is_kept(key: &FooterKey, width: u16) -> bool {
    is_help(key) || width >= ROOMY && key.command.is_some_and(|c| ["palette", "quit"].contains(&c.id))
}

fn is_help(key: &FooterKey) -> bool {
    key.command.is_some_and(|c| ["help", "diff-help"].contains(&c.id))
}

/// A key's name as it is shown in one line with others.
pub fn shown_key(model: &Model, key: String) -> String {
    if key == "enter" && !model.app.settings.ascii { "⏎".to_owned() } else { key }
}

fn offered(model: &Model) -> Vec<FooterKey> {
    let of = |key: String, title: Cow<'static, str>, command| {
        let width = u16::try_from(text::cells(&key) + text::cells(&title) + 3).unwrap_or(u16::MAX);
        FooterKey { key, title, command, x: 0, width }
    };
    let shown = |key: String| shown_key(model, key);
    if !model.mode.pending().is_empty() {
        let next = commands::continuations(model).into_iter();
        return next.map(|(key, c)| of(key.to_string(), c.title.into(), Some(c))).collect();
    }
    if model.diff().is_some() {
        let all = diff::footer(model).into_iter();
        return all.map(|(key, title, command)| of(shown(key), title.into(), command)).collect();
    }
    let first = |c: &Command| model.app.keymap.keys_of(c).into_iter().next().unwrap_or_default();
    commands::footer(model).into_iter().map(|c| of(shown(first(c)), c.label(model), Some(c))).collect()
}

/// The most columns that a message may have: the keys that are always there keep theirs.
pub fn message_room(model: &Model) -> u16 {
    let area = geometry::of(model).footer;
    if !model.dialogs.is_empty() {
        // A dialog has its own keys.
        return area.width;
    }
    // An error has as much as it needs: only help stays beside it.
    let is_error = model.app.messages.toast.as_ref().is_some_and(|t| t.is_error);
    let stays = |k: &&FooterKey| if is_error { is_help(k) } else { is_kept(k, area.width) };
    let kept: u16 = offered(model).iter().filter(stays).map(|k| k.width).sum();
    area.width.saturating_sub(kept + 1)
}

/// The columns of the message at the right end; none where there is nothing to say.
pub fn message_width(model: &Model) -> u16 {
    let Some(toast) = &model.app.messages.toast else { return 0 };
    // A blank at both sides.
    let wanted = u16::try_from(text::cells(&text::clean(&toast.text)) + 2).unwrap_or(u16::MAX);
    wanted.min(message_room(model))
}
