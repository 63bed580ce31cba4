//! Groups: each use case is one change of the tree under the store's lock.

use super::{Cx, OpError, OpResult};
use crate::domain::group::GroupPath;
use crate::domain::tree::DeleteMode;
use crate::ports::transact;

use super::delete::ended;

/// Makes a group and what is missing above it.
///
/// # Errors
/// [`OpError::Group`] when it exists.
pub fn add_group(cx: &Cx, path: &GroupPath, default_path: Option<&str>) -> OpResult<()> {
    cx.arrange(&format!("created group {path}"), |profile| {
        profile.create_group(path)?;
        if let Some(group) = profile.groups.iter_mut().find(|g| g.is_live() && g.path == *path) {
            group.default_path = default_path.map(str::to_owned);
        }
        Ok(())
    })
}

/// Gives a group another name; everything below it follows. Returns its new path.
///
/// # Errors
/// [`OpError::Group`] when it is missing or the name is taken.
pub fn rename_group(cx: &Cx, path: &GroupPath, name: &str) -> OpResult<GroupPath> {
    let name = GroupPath::parse_name(name)?;
    cx.arrange(&format!("renamed group {path} to {name}"), |profile| Ok(profile.rename_group(path, &name)?))
}

/// Puts a group below another one. Returns its new path.
///
/// # Errors
/// [`OpError::Group`] when that can't be.
pub fn move_group(cx: &Cx, path: &GroupPath, to: &GroupPath) -> OpResult<GroupPath> {
    let place = if to.is_root() { "to the top level".to_owned() } else { format!("to {to}") };
    cx.arrange(&format!("moved group {path} {place}"), |profile| Ok(profile.move_group(path, to)?))
}

/// Moves a group among its siblings.
///
/// # Errors
/// [`OpError::Group`] when it is missing.
pub fn reorder_group(cx: &Cx, path: &GroupPath, by: i64) -> OpResult<()> {
    cx.arrange(&format!("moved group {path}"), |profile| Ok(profile.reorder_group(path, by)?))
}

/// Sets where new sessions of a group start; `None` for no such place.
///
/// # Errors
/// [`OpError::Group`] when it is missing.
pub fn set_default_path(cx: &Cx, path: &GroupPath, default_path: Option<&str>) -> OpResult<()> {
    transact(&*cx.profile.store, |profile| {
        let group = profile.groups.iter_mut().find(|g| g.is_live() && g.path == *path);
        group.ok_or_else(|| OpError::no_group(path))?.default_path = default_path.map(str::to_owned);
        Ok(())
    })
}

/// Shows or hides the rows of groups.
///
/// # Errors
/// [`OpError`] when the profile can't be written.
pub fn set_expanded(cx: &Cx, paths: &[GroupPath], expanded: bool) -> OpResult<()> {
    let mut failed = None;
    let change = |profile: &mut crate::domain::profile::Profile| {
        let changed = paths.iter().filter(|p| profile.set_expanded(p, expanded)).count();
        failed = paths.iter().find(|p| profile.group(p).is_none()).cloned();
        changed > 0
    };
    let mut change = change;
    cx.profile.store.change(&mut change)?;
    failed.map_or(Ok(()), |path| Err(OpError::no_group(&path)))
}

/// Deletes a group. With [`DeleteMode::Along`], sessions that run are stopped if `stop_first`,
/// else nothing is deleted; what was adopted keeps running and is released.
///
/// # Errors
/// [`OpError`] when it holds something and `mode` doesn't decide what to do with it.
pub fn remove_group(cx: &Cx, path: &GroupPath, mode: DeleteMode, stop_first: bool) -> OpResult<()> {
    let now = cx.begun();
    let mut along = Vec::new();
    if mode == DeleteMode::Along {
        let profile = cx.profile.store.load()?.profile;
        along.extend(profile.live_sessions().filter(|s| s.group_path.is_within(path)).cloned());
    }
    if mode == DeleteMode::MoveUp {
        return cx
            .arrange(&format!("deleted group {path}"), |profile| Ok(profile.delete_group(path, mode, now)?));
    }
    ended(cx, &along, stop_first, |profile| Ok(profile.delete_group(path, mode, now)?)).map(|_| ())
}
