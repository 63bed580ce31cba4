//! Branches and commits.

use std::ffi::OsStr;
use std::path::Path;

use jiff::Timestamp;

use super::run::{ask, failed, read, write_with};
use super::worktrees;
use crate::ports::git::{Blob, BranchFacts, CommitFacts, GitError, GitResult, Stop};

/// Where a branch of this name is.
pub(super) fn find(folder: &Path, name: &str, stop: Stop<'_>) -> GitResult<BranchFacts> {
    let bad = || GitError::BadBranch(name.to_owned());
    // An empty name, an option, or what stands for another branch is none.
    if name.is_empty() || name.starts_with('-') || name.contains(['\0', '\n']) || name == "HEAD" {
        return Err(bad());
    }
    let checked = ask(folder, &[], &["check-ref-format", "--branch", name], stop)?;
    if checked.code != Some(0) || checked.stdout.trim_ascii_end() != name.as_bytes() {
        return Err(bad());
    }
    let (local, remote) = (format!("refs/heads/{name}"), format!("refs/remotes/*/{name}"));
    let printed = read(folder, &["for-each-ref", "--format=%(refname)", &local, &remote], stop)?;
    let text = String::from_utf8_lossy(&printed.stdout).into_owned();
    let remote_of = |line: &str| {
        let rest = line.strip_prefix("refs/remotes/")?.strip_suffix(name)?.strip_suffix('/')?;
        Some(rest.to_owned())
    };
    Ok(BranchFacts {
        is_local: text.lines().any(|line| line == local),
        remotes: text.lines().filter_map(remote_of).collect(),
    })
}

/// The commit that a name means.
pub(super) fn commit(folder: &Path, name: &str, stop: Stop<'_>) -> GitResult<CommitFacts> {
    let none = || GitError::NoCommit(name.to_owned());
    if name.is_empty() || name.starts_with('-') || name.contains(['\0', '\n']) {
        return Err(none());
    }
    let commit = format!("{name}^{{commit}}");
    let words = ["show", "--no-patch", "--format=%H%x00%ct%x00%s", "--end-of-options", &commit];
    let printed = ask(folder, &[], &words, stop)?;
    let text = String::from_utf8_lossy(&printed.stdout).into_owned();
    let mut parts = text.trim_end_matches('\n').splitn(3, '\0');
    let (Some(0), Some(id), Some(at)) = (printed.code, parts.next(), parts.next()) else {
        return Err(none());
    };
    let at = at.parse().ok().and_then(|second| Timestamp::from_second(second).ok()).unwrap_or_default();
    let subject = crate::domain::text::clean(parts.next().unwrap_or_default());
    Ok(CommitFacts { id: id.to_owned(), at, subject })
}

/// The branch that others begin at.
pub(super) fn default(folder: &Path, stop: Stop<'_>) -> GitResult<String> {
    let printed = ask(folder, &[], &["symbolic-ref", "--quiet", "refs/remotes/origin/HEAD"], stop)?;
    let text = String::from_utf8_lossy(&printed.stdout).into_owned();
    if let Some(branch) =
        text.trim_end().strip_prefix("refs/remotes/origin/").filter(|_| printed.code == Some(0))
    {
        return Ok(branch.to_owned());
    }
    let main = worktrees::list(folder, stop)?.into_iter().next();
    let path = main.as_ref().map_or_else(|| folder.to_owned(), |main| main.path.clone());
    // A bare repository is listed without its branch.
    let printed = ask(&path, &[], &["symbolic-ref", "--quiet", "HEAD"], stop)?;
    let text = String::from_utf8_lossy(&printed.stdout).into_owned();
    match text.trim_end().strip_prefix("refs/heads/") {
        Some(branch) => Ok(branch.to_owned()),
        // It has a commit checked out by itself.
        None => match main.and_then(|main| main.head) {
            Some(head) => Ok(head),
            None if printed.stderr.is_empty() => Err(GitError::NoCommitYet(path)),
            None => Err(failed(&printed)),
        },
    }
}

/// What a file holds in a commit.
pub(super) fn file(
    folder: &Path,
    commit: &str,
    path: &str,
    most: usize,
    stop: Stop<'_>,
) -> GitResult<Option<Blob>> {
    let listed = read(folder, &["ls-tree", "-z", "-l", "--full-tree", commit, "--", path], stop)?;
    // MODE blob ID SIZE<tab>PATH
    let text = String::from_utf8_lossy(&listed.stdout).into_owned();
    let entry = text.split('\0').find_map(|line| line.split_once('\t').filter(|(_, name)| *name == path));
    let Some((facts, _)) = entry else { return Ok(None) };
    let mut facts = facts.split_whitespace();
    let (Some(mode), Some("blob"), Some(id), Some(size)) =
        (facts.next(), facts.next(), facts.next(), facts.next())
    else {
        return Ok(None);
    };
    if size.parse::<usize>().is_ok_and(|size| size > most) {
        return Err(GitError::TooLarge { path: path.to_owned(), most });
    }
    let bytes = read(folder, &["cat-file", "blob", id], stop)?.stdout;
    Ok(Some(Blob { bytes, is_link: mode == "120000" }))
}

/// Fetches from all remotes. Nobody is asked for a password: where its user has set nothing else, ssh is told so.
pub(super) fn fetch(folder: &Path, stop: Stop<'_>) -> GitResult<()> {
    let words = ["fetch", "--quiet", "--all"].map(OsStr::new);
    write_with(folder, &words, &ssh(folder, stop)?, None, stop).map(drop)
}

/// The variable that keeps ssh from asking.
pub(super) fn ssh(folder: &Path, stop: Stop<'_>) -> GitResult<Vec<(&'static str, &'static str)>> {
    let is_set = std::env::var_os("GIT_SSH_COMMAND").is_some()
        || ask(folder, &[], &["config", "core.sshCommand"], stop)?.code == Some(0);
    Ok(if is_set { Vec::new() } else { vec![("GIT_SSH_COMMAND", "ssh -oBatchMode=yes")] })
}
