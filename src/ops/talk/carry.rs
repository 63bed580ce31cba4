//! Which session carries a conversation: its agent is the one that talks in it.
//!
//! Invariants: the session's record decides, and is written first; the conversation's log follows it, and whoever looks at
//! a conversation next finishes what a killed process left between the two.

use super::listen::{catch_up, listen};
use super::{TalkError, time};
use crate::domain::conversation::Bookmark;
use crate::domain::id::SessionId;
use crate::domain::profile::Profile;
use crate::domain::session::{Session, SessionName};
use crate::domain::talk::{Carries, Event, State, TalkStatus};
use crate::ops::panes::find_row;
use crate::ops::{Cx, OpError, OpResult};
use crate::ports::conversations::Talk;
use crate::ports::transact;

/// What a session's record says when it carries this conversation.
pub fn carries_of(talk: &Talk) -> Carries {
    Carries {
        root: talk.root.to_string_lossy().into_owned(),
        id: talk.state.id.clone(),
        role: talk.state.subject.role.clone(),
        compacted: false,
    }
}

/// Whether this session's record says that it carries this conversation.
pub(super) fn is_of(session: &Session, talk: &Talk) -> bool {
    let is_it =
        |carries: &Carries| carries.id == talk.state.id && talk.root == *std::path::Path::new(&carries.root);
    session.carries.as_ref().is_some_and(is_it)
}

/// Refuses an archived conversation, and a tool whose transcripts deck can't read.
///
/// # Errors
/// [`TalkError`]; nothing was changed.
pub fn may_carry(cx: &Cx, talk: &Talk, tool: &str) -> OpResult<()> {
    if talk.state.status == TalkStatus::Archived {
        return Err(TalkError::Archived(talk.state.id.clone()).into());
    }
    if cx.tools.tool(tool).is_none_or(|entry| !entry.tool.has_conversation()) {
        return Err(TalkError::NoTranscripts(tool.to_owned()).into());
    }
    Ok(())
}

/// Makes a session the carrier of a conversation. What its agent and its user have said so far becomes part of it.
///
/// # Errors
/// [`TalkError`] when it can't carry it, or another one does; nothing was changed then.
pub fn carry(cx: &Cx, talk: &Talk, id: &SessionId) -> OpResult<Talk> {
    let session = cx.session(id)?;
    may_carry(cx, talk, &session.tool)?;
    if is_others(&cx.profile.store.load()?.profile, &talk.state) {
        return Err(TalkError::CarriedElsewhere(talk.state.id.clone()).into());
    }
    let carries = carries_of(talk);
    transact(&*cx.profile.store, |profile| {
        let other = profile.live_sessions().find(|other| other.id != *id && is_of(other, talk));
        if let Some(other) = other {
            let by = other.name();
            return Err(OpError::from(TalkError::CarriedByOther { id: carries.id.clone(), by }));
        }
        let Some(session) = profile.session_mut(id) else { return Err(OpError::Missing(id.clone())) };
        match &session.carries {
            Some(there) if there.id == carries.id && there.root == carries.root => {}
            Some(there) => {
                let (session, id) = (session.name(), there.id.clone());
                return Err(TalkError::CarriesOther { session, id }.into());
            }
            None => session.carries = Some(carries.clone()),
        }
        Ok(())
    })?;
    cx.host.reached("talk-carries");
    let talk = Talk { state: follow_record(cx, talk)?, ..talk.clone() };
    Ok(Talk { state: catch_up(cx, &talk)?.state, ..talk })
}

fn said(state: &State) -> Option<&str> {
    state.carrier.as_ref().map(|carrier| carrier.session.as_str())
}

/// Whether the log says that a session carries it which this profile doesn't know.
fn is_others(profile: &Profile, state: &State) -> bool {
    said(state).is_some_and(|id| profile.sessions.iter().all(|session| session.id.as_str() != id))
}

/// The session that carries a conversation, by the sessions' records.
pub(super) fn carrier(cx: &Cx, talk: &Talk) -> OpResult<Option<SessionName>> {
    let profile = cx.profile.store.load()?.profile;
    Ok(profile.live_sessions().find(|session| is_of(session, talk)).map(Session::name))
}

/// Has the log say who carries a conversation, as the sessions' records do, after what was said in the session that carried it is
/// read to its end.
///
/// # Errors
/// When the profile can't be read, or the log can't be written.
pub(super) fn follow_record(cx: &Cx, talk: &Talk) -> OpResult<State> {
    let profile = cx.profile.store.load()?.profile;
    let by = profile.live_sessions().find(|session| is_of(session, talk));
    let is_known = said(&talk.state) == by.map(|session| session.id.as_str());
    // A session of another profile is none of this one's business.
    if is_known || (by.is_none() && is_others(&profile, &talk.state)) {
        return Ok(talk.state.clone());
    }
    let mut talk = talk.clone();
    let last = profile.sessions.iter().find(|session| said(&talk.state) == Some(session.id.as_str()));
    if let Some(last) = last {
        let row = find_row(cx, last)?;
        talk.state = listen(cx, &talk, last, row.as_ref(), &Bookmark::default())?.state;
    }
    let event = match by {
        Some(session) => Event::Carried { session: session.id.to_string(), resume_id: None },
        None => Event::Detached,
    };
    let before = said(&talk.state).map(str::to_owned);
    let changed = cx.conversations.change(&talk.root, &talk.state.id, &time(cx), &mut |state| {
        if said(state) == before.as_deref() { vec![event.clone()] } else { Vec::new() }
    });
    Ok(changed.map_err(TalkError::from)?)
}

/// Ends that a session carries a conversation, after the last of what was said in it was read. Returns the session's title.
///
/// # Errors
/// [`TalkError::NotCarried`], or when it can't be written.
pub fn detach(cx: &Cx, talk: &Talk) -> OpResult<(Talk, String)> {
    let state = catch_up(cx, talk)?.state;
    let talk = Talk { state, ..talk.clone() };
    let id = talk.state.id.clone();
    if talk.state.carrier.is_none() {
        return Err(TalkError::NotCarried(id).into());
    }
    let mut title = String::new();
    transact(&*cx.profile.store, |profile| {
        let carriers = profile.sessions.iter_mut().filter(|session| is_of(session, &talk));
        for session in carriers {
            title.clone_from(&session.title);
            session.carries = None;
        }
        Ok::<_, OpError>(())
    })?;
    cx.host.reached("talk-carries-no-more");
    let changed = cx.conversations.change(&talk.root, &id, &time(cx), &mut |state| {
        state.carrier.iter().map(|_| Event::Detached).collect()
    });
    Ok((Talk { state: changed.map_err(TalkError::from)?, ..talk }, title))
}
