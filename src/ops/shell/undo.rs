//! Bringing back a shell that was ended, with its state and its jobs.

use super::{ShellError, ShellOpResult};
use crate::domain::resolve::{ResolveError, resolve_in};
use crate::domain::shell::{Shell, ShellStatus, find_shell};
use crate::ops::{Cx, last_undoable};

/// The shells that can be brought back, the one that was ended last first.
///
/// # Errors
/// The system's.
fn ended(cx: &Cx) -> ShellOpResult<Vec<Shell>> {
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
fn find_ended(cx: &Cx, word: &str) -> ShellOpResult<Option<Shell>> {
    let all = ended(cx)?;
    let named = all.iter().find(|s| s.label() == word).cloned();
    Ok(named.or_else(|| find_shell(&all, word, None).ok().cloned()))
}

/// The shell that an undo means: one of this name where no deleted session has it; without a name the one that was ended
/// last, if nothing else was done since.
///
/// # Errors
/// The system's, or that the profile can't be read.
pub fn to_bring_back(cx: &Cx, name: Option<&str>) -> ShellOpResult<Option<Shell>> {
    let unread = |error| ShellError::NoProfile(Box::new(error));
    let Some(name) = name else {
        let shell = ended(cx)?.into_iter().next();
        let done = last_undoable(cx).map_err(unread)?;
        return Ok(shell.filter(|s| s.ended_at > done));
    };
    let profile = cx.profile.store.load().map_err(|error| unread(error.into()))?.profile;
    let is_session = resolve_in(profile.sessions.iter().filter(|s| s.deleted_at.is_some()), name, None);
    match is_session {
        Err(ResolveError::Missing { .. }) => find_ended(cx, name),
        _ => Ok(None),
    }
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
