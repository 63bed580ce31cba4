//! Consent to what a repository brings; and what became of a setup.

use std::path::Path;

use super::setup::{content_at, content_in};
use super::{PlaceError, SetupContent, find, repository_of};
use crate::domain::id::SessionId;
use crate::domain::place::SetupState;
use crate::domain::repository::Repository;
use crate::domain::session::Session;
use crate::ops::{Cx, OpError, OpResult, repository};
use crate::ports::transact;

/// What a repository brings, and whether its user allowed that.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Trusted {
    pub repository: Repository,
    pub content: SetupContent,
    pub is_allowed: bool,
}

/// Whether what a repository brings is to be allowed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Allow<'a> {
    /// It is only looked at.
    No,
    /// As it is.
    AsItIs,
    #[cfg_attr(not(feature = "web"), expect(dead_code, reason = "only a page shows it first"))]
    /// If it is what has this checksum: that was shown to its user.
    Shown(&'a str),
}

/// Allows what a repository brings as it stands in a worktree, in its main one, or in a commit; or only looks.
///
/// # Errors
/// [`PlaceError::ConsentInside`] in a session: an agent must not consent for its user. [`PlaceError::Consent`] if what was
/// shown is no longer what there is.
pub fn trust(cx: &Cx, word: &str, at: Option<&str>, allow: Allow<'_>) -> OpResult<Trusted> {
    let is_inside = cx.caller.inside.is_some() || cx.caller.scopes.is_some();
    if allow != Allow::No && is_inside {
        return Err(PlaceError::ConsentInside.into());
    }
    let (known, top) = match repository::resolve(cx, word) {
        Ok(repository) => {
            let top = repository.path.clone();
            (repository, top)
        }
        Err(none) => match find(cx, word, None) {
            Ok(named) if !named.repository.id.is_empty() => {
                (named.repository, named.listed.entry.path.display().to_string())
            }
            _ => return Err(none),
        },
    };
    let content = match at {
        Some(commit) => {
            let commit = cx.git.commit(Path::new(&known.common_dir), commit, &cx.stop())?;
            content_at(cx, &known, &commit.id)?
        }
        None => content_in(cx, &known, Path::new(&top))?,
    };
    let sha256 = content.sha256();
    let is_allowed = content.files.is_empty() || known.allows(&sha256);
    if let Allow::Shown(shown) = allow
        && shown != sha256
    {
        let content = Box::new(content);
        return Err(PlaceError::Consent { repository: known.name, content, can_ask: true }.into());
    }
    if allow == Allow::No || is_allowed {
        return Ok(Trusted { repository: known, content, is_allowed });
    }
    let now = cx.clock.now();
    let repository = transact(&*cx.profile.store, |profile| {
        let record = profile.repositories.iter_mut().find(|r| r.id == known.id);
        let record =
            record.ok_or_else(|| PlaceError::NoSuchRepository { name: known.name.clone(), near: None })?;
        record.allow(&sha256, now);
        Ok::<_, OpError>(record.clone())
    })?;
    Ok(Trusted { repository, content, is_allowed: true })
}

/// Notes how the setup of a session's worktree ended.
///
/// # Errors
/// [`OpError`] when the record is gone or can't be written.
pub fn setup_ended(cx: &Cx, id: &SessionId, code: i32) -> OpResult<Session> {
    let state = if code == 0 { SetupState::Done } else { SetupState::Failed };
    cx.change_session(id, |s| s.place.iter_mut().filter(|p| p.setup.is_due()).for_each(|p| p.setup = state))
}

/// Has a session started without the setup of its worktree.
///
/// # Errors
/// [`OpError`] when the record is gone or can't be written.
pub fn skip_setup(cx: &Cx, id: &SessionId) -> OpResult<Session> {
    cx.change_session(id, |s| {
        s.place.iter_mut().filter(|p| p.setup.is_due()).for_each(|p| p.setup = SetupState::Skipped);
    })
}

/// Has the next start of a session run the setup of its worktree again.
///
/// # Errors
/// [`PlaceError::NoPlace`], [`PlaceError::NoSetup`], or what its user did not allow.
pub fn want_setup(cx: &Cx, session: &Session) -> OpResult<Session> {
    let profile = cx.profile.store.load()?.profile;
    let place = session.place.as_ref().ok_or_else(|| PlaceError::NoPlace(session.title.clone()))?;
    if let Some(repository) = repository_of(&profile, place) {
        let content = content_in(cx, repository, Path::new(&place.worktree))?;
        super::check_consent(cx, repository, &content, None, place.consent.as_deref())?;
        let has_modules = cx.host.exists(&Path::new(&place.worktree).join(".gitmodules"));
        if !has_modules && content.part.setup.is_none_or(|commands| commands.is_empty()) {
            return Err(PlaceError::NoSetup(repository.name.clone()).into());
        }
    }
    cx.change_session(&session.id, |s| s.place.iter_mut().for_each(|p| p.setup = SetupState::Wanted))
}
