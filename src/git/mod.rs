//! git: the program, as the use cases see it.
//!
//! Invariants: reading writes nothing into a repository, and no program that a repository names for watching or showing
//! files is run for it; what its user asked deck to
//! change is run as they would run it themselves; nothing is asked of a user; every answer has a limit in time and size.

mod base;
mod branches;
mod finishing;
mod new_files;
mod overview;
mod removal;
mod repository;
mod run;
mod stamp;
#[cfg(test)]
mod tests;
mod worktrees;

use std::collections::HashMap;
use std::fs::File;
use std::path::{Path, PathBuf};

use jiff::Timestamp;

use self::run::{Repository, ask};
use crate::domain::diff::{Against, Change, Content, Diff, FileDiff, parse_files, parse_patch};
use crate::domain::worktree::{Checkout, WorktreeEntry, WorktreeState, parse_status};
use crate::ports::git::{
    Blob, BranchFacts, CommitFacts, GitRead, GitResult, GitWrite, KeptRef, Lines, Merge, RemovalFacts,
    RepositoryFacts, Stop,
};

/// The program `git`.
#[derive(Debug, Clone, Copy, Default)]
pub struct GitProgram;

impl GitRead for GitProgram {
    fn state(&self, folder: &Path, stop: Stop<'_>) -> GitResult<WorktreeState> {
        state(&Repository::find(folder, stop)?, "normal")
    }

    fn diff(&self, folder: &Path, against: &Against, lines: &Lines, stop: Stop<'_>) -> GitResult<Diff> {
        let repository = Repository::find(folder, stop)?;
        let state = state(&repository, "all")?;
        let (base, tree) = base::find(&repository, &state, against)?;
        let mut words = vec!["diff"];
        words.extend(DIFF);
        let mut list = words.clone();
        list.extend(["--raw", "--numstat", "-z"]);
        list.extend(tree.as_deref());
        list.push("--");
        let listed = repository.run(&list)?;
        let mut files = parse_files(&listed.stdout);
        for file in &mut files {
            let is_in_conflict = state.conflicted.iter().any(|c| c.as_os_str() == file.path.as_str());
            if is_in_conflict {
                file.change = Change::Conflicted;
            }
        }
        // What was cut in the middle is no file.
        if listed.is_cut {
            files.pop();
        }
        let limits = match lines {
            Lines::Of(path) => new_files::Limits::of_one(path),
            _ => new_files::Limits::default(),
        };
        let is_cut = listed.is_cut || state.is_cut;
        files.extend(new_files::read(&repository, &state.untracked, &limits)?);
        files.sort_by(|a, b| a.path.cmp(&b.path));
        let one = match lines {
            Lines::Of(path) => files.iter().find(|f| f.path == *path).cloned(),
            _ => None,
        };
        if *lines != Lines::None && files.iter().any(|f| f.content == Content::NotRead) {
            let specs: Vec<String> =
                one.iter().flat_map(paths).map(|p| format!(":(top,literal){p}")).collect();
            let mut patch = words;
            patch.extend(["--patch", "--unified=3"]);
            patch.extend(tree.as_deref());
            patch.push("--");
            patch.extend(specs.iter().map(String::as_str));
            let printed = repository.run(&patch)?;
            fill(&mut files, parse_patch(&printed.stdout, printed.is_cut), printed.is_cut || one.is_some());
        }
        for file in &mut files {
            let is_counted = *lines == Lines::None && file.counts.is_some();
            if file.content == Content::NotRead && is_counted {
                file.content = Content::Text(Vec::new());
            }
        }
        Ok(Diff { base, state, files, is_cut })
    }

    fn ahead_behind(&self, folder: &Path, stop: Stop<'_>) -> GitResult<Option<(u32, u32)>> {
        let words = ["rev-list", "--left-right", "--count", "HEAD...@{upstream}"];
        let printed = ask(folder, &[], &words, stop)?;
        // Where there is no repository, no commit or no other branch, git fails.
        let text = String::from_utf8_lossy(&printed.stdout).into_owned();
        let mut counts = text.split_whitespace().map_while(|n| n.parse().ok());
        Ok(counts.next().zip(counts.next()).filter(|_| printed.code == Some(0)))
    }

    fn common_folder(&self, folder: &Path) -> Option<PathBuf> {
        stamp::common_folder(folder)
    }

    fn stamp(&self, folder: &Path) -> Option<u64> {
        stamp::of(folder)
    }

    fn repository(&self, folder: &Path, stop: Stop<'_>) -> GitResult<RepositoryFacts> {
        repository::of(folder, stop)
    }

    fn worktrees(&self, folder: &Path, stop: Stop<'_>) -> GitResult<Vec<WorktreeEntry>> {
        worktrees::list(folder, stop)
    }

    fn tracked(&self, folder: &Path, stop: Stop<'_>) -> GitResult<Vec<String>> {
        overview::tracked(folder, stop)
    }

    fn recent(&self, folder: &Path, most: usize, stop: Stop<'_>) -> GitResult<Vec<String>> {
        overview::recent(folder, most, stop)
    }

    fn branch(&self, folder: &Path, name: &str, stop: Stop<'_>) -> GitResult<BranchFacts> {
        branches::find(folder, name, stop)
    }

    fn commit(&self, folder: &Path, name: &str, stop: Stop<'_>) -> GitResult<CommitFacts> {
        branches::commit(folder, name, stop)
    }

    fn default_branch(&self, folder: &Path, stop: Stop<'_>) -> GitResult<String> {
        branches::default(folder, stop)
    }

    fn file(
        &self,
        folder: &Path,
        commit: &str,
        path: &str,
        most: usize,
        stop: Stop<'_>,
    ) -> GitResult<Option<Blob>> {
        branches::file(folder, commit, path, most, stop)
    }

    fn ignored_that_fit(&self, top: &Path, patterns: &Path, stop: Stop<'_>) -> GitResult<Vec<PathBuf>> {
        new_files::ignored_that_fit(top, patterns, stop)
    }

    fn removal(&self, common: &Path, path: &Path, stop: Stop<'_>) -> GitResult<RemovalFacts> {
        removal::facts(common, path, stop)
    }

    fn own_commits(&self, path: &Path, branch: Option<&str>, stop: Stop<'_>) -> GitResult<Vec<String>> {
        removal::own_commits(path, branch, stop)
    }

    fn entry_commits(&self, common: &Path, path: &Path, stop: Stop<'_>) -> GitResult<Vec<String>> {
        removal::entry_commits(common, path, stop)
    }

    fn under_way(&self, path: &Path, stop: Stop<'_>) -> GitResult<Vec<&'static str>> {
        removal::under_way_in(path, stop)
    }

    fn user_of(&self, common: &Path, branch: &str, stop: Stop<'_>) -> GitResult<Option<PathBuf>> {
        removal::user_of(common, branch, stop)
    }

    fn in_the_way(&self, worktree: &Path, branch: &str, stop: Stop<'_>) -> GitResult<Vec<PathBuf>> {
        finishing::in_the_way(worktree, branch, stop)
    }

    fn missing_in(&self, common: &Path, branch: &str, other: &str, stop: Stop<'_>) -> GitResult<u32> {
        finishing::missing_in(common, branch, other, stop)
    }

    fn adds_nothing(&self, common: &Path, branch: &str, other: &str, stop: Stop<'_>) -> GitResult<bool> {
        finishing::adds_nothing(common, branch, other, stop)
    }

    fn kept(&self, common: &Path, stop: Stop<'_>) -> GitResult<Vec<KeptRef>> {
        finishing::kept(common, stop)
    }

    fn remote_of(&self, common: &Path, branch: &str, stop: Stop<'_>) -> GitResult<Option<(String, String)>> {
        finishing::remote_of(common, branch, stop)
    }

    fn fetched_at(&self, common_dir: &Path) -> Option<Timestamp> {
        let time = common_dir.join("FETCH_HEAD").metadata().ok()?.modified().ok()?;
        Timestamp::try_from(time).ok()
    }
}

impl GitWrite for GitProgram {
    fn add_worktree(
        &self,
        folder: &Path,
        path: &Path,
        checkout: &Checkout,
        held: Option<&File>,
        stop: Stop<'_>,
    ) -> GitResult<()> {
        worktrees::add(folder, path, checkout, held, stop)
    }

    fn complete_worktree(&self, path: &Path, held: Option<&File>, stop: Stop<'_>) -> GitResult<()> {
        worktrees::complete(path, held, stop)
    }

    fn forget_worktree(&self, folder: &Path, path: &Path, stop: Stop<'_>) -> GitResult<()> {
        worktrees::forget(folder, path, stop)
    }

    fn remove_worktree(
        &self,
        common: &Path,
        path: &Path,
        with_submodules: bool,
        held: Option<&File>,
        stop: Stop<'_>,
    ) -> GitResult<()> {
        finishing::remove(common, path, with_submodules, held, stop)
    }

    fn keep(&self, common: &Path, refs: &[KeptRef], stop: Stop<'_>) -> GitResult<()> {
        finishing::keep(common, refs, stop)
    }

    fn delete_ref(&self, common: &Path, name: &str, commit: &str, stop: Stop<'_>) -> GitResult<()> {
        finishing::delete_ref(common, name, commit, stop)
    }

    fn merge(&self, target: &Path, merge: &Merge, held: Option<&File>, stop: Stop<'_>) -> GitResult<()> {
        finishing::merge(target, merge, held, stop)
    }

    fn rebase(&self, path: &Path, onto: &str, held: Option<&File>, stop: Stop<'_>) -> GitResult<()> {
        finishing::rebase(path, onto, held, stop)
    }

    fn fast_forward(&self, common: &Path, branch: &str, to: &str, stop: Stop<'_>) -> GitResult<()> {
        finishing::fast_forward(common, branch, to, stop)
    }

    fn push(&self, common: &Path, remote: &str, branch: &str, stop: Stop<'_>) -> GitResult<()> {
        finishing::push(common, remote, branch, stop)
    }

    fn fetch(&self, folder: &Path, stop: Stop<'_>) -> GitResult<()> {
        branches::fetch(folder, stop)
    }

    fn lock_worktree(&self, folder: &Path, path: &Path, reason: &str, stop: Stop<'_>) -> GitResult<()> {
        worktrees::lock(folder, path, reason, stop)
    }

    fn unlock_worktree(&self, folder: &Path, path: &Path, stop: Stop<'_>) -> GitResult<()> {
        worktrees::unlock(folder, path, stop)
    }
}

/// However the user's git is set up, this is how differences are printed for deck.
const DIFF: [&str; 8] = [
    "--no-ext-diff",
    "--no-textconv",
    "--no-color",
    "--no-relative",
    "--find-renames",
    "--submodule=short",
    "--src-prefix=a/",
    "--dst-prefix=b/",
];

fn state(repository: &Repository<'_>, untracked: &str) -> GitResult<WorktreeState> {
    let untracked = format!("--untracked-files={untracked}");
    let printed = repository.run(&["status", "--porcelain=v2", "--branch", "-z", &untracked])?;
    let mut state = parse_status(&printed.stdout);
    if printed.is_cut {
        state.untracked.pop();
    }
    Ok(WorktreeState { is_cut: printed.is_cut, ..state })
}

/// Both paths of a file.
fn paths(file: &FileDiff) -> impl Iterator<Item = &str> {
    file.old_path.as_deref().into_iter().chain([file.path.as_str()])
}

/// Gives the listed files their lines. A file that the patch doesn't hold has none, unless its end is missing.
fn fill(files: &mut [FileDiff], patch: Vec<FileDiff>, is_partial: bool) {
    let mut lines: HashMap<String, FileDiff> = patch.into_iter().map(|f| (f.path.clone(), f)).collect();
    for file in files.iter_mut().filter(|f| f.content == Content::NotRead) {
        match lines.remove(&file.path) {
            Some(read) => {
                file.content = read.content;
                file.is_cut = read.is_cut;
                file.counts = file.counts.or(read.counts).filter(|_| file.content != Content::Binary);
            }
            None if !is_partial && file.change != Change::Untracked => {
                file.content = Content::Text(Vec::new());
            }
            None => {}
        }
    }
}
