//! `deck shell replay`.

use std::process::ExitCode;

use crate::api::Shell;
use crate::cli::verbs::Done;
use crate::cli::{Context, complete};
use crate::domain::text;
use crate::ops::shell;

/// Run a lost shell's commands again, in a new process.
#[derive(Debug, clap::Args)]
#[command(
    after_help = "The state of a python3 or node shell is in its process. When that is gone, this runs what ran in it, in its order; what the\ncommands did to files and elsewhere, they do again. Those that were killed are left out. A replay that is interrupted leaves the\nshell lost, and can be run again.\n\nExamples:\n  deck shell replay api"
)]
pub struct Args {
    /// The shell.
    #[arg(value_name = "SHELL", add = complete::shells())]
    shell: String,
}

pub(super) fn run(args: &Args, context: &mut Context) -> Done {
    let cx = context.wiring.cx().for_command();
    let out = &context.out;
    let replayed = shell::replay(&cx, &args.shell, &mut |job| {
        out.note(&format!("{}: {}", job.seq, job.first_line()));
    })?;
    if !replayed.left_out.is_empty() {
        let left_out: Vec<String> = replayed.left_out.iter().map(ToString::to_string).collect();
        out.warn(&format!(
            "not run again: {} (killed, or ended their process, or their code is not kept any more)",
            left_out.join(", ")
        ));
    }
    let label = text::clean(replayed.shell.label());
    let count = text::counted(replayed.count, "command");
    if out.json {
        out.value(&Shell::from(&shell::details(&cx, replayed.shell)?))?;
    } else {
        out.line(&format!("ran {count} again in {label}"))?;
    }
    Ok(ExitCode::SUCCESS)
}
