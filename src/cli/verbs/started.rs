//! Sessions that a verb started: reported once they are seen to run.

use super::Done;
use crate::cli::Context;
use crate::cli::error::CliError;
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
    /// Starts the sessions named, several at the same time, waits until those that resume a conversation are up,
    /// and reports each; an agent that ended instead is an error with its last lines.
    pub(super) fn each_started(
        &self,
        names: &[String],
        start: impl Fn(&Cx, &Session) -> Result<Started, CliError> + Sync,
    ) -> Done {
        self.listen_for_interrupts()?;
        let start = |cx: &Cx, session: &Session| {
            let started = start(cx, session)?;
            if started.resumed {
                ops::verify_resume_of(cx, &session.id)?;
            }
            Ok(started.sentence)
        };
        self.each_at_once(names, start, |session, sentence| {
            self.tell_session(&self.wiring.cx(), &session.id, &sentence)
        })
    }
}
