//! `deck config …`: settings.

use std::process::ExitCode;

use super::Done;
use crate::api::{Code, ConfigPath, ConfigWarning, Version};
use crate::cli::Context;
use crate::cli::error::CliError;
use crate::cli::output::Out;
use crate::config::paths::Environment;
use crate::config::{self, Paths};
use crate::tui::{Depth, Theme};
use crate::wiring::WiringError;

/// Show or check the config file.
#[derive(Debug, clap::Subcommand)]
#[command(after_help = "Examples:\n  deck config path\n  deck config check")]
pub enum Args {
    /// Print the path of the config file.
    #[command(after_help = "Examples:\n  deck config path\n  deck config path --json")]
    Path,
    /// Check the config file for mistakes.
    #[command(
        after_help = "Unknown keys are reported too. Exits 1 if the file can't be used.\n\nExamples:\n  deck config check"
    )]
    Check,
}

pub(super) fn run(args: &Args, context: &mut Context) -> Done {
    match args {
        Args::Path => {
            let path = context.wiring.paths.config_file.display().to_string();
            if context.out.json {
                context.out.value(&ConfigPath::new(path))?;
            } else {
                context.out.line(&path)?;
            }
            Ok(ExitCode::SUCCESS)
        }
        // Runs before the settings are read.
        Args::Check => Ok(ExitCode::SUCCESS),
    }
}

/// Checks the settings file; works also when nothing else does.
pub(super) fn check(env: &Environment, out: &Out) -> Result<(), CliError> {
    let paths = Paths::find(env).map_err(WiringError::from)?;
    let loaded = config::load(&paths.config_file).map_err(WiringError::from).map_err(|e| {
        let mut error = CliError::from(e);
        error.hint = Some("config.example.toml shows every key with its default".to_owned());
        error
    })?;
    let mut loaded = loaded;
    let mut wrong = loaded.warnings.len();
    let theme = &loaded.config.ui.theme;
    let (_, trouble) = Theme::chosen(theme, Depth::True, &paths.themes, false);
    if let Some(message) = trouble {
        wrong += 1;
        // A mistake in a theme file is reported for that file.
        let own = message.starts_with(&paths.themes.display().to_string());
        let line = crate::domain::source_pos::key_line(&loaded.text, "theme");
        let (path, message) = match message.split_once(": ").filter(|_| own) {
            Some((path, rest)) => (path.into(), rest.to_owned()),
            None => (paths.config_file.clone(), message),
        };
        loaded.warnings.push(config::Warning { path, line: line.filter(|_| !own), message });
    }
    let (_, problems) = crate::app::Keymap::with(&loaded.config.key_overrides());
    for problem in problems {
        wrong += usize::from(!problem.is_note);
        let line = crate::domain::source_pos::key_line(&loaded.text, &problem.command);
        let line = line.or_else(|| crate::domain::source_pos::key_line(&loaded.text, "keys"));
        loaded.warnings.push(config::Warning {
            path: paths.config_file.clone(),
            line,
            message: problem.message,
        });
    }
    if out.json {
        let one = |w: config::Warning| ConfigWarning {
            schema_version: Version,
            path: w.path,
            line: w.line,
            message: w.message,
        };
        let warnings: Vec<_> = loaded.warnings.into_iter().map(one).collect();
        out.value(&warnings)?;
        return verdict(wrong);
    }
    for warning in &loaded.warnings {
        out.line(&format!("warning: {warning}"))?;
    }
    if loaded.warnings.is_empty() {
        let path = paths.config_file.display();
        out.line(&if paths.config_file.exists() {
            format!("{path}: no problems")
        } else {
            format!("{path} doesn't exist; all settings have their defaults")
        })?;
    }
    verdict(wrong)
}

/// A failure if there are mistakes.
fn verdict(wrong: usize) -> Result<(), CliError> {
    match wrong {
        0 => Ok(()),
        1 => Err(CliError::new(Code::Failed, "found 1 mistake in the settings")),
        many => Err(CliError::new(Code::Failed, format!("found {many} mistakes in the settings"))),
    }
}
