//! Effects: what the loop does for the model, as data. Each answers with [`Done`].

use std::collections::BTreeMap;
use std::path::PathBuf;
use std::sync::Arc;

use super::mcp_work::McpWork;
use super::pass_through::PaneInput;
use super::shell_work::ShellWork;
use super::talk_work::{PageText, TalkName, TalkPage, TalkWork, Whose};
use super::worker_work::WorkerWork;
use crate::domain::conversation::Found;
use crate::domain::diff::{Against, Diff};
use crate::domain::group::GroupPath;
use crate::domain::id::{ProfileName, SessionId};
use crate::domain::mcp_servers::Catalogue;
use crate::domain::shell::{Job, JobId, ShellId};
use crate::domain::tree::{DeleteMode, Slot};
use crate::domain::worker::WorkerId;
use crate::ops::handoff::Wish;
use crate::ops::shell::ShellsInView;
use crate::ops::talk::Listed;
use crate::ops::worktree::FinishPlan;
use crate::ops::{Candidate, New, Pick, Question, Unsent};
use crate::ports::git::Lines;
use crate::ports::shells::Which;

/// Something to be done outside of the model.
#[derive(Debug, Clone, PartialEq)]
pub enum Effect {
    /// Hand the terminal to a session.
    Attach(SessionId),
    /// Note that a session was left that had the terminal; the number is that of the terminal's client.
    Left(SessionId, i32),
    /// Show this session's capture; none to show none.
    Watch(Option<SessionId>),
    /// Follow the headless shells that are in sight.
    WatchShells(ShellsInView),
    /// Work on a headless shell.
    Shell(ShellId, ShellWork),
    /// Work on what is beside a session's agent, or on its worktree.
    Worker(SessionId, WorkerWork),
    /// Attach and detach MCP servers, and have them loaded.
    Mcp(SessionId, McpWork),
    /// Read which MCP servers the settings have.
    McpServers,
    /// Hand the terminal to a session, showing a terminal beside its agent.
    AttachTerminal(SessionId, WorkerId),
    /// Type into a session's agent, or into a terminal beside it.
    Type(SessionId, Option<WorkerId>, PaneInput),
    /// Poll all sessions now.
    Refresh,
    /// Add a session.
    Create(Box<New>),
    /// Give a session its first prompt as soon as it is ready.
    Prompt(SessionId, String),
    /// Report what adding it would run; the number distinguishes answers.
    Prepare(u64, Box<New>),
    /// Ask the tools for their versions.
    Versions,
    /// Find the folders that a path may be completed to; the number distinguishes answers.
    CompletePath(u64, String),
    /// Make a folder, and those above it; the number distinguishes answers.
    MakeFolder(u64, PathBuf),
    Start(SessionId),
    /// Restart a session; with a new conversation if asked to.
    Restart(SessionId, bool),
    /// Start another session from the same conversation, under a title if one is given.
    Fork(SessionId, Option<String>),
    /// Send a message; and what becomes of input that was not sent.
    Send(SessionId, String, Unsent),
    /// Keep another text as a session's first prompt that was not sent; empty to discard it.
    KeepDraft(SessionId, String),
    /// Keep what was sent for the next deck.
    KeepSent(Vec<String>),
    /// Complete the name of a file in a folder; the number distinguishes the answers.
    CompleteFile(u64, String, String),
    /// Have a text edited in the user's editor.
    Edit(String),
    /// Put a text on the clipboard.
    Copy(String),
    /// Put the agent's last answer on the clipboard.
    CopyAnswer(SessionId),
    /// Read conversations, and work on them.
    Talk(TalkWork),
    /// Make the packet that would be handed over to another agent, without sending it.
    Packet(SessionId, Box<Wish>),
    /// Hand a session's work over to another agent.
    HandOver(SessionId, Box<Wish>),
    /// Read what changed in a session's folder: the number distinguishes answers.
    Diff(SessionId, u64, Against, Lines),
    /// Nobody waits any more for what changed.
    StopDiff,
    /// Put a session away.
    Archive(SessionId),
    /// Restore an archived session.
    Unarchive(SessionId),
    /// Find what could be imported: agents in the user's own tmux, or conversations.
    FindImports(bool),
    /// Adopt an agent.
    Adopt(Box<Candidate>),
    /// Make a session of a conversation.
    Import(Box<Found>),
    /// Bring back one deleted session.
    Restore(SessionId),
    /// Hand the terminal to another program in the session's folder.
    Outside(SessionId, Outside),
    /// Bring back sessions that were lost.
    Revive(Vec<SessionId>),
    Stop(SessionId),
    /// Delete sessions, stopping those that run.
    Delete(Vec<SessionId>),
    /// Bring back what was deleted last.
    Undo,
    /// Give a session another title.
    Rename(SessionId, String),
    /// Put a session into a group.
    MoveTo(SessionId, GroupPath),
    /// Move a session among its siblings.
    Reorder(SessionId, i64),
    /// Put a session beside another one, or into a group.
    Place(SessionId, Slot),
    /// Give all sessions this order, and say so in these words.
    Arrange(Vec<SessionId>, String),
    /// Make a group.
    AddGroup(GroupPath),
    /// Give a group another name.
    RenameGroup(GroupPath, String),
    /// Put a group below another one.
    MoveGroup(GroupPath, GroupPath),
    /// Move a group among its siblings.
    ReorderGroup(GroupPath, i64),
    RemoveGroup(GroupPath, DeleteMode),
    /// Show or hide the rows of groups.
    Fold(Vec<GroupPath>, bool),
    /// Answer the question that a session asks: which choice or text, and the question as it was shown.
    Answer(SessionId, Pick, Box<Question>),
    /// Note that the user knows about a session.
    Acknowledge(SessionId),
    /// Notify the user through the terminal.
    Notify(String),
    /// Change a setting: its key and its value as TOML.
    Set(String, String),
    /// Go to another profile.
    Profile(ProfileName),
    /// Suspend deck until the shell brings it back.
    Suspend,
    /// Show a theme without keeping it; none for the one of the settings.
    TryTheme(Option<String>),
    /// Quit; sessions keep running.
    Quit,
}

/// A program that takes the terminal for a while.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Outside {
    /// The user's shell.
    Shell,
    /// The user's editor.
    Editor,
}

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

/// What an effect works on: effects on the same thing are carried out in their order, others side by side.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Subject {
    /// One session and its agent.
    Session(SessionId),
    /// The profile's record, its order and its groups: short work, whose order matters.
    Record,
    /// Nothing that another effect works on.
    Nothing,
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

impl Effect {
    /// The session it works on, if it is one.
    pub const fn session(&self) -> Option<&SessionId> {
        match self {
            Self::Attach(id)
            | Self::AttachTerminal(id, _)
            | Self::Worker(id, _)
            | Self::Mcp(id, _)
            | Self::Type(id, ..)
            | Self::Prompt(id, _)
            | Self::Start(id)
            | Self::Restart(id, _)
            | Self::Fork(id, _)
            | Self::Send(id, ..)
            | Self::KeepDraft(id, _)
            | Self::CopyAnswer(id)
            | Self::Packet(id, _)
            | Self::HandOver(id, _)
            | Self::Diff(id, ..)
            | Self::Archive(id)
            | Self::Unarchive(id)
            | Self::Restore(id)
            | Self::Outside(id, _)
            | Self::Stop(id)
            | Self::Rename(id, _)
            | Self::MoveTo(id, _)
            | Self::Reorder(id, _)
            | Self::Place(id, _)
            | Self::Answer(id, ..)
            | Self::Acknowledge(id)
            | Self::Left(id, _) => Some(id),
            Self::Watch(id) => id.as_ref(),
            Self::Talk(work) => work.session(),
            Self::Refresh
            | Self::McpServers
            | Self::WatchShells(_)
            | Self::Shell(..)
            | Self::Create(_)
            | Self::Prepare(..)
            | Self::Versions
            | Self::CompletePath(..)
            | Self::MakeFolder(..)
            | Self::KeepSent(_)
            | Self::CompleteFile(..)
            | Self::Edit(_)
            | Self::Copy(_)
            | Self::StopDiff
            | Self::FindImports(_)
            | Self::Adopt(_)
            | Self::Import(_)
            | Self::Revive(_)
            | Self::Delete(_)
            | Self::Undo
            | Self::Arrange(..)
            | Self::AddGroup(_)
            | Self::RenameGroup(..)
            | Self::MoveGroup(..)
            | Self::ReorderGroup(..)
            | Self::RemoveGroup(..)
            | Self::Fold(..)
            | Self::Notify(_)
            | Self::Set(..)
            | Self::Profile(_)
            | Self::TryTheme(_)
            | Self::Suspend
            | Self::Quit => None,
        }
    }

    /// What it works on.
    pub fn subject(&self) -> Subject {
        match self {
            // Where a session is in the tree depends on where the others are.
            Self::Rename(..)
            | Self::MoveTo(..)
            | Self::Reorder(..)
            | Self::Place(..)
            | Self::Restore(_)
            | Self::Unarchive(_)
            | Self::Create(_)
            | Self::Adopt(_)
            | Self::Import(_)
            | Self::Revive(_)
            | Self::Delete(_)
            | Self::Undo
            | Self::Arrange(..)
            | Self::AddGroup(_)
            | Self::RenameGroup(..)
            | Self::MoveGroup(..)
            | Self::ReorderGroup(..)
            | Self::RemoveGroup(..)
            | Self::Fold(..) => Subject::Record,
            changing if changing.changes() => {
                changing.session().map_or(Subject::Nothing, |id| Subject::Session(id.clone()))
            }
            _ => Subject::Nothing,
        }
    }

    /// Whether it changes a session, the profile or a file: deck finishes that before it quits.
    pub const fn changes(&self) -> bool {
        match self {
            Self::Create(_)
            | Self::MakeFolder(..)
            | Self::Prompt(..)
            | Self::Start(_)
            | Self::Restart(..)
            | Self::Fork(..)
            | Self::Send(..)
            | Self::KeepDraft(..)
            | Self::KeepSent(_)
            | Self::Archive(_)
            | Self::Unarchive(_)
            | Self::Adopt(_)
            | Self::Import(_)
            | Self::Restore(_)
            | Self::Revive(_)
            | Self::Stop(_)
            | Self::Delete(_)
            | Self::Undo
            | Self::Rename(..)
            | Self::MoveTo(..)
            | Self::Reorder(..)
            | Self::Place(..)
            | Self::Arrange(..)
            | Self::AddGroup(_)
            | Self::RenameGroup(..)
            | Self::MoveGroup(..)
            | Self::ReorderGroup(..)
            | Self::RemoveGroup(..)
            | Self::Fold(..)
            | Self::Answer(..)
            | Self::Acknowledge(_)
            | Self::Left(..)
            | Self::Mcp(..)
            | Self::HandOver(..)
            | Self::Set(..) => true,
            // A compaction that is cut off is undone by the next one who looks.
            Self::Talk(work) => work.changes() && !matches!(work, TalkWork::Compact(_)),
            Self::Shell(_, work) => work.changes(),
            Self::Worker(_, work) => work.changes(),
            Self::Attach(_)
            | Self::AttachTerminal(..)
            | Self::Watch(_)
            | Self::WatchShells(_)
            | Self::Type(..)
            | Self::Refresh
            | Self::McpServers
            | Self::Prepare(..)
            | Self::Versions
            | Self::CompletePath(..)
            | Self::CompleteFile(..)
            | Self::Edit(_)
            | Self::Copy(_)
            | Self::CopyAnswer(_)
            | Self::Packet(..)
            | Self::Diff(..)
            | Self::StopDiff
            | Self::FindImports(_)
            | Self::Outside(..)
            | Self::Notify(_)
            | Self::Profile(_)
            | Self::TryTheme(_)
            | Self::Suspend
            | Self::Quit => false,
        }
    }

    /// What the session's row shows while it is carried out; none for what takes no time.
    pub const fn work(&self) -> Option<&'static str> {
        Some(match self {
            Self::Start(_) => "starting",
            Self::Restart(..) => "restarting",
            Self::Stop(_) => "stopping",
            Self::Fork(..) => "forking",
            Self::Send(..) => "sending",
            Self::Archive(_) => "archiving",
            Self::Answer(..) => "answering",
            Self::Worker(_, WorkerWork::Finish(_)) => "finishing",
            Self::Mcp(_, McpWork::Restart) => "restarting",
            Self::HandOver(..) => "handing over",
            _ => return None,
        })
    }
}
