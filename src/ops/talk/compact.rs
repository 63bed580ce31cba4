//! Compacting a conversation: its older messages go into a new checkpoint, and into the archive.

use std::time::Duration;

use super::summarizer::{Summarizer, summarizer};
use super::{TalkError, due, size, time};
use crate::domain::talk::{
    BY_MODEL, Checkpoint, CheckpointStats, CompactionInfo, DETERMINISTIC, Event, Kept, Lease, Message, Role,
    State, Summary, Weighed, answer, checkpoint_size, deterministic, largest, material, merge, pieces,
    shrinks, split, users_words,
};
use crate::ops::{Cx, OpResult};
use crate::ports::conversations::{NewCheckpoint, Numbered, Page, Talk};

/// How long a process has for one answer of a model, with everything around it.
const LEASE: Duration = Duration::from_secs(150);
/// How many checkpoints in a row no model could write until models aren't tried by themselves any more.
const GIVE_UP: u32 = 3;

/// How a conversation is compacted.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct How<'a> {
    /// Also when it isn't large.
    pub force: bool,
    /// Its user asked for it: a model is tried though it failed before.
    pub by_hand: bool,
    /// The tool that writes the checkpoint, in place of the role's; `none`: no model.
    pub summarizer: Option<&'a str>,
}

/// What came of it.
#[derive(Debug, Clone, PartialEq)]
pub enum Compacted {
    /// It isn't large enough.
    NotDue {
        size: u64,
        threshold: u64,
    },
    /// There is nothing that could go into a checkpoint, and why.
    Nothing(String),
    Done(Box<Done>),
}

/// A new checkpoint.
#[derive(Debug, Clone, PartialEq)]
pub struct Done {
    pub state: State,
    pub checkpoint: Checkpoint,
    /// Tokens before and after, estimated.
    pub before: u64,
    pub after: u64,
    /// How many open items the model had dropped and deck put back.
    pub put_back: usize,
    /// Why no model wrote it; none if one did.
    pub without_model: Option<String>,
}

/// Compacts a conversation.
///
/// # Errors
/// [`TalkError::BeingCompacted`] while another process does; others when it can't be read or written. It is as it was then.
pub fn compact(cx: &Cx, talk: &Talk, how: How<'_>) -> OpResult<Compacted> {
    let (root, id) = (&talk.root, &talk.state.id);
    // What a killed process left is finished or undone first.
    let state = cx.conversations.change(root, id, &time(cx), &mut |_| Vec::new()).map_err(TalkError::from)?;
    let talk = Talk { state, ..talk.clone() };
    let role = cx.installation.roles.get(&talk.state.subject.role).cloned().unwrap_or_default();
    if !how.force && !due(cx, &talk.state) {
        return Ok(Compacted::NotDue { size: size(cx, &talk.state), threshold: role.threshold() });
    }
    let page = Page { limit: usize::MAX, before: None, archive: false };
    let found = cx.conversations.messages(root, id, &page).map_err(TalkError::from)?;
    let all: Vec<Weighed<'_>> = found.iter().map(sized).collect();
    // What is compacted by force may be shorter than what would be kept.
    let is_short = talk.state.tokens <= role.keep_tokens;
    let keep = if how.force && is_short { 0 } else { role.keep_tokens };
    let count = split(&all, keep);
    let (into, left) = all.split_at(count);
    let Some(last) = into.last() else {
        return Ok(Compacted::Nothing(nothing(&all, &role)));
    };
    let upto = last.seq;
    let attempt = cx.clock.new_conversation_id();
    lease(cx, &talk, &attempt, upto)?;
    let made = make(cx, &talk, &role, how, &attempt, into, left);
    let made = match made {
        Ok(made) => made,
        Err(reason) => {
            fail(cx, &talk, &attempt, &reason)?;
            return Ok(Compacted::Nothing(reason));
        }
    };
    let new = NewCheckpoint {
        attempt: attempt.clone(),
        upto,
        tokens: checkpoint_size(&made.checkpoint),
        checkpoint: made.checkpoint,
    };
    let state = match cx.conversations.compact(root, id, &new, &time(cx)) {
        Ok(state) => state,
        Err(error) => {
            // The lease ends with this process in any case.
            let _ = fail(cx, &talk, &attempt, &error.to_string());
            return Err(TalkError::from(error).into());
        }
    };
    let checkpoint =
        cx.conversations.checkpoint(root, id, None).map_err(TalkError::from)?.unwrap_or_default();
    Ok(Compacted::Done(Box::new(Done {
        state,
        checkpoint,
        before: made.before,
        after: made.after,
        put_back: made.put_back,
        without_model: made.without_model,
    })))
}

fn sized(numbered: &Numbered) -> Weighed<'_> {
    Weighed { seq: numbered.seq, message: &numbered.message, tokens: numbered.tokens }
}

/// Why there is nothing to compact.
fn nothing(all: &[Weighed<'_>], role: &Role) -> String {
    match all.iter().max_by_key(|m| m.tokens) {
        None => "it has no messages".to_owned(),
        Some(largest) if largest.tokens >= role.threshold() => format!(
            "the message {} alone has ~{} tokens, and the last request is never compacted",
            largest.message.id, largest.tokens
        ),
        Some(_) => "all of its messages belong to the last request, which is never compacted".to_owned(),
    }
}

/// Takes the right to compact, or keeps it for longer.
fn lease(cx: &Cx, talk: &Talk, attempt: &str, upto: u64) -> OpResult<()> {
    let own = i32::try_from(std::process::id()).unwrap_or_default();
    let started = cx.host.started(own).map_or(0, |process| process.start);
    let end = cx.clock.now().checked_add(jiff::SignedDuration::try_from(LEASE).unwrap_or_default());
    let until = end.unwrap_or_else(|_| cx.clock.now()).to_string();
    let new = Lease { attempt: attempt.to_owned(), upto, pid: own, started, until };
    let mut held = None;
    cx.conversations
        .change(&talk.root, &talk.state.id, &time(cx), &mut |state| match &state.compactions.lease {
            Some(other) if other.attempt != attempt => {
                held = Some(other.pid);
                Vec::new()
            }
            _ => vec![Event::CompactionStart(new.clone())],
        })
        .map_err(TalkError::from)?;
    match held {
        Some(pid) => Err(TalkError::BeingCompacted { id: talk.state.id.clone(), pid }.into()),
        None => Ok(()),
    }
}

fn fail(cx: &Cx, talk: &Talk, attempt: &str, reason: &str) -> OpResult<()> {
    let event = Event::CompactionError { attempt: attempt.to_owned(), reason: reason.to_owned() };
    cx.conversations
        .change(&talk.root, &talk.state.id, &time(cx), &mut |state| {
            let own = state.compactions.lease.as_ref().is_some_and(|lease| lease.attempt == attempt);
            own.then(|| event.clone()).into_iter().collect()
        })
        .map_err(TalkError::from)?;
    Ok(())
}

struct Made {
    checkpoint: Checkpoint,
    before: u64,
    after: u64,
    put_back: usize,
    without_model: Option<String>,
}

/// The lists of a new checkpoint.
struct Lists {
    summary: Summary,
    kept: Kept,
    put_back: usize,
}

/// Makes the checkpoint: by a model, asked once more if its answer can't be used; else without one.
fn make(
    cx: &Cx,
    talk: &Talk,
    role: &Role,
    how: How<'_>,
    attempt: &str,
    into: &[Weighed<'_>],
    left: &[Weighed<'_>],
) -> Result<Made, String> {
    let (root, state) = (&talk.root, &talk.state);
    let old =
        cx.conversations.checkpoint(root, &state.id, None).map_err(|e| e.to_string())?.unwrap_or_default();
    let sum = |all: &[Weighed<'_>]| all.iter().map(|m| m.tokens).sum::<u64>();
    let before = checkpoint_size(&old) + sum(into) + sum(left);
    let words = users_words(into, &old.kept.user_messages, role.token_limit);
    let finish = |lists: &Lists, method: &str, model: Option<String>| {
        let kept = Kept { user_messages: words.clone(), ..lists.kept.clone() };
        new_checkpoint(&old, into, &lists.summary, kept, method, model, &time(cx))
    };
    let after = |checkpoint: &Checkpoint| checkpoint_size(checkpoint) + sum(left);
    let upto = into.last().map_or(0, |m| m.seq);
    let by_model = || -> Result<(Lists, String), String> {
        if how.summarizer == Some("none") {
            return Err("no model was asked for".to_owned());
        }
        if state.compactions.without_model >= GIVE_UP && !how.by_hand {
            return Err(format!(
                "models failed {} times in a row; they are tried again by hand",
                state.compactions.without_model
            ));
        }
        let chosen = how.summarizer.or(Some(role.summarizer.as_str()).filter(|name| !name.is_empty()));
        let summarizer = summarizer(cx, chosen)?;
        let lists = ask(cx, talk, role, &summarizer, &old, into, attempt, upto, &|lists| {
            let checkpoint = finish(lists, BY_MODEL, None);
            shrinks(before, after(&checkpoint))
        })?;
        Ok((lists, summarizer.name))
    };
    let (checkpoint, put_back, without_model) = match by_model() {
        Ok((lists, name)) => (finish(&lists, BY_MODEL, Some(name)), lists.put_back, None),
        Err(why) => {
            let (summary, kept) = deterministic(&old, into);
            let lists = Lists { summary, kept, put_back: 0 };
            (finish(&lists, DETERMINISTIC, None), 0, Some(why))
        }
    };
    let after = after(&checkpoint);
    if !shrinks(before, after) {
        return Err(format!(
            "it would not become shorter: ~{before} tokens now, ~{after} with a new checkpoint"
        ));
    }
    Ok(Made { checkpoint, before, after, put_back, without_model })
}

/// Asks a program for the lists, piece by piece; each answer that can't be used is complained of once.
#[expect(clippy::too_many_arguments, reason = "all that one answer depends on")]
fn ask(
    cx: &Cx,
    talk: &Talk,
    role: &Role,
    summarizer: &Summarizer,
    old: &Checkpoint,
    into: &[Weighed<'_>],
    attempt: &str,
    upto: u64,
    is_short: &dyn Fn(&Lists) -> bool,
) -> Result<Lists, String> {
    let redactor = super::redactor(cx, &[]);
    let pieces = pieces(into, summarizer.window * 6 / 10);
    let mut so_far = old.clone();
    let mut lists = None;
    let last = pieces.len().saturating_sub(1);
    for (at, piece) in pieces.iter().enumerate() {
        let mut complaint: Option<String> = None;
        loop {
            let text = redactor.redact(&material(&so_far, piece, complaint.as_deref())).text;
            let judged = summarizer.ask(cx, &text).and_then(|text| answer(&text)).and_then(|answer| {
                let (summary, kept, put_back) = merge(&so_far, answer);
                let new = Lists { summary, kept, put_back };
                let own = Checkpoint {
                    summary: new.summary.clone(),
                    kept: new.kept.clone(),
                    ..Checkpoint::default()
                };
                let (tokens, most) = (checkpoint_size(&own), largest(role.token_limit));
                if tokens > most {
                    return Err(format!("it has ~{tokens} tokens, and at most {most} are allowed"));
                }
                if at == last && !is_short(&new) {
                    return Err("with it the conversation would not become shorter".to_owned());
                }
                Ok(new)
            });
            match judged {
                Ok(new) => {
                    (so_far.summary, so_far.kept.failed_approaches, so_far.kept.facts) =
                        (new.summary.clone(), new.kept.failed_approaches.clone(), new.kept.facts.clone());
                    lists = Some(Lists {
                        put_back: lists.map_or(0, |l: Lists| l.put_back) + new.put_back,
                        ..new
                    });
                    break;
                }
                Err(why) if complaint.is_none() && !cx.cancel.is_cancelled() => {
                    lease(cx, talk, attempt, upto).map_err(|error| error.to_string())?;
                    complaint = Some(why);
                }
                // What a program complains of may repeat what it was given, or its environment.
                Err(why) => return Err(redactor.redact(&format!("{}: {why}", summarizer.name)).text),
            }
        }
        if at < last {
            lease(cx, talk, attempt, upto).map_err(|error| error.to_string())?;
        }
    }
    lists.ok_or_else(|| "there was nothing to ask".to_owned())
}

fn new_checkpoint(
    old: &Checkpoint,
    into: &[Weighed<'_>],
    summary: &Summary,
    kept: Kept,
    method: &str,
    model: Option<String>,
    now: &str,
) -> Checkpoint {
    let time = |message: Option<&Message>| message.map(|m| m.timestamp.clone());
    let (first, last) = (into.first().map(|m| m.message), into.last().map(|m| m.message));
    let used = |m: &Weighed<'_>| m.message.usage().map_or(m.tokens, |(input, output)| input + output);
    Checkpoint {
        version: old.version + 1,
        created_at: if old.created_at.is_empty() { now.to_owned() } else { old.created_at.clone() },
        updated_at: now.to_owned(),
        summary: summary.clone(),
        compaction_info: CompactionInfo {
            messages_compacted: into.len() as u64,
            oldest_message_timestamp: time(first),
            newest_message_timestamp: time(last),
            compacted_at: Some(now.to_owned()),
            method: Some(method.to_owned()),
            model,
            upto_message_id: last.map(|m| m.id.clone()),
            upto: 0,
            attempt: String::new(),
        },
        stats: CheckpointStats {
            total_compactions: old.stats.total_compactions + 1,
            total_messages: old.stats.total_messages + into.len() as u64,
            total_tokens: old.stats.total_tokens + into.iter().map(used).sum::<u64>(),
        },
        kept,
        other: old.other.clone(),
    }
}

/// Brings back the checkpoint before the last compaction, and its messages.
///
/// # Errors
/// When there is none, or it can't be written.
pub fn undo_compaction(cx: &Cx, talk: &Talk) -> OpResult<State> {
    Ok(cx.conversations.undo_compaction(&talk.root, &talk.state.id, &time(cx)).map_err(TalkError::from)?)
}
