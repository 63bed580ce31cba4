//! Profiles, help, the palette, leaving.

use super::{Command, SECTIONS, always};
use crate::app::dialogs::{Help, Palette, Picker, SettingsList};
use crate::app::diff::SECTION;
use crate::app::effect::Effect;
use crate::app::state::Model;
use crate::domain::id::ProfileName;

/// The command that lists the themes.
pub(in crate::app) const THEME: &str = "theme";

pub(super) const COMMANDS: &[Command] = &[
    Command {
        id: "profile",
        title: "profile",
        doc: "Switch or create a profile.",
        keys: &["p"],
        footer: None,
        applies: always,
        needs: "",
        run: profile,
    },
    Command {
        id: THEME,
        title: "theme",
        doc: "Choose the colours from a list; each is shown at once.",
        keys: &[],
        footer: None,
        applies: always,
        needs: "",
        run: themes,
    },
    Command {
        id: "settings",
        title: "settings",
        doc: "Show and change the settings: theme, mouse, notifications, keys.",
        keys: &[","],
        footer: None,
        applies: always,
        needs: "",
        run: |m| {
            m.dialogs.push(Box::new(SettingsList::new(m)));
            Vec::new()
        },
    },
    Command {
        id: "palette",
        title: "commands",
        doc: "Find a command by its name.",
        keys: &[":", "ctrl-p"],
        footer: Some(10),
        applies: always,
        needs: "",
        run: |m| {
            m.dialogs.push(Box::new(Palette::new()));
            Vec::new()
        },
    },
    Command {
        id: "help",
        title: "help",
        doc: "Show all keys.",
        keys: &["?"],
        footer: Some(11),
        applies: always,
        needs: "",
        run: |m| {
            m.dialogs.push(Box::new(Help::new([SECTIONS, SECTION].concat())));
            Vec::new()
        },
    },
    Command {
        id: "refresh",
        title: "refresh",
        doc: "Refresh all sessions now.",
        keys: &["ctrl-r"],
        footer: None,
        applies: always,
        needs: "",
        run: |_| vec![Effect::Refresh],
    },
    Command {
        id: "suspend",
        title: "suspend",
        doc: "Suspend deck (fg resumes it).",
        keys: &["ctrl-z"],
        footer: None,
        applies: always,
        needs: "",
        run: |_| vec![Effect::Suspend],
    },
    Command {
        id: "quit",
        title: "quit",
        doc: "Quit (sessions keep running).",
        keys: &["q", "ctrl-c"],
        footer: Some(12),
        applies: always,
        needs: "",
        run: |_| vec![Effect::Quit],
    },
];

fn profile(model: &mut Model) -> Vec<Effect> {
    let others = model.app.profiles.iter().filter(|p| **p != model.profile.name);
    let choices = others.map(|p| (p.to_string(), vec![Effect::Profile(p.clone())])).collect();
    let picker = Picker::new(&format!("Profile (now {})", model.profile.name), choices)
        .or_new("a new profile", |typed| ProfileName::parse(typed).ok().map(|p| vec![Effect::Profile(p)]));
    model.dialogs.push(Box::new(picker));
    Vec::new()
}

/// Offers the themes; the one under the cursor is shown until another is chosen, or none.
fn themes(model: &mut Model) -> Vec<Effect> {
    let settings = model.app.settings.clone();
    let choice =
        |name: &String| (name.clone(), vec![Effect::Set("ui.theme".to_owned(), format!("{name:?}"))]);
    let now = settings.themes.iter().position(|n| *n == settings.theme).unwrap_or(0);
    let picker = Picker::new("Theme", settings.themes.iter().map(choice).collect())
        .starting_at(now)
        .trying(|name| Effect::TryTheme(Some(name.to_owned())), Effect::TryTheme(None));
    model.dialogs.push(Box::new(picker));
    Vec::new()
}
