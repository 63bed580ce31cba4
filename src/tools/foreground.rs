//! For shells: whether a job has the terminal, or the prompt.

use crate::domain::status::{BusyKind, Evidence, Observation, Source, Turn};
use crate::ports::reports::{Asked, Report};
use crate::sys::process;

/// A shell whose own group is in the foreground shows its prompt.
pub(super) fn read(asked: &Asked<'_>) -> Report {
    let evidence = process::stat(asked.pid).filter(|s| !s.zombie && s.foreground > 0).map(|stat| {
        let what = if stat.foreground == stat.group {
            Observation::Ready(Turn::Unmarked)
        } else {
            Observation::Busy(BusyKind::Tool)
        };
        Evidence::new(Source::Process, what, asked.now)
    });
    Report { evidence, ..Report::default() }
}
