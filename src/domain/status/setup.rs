//! The setup of a worktree, which runs in the agent's own pane before the agent.

use super::evidence::{Observation, Source};
use super::memory::Memory;
use super::reduce::{Facts, Verdict, verdict};
use super::{Reason, Status};

/// How far a setup is, as the pane's script notes it on the session.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum SetupStep {
    Running,
    /// It ended with this code, and the agent was not started.
    Failed(i32),
}

impl SetupStep {
    /// Reads the option's value; none for none, and once it is done.
    pub fn parse(text: &str) -> Option<Self> {
        match text.split_once(' ') {
            None if text == "running" => Some(Self::Running),
            Some(("failed", code)) => code.parse().ok().map(Self::Failed),
            _ => None,
        }
    }
}

/// The status of a session whose agent is not started yet, since its worktree is set up, or since that failed; and of one whose
/// worktree is gone.
pub(super) fn judged(facts: &Facts<'_>, memory: Option<&Memory>) -> Option<Verdict> {
    let since = |status, reason: &Reason| {
        memory.filter(|m| m.status == status && m.reason.as_ref() == Some(reason)).map(|m| m.since)
    };
    let ended = facts.evidence.iter().position(|e| matches!(e.what, Observation::Gone(_)));
    let of = |status, reason: Reason, otherwise, by| {
        let since = since(status, &reason).unwrap_or(otherwise);
        Some(verdict(Memory::new(status, Some(reason), since, Source::Process), by))
    };
    let started = facts.started_at.unwrap_or(facts.now);
    match facts.setup {
        Some(SetupStep::Running) if ended.is_none() => {
            return of(Status::Starting, Reason::Setup, started, None);
        }
        Some(SetupStep::Failed(code)) if ended.is_some() && facts.is_wanted() => {
            return of(Status::Error, Reason::SetupExited(code), facts.now, ended);
        }
        _ => {}
    }
    if facts.folder_gone {
        let status = if facts.is_wanted() || ended.is_none() { Status::Error } else { Status::Stopped };
        return of(status, Reason::FolderGone, facts.now, None);
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_the_script_notes() {
        assert_eq!(SetupStep::parse("running"), Some(SetupStep::Running));
        assert_eq!(SetupStep::parse("failed 3"), Some(SetupStep::Failed(3)));
        for none in ["", "done", "failed", "failed x", "running 3"] {
            assert_eq!(SetupStep::parse(none), None, "{none}");
        }
    }
}
