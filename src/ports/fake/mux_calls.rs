//! The multiplexer in memory, as the use cases ask it.

use super::agent::Input;
use super::mux::{FakeMux, FakeSession, own};
use crate::domain::id::SessionId;
use crate::domain::launch::Publish;
use crate::domain::session::Adopted;
use crate::domain::status::{HookNote, Resized, StartKind};
use crate::domain::worker::WorkerId;
use crate::ports::mux::{
    CreatedPane, ForeignPane, MuxError, MuxInput, MuxRead, MuxWrite, NewSession, NewWindow, PaneFacts,
    PaneList, PaneRef, PaneRow, RecordTags, Respawn, RespawnWindow, ScreenCapture, ServerId, SessionRef,
    SessionTags, Silence, Strangers, Tag, TagName, TerminalRow,
};

/// The session of a pane: each has one.
fn session_of(pane: &PaneRef) -> SessionRef {
    SessionRef::new(&pane.server, pane.pane.replace('%', "$"))
}

impl MuxRead for FakeMux {
    fn panes(&self, servers: &[ServerId], since: Option<i64>) -> Result<PaneList, MuxError> {
        if self.hangs.lock().unwrap().1 {
            return Err(MuxError::TimedOut(1));
        }
        self.pass();
        let row = |(id, s): (&String, &FakeSession)| {
            let get = |k: TagName| s.tags.get(&k).cloned().filter(|v| !v.is_empty());
            PaneRow {
                session: SessionRef::new(&s.server, id),
                name: s.new.name.clone(),
                pane: PaneRef::new(&s.server, id.replace('$', "%")),
                facts: PaneFacts {
                    pid: Some(s.pid),
                    dead: s.dead.clone(),
                    activity: s.activity,
                    reported: s.reported,
                    attached: s.attached,
                    is_current: true,
                    is_looked_at: s.attached > 0,
                    size: s.new.size,
                    title: String::new(),
                },
                tags: SessionTags {
                    id: get(TagName::Id).map(SessionId::new),
                    adopted: get(TagName::Adopted).and_then(|text| Adopted::parse(&text)),
                    memory: get(TagName::Status).unwrap_or_default(),
                    ack: get(TagName::Acknowledged).and_then(|v| v.parse().ok()),
                    answered: get(TagName::Answered).and_then(|v| v.parse().ok()),
                    resized: get(TagName::Resized).and_then(|text| Resized::parse(&text)),
                    started: get(TagName::Started).and_then(|v| v.parse().ok()),
                    start_kind: StartKind::from_word(&get(TagName::StartKind).unwrap_or_default()),
                    resume_id: get(TagName::ResumeId),
                    setup: None,
                    note: String::new(),
                    hook: get(TagName::Hook).and_then(|text| HookNote::parse(&text)),
                    port: None,
                },
            }
        };
        let moved = |s: &FakeSession| s.dead.is_some() || since.is_none_or(|at| s.activity >= at);
        let silent = self.silent.lock().unwrap();
        let answers = |s: &FakeSession| servers.contains(&s.server) && !silent.contains(&s.server);
        let all = self.sessions.lock().unwrap();
        let rows = all.iter().filter(|(_, s)| answers(s) && moved(s)).map(row).collect();
        let why = || Silence::Failed("it doesn't respond".to_owned());
        let unreached = servers.iter().filter(|s| silent.contains(s)).map(|s| (s.clone(), why())).collect();
        let windows = self.windows.lock().unwrap();
        let terminals = windows.iter().filter(|w| all.contains_key(&w.session.session)).cloned().collect();
        Ok(PaneList { at: *self.now.lock().unwrap(), rows, terminals, unreached })
    }

    fn foreign_panes(&self) -> Result<Strangers, MuxError> {
        let silent = self.silent.lock().unwrap();
        let pane = |(id, s): (&String, &FakeSession)| ForeignPane {
            session: SessionRef::new(&s.server, id),
            name: s.new.name.clone(),
            pane: PaneRef::new(&s.server, id.replace('$', "%")),
            pid: s.pid,
            deck_id: s.tags.get(&TagName::Id).filter(|id| !id.is_empty()).map(SessionId::new),
            title: String::new(),
        };
        let all = self.sessions.lock().unwrap();
        let foreign = all.iter().filter(|(_, s)| s.server != own() && !silent.contains(&s.server));
        Ok(Strangers { panes: foreign.map(pane).collect(), silent: silent.iter().cloned().collect() })
    }

    fn last_typed(&self, sessions: &[SessionRef]) -> Result<Vec<Option<i64>>, MuxError> {
        Ok(sessions.iter().map(|s| self.with(s, |s| s.typed_at).ok().flatten()).collect())
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
        self.seen.lock().unwrap().extend(panes.iter().map(|p| session_of(p).session));
        let of = |p: &PaneRef| {
            self.with(&SessionRef::new(&p.server, p.pane.replace('%', "$")), |s| s.screen.clone()).ok()
        };
        Ok(panes.iter().map(of).collect())
    }

    fn capture(&self, pane: &PaneRef, _: u32) -> Result<Option<ScreenCapture>, MuxError> {
        self.seen.lock().unwrap().insert(session_of(pane).session);
        let capture = |s: &mut FakeSession| ScreenCapture {
            lines: s.screen.lines().map(|l| l.as_bytes().to_vec()).collect(),
            size: s.new.size,
            cursor: s.cursor,
            ..ScreenCapture::default()
        };
        Ok(self.with(&session_of(pane), capture).ok())
    }

    fn history(&self, pane: &PaneRef, lines: u32) -> Result<Option<String>, MuxError> {
        let last = |s: &mut FakeSession| {
            let all: Vec<&str> = s.screen.lines().collect();
            all[all.len().saturating_sub(lines as usize)..].join(
                "
",
            )
        };
        Ok(self.with(&session_of(pane), last).ok())
    }

    fn last_session_of(&self, client: i32) -> Result<Option<SessionRef>, MuxError> {
        Ok(self.shown.lock().unwrap().clone().filter(|(of, _)| *of == client).map(|(_, session)| session))
    }

    fn version(&self) -> Result<String, MuxError> {
        Ok("fake".to_owned())
    }
}

impl MuxWrite for FakeMux {
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
        let id = self.insert(self.session(own(), new));
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

    fn create_window(&self, new: &NewWindow) -> Result<CreatedPane, MuxError> {
        let (name, of) =
            self.with(&new.session, |s| (s.new.name.clone(), s.tags.get(&TagName::Id).cloned()))?;
        let mut windows = self.windows.lock().unwrap();
        let pane = PaneRef::new(&new.session.server, format!("%1{:02}", windows.len()));
        windows.push(TerminalRow {
            session: new.session.clone(),
            name,
            pane: pane.clone(),
            of: SessionId::new(of.unwrap_or_default()),
            worker: new.worker.clone(),
            facts: PaneFacts { pid: Some(43), ..PaneFacts::default() },
        });
        Ok(CreatedPane { session: new.session.clone(), pane, pid: Some(43) })
    }

    fn create_with_terminal(&self, _: &NewSession, _: &WorkerId) -> Result<CreatedPane, MuxError> {
        Err(MuxError::Refused {
            command: "new-session".into(),
            message: "the fake has no terminals alone".into(),
        })
    }

    fn respawn_window(&self, respawn: &RespawnWindow) -> Result<(), MuxError> {
        let mut windows = self.windows.lock().unwrap();
        windows.iter_mut().filter(|w| w.pane == respawn.pane).for_each(|w| w.facts.dead = None);
        Ok(())
    }

    fn publish(&self) -> Publish {
        Publish {
            id: |_| "publish \"$id\"\n".to_owned(),
            note: |note| format!("note '{note}'\n"),
            setup: || "note-setup $code\n".to_owned(),
            settle: || "settle\n".to_owned(),
        }
    }

    fn tag(&self, session: &SessionRef, tags: &[Tag]) -> Result<(), MuxError> {
        self.with(session, |s| {
            s.tags.extend(tags.iter().map(|t| (t.name, t.value.clone())));
        })?;
        self.tagged.lock().unwrap().extend(tags.iter().map(|t| (session.clone(), t.clone())));
        Ok(())
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

    fn close(&self, pane: &PaneRef) -> Result<(), MuxError> {
        let mut windows = self.windows.lock().unwrap();
        let count = windows.len();
        windows.retain(|w| w.pane != *pane);
        if windows.len() != count {
            return Ok(());
        }
        drop(windows);
        self.kill(&session_of(pane))
    }

    fn resize(
        &self,
        _: &PaneRef,
        (columns, rows): (u16, u16),
        tag: Option<(&SessionRef, &Tag)>,
    ) -> Result<(), MuxError> {
        let Some((session, tag)) = tag else { return Ok(()) };
        self.with(session, |s| {
            if s.attached == 0 && s.new.size != (columns, rows) {
                s.new.size = (columns, rows);
                s.tags.insert(tag.name, tag.value.clone());
            }
        })
    }

    fn rearm(&self, sessions: &[SessionRef]) -> Result<(), MuxError> {
        let silent = self.silent.lock().unwrap().clone();
        if sessions.iter().any(|s| silent.contains(&s.server)) {
            return Err(MuxError::TimedOut(1));
        }
        sessions.iter().try_for_each(|session| self.with(session, |s| s.reported = false))
    }

    fn reap(&self) -> Result<(), MuxError> {
        if self.silent.lock().unwrap().contains(&own()) { Err(MuxError::TimedOut(1)) } else { Ok(()) }
    }

    fn shut_down(&self) -> Result<(), MuxError> {
        Ok(())
    }
}

impl MuxInput for FakeMux {
    fn keys(&self, pane: &PaneRef, keys: &[&str]) -> Result<(), MuxError> {
        keys.iter().try_for_each(|key| self.give(&session_of(pane), Input::Key((*key).to_owned())))
    }

    fn type_text(&self, pane: &PaneRef, text: &str) -> Result<(), MuxError> {
        if *self.refuse.lock().unwrap() {
            return Err(MuxError::Refused { command: "send-keys".into(), message: "no".into() });
        }
        self.give(&session_of(pane), Input::Text(text.to_owned()))
    }

    fn paste(&self, pane: &PaneRef, text: &str) -> Result<(), MuxError> {
        self.give(&session_of(pane), Input::Paste(text.to_owned()))
    }

    fn wheel(&self, pane: &PaneRef, up: bool) -> Result<(), MuxError> {
        self.give(&session_of(pane), Input::Wheel(up))
    }
}

#[cfg(feature = "web")]
impl crate::ports::mux::MuxWatch for FakeMux {
    fn instant(&self, pane: &PaneRef, _: u32) -> Result<Option<crate::domain::frame::Capture>, MuxError> {
        let capture = |s: &mut FakeSession| {
            let (columns, height) = s.new.size;
            let mut rows: Vec<Vec<u8>> = s.screen.lines().map(|l| l.as_bytes().to_vec()).collect();
            rows.resize(usize::from(height), Vec::new());
            let cursor = s.cursor.unwrap_or_default();
            let facts = crate::domain::frame::Facts {
                size: (columns, height),
                cursor,
                cursor_shown: s.cursor.is_some(),
                limit: 2000,
                pid: Some(s.pid),
                ..crate::domain::frame::Facts::default()
            };
            crate::domain::frame::Capture { facts, rows }
        };
        Ok(self.with(&session_of(pane), capture).ok())
    }

    fn older(&self, pane: &PaneRef, _: u32, _: u32) -> Result<Option<Vec<Vec<u8>>>, MuxError> {
        Ok(self.with(&session_of(pane), |_| Vec::new()).ok())
    }

    fn bytes(&self, pane: &PaneRef, bytes: &[u8]) -> Result<(), MuxError> {
        self.give(&session_of(pane), Input::Text(String::from_utf8_lossy(bytes).into_owned()))
    }
}
