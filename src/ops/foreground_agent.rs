//! The agent that was started by hand inside a shell's session: while it has the terminal's foreground, its
//! tool's rules and reports are the session's.
//!
//! Invariants: the session stays what it is for starting, resuming and ending; a program that isn't surely
//! an agent's is none; nothing is started.

use std::path::Path;
use std::sync::Arc;

use super::Cx;
use crate::domain::session::Session;
use crate::domain::tool::SourceKind;
use crate::ports::ToolEntry;
use crate::ports::host::Running;
use crate::ports::mux::PaneRow;

/// Programs that run another one, which their command line names.
const INTERPRETERS: [&str; 12] =
    ["node", "nodejs", "bun", "deno", "python", "python3", "ruby", "sh", "bash", "dash", "zsh", "env"];

/// An agent in the foreground of a shell.
#[derive(Debug, Clone)]
pub(super) struct Front {
    /// Its process.
    pub pid: i32,
    pub entry: Arc<ToolEntry>,
}

/// Whether what runs in a session may start agents of its own: it is a shell, or any command.
fn may_hold_agents(cx: &Cx, session: &Session) -> bool {
    cx.tools.tool(&session.tool).is_none_or(|e| e.tool.has_source(SourceKind::Foreground))
}

/// The agent in the foreground of a session's shell.
pub(super) fn front(cx: &Cx, session: &Session, row: &PaneRow) -> Option<Front> {
    let leader = leader(cx, session, row)?;
    agent(cx, &leader).or_else(|| wrapped(cx, row))
}

/// The leader of the foreground of a session's shell; none while the shell itself has it.
pub(super) fn leader(cx: &Cx, session: &Session, row: &PaneRow) -> Option<Running> {
    cx.host.front(row.facts.pid.filter(|_| row.facts.dead.is_none() && may_hold_agents(cx, session))?)
}

/// The agent in the foreground that another program started, which leads its group: `npx`, a script. This
/// reads the whole process table.
pub(super) fn wrapped(cx: &Cx, row: &PaneRow) -> Option<Front> {
    cx.host.foreground(row.facts.pid?).iter().find_map(|r| agent(cx, r))
}

/// The tool whose rules hold for what a session shows now.
pub(super) fn tool_of(cx: &Cx, session: &Session, row: &PaneRow) -> Option<Arc<ToolEntry>> {
    front(cx, session, row).map(|f| f.entry).or_else(|| cx.tools.tool(&session.tool))
}

pub(super) fn agent(cx: &Cx, process: &Running) -> Option<Front> {
    let name = program(&process.argv)?;
    let entry = cx.tools.all().into_iter().find(|e| program_of(e) == Some(name))?;
    Some(Front { pid: process.pid, entry })
}

/// The program that a command line runs: its own, or the one that an interpreter was given.
fn program(argv: &[String]) -> Option<&str> {
    let first = base(argv.first()?.trim_start_matches('-'));
    if !INTERPRETERS.contains(&first) {
        return Some(first);
    }
    argv.iter().skip(1).find(|w| !w.starts_with('-')).map(|w| base(w))
}

/// The first word of what a tool runs; none for one that stands for the user's shell.
pub(super) fn program_of(entry: &ToolEntry) -> Option<&str> {
    let word = entry.tool.command.split_whitespace().next().filter(|w| !w.starts_with('$'))?;
    Some(base(word))
}

/// The last part of a path.
pub(super) fn base(word: &str) -> &str {
    Path::new(word).file_name().and_then(|n| n.to_str()).unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_program_of_a_command_line() {
        let of = |line: &str| {
            let argv: Vec<String> = line.split(' ').map(str::to_owned).collect();
            program(&argv).map(str::to_owned)
        };
        assert_eq!(of("claude --model x").as_deref(), Some("claude"));
        assert_eq!(
            of("/usr/bin/node --max-old-space-size=9 /opt/bin/gemini -i x").as_deref(),
            Some("gemini")
        );
        assert_eq!(of("/bin/sh /home/me/bin/codex").as_deref(), Some("codex"));
        assert_eq!(of("vim claude").as_deref(), Some("vim"), "a file of an agent's name");
        assert_eq!(of("-bash"), None);
    }
}
