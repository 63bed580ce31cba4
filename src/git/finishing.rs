//! Merging, keeping and removing: what the end of a worktree takes, as its user would do it.

use std::ffi::OsStr;
use std::fs::File;
use std::path::{Path, PathBuf};

use super::branches::ssh;
use super::removal::under_way_in;
use super::run::{ask, read, write, write_with};
use super::worktrees::check_path;
use crate::domain::diff::path_of;
use crate::ports::git::{GitError, GitResult, KeptRef, Merge, MergeKind, Stop};

/// Where refs of removed worktrees are.
const KEPT: &str = "refs/deck/kept/";

pub(super) fn remove(
    common: &Path,
    path: &Path,
    with_submodules: bool,
    held: Option<&File>,
    stop: Stop<'_>,
) -> GitResult<()> {
    check_path(path)?;
    let mut all = vec![OsStr::new("worktree"), OsStr::new("remove")];
    all.extend(with_submodules.then(|| OsStr::new("--force")));
    all.extend([OsStr::new("--"), path.as_os_str()]);
    write(common, &all, held, stop).map(drop)
}

pub(super) fn keep(common: &Path, refs: &[KeptRef], stop: Stop<'_>) -> GitResult<()> {
    for kept in refs {
        write(common, &["update-ref", &kept.name, &kept.commit].map(OsStr::new), None, stop)?;
    }
    Ok(())
}

pub(super) fn delete_ref(common: &Path, name: &str, commit: &str, stop: Stop<'_>) -> GitResult<()> {
    write(common, &["update-ref", "-d", name, commit].map(OsStr::new), None, stop).map(drop)
}

pub(super) fn kept(common: &Path, stop: Stop<'_>) -> GitResult<Vec<KeptRef>> {
    let printed = read(common, &["for-each-ref", "--format=%(objectname) %(refname)", KEPT], stop)?;
    let text = String::from_utf8_lossy(&printed.stdout).into_owned();
    let one = |line: &str| {
        let (commit, name) = line.split_once(' ')?;
        Some(KeptRef { name: name.to_owned(), commit: commit.to_owned() })
    };
    Ok(text.lines().filter_map(one).collect())
}

/// The whole name of a local branch, so that a tag of that name isn't taken for it; any other name as it is.
fn full(folder: &Path, name: &str, stop: Stop<'_>) -> GitResult<String> {
    let whole = format!("refs/heads/{name}");
    let known = ask(folder, &[], &["rev-parse", "--verify", "--quiet", &whole], stop)?;
    Ok(if known.code == Some(0) { whole } else { name.to_owned() })
}

/// The name by which a merge calls a branch: the short one, unless a tag has it, too.
fn spoken(folder: &Path, name: &str, stop: Stop<'_>) -> GitResult<String> {
    let tag = ask(folder, &[], &["rev-parse", "--verify", "--quiet", &format!("refs/tags/{name}")], stop)?;
    if tag.code == Some(0) { full(folder, name, stop) } else { Ok(name.to_owned()) }
}

pub(super) fn missing_in(common: &Path, branch: &str, other: &str, stop: Stop<'_>) -> GitResult<u32> {
    let range = format!("{}..{}", full(common, other, stop)?, full(common, branch, stop)?);
    let printed = read(common, &["rev-list", "--count", "--end-of-options", &range], stop)?;
    let text = String::from_utf8_lossy(&printed.stdout).trim().to_owned();
    // Older ones repeat the option that ends the others.
    let last = text.lines().last().and_then(|line| line.parse().ok());
    last.ok_or_else(|| GitError::Failed(format!("can't count the commits of {range}")))
}

/// git before 2.38 can't merge without a worktree: then it isn't known.
pub(super) fn adds_nothing(common: &Path, branch: &str, other: &str, stop: Stop<'_>) -> GitResult<bool> {
    let (branch, other) = (full(common, branch, stop)?, full(common, other, stop)?);
    let merged = ask(common, &[], &["merge-tree", "--write-tree", &other, &branch], stop)?;
    let tree = ask(common, &[], &["rev-parse", "--verify", "--quiet", &format!("{other}^{{tree}}")], stop)?;
    Ok(merged.code == Some(0)
        && tree.code == Some(0)
        && merged.stdout.trim_ascii() == tree.stdout.trim_ascii())
}

/// Files that a branch adds and that a worktree has without git knowing them.
pub(super) fn in_the_way(worktree: &Path, branch: &str, stop: Stop<'_>) -> GitResult<Vec<PathBuf>> {
    let range = format!("HEAD...{}", full(worktree, branch, stop)?);
    let words = ["diff", "--name-only", "--no-renames", "--diff-filter=A", "-z", &range, "--"];
    let printed = read(worktree, &words, stop)?;
    if printed.is_cut {
        return Err(GitError::Failed(format!("{branch} adds too many files to look for them")));
    }
    let added = printed.stdout.split(|b| *b == 0).filter(|name| !name.is_empty()).map(path_of);
    let there: Vec<PathBuf> = added.filter(|path| worktree.join(path).symlink_metadata().is_ok()).collect();
    let mut unknown = Vec::new();
    for path in there {
        let name = format!(":(top,literal){}", path.display());
        if read(worktree, &["ls-files", "-z", "--", &name], stop)?.stdout.is_empty() {
            unknown.push(path);
        }
    }
    Ok(unknown)
}

pub(super) fn merge(target: &Path, merge: &Merge, held: Option<&File>, stop: Stop<'_>) -> GitResult<()> {
    let from = spoken(target, &merge.from, stop)?;
    let run = |words: &[&str]| {
        let words: Vec<&OsStr> = words.iter().map(OsStr::new).collect();
        write(target, &words, held, stop)
    };
    let result = match merge.kind {
        MergeKind::Merge => run(&["merge", "--quiet", "--commit", "--no-edit", &from]),
        MergeKind::FastForward => run(&["merge", "--quiet", "--ff-only", &from]),
        MergeKind::Squash => run(&["merge", "--quiet", "--ff", "--squash", &from]),
    };
    if let Err(error) = result {
        let files = conflicts(target, stop);
        let is_begun = under_way_in(target, stop)?.contains(&"a merge");
        match merge.kind {
            // A merge by squashing has nothing to abort. It was clean before.
            MergeKind::Squash if !files.is_empty() => drop(run(&["reset", "--quiet", "--merge"])?),
            // Also where a hook refused it.
            _ if is_begun => drop(run(&["merge", "--abort"])?),
            _ => {}
        }
        return Err(if files.is_empty() { error } else { GitError::Conflict(files) });
    }
    if merge.kind == MergeKind::Squash {
        let is_empty = ask(target, &[], &["diff", "--cached", "--quiet"], stop)?.code == Some(0);
        // All of it is there already.
        if !is_empty && let Err(error) = run(&["commit", "--quiet", "--no-edit"]) {
            return Err(GitError::Failed(format!(
                "{error}; what was to be committed is staged in {}",
                target.display()
            )));
        }
    }
    Ok(())
}

pub(super) fn rebase(path: &Path, onto: &str, held: Option<&File>, stop: Stop<'_>) -> GitResult<()> {
    let onto = spoken(path, onto, stop)?;
    let run = |words: &[&str]| {
        let words: Vec<&OsStr> = words.iter().map(OsStr::new).collect();
        write_with(path, &words, &[("GIT_EDITOR", "true")], held, stop)
    };
    let Err(error) = run(&["rebase", "--quiet", &onto]) else { return Ok(()) };
    let files = conflicts(path, stop);
    if under_way_in(path, stop)?.contains(&"a rebase") {
        run(&["rebase", "--abort"])?;
    }
    Err(if files.is_empty() { error } else { GitError::Conflict(files) })
}

/// The files that a merge left in conflict.
fn conflicts(top: &Path, stop: Stop<'_>) -> Vec<String> {
    let printed = read(top, &["diff", "--name-only", "--diff-filter=U", "-z"], stop);
    let bytes = printed.map(|printed| printed.stdout).unwrap_or_default();
    let names = bytes.split(|b| *b == 0).filter(|name| !name.is_empty());
    names.map(|name| crate::domain::text::clean(&String::from_utf8_lossy(name))).collect()
}

pub(super) fn fast_forward(common: &Path, branch: &str, to: &str, stop: Stop<'_>) -> GitResult<()> {
    let name = format!("refs/heads/{branch}");
    let old = read(common, &["rev-parse", "--verify", &name], stop)?;
    let old = String::from_utf8_lossy(&old.stdout).trim().to_owned();
    let to = full(common, to, stop)?;
    let is_ancestor = ask(common, &[], &["merge-base", "--is-ancestor", &old, &to], stop)?;
    if is_ancestor.code != Some(0) {
        return Err(GitError::Failed(format!(
            "{branch} has commits of its own and is checked out nowhere: check it out to merge into it"
        )));
    }
    let to = read(common, &["rev-parse", "--verify", &format!("{to}^{{commit}}")], stop)?;
    let to = String::from_utf8_lossy(&to.stdout).trim().to_owned();
    write(common, &["update-ref", &name, &to, &old].map(OsStr::new), None, stop).map(drop)
}

pub(super) fn push(common: &Path, remote: &str, branch: &str, stop: Stop<'_>) -> GitResult<()> {
    let refspec = format!("refs/heads/{branch}:refs/heads/{branch}");
    let words = ["push", "--quiet", "--set-upstream", "--", remote, &refspec].map(OsStr::new);
    write_with(common, &words, &ssh(common, stop)?, None, stop).map(drop)
}

pub(super) fn remote_of(common: &Path, branch: &str, stop: Stop<'_>) -> GitResult<Option<(String, String)>> {
    let line = |words: &[&str]| -> GitResult<Vec<String>> {
        let printed = ask(common, &[], words, stop)?;
        let text = String::from_utf8_lossy(&printed.stdout).into_owned();
        Ok(if printed.code == Some(0) { text.lines().map(str::to_owned).collect() } else { Vec::new() })
    };
    let all = line(&["remote"])?;
    let mut set = line(&["config", &format!("branch.{branch}.pushRemote")])?;
    set.extend(line(&["config", "remote.pushDefault"])?);
    set.extend(line(&["config", &format!("branch.{branch}.remote")])?);
    let only = || {
        if all.len() == 1 { all.first().cloned() } else { all.iter().find(|name| *name == "origin").cloned() }
    };
    let Some(name) = set.into_iter().find(|name| all.contains(name)).or_else(only) else { return Ok(None) };
    let url = line(&["remote", "get-url", "--push", "--", &name])?.into_iter().next().unwrap_or_default();
    Ok(Some((name, url)))
}
