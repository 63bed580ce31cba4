//! What is refused to agents, whether they ask by a command or by an MCP tool: every use case that acts on a session asks
//! here first.
//!
//! Invariants: nothing is refused to a user; who asks is decided in one place (`actor.rs`); a message counts before it is
//! sent, and no longer if it wasn't.

mod actor;
mod consent;
mod messages;
mod spawn;
mod talk_file;
mod waits;

pub use actor::{Actor, Agent, actor};
pub use consent::AskUser;
#[cfg(any(feature = "mcp", test))]
pub use consent::Reply;
pub use messages::{AgentMessage, messages_to};
pub(super) use spawn::check_new;
pub use waits::begin_wait;

use super::answer::Pick;
use super::panes::panes;
use super::watch::Watcher;
use super::{Cx, OpError, OpResult};
use crate::domain::guard::{self, Act, Denied, Refusal, Said, digest_of};
use crate::domain::id::SessionId;
use crate::domain::mcp_scope::Scope;
use crate::domain::profile::Profile;
use crate::domain::session::Session;
use crate::domain::status::{BlockKind, Reason};
use crate::ports::mux::PaneRow;
use jiff::Timestamp;

/// Refuses what an agent may not do to this session.
///
/// # Errors
/// [`OpError::Guard`].
pub fn check(cx: &Cx, act: Act, session: &Session) -> OpResult<()> {
    match actor(cx)? {
        Actor::User => Ok(()),
        Actor::Agent(agent) => {
            let scope = may(cx, &agent, act, session)?;
            let title = || consent::quoted(&session.title);
            consent::ask(cx, &agent, scope, || format!("{} the session {}", act.words(), title()))
        }
    }
}

/// The live sessions that the caller may see: all for a user.
///
/// # Errors
/// [`OpError::Guard`] for an agent that may see none.
#[cfg(feature = "mcp")]
pub fn visible(cx: &Cx, profile: &Profile) -> OpResult<Vec<SessionId>> {
    let all = profile.live_sessions().map(|s| s.id.clone());
    let Actor::Agent(agent) = actor(cx)? else { return Ok(all.collect()) };
    let seen = |id: &SessionId| guard::may(&agent.scopes, Act::Look, agent.kin(profile, id)).is_ok();
    let seen: Vec<SessionId> = all.filter(seen).collect();
    if seen.is_empty() {
        // What it lacks is said rather than that there is nothing.
        guard::may(&agent.scopes, Act::Look, guard::Kin::Itself).map_err(|why| agent.refused(why))?;
    }
    Ok(seen)
}

/// The scope by which an agent may do this to a session, or the error that says why it may not.
fn may(cx: &Cx, agent: &Agent, act: Act, session: &Session) -> OpResult<Scope> {
    agent.check_proven()?;
    let profile = cx.profile.store.load()?.profile;
    let kin = agent.kin(&profile, &session.id);
    guard::may(&agent.scopes, act, kin).map_err(|why| agent.refused(why))
}

/// Refuses an answer that an agent may not give to what the session asks now.
///
/// # Errors
/// [`OpError::Guard`].
pub fn check_answer(cx: &Cx, session: &Session, row: &PaneRow, pick: &Pick) -> OpResult<()> {
    let Actor::Agent(agent) = actor(cx)? else {
        return user_acted(cx, &session.id);
    };
    let snapshot = Watcher::of([session.id.clone()]).tick(cx)?;
    let state = snapshot.state(&session.id);
    let reason = state.and_then(|state| state.verdict.reason.as_ref());
    // Whatever isn't surely a mere question may give leave to do something.
    let is_permission = reason != Some(&Reason::Blocked(BlockKind::Question));
    let scope = may(cx, &agent, Act::Answer { is_permission }, session)?;
    if row.facts.is_looked_at {
        return Err(Refusal::Attached(session.title.clone()).into());
    }
    consent::ask(cx, &agent, scope, || {
        let asks = state.and_then(|state| state.verdict.asks.as_deref()).unwrap_or_default();
        let (title, asks) = (consent::quoted(&session.title), consent::quoted(asks));
        format!("answer {} to what the session {title} asks: {asks}", consent::quoted(&pick.to_string()))
    })
}

/// A message that may be sent.
#[derive(Debug)]
pub struct Leave {
    /// Its text, below a line that says who sends it if that is an agent.
    pub text: String,
    noted: Option<(SessionId, Said)>,
}

/// Refuses a message that an agent may not send, and notes that it is about to be sent.
///
/// # Errors
/// [`OpError::Guard`].
pub fn leave_to_send(cx: &Cx, session: &Session, text: &str) -> OpResult<Leave> {
    let Actor::Agent(agent) = actor(cx)? else {
        user_acted(cx, &session.id)?;
        return Ok(Leave { text: text.to_owned(), noted: None });
    };
    if session.draft.as_deref() == Some(text) && agent.is(session.parent_id.as_ref()) {
        // The first prompt of what it has just started: it was looked at then.
        return Ok(Leave { text: text.to_owned(), noted: None });
    }
    let scope = may(cx, &agent, Act::Talk, session)?;
    consent::ask(cx, &agent, scope, || {
        format!("send to the session {}: {}", consent::quoted(&session.title), consent::quoted(text))
    })?;
    let profile = cx.profile.store.load()?.profile;
    let from = agent.session.as_ref().map_or_else(|| session.id.clone(), |s| s.id.clone());
    let root = guard::root(&profile, &from);
    let said = Said { at: cx.clock.now(), from, to: session.id.clone(), digest: digest_of(text) };
    let acted = last_act(cx, &profile, &root)?;
    let limit = cx.installation.limits.messages;
    talk_file::change(cx, |file| file.tree(&root).say(said.clone(), session, acted, limit))??;
    Ok(Leave { text: agent.signed(text), noted: Some((root, said)) })
}

impl Leave {
    /// Takes the note back: nothing was sent.
    pub fn not_sent(self, cx: &Cx) {
        let Some((root, said)) = self.noted else { return };
        // If that can't be written, one message less may be sent. Its sender may have been cancelled.
        let taken = talk_file::change(&cx.uncancelled(), |file| file.tree(&root).take_back(&said));
        if let Err(error) = taken {
            tracing::warn!(%error, "a message that was not sent counts");
        }
    }
}

/// Notes that the user acts on a session: the agents of its tree may talk again.
fn user_acted(cx: &Cx, id: &SessionId) -> OpResult<()> {
    if talk_file::read(cx).trees.is_empty() {
        return Ok(());
    }
    let root = guard::root(&cx.profile.store.load()?.profile, id);
    let now = cx.clock.now();
    if talk_file::read(cx).trees.get(&root).is_some_and(|talk| talk.count > 0) {
        talk_file::change(cx, |file| file.tree(&root).acted(now))?;
    }
    Ok(())
}

/// When a user was last seen at any session of a tree: attached to it, or typing.
fn last_act(cx: &Cx, profile: &Profile, root: &SessionId) -> OpResult<Option<Timestamp>> {
    let mut tree = guard::below(profile, root);
    tree.extend(profile.session(root));
    let rows = panes(cx, tree.iter().copied())?.rows;
    let there: Vec<_> = rows
        .into_iter()
        .filter(|row| tree.iter().any(|s| super::panes::is_of(cx, row, s)))
        .map(|row| row.session)
        .collect();
    let seconds = cx.mux.last_typed(&there)?;
    Ok(seconds.into_iter().flatten().max().and_then(|at| Timestamp::from_second(at).ok()))
}

impl From<Refusal> for OpError {
    fn from(refusal: Refusal) -> Self {
        Self::Guard { refusal: Box::new(refusal), agent: None }
    }
}

/// The scopes that a user would have to give, beside those that there are.
fn with(scopes: &[Scope], wanted: Scope) -> Vec<Scope> {
    let mut all = scopes.to_vec();
    all.retain(|s| !wanted.holds(*s));
    all.push(wanted);
    all.sort_unstable();
    all
}

impl Agent {
    /// The error for what it may not do.
    fn refused(&self, why: Denied) -> OpError {
        match why {
            Denied::Never(why) => Refusal::Never(why).into(),
            Denied::Needs(scope) => OpError::Guard {
                refusal: Box::new(Refusal::NotGiven {
                    agent: self.session.as_ref().map(|s| s.title.clone()),
                    scope,
                }),
                agent: self.session.as_ref().map(|s| (s.name(), with(&self.scopes, scope))),
            },
        }
    }
}
