//! Every setting, its default and its doc.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

/// The settings, merged from all layers.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(default)]
pub struct Config {
    /// The tool for new sessions where none is named; empty: the first one installed.
    pub default_tool: String,
    /// Keys of the screen: a command's name and its keys.
    pub keys: BTreeMap<String, Keys>,
    /// The tmux server.
    pub tmux: Tmux,
    /// The screen.
    pub ui: Ui,
    /// How you are told that a session needs you.
    pub notify: Notify,
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

/// The values that a key is switched between, as TOML; none for a free text.
pub fn choices(key: &str) -> &'static [&'static str] {
    match key {
        "ui.ascii" | "ui.mouse" | "notify.bell" | "notify.status_line" => &["true", "false"],
        "ui.theme" => &["\"auto\"", "\"dark\"", "\"light\"", "\"mono\"", "\"high-contrast\""],
        "notify.osc" => &["\"off\"", "\"9\"", "\"777\""],
        _ => &[],
    }
}

impl Config {
    /// The value of a key as TOML; empty for a key that there isn't.
    pub fn value(&self, key: &str) -> String {
        let all = toml::Value::try_from(self).unwrap_or(toml::Value::Boolean(false));
        let found = key.split('.').try_fold(&all, |at, part| at.get(part));
        found.map(ToString::to_string).unwrap_or_default()
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

/// How the user is told that a session needs him.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct Notify {
    /// Whether the terminal's bell rings.
    pub bell: bool,
    /// The terminal's own notification: `9`, `777` or `off`.
    pub osc: String,
    /// A command and its arguments; a word `{text}` is the notice. Empty: none, or one that was refused.
    pub command: Vec<String>,
    /// Whether the line below an attached session names the others that need him.
    pub status_line: bool,
}

impl Default for Notify {
    fn default() -> Self {
        Self { bell: true, osc: "off".to_owned(), command: Vec::new(), status_line: true }
    }
}

/// The tmux server.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct Tmux {
    /// The socket's name, as `tmux -L` takes it; empty: one of deck's own.
    pub socket: String,
    /// The tmux program.
    pub program: String,
}

impl Default for Tmux {
    fn default() -> Self {
        Self { socket: String::new(), program: "tmux".to_owned() }
    }
}

/// The screen.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct Ui {
    /// Colours: auto, dark, light, mono, high-contrast, or a theme of the user's.
    pub theme: String,
    /// Plain letters in place of status glyphs.
    pub ascii: bool,
    /// Whether deck takes mouse events.
    pub mouse: bool,
    /// Width of the list in percent of a wide screen.
    pub split: u16,
}

impl Default for Ui {
    fn default() -> Self {
        Self { theme: "auto".to_owned(), ascii: false, mouse: true, split: 36 }
    }
}

/// Every key with its doc, in the order of the example file. `tools.NAME` is a table of its own.
pub const KEYS: &[(&str, &str)] = &[
    ("default_tool", "The tool for new sessions where none is named. Empty: the first one installed."),
    (
        "keys",
        "Keys of the screen, by the names of commands in docs/keys.md, such as: { stop = \"ctrl-x\", down = [\"n\", \"down\"] }.\n\
         [] takes all keys of a command off.",
    ),
    (
        "tmux.socket",
        "The tmux server's socket, as `tmux -L` takes it. Empty: one of deck's own.\n\
         \"default\" is your own server: deck then binds no key there and sets options on its own sessions only.",
    ),
    ("tmux.program", "The tmux program."),
    (
        "ui.theme",
        "Colours: auto (by the terminal's background), dark, light, mono, high-contrast, or the name of a file\n\
         in the folder `themes` beside this one.",
    ),
    ("ui.ascii", "Plain letters in place of status glyphs."),
    ("ui.mouse", "Whether deck takes mouse events. Shift keeps your terminal's own selection."),
    ("ui.split", "Width of the list in percent of a wide screen, 20 to 80."),
    (
        "notify.bell",
        "Whether the terminal's bell rings when a session comes to need you. Never for the one you look at.",
    ),
    (
        "notify.osc",
        "The terminal's own notification: \"9\" (iTerm2, kitty, WezTerm, Ghostty), \"777\" (urxvt, foot), or \"off\".",
    ),
    (
        "notify.command",
        "A command for the same, such as [\"notify-send\", \"deck\", \"{text}\"]. Empty: none.\n\
         {text} holds what an agent asks. It must be a word of its own that is not run: inside of a script write \"$0\",\n\
         such as [\"sh\", \"-c\", \"echo \\\"$0\\\" >> ~/notices\", \"{text}\"]. A command that would run it is refused.",
    ),
    (
        "notify.status_line",
        "Whether the line below an attached session names the others that need you; prefix and space goes there.",
    ),
];
