//! `deck shell list`.

use std::process::ExitCode;

use crate::api::Shell;
use crate::cli::Context;
use crate::cli::table::{Table, dim, plain, strong, terminal_width};
use crate::cli::verbs::Done;
use crate::config::paths::tilde;
use crate::domain::{age, text};
use crate::ops::shell::{self, Listed};
use crate::ports::Clock;
use crate::sys::clock::SystemClock;

/// List shells.
#[derive(Debug, clap::Args)]
#[command(after_help = "Examples:\n  deck shell list\n  deck shell list --all --json")]
pub struct Args {
    /// List shells that were ended, too.
    #[arg(long)]
    all: bool,
}

pub(super) fn run(args: &Args, context: &mut Context) -> Done {
    let (shells, problems) = shell::list(&context.wiring.cx(), args.all)?;
    for problem in problems {
        context.out.warn(&problem);
    }
    if context.out.json {
        let all: Vec<Shell> = shells.iter().map(Shell::from).collect();
        context.out.value(&all)?;
        return Ok(ExitCode::SUCCESS);
    }
    if context.out.quiet {
        shells.iter().try_for_each(|s| context.out.line(s.shell.session_id.as_str()))?;
        return Ok(ExitCode::SUCCESS);
    }
    if shells.is_empty() {
        context.out.note("no shells yet; `deck shell start` starts one");
    }
    let mut table = Table::default();
    for listed in &shells {
        row(&mut table, listed, context.wiring.env.get("HOME"));
    }
    table.lines(terminal_width(), &context.out).iter().try_for_each(|l| context.out.line(l))?;
    Ok(ExitCode::SUCCESS)
}

fn row(table: &mut Table, listed: &Listed, home: Option<&str>) {
    let shell = &listed.shell;
    let does = match listed.running.len() {
        _ if !shell.is_active() || listed.is_lost => listed.status_word().to_owned(),
        0 => "idle".to_owned(),
        n => format!("runs {}", text::counted(n, "job")),
    };
    table.row(vec![
        (shell.session_id.to_string(), plain),
        (shell.name.clone().unwrap_or_default(), strong),
        (does, plain),
        (age::age(SystemClock.now(), shell.last_activity_at), dim),
        (text::counted(usize::try_from(shell.execution_count).unwrap_or(usize::MAX), "job"), dim),
        (shell.kind.clone(), plain),
        (tilde(&shell.work_dir, home), dim),
    ]);
}
