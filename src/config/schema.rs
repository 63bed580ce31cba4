//! Every setting, its default and its doc.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

/// The settings, merged from all layers.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(default)]
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
        "ui.ascii" | "ui.mouse" | "ui.answer_advance" | "notify.bell" | "notify.status_line" => {
            &["true", "false"]
        }
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

/// How the user is notified that a session needs them.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
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

impl Default for Notify {
    fn default() -> Self {
        Self { bell: true, osc: "off".to_owned(), command: Vec::new(), status_line: true }
    }
}

/// The tmux server.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct Tmux {
    /// The socket's name, as for `tmux -L`; empty: deck's own server.
    pub socket: String,
    /// The tmux program.
    pub program: String,
}

impl Default for Tmux {
    fn default() -> Self {
        Self { socket: String::new(), program: "tmux".to_owned() }
    }
}

/// The TUI.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct Ui {
    /// Colours: auto, dark, light, mono, high-contrast, or a theme of the user's.
    pub theme: String,
    /// ASCII instead of Unicode glyphs.
    pub ascii: bool,
    /// Whether deck takes mouse events.
    pub mouse: bool,
    /// Whether the next session that asks is selected after an answer.
    pub answer_advance: bool,
    /// Width of the list in percent of a wide terminal.
    pub split: u16,
}

impl Default for Ui {
    fn default() -> Self {
        Self { theme: "auto".to_owned(), ascii: false, mouse: true, answer_advance: true, split: 36 }
    }
}

/// Every key with its doc, in the order of the example file. `tools.NAME` is a table of its own.
pub const KEYS: &[(&str, &str)] = &[
    ("default_tool", "The tool for new sessions if none is given. Empty: the first one installed."),
    (
        "keys",
        "Keys of the TUI, by the names of commands in docs/keys.md, such as: { stop = \"ctrl-x\", down = [\"n\", \"down\"] }.\n\
         [] unbinds the command.",
    ),
    (
        "tmux.socket",
        "The tmux server's socket, as for `tmux -L`. Empty: deck's own server.\n\
         \"default\" is your own server: deck then binds no key there and sets options on its own sessions only.",
    ),
    ("tmux.program", "The tmux program."),
    (
        "ui.theme",
        "Colours: auto (by the terminal's background), dark, light, mono, high-contrast, or the name of a file\n\
         in the folder `themes` next to this one.",
    ),
    ("ui.ascii", "ASCII instead of Unicode glyphs."),
    ("ui.mouse", "Whether deck uses the mouse. Hold shift for your terminal's own selection."),
    ("ui.answer_advance", "Whether the next session that asks is selected after you answered one."),
    ("ui.split", "Width of the list in percent of a wide terminal, 20 to 80."),
    (
        "notify.bell",
        "Whether the terminal's bell rings when a session needs you. Never for the session you are viewing.",
    ),
    (
        "notify.osc",
        "The terminal's notification: \"9\" (iTerm2, kitty, WezTerm, Ghostty), \"777\" (urxvt, foot), or \"off\".",
    ),
    (
        "notify.command",
        "A notification command, such as [\"notify-send\", \"deck\", \"{text}\"]. Empty: none.\n\
         {text} is what an agent asks. It must be an argument by itself that no shell runs: in a script write \"$DECK_TEXT\",\n\
         such as [\"sh\", \"-c\", \"echo \\\"$DECK_TEXT\\\" >> ~/notices\"]. A command that would run it is refused.",
    ),
    (
        "notify.status_line",
        "Whether the status line of an attached session lists others that need you; prefix + space jumps there.",
    ),
];
