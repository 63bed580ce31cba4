//! The settings while the TUI is open: what the model knows of them, reloading, changing.

use std::path::Path;
use std::sync::Arc;

use super::super::settings_file;
use super::super::theme::{self, Depth, Theme};
use super::super::workers::PollerMsg;
use super::Program;
use crate::app::dialogs::Setting;
use crate::app::{self, Done, Model, Msg, Settings, Switch, SwitchDoes, ToolInfo};
use crate::config::{self, Config, Kind, Problem, SETTINGS};
use crate::domain::tool::{McpServer, Tool};
use crate::ports::{Catalogue, Host};
use crate::sys::host::SystemHost;
use crate::wiring::{self, Wiring};

/// The switches that the form offers for a tool.
fn switches(tool: &Tool, config: &Config) -> Vec<Switch> {
    let own = tool.options.iter();
    let own =
        own.map(|o| Switch { label: o.label.clone(), on: false, does: SwitchDoes::Args(o.args.clone()) });
    let takes_server = cfg!(feature = "mcp") && tool.mcp != McpServer::default();
    let on = config.mcp.pass.contains(&tool.name);
    let server =
        takes_server.then(|| Switch { label: "deck's MCP server".to_owned(), on, does: SwitchDoes::Server });
    own.chain(server).collect()
}

/// What the model knows of the settings.
pub(super) fn of(wiring: &Wiring, config: &Config) -> Settings {
    let path = wiring.env.get("PATH").unwrap_or_default();
    let tool = |entry: &Arc<crate::ports::ToolEntry>| {
        let tool = &entry.tool;
        let program = tool.command.split_whitespace().next().unwrap_or_default();
        ToolInfo {
            name: tool.name.clone(),
            title: tool.display_title().to_owned(),
            icon: tool.letter(),
            found: program == "$SHELL" || SystemHost.find_program(program, path, Path::new("/")).is_some(),
            has_version: !program.starts_with('$'),
            takes_servers: !tool.mcp.servers.is_empty(),
            keeps_transcripts: tool.has_conversation(),
            options: switches(tool, config),
        }
    };
    Settings {
        home: wiring.env.get("HOME").map(str::to_owned),
        cwd: wiring.env.cwd.clone(),
        ascii: config.ui.ascii,
        answer_advance: config.ui.answer_advance,
        preview_fit: config.ui.preview_fit,
        split: config.ui.split(),
        columns: config.ui.columns.clone(),
        default_tool: config.default_tool.clone(),
        tools: wiring.live_tools.all().iter().map(tool).collect(),
        theme: config.ui.theme.clone(),
        themes: theme::names(&wiring.paths.themes),
        file: wiring.paths.config_file.to_string_lossy().into_owned(),
        all: SETTINGS.iter().map(|one| setting(wiring, config, one)).collect(),
    }
}

fn setting(wiring: &Wiring, config: &Config, one: &config::Setting) -> Setting {
    let quoted = |word: &String| if one.kind == Kind::Bool { word.clone() } else { format!("\"{word}\"") };
    let words = match one.kind {
        Kind::Theme => theme::names(&wiring.paths.themes),
        kind => kind.words().iter().map(|w| (*w).to_owned()).collect(),
    };
    Setting {
        key: one.key.to_owned(),
        name: one.name.to_owned(),
        value: config.value(one.key),
        doc: one.doc.to_owned(),
        choices: words.iter().map(quoted).collect(),
    }
}

/// Shows what is wrong with the settings: the first mistake, and how many there are. All of them are among the
/// past messages, where the first one is the last; what is only noted, such as a key that means something else now, is
/// nothing to be told at each start.
pub(super) fn report(model: &mut Model, problems: &[Problem]) {
    let (notes, mistakes): (Vec<&Problem>, Vec<&Problem>) = problems.iter().partition(|p| p.is_note);
    for note in notes.iter().rev() {
        model.app.messages.log_only(&note.brief(), model.app.now);
    }
    for problem in mistakes.iter().skip(1).rev() {
        model.log_error(problem.brief());
    }
    let rest = mistakes.len().saturating_sub(1);
    if let Some(first) = mistakes.first() {
        let more = if rest == 0 { String::new() } else { format!(" (and {rest} more: `deck config check`)") };
        model.notify_error(format!("{}{more}", first.brief()));
    }
}

impl Program<'_> {
    /// Takes what was read of the settings file. What can't be used of it leaves the last good values: all of them
    /// when the file is broken, as nobody knows what else was meant.
    pub(super) fn apply_settings(&mut self) {
        let read = self.settings.slot.lock().unwrap_or_else(std::sync::PoisonError::into_inner).take();
        let Some(mut loaded) = read else { return };
        let tools = self.wiring.live_tools.registry();
        wiring::drop_unknown_tools(&mut loaded, &tools, &self.wiring.env);
        let mut problems = settings_file::check(&loaded, &tools, &self.wiring.paths);
        if loaded.is_broken {
            problems.iter_mut().take(1).for_each(|p| p.message.push_str("; keeping the previous settings"));
            report(&mut self.model, &problems);
            return;
        }
        let depth = Depth::of(|name| self.wiring.env.get(name).map(str::to_owned));
        let themes = &self.wiring.paths.themes;
        let (theme, unknown) = Theme::chosen(&loaded.config.ui.theme, depth, themes, self.is_light);
        if unknown.is_none() {
            self.theme = theme;
        }
        if loaded.config.ui.split != self.config.ui.split {
            self.model.view.split = loaded.config.ui.split();
        }
        self.model.app.keymap = Arc::new(app::Keymap::with(&loaded.config.key_overrides()).0);
        let settings = of(self.wiring, &loaded.config);
        let changed = changed(&self.model.app.settings, &settings);
        self.model.app.settings = Arc::new(settings);
        self.workers.poll(PollerMsg::Notify(Box::new(loaded.config.notify.clone())));
        self.config = loaded.config;
        if problems.iter().all(|p| p.is_note) {
            self.model.notify(changed);
        }
        report(&mut self.model, &problems);
    }

    /// Draws with a theme that is not kept; with that of the settings if there is no name.
    pub(super) fn try_theme(&mut self, name: Option<&str>) {
        let depth = Depth::of(|name| self.wiring.env.get(name).map(str::to_owned));
        let name = name.unwrap_or(&self.config.ui.theme);
        let (theme, trouble) = Theme::chosen(name, depth, &self.wiring.paths.themes, self.is_light);
        self.theme = theme;
        if let Some(trouble) = trouble {
            self.model.flash(trouble);
        }
    }

    /// Changes a setting in the file; it is applied as any change of the file is.
    pub(super) fn set(&mut self, key: &str, value: &str) {
        match settings_file::set(&self.wiring.paths, &self.wiring.env, key, &[value.to_owned()]) {
            Ok(_) => self.look_now(),
            Err(why) => {
                self.try_theme(None);
                app::update(&mut self.model, Msg::Done(Done::NotSet(error_words(&why))));
            }
        }
    }
}

/// An error with its cause.
fn error_words(error: &dyn std::error::Error) -> String {
    error.source().map_or_else(|| error.to_string(), |cause| format!("{error}: {cause}"))
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
