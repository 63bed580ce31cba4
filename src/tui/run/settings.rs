//! The settings while the TUI is open: what the model knows of them, reloading, changing.

use std::path::Path;
use std::sync::Arc;

use super::super::theme::{Depth, Theme};
use super::super::workers::PollerMsg;
use super::Program;
use crate::app::dialogs::Setting;
use crate::app::{self, Done, Msg, Settings, ToolInfo};
use crate::config::{self, Config};
use crate::ports::{Catalogue, Host};
use crate::sys::host::SystemHost;
use crate::wiring::Wiring;

/// What the model knows of the settings.
pub(super) fn of(wiring: &Wiring, config: &Config) -> Settings {
    let path = wiring.env.get("PATH").unwrap_or_default();
    let tool = |entry: &Arc<crate::ports::ToolEntry>| {
        let tool = &entry.tool;
        let program = tool.command.split_whitespace().next().unwrap_or_default();
        ToolInfo {
            name: tool.name.clone(),
            title: tool.display_title().to_owned(),
            found: program == "$SHELL" || SystemHost.find_program(program, path, Path::new("/")).is_some(),
            options: tool.options.iter().map(|o| (o.label.clone(), o.args.clone())).collect(),
        }
    };
    Settings {
        home: wiring.env.get("HOME").map(str::to_owned),
        cwd: wiring.env.cwd.clone(),
        ascii: config.ui.ascii,
        answer_advance: config.ui.answer_advance,
        split: config.ui.split,
        default_tool: config.default_tool.clone(),
        tools: wiring.live_tools.all().iter().map(tool).collect(),
        all: config::KEYS.iter().map(|(key, doc)| setting(config, key, doc)).collect(),
    }
}

fn setting(config: &Config, key: &str, doc: &str) -> Setting {
    Setting {
        key: key.to_owned(),
        value: config.value(key),
        doc: doc.to_owned(),
        choices: config::choices(key).iter().map(|c| (*c).to_owned()).collect(),
    }
}

impl Program<'_> {
    /// Takes what was read of the settings file; a bad one changes nothing.
    pub(super) fn apply_settings(&mut self) {
        let read = self.settings.slot.lock().unwrap_or_else(std::sync::PoisonError::into_inner).take();
        let loaded = match read {
            Some(Ok(loaded)) => loaded,
            Some(Err(why)) => {
                self.model.notify_error(format!("{why}; keeping the previous settings"));
                return;
            }
            None => return,
        };
        let depth = Depth::of(|name| self.wiring.env.get(name).map(str::to_owned));
        let themes = &self.wiring.paths.themes;
        let (theme, trouble) = Theme::chosen(&loaded.config.ui.theme, depth, themes, self.is_light);
        let (keymap, problems) = app::Keymap::with(&loaded.config.key_overrides());
        if loaded.config.ui.split != self.config.ui.split {
            self.model.view.split = loaded.config.ui.split.clamp(20, 80);
        }
        self.theme = theme;
        self.model.app.keymap = Arc::new(keymap);
        let settings = of(self.wiring, &loaded.config);
        let changed = changed(&self.model.app.settings, &settings);
        self.model.app.settings = Arc::new(settings);
        self.workers.poll(PollerMsg::Notify(Box::new(loaded.config.notify.clone())));
        self.config = loaded.config;
        let warnings = loaded.warnings.iter().map(ToString::to_string);
        let place = |p: &app::KeyProblem| {
            let line = crate::domain::source_pos::key_line(&loaded.text, &p.command);
            let line = line.map(|l| format!(":{l}")).unwrap_or_default();
            format!("{}{line}: {}", self.settings.path.display(), p.message)
        };
        let (notes, wrong): (Vec<_>, Vec<_>) = problems.iter().partition(|p| p.is_note);
        // The first one is shown in the footer; all of them are among the past messages.
        let wrong = trouble.into_iter().chain(wrong.into_iter().map(place)).chain(warnings);
        let mut odd: Vec<String> = wrong.chain(notes.into_iter().map(place)).collect();
        odd.reverse();
        if odd.is_empty() {
            self.model.notify(changed);
        }
        odd.into_iter().for_each(|words| self.model.notify_error(words));
    }

    /// Changes a setting in the file; it is applied as any change of the file is.
    pub(super) fn set(&mut self, key: &str, value: &str) {
        let path = &self.settings.path;
        let written = config::set(path, key, value).map_err(|e| e.to_string()).and_then(|text| {
            path.parent().map_or(Ok(()), crate::sys::files::make_dir).map_err(|e| e.to_string())?;
            crate::sys::files::replace(path, text.as_bytes(), || Ok(())).map_err(|e| e.to_string())
        });
        match written {
            Ok(()) => self.look_now(),
            Err(why) => {
                app::update(&mut self.model, Msg::Done(Done::NotSet(why)));
            }
        }
    }
}

/// What is another by now, in words.
fn changed(before: &Settings, after: &Settings) -> String {
    let moved = |s: &&Setting| before.all.iter().any(|b| b.key == s.key && b.value != s.value);
    match after.all.iter().filter(moved).collect::<Vec<_>>()[..] {
        [] => "settings reloaded".to_owned(),
        [one] => format!("{} is now {}", one.key, one.value),
        ref many => format!("{} settings changed", many.len()),
    }
}
