//! Which keys stand for which command: the commands' own, with the user's in their place.
//!
//! Invariants: in one place no keys stand for two commands, and none hide behind the beginning of others; what the
//! user's settings get wrong is reported and left out, and everything else is kept.

use super::commands::{self, Command, KeyContext};
use super::key::Key;
use crate::domain::resolve::nearest;

/// The keys of every command.
#[derive(Debug, Clone)]
pub struct Keymap {
    bindings: Vec<Binding>,
}

/// Something in the user's keys that can't be.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct KeyProblem {
    /// The command's name, as the user wrote it.
    pub command: String,
    /// What is wrong.
    pub message: String,
    /// Whether the binding is used anyway: a note, not a mistake.
    pub is_note: bool,
}

impl Default for Keymap {
    fn default() -> Self {
        Self { bindings: commands::bindings().collect() }
    }
}

/// Keys and the command that they stand for.
type Binding = (Vec<Key>, &'static Command);

/// Whether two bindings can't both be: in the same place they are the same, or one begins the other.
fn clash(a: &[Key], one: &Command, b: &[Key], other: &Command) -> bool {
    KeyContext::of(one) == KeyContext::of(other) && (a.starts_with(b) || b.starts_with(a))
}

/// Keys in the notation of the config file.
fn written(keys: &[Key]) -> String {
    keys.iter().map(ToString::to_string).collect::<Vec<_>>().join(" ")
}

impl Keymap {
    /// The commands' own keys with the user's: a command that they name has only their keys, and keys that they
    /// use are taken from the others.
    pub fn with(overrides: &[(String, Vec<String>)]) -> (Self, Vec<KeyProblem>) {
        let mut problems = Vec::new();
        let mut own: Vec<Binding> = Vec::new();
        let mut named: Vec<&str> = Vec::new();
        for (name, keys) in overrides {
            let mut problem =
                |message| problems.push(KeyProblem { command: name.clone(), message, is_note: false });
            let Some(command) = commands::known().find(|c| c.id == name) else {
                let near = nearest(name, commands::known().map(|c| c.id));
                let near = near.map(|n| format!("; did you mean `{n}`?")).unwrap_or_default();
                problem(format!("unknown command `{name}`{near}"));
                continue;
            };
            named.push(command.id);
            for text in keys {
                let Some(keys) = Key::parse_all(text) else {
                    problem(format!("invalid key `{text}`; write it as `g g`, `ctrl-x`, `f5`, `space`"));
                    continue;
                };
                match own.iter().find(|(k, c)| c.id != command.id && clash(k, c, &keys, command)) {
                    Some((_, other)) => problem(format!(
                        "key `{text}` is bound twice: `{}` keeps it, `{}` doesn't get it",
                        other.id, command.id
                    )),
                    None => own.push((keys, command)),
                }
            }
        }
        let free = |(keys, command): &Binding| {
            !named.contains(&command.id) && !own.iter().any(|(k, c)| clash(k, c, keys, command))
        };
        let mut bindings: Vec<Binding> = commands::bindings().filter(free).collect();
        // There is always a way out, and a way to every command.
        for id in ["quit", "palette", "diff-close"] {
            let has = bindings.iter().chain(&own).any(|(_, c)| c.id == id);
            if let (false, Some(command)) = (has, commands::known().find(|c| c.id == id)) {
                let message = format!("`{id}` needs a key; keeping its default keys");
                problems.push(KeyProblem { command: id.to_owned(), message, is_note: false });
                let keys: Vec<_> = command.keys.iter().filter_map(|k| Key::parse_all(k)).collect();
                own.retain(|(k, c)| !keys.iter().any(|own| clash(own, command, k, c)));
                bindings.extend(keys.into_iter().map(|k| (k, command)));
            }
        }
        bindings.extend(own.iter().cloned());
        let map = Self { bindings };
        problems.extend(map.taken(&own, &named));
        (map, problems)
    }

    /// The keys taken from commands that the user has not bound.
    fn taken(&self, own: &[Binding], named: &[&str]) -> Vec<KeyProblem> {
        let mut notes = Vec::new();
        for (keys, command) in own {
            let lost = commands::bindings()
                .filter(|(k, c)| clash(k, c, keys, command))
                .filter(|(_, c)| c.id != command.id && !named.contains(&c.id))
                .filter(|(k, c)| !self.bindings.iter().any(|(kept, by)| by.id == c.id && kept == k));
            for (_, loser) in lost {
                let left = self.keys_of(loser);
                let left = match left.join("`, `") {
                    none if none.is_empty() => "now has no key".to_owned(),
                    keys => format!("keeps `{keys}`"),
                };
                let message = format!("`{}` was bound to `{}`, which {left}", written(keys), loser.id);
                notes.push(KeyProblem { command: command.id.to_owned(), message, is_note: true });
            }
        }
        notes
    }

    /// Every binding of a context.
    pub fn bindings(&self, context: KeyContext) -> impl Iterator<Item = (&[Key], &'static Command)> {
        let here = self.bindings.iter().filter(move |(_, command)| KeyContext::of(command) == context);
        here.map(|(keys, command)| (keys.as_slice(), *command))
    }

    /// The key that runs a command, as a sentence names it; the way through the palette if it has none, which those of a
    /// panel don't have.
    pub fn key(&self, id: &str) -> String {
        let command = commands::known().find(|c| c.id == id);
        let first = |c: &Command| self.keys_of(c).into_iter().next();
        command.and_then(first).unwrap_or_else(|| {
            let title = command.map_or(id, |c| c.title);
            if command.is_some_and(|c| KeyContext::of(c) == KeyContext::Diff) {
                return title.to_owned();
            }
            let palette = commands::all().find(|c| c.id == "palette").and_then(first).unwrap_or_default();
            format!("{palette} {title}")
        })
    }

    /// A command's keys as they are written.
    pub fn keys_of(&self, command: &Command) -> Vec<String> {
        self.bindings.iter().filter(|(_, c)| c.id == command.id).map(|(keys, _)| written(keys)).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn with(all: &[(&str, &[&str])]) -> (Keymap, Vec<String>) {
        let all: Vec<_> =
            all.iter().map(|(c, k)| ((*c).to_owned(), k.iter().map(|k| (*k).to_owned()).collect())).collect();
        let (map, problems) = Keymap::with(&all);
        (map, problems.into_iter().map(|p| format!("{}: {}", p.command, p.message)).collect())
    }

    fn of(map: &Keymap, id: &str) -> String {
        map.keys_of(commands::known().find(|c| c.id == id).unwrap()).join("|")
    }

    #[test]
    fn a_users_keys_take_the_place_of_the_commands_own() {
        let (map, problems) = with(&[("stop", &["ctrl-x"]), ("down", &["n", "g j"]), ("rename", &[])]);
        assert_eq!(problems, ["down: `n` was bound to `new`, which now has no key"]);
        assert_eq!((of(&map, "stop").as_str(), of(&map, "down").as_str()), ("ctrl-x", "n|g j"));
        assert_eq!((of(&map, "new").as_str(), of(&map, "rename").as_str()), ("", ""));
        assert_eq!(of(&map, "first"), "g g|home", "its beginning is the same, its keys are not");
    }

    #[test]
    fn a_command_that_loses_a_key_is_reported() {
        let (_, problems) = with(&[("stop", &["g g"]), ("mark", &["d"]), ("fork", &["ctrl-x"])]);
        let wanted = [
            "mark: `d` was bound to `delete`, which keeps `delete`",
            "stop: `g g` was bound to `first`, which keeps `home`",
        ];
        let mut problems = problems;
        problems.sort();
        assert_eq!(problems, wanted);
    }

    #[test]
    fn what_is_bound_in_the_diff_is_bound_there_alone() {
        let (map, problems) = with(&[
            ("diff-next-hunk", &["]", "g h"]),
            ("diff-copy", &["x"]),
            ("diff-close", &[]),
            ("diff-nxt-file", &["f"]),
        ]);
        let wanted = [
            "diff-nxt-file: unknown command `diff-nxt-file`; did you mean `diff-next-file`?",
            "diff-close: `diff-close` needs a key; keeping its default keys",
            "diff-next-hunk: `g h` was bound to `diff-first`, which keeps `home`",
        ];
        assert_eq!(problems, wanted);
        assert_eq!((of(&map, "diff-next-hunk").as_str(), of(&map, "diff-first").as_str()), ("]|g h", "home"));
        assert_eq!(
            (of(&map, "stop").as_str(), of(&map, "first").as_str()),
            ("x", "g g|home"),
            "as they were"
        );
        assert_eq!((of(&map, "diff-close").as_str(), of(&map, "diff").as_str()), ("esc|q|D", "D"));
        let (map, _) = with(&[("diff-base", &[])]);
        assert_eq!(map.key("diff-base"), "base", "it is in no palette");
    }

    #[test]
    fn invalid_keys_are_reported_and_left_out() {
        let (map, problems) = with(&[
            ("stpo", &["x"]),
            ("stop", &["nonsense"]),
            ("new", &["f9"]),
            ("fork", &["f9", "f10"]),
            ("quit", &[]),
        ]);
        insta::assert_debug_snapshot!(problems);
        assert_eq!((of(&map, "new").as_str(), of(&map, "fork").as_str()), ("f9", "f10"));
        assert_eq!(of(&map, "quit"), "q|ctrl-c");
    }
}
