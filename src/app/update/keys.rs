//! Keys and pastes: the topmost dialog has them, else whoever the mode says.

use super::super::commands::{self, KeyContext, Lookup};
use super::super::dialogs::{Dialog, Step};
use super::super::diff;
use super::super::drag::Drag;
use super::super::effect::Effect;
use super::super::key::{Key, KeyCode};
use super::super::pass_through;
use super::super::revival;
use super::super::state::{Layout, Mode, Model};
use crate::domain::tree::RowKey;

pub(super) fn take(model: &mut Model, key: Key) -> Vec<Effect> {
    if model.layout() == Layout::Tiny {
        // Nobody must act on what they can't see; the keys that quit still work.
        return if leaves(model, key) { vec![Effect::Quit] } else { Vec::new() };
    }
    model.app.messages.toast = None;
    if model.mode.end_drag().is_some_and(|d| matches!(d, Drag::Row { over: Some(_), .. })) {
        // Whatever the key: what was being dragged stays where it is.
        return Vec::new();
    }
    // Whoever is asked or writes leaves that with ctrl-c, as in a shell; an agent gets it itself.
    let leaves = key == Key::ctrl('c')
        && (!model.dialogs.is_empty() || model.mode.is_find() || model.diff().is_some());
    let key = if leaves { Key::plain(KeyCode::Esc) } else { key };
    if !model.dialogs.is_empty() {
        model.view.round = None;
        return in_dialog(model, |dialog, model| dialog.key(key, model));
    }
    if let Some(panel) = model.diff().filter(|_| !model.mode.is_find()) {
        if panel.writing.is_none() {
            return command(model, key);
        }
        diff::type_comment(model, key);
        return Vec::new();
    }
    match &model.mode {
        Mode::PassThrough(_) => pass_through::key(model, key),
        Mode::Find => type_filter(model, key),
        // A drag has just been ended.
        Mode::Normal { .. } | Mode::Drag { .. } => command(model, key),
    }
}

/// Runs the command that the keys pressed so far stand for, or waits for more of them.
fn command(model: &mut Model, key: Key) -> Vec<Effect> {
    if model.mode.pending().is_empty()
        && model.diff().is_none()
        && let Some(effects) = revival::banner_key(model, key)
    {
        return effects;
    }
    let mut pressed = model.mode.pending().to_vec();
    pressed.push(key);
    let found = commands::lookup(&pressed, model);
    model.mode = Mode::default();
    if !matches!(found, Lookup::Prefix | Lookup::Command(commands::Command { id: commands::NEXT, .. })) {
        model.view.round = None;
    }
    match found {
        Lookup::Command(command) => return (command.run)(model),
        Lookup::Prefix => model.mode = Mode::Normal { pending: pressed },
        // Nothing was begun that could be left.
        Lookup::NotNow(_) | Lookup::Nothing if key.code == KeyCode::Esc => {}
        Lookup::NotNow(command) => model.flash(format!("{}: {}", command.title, command.needs_here(model))),
        Lookup::Nothing => {
            let keys: Vec<String> = pressed.iter().map(ToString::to_string).collect();
            let map = &model.app.keymap;
            let (place, help) = if KeyContext::here(model) == [KeyContext::Diff] {
                let (help, close) = (map.key("diff-help"), map.key("diff-close"));
                ("in the diff", format!("{help} shows its keys, {close} closes it"))
            } else {
                ("here", format!("{} shows all keys", map.key("help")))
            };
            model.flash(format!("{} is not bound {place}; {help}", keys.join(" ")));
        }
    }
    Vec::new()
}

/// Whether a key is one that leaves deck. A letter of a text being written is not one.
fn leaves(model: &Model, key: Key) -> bool {
    let is_letter = matches!(key, Key { code: KeyCode::Char(_), ctrl: false, alt: false, .. });
    let is_writing = !model.dialogs.is_empty() || model.mode.is_find() || model.mode.pass_through().is_some();
    model.app.keymap.bindings(KeyContext::Main).any(|(keys, command)| command.id == "quit" && *keys == [key])
        && !(is_letter && is_writing)
}

/// Lets the topmost dialog take something, and carries out what it answers.
pub(super) fn in_dialog(
    model: &mut Model,
    act: impl FnOnce(&mut Box<dyn Dialog>, &Model) -> Step,
) -> Vec<Effect> {
    // The dialog is taken off while it works, so that it may read the model.
    let Some(mut dialog) = model.dialogs.pop() else { return Vec::new() };
    let step = act(&mut dialog, model);
    model.app.setting = dialog.left_at().unwrap_or(model.app.setting);
    match step {
        Step::Stay(effects) => {
            model.dialogs.push(dialog);
            effects
        }
        Step::Close => Vec::new(),
        Step::Keep(to, text) => {
            let first = match &to[..] {
                [one] => model.record().session(one).filter(|s| s.draft.is_some()),
                _ => None,
            };
            let changed = first.filter(|s| s.draft.as_deref() != Some(text.as_str()));
            let effects = changed.map(|s| Effect::KeepDraft(s.id.clone(), text.clone()));
            let effects = effects.into_iter().collect();
            model.app.keep_draft(to, text);
            effects
        }
        Step::Go(id) => {
            model.dialogs.push(dialog);
            model.go_to(&id)
        }
        Step::Answer(effects) => effects,
        Step::Select(RowKey::Session(id)) => model.go_to(&id),
        Step::Select(RowKey::Group(path)) => model.go_to_group(&path),
        Step::Select(key @ (RowKey::Shell(_) | RowKey::Shells)) => {
            model.go_to_shell(key);
            Vec::new()
        }
        Step::Run(command) => {
            model.app.note_run(command.id);
            (command.run)(model)
        }
    }
}

fn type_filter(model: &mut Model, key: Key) -> Vec<Effect> {
    let words = &mut model.view.filter.words;
    match key {
        Key { code: KeyCode::Esc, .. } => {
            words.clear();
            model.mode.end_find();
        }
        Key { code: KeyCode::Enter, .. } => model.mode.end_find(),
        Key { code: KeyCode::Down, .. } => commands::step(model, 1),
        Key { code: KeyCode::Up, .. } => commands::step(model, -1),
        Key { code: KeyCode::Backspace, .. } if words.is_empty() => model.mode.end_find(),
        Key { code: KeyCode::Backspace, .. } => {
            words.pop();
        }
        Key { code: KeyCode::Char('u'), ctrl: true, .. } => words.clear(),
        Key { code: KeyCode::Char(c), ctrl: false, .. } => words.push(c),
        _ => {}
    }
    model.relayout();
    Vec::new()
}

pub(super) fn paste(model: &mut Model, pasted: &str) -> Vec<Effect> {
    let text = lines_of(pasted);
    if model.layout() == Layout::Tiny {
        return Vec::new();
    }
    if !model.dialogs.is_empty() {
        return in_dialog(model, |dialog, model| dialog.paste(&text, model));
    }
    if model.diff().is_some() {
        diff::paste(model, &text);
        return Vec::new();
    }
    if model.mode.pass_through().is_some() {
        return pass_through::paste(model, &text);
    }
    if model.mode.is_find() {
        model.view.filter.words.push_str(&crate::domain::text::clean(&text));
        model.relayout();
    }
    Vec::new()
}

/// A paste with its line breaks as line feeds: terminals send a carriage return for each.
fn lines_of(pasted: &str) -> String {
    pasted.replace("\r\n", "\n").replace('\r', "\n")
}
