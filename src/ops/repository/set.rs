//! Changing what is recorded of a repository.

use std::path::Path;

use super::add::rename;
use super::list::resolve;
use crate::domain::repository::{Repository, find};
use crate::domain::worktree::Location;
use crate::ops::create::text_of;
use crate::ops::worktree::{PlaceError, facts_of, main_of};
use crate::ops::{Cx, OpError, OpResult};
use crate::ports::transact;

/// What can be set.
const KEYS: [&str; 4] = ["name", "base", "location", "path"];

/// Sets one thing of a repository; an empty value is the default's.
///
/// # Errors
/// [`PlaceError::BadKey`], [`PlaceError::BadValue`], and others.
pub fn set(cx: &Cx, word: &str, key: &str, value: &str) -> OpResult<Repository> {
    let some = || Some(value.to_owned()).filter(|v| !v.is_empty());
    let bad = |why: String| OpError::from(PlaceError::BadValue { key: key.to_owned(), why });
    match key {
        "name" => change(cx, word, |profile, id| rename(profile, id, value)),
        "base" => {
            let repository = resolve(cx, word)?;
            if !value.is_empty() {
                cx.git.commit(Path::new(&repository.path), value, &cx.stop())?;
            }
            with(cx, word, |r| r.base = some())
        }
        "location" => {
            if !value.is_empty() {
                Location::parse(value).map_err(bad)?;
            }
            with(cx, word, |r| r.location = some())
        }
        // Where one is that was moved.
        "path" => {
            let facts = facts_of(cx, Path::new(value))?;
            let main = text_of(&main_of(cx, &facts)?.path)?;
            let common = text_of(&facts.common_dir)?;
            let profile = cx.profile.store.load()?.profile;
            let id = find(&profile.repositories, word).ok().map(|r| r.id.clone());
            if let Some(other) =
                profile.repositories.iter().find(|r| r.common_dir == common && Some(&r.id) != id.as_ref())
            {
                return Err(bad(format!("that is the repository {:?}", other.name)));
            }
            with(cx, word, |r| {
                r.path.clone_from(&main);
                r.common_dir.clone_from(&common);
            })
        }
        _ => Err(PlaceError::BadKey { key: key.to_owned(), keys: KEYS.to_vec() }.into()),
    }
}

fn with(cx: &Cx, word: &str, act: impl Fn(&mut Repository)) -> OpResult<Repository> {
    change(cx, word, |profile, id| {
        profile.repositories.iter_mut().filter(|r| r.id == id).for_each(&act);
        Ok(())
    })
}

/// Changes the record of the repository that a word means, whether it is there or missing.
fn change(
    cx: &Cx,
    word: &str,
    act: impl Fn(&mut crate::domain::profile::Profile, &str) -> OpResult<()>,
) -> OpResult<Repository> {
    transact(&*cx.profile.store, |profile| {
        let id = match find(&profile.repositories, word) {
            Ok(repository) => repository.id.clone(),
            Err(none) => {
                return Err(PlaceError::NoSuchRepository { name: none.name, near: none.near }.into());
            }
        };
        act(profile, &id)?;
        let changed = profile.repositories.iter().find(|r| r.id == id).cloned();
        changed.ok_or_else(|| PlaceError::NoSuchRepository { name: word.to_owned(), near: None }.into())
    })
}
