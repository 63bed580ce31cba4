//! What can go wrong with repositories and worktrees.

use std::path::PathBuf;

use super::SetupContent;
use crate::domain::hint::Hint;
use crate::domain::session::SessionName;
use crate::domain::worktree::{Blocker, WayOn};

/// What went wrong.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum PlaceError {
    #[error("no repository {name:?}")]
    NoSuchRepository {
        name: String,
        /// A name much like it.
        near: Option<String>,
    },
    #[error("{} is not in a git repository", .0.display())]
    NotInRepository(PathBuf),
    #[error("repository {name:?} is missing: {path} is not there")]
    Missing { name: String, path: String },
    #[error("the name {0:?} is taken by another repository")]
    NameTaken(String),
    #[error("invalid name {0:?} for a repository: it must be a word without slashes")]
    BadName(String),
    #[error("can't set {key:?} of a repository")]
    BadKey { key: String, keys: Vec<&'static str> },
    /// A value that can't be one.
    #[error("`{key}` {why}")]
    BadValue { key: String, why: String },
    #[error("repository {name:?} is used by {}", quoted(sessions))]
    StillUsed { name: String, sessions: Vec<String> },
    #[error("no worktree {0:?}")]
    NoWorktree(String),
    /// Neither a branch nor a title to make one from.
    #[error("no branch is given, and no title to name one after")]
    NoBranch,
    #[error(
        "branch {branch:?} is checked out already in {}{}", path.display(),
        if *is_gone { ", whose folder is gone" } else { "" }
    )]
    CheckedOut { branch: String, path: PathBuf, is_gone: bool },
    #[error("branch {branch:?} is on several remotes")]
    SeveralRemotes { branch: String, found: Vec<String> },
    #[error("{} is there and not empty", .0.display())]
    FolderTaken(PathBuf),
    #[error("a worktree can't be made in {0:?}")]
    BadFolder(PathBuf),
    #[error("{} would be inside of the worktree {}", path.display(), top.display())]
    InWorktree { path: PathBuf, top: PathBuf },
    #[error(
        "{} to copy into the worktree: {files} files, {} MB, most of it in {}; the limit is {} MB",
        if bytes > limit { "too much" } else { "too many files" },
        bytes / 1_000_000, folder.display(), limit / 1_000_000
    )]
    TooMuchToCopy { folder: PathBuf, files: usize, bytes: u64, limit: u64 },
    #[error("can't write {}: {why}", path.display())]
    NotCopied { path: PathBuf, why: String },
    #[error("can't work on the repository {}: {why}", repository.display())]
    Busy { repository: PathBuf, why: String },
    #[error("{file}: {why}")]
    BadSetupFile { file: String, why: String },
    /// What a repository brings would be run, and its user did not allow that.
    #[error(
        "repository {repository:?} brings commands that you have not allowed yet: {}",
        content.files.iter().map(|(name, _)| name.as_str()).collect::<Vec<_>>().join(", ")
    )]
    Consent {
        repository: String,
        content: Box<SetupContent>,
        /// Whether its user may be asked here.
        can_ask: bool,
    },
    #[error("only a user can allow what a repository brings, and not from inside a session")]
    ConsentInside,
    #[error("session {0:?} works in no worktree of deck's")]
    NoPlace(String),
    #[error("{} is there: nothing has to be restored", .0.display())]
    NotGone(PathBuf),
    #[error("no branch and no commit is known that the worktree of session {0:?} had")]
    NoCommitKnown(String),
    #[error("the setup of the worktree of session {:?} failed with {code}: {}", session.title, lines.join(" / "))]
    SetupFailed { session: SessionName, code: i32, lines: Vec<String> },
    #[error("the worktree {} of session {session} is gone", worktree.display())]
    FolderGone { session: SessionName, worktree: PathBuf },
    /// Something would be lost, or goes on working there.
    #[error("{} stays as it is:{}", path.display(), blockers.iter().map(|b| format!("\n    {}", b.words())).collect::<String>())]
    Blocked { path: PathBuf, blockers: Vec<Blocker> },
    #[error("the teardown `{line}` {why}{}", tail(text))]
    TeardownFailed { line: String, why: String, text: String },
    #[error("no branch is known that this one could be merged into")]
    NoBase,
    #[error("{}", if *is_own { format!("{base} can't be merged into itself") } else { format!("there is no branch {base:?} to merge into") })]
    BadBase { base: String, is_own: bool },
    #[error("no remote is set that {0} could be pushed to")]
    NoRemote(String),
    #[error("a commit is checked out by itself: there is no branch to push")]
    NoBranchToPush,
    #[error("repository {0:?} has no setup")]
    NoSetup(String),
    /// A word that several worktrees have.
    #[error("{word:?} is several worktrees: {}", paths(found))]
    SeveralWorktrees { word: String, found: Vec<PathBuf> },
}

impl PlaceError {
    /// What its user can do about it.
    pub fn hint(&self) -> Option<Hint> {
        Some(match self {
            Self::NoSuchRepository { near: Some(near), .. } => Hint::UseName(vec![near.clone()]),
            Self::NoSuchRepository { .. } => Hint::ListRepositories,
            Self::Missing { name, .. } => Hint::SetRepositoryPath(name.clone()),
            Self::NotInRepository(_) => Hint::InitRepository,
            Self::NameTaken(_) => Hint::UseOtherName,
            Self::BadKey { keys, .. } => Hint::UseOneOf(keys.iter().map(|k| (*k).to_owned()).collect()),
            Self::StillUsed { .. } => Hint::KeepSessions,
            Self::NoWorktree(_) => Hint::ListWorktrees,
            Self::FolderGone { session, .. } => Hint::RestoreWorktree(session.clone()),
            Self::SetupFailed { session, .. } => Hint::SkipSetup(session.clone()),
            Self::NoBranch => Hint::NameBranch,
            Self::CheckedOut { is_gone: false, .. } => Hint::ReuseWorktree,
            Self::CheckedOut { path, .. } => Hint::RemoveEntry(path.display().to_string()),
            Self::SeveralRemotes { found, .. } => Hint::UseBase(found.clone()),
            Self::FolderTaken(_) | Self::InWorktree { .. } | Self::BadFolder(_) => Hint::UseOtherFolder,
            Self::TooMuchToCopy { .. } => Hint::CopyLess,
            Self::BadSetupFile { .. } => Hint::WithoutSetup,
            Self::Consent { repository, .. } => Hint::Trust(repository.clone()),
            Self::SeveralWorktrees { .. } => Hint::UsePath,
            Self::Blocked { path, blockers } => {
                let mut ways: Vec<WayOn> = blockers.iter().map(Blocker::way_on).collect();
                ways.dedup();
                Hint::Unblock(path.display().to_string(), ways)
            }
            Self::NoBase | Self::BadBase { .. } => Hint::NameInto,
            Self::BadName(_)
            | Self::BadValue { .. }
            | Self::NotCopied { .. }
            | Self::Busy { .. }
            | Self::ConsentInside
            | Self::TeardownFailed { .. }
            | Self::NoRemote(_)
            | Self::NoBranchToPush
            | Self::NoPlace(_)
            | Self::NotGone(_)
            | Self::NoCommitKnown(_)
            | Self::NoSetup(_) => return None,
        })
    }
}

/// The end of what a command printed.
fn tail(text: &str) -> String {
    let lines: Vec<&str> = text.lines().map(str::trim).filter(|line| !line.is_empty()).collect();
    let last: Vec<String> = lines
        .iter()
        .skip(lines.len().saturating_sub(5))
        .map(|line| crate::domain::text::clean(line))
        .collect();
    if last.is_empty() { String::new() } else { format!(": {}", last.join(" / ")) }
}

fn quoted(words: &[String]) -> String {
    let quoted: Vec<String> = words.iter().map(|w| format!("{w:?}")).collect();
    quoted.join(", ")
}

fn paths(all: &[PathBuf]) -> String {
    let all: Vec<String> = all.iter().map(|p| p.display().to_string()).collect();
    all.join(", ")
}
