//! The [`Reports`] of real processes.

use std::path::{Path, PathBuf};

use super::open_files::Looks;
use super::opencode_http::Services;
use super::transcript::{self, Counts, Ears, Tails};
use super::{claude_session_file, foreground, opencode_cli};
use crate::domain::conversation::{Bookmark, Counted, Digest, Found, Part, Said};
use crate::domain::tool::SourceKind;
use crate::ports::reports::{Asked, Report, Reports};

/// Reads agents' files, and asks their services.
#[derive(Debug, Default)]
pub struct SystemReports {
    session_files: claude_session_file::Cache,
    services: Services,
    tails: Tails,
    open: Looks,
    counts: Counts,
    ears: Ears,
}

impl SystemReports {
    /// One that keeps in `counts` how far it has counted conversations.
    pub fn new(counts: std::path::PathBuf) -> Self {
        Self { counts: Counts::new(counts), ..Self::default() }
    }
}

impl Reports for SystemReports {
    fn reports(&self, asked: &[Asked<'_>]) -> Vec<Report> {
        let mut reports: Vec<Report> = asked.iter().map(|a| self.read_files(a)).collect();
        let serves = |a: &Asked<'_>| a.tool.has_source(SourceKind::OpencodeHttp) && a.port.is_some();
        let mut due = Vec::new();
        for (index, asked) in asked.iter().enumerate().filter(|(_, a)| serves(a)) {
            match self.services.known(asked) {
                Some(known) => put(&mut reports, index, known),
                None => due.push((index, asked)),
            }
        }
        if !due.is_empty() {
            let answers = self.services.read(&due.iter().map(|(_, a)| *a).collect::<Vec<_>>());
            for ((index, _), answer) in due.iter().zip(answers) {
                put(&mut reports, *index, answer);
            }
        }
        reports
    }

    fn digest(&self, asked: &Asked<'_>) -> Option<Digest> {
        let served = asked.tool.has_source(SourceKind::OpencodeHttp);
        if served {
            // One that doesn't run has no service to ask.
            if asked.pid == 0 { opencode_cli::digest(asked) } else { self.services.digest(asked) }
        } else {
            transcript::digest(asked)
        }
    }

    fn said(&self, asked: &Asked<'_>) -> Vec<Said> {
        if !asked.tool.has_source(SourceKind::OpencodeHttp) {
            transcript::said(asked)
        } else if asked.pid == 0 {
            opencode_cli::said(asked)
        } else {
            self.services.said(asked)
        }
    }

    fn opening(&self, asked: &Asked<'_>) -> (Option<PathBuf>, Option<String>) {
        transcript::opening(asked)
    }

    fn hear(&self, asked: &Asked<'_>, from: &Bookmark, most: u64) -> Option<Part> {
        if !asked.tool.has_source(SourceKind::OpencodeHttp) {
            self.ears.hear(asked, from, most)
        } else if asked.pid == 0 {
            opencode_cli::hear(asked, from)
        } else {
            self.services.hear(asked, from)
        }
    }

    fn conversations(&self, asked: &Asked<'_>, folder: Option<&Path>, most: usize) -> Vec<Found> {
        if asked.tool.has_source(SourceKind::OpencodeHttp) {
            opencode_cli::conversations(asked, folder, most)
        } else {
            transcript::conversations(asked, folder, most)
        }
    }

    fn count(&self, asked: &Asked<'_>, most: u64) -> Option<Counted> {
        self.counts.count(asked, most)
    }
}

fn put(reports: &mut [Report], index: usize, report: Report) {
    if let Some(place) = reports.get_mut(index) {
        *place = report;
    }
}

impl SystemReports {
    fn read_files(&self, asked: &Asked<'_>) -> Report {
        let mut report = if asked.tool.has_source(SourceKind::ClaudeSessionFile) {
            self.session_files.read(asked)
        } else if asked.tool.has_source(SourceKind::Foreground) {
            foreground::read(asked)
        } else {
            Report::default()
        };
        report.transcript = self.tails.read(asked);
        report.conversation = report.conversation.or_else(|| self.open.conversation(asked));
        report
    }
}
