//! What keeps a worktree from being removed: all that would be lost with it, or go on working in it.
//!
//! Invariant: whatever can't be determined blocks.

use std::path::PathBuf;

use crate::domain::session::SessionName;
use crate::domain::text;

/// A file that git ignores and that would be lost.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct IgnoredFile {
    /// From the worktree's top; a folder that holds a repository of its own ends in a slash.
    pub path: PathBuf,
    pub bytes: u64,
}

/// What one can do about a blocker.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum WayOn {
    /// Nothing: it is never removed.
    Never,
    /// Finish or abort what is under way.
    FinishIt,
    /// Commit, stash elsewhere, or keep the folder.
    CommitOrKeep,
    /// Have ignored files removed.
    DiscardIgnored,
    Unlock,
    /// Move repositories of their own out of it.
    MoveAway,
    /// Push or merge the commits of a submodule.
    PushSubmodule,
    /// Have sessions stopped.
    Stop,
    /// End the process, or have it leave the folder.
    EndProcess,
}

/// One reason not to remove a worktree.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Blocker {
    /// It isn't a linked worktree of the repository, in these words.
    NotLinked(String),
    /// Such as a rebase, by git's word for it.
    UnderWay(&'static str),
    /// Files that aren't committed: how many of each kind, and the first of their paths.
    Uncommitted { staged: usize, changed: usize, conflicted: usize, untracked: usize, first: Vec<PathBuf> },
    /// Files that git ignores, that are no copies of deck's, and that can't be made again by a build.
    Ignored(Vec<IgnoredFile>),
    /// Folders in it that are repositories or worktrees of their own.
    Repositories(Vec<PathBuf>),
    /// There are more of them than can be looked at.
    TooManyIgnored,
    /// git was told to keep it, for a reason that may be empty.
    Locked(String),
    /// Why the submodule at a path can't go.
    Submodule { path: PathBuf, why: String },
    /// A session whose agent or terminals run in it.
    Session(SessionName),
    /// The same of another profile.
    OtherProfile { title: String, profile: String },
    /// Why nothing can be merged where that is to go.
    Target(String),
    /// A process that works in it.
    Process { pid: i32, program: String },
}

/// How many paths are named.
const NAMED: usize = 5;

impl Blocker {
    pub const fn way_on(&self) -> WayOn {
        match self {
            Self::NotLinked(_) => WayOn::Never,
            Self::Repositories(_) => WayOn::MoveAway,
            Self::UnderWay(_) | Self::Target(_) => WayOn::FinishIt,
            Self::Uncommitted { .. } => WayOn::CommitOrKeep,
            Self::Ignored(_) | Self::TooManyIgnored => WayOn::DiscardIgnored,
            Self::Locked(_) => WayOn::Unlock,
            Self::Submodule { .. } => WayOn::PushSubmodule,
            Self::Session(_) => WayOn::Stop,
            Self::OtherProfile { .. } | Self::Process { .. } => WayOn::EndProcess,
        }
    }

    /// The session that has to be stopped, if it is one.
    pub const fn running_session(&self) -> Option<&SessionName> {
        match self {
            Self::Session(session) => Some(session),
            _ => None,
        }
    }

    /// A word for programs.
    pub const fn word(&self) -> &'static str {
        match self {
            Self::NotLinked(_) => "not_linked",
            Self::Repositories(_) => "repositories",
            Self::UnderWay(_) => "under_way",
            Self::Target(_) => "target",
            Self::Uncommitted { .. } => "uncommitted",
            Self::Ignored(_) | Self::TooManyIgnored => "ignored",
            Self::Locked(_) => "locked",
            Self::Submodule { .. } => "submodule",
            Self::Session(_) => "session",
            Self::OtherProfile { .. } => "other_profile",
            Self::Process { .. } => "process",
        }
    }

    /// What it is, for people.
    pub fn words(&self) -> String {
        let paths = |all: &[PathBuf], of: usize| {
            let shown: Vec<String> =
                all.iter().take(NAMED).map(|p| text::clean(&p.display().to_string())).collect();
            let more =
                if of > shown.len() { format!(" and {} more", of - shown.len()) } else { String::new() };
            format!("{}{more}", shown.join(", "))
        };
        match self {
            Self::NotLinked(why) | Self::Target(why) => text::clean(why),
            Self::UnderWay(what) => format!("{what} is under way"),
            Self::Repositories(all) if all.len() == 1 => {
                format!("a repository of its own is in it: {}", paths(all, 1))
            }
            Self::Repositories(all) => {
                format!("repositories of their own are in it: {}", paths(all, all.len()))
            }
            Self::Uncommitted { staged, changed, conflicted, untracked, first } => {
                let kinds = [
                    (staged, "staged"),
                    (changed, "changed"),
                    (conflicted, "in conflict"),
                    (untracked, "untracked"),
                ];
                let kinds: Vec<String> =
                    kinds.iter().filter(|(n, _)| **n > 0).map(|(n, word)| format!("{n} {word}")).collect();
                let count = staged + changed + conflicted + untracked;
                format!("uncommitted files ({}): {}", kinds.join(", "), paths(first, count))
            }
            Self::Ignored(files) => {
                let one = |file: &IgnoredFile| {
                    format!("{} ({})", text::clean(&file.path.display().to_string()), text::bytes(file.bytes))
                };
                let shown: Vec<String> = files.iter().take(NAMED).map(one).collect();
                let more = files.len().saturating_sub(NAMED);
                let more = if more > 0 { format!(" and {more} more") } else { String::new() };
                format!("{} that git ignores: {}{more}", text::counted(files.len(), "file"), shown.join(", "))
            }
            Self::TooManyIgnored => "more ignored files than can be looked at".to_owned(),
            Self::Locked(why) if why.is_empty() => "it is locked".to_owned(),
            Self::Locked(why) => format!("it is locked: {}", text::clean(why)),
            Self::Submodule { path, why } => {
                format!("submodule {} {why}", text::clean(&path.display().to_string()))
            }
            Self::Session(session) => format!("session {session} is running in it"),
            Self::OtherProfile { title, profile } => {
                format!("session {:?} of the profile {profile} is running in it", text::clean(title))
            }
            Self::Process { pid, program } => format!("process {pid} ({}) works in it", text::clean(program)),
        }
    }
}

/// Whether a path that git ignores is one that is made again: by the name of a folder or a file on its way.
pub fn is_expendable(path: &std::path::Path, expendable: &[String]) -> bool {
    path.components().any(|part| expendable.iter().any(|name| part.as_os_str() == name.as_str()))
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::path::Path;

    #[test]
    fn blockers_in_words() {
        let uncommitted = Blocker::Uncommitted {
            staged: 1,
            changed: 0,
            conflicted: 0,
            untracked: 6,
            first: ["a", "b", "c", "d", "e\u{1b}[31m", "f"].map(PathBuf::from).to_vec(),
        };
        assert_eq!(
            uncommitted.words(),
            "uncommitted files (1 staged, 6 untracked): a, b, c, d, e and 2 more"
        );
        let ignored = Blocker::Ignored(vec![IgnoredFile { path: ".env".into(), bytes: 12 }]);
        assert_eq!(ignored.words(), "1 file that git ignores: .env (12 B)");
        assert_eq!(Blocker::Locked(String::new()).words(), "it is locked");
    }

    #[test]
    fn what_a_build_makes_is_expendable() {
        let names = ["node_modules".to_owned(), "target".to_owned()];
        for (path, is) in
            [("node_modules/", true), ("web/target/x", true), (".env", false), ("targets/x", false)]
        {
            assert_eq!(is_expendable(Path::new(path), &names), is, "{path}");
        }
    }
}
