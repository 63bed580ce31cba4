//! Following what is said in a conversation's file, from a bookmark on.
//!
//! Invariants: each record is read once, but where an agent writes its history again; what a program adds by itself, and the
//! summary that replaces a context, are nobody's words.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::{Mutex, PoisonError};

use jiff::Timestamp;
use serde_json::Value;

use super::lines::{Lines, Reached};
use super::{Format, LOOK_AGAIN, MOST_REMEMBERED, file_of, format};
use crate::domain::conversation::{Bookmark, Heard, Part, Words};
use crate::ports::reports::Asked;

/// The longest line that is read, in bytes: no message is larger.
const LONGEST: u64 = 8 * 1024 * 1024;

/// What one record says.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Item {
    Words(Words),
    /// What an answer used. Some agents write it beside each part of the answer, some in a record of its own.
    Used {
        answer: Option<String>,
        input: u64,
        output: u64,
    },
    /// The tokens in the model's context.
    Context(u64),
    /// The model that answers from here on.
    Model(String),
    Compacted {
        id: String,
    },
}

/// The texts of those parts of a message, one paragraph each.
pub(super) fn joined(parts: &Value, is_text: impl Fn(&Value) -> bool) -> String {
    let parts = parts.as_array().into_iter().flatten().filter(|part| is_text(part));
    let texts: Vec<&str> = parts.filter_map(|part| part.get("text").and_then(Value::as_str)).collect();
    texts.join("\n\n")
}

/// Puts together what records say.
#[derive(Debug, Default)]
struct Hearing {
    heard: Vec<Heard>,
    context: Option<u64>,
    model: Option<String>,
    /// The last answer whose tokens were taken.
    last: Option<String>,
}

impl Hearing {
    fn take(&mut self, item: Item) {
        match item {
            Item::Words(words) => {
                if !words.text.trim().is_empty() && !words.id.is_empty() {
                    let model = words.model.clone().or_else(|| self.model.clone().filter(|_| words.by_agent));
                    self.heard.push(Heard::Words(Words { model, ..words }));
                }
            }
            Item::Used { answer, input, output } => {
                self.context = Some(input + output);
                if answer.is_some() && answer == self.last {
                    return;
                }
                if let Some(Heard::Words(words)) = self.heard.last_mut()
                    && words.by_agent
                    && words.used.is_none()
                {
                    words.used = Some((input, output));
                    self.last = answer;
                }
            }
            Item::Context(tokens) => self.context = Some(tokens),
            Item::Model(model) => self.model = Some(model),
            Item::Compacted { id } => {
                // How much is left is only known from the next answer on.
                self.context = None;
                self.heard.push(Heard::Compacted { id });
            }
        }
    }
}

/// Reads on from a bookmark, at most so many bytes.
fn hear(path: &Path, format: &Format, from: &Bookmark, most: u64) -> std::io::Result<Part> {
    let reached = Reached { inode: from.file, read: from.read, in_line: from.in_line };
    let mut lines = Lines::open(path, reached)?;
    let last = from.last.clone().filter(|_| !lines.is_another);
    let mut hearing = Hearing { last, ..Hearing::default() };
    let whole = lines.read(most, LONGEST, &mut |record| {
        (format.hears)(record).into_iter().for_each(|item| hearing.take(item));
    })?;
    let Reached { inode, read, in_line } = lines.reached;
    let conversation = from.conversation.clone();
    let bookmark = Bookmark { conversation, file: inode, read, in_line, last: hearing.last };
    Ok(Part { heard: hearing.heard, context: hearing.context, bookmark, whole })
}

/// Where a conversation's file was found last.
#[derive(Debug)]
struct Place {
    path: Option<PathBuf>,
    looked_at: Timestamp,
}

/// The files that are followed, by conversation.
#[derive(Debug, Default)]
pub(in crate::tools) struct Ears(Mutex<BTreeMap<String, Place>>);

impl Ears {
    /// What was said in the agent's conversation from a bookmark on, at most so many bytes of its file.
    pub fn hear(&self, asked: &Asked<'_>, from: &Bookmark, most: u64) -> Option<Part> {
        let format = format(asked)?;
        let path = self.path(asked)?;
        // A file that is gone, or can't be read now, is read later.
        hear(&path, format, from, most).ok()
    }

    fn path(&self, asked: &Asked<'_>) -> Option<PathBuf> {
        let id = asked.conversation?;
        let mut all = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if all.len() >= MOST_REMEMBERED && !all.contains_key(id) {
            all.clear();
        }
        let known =
            all.entry(id.to_owned()).or_insert(Place { path: None, looked_at: Timestamp::UNIX_EPOCH });
        // Some agents go on in another file when a conversation is resumed.
        if asked.now.duration_since(known.looked_at) >= LOOK_AGAIN {
            known.looked_at = asked.now;
            known.path = file_of(asked);
        }
        known.path.clone()
    }
}

#[cfg(test)]
mod tests {
    use super::super::{FORMATS, SourceKind};
    use super::*;

    const CLAUDE: &str = include_str!("../../../tests/fixtures/transcripts/claude-2.1.330-compacted.jsonl");
    const CLEARED: &str = include_str!("../../../tests/fixtures/transcripts/claude-2.1.330-cleared.jsonl");
    const CODEX: &str = include_str!("../../../tests/fixtures/transcripts/codex-0.169.0-compacted.jsonl");
    const GEMINI: &str = include_str!("../../../tests/fixtures/transcripts/gemini-0.61.0-compressed.jsonl");

    fn of(kind: SourceKind) -> &'static Format {
        FORMATS.iter().find(|format| format.kind == kind).unwrap()
    }

    fn words(heard: &Heard) -> String {
        match heard {
            Heard::Words(words) => format!(
                "{} {:?} {:?} {:?}",
                if words.by_agent { "agent" } else { "user" },
                words.text,
                words.used,
                words.model
            ),
            Heard::Compacted { id } => format!("compacted {id}"),
        }
    }

    /// What is heard of a file that is read by pieces of so many bytes.
    fn heard(recorded: &str, kind: SourceKind, piece: u64) -> (Vec<String>, Option<u64>) {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("c.jsonl");
        crate::sys::files::create_new(&path, recorded.as_bytes(), 0o600).unwrap();
        let (mut all, mut bookmark, mut context) = (Vec::new(), Bookmark::default(), None);
        loop {
            let part = hear(&path, of(kind), &bookmark, piece).unwrap();
            all.extend(part.heard.iter().map(words));
            context = part.context.or(context);
            bookmark = part.bookmark;
            if part.whole {
                return (all, context);
            }
        }
    }

    #[test]
    fn recorded_conversations_that_their_agents_compacted() {
        for (recorded, kind, name) in [
            (CLAUDE, SourceKind::ClaudeTranscript, "claude_heard"),
            (CLEARED, SourceKind::ClaudeTranscript, "claude_cleared_heard"),
            (CODEX, SourceKind::CodexRollout, "codex_heard"),
            (GEMINI, SourceKind::GeminiChat, "gemini_heard"),
        ] {
            let (whole, context) = heard(recorded, kind, u64::MAX);
            insta::assert_snapshot!(name, whole.join("\n") + &format!("\ncontext {context:?}"));
        }
    }

    #[test]
    fn what_is_written_meanwhile_is_heard_next_time() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("c.jsonl");
        let said = |id: &str| {
            format!("{{\"type\":\"user\",\"uuid\":{id:?},\"message\":{{\"content\":\"do {id}\"}}}}\n")
        };
        let (first, second) = (said("a"), said("b"));
        let (begun, rest) = second.split_at(20);
        let append = |text: &str| crate::sys::files::append(&path, text.as_bytes()).unwrap();
        let hear = |from: &Bookmark| {
            let part = hear(&path, of(SourceKind::ClaudeTranscript), from, u64::MAX).unwrap();
            (part.heard.iter().map(words).collect::<Vec<_>>(), part.bookmark)
        };
        append(&(first.clone() + begun));
        let (heard, bookmark) = hear(&Bookmark::default());
        assert_eq!(heard.len(), 1, "{heard:?}");
        append(rest);
        let (heard, bookmark) = hear(&bookmark);
        assert!(heard.len() == 1 && heard[0].contains("do b"), "{heard:?}");
        assert_eq!(hear(&bookmark).0, Vec::<String>::new());
        // Another file of its name is read from its beginning.
        std::fs::remove_file(&path).unwrap();
        append(&first);
        assert_eq!(hear(&bookmark).0.len(), 1);
    }
}
