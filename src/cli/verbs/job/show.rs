//! `deck job show`.

use std::process::ExitCode;

use crate::api::Job;
use crate::cli::verbs::Done;
use crate::cli::{Context, complete};
use crate::domain::text;
use crate::ops::job::find;

/// Show a job's record.
#[derive(Debug, clap::Args)]
#[command(after_help = "Examples:\n  deck job show api/1\n  deck job show api/1 --json")]
pub struct Args {
    /// The job.
    #[arg(value_name = "JOB", add = complete::jobs())]
    job: String,
}

pub(super) fn run(args: &Args, context: &mut Context) -> Done {
    let job = find(&context.wiring.cx(), &args.job)?;
    if context.out.json {
        context.out.value(&Job::from(&job))?;
        return Ok(ExitCode::SUCCESS);
    }
    let exit = match (&job.signal, job.exit_code) {
        (Some(signal), Some(code)) => format!("{code} (signal {signal})"),
        (_, Some(code)) => code.to_string(),
        _ => String::new(),
    };
    let time = |at: Option<jiff::Timestamp>| at.map(|t| t.to_string()).unwrap_or_default();
    let children: Vec<String> = job.children.iter().map(|c| format!("{} {}", c.pid, c.command)).collect();
    let state = match (&job.state, &job.state_reason) {
        (Some(_), Some(why)) => format!("unchanged ({why})"),
        (Some(_), None) => "kept".to_owned(),
        _ => String::new(),
    };
    let rows = [
        ("job", job.job_id.to_string()),
        ("status", job.status.word().to_owned()),
        ("reason", job.reason.clone().unwrap_or_default()),
        ("exit code", exit),
        ("state", state),
        ("parent", job.parent_job.as_ref().map(ToString::to_string).unwrap_or_default()),
        ("pid", job.pid.map(|p| p.to_string()).unwrap_or_default()),
        ("folder", job.work_dir.clone()),
        ("queued", time(Some(job.queued_at))),
        ("started", time(job.started_at)),
        ("ended", time(job.completed_at)),
        ("lasted", job.duration_ms.map(|ms| format!("{ms} ms")).unwrap_or_default()),
        ("stdout", text::bytes(job.stdout.total)),
        ("stderr", text::bytes(job.stderr.total)),
        ("running", children.join(", ")),
        ("code", job.code.clone()),
    ];
    for (name, value) in rows.iter().filter(|(_, value)| !value.is_empty()) {
        let value = text::clean_lines(value);
        let mut lines = value.lines();
        context.out.line(&format!("{name:<10} {}", lines.next().unwrap_or_default()))?;
        for line in lines {
            context.out.line(&format!("{:<10} {line}", ""))?;
        }
    }
    Ok(ExitCode::SUCCESS)
}
