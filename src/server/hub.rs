//! One profile for all pages that are open: what its sessions are like, and what changed since.
//!
//! Invariants: nothing is polled while no page is open; a page that comes back is given what it missed, or everything; what
//! is kept for that is bounded.

use std::collections::{BTreeMap, VecDeque};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use jiff::Timestamp;
use serde_json::{Value, json};
use tokio::sync::watch;

use super::api::view_session;
use crate::api::StatusCounts;
use crate::engine::{Carried, Engine, Notice, Notifier, Waker};
use crate::ops::{Cx, Snapshot, needy};

/// How many events are kept.
const MAX_EVENTS: usize = 1000;

/// What watches one profile.
pub struct Hub {
    state: Arc<Mutex<State>>,
    changed: watch::Sender<u64>,
    waker: Waker,
    viewers: Mutex<usize>,
    /// It lives as long as the hub.
    _engine: Engine,
}

#[derive(Default)]
struct State {
    /// The number of the last event.
    seq: u64,
    sessions: BTreeMap<String, Value>,
    counts: Value,
    needs_you: Vec<String>,
    /// The ids and names of the repositories.
    repositories: BTreeMap<String, String>,
    events: VecDeque<(u64, Value)>,
    snapshot: Option<Arc<Snapshot>>,
    /// The last request for a look that was answered.
    answers: u64,
    /// Why the sessions can't be seen.
    trouble: Option<String>,
    notifier: Notifier,
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

/// A page that is open. It is closed when this is dropped.
pub struct Presence {
    hub: Arc<Hub>,
    /// The look that was asked for when it was opened: what was seen before that is of another time.
    asked: u64,
}

impl Drop for Presence {
    fn drop(&mut self) {
        let mut viewers = lock(&self.hub.viewers);
        *viewers -= 1;
        if *viewers == 0 {
            self.hub.waker.rest();
        }
    }
}

impl Hub {
    /// Follows an engine, which rests until the first page is open.
    pub fn start(cx: Cx, engine: Engine) -> Self {
        let now = u64::try_from(Timestamp::now().as_millisecond()).unwrap_or_default();
        // A server that was started later has higher numbers: none of another one means anything here.
        let state = Arc::new(Mutex::new(State { seq: now * 1000, ..State::default() }));
        let changed = watch::channel(0).0;
        let waker = engine.waker();
        waker.rest();
        let mut polls = engine.subscribe();
        let (of, tell) = (state.clone(), changed.clone());
        let name = cx.profile.name.to_string();
        let mut carried = Carried::start(&cx)
            .inspect_err(|error| tracing::warn!(%error, "can't start the thread that follows transcripts"))
            .ok();
        tokio::spawn(async move {
            let mut version = None;
            while let Some(poll) = polls.next().await {
                if let (Some(carried), Ok(snapshot)) = (&mut carried, &poll.result) {
                    carried.follow(snapshot);
                }
                let is_new = match &poll.result {
                    Ok(snapshot) => lock(&of).take(snapshot, &name, version != Some(poll.version)),
                    Err(error) => lock(&of).fail(&error.to_string()),
                };
                version = Some(poll.version);
                // A page that waits for its look is told of it, also if it shows nothing new.
                let before = std::mem::replace(&mut lock(&of).answers, poll.answers);
                if is_new || before != poll.answers {
                    tell.send_modify(|n| *n += 1);
                }
            }
        });
        Self { state, changed, waker, viewers: Mutex::default(), _engine: engine }
    }

    /// Says that a page is open.
    pub fn enter(self: &Arc<Self>) -> Presence {
        let mut viewers = lock(&self.viewers);
        *viewers += 1;
        Presence { hub: self.clone(), asked: self.waker.poll() }
    }

    /// Changes each time that there is something new.
    pub fn changes(&self) -> watch::Receiver<u64> {
        self.changed.subscribe()
    }

    /// Has everything looked at soon: something was done.
    pub fn look(&self) {
        self.waker.changed();
    }

    /// What was seen last; nothing before the look that a page's opening asked for.
    pub fn snapshot(&self, of: &Presence) -> Option<Arc<Snapshot>> {
        let state = lock(&self.state);
        state.snapshot.clone().filter(|_| state.answers >= of.asked)
    }

    /// What a page lacks that has everything up to `since`, and the number up to which it then has everything; nothing before
    /// the first look.
    pub fn since(&self, of: &Presence, since: Option<u64>) -> Option<(u64, Vec<Value>)> {
        let state = lock(&self.state);
        if state.answers < of.asked || (state.snapshot.is_none() && state.trouble.is_none()) {
            return None;
        }
        let first = state.events.front().map_or(state.seq, |(seq, _)| seq - 1);
        if let Some(since) = since.filter(|since| *since >= first && *since <= state.seq) {
            let missed = state.events.iter().filter(|(seq, _)| *seq > since);
            return Some((state.seq, missed.map(|(_, event)| event.clone()).collect()));
        }
        Some((state.seq, vec![state.whole()]))
    }
}

impl State {
    fn whole(&self) -> Value {
        json!({
            "type": "snapshot",
            "seq": self.seq,
            "sessions": self.sessions.values().collect::<Vec<_>>(),
            "counts": self.counts,
            "needsYou": self.needs_you,
            "trouble": self.trouble,
        })
    }

    fn push(&mut self, mut event: Value) {
        self.seq += 1;
        if let Some(event) = event.as_object_mut() {
            event.insert("seq".to_owned(), self.seq.into());
        }
        self.events.push_back((self.seq, event));
        while self.events.len() > MAX_EVENTS {
            self.events.pop_front();
        }
    }

    /// Takes what was seen. Returns whether there is something new.
    fn take(&mut self, snapshot: &Arc<Snapshot>, profile: &str, is_new: bool) -> bool {
        let before = self.seq;
        let notice = self.notifier.take(snapshot, None);
        if is_new || self.trouble.is_some() {
            self.compare(snapshot, profile);
        }
        self.snapshot = Some(snapshot.clone());
        if let Some(Notice { text, sessions }) = notice {
            let id = sessions.first().map(ToString::to_string);
            let kind = sessions.first().and_then(|id| snapshot.state(id)).map(|s| s.verdict.status);
            let kind = kind.map(|status| status.to_string());
            self.push(
                json!({ "type": "notice", "id": id, "kind": kind, "sessions": sessions, "text": text }),
            );
        }
        is_new || self.seq != before
    }

    fn compare(&mut self, snapshot: &Snapshot, profile: &str) {
        let mut now = BTreeMap::new();
        for session in snapshot.profile.live_sessions() {
            let view = serde_json::to_value(view_session(snapshot, session, profile)).unwrap_or_default();
            now.insert(session.id.to_string(), view);
        }
        let states = snapshot.profile.live_sessions().filter_map(|s| snapshot.state(&s.id));
        let counts = StatusCounts::of(profile, states.map(|state| state.verdict.status));
        let counts = serde_json::to_value(counts).unwrap_or_default();
        let needs_you: Vec<String> = needy(snapshot).iter().map(|(s, _)| s.id.to_string()).collect();
        let gone: Vec<String> = self.sessions.keys().filter(|id| !now.contains_key(*id)).cloned().collect();
        for id in gone {
            self.push(json!({ "type": "gone", "id": id }));
        }
        let changed: Vec<Value> = now
            .iter()
            .filter(|(id, view)| self.sessions.get(*id) != Some(view))
            .map(|(_, v)| v.clone())
            .collect();
        for view in changed {
            self.push(json!({ "type": "session", "session": view }));
        }
        if (&self.counts, &self.needs_you) != (&counts, &needs_you) || self.trouble.is_some() {
            self.push(json!({ "type": "counts", "counts": counts, "needsYou": needs_you }));
        }
        let repositories: BTreeMap<String, String> =
            snapshot.profile.repositories.iter().map(|r| (r.id.clone(), r.name.clone())).collect();
        if self.snapshot.is_some() && repositories != self.repositories {
            let all: Vec<Value> =
                repositories.iter().map(|(id, name)| json!({ "id": id, "name": name })).collect();
            self.push(json!({ "type": "repositories", "repositories": all }));
        }
        self.repositories = repositories;
        (self.sessions, self.counts, self.needs_you, self.trouble) = (now, counts, needs_you, None);
    }

    fn fail(&mut self, why: &str) -> bool {
        if self.trouble.as_deref() == Some(why) {
            return false;
        }
        self.trouble = Some(why.to_owned());
        self.push(json!({ "type": "trouble", "message": why }));
        true
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_kept_of_events_is_bounded() {
        let mut state = State { seq: 5, ..State::default() };
        for _ in 0..MAX_EVENTS + 10 {
            state.push(json!({ "type": "notice", "text": "x" }));
        }
        assert_eq!(state.events.len(), MAX_EVENTS);
        assert_eq!(state.events.front().map(|(seq, _)| *seq), Some(16));
    }
}
