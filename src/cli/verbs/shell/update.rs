//! `deck shell update`.

use std::process::ExitCode;

use crate::api::Shell;
use crate::cli::error::CliError;
use crate::cli::verbs::Done;
use crate::cli::{Context, complete};
use crate::config::paths::expand;
use crate::domain::shell::Changes;
use crate::ops::shell;

/// Change a shell: its folder, its variables, its name.
#[derive(Debug, clap::Args)]
#[command(
    after_help = "The changes are made by a command in the shell, which is recorded as a job; the first one that fails ends it.\n--var takes JSON: text, a number, a list or a map of text; null unsets.\n\nExamples:\n  deck shell update api --cwd /tmp\n  deck shell update api --env PORT=8080 --unset DEBUG\n  deck shell update api --var 'hosts=[\"a\",\"b\"]' --name backend"
)]
pub struct Args {
    /// The shell.
    #[arg(value_name = "SHELL", add = complete::shells())]
    shell: String,
    /// Go to this folder.
    #[arg(long, value_name = "DIR")]
    cwd: Option<String>,
    /// Export a variable; may be repeated.
    #[arg(long, value_name = "NAME=VALUE")]
    env: Vec<String>,
    /// Unset a variable; may be repeated.
    #[arg(long, value_name = "NAME")]
    unset: Vec<String>,
    /// Set a variable that is not exported; may be repeated.
    #[arg(long, value_name = "NAME=JSON", value_parser = variable)]
    var: Vec<(String, serde_json::Value)>,
    /// Give it another name.
    #[arg(long, value_name = "NAME")]
    name: Option<String>,
}

fn variable(text: &str) -> Result<(String, serde_json::Value), String> {
    let (name, value) = text.split_once('=').ok_or("expected NAME=JSON")?;
    let value = serde_json::from_str(value).map_err(|error| format!("{value:?} is no JSON: {error}"))?;
    Ok((name.to_owned(), value))
}

pub(super) fn run(args: Args, context: &mut Context) -> Done {
    let cx = context.wiring.cx();
    let folder = args.cwd.as_deref().map(|dir| expand(dir, &context.wiring.env));
    let text = |path: std::path::PathBuf| {
        path.into_os_string().into_string().map_err(|_| CliError::usage("the folder's path is not UTF-8"))
    };
    let changes = Changes {
        folder: folder.map(|path| text(cx.caller.cwd.join(path))).transpose()?,
        env: shell::variables(&args.env)?,
        unset: args.unset,
        vars: args.var,
    };
    if changes.is_empty() && args.name.is_none() {
        return Err(CliError::usage("nothing to change").hint("give --cwd, --env, --unset, --var or --name"));
    }
    let shell = shell::update(&cx, &args.shell, &changes, args.name.as_deref())?;
    if context.out.json {
        context.out.value(&Shell::from(&shell::details(&cx, shell)?))?;
    } else if !context.out.quiet {
        context.out.line(&format!("updated {}", shell.label()))?;
    }
    Ok(ExitCode::SUCCESS)
}
