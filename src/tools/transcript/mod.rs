//! The end of a conversation's file: what went wrong last, and what the user interrupted.
//!
//! Invariants: only the last kilobytes are read, and only when the file changed; only errors and
//! interruptions are reported, since everything else may not be on disk yet; a record that can't be read
//! reports nothing.

mod claude;
mod codex;
mod count;
mod found;
mod gemini;
mod heard;
mod lines;

use std::collections::BTreeMap;
use std::io::{Read, Seek, SeekFrom};
use std::path::{Path, PathBuf};
use std::sync::{Mutex, PoisonError};
use std::time::SystemTime;

use jiff::{SignedDuration, Timestamp};
use serde_json::Value;

use crate::domain::conversation::{self, Digest, Said, Totals, Who};
use crate::domain::status::{Evidence, FailKind, Observation, Source, Turn};
use crate::domain::text;
use crate::domain::tool::SourceKind;
use crate::ports::reports::Asked;
use crate::sys::files;
use crate::sys::host::find_files;
use found::Opening;

/// How much of the end is read, in bytes.
const TAIL: u64 = 64 * 1024;
/// How much of the end is read for a digest, in bytes.
const DIGEST_TAIL: u64 = 256 * 1024;
/// The user's messages that are enough of a talk, and how much is read at most to find them, in bytes.
const ENOUGH: usize = 20;
const LONGEST_TAIL: u64 = 16 * DIGEST_TAIL;
/// How often a file that isn't there is looked for.
const LOOK_AGAIN: SignedDuration = SignedDuration::from_secs(5);
/// The most characters that are kept of an error.
const MOST_TEXT: usize = 300;

/// What one record reports.
#[derive(Debug, Clone, PartialEq, Eq)]
enum Says {
    /// A turn began, continues or ended well: what was before is over.
    Fine,
    /// A turn failed.
    Failed(FailKind, String),
    /// The user interrupted a turn.
    Interrupted,
}

/// A format's reader of one record; `None` for a record that reports nothing of turns.
type Reader = fn(&Value) -> Option<Says>;
/// A format's reader that adds what one record reports to what the ones before reported.
type AddRecord = fn(&mut Digest, &Value);
/// A format's reader that adds one record to what the ones before add up to.
type Adder = fn(&mut Totals, &Value);

/// A format's reader of a file's first records: what it is a conversation of.
type Opener = fn(&mut Opening, &Value);

/// A format's reader of what a record reports of the talk itself.
type Talker = fn(&Value) -> Vec<Said>;

/// A format's reader of what a record adds to a record of the talk.
type Hearer = fn(&Value) -> Vec<heard::Item>;

/// The readers of one format.
struct Format {
    kind: SourceKind,
    says: Reader,
    add_record: AddRecord,
    adds: Adder,
    opens: Opener,
    talks: Talker,
    hears: Hearer,
}

const FORMATS: &[Format] = &[
    Format {
        kind: SourceKind::ClaudeTranscript,
        says: claude::says,
        add_record: claude::add_record,
        adds: claude::adds,
        opens: claude::opens,
        talks: claude::talks,
        hears: claude::hears,
    },
    Format {
        kind: SourceKind::CodexRollout,
        says: codex::says,
        add_record: codex::add_record,
        adds: codex::adds,
        opens: codex::opens,
        talks: codex::talks,
        hears: codex::hears,
    },
    Format {
        kind: SourceKind::GeminiChat,
        says: gemini::says,
        add_record: gemini::add_record,
        adds: gemini::adds,
        opens: gemini::opens,
        talks: gemini::talks,
        hears: gemini::hears,
    },
];

fn format(asked: &Asked<'_>) -> Option<&'static Format> {
    FORMATS.iter().find(|f| asked.tool.has_source(f.kind))
}

/// The conversation's file. Where there are several (a folder that was moved, a second file that an agent
/// left beside a conversation) it is the last one written that holds a prompt.
fn file_of(asked: &Asked<'_>) -> Option<PathBuf> {
    let places = conversation::places(asked.tool, asked.conversation?, |name| asked.var(name));
    let mut files: Vec<PathBuf> = places.iter().flat_map(|p| find_files(p)).collect();
    if files.len() > 1 {
        let written = |p: &PathBuf| p.metadata().and_then(|m| m.modified()).ok();
        files.sort_by_key(|p| std::cmp::Reverse(written(p)));
        let add_record = format(asked)?.add_record;
        let has_prompt = |p: &&PathBuf| {
            let len = p.metadata().map(|m| m.len()).unwrap_or(0);
            tail(p, len, DIGEST_TAIL).is_some_and(|text| digest_of(&text, add_record).last_prompt.is_some())
        };
        if let Some(found) = files.iter().find(has_prompt) {
            return Some(found.clone());
        }
    }
    files.into_iter().next()
}

pub(super) use count::Counts;
pub(super) use found::conversations;
pub(super) use heard::Ears;

/// What the end of the agent's conversation reports. Its file is read by its last kilobytes, however
/// long it is.
pub(super) fn digest(asked: &Asked<'_>) -> Option<Digest> {
    let format = format(asked)?;
    let path = file_of(asked)?;
    let meta = path.metadata().ok()?;
    let text = tail(&path, meta.len(), DIGEST_TAIL)?;
    let modified = meta.modified().ok().and_then(|at| Timestamp::try_from(at).ok());
    Some(Digest { bytes: Some(meta.len()), used_at: modified, ..digest_of(&text, format.add_record) })
}

/// What was said last in the agent's conversation. Some agents write much between two messages: so much of the end is read that
/// enough of the user's are in it.
pub(super) fn said(asked: &Asked<'_>) -> Vec<Said> {
    let Some((format, path)) = format(asked).zip(file_of(asked)) else { return Vec::new() };
    let len = path.metadata().map(|meta| meta.len()).unwrap_or_default();
    let mut most = DIGEST_TAIL;
    loop {
        let said = tail(&path, len, most).map(|text| talk(&text, format.talks)).unwrap_or_default();
        let users = said.iter().filter(|said| said.who == Who::User).count();
        if users >= ENOUGH || most >= len || most >= LONGEST_TAIL {
            return said;
        }
        most *= 4;
    }
}

/// The file of the agent's conversation, and the user's first prompt in it.
pub(super) fn opening(asked: &Asked<'_>) -> (Option<PathBuf>, Option<String>) {
    let Some((format, path)) = format(asked).zip(file_of(asked)) else { return (None, None) };
    let prompt = found::read(&path, format.opens).and_then(|opening| opening.first_prompt);
    (Some(path), prompt)
}

fn talk(text: &str, talks: Talker) -> Vec<Said> {
    let mut all: Vec<Said> = Vec::new();
    for said in text.lines().filter_map(|l| serde_json::from_str(l).ok()).flat_map(|r| talks(&r)) {
        // Some records are written again when they have become more.
        if all.last() != Some(&said) {
            all.push(said);
        }
    }
    all
}

/// What one side said, unless it is nothing.
fn by(who: Who, text: Option<String>) -> Option<Said> {
    text.filter(|t| !t.trim().is_empty()).map(|text| Said { who, text })
}

fn digest_of(text: &str, add_record: AddRecord) -> Digest {
    let mut digest = Digest::default();
    for record in text.lines().filter_map(|l| serde_json::from_str::<Value>(l).ok()) {
        add_record(&mut digest, &record);
    }
    digest
}

/// The text at a path of JSON, unless it is empty.
fn text_at(value: &Value, path: &str) -> Option<String> {
    value.pointer(path).and_then(Value::as_str).filter(|t| !t.trim().is_empty()).map(str::to_owned)
}

/// What is remembered of one conversation's file.
#[derive(Debug)]
struct Known {
    path: Option<PathBuf>,
    looked_at: Timestamp,
    state: Option<(SystemTime, u64)>,
    evidence: Option<Evidence>,
}

/// The files read so far, by conversation.
#[derive(Debug, Default)]
pub(super) struct Tails(Mutex<BTreeMap<String, Known>>);

/// Files remembered at once; a deck with more sessions reads some of them again.
const MOST_REMEMBERED: usize = 1000;

impl Tails {
    /// What the end of the agent's conversation reports.
    pub fn read(&self, asked: &Asked<'_>) -> Option<Evidence> {
        let (format, id) = (format(asked)?, asked.conversation?);
        let mut all = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if all.len() >= MOST_REMEMBERED && !all.contains_key(id) {
            all.clear();
        }
        let known = all.entry(id.to_owned()).or_insert_with(|| Known {
            path: None,
            looked_at: Timestamp::UNIX_EPOCH,
            state: None,
            evidence: None,
        });
        let may_be_new = asked.moved || known.looked_at == Timestamp::UNIX_EPOCH;
        if known.path.is_none() && may_be_new && asked.now.duration_since(known.looked_at) >= LOOK_AGAIN {
            known.looked_at = asked.now;
            known.path = file_of(asked);
        }
        let path = known.path.as_deref()?;
        let Some(state) = path.metadata().ok().and_then(|m| Some((m.modified().ok()?, m.len()))) else {
            known.path = None;
            return None;
        };
        if known.state != Some(state) {
            known.evidence = tail(path, state.1, TAIL).and_then(|t| last(&t, format.says, asked.now));
            known.state = Some(state);
        }
        let mut evidence = known.evidence.clone()?;
        evidence.seen_at = asked.now;
        Some(evidence)
    }
}

/// The last kilobytes of a file, from the start of a line on.
fn tail(path: &Path, len: u64, most: u64) -> Option<String> {
    let mut file = files::open(path).ok()?;
    let from = len.saturating_sub(most);
    file.seek(SeekFrom::Start(from)).ok()?;
    let mut bytes = Vec::new();
    file.take(most).read_to_end(&mut bytes).ok()?;
    let text = String::from_utf8_lossy(&bytes).into_owned();
    // Where it was cut, the first line is only part of one.
    Some(if from == 0 { text } else { text.split_once('\n').map_or_else(String::new, |(_, t)| t.to_owned()) })
}

/// What the last record that reports anything reports.
fn last(text: &str, reader: Reader, now: Timestamp) -> Option<Evidence> {
    let mut records = text.lines().rev().filter_map(|l| serde_json::from_str::<Value>(l).ok());
    let (record, says) = records.find_map(|r| reader(&r).map(|says| (r, says)))?;
    let at = record.get("timestamp").and_then(Value::as_str).and_then(|t| t.parse::<Timestamp>().ok());
    let (what, line) = match says {
        Says::Fine => return None,
        Says::Failed(kind, words) => (Observation::Failed(kind), words),
        Says::Interrupted => (Observation::Ready(Turn::ByUser), "interrupted".to_owned()),
    };
    let mut evidence = Evidence::new(Source::Transcript, what, now).since(at);
    let words: String = text::clean(&line).chars().take(MOST_TEXT).collect();
    evidence.asks = matches!(evidence.what, Observation::Failed(_)).then(|| words.clone());
    evidence.line = Some(words);
    Some(evidence)
}

/// The kind of a failure by its HTTP status.
const fn by_code(code: u64) -> FailKind {
    match code {
        401 | 403 => FailKind::Auth,
        429 => FailKind::Limit,
        _ => FailKind::Api,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const CLAUDE: &str = include_str!("../../../tests/fixtures/transcripts/claude-2.1.330.jsonl");
    const CODEX: &str = include_str!("../../../tests/fixtures/transcripts/codex-0.169.0.jsonl");
    const GEMINI: &str = include_str!("../../../tests/fixtures/transcripts/gemini-0.61.0.jsonl");

    /// What is reported when the file ends after each of its records.
    fn after_each(recorded: &str, reader: Reader) -> String {
        let lines: Vec<&str> = recorded.lines().collect();
        let after = |n: usize| {
            let e = last(&lines[..n].join("\n"), reader, Timestamp::UNIX_EPOCH);
            e.map_or_else(|| "-".to_owned(), |e| format!("{:?} {}", e.what, e.line.unwrap_or_default()))
        };
        (1..=lines.len()).map(after).collect::<Vec<_>>().join("\n")
    }

    #[test]
    fn recorded_conversations() {
        insta::assert_snapshot!("claude_transcript", after_each(CLAUDE, claude::says));
        insta::assert_snapshot!("codex_rollout", after_each(CODEX, codex::says));
        insta::assert_snapshot!("gemini_chat", after_each(GEMINI, gemini::says));
    }

    #[test]
    fn digests_of_recorded_conversations() {
        insta::assert_debug_snapshot!("claude_digest", digest_of(CLAUDE, claude::add_record));
        insta::assert_debug_snapshot!("codex_digest", digest_of(CODEX, codex::add_record));
        insta::assert_debug_snapshot!("gemini_digest", digest_of(GEMINI, gemini::add_record));
    }

    #[test]
    fn totals_of_recorded_conversations() {
        let total = |recorded: &str, adds: Adder| {
            let mut totals = Totals::default();
            let records = recorded.lines().filter_map(|l| serde_json::from_str::<Value>(l).ok());
            records.for_each(|r| adds(&mut totals, &r));
            totals
        };
        insta::assert_debug_snapshot!("claude_totals", total(CLAUDE, claude::adds));
        insta::assert_debug_snapshot!("codex_totals", total(CODEX, codex::adds));
        insta::assert_debug_snapshot!("gemini_totals", total(GEMINI, gemini::adds));
    }

    #[test]
    fn what_was_said_in_recorded_conversations() {
        let digest_of = |recorded: &str, talks: Talker| -> Vec<String> {
            talk(recorded, talks).iter().map(|s| format!("{:?}: {}", s.who, s.text)).collect()
        };
        insta::assert_debug_snapshot!("claude_talk", digest_of(CLAUDE, claude::talks));
        insta::assert_debug_snapshot!("codex_talk", digest_of(CODEX, codex::talks));
        insta::assert_debug_snapshot!("gemini_talk", digest_of(GEMINI, gemini::talks));
    }

    #[test]
    fn a_summary_that_replaces_the_context_is_nobodys_words() {
        let recorded = include_str!("../../../tests/fixtures/transcripts/claude-2.1.330-compacted.jsonl");
        let users = talk(recorded, claude::talks).into_iter().filter(|said| said.who == Who::User);
        let users: Vec<String> = users.map(|said| said.text).collect();
        let typed = [
            "ECHO first answer of claude",
            "ECHO second words",
            "TOOL echo hi THEN ECHO third",
            "ECHO after the compaction",
            "ECHO after a restart",
        ];
        assert_eq!(users, typed);
        let first_lines: Vec<&str> = recorded.lines().take_while(|l| !l.contains("after the comp")).collect();
        let digest = digest_of(&first_lines.join("\n"), claude::add_record);
        assert_eq!(digest.last_prompt.as_deref(), Some("TOOL echo hi THEN ECHO third"));
        let mut totals = Totals::default();
        let records = recorded.lines().filter_map(|l| serde_json::from_str::<Value>(l).ok());
        records.for_each(|record| claude::adds(&mut totals, &record));
        assert_eq!(totals.prompts, 5);
    }

    #[test]
    fn much_between_two_messages_hides_none_of_them() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("c.jsonl");
        let noise = format!("{{\"type\":\"attachment\",\"text\":{:?}}}\n", "x".repeat(60_000));
        let said = |n: u32| format!("{{\"type\":\"user\",\"message\":{{\"content\":\"do {n}\"}}}}\n{noise}");
        crate::sys::files::create_new(&path, (0..30).map(said).collect::<String>().as_bytes(), 0o600)
            .unwrap();
        let tool = crate::domain::tool::Tool {
            conversation_files: vec![format!("{}/{{id}}.jsonl", dir.path().display())],
            sources: vec![SourceKind::ClaudeTranscript],
            ..crate::domain::tool::Tool::default()
        };
        let asked = Asked {
            pid: 0,
            tool: &tool,
            env: &BTreeMap::new(),
            conversation: Some("c"),
            port: None,
            title: "",
            moved: true,
            now: Timestamp::UNIX_EPOCH,
        };
        let all = super::said(&asked);
        assert!(all.len() >= ENOUGH && all.last().is_some_and(|said| said.text == "do 29"), "{}", all.len());
    }

    #[test]
    fn a_line_that_is_cut_says_nothing() {
        let cut = CODEX.get(..CODEX.len() - 20).unwrap();
        assert_eq!(last(&format!("garbage\n{cut}"), |_| None, Timestamp::UNIX_EPOCH), None);
        assert_eq!(last("", codex::says, Timestamp::UNIX_EPOCH), None);
    }

    #[test]
    fn of_several_files_it_is_the_last_one_with_a_prompt() {
        let dir = tempfile::tempdir().unwrap();
        let place = |n: u32| dir.path().join(format!("{n}/c.jsonl"));
        let prompt = r#"{"type":"user","message":{"content":"do it"}}"#;
        for (n, text) in [(1, prompt.repeat(3)), (2, format!("{prompt}\n")), (3, "{}\n".to_owned())] {
            crate::sys::files::make_dir(place(n).parent().unwrap()).unwrap();
            crate::sys::files::create_new(&place(n), text.as_bytes(), 0o600).unwrap();
            let at = SystemTime::UNIX_EPOCH + std::time::Duration::from_secs(u64::from(n));
            std::fs::File::options().write(true).open(place(n)).unwrap().set_modified(at).unwrap();
        }
        let tool = crate::domain::tool::Tool {
            conversation_files: vec![format!("{}/*/{{id}}.jsonl", dir.path().display())],
            sources: vec![SourceKind::ClaudeTranscript],
            ..crate::domain::tool::Tool::default()
        };
        let asked = Asked {
            pid: 0,
            tool: &tool,
            env: &BTreeMap::new(),
            conversation: Some("c"),
            port: None,
            title: "",
            moved: true,
            now: Timestamp::UNIX_EPOCH,
        };
        assert_eq!(file_of(&asked), Some(place(2)));
    }

    #[test]
    fn only_the_end_of_a_long_file_is_read() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("long.jsonl");
        let text = "x".repeat(100_000) + "\nlast\n";
        crate::sys::files::create_new(&path, text.as_bytes(), 0o600).unwrap();
        assert_eq!(tail(&path, text.len() as u64, TAIL).unwrap(), "last\n");
    }
}
