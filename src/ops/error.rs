//! What can go wrong in a use case, with data inside: kind and hint follow from it.

use std::path::PathBuf;

use crate::domain::group::{BadGroupPath, GroupPath};
use crate::domain::id::SessionId;
use crate::domain::launch::PlanError;
use crate::domain::resolve::ResolveError;
use crate::domain::tree::GroupError;
use crate::ports::{MuxError, StoreError};

/// A use case's result.
pub type OpResult<T> = Result<T, OpError>;

/// What went wrong.
#[derive(Debug, thiserror::Error)]
pub enum OpError {
    /// A word names no single session.
    #[error(transparent)]
    Resolve(#[from] ResolveError),
    /// The session was deleted meanwhile.
    #[error("session {0} is no longer there")]
    Missing(SessionId),
    /// The profile could not be read or written.
    #[error(transparent)]
    Store(#[from] StoreError),
    /// The multiplexer.
    #[error(transparent)]
    Mux(#[from] MuxError),
    /// The tree of groups.
    #[error(transparent)]
    Group(#[from] GroupError),
    /// A text that is no group.
    #[error(transparent)]
    BadGroup(#[from] BadGroupPath),
    /// Nothing to run.
    #[error(transparent)]
    Plan(#[from] PlanError),
    /// The directory isn't there.
    #[error("there is no folder {}", .0.display())]
    NoFolder(PathBuf),
    /// There is something, but no folder.
    #[error("{} is not a folder", .0.display())]
    NotAFolder(PathBuf),
    /// A command that a shell can't read.
    #[error("the command {0:?} has a quote that is not closed")]
    UnclosedQuote(String),
    /// No deleted session has this name.
    #[error("no deleted session {name:?}")]
    NotInTrash {
        /// The name.
        name: String,
        /// Titles that are in the trash.
        titles: Vec<String>,
    },
    /// The program isn't there.
    #[error("program {program:?} was not found")]
    NoProgram {
        /// The program.
        program: String,
        /// Where it was looked for.
        path: String,
        /// A tool whose name is much like it.
        near: Option<String>,
    },
    /// No tool of that name, and none installed.
    #[error("no tool was named, and none of {} is installed", .0.join(", "))]
    NoTool(Vec<String>),
    /// A conversation's file.
    #[error("can't copy the conversation's file {}", path.display())]
    CopyConversation {
        /// The file.
        path: PathBuf,
        /// Why.
        #[source]
        source: std::io::Error,
    },
    /// A file of `KEY=value` lines.
    #[error("can't read the tool's env_file {}", path.display())]
    EnvFile {
        /// The file.
        path: PathBuf,
        /// Why.
        #[source]
        source: std::io::Error,
    },
    /// It runs already.
    #[error("session {0:?} is running already")]
    Running(String),
    /// It doesn't run.
    #[error("session {0:?} is not running")]
    NotRunning(String),
    /// Its agent would be lost.
    #[error("session {0:?} is still running")]
    StillRunning(String),
    /// It asks something.
    #[error("session {title:?} asks you ({asks}): a message would be taken for the answer")]
    Blocked {
        /// The session.
        title: String,
        /// What is asked.
        asks: String,
    },
    /// The conversation that would be resumed is not on disk any more.
    #[error("the conversation {id} of session {title:?} is not there any more")]
    ConversationMissing {
        /// The session.
        title: String,
        /// The conversation.
        id: String,
    },
    /// A tool that isn't there.
    #[error("there is no tool {name:?}")]
    NoSuchTool {
        /// The name.
        name: String,
        /// Those there are.
        names: Vec<String>,
    },
    /// A conversation whose file doesn't say where it was begun.
    #[error("nobody can tell in which folder conversation {0} was begun")]
    NoFolderKnown(String),
    /// A word that names no key.
    #[error("{0:?} is no key")]
    NoKey(String),
    /// Nothing that could be imported has this name.
    #[error("there is nothing {0:?} to import")]
    NothingToImport(String),
    /// Starting it would begin another conversation.
    #[error("session {0:?} was adopted, and deck doesn't know its conversation: a new one would begin")]
    ConversationUnknown(String),
    /// The agent that was to resume a conversation ended at once.
    #[error("session {title:?} did not come back: its agent ended {how}{}", said(lines))]
    ResumeDied {
        /// The session.
        title: String,
        /// How it ended.
        how: String,
        /// Its last lines.
        lines: Vec<String>,
    },
    /// The tool can't copy a conversation, or there is none.
    #[error("session {title:?} can't be forked: {why}")]
    NoFork {
        /// The session.
        title: String,
        /// Why.
        why: &'static str,
    },
    /// Something that can't be set, or not to this.
    #[error("{key:?} can't be set{}", why.as_ref().map(|w| format!(" to that: {w}")).unwrap_or_default())]
    BadSetting {
        /// The key.
        key: String,
        /// Why; none when there is no such key.
        why: Option<String>,
    },
    /// It asks nothing that could be answered here.
    #[error("session {0:?} shows no question with choices")]
    NothingAsked(String),
    /// The question went away or became another one.
    #[error("session {0:?} asks something else by now: nothing was pressed")]
    DialogChanged(String),
    /// No choice of that name.
    #[error("that is no choice of what session {title:?} asks")]
    NoChoice {
        /// The session.
        title: String,
        /// Its choices.
        choices: Vec<String>,
    },
    /// A text must be written, or several choices be ticked.
    #[error("session {title:?} wants more than one key for {choice:?}")]
    NotAChoice {
        /// The session.
        title: String,
        /// The choice.
        choice: String,
    },
    /// Nothing came of an answer.
    #[error("session {title:?} did not take the answer {choice:?}: it still asks")]
    NotTaken {
        /// The session.
        title: String,
        /// The choice.
        choice: String,
    },
    /// Its processes could not be ended.
    #[error("the processes of session {title:?} could not be ended")]
    End {
        /// The session.
        title: String,
        /// Why.
        #[source]
        source: std::io::Error,
    },
    /// The trash is empty.
    #[error("there is nothing to undo: the trash of this profile is empty")]
    NothingToUndo,
    /// Another session has this title.
    #[error("the title {0:?} is taken by another session")]
    TitleTaken(String),
    /// A title that can't be one.
    #[error("a session's title must have at least one visible character")]
    NoTitle,
    /// It would be its own parent, or its parent is in another profile.
    #[error("session {0:?} can't be its own parent")]
    OwnParent(String),
    /// An id that another live session resumes.
    #[error("conversation {id} is open in session {other:?} already")]
    SameConversation {
        /// The conversation.
        id: String,
        /// The other session.
        other: String,
    },
}

/// An agent's last lines, for the end of a sentence.
fn said(lines: &[String]) -> String {
    if lines.is_empty() { " without a word".to_owned() } else { format!(": {}", lines.join(" / ")) }
}

impl OpError {
    /// What the user can do about it.
    pub fn hint(&self) -> Option<String> {
        Some(match self {
            Self::Resolve(ResolveError::Missing { near, .. }) if !near.is_empty() => {
                format!("did you mean {}?", near.join(", "))
            }
            Self::Resolve(ResolveError::Missing { .. }) | Self::Missing(_) => {
                "`deck list` shows all sessions".into()
            }
            Self::Resolve(ResolveError::Ambiguous { candidates, .. }) => {
                let now = jiff::Timestamp::now();
                let list = candidates.iter().map(|c| format!("{} ({})", c.id.tail(), c.words(now)));
                format!("name it by the end of its id: {}", list.collect::<Vec<_>>().join(", "))
            }
            Self::Resolve(ResolveError::NotInside) => "name the session by its title".into(),
            Self::Group(GroupError::NotEmpty { .. }) => {
                "`--move-up` keeps what it holds one level higher, `--with-sessions` deletes it along".into()
            }
            Self::Group(GroupError::Missing(_)) => "`deck group list` shows all groups".into(),
            Self::Group(GroupError::Taken(_)) | Self::TitleTaken(_) => "choose another name".into(),
            Self::NoFolder(_) => "make it first, or name another one".into(),
            Self::NotAFolder(_) => "name the folder that holds it".into(),
            Self::UnclosedQuote(_) => "close it, or put a backslash before it".into(),
            Self::NotInTrash { titles, .. } if titles.is_empty() => {
                "the trash of this profile is empty".into()
            }
            Self::NotInTrash { titles, .. } => format!("deleted within seven days: {}", titles.join(", ")),
            Self::NoProgram { near: Some(near), .. } => format!("did you mean the tool {near}?"),
            Self::NoProgram { path, .. } => {
                format!("searched PATH={path}; install it, or add the session with --no-start")
            }
            Self::NoTool(_) => "name a command with -c, for example `-c shell`".into(),
            Self::Running(title) => format!("`deck attach {}` shows it", crate::domain::quote::sh(title)),
            Self::NotRunning(title) => {
                format!("start it with `deck start {}`", crate::domain::quote::sh(title))
            }
            Self::StillRunning(title) => {
                let title = crate::domain::quote::sh(title);
                format!("`deck rm --stop {title}` stops it first; `deck undo` brings a deleted session back")
            }
            Self::Blocked { title, .. } => {
                let title = crate::domain::quote::sh(title);
                format!("`deck answer {title}` shows its choices; or send with --force")
            }
            Self::ConversationMissing { title, .. } => {
                format!("`deck start --fresh {}` begins a new one", crate::domain::quote::sh(title))
            }
            Self::NoKey(_) => "`deck keys --help` names them; text is sent by `deck send`".into(),
            Self::NoSuchTool { names, .. } => format!("one of {}", names.join(", ")),
            Self::NoFolderKnown(_) => "name the folder: `deck import --conversations FOLDER`".into(),
            Self::NothingToImport(_) => {
                "`deck import` lists tmux sessions, `deck import --conversations` conversations".into()
            }
            Self::ConversationUnknown(title) => {
                format!(
                    "if that is what you want: `deck restart --fresh {}`",
                    crate::domain::quote::sh(title)
                )
            }
            Self::ResumeDied { title, .. } => {
                let title = crate::domain::quote::sh(title);
                format!(
                    "its conversation's id is kept; `deck restart {title}` tries again, with --fresh a new one begins"
                )
            }
            Self::BadSetting { why: None, .. } => {
                format!("one of {}", super::set::KEYS.iter().map(|(k, _)| *k).collect::<Vec<_>>().join(", "))
            }
            Self::NoChoice { choices, .. } => format!("its choices are: {}", choices.join(", ")),
            Self::NothingAsked(title) => {
                format!("`deck output --screen {}` prints what it shows", crate::domain::quote::sh(title))
            }
            Self::DialogChanged(title) => {
                format!("`deck answer {}` shows what it asks now", crate::domain::quote::sh(title))
            }
            Self::NotAChoice { title, .. } | Self::NotTaken { title, .. } => {
                format!("`deck attach {}` goes there", crate::domain::quote::sh(title))
            }
            Self::Store(StoreError::Newer { .. }) => "update deck".into(),
            Self::SameConversation { .. } => "stop that session first".into(),
            _ => return None,
        })
    }

    /// A missing group's error.
    pub fn no_group(path: &GroupPath) -> Self {
        Self::Group(GroupError::Missing(path.clone()))
    }
}
