//! What the loop does itself of the model's effects; all others are tasks beside it.

use std::io;

use super::super::input::Events;
use super::super::workers::{PollerMsg, PreviewRequest};
use super::kept_view::Kept;
use super::tasks::Worker;
use super::{Program, perform};
use crate::app::{self, Done, Effect, Msg, PaneInput};
use crate::domain::id::{ProfileName, SessionId};
use crate::domain::worker::WorkerId;
use crate::ops::{Cancel, Cx, Watcher};

impl Program<'_> {
    pub(super) async fn carry_out(&mut self, effects: Vec<Effect>, events: &mut Events) -> io::Result<()> {
        let mut beside = Vec::new();
        for effect in effects {
            match effect {
                Effect::Quit => self.quit = true,
                Effect::Refresh => self.workers.poll(PollerMsg::Fresh),
                Effect::Watch(_) => {}
                Effect::WatchShells(view) => self.workers.poll(PollerMsg::Shells(view)),
                Effect::Attach(id) => self.attach(&id, events)?,
                Effect::AttachTerminal(id, worker) => self.attach_terminal(&id, &worker, events)?,
                Effect::Suspend => self.suspend(events)?,
                Effect::Profile(name) => self.switch(name).await?,
                Effect::Notify(words) => {
                    let inside_tmux = self.wiring.env.get("TMUX").is_some();
                    self.terminal.notify(&self.config.notify, inside_tmux, &words)?;
                }
                Effect::Revive(ids) => self.revive(ids),
                Effect::Set(key, value) => self.set(&key, &value),
                Effect::TryTheme(name) => self.try_theme(name.as_deref()),
                Effect::Type(id, terminal, typed) => self.type_into(&id, terminal.as_ref(), typed),
                Effect::Copy(text) => self.copy(&text)?,
                Effect::Edit(text) => {
                    let done = self.edit(&text, events)?;
                    let more = app::update(&mut self.model, Msg::Done(done));
                    Box::pin(self.carry_out(more, events)).await?;
                }
                Effect::Diff(..) => self.read_diff(effect),
                Effect::StopDiff => self.diffing.cancel(),
                Effect::Outside(id, what) => self.outside(&id, what, events)?,
                other => beside.push(other),
            }
        }
        if !beside.is_empty() {
            self.perform(beside);
        }
        Ok(())
    }

    /// Carries out effects beside the loop.
    pub(super) fn perform(&mut self, effects: Vec<Effect>) {
        self.run_with(self.cx.seen_at(app::first_size(&self.model)).for_command(), effects);
    }

    fn run_with(&mut self, cx: Cx, effects: Vec<Effect>) {
        let settings = self.model.app.settings.clone();
        let keymap = self.model.app.keymap.clone();
        let work = move |effect| perform::perform(&cx, &settings, &keymap, effect);
        let worker = Worker::new(self.model.profile.name.clone(), self.sender.clone(), work);
        self.tasks.run(&worker, effects);
    }

    /// Reads what changed beside the loop. What was read for the panel before is of no use any more.
    fn read_diff(&mut self, effect: Effect) {
        self.diffing.cancel();
        self.diffing = Cancel::default();
        let cx = Cx { cancel: self.diffing.clone(), ..self.cx.clone() };
        self.run_with(cx, vec![effect]);
    }

    /// Hands what was typed to the thread that requests: in its order, and the echo is seen at once.
    fn type_into(&mut self, id: &SessionId, terminal: Option<&WorkerId>, typed: PaneInput) {
        let Some(state) = self.model.state(id) else { return };
        let pane = match terminal {
            None => state.row.as_ref().map(|r| r.pane.clone()),
            Some(worker) => {
                state.workers.iter().find(|w| w.id == worker.as_str()).and_then(|w| w.pane.clone())
            }
        };
        let Some(pane) = pane else { return };
        if !self.workers.preview(PreviewRequest::Type(pane, typed)) {
            self.model.notify_error("tmux isn't responding; your last keys were lost");
        }
    }

    /// Brings sessions back beside the loop; each answers for itself.
    fn revive(&mut self, ids: Vec<SessionId>) {
        let (cx, keymap) = (self.cx.clone(), self.model.app.keymap.clone());
        let profile = self.model.profile.name.clone();
        let failed = Done::Failed(None, "internal error while restarting lost sessions".to_owned());
        self.tasks.run_blocking(true, self.sender.clone(), failed, move |answers| {
            perform::revive(&cx, &keymap, &ids, |done| {
                // A loop that is gone needs no answer.
                let _ = answers.blocking_send(Msg::DoneIn(profile.clone(), done));
            });
        });
    }

    pub(super) fn look_now(&self) {
        self.workers.poll(PollerMsg::Now);
    }

    fn copy(&mut self, text: &str) -> io::Result<()> {
        self.terminal.copy(text)?;
        let lines = text.lines().count();
        let what = if lines == 1 { "1 line".to_owned() } else { format!("{lines} lines") };
        self.model.notify(format!("copied {what} (if your terminal allows OSC 52)"));
        Ok(())
    }

    async fn switch(&mut self, name: ProfileName) -> io::Result<()> {
        let on_disk = match Watcher::new().read_from_disk(&self.wiring.cx_for(&name)) {
            Ok(snapshot) => snapshot,
            Err(error) => {
                self.model.notify_error(error.to_string());
                return Ok(());
            }
        };
        self.keep_view_now().await;
        self.model.switch_profile(name.clone(), on_disk);
        self.kept = Kept::read(&self.wiring.paths, &name);
        self.kept.restore(&mut self.model);
        self.model.app.profiles = self.wiring.profiles.list().unwrap_or_default();
        if !self.wiring.profiles.exists(&name) {
            self.model.notify(format!("created profile {name}; n adds a session"));
        }
        // The old threads first: nothing of theirs may arrive after the new profile's.
        self.workers.stop();
        let mut late = Vec::new();
        while let Ok(msg) = self.messages.try_recv() {
            late.extend(matches!(msg, Msg::DoneIn(..) | Msg::SettingsMoved).then_some(msg));
        }
        let (cx, workers) =
            Self::connect(self.wiring, &name, &self.sender, &self.config.notify, &self.settings)?;
        self.workers = workers;
        (self.cx, self.previewed, self.before_user) = (cx, None, None);
        for msg in late {
            // There is room: it was in there before.
            let _ = self.sender.try_send(msg);
        }
        Ok(())
    }
}
