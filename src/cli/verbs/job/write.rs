//! `deck job write`.

use std::io::Read;
use std::process::ExitCode;

use crate::api::JobWritten;
use crate::cli::error::CliError;
use crate::cli::verbs::Done;
use crate::cli::{Context, complete};
use crate::ops::job::{close, find, write};

/// How much is passed on at once, in bytes.
const CHUNK: usize = 64 * 1024;

/// Write to what a job reads.
#[derive(Debug, clap::Args)]
#[command(
    after_help = "The job must have been started with `--stdin open`. TEXT is written with a newline at its end; stdin is written as it is.\n\nExamples:\n  deck job write api/1 'yes'\n  echo data | deck job write api/1 - --eof"
)]
pub struct Args {
    /// The job.
    #[arg(value_name = "JOB", add = complete::jobs())]
    job: String,
    /// The text; `-` reads it from stdin.
    #[arg(value_name = "TEXT", allow_hyphen_values = true)]
    text: Option<String>,
    /// Let the job see the end of its input then.
    #[arg(long)]
    eof: bool,
}

pub(super) fn run(args: Args, context: &mut Context) -> Done {
    let cx = context.wiring.cx();
    let job = find(&cx, &args.job)?;
    let mut written = 0;
    match args.text.as_deref() {
        None if args.eof => {}
        None => return Err(CliError::usage("nothing to write").hint("give a text, `-` for stdin, or --eof")),
        Some("-") => {
            let (mut stdin, mut bytes) = (std::io::stdin().lock(), vec![0; CHUNK]);
            loop {
                let n = stdin.read(&mut bytes)?;
                if n == 0 {
                    break;
                }
                write(&cx, &job, bytes.get(..n).unwrap_or_default())?;
                written += n as u64;
            }
        }
        Some(text) => {
            let line = format!("{text}\n");
            write(&cx, &job, line.as_bytes())?;
            written = line.len() as u64;
        }
    }
    if args.eof {
        close(&cx, &job)?;
    }
    if context.out.json {
        let job_id = job.job_id.to_string();
        context.out.value(&JobWritten {
            schema_version: crate::api::Version,
            job_id,
            written,
            eof: args.eof,
        })?;
    }
    Ok(ExitCode::SUCCESS)
}
