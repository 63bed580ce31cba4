//! Conversations: what a role says about a feature or a task, kept by deck whichever program keeps running it.

mod add;
mod carry;
mod compact;
mod context;
mod error;
mod keep;
mod listen;
mod open;
mod overview;
mod place;
mod request;
mod say;
mod summarizer;
mod transfer;

pub use add::{NewMessage, add};
pub use carry::{carries_of, carry, detach, may_carry};
pub use compact::{Compacted, Done, How, compact, undo_compaction};
pub use context::make as make_context;
pub use error::TalkError;
pub use keep::{archive, clear, describe_again, pin, remove, restore, set_context, unpin};
pub use listen::{catch_up, listen, mark_compacted};
pub use open::{Wanted, open};
pub use overview::{Listed, overview};
pub use place::{all_roots, find, is_of, list, possible_roots, read, roots};
pub use request::{Made, request};
pub use say::{first_prompt, say};
pub use transfer::{export, import};

use super::{Cx, OpResult};
use crate::domain::secrets::Redactor;
use crate::domain::talk::{ChatFile, Factors, State};
use crate::ports::conversations::{Page, Talk};

/// The time as it is in records: RFC 3339, in UTC, with milliseconds.
pub fn time(cx: &Cx) -> String {
    cx.clock.now().strftime("%Y-%m-%dT%H:%M:%S%.3fZ").to_string()
}

/// What hides secrets in texts that leave a record: of the caller's environment and of these variables too.
pub fn redactor(cx: &Cx, more: &[(String, String)]) -> Redactor {
    let path = cx.installation.state.join("redaction-key");
    let key = cx.host.read(&path).ok().filter(|key| !key.trim().is_empty()).unwrap_or_else(|| {
        let new = format!("{}{}", cx.clock.new_conversation_id(), cx.clock.new_conversation_id());
        if let Err(error) = cx.host.put(&path, &new) {
            tracing::warn!(path = %path.display(), %error, "the marks of hidden secrets will be others next time");
        }
        new
    });
    let variables = cx.caller.env.iter().chain(more).map(|(name, value)| (name.as_str(), value.as_str()));
    Redactor::new(key.trim(), variables)
}

/// Messages of a conversation, in the shape in which other programs read them.
///
/// # Errors
/// When they can't be read.
pub fn messages_of(cx: &Cx, talk: &Talk, page: &Page) -> OpResult<ChatFile> {
    let found = cx.conversations.messages(&talk.root, &talk.state.id, page).map_err(TalkError::from)?;
    let is_whole = page.before.is_none() && !page.archive && found.len() as u64 == talk.state.messages;
    let messages = found.into_iter().map(|numbered| numbered.message).collect();
    let mut chat = ChatFile::new(messages, talk.state.stats.total_messages);
    if let Some(oldest) = talk.state.oldest.clone().filter(|_| is_whole) {
        chat.oldest_message_timestamp = Some(oldest);
    }
    Ok(chat)
}

/// How estimates are corrected, as far as that was learnt.
pub fn factors(cx: &Cx) -> Factors {
    let text = cx.host.read(&cx.installation.state.join("tokens.json"));
    // Without it nothing was learnt.
    text.ok().and_then(|text| serde_json::from_str(&text).ok()).unwrap_or_default()
}

/// The family of models whose tokens count for a conversation: that of the tool that its role's requests go to, as far as it is known.
pub fn family_of(cx: &Cx, state: &State) -> String {
    let summarizer = cx.installation.roles.get(&state.subject.role).map(|role| role.summarizer.clone());
    crate::domain::talk::family(summarizer.as_deref().unwrap_or_default())
}

/// The tokens that a request would have without its context and prompt, estimated and corrected.
pub fn size(cx: &Cx, state: &State) -> u64 {
    factors(cx).corrected(&family_of(cx, state), state.size())
}

/// Whether a conversation needs compaction: it is as large as its role says, and has grown since it was compacted last.
pub fn due(cx: &Cx, state: &State) -> bool {
    let Some(role) = cx.installation.roles.get(&state.subject.role) else { return false };
    size(cx, state) >= role.threshold() && state.tokens >= state.compactions.settled + role.keep_tokens / 2
}
