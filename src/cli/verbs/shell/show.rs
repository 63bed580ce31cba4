//! `deck shell show`.

use std::process::ExitCode;

use crate::api::Shell;
use crate::cli::verbs::Done;
use crate::cli::{Context, complete};
use crate::domain::quote::sh_join;
use crate::domain::text;
use crate::ops::shell;

/// Show a shell's details.
#[derive(Debug, clap::Args)]
#[command(
    after_help = "The folder that is shown holds the shell's state, its jobs with their output, and its history; all of it can be read with `cat`.\n\nExamples:\n  deck shell show api\n  deck shell show api --json"
)]
pub struct Args {
    /// The shell.
    #[arg(value_name = "SHELL", add = complete::shells())]
    shell: String,
    /// Print the environment that it was started with, NUL-separated as `env -0` does.
    #[arg(long, conflicts_with = "json")]
    env: bool,
}

pub(super) fn run(args: &Args, context: &mut Context) -> Done {
    let cx = context.wiring.cx();
    if args.env {
        let shell = shell::find(&cx, &args.shell)?;
        for (name, value) in cx.shells.environment(&shell.session_id).map_err(shell::ShellError::from)? {
            context.out.raw(&[name.as_slice(), b"=", &value, b"\0"].concat())?;
        }
        return Ok(ExitCode::SUCCESS);
    }
    let listed = shell::details(&cx, shell::find(&cx, &args.shell)?)?;
    if context.out.json {
        context.out.value(&Shell::from(&listed))?;
        return Ok(ExitCode::SUCCESS);
    }
    let shell = &listed.shell;
    let checkpoints: Vec<&str> = listed.checkpoints.iter().map(|c| c.name.as_str()).collect();
    let running: Vec<String> = listed.running.iter().map(|j| j.job_id.to_string()).collect();
    let rows = [
        ("id", shell.session_id.to_string()),
        ("name", shell.name.clone().unwrap_or_default()),
        ("status", listed.status_word().to_owned()),
        ("command", sh_join(&shell.command)),
        ("program", shell.program.clone()),
        ("run by", sh_join(&shell.wrap)),
        ("owner", shell.owner.clone()),
        ("folder", shell.work_dir.clone()),
        ("created", shell.created_at.to_string()),
        ("last active", shell.last_activity_at.to_string()),
        ("jobs", shell.execution_count.to_string()),
        ("running", running.join(" ")),
        ("checkpoints", checkpoints.join(" ")),
        ("output", text::bytes(shell.bytes)),
        ("files", listed.folder.display().to_string()),
    ];
    for (name, value) in rows.iter().filter(|(_, value)| !value.is_empty()) {
        context.out.line(&format!("{name:<12} {}", text::clean(value)))?;
    }
    Ok(ExitCode::SUCCESS)
}
