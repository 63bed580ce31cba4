//! Asking an agent's user before it does something to others, where `mcp.consent` names the scope that this takes.
//!
//! Invariant: it is the last check of all, so that nobody is asked about what would be refused.

use std::fmt;
use std::sync::Arc;

use super::Agent;
use crate::domain::guard::Refusal;
use crate::domain::mcp_scope::Scope;
use crate::domain::text;
use crate::ops::{Cx, OpResult};

/// How much of an agent's own words its user is shown, in characters.
const MOST: usize = 300;

/// What a user replied.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[cfg_attr(not(any(feature = "mcp", test)), expect(dead_code, reason = "only MCP's clients can ask"))]
pub enum Reply {
    Yes,
    No,
    /// The question is on its way; the agent's program asks for the same thing again with the reply.
    Later,
}

/// How the user of an agent is asked a question, by the agent's own program. It blocks until there is a reply.
#[derive(Clone)]
pub struct AskUser(Arc<dyn Fn(&str) -> Reply + Send + Sync>);

impl AskUser {
    #[cfg(any(feature = "mcp", test))]
    pub fn new(ask: impl Fn(&str) -> Reply + Send + Sync + 'static) -> Self {
        Self(Arc::new(ask))
    }
}

impl fmt::Debug for AskUser {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("AskUser")
    }
}

/// Asks the agent's user whether it may do something that takes `scope`; `act` completes "the agent asks to".
///
/// # Errors
/// [`crate::ops::OpError::Guard`] if they decline, or can't be asked.
pub(super) fn ask(cx: &Cx, agent: &Agent, scope: Scope, act: impl FnOnce() -> String) -> OpResult<()> {
    let Some(wanted) = cx.installation.consent.iter().find(|named| scope.holds(**named)) else {
        return Ok(());
    };
    let Some(user) = &cx.caller.ask_user else {
        return Err(Refusal::CantAsk(*wanted).into());
    };
    let who = agent.session.as_ref().map_or_else(
        || "An agent".to_owned(),
        |session| format!("The agent {:?}", text::clean(&session.title)),
    );
    let question = format!("{who} asks to {}. Allow it?", act());
    let reply = (user.0)(&question);
    cx.check_cancelled()?;
    match reply {
        Reply::Yes => Ok(()),
        Reply::No => Err(Refusal::Declined(question).into()),
        Reply::Later => Err(Refusal::NotAnswered(question).into()),
    }
}

/// An agent's words in quotes, on one line and not too long.
pub(super) fn quoted(words: &str) -> String {
    let words = text::clean(words).split_whitespace().collect::<Vec<_>>().join(" ");
    let mut short: String = words.chars().take(MOST).collect();
    if short.len() < words.len() {
        short.push('…');
    }
    format!("\"{short}\"")
}
