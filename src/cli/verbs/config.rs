//! `deck config …`: settings. They work whatever is in the file.

use std::process::ExitCode;

use super::Done;
use crate::api::{self, Code, ConfigPath, ConfigWarning, Version};
use crate::cli::complete;
use crate::cli::error::CliError;
use crate::cli::output::Out;
use crate::config::paths::Environment;
use crate::config::{self, Loaded, Paths, Problem, SETTINGS, SetError};
use crate::domain::tool::KEYS as TOOL_KEYS;
use crate::tui;
use crate::wiring::{self, WiringError};

/// Show, change and check the settings.
#[derive(Debug, clap::Subcommand)]
#[command(
    after_help = "The config file is read again by a deck that is open as soon as it changes.\n\nExamples:\n  deck config init\n  deck config get\n  deck config set ui.theme light\n  deck config edit\n  deck config check"
)]
pub enum Args {
    /// Print the path of the config file.
    #[command(after_help = "Examples:\n  deck config path\n  deck config path --json")]
    Path,
    /// Check the config file, its theme and all tool files for mistakes.
    #[command(
        after_help = "Reports every mistake with its line: invalid TOML, unknown keys, wrong values, themes, tools and commands that don't\nexist, keys that are bound twice. Exits 1 if there is one. deck itself starts all the same, without what is wrong.\n\nExamples:\n  deck config check"
    )]
    Check,
    /// Print settings and their values.
    #[command(
        after_help = "Without KEY, print all settings. `keys.COMMAND` is the keys of a command of the TUI.\n\nExamples:\n  deck config get\n  deck config get ui.theme\n  deck config get keys.stop\n  deck config get ui.split --json"
    )]
    Get {
        /// Setting to print, such as `ui.theme` [default: all].
        #[arg(add = complete::settings())]
        key: Option<String>,
    },
    /// Change a setting in the config file.
    #[command(
        after_help = "Comments and the order of the file are kept; the file is created if needed. A value that doesn't fit is refused.\nA setting that takes a list takes several values, or one written as TOML.\n\nExamples:\n  deck config set ui.theme light\n  deck config set notify.bell false\n  deck config set notify.command notify-send deck '{text}'\n  deck config set keys.stop ctrl-x f4\n  deck config set keys.fork '[]'"
    )]
    Set {
        /// Setting to change, such as `ui.theme`, or `keys.COMMAND` for the keys of a command.
        #[arg(add = complete::settings())]
        key: String,
        /// Its new value.
        #[arg(required = true, add = complete::setting_values(), allow_hyphen_values = true)]
        value: Vec<String>,
    },
    /// Open the config file in your editor, then check it.
    #[command(
        after_help = "Opens $VISUAL, else $EDITOR, else vi; without a config file, with one that has every setting as a comment.\nWhat you write is kept, mistakes or not; exits 1 if there are any.\n\nExamples:\n  deck config edit"
    )]
    Edit,
    /// Create a config file that has every setting as a comment.
    #[command(after_help = "An existing file is left unchanged: exits 6.\n\nExamples:\n  deck config init")]
    Init,
    /// Print the JSON Schema of the config file, for your editor.
    #[command(after_help = "Examples:\n  deck config schema > deck-config.schema.json")]
    Schema,
}

pub(super) fn run(args: &Args, env: &Environment, out: &Out) -> Done {
    let paths = Paths::find(env).map_err(WiringError::from)?;
    match args {
        Args::Path => path(&paths, out)?,
        Args::Check => return check(&paths, env, out),
        Args::Get { key } => get(&paths, env, key.as_deref(), out)?,
        Args::Set { key, value } => set(&paths, env, key, value, out)?,
        Args::Edit => return edit(&paths, env, out),
        Args::Init => {
            init(&paths)?;
            path(&paths, out)?;
        }
        Args::Schema => {
            let schema = config::json_schema(TOOL_KEYS.iter().copied());
            out.line(&serde_json::to_string_pretty(&schema).map_err(std::io::Error::other)?)?;
        }
    }
    Ok(ExitCode::SUCCESS)
}

fn path(paths: &Paths, out: &Out) -> Result<(), CliError> {
    let path = paths.config_file.display().to_string();
    if out.json { out.value(&ConfigPath::new(path)) } else { out.line(&path) }
}

/// The settings, and everything that is wrong with them.
fn read(paths: &Paths, env: &Environment) -> (Loaded, Vec<Problem>) {
    let (settings, tools) = wiring::read_settings(paths, env);
    let problems = tui::check_settings(&settings, &tools, paths);
    (settings, problems)
}

fn check(paths: &Paths, env: &Environment, out: &Out) -> Done {
    let (_, problems) = read(paths, env);
    let wrong = problems.iter().filter(|p| !p.is_note).count();
    if out.json {
        let one = |p: Problem| ConfigWarning {
            schema_version: Version,
            path: p.path,
            line: p.line,
            key: p.key,
            message: p.message,
            note: p.is_note,
        };
        out.value(&problems.into_iter().map(one).collect::<Vec<_>>())?;
    } else {
        for problem in &problems {
            out.line(&format!("{}: {problem}", if problem.is_note { "note" } else { "warning" }))?;
        }
        let path = paths.config_file.display();
        if problems.is_empty() && paths.config_file.exists() {
            out.line(&format!("{path}: no problems"))?;
        } else if problems.is_empty() {
            out.line(&format!("{path} doesn't exist; all settings have their defaults"))?;
        }
    }
    match wrong {
        0 => Ok(ExitCode::SUCCESS),
        1 => Err(CliError::new(Code::Failed, "found 1 mistake in the settings")),
        many => Err(CliError::new(Code::Failed, format!("found {many} mistakes in the settings"))),
    }
}

/// A setting as it is now; nothing for one that there isn't.
fn setting(settings: &Loaded, key: &str) -> Option<(toml::Value, api::ConfigSetting)> {
    let (value, default, description) = match key.strip_prefix("keys.") {
        Some(command) => {
            let command = crate::app::commands::known().find(|c| c.id == command)?;
            let keys = |map: crate::app::Keymap| toml::Value::from(map.keys_of(command));
            let own = crate::app::Keymap::with(&settings.config.key_overrides()).0;
            (keys(own), keys(crate::app::Keymap::default()), command.doc)
        }
        None => {
            let setting = SETTINGS.iter().find(|s| s.key == key)?;
            let default = config::Config::default();
            (settings.config.get(key)?, default.get(key)?, setting.doc)
        }
    };
    let shape = api::ConfigSetting {
        schema_version: Version,
        key: key.to_owned(),
        value: serde_json::to_value(&value).ok()?,
        default: serde_json::to_value(&default).ok()?,
        line: settings.line(key),
        description: description.replace('\n', " "),
    };
    Some((value, shape))
}

fn get(paths: &Paths, env: &Environment, key: Option<&str>, out: &Out) -> Result<(), CliError> {
    let (settings, _) = wiring::read_settings(paths, env);
    super::warn_of_settings(&settings.problems, out);
    let Some(key) = key else {
        let all = SETTINGS.iter().filter_map(|s| setting(&settings, s.key));
        if out.json {
            return out.value(&all.map(|(_, shape)| shape).collect::<Vec<_>>());
        }
        for (value, shape) in all {
            let line = format!("{} = {value}", shape.key);
            out.line(&if shape.line.is_some() { line } else { out.dim(&line) })?;
        }
        return Ok(());
    };
    let (value, shape) = setting(&settings, key).ok_or_else(|| unknown(key))?;
    match value.as_str() {
        _ if out.json => out.value(&shape),
        Some(text) => out.line(text),
        None => out.line(&value.to_string()),
    }
}

fn unknown(key: &str) -> CliError {
    SetError::Unknown { key: key.to_owned(), meant: config::meant(key) }.into()
}

fn set(paths: &Paths, env: &Environment, key: &str, words: &[String], out: &Out) -> Result<(), CliError> {
    let changed = tui::set_setting(paths, env, key, words)?;
    for note in &changed.notes {
        out.note(&format!("note: {}", note.message));
    }
    if out.json {
        let (_, shape) = setting(&config::load(&paths.config_file), key).ok_or_else(|| unknown(key))?;
        return out.value(&shape);
    }
    if out.quiet { Ok(()) } else { out.line(&format!("{key} = {}", changed.value)) }
}

fn init(paths: &Paths) -> Result<(), CliError> {
    let file = &paths.config_file;
    // A link to where nothing is, such as one into dotfiles, is followed.
    let made = crate::sys::files::target(file).and_then(|target| {
        target.parent().map_or(Ok(()), crate::sys::files::make_dir)?;
        crate::sys::files::create_new(&target, config::example().as_bytes(), 0o600)
    });
    made.map_err(|error| match error.kind() {
        std::io::ErrorKind::AlreadyExists => {
            CliError::new(Code::Refused, format!("{} exists already", file.display()))
                .hint("`deck config edit` opens it")
        }
        _ => CliError::new(Code::Failed, format!("can't write {}: {error}", file.display())),
    })
}

fn edit(paths: &Paths, env: &Environment, out: &Out) -> Done {
    match init(paths) {
        Err(error) if error.code != Code::Refused => return Err(error),
        // There is one to edit.
        _ => {}
    }
    let mut editor = tui::editor(env.vars(), &env.cwd);
    let status = editor.arg(&paths.config_file).status();
    let status = status.map_err(|e| CliError::new(Code::Failed, tui::no_editor(&e)))?;
    if !status.success() {
        return Err(CliError::new(Code::Failed, format!("your editor failed: {status}")));
    }
    check(paths, env, out)
}
