//! deck's own server, and those on which sessions were adopted, as one [`Mux`].
//!
//! Invariants: what belongs to another server is named `SOCKET:$3` or `SOCKET:%5`, and goes there without
//! its prefix; new sessions are made on deck's own server alone; a server that is gone has no sessions, and of
//! one that doesn't answer nothing is known: it is named, and hides no other.

use std::collections::BTreeMap;
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
use crate::ports::mux::{
    CreatedPane, ForeignPane, Mux, MuxError, MuxSession, NewSession, Pane, PaneList, PaneRow, RecordTags,
    Respawn, ScreenCapture, Silence, Strangers, Tag,
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
    socket: String,
    program: String,
    run: PathBuf,
    tmpdir: Option<String>,
    visited: Mutex<BTreeMap<String, Arc<Visited>>>,
}

impl std::fmt::Debug for Servers {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Servers").field("own", &self.own).finish_non_exhaustive()
    }
}

/// Something that belongs to a server.
trait Named: Clone {
    fn name(&self) -> &str;
    fn named(name: String) -> Self;
}

impl Named for MuxSession {
    fn name(&self) -> &str {
        &self.0
    }
    fn named(name: String) -> Self {
        Self(name)
    }
}

impl Named for Pane {
    fn name(&self) -> &str {
        &self.0
    }
    fn named(name: String) -> Self {
        Self(name)
    }
}

/// The socket of what another server has, and its name there; no socket for deck's own.
fn split<T: Named>(of: &T) -> (Option<&str>, T) {
    match of.name().rsplit_once(':') {
        Some((socket, name)) => (Some(socket), T::named(name.to_owned())),
        None => (None, of.clone()),
    }
}

fn with_prefix<T: Named>(socket: &str, of: &T) -> T {
    T::named(format!("{socket}:{}", of.name()))
}

impl Servers {
    /// deck's own server on `socket`; others are added as sessions on them become known.
    pub fn new(own: TmuxMux, program: &str, socket: &str, run: &Path) -> Self {
        Self {
            own,
            socket: socket.to_owned(),
            program: program.to_owned(),
            run: run.to_owned(),
            tmpdir: std::env::var("TMUX_TMPDIR").ok(),
            visited: Mutex::default(),
        }
    }

    fn visited(&self) -> Vec<(String, Arc<Visited>)> {
        let all = self.visited.lock().unwrap_or_else(PoisonError::into_inner);
        all.iter().map(|(name, visited)| (name.clone(), visited.clone())).collect()
    }

    fn visit(&self, socket: &str) -> Arc<TmuxMux> {
        let mut all = self.visited.lock().unwrap_or_else(PoisonError::into_inner);
        let new = || Arc::new(Visited::new(TmuxMux::visit(&self.program, socket, &self.run)));
        all.entry(socket.to_owned()).or_insert_with(new).mux.clone()
    }

    /// Does something with what belongs to one server.
    fn on<T: Named, R>(&self, of: &T, act: impl FnOnce(&TmuxMux, &T) -> R) -> R {
        match split(of) {
            (None, here) => act(&self.own, &here),
            (Some(socket), there) => act(&self.visit(socket), &there),
        }
    }

    /// Asks each server once about what belongs to it; the answers in the order of the questions.
    fn scattered<Q, A>(
        &self,
        asked: &[Q],
        split: impl Fn(&Q) -> (Option<String>, Q),
        ask: impl Fn(&TmuxMux, &[Q]) -> Result<Vec<Option<A>>, MuxError>,
    ) -> Result<Vec<Option<A>>, MuxError> {
        let mut by_server: BTreeMap<Option<String>, Vec<(usize, Q)>> = BTreeMap::new();
        for (index, question) in asked.iter().enumerate() {
            let (socket, there) = split(question);
            by_server.entry(socket).or_default().push((index, there));
        }
        let mut answers: Vec<Option<A>> = asked.iter().map(|_| None).collect();
        for (socket, questions) in by_server {
            let (places, there): (Vec<usize>, Vec<Q>) = questions.into_iter().unzip();
            let told = match socket {
                None => ask(&self.own, &there)?,
                // What is on a server that is gone is gone.
                Some(socket) => match ask(&self.visit(&socket), &there) {
                    // One that stops answering in the middle hides no other: the next list names it.
                    Err(MuxError::NoServer(_) | MuxError::TimedOut(_) | MuxError::Stopped(_)) => continue,
                    other => other?,
                },
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
            Err(error @ (MuxError::TimedOut(_) | MuxError::Stopped(_))) => {
                let unreached = BTreeMap::from([(self.socket.clone(), Silence::of(&error))]);
                Ok(PaneList { unreached, ..PaneList::default() })
            }
            other => other,
        }
    }
}

/// Names what is on another server so that it is found again.
fn renamed(socket: &str, mut row: PaneRow) -> PaneRow {
    row.server = Some(socket.to_owned());
    row.session = with_prefix(socket, &row.session);
    row.pane = with_prefix(socket, &row.pane);
    find_agent(&mut row);
    row
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

impl Mux for Servers {
    fn include(&self, servers: &[&str]) {
        for socket in servers.iter().filter(|s| !s.is_empty() && **s != self.socket) {
            self.visit(socket);
        }
    }

    fn foreign_panes(&self) -> Result<Strangers, MuxError> {
        let tmpdir = self.tmpdir.as_deref();
        let path = socket_path(&self.socket, tmpdir);
        let folder = path.parent().map(std::fs::read_dir).and_then(Result::ok);
        let names = folder.into_iter().flatten().flatten().filter_map(|e| e.file_name().into_string().ok());
        let mut sockets: Vec<String> =
            names.filter(|n| *n != self.socket && !n.contains(':') && socket_is_live(n, tmpdir)).collect();
        sockets.sort();
        let ask = |socket: &String| {
            let command = line(&["list-panes", "-a", "-F", FOREIGN_PANE]);
            TmuxMux::visit(&self.program, socket, &self.run).ask_within(&[command], STRANGER_TIMEOUT)
        };
        // All at the same time: however many hang, it takes no longer than one does.
        let answers: Vec<_> = std::thread::scope(|scope| {
            let asked: Vec<_> = sockets.iter().map(|socket| scope.spawn(|| ask(socket))).collect();
            asked.into_iter().map(std::thread::ScopedJoinHandle::join).collect()
        });
        let mut found = Strangers::default();
        for (socket, answer) in sockets.into_iter().zip(answers) {
            let answer = answer.unwrap_or_else(|panic| std::panic::resume_unwind(panic));
            let replies = match answer {
                // One that hangs must not hide the others.
                Err(MuxError::TimedOut(_) | MuxError::Stopped(_)) => {
                    found.silent.push(socket);
                    continue;
                }
                // One that ends just now has nothing to adopt.
                Err(error) => {
                    tracing::debug!(%error, socket, "a server could not be asked for its sessions");
                    continue;
                }
                Ok(replies) => replies,
            };
            let lines = replies.iter().filter(|r| r.ok).flat_map(|r| &r.lines);
            found.panes.extend(lines.filter_map(|l| foreign_pane(&socket, &String::from_utf8_lossy(l))));
        }
        Ok(found)
    }

    fn panes(&self, since: Option<i64>) -> Result<PaneList, MuxError> {
        let visited = self.visited();
        // All at the same time: none waits for another.
        for (_, server) in &visited {
            server.ask(since)?;
        }
        let mut list = self.own_panes(since, visited.is_empty())?;
        for (socket, server) in visited {
            match server.answer() {
                Ok(more) => {
                    list.at = list.at.max(more.at);
                    list.rows.extend(more.rows.into_iter().map(|row| renamed(&socket, row)));
                }
                Err(why) => {
                    list.unreached.insert(socket, why);
                }
            }
        }
        Ok(list)
    }

    fn record_tags(&self, sessions: &[MuxSession]) -> Result<Vec<Option<RecordTags>>, MuxError> {
        self.scattered(sessions, owned, |mux, there| mux.record_tags(there))
    }

    fn environment(&self, wanted: &[(MuxSession, String)]) -> Result<Vec<Option<String>>, MuxError> {
        let of = |(session, name): &(MuxSession, String)| {
            let (socket, there) = owned(session);
            (socket, (there, name.clone()))
        };
        self.scattered(wanted, of, |mux, there| mux.environment(there))
    }

    fn screens(&self, panes: &[Pane]) -> Result<Vec<Option<String>>, MuxError> {
        self.scattered(panes, owned, |mux, there| mux.screens(there))
    }

    fn wheel(&self, pane: &Pane, up: bool) -> Result<(), MuxError> {
        self.on(pane, |mux, pane| mux.wheel(pane, up))
    }

    fn capture(&self, pane: &Pane, back: u32) -> Result<Option<ScreenCapture>, MuxError> {
        self.on(pane, |mux, pane| mux.capture(pane, back))
    }

    fn history(&self, pane: &Pane, lines: u32) -> Result<Option<String>, MuxError> {
        self.on(pane, |mux, pane| mux.history(pane, lines))
    }

    fn create(&self, new: &NewSession) -> Result<CreatedPane, MuxError> {
        self.own.create(new)
    }

    fn respawn(&self, respawn: &Respawn) -> Result<CreatedPane, MuxError> {
        let (socket, session) = split(&respawn.session);
        let there = Respawn { session, pane: split(&respawn.pane).1, ..respawn.clone() };
        let made = self.on(&respawn.pane, |mux, _| mux.respawn(&there))?;
        Ok(match socket {
            None => made,
            Some(socket) => CreatedPane {
                session: with_prefix(socket, &made.session),
                pane: with_prefix(socket, &made.pane),
                pid: made.pid,
            },
        })
    }

    fn publish(&self) -> Publish {
        self.own.publish()
    }

    fn tag(&self, session: &MuxSession, tags: &[Tag]) -> Result<(), MuxError> {
        self.on(session, |mux, session| mux.tag(session, tags))
    }

    fn tag_each(&self, tags: &[(MuxSession, Tag)]) -> Result<(), MuxError> {
        let mut by_server: BTreeMap<Option<String>, Vec<(MuxSession, Tag)>> = BTreeMap::new();
        for (session, tag) in tags {
            let (socket, there) = owned(session);
            by_server.entry(socket).or_default().push((there, tag.clone()));
        }
        for (socket, tags) in by_server {
            match socket {
                None => self.own.tag_each(&tags)?,
                Some(socket) => match self.visit(&socket).tag_each(&tags) {
                    Ok(()) | Err(MuxError::NoServer(_)) => {}
                    other => return other,
                },
            }
        }
        Ok(())
    }

    fn set_environment(&self, session: &MuxSession, name: &str, value: &str) -> Result<(), MuxError> {
        self.on(session, |mux, session| mux.set_environment(session, name, value))
    }

    fn kill(&self, session: &MuxSession) -> Result<(), MuxError> {
        self.on(session, |mux, session| mux.kill(session))
    }

    fn close(&self, pane: &Pane) -> Result<(), MuxError> {
        self.on(pane, |mux, pane| mux.close(pane))
    }

    fn keys(&self, pane: &Pane, keys: &[&str]) -> Result<(), MuxError> {
        self.on(pane, |mux, pane| mux.keys(pane, keys))
    }

    fn type_text(&self, pane: &Pane, text: &str) -> Result<(), MuxError> {
        self.on(pane, |mux, pane| mux.type_text(pane, text))
    }

    fn paste(&self, pane: &Pane, text: &str) -> Result<(), MuxError> {
        self.on(pane, |mux, pane| mux.paste(pane, text))
    }

    fn reap(&self) -> Result<(), MuxError> {
        self.own.reap()
    }

    fn version(&self) -> Result<String, MuxError> {
        self.own.version()
    }

    fn shut_down(&self) -> Result<(), MuxError> {
        self.own.shut_down()
    }
}

fn owned<T: Named>(of: &T) -> (Option<String>, T) {
    let (socket, there) = split(of);
    (socket.map(str::to_owned), there)
}

fn foreign_pane(socket: &str, text: &str) -> Option<ForeignPane> {
    let fields: Vec<&str> = text.splitn(6, '\t').collect();
    let [session, pane, pid, deck_id, name, title] = fields[..] else { return None };
    Some(ForeignPane {
        server: socket.to_owned(),
        session: MuxSession(format!("{socket}:{session}")),
        name: name.to_owned(),
        pane: Pane(format!("{socket}:{pane}")),
        pid: pid.parse().ok()?,
        deck_id: (!deck_id.is_empty()).then(|| SessionId::new(deck_id)),
        title: text::clean(title).trim().to_owned(),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_carry_their_server() {
        let own = Pane("%5".into());
        assert_eq!(split(&own), (None, own.clone()));
        let there = with_prefix("my:odd socket", &own);
        assert_eq!(split(&there), (Some("my:odd socket"), own));
    }

    #[test]
    fn strangers_are_read_and_stripped() {
        let s = foreign_pane("default", "$1\t%2\t42\t\twork\t✳ a\tb\u{1b}[31m").unwrap();
        assert_eq!((s.pane.0.as_str(), s.pid, s.deck_id, s.name.as_str()), ("default:%2", 42, None, "work"));
        assert_eq!(s.title, "✳ a b");
        assert_eq!(foreign_pane("default", "$1\t%2"), None);
    }
}
