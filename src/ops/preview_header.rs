//! What is shown above a session's screen beside its record: its branch, and how full its context is.

use std::path::Path;

use super::digest::digest_of;
use super::{Cx, OpResult};
use crate::domain::conversation::Digest;
use crate::domain::session::Session;
use crate::ports::Host;
use crate::ports::mux::PaneRow;

/// What is notified about one session.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct PreviewHeader {
    /// The branch that its folder is on, or the commit where it is on none.
    pub branch: Option<String>,
    /// What the end of its conversation reports.
    pub digest: Option<Digest>,
}

/// Reads a session's header. `row` is its pane, if it has one.
///
/// # Errors
/// [`super::OpError`] when the session can't be asked for.
pub fn preview_header(cx: &Cx, session: &Session, row: Option<&PaneRow>) -> OpResult<PreviewHeader> {
    let branch = branch(&*cx.host, Path::new(&session.project_path));
    let lives = row.is_some_and(|r| r.facts.dead.is_none());
    // One that keeps its conversations where only its own service reads them is not started to ask.
    let is_served = cx.tools.tool(&session.tool).is_some_and(|e| !e.tool.service.args.is_empty());
    let digest = if lives || !is_served { digest_of(cx, session, row)? } else { None };
    Ok(PreviewHeader { branch, digest })
}

/// The branch of the repository that a folder is in, read from its files.
pub(super) fn branch(host: &dyn Host, folder: &Path) -> Option<String> {
    let head = folder.ancestors().find_map(|dir| {
        let git = dir.join(".git");
        // In a further work tree it is a file that names the folder.
        let real = host.read(&git).ok().and_then(|text| Some(dir.join(text.strip_prefix("gitdir:")?.trim())));
        host.read(&real.unwrap_or(git).join("HEAD")).ok()
    })?;
    let head = head.trim();
    let named = head.strip_prefix("ref: refs/heads/").map(str::to_owned);
    named.or_else(|| Some(head.get(..8)?.to_owned())).filter(|name| !name.is_empty())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ports::fake::FakeHost;

    #[test]
    fn branches_commits_and_further_work_trees() {
        let files = [
            ("/a/.git/HEAD", "ref: refs/heads/feat/login\n"),
            ("/b/.git", "gitdir: /a/.git/worktrees/b\n"),
            ("/a/.git/worktrees/b/HEAD", "0123456789abcdef0123456789abcdef01234567\n"),
        ];
        let files = files.map(|(path, text)| (path.into(), text.to_owned())).into();
        let host = FakeHost { files, ..FakeHost::default() };
        let of = |folder: &str| branch(&host, Path::new(folder));
        assert_eq!(of("/a/deep/er").as_deref(), Some("feat/login"));
        assert_eq!(of("/b").as_deref(), Some("01234567"));
        assert_eq!(of("/c"), None);
    }
}
