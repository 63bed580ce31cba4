//! Finding the shell or job that a word means.

use super::id::sequence;
use super::{JobId, Shell, ShellId};

/// Why a word names no single shell.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum ShellResolveError {
    /// Nothing has that name.
    #[error("no shell {0:?}")]
    Missing(String),
    /// Several have it.
    #[error("{name:?} matches {} shells", labels.len())]
    Ambiguous {
        /// The word given.
        name: String,
        /// Their ids.
        labels: Vec<String>,
    },
    /// `.` outside of a shell.
    #[error("`.` only works inside a shell")]
    NotInside,
}

/// The shell that `word` means: by id, name, the end of the id, or `.` for the one that the caller runs in. Active
/// ones hide those that were ended.
///
/// # Errors
/// [`ShellResolveError`] when no single shell is meant.
pub fn find_shell<'a>(
    shells: &'a [Shell],
    word: &str,
    inside: Option<&ShellId>,
) -> Result<&'a Shell, ShellResolveError> {
    let missing = || ShellResolveError::Missing(word.to_owned());
    if word == "." {
        let id = inside.ok_or(ShellResolveError::NotInside)?;
        return shells.iter().find(|s| s.session_id == *id).ok_or_else(missing);
    }
    if let Some(shell) = shells.iter().find(|s| s.session_id.as_str() == word) {
        return Ok(shell);
    }
    let named = |s: &&Shell| s.name.as_deref() == Some(word);
    let ends = |s: &&Shell| word.len() >= 3 && s.session_id.as_str().ends_with(word);
    for active in [true, false] {
        for test in [&named as &dyn Fn(&&Shell) -> bool, &ends] {
            let found: Vec<&Shell> = shells.iter().filter(|s| s.is_active() == active && test(s)).collect();
            match found.as_slice() {
                [] => {}
                [one] => return Ok(one),
                // Of several that were ended, the last one is meant.
                several if !active => {
                    return several.iter().max_by_key(|s| s.ended_at).copied().ok_or_else(missing);
                }
                several => {
                    let labels = several.iter().map(|s| s.session_id.to_string()).collect();
                    return Err(ShellResolveError::Ambiguous { name: word.to_owned(), labels });
                }
            }
        }
    }
    Err(missing())
}

/// A word that names a job.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum JobWord {
    /// Its id.
    Id(JobId),
    /// A shell's word and the job's number.
    Of(String, u64),
    /// The job's number in the shell that the caller runs in.
    Here(u64),
}

impl JobWord {
    /// Reads `job-SHELL-12`, `SHELL/12` or `%12`.
    pub fn parse(word: &str) -> Option<Self> {
        if let Some(id) = JobId::parse(word) {
            return Some(Self::Id(id));
        }
        if let Some(number) = word.strip_prefix('%') {
            return sequence(number).map(Self::Here);
        }
        let (shell, number) = word.rsplit_once('/')?;
        Some(Self::Of(shell.to_owned(), sequence(number)?))
    }
}
