//! How an effect ended, with what its answer brings.

use std::collections::BTreeMap;
use std::sync::Arc;

use super::effect::Effect;
use super::talk_work::{PageText, TalkName, TalkPage, Whose};
use crate::domain::diff::Diff;
use crate::domain::id::SessionId;
use crate::domain::mcp_servers::Catalogue;
use crate::domain::shell::{Job, JobId, ShellId};
use crate::domain::worker::WorkerId;
use crate::ops::handoff::Wish;
use crate::ops::talk::Listed;
use crate::ops::worktree::FinishPlan;
use crate::ports::shells::Which;

/// How an effect ended.
#[derive(Debug, Clone, PartialEq)]
pub enum Done {
    /// Well, with a sentence for the user if there is something to say.
    Ok(Option<String>),
    /// Well, and this session is the one to look at; its first prompt, if it must still get one
    /// ([`Done::follow_up`]).
    CreatedPane(SessionId, String, Option<String>),
    /// This session was forked: the new one, and a sentence.
    Forked(SessionId, SessionId, String),
    /// A session was left that had the terminal, and this is the one that was on it last.
    Left(SessionId, SessionId),
    /// What became of a message.
    Receipt(SessionId, String),
    /// Sessions have another order; the one they had, and words for the user.
    Arranged(Vec<SessionId>, String),
    /// A message, or the text of an answer, that was not sent, and why.
    NotSent(SessionId, String, String),
    /// A message that was not sent, since this is typed in the session's input field.
    Unsent { id: SessionId, message: String, typed: String, words: String },
    /// For the session named, whose work is over.
    WellFor(SessionId, String),
    /// A question was answered; whether that session asks again.
    Answered(SessionId, String, bool),
    /// One that was to be brought back is, or why it isn't.
    Revived(SessionId, Option<String>),
    /// Badly: what could not be done, for which session, and why, with what to do.
    Failed(Option<SessionId>, String),
    /// The command that a new session would run, or why it can't be made.
    Prepared(u64, Result<Prepared, NotPrepared>),
    /// The folders that a path may be completed to.
    Folders(u64, Folders),
    /// A folder was made, or why it can't be.
    FolderMade(u64, Result<(), String>),
    /// What the user's editor made of a text.
    Edited(String),
    /// What could be imported: words and what each would do; and what was skipped, in words.
    Imports(Vec<(String, Effect)>, Option<String>),
    /// What changed in a session's folder, or why it can't be compared.
    Diff(SessionId, u64, Box<Result<Diff, String>>),
    /// A worker was added to a session: a sentence, and its id if it has a tab in the preview.
    WorkerAdded(SessionId, Option<WorkerId>, String),
    /// The file of a session's worker: its name, and its text or why it can't be read.
    File(SessionId, String, Result<String, String>),
    /// What finishing the worktree of a session comes to, or why that isn't known.
    FinishPlanned(SessionId, u64, Box<Result<FinishPlan, String>>),
    /// Which MCP servers the settings have.
    McpServers(Arc<Catalogue>),
    /// The conversations that were asked for.
    Talks(Result<Vec<Listed>, String>),
    /// A page of what is read, or why it can't be.
    TalkPage(Whose, TalkPage, Result<PageText, String>),
    /// Something was done to a conversation: what, or why it wasn't.
    TalkChanged(TalkName, Result<String, String>),
    /// The packet that would be handed over, or why it can't be.
    Packet(SessionId, Box<Wish>, Result<String, String>),
    /// A session's work was handed over: to which one, and words for the user; or why it wasn't.
    HandedOver(SessionId, Result<(SessionId, String), String>),
    /// Why a setting was not changed.
    NotSet(String),
    /// The jobs of a shell, newest first.
    Jobs(ShellId, Vec<Job>),
    /// All that is kept of what a job printed, in lines.
    JobOutput(JobId, Vec<(Which, String)>),
    /// Versions of tools, by their names.
    Versions(BTreeMap<String, String>),
    /// A text for the clipboard.
    Clip(String),
    /// What a path may be completed to.
    Completed(u64, Vec<String>),
}

impl Done {
    /// What is to be done next by whoever did this, whichever profile the user is in by then.
    pub fn follow_up(&self) -> Option<Effect> {
        match self {
            Self::CreatedPane(id, _, Some(prompt)) => Some(Effect::Prompt(id.clone(), prompt.clone())),
            _ => None,
        }
    }
}

/// What a new session would run.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Prepared {
    /// On one line, without what is deck's own.
    pub brief: String,
    /// As a whole.
    pub full: String,
    /// What runs before, to get the conversation's id.
    pub before: Option<String>,
    /// What is sent to the agent when it is ready.
    pub sends: Option<String>,
    /// Whether its folder is in a repository: then it may have a worktree for a branch.
    pub in_repository: bool,
    /// The worktree that it would work in.
    pub worktree: Option<PreparedWorktree>,
}

/// The worktree that a new session would work in.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct PreparedWorktree {
    pub path: String,
    /// Which branch, and what it begins at.
    pub what: String,
    /// What comes with it, a line each.
    pub details: Vec<String>,
    /// What its user has yet to allow; none if nothing.
    pub asks: Option<Asked>,
}

/// What a repository brings, which its user has yet to allow.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Asked {
    /// The repository's name.
    pub repository: String,
    /// The checksum of what it brings.
    pub sha256: String,
    /// All of it, to be read.
    pub text: String,
}

/// Why a new session can't be made.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct NotPrepared {
    pub why: String,
    /// Whether that is only because its folder doesn't exist.
    pub no_folder: bool,
}

/// Folders whose paths begin as typed.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Folders {
    /// The first of them, as the user writes paths.
    pub names: Vec<String>,
    /// How many there are.
    pub total: usize,
    /// What all of them begin with; the whole path and a slash if there is but one.
    pub start: String,
    /// Why there may be others.
    pub trouble: Option<String>,
}
