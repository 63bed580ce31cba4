//! Whose a shell is: an agent changes only its own, and reads others only if its user lets it see all sessions.

use super::{ShellError, ShellOpResult, inside};
use crate::domain::mcp_scope::{Scope, allow};
use crate::domain::shell::Shell;
use crate::ops::Cx;
use crate::ops::guard::{Actor, actor};

/// The owner of what nobody but a user started.
pub const USER: &str = "user";
/// The owner of what an agent outside deck's sessions started, with the name of its program, if that has one.
const OUTSIDE: &str = "mcp";
/// How many characters of that name are used.
const NAME: usize = 64;

/// Who asks, as records name it: a session's id, one of the words above, or `mcp:` and the name of a program. Code in a
/// shell asks for the owner of that.
pub fn owner(cx: &Cx) -> String {
    let of_shell = || cx.shells.shell(&inside(cx)?).ok().flatten().map(|shell| shell.owner);
    let session = || cx.caller.inside.as_ref().map(ToString::to_string);
    let nobody = || match (&cx.caller.scopes, &cx.caller.client) {
        (None, _) => USER.to_owned(),
        (Some(_), Some(name)) => outside(name),
        (Some(_), None) => OUTSIDE.to_owned(),
    };
    of_shell().or_else(session).unwrap_or_else(nobody)
}

/// The owner for a program of this name, which can be any text: never a session's id, and never the user.
fn outside(name: &str) -> String {
    let fits = |c: &char| c.is_ascii_alphanumeric() || matches!(c, '.' | '_' | '-');
    let name: String = name.chars().filter(fits).take(NAME).collect();
    if name.is_empty() { OUTSIDE.to_owned() } else { format!("{OUTSIDE}:{name}") }
}

/// Refuses a shell that an agent may not see.
///
/// # Errors
/// [`ShellError::NotOwn`].
pub(super) fn may_read(cx: &Cx, shell: &Shell) -> ShellOpResult<()> {
    let is_allowed = is_own(cx, shell) || foreign_scopes(cx)?.is_none_or(|s| allow(&s, Scope::LookAll));
    if is_allowed { Ok(()) } else { Err(not_own(shell, true)) }
}

/// Refuses a shell that an agent may not change.
///
/// # Errors
/// [`ShellError::NotOwn`].
pub fn may_change(cx: &Cx, shell: &Shell) -> ShellOpResult<()> {
    let is_allowed = is_own(cx, shell) || foreign_scopes(cx)?.is_none();
    if is_allowed { Ok(()) } else { Err(not_own(shell, false)) }
}

/// Whether there is no doubt; nothing is asked of tmux for it.
fn is_own(cx: &Cx, shell: &Shell) -> bool {
    shell.owner == owner(cx)
}

/// The scopes of an agent that asks; none for a user.
fn foreign_scopes(cx: &Cx) -> ShellOpResult<Option<Vec<Scope>>> {
    match actor(cx).map_err(|error| ShellError::NoActor(Box::new(error)))? {
        Actor::User => Ok(None),
        Actor::Agent(agent) => Ok(Some(agent.scopes)),
    }
}

fn not_own(shell: &Shell, read: bool) -> ShellError {
    ShellError::NotOwn { label: shell.label().to_owned(), owner: shell.owner.clone(), read }
}

#[cfg(test)]
mod tests {
    use super::outside;

    #[test]
    fn a_program_is_never_taken_for_somebody_else() {
        assert_eq!(outside("claude-code"), "mcp:claude-code");
        assert_eq!(outside("user"), "mcp:user");
        assert_eq!(outside("\u{1b}[31mev il/\n"), "mcp:31mevil");
        assert_eq!(outside("日本"), "mcp");
        assert_eq!(outside(&"x".repeat(500)).len(), 4 + 64);
    }
}
