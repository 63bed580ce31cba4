//! Changing a shell from outside: its name, and its state by a command of its own, which is recorded as any is.

use super::exec::{ExecOptions, exec};
use super::find::find_active;
use super::{ShellError, ShellOpResult};
use crate::domain::shell::{Changes, Shell, ShellName};
use crate::ops::Cx;
use crate::ports::shells::Which;

/// Changes the state of a shell, and gives it another name.
///
/// # Errors
/// [`ShellError::BadChange`] when a change can't be made; those before it then are.
pub fn update(cx: &Cx, word: &str, changes: &Changes, name: Option<&str>) -> ShellOpResult<Shell> {
    let mut shell = find_active(cx, word)?;
    let code = changes.code().map_err(ShellError::BadChange)?;
    if !code.is_empty() && cx.shells.is_live(&shell) {
        return Err(ShellError::NoStates(shell.kind));
    }
    if let Some(name) = name {
        shell = rename(cx, &shell, name)?;
    }
    if code.is_empty() {
        return Ok(shell);
    }
    let mut words = Vec::new();
    let options = ExecOptions { stream: true, ..ExecOptions::of(code) };
    let executed = exec(cx, shell.session_id.as_str(), options, &mut |event| {
        if let super::ExecEvent::Output(Which::Stderr, bytes) = event {
            words.extend(bytes);
        }
    })?;
    if executed.job.is_success() {
        return Ok(executed.shell);
    }
    let words = String::from_utf8_lossy(&words);
    // In bash's own words, without the name and the line of the code.
    let last = words.lines().last().unwrap_or("it ended with an error");
    Err(ShellError::BadChange(last.trim_start_matches("bash: line 1: ").to_owned()))
}

fn rename(cx: &Cx, shell: &Shell, name: &str) -> ShellOpResult<Shell> {
    if !ShellName::is_valid(name) {
        return Err(ShellError::BadName(name.to_owned()));
    }
    let _alone = cx.shells.lock()?;
    let has_it = |s: &Shell| s.is_active() && s.name.as_deref() == Some(name);
    if cx.shells.all()?.0.iter().any(|s| has_it(s) && s.session_id != shell.session_id) {
        return Err(ShellError::NameTaken(name.to_owned()));
    }
    Ok(cx.shells.change(&shell.session_id, &mut |shell| shell.name = Some(name.to_owned()))?)
}
