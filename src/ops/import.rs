//! Creating sessions from conversations that are on this machine already.
//!
//! Invariants: no conversation is in two sessions; nothing is started, and no conversation is written to.

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

use super::{Cx, OpError, OpResult, default_title};
use crate::domain::conversation::{self, Found};
use crate::domain::group::GroupPath;
use crate::domain::session::{IdSource, Session, TmuxRef};
use crate::domain::slug::tmux_name;
use crate::ports::reports::Asked;
use crate::ports::transact;

/// How many are looked for of each tool.
const MOST: usize = 200;

/// Every conversation that a session of any profile has or had, the trash included.
///
/// # Errors
/// [`OpError`] when a profile can't be read.
pub fn known_conversations(cx: &Cx) -> OpResult<BTreeSet<String>> {
    let mut profiles = cx.profile.store.others()?;
    profiles.push(cx.profile.store.load()?.profile);
    let sessions = profiles.iter().flat_map(|p| &p.sessions);
    Ok(sessions.flat_map(|s| s.resume.history.iter().map(|e| e.id.clone())).collect())
}

/// The conversations of a tool, or of all, that no session in `known_conversations` has, newest first; with `folder`
/// those that were begun there.
///
/// # Errors
/// [`OpError::NoSuchTool`] when there is no such tool.
pub fn conversations(
    cx: &Cx,
    tool: Option<&str>,
    folder: Option<&Path>,
    known_conversations: &BTreeSet<String>,
) -> OpResult<Vec<Found>> {
    let all = cx.tools.all();
    let wanted: Vec<_> = all.iter().filter(|e| tool.is_none_or(|t| e.tool.name == t)).collect();
    if let (true, Some(tool)) = (wanted.is_empty(), tool) {
        let names = all.iter().map(|e| e.tool.name.clone()).collect();
        return Err(OpError::NoSuchTool { name: tool.to_owned(), names });
    }
    let mut found = Vec::new();
    for entry in wanted {
        let var = |name: String| Some((name.clone(), cx.caller.var(&name)?.to_owned()));
        let env: BTreeMap<String, String> =
            conversation::variables(&entry.tool).into_iter().filter_map(var).collect();
        found.extend(cx.reports.conversations(
            &Asked {
                pid: 0,
                tool: &entry.tool,
                env: &env,
                conversation: None,
                port: None,
                title: "",
                moved: true,
                now: cx.clock.now(),
            },
            folder,
            MOST,
        ));
    }
    found.retain(|f| !known_conversations.contains(&f.id));
    found.sort_by_key(|f| std::cmp::Reverse(f.used_at));
    Ok(found)
}

/// Makes a session of a conversation. It is stopped; starting it resumes the conversation.
///
/// # Errors
/// [`OpError`] when another session has it by now, or the profile can't be written.
pub fn import(cx: &Cx, found: &Found, title: Option<&str>, group: &GroupPath) -> OpResult<Session> {
    let folder = found.folder.clone().ok_or_else(|| OpError::NoFolderKnown(found.id.clone()))?;
    let title = title.map(super::create::clean_title).transpose()?;
    let (id, now) = (cx.clock.new_session_id(), cx.clock.now());
    let has = |s: &&Session| s.resume.history.iter().any(|e| e.id == found.id);
    let open =
        |other: &Session| OpError::SameConversation { id: found.id.clone(), other: other.title.clone() };
    if let Some(other) = cx.profile.store.others()?.iter().flat_map(|p| &p.sessions).find(has) {
        return Err(open(other));
    }
    transact(&*cx.profile.store, |profile| {
        if let Some(other) = profile.sessions.iter().find(has) {
            return Err(open(other));
        }
        let title = title.clone().unwrap_or_else(|| default_title(profile, Path::new(&folder)));
        let mut session = Session::new(id.clone(), &title, now);
        session.project_path.clone_from(&folder);
        session.group_path = group.clone();
        (session.tool, session.command) = (found.tool.clone(), found.tool.clone());
        session.order = profile.next_session_order(group);
        session.resume.record(&found.id, IdSource::Given, now);
        session.resume.used = true;
        session.tmux = TmuxRef {
            socket: cx.installation.socket.clone(),
            name: tmux_name(&title, &session.id),
            ..TmuxRef::default()
        };
        profile.ensure_group(group);
        profile.sessions.push(session.clone());
        Ok(session)
    })
}
