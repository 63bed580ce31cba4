//! Keeping a shell's state under a name, and going back to one.

use super::find::{find, find_active};
use super::{ShellError, ShellOpResult};
use crate::domain::shell::{Checkpoint, Shell, ShellName, ShellStatus, StateFrom};
use crate::ops::{Cx, job};

/// What a shell goes back to.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum RestoreFrom {
    /// The checkpoint that was made last.
    Last,
    /// The checkpoint of this name.
    Checkpoint(String),
    /// The state before this job ran.
    BeforeJob(String),
}

/// Keeps a shell's state; without a name under its number.
///
/// # Errors
/// [`ShellError::BadName`], or that there is one of that name.
pub fn checkpoint(cx: &Cx, word: &str, name: Option<&str>) -> ShellOpResult<(Shell, Checkpoint)> {
    let shell = find_active(cx, word)?;
    if cx.shells.is_live(&shell) {
        return Err(ShellError::NoStates(shell.kind));
    }
    let name = name.map_or_else(|| format!("state-{}", shell.generation), str::to_owned);
    // The record beside a checkpoint has that end.
    if !ShellName::is_valid(&name) || name.to_ascii_lowercase().ends_with(".json") {
        return Err(ShellError::BadName(name));
    }
    let new =
        Checkpoint { name, generation: shell.generation, made_at: cx.clock.now(), made_by: super::owner(cx) };
    cx.shells.checkpoint(&shell.session_id, &new)?;
    Ok((shell, new))
}

/// Goes back to a state, in a new shell of the name `into` if one is given: then the old one stays as it is.
///
/// # Errors
/// [`ShellError::NoCheckpoint`] when there is none, [`ShellError::StillRuns`] while a command runs.
pub fn restore(cx: &Cx, word: &str, from: &RestoreFrom, into: Option<&str>) -> ShellOpResult<Shell> {
    let shell = if into.is_some() { find(cx, word)? } else { find_active(cx, word)? };
    if cx.shells.is_live(&shell) {
        return Err(ShellError::NoStates(shell.kind));
    }
    let label = || shell.label().to_owned();
    let from = match from {
        RestoreFrom::Checkpoint(name) => StateFrom::Checkpoint(name.clone()),
        RestoreFrom::Last => {
            let last = cx.shells.checkpoints(&shell.session_id)?.pop();
            StateFrom::Checkpoint(last.ok_or_else(|| ShellError::NoCheckpoint(label()))?.name)
        }
        RestoreFrom::BeforeJob(word) => {
            let job = job::find(cx, word)?;
            if job.session_id != shell.session_id {
                return Err(ShellError::NoJob(format!("{word} of shell {}", label())));
            }
            StateFrom::Generation(job.generation)
        }
    };
    if let Some(name) = into {
        return fork(cx, &shell, &from, name);
    }
    match cx.shells.restore(&shell.session_id, &from)? {
        Some(shell) => Ok(shell),
        None => {
            let jobs = cx.shells.running(&shell)?.iter().map(|j| j.job_id.to_string()).collect();
            Err(ShellError::StillRuns { label: label(), jobs })
        }
    }
}

fn fork(cx: &Cx, of: &Shell, from: &StateFrom, name: &str) -> ShellOpResult<Shell> {
    if !ShellName::is_valid(name) {
        return Err(ShellError::BadName(name.to_owned()));
    }
    let _alone = cx.shells.lock()?;
    if cx.shells.all()?.0.iter().any(|s| s.is_active() && s.name.as_deref() == Some(name)) {
        return Err(ShellError::NameTaken(name.to_owned()));
    }
    let now = cx.clock.now();
    let shell = Shell {
        session_id: cx.shells.new_id(),
        name: Some(name.to_owned()),
        status: ShellStatus::Active,
        once: false,
        owner: super::owner(cx),
        created_at: now,
        last_activity_at: now,
        ended_at: None,
        execution_count: 0,
        job_sequence: 0,
        first_job: 1,
        generation: 0,
        bytes: 0,
        ..of.clone()
    };
    Ok(cx.shells.create_from(&shell, &of.session_id, from)?)
}
