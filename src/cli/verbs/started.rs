//! Sessions that a verb started: reported once they are seen to run.

use super::Done;
use crate::cli::Context;
use crate::cli::error::CliError;
use crate::domain::id::SessionId;
use crate::domain::session::Session;
use crate::ops::{self, Cx};

/// One session that was started.
pub(super) struct Started {
    /// Whether it resumes a conversation.
    pub resumed: bool,
    /// What is reported when it runs.
    pub sentence: String,
}

impl Context {
    /// Starts each session named, waits until those that resume a conversation are up, and reports
    /// each; an agent that ended instead is an error with its last lines.
    pub(super) fn each_started(
        &self,
        names: &[String],
        start: impl Fn(&Cx, &Session) -> Result<Started, CliError>,
    ) -> Done {
        self.listen_for_interrupts()?;
        let cx = self.wiring.cx();
        let mut failed = Vec::new();
        let mut all: Vec<(SessionId, Started)> = Vec::new();
        for name in names {
            match self.find(&cx, name).and_then(|s| Ok((s.id.clone(), start(&cx, &s)?))) {
                Ok(started) => all.push(started),
                Err(error) => failed.push(error),
            }
        }
        let resumed: Vec<SessionId> =
            all.iter().filter(|(_, s)| s.resumed).map(|(id, _)| id.clone()).collect();
        let mut died = if resumed.is_empty() { Vec::new() } else { ops::verify_resume(&cx, &resumed)? };
        self.collect_answers(names.len());
        for (id, started) in all {
            match died.iter().position(|(of, _)| *of == id) {
                Some(at) => failed.push(died.swap_remove(at).1.into()),
                None => self.tell_session(&cx, &id, &started.sentence)?,
            }
        }
        self.conclude(names.len(), failed)
    }
}
