//! Forgetting a repository. No file is touched.

use crate::domain::repository::{Repository, find};
use crate::domain::session::Session;
use crate::ops::worktree::PlaceError;
use crate::ops::{Cx, OpError, OpResult};
use crate::ports::transact;

/// Forgets a repository. With `keep_sessions`, those that work in it stay, in their folders alone.
///
/// # Errors
/// [`PlaceError::StillUsed`] while live sessions work in it, unless they are to be kept.
pub fn remove(cx: &Cx, word: &str, keep_sessions: bool) -> OpResult<Repository> {
    transact(&*cx.profile.store, |profile| {
        let repository = match find(&profile.repositories, word) {
            Ok(repository) => repository.clone(),
            Err(none) => {
                return Err(PlaceError::NoSuchRepository { name: none.name, near: none.near }.into());
            }
        };
        let is_in = |s: &Session| s.place.as_ref().is_some_and(|p| p.repository_id == repository.id);
        let used: Vec<String> =
            profile.live_sessions().filter(|s| is_in(s)).map(|s| s.title.clone()).collect();
        if !used.is_empty() && !keep_sessions {
            return Err(PlaceError::StillUsed { name: repository.name, sessions: used }.into());
        }
        // What was archived or deleted loses its place as well: there is nothing any more that it would be brought back to.
        for session in profile.sessions.iter_mut().filter(|s| is_in(s)) {
            session.place = None;
        }
        profile.repositories.retain(|r| r.id != repository.id);
        Ok::<_, OpError>(repository)
    })
}
