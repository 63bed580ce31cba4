//! A checkpoint of a session, from what its agent keeps on disk and from git: no model, no network, and not the whole of a long
//! transcript.

use std::path::{Path, PathBuf};

use super::digest::{opening, said};
use super::panes::find_row;
use super::talk::{TalkError, redactor};
use super::{Cx, OpError, OpResult};
use crate::domain::conversation::Who;
use crate::domain::diff::Against;
use crate::domain::id::SessionId;
use crate::domain::packet::SessionCheckpoint;
use crate::domain::quote::sh;
use crate::domain::session::Session;
use crate::ports::git::Lines;

/// How many of the user's messages, and of the agent's actions, are in it.
const MESSAGES: usize = 20;
const ACTIONS: usize = 20;
/// How many checkpoints of a session are kept.
const KEPT: usize = 20;

/// A checkpoint that was made.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Kept {
    pub checkpoint: SessionCheckpoint,
    /// As Markdown, without secrets.
    pub words: String,
    /// Whether something had to be left out.
    pub is_cut: bool,
    /// The kinds of the secrets that were hidden.
    pub hidden: Vec<String>,
    /// The file that it is kept in.
    pub file: PathBuf,
}

/// Makes a checkpoint of a session, without secrets, and keeps it beside the last ones.
///
/// # Errors
/// [`OpError`] when the session can't be looked at, or the file can't be written.
pub fn checkpoint(cx: &Cx, id: &SessionId) -> OpResult<Kept> {
    let made = preview(cx, id)?;
    let file = keep(cx, &cx.session(id)?, &made.words)?;
    Ok(Kept { file, ..made })
}

/// The same, only to be looked at: it is kept nowhere, and has no file.
///
/// # Errors
/// [`OpError`] when the session can't be looked at.
pub fn preview(cx: &Cx, id: &SessionId) -> OpResult<Kept> {
    let session = cx.session(id)?;
    let mut hidden = Vec::new();
    let checkpoint = without_secrets(cx, &session, gather(cx, &session)?, &mut hidden);
    let (words, is_cut) = checkpoint.words();
    Ok(Kept { checkpoint, words, is_cut, hidden, file: PathBuf::new() })
}

/// All of a checkpoint, for a file.
pub(super) fn whole(of: &SessionCheckpoint) -> String {
    of.whole()
}

/// What can be known of a session.
fn gather(cx: &Cx, session: &Session) -> OpResult<SessionCheckpoint> {
    let all = said(cx, &session.id)?;
    let of = |who: Who| all.iter().filter(move |said| said.who == who).map(|said| said.text.clone());
    let last = |all: Vec<String>, most: usize| all.into_iter().rev().take(most).rev().collect::<Vec<_>>();
    let users = last(of(Who::User).collect(), MESSAGES);
    let (transcript, first) = opening(cx, &session.id)?.unwrap_or_default();
    let entry = cx.tools.tool(&session.tool);
    let flag = entry.as_ref().and_then(|entry| entry.tool.resume_flag.clone());
    let row = find_row(cx, session)?;
    let carried = row.as_ref().and_then(|row| row.conversation()).map(str::to_owned);
    let conversation = carried.or_else(|| session.resume.usable().map(str::to_owned));
    // A tool that is named has its own command.
    let command = match (session.command.is_empty(), &entry) {
        (true, Some(entry)) => entry.tool.command.clone(),
        _ => session.command.clone(),
    };
    let resume = flag.zip(conversation.as_ref()).map(|(flag, id)| format!("{command} {flag} {}", sh(id)));
    let (pins, open) = of_conversation(cx, session).unwrap_or_else(|error| {
        tracing::warn!(session = %session.id, %error, "can't read the conversation that a session carries");
        Default::default()
    });
    let mut made = SessionCheckpoint {
        pins,
        open,
        title: session.title.clone(),
        tool: session.tool.clone(),
        folder: session.project_path.clone(),
        goal: first.or_else(|| users.first().cloned()),
        user_messages: users,
        last_answer: of(Who::Agent).next_back(),
        actions: last(of(Who::Tool).collect(), ACTIONS),
        conversation,
        transcript: transcript.map(|path| path.to_string_lossy().into_owned()),
        resume,
        ..SessionCheckpoint::default()
    };
    if all.is_empty() {
        made.problems.push("no transcript of its agent could be read".to_owned());
    }
    let folder = Path::new(&session.project_path);
    if cx.git.common_folder(folder).is_some() {
        match cx.git.diff(folder, &Against::Head, &Lines::None, &|| cx.cancel.is_cancelled()) {
            Ok(diff) => {
                made.branch = diff.state.branch.clone();
                made.head = diff.state.commit.clone();
                made.changed = diff.files.into_iter().map(|file| (file.path, file.counts)).collect();
            }
            Err(error) => made.problems.push(format!("git could not say what is not committed: {error}")),
        }
    }
    Ok(made)
}

/// The pins of the conversation that a session carries, and what is open or decided in it.
#[expect(clippy::type_complexity, reason = "the two parts of a checkpoint that it fills")]
fn of_conversation(cx: &Cx, session: &Session) -> OpResult<(Vec<String>, Vec<(String, Vec<String>)>)> {
    let Some(carries) = &session.carries else { return Ok((Vec::new(), Vec::new())) };
    let root = Path::new(&carries.root);
    let talk = super::talk::read(cx, root, &carries.id)?;
    let checkpoint = cx.conversations.checkpoint(root, &carries.id, None).map_err(TalkError::from)?;
    let summary = checkpoint.unwrap_or_default().summary;
    let named = [
        ("in progress", summary.in_progress),
        ("pending", summary.pending),
        ("blocked by", summary.blockers),
        ("decided", summary.decisions),
    ];
    let open = named.into_iter().map(|(what, items)| (what.to_owned(), items)).collect();
    Ok((talk.state.pins.into_iter().map(|pin| pin.text).collect(), open))
}

fn without_secrets(
    cx: &Cx,
    session: &Session,
    made: SessionCheckpoint,
    hidden: &mut Vec<String>,
) -> SessionCheckpoint {
    let variables: Vec<(String, String)> = session.env.clone().into_iter().collect();
    let redactor = redactor(cx, &variables);
    let mut hide = |text: String| {
        let redacted = redactor.redact(&text);
        hidden.extend(redacted.hidden);
        redacted.text
    };
    SessionCheckpoint {
        goal: made.goal.map(&mut hide),
        pins: made.pins.into_iter().map(&mut hide).collect(),
        open: made
            .open
            .into_iter()
            .map(|(what, items)| (what, items.into_iter().map(&mut hide).collect()))
            .collect(),
        user_messages: made.user_messages.into_iter().map(&mut hide).collect(),
        last_answer: made.last_answer.map(&mut hide),
        actions: made.actions.into_iter().map(&mut hide).collect(),
        resume: made.resume.map(&mut hide),
        ..made
    }
}

/// Writes it, and removes those that are older than the last ones.
fn keep(cx: &Cx, session: &Session, words: &str) -> OpResult<PathBuf> {
    let dir = cx.installation.state.join("checkpoints").join(session.id.as_str());
    let now = cx.clock.now().strftime("%Y%m%dT%H%M%S%.3fZ").to_string();
    let file = dir.join(format!("{now}.md"));
    let failed = |source| OpError::CheckpointFile { file: file.clone(), source };
    cx.host.put(&file, words).map_err(failed)?;
    let mut all = cx.host.all_files(&dir.join("*.md").to_string_lossy());
    all.sort();
    let old = all.len().saturating_sub(KEPT);
    for path in all.iter().take(old) {
        if let Err(error) = cx.host.remove_own(path) {
            tracing::warn!(path = %path.display(), %error, "can't remove an old checkpoint");
        }
    }
    Ok(file)
}
