//! `session_<id>.json`: what the log comes to, so that nobody has to read all of it. It is made again from the log whenever it is
//! behind.

use std::os::unix::fs::MetadataExt as _;
use std::path::Path;

use serde::{Deserialize, Serialize};

use super::disk;
use super::folder::{Folder, failed};
use super::log;
use crate::domain::talk::{LOG_VERSION, Record, SessionFile, State, TalkId};
use crate::ports::conversations::ConversationsError;
use crate::sys::files;

/// The most that is read of it, in bytes.
const MAX_BYTES: u64 = 16 * 1024 * 1024;

/// How far the log was read for it.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
struct Mark {
    inode: u64,
    bytes: u64,
    lines: usize,
    /// The first record's number, if that is a base; 0 for a whole log.
    base: u64,
    problems: Vec<String>,
}

#[derive(Debug, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
struct File {
    #[serde(flatten)]
    session: SessionFile,
    schema_version: u32,
    seq: u64,
    root: String,
    carrier: Option<crate::domain::talk::Carrier>,
    state: State,
    log: Mark,
}

/// A conversation as its log says.
#[derive(Debug, Clone)]
pub(super) struct Loaded {
    pub state: State,
    /// The number of the last record that isn't in the log.
    pub base: u64,
    pub problems: Vec<String>,
    /// Where the last whole line ends.
    pub end: u64,
    /// What is behind that.
    pub torn: Vec<u8>,
    lines: usize,
    inode: u64,
    /// Whether the file says just that.
    pub is_noted: bool,
}

fn file(folder: &Folder, id: &TalkId) -> Option<File> {
    let text = files::read(&folder.session(id), MAX_BYTES).ok()?;
    // One that can't be read is made again.
    serde_json::from_slice::<File>(&text)
        .ok()
        .filter(|file| file.schema_version == LOG_VERSION && file.state.id == *id)
}

/// What a conversation's log comes to; none if there is none.
pub(super) fn load(folder: &Folder, id: &TalkId) -> Result<Option<Loaded>, ConversationsError> {
    folder.check(id)?;
    let path = folder.log(id);
    let Ok(meta) = path.metadata() else {
        return Ok(None);
    };
    if let Some(file) =
        file(folder, id).filter(|file| file.log.inode == meta.ino() && file.log.bytes <= meta.len())
    {
        let mut loaded = Loaded {
            state: file.state,
            base: file.log.base,
            problems: file.log.problems,
            end: file.log.bytes,
            torn: Vec::new(),
            lines: file.log.lines,
            inode: file.log.inode,
            is_noted: true,
        };
        if loaded.end < meta.len() {
            read_on(&mut loaded, &path)?;
        }
        return Ok(Some(loaded));
    }
    whole(&path, meta.ino()).map(Some)
}

/// Adds what is behind the place that is known.
fn read_on(loaded: &mut Loaded, path: &Path) -> Result<(), ConversationsError> {
    let more = log::read_from(path, loaded.end).map_err(failed("read", path))?;
    more.records().for_each(|record| loaded.state.apply(record));
    loaded.problems.extend(more.problems(loaded.lines + 1, &name_of(path)));
    loaded.lines += more.lines.len();
    loaded.end = more.end;
    loaded.torn = more.torn;
    loaded.is_noted = false;
    Ok(())
}

fn name_of(path: &Path) -> String {
    path.file_name().unwrap_or_default().to_string_lossy().into_owned()
}

/// Reads a whole log.
fn whole(path: &Path, inode: u64) -> Result<Loaded, ConversationsError> {
    let damaged = |why: &str| ConversationsError::Damaged { path: path.to_owned(), why: why.to_owned() };
    let all = log::read_from(path, 0).map_err(failed("read", path))?;
    let head = all.lines.first().and_then(|line| line.record.as_ref());
    let head = head.ok_or_else(|| damaged("its first line is no record"))?;
    let mut state =
        State::of_head(head).ok_or_else(|| damaged("its first record doesn't say what it is about"))?;
    all.records().for_each(|record| state.apply(record));
    Ok(Loaded {
        state,
        base: base_of(head),
        problems: all.problems(1, &name_of(path)),
        end: all.end,
        torn: all.torn.clone(),
        lines: all.lines.len(),
        inode,
        is_noted: false,
    })
}

/// The number up to which the records before a head are archived.
pub(super) fn base_of(head: &Record) -> u64 {
    if matches!(head.event, crate::domain::talk::Event::Base { .. }) { head.seq } else { 0 }
}

/// Completes or cuts a last line that was not written whole. To be called under the lock.
pub(super) fn mend(folder: &Folder, loaded: &mut Loaded) -> Result<(), ConversationsError> {
    if loaded.torn.is_empty() {
        return Ok(());
    }
    let id = loaded.state.id.clone();
    let path = folder.log(&id);
    if let Ok(record) = serde_json::from_slice::<Record>(&loaded.torn) {
        disk::append(&path, b"\n").map_err(failed("write", &path))?;
        loaded.state.apply(&record);
        loaded.end += loaded.torn.len() as u64 + 1;
        loaded.lines += 1;
    } else {
        let aside = folder.torn(&id);
        let mut bytes = loaded.torn.clone();
        bytes.push(b'\n');
        disk::append(&aside, &bytes).map_err(failed("write", &aside))?;
        disk::cut(&path, loaded.end).map_err(failed("shorten", &path))?;
        loaded.problems.push(format!(
            "the last line of {} was not written whole: what there is of it is in {}",
            name_of(&path),
            name_of(&aside)
        ));
    }
    loaded.torn.clear();
    loaded.is_noted = false;
    Ok(())
}

/// Adds records to the log, and says what it comes to then. To be called under the lock.
pub(super) fn append(
    folder: &Folder,
    loaded: &mut Loaded,
    records: &[Record],
) -> Result<(), ConversationsError> {
    let path = folder.log(&loaded.state.id);
    let bytes: Vec<u8> = records.iter().flat_map(log::line).collect();
    disk::append(&path, &bytes).map_err(failed("write", &path))?;
    records.iter().for_each(|record| loaded.state.apply(record));
    loaded.end += bytes.len() as u64;
    loaded.lines += records.len();
    loaded.is_noted = false;
    Ok(())
}

/// Writes what the log comes to. It is only a shortcut, so that it can't be written is no failure.
pub(super) fn note(folder: &Folder, loaded: &mut Loaded) {
    if loaded.is_noted {
        return;
    }
    let state = &loaded.state;
    let mark = Mark {
        inode: loaded.inode,
        bytes: loaded.end,
        lines: loaded.lines,
        base: loaded.base,
        problems: loaded.problems.clone(),
    };
    let file = File {
        session: SessionFile::of(state, "jsonl"),
        schema_version: LOG_VERSION,
        seq: state.seq,
        root: folder.root.to_string_lossy().into_owned(),
        carrier: state.carrier.clone(),
        state: state.clone(),
        log: mark,
    };
    let path = folder.session(&state.id);
    let text = serde_json::to_vec(&file).unwrap_or_default();
    match disk::replace_derived(&path, &text) {
        Ok(()) => loaded.is_noted = true,
        Err(error) => {
            tracing::warn!(path = %path.display(), %error, "can't write what a conversation comes to")
        }
    }
}
