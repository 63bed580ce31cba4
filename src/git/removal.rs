//! What git knows of a worktree that is to be removed: whether it is one, what is under way, what isn't committed, what is
//! ignored, what its submodules hold.
//!
//! Invariant: what can't be read is reported as a reason not to remove it.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

use super::run::{Repository, ask, ask_for_more, failed, read};
use super::worktrees::{check_path, list};
use crate::domain::diff::path_of;
use crate::domain::worktree::{WorktreeState, parse_status};
use crate::ports::git::{GitError, GitResult, RemovalFacts, Stop};
use crate::sys::files;

/// What git leaves in a worktree's own folder while something is under way.
const UNDER_WAY: [(&str, &str); 8] = [
    ("MERGE_HEAD", "a merge"),
    ("rebase-merge", "a rebase"),
    ("rebase-apply", "a rebase"),
    ("CHERRY_PICK_HEAD", "a cherry-pick"),
    ("REVERT_HEAD", "a revert"),
    ("sequencer", "a sequence of picks"),
    ("BISECT_LOG", "a bisect"),
    ("index.lock", "another git command"),
];
/// How deep submodules may be in each other.
const DEPTH: u32 = 8;

pub(super) fn facts(common: &Path, path: &Path, stop: Stop<'_>) -> GitResult<RemovalFacts> {
    // What can't be given to git must not be found out after everything else is done.
    check_path(path)?;
    let git_dir = match linked(common, path) {
        Ok(git_dir) => git_dir,
        Err(why) => return Ok(RemovalFacts { not_linked: Some(why), ..RemovalFacts::default() }),
    };
    let repository = Repository::find(path, stop)?;
    if repository.top.canonicalize().ok() != path.canonicalize().ok() {
        let why = format!("git takes {} for its top", repository.top.display());
        return Ok(RemovalFacts { not_linked: Some(why), ..RemovalFacts::default() });
    }
    let (state, mut changed) = state(&repository)?;
    let Tracked { overlooked, repositories } = tracked(&repository, stop)?;
    let (ignored, is_cut) = ignored(&repository)?;
    let count = overlooked.len();
    changed.extend(overlooked);
    Ok(RemovalFacts {
        not_linked: None,
        under_way: under_way(&git_dir),
        is_cut: state.is_cut || is_cut,
        state,
        changed,
        overlooked: count,
        ignored,
        repositories,
        submodules: submodules(&repository, &git_dir, stop)?,
        has_modules: git_dir.join("modules").symlink_metadata().is_ok(),
    })
}

/// The own folder of a linked worktree: its `.git` file names it, and it names the `.git` file.
fn linked(common: &Path, path: &Path) -> Result<PathBuf, String> {
    let kind = path.symlink_metadata().map_err(|error| format!("it can't be read: {error}"))?;
    if kind.is_symlink() {
        return Err("a link is in its place".to_owned());
    }
    let file = path.join(".git");
    match file.symlink_metadata() {
        Ok(kind) if kind.is_dir() => return Err("it is a repository of its own".to_owned()),
        Ok(kind) if kind.is_file() => {}
        _ => return Err("it has no `.git` file".to_owned()),
    }
    let text = files::read_text(&file, 64 * 1024)
        .map_err(|error| format!("its `.git` file can't be read: {error}"))?;
    let named = text.trim_end().strip_prefix("gitdir: ").ok_or("its `.git` file names no folder")?;
    let real = |path: PathBuf| {
        path.canonicalize().map_err(|error| format!("{} can't be found: {error}", path.display()))
    };
    let git_dir = real(path.join(named))?;
    if git_dir.parent() != Some(real(common.join("worktrees"))?.as_path()) {
        return Err("its `.git` file belongs to another repository".to_owned());
    }
    let back = files::read_text(&git_dir.join("gitdir"), 64 * 1024)
        .map_err(|error| format!("the repository's entry can't be read: {error}"))?;
    if real(git_dir.join(back.trim_end()))? != real(file)? {
        return Err("the repository's entry names another folder".to_owned());
    }
    Ok(git_dir)
}

/// What is under way in a worktree, by git's own folder of it.
pub(super) fn under_way_in(path: &Path, stop: Stop<'_>) -> GitResult<Vec<&'static str>> {
    let git_dir = lines(path, &["rev-parse", "--absolute-git-dir"], stop)?;
    Ok(git_dir.first().map(|dir| under_way(Path::new(dir))).unwrap_or_default())
}

/// The worktree that uses a branch: has it checked out, rebases it, or bisects it.
pub(super) fn user_of(common: &Path, branch: &str, stop: Stop<'_>) -> GitResult<Option<PathBuf>> {
    let full = format!("refs/heads/{branch}");
    for entry in list(common, stop)?.into_iter().filter(|entry| !entry.is_bare) {
        if entry.branch.as_deref() == Some(branch) {
            return Ok(Some(entry.path));
        }
        let git_dir = optional(&entry.path, &["rev-parse", "--absolute-git-dir"], stop);
        let Some(git_dir) = git_dir.ok().and_then(|dir| dir.into_iter().next()) else { continue };
        let names = |file: &str| {
            let text = files::read_text(&Path::new(&git_dir).join(file), 64 * 1024).unwrap_or_default();
            [full.as_str(), branch].contains(&text.trim_end())
        };
        if ["rebase-merge/head-name", "rebase-apply/head-name", "BISECT_START"].iter().any(|file| names(file))
        {
            return Ok(Some(entry.path));
        }
    }
    Ok(None)
}

fn under_way(git_dir: &Path) -> Vec<&'static str> {
    let there = UNDER_WAY.iter().filter(|(name, _)| git_dir.join(name).symlink_metadata().is_ok());
    let mut words: Vec<&str> = there.map(|(_, words)| *words).collect();
    words.dedup();
    words
}

/// The state with each untracked file and what is in submodules; and the tracked files that differ.
fn state(repository: &Repository<'_>) -> GitResult<(WorktreeState, Vec<PathBuf>)> {
    let words = [
        "status",
        "--porcelain=v2",
        "--branch",
        "-z",
        "--untracked-files=all",
        "--ignore-submodules=none",
        "--no-renames",
    ];
    let printed = repository.run(&words)?;
    let mut changed = Vec::new();
    for record in printed.stdout.split(|b| *b == 0) {
        let at = match record.first() {
            Some(b'1') => 8,
            Some(b'u') => 10,
            _ => continue,
        };
        changed.extend(record.splitn(at + 1, |b| *b == b' ').nth(at).map(path_of));
    }
    Ok((WorktreeState { is_cut: printed.is_cut, ..parse_status(&printed.stdout) }, changed))
}

/// What the names of tracked files tell.
struct Tracked {
    /// Files whose changes git was told to overlook, and that are there.
    overlooked: Vec<PathBuf>,
    /// Folders with tracked files that are repositories of their own as well: git doesn't say so.
    repositories: Vec<PathBuf>,
}

fn tracked(repository: &Repository<'_>, stop: Stop<'_>) -> GitResult<Tracked> {
    let printed = ask_for_more(&repository.top, &["ls-files", "-v", "-z"], stop)?;
    if printed.code != Some(0) || printed.is_cut {
        return Err(failed(&printed));
    }
    let is_overlooked = |tag: u8| tag.is_ascii_lowercase() || tag == b'S';
    let is_there = |name: &PathBuf| repository.top.join(name).symlink_metadata().is_ok();
    let (mut overlooked, mut folders) = (Vec::new(), BTreeSet::new());
    for record in printed.stdout.split(|b| *b == 0) {
        let [tag, b' ', name @ ..] = record else { continue };
        let name = path_of(name);
        let mut above = name.parent();
        while let Some(folder) = above.filter(|folder| !folder.as_os_str().is_empty()) {
            if !folders.insert(folder.to_owned()) {
                break;
            }
            above = folder.parent();
        }
        if is_overlooked(*tag) && is_there(&name) {
            overlooked.push(name);
        }
    }
    let repositories = folders.into_iter().filter(|folder| is_there(&folder.join(".git"))).collect();
    Ok(Tracked { overlooked, repositories })
}

fn ignored(repository: &Repository<'_>) -> GitResult<(Vec<PathBuf>, bool)> {
    let words = ["ls-files", "-z", "--others", "--ignored", "--exclude-standard", "--directory"];
    let printed = repository.run(&words)?;
    let names = printed.stdout.split(|b| *b == 0).filter(|name| !name.is_empty());
    Ok((names.map(path_of).collect(), printed.is_cut))
}

/// The submodules that are checked out, and those whose commits are kept in the worktree's own folder, each with the reason
/// why it can't go.
fn submodules(
    repository: &Repository<'_>,
    git_dir: &Path,
    stop: Stop<'_>,
) -> GitResult<Vec<(PathBuf, Option<String>)>> {
    let mut all = Vec::new();
    for path in populated(&repository.top, stop)? {
        let why = of_one(&repository.top.join(&path), DEPTH, stop)?;
        all.push((path, why));
    }
    for kept in kept_repositories(&git_dir.join("modules"), DEPTH) {
        let name = kept.strip_prefix(git_dir.join("modules")).unwrap_or(&kept).to_owned();
        let words =
            [&format!("--git-dir={}", kept.display()), "rev-list", "--all", "--reflog", "--max-count=1"];
        let words = [&words[..], &["--not", "--remotes"]].concat();
        let printed = ask(&kept, &[], &words, stop)?;
        let why = match (printed.code, printed.stdout.is_empty()) {
            (Some(0), true) => None,
            (Some(0), false) => Some("has commits that no remote branch has".to_owned()),
            _ => Some(format!("can't be read: {}", failed(&printed))),
        };
        match all.iter_mut().find(|(path, _)| *path == name) {
            Some((_, known)) => *known = known.take().or(why),
            None => all.push((name, why)),
        }
    }
    Ok(all)
}

/// The submodules of a worktree that are checked out.
fn populated(top: &Path, stop: Stop<'_>) -> GitResult<Vec<PathBuf>> {
    let printed = ask_for_more(top, &["ls-files", "--stage", "-z"], stop)?;
    if printed.code != Some(0) || printed.is_cut {
        return Err(failed(&printed));
    }
    let links = printed.stdout.split(|b| *b == 0).filter(|record| record.starts_with(b"160000 "));
    let path = |record: &[u8]| record.split(|b| *b == b'\t').nth(1).map(path_of);
    Ok(links.filter_map(path).filter(|path| top.join(path).join(".git").symlink_metadata().is_ok()).collect())
}

/// Why a submodule that is checked out can't go; none if all of it is elsewhere.
fn of_one(top: &Path, depth: u32, stop: Stop<'_>) -> GitResult<Option<String>> {
    if depth == 0 {
        return Ok(Some("has too many submodules in each other".to_owned()));
    }
    let repository = match Repository::find(top, stop) {
        Err(error @ (GitError::Stopped | GitError::NotInstalled)) => return Err(error),
        Err(error) => return Ok(Some(format!("can't be read: {error}"))),
        Ok(repository) => repository,
    };
    let (state, _) = state(&repository)?;
    let tracked = tracked(&repository, stop)?;
    if !state.is_clean() || state.is_cut || !tracked.overlooked.is_empty() {
        return Ok(Some("has uncommitted files".to_owned()));
    }
    if !tracked.repositories.is_empty() {
        return Ok(Some("has a repository of its own in it".to_owned()));
    }
    if !ignored(&repository)?.0.is_empty() {
        return Ok(Some("has files that git ignores".to_owned()));
    }
    // A commit that was checked out by itself and left is in the record of commits alone.
    let words = ["rev-list", "HEAD", "--all", "--reflog", "--max-count=1", "--not", "--remotes"];
    let printed = repository.run(&words)?;
    if !printed.stdout.is_empty() {
        return Ok(Some("has commits that no remote branch has".to_owned()));
    }
    for inner in populated(&repository.top, stop)? {
        if let Some(why) = of_one(&repository.top.join(&inner), depth - 1, stop)? {
            return Ok(Some(format!("has the submodule {}, which {why}", inner.display())));
        }
    }
    Ok(None)
}

/// The repositories below a folder, also those inside of others.
fn kept_repositories(folder: &Path, depth: u32) -> Vec<PathBuf> {
    let mut found = Vec::new();
    let Ok(entries) = std::fs::read_dir(folder) else { return found };
    for entry in entries.flatten().filter(|entry| entry.file_type().is_ok_and(|kind| kind.is_dir())) {
        let path = entry.path();
        if path.join("HEAD").is_file() && path.join("objects").is_dir() {
            if depth > 0 {
                found.extend(kept_repositories(&path.join("modules"), depth - 1));
            }
            found.push(path);
        } else if depth > 0 {
            // Names of submodules may hold slashes.
            found.extend(kept_repositories(&path, depth - 1));
        }
    }
    found
}

/// The commits that only this worktree leads to, the one that is checked out first; and those that only the record of its
/// branch leads to, which goes with the branch.
pub(super) fn own_commits(path: &Path, branch: Option<&str>, stop: Stop<'_>) -> GitResult<Vec<String>> {
    let lines = |words: &[&str]| lines(path, words, stop);
    let words = ["rev-parse", "--verify", "--quiet", "HEAD^{commit}"];
    // A branch without any commit has nothing to keep.
    let Some(head) = optional(path, &words, stop)?.into_iter().next() else { return Ok(Vec::new()) };
    let mut known = lines(&["rev-list", "--walk-reflogs", "HEAD"])?;
    if let Some(branch) = branch {
        known.extend(optional(path, &["rev-list", "--walk-reflogs", &format!("refs/heads/{branch}")], stop)?);
    }
    known.extend(lines(&[
        "for-each-ref",
        "--format=%(objectname)",
        "refs/worktree",
        "refs/bisect",
        "refs/rewritten",
    ])?);
    known.extend(optional(path, &["rev-parse", "--verify", "--quiet", "ORIG_HEAD^{commit}"], stop)?);
    tips(path, head, known, stop)
}

/// The commits that only git's entry of a worktree leads to, whose folder is gone: as for [`own_commits`].
pub(super) fn entry_commits(common: &Path, path: &Path, stop: Stop<'_>) -> GitResult<Vec<String>> {
    let entries =
        std::fs::read_dir(common.join("worktrees")).map(|all| all.flatten().map(|e| e.path()).collect());
    let entries: Vec<PathBuf> = entries.unwrap_or_default();
    let names = |entry: &&PathBuf| {
        let text = files::read_text(&entry.join("gitdir"), 64 * 1024).unwrap_or_default();
        entry.join(text.trim_end()) == path.join(".git")
    };
    let Some(entry) = entries.iter().find(names) else { return Ok(Vec::new()) };
    if let Some(kept) = kept_repositories(&entry.join("modules"), DEPTH).first() {
        return Err(GitError::Failed(format!(
            "the commits of a submodule are kept with it, in {}",
            kept.display()
        )));
    }
    let name = entry.file_name().map(|name| name.to_string_lossy().into_owned()).unwrap_or_default();
    let of = |what: &str| format!("worktrees/{name}/{what}");
    let words = ["rev-parse", "--verify", "--quiet", &format!("{}^{{commit}}", of("HEAD"))];
    let Some(head) = optional(common, &words, stop)?.into_iter().next() else { return Ok(Vec::new()) };
    let mut known = optional(common, &["rev-list", "--walk-reflogs", &of("HEAD")], stop)?;
    let words = ["rev-parse", "--verify", "--quiet", &format!("{}^{{commit}}", of("ORIG_HEAD"))];
    known.extend(optional(common, &words, stop)?);
    tips(common, head, known, stop)
}

fn lines(folder: &Path, words: &[&str], stop: Stop<'_>) -> GitResult<Vec<String>> {
    let printed = read(folder, words, stop)?;
    Ok(String::from_utf8_lossy(&printed.stdout).lines().map(str::to_owned).collect())
}

/// The same of what may not be there.
fn optional(folder: &Path, words: &[&str], stop: Stop<'_>) -> GitResult<Vec<String>> {
    let printed = ask(folder, &[], words, stop)?;
    let text = String::from_utf8_lossy(&printed.stdout).into_owned();
    Ok(if printed.code == Some(0) { text.lines().map(str::to_owned).collect() } else { Vec::new() })
}

/// Of these commits the first, and those that no branch, tag or remote branch has, as far as no other of them leads there.
fn tips(folder: &Path, head: String, mut known: Vec<String>, stop: Stop<'_>) -> GitResult<Vec<String>> {
    let lines = |words: &[&str]| lines(folder, words, stop);
    known.push(head.clone());
    known.sort();
    known.dedup();
    let mut all = vec![head.clone()];
    // As many as fit on a command line.
    for some in known.chunks(1000) {
        let mut words = vec!["rev-list"];
        words.extend(some.iter().map(String::as_str));
        words.extend(["--not", "--branches", "--tags", "--remotes"]);
        let alone = lines(&words)?;
        let tips: Vec<&str> =
            some.iter().map(String::as_str).filter(|id| alone.iter().any(|a| a == id)).collect();
        if tips.is_empty() {
            continue;
        }
        // One that another one leads to needs no ref of its own.
        let mut words = vec!["merge-base", "--independent"];
        words.extend(&tips);
        all.extend(lines(&words)?);
    }
    let mut seen = std::collections::BTreeSet::new();
    all.retain(|id| seen.insert(id.clone()));
    Ok(all)
}
