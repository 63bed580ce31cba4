//! deck's own server, and those on which sessions were adopted, as one [`Mux`].
//!
//! Invariants: what belongs to a server goes there; new sessions are made on deck's own server alone; a server that is gone has no sessions, and of
//! one that doesn't answer nothing is known: it is named, and hides no other.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use super::quote::line;
use super::server::{socket_is_live, socket_path};
use super::tmux_mux::TmuxMux;
use super::visited::Visited;
use crate::domain::id::SessionId;
use crate::domain::launch::Publish;
use crate::domain::session::Adopted;
use crate::domain::status::Exit;
use crate::domain::text;
use crate::domain::worker::WorkerId;
use crate::ports::mux::{
    CreatedPane, ForeignPane, MuxError, MuxInput, MuxRead, MuxWrite, NewSession, NewWindow, PaneList,
    PaneRef, PaneRow, RecordTags, Respawn, RespawnWindow, ScreenCapture, ServerId, SessionRef, Silence,
    Strangers, Tag,
};
use crate::sys::process;

/// What is asked of each pane of a stranger.
const FOREIGN_PANE: &str =
    "#{session_id}\t#{pane_id}\t#{pane_pid}\t#{@deck_id}\t#{session_name}\t#{pane_title}";

/// How long a server that nobody has adopted anything on may take to answer.
const STRANGER_TIMEOUT: Duration = Duration::from_secs(5);

/// All servers that a deck works with.
pub struct Servers {
    own: TmuxMux,
    program: String,
    run: PathBuf,
    tmpdir: Option<String>,
    visited: Mutex<BTreeMap<ServerId, Arc<Visited>>>,
}

impl std::fmt::Debug for Servers {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Servers").field("own", &self.own).finish_non_exhaustive()
    }
}

impl Servers {
    /// deck's own server; others are visited as they are asked for.
    pub fn new(own: TmuxMux, program: &str, run: &Path) -> Self {
        Self {
            own,
            program: program.to_owned(),
            run: run.to_owned(),
            tmpdir: std::env::var("TMUX_TMPDIR").ok(),
            visited: Mutex::default(),
        }
    }

    /// A server that isn't deck's own.
    fn visited(&self, server: &ServerId) -> Arc<Visited> {
        let mut all = self.visited.lock().unwrap_or_else(PoisonError::into_inner);
        let new = || Arc::new(Visited::new(TmuxMux::visit(&self.program, server, &self.run)));
        all.entry(server.clone()).or_insert_with(new).clone()
    }

    /// Does something on one server.
    fn on<R>(&self, server: &ServerId, act: impl FnOnce(&TmuxMux) -> R) -> R {
        if server == self.own.id() { act(&self.own) } else { act(&self.visited(server).mux) }
    }

    /// Asks each server once about what belongs to it; the answers in the order of the questions.
    fn scattered<Q: Clone, A>(
        &self,
        asked: &[Q],
        server: impl Fn(&Q) -> &ServerId,
        ask: impl Fn(&TmuxMux, &[Q]) -> Result<Vec<Option<A>>, MuxError>,
    ) -> Result<Vec<Option<A>>, MuxError> {
        let mut by_server: BTreeMap<&ServerId, Vec<(usize, Q)>> = BTreeMap::new();
        for (index, question) in asked.iter().enumerate() {
            by_server.entry(server(question)).or_default().push((index, question.clone()));
        }
        let mut answers: Vec<Option<A>> = asked.iter().map(|_| None).collect();
        for (server, questions) in by_server {
            let (places, there): (Vec<usize>, Vec<Q>) = questions.into_iter().unzip();
            let told = match self.on(server, |mux| ask(mux, &there)) {
                // What is on a server that is gone is gone, and one that stops answering in the middle hides no
                // other: the next list names it.
                Err(MuxError::NoServer(_) | MuxError::TimedOut(_) | MuxError::Stopped(_))
                    if server != self.own.id() =>
                {
                    continue;
                }
                other => other?,
            };
            for (place, answer) in places.into_iter().zip(told) {
                if let Some(slot) = answers.get_mut(place) {
                    *slot = answer;
                }
            }
        }
        Ok(answers)
    }

    /// deck's own panes. If its server can't answer now, others still can.
    fn own_panes(&self, since: Option<i64>, alone: bool) -> Result<PaneList, MuxError> {
        match self.own.panes(since) {
            Err(MuxError::NoServer(_)) if !alone => Ok(PaneList::default()),
            Err(error @ (MuxError::TimedOut(_) | MuxError::Stopped(_) | MuxError::Busy(_))) => {
                let unreached = BTreeMap::from([(self.own.id().clone(), Silence::of(&error))]);
                Ok(PaneList { unreached, ..PaneList::default() })
            }
            other => other,
        }
    }
}

/// Finds the process of an agent that its user typed into a shell. Where it is gone, so is the agent.
fn find_agent(row: &mut PaneRow) {
    let Some(Adopted { shell, agent, program, .. }) = &row.tags.adopted else { return };
    if row.facts.dead.is_some() || agent == shell {
        return;
    }
    let foreground = process::stat(*shell).map(|s| s.foreground).filter(|g| *g > 0 && g != shell);
    let running = std::iter::once(*agent)
        .chain(foreground.into_iter().flat_map(process::members))
        .find(|pid| process::runs(*pid, program));
    match running {
        Some(pid) => row.facts.pid = Some(pid),
        None => row.facts.dead = Some(Exit::ToShell),
    }
}

impl MuxRead for Servers {
    fn panes(&self, servers: &[ServerId], since: Option<i64>) -> Result<PaneList, MuxError> {
        let own = self.own.id();
        let others: BTreeSet<&ServerId> = servers.iter().filter(|s| !s.is_empty() && *s != own).collect();
        let others: Vec<_> = others.into_iter().map(|server| (server, self.visited(server))).collect();
        // All at the same time: none waits for another.
        let mut asked = Vec::new();
        for (server, visited) in &others {
            asked.push((*server, visited.ask(since)?));
        }
        let mut list = match servers.contains(own) {
            true => self.own_panes(since, others.is_empty())?,
            false => PaneList::default(),
        };
        for (server, question) in asked {
            match question.answer() {
                Ok(mut more) => {
                    list.at = list.at.max(more.at);
                    more.rows.iter_mut().for_each(find_agent);
                    list.rows.extend(more.rows);
                    list.terminals.extend(more.terminals);
                }
                Err(why) => {
                    list.unreached.insert(server.clone(), why);
                }
            }
        }
        Ok(list)
    }

    fn foreign_panes(&self) -> Result<Strangers, MuxError> {
        let tmpdir = self.tmpdir.as_deref();
        let path = socket_path(self.own.id(), tmpdir);
        let folder = path.parent().map(std::fs::read_dir).and_then(Result::ok);
        let names = folder.into_iter().flatten().flatten().filter_map(|e| e.file_name().into_string().ok());
        let others = names.filter(|n| !n.contains(':')).map(ServerId::from);
        let mut servers: Vec<ServerId> =
            others.filter(|s| s != self.own.id() && socket_is_live(s, tmpdir)).collect();
        servers.sort();
        let ask = |server: &ServerId| {
            let command = line(&["list-panes", "-a", "-F", FOREIGN_PANE]);
            TmuxMux::visit(&self.program, server, &self.run).ask_within(&[command], STRANGER_TIMEOUT)
        };
        // All at the same time: however many hang, it takes no longer than one does.
        let answers: Vec<_> = std::thread::scope(|scope| {
            let asked: Vec<_> = servers.iter().map(|server| scope.spawn(|| ask(server))).collect();
            asked.into_iter().map(std::thread::ScopedJoinHandle::join).collect()
        });
        let mut found = Strangers::default();
        for (server, answer) in servers.into_iter().zip(answers) {
            let answer = answer.unwrap_or_else(|panic| std::panic::resume_unwind(panic));
            let replies = match answer {
                // One that hangs must not hide the others.
                Err(MuxError::TimedOut(_) | MuxError::Stopped(_)) => {
                    found.silent.push(server);
                    continue;
                }
                // One that ends just now has nothing to adopt.
                Err(error) => {
                    tracing::debug!(%error, %server, "a server could not be asked for its sessions");
                    continue;
                }
                Ok(replies) => replies,
            };
            let lines = replies.iter().filter(|r| r.ok).flat_map(|r| &r.lines);
            found.panes.extend(lines.filter_map(|l| foreign_pane(&server, &String::from_utf8_lossy(l))));
        }
        Ok(found)
    }

    fn last_typed(&self, sessions: &[SessionRef]) -> Result<Vec<Option<i64>>, MuxError> {
        self.scattered(sessions, |s| &s.server, |mux, there| mux.last_typed(there))
    }

    fn record_tags(&self, sessions: &[SessionRef]) -> Result<Vec<Option<RecordTags>>, MuxError> {
        self.scattered(sessions, |s| &s.server, |mux, there| mux.record_tags(there))
    }

    fn environment(&self, wanted: &[(SessionRef, String)]) -> Result<Vec<Option<String>>, MuxError> {
        self.scattered(wanted, |(s, _)| &s.server, |mux, there| mux.environment(there))
    }

    fn screens(&self, panes: &[PaneRef]) -> Result<Vec<Option<String>>, MuxError> {
        self.scattered(panes, |p| &p.server, |mux, there| mux.screens(there))
    }

    fn capture(&self, pane: &PaneRef, back: u32) -> Result<Option<ScreenCapture>, MuxError> {
        self.on(&pane.server, |mux| mux.capture(pane, back))
    }

    fn history(&self, pane: &PaneRef, lines: u32) -> Result<Option<String>, MuxError> {
        self.on(&pane.server, |mux| mux.history(pane, lines))
    }

    fn last_session_of(&self, client: i32) -> Result<Option<SessionRef>, MuxError> {
        self.own.last_session_of(client)
    }

    fn version(&self) -> Result<String, MuxError> {
        self.own.version()
    }
}

#[cfg(feature = "web")]
impl crate::ports::mux::MuxWatch for Servers {
    fn instant(&self, pane: &PaneRef, back: u32) -> Result<Option<crate::domain::frame::Capture>, MuxError> {
        self.on(&pane.server, |mux| mux.instant(pane, back))
    }

    fn older(&self, pane: &PaneRef, newer: u32, lines: u32) -> Result<Option<Vec<Vec<u8>>>, MuxError> {
        self.on(&pane.server, |mux| mux.older(pane, newer, lines))
    }

    fn bytes(&self, pane: &PaneRef, bytes: &[u8]) -> Result<(), MuxError> {
        self.on(&pane.server, |mux| mux.bytes(pane, bytes))
    }
}

impl MuxWrite for Servers {
    fn create(&self, new: &NewSession) -> Result<CreatedPane, MuxError> {
        self.own.create(new)
    }

    fn respawn(&self, respawn: &Respawn) -> Result<CreatedPane, MuxError> {
        self.on(&respawn.pane.server, |mux| mux.respawn(respawn))
    }

    fn publish(&self) -> Publish {
        super::tags::PUBLISH
    }

    fn tag(&self, session: &SessionRef, tags: &[Tag]) -> Result<(), MuxError> {
        self.on(&session.server, |mux| mux.tag(session, tags))
    }

    fn tag_each(&self, tags: &[(SessionRef, Tag)]) -> Result<(), MuxError> {
        let mut by_server: BTreeMap<&ServerId, Vec<(SessionRef, Tag)>> = BTreeMap::new();
        for (session, tag) in tags {
            by_server.entry(&session.server).or_default().push((session.clone(), tag.clone()));
        }
        for (server, tags) in by_server {
            match self.on(server, |mux| mux.tag_each(&tags)) {
                Err(MuxError::NoServer(_)) if server != self.own.id() => {}
                other => other?,
            }
        }
        Ok(())
    }

    fn set_environment(&self, session: &SessionRef, name: &str, value: &str) -> Result<(), MuxError> {
        self.on(&session.server, |mux| mux.set_environment(session, name, value))
    }

    fn create_window(&self, new: &NewWindow) -> Result<CreatedPane, MuxError> {
        self.on(&new.session.server, |mux| mux.create_window(new))
    }

    fn create_with_terminal(&self, new: &NewSession, worker: &WorkerId) -> Result<CreatedPane, MuxError> {
        self.own.create_with_terminal(new, worker)
    }

    fn respawn_window(&self, respawn: &RespawnWindow) -> Result<(), MuxError> {
        self.on(&respawn.pane.server, |mux| mux.respawn_window(respawn))
    }

    fn kill(&self, session: &SessionRef) -> Result<(), MuxError> {
        self.on(&session.server, |mux| mux.kill(session))
    }

    fn close(&self, pane: &PaneRef) -> Result<(), MuxError> {
        self.on(&pane.server, |mux| mux.close(pane))
    }

    fn resize(
        &self,
        pane: &PaneRef,
        size: (u16, u16),
        tag: Option<(&SessionRef, &Tag)>,
    ) -> Result<(), MuxError> {
        // The windows of other servers have their users' sizes.
        if pane.server == *self.own.id() { self.own.resize(pane, size, tag) } else { Ok(()) }
    }

    fn rearm(&self, sessions: &[SessionRef]) -> Result<(), MuxError> {
        let own: Vec<SessionRef> = sessions.iter().filter(|s| s.server == *self.own.id()).cloned().collect();
        self.own.rearm(&own)
    }

    fn reap(&self) -> Result<(), MuxError> {
        self.own.reap()
    }

    fn shut_down(&self) -> Result<(), MuxError> {
        self.own.shut_down()
    }
}

impl MuxInput for Servers {
    fn keys(&self, pane: &PaneRef, keys: &[&str]) -> Result<(), MuxError> {
        self.on(&pane.server, |mux| mux.keys(pane, keys))
    }

    fn type_text(&self, pane: &PaneRef, text: &str) -> Result<(), MuxError> {
        self.on(&pane.server, |mux| mux.type_text(pane, text))
    }

    fn paste(&self, pane: &PaneRef, text: &str) -> Result<(), MuxError> {
        self.on(&pane.server, |mux| mux.paste(pane, text))
    }

    fn wheel(&self, pane: &PaneRef, up: bool) -> Result<(), MuxError> {
        self.on(&pane.server, |mux| mux.wheel(pane, up))
    }
}

fn foreign_pane(server: &ServerId, text: &str) -> Option<ForeignPane> {
    let fields: Vec<&str> = text.splitn(6, '\t').collect();
    let [session, pane, pid, deck_id, name, title] = fields[..] else { return None };
    Some(ForeignPane {
        session: SessionRef::new(server, session),
        name: name.to_owned(),
        pane: PaneRef::new(server, pane),
        pid: pid.parse().ok()?,
        deck_id: (!deck_id.is_empty()).then(|| SessionId::new(deck_id)),
        title: text::clean(title).trim().to_owned(),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn strangers_are_read_and_stripped() {
        let server = ServerId::from("default");
        let s = foreign_pane(&server, "$1\t%2\t42\t\twork\t✳ a\tb\u{1b}[31m").unwrap();
        assert_eq!((s.pane, s.pid, s.deck_id), (PaneRef::new(&server, "%2"), 42, None));
        assert_eq!((s.session, s.name.as_str()), (SessionRef::new(&server, "$1"), "work"));
        assert_eq!(s.title, "✳ a b");
        assert_eq!(foreign_pane(&server, "$1\t%2"), None);
    }
}
