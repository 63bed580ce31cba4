//! Sessions as they are answered, from one look at all of them.

use super::shapes::SessionAnswer;
use crate::api::{self, web};
use crate::domain::id::SessionId;
use crate::domain::session;
use crate::ops::{OpError, Question, Snapshot, Watcher};
use crate::server::dialog;
use crate::server::error::ApiError;
use crate::server::route::Call;

/// A session as the page shows it.
pub(in crate::server) fn session(snapshot: &Snapshot, of: &session::Session, profile: &str) -> web::Session {
    let state = snapshot.state(&of.id);
    let screen = state.and_then(Question::of).map(|question| dialog::name(&question));
    let needs_you = state.is_some_and(|state| state.verdict.kind().needs_user());
    web::Session::of(&api::Session::of(of, profile, state), needs_you, screen)
}

/// All sessions of the request's profile, as they are now.
pub(super) fn snapshot(call: &Call) -> Result<Snapshot, ApiError> {
    Watcher::new().tick(&call.cx).map_err(|error| call.error(&error))
}

/// One session as it is now.
pub(super) fn now(call: &Call, id: &SessionId) -> Result<SessionAnswer, ApiError> {
    let snapshot = Watcher::of([id.clone()]).tick(&call.cx).map_err(|error| call.error(&error))?;
    let of = snapshot.profile.session(id).ok_or_else(|| call.error(&OpError::Missing(id.clone())))?;
    Ok(SessionAnswer { session: session(&snapshot, of, call.cx.profile.name.as_str()), resumed: None })
}
