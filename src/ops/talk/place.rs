//! The folders in which there are conversations, and which conversation a word means.

use std::path::{Path, PathBuf};

use super::TalkError;
use crate::domain::resolve::nearest;
use crate::domain::talk::{State, TalkId};
use crate::domain::worktree::WorktreeEntry;
use crate::ops::{Cx, OpError, OpResult};
use crate::ports::conversations::Talk;

/// The worktrees of the repository that a folder is in; none outside of one.
fn worktrees(cx: &Cx, folder: &Path) -> OpResult<Vec<WorktreeEntry>> {
    if cx.git.common_folder(folder).is_none() {
        return Ok(Vec::new());
    }
    let all = cx.git.worktrees(folder, &|| cx.cancel.is_cancelled()).map_err(OpError::Git)?;
    Ok(all.into_iter().filter(|entry| !entry.is_bare && entry.prunable.is_none()).collect())
}

/// The folder where a feature's conversations are: the one that is named; else the worktree whose branch or folder has the
/// feature's name; else the top of the repository; else the caller's folder.
///
/// # Errors
/// When git can't say.
pub fn root_for(cx: &Cx, root: Option<&Path>, feature: &str) -> OpResult<PathBuf> {
    let here = &cx.caller.cwd;
    if let Some(root) = root {
        let path = here.join(root);
        return cx.host.real_path(&path).filter(|path| cx.host.is_dir(path)).ok_or_else(|| {
            let source = std::io::Error::from(std::io::ErrorKind::NotFound);
            TalkError::Io { action: "use the folder", path, source }.into()
        });
    }
    let all = worktrees(cx, here)?;
    let is_named = |entry: &&WorktreeEntry| {
        entry.branch.as_deref() == Some(feature) || entry.path.file_name().is_some_and(|name| name == feature)
    };
    if let Some(entry) = all.iter().find(is_named) {
        return Ok(entry.path.clone());
    }
    let real = cx.host.real_path(here).unwrap_or_else(|| here.clone());
    let top = all
        .iter()
        .filter(|entry| real.starts_with(&entry.path))
        .max_by_key(|entry| entry.path.as_os_str().len());
    Ok(top.map_or(real, |entry| entry.path.clone()))
}

/// The folders above the caller's, and its own, nearest first.
fn above(cx: &Cx) -> Vec<PathBuf> {
    let here = cx.host.real_path(&cx.caller.cwd).unwrap_or_else(|| cx.caller.cwd.clone());
    here.ancestors().map(Path::to_owned).collect()
}

/// The folders where this project's conversations are: the one that is named, or those above the caller's folder and the
/// worktrees of its repository.
///
/// # Errors
/// When git can't say.
pub fn roots(cx: &Cx, root: Option<&Path>) -> OpResult<Vec<PathBuf>> {
    Ok(with_conversations(cx, possible_roots(cx, root)?))
}

/// The same with folders that have no conversation yet.
///
/// # Errors
/// When git can't say.
pub fn possible_roots(cx: &Cx, root: Option<&Path>) -> OpResult<Vec<PathBuf>> {
    if root.is_some() {
        return Ok(vec![root_for(cx, root, "")?]);
    }
    let mut all = above(cx);
    for entry in worktrees(cx, &cx.caller.cwd)? {
        if !all.contains(&entry.path) {
            all.push(entry.path);
        }
    }
    Ok(all)
}

/// All folders that deck knows of: those of its sessions and the worktrees of its repositories too.
///
/// # Errors
/// When the profile can't be read.
pub fn all_roots(cx: &Cx) -> OpResult<Vec<PathBuf>> {
    let mut all = roots(cx, None)?;
    let profile = cx.profile.store.load()?.profile;
    for session in profile.live_sessions() {
        all.extend(Path::new(&session.project_path).ancestors().map(Path::to_owned));
    }
    for repository in &profile.repositories {
        // One that was moved has none that can be found.
        all.extend(
            worktrees(cx, Path::new(&repository.path))
                .unwrap_or_default()
                .into_iter()
                .map(|entry| entry.path),
        );
    }
    Ok(with_conversations(cx, all))
}

/// Those of the folders that have conversations, each once.
fn with_conversations(cx: &Cx, all: Vec<PathBuf>) -> Vec<PathBuf> {
    let mut found: Vec<PathBuf> = Vec::new();
    for folder in all {
        if !found.contains(&folder) && cx.host.is_dir(&folder.join(".deck/conversations")) {
            found.push(folder);
        }
    }
    found
}

/// The conversation that a word means: a whole id, a part that only one has, or `.` for the one that the caller's session carries.
///
/// # Errors
/// [`TalkError::NoConversation`], [`TalkError::Several`], or what keeps folders from being read.
pub fn find(cx: &Cx, root: Option<&Path>, word: &str) -> OpResult<Talk> {
    if word == "." {
        let inside = cx.caller.inside.as_ref().ok_or(TalkError::NotInside)?;
        let carries = cx.session(inside)?.carries.ok_or(TalkError::NoneCarried)?;
        return read(cx, Path::new(&carries.root), &carries.id);
    }
    // A whole id above the caller's folder: git isn't asked.
    if let (None, Some(id)) = (root, TalkId::parse(word)) {
        for folder in above(cx) {
            if cx.conversations.stamp(&folder, &id).is_some() {
                return read(cx, &folder, &id);
            }
        }
    }
    let roots = roots(cx, root)?;
    let mut known: Vec<(PathBuf, TalkId)> = Vec::new();
    for root in &roots {
        let ids = cx.conversations.ids(root).map_err(TalkError::from)?;
        known.extend(ids.into_iter().map(|id| (root.clone(), id)));
    }
    let whole: Vec<&(PathBuf, TalkId)> = known.iter().filter(|(_, id)| id.as_str() == word).collect();
    let parts: Vec<&(PathBuf, TalkId)> = match whole.is_empty() {
        false => whole,
        true => known.iter().filter(|(_, id)| !word.is_empty() && id.as_str().contains(word)).collect(),
    };
    match parts.as_slice() {
        [(root, id)] => read(cx, root, id),
        [] => {
            let near = nearest(word, known.iter().map(|(_, id)| id.as_str())).map(str::to_owned);
            Err(TalkError::NoConversation { word: word.to_owned(), near }.into())
        }
        several => {
            let words = |(root, id): &&(PathBuf, TalkId)| format!("{id} in {}", root.display());
            Err(TalkError::Several { word: word.to_owned(), ids: several.iter().map(words).collect() }.into())
        }
    }
}

/// A conversation whose place is known.
///
/// # Errors
/// When it can't be read.
pub fn read(cx: &Cx, root: &Path, id: &TalkId) -> OpResult<Talk> {
    let found = cx.conversations.read(root, id).map_err(TalkError::from)?;
    Ok(found.ok_or_else(|| TalkError::NoConversation { word: id.to_string(), near: None })?)
}

/// All conversations of some folders; what can't be read is left out, and named with why.
///
/// # Errors
/// When a folder can't be listed.
pub fn list(cx: &Cx, roots: &[PathBuf]) -> OpResult<(Vec<Talk>, Vec<TalkError>)> {
    let (mut all, mut failed) = (Vec::new(), Vec::new());
    for root in roots {
        for id in cx.conversations.ids(root).map_err(TalkError::from)? {
            match cx.conversations.read(root, &id) {
                Ok(Some(talk)) => all.push(talk),
                Ok(None) => {}
                Err(error) => failed.push(error.into()),
            }
        }
    }
    Ok((all, failed))
}

/// Whether a conversation is of this feature, if one is asked for.
pub fn is_of(state: &State, role: Option<&str>, feature: Option<&str>) -> bool {
    role.is_none_or(|role| state.subject.role == role)
        && feature.is_none_or(|feature| state.subject.feature == feature)
}
