//! What was read from one pane, remembered until its window changes.

use jiff::Timestamp;

use crate::domain::screen::{AgentDialog, Lines};
use crate::domain::status::{Evidence, Observation, Source};
use crate::ports::ToolEntry;
use crate::ports::mux::PaneRow;

/// What is remembered of a pane between two polls.
#[derive(Debug, Default)]
pub(super) struct Seen {
    /// The tool whose rules read it.
    pub tool: String,
    /// Which start of the agent it was read of, as for [`crate::ports::mux::SessionTags::started`].
    pub started: Option<i64>,
    /// Server second of the capture.
    pub at: i64,
    /// When it was captured.
    pub looked_at: Timestamp,
    /// What the agent reported about itself then.
    pub said: Option<Observation>,
    pub title: String,
    pub evidence: Vec<Evidence>,
    pub dialog: Option<AgentDialog>,
}

impl Seen {
    /// Whether it was read by the rules of this tool, and is of the agent that runs in the pane now.
    pub fn is_of(&self, tool: &str, row: &PaneRow) -> bool {
        self.tool == tool && self.started == row.tags.started
    }

    /// Whether the agent laid out its screen for another size when it was captured.
    pub fn was_laid_out(&self, row: &PaneRow) -> bool {
        row.tags.resized.is_some_and(|resized| resized.is_laying_out(self.looked_at))
    }

    /// Whether a title says something else than the one that was read.
    pub fn is_contradicted_by(&self, entry: &ToolEntry, title: &str) -> bool {
        let said = self.evidence.iter().find(|e| e.source == Source::Title).map(|e| &e.what);
        let says = || entry.rules().read_part(&Lines::of(""), title, true).what;
        self.title != title && *said.unwrap_or(&Observation::Unknown) != says()
    }
}

/// What the rules read on a pane: on its title and on its screen, separately.
pub(super) fn read_screen(
    entry: &ToolEntry,
    screen: &str,
    title: &str,
    now: Timestamp,
) -> (Vec<Evidence>, Option<AgentDialog>) {
    let lines = Lines::of(screen);
    let parts = [(Source::Title, true), (Source::Screen, false)];
    let mut dialog = None;
    let evidence = parts
        .into_iter()
        .map(|(source, of_title)| {
            let reading = entry.rules().read_part(&lines, title, of_title);
            if !of_title {
                dialog = entry.rules().dialog(&lines, &reading);
            }
            let mut evidence = Evidence::new(source, reading.what, now);
            evidence.asks = reading.asks.map(|a| crate::domain::text::clean(&a));
            evidence.rule = reading.rule;
            evidence.line = reading.line.map(|l| crate::domain::text::clean(&l));
            evidence
        })
        .filter(|e| e.what != Observation::Unknown || e.source == Source::Screen)
        .collect();
    (evidence, dialog)
}
