//! What a repository has run before one of its worktrees is removed, with its user's consent.

use std::path::Path;

use crate::domain::repository::Repository;
use crate::domain::session::Session;
use crate::ops::worktree::setup::{Consented, SetupContent, check_consent, content_in};
use crate::ops::worktree::{Named, PlaceError};
use crate::ops::{Cx, OpResult, agent_env};
use crate::ports::transact;

/// The commands that are run first, if its user allowed them.
///
/// # Errors
/// [`PlaceError::Consent`], [`PlaceError::BadSetupFile`].
pub(super) fn commands(
    cx: &Cx,
    named: &Named,
    sessions: &[Session],
    consent: Option<&Consented>,
) -> OpResult<Vec<String>> {
    let content = content_in(cx, &named.repository, &named.listed.entry.path)?;
    let commands = content.part.teardown.clone().unwrap_or_default();
    if !commands.is_empty() {
        let once = sessions.iter().find_map(|s| s.place.as_ref()?.consent.as_deref());
        check_consent(cx, &named.repository, &content, consent, once)?;
        allow_always(cx, &named.repository, &content, consent)?;
    }
    Ok(commands)
}

/// Records what its user allowed from now on.
fn allow_always(
    cx: &Cx,
    repository: &Repository,
    content: &SetupContent,
    consent: Option<&Consented>,
) -> OpResult<()> {
    let sha256 = content.sha256();
    if !consent.is_some_and(|given| given.always && given.sha256 == sha256) || repository.allows(&sha256) {
        return Ok(());
    }
    let now = cx.clock.now();
    transact(&*cx.profile.store, |profile| {
        let record = profile.repositories.iter_mut().find(|r| r.id == repository.id);
        record.into_iter().for_each(|record| record.allow(&sha256, now));
        Ok(())
    })
}

/// What its user has yet to allow before it can be run; none if nothing.
pub(super) fn to_be_allowed(
    cx: &Cx,
    named: &Named,
    sessions: &[Session],
    content: &SetupContent,
) -> Option<SetupContent> {
    let has_teardown = content.part.teardown.as_ref().is_some_and(|commands| !commands.is_empty());
    let once = sessions.iter().find_map(|s| s.place.as_ref()?.consent.as_deref());
    let is_allowed = || check_consent(cx, &named.repository, content, None, once).is_ok();
    (has_teardown && !is_allowed()).then(|| content.clone())
}

/// Runs them, one after the other, until one fails.
///
/// # Errors
/// [`PlaceError::TeardownFailed`].
pub(super) fn run(cx: &Cx, top: &Path, commands: &[String], sessions: &[Session]) -> OpResult<()> {
    let session = sessions.iter().find(|s| s.place.is_some());
    let env = session.map(|s| agent_env::environment(cx, s, None)).transpose()?.unwrap_or_default();
    for line in commands {
        let (code, text) =
            cx.host.run_line(top, line, &env, &cx.cancel).map_err(|error| PlaceError::TeardownFailed {
                line: line.clone(),
                why: format!("can't be run: {error}"),
                text: String::new(),
            })?;
        cx.check_cancelled()?;
        if code != Some(0) {
            let why = code.map_or_else(|| "was ended".to_owned(), |code| format!("exited with {code}"));
            return Err(PlaceError::TeardownFailed { line: line.clone(), why, text }.into());
        }
    }
    Ok(())
}
