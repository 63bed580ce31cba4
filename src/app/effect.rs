//! Effects: what the loop does for the model, as data. Each answers with [`Done`](super::done::Done).

use std::path::PathBuf;

use super::mcp_work::McpWork;
use super::pass_through::PaneInput;
use super::shell_work::ShellWork;
use super::talk_work::TalkWork;
use super::worker_work::WorkerWork;
use crate::domain::conversation::Found;
use crate::domain::diff::Against;
use crate::domain::group::GroupPath;
use crate::domain::id::{ProfileName, SessionId};
use crate::domain::shell::ShellId;
use crate::domain::tree::{DeleteMode, Slot};
use crate::domain::worker::WorkerId;
use crate::ops::handoff::Wish;
use crate::ops::shell::ShellsInView;
use crate::ops::{Candidate, New, Pick, Question, Unsent};
use crate::ports::git::Lines;

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
