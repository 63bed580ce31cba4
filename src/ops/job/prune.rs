//! Removing what finished jobs left. Their lines in the history stay.

use crate::domain::shell::Shell;
use crate::ops::Cx;
use crate::ops::shell::{ShellOpResult, find};

/// What was removed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Pruned {
    /// How many jobs.
    pub jobs: u64,
    /// How many bytes of output.
    pub bytes: u64,
}

/// Removes the records and the output of the finished jobs of one shell, or of all active ones.
///
/// # Errors
/// The system's.
pub fn prune(cx: &Cx, shell: Option<&str>) -> ShellOpResult<Pruned> {
    let shells: Vec<Shell> = match shell {
        Some(word) => vec![find(cx, word)?],
        None => cx.shells.all()?.0.into_iter().filter(Shell::is_active).collect(),
    };
    let mut pruned = Pruned::default();
    for shell in &shells {
        let mut bytes = 0;
        for job in cx.shells.jobs(shell)?.iter().filter(|j| j.status.is_final() && j.children.is_empty()) {
            cx.shells.remove_job(&job.job_id)?;
            pruned.jobs += 1;
            if !job.trimmed {
                bytes += job.stdout.kept() + job.stderr.kept();
            }
        }
        pruned.bytes += bytes;
        cx.shells.change(&shell.session_id, &mut |shell| shell.bytes = shell.bytes.saturating_sub(bytes))?;
    }
    Ok(pruned)
}
