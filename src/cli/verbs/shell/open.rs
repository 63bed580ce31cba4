//! `deck shell open`, and the hidden verb that its session runs.

use std::os::unix::process::CommandExt;
use std::process::ExitCode;

use crate::api::{Code, Session};
use crate::cli::error::CliError;
use crate::cli::verbs::Done;
use crate::cli::{Context, complete};
use crate::ops::shell;
use crate::sys::spawn;

/// Open a shell as a session: a bash for you that starts where the headless one is.
#[derive(Debug, clap::Args)]
#[command(
    after_help = "The session starts in the shell's folder, with its variables, functions and options; what you do there stays there.\nset -e is off in it, and TERM, PAGER and the like are those of your terminal.\n\nExamples:\n  deck shell open api"
)]
pub struct Args {
    /// The shell.
    #[arg(value_name = "SHELL", add = complete::shells())]
    shell: String,
}

pub(super) fn run(args: &Args, context: &mut Context) -> Done {
    let cx = context.wiring.cx();
    let created = shell::open(&cx, &args.shell)?;
    if context.out.json {
        context.out.value(&Session::of(&created.session, cx.profile.name.as_str(), None))?;
    } else if !context.out.quiet {
        context.out.line(&format!("opened {} as session {}", args.shell, created.session.title))?;
    }
    Ok(ExitCode::SUCCESS)
}

/// Become the bash of a session that was opened from a headless shell.
#[derive(Debug, clap::Args)]
pub struct EnterArgs {
    shell: String,
}

pub(in crate::cli::verbs) fn enter(args: &EnterArgs, context: &mut Context) -> Done {
    let plan = shell::interactive(&context.wiring.cx(), &args.shell)?;
    let mut command = spawn::command(&plan.program);
    command.args(&plan.args).current_dir(&plan.folder).env_clear().envs(plan.env);
    let error = command.env("PWD", &plan.folder).exec();
    Err(CliError::new(Code::Failed, format!("can't run {}: {error}", plan.program.display())))
}
