//! Making the worktree of a session again, whose folder is gone.

use std::path::Path;

use super::make::{complete, locked};
use super::{PlaceError, removal, repository_of};
use crate::domain::place::{Pending, SetupState};
use crate::domain::session::Session;
use crate::domain::worktree::Checkout;
use crate::ops::{Cx, OpResult};

/// Makes the worktree of a session again at its path, from its branch or its last commit. Its setup runs at the next start.
///
/// # Errors
/// [`PlaceError::NoPlace`], [`PlaceError::NotGone`], and git's.
pub fn restore(cx: &Cx, session: &Session) -> OpResult<Session> {
    let place = session.place.clone().ok_or_else(|| PlaceError::NoPlace(session.title.clone()))?;
    let path = Path::new(&place.worktree);
    if place.pending.is_none() && cx.host.is_dir(path) {
        return Err(PlaceError::NotGone(path.to_owned()).into());
    }
    let profile = cx.profile.store.load()?.profile;
    let repository = repository_of(&profile, &place)
        .cloned()
        .ok_or_else(|| PlaceError::NoSuchRepository { name: place.repository_id.clone(), near: None })?;
    let common = Path::new(&repository.common_dir);
    let checkout = locked(cx, common, |_| {
        let entries = cx.git.worktrees(common, &cx.stop())?;
        let own = entries.iter().find(|entry| entry.path == path);
        let elsewhere =
            |branch: &str| entries.iter().find(|e| e.branch.as_deref() == Some(branch) && e.path != path);
        if let Some(other) = place.branch.as_deref().and_then(elsewhere) {
            let branch = place.branch.clone().unwrap_or_default();
            let is_gone = !cx.host.is_dir(&other.path);
            return Err(PlaceError::CheckedOut { branch, path: other.path.clone(), is_gone }.into());
        }
        let head = own.and_then(|entry| entry.head.clone()).or_else(|| place.head.clone());
        let checkout = match (own.and_then(|e| e.branch.clone()).or_else(|| place.branch.clone()), head) {
            (Some(branch), Some(commit)) if !cx.git.branch(common, &branch, &cx.stop())?.is_local => {
                Checkout::New { branch, commit }
            }
            (Some(branch), _) => Checkout::Branch(branch),
            (None, Some(commit)) => Checkout::Detached(commit),
            (None, None) => return Err(PlaceError::NoCommitKnown(session.title.clone()).into()),
        };
        if own.is_some() && !cx.host.is_dir(path) {
            // git makes none where it still lists one. What it forgets is the entry of a folder that is gone.
            removal::forget_gone(cx, common, path)?;
        }
        Ok(checkout)
    })?;
    let session = cx.change_session(&session.id, |s| {
        if let Some(place) = &mut s.place {
            place.pending = Some(Pending { checkout: checkout.clone(), is_made: false, copies: true });
            if place.setup != SetupState::Skipped {
                place.setup = SetupState::Wanted;
            }
            (place.made, place.removed_at) = (true, None);
        }
    })?;
    complete(cx, &session)
}
