//! The registry of settings: one entry each, with its default, its doc and what it may be.
//!
//! Invariant: nothing else knows a default. The example file, the JSON Schema, the TUI's list of settings,
//! completions and every check are made from these entries.

use super::kind::Kind;
use crate::domain::resolve::nearest;

/// One setting.
#[derive(Debug)]
pub struct Setting {
    /// Its key, with the table that it is in: `ui.theme`.
    pub key: &'static str,
    /// Its name for people.
    pub name: &'static str,
    /// What it may be.
    pub kind: Kind,
    /// Its default, as TOML.
    pub default: &'static str,
    /// What it does.
    pub doc: &'static str,
}

/// Every setting, in the order of the example file.
pub const SETTINGS: &[Setting] = &[
    Setting {
        key: "default_tool",
        name: "Default tool",
        kind: Kind::Tool,
        default: "\"\"",
        doc: "The tool for new sessions if none is given. Empty: the first one installed.",
    },
    Setting {
        key: "keys",
        name: "Key bindings",
        kind: Kind::Keys,
        default: "{}",
        doc: "Keys of the TUI, by the names of commands in docs/keys.md, such as: { stop = \"ctrl-x\", down = [\"n\", \"down\"] }.\n\
              [] unbinds the command.",
    },
    Setting {
        key: "tmux.socket",
        name: "tmux socket",
        kind: Kind::Text,
        default: "\"\"",
        doc: "The tmux server's socket, as for `tmux -L`. Empty: deck's own server.\n\
              \"default\" is your own server: deck then binds no key there and sets options on its own sessions only.",
    },
    Setting {
        key: "tmux.program",
        name: "tmux program",
        kind: Kind::Text,
        default: "\"tmux\"",
        doc: "The tmux program.",
    },
    Setting {
        key: "ui.theme",
        name: "Theme",
        kind: Kind::Theme,
        default: "\"auto\"",
        doc: "Colours: auto (by the terminal's background), dark, light, mono, high-contrast, catppuccin, gruvbox, nord,\n\
              solarized, tokyo-night, or the name of a file in the folder `themes` next to config.toml (see docs/themes.md).",
    },
    Setting {
        key: "ui.ascii",
        name: "ASCII glyphs",
        kind: Kind::Bool,
        default: "false",
        doc: "ASCII instead of Unicode glyphs.",
    },
    Setting {
        key: "ui.mouse",
        name: "Mouse",
        kind: Kind::Bool,
        default: "true",
        doc: "Whether deck uses the mouse. Hold shift for your terminal's own selection.",
    },
    Setting {
        key: "ui.answer_advance",
        name: "Go to next question",
        kind: Kind::Bool,
        default: "true",
        doc: "Whether the next session that asks is selected after you answered one.",
    },
    Setting {
        key: "ui.preview_fit",
        name: "Fit to preview",
        kind: Kind::Bool,
        default: "true",
        doc: "Whether the selected session has the size of its preview while nobody is attached to it, so that its lines are\n\
              whole. Sessions that were adopted keep theirs.",
    },
    Setting {
        key: "ui.split",
        name: "List width",
        kind: Kind::Number { least: 0, most: 80 },
        default: "0",
        doc: "Width of the list in percent of a wide terminal, 20 to 80. 0: by the terminal's width, 38 to 48.",
    },
    Setting {
        key: "ui.columns",
        name: "List columns",
        kind: Kind::Columns,
        default: "[\"branch\", \"detail\", \"status\", \"age\"]",
        doc: "What a row of the list shows behind its title, in this order, as far as the list is wide enough:\n\
              branch (from 58 columns), detail (the question, the error or the last line of the answer; from 70),\n\
              status (from 45), age.",
    },
    Setting {
        key: "notify.bell",
        name: "Bell",
        kind: Kind::Bool,
        default: "true",
        doc: "Whether the terminal's bell rings when a session needs you. Never for the session you are viewing.",
    },
    Setting {
        key: "notify.osc",
        name: "Terminal notification",
        kind: Kind::OneOf(&["off", "9", "777"]),
        default: "\"off\"",
        doc: "The terminal's notification: \"9\" (iTerm2, kitty, WezTerm, Ghostty), \"777\" (urxvt, foot), or \"off\".",
    },
    Setting {
        key: "notify.command",
        name: "Notification command",
        kind: Kind::Command,
        default: "[]",
        doc: "A notification command, such as [\"notify-send\", \"deck\", \"{text}\"]. Empty: none.\n\
              {text} is what an agent asks. It must be an argument by itself that no shell runs: in a script write \"$DECK_TEXT\",\n\
              such as [\"sh\", \"-c\", \"echo \\\"$DECK_TEXT\\\" >> ~/notices\"]. A command that would run it is refused.",
    },
    Setting {
        key: "notify.status_line",
        name: "Status line",
        kind: Kind::Bool,
        default: "true",
        doc: "Whether the status line of an attached session lists others that need you; prefix + space jumps there.",
    },
    Setting {
        key: "mcp.default",
        name: "MCP servers for all",
        kind: Kind::McpServers,
        default: "[]",
        doc: "MCP servers that every session has, such as [\"memory\", \"@web\"]: names of [mcps.NAME] and, with @, of [mcp_sets].\n\
              `deck mcp detach` takes one away from a session or a group.",
    },
    Setting {
        key: "mcp.protocol",
        name: "Shared MCP servers",
        kind: Kind::Text,
        default: "\"2025-06-18\"",
        doc: "The version of the protocol that MCP servers with `share` are asked for: one for all their clients. Gemini CLI drops a\n\
              server that speaks a newer one than it does.",
    },
    Setting {
        key: "mcp.pass",
        name: "MCP server for",
        kind: Kind::Tools,
        default: "[]",
        doc: "Tools whose new sessions get deck's MCP server, such as [\"claude\", \"gemini\"], as with `deck add --mcp`.\n\
              Those that confine the commands they run get no shells unless `deck add --mcp=shells,look` asks for them.\n\
              `--mcp=none` starts one without the server.",
    },
    Setting {
        key: "mcp.may_spawn",
        name: "Agents may start",
        kind: Kind::Tools,
        default: "[]",
        doc: "Tools that an agent with the scope `spawn` may start. Empty: every agent, but none that doesn't confine its\n\
              commands for one that does.",
    },
    Setting {
        key: "mcp.consent",
        name: "Ask before agents",
        kind: Kind::SomeOf(&["talk", "spawn", "answer"]),
        default: "[]",
        doc: "Scopes of which you are asked each time that an agent uses one, such as [\"spawn\", \"answer\"]. Its own program asks\n\
              you (MCP's elicitation); what can't ask is refused, and so are deck's commands when an agent runs them.",
    },
    Setting {
        key: "mcp.depth",
        name: "Depth of agents",
        kind: Kind::Number { least: 0, most: 10 },
        default: "2",
        doc: "How many sessions deep agents may start others, below a session of yours.",
    },
    Setting {
        key: "mcp.children",
        name: "Agents per agent",
        kind: Kind::Number { least: 0, most: 100 },
        default: "4",
        doc: "How many sessions that one agent started may run at once.",
    },
    Setting {
        key: "mcp.tree",
        name: "Agents per tree",
        kind: Kind::Number { least: 0, most: 1000 },
        default: "12",
        doc: "How many sessions may run at once below one of yours.",
    },
    Setting {
        key: "mcp.messages",
        name: "Messages of agents",
        kind: Kind::Number { least: 0, most: 10000 },
        default: "40",
        doc: "How many messages the agents below one session of yours may send until you act in one of them: attach, type, send\n\
              or answer.",
    },
    Setting {
        key: "shells.wrap",
        name: "Sandbox of shells",
        kind: Kind::Words,
        default: "[]",
        doc: "A program that every headless shell is run by, with its arguments, such as [\"bwrap\", \"--ro-bind\", \"/\", \"/\",\n\
              \"--bind\", \"{job}\", \"{job}\", \"--\"]. {job} is the one folder that must stay writable for the state to be kept.\n\
              A shell keeps what it was started with.",
    },
    Setting {
        key: "shells.active",
        name: "Shells per owner",
        kind: Kind::Number { least: 1, most: 1000 },
        default: "10",
        doc: "How many headless shells a session, or you, may have. One more ends the least recently used one that runs nothing.",
    },
    Setting {
        key: "shells.running",
        name: "Jobs per shell",
        kind: Kind::Number { least: 1, most: 1000 },
        default: "16",
        doc: "How many jobs of one headless shell may run at once.",
    },
    Setting {
        key: "shells.megabytes",
        name: "Output per shell",
        kind: Kind::Number { least: 1, most: 100_000 },
        default: "50",
        doc: "How much output is kept of one headless shell, in megabytes; that of its oldest jobs goes first.",
    },
    Setting {
        key: "worktree.location",
        name: "Place of worktrees",
        kind: Kind::Location,
        default: "\"sibling\"",
        doc: "Where worktrees are made: \"sibling\" ({parent}/{repo}-worktrees/{branch}), \"inside\" ({repo}/.worktrees/{branch}), or a\n\
              path with {branch}, and maybe {repo}, {parent} and {home}. `deck repo set R location=…` says it for one repository.",
    },
    Setting {
        key: "worktree.submodules",
        name: "Submodules",
        kind: Kind::Bool,
        default: "true",
        doc: "Whether the submodules of a new worktree are checked out before its agent is started.",
    },
    Setting {
        key: "worktree.copy_limit",
        name: "Copied files",
        kind: Kind::Number { least: 0, most: 1_000_000 },
        default: "200",
        doc: "How much of the files that .worktreeinclude names is copied into a new worktree at most, in megabytes.",
    },
    Setting {
        key: "worktree.expendable",
        name: "Expendable files",
        kind: Kind::Words,
        default: "[\"node_modules\", \"target\", \".venv\", \"venv\", \"dist\", \"build\", \"out\", \".next\", \".nuxt\", \"__pycache__\", \".pytest_cache\", \".mypy_cache\", \".ruff_cache\", \".gradle\", \".cache\", \".turbo\", \".parcel-cache\", \"coverage\", \".DS_Store\"]",
        doc: "Names of files and folders that git ignores and that a build makes again: a worktree is removed with them. Any other\n\
              ignored file keeps one from being removed, unless it is an unchanged copy of deck's.",
    },
];

/// The table of the keys of commands; what is in it are settings, too.
const KEYS: &str = "keys";

impl Setting {
    /// The setting of this name.
    pub fn named(key: &str) -> Option<&'static Self> {
        SETTINGS.iter().find(|s| s.key == key)
    }
}

/// What the setting of this name may be: `ui.theme`, or `keys.stop` for the keys of one command.
pub fn kind_of(key: &str) -> Option<Kind> {
    let of_command = key.strip_prefix(KEYS).and_then(|rest| rest.strip_prefix('.'));
    match of_command {
        Some(command) => (!command.is_empty() && !command.contains('.')).then_some(Kind::Key),
        None => Setting::named(key).map(|s| s.kind),
    }
}

/// Whether this is the name of a table of settings.
pub(super) fn is_table(key: &str) -> bool {
    SETTINGS.iter().any(|s| s.key.strip_prefix(key).is_some_and(|rest| rest.starts_with('.')))
}

/// The setting that an unknown name was probably meant to be. A name that was written without its table, or in
/// the wrong one, means the one that ends the same way.
pub fn meant(key: &str) -> Option<&'static str> {
    let name = |key: &'static str| key.rsplit('.').next().unwrap_or(key);
    let last = key.rsplit('.').next().unwrap_or(key);
    let table = |key: &'static str| key.split_once('.').map(|(table, _)| table);
    nearest(key, SETTINGS.iter().map(|s| s.key))
        .or_else(|| SETTINGS.iter().map(|s| s.key).find(|k| name(k) == last))
        .or_else(|| {
            let near = nearest(last, SETTINGS.iter().map(|s| name(s.key)))?;
            SETTINGS.iter().map(|s| s.key).find(|k| name(k) == near)
        })
        .or_else(|| nearest(key, SETTINGS.iter().filter_map(|s| table(s.key)).filter(|t| *t != key)))
}

/// All defaults, as the table that the file would be.
pub(super) fn defaults() -> toml::Table {
    let lines: String = SETTINGS.iter().map(|s| format!("{} = {}\n", s.key, s.default)).collect();
    toml::from_str(&lines).unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_default_fits_its_setting() {
        let defaults = defaults();
        for setting in SETTINGS {
            let mut at = toml::Value::Table(defaults.clone());
            for part in setting.key.split('.') {
                at = at.get(part).unwrap_or_else(|| panic!("{} has no default", setting.key)).clone();
            }
            assert_eq!(setting.kind.refusal(&at), None, "{}", setting.key);
            assert_eq!(at.to_string(), setting.default, "{}", setting.key);
        }
    }

    #[test]
    fn every_name_is_short_and_used_once() {
        for setting in SETTINGS {
            assert!((3..=21).contains(&setting.name.len()), "{}", setting.name);
            assert_eq!(SETTINGS.iter().filter(|s| s.name == setting.name).count(), 1, "{}", setting.name);
        }
    }

    #[test]
    fn what_an_unknown_name_was_meant_to_be() {
        let all = [
            ("ui.theem", Some("ui.theme")),
            ("theme", Some("ui.theme")),
            ("notify.mouse", Some("ui.mouse")),
            ("ui.spilt", Some("ui.split")),
            ("boll", Some("notify.bell")),
            ("notfy", Some("notify")),
            ("nonsense", None),
        ];
        for (typed, want) in all {
            assert_eq!(meant(typed), want, "{typed}");
        }
        assert_eq!(kind_of("keys.stop"), Some(Kind::Key));
        assert_eq!((kind_of("keys."), kind_of("keys.a.b"), kind_of("ui")), (None, None, None));
    }
}
