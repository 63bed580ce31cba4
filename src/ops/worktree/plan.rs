//! What making a worktree for a session comes to: which branch, where, with what. Nothing is changed.

use std::path::{Path, PathBuf};

use jiff::Timestamp;

use super::copies::{self, Copies};
use super::setup::{Consented, SUBMODULES, SetupContent, SetupRun, content_at};
use super::{PlaceError, facts_of, main_of};
use crate::domain::profile::Profile;
use crate::domain::repository::Repository;
use crate::domain::session::Session;
use crate::domain::slug::{slug, unique_title};
use crate::domain::worktree::{Checkout, INSIDE, Location, Site, WorktreeEntry};
use crate::ops::create::text_of;
use crate::ops::{Cx, OpResult, repository};
use crate::ports::git::{CommitFacts, GitError, RepositoryFacts};
use crate::ports::transact;

/// What its user asks for.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct WorktreeWish {
    /// The branch; empty to take the name from the session's title.
    pub branch: String,
    /// What a new branch begins at, and ends in: a branch or a commit.
    pub base: Option<String>,
    /// The folder, absolute.
    pub at: Option<PathBuf>,
    /// Check out the commit that `branch` names, and no branch.
    pub detach: bool,
    /// Use the worktree that has the branch already.
    pub reuse: bool,
    /// Fetch first.
    pub fetch: bool,
    /// Copy the files that git ignores and `.worktreeinclude` names.
    pub copies: bool,
    /// Run the setup.
    pub setup: bool,
    /// What its user allowed.
    pub consent: Option<Consented>,
}

impl WorktreeWish {
    /// A worktree for this branch, with all that is usual.
    pub fn of(branch: &str) -> Self {
        Self {
            branch: branch.to_owned(),
            base: None,
            at: None,
            detach: false,
            reuse: false,
            fetch: false,
            copies: true,
            setup: true,
            consent: None,
        }
    }
}

/// How a session comes to its worktree.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum How {
    /// It is made.
    Make(Checkout),
    /// There is one with this branch.
    Reuse,
    /// It was begun for this session, by a deck that was ended in the middle.
    Continue(Box<Session>),
}

/// What it comes to.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct WorktreePlan {
    pub facts: RepositoryFacts,
    /// The record of the repository, maybe one that is yet to be written.
    pub repository: Repository,
    pub main: WorktreeEntry,
    /// The top of the worktree.
    pub path: PathBuf,
    /// The folder of the session in it, from its top.
    pub subfolder: PathBuf,
    pub how: How,
    /// The branch; none for a commit by itself.
    pub branch: Option<String>,
    /// The branch that it is to end in.
    pub base: Option<String>,
    /// The commit that it begins at.
    pub commit: Option<CommitFacts>,
    /// When anything was last fetched.
    pub fetched_at: Option<Timestamp>,
    pub content: SetupContent,
    pub copies: Copies,
}

/// A title for a session on this branch, distinct from existing ones.
pub fn branch_title(profile: &Profile, branch: &str) -> String {
    let taken: Vec<&str> = profile.live_sessions().map(|s| s.title.as_str()).collect();
    unique_title(branch, &taken)
}

/// Records the repository of a plan, if that is new.
///
/// # Errors
/// [`crate::ops::OpError`] when the profile can't be written.
pub(in crate::ops) fn register(cx: &Cx, plan: &WorktreePlan) -> OpResult<()> {
    if !plan.repository.id.is_empty() {
        return Ok(());
    }
    let (id, now) = (cx.clock.new_session_id().to_string(), cx.clock.now());
    transact(&*cx.profile.store, |profile| {
        repository::register(profile, &plan.facts, &plan.main.path, &id, now).map(drop)
    })
}

impl WorktreePlan {
    /// A title for the session: the branch, or the repository and the commit.
    pub(in crate::ops) fn title(&self, profile: &Profile) -> String {
        let commit = self.commit.as_ref().and_then(|commit| commit.id.get(..8)).unwrap_or_default();
        branch_title(
            profile,
            &self.branch.clone().unwrap_or_else(|| format!("{} {commit}", self.repository.name)),
        )
    }

    /// What will run in the session's pane before its agent; none if nothing will.
    pub(in crate::ops) fn setup_run(&self, cx: &Cx) -> Option<SetupRun> {
        let is_made = matches!(self.how, How::Make(_));
        let mut commands = Vec::new();
        let has_modules = || {
            let commit = self.commit.as_ref().map(|c| c.id.clone()).unwrap_or_default();
            let modules = cx.git.file(&self.facts.common_dir, &commit, ".gitmodules", usize::MAX, &cx.stop());
            modules.is_ok_and(|file| file.is_some())
        };
        if is_made && cx.installation.submodules && has_modules() {
            commands.push(SUBMODULES.to_owned());
        }
        commands.extend(self.content.part.setup.clone().unwrap_or_default());
        let dir = self.path.to_string_lossy().into_owned();
        Some(SetupRun { dir, commands }).filter(|run| is_made && !run.commands.is_empty())
    }
}

/// What making a worktree from a folder of a repository comes to.
///
/// # Errors
/// [`crate::ops::OpError`] when it can't be made.
pub fn plan(cx: &Cx, folder: &Path, wish: &WorktreeWish, title: Option<&str>) -> OpResult<WorktreePlan> {
    let facts = facts_of(cx, folder)?;
    let common = facts.common_dir.clone();
    if wish.fetch {
        cx.git.fetch(&common, &cx.stop())?;
    }
    let main = main_of(cx, &facts)?;
    let profile = cx.profile.store.load()?.profile;
    let known = profile.repositories.iter().find(|r| Path::new(&r.common_dir) == common).cloned();
    let repository = match known {
        Some(known) => known,
        // As it will be registered.
        None => repository::register(&mut profile.clone(), &facts, &main.path, "", cx.clock.now())?,
    };
    let name = name(wish, title)?;
    let mut plan = WorktreePlan {
        path: PathBuf::new(),
        subfolder: subfolder(cx, &facts, folder),
        how: How::Reuse,
        branch: None,
        base: repository.base.clone(),
        commit: None,
        fetched_at: cx.git.fetched_at(&common),
        content: SetupContent::default(),
        copies: Copies::default(),
        facts,
        repository,
        main,
    };
    choose(cx, &mut plan, wish, &name, &profile)?;
    if let How::Make(checkout) = &plan.how {
        let checkout = checkout.clone();
        plan.path = place_for(cx, &plan, wish, &name)?;
        let commit = cx.git.commit(&common, checkout.commit(), &cx.stop())?;
        if wish.setup {
            plan.content = content_at(cx, &plan.repository, &commit.id)?;
        }
        if wish.copies && !plan.main.is_bare {
            plan.copies = copies::plan(cx, &plan.main.path)?;
        }
        plan.commit = Some(commit);
    }
    Ok(plan)
}

/// The name of the branch, or of the commit.
fn name(wish: &WorktreeWish, title: Option<&str>) -> OpResult<String> {
    if !wish.branch.is_empty() {
        return Ok(wish.branch.clone());
    }
    let title = title.map(|title| slug(title, "")).filter(|slug| !slug.is_empty());
    Ok(title.ok_or(PlaceError::NoBranch)?)
}

/// The folder that is asked from, below the top of its worktree.
fn subfolder(cx: &Cx, facts: &RepositoryFacts, folder: &Path) -> PathBuf {
    let real = |path: &Path| cx.host.real_path(path).unwrap_or_else(|| path.to_owned());
    let top = facts.top.as_deref().map(real);
    top.and_then(|top| real(folder).strip_prefix(top).map(Path::to_owned).ok()).unwrap_or_default()
}

/// Which branch, and whether a worktree has to be made for it.
fn choose(
    cx: &Cx,
    plan: &mut WorktreePlan,
    wish: &WorktreeWish,
    name: &str,
    profile: &Profile,
) -> OpResult<()> {
    let common = plan.facts.common_dir.clone();
    if wish.detach {
        let commit = cx.git.commit(&common, name, &cx.stop())?;
        plan.how = How::Make(Checkout::Detached(commit.id));
        plan.base = None;
        return Ok(());
    }
    let found = cx.git.branch(&common, name, &cx.stop())?;
    plan.branch = Some(name.to_owned());
    let entries = cx.git.worktrees(&common, &cx.stop())?;
    let begun = |s: &&Session| {
        s.launched_at.is_none()
            && s.place.as_ref().is_some_and(|p| {
                p.repository_id == plan.repository.id && p.made && p.branch.as_deref() == Some(name)
            })
    };
    let begun = profile.live_sessions().find(begun).cloned();
    if let Some(session) = begun {
        plan.path = session.place.as_ref().map(|p| PathBuf::from(&p.worktree)).unwrap_or_default();
        plan.how = How::Continue(Box::new(session));
        return Ok(());
    }
    let there = entries.iter().find(|e| e.branch.as_deref() == Some(name));
    if let Some(entry) = there {
        let path = cx.host.real_path(&entry.path).filter(|_| wish.reuse);
        plan.path = path.ok_or_else(|| PlaceError::CheckedOut {
            branch: name.to_owned(),
            path: entry.path.clone(),
            is_gone: cx.host.real_path(&entry.path).is_none(),
        })?;
        plan.how = How::Reuse;
        return Ok(());
    }
    let base = match wish.base.clone().or_else(|| plan.repository.base.clone()) {
        Some(base) => Ok(base),
        None => cx.git.default_branch(&common, &cx.stop()),
    };
    let tracked = |remote: &String| wish.base.as_deref() == Some(&format!("{remote}/{name}"));
    let checkout = if found.is_local {
        Checkout::Branch(name.to_owned())
    } else if let Some(remote) = found.remotes.iter().find(|r| tracked(r)) {
        Checkout::Track { branch: name.to_owned(), remote_branch: format!("{remote}/{name}") }
    } else {
        match (&found.remotes[..], &wish.base) {
            ([remote], None) => {
                Checkout::Track { branch: name.to_owned(), remote_branch: format!("{remote}/{name}") }
            }
            ([_, _, ..], None) => {
                let all = found.remotes.iter().map(|r| format!("{r}/{name}")).collect();
                return Err(PlaceError::SeveralRemotes { branch: name.to_owned(), found: all }.into());
            }
            _ => {
                let base = base.as_ref().map_err(|error| no_base(error, &plan.main.path))?;
                let commit = first_commit(cx, &common, base)?;
                Checkout::New { branch: name.to_owned(), commit: commit.id }
            }
        }
    };
    // What it is to end in: of a branch of its own remote that is no other one.
    plan.base = base.ok().filter(|base| base != name && !base.ends_with(&format!("/{name}")));
    plan.how = How::Make(checkout);
    Ok(())
}

/// Why there is nothing that a branch could begin at.
fn no_base(error: &GitError, main: &Path) -> GitError {
    match error {
        GitError::Stopped => GitError::Stopped,
        GitError::Failed(words) => GitError::Failed(words.clone()),
        _ => GitError::NoCommitYet(main.to_owned()),
    }
}

/// The commit that a base means: its own, or that of the same branch of `origin`.
fn first_commit(cx: &Cx, common: &Path, base: &str) -> OpResult<CommitFacts> {
    match cx.git.commit(common, base, &cx.stop()) {
        Err(GitError::NoCommit(_)) => {}
        other => return Ok(other?),
    }
    let remote = cx.git.commit(common, &format!("origin/{base}"), &cx.stop());
    match remote {
        Err(GitError::NoCommit(_)) if cx.git.commit(common, "HEAD", &cx.stop()).is_err() => {
            Err(GitError::NoCommitYet(common.to_owned()).into())
        }
        Err(GitError::NoCommit(_)) => Err(GitError::NoCommit(base.to_owned()).into()),
        other => Ok(other?),
    }
}

/// Where the worktree is made.
fn place_for(cx: &Cx, plan: &WorktreePlan, wish: &WorktreeWish, name: &str) -> OpResult<PathBuf> {
    let main = cx.host.real_path(&plan.main.path).unwrap_or_else(|| plan.main.path.clone());
    if let Some(at) = &wish.at {
        let at = real_of_new(cx, at);
        check_folder(cx, &main, &at, false)?;
        return Ok(at);
    }
    let setting = plan.repository.location.as_deref().unwrap_or(&cx.installation.location);
    let location =
        Location::parse(setting).map_err(|why| PlaceError::BadValue { key: "location".to_owned(), why })?;
    let home = cx.caller.var("HOME").unwrap_or("/");
    let short = name.get(..8).filter(|_| wish.detach).unwrap_or(name);
    let wanted = slug(short, "worktree");
    for n in 1..100 {
        let slug = if n == 1 { wanted.clone() } else { format!("{wanted}-{n}") };
        let site = Site { main: &main, is_bare: plan.main.is_bare, slug: &slug, home };
        let path = real_of_new(cx, &location.path(site));
        match check_folder(cx, &main, &path, location == Location::Inside) {
            Err(PlaceError::FolderTaken(_)) => {}
            other => return other.map(|()| path).map_err(Into::into),
        }
    }
    Err(PlaceError::FolderTaken(main.join(&wanted)).into())
}

/// A path without links, as far as it is there.
fn real_of_new(cx: &Cx, path: &Path) -> PathBuf {
    let there = path.ancestors().find_map(|above| Some((above, cx.host.real_path(above)?)));
    match there {
        Some((above, real)) => path.strip_prefix(above).map_or(real.clone(), |rest| {
            if rest.as_os_str().is_empty() { real.clone() } else { real.join(rest) }
        }),
        None => path.to_owned(),
    }
}

/// Refuses a folder that a worktree can't be made in.
fn check_folder(cx: &Cx, main: &Path, path: &Path, is_inside: bool) -> Result<(), PlaceError> {
    if text_of(path).is_err() || path.to_str().is_none_or(|p| p.contains(['\n', '\0'])) {
        return Err(PlaceError::BadFolder(path.to_owned()));
    }
    if cx.folders.kind(path).is_some() && !cx.folders.is_empty(path) {
        return Err(PlaceError::FolderTaken(path.to_owned()));
    }
    if is_inside && path.starts_with(main.join(INSIDE)) {
        return Ok(());
    }
    // In a worktree it would be a folder that git doesn't know; in one that holds the repository as well that is as it was.
    let above = path.ancestors().skip(1).find(|above| cx.host.is_dir(above));
    let around = above.and_then(|above| above.ancestors().find(|top| cx.host.exists(&top.join(".git"))));
    match around {
        Some(top) if !main.starts_with(top) || main == top => {
            Err(PlaceError::InWorktree { path: path.to_owned(), top: top.to_owned() })
        }
        _ => Ok(()),
    }
}
