//! Asking for consent to what a repository brings: at a terminal alone.

use std::io::{BufRead, IsTerminal, Write};

use super::Context;
use super::error::CliError;
use crate::ops::OpError;
use crate::ops::worktree::{Consented, PlaceError, SetupContent};

/// Asks its user what an error is about; none if it is about something else, or nobody can be asked.
///
/// # Errors
/// If they say no, or the terminal can't be read.
pub(crate) fn ask(context: &Context, error: &OpError) -> Result<Option<Consented>, CliError> {
    let OpError::Place(PlaceError::Consent { repository, content, can_ask: true }) = error else {
        return Ok(None);
    };
    let (stdin, stderr) = (std::io::stdin(), std::io::stderr());
    if context.out.json || context.out.quiet || !stdin.is_terminal() || !stderr.is_terminal() {
        return Ok(None);
    }
    let mut to = stderr.lock();
    writeln!(to, "{}\n", shown(repository, content))?;
    loop {
        write!(to, "Run this? [o]nce, [a]lways, [n]o: ")?;
        to.flush()?;
        let mut line = String::new();
        let is_over = stdin.lock().read_line(&mut line)? == 0;
        let always = match line.trim().to_lowercase().as_str() {
            "o" | "once" => false,
            "a" | "always" => true,
            "n" | "no" => return Ok(None),
            _ if is_over => return Ok(None),
            _ => continue,
        };
        return Ok(Some(Consented { sha256: content.sha256(), always }));
    }
}

/// What is to be allowed.
pub(crate) fn shown(repository: &str, content: &SetupContent) -> String {
    format!(
        "Repository {repository} brings these commands, which run in the new worktree with your rights:\n\n{}",
        content.text().trim_end()
    )
}
