//! Every command once: keys, footer, palette, help and docs are derived from here.
//!
//! Invariants: no key is bound twice; every command has a doc; what a command does is a function
//! of the model. A command is one entry in one of the files beside this one.

mod arrange;
mod message;
mod navigate;
mod program;
mod remove;
mod sessions;
mod shells;
mod talk;
mod view;
mod workers;

pub(super) use navigate::{NEXT, open, step};
pub(super) use program::THEME;
pub(super) use view::scroll;

use std::borrow::Cow;

use super::diff;
use super::effect::Effect;
use super::key::Key;
use super::state::{Layout, Model, Zoom};

/// What a command needs.
pub type Applies = fn(&Model) -> bool;

pub struct Command {
    /// Its name, for settings.
    pub id: &'static str,
    /// What it does, in a word or two, for the footer.
    pub title: &'static str,
    /// What it does, in a sentence.
    pub doc: &'static str,
    /// Its keys; several keys of one binding are separated by blanks.
    pub keys: &'static [&'static str],
    /// Its place in the footer, from the left; none to be left out.
    pub footer: Option<u8>,
    /// When it can be used.
    pub applies: Applies,
    /// What it needs to be used, as a sentence for the user.
    pub needs: &'static str,
    /// What it does.
    pub run: fn(&mut Model) -> Vec<Effect>,
}

impl Command {
    /// What it does now, for the footer: on a group, to open is to fold.
    pub fn label(&self, model: &Model) -> Cow<'static, str> {
        match (self.id, model.session()) {
            (navigate::OPEN, None) => "fold".into(),
            (navigate::OPEN, Some(session)) if model.state(&session.id).is_some_and(|l| l.row.is_none()) => {
                "start".into()
            }
            (message::SEND, _) if model.profile.marked.len() > 1 => {
                format!("send to {}", model.profile.marked.len()).into()
            }
            _ => self.title.into(),
        }
    }
}

impl Command {
    /// What it needs to be used here, as a sentence for the user.
    pub fn needs_here(&self, model: &Model) -> Cow<'static, str> {
        if self.id == message::ANSWER { message::nothing_to_answer(model).into() } else { self.needs.into() }
    }

    /// Whether it only moves the selection by rows: found by its key, not by its name.
    pub fn moves(&self) -> bool {
        matches!(self.id, "down" | "up" | "first" | "last" | "half-down" | "half-up")
    }
}

impl std::fmt::Debug for Command {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Command").field("id", &self.id).finish_non_exhaustive()
    }
}

/// Commands under a header.
pub type Section = (&'static str, &'static [Command]);

/// All commands, in the order of the help page.
pub const SECTIONS: &[Section] = &[
    ("Navigate", navigate::COMMANDS),
    ("Message", message::COMMANDS),
    ("Sessions", sessions::COMMANDS),
    ("Conversations", talk::COMMANDS),
    ("Tabs & worktrees", workers::COMMANDS),
    ("Headless shells", shells::COMMANDS),
    ("Arrange", arrange::COMMANDS),
    ("Delete & archive", remove::COMMANDS),
    ("Find", view::COMMANDS),
    ("Deck", program::COMMANDS),
];

/// Where keys are pressed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum KeyContext {
    /// In the list and the preview.
    Main,
    /// The same, on a headless shell: what is bound for shells comes first.
    Shell,
    /// In the panel with what changed.
    Diff,
}

impl KeyContext {
    /// Where a command is.
    pub fn of(command: &Command) -> Self {
        let is_of = |commands: &[Command]| commands.iter().any(|c| c.id == command.id);
        if is_of(diff::COMMANDS) {
            Self::Diff
        } else if is_of(shells::COMMANDS) {
            Self::Shell
        } else {
            Self::Main
        }
    }

    /// Where the user is: the keys of the first come before those of the second.
    pub(super) fn here(model: &Model) -> &'static [Self] {
        if model.diff().is_some() {
            &[Self::Diff]
        } else if model.shell().is_some() {
            &[Self::Shell, Self::Main]
        } else {
            &[Self::Main]
        }
    }
}

/// All commands of list and preview: those that can be found by their names.
pub fn all() -> impl Iterator<Item = &'static Command> {
    SECTIONS.iter().flat_map(|(_, commands)| commands.iter())
}

/// All commands that keys can be bound to, wherever they are.
pub fn known() -> impl Iterator<Item = &'static Command> {
    all().chain(diff::COMMANDS)
}

/// The commands' own bindings: keys and command.
pub fn bindings() -> impl Iterator<Item = (Vec<Key>, &'static Command)> {
    known().flat_map(|c| c.keys.iter().filter_map(move |k| Some((Key::parse_all(k)?, c))))
}

/// What keys stand for.
pub(super) enum Lookup {
    Command(&'static Command),
    /// A command that can't be used now.
    NotNow(&'static Command),
    /// The beginning of a longer binding.
    Prefix,
    Nothing,
}

/// What the keys pressed so far stand for.
pub(super) fn lookup(pressed: &[Key], model: &Model) -> Lookup {
    let (map, contexts) = (model.app.keymap.clone(), KeyContext::here(model));
    let bindings = || contexts.iter().flat_map(|context| map.bindings(*context));
    if let Some((_, command)) = bindings().find(|(keys, _)| *keys == pressed) {
        return if (command.applies)(model) { Lookup::Command(command) } else { Lookup::NotNow(command) };
    }
    let begins = |keys: &[Key]| keys.len() > pressed.len() && keys.starts_with(pressed);
    if bindings().any(|(keys, _)| begins(keys)) { Lookup::Prefix } else { Lookup::Nothing }
}

/// What may follow the keys pressed so far: key and command.
pub fn continuations(model: &Model) -> Vec<(Key, &'static Command)> {
    let pressed = model.mode.pending();
    let next = |keys: &[Key]| {
        (keys.len() > pressed.len() && keys.starts_with(pressed)).then(|| keys.get(pressed.len()).copied())
    };
    let contexts = KeyContext::here(model).iter();
    let here = contexts.flat_map(|context| model.app.keymap.bindings(*context));
    here.filter_map(|(keys, command)| Some((next(keys)??, command))).collect()
}

/// The footer's commands from the left: those that can be used now.
pub fn footer(model: &Model) -> Vec<&'static Command> {
    let mut all: Vec<_> = all()
        .filter(|c| c.footer.is_some() && (c.applies)(model))
        // A command that lost its keys has none to show, and here another may have them.
        .filter(|c| has_its_key(model, c))
        .collect();
    // Where one of list and preview is shown, the way to the other one comes first.
    let alone = model.layout() == Layout::Narrow || model.view.zoom != Zoom::Off;
    all.sort_by_key(|c| if alone && c.id == view::ZOOM { Some(0) } else { c.footer });
    all
}

/// Whether a command's first key runs it here, and not a command that comes before it.
fn has_its_key(model: &Model, command: &Command) -> bool {
    let keys = model.app.keymap.keys_of(command);
    let Some(keys) = keys.first().and_then(|k| Key::parse_all(k)) else { return false };
    let mut here = KeyContext::here(model).iter().flat_map(|context| model.app.keymap.bindings(*context));
    here.find(|(bound, _)| *bound == keys).is_some_and(|(_, by)| by.id == command.id)
}

pub(super) fn always(_: &Model) -> bool {
    true
}

fn on_session(model: &Model) -> bool {
    model.session().is_some()
}

/// Whether there is a session to work on: selected, marked, or in the selected group.
fn on_targets(model: &Model) -> bool {
    !super::marks::targets(model).is_empty()
}

fn on_row(model: &Model) -> bool {
    model.view.cursor.is_some()
}

/// Whether a session or a group is selected, or sessions are marked: what has a place among groups.
fn on_placed(model: &Model) -> bool {
    model.session().is_some() || model.group().is_some() || !model.profile.marked.is_empty()
}

/// The words for commands that need a session or a group.
const A_PLACED: &str = "select a session or a group first";
/// The words for commands that need a session.
const A_SESSION: &str = "select a session first";
/// The words for commands that need any row.
const A_ROW: &str = "the list is empty";

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::BTreeSet;

    #[test]
    fn no_key_is_bound_twice_and_none_hides_another() {
        let all: Vec<_> = bindings().collect();
        for (i, (keys, command)) in all.iter().enumerate() {
            for (other, by) in all.iter().skip(i + 1) {
                let begins = keys.starts_with(other) || other.starts_with(keys);
                let clash = begins && KeyContext::of(command) == KeyContext::of(by);
                assert!(!clash, "{} and {} share {keys:?}", command.id, by.id);
            }
        }
    }

    #[test]
    fn every_command_is_complete() {
        let mut ids = BTreeSet::new();
        for c in known() {
            assert!(ids.insert(c.id), "{} twice", c.id);
            assert!(!c.title.is_empty() && c.doc.ends_with('.'), "{} needs a doc", c.id);
            assert!(c.keys.iter().all(|k| Key::parse_all(k).is_some()), "{}: {:?}", c.id, c.keys);
        }
    }
}
