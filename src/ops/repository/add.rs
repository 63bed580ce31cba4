//! Adding a repository.

use std::path::Path;

use serde_json::Map;

use crate::domain::profile::Profile;
use crate::domain::repository::{Repository, default_name};
use crate::ops::create::text_of;
use crate::ops::worktree::{PlaceError, facts_of, main_of};
use crate::ops::{Cx, OpResult};
use crate::ports::git::RepositoryFacts;
use crate::ports::transact;

/// Adds the repository that a folder is in. Returns it, and whether it is new; one that is known keeps its name, unless
/// another is given.
///
/// # Errors
/// [`crate::ops::OpError`] when the folder is in none, or the name is taken.
pub fn add(cx: &Cx, folder: &Path, name: Option<&str>) -> OpResult<(Repository, bool)> {
    let facts = facts_of(cx, folder)?;
    let main = main_of(cx, &facts)?;
    let now = cx.clock.now();
    let id = cx.clock.new_session_id().to_string();
    transact(&*cx.profile.store, |profile| {
        let before = profile.repositories.len();
        let repository = register(profile, &facts, &main.path, &id, now)?;
        if let Some(name) = name {
            rename(profile, &repository.id, name)?;
        }
        let is_new = profile.repositories.len() > before;
        let found = profile.repositories.iter().find(|r| r.id == repository.id).cloned();
        Ok((found.unwrap_or(repository), is_new))
    })
}

/// The record of a repository; a new one under `id` if there is none.
pub(in crate::ops) fn register(
    profile: &mut Profile,
    facts: &RepositoryFacts,
    main: &Path,
    id: &str,
    now: jiff::Timestamp,
) -> OpResult<Repository> {
    let (common, path) = (text_of(&facts.common_dir)?, text_of(main)?);
    if let Some(known) = profile.repositories.iter_mut().find(|r| r.common_dir == common) {
        known.path = path;
        return Ok(known.clone());
    }
    let folder = main.file_name().map(|n| n.to_string_lossy().into_owned()).unwrap_or_default();
    // A bare repository in a folder of its own, such as `api/.bare`, has that one's name.
    let above = main.parent().and_then(Path::file_name).map(|n| n.to_string_lossy().into_owned());
    let folder = above.filter(|_| folder.starts_with('.')).unwrap_or(folder);
    let new = Repository {
        id: id.to_owned(),
        name: default_name(&folder, &profile.repositories),
        path,
        common_dir: common,
        base: None,
        location: None,
        consents: Vec::new(),
        created_at: now,
        extra: Map::new(),
    };
    profile.repositories.push(new.clone());
    Ok(new)
}

/// Gives a repository another name.
pub(super) fn rename(profile: &mut Profile, id: &str, name: &str) -> OpResult<()> {
    let name = name.trim();
    let is_path = name.contains('/');
    if name.is_empty() || is_path || crate::domain::text::clean(name) != name {
        return Err(PlaceError::BadName(name.to_owned()).into());
    }
    if profile.repositories.iter().any(|r| r.name == name && r.id != id) {
        return Err(PlaceError::NameTaken(name.to_owned()).into());
    }
    if let Some(repository) = profile.repositories.iter_mut().find(|r| r.id == id) {
        name.clone_into(&mut repository.name);
    }
    Ok(())
}
