//! What the records of a conversation come to.

use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

use super::event::{Event, Lease, Pin, Record};
use super::id::{Subject, TalkId};
use crate::domain::conversation::Bookmark;

/// Whether a conversation is in use.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum TalkStatus {
    #[default]
    Active,
    Archived,
}

impl TalkStatus {
    /// Its word.
    pub const fn word(self) -> &'static str {
        match self {
            Self::Active => "active",
            Self::Archived => "archived",
        }
    }
}

/// Sums over the whole conversation.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct Stats {
    pub total_messages: u64,
    /// Used ones where the messages say so, else estimated.
    pub total_tokens: u64,
    pub total_compactions: u64,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub last_compaction_at: Option<String>,
}

/// The session that has a conversation.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Carrier {
    pub session: String,
    /// The ids of the agent's own conversations that were read, in their order.
    pub resume_ids: Vec<String>,
    /// How far the last of them was read.
    #[serde(default)]
    pub bookmark: Bookmark,
    /// The tokens in the agent's context, as it said last.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub context: Option<u64>,
    /// The compactions of its own context that its agent made.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub compacted: Vec<String>,
}

impl Carrier {
    /// A session whose transcript was not read yet.
    pub fn of(session: &str) -> Self {
        Self {
            session: session.to_owned(),
            resume_ids: Vec::new(),
            bookmark: Bookmark::default(),
            context: None,
            compacted: Vec::new(),
        }
    }

    fn has_read_of(&mut self, conversation: &str) {
        if !conversation.is_empty() {
            self.resume_ids.retain(|known| known != conversation);
            self.resume_ids.push(conversation.to_owned());
        }
    }
}

/// How it stands with the compactions of a conversation.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(default)]
pub struct Compactions {
    /// The one that was begun and has not ended.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub lease: Option<Lease>,
    /// How many in a row no model could write.
    pub without_model: u32,
    /// How many tokens of messages there were after the last one.
    pub settled: u64,
    /// How many messages the last one had.
    pub messages: u64,
    /// Why the last one that failed did.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub error: Option<String>,
}

/// What is known of a conversation without its messages.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct State {
    pub id: TalkId,
    pub subject: Subject,
    pub created_at: String,
    pub updated_at: String,
    #[serde(default)]
    pub status: TalkStatus,
    #[serde(default)]
    pub stats: Stats,
    /// The number of the last record.
    #[serde(default)]
    pub seq: u64,
    /// The version of the checkpoint that counts.
    pub version: u64,
    /// The last record whose messages are archived, or are to be; 0 for none.
    #[serde(default)]
    pub cut: u64,
    /// The messages behind that.
    #[serde(default)]
    pub messages: u64,
    /// Their tokens, estimated.
    #[serde(default)]
    pub tokens: u64,
    /// The tokens of the agent's description and of the checkpoint, estimated.
    #[serde(default)]
    pub description_tokens: u64,
    #[serde(default)]
    pub checkpoint_tokens: u64,
    #[serde(default)]
    pub pins: Vec<Pin>,
    /// The number of the last pin there was.
    #[serde(default)]
    pub last_pin: u64,
    /// The oldest message's time, where another program said another one than its first message has.
    #[serde(default)]
    pub oldest: Option<String>,
    /// What the user says of the context.
    #[serde(default)]
    pub context: Map<String, Value>,
    #[serde(default)]
    pub carrier: Option<Carrier>,
    #[serde(default)]
    pub compactions: Compactions,
    /// Keys of other programs.
    #[serde(default)]
    pub other: Map<String, Value>,
}

impl State {
    /// A conversation without a message.
    pub fn new(subject: Subject, at: &str) -> Self {
        Self {
            id: subject.id(),
            subject,
            created_at: at.to_owned(),
            updated_at: at.to_owned(),
            status: TalkStatus::Active,
            stats: Stats::default(),
            seq: 0,
            version: 1,
            cut: 0,
            messages: 0,
            tokens: 0,
            description_tokens: 0,
            checkpoint_tokens: 0,
            pins: Vec::new(),
            last_pin: 0,
            oldest: None,
            context: Map::new(),
            carrier: None,
            compactions: Compactions::default(),
            other: Map::new(),
        }
    }

    /// What the first records of a log come to; none if they aren't the first ones.
    pub fn of_head(record: &Record) -> Option<Self> {
        match &record.event {
            Event::Created { state, .. } | Event::Base { state, .. } => {
                Some(Self { seq: record.seq, ..(**state).clone() })
            }
            _ => None,
        }
    }

    /// Adds what a record says. One that is known already, by its number, changes nothing.
    pub fn apply(&mut self, record: &Record) {
        if record.seq <= self.seq {
            return;
        }
        self.seq = record.seq;
        self.updated_at.clone_from(&record.at);
        match &record.event {
            Event::Created { .. } | Event::Base { .. } => {}
            Event::MessageAdded { message, tokens, known } => {
                self.messages += 1;
                self.tokens += tokens;
                if !known {
                    self.stats.total_messages += 1;
                    let used = message.usage().map(|(input, output)| input + output);
                    self.stats.total_tokens += used.unwrap_or(*tokens);
                }
            }
            Event::Archived => self.status = TalkStatus::Archived,
            Event::Unarchived => self.status = TalkStatus::Active,
            Event::Cleared { upto } => {
                self.oldest = None;
                self.cut = *upto;
                (self.messages, self.tokens) = (0, 0);
                self.compactions.settled = 0;
            }
            Event::CompactionStart(lease) => self.compactions.lease = Some(lease.clone()),
            Event::CompactionComplete(done) => {
                self.compactions.messages = self.messages.saturating_sub(done.messages);
                self.compactions.lease = None;
                self.compactions.error = None;
                self.compactions.settled = done.tokens;
                if done.method == super::DETERMINISTIC {
                    self.compactions.without_model += 1;
                } else {
                    self.compactions.without_model = 0;
                }
                self.oldest = None;
                self.version = done.version;
                self.cut = done.upto;
                (self.messages, self.tokens) = (done.messages, done.tokens);
                self.checkpoint_tokens = done.checkpoint_tokens;
                self.stats.total_compactions += 1;
                self.stats.last_compaction_at = Some(record.at.clone());
            }
            Event::CompactionError { reason, .. } => {
                self.compactions.lease = None;
                self.compactions.error = Some(reason.clone());
            }
            Event::CompactionUndone { version, upto, messages, tokens, .. } => {
                self.compactions.lease = None;
                self.version = *version;
                self.cut = *upto;
                (self.messages, self.tokens) = (*messages, *tokens);
                self.compactions.settled = *tokens;
            }
            Event::Pinned { pin } => {
                self.last_pin = pin.number;
                self.pins.push(pin.clone());
            }
            Event::Unpinned { number } => self.pins.retain(|pin| pin.number != *number),
            Event::ContextSet { values } => {
                for (key, value) in values {
                    if value.is_null() {
                        self.context.remove(key);
                    } else {
                        self.context.insert(key.clone(), value.clone());
                    }
                }
            }
            Event::Carried { session, resume_id } => {
                let known = self.carrier.take().filter(|carrier| carrier.session == *session);
                let mut carrier = known.unwrap_or_else(|| Carrier::of(session));
                resume_id.iter().for_each(|id| carrier.has_read_of(id));
                self.carrier = Some(carrier);
            }
            Event::Detached => self.carrier = None,
            Event::TranscriptRead { bookmark, context } => {
                if let Some(carrier) = &mut self.carrier {
                    carrier.has_read_of(&bookmark.conversation);
                    let is_same = carrier.bookmark.conversation == bookmark.conversation;
                    carrier.bookmark.clone_from(bookmark);
                    // What another conversation had in its context says nothing of this one.
                    carrier.context = context.or(carrier.context.filter(|_| is_same));
                }
            }
            Event::AgentCompacted { id, .. } => {
                if let Some(carrier) = &mut self.carrier {
                    carrier.compacted.push(id.clone());
                    // How much is left is known from the next answer on.
                    carrier.context = None;
                }
            }
            Event::Described { tokens } => self.description_tokens = *tokens,
        }
    }

    /// The tokens that a request would have without its context and prompt, estimated.
    pub fn size(&self) -> u64 {
        self.description_tokens + self.checkpoint_tokens + self.tokens
    }

    /// The state with no message in it: the head of a log whose records so far are archived.
    #[must_use]
    pub fn as_base(&self) -> Self {
        Self { messages: 0, tokens: 0, ..self.clone() }
    }
}

#[cfg(test)]
mod tests {
    use super::super::event::{Complete, LOG_VERSION};
    use super::super::message::{Message, Speaker};
    use super::*;

    fn message(id: &str) -> Message {
        Message {
            id: id.into(),
            speaker: Speaker::User,
            content: "x".into(),
            timestamp: String::new(),
            metadata: None,
            other: Map::new(),
        }
    }

    #[test]
    fn what_the_records_come_to_is_the_same_from_a_base() {
        let new = State::new(Subject::new("pm", "f", None, None).unwrap(), "t0");
        let events = vec![
            Event::Created { log: LOG_VERSION, state: Box::new(new) },
            Event::MessageAdded { message: message("a"), tokens: 5, known: false },
            Event::Pinned { pin: Pin { number: 1, text: "never".into(), message: None } },
            Event::MessageAdded { message: message("b"), tokens: 7, known: false },
            Event::CompactionComplete(Complete {
                attempt: "x".into(),
                version: 2,
                upto: 2,
                messages: 1,
                tokens: 7,
                checkpoint_tokens: 3,
                method: "model".into(),
            }),
            Event::MessageAdded { message: message("c"), tokens: 11, known: false },
        ];
        let records: Vec<Record> =
            (1..).zip(events).map(|(seq, event)| Record { seq, at: format!("t{seq}"), event }).collect();
        let fold = |head: &Record, rest: &[Record]| {
            let mut state = State::of_head(head).unwrap();
            rest.iter().for_each(|record| state.apply(record));
            state
        };
        let whole = fold(&records[0], &records[1..]);
        assert_eq!((whole.messages, whole.tokens, whole.cut, whole.version), (2, 18, 2, 2));
        assert_eq!((whole.stats.total_messages, whole.stats.total_compactions), (3, 1));
        let base = fold(&records[0], &records[1..2]).as_base();
        let head = Record {
            seq: 2,
            at: "t2".into(),
            event: Event::Base { log: LOG_VERSION, state: Box::new(base) },
        };
        let again = fold(&head, &records[2..]);
        // How many were compacted is only known where they were.
        let messages = whole.compactions.messages;
        assert_eq!(
            State { compactions: Compactions { messages, ..again.compactions.clone() }, ..again },
            whole
        );
        let mut twice = whole.clone();
        records.iter().for_each(|record| twice.apply(record));
        assert_eq!(twice, whole, "a record that is read twice counts once");
    }
}
