//! `deck job output`.

use std::io::Write;
use std::process::ExitCode;
use std::time::Duration;

use crate::api::JobOutput;
use crate::cli::error::CliError;
use crate::cli::verbs::Done;
use crate::cli::{Context, complete};
use crate::ops::Cx;
use crate::ops::job::{self, OutputRange, Since, find, merged};
use crate::ops::shell::ShellError;
use crate::ports::shells::Which;

/// How often to look for more.
const POLL_INTERVAL: Duration = Duration::from_millis(50);

/// Print what a job printed.
#[derive(Debug, clap::Args)]
#[command(
    after_help = "Both streams go to their own. The first 64 KiB of each and at least the last 1 MiB are kept.\n\nOffsets are bytes from the beginning of a stream: with --json, `offset` is where the next call goes on.\n\nExamples:\n  deck job output api/1\n  deck job output api/1 --json --since 0,0 --limit 4096\n  deck job output api/1 --follow"
)]
pub struct Args {
    /// The job.
    #[arg(value_name = "JOB", add = complete::jobs())]
    job: String,
    /// From this byte of both streams on, or of each: N or N,M.
    #[arg(long, value_name = "N[,M]", value_parser = since, default_value = "0")]
    since: Since,
    /// How many bytes of each stream at most.
    #[arg(long, value_name = "BYTES")]
    limit: Option<u64>,
    /// Print what comes until the job has ended.
    #[arg(long, conflicts_with = "limit")]
    follow: bool,
    /// Print both streams to stdout in the order in which they came.
    #[arg(long, conflicts_with_all = ["follow", "stdout", "stderr"])]
    merged: bool,
    /// Print only stdout.
    #[arg(long, conflicts_with = "stderr")]
    stdout: bool,
    /// Print only stderr, to stdout.
    #[arg(long)]
    stderr: bool,
}

/// `12` for both streams, `12,34` for each.
pub(super) fn since(text: &str) -> Result<Since, String> {
    let number = |text: &str| text.trim().parse::<u64>().map_err(|_| "expected N or N,M".to_owned());
    match text.split_once(',') {
        Some((stdout, stderr)) => Ok(Since::Each(number(stdout)?, number(stderr)?)),
        None => number(text).map(Since::Both),
    }
}

pub(super) fn run(args: &Args, context: &mut Context) -> Done {
    let cx = context.wiring.cx();
    let job = find(&cx, &args.job)?;
    let (stdout, stderr) = args.since.of(&job);
    let mut range = OutputRange { stdout, stderr, limit: args.limit.unwrap_or(u64::MAX) };
    if context.out.json && args.follow {
        return Err(CliError::usage("--follow prints no JSON").hint("use `deck job wait`, or --since again"));
    }
    let mut job = job;
    loop {
        let output = job::output(&cx, job, range)?;
        if context.out.json {
            context.out.value(&JobOutput::from(&output))?;
            return Ok(ExitCode::SUCCESS);
        }
        print(args, &cx, context, &output, range)?;
        let has_more = output.stdout.end < output.stdout.total || output.stderr.end < output.stderr.total;
        if !args.follow || (output.job.status.is_final() && !has_more) {
            return Ok(ExitCode::SUCCESS);
        }
        (range.stdout, range.stderr) = (output.stdout.end, output.stderr.end);
        if !has_more {
            cx.pause(POLL_INTERVAL)?;
        }
        job = cx
            .shells
            .job(&output.job.session_id, output.job.seq)
            .map_err(ShellError::from)?
            .unwrap_or(output.job);
    }
}

fn print(
    args: &Args,
    cx: &Cx,
    context: &Context,
    output: &job::JobOutput,
    range: OutputRange,
) -> Result<(), CliError> {
    if output.job.trimmed {
        context.out.note("its output was removed to make room");
    } else {
        let parts = [("stdout", &output.stdout, range.stdout), ("stderr", &output.stderr, range.stderr)];
        for (name, part, since) in parts {
            let skipped = (part.start > since).then_some((since, part.start));
            for (from, to) in skipped.into_iter().chain(part.gap) {
                context.out.note(&format!("{} bytes of {name} are not kept, from {from} on", to - from));
            }
        }
    }
    if args.merged {
        return merged(cx, output)?.iter().try_for_each(|(_, bytes)| context.out.raw(bytes));
    }
    let to_stderr = |bytes: &[u8]| Ok::<(), CliError>(std::io::stderr().lock().write_all(bytes)?);
    for (which, part) in [(Which::Stdout, &output.stdout), (Which::Stderr, &output.stderr)] {
        match which {
            Which::Stdout if args.stderr => {}
            Which::Stderr if args.stdout => {}
            Which::Stderr if !args.stderr => to_stderr(&part.bytes)?,
            _ => context.out.raw(&part.bytes)?,
        }
    }
    Ok(())
}
