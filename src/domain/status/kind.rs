//! What a session is shown as: its status, with a turn that has ended apart from a question.
//!
//! Three kinds need their user, in this order: one that asks can't continue, one that failed won't, one
//! that is done can wait. The order of the kinds is that of every list of them.

use super::{Reason, Status, Verdict};

/// What a session is shown as.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum StatusKind {
    /// It asks something and can't continue.
    Asks,
    /// It failed.
    Failed,
    /// Its turn is over, and its user hasn't looked.
    Done,
    /// It works.
    Running,
    /// It has nothing to do, and its user knows.
    Idle,
    /// It was launched a moment ago.
    Starting,
    /// It doesn't run, and nothing is wrong with that.
    Stopped,
}

impl StatusKind {
    /// All of them, in the order in which they are counted.
    pub const ALL: [Self; 7] =
        [Self::Asks, Self::Failed, Self::Done, Self::Running, Self::Idle, Self::Starting, Self::Stopped];

    /// What a status with this reason is shown as.
    pub const fn of(status: Status, reason: Option<&Reason>) -> Self {
        match (status, reason) {
            (Status::Waiting, Some(Reason::Finished)) => Self::Done,
            (Status::Waiting, _) => Self::Asks,
            (Status::Error, _) => Self::Failed,
            (Status::Running, _) => Self::Running,
            (Status::Idle, _) => Self::Idle,
            (Status::Starting, _) => Self::Starting,
            (Status::Stopped, _) => Self::Stopped,
        }
    }

    /// Whether it needs its user.
    pub const fn needs_user(self) -> bool {
        matches!(self, Self::Asks | Self::Failed | Self::Done)
    }

    /// The word beside a count of them.
    pub const fn word(self) -> &'static str {
        match self {
            Self::Asks => "ask",
            Self::Failed => "failed",
            Self::Done => "done",
            Self::Running => "running",
            Self::Idle => "idle",
            Self::Starting => "starting",
            Self::Stopped => "stopped",
        }
    }

    /// Its glyph, one cell wide.
    pub const fn glyph(self) -> &'static str {
        match self {
            Self::Asks => "◐",
            Self::Failed => "✕",
            Self::Done => "◆",
            Self::Running => "●",
            Self::Idle => "○",
            Self::Starting => "◌",
            Self::Stopped => "■",
        }
    }

    /// Its glyph for terminals without these characters.
    pub const fn ascii(self) -> &'static str {
        match self {
            // Not `?`: that marks an unconfirmed status.
            Self::Asks => "!",
            Self::Failed => "x",
            Self::Done => "*",
            Self::Running => "o",
            Self::Idle => "-",
            Self::Starting => ".",
            Self::Stopped => "#",
        }
    }
}

impl Verdict {
    /// What the session is shown as.
    pub const fn kind(&self) -> StatusKind {
        StatusKind::of(self.status, self.reason.as_ref())
    }
}

/// The kinds that are shown alone: those of one status, or of one count.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct StatusFilter {
    /// The word for it.
    pub word: &'static str,
    kinds: &'static [StatusKind],
}

/// All filters: the six statuses, and the two kinds of waiting.
const FILTERS: [StatusFilter; 8] = [
    StatusFilter { word: "running", kinds: &[StatusKind::Running] },
    StatusFilter { word: "waiting", kinds: &[StatusKind::Asks, StatusKind::Done] },
    StatusFilter { word: "ask", kinds: &[StatusKind::Asks] },
    StatusFilter { word: "done", kinds: &[StatusKind::Done] },
    StatusFilter { word: "idle", kinds: &[StatusKind::Idle] },
    StatusFilter { word: "error", kinds: &[StatusKind::Failed] },
    StatusFilter { word: "starting", kinds: &[StatusKind::Starting] },
    StatusFilter { word: "stopped", kinds: &[StatusKind::Stopped] },
];

impl StatusFilter {
    /// The filter with this word.
    pub fn from_word(word: &str) -> Option<Self> {
        // The header counts errors as failed.
        let word = if word == "failed" { "error" } else { word };
        FILTERS.into_iter().find(|f| f.word == word)
    }

    /// The filter that keeps only this kind.
    pub fn only(kind: StatusKind) -> Option<Self> {
        FILTERS.into_iter().find(|f| f.kinds == [kind])
    }

    /// The words of all of them.
    pub fn words() -> impl Iterator<Item = &'static str> {
        FILTERS.iter().map(|f| f.word)
    }

    /// Whether it keeps a kind.
    pub fn keeps(self, kind: StatusKind) -> bool {
        self.kinds.contains(&kind)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::domain::status::BlockKind;

    #[test]
    fn a_turn_that_ended_is_no_question() {
        let of = |status, reason: Option<Reason>| StatusKind::of(status, reason.as_ref());
        assert_eq!(of(Status::Waiting, Some(Reason::Finished)), StatusKind::Done);
        assert_eq!(of(Status::Waiting, Some(Reason::Blocked(BlockKind::Plan))), StatusKind::Asks);
        assert_eq!(of(Status::Waiting, None), StatusKind::Asks, "what is unknown may be a question");
        assert_eq!(of(Status::Error, Some(Reason::Gone)), StatusKind::Failed);
        assert_eq!(of(Status::Stopped, Some(Reason::Exited(0))), StatusKind::Stopped);
    }

    #[test]
    fn who_asks_comes_first_and_who_is_done_last() {
        let needs: Vec<_> = StatusKind::ALL.into_iter().filter(|k| k.needs_user()).collect();
        assert_eq!(needs, [StatusKind::Asks, StatusKind::Failed, StatusKind::Done]);
        let mut sorted = StatusKind::ALL;
        sorted.sort();
        assert_eq!(sorted, StatusKind::ALL);
    }

    #[test]
    fn every_status_and_every_kind_is_a_filter() {
        for status in Status::ALL {
            assert!(
                StatusFilter::from_word(status.word()).is_some_and(|f| f.keeps(StatusKind::of(status, None)))
            );
        }
        for kind in StatusKind::ALL {
            let filter = StatusFilter::only(kind).unwrap();
            assert!(StatusKind::ALL.into_iter().all(|k| filter.keeps(k) == (k == kind)), "{kind:?}");
        }
        assert_eq!(StatusFilter::from_word("busy"), None);
    }
}
