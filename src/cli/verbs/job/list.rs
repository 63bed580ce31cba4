//! `deck job list`.

use std::process::ExitCode;

use crate::api::Job;
use crate::cli::error::CliError;
use crate::cli::table::{Table, dim, plain, strong, terminal_width};
use crate::cli::verbs::Done;
use crate::cli::{Context, complete};
use crate::domain::age;
use crate::domain::shell::{self, JobStatus};
use crate::ops::job::{JobFilter, jobs};
use crate::ports::Clock;
use crate::sys::clock::SystemClock;

/// List jobs, the newest first.
#[derive(Debug, clap::Args)]
#[command(
    after_help = "Statuses: queued, running, draining (it ended, but processes that it started still run), completed, failed, killed, timed_out, cancelled (it never ran), orphaned (nobody recorded how it ended).\n\nExamples:\n  deck job list\n  deck job list api --status running,draining\n  deck job list api --background --limit 5 --json"
)]
pub struct Args {
    /// The shell [default: all].
    #[arg(value_name = "SHELL", add = complete::shells())]
    shell: Option<String>,
    /// Only jobs with these statuses, separated by commas.
    #[arg(long, value_name = "STATUS", value_delimiter = ',', value_parser = status)]
    status: Vec<JobStatus>,
    /// Only jobs in the background.
    #[arg(long)]
    background: bool,
    /// How many jobs at most.
    #[arg(long, value_name = "N")]
    limit: Option<usize>,
}

fn status(word: &str) -> Result<JobStatus, String> {
    let all = JobStatus::ALL.map(JobStatus::word).join(", ");
    JobStatus::from_word(word).ok_or_else(|| format!("one of {all}"))
}

pub(super) fn run(args: &Args, context: &mut Context) -> Done {
    let filter = JobFilter { statuses: args.status.clone(), background: args.background, limit: args.limit };
    let jobs = jobs(&context.wiring.cx(), args.shell.as_deref(), &filter)?;
    if context.out.json {
        let all: Vec<Job> = jobs.iter().map(Job::from).collect();
        context.out.value(&all)?;
    } else if context.out.quiet {
        jobs.iter().try_for_each(|j| context.out.line(&j.job_id.to_string()))?;
    } else {
        if jobs.is_empty() {
            context.out.note("no jobs");
        }
        table(context, &jobs)?;
    }
    Ok(ExitCode::SUCCESS)
}

/// Prints jobs as a table.
pub(in crate::cli::verbs) fn table(context: &Context, jobs: &[shell::Job]) -> Result<(), CliError> {
    let mut table = Table::default();
    for job in jobs {
        let mut status = job.status.word().to_owned();
        if let Some(code) = job.exit_code.filter(|code| *code != 0) {
            status.push_str(&format!(" · exit {code}"));
        }
        if job.status == JobStatus::Draining {
            status.push_str(&format!(" · {} left", job.children.len()));
        }
        let now = SystemClock.now();
        let lasted = match (job.started_at, job.completed_at) {
            (Some(from), to) => age::running(to.unwrap_or(now), from),
            _ => String::new(),
        };
        let first = job.code.lines().find(|l| !l.trim().is_empty()).unwrap_or_default();
        table.row(vec![
            (job.job_id.to_string(), plain),
            (status, strong),
            (lasted, dim),
            (age::age(now, job.queued_at), dim),
            (first.to_owned(), plain),
        ]);
    }
    table.lines(terminal_width(), &context.out).iter().try_for_each(|l| context.out.line(l))
}
