//! `deck config …`: settings.

use std::process::ExitCode;

use super::Done;
use crate::cli::Context;
use crate::cli::error::CliError;
use crate::cli::output::Out;
use crate::config::paths::Environment;
use crate::config::{self, Paths};
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
                context.out.value(&serde_json::json!({ "path": path }))?;
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
    let (_, problems) = crate::app::Keymap::with(&loaded.config.key_overrides());
    for problem in problems {
        let line = crate::domain::places::key_line(&loaded.text, &problem.command);
        let line = line.or_else(|| crate::domain::places::key_line(&loaded.text, "keys"));
        loaded.warnings.push(config::Warning {
            path: paths.config_file.clone(),
            line,
            message: problem.message,
        });
    }
    if out.json {
        let warnings: Vec<_> = loaded
            .warnings
            .iter()
            .map(|w| serde_json::json!({ "path": w.path, "line": w.line, "message": w.message }))
            .collect();
        return out.value(&warnings);
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
    Ok(())
}
