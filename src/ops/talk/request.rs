//! Making a request that is ready to send, or only looking at one.

use serde::{Deserialize, Serialize};

use super::context::{make, refresh};
use super::{TalkError, factors, family_of};
use crate::domain::talk::{Description, Material, Message, Request, Speaker, build, family};
use crate::ops::{Cx, OpResult};
use crate::ports::conversations::{Page, Part, Talk};

/// A request with what it comes to.
#[derive(Debug, Clone, PartialEq)]
pub struct Made {
    pub request: Request,
    /// The messages that are in it, oldest first.
    pub messages: Vec<Message>,
    /// The tokens of its parts, in their order, corrected as far as that was learnt.
    pub tokens: Vec<u64>,
    /// Why parts of the context are not known.
    pub problems: Vec<(String, String)>,
    /// Whether the conversation needs compaction before it is sent.
    pub is_due: bool,
}

impl Made {
    /// All its tokens.
    pub fn total(&self) -> u64 {
        self.tokens.iter().sum()
    }
}

/// What a request was estimated at, until its answer says what it used.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
struct Sent {
    /// Not corrected.
    estimated: u64,
    /// The last record that is in it.
    seq: u64,
}

/// A request with this prompt. `is_sent`: it will be sent, so the context is written, and what it really uses can be learnt.
///
/// # Errors
/// When the conversation can't be read, or the context can't be written.
pub fn request(cx: &Cx, talk: &Talk, prompt: Option<&str>, is_sent: bool) -> OpResult<Made> {
    let (root, id) = (&talk.root, &talk.state.id);
    let context = if is_sent { refresh(cx, talk)? } else { make(cx, talk) };
    let description = cx.conversations.part(root, id, Part::Description).map_err(TalkError::from)?;
    let description: Description =
        description.and_then(|text| serde_json::from_str(&text).ok()).unwrap_or_default();
    let checkpoint =
        cx.conversations.checkpoint(root, id, None).map_err(TalkError::from)?.unwrap_or_default();
    let page = Page { limit: usize::MAX, before: None, archive: false };
    let found = cx.conversations.messages(root, id, &page).map_err(TalkError::from)?;
    let messages: Vec<Message> = found.into_iter().map(|numbered| numbered.message).collect();
    let request = build(&Material {
        description: &description,
        context: &context,
        checkpoint: &checkpoint,
        pins: &talk.state.pins,
        messages: &messages,
        prompt,
    });
    if is_sent {
        let sent = Sent { estimated: request.tokens(), seq: talk.state.seq };
        let text = serde_json::to_string(&sent).unwrap_or_default();
        cx.conversations.put_part(root, id, Part::Request, &text).map_err(TalkError::from)?;
    }
    let (factors, of) = (factors(cx), family_of(cx, &talk.state));
    let tokens: Vec<u64> = request.parts().map(|part| factors.corrected(&of, part.tokens)).collect();
    let role = cx.installation.roles.get(&talk.state.subject.role).cloned().unwrap_or_default();
    let settled = talk.state.compactions.settled + role.keep_tokens / 2;
    let is_due = tokens.iter().sum::<u64>() >= role.threshold() && talk.state.tokens >= settled;
    Ok(Made { request, messages, tokens, problems: context.problems.into_iter().collect(), is_due })
}

/// Learns from an answer what its request really used, if the request was made by deck and nothing but its prompt was added
/// since.
pub(super) fn learn(cx: &Cx, talk: &Talk, answer: &Message, seq: u64) {
    let Some((input, _)) = answer.usage().filter(|_| answer.speaker == Speaker::Assistant) else { return };
    let (Some(model), Ok(Some(text))) =
        (answer.model(), cx.conversations.part(&talk.root, &talk.state.id, Part::Request))
    else {
        return;
    };
    let Ok(sent) = serde_json::from_str::<Sent>(&text) else { return };
    if input == 0 || seq > sent.seq + 2 {
        return;
    }
    let mut factors = factors(cx);
    factors.learn(&family(model), sent.estimated, input);
    let text = serde_json::to_string(&factors).unwrap_or_default();
    if let Err(error) = cx.host.put(&cx.installation.state.join("tokens.json"), &text) {
        tracing::warn!(%error, "can't keep what was learnt of tokens");
    }
    // It is learnt from once.
    let _ = cx.conversations.put_part(&talk.root, &talk.state.id, Part::Request, "{}");
}
