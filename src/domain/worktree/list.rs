//! The worktrees of a repository, as `git worktree list --porcelain` prints them (git-worktree(1), "PORCELAIN FORMAT").

use std::path::PathBuf;

use crate::domain::diff::path_of;

/// One worktree. The first of a list is the main one, or the bare repository.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct WorktreeEntry {
    pub path: PathBuf,
    /// The commit that is checked out; none in a bare repository, or before the first commit.
    pub head: Option<String>,
    /// The branch; none if a commit is checked out by itself.
    pub branch: Option<String>,
    pub is_bare: bool,
    /// Why it is locked, maybe without words; none if it isn't.
    pub locked: Option<String>,
    /// Why git would forget it, such as that its folder is gone; none if it wouldn't.
    pub prunable: Option<String>,
}

impl WorktreeEntry {
    /// Whether git is still making it, or was ended while it did.
    pub fn is_being_made(&self) -> bool {
        self.locked.as_deref() == Some("initializing")
    }
}

/// Reads the list; each line ends in `end`: NUL with `-z`, else a newline.
pub fn parse_list(bytes: &[u8], end: u8) -> Vec<WorktreeEntry> {
    let mut all: Vec<WorktreeEntry> = Vec::new();
    for line in bytes.split(|b| *b == end) {
        let (key, value) = match line.iter().position(|b| *b == b' ') {
            Some(at) => (line.get(..at).unwrap_or_default(), line.get(at + 1..).unwrap_or_default()),
            None => (line, &[][..]),
        };
        let text = || String::from_utf8_lossy(value).into_owned();
        if key == b"worktree" {
            all.push(WorktreeEntry { path: path_of(value), ..WorktreeEntry::default() });
            continue;
        }
        let Some(entry) = all.last_mut() else { continue };
        match key {
            b"HEAD" => entry.head = Some(text()).filter(|head| head.bytes().any(|b| b != b'0')),
            b"branch" => {
                let name = text();
                entry.branch = Some(name.strip_prefix("refs/heads/").unwrap_or(&name).to_owned());
            }
            b"bare" => entry.is_bare = true,
            b"locked" => entry.locked = Some(text()),
            b"prunable" => entry.prunable = Some(text()),
            _ => {}
        }
    }
    all
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_kind_of_worktree_is_read() {
        let text = "worktree /src/api\0HEAD 3f2c\0branch refs/heads/main\0\0\
                    worktree /src/a b\n\0HEAD 0000\0branch refs/heads/feat/x\0locked on a disk\0\0\
                    worktree /src/c\0HEAD 77aa\0detached\0prunable gitdir file points to non-existing location\0locked\0\0\
                    worktree /src/bare\0bare\0\0";
        let all = parse_list(text.as_bytes(), 0);
        assert_eq!(all.len(), 4);
        assert_eq!((all[0].head.as_deref(), all[0].branch.as_deref()), (Some("3f2c"), Some("main")));
        assert_eq!(all[1].path, PathBuf::from("/src/a b\n"));
        assert_eq!((all[1].head.as_deref(), all[1].locked.as_deref()), (None, Some("on a disk")));
        assert_eq!((all[2].branch.as_deref(), all[2].locked.as_deref()), (None, Some("")));
        assert!(all[2].prunable.as_deref().unwrap().contains("non-existing"));
        assert!(all[3].is_bare && all[3].head.is_none());
        assert_eq!(parse_list(b"", 0), []);
        let lines = parse_list(b"worktree /a\nHEAD 12\nbranch refs/heads/b\n\n", b'\n');
        assert_eq!(lines[0].branch.as_deref(), Some("b"));
    }
}
