//! In-memory stand-ins for the ports, for tests of the use cases.

use std::collections::BTreeMap;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use jiff::{SignedDuration, Timestamp};

use super::host::Running;
use super::mux::{
    CreatedPane, Mux, MuxError, NewSession, PaneFacts, PaneList, PaneRef, PaneRow, RecordTags, Respawn,
    ScreenCapture, ServerId, SessionRef, SessionTags, Strangers, Tag, TagName,
};
use super::reports::{Asked, Report};
use super::store::{Loaded, Stamp};
use super::{Catalogue, Clock, History, Host, Reports, Store, StoreError, ToolEntry};
use crate::domain::conversation::{Counted, Digest, Found, Said};
use crate::domain::id::SessionId;
use crate::domain::launch::Publish;
use crate::domain::profile::Profile;
use crate::domain::session::{Adopted, StartedProcess};
use crate::domain::status::{Change, Exit, HookNote, StartKind};
use crate::domain::tool::Tool;

/// One session on the fake server.
#[derive(Debug, Clone)]
pub struct FakeSession {
    pub new: NewSession,
    pub tags: BTreeMap<TagName, String>,
    pub env: BTreeMap<String, String>,
    pub screen: String,
    pub dead: Option<Exit>,
    pub activity: i64,
    /// Whether its window has reported a change.
    pub reported: bool,
    pub starts: u32,
}

/// The fake's own server.
pub fn own() -> ServerId {
    ServerId::from("s")
}

/// A multiplexer in memory.
#[derive(Debug, Default)]
pub struct FakeMux {
    pub sessions: Mutex<BTreeMap<String, FakeSession>>,
    pub now: Mutex<i64>,
    pub refuse: Mutex<bool>,
    /// Whether it stops answering at the next creation, and whether it has.
    pub hangs: Mutex<(bool, bool)>,
    pub captured: Mutex<usize>,
}

impl FakeMux {
    pub fn change(&self, name: &str, act: impl FnOnce(&mut FakeSession)) {
        let mut all = self.sessions.lock().unwrap();
        act(all.values_mut().find(|s| s.new.name.starts_with(name)).expect("no such session"));
    }

    fn with<T>(&self, session: &SessionRef, act: impl FnOnce(&mut FakeSession) -> T) -> Result<T, MuxError> {
        let mut all = self.sessions.lock().unwrap();
        let gone = || MuxError::Refused { command: "fake".into(), message: "can't find session".into() };
        all.get_mut(&session.session).map(act).ok_or_else(gone)
    }
}

impl Mux for FakeMux {
    fn include(&self, _: &[&ServerId]) {}

    fn foreign_panes(&self) -> Result<Strangers, MuxError> {
        Ok(Strangers::default())
    }

    fn panes(&self, since: Option<i64>) -> Result<PaneList, MuxError> {
        if self.hangs.lock().unwrap().1 {
            return Err(MuxError::TimedOut(1));
        }
        let row = |(id, s): (&String, &FakeSession)| {
            let get = |k: TagName| s.tags.get(&k).cloned().filter(|v| !v.is_empty());
            PaneRow {
                session: SessionRef::new(&own(), id),
                name: s.new.name.clone(),
                pane: PaneRef::new(&own(), id.replace('$', "%")),
                facts: PaneFacts {
                    pid: Some(42),
                    dead: s.dead.clone(),
                    activity: s.activity,
                    reported: s.reported,
                    attached: 0,
                    size: s.new.size,
                    title: String::new(),
                },
                tags: SessionTags {
                    id: get(TagName::Id).map(SessionId::new),
                    adopted: get(TagName::Adopted).and_then(|text| Adopted::parse(&text)),
                    memory: get(TagName::Status).unwrap_or_default(),
                    ack: get(TagName::Acknowledged).and_then(|v| v.parse().ok()),
                    answered: get(TagName::Answered).and_then(|v| v.parse().ok()),
                    started: get(TagName::Started).and_then(|v| v.parse().ok()),
                    start_kind: StartKind::from_word(&get(TagName::StartKind).unwrap_or_default()),
                    resume_id: get(TagName::ResumeId),
                    note: String::new(),
                    hook: get(TagName::Hook).and_then(|text| HookNote::parse(&text)),
                    port: None,
                },
            }
        };
        let moved = |s: &FakeSession| s.dead.is_some() || since.is_none_or(|at| s.activity >= at);
        let rows = self.sessions.lock().unwrap().iter().filter(|(_, s)| moved(s)).map(row).collect();
        Ok(PaneList { at: *self.now.lock().unwrap(), rows, ..PaneList::default() })
    }

    fn record_tags(&self, sessions: &[SessionRef]) -> Result<Vec<Option<RecordTags>>, MuxError> {
        let of = |s: &SessionRef| {
            let tags = self.with(s, |s| s.tags.clone()).ok()?;
            let get = |k: TagName| tags.get(&k).cloned().unwrap_or_default();
            Some(RecordTags {
                home: get(TagName::Home),
                profile: get(TagName::Profile),
                title: get(TagName::Title),
                tool: get(TagName::Tool),
                command: get(TagName::Command),
                path: get(TagName::Path),
                group: get(TagName::Group),
            })
        };
        Ok(sessions.iter().map(of).collect())
    }

    fn environment(&self, wanted: &[(SessionRef, String)]) -> Result<Vec<Option<String>>, MuxError> {
        Ok(wanted.iter().map(|(s, n)| self.with(s, |s| s.env.get(n).cloned()).ok().flatten()).collect())
    }

    fn screens(&self, panes: &[PaneRef]) -> Result<Vec<Option<String>>, MuxError> {
        *self.captured.lock().unwrap() += panes.len();
        let of = |p: &PaneRef| {
            self.with(&SessionRef::new(&p.server, p.pane.replace('%', "$")), |s| s.screen.clone()).ok()
        };
        Ok(panes.iter().map(of).collect())
    }

    fn wheel(&self, _: &PaneRef, _: bool) -> Result<(), MuxError> {
        Ok(())
    }

    fn capture(&self, _: &PaneRef, _: u32) -> Result<Option<ScreenCapture>, MuxError> {
        Ok(None)
    }

    fn history(&self, _: &PaneRef, _: u32) -> Result<Option<String>, MuxError> {
        Ok(None)
    }

    fn create(&self, new: &NewSession) -> Result<CreatedPane, MuxError> {
        let mut hangs = self.hangs.lock().unwrap();
        if hangs.0 {
            hangs.1 = true;
            return Err(MuxError::TimedOut(1));
        }
        drop(hangs);
        if *self.refuse.lock().unwrap() {
            return Err(MuxError::Refused { command: "new-session".into(), message: "no".into() });
        }
        let mut all = self.sessions.lock().unwrap();
        let id = format!("${}", all.len() + 1);
        let session = FakeSession {
            tags: new.tags.iter().map(|t| (t.name, t.value.clone())).collect(),
            env: new.env.clone(),
            new: new.clone(),
            screen: String::new(),
            dead: None,
            activity: *self.now.lock().unwrap(),
            reported: false,
            starts: 1,
        };
        all.insert(id.clone(), session);
        Ok(CreatedPane {
            session: SessionRef::new(&own(), id.as_str()),
            pane: PaneRef::new(&own(), id.replace('$', "%")),
            pid: Some(42),
        })
    }

    fn respawn(&self, respawn: &Respawn) -> Result<CreatedPane, MuxError> {
        self.with(&respawn.session, |s| {
            s.dead = None;
            s.starts += 1;
            s.tags.extend(respawn.tags.iter().map(|t| (t.name, t.value.clone())));
        })?;
        Ok(CreatedPane { session: respawn.session.clone(), pane: respawn.pane.clone(), pid: Some(42) })
    }

    fn publish(&self) -> Publish {
        Publish { id: |_| "publish \"$id\"\n".to_owned(), note: |note| format!("note '{note}'\n") }
    }

    fn tag(&self, session: &SessionRef, tags: &[Tag]) -> Result<(), MuxError> {
        self.with(session, |s| {
            s.tags.extend(tags.iter().map(|t| (t.name, t.value.clone())));
        })
    }

    fn tag_each(&self, tags: &[(SessionRef, Tag)]) -> Result<(), MuxError> {
        tags.iter().for_each(|(s, tag)| drop(self.tag(s, std::slice::from_ref(tag))));
        Ok(())
    }

    fn set_environment(&self, session: &SessionRef, name: &str, value: &str) -> Result<(), MuxError> {
        self.with(session, |s| drop(s.env.insert(name.to_owned(), value.to_owned())))
    }

    fn kill(&self, session: &SessionRef) -> Result<(), MuxError> {
        self.sessions.lock().unwrap().remove(&session.session);
        Ok(())
    }

    fn close(&self, _: &PaneRef) -> Result<(), MuxError> {
        Ok(())
    }

    fn keys(&self, _: &PaneRef, _: &[&str]) -> Result<(), MuxError> {
        Ok(())
    }

    fn type_text(&self, _: &PaneRef, _: &str) -> Result<(), MuxError> {
        if *self.refuse.lock().unwrap() {
            return Err(MuxError::Refused { command: "send-keys".into(), message: "no".into() });
        }
        Ok(())
    }

    fn paste(&self, _: &PaneRef, _: &str) -> Result<(), MuxError> {
        Ok(())
    }

    fn rearm(&self, sessions: &[SessionRef]) -> Result<(), MuxError> {
        for session in sessions {
            self.with(session, |s| s.reported = false)?;
        }
        Ok(())
    }

    fn reap(&self) -> Result<(), MuxError> {
        Ok(())
    }

    fn version(&self) -> Result<String, MuxError> {
        Ok("fake".to_owned())
    }

    fn shut_down(&self) -> Result<(), MuxError> {
        Ok(())
    }
}

/// A profile in memory.
#[derive(Debug, Default)]
pub struct FakeStore(pub Mutex<Profile>);

impl Store for FakeStore {
    fn load(&self) -> Result<Loaded, StoreError> {
        Ok(Loaded { profile: self.0.lock().unwrap().clone(), exists: true, recovered: None })
    }

    fn change(&self, change: &mut dyn FnMut(&mut Profile) -> bool) -> Result<Loaded, StoreError> {
        let mut profile = self.0.lock().unwrap().clone();
        if change(&mut profile) {
            profile.revision += 1;
            *self.0.lock().unwrap() = profile;
        }
        self.load()
    }

    fn stamp(&self) -> Option<Stamp> {
        Some(Stamp { inode: 1, modified: i128::from(self.0.lock().unwrap().revision), size: 0 })
    }
}

/// Time that advances when it is waited for, and ids in order.
#[derive(Debug)]
pub struct FakeClock(Mutex<(Timestamp, u32)>);

impl Default for FakeClock {
    fn default() -> Self {
        Self(Mutex::new((Timestamp::from_second(1_000_000).unwrap(), 0)))
    }
}

impl FakeClock {
    pub fn pass(&self, seconds: i64) {
        self.0.lock().unwrap().0 += SignedDuration::from_secs(seconds);
    }

    fn next(&self) -> u32 {
        let mut state = self.0.lock().unwrap();
        state.1 += 1;
        state.1
    }
}

impl Clock for FakeClock {
    fn now(&self) -> Timestamp {
        self.0.lock().unwrap().0
    }

    fn pause(&self, time: Duration) {
        self.0.lock().unwrap().0 += SignedDuration::try_from(time).unwrap();
    }

    fn new_session_id(&self) -> SessionId {
        SessionId::new(format!("0197c0de-0000-7000-8000-{:012}", self.next()))
    }

    fn new_conversation_id(&self) -> String {
        format!("conversation-{}", self.next())
    }
}

/// A machine on which everything exists.
#[derive(Debug, Default)]
pub struct FakeHost {
    pub ended: Mutex<Vec<i32>>,
    /// What has the foreground of a shell.
    pub front: Mutex<Option<Running>>,
    /// What can be read; where there is none, everything can and is empty.
    pub files: std::collections::BTreeMap<PathBuf, String>,
}

impl Host for FakeHost {
    fn is_dir(&self, path: &Path) -> bool {
        !path.ends_with("missing")
    }

    fn version_of(&self, _: &Path) -> Option<String> {
        None
    }

    fn is_private(&self, _: &Path) -> bool {
        true
    }

    fn exists(&self, _: &Path) -> bool {
        false
    }

    fn find_program(&self, program: &str, _: &str, _: &Path) -> Option<PathBuf> {
        (program != "missing").then(|| Path::new("/bin").join(program))
    }

    fn read(&self, path: &Path) -> io::Result<String> {
        if self.files.is_empty() {
            return Ok(String::new());
        }
        self.files.get(path).cloned().ok_or_else(|| io::ErrorKind::NotFound.into())
    }

    fn put(&self, _: &Path, _: &str) -> io::Result<()> {
        Ok(())
    }

    fn hold(&self, _: &Path, _: std::time::Duration) -> io::Result<Option<std::fs::File>> {
        tempfile::tempfile().map(Some)
    }

    fn release(&self, _: &Path, _: std::fs::File) {}

    fn any_file(&self, _: &str) -> bool {
        true
    }

    fn find_file(&self, pattern: &str) -> Option<PathBuf> {
        Some(PathBuf::from(pattern))
    }

    fn free_port(&self) -> io::Result<u16> {
        Ok(4096)
    }

    fn end_group(&self, pid: i32) -> io::Result<()> {
        self.ended.lock().unwrap().push(pid);
        Ok(())
    }

    fn started(&self, pid: i32) -> Option<StartedProcess> {
        Some(StartedProcess { pid, start: 1 })
    }

    fn end_leftovers(&self, _: StartedProcess, _: &SessionId, _: &str) -> io::Result<()> {
        Ok(())
    }

    fn front(&self, _: i32) -> Option<Running> {
        self.front.lock().unwrap().clone()
    }

    fn foreground(&self, _: i32) -> Vec<Running> {
        Vec::new()
    }

    fn variable(&self, _: i32, _: &str) -> Option<String> {
        None
    }

    fn lives(&self, _: i32) -> bool {
        true
    }

    fn group_lives(&self, _: i32) -> bool {
        false
    }
}

/// Agents that report what they are told to.
#[derive(Debug, Default)]
pub struct FakeReports(pub Mutex<Report>);

impl Reports for FakeReports {
    fn reports(&self, asked: &[Asked<'_>]) -> Vec<Report> {
        asked.iter().map(|_| self.0.lock().unwrap().clone()).collect()
    }

    fn said(&self, _: &Asked<'_>) -> Vec<Said> {
        Vec::new()
    }

    fn conversations(&self, _: &Asked<'_>, _: Option<&Path>, _: usize) -> Vec<Found> {
        Vec::new()
    }

    fn count(&self, _: &Asked<'_>, _: u64) -> Option<Counted> {
        None
    }

    fn digest(&self, _: &Asked<'_>) -> Option<Digest> {
        None
    }
}

/// Changes in memory.
#[derive(Debug, Default)]
pub struct FakeHistory(pub Mutex<Vec<(SessionId, Change)>>);

impl History for FakeHistory {
    fn note(&self, session: &SessionId, change: &Change) -> io::Result<()> {
        self.0.lock().unwrap().push((session.clone(), change.clone()));
        Ok(())
    }

    fn changes(&self, session: &SessionId) -> io::Result<Vec<Change>> {
        let all = self.0.lock().unwrap();
        Ok(all.iter().filter(|(id, _)| id == session).map(|(_, c)| c.clone()).collect())
    }
}

/// Tools from a list.
#[derive(Debug, Default)]
pub struct FakeTools(pub Vec<Arc<ToolEntry>>);

impl FakeTools {
    pub fn of(tools: Vec<Tool>) -> Self {
        Self(tools.into_iter().map(|t| Arc::new(ToolEntry::trusted(t))).collect())
    }
}

impl Catalogue for FakeTools {
    fn tool(&self, name: &str) -> Option<Arc<ToolEntry>> {
        self.0.iter().find(|e| e.tool.name == name).cloned()
    }

    fn all(&self) -> Vec<Arc<ToolEntry>> {
        self.0.clone()
    }

    fn tool_of(&self, command: &str) -> (String, String) {
        match self.tool(command) {
            Some(_) => (command.to_owned(), String::new()),
            None => ("custom".to_owned(), command.to_owned()),
        }
    }

    fn unset_env(&self) -> Vec<String> {
        Vec::new()
    }
}
