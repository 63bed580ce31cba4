//! Programs that take the terminal for a while: the user's shell and their editor.

use std::io::{self, Write};
use std::path::Path;
use std::process::Command;

use crate::sys::spawn;

fn var<'a>(vars: &'a [(String, String)], name: &str) -> Option<&'a str> {
    vars.iter().find(|(k, _)| k == name).map(|(_, v)| v.as_str()).filter(|v| !v.trim().is_empty())
}

/// The user's editor, in a folder: `$VISUAL`, `$EDITOR`, else vi.
pub fn editor(vars: &[(String, String)], folder: &Path) -> Command {
    let line = var(vars, "VISUAL").or_else(|| var(vars, "EDITOR")).unwrap_or("vi");
    let words = shlex::split(line).filter(|w| !w.is_empty()).unwrap_or_else(|| vec!["vi".to_owned()]);
    let mut words = words.into_iter();
    let mut command = spawn::command(words.next().unwrap_or_default());
    command.args(words).current_dir(folder);
    command
}

/// Why there is no editor.
pub fn no_editor(error: &io::Error) -> String {
    format!("can't start your editor: {error}; check EDITOR")
}

/// The user's shell, in a folder.
pub(super) fn shell(vars: &[(String, String)], folder: &Path) -> Command {
    let mut command = spawn::command(var(vars, "SHELL").unwrap_or("/bin/sh"));
    command.current_dir(folder);
    command
}

/// A private file with a text to be edited.
pub(super) fn draft(text: &str) -> io::Result<tempfile::NamedTempFile> {
    let mut file = tempfile::Builder::new().prefix("deck-message-").suffix(".md").tempfile()?;
    file.write_all(text.as_bytes())?;
    file.flush()?;
    Ok(file)
}
