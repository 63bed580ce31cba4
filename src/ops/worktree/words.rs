//! What a worktree comes to, in words, for the command line and for the form.

use jiff::Timestamp;

use super::{How, WorktreePlan};
use crate::domain::worktree::Checkout;
use crate::domain::{age, text};

/// The most cells of a commit's subject.
const SUBJECT: usize = 50;

impl WorktreePlan {
    /// Which branch, and what it begins at.
    pub fn what(&self, now: Timestamp) -> String {
        let commit = self.commit.as_ref().map(|commit| {
            let id = commit.id.get(..8).unwrap_or_default();
            format!("{id} {:?}, {}", text::fit(&commit.subject, SUBJECT), age::age(now, commit.at))
        });
        let commit = commit.unwrap_or_default();
        match &self.how {
            How::Make(Checkout::Branch(branch)) => format!("for the branch {branch}, at {commit}"),
            How::Make(Checkout::Track { branch, remote_branch }) => {
                format!("for a new branch {branch} that follows {remote_branch}, at {commit}")
            }
            How::Make(Checkout::New { branch, .. }) => {
                let base = self.base.as_deref().unwrap_or("a commit");
                format!("for a new branch {branch} from {base}, at {commit}")
            }
            How::Make(Checkout::Detached(_)) => format!("at {commit}"),
            How::Reuse => "which is there".to_owned(),
            How::Continue(session) => format!("which was begun for the session {:?}", session.title),
        }
    }

    /// What comes with it, a line each.
    pub fn details(&self, now: Timestamp) -> Vec<String> {
        let mut lines = Vec::new();
        if let Some(at) = self.fetched_at.filter(|_| matches!(self.how, How::Make(_))) {
            lines.push(format!("last fetched {}", age::age(now, at)));
        }
        let copies = &self.copies;
        if !copies.files.is_empty() {
            let bytes = text::bytes(copies.bytes);
            lines.push(format!("copies {}, {bytes}", text::counted(copies.files.len(), "ignored file")));
        }
        lines.extend(self.content.part.link.iter().flatten().map(|link| format!("links {link}")));
        lines.extend(self.content.part.setup.iter().flatten().map(|line| format!("runs {line}")));
        lines.iter().map(|line| text::clean(line)).collect()
    }

    /// Whether its user has yet to allow what the repository brings.
    pub fn is_to_be_allowed(&self) -> bool {
        !self.content.files.is_empty() && !self.repository.allows(&self.content.sha256())
    }
}
