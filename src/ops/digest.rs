//! What is in a session's conversation.

use std::collections::BTreeMap;
use std::path::PathBuf;

use super::agent_env::env_of;
use super::panes::find_row;
use super::{Cx, OpResult};
use crate::domain::conversation::{self, Bookmark, Counted, Digest, Part, Said};
use crate::domain::id::SessionId;
use crate::domain::session::Session;
use crate::ports::mux::PaneRow;
use crate::ports::reports::Asked;

/// What the end of a session's conversation reports; `None` when it has none, or none that deck can read.
///
/// # Errors
/// [`super::OpError`] when the session can't be asked for.
pub fn digest(cx: &Cx, id: &SessionId) -> OpResult<Option<Digest>> {
    let session = cx.session(id)?;
    digest_of(cx, &session, find_row(cx, &session)?.as_ref())
}

/// What was said last in a session's conversation, oldest first.
///
/// # Errors
/// [`super::OpError`] when the session can't be asked for.
pub fn said(cx: &Cx, id: &SessionId) -> OpResult<Vec<Said>> {
    let session = cx.session(id)?;
    let row = find_row(cx, &session)?;
    Ok(about(cx, &session, row.as_ref(), |asked| Some(cx.reports.said(asked)))?.unwrap_or_default())
}

/// The file of a session's conversation and the user's first prompt in it, as far as these are known.
///
/// # Errors
/// [`super::OpError`] when the session can't be asked for.
pub fn opening(cx: &Cx, id: &SessionId) -> OpResult<Option<(Option<PathBuf>, Option<String>)>> {
    let session = cx.session(id)?;
    let row = find_row(cx, &session)?;
    about(cx, &session, row.as_ref(), |asked| Some(cx.reports.opening(asked)))
}

/// The same for a session whose pane is known.
pub(super) fn digest_of(cx: &Cx, session: &Session, row: Option<&PaneRow>) -> OpResult<Option<Digest>> {
    about(cx, session, row, |asked| cx.reports.digest(asked))
}

/// What a session's whole conversation adds up to, after reading `most` bytes more of it; `None` as above.
///
/// # Errors
/// [`super::OpError`] when the session can't be asked for.
pub fn count(cx: &Cx, id: &SessionId, most: u64) -> OpResult<Option<Counted>> {
    let session = cx.session(id)?;
    count_of(cx, &session, find_row(cx, &session)?.as_ref(), most)
}

/// The same for a session whose pane is known.
///
/// # Errors
/// As for [`count`].
pub fn count_of(cx: &Cx, session: &Session, row: Option<&PaneRow>, most: u64) -> OpResult<Option<Counted>> {
    about(cx, session, row, |asked| cx.reports.count(asked, most))
}

/// What was said in a conversation of a session from a bookmark on, at most so many bytes of it; `None` when it can't be read now.
pub(super) fn hear(
    cx: &Cx,
    session: &Session,
    row: Option<&PaneRow>,
    from: &Bookmark,
    most: u64,
) -> OpResult<Option<Part>> {
    about(cx, session, row, |asked| {
        cx.reports.hear(&Asked { conversation: Some(&from.conversation), ..asked.clone() }, from, most)
    })
}

fn about<T>(
    cx: &Cx,
    session: &Session,
    row: Option<&PaneRow>,
    ask: impl FnOnce(&Asked<'_>) -> Option<T>,
) -> OpResult<Option<T>> {
    let Some(entry) = cx.tools.tool(&session.tool) else { return Ok(None) };
    let mut names = conversation::variables(&entry.tool);
    names.extend(entry.tool.service.password_env.clone());
    let env: BTreeMap<String, String> = env_of(cx, session, &names, row)?;
    let living = row.filter(|r| r.facts.dead.is_none());
    let carried = row.and_then(PaneRow::conversation);
    Ok(ask(&Asked {
        pid: living.and_then(|r| r.facts.pid).unwrap_or(0),
        tool: &entry.tool,
        env: &env,
        conversation: carried.or(session.resume.usable()),
        port: living.and_then(|r| r.tags.port),
        title: living.map(|r| r.facts.title.as_str()).unwrap_or_default(),
        moved: true,
        now: cx.clock.now(),
    }))
}
