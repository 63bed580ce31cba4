//! A multiplexer in memory: its sessions, and the programs that play in them as time passes.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::{Arc, Mutex};

use jiff::{SignedDuration, Timestamp};

use super::FakeClock;
use super::agent::{Agent, Frame, Input};
use crate::domain::status::Exit;
use crate::ports::Clock;
use crate::ports::mux::{MuxError, NewSession, ServerId, SessionRef, Tag, TagName, TerminalRow};

/// One session on a fake server, with one pane.
#[derive(Debug, Clone)]
pub struct FakeSession {
    pub server: ServerId,
    pub new: NewSession,
    pub tags: BTreeMap<TagName, String>,
    pub env: BTreeMap<String, String>,
    pub screen: String,
    pub cursor: Option<(u16, u16)>,
    pub dead: Option<Exit>,
    pub activity: i64,
    /// Clients of users that show it.
    pub attached: u32,
    /// Whether its window has reported a change.
    pub reported: bool,
    pub starts: u32,
    pub pid: i32,
    /// When a user was last seen at it.
    pub typed_at: Option<i64>,
}

/// The fake's own server.
pub fn own() -> ServerId {
    ServerId::from("s")
}

/// A multiplexer in memory. Time is that of its clock.
#[derive(Default)]
pub struct FakeMux {
    pub sessions: Mutex<BTreeMap<String, FakeSession>>,
    pub clock: Arc<FakeClock>,
    pub now: Mutex<i64>,
    pub refuse: Mutex<bool>,
    /// Whether it stops answering at the next creation, and whether it has.
    pub hangs: Mutex<(bool, bool)>,
    pub captured: Mutex<usize>,
    /// The sessions whose panes were captured.
    pub seen: Mutex<BTreeSet<String>>,
    /// The servers that don't answer.
    pub silent: Mutex<BTreeSet<ServerId>>,
    /// What was typed, into which pane, in order.
    pub inputs: Mutex<Vec<(String, Input)>>,
    /// Which client was last shown which session.
    pub shown: Mutex<Option<(i32, SessionRef)>>,
    /// What was put on sessions after they were made, in order.
    pub tagged: Mutex<Vec<(SessionRef, Tag)>>,
    /// The terminals beside agents.
    pub windows: Mutex<Vec<TerminalRow>>,
    agents: Mutex<BTreeMap<String, Box<dyn Agent>>>,
    due: Mutex<Vec<(Timestamp, String, Frame)>>,
}

impl FakeMux {
    /// One whose programs play by this clock.
    pub fn at(clock: Arc<FakeClock>) -> Self {
        Self { clock, ..Self::default() }
    }

    pub fn change(&self, name: &str, act: impl FnOnce(&mut FakeSession)) {
        let id = self.id(name);
        act(self.sessions.lock().unwrap().get_mut(&id).unwrap());
    }

    /// Has a program play in the session of this name, from its first frames on.
    pub fn play(&self, name: &str, first: Vec<Frame>, agent: impl Agent + 'static) {
        let id = self.id(name);
        self.agents.lock().unwrap().insert(id.clone(), Box::new(agent));
        self.schedule(&id, first);
    }

    /// What was typed so far.
    pub fn typed(&self) -> Vec<Input> {
        self.inputs.lock().unwrap().iter().map(|(_, input)| input.clone()).collect()
    }

    /// A session of the user's own, on another server.
    pub fn add_foreign(&self, server: &str, name: &str, pid: i32, screen: &str) {
        let new = NewSession {
            name: name.to_owned(),
            dir: "/src".to_owned(),
            script: String::new(),
            env: BTreeMap::new(),
            size: (80, 24),
            tags: Vec::new(),
        };
        let session = FakeSession { screen: screen.to_owned(), pid, ..self.session(server.into(), &new) };
        self.insert(session);
    }

    fn id(&self, name: &str) -> String {
        let all = self.sessions.lock().unwrap();
        all.iter().find(|(_, s)| s.new.name.starts_with(name)).expect("no such session").0.clone()
    }

    pub(super) fn session(&self, server: ServerId, new: &NewSession) -> FakeSession {
        FakeSession {
            server,
            tags: new.tags.iter().map(|t| (t.name, t.value.clone())).collect(),
            env: new.env.clone(),
            new: new.clone(),
            screen: String::new(),
            cursor: None,
            dead: None,
            activity: *self.now.lock().unwrap(),
            attached: 0,
            reported: false,
            starts: 1,
            typed_at: None,
            pid: 42,
        }
    }

    /// Returns its id.
    pub(super) fn insert(&self, session: FakeSession) -> String {
        let mut all = self.sessions.lock().unwrap();
        let id = format!("${}", all.len() + 1);
        all.insert(id.clone(), session);
        id
    }

    pub(super) fn with<T>(
        &self,
        session: &SessionRef,
        act: impl FnOnce(&mut FakeSession) -> T,
    ) -> Result<T, MuxError> {
        self.pass();
        let mut all = self.sessions.lock().unwrap();
        let gone = || MuxError::Refused { command: "fake".into(), message: "can't find session".into() };
        all.get_mut(&session.session).filter(|s| s.server == session.server).map(act).ok_or_else(gone)
    }

    /// Gives a program an input, and keeps what comes of it for its time.
    pub(super) fn give(&self, session: &SessionRef, input: Input) -> Result<(), MuxError> {
        self.with(session, |_| ())?;
        let frames = self.agents.lock().unwrap().get_mut(&session.session).map(|agent| agent.take(&input));
        self.inputs.lock().unwrap().push((session.session.clone(), input));
        self.schedule(&session.session, frames.unwrap_or_default());
        Ok(())
    }

    fn schedule(&self, id: &str, frames: Vec<Frame>) {
        let now = self.clock.now();
        let at = |f: &Frame| now + SignedDuration::try_from(f.after).unwrap();
        let mut due = self.due.lock().unwrap();
        due.extend(frames.into_iter().map(|frame| (at(&frame), id.to_owned(), frame)));
        due.sort_by_key(|(at, ..)| *at);
        drop(due);
        self.pass();
    }

    /// Shows what is due by now.
    pub(super) fn pass(&self) {
        let now = self.clock.now();
        let mut due = self.due.lock().unwrap();
        let later = due.iter().position(|(at, ..)| *at > now).unwrap_or(due.len());
        let frames: Vec<_> = due.drain(..later).collect();
        drop(due);
        let second = *self.now.lock().unwrap();
        let mut all = self.sessions.lock().unwrap();
        for (_, id, frame) in frames {
            let Some(session) = all.get_mut(&id) else { continue };
            session.activity = second;
            session.screen = frame.screen.unwrap_or_else(|| session.screen.clone());
            session.cursor = frame.cursor.unwrap_or(session.cursor);
            session.dead = frame.dead.or_else(|| session.dead.clone());
        }
    }
}
