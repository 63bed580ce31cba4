//! The shell that a word means.

use super::{ShellError, ShellOpResult};
use crate::domain::age;
use crate::domain::shell::{Shell, ShellId, find_shell};
use crate::ops::Cx;

/// The shell whose code asks.
pub fn inside(cx: &Cx) -> Option<ShellId> {
    cx.caller.var("DECK_SHELL_ID").and_then(ShellId::parse)
}

/// The shell that a word means, also one that was ended.
///
/// # Errors
/// [`ShellError::Resolve`] when no single one is meant.
pub fn find(cx: &Cx, word: &str) -> ShellOpResult<Shell> {
    let (shells, mut problems) = cx.shells.all()?;
    match find_shell(&shells, word, inside(cx).as_ref()) {
        Ok(shell) => super::owner::may_read(cx, shell).map(|()| shell.clone()),
        // It may be the one that can't be read.
        Err(_) if !problems.is_empty() => Err(problems.remove(0).into()),
        Err(error) => Err(error.into()),
    }
}

/// The same, if it takes further commands.
///
/// # Errors
/// [`ShellError::Ended`], too.
pub fn find_active(cx: &Cx, word: &str) -> ShellOpResult<Shell> {
    let shell = find(cx, word)?;
    super::may_change(cx, &shell)?;
    if shell.is_active() {
        return Ok(shell);
    }
    let ago = shell.ended_at.map(|at| age::age(cx.clock.now(), at)).unwrap_or_default();
    let ago = if ago == "now" { "just now".to_owned() } else { format!("{ago} ago") };
    Err(ShellError::Ended { label: shell.label().to_owned(), ago })
}
