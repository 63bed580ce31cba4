//! `deck job kill`.

use crate::api::JobKilled;
use crate::cli::error::CliError;
use crate::cli::verbs::Done;
use crate::cli::{Context, complete};
use crate::ops::job::kill_word;

/// End jobs.
#[derive(Debug, clap::Args)]
#[command(
    after_help = "All processes of a job are ended, also those that left its process group: by TERM, and by KILL what is left after three seconds. With --signal that one signal is sent, and nothing else.\n\nExamples:\n  deck job kill api/1\n  deck job kill api/1 --signal INT"
)]
pub struct Args {
    /// The jobs.
    #[arg(required = true, value_name = "JOB", add = complete::jobs())]
    jobs: Vec<String>,
    /// Send only this signal, such as INT or USR1.
    #[arg(long, value_name = "SIGNAL")]
    signal: Option<String>,
}

pub(super) fn run(args: &Args, context: &mut Context) -> Done {
    let cx = context.wiring.cx();
    context.collect_answers(args.jobs.len());
    let mut failed = Vec::new();
    for word in &args.jobs {
        let result = kill_word(&cx, word, args.signal.as_deref()).map_err(CliError::from);
        let told = result.and_then(|killed| {
            if context.out.json {
                return context.answer(&JobKilled::from(&killed));
            }
            let job = &killed.job;
            let code = job.exit_code.map(|code| format!(" with exit code {code}")).unwrap_or_default();
            let line = match (&args.signal, killed.had_ended) {
                (_, true) => format!("{} already {}{code}", job.job_id, job.status.word()),
                (Some(signal), false) => format!("sent {} to {}", signal.to_ascii_uppercase(), job.job_id),
                (None, false) => format!("{} {}", job.job_id, job.status.word()),
            };
            if context.out.quiet { Ok(()) } else { context.out.line(&line) }
        });
        failed.extend(told.err());
    }
    context.conclude(args.jobs.len(), failed)
}
