//! Attaching servers to sessions and groups, and detaching them. What runs is left alone: it holds from the next start on.

use super::McpServersError;
use crate::domain::group::GroupPath;
use crate::domain::guard::Act;
use crate::domain::id::SessionId;
use crate::domain::mcp_servers::{Attaching, Catalogue, McpChoice};
use crate::domain::profile::Profile;
use crate::domain::resolve::nearest;
use crate::domain::session::Session;
use crate::ops::{Cx, OpError, OpResult, guard};

/// What servers are attached to.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Place {
    Session(SessionId),
    /// All sessions of a group, and of those below it.
    Group(GroupPath),
}

/// What is done.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Deed {
    Attach(Attaching),
    Detach,
}

/// Attaches servers and sets to a place, or detaches them. Returns whether that changed anything.
///
/// # Errors
/// [`McpServersError`] for a name that there isn't, or that isn't attached; others when it can't be recorded. Then nothing is
/// changed.
pub fn change(cx: &Cx, place: &Place, names: &[String], deed: Deed) -> OpResult<bool> {
    let catalogue = cx.mcp_servers.catalogue();
    if deed != Deed::Detach {
        check_words(&catalogue, names)?;
    }
    check(cx, place, deed)?;
    let now = cx.clock.now();
    crate::ports::transact(&*cx.profile.store, |profile| {
        let above = above(profile, place);
        let is_there = |choice: &McpChoice, name: &str| {
            let groups = above.iter().map(|(path, choice)| (path, choice));
            catalogue.chosen(groups, choice).iter().any(|c| catalogue.covers(name, &c.name))
        };
        let choice = match place {
            Place::Session(id) => {
                let session = profile.session_mut(id).filter(|s| s.deleted_at.is_none());
                &mut session.ok_or_else(|| OpError::Missing(id.clone()))?.mcps
            }
            Place::Group(path) => {
                let group = profile.groups.iter_mut().find(|g| g.is_live() && g.path == *path);
                &mut group.ok_or_else(|| OpError::no_group(path))?.mcps
            }
        };
        let before = choice.clone();
        if let Deed::Attach(how) = deed {
            choice.attach(names, how);
        } else {
            for name in names {
                let was_there = choice.attach.contains(name) || is_there(choice, name);
                if !was_there {
                    return Err(
                        McpServersError::NotAttached { place: words(cx, place), name: name.clone() }.into()
                    );
                }
                choice.detach(name, |rest| is_there(rest, name));
            }
        }
        let changed = *choice != before;
        if let Place::Session(id) = place
            && changed
            && let Some(session) = profile.session_mut(id)
        {
            session.updated_at = now;
        }
        Ok(changed)
    })
}

/// What is chosen above a place, outermost first.
fn above(profile: &Profile, place: &Place) -> Vec<(GroupPath, McpChoice)> {
    let path = match place {
        Place::Session(id) => profile.session(id).map(|s| s.group_path.clone()).unwrap_or_default(),
        Place::Group(path) => path.parent(),
    };
    let groups = path.lineage().into_iter().filter_map(|path| profile.group(&path).cloned());
    groups.map(|group| (group.path, group.mcps)).collect()
}

/// Refuses what an agent may not do, and what could have no effect.
fn check(cx: &Cx, place: &Place, deed: Deed) -> OpResult<()> {
    let concerned: Vec<Session> = match place {
        Place::Session(id) => vec![cx.session(id)?],
        Place::Group(path) => {
            let profile = cx.profile.store.load()?.profile;
            profile.live_sessions().filter(|s| s.group_path.is_within(path)).cloned().collect()
        }
    };
    for session in &concerned {
        guard::check(cx, Act::Configure, session)?;
    }
    let (Place::Session(_), [session], Deed::Attach(how)) = (place, &concerned[..], deed) else {
        return Ok(());
    };
    match cx.tools.tool(&session.tool) {
        Some(entry) if entry.tool.mcp.servers.is_empty() => {
            Err(McpServersError::NoWay(session.name()).into())
        }
        None => Err(McpServersError::NoWay(session.name()).into()),
        Some(entry) if how.replace && !entry.tool.mcp.servers.replaces => {
            Err(McpServersError::CantReplace { session: session.name(), tool: entry.tool.name.clone() }
                .into())
        }
        Some(_) => Ok(()),
    }
}

fn words(cx: &Cx, place: &Place) -> String {
    match place {
        Place::Session(id) => {
            cx.session(id).map_or_else(|_| format!("session {id}"), |s| format!("session {}", s.name()))
        }
        Place::Group(path) => format!("group {path}"),
    }
}

/// Refuses words that name no server and no set.
///
/// # Errors
/// [`McpServersError::Unknown`].
pub fn check_words(catalogue: &Catalogue, words: &[String]) -> Result<(), McpServersError> {
    match words.iter().find(|word| !catalogue.has(word)) {
        None => Ok(()),
        Some(name) => {
            let all = catalogue.words();
            let near = nearest(name, all.iter().map(String::as_str)).map(str::to_owned);
            Err(McpServersError::Unknown { name: name.clone(), near })
        }
    }
}
