//! Evidence in words, for the command line and the TUI.

use jiff::Timestamp;

use crate::domain::status::{Evidence, EvidenceOutcome, Observation, Reason, Verdict};
use crate::domain::{age, text};

/// One piece of evidence in words.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct EvidenceWords {
    /// Who reports it.
    pub source: &'static str,
    /// What it reports.
    pub says: String,
    /// How old that is.
    pub age: String,
    /// What became of it.
    pub outcome: &'static str,
    /// The source's own words or the line that matched, and the rule; may be empty.
    pub detail: String,
}

/// What a source reports, in the words of the statuses that follow from it.
const fn said(what: &Observation) -> &'static str {
    match what {
        Observation::Busy(_) => "running",
        Observation::Blocked(_) => "waiting",
        Observation::Ready { .. } => "ready",
        Observation::Failed(_) => "error",
        Observation::Gone(_) => "exited",
        Observation::Unknown => "nothing",
    }
}

/// One piece of evidence in words.
pub fn evidence_words(e: &Evidence, outcome: EvidenceOutcome, now: Timestamp) -> EvidenceWords {
    let kind = e.what.kind().map(|k| format!(" · {k}")).unwrap_or_default();
    let says = format!("{}{kind}", said(&e.what));
    let line = e.line.as_ref().map(|l| text::clean(l.trim())).filter(|l| !l.is_empty());
    let rule = e.rule.as_ref().map(|r| format!("matched {:?}", text::clean(r)));
    let detail = line.map(|l| format!("{l:?}")).into_iter().chain(rule).collect::<Vec<_>>().join("  ");
    let at = e.since.unwrap_or(e.seen_at);
    let age = match now.duration_since(at).as_secs() {
        i64::MIN..1 => "now".to_owned(),
        _ => format!("{} ago", age::running(now, at)),
    };
    EvidenceWords { source: e.source.words(), says, age, outcome: outcome.words(), detail }
}

/// What a status rests on that no piece of evidence decided; none if one did.
pub fn undecided_words(verdict: &Verdict) -> Option<&'static str> {
    if verdict.decided_by.is_some() {
        return None;
    }
    Some(match verdict.reason {
        Some(Reason::Setup) => "its worktree is being set up; the agent starts afterwards",
        Some(Reason::FolderGone) => "the folder of its worktree is not there",
        _ => "no source is conclusive; keeping the last status",
    })
}

/// When the user last saw a session, and whether what it does now came after that.
pub fn seen_words(at: Timestamp, since: Timestamp, now: Timestamp) -> String {
    let before = if at < since { ", before this" } else { "" };
    format!("last seen by you {} ago{before}", age::running(now, at))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_was_seen_before_the_present_status_says_so() {
        let at = |seconds| Timestamp::from_second(seconds).unwrap();
        assert_eq!(seen_words(at(70), at(60), at(100)), "last seen by you 30s ago");
        assert_eq!(seen_words(at(70), at(80), at(100)), "last seen by you 30s ago, before this");
    }
}
