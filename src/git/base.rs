//! What a worktree is compared with.

use super::run::Repository;
use crate::domain::diff::{Against, Base};
use crate::domain::worktree::WorktreeState;
use crate::ports::git::{GitError, GitResult};

/// What other branches usually come from, where `origin` doesn't say.
const USUAL: [&str; 2] = ["main", "master"];

/// The base's name, and the tree for git's command line: none for the index.
pub(super) fn find(
    repository: &Repository<'_>,
    state: &WorktreeState,
    against: &Against,
) -> GitResult<(Base, Option<String>)> {
    if *against == Against::Index {
        return Ok((Base { name: "the index".to_owned(), commit: None }, None));
    }
    if let Against::Commit(name) = against {
        return commit(repository, name).map(|c| at(name.clone(), c));
    }
    let Some(head) = state.commit.clone() else {
        // Before the first commit everything is new: it is compared with the tree that holds nothing.
        let empty = line(&repository.run(&["hash-object", "-t", "tree", "/dev/null"])?.stdout);
        return Ok((Base { name: "no commit yet".to_owned(), commit: None }, Some(empty)));
    };
    match against {
        Against::Branch => parent(repository, state),
        Against::Left(name) => {
            let other = commit(repository, name)?;
            let printed = repository.ask(&["merge-base", "HEAD", &other])?;
            // Without a common history it is compared with the other as it is.
            let left = line(&printed.stdout);
            Ok(at(name.clone(), if printed.code == Some(0) && !left.is_empty() { left } else { other }))
        }
        _ => Ok(at("HEAD".to_owned(), head)),
    }
}

fn at(name: String, commit: String) -> (Base, Option<String>) {
    (Base { name, commit: Some(commit.clone()) }, Some(commit))
}

fn line(bytes: &[u8]) -> String {
    String::from_utf8_lossy(bytes).trim_end().to_owned()
}

/// The commit that a name stands for.
fn commit(repository: &Repository<'_>, name: &str) -> GitResult<String> {
    let unknown = || GitError::NoCommit(name.to_owned());
    if name.is_empty() || name.contains(['\0', '\n']) {
        return Err(unknown());
    }
    let of = format!("{name}^{{commit}}");
    let printed = repository.ask(&["rev-parse", "--verify", "--quiet", "--end-of-options", &of])?;
    // Older ones repeat the option that ends the others.
    let found = line(&printed.stdout).lines().last().map(str::to_owned);
    found.filter(|_| printed.code == Some(0)).ok_or_else(unknown)
}

/// Where the branch left the one that it came from: its upstream, if that has another name; else the
/// repository's main branch, here or at `origin`, whichever it left later.
fn parent(repository: &Repository<'_>, state: &WorktreeState) -> GitResult<(Base, Option<String>)> {
    let upstream = state.upstream.as_ref().filter(|u| u.ahead_behind.is_some()).map(|u| u.name.as_str());
    let branch = state.branch.as_deref();
    let is_same = |name: &str| Some(name) == branch || name.split_once('/').map(|n| n.1) == branch;
    let refs = refs(repository)?;
    let has = |full: &str| refs.iter().any(|(name, _)| name == full);
    let origin = refs.iter().find(|(name, _)| name == "refs/remotes/origin/HEAD");
    let origin = origin.and_then(|(_, target)| target.strip_prefix("refs/remotes/origin/"));
    let main = origin.into_iter().chain(USUAL).find(|name| {
        Some(*name) != branch
            && (has(&format!("refs/heads/{name}")) || has(&format!("refs/remotes/origin/{name}")))
    });
    // On the main branch, what others have of it.
    let is_main = branch.is_some_and(|b| origin == Some(b) || (origin.is_none() && USUAL.contains(&b)));
    let (name, candidates) = match (upstream, main) {
        (Some(up), _) if !is_same(up) || is_main => (up.to_owned(), vec![up.to_owned()]),
        (_, Some(main)) if !is_main => {
            let both = [format!("refs/heads/{main}"), format!("refs/remotes/origin/{main}")];
            (main.to_owned(), both.into_iter().filter(|r| has(r)).collect())
        }
        (Some(up), _) => (up.to_owned(), vec![up.to_owned()]),
        _ => return Err(GitError::NoParentBranch { branch: state.branch.clone() }),
    };
    let mut words = vec!["merge-base", "HEAD"];
    words.extend(candidates.iter().map(String::as_str));
    let printed = repository.ask(&words)?;
    match line(&printed.stdout) {
        found if printed.code == Some(0) && !found.is_empty() => Ok(at(name, found)),
        _ => Err(GitError::Failed(format!("HEAD and {name} have no commit in common"))),
    }
}

/// The branches that others may have come from: names, and what the symbolic ones stand for.
fn refs(repository: &Repository<'_>) -> GitResult<Vec<(String, String)>> {
    let all = ["refs/heads/main", "refs/heads/master", "refs/remotes/origin/"];
    let mut words = vec!["for-each-ref", "--format=%(refname) %(symref)"];
    words.extend(all);
    let mut found = split(&repository.run(&words)?.stdout);
    let origin = found.iter().find(|(name, _)| name == "refs/remotes/origin/HEAD");
    let main = origin.and_then(|(_, target)| target.strip_prefix("refs/remotes/origin/"));
    // Its main branch may be here under the same name.
    if let Some(here) = main.map(|name| format!("refs/heads/{name}")) {
        found.extend(split(
            &repository.run(&["for-each-ref", "--format=%(refname) %(symref)", &here])?.stdout,
        ));
    }
    Ok(found)
}

fn split(bytes: &[u8]) -> Vec<(String, String)> {
    let text = String::from_utf8_lossy(bytes);
    let pair = |line: &str| line.split_once(' ').map(|(name, target)| (name.to_owned(), target.to_owned()));
    text.lines().filter_map(pair).collect()
}
