//! Which messages of other agents a session was sent.

use jiff::Timestamp;

use super::talk_file;
use crate::domain::id::SessionId;
use crate::domain::{age, text};
use crate::ops::Cx;

/// A message that an agent sent to another one. Its text is not kept.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct AgentMessage {
    pub at: Timestamp,
    /// The session of the agent that sent it.
    pub from: SessionId,
    /// That session's title; none if there is no such session any more.
    pub title: Option<String>,
}

impl AgentMessage {
    /// In words.
    pub fn words(&self, now: Timestamp) -> String {
        let from = match &self.title {
            Some(title) => format!("the session \"{}\"", text::clean(title)),
            None => "a session that is gone".to_owned(),
        };
        format!("message from {from} {} ago, not from you", age::running(now, self.at))
    }
}

/// The messages that agents sent to a session, oldest first: the last hundred of its tree are known.
///
/// # Errors
/// When the profile can't be read.
pub fn messages_to(cx: &Cx, to: &SessionId) -> crate::ops::OpResult<Vec<AgentMessage>> {
    let profile = cx.profile.store.load()?.profile;
    let title = |id: &SessionId| profile.session(id).map(|s| s.title.clone());
    let all = talk_file::read(cx).trees.into_values().flat_map(|talk| talk.said);
    let mut messages: Vec<AgentMessage> = all
        .filter(|said| said.to == *to)
        .map(|said| AgentMessage { at: said.at, title: title(&said.from), from: said.from })
        .collect();
    messages.sort_by_key(|message| message.at);
    Ok(messages)
}
