//! Making the worktree of a session: the intent is on disk before git is asked, and each step can be repeated.

use std::fs::File;
use std::path::{Path, PathBuf};
use std::time::Duration;

use sha2::{Digest, Sha256};

use super::copies::{self, Copies};
use super::setup::{Consented, SetupContent, check_consent, content_in, repository_of};
use super::{How, PlaceError, WorktreePlan, WorktreeWish};
use crate::domain::place::{Pending, Place, SetupState};
use crate::domain::profile::Profile;
use crate::domain::repository::Repository;
use crate::domain::session::Session;
use crate::domain::worktree::{Checkout, INSIDE};
use crate::ops::create::text_of;
use crate::ops::{Cx, OpError, OpResult, repository};

/// How long another deck that works on the same repository is waited for.
const LIMIT: Duration = Duration::from_secs(20);

/// Runs something while no other deck makes or removes a worktree of this repository.
///
/// # Errors
/// [`PlaceError::Busy`], and whatever it fails with.
pub(in crate::ops) fn locked<T>(
    cx: &Cx,
    common_dir: &Path,
    act: impl FnOnce(&File) -> OpResult<T>,
) -> OpResult<T> {
    let digest = Sha256::digest(common_dir.as_os_str().as_encoded_bytes());
    let name: String = digest.iter().take(8).map(|b| format!("{b:02x}")).collect();
    let path = cx.installation.run.join(format!("worktree-{name}.lock"));
    let busy = |why: String| PlaceError::Busy { repository: common_dir.to_owned(), why };
    let held = cx.host.hold(&path, LIMIT, &cx.cancel).map_err(|error| busy(error.to_string()))?;
    let Some(held) = held else {
        cx.check_cancelled()?;
        return Err(busy(format!("another deck works on it for over {} seconds", LIMIT.as_secs())).into());
    };
    let result = act(&held);
    cx.host.release(&path, held);
    result
}

/// Puts the place that a plan comes to into the record of a new session, and registers its repository.
///
/// # Errors
/// [`OpError`] for paths that can't be recorded.
pub(in crate::ops) fn put_place(
    cx: &Cx,
    profile: &mut Profile,
    session: &mut Session,
    plan: &WorktreePlan,
    wish: &WorktreeWish,
) -> OpResult<()> {
    let id = session.id.to_string();
    let now = cx.clock.now();
    let repository = repository::register(profile, &plan.facts, &plan.main.path, &id, now)?;
    let sha256 = plan.content.sha256();
    let allowed = wish.consent.as_ref().filter(|given| given.sha256 == sha256);
    if let (Some(Consented { always: true, .. }), Some(record)) =
        (allowed, profile.repositories.iter_mut().find(|r| r.id == repository.id))
    {
        record.allow(&sha256, now);
    }
    let is_made = matches!(plan.how, How::Make(_));
    let is_there = |s: &Session| s.place.as_ref().is_some_and(|p| Path::new(&p.worktree) == plan.path);
    if is_made && profile.live_sessions().any(is_there) {
        // Another deck was faster by a moment.
        let branch = plan.branch.clone().unwrap_or_default();
        return Err(PlaceError::CheckedOut { branch, path: plan.path.clone(), is_gone: false }.into());
    }
    let pending = match &plan.how {
        How::Make(checkout) => {
            Some(Pending { checkout: checkout.clone(), is_made: false, copies: wish.copies })
        }
        How::Reuse | How::Continue(_) => None,
    };
    let worktree = text_of(&plan.path)?;
    let folder = if plan.subfolder.as_os_str().is_empty() {
        plan.path.clone()
    } else {
        plan.path.join(&plan.subfolder)
    };
    session.project_path = text_of(&folder)?;
    let shared = profile
        .live_sessions()
        .filter_map(|s| s.place.as_ref())
        .find(|p| p.worktree == worktree)
        .map(|p| p.slot);
    // Its variables are what its user allowed: whatever becomes of the file later.
    for (name, value) in plan.content.part.env.clone().unwrap_or_default() {
        session.env.entry(name).or_insert(value);
    }
    session.place = Some(Place {
        repository_id: repository.id,
        slot: shared.unwrap_or_else(|| free_slot(profile)),
        worktree,
        branch: plan.branch.clone(),
        base: plan.base.clone(),
        made: is_made,
        pending,
        setup: match (wish.setup, is_made) {
            (true, true) => SetupState::Wanted,
            (false, true) => SetupState::Skipped,
            _ => SetupState::None,
        },
        consent: allowed.filter(|given| !given.always).map(|given| given.sha256.clone()),
        ..Place::default()
    });
    Ok(())
}

/// The first slot that no other worktree has.
fn free_slot(profile: &Profile) -> u32 {
    let taken: Vec<u32> = profile.live_sessions().filter_map(|s| s.place.as_ref()).map(|p| p.slot).collect();
    (0..).find(|slot| !taken.contains(slot)).unwrap_or_default()
}

/// Makes the worktree of a session, as far as it is not made yet. Returns the session's record.
///
/// # Errors
/// [`OpError`]; what is done is done, and the rest can be repeated.
pub(in crate::ops) fn complete(cx: &Cx, session: &Session) -> OpResult<Session> {
    let Some(place) = session.place.as_ref().filter(|p| p.pending.is_some()) else {
        return Ok(session.clone());
    };
    let profile = cx.profile.store.load()?.profile;
    let repository = repository_of(&profile, place).cloned();
    let repository = repository
        .ok_or_else(|| PlaceError::NoSuchRepository { name: place.repository_id.clone(), near: None })?;
    locked(cx, Path::new(&repository.common_dir), |held| {
        // Another deck may have been faster.
        let session = cx.session(&session.id)?;
        let Some(place) = session.place.clone() else { return Ok(session) };
        let Some(pending) = place.pending.clone() else { return Ok(session) };
        if !pending.is_made {
            make(cx, &repository, Path::new(&place.worktree), &pending.checkout, held)?;
            cx.host.reached("made");
            change(cx, &session, |place| {
                if let Some(pending) = &mut place.pending {
                    pending.is_made = true;
                }
            })?;
        }
        cx.host.reached("marked");
        give(cx, &session, &repository, &place, &pending)?;
        cx.host.reached("given");
        finish(cx, &session, &repository)
    })
}

/// Has git make it, unless it has.
pub(super) fn make(
    cx: &Cx,
    repository: &Repository,
    path: &Path,
    checkout: &Checkout,
    held: &File,
) -> OpResult<()> {
    let common = Path::new(&repository.common_dir);
    let entries = cx.git.worktrees(common, &cx.stop())?;
    let is_here = |entry: &&crate::domain::worktree::WorktreeEntry| {
        entry.path == path || cx.host.real_path(&entry.path).as_deref() == Some(path)
    };
    if path.starts_with(Path::new(&repository.path).join(INSIDE)) {
        let exclude = common.join("info/exclude");
        let failed = |e: std::io::Error| PlaceError::NotCopied { path: exclude.clone(), why: e.to_string() };
        cx.folders.add_line(&exclude, &format!("/{INSIDE}/")).map_err(failed)?;
    }
    match entries.iter().find(is_here) {
        // Whoever made it holds the lock as long as git works: it was ended in the middle.
        Some(entry) if entry.is_being_made() => Ok(cx.git.complete_worktree(path, Some(held), &cx.stop())?),
        Some(_) => Ok(()),
        None => {
            // The branch may have been made before git was ended.
            let has = |branch: &str| Ok::<_, OpError>(cx.git.branch(common, branch, &cx.stop())?.is_local);
            let checkout = match checkout.branch() {
                Some(branch) if has(branch)? => Checkout::Branch(branch.to_owned()),
                _ => checkout.clone(),
            };
            Ok(cx.git.add_worktree(common, path, &checkout, Some(held), &cx.stop())?)
        }
    }
}

/// Copies and links what belongs into it.
fn give(
    cx: &Cx,
    session: &Session,
    repository: &Repository,
    place: &Place,
    pending: &Pending,
) -> OpResult<()> {
    let (main, top) = (Path::new(&repository.path), Path::new(&place.worktree));
    let common = Path::new(&repository.common_dir);
    let is_bare = main == common;
    let copies = if pending.copies && !is_bare { copies::plan(cx, main)? } else { Copies::default() };
    let content = match place.setup {
        SetupState::Skipped => SetupContent::default(),
        _ => content_in(cx, repository, top)?,
    };
    let links = content.part.link.clone().filter(|_| !is_bare).unwrap_or_default();
    if !links.is_empty() {
        // The file may be another one than that which was allowed when this was begun.
        check_consent(cx, repository, &content, None, place.consent.as_deref())?;
    }
    copies::give(cx, Some(&session.id), (main, common), top, &copies, &links)
}

/// Notes that it is made, and whether there is a setup to run.
fn finish(cx: &Cx, session: &Session, repository: &Repository) -> OpResult<Session> {
    let place = session.place.clone().unwrap_or_default();
    let top = PathBuf::from(&place.worktree);
    let content = match place.setup {
        SetupState::Skipped => SetupContent::default(),
        _ => content_in(cx, repository, &top)?,
    };
    let has_modules = cx.installation.submodules && cx.host.exists(&top.join(".gitmodules"));
    let has_setup = has_modules || content.part.setup.is_some_and(|commands| !commands.is_empty());
    // The branch may not have the folder that was asked from.
    let is_folder = cx.host.is_dir(Path::new(&session.project_path));
    let device = top.parent().and_then(|above| cx.folders.device(above));
    change(cx, session, |place| {
        place.pending = None;
        place.device = device;
        if place.setup == SetupState::Wanted && !has_setup {
            place.setup = SetupState::None;
        }
    })?;
    if is_folder {
        return cx.session(&session.id);
    }
    cx.change_session(&session.id, |s| s.project_path.clone_from(&place.worktree))
}

fn change(cx: &Cx, session: &Session, act: impl Fn(&mut Place)) -> OpResult<Session> {
    cx.change_session(&session.id, |s| s.place.iter_mut().for_each(&act))
}
