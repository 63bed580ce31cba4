//! The settings as the code reads them: fields without defaults, which are in [`super::settings`].

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use crate::domain::columns::Column;
use crate::domain::guard::Limits;
use crate::domain::mcp_scope::Scope;
use crate::domain::shell::Limits as ShellLimits;

use super::settings::defaults;

/// The settings: defaults, with the user's in their place.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Config {
    /// The tool for new sessions where none is named; empty: the first one installed.
    pub default_tool: String,
    /// Keys of the TUI: a command's name and its keys.
    pub keys: BTreeMap<String, Keys>,
    /// The tmux server.
    pub tmux: Tmux,
    /// The TUI.
    pub ui: Ui,
    /// How you are notified that a session needs you.
    pub notify: Notify,
    /// deck's MCP server.
    pub mcp: Mcp,
    /// Headless shells.
    pub shells: Shells,
    /// Worktrees that are made.
    pub worktree: Worktree,
}

/// Worktrees that are made from now on.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Worktree {
    /// Where: `sibling`, `inside`, or a path with `{branch}`.
    pub location: String,
    /// Whether submodules are checked out, too.
    pub submodules: bool,
    /// How much is copied into one at most, in megabytes.
    pub copy_limit: u32,
    /// Names of files and folders that a build makes again.
    pub expendable: Vec<String>,
}

/// Headless shells that are started from now on.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Shells {
    /// A program and its arguments, which each shell is run by; empty for none.
    pub wrap: Vec<String>,
    /// How many one owner may have.
    pub active: u32,
    /// How many jobs of one may run at once.
    pub running: u32,
    /// How much output is kept of one, in megabytes.
    pub megabytes: u32,
}

impl Shells {
    /// What a shell may use.
    pub fn limits(&self) -> ShellLimits {
        let count = |n: u32| usize::try_from(n).unwrap_or(usize::MAX);
        ShellLimits {
            bytes: u64::from(self.megabytes) * 1024 * 1024,
            running: count(self.running),
            shells: count(self.active),
            ..ShellLimits::default()
        }
    }
}

/// deck's MCP server, and the user's.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Mcp {
    /// The user's servers and sets that every session has.
    pub default: Vec<String>,
    /// The version of the protocol that shared servers are asked for.
    pub protocol: String,
    /// The tools whose new sessions get it unasked.
    pub pass: Vec<String>,
    /// The tools that agents may start; empty for all that confine their commands no less than theirs.
    pub may_spawn: Vec<String>,
    /// The scopes of which each use takes the user's consent.
    pub consent: Vec<String>,
    /// How many sessions deep agents may start others.
    pub depth: u32,
    /// How many running sessions one agent may have started.
    pub children: u32,
    /// How many may run below one session of the user's.
    pub tree: u32,
    /// How many messages agents may send until their user acts.
    pub messages: u32,
}

impl Mcp {
    /// The scopes of which each use takes the user's consent.
    pub fn consent(&self) -> Vec<Scope> {
        self.consent.iter().filter_map(|word| Scope::from_word(word)).collect()
    }

    /// How far agents may go.
    pub fn limits(&self) -> Limits {
        let count = |n: u32| usize::try_from(n).unwrap_or(usize::MAX);
        Limits {
            depth: count(self.depth),
            children: count(self.children),
            tree: count(self.tree),
            messages: self.messages,
        }
    }
}

/// One key, or several that do the same.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(untagged)]
pub enum Keys {
    /// One.
    One(String),
    /// Several, or none.
    Many(Vec<String>),
}

/// How the user is notified that a session needs them.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Notify {
    /// Whether the terminal's bell rings.
    pub bell: bool,
    /// The terminal's notification: `9`, `777` or `off`.
    pub osc: String,
    /// A command and its arguments; a word `{text}` is the notice. Empty: none, or one that was refused.
    pub command: Vec<String>,
    /// Whether the status line of an attached session lists the others that need the user.
    pub status_line: bool,
}

/// The tmux server.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Tmux {
    /// The socket's name, as for `tmux -L`; empty: deck's own server.
    pub socket: String,
    /// The tmux program.
    pub program: String,
}

/// The TUI.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Ui {
    /// Colours: auto, dark, light, mono, high-contrast, or a theme of the user's.
    pub theme: String,
    /// ASCII instead of Unicode glyphs.
    pub ascii: bool,
    /// Whether deck takes mouse events.
    pub mouse: bool,
    /// Whether the next session that asks is selected after an answer.
    pub answer_advance: bool,
    /// Whether the selected session has the size of its preview.
    pub preview_fit: bool,
    /// Width of the list in percent of a wide terminal.
    pub split: u16,
    /// What a row of the list shows behind its title.
    pub columns: Vec<Column>,
}

impl Ui {
    /// The width of the list in percent, if one is set.
    pub fn split(&self) -> Option<u16> {
        (self.split > 0).then(|| self.split.clamp(20, 80))
    }
}

impl Default for Config {
    fn default() -> Self {
        #[expect(clippy::expect_used, reason = "a constant, which a test reads")]
        Self::of(defaults()).expect("every setting has a default that fits")
    }
}

impl Config {
    /// The settings of a table that has them all.
    pub(super) fn of(table: toml::Table) -> Result<Self, toml::de::Error> {
        toml::Value::Table(table).try_into()
    }

    /// The value of a setting; nothing for one that there isn't.
    pub fn get(&self, key: &str) -> Option<toml::Value> {
        let all = toml::Value::try_from(self).ok()?;
        key.split('.').try_fold(&all, |at, part| at.get(part)).cloned()
    }

    /// The value of a setting as TOML; empty for one that there isn't.
    pub fn value(&self, key: &str) -> String {
        self.get(key).map(|value| value.to_string()).unwrap_or_default()
    }

    /// The user's keys, command by command.
    pub fn key_overrides(&self) -> Vec<(String, Vec<String>)> {
        let all = |keys: &Keys| match keys {
            Keys::One(key) => vec![key.clone()],
            Keys::Many(keys) => keys.clone(),
        };
        self.keys.iter().map(|(command, keys)| (command.clone(), all(keys))).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::config::settings::SETTINGS;

    #[test]
    fn every_setting_is_a_field_and_every_field_a_setting() {
        fn names(prefix: &str, table: &toml::Table, out: &mut Vec<String>) {
            for (name, value) in table {
                let key = if prefix.is_empty() { name.clone() } else { format!("{prefix}.{name}") };
                match value.as_table().filter(|t| !t.is_empty()) {
                    Some(inner) => names(&key, inner, out),
                    None => out.push(key),
                }
            }
        }
        let config = Config::default();
        let mut fields = Vec::new();
        names("", toml::Value::try_from(&config).unwrap().as_table().unwrap(), &mut fields);
        let mut settings: Vec<_> = SETTINGS.iter().map(|s| s.key.to_owned()).collect();
        fields.sort();
        settings.sort();
        assert_eq!(fields, settings);
        for setting in SETTINGS {
            assert_eq!(config.value(setting.key), setting.default, "{}", setting.key);
        }
    }
}
