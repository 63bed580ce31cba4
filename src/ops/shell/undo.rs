//! Bringing back a shell that was ended, with its state and its jobs.

use super::{ShellError, ShellOpResult};
use crate::domain::shell::{Shell, ShellStatus, find_shell};
use crate::ops::Cx;

/// The shells that can be brought back, the one that was ended last first.
///
/// # Errors
/// The system's.
pub fn ended(cx: &Cx) -> ShellOpResult<Vec<Shell>> {
    let now = cx.clock.now();
    let mut ended: Vec<Shell> = cx.shells.all()?.0;
    ended.retain(|s| !s.is_active() && !s.once && !s.is_expired(now));
    ended.sort_by_key(|s| std::cmp::Reverse(s.ended_at));
    Ok(ended)
}

/// The one of them that a word means; of several with this name, the one that was ended last.
///
/// # Errors
/// The system's.
pub fn find_ended(cx: &Cx, word: &str) -> ShellOpResult<Option<Shell>> {
    let all = ended(cx)?;
    let named = all.iter().find(|s| s.label() == word).cloned();
    Ok(named.or_else(|| find_shell(&all, word, None).ok().cloned()))
}

/// Lets a shell that was ended take commands again, from where it was.
///
/// # Errors
/// [`ShellError::NameTaken`] if another shell has its name by now.
pub fn bring_back(cx: &Cx, shell: &Shell) -> ShellOpResult<Shell> {
    // Nobody else takes its name meanwhile.
    let _alone = cx.shells.lock()?;
    let (shells, _) = cx.shells.all()?;
    if let Some(name) = &shell.name
        && shells.iter().any(|s| s.is_active() && s.name.as_ref() == Some(name))
    {
        return Err(ShellError::NameTaken(name.clone()));
    }
    let now = cx.clock.now();
    Ok(cx.shells.change(&shell.session_id, &mut |shell| {
        shell.status = ShellStatus::Active;
        shell.ended_at = None;
        shell.last_activity_at = now;
    })?)
}
