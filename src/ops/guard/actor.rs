//! Who asks: a user, or an agent in one of deck's sessions.
//!
//! Invariants: a session's id in the environment is no proof: an agent has rights only if its own process started this
//! one. An MCP server, and code in a shell that an agent started, act for that agent.

use crate::domain::guard::{Kin, Refusal, kin};
use crate::domain::id::SessionId;
use crate::domain::mcp_scope::{self, Scope};
use crate::domain::profile::Profile;
use crate::domain::session::Session;
use crate::domain::shell::ShellId;
use crate::ops::panes::{find_row, panes};
use crate::ops::{Cx, OpResult, foreground_agent};
use crate::ports::ToolEntry;

/// Who asks for something.
#[derive(Debug, Clone)]
pub enum Actor {
    /// A user, by their own hands.
    User,
    Agent(Box<Agent>),
}

/// An agent that asks.
#[derive(Debug, Clone)]
pub struct Agent {
    /// The session that it is in; none if it is in none of this profile.
    pub session: Option<Session>,
    /// What its user gave it.
    pub scopes: Vec<Scope>,
    /// Why it has no rights over sessions, whatever its scopes.
    doubt: Option<Refusal>,
}

impl Agent {
    /// What a session is to it.
    pub fn kin(&self, profile: &Profile, to: &SessionId) -> Kin {
        self.session.as_ref().map_or(Kin::Other, |s| kin(profile, &s.id, to))
    }

    /// Whether it is in this session.
    pub(super) fn is(&self, id: Option<&SessionId>) -> bool {
        self.session.as_ref().is_some_and(|s| Some(&s.id) == id)
    }

    /// Its message, below a line that says that it is no user's.
    pub fn signed(&self, text: &str) -> String {
        let from = self.session.as_ref().map_or_else(
            || "an agent outside deck".to_owned(),
            |s| format!("the session {:?}", crate::domain::text::clean(&s.title)),
        );
        format!("Message from {from}, not from your user:\n{text}")
    }

    pub(super) fn check_proven(&self) -> OpResult<()> {
        self.doubt.clone().map_or(Ok(()), |why| Err(why.into()))
    }
}

/// Whether a tool's program is an agent, and not the user's own shell.
pub(super) fn is_agent(entry: &ToolEntry) -> bool {
    !entry.tool.command.starts_with('$')
}

/// Who asks.
///
/// # Errors
/// When the caller's own session can't be looked at.
pub fn actor(cx: &Cx) -> OpResult<Actor> {
    let served = cx.caller.scopes.as_deref();
    let agent = |agent: Agent| Actor::Agent(Box::new(agent));
    if let Some(owner) = owner_of_shell(cx) {
        return Ok(of_owner(cx, &owner)?.map_or(Actor::User, agent));
    }
    let Some(id) = &cx.caller.inside else {
        // An MCP server that deck didn't start is an agent's all the same.
        let outside = |scopes: &[Scope]| Agent { session: None, scopes: scopes.to_vec(), doubt: None };
        return Ok(served.map_or(Actor::User, |scopes| agent(outside(scopes))));
    };
    let profile = cx.profile.store.load()?.profile;
    let Some(session) = profile.session(id).filter(|s| s.deleted_at.is_none()).cloned() else {
        return elsewhere(cx, id, served);
    };
    let row = find_row(cx, &session)?;
    let tool = match &row {
        Some(row) => foreground_agent::tool_of(cx, &session, row),
        None => cx.tools.tool(&session.tool),
    };
    // What is no known agent, and was given nothing, is the user at a shell or in a script.
    if served.is_none() && session.mcp.is_empty() && !tool.is_some_and(|entry| is_agent(&entry)) {
        return Ok(Actor::User);
    }
    let is_own = row.and_then(|r| r.facts.pid).is_some_and(|pid| cx.host.descends_from(pid));
    let doubt = (!is_own).then_some(Refusal::NotProven);
    let scopes = scopes_of(&session, served);
    Ok(agent(Agent { session: Some(session), scopes, doubt }))
}

/// What a session's agent may do: by a server, what that was given; never more than its record says, if that says anything.
fn scopes_of(session: &Session, served: Option<&[Scope]>) -> Vec<Scope> {
    let own = mcp_scope::known(&session.mcp);
    match served {
        Some(served) if session.mcp.is_empty() => served.to_vec(),
        Some(served) => mcp_scope::common(&own, served),
        None => own,
    }
}

/// The owner of the shell whose code this is.
fn owner_of_shell(cx: &Cx) -> Option<String> {
    let id = ShellId::parse(cx.caller.var("DECK_SHELL_ID")?)?;
    cx.shells.shell(&id).ok().flatten().map(|shell| shell.owner)
}

/// The agent that owns a shell; none if a user does.
fn of_owner(cx: &Cx, owner: &str) -> OpResult<Option<Agent>> {
    let profile = cx.profile.store.load()?.profile;
    let session = SessionId::parse(owner).and_then(|id| profile.session(&id).cloned());
    let Some(session) = session else {
        let outside = Agent { session: None, scopes: Vec::new(), doubt: None };
        return Ok((owner != crate::ops::shell::USER).then_some(outside));
    };
    let is_agent = !session.mcp.is_empty() || cx.tools.tool(&session.tool).is_some_and(|e| is_agent(&e));
    let scopes = scopes_of(&session, None);
    Ok(is_agent.then_some(Agent { session: Some(session), scopes, doubt: None }))
}

/// A caller whose session isn't in this profile.
fn elsewhere(cx: &Cx, id: &SessionId, served: Option<&[Scope]>) -> OpResult<Actor> {
    let rows = panes(cx, [])?.rows;
    let row = rows.iter().find(|row| row.own_id() == Some(id));
    let tags = row.map(|r| cx.mux.record_tags(std::slice::from_ref(&r.session))).transpose()?;
    let tool = tags.and_then(|t| t.into_iter().next().flatten()).and_then(|t| cx.tools.tool(&t.tool));
    if served.is_none() && !tool.is_some_and(|entry| is_agent(&entry)) {
        return Ok(Actor::User);
    }
    let scopes = served.unwrap_or_default().to_vec();
    let agent = Agent { session: None, scopes, doubt: Some(Refusal::OtherProfile) };
    Ok(Actor::Agent(Box::new(agent)))
}
