//! Giving the terminal away for a while: to a session, to the shell that deck was started from, to the
//! user's editor, shell or git. It comes back to the very same TUI.

use std::io;

use crossterm::event::EventStream;

use super::super::workers::{Look, Paint};
use super::super::{outside, signals, terminal};
use super::Program;
use crate::app::{Done, Effect, Outside};
use crate::domain::id::SessionId;
use crate::sys::files;

impl Program<'_> {
    /// Has a text edited in the user's editor.
    pub(super) fn edit(&mut self, text: &str, events: &mut EventStream) -> io::Result<Done> {
        let file = outside::draft(text)?;
        let mut command = outside::editor(self.wiring.env.vars(), &self.model.settings.cwd);
        command.arg(file.path());
        match self.away(events, || command.status())? {
            Ok(status) if status.success() => Ok(match files::read_text(file.path(), files::MOST) {
                Ok(text) => Done::Edited(text),
                Err(error) => Done::Badly(None, format!("can't read what you wrote: {error}")),
            }),
            Ok(_) => {
                Ok(Done::Badly(None, "your editor exited with an error; nothing was changed".to_owned()))
            }
            Err(error) => Ok(Done::Badly(None, outside::no_editor(&error))),
        }
    }

    /// Hands the terminal to another program in a session's folder.
    pub(super) fn outside(
        &mut self,
        id: &SessionId,
        what: Outside,
        events: &mut EventStream,
    ) -> io::Result<()> {
        let Some(session) = self.model.snapshot.profile.session(id) else { return Ok(()) };
        let folder = std::path::PathBuf::from(&session.project_path);
        if !folder.is_dir() {
            self.model.complain(format!("folder {} doesn't exist", folder.display()));
            return Ok(());
        }
        let vars = self.wiring.env.vars();
        let mut command = match what {
            Outside::Diff => outside::diff(&folder),
            Outside::Shell => outside::shell(vars, &folder),
            Outside::Editor => {
                let mut command = outside::editor(vars, &folder);
                command.arg(".");
                command
            }
        };
        self.workers.look(Look::Rest);
        self.paint_nothing();
        let result = self.away(events, || command.status())?;
        match (what, result) {
            (Outside::Diff, Ok(status)) if !status.success() => {
                self.model.complain("git diff failed: not a repository, or no commits yet");
            }
            (Outside::Editor, Err(error)) => self.model.complain(outside::no_editor(&error)),
            (_, Err(error)) => self.model.complain(format!("can't start it: {error}")),
            _ => {}
        }
        self.look_now();
        Ok(())
    }

    /// Hands the terminal to a session and takes it back.
    pub(super) fn attach(&mut self, id: &SessionId, events: &mut EventStream) -> io::Result<()> {
        let row = self.model.look(id).and_then(|l| l.row.as_ref());
        let Some(command) = row.and_then(|r| self.wiring.attach_command(r.server.as_deref(), &r.name)) else {
            self.model.say("nothing to attach to yet");
            return Ok(());
        };
        let mut command = command;
        self.workers.look(Look::Away);
        self.paint_nothing();
        let attaches = command.get_args().any(|a| a == "attach-session");
        let status = self.away(events, || {
            let status = command.status();
            if attaches && status.as_ref().is_ok_and(std::process::ExitStatus::success) {
                terminal::forget_line();
            }
            status
        })?;
        match status {
            Ok(status) if !status.success() => self.model.complain("tmux couldn't attach to the session"),
            Err(error) => self.model.complain(format!("can't start tmux: {error}")),
            Ok(_) => {}
        }
        // Its answer wakes the thread that looks: no look may come before the acknowledgement.
        self.perform(vec![Effect::Acknowledge(id.clone())]);
        Ok(())
    }

    pub(super) fn suspend(&mut self, events: &mut EventStream) -> io::Result<()> {
        self.workers.look(Look::Rest);
        self.paint_nothing();
        self.away(events, signals::suspend)??;
        self.look_now();
        Ok(())
    }

    fn paint_nothing(&mut self) {
        if self.workers.paint(Paint::Pane(None)) {
            self.painted = None;
        }
    }

    /// Gives the terminal away while `act` runs, and takes it back: the very same screen, from memory.
    fn away<T>(&mut self, events: &mut EventStream, act: impl FnOnce() -> T) -> io::Result<T> {
        // The stream's thread must not read a key that is meant for someone else.
        drop(std::mem::replace(events, EventStream::new()));
        terminal::restore();
        let result = act();
        self.terminal.retake()?;
        *events = EventStream::new();
        let (width, height) = self.terminal.size()?;
        self.model.size = (width, height);
        Ok(result)
    }
}
