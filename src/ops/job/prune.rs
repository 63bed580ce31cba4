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
        let jobs = cx.shells.jobs(shell)?;
        let finished: Vec<_> = jobs.iter().filter(|j| j.status.is_final() && j.children.is_empty()).collect();
        let seqs: Vec<u64> = finished.iter().map(|j| j.seq).collect();
        cx.shells.remove_jobs(&shell.session_id, &seqs)?;
        pruned.jobs += seqs.len() as u64;
        let kept = finished.iter().filter(|j| !j.trimmed).map(|j| j.stdout.kept() + j.stderr.kept());
        let bytes = kept.sum::<u64>();
        pruned.bytes += bytes;
        cx.shells.change(&shell.session_id, &mut |shell| shell.bytes = shell.bytes.saturating_sub(bytes))?;
    }
    Ok(pruned)
}
