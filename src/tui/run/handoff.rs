//! Giving the terminal to another program for a while: to a session, to the shell that deck was started from, to the
//! user's editor or shell. It comes back to the very same TUI.

use std::io;

use super::super::input::Events;
use super::super::signals::Signals;
use super::super::workers::{PollerMsg, PreviewRequest};
use super::super::{external, signals, terminal};
use super::Program;
use crate::app::{Done, Effect, Outside};
use crate::domain::id::SessionId;
use crate::domain::worker::WorkerId;
use crate::sys::files;

impl Program<'_> {
    /// Has a text edited in the user's editor.
    pub(super) fn edit(&mut self, text: &str, events: &mut Events) -> io::Result<Done> {
        let file = external::draft(text)?;
        let mut command = external::editor(self.wiring.env.vars(), &self.model.app.settings.cwd);
        command.arg(file.path());
        match self.away(events, |s| s.run(&mut command))? {
            Ok((_, status)) if status.success() => {
                Ok(match files::read_text(file.path(), files::MAX_BYTES) {
                    Ok(text) => Done::Edited(text),
                    Err(error) => Done::Failed(None, format!("can't read what you wrote: {error}")),
                })
            }
            Ok(_) => {
                Ok(Done::Failed(None, "your editor exited with an error; nothing was changed".to_owned()))
            }
            Err(error) => Ok(Done::Failed(None, external::no_editor(&error))),
        }
    }

    /// Hands the terminal to another program in a session's folder.
    pub(super) fn outside(&mut self, id: &SessionId, what: Outside, events: &mut Events) -> io::Result<()> {
        let Some(session) = self.model.record().session(id) else { return Ok(()) };
        let folder = std::path::PathBuf::from(&session.project_path);
        if !folder.is_dir() {
            self.model.notify_error(format!("folder {} doesn't exist", folder.display()));
            return Ok(());
        }
        let vars = self.wiring.env.vars();
        let mut command = match what {
            Outside::Shell => external::shell(vars, &folder),
            Outside::Editor => {
                let mut command = external::editor(vars, &folder);
                command.arg(".");
                command
            }
        };
        self.workers.poll(PollerMsg::Rest);
        self.paint_nothing();
        let result = self.away(events, |s| s.run(&mut command))?;
        match (what, result) {
            (Outside::Editor, Err(error)) => self.model.notify_error(external::no_editor(&error)),
            (_, Err(error)) => self.model.notify_error(format!("can't start it: {error}")),
            _ => {}
        }
        self.look_now();
        Ok(())
    }

    /// Hands the terminal to a session and takes it back.
    pub(super) fn attach(&mut self, id: &SessionId, events: &mut Events) -> io::Result<()> {
        let row = self.model.state(id).and_then(|l| l.row.as_ref());
        let Some(command) = row.and_then(|r| self.wiring.attach_command(r.server(), &r.name, Some(&r.pane)))
        else {
            self.model.notify("nothing to attach to yet");
            return Ok(());
        };
        let mut command = command;
        self.workers.poll(PollerMsg::Away);
        self.paint_nothing();
        let attaches = command.get_args().any(|a| a == "attach-session");
        let status = self.away(events, |signals| {
            let status = signals.run(&mut command);
            if attaches && status.as_ref().is_ok_and(|(_, status)| status.success()) {
                terminal::forget_line();
            }
            status
        })?;
        // Its answer wakes the thread that looks: no poll may come before the acknowledgement.
        let mut left = Effect::Acknowledge(id.clone());
        match status {
            Ok((_, status)) if !status.success() => {
                self.model.notify_error("tmux couldn't attach to the session");
            }
            Err(error) => self.model.notify_error(format!("can't start tmux: {error}")),
            Ok((client, _)) if attaches => left = Effect::Left(id.clone(), client.as_raw()),
            Ok(_) => {}
        }
        self.perform(vec![left]);
        Ok(())
    }

    /// Hands the terminal to a terminal beside a session's agent, and takes it back: nothing of the agent is seen by that.
    pub(super) fn attach_terminal(
        &mut self,
        id: &SessionId,
        worker: &WorkerId,
        events: &mut Events,
    ) -> io::Result<()> {
        let name = self.model.record().session(id).map(|s| s.tmux.name.clone());
        let listed = self.model.state(id).and_then(|l| l.workers.iter().find(|w| w.id == worker.as_str()));
        let pane = listed.and_then(|listed| listed.pane.clone());
        let command = name
            .zip(pane)
            .and_then(|(name, pane)| self.wiring.attach_command(&pane.server, &name, Some(&pane)));
        let Some(mut command) = command else {
            self.model.notify("the terminal is gone");
            return Ok(());
        };
        self.workers.poll(PollerMsg::Away);
        self.paint_nothing();
        match self.away(events, |signals| signals.run(&mut command))? {
            Ok((_, status)) if !status.success() => {
                self.model.notify_error("tmux couldn't attach to the terminal")
            }
            Err(error) => self.model.notify_error(format!("can't start tmux: {error}")),
            Ok(_) => {}
        }
        self.look_now();
        Ok(())
    }

    pub(super) fn suspend(&mut self, events: &mut Events) -> io::Result<()> {
        self.workers.poll(PollerMsg::Rest);
        self.paint_nothing();
        self.away(events, |_| signals::stop())?;
        self.look_now();
        Ok(())
    }

    /// Takes the terminal again after deck was stopped without notice and continued: the shell has had it.
    pub(super) fn retake(&mut self, events: &mut Events) -> io::Result<()> {
        self.away(events, |_| ())?;
        self.look_now();
        Ok(())
    }

    fn paint_nothing(&mut self) {
        if self.workers.preview(PreviewRequest::Pane(None)) {
            self.previewed = None;
        }
    }

    /// Gives the terminal away while `act` runs, and takes it back: the very same screen, from memory.
    fn away<T>(&mut self, events: &mut Events, act: impl FnOnce(&Signals) -> T) -> io::Result<T> {
        self.signals.set_away(true);
        events.close();
        terminal::restore();
        let result = act(&self.signals);
        self.terminal.retake()?;
        self.signals.set_away(false);
        events.reopen();
        let (width, height) = self.terminal.size()?;
        self.model.app.size = (width, height);
        Ok(result)
    }
}
