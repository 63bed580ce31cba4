//! The [`Reports`] of real processes.

use super::{claude_session_file, foreground};
use crate::domain::tool::SourceKind;
use crate::ports::reports::{Asked, Report, Reports};

/// Reads agents' files.
#[derive(Debug, Default)]
pub struct SystemReports {
    session_files: claude_session_file::Cache,
}

impl Reports for SystemReports {
    fn report(&self, asked: &Asked<'_>) -> Report {
        if asked.tool.has_source(SourceKind::ClaudeSessionFile) {
            self.session_files.read(asked)
        } else if asked.tool.has_source(SourceKind::Foreground) {
            foreground::read(asked)
        } else {
            Report::default()
        }
    }
}
