//! Starting a shell. No process runs for it: its first command begins with the environment that is recorded now.

use std::path::PathBuf;

use jiff::Timestamp;

use super::{ShellError, ShellOpResult};
use crate::domain::shell::environment::{is_variable_name, start_environment};
use crate::domain::shell::{Shell, ShellName, ShellStatus};
use crate::ops::Cx;
use crate::ports::shells::NoProgram;

/// A shell to start.
#[derive(Debug, Clone, Default)]
pub struct NewShell {
    /// The program and its arguments; empty for bash.
    pub command: Vec<String>,
    /// What it is called.
    pub name: Option<String>,
    /// The folder that its first command starts in.
    pub folder: PathBuf,
    /// The caller's environment, in exact bytes.
    pub caller_env: Vec<(Vec<u8>, Vec<u8>)>,
    /// Variables that override it, as `NAME=VALUE`.
    pub env: Vec<String>,
    /// Whether it is for one command, and ended with that.
    pub once: bool,
    /// Whether only what every program needs is taken of the caller's environment.
    pub clean: bool,
}

/// A shell that was started.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Started {
    /// Its record.
    pub shell: Shell,
    /// The shells that were ended to make room, by id.
    pub evicted: Vec<String>,
    /// Whether functions are kept between commands.
    pub keeps_functions: bool,
}

/// Splits `NAME=VALUE`.
///
/// # Errors
/// [`ShellError::BadVariable`].
pub fn variables(given: &[String]) -> ShellOpResult<Vec<(String, String)>> {
    let pair = |text: &String| {
        let bad = || ShellError::BadVariable(text.clone());
        let (name, value) = text.split_once('=').ok_or_else(bad)?;
        let is_good = is_variable_name(name.as_bytes()) && !value.contains('\0');
        is_good.then(|| (name.to_owned(), value.to_owned())).ok_or_else(bad)
    };
    given.iter().map(pair).collect()
}

/// Starts a shell.
///
/// # Errors
/// [`ShellError`]; nothing is recorded then.
pub fn start(cx: &Cx, new: NewShell) -> ShellOpResult<Started> {
    let own = variables(&new.env)?;
    // Nobody else takes its name or its place meanwhile.
    let _alone = cx.shells.lock()?;
    let (shells, _) = cx.shells.all()?;
    if let Some(name) = &new.name {
        if !ShellName::is_valid(name) {
            return Err(ShellError::BadName(name.clone()));
        }
        if shells.iter().any(|s| s.is_active() && s.name.as_ref() == Some(name)) {
            return Err(ShellError::NameTaken(name.clone()));
        }
    }
    if !cx.host.is_dir(&new.folder) {
        return Err(ShellError::NoSuchFolder(new.folder));
    }
    let command = if new.command.is_empty() { vec!["bash".to_owned()] } else { new.command };
    let word = command.first().cloned().unwrap_or_default();
    let env = start_environment(&new.caller_env, new.clean, &cx.tools.unset_env(), &own);
    let path = env.iter().find(|(name, _)| name == b"PATH");
    let path = path.map(|(_, value)| String::from_utf8_lossy(value).into_owned()).unwrap_or_default();
    let program = cx.shells.program(&word, &path, &new.folder).map_err(|problem| match problem {
        NoProgram::Unknown => ShellError::UnknownKind(word.clone()),
        NoProgram::NotFound => ShellError::NoProgram { program: word.clone(), path: path.clone() },
    })?;
    let wrap = wrapped_by(cx, &new.folder)?;
    let folder = new.folder.to_str().ok_or_else(|| ShellError::NoSuchFolder(new.folder.clone()))?;
    let owner = super::owner(cx);
    let limits = cx.installation.shell_limits;
    let evicted = if new.once { Vec::new() } else { make_room(cx, &shells, &owner, limits.shells)? };
    let now = cx.clock.now();
    remove_expired(cx, &shells, now);
    let shell = Shell {
        schema_version: Shell::FORMAT,
        session_id: cx.shells.new_id(),
        name: new.name,
        kind: program.kind,
        command,
        program: program.file.to_string_lossy().into_owned(),
        wrap,
        status: ShellStatus::Active,
        once: new.once,
        owner,
        work_dir: folder.to_owned(),
        created_at: now,
        last_activity_at: now,
        ended_at: None,
        execution_count: 0,
        job_sequence: 0,
        first_job: 1,
        generation: 0,
        bytes: 0,
        limits,
    };
    cx.shells.create(&shell, &env)?;
    Ok(Started { shell, evicted, keeps_functions: program.keeps_functions })
}

/// What the user's settings put around every shell, with the program by its file: later commands have no PATH.
fn wrapped_by(cx: &Cx, folder: &std::path::Path) -> ShellOpResult<Vec<String>> {
    let Some((first, rest)) = cx.installation.shell_wrap.split_first() else { return Ok(Vec::new()) };
    let path = cx.caller.var("PATH").unwrap_or_default();
    let file = cx
        .host
        .find_program(first, path, folder)
        .ok_or_else(|| ShellError::NoWrap { program: first.clone(), path: path.to_owned() })?;
    Ok(std::iter::once(file.to_string_lossy().into_owned()).chain(rest.iter().cloned()).collect())
}

/// Removes the files of shells that can't be brought back any more: they hold environments.
fn remove_expired(cx: &Cx, shells: &[Shell], now: Timestamp) {
    for shell in shells.iter().filter(|s| s.is_expired(now)) {
        if let Err(error) = cx.shells.remove(&shell.session_id) {
            tracing::warn!(shell = %shell.session_id, %error, "can't remove an ended shell");
        }
    }
}

/// Ends the least recently active of an owner's shells that run nothing, so that there is room for one more.
fn make_room(cx: &Cx, shells: &[Shell], owner: &str, limit: usize) -> ShellOpResult<Vec<String>> {
    let mut own: Vec<&Shell> =
        shells.iter().filter(|s| s.is_active() && !s.once && s.owner == owner).collect();
    own.sort_by_key(|s| s.last_activity_at);
    let (mut too_many, mut evicted) = ((own.len() + 1).saturating_sub(limit), Vec::new());
    for shell in &own {
        if too_many == 0 {
            break;
        }
        if cx.shells.end_idle(&shell.session_id, cx.clock.now())?.is_some() {
            evicted.push(shell.session_id.to_string());
            too_many -= 1;
        }
    }
    if too_many > 0 {
        let labels = own.iter().map(|s| s.label().to_owned()).collect();
        return Err(ShellError::AllRun { owner: owner.to_owned(), labels });
    }
    Ok(evicted)
}
