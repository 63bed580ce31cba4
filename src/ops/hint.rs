//! What a user can do about an error of a use case.

use super::OpError;
use super::handoff::HandoffError;
use super::mcp_servers::McpServersError;
use super::talk::TalkError;
use crate::domain::hint::Hint;
use crate::domain::launch::PlanError;
use crate::domain::mcp_scope;
use crate::domain::resolve::ResolveError;
use crate::domain::talk::BadSubject;
use crate::domain::tree::GroupError;
use crate::ports::mux::Silence;
use crate::ports::{GitError, MuxError, StoreError};

impl OpError {
    /// What the user can do about it, if there is one thing.
    pub fn hint(&self) -> Option<Hint> {
        Some(match self {
            Self::Resolve(ResolveError::Missing { near, .. }) if !near.is_empty() => {
                Hint::UseName(near.clone())
            }
            Self::Resolve(ResolveError::Missing { .. }) | Self::Missing(_) => Hint::ListSessions,
            Self::Resolve(ResolveError::Ambiguous { candidates, .. }) => Hint::UseId(candidates.clone()),
            Self::Resolve(ResolveError::NotInside) => Hint::NameSession,
            Self::Group(GroupError::NotEmpty { .. }) => Hint::EmptyGroup,
            Self::Group(GroupError::Missing(_)) => Hint::ListGroups,
            Self::Group(GroupError::Taken(_)) | Self::TitleTaken(_) => Hint::UseOtherName,
            Self::NoFolder(_) => Hint::CreateFolder,
            Self::NotAFolder(_) => Hint::UseParentFolder,
            Self::NotText(_) => Hint::RenameFolder,
            Self::UnclosedQuote(_) => Hint::CloseQuote,
            Self::NotInTrash { titles, .. } => Hint::UseDeleted(titles.clone()),
            Self::NoProgram { near: Some(near), .. } => Hint::UseTool(near.clone()),
            Self::NoProgram { path, .. } => Hint::InstallProgram(path.clone()),
            Self::Guard { agent: Some((session, scopes)), .. } => {
                Hint::GiveScopes(session.clone(), mcp_scope::words(scopes))
            }
            Self::Plan(PlanError::Mcp(_)) | Self::McpFile { .. } => Hint::WithoutServer,
            Self::NoTool(_) => Hint::GiveCommand,
            Self::Running(session) => Hint::Attach(session.clone()),
            Self::NotRunning(session) => Hint::Start(session.clone()),
            Self::StillRunning(session) => Hint::StopFirst(session.clone()),
            Self::Unsent { session, .. } => Hint::ReplaceUnsent(session.clone()),
            Self::Blocked { session, has_choices: true, .. } => Hint::Answer(session.clone()),
            Self::Blocked { session, .. } => Hint::AnswerAttached(session.clone()),
            Self::Poll(error) => return error.hint(),
            Self::TypedOnly { error, .. } => return error.hint(),
            Self::Recorded { session, .. } => Hint::RetryStart(session.clone()),
            Self::ConversationMissing { session, .. } | Self::NoConversationId { session, .. } => {
                Hint::UseFresh(session.clone())
            }
            Self::ConversationUnknown(session) => Hint::RestartFresh(session.clone()),
            Self::ResumeDied { session, .. } => Hint::RetryResume(session.clone()),
            Self::SameConversation { other, .. } => Hint::StopOther(other.clone()),
            Self::NoKey(_) => Hint::ListKeys,
            Self::NoSuchTool { names, .. } => Hint::UseOneOf(names.clone()),
            Self::BadSetting { why: None, .. } => {
                Hint::UseOneOf(super::set::KEYS.iter().map(|(k, _)| (*k).to_owned()).collect())
            }
            Self::NoFolderKnown(_) => Hint::NameFolder,
            Self::NothingToImport(_) => Hint::ListImports,
            Self::NoChoice { choices, .. } | Self::SeveralChoices { choices, .. } => {
                Hint::UseChoice(choices.clone())
            }
            Self::NoText(session) => Hint::ShowChoices(session.clone()),
            Self::NothingAsked(session) => Hint::ShowScreen(session.clone()),
            Self::DialogChanged(session) => Hint::ShowNewQuestion(session.clone()),
            Self::NotAChoice { session, choice, is_text: true } => {
                Hint::WriteAnswer(session.clone(), choice.clone())
            }
            Self::NotAChoice { session, .. } | Self::NotTaken { session, .. } => {
                Hint::AttachToAnswer(session.clone())
            }
            Self::Store(StoreError::Newer { .. }) => Hint::UpdateDeck,
            Self::Store(StoreError::Busy { busy, .. }) => return busy.hint(),
            Self::Mux(error) => return of_mux(error),
            Self::Place(error) => return error.hint(),
            Self::McpServers(McpServersError::Unknown { near: Some(near), .. }) => {
                Hint::UseName(vec![near.clone()])
            }
            Self::McpServers(McpServersError::NotIdle { session, .. }) => Hint::RestartLater(session.clone()),
            Self::Talk(error) => return of_talk(error),
            Self::Handoff(HandoffError::Asks(session)) => Hint::Answer(session.clone()),
            Self::Handoff(HandoffError::Works(session)) => Hint::HandOverNow(session.clone()),
            Self::Handoff(HandoffError::NoReceipt { to, .. }) => Hint::Attach(to.clone()),
            Self::McpServers(McpServersError::Unknown { .. }) => Hint::ListMcpServers,
            Self::McpServers(McpServersError::NotAttached { .. }) => Hint::ListMcpServers,
            Self::Worker(error) => return error.hint(),
            Self::Git(GitError::NotInstalled) => Hint::InstallGit,
            Self::Git(GitError::TooOld { .. }) => Hint::UpdateGit,
            Self::Git(GitError::NoCommitYet(_)) => Hint::CommitFirst,
            Self::Git(GitError::NoRepository(_)) => Hint::InitRepository,
            Self::Git(GitError::NoParentBranch { .. }) => Hint::NameBase,
            _ => return None,
        })
    }
}

fn of_mux(error: &MuxError) -> Option<Hint> {
    match error {
        MuxError::NotInstalled => Some(Hint::InstallTmux),
        MuxError::TooOld { .. } => Some(Hint::UpdateTmux),
        MuxError::Stopped(_) | MuxError::Unreached { .. } => Silence::of(error).hint(),
        MuxError::Busy(busy) => busy.hint(),
        MuxError::Closed(_) | MuxError::TimedOut(_) => Some(Hint::Diagnose),
        _ => None,
    }
}

/// What a user can do about an error of conversations.
fn of_talk(error: &TalkError) -> Option<Hint> {
    Some(match error {
        TalkError::NoRole { near: Some(near), .. } | TalkError::NoConversation { near: Some(near), .. } => {
            Hint::UseName(vec![near.clone()])
        }
        TalkError::NoConversation { .. } | TalkError::NoneCarried => Hint::ListConversations,
        TalkError::Subject(BadSubject::NoState(_)) => Hint::GiveState,
        TalkError::Archived(id) => Hint::Unarchive(id.to_string()),
        TalkError::CarriedByOther { id, .. }
        | TalkError::StillCarried { id, .. }
        | TalkError::CarriedElsewhere(id)
        | TalkError::CarriesOther { id, .. } => Hint::Detach(id.to_string()),
        TalkError::SpeaksForItself { id } => Hint::SayInConversation(id.to_string()),
        TalkError::NoTranscripts(_) => Hint::ToolWithTranscripts,
        TalkError::NotCarried(id) => Hint::Carry(id.to_string()),
        TalkError::OtherContent { .. } => Hint::OtherMessageId,
        _ => return None,
    })
}
