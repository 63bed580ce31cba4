//! Writing to what a job reads.

use crate::domain::shell::Job;
use crate::ops::Cx;
use crate::ops::shell::{ShellError, ShellOpResult};

/// Writes bytes to a job that was started with an open input.
///
/// # Errors
/// [`ShellError::NotReading`] when it reads nothing, or no more.
pub fn write(cx: &Cx, job: &Job, bytes: &[u8]) -> ShellOpResult<()> {
    super::of_own_shell(cx, job)?;
    if cx.shells.write(&job.job_id, bytes)? { Ok(()) } else { Err(not_reading(job)) }
}

/// Ends what a job reads: it sees the end of its input.
///
/// # Errors
/// As for [`write`].
pub fn close(cx: &Cx, job: &Job) -> ShellOpResult<()> {
    super::of_own_shell(cx, job)?;
    if cx.shells.control(&job.job_id, "eof")? { Ok(()) } else { Err(not_reading(job)) }
}

fn not_reading(job: &Job) -> ShellError {
    let name = job.job_id.to_string();
    if job.status.is_final() {
        return ShellError::JobEnded { job: name, status: job.status.word() };
    }
    ShellError::NotReading(name)
}
