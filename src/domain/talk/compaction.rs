//! Compaction: which messages go into a checkpoint, what a model is given for it, and what its answer must be.
//!
//! Invariants: the last request of the user and all after it stay; nothing that was open is dropped, whatever a model writes; what
//! the user said is kept word for word, by deck and not by a model; a checkpoint that doesn't make a long conversation shorter is none.

use serde::Deserialize;

use super::checkpoint::{Checkpoint, Kept, KeptMessage, Summary};
use super::message::{Message, Speaker};
use super::request::{checkpoint_words, fenced};
use super::tokens::estimate;

/// The system prompt of a program that writes checkpoints.
pub const SUMMARIZER: &str = include_str!("../../../assets/summarizer.md");

/// The JSON Schema of its answer.
pub const ANSWER_SCHEMA: &str = r#"{"type":"object","additionalProperties":false,"required":["completed","inProgress","pending","blockers","decisions","failedApproaches","facts"],"properties":{"completed":{"type":"array","items":{"type":"string"}},"inProgress":{"type":"array","items":{"type":"string"}},"pending":{"type":"array","items":{"type":"string"}},"blockers":{"type":"array","items":{"type":"string"}},"decisions":{"type":"array","items":{"type":"string"}},"failedApproaches":{"type":"array","items":{"type":"string"}},"facts":{"type":"array","items":{"type":"string"}}}}"#;

/// A message with its place and its size.
#[derive(Debug, Clone, PartialEq)]
pub struct Weighed<'a> {
    pub seq: u64,
    pub message: &'a Message,
    pub tokens: u64,
}

/// How many of the first messages go into the checkpoint: not the user's last one and what follows it, and not those before it
/// that fit into `keep` tokens with these.
pub fn split(messages: &[Weighed<'_>], keep: u64) -> usize {
    let last = messages.len().saturating_sub(1);
    let last_user = messages.iter().rposition(|m| m.message.speaker == Speaker::User).unwrap_or(last);
    let mut sum: u64 = messages.iter().skip(last_user).map(|m| m.tokens).sum();
    let mut at = last_user;
    while let Some(before) = at.checked_sub(1) {
        let tokens = messages.get(before).map_or(0, |m| m.tokens);
        if sum + tokens > keep {
            break;
        }
        sum += tokens;
        at = before;
    }
    at
}

/// What a program that writes a checkpoint is given, in pieces of at most `most` tokens: the checkpoint so far stands before
/// each, so the pieces are folded one after the other. A message that is larger by itself is cut in its middle.
pub fn pieces(messages: &[Weighed<'_>], most: u64) -> Vec<String> {
    let mut all = Vec::new();
    let (mut piece, mut sum) = (String::new(), 0);
    for one in messages {
        let text = cut_middle(&one.message.content, most / 2).0;
        let tokens = estimate(&text);
        if sum > 0 && sum + tokens > most {
            all.push(std::mem::take(&mut piece));
            sum = 0;
        }
        piece.push_str(&fenced(one.message.speaker.word(), &text));
        sum += tokens;
    }
    if !piece.is_empty() {
        all.push(piece);
    }
    all
}

/// The text that is sent for one piece.
pub fn material(checkpoint: &Checkpoint, piece: &str, complaint: Option<&str>) -> String {
    let so_far = serde_json::json!({
        "completed": checkpoint.summary.completed,
        "inProgress": checkpoint.summary.in_progress,
        "pending": checkpoint.summary.pending,
        "blockers": checkpoint.summary.blockers,
        "decisions": checkpoint.summary.decisions,
        "failedApproaches": checkpoint.kept.failed_approaches,
        "facts": checkpoint.kept.facts,
    });
    let complaint =
        complaint.map(|why| format!("\nThe last answer was not usable: {why}.\n")).unwrap_or_default();
    format!("<checkpoint>\n{so_far}\n</checkpoint>\n<messages>\n{piece}</messages>\n{complaint}")
}

/// What a program answers.
#[derive(Debug, Clone, PartialEq, Eq, Default, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct Answer {
    pub completed: Vec<String>,
    pub in_progress: Vec<String>,
    pub pending: Vec<String>,
    pub blockers: Vec<String>,
    pub decisions: Vec<String>,
    #[serde(default)]
    pub failed_approaches: Vec<String>,
    #[serde(default)]
    pub facts: Vec<String>,
}

/// The answer in what a program printed: the object itself, or within a fence or a sentence.
///
/// # Errors
/// What is wrong with it, in words that the program understands too.
pub fn answer(text: &str) -> Result<Answer, String> {
    let object = text.find('{').zip(text.rfind('}')).and_then(|(from, to)| text.get(from..=to));
    let object = object.ok_or_else(|| "it has no JSON object".to_owned())?;
    let answer: Answer =
        serde_json::from_str(object).map_err(|error| format!("it isn't such a JSON object: {error}"))?;
    let all = [
        &answer.completed,
        &answer.in_progress,
        &answer.pending,
        &answer.blockers,
        &answer.decisions,
        &answer.failed_approaches,
        &answer.facts,
    ];
    if all.iter().all(|list| list.iter().all(|item| item.trim().is_empty())) {
        return Err("all its lists are empty".to_owned());
    }
    Ok(answer)
}

/// The largest checkpoint for a limit of so many tokens, without the user's own words.
pub const fn largest(token_limit: u64) -> u64 {
    let part = token_limit / 25;
    if part > 500 { part } else { 500 }
}

fn words(text: &str) -> Vec<String> {
    let lower = text.to_lowercase();
    lower.split(|c: char| !c.is_alphanumeric()).filter(|word| !word.is_empty()).map(str::to_owned).collect()
}

/// Whether an item is still there: in the same words, or in at least six of ten of them.
fn is_in(item: &str, lists: &[&Vec<String>]) -> bool {
    let wanted = words(item);
    if wanted.is_empty() {
        return true;
    }
    lists.iter().flat_map(|list| list.iter()).any(|other| {
        let there: std::collections::HashSet<String> = words(other).into_iter().collect();
        wanted.iter().filter(|word| there.contains(*word)).count() * 10 >= wanted.len() * 6
    })
}

/// A checkpoint's lists after an answer; what was open and is found nowhere in it is put back. Returns how many items that were.
pub fn merge(old: &Checkpoint, new: Answer) -> (Summary, Kept, usize) {
    let clean = |list: Vec<String>| -> Vec<String> {
        let mut seen = std::collections::HashSet::new();
        list.into_iter()
            .map(|item| item.trim().to_owned())
            .filter(|item| !item.is_empty() && seen.insert(item.clone()))
            .collect()
    };
    let mut summary = Summary {
        completed: clean(new.completed),
        in_progress: clean(new.in_progress),
        pending: clean(new.pending),
        blockers: clean(new.blockers),
        decisions: clean(new.decisions),
    };
    let mut put_back = 0;
    let missing = |old: &[String], summary: &Summary| -> Vec<String> {
        let lists = summary.lists().map(|(_, list)| list);
        old.iter().filter(|item| !is_in(item, &lists)).cloned().collect()
    };
    let before = summary.clone();
    for (old, list) in [
        (&old.summary.in_progress, &mut summary.in_progress),
        (&old.summary.pending, &mut summary.pending),
        (&old.summary.blockers, &mut summary.blockers),
        (&old.summary.decisions, &mut summary.decisions),
    ] {
        let missing = missing(old, &before);
        put_back += missing.len();
        list.extend(missing);
    }
    let kept = Kept {
        user_messages: Vec::new(),
        failed_approaches: clean(new.failed_approaches),
        facts: clean(new.facts),
    };
    (summary, kept, put_back)
}

/// A text with its middle left out, if it has more than so many tokens.
pub fn cut_middle(text: &str, most: u64) -> (String, bool) {
    let tokens = estimate(text);
    if tokens <= most || tokens == 0 {
        return (text.to_owned(), false);
    }
    let chars: Vec<char> = text.chars().collect();
    let share = |most: u64| -> usize {
        let part = (chars.len() as u64).saturating_mul(most) / tokens;
        usize::try_from(part / 2).unwrap_or(usize::MAX)
    };
    let half = share(most.saturating_sub(10)).max(20).min(chars.len() / 2);
    let first: String = chars.iter().take(half).collect();
    let last: String = chars.iter().skip(chars.len() - half).collect();
    (format!("{first}\n[… {} characters are left out here …]\n{last}", chars.len() - 2 * half), true)
}

/// The user's own words, newest first, as far as they fit: of these messages, then those that were kept before.
pub fn users_words(messages: &[Weighed<'_>], before: &[KeptMessage], token_limit: u64) -> Vec<KeptMessage> {
    let budget = (token_limit / 25).max(300);
    let mut left = budget;
    let new = messages.iter().rev().filter(|m| m.message.speaker == Speaker::User).map(|m| {
        let (content, cut) = cut_middle(&m.message.content, (budget / 4).max(100));
        KeptMessage { id: m.message.id.clone(), content, cut }
    });
    let mut all = Vec::new();
    for message in new.chain(before.iter().cloned()) {
        let tokens = estimate(&message.content);
        if tokens > left {
            break;
        }
        left -= tokens;
        all.push(message);
    }
    all
}

/// The checkpoint that is made without a model: the lists as they were, what the messages themselves report of work, and the
/// beginning of the last answer.
pub fn deterministic(old: &Checkpoint, messages: &[Weighed<'_>]) -> (Summary, Kept) {
    let mut summary = old.summary.clone();
    let mut kept = Kept { user_messages: Vec::new(), ..old.kept.clone() };
    let add = |list: &mut Vec<String>, item: String| {
        if !list.contains(&item) {
            list.push(item);
        }
    };
    // The last list of work that an agent kept replaces what earlier ones said was still to be done.
    let todos =
        messages.iter().rev().find_map(|m| m.message.metadata.as_ref()?.get("todos")?.as_array().cloned());
    for todo in todos.unwrap_or_default() {
        let text =
            |key: &str| todo.get(key).and_then(serde_json::Value::as_str).unwrap_or_default().to_owned();
        let content = text("content");
        if content.is_empty() {
            continue;
        }
        match text("status").as_str() {
            "completed" => {
                summary.in_progress.retain(|item| *item != content);
                summary.pending.retain(|item| *item != content);
                add(&mut summary.completed, content);
            }
            "in_progress" => {
                summary.pending.retain(|item| *item != content);
                add(&mut summary.in_progress, content);
            }
            _ => add(&mut summary.pending, content),
        }
    }
    const MARK: &str = "Last answer before this checkpoint: ";
    if let Some(last) = messages.iter().rev().find(|m| m.message.speaker == Speaker::Assistant) {
        kept.facts.retain(|fact| !fact.starts_with(MARK));
        let (text, _) = cut_middle(&last.message.content, 120);
        kept.facts.push(format!("{MARK}{}", text.split_whitespace().collect::<Vec<_>>().join(" ")));
    }
    // The oldest facts go first when there are too many.
    let extra = kept.facts.len().saturating_sub(60);
    kept.facts.drain(..extra);
    (summary, kept)
}

/// Whether a checkpoint makes a conversation shorter: to seven tenths of what it was, unless it was short anyway.
pub const fn shrinks(before: u64, after: u64) -> bool {
    before < 2_000 || after * 10 <= before * 7
}

/// The tokens of a checkpoint as a request has it, estimated.
pub fn checkpoint_size(checkpoint: &Checkpoint) -> u64 {
    estimate(&checkpoint_words(checkpoint))
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn message(id: &str, speaker: Speaker, content: &str) -> Message {
        Message {
            id: id.into(),
            speaker,
            content: content.into(),
            timestamp: String::new(),
            metadata: None,
            other: serde_json::Map::new(),
        }
    }

    fn sized(messages: &[Message]) -> Vec<Weighed<'_>> {
        (1..)
            .zip(messages)
            .map(|(seq, message)| Weighed { seq, message, tokens: estimate(&message.content) })
            .collect()
    }

    #[test]
    fn the_last_request_and_what_follows_it_stay() {
        let (u, a) = (Speaker::User, Speaker::Assistant);
        let long = "word ".repeat(100);
        let all = [(u, &long), (a, &long), (u, &long), (a, &long), (a, &long)];
        let messages: Vec<Message> = all.iter().map(|(who, text)| message("m", *who, text)).collect();
        let sized = sized(&messages);
        assert_eq!(split(&sized, 0), 2);
        assert_eq!(split(&sized, 10_000), 0, "all of it fits");
        assert_eq!(split(&sized, sized[0].tokens * 4), 1);
        assert_eq!(split(&sized[3..], 0), 1, "without a request the last message stays");
        assert_eq!(split(&[], 0), 0);
    }

    #[test]
    fn material_is_cut_at_messages_and_fenced() {
        let messages: Vec<Message> = (0..10)
            .map(|n| {
                message(&n.to_string(), Speaker::User, &format!("{n} </message> {}", "word ".repeat(200)))
            })
            .collect();
        let pieces = pieces(&sized(&messages), 500);
        assert_eq!(pieces.len(), 5);
        assert!(pieces.iter().all(|piece| piece.matches("</message>").count() == 2), "{}", pieces[0]);
        let huge = [message("h", Speaker::User, &"word ".repeat(10_000))];
        let piece = &super::pieces(&sized(&huge), 500)[0];
        assert!(
            estimate(piece) < 400 && piece.contains("characters are left out here"),
            "{}",
            estimate(piece)
        );
        let text = material(&Checkpoint::default(), piece, Some("it was too long"));
        assert!(text.contains("\"inProgress\":[]") && text.ends_with("not usable: it was too long.\n"));
    }

    #[test]
    fn an_answer_is_found_in_a_fence_and_must_be_of_the_shape() {
        let object = r#"{"completed":["a"],"inProgress":[],"pending":[],"blockers":[],"decisions":[]}"#;
        for text in [object.to_owned(), format!("Here it is:\n```json\n{object}\n```\n")] {
            assert_eq!(answer(&text).unwrap().completed, ["a"]);
        }
        for (bad, why) in [
            ("I can't", "no JSON object"),
            ("{\"completed\":1}", "isn't such a JSON object"),
            (
                r#"{"completed":[],"inProgress":[],"pending":[],"blockers":[],"decisions":[],"x":[]}"#,
                "unknown field",
            ),
            (r#"{"completed":[],"inProgress":[],"pending":[],"blockers":[" "],"decisions":[]}"#, "are empty"),
        ] {
            let error = answer(bad).unwrap_err();
            assert!(error.contains(why), "{bad}: {error}");
        }
        let schema: serde_json::Value = serde_json::from_str(ANSWER_SCHEMA).unwrap();
        assert_eq!(schema["properties"].as_object().unwrap().len(), 7);
    }

    #[test]
    fn what_was_open_is_put_back_where_it_was() {
        let mut old = Checkpoint::default();
        old.summary.pending = vec!["Implement OAuth integration".into(), "Write the docs".into()];
        old.summary.blockers = vec!["Waiting for the client id from ops".into()];
        old.summary.decisions = vec!["GitHub only at first".into()];
        let new = Answer {
            completed: vec!["Implemented the OAuth integration".into()],
            decisions: vec!["At first only GitHub is supported".into()],
            ..Answer::default()
        };
        let (summary, _, put_back) = merge(&old, new);
        assert_eq!(summary.pending, ["Write the docs"], "the other one is finished");
        assert_eq!(summary.blockers, old.summary.blockers);
        assert_eq!((summary.decisions.len(), put_back), (1, 2));
    }

    #[test]
    fn the_users_words_are_kept_as_far_as_they_fit() {
        let messages: Vec<Message> = (0..50)
            .map(|n| message(&n.to_string(), Speaker::User, &format!("number {n}: {}", "word ".repeat(100))))
            .collect();
        let before = [KeptMessage { id: "old".into(), content: "old words".into(), cut: false }];
        let kept = users_words(&sized(&messages), &before, 25_000);
        assert_eq!(kept[0].id, "49", "newest first");
        let sum: u64 = kept.iter().map(|m| estimate(&m.content)).sum();
        assert!((800..=1_000).contains(&sum), "{sum}");
        assert!(!kept.iter().any(|m| m.id == "old"));
        let long = [message("long", Speaker::User, &format!("begin {} end", "word ".repeat(5_000)))];
        let kept = users_words(&sized(&long), &before, 25_000);
        assert!(kept[0].cut && kept[0].content.starts_with("begin") && kept[0].content.ends_with("end"));
        assert_eq!(kept[1].id, "old");
    }

    #[test]
    fn without_a_model_nothing_is_lost_that_is_known() {
        let mut old = Checkpoint::default();
        old.summary.pending = vec!["b".into()];
        old.summary.blockers = vec!["x".into()];
        let mut messages =
            vec![message("1", Speaker::User, "do it"), message("2", Speaker::Assistant, "I did\nthis")];
        let todos = serde_json::json!({"todos": [
            {"content": "a", "status": "completed"}, {"content": "b", "status": "in_progress"}, {"content": "c", "status": "pending"}
        ]});
        messages[1].metadata = todos.as_object().cloned();
        let (summary, kept) = deterministic(&old, &sized(&messages));
        let want = Summary {
            completed: vec!["a".into()],
            in_progress: vec!["b".into()],
            pending: vec!["c".into()],
            blockers: vec!["x".into()],
            decisions: Vec::new(),
        };
        assert_eq!(summary, want);
        assert_eq!(kept.facts, ["Last answer before this checkpoint: I did this"]);
        let again = Checkpoint { kept, ..old };
        assert_eq!(deterministic(&again, &sized(&messages)).1.facts.len(), 1);
    }

    #[test]
    fn shorter_is_shorter() {
        assert!(shrinks(100_000, 70_000) && !shrinks(100_000, 70_001) && shrinks(100, 150));
        assert_eq!((largest(100_000), largest(1_000)), (4_000, 500));
    }

    fn list() -> impl Strategy<Value = Vec<String>> {
        proptest::collection::vec("[a-d]{1,3}( [a-d]{1,3}){0,4}", 0..6)
    }

    proptest! {
        #[test]
        fn no_answer_drops_what_is_open(
            old in [list(), list(), list(), list()],
            new in [list(), list(), list(), list(), list()],
        ) {
            let mut checkpoint = Checkpoint::default();
            let [in_progress, pending, blockers, decisions] = old;
            checkpoint.summary = Summary { completed: Vec::new(), in_progress, pending, blockers, decisions };
            let [completed, in_progress, pending, blockers, decisions] = new;
            let answer = Answer { completed, in_progress, pending, blockers, decisions, ..Answer::default() };
            let (summary, _, _) = merge(&checkpoint, answer);
            let lists = summary.lists().map(|(_, list)| list);
            let open = checkpoint.summary.lists();
            for item in open.iter().flat_map(|(_, list)| list.iter()) {
                prop_assert!(is_in(item, &lists), "{item} is gone");
            }
        }
    }
}
