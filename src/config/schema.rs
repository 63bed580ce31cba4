//! Every setting, its default and its doc.

use serde::{Deserialize, Serialize};

/// The settings, merged from all layers.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(default)]
pub struct Config {
    /// The tool for new sessions where none is named; empty: the first one installed.
    pub default_tool: String,
    /// The tmux server.
    pub tmux: Tmux,
    /// The screen.
    pub ui: Ui,
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
    /// Colours: dark, light, mono or high-contrast.
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
        Self { theme: "dark".to_owned(), ascii: false, mouse: true, split: 36 }
    }
}

/// Every key with its doc, in the order of the example file. `tools.NAME` is a table of its own.
pub const KEYS: &[(&str, &str)] = &[
    ("default_tool", "The tool for new sessions where none is named. Empty: the first one installed."),
    (
        "tmux.socket",
        "The tmux server's socket, as `tmux -L` takes it. Empty: one of deck's own.\n\
         \"default\" is your own server: deck then binds no key there and sets options on its own sessions only.",
    ),
    ("tmux.program", "The tmux program."),
    ("ui.theme", "Colours: dark, light, mono or high-contrast."),
    ("ui.ascii", "Plain letters in place of status glyphs."),
    ("ui.mouse", "Whether deck takes mouse events. Shift keeps your terminal's own selection."),
    ("ui.split", "Width of the list in percent of a wide screen, 20 to 80."),
];
