//! The conversations that a tool keeps on this machine, by the beginnings of their files.
//!
//! Invariants: no more than the beginning of a file is read, and of no more files than are wanted;
//! a file that names no conversation, or has no prompt, is none.

use std::io::{BufRead, BufReader, Read};
use std::path::{Path, PathBuf};
use std::time::SystemTime;

use jiff::Timestamp;
use serde_json::Value;
use sha2::{Digest as _, Sha256};

use super::{Opener, format};
use crate::domain::conversation::{self, Found};
use crate::domain::id::is_conversation;
use crate::domain::text;
use crate::ports::reports::Asked;
use crate::sys::files;
use crate::sys::host::find_files;

/// How much of a file is read to find its first prompt, in bytes: some begin with what the program
/// reports its model.
const HEAD: u64 = 512 * 1024;
/// The most characters that are kept of a prompt.
const MOST_TEXT: usize = 200;
/// The file beside Gemini's conversations that names their folder.
const ROOT: &str = "../.project_root";

/// What the beginning of a file reports.
#[derive(Debug, Default, PartialEq, Eq)]
pub(super) struct Opening {
    pub id: Option<String>,
    pub folder: Option<String>,
    /// The SHA-256 of the folder's path, where the file has that alone.
    pub hash: Option<String>,
    pub first_prompt: Option<String>,
    /// Whether its program began it for itself.
    pub is_own: bool,
}

impl Opening {
    /// Takes a user's record; what programs add is in angle brackets.
    pub fn prompt(&mut self, text: String) {
        let is_users = !text.trim().is_empty() && !text.starts_with('<');
        if is_users && self.first_prompt.is_none() {
            self.first_prompt = Some(text);
        }
    }
}

/// The conversations of the tool that is asked about, newest first.
pub(in crate::tools) fn conversations(asked: &Asked<'_>, folder: Option<&Path>, most: usize) -> Vec<Found> {
    let Some(format) = format(asked) else { return Vec::new() };
    let places = conversation::places(asked.tool, "*", |name| asked.var(name));
    let mut files: Vec<(SystemTime, u64, PathBuf)> = places
        .iter()
        .flat_map(|p| find_files(p))
        .filter_map(|path| {
            let meta = path.metadata().ok().filter(std::fs::Metadata::is_file)?;
            Some((meta.modified().ok()?, meta.len(), path))
        })
        .collect();
    files.sort_by(|a, b| b.cmp(a));
    let found = files.into_iter().filter_map(|(modified, bytes, path)| {
        let mut opening = read(&path, format.opens)?;
        if let (None, Some(dir)) = (&opening.folder, path.parent()) {
            let named = files::read_text(&dir.join(ROOT), HEAD).ok();
            let hashed = || folder.filter(|f| opening.hash.as_deref() == Some(hash(f).as_str()));
            opening.folder = named
                .map(|n| n.trim().to_owned())
                .or_else(|| hashed().map(|f| f.to_string_lossy().into_owned()));
        }
        let is_here = folder.is_none_or(|f| opening.folder.as_deref().is_some_and(|o| Path::new(o) == f));
        let words: String = text::clean(opening.first_prompt.as_deref()?).chars().take(MOST_TEXT).collect();
        (is_here && !opening.is_own).then_some(Found {
            id: opening.id.filter(|id| is_conversation(id))?,
            tool: asked.tool.name.clone(),
            folder: opening.folder,
            first_prompt: Some(words),
            used_at: Timestamp::try_from(modified).ok(),
            bytes: Some(bytes),
        })
    });
    found.take(most).collect()
}

fn hash(folder: &Path) -> String {
    let digest = Sha256::digest(folder.to_string_lossy().as_bytes());
    digest.iter().map(|b| format!("{b:02x}")).collect()
}

/// What the first records of a file contain, up to the first prompt.
pub(super) fn read(path: &Path, opens: Opener) -> Option<Opening> {
    let mut lines = BufReader::new(files::open(path).ok()?.take(HEAD)).split(b'\n');
    let mut opening = Opening::default();
    while let Some(Ok(line)) = lines.next() {
        if let Ok(record) = serde_json::from_slice::<Value>(&line) {
            opens(&mut opening, &record);
        }
        if opening.first_prompt.is_some() && opening.id.is_some() {
            break;
        }
    }
    Some(opening)
}

#[cfg(test)]
mod tests {
    use super::super::{claude, codex, gemini};
    use super::*;

    fn of(recorded: &str, opens: Opener) -> Opening {
        let mut opening = Opening::default();
        recorded.lines().filter_map(|l| serde_json::from_str(l).ok()).for_each(|r| opens(&mut opening, &r));
        opening
    }

    #[test]
    fn recorded_beginnings() {
        let claude_file = r#"{"type":"mode","sessionId":"s-1"}
{"type":"user","isMeta":true,"sessionId":"s-1","cwd":"/p","message":{"content":"<local-command-caveat>"}}
{"type":"user","isSidechain":false,"sessionId":"s-1","cwd":"/p","message":{"content":"first"}}
{"type":"user","isSidechain":false,"sessionId":"s-1","cwd":"/q","message":{"content":"second"}}"#;
        let codex_file = include_str!("../../../tests/fixtures/transcripts/codex-0.169.0.jsonl");
        let gemini_file = include_str!("../../../tests/fixtures/transcripts/gemini-0.61.0.jsonl");
        insta::assert_debug_snapshot!(
            "openings",
            [of(claude_file, claude::opens), of(codex_file, codex::opens), of(gemini_file, gemini::opens),]
        );
    }
}
