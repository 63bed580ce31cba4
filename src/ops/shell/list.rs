//! What shells there are.

use super::{ShellError, ShellOpResult};
use crate::domain::shell::{Checkpoint, Job, Shell};
use crate::ops::Cx;

/// A shell, and what runs in it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Listed {
    /// Its record.
    pub shell: Shell,
    /// Its jobs that have not ended.
    pub running: Vec<Job>,
    /// Its folder.
    pub folder: std::path::PathBuf,
    /// The states that were kept, oldest first.
    pub checkpoints: Vec<Checkpoint>,
    /// Whether its process is gone, with its state.
    pub is_lost: bool,
}

impl Listed {
    /// Its status in a word: `active`, `ended`, `lost`.
    pub fn status_word(&self) -> &'static str {
        if self.is_lost { "lost" } else { self.shell.status.word() }
    }
}

/// All shells, oldest first, with those that were ended if `all`; and those that can't be read, in words.
///
/// # Errors
/// The system's.
pub fn list(cx: &Cx, all: bool) -> ShellOpResult<(Vec<Listed>, Vec<String>)> {
    let (shells, problems) = cx.shells.all()?;
    let mut problems: Vec<String> = problems.iter().map(ToString::to_string).collect();
    let mut listed = Vec::new();
    for shell in shells.into_iter().filter(|s| all || s.is_active()) {
        if let Err(error) = super::owner::may_read(cx, &shell) {
            if matches!(error, ShellError::NotOwn { .. }) {
                continue;
            }
            return Err(error);
        }
        match details(cx, shell) {
            Ok(shell) => listed.push(shell),
            Err(error) => problems.push(error.to_string()),
        }
    }
    Ok((listed, problems))
}

/// A shell with what runs in it.
///
/// # Errors
/// The system's.
pub fn details(cx: &Cx, shell: Shell) -> ShellOpResult<Listed> {
    let running = cx.shells.running(&shell)?;
    let folder = cx.shells.folder(&shell.session_id);
    let checkpoints = cx.shells.checkpoints(&shell.session_id)?;
    let is_lost = shell.is_active() && cx.shells.is_lost(&shell);
    Ok(Listed { shell, running, folder, checkpoints, is_lost })
}
