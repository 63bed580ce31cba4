//! Adopting agents that the user started in their own tmux sessions.
//!
//! Invariants: nothing is started, ended or moved; the session stays on its own server. A program is
//! taken for an agent only if it certainly is one. The record is on disk before the tmux session is marked.

use std::path::PathBuf;
use std::sync::Arc;

use super::foreground_agent::{base, program_of};
use super::launch::{conversation_exists, mark};
use super::panes::find_row;
use super::{Cx, OpError, OpResult};
use crate::domain::group::GroupPath;
use crate::domain::id::is_conversation;
use crate::domain::session::{Adopted, DesiredState, IdSource, Session, TmuxRef};
use crate::domain::slug::{tmux_name, unique_title};
use crate::domain::text;
use crate::ports::host::Running;
use crate::ports::mux::{ForeignPane, PaneRow, ServerId, SessionRef, Tag, TagName};
use crate::ports::{ToolEntry, transact};

/// How a pane's agent was known.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum KnownBy {
    /// By its program.
    Process,
    /// By what it shows.
    Screen,
}

/// An agent in a tmux session that is not deck's.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Candidate {
    pub pane: ForeignPane,
    pub tool: String,
    /// How that is known.
    pub known_by: KnownBy,
    /// The agent's process.
    pub agent: i32,
    /// The program that it is known by.
    pub program: String,
    /// The folder it works in.
    pub folder: PathBuf,
    /// Its conversation, where its command line names it.
    pub conversation: Option<String>,
}

/// What can be adopted.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Candidates {
    pub agents: Vec<Candidate>,
    /// The servers that did not answer: they were skipped.
    pub silent: Vec<ServerId>,
}

impl Candidates {
    /// Which servers were skipped, in words; none if all answered.
    pub fn skipped(&self) -> Option<String> {
        let names: Vec<String> = self.silent.iter().map(|s| text::clean(s.as_str())).collect();
        match names.len() {
            0 => None,
            1 => Some(format!("the tmux server {} doesn't answer and was skipped", names.join(", "))),
            _ => Some(format!("the tmux servers {} don't answer and were skipped", names.join(", "))),
        }
    }
}

/// The agents in tmux sessions of this user that are in no deck yet.
///
/// # Errors
/// [`OpError`] when nothing can be asked.
pub fn candidates(cx: &Cx) -> OpResult<Candidates> {
    let profile = cx.profile.store.load()?.profile;
    let foreign_panes = cx.mux.foreign_panes()?;
    let is_free = |s: &ForeignPane| {
        let has = |p: &Session| p.tmux.socket == *s.server() && p.tmux.name == s.name;
        s.deck_id.is_none() && !profile.live_sessions().any(has)
    };
    let mut all = Vec::new();
    for pane in foreign_panes.panes.into_iter().filter(is_free) {
        let running = cx.host.foreground(pane.pid);
        if let Some((entry, program, agent)) = by_process(cx, &running) {
            all.push(candidate(cx, pane, &entry, KnownBy::Process, program, agent));
            continue;
        }
        let Some(leader) = running.first().filter(|r| !is_shell(cx, r)) else { continue };
        let screens = cx.mux.screens(std::slice::from_ref(&pane.pane))?;
        let screen = screens.into_iter().flatten().next().unwrap_or_default();
        if let Some(entry) = by_screen(cx, &screen) {
            let program = leader.argv.first().map(|w| base(w).to_owned()).unwrap_or_default();
            all.push(candidate(cx, pane, &entry, KnownBy::Screen, program, leader));
        }
    }
    Ok(Candidates { agents: all, silent: foreign_panes.silent })
}

/// Makes a session of one, in place. Without a title it keeps the name of its tmux session.
///
/// # Errors
/// [`OpError`] when it is gone, or the profile can't be written.
pub fn adopt(cx: &Cx, found: &Candidate, title: Option<&str>, group: &GroupPath) -> OpResult<Session> {
    let entry = cx.tools.tool(&found.tool);
    let title = title.map(super::create::clean_title).transpose()?;
    let (id, now) = (cx.clock.new_session_id(), cx.clock.now());
    let session = transact(&*cx.profile.store, |profile| {
        let taken: Vec<&str> = profile.live_sessions().map(|s| s.title.as_str()).collect();
        let name = text::clean(&found.pane.name);
        let title = title.clone().unwrap_or_else(|| unique_title(&name, &taken));
        let mut session = Session::new(id.clone(), &title, now);
        session.project_path = super::create::text_of(&found.folder)?;
        session.group_path = group.clone();
        session.tool.clone_from(&found.tool);
        session.command = entry.as_ref().map_or_else(|| found.program.clone(), |e| e.tool.name.clone());
        session.order = profile.next_session_order(group);
        session.wanted = DesiredState::Running;
        session.launched_at = Some(now);
        if let Some(conversation) = &found.conversation {
            session.resume.record(conversation, IdSource::Reported, now);
            session.resume.used = true;
        }
        session.tmux = TmuxRef {
            socket: found.pane.server().clone(),
            name: found.pane.name.clone(),
            adopted: Some(Adopted {
                pane: found.pane.pane.pane.clone(),
                shell: found.pane.pid,
                agent: found.agent,
                program: found.program.clone(),
            }),
            ..TmuxRef::default()
        };
        profile.ensure_group(group);
        profile.sessions.push(session.clone());
        Ok::<_, OpError>(session)
    })?;
    match find_row(cx, &session)? {
        Some(row) => mark(cx, &session, &row)?,
        // It ended meanwhile: what is not there is not adopted.
        None => {
            transact(&*cx.profile.store, |profile| {
                profile.sessions.retain(|s| s.id != session.id);
                Ok::<_, OpError>(())
            })?;
            return Err(OpError::NotRunning(session.name()));
        }
    }
    Ok(session)
}

/// What marks a tmux session as deck's.
const OWN_TAGS: [TagName; 4] = [TagName::Id, TagName::Home, TagName::Profile, TagName::Pane];

/// Lets go of a tmux session that was adopted: it is its user's alone again.
pub(super) fn release(cx: &Cx, session: &SessionRef) -> OpResult<()> {
    Ok(cx.mux.tag(session, &OWN_TAGS.map(Tag::none))?)
}

/// Has the record point to deck's own server, where the session is started next.
pub(super) fn move_home(cx: &Cx, session: &mut Session) {
    if session.tmux.adopted.take().is_some() || session.tmux.socket != cx.installation.socket {
        session.tmux.socket.clone_from(&cx.installation.socket);
        session.tmux.name = tmux_name(&session.title, &session.id);
    }
}

/// Takes a session whose agent has ended home, so that it can be started again: its user's shell, and
/// everything else there, is kept.
pub(super) fn rehome(cx: &Cx, session: &Session, row: &PaneRow) -> OpResult<Session> {
    let session = cx.change_session(&session.id, |s| move_home(cx, s))?;
    release(cx, &row.session)?;
    Ok(session)
}

fn candidate(
    cx: &Cx,
    pane: ForeignPane,
    entry: &Arc<ToolEntry>,
    known_by: KnownBy,
    program: String,
    agent: &Running,
) -> Candidate {
    // Among its words is its conversation's id, if one of them is an existing conversation's.
    let mut session = Session::new(cx.clock.new_session_id(), "", cx.clock.now());
    session.tool.clone_from(&entry.tool.name);
    let exists = |word: &&String| {
        let plain = word.len() >= 8 && is_conversation(word);
        plain && conversation_exists(cx, &entry.tool, &session, word, None) == Some(true)
    };
    // Where nobody knows its file, the word that it was told to resume.
    let flag = entry.tool.resume_flag.as_ref().filter(|_| entry.tool.conversation_files.is_empty());
    let resumed = |words: &[String]| match words {
        [word, id] if Some(word) == flag && is_conversation(id) => Some(id.clone()),
        _ => None,
    };
    let conversation = agent.argv.iter().skip(1).find(exists).cloned();
    let conversation = conversation.or_else(|| agent.argv.windows(2).find_map(resumed));
    Candidate {
        tool: entry.tool.name.clone(),
        known_by,
        agent: agent.pid,
        program,
        folder: agent.folder.clone(),
        conversation,
        pane,
    }
}

/// How many words of a command line may name the program: `node --flag PROGRAM`.
const INTERPRETED: usize = 3;

fn by_process<'a>(cx: &Cx, running: &'a [Running]) -> Option<(Arc<ToolEntry>, String, &'a Running)> {
    running.iter().find_map(|process| {
        let words: Vec<&str> = process.argv.iter().take(INTERPRETED).map(|w| base(w)).collect();
        let entry = cx.tools.all().into_iter().find(|e| program_of(e).is_some_and(|p| words.contains(&p)))?;
        let program = program_of(&entry)?.to_owned();
        Some((entry, program, process))
    })
}

fn is_shell(cx: &Cx, process: &Running) -> bool {
    let name = process.argv.first().map(|w| base(w.trim_start_matches('-'))).unwrap_or_default();
    let own = cx.caller.var("SHELL").map(base);
    own == Some(name) || matches!(name, "sh" | "bash" | "zsh" | "fish" | "dash" | "ksh" | "nu")
}

fn by_screen(cx: &Cx, screen: &str) -> Option<Arc<ToolEntry>> {
    let shows = |e: &Arc<ToolEntry>| e.tool.detect_patterns.iter().any(|p| screen.contains(p));
    cx.tools.all().into_iter().find(shows)
}
