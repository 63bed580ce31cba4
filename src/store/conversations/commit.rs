//! Replacing a checkpoint and archiving what is in it, in steps of which each can be repeated; and finishing or undoing what a
//! killed process left. All of it under the conversation's lock.
//!
//! The order: the new checkpoint, with the old one kept as a version; the record `compaction_complete`, from which on the new one
//! counts; what is in it to the archive; the log replaced by what is behind that. A message is in the log or in the archive at
//! every instant. What says which checkpoint counts is the log alone: a newer file beside it is passed over.

use jiff::Timestamp;

use super::disk::{self, reached};
use super::folder::{Folder, failed};
use super::log::{self, Lines};
use super::session::{self, Loaded};
use crate::domain::talk::{
    BY_MODEL, Checkpoint, Complete, Event, LOG_VERSION, Lease, Record, State, TalkId, estimate,
};
use crate::ports::conversations::{ConversationsError, NewCheckpoint};
use crate::sys::{files, process};

/// How many older checkpoints are kept.
const VERSIONS: u64 = 20;
/// The most that is read of a checkpoint, in bytes.
const MAX_BYTES: u64 = 64 * 1024 * 1024;

type Done<T> = Result<T, ConversationsError>;

/// The records of these events, behind the last one there is.
pub(super) fn records(state: &State, at: &str, events: Vec<Event>) -> Vec<Record> {
    (state.seq + 1..).zip(events).map(|(seq, event)| Record { seq, at: at.to_owned(), event }).collect()
}

fn add(folder: &Folder, loaded: &mut Loaded, at: &str, event: Event) -> Done<()> {
    let records = records(&loaded.state, at, vec![event]);
    session::append(folder, loaded, &records)
}

/// A checkpoint in a file; none if there is no such file.
fn checkpoint_in(path: &std::path::Path) -> Done<Option<Checkpoint>> {
    match files::read(path, MAX_BYTES) {
        Ok(bytes) => serde_json::from_slice(&bytes)
            .map(Some)
            .map_err(|error| ConversationsError::Damaged { path: path.to_owned(), why: error.to_string() }),
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => Ok(None),
        Err(error) => Err(failed("read", path)(error)),
    }
}

/// The checkpoint of a version, wherever it is.
pub(super) fn checkpoint(folder: &Folder, id: &TalkId, version: u64) -> Done<Option<Checkpoint>> {
    let newest = checkpoint_in(&folder.checkpoint(id))?;
    match newest.filter(|checkpoint| checkpoint.version == version) {
        Some(checkpoint) => Ok(Some(checkpoint)),
        None => checkpoint_in(&folder.version(id, version)),
    }
}

fn put(folder: &Folder, id: &TalkId, checkpoint: &Checkpoint) -> Done<()> {
    let path = folder.checkpoint(id);
    let text = serde_json::to_vec_pretty(checkpoint).unwrap_or_default();
    disk::replace(&path, &text).map_err(failed("write", &path))
}

/// Keeps the checkpoint that counts as a version, and makes another one the newest.
fn replace_checkpoint(folder: &Folder, state: &State, new: &Checkpoint) -> Done<()> {
    let id = &state.id;
    let kept = folder.version(id, state.version);
    if !kept.exists() {
        let old = checkpoint(folder, id, state.version)?.unwrap_or_default();
        let text = serde_json::to_vec_pretty(&old).unwrap_or_default();
        disk::replace(&kept, &text).map_err(failed("write", &kept))?;
    }
    reached("talk-version");
    put(folder, id, new)?;
    reached("talk-checkpoint");
    Ok(())
}

/// The messages behind a record, and their tokens.
fn behind(all: &Lines, upto: u64) -> (u64, u64) {
    let of = all.records().filter(|record| record.seq > upto).filter_map(|record| match &record.event {
        Event::MessageAdded { tokens, .. } => Some(*tokens),
        _ => None,
    });
    of.fold((0, 0), |(count, sum), tokens| (count + 1, sum + tokens))
}

fn complete(
    folder: &Folder,
    loaded: &mut Loaded,
    at: &str,
    checkpoint: &Checkpoint,
    tokens: u64,
) -> Done<()> {
    let info = &checkpoint.compaction_info;
    let path = folder.log(&loaded.state.id);
    let all = log::read_from(&path, 0).map_err(failed("read", &path))?;
    let (messages, left) = behind(&all, info.upto);
    let event = Event::CompactionComplete(Complete {
        attempt: info.attempt.clone(),
        version: checkpoint.version,
        upto: info.upto,
        messages,
        tokens: left,
        checkpoint_tokens: tokens,
        method: info.method.clone().unwrap_or_else(|| BY_MODEL.to_owned()),
    });
    add(folder, loaded, at, event)?;
    reached("talk-complete");
    Ok(())
}

/// Replaces the checkpoint by a new one.
pub(super) fn compact(folder: &Folder, loaded: &mut Loaded, new: &NewCheckpoint, at: &str) -> Done<()> {
    let state = &loaded.state;
    if state.compactions.lease.as_ref().map(|lease| &lease.attempt) != Some(&new.attempt) {
        return Err(ConversationsError::LeaseLost(state.id.clone()));
    }
    let mut checkpoint = new.checkpoint.clone();
    checkpoint.version = state.version + 1;
    checkpoint.compaction_info.attempt.clone_from(&new.attempt);
    checkpoint.compaction_info.upto = new.upto;
    replace_checkpoint(folder, state, &checkpoint)?;
    complete(folder, loaded, at, &checkpoint, new.tokens)?;
    settle_log(folder, loaded)
}

/// Archives all messages.
pub(super) fn clear(folder: &Folder, loaded: &mut Loaded, at: &str) -> Done<u64> {
    let (upto, count) = (loaded.state.seq, loaded.state.messages);
    add(folder, loaded, at, Event::Cleared { upto })?;
    reached("talk-cleared");
    settle_log(folder, loaded)?;
    Ok(count)
}

/// Brings back the checkpoint before the last one, and its messages.
pub(super) fn undo(folder: &Folder, loaded: &mut Loaded, at: &str) -> Done<()> {
    let id = loaded.state.id.clone();
    let nothing = |why| ConversationsError::NothingToUndo { id: id.clone(), why };
    let current = checkpoint(folder, &id, loaded.state.version)?.unwrap_or_default();
    if current.compaction_info.attempt.is_empty() {
        return Err(nothing("it was not compacted"));
    }
    if current.compaction_info.upto != loaded.state.cut {
        return Err(nothing("it was cleared, or undone, after its last compaction"));
    }
    let before = current.version.saturating_sub(1);
    let older =
        checkpoint(folder, &id, before)?.ok_or_else(|| nothing("the version before is not kept any more"))?;
    let mut again = older.clone();
    again.version = loaded.state.version + 1;
    let attempt = format!("undo-{}", again.version);
    replace_checkpoint(folder, &loaded.state, &again)?;
    let upto = older.compaction_info.upto;
    let (archived, log) = both(folder, &id)?;
    let (mut messages, mut tokens) = (0, 0);
    for record in archived.iter().chain(log.records()).filter(|r| r.seq > upto) {
        if let Event::MessageAdded { tokens: of_it, .. } = &record.event {
            messages += 1;
            tokens += of_it;
        }
    }
    let event = Event::CompactionUndone {
        attempt,
        version: again.version,
        restored: older.version,
        upto,
        messages,
        tokens,
    };
    add(folder, loaded, at, event)?;
    reached("talk-undone");
    settle_log(folder, loaded)
}

/// The records of the archive, each once and in order.
pub(super) fn archived(folder: &Folder, id: &TalkId) -> Done<Vec<Record>> {
    let path = folder.archive(id);
    let all = log::read_from(&path, 0).map_err(failed("read", &path))?;
    let mut records: Vec<Record> = all.records().cloned().collect();
    records.sort_by_key(|record| record.seq);
    records.dedup_by_key(|record| record.seq);
    Ok(records)
}

fn both(folder: &Folder, id: &TalkId) -> Done<(Vec<Record>, Lines)> {
    let path = folder.log(id);
    Ok((archived(folder, id)?, log::read_from(&path, 0).map_err(failed("read", &path))?))
}

/// Finishes or undoes what a process that ended left half done.
pub(super) fn settle(folder: &Folder, loaded: &mut Loaded, at: &str) -> Done<()> {
    session::mend(folder, loaded)?;
    let lease = loaded.state.compactions.lease.clone();
    if let Some(lease) = lease.filter(|lease| !is_held(lease, at)) {
        let id = loaded.state.id.clone();
        let newest = checkpoint_in(&folder.checkpoint(&id))?;
        let is_written = |checkpoint: &Checkpoint| {
            checkpoint.version == loaded.state.version + 1
                && checkpoint.compaction_info.attempt == lease.attempt
        };
        match newest.filter(is_written) {
            Some(checkpoint) => {
                let tokens = estimate(&serde_json::to_string(&checkpoint.summary).unwrap_or_default());
                complete(folder, loaded, at, &checkpoint, tokens)?;
            }
            None => {
                let reason = "interrupted: the process that compacted it ended".to_owned();
                add(folder, loaded, at, Event::CompactionError { attempt: lease.attempt, reason })?;
            }
        }
    }
    settle_log(folder, loaded)
}

/// Whether a compaction is still under way.
pub(super) fn is_held(lease: &Lease, now: &str) -> bool {
    let time = |text: &str| text.parse::<Timestamp>().ok();
    let is_over = time(&lease.until).zip(time(now)).is_none_or(|(until, now)| now >= until);
    !is_over && process::stat(lease.pid).is_some_and(|stat| stat.start == lease.started)
}

/// Makes the log begin where the checkpoint that counts ends.
fn settle_log(folder: &Folder, loaded: &mut Loaded) -> Done<()> {
    if loaded.state.cut > loaded.base {
        move_out(folder, loaded)?;
    } else if loaded.state.cut < loaded.base {
        pull_back(folder, loaded)?;
    } else {
        return Ok(());
    }
    let id = loaded.state.id.clone();
    let known = std::mem::take(&mut loaded.problems);
    *loaded = session::load(folder, &id)?.ok_or_else(|| ConversationsError::Damaged {
        path: folder.log(&id),
        why: "it was removed meanwhile".to_owned(),
    })?;
    loaded.problems.splice(..0, known);
    prune(folder, &loaded.state)
}

/// Older checkpoints than the last ones go.
fn prune(folder: &Folder, state: &State) -> Done<()> {
    let old = state.version.saturating_sub(VERSIONS + 1);
    let path = folder.version(&state.id, old);
    if old > 0 && path.exists() {
        disk::remove(&path).map_err(failed("remove", &path))?;
    }
    Ok(())
}

fn base(state: State, at: &str, cut: u64) -> Vec<u8> {
    let state = State { cut, ..state.as_base() };
    let event = Event::Base { log: LOG_VERSION, state: Box::new(state) };
    log::line(&Record { seq: cut, at: at.to_owned(), event })
}

/// Archives the records up to the cut, and then takes them out of the log.
fn move_out(folder: &Folder, loaded: &Loaded) -> Done<()> {
    let (id, cut) = (&loaded.state.id, loaded.state.cut);
    let path = folder.log(id);
    let all = log::read_from(&path, 0).map_err(failed("read", &path))?;
    let is_behind = |line: &log::Line| line.record.as_ref().is_some_and(|record| record.seq > cut);
    let first_left = all.lines.iter().position(is_behind).unwrap_or(all.lines.len());
    let (out, left) = all.lines.split_at(first_left);
    let mut state = out.first().and_then(|line| line.record.as_ref()).and_then(State::of_head);
    let mut at = String::new();
    for record in out.iter().filter_map(|line| line.record.as_ref()) {
        at.clone_from(&record.at);
        if let Some(state) = &mut state {
            state.apply(record);
        }
    }
    let state = state.ok_or_else(|| ConversationsError::Damaged {
        path: path.clone(),
        why: "its first record doesn't say what it is about".to_owned(),
    })?;
    let archive = folder.archive(id);
    // Behind what a killed process began to write.
    let mut bytes = match archive.metadata() {
        Ok(meta) if meta.len() > 0 => b"\n".to_vec(),
        _ => Vec::new(),
    };
    let is_head = |line: &log::Line| {
        line.record.as_ref().is_some_and(|record| matches!(record.event, Event::Base { .. }))
    };
    bytes.extend(out.iter().filter(|line| !is_head(line)).flat_map(|line| all.bytes_of(line).to_vec()));
    disk::append(&archive, &bytes).map_err(failed("write", &archive))?;
    reached("talk-archived");
    let mut new = base(state, &at, cut);
    new.extend(left.iter().flat_map(|line| all.bytes_of(line).to_vec()));
    disk::replace(&path, &new).map_err(failed("write", &path))?;
    reached("talk-log");
    Ok(())
}

/// Takes the records behind the cut out of the archive into the log again. The archive keeps them.
fn pull_back(folder: &Folder, loaded: &Loaded) -> Done<()> {
    let (id, cut) = (&loaded.state.id, loaded.state.cut);
    let (archived, all) = both(folder, id)?;
    let mut bytes = Vec::new();
    if cut > 0 {
        let damaged = || ConversationsError::Damaged {
            path: folder.archive(id),
            why: "its first record doesn't say what it is about".to_owned(),
        };
        let head = archived.first().ok_or_else(damaged)?;
        let mut state = State::of_head(head).ok_or_else(damaged)?;
        let before = archived.iter().take_while(|record| record.seq <= cut);
        before.for_each(|record| state.apply(record));
        bytes = base(state, &head.at, cut);
    }
    bytes.extend(archived.iter().filter(|record| record.seq > cut).flat_map(log::line));
    let last = archived.last().map_or(0, |record| record.seq);
    let is_left = |line: &&log::Line| line.record.as_ref().is_none_or(|record| record.seq > last);
    bytes.extend(all.lines.iter().filter(is_left).flat_map(|line| all.bytes_of(line).to_vec()));
    let path = folder.log(id);
    disk::replace(&path, &bytes).map_err(failed("write", &path))?;
    reached("talk-pulled");
    Ok(())
}
