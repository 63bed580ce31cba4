//! A pane of an agent or a terminal, for a tab of a page.
//!
//! Invariants: input is typed in the order in which it came, and said to be taken only when tmux took it; a page only looks
//! unless its user does something.

use std::sync::Arc;

use serde_json::{Value, json};

use super::message::FromPage;
use super::size::Shown;
use super::{Close, Got, Socket, image};
use crate::domain::cells;
use crate::domain::frame::Position;
use crate::domain::id::SessionId;
use crate::domain::key_name::key_name;
use crate::domain::status::{Exit, Status};
use crate::engine::{Update, Viewer};
use crate::ops::{Cx, OpError, PaneInput, type_into};
use crate::ports::mux::{Mux, MuxError, PaneRef};
use crate::server::app::App;
use crate::server::error::ApiError;
use crate::server::hub::{Hub, Presence};
use crate::server::route::{Effect, WorkerOf, worker_of};

/// The most lines that are asked for at once.
const MAX_LINES: u32 = 2000;
/// The most turns of the wheel in one message.
const MAX_TURNS: u8 = 10;
/// The most bytes in a message that is no image.
const MAX_TEXT: usize = 64 * 1024;

/// What a socket is for.
#[derive(Debug, Clone)]
pub struct Tab {
    pub session: SessionId,
    pub worker: String,
    pub from: Option<Position>,
}

/// Serves a tab until its page is closed.
pub async fn worker(mut socket: Socket, app: App, cx: Cx, hub: Arc<Hub>, tab: Tab) {
    let presence = hub.enter();
    let mut view = View {
        app,
        cx,
        presence,
        hub,
        tab,
        shown: None,
        viewer: None,
        hidden: false,
        told: Value::Null,
        size: Value::Null,
        seen: None,
        fitted: None,
    };
    let why = view.serve(&mut socket).await;
    view.leave().await;
    drop(view);
    socket.close(why).await;
}

struct View {
    app: App,
    cx: Cx,
    presence: Presence,
    hub: Arc<Hub>,
    tab: Tab,
    shown: Option<Shown>,
    viewer: Option<Viewer>,
    hidden: bool,
    /// What was said last of its activity.
    told: Value,
    /// What was said last of its size.
    size: Value,
    /// The size of the picture that the page has.
    seen: Option<(u16, u16)>,
    /// The size before it was fitted to this page, and that which it has since.
    fitted: Option<((u16, u16), (u16, u16))>,
}

/// What a page types.
enum Typed {
    /// What its terminal sends.
    Bytes(Vec<u8>),
    Input(PaneInput),
}

impl Typed {
    fn into_pane(self, mux: &dyn Mux, pane: &PaneRef) -> Result<(), MuxError> {
        match self {
            Self::Bytes(bytes) => mux.bytes(pane, &bytes),
            Self::Input(input) => type_into(mux, pane, &input),
        }
    }
}

/// What there is of a tab.
enum Found {
    /// Nothing is known yet.
    Unknown,
    /// There is no such worker.
    None,
    Agent(Option<Shown>, Option<Status>, Value, Option<Exit>),
    Terminal(Option<Shown>, Option<i32>),
}

impl View {
    async fn serve(&mut self, socket: &mut Socket) -> Close {
        let mut changes = self.hub.changes();
        // What is typed before it is known where to waits.
        while matches!(self.find(), Found::Unknown) {
            if let Err(why) = socket.hold(changes.changed()).await {
                return why;
            }
        }
        loop {
            changes.mark_unchanged();
            if let Err(why) = self.look(socket).await {
                return why;
            }
            loop {
                let step = tokio::select! {
                    changed = changes.changed() => match changed {
                        Ok(()) => break,
                        Err(_) => Err(Close::Restart),
                    },
                    update = next(&mut self.viewer) => self.show(socket, update).await,
                    got = socket.next() => match got {
                        Ok(Got::Text(text)) => self.take(socket, &text).await,
                        Ok(Got::Nothing) => Ok(()),
                        Err(why) => Err(why),
                    },
                };
                if let Err(why) = step {
                    return why;
                }
            }
        }
    }

    fn find(&self) -> Found {
        let Some(snapshot) = self.hub.snapshot(&self.presence) else { return Found::Unknown };
        let id = &self.tab.session;
        let Some(session) = snapshot.profile.session(id).filter(|s| s.is_live()) else { return Found::None };
        let agent = |of: &crate::domain::session::Session| {
            let state = snapshot.state(&of.id);
            let row = state.and_then(|s| s.row.clone());
            let status = state.map(|s| s.verdict.status);
            let reason = state.and_then(|s| s.verdict.reason.as_ref()).map(|r| r.to_string().into());
            let exit = row.as_ref().and_then(|r| r.facts.dead.clone());
            let shown = row.map(|row| Shown {
                session: of.clone(),
                pane: row.pane.clone(),
                attached: row.facts.attached > 0,
                row: Some(row),
            });
            Found::Agent(shown, status, reason.unwrap_or_default(), exit)
        };
        match worker_of(&snapshot.profile, session, &self.tab.worker) {
            None => Found::None,
            Some(WorkerOf::Agent) => agent(session),
            Some(WorkerOf::Further(further)) => agent(&further),
            Some(WorkerOf::Record(worker)) if worker.is_terminal() => {
                let state = snapshot.state(id);
                let listed =
                    state.and_then(|s| s.workers.iter().find(|w| w.id == worker.id.as_str()).cloned());
                let attached = state.and_then(|s| s.row.as_ref()).is_some_and(|row| row.facts.attached > 0);
                let exit = listed.as_ref().and_then(|l| match l.exit {
                    Some(Exit::Code(code)) => Some(code),
                    _ => None,
                });
                let shown = listed.and_then(|l| l.pane).map(|pane| Shown {
                    session: session.clone(),
                    pane,
                    row: None,
                    attached,
                });
                Found::Terminal(shown, exit)
            }
            Some(WorkerOf::Record(_)) => Found::None,
        }
    }

    /// Looks which pane it is now, and says what is new about it.
    async fn look(&mut self, socket: &mut Socket) -> Result<(), Close> {
        let (shown, told, exit) = match self.find() {
            Found::Unknown => return Ok(()),
            Found::None => return Err(Close::Gone),
            Found::Agent(shown, status, reason, exit) => {
                let state = match status {
                    Some(Status::Running | Status::Starting) => "active",
                    Some(Status::Waiting) => "asking",
                    Some(Status::Idle) => "idle",
                    _ => "unknown",
                };
                let status = status.map(|s| s.to_string());
                let told = json!({ "type": "activity", "state": state, "status": status, "reason": reason });
                let exit = exit.map(|exit| {
                    let (code, signal) = match exit {
                        Exit::Code(code) => (Some(code), None),
                        Exit::Signal(signal) => (None, Some(signal)),
                        // How it ended isn't known.
                        _ => (None, None),
                    };
                    json!({ "type": "exit", "exitCode": code, "signal": signal })
                });
                (shown, told, exit)
            }
            Found::Terminal(shown, exit) => {
                let exit = exit.map(|code| json!({ "type": "exit", "exitCode": code, "signal": null }));
                (
                    shown,
                    json!({ "type": "activity", "state": "unknown", "status": null, "reason": null }),
                    exit,
                )
            }
        };
        let pane = shown.as_ref().map(|s| s.pane.clone());
        if pane != self.shown.as_ref().map(|s| s.pane.clone()) || (self.viewer.is_none() && !self.hidden) {
            let from = self.tab.from.take();
            self.viewer = match pane.filter(|_| !self.hidden) {
                Some(pane) => match self.app.panes.watch(&pane, from) {
                    Ok(viewer) => Some(viewer),
                    Err(error) => {
                        socket.send_error(&error.into(), None).await?;
                        None
                    }
                },
                None => None,
            };
        }
        self.shown = shown;
        let both = json!([told, exit]);
        if both != self.told {
            socket.send(&told).await?;
            if let Some(exit) = exit {
                socket.send(&exit).await?;
            }
            self.told = both;
        }
        self.tell_size(socket, false).await
    }

    /// Says which size it has, and who holds it.
    async fn tell_size(&mut self, socket: &mut Socket, always: bool) -> Result<(), Close> {
        let (Some(shown), Some((cols, rows))) = (&self.shown, self.seen) else { return Ok(()) };
        let held_by = match (shown.attached, self.fitted) {
            (true, _) => Some("terminal"),
            (false, Some(_)) => Some("page"),
            (false, None) => None,
        };
        let size = json!({ "type": "size", "cols": cols, "rows": rows, "held_by": held_by });
        if always || size != self.size {
            socket.send(&size).await?;
            self.size = size;
        }
        Ok(())
    }

    async fn show(&mut self, socket: &mut Socket, update: Update) -> Result<(), Close> {
        match update {
            Update::Whole(keyframe, at) => {
                let (cols, rows) = keyframe.size;
                let whole = json!({
                    "type": "history", "data": keyframe.data, "cols": cols, "rows": rows, "lines": keyframe.lines,
                    "before": keyframe.first, "more": keyframe.first > 0, "offset": at.offset, "epoch": at.epoch,
                });
                socket.send(&whole).await?;
                self.seen = Some(keyframe.size);
                self.tell_size(socket, false).await
            }
            Update::Output(data, at, behind) => {
                let mut message =
                    json!({ "type": "output", "data": data, "offset": at.offset, "epoch": at.epoch });
                if behind && let Some(message) = message.as_object_mut() {
                    message.insert("behind".to_owned(), true.into());
                }
                socket.send(&message).await
            }
            Update::Gone => {
                // The next look says what became of it.
                self.viewer = None;
                self.hub.look();
                Ok(())
            }
        }
    }

    async fn take(&mut self, socket: &mut Socket, text: &str) -> Result<(), Close> {
        let message: FromPage = match serde_json::from_str(text) {
            Ok(message) => message,
            Err(error) => {
                let words = format!("invalid message: {}", crate::domain::text::clean(&error.to_string()));
                return socket.send_error(&ApiError::usage(words), None).await;
            }
        };
        if message.effect() == Effect::Changes && socket.read_only() {
            return Err(Close::ReadOnly);
        }
        if text.len() > MAX_TEXT && !matches!(message, FromPage::Image { .. }) {
            return socket.send_error(&ApiError::too_large(MAX_TEXT), None).await;
        }
        match message {
            FromPage::Input { data, id } => self.input(socket, Typed::Bytes(data.into_bytes()), id).await,
            FromPage::Paste { data, id } => {
                self.input(socket, Typed::Input(PaneInput::Paste(data)), id).await
            }
            FromPage::Key { name, ctrl, alt, shift, id } => {
                let held = [(ctrl, "ctrl-"), (alt, "alt-"), (shift, "shift-")];
                let held: String = held.iter().filter(|(on, _)| *on).map(|(_, word)| *word).collect();
                match key_name(&format!("{held}{name}")) {
                    Some(key) => self.input(socket, Typed::Input(PaneInput::Key(key)), id).await,
                    None => {
                        let words = format!("unknown key {name:?}");
                        socket.send_error(&ApiError::usage(words), id.as_ref()).await
                    }
                }
            }
            FromPage::Wheel { up, times } => {
                for _ in 0..times.min(MAX_TURNS) {
                    self.input(socket, Typed::Input(PaneInput::Wheel(up)), None).await?;
                }
                Ok(())
            }
            FromPage::Resize { cols, rows, take } => self.resize(socket, (cols, rows), take).await,
            FromPage::Hidden { on } => {
                self.hidden = on;
                if on {
                    self.viewer = None;
                    return Ok(());
                }
                self.look(socket).await
            }
            FromPage::More { before, lines } => self.older(socket, before, lines).await,
            FromPage::Image { data, mime_type, id } => self.image(socket, data, mime_type, id).await,
        }
    }

    /// Types into the pane, and says that it was taken.
    async fn input(&mut self, socket: &mut Socket, input: Typed, id: Option<Value>) -> Result<(), Close> {
        let Some(shown) = &self.shown else {
            let error = ApiError::refused("nothing runs here").hint("start the session first");
            return socket.send_error(&error, id.as_ref()).await;
        };
        let (mux, pane) = (self.cx.mux.clone(), shown.pane.clone());
        let done = tokio::task::spawn_blocking(move || input.into_pane(&*mux, &pane)).await;
        if let Some(viewer) = &self.viewer {
            viewer.typed();
        }
        match done {
            Ok(Ok(())) => match id {
                Some(id) => socket.send(&json!({ "type": "took", "id": id })).await,
                None => Ok(()),
            },
            Ok(Err(error)) => {
                let error = ApiError::of(&OpError::from(error), &*self.app.settings.hint);
                socket.send_error(&error, id.as_ref()).await
            }
            Err(_) => socket.send_error(&ApiError::failed("internal error"), id.as_ref()).await,
        }
    }

    async fn resize(&mut self, socket: &mut Socket, size: (u16, u16), take: bool) -> Result<(), Close> {
        let Some(shown) = self.shown.clone() else { return Ok(()) };
        if !take || !shown.is_free() {
            return self.tell_size(socket, true).await;
        }
        let cx = self.cx.clone();
        let Some(before) = self.now().await else { return Ok(()) };
        let fitted = tokio::task::spawn_blocking(move || shown.fit(&cx, size)).await;
        match fitted {
            Ok(Ok(now)) => {
                let first = self.fitted.map_or(before, |(first, _)| first);
                self.fitted = Some((first, now));
                self.hub.look();
                Ok(())
            }
            Ok(Err(error)) => {
                let error = ApiError::of(&error, &*self.app.settings.hint);
                socket.send_error(&error, None).await
            }
            Err(_) => socket.send_error(&ApiError::failed("internal error"), None).await,
        }
    }

    /// The size that the pane has.
    async fn now(&self) -> Option<(u16, u16)> {
        let (mux, pane) = (self.cx.mux.clone(), self.shown.as_ref()?.pane.clone());
        let capture = tokio::task::spawn_blocking(move || mux.instant(&pane, 0)).await;
        Some(capture.ok()?.ok()??.facts.size)
    }

    async fn older(&mut self, socket: &mut Socket, before: u64, lines: u32) -> Result<(), Close> {
        let (Some(shown), Some(viewer)) = (&self.shown, &self.viewer) else { return Ok(()) };
        // Lines are counted from the last one that scrolled away.
        let newer = u32::try_from(viewer.line().saturating_sub(before)).unwrap_or(u32::MAX);
        let (mux, pane, lines) = (self.cx.mux.clone(), shown.pane.clone(), lines.min(MAX_LINES));
        let rows = tokio::task::spawn_blocking(move || mux.older(&pane, newer, lines)).await;
        let rows = rows.ok().and_then(Result::ok).flatten().unwrap_or_default();
        let first = before.saturating_sub(rows.len() as u64);
        let text: Vec<String> = cells::rows(&rows)
            .into_iter()
            .map(|runs| runs.into_iter().map(|run| run.text).collect::<String>().trim_end().to_owned())
            .collect();
        socket
            .send(&json!({ "type": "older", "data": text.join("\n"), "before": first, "lines": rows.len() }))
            .await
    }

    async fn image(
        &mut self,
        socket: &mut Socket,
        data: String,
        mime_type: String,
        id: Option<Value>,
    ) -> Result<(), Close> {
        let folder = self.app.place.folder().join("images");
        let kept = tokio::task::spawn_blocking(move || image::keep(&folder, &data, &mime_type)).await;
        let path = match kept {
            Ok(Ok(path)) => path.display().to_string(),
            Ok(Err(error)) => return socket.send_error(&error, id.as_ref()).await,
            Err(_) => return socket.send_error(&ApiError::failed("internal error"), id.as_ref()).await,
        };
        socket.send(&json!({ "type": "image", "path": path })).await?;
        self.input(socket, Typed::Input(PaneInput::Paste(path)), id).await
    }

    /// Gives the pane the size back that it had, unless somebody changed it since.
    async fn leave(&mut self) {
        let (Some((first, last)), Some(shown)) = (self.fitted, self.shown.clone()) else { return };
        if !shown.is_free() || self.now().await != Some(last) {
            return;
        }
        let cx = self.cx.clone();
        if let Ok(Err(error)) = tokio::task::spawn_blocking(move || shown.fit(&cx, first)).await {
            tracing::debug!(%error, "can't give a pane its size back");
        }
    }
}

/// The next update of a pane that is watched.
async fn next(viewer: &mut Option<Viewer>) -> Update {
    match viewer {
        Some(viewer) => viewer.next().await,
        None => std::future::pending().await,
    }
}
