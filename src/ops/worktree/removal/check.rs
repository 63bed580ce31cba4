//! What keeps a worktree from being removed. All of it is found at once.

use std::path::{Path, PathBuf};

use crate::domain::id::SessionId;
use crate::domain::session::Session;
use crate::domain::worktree::{Blocker, IgnoredFile, is_expendable};
use crate::ops::panes::{PaneRole, panes, role};
use crate::ops::worktree::{Named, copies};
use crate::ops::{Cx, OpResult};
use crate::ports::git::RemovalFacts;
use crate::ports::mux::PaneRow;

/// The most ignored files that are looked at.
const MOST: usize = 2_000_000;

/// What was found.
#[derive(Debug, Clone, Default)]
pub struct Checked {
    pub blockers: Vec<Blocker>,
    /// Whether submodules go with it, each of which is elsewhere, too.
    pub has_submodules: bool,
}

/// All that keeps this worktree from being removed.
///
/// # Errors
/// [`crate::ops::OpError`] when git or a server can't be asked: then it isn't removed.
pub fn blockers(cx: &Cx, named: &Named) -> OpResult<Checked> {
    let entry = &named.listed.entry;
    let mut all = Vec::new();
    if named.listed.is_main || entry.is_bare {
        let what =
            if entry.is_bare { "it is the bare repository" } else { "it is the repository's main worktree" };
        return Ok(only(Blocker::NotLinked(what.to_owned())));
    }
    let path = &entry.path;
    if cx.host.real_path(path).as_deref() != Some(path) {
        return Ok(only(Blocker::NotLinked(format!("{} is not a folder of its own", path.display()))));
    }
    let facts = cx.git.removal(Path::new(&named.repository.common_dir), path, &cx.stop())?;
    if let Some(why) = facts.not_linked {
        return Ok(only(Blocker::NotLinked(why)));
    }
    all.extend(facts.under_way.iter().map(|what| Blocker::UnderWay(what)));
    all.extend(uncommitted(&facts));
    all.extend(entry.locked.clone().map(Blocker::Locked));
    let (files, mut repositories) = ignored(cx, named, &facts)?;
    all.extend(files);
    repositories.extend(facts.repositories.iter().cloned());
    repositories.extend(inner_worktrees(cx, named)?);
    repositories.sort();
    repositories.dedup();
    all.extend((!repositories.is_empty()).then_some(Blocker::Repositories(repositories)));
    let submodules = facts.submodules.iter().filter_map(|(path, why)| Some((path.clone(), why.clone()?)));
    all.extend(submodules.map(|(path, why)| Blocker::Submodule { path, why }));
    all.extend(users(cx, path)?);
    Ok(Checked { blockers: all, has_submodules: facts.has_modules || !facts.submodules.is_empty() })
}

fn only(blocker: Blocker) -> Checked {
    Checked { blockers: vec![blocker], has_submodules: false }
}

fn uncommitted(facts: &RemovalFacts) -> Option<Blocker> {
    let state = &facts.state;
    let is_clean = state.is_clean() && facts.changed.is_empty() && !state.is_cut;
    if is_clean {
        return None;
    }
    let first = facts.changed.iter().chain(&state.untracked).cloned().collect();
    Some(Blocker::Uncommitted {
        staged: state.staged,
        changed: state.changed + facts.overlooked,
        conflicted: state.conflicted.len(),
        untracked: state.untracked.len(),
        first,
    })
}

/// Ignored files that are no copy of deck's as it made it, no link of deck's, and not made again by a build.
fn ignored(cx: &Cx, named: &Named, facts: &RemovalFacts) -> OpResult<(Option<Blocker>, Vec<PathBuf>)> {
    if facts.is_cut {
        return Ok((Some(Blocker::TooManyIgnored), Vec::new()));
    }
    let top = &named.listed.entry.path;
    let profile = cx.profile.store.load()?.profile;
    let of_place = |s: &&Session| s.place.as_ref().is_some_and(|place| Path::new(&place.worktree) == top);
    let given: Vec<copies::Given> =
        profile.sessions.iter().filter(of_place).map(|s| copies::read(cx, &s.id)).collect();
    let is_given = |path: &Path| {
        let at = top.join(path);
        given.iter().any(|given| {
            let copied = given.copies.get(path);
            let linked = given.links.get(path);
            copied.is_some_and(|sum| cx.folders.checksum(&at).is_ok_and(|now| now == *sum))
                || linked.is_some_and(|to| {
                    cx.folders.content(&at, 0).is_ok_and(|now| now == to.as_os_str().as_encoded_bytes())
                })
        })
    };
    let (mut files, mut repositories) = (Vec::new(), Vec::new());
    for path in &facts.ignored {
        cx.check_cancelled()?;
        let expendable = is_expendable(path, &cx.installation.expendable);
        let Ok(below) = cx.folders.below(&top.join(path), MOST) else {
            // What can't be read may hold anything.
            files.push(IgnoredFile { path: path.clone(), bytes: 0 });
            continue;
        };
        // In what wasn't looked at may be anything.
        if below.is_cut {
            return Ok((Some(Blocker::TooManyIgnored), repositories));
        }
        let from_top = |at: &Path| at.strip_prefix(top).unwrap_or(at).to_owned();
        repositories.extend(below.repositories.iter().map(|at| from_top(at)));
        if expendable {
            continue;
        }
        for (at, bytes) in &below.files {
            let path = from_top(at);
            if !is_expendable(&path, &cx.installation.expendable) && !is_given(&path) {
                files.push(IgnoredFile { path, bytes: *bytes });
            }
        }
    }
    files.sort_by(|a, b| a.path.cmp(&b.path));
    // A folder may be named beside what is in it.
    files.dedup();
    Ok(((!files.is_empty()).then_some(Blocker::Ignored(files)), repositories))
}

/// Other worktrees of the repository in its folder.
fn inner_worktrees(cx: &Cx, named: &Named) -> OpResult<Vec<PathBuf>> {
    let top = &named.listed.entry.path;
    let entries = cx.git.worktrees(&common(named), &cx.stop())?;
    let inner = entries.into_iter().map(|entry| entry.path).filter(|path| path != top);
    Ok(inner.filter_map(|path| path.strip_prefix(top).ok().map(Path::to_owned)).collect())
}

/// Who works in a folder: sessions of this and of other profiles, and other processes.
fn users(cx: &Cx, path: &Path) -> OpResult<Vec<Blocker>> {
    let profile = cx.profile.store.load()?.profile;
    let list = panes(cx, profile.live_sessions())?;
    if let Some((server, why)) = list.unreached.iter().next() {
        // Nobody knows who works there.
        return Err(crate::ports::MuxError::Unreached { server: server.clone(), why: why.clone() }.into());
    }
    let mut blockers = Vec::new();
    let mut of_sessions: Vec<i32> = Vec::new();
    let is_in = |session: &Session| {
        let place = session.place.as_ref().is_some_and(|place| Path::new(&place.worktree) == path);
        place || Path::new(&session.project_path).starts_with(path)
    };
    let live = |row: &&PaneRow| row.facts.dead.is_none();
    let row_of = |id: &SessionId| {
        let session = profile.session(id)?;
        list.rows.iter().filter(live).find(|row| role(cx, row, [session]) == PaneRole::Agent(id.clone()))
    };
    for session in profile.live_sessions().filter(|s| is_in(s)) {
        let agent = row_of(&session.id).and_then(|row| row.facts.pid);
        let terminals = list.terminals.iter().filter(|t| t.of == session.id && t.facts.dead.is_none());
        let pids: Vec<i32> = agent.into_iter().chain(terminals.filter_map(|t| t.facts.pid)).collect();
        if !pids.is_empty() {
            blockers.push(Blocker::Session(session.name()));
            of_sessions.extend(pids);
        }
    }
    let strangers: Vec<&PaneRow> = list
        .rows
        .iter()
        .filter(live)
        .filter(|row| row.own_id().is_some_and(|id| profile.session(id).is_none()))
        .collect();
    let refs: Vec<_> = strangers.iter().map(|row| row.session.clone()).collect();
    let tags = if refs.is_empty() { Vec::new() } else { cx.mux.record_tags(&refs)? };
    for (row, tags) in strangers.iter().zip(tags) {
        if let Some(tags) = tags.filter(|tags| Path::new(&tags.path).starts_with(path)) {
            blockers.push(Blocker::OtherProfile { title: tags.title, profile: tags.profile });
            of_sessions.extend(row.facts.pid);
        }
    }
    let processes = cx.host.processes_in(path).unwrap_or_default();
    let others = processes.into_iter().filter(|p| {
        !of_sessions.contains(&p.pid) && !p.ancestors.iter().any(|pid| of_sessions.contains(pid))
    });
    blockers.extend(others.map(|p| Blocker::Process { pid: p.pid, program: p.program }));
    Ok(blockers)
}

/// The sessions that work in a worktree, live ones, whether they run or not.
pub(super) fn sessions_in(cx: &Cx, path: &Path) -> OpResult<Vec<Session>> {
    let profile = cx.profile.store.load()?.profile;
    let is_in = |s: &&Session| {
        s.place.as_ref().is_some_and(|place| Path::new(&place.worktree) == path)
            || Path::new(&s.project_path).starts_with(path)
    };
    Ok(profile.live_sessions().filter(is_in).cloned().collect())
}

/// The folder of a worktree's copies, as it is given to git.
pub(super) fn common(named: &Named) -> PathBuf {
    PathBuf::from(&named.repository.common_dir)
}
