//! Opening a headless shell as a session: an interactive shell for a person that starts where the headless one is. What
//! is done in it stays there.

use super::{ShellError, ShellOpResult, find};
use crate::domain::quote::sh;
use crate::domain::shell::Shell;
use crate::domain::slug::unique_title;
use crate::ops::{Created, Cx, New, create};
use crate::ports::shells::Interactive;

/// The hidden verb that becomes such a shell.
pub const ENTER_VERB: &str = "enter-shell";

/// Variables of the terminal and of the session that the interactive shell runs in.
const OF_THE_TERMINAL: &[&str] = &["TERM", "COLORTERM", "TERM_PROGRAM", "TMUX", "TMUX_PANE"];

/// Adds a session whose shell starts from the state of this one.
///
/// # Errors
/// [`ShellError::NoTerminal`] for a kind whose state no terminal can start from; [`ShellError::NotOpened`].
pub fn open(cx: &Cx, word: &str) -> ShellOpResult<Created> {
    let shell = find(cx, word)?;
    super::may_change(cx, &shell)?;
    check(&shell)?;
    let folder = cx.shells.next_folder(&shell)?;
    if !cx.host.is_dir(&folder) {
        return Err(ShellError::NoFolder { folder, label: shell.label().to_owned() });
    }
    let program = &cx.installation.program;
    let not_opened =
        |error| ShellError::NotOpened { label: shell.label().to_owned(), source: Box::new(error) };
    let profile = cx.profile.store.load().map_err(|error| not_opened(error.into()))?.profile;
    // It may be opened several times.
    let taken: Vec<&str> = profile.live_sessions().map(|s| s.title.as_str()).collect();
    let new = New {
        path: folder,
        title: Some(unique_title(shell.label(), &taken)),
        command: Some(format!("{} {ENTER_VERB} {}", sh(program), shell.session_id)),
        start: true,
        ..New::default()
    };
    create(cx, &new).map_err(not_opened)
}

/// What such a session runs.
///
/// # Errors
/// The system's.
pub fn interactive(cx: &Cx, word: &str) -> ShellOpResult<Interactive> {
    let shell = find(cx, word)?;
    check(&shell)?;
    let is_passed = |name: &str| name.starts_with("DECK_") || OF_THE_TERMINAL.contains(&name);
    let pass: Vec<(String, String)> = cx
        .caller
        .env
        .iter()
        .filter(|(name, _)| is_passed(name))
        .map(|(k, v)| (k.clone(), v.clone()))
        .collect();
    Ok(cx.shells.interactive(&shell, &pass)?)
}

fn check(shell: &Shell) -> ShellOpResult<()> {
    if shell.can_be_opened() { Ok(()) } else { Err(ShellError::NoTerminal(shell.kind.clone())) }
}
