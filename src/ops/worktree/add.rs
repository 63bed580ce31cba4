//! A worktree without a session.

use std::path::Path;

use super::copies;
use super::make::{locked, make};
use super::{How, Named, PlaceError, WorktreeWish, find, plan};
use crate::ops::{Cx, OpResult, repository};
use crate::ports::transact;

/// Makes a worktree that no session works in yet. What its repository wants set up is done for a session alone.
///
/// # Errors
/// [`crate::ops::OpError`] when it can't be made.
pub fn add(cx: &Cx, folder: &Path, wish: &WorktreeWish) -> OpResult<Named> {
    let wish = WorktreeWish { setup: false, reuse: false, ..wish.clone() };
    let plan = plan(cx, folder, &wish, None)?;
    let How::Make(checkout) = &plan.how else {
        let branch = plan.branch.unwrap_or_default();
        return Err(PlaceError::CheckedOut { branch, path: plan.path, is_gone: false }.into());
    };
    let (id, now) = (cx.clock.new_session_id().to_string(), cx.clock.now());
    let repository = transact(&*cx.profile.store, |profile| {
        repository::register(profile, &plan.facts, &plan.main.path, &id, now)
    })?;
    locked(cx, &plan.facts.common_dir, |held| {
        make(cx, &repository, &plan.path, checkout, held)?;
        copies::give(cx, None, (&plan.main.path, &plan.facts.common_dir), &plan.path, &plan.copies, &[])
    })?;
    find(cx, &plan.path.to_string_lossy(), None)
}
