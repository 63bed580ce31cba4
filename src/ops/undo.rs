//! Restoring what was deleted.

use super::{Cx, OpError, OpResult};
use crate::domain::profile::Restored;
use crate::domain::resolve::{ResolveError, resolve_in};
use crate::ports::transact;

/// What an undo brought back.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Undone {
    /// Titles of sessions.
    pub titles: Vec<String>,
    /// Everything, by id and path.
    pub restored: Restored,
}

/// Brings back the deleted session that `name` means, or what was deleted last.
///
/// # Errors
/// [`OpError::NothingToUndo`], or that no deleted session has this name.
pub fn undo(cx: &Cx, name: Option<&str>) -> OpResult<Undone> {
    transact(&*cx.profile.store, |profile| {
        let restored = match name {
            None => profile.undo_delete(),
            Some(name) => {
                let deleted = || profile.sessions.iter().filter(|s| s.deleted_at.is_some());
                let id = match resolve_in(deleted(), name, None) {
                    Ok(session) => session.id.clone(),
                    Err(ResolveError::Missing { name, .. }) => {
                        let titles = deleted().map(|s| s.title.clone()).collect();
                        return Err(OpError::NotInTrash { name, titles });
                    }
                    Err(other) => return Err(other.into()),
                };
                profile.undo_delete_of(&id)
            }
        };
        if restored == Restored::default() {
            return Err(OpError::NothingToUndo);
        }
        let titles =
            restored.sessions.iter().filter_map(|id| profile.session(id)).map(|s| s.title.clone()).collect();
        Ok(Undone { titles, restored })
    })
}
