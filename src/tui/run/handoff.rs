//! Giving the terminal to another program for a while: to a session, to the shell that deck was started from, to the
//! user's editor, shell or git. It comes back to the very same TUI.

use std::io;

use super::super::changes::Changes;
use super::super::input::Events;
use super::super::signals::Signals;
use super::super::workers::{PollerMsg, PreviewRequest};
use super::super::{external, signals, terminal};
use super::Program;
use crate::app::{Done, Effect, Msg, Outside};
use crate::domain::id::SessionId;
use crate::sys::files;

/// The output of a program that ends sooner could not be read.
const AT_ONCE: std::time::Duration = std::time::Duration::from_millis(250);

impl Program<'_> {
    /// Has a text edited in the user's editor.
    pub(super) fn edit(&mut self, text: &str, events: &mut Events) -> io::Result<Done> {
        let file = external::draft(text)?;
        let mut command = external::editor(self.wiring.env.vars(), &self.model.app.settings.cwd);
        command.arg(file.path());
        match self.away(events, |s| s.run(&mut command))? {
            Ok(status) if status.success() => Ok(match files::read_text(file.path(), files::MAX_BYTES) {
                Ok(text) => Done::Edited(text),
                Err(error) => Done::Failed(None, format!("can't read what you wrote: {error}")),
            }),
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
            Outside::Diff | Outside::Changes => {
                let slot = self.changes.lock().unwrap_or_else(std::sync::PoisonError::into_inner).take();
                let Some(changes) = slot else { return Ok(()) };
                return self.show(&changes, events);
            }
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
        let Some(command) = row.and_then(|r| self.wiring.attach_command(r.server(), &r.name)) else {
            self.model.notify("nothing to attach to yet");
            return Ok(());
        };
        let mut command = command;
        self.workers.poll(PollerMsg::Away);
        self.paint_nothing();
        let attaches = command.get_args().any(|a| a == "attach-session");
        let status = self.away(events, |signals| {
            let status = signals.run(&mut command);
            if attaches && status.as_ref().is_ok_and(std::process::ExitStatus::success) {
                terminal::forget_line();
            }
            status
        })?;
        match status {
            Ok(status) if !status.success() => self.model.notify_error("tmux couldn't attach to the session"),
            Err(error) => self.model.notify_error(format!("can't start tmux: {error}")),
            Ok(_) => {}
        }
        // Its answer wakes the thread that looks: no poll may come before the acknowledgement.
        self.perform(vec![Effect::Acknowledge(id.clone())]);
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

    /// Finds out what changed in a session's folder, beside the loop.
    pub(super) fn compare(&mut self, id: &SessionId) {
        let Some(session) = self.model.record().session(id) else { return };
        let (id, folder) = (id.clone(), std::path::PathBuf::from(&session.project_path));
        let (run, vars) = (self.wiring.paths.run.clone(), self.wiring.env.vars().to_vec());
        let slot = self.changes.clone();
        let failed = Done::Failed(None, "internal error while comparing a folder".to_owned());
        self.tasks.run_blocking(false, self.sender.clone(), failed, move |answers| {
            let found = Changes::of(&folder, &run, &vars).map(|changes| {
                let any = changes.is_some();
                *slot.lock().unwrap_or_else(std::sync::PoisonError::into_inner) = changes;
                any
            });
            // A loop that is gone needs no answer.
            let _ = answers.blocking_send(Msg::Done(Done::Compared(id, found)));
        });
    }

    /// Shows what changed in a folder, as git shows it to the user.
    fn show(&mut self, changes: &Changes, events: &mut Events) -> io::Result<()> {
        self.workers.poll(PollerMsg::Rest);
        self.paint_nothing();
        let result = self.away(events, |signals| {
            let begun = std::time::Instant::now();
            let result = signals.run(&mut changes.show());
            if result.is_ok() && begun.elapsed() < AT_ONCE {
                // A pager that ends by itself leaves no time to read what it printed.
                external::wait_for_enter();
            }
            result
        })?;
        if let Err(error) = result {
            self.model.notify_error(format!("can't start git: {error}"));
        }
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
