//! `deck job wait`.

use std::process::ExitCode;

use jiff::SignedDuration;

use super::output::since;
use crate::api::{Code, JobWaited};
use crate::cli::error::CliError;
use crate::cli::verbs::{Done, wait::duration};
use crate::cli::{Context, complete};
use crate::ops::job::{OutputRange, Since, WaitOptions, Waited, find, output, wait};

/// Wait for jobs.
#[derive(Debug, clap::Args)]
#[command(
    after_help = "Exits 0 if all of them ended with 0, 1 if one failed, and 5 when the time is up. With --for or --idle: 0 if it happened, 1 if it can't any more.\n\nExamples:\n  deck job wait api/1\n  deck job wait api/1 --all --timeout 10m\n  deck job wait api/1 --for 'on port [0-9]+' --timeout 30s\n  deck job wait api/1 --idle 1s"
)]
pub struct Args {
    /// The jobs.
    #[arg(required = true, value_name = "JOB", add = complete::jobs())]
    jobs: Vec<String>,
    /// Return when one of them has ended.
    #[arg(long)]
    any: bool,
    /// Wait for the processes that they started, too.
    #[arg(long)]
    all: bool,
    /// Give up after this time, such as 30s or 10m.
    #[arg(long, value_name = "TIME", value_parser = duration)]
    timeout: Option<SignedDuration>,
    /// Wait until they print a line that matches.
    #[arg(long = "for", value_name = "REGEX")]
    pattern: Option<String>,
    /// Only lines from this byte on count: N or N,M.
    #[arg(long, value_name = "N[,M]", value_parser = since, default_value = "0", requires = "pattern")]
    since: Since,
    /// Wait until they have printed nothing for this time.
    #[arg(long, value_name = "TIME", value_parser = duration)]
    idle: Option<SignedDuration>,
}

pub(super) fn run(args: &Args, context: &mut Context) -> Done {
    let cx = context.wiring.cx();
    let jobs = args.jobs.iter().map(|word| find(&cx, word)).collect::<Result<Vec<_>, _>>()?;
    let options = WaitOptions {
        any: args.any,
        all: args.all,
        timeout: args.timeout.map(SignedDuration::unsigned_abs),
        pattern: args.pattern.clone(),
        since: args.since,
        idle: args.idle.map(SignedDuration::unsigned_abs),
    };
    context.listen_for_interrupts()?;
    let waited = wait(&cx, &jobs, &options)?;
    context.collect_answers(jobs.len());
    for one in &waited {
        tell(context, one)?;
    }
    context.conclude(0, Vec::new())?;
    Ok(exit_code(args, &waited))
}

fn tell(context: &Context, waited: &Waited) -> Result<(), CliError> {
    if context.out.json {
        let output = output(&context.wiring.cx(), waited.job.clone(), OutputRange::default())?;
        return context.answer(&JobWaited::of(waited, &output));
    }
    if context.out.quiet {
        return Ok(());
    }
    if let Some(line) = &waited.matched {
        return context.out.line(&crate::domain::text::clean(line));
    }
    let job = &waited.job;
    let code = job.exit_code.map(|code| format!(" · exit {code}")).unwrap_or_default();
    context.out.line(&format!("{} {}{code}", job.job_id, job.status.word()))
}

fn exit_code(args: &Args, waited: &[Waited]) -> ExitCode {
    let is_final = |w: &Waited| w.job.status.is_final();
    let (done, wants_more) =
        (waited.iter().filter(|w| w.is_done), args.pattern.is_some() || args.idle.is_some());
    let counted: Vec<&Waited> = if args.any { done.collect() } else { waited.iter().collect() };
    let code = if counted.is_empty() || counted.iter().any(|w| !w.is_done && !is_final(w)) {
        Code::TimedOut.number()
    } else if counted.iter().any(|w| !w.is_done || (!wants_more && !w.job.is_success())) {
        Code::Failed.number()
    } else {
        0
    };
    ExitCode::from(code)
}
