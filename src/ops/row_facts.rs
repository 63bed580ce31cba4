//! What a row of the list shows beside a session's status: its branch, and the last line of the agent's answer.

use std::collections::HashMap;
use std::path::{Path, PathBuf};

use super::Cx;
use super::digest::digest_of;
use super::preview_header::branch;
use super::watch::SessionState;
use crate::domain::session::Session;
use crate::domain::text;

/// The most characters that are kept of a line.
const MOST: usize = 200;

/// What is known of one session beside its status.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct RowFacts {
    /// The branch that its folder is on, or the commit where it is on none.
    pub branch: Option<String>,
    /// Commits that only this branch has, and those that only the one that it follows has.
    pub ahead_behind: Option<(u32, u32)>,
    /// The last line of the agent's last answer.
    pub last_line: Option<String>,
}

/// Reads them, and remembers of each folder what git said until it has moved.
#[derive(Default)]
pub struct RowFactsReader {
    folders: HashMap<PathBuf, Counted>,
}

/// The stamp of a folder, and how far its branch was ahead and behind at that.
type Counted = (Option<u64>, Option<(u32, u32)>);

impl RowFactsReader {
    /// What a session's row shows. May block.
    pub fn read(&mut self, cx: &Cx, session: &Session, state: Option<&SessionState>) -> RowFacts {
        let folder = Path::new(&session.project_path);
        let branch = branch(&*cx.host, folder);
        let ahead_behind = branch.as_ref().and_then(|_| self.ahead_behind(cx, folder));
        let row = state.and_then(|l| l.row.as_ref());
        let lives = row.is_some_and(|r| r.facts.dead.is_none());
        // One that keeps its conversations where only its own service reads them is not started to ask.
        let is_served = cx.tools.tool(&session.tool).is_some_and(|e| !e.tool.service.args.is_empty());
        let digest = if lives || !is_served { digest_of(cx, session, row).ok().flatten() } else { None };
        let last_line = digest.and_then(|d| d.last_response).and_then(|answer| last_line(&answer));
        RowFacts { branch, ahead_behind, last_line }
    }

    /// git is asked again only when the branch, the commit or the index has moved.
    fn ahead_behind(&mut self, cx: &Cx, folder: &Path) -> Option<(u32, u32)> {
        let stamp = cx.git.stamp(folder);
        match self.folders.get(folder) {
            Some((known, answer)) if *known == stamp => *answer,
            _ => {
                let answer = cx.git.ahead_behind(folder, &|| cx.cancel.is_cancelled()).ok().flatten();
                self.folders.insert(folder.to_owned(), (stamp, answer));
                answer
            }
        }
    }
}

/// The last line of an answer that says something.
fn last_line(answer: &str) -> Option<String> {
    let says = |line: &&str| line.chars().any(char::is_alphanumeric);
    let line = answer.lines().rev().map(str::trim).find(says)?;
    // The marks of a list, a heading or a quote.
    let line = line.trim_start_matches(['#', '>', '-', '*', ' ']);
    Some(text::clean(line).chars().take(MOST).collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_last_line_is_the_last_that_says_something() {
        assert_eq!(last_line("One.\n\n- \u{1b}[31mTwo\tthree\n```\n").as_deref(), Some("Two three"));
        assert_eq!(last_line("## Done\n").as_deref(), Some("Done"));
        assert_eq!(last_line("\n---\n"), None);
        assert_eq!(last_line(&"x".repeat(900)).map(|l| l.len()), Some(MOST));
    }
}
