//! The state of a git worktree: its branch, how far that is from its upstream, what isn't committed.

use std::path::PathBuf;

use crate::domain::diff::path_of;

/// How far a branch is from the one that it follows.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Upstream {
    /// The other branch: `origin/main`.
    pub name: String,
    /// Commits that only this branch has, and those that only the other has; none where the other is gone.
    pub ahead_behind: Option<(u32, u32)>,
}

/// The state of a worktree.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct WorktreeState {
    /// The branch; none if a commit is checked out by itself.
    pub branch: Option<String>,
    /// The commit that is checked out; none before the first one.
    pub commit: Option<String>,
    /// What the branch follows.
    pub upstream: Option<Upstream>,
    /// How many files differ between the index and the commit.
    pub staged: usize,
    /// How many differ between the worktree and the index.
    pub changed: usize,
    /// Files that a merge left in conflict, from the worktree's top.
    pub conflicted: Vec<PathBuf>,
    /// Files that git doesn't know, from the worktree's top; a folder ends in a slash.
    pub untracked: Vec<PathBuf>,
    /// Whether git had more to report than was read.
    pub is_cut: bool,
}

impl WorktreeState {
    /// How many files aren't committed; one counts twice if it was changed again after it was staged.
    pub fn uncommitted(&self) -> usize {
        self.staged + self.changed + self.conflicted.len() + self.untracked.len()
    }

    /// Whether nothing is uncommitted.
    pub fn is_clean(&self) -> bool {
        self.uncommitted() == 0
    }
}

/// Reads what `git status --porcelain=v2 --branch -z` prints. What isn't known is left out.
pub fn parse_status(bytes: &[u8]) -> WorktreeState {
    let mut state = WorktreeState::default();
    let mut records = bytes.split(|b| *b == 0);
    while let Some(record) = records.next() {
        let (kind, rest) = match record {
            [kind, b' ', rest @ ..] => (*kind, rest),
            _ => continue,
        };
        match kind {
            b'#' => header(&mut state, &String::from_utf8_lossy(rest)),
            b'1' | b'2' => {
                state.staged += usize::from(rest.first().is_some_and(|c| *c != b'.'));
                state.changed += usize::from(rest.get(1).is_some_and(|c| *c != b'.'));
                if kind == b'2' {
                    // Where a renamed file was before.
                    records.next();
                }
            }
            // Behind three modes more than for others.
            b'u' => state.conflicted.extend(rest.splitn(10, |b| *b == b' ').nth(9).map(path_of)),
            b'?' if !rest.is_empty() => state.untracked.push(path_of(rest)),
            _ => {}
        }
    }
    state
}

fn header(state: &mut WorktreeState, line: &str) {
    let Some((key, value)) = line.split_once(' ') else { return };
    let owned = || value.to_owned();
    match key {
        "branch.oid" => state.commit = (value != "(initial)").then(owned),
        "branch.head" => state.branch = (value != "(detached)").then(owned),
        "branch.upstream" => state.upstream = Some(Upstream { name: owned(), ahead_behind: None }),
        "branch.ab" => {
            let number = |word: Option<&str>, sign| word?.strip_prefix(sign)?.parse().ok();
            let mut words = value.split(' ');
            let both = number(words.next(), '+').zip(number(words.next(), '-'));
            if let Some(upstream) = &mut state.upstream {
                upstream.ahead_behind = both;
            }
        }
        _ => {}
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn branch_upstream_and_counts() {
        let text = "# branch.oid 0123abcd\0# branch.head feat/login\0# branch.upstream origin/main\0\
                    # branch.ab +3 -1\0\
                    1 .M N... 100644 100644 100644 a b one two.rs\0\
                    1 A. N... 000000 100644 100644 a b three\0\
                    2 RM N... 100644 100644 100644 a b R100 new\0? old\0\
                    u UU N... 100644 100644 100644 100644 a b c both\0? new file\0? folder/\0! ignored\0";
        let upstream = Upstream { name: "origin/main".into(), ahead_behind: Some((3, 1)) };
        let want = WorktreeState {
            branch: Some("feat/login".into()),
            commit: Some("0123abcd".into()),
            upstream: Some(upstream),
            staged: 2,
            changed: 2,
            conflicted: vec!["both".into()],
            untracked: vec!["new file".into(), "folder/".into()],
            is_cut: false,
        };
        assert_eq!(parse_status(text.as_bytes()), want);
        assert!(!want.is_clean());
    }

    #[test]
    fn no_commit_yet_no_branch_and_an_upstream_that_is_gone() {
        let first = parse_status(b"# branch.oid (initial)\0# branch.head main\0");
        assert_eq!((first.commit.as_deref(), first.branch.as_deref()), (None, Some("main")));
        assert!(first.is_clean());
        let gone = parse_status(b"# branch.oid a\0# branch.head (detached)\0# branch.upstream x/y\0");
        assert_eq!((gone.branch, gone.upstream.map(|u| u.ahead_behind)), (None, Some(None)));
    }

    proptest! {
        #[test]
        fn any_bytes_are_read(bytes in proptest::collection::vec(any::<u8>(), 0..200)) {
            parse_status(&bytes);
        }
    }
}
