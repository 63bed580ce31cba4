//! A profile, tools, reports and a history in memory.

use std::io;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex};

use crate::domain::conversation::{Bookmark, Counted, Digest, Found, Part, Said};
use crate::domain::id::SessionId;
use crate::domain::profile::Profile;
use crate::domain::status::Change;
use crate::domain::tool::Tool;
use crate::ports::reports::{Asked, Report};
use crate::ports::store::{Loaded, Stamp};
use crate::ports::{Catalogue, History, Reports, Store, StoreError, ToolEntry};

/// A profile in memory.
#[derive(Debug, Default)]
pub struct FakeStore(pub Mutex<Profile>);

impl Store for FakeStore {
    fn load(&self) -> Result<Loaded, StoreError> {
        Ok(Loaded { profile: self.0.lock().unwrap().clone(), exists: true, recovered: None })
    }

    fn change(&self, change: &mut dyn FnMut(&mut Profile) -> bool) -> Result<Loaded, StoreError> {
        let mut profile = self.0.lock().unwrap().clone();
        if change(&mut profile) {
            profile.revision += 1;
            *self.0.lock().unwrap() = profile;
        }
        self.load()
    }

    fn stamp(&self) -> Option<Stamp> {
        Some(Stamp { inode: 1, modified: i128::from(self.0.lock().unwrap().revision), size: 0 })
    }
}

/// Agents that report what they are told to, and whose conversations hold what they are told to.
#[derive(Debug, Default)]
pub struct FakeReports(pub Mutex<Report>, pub Mutex<Option<Digest>>);

impl Reports for FakeReports {
    fn reports(&self, asked: &[Asked<'_>]) -> Vec<Report> {
        asked.iter().map(|_| self.0.lock().unwrap().clone()).collect()
    }

    fn said(&self, _: &Asked<'_>) -> Vec<Said> {
        Vec::new()
    }

    fn opening(&self, _: &Asked<'_>) -> (Option<PathBuf>, Option<String>) {
        (None, None)
    }

    fn hear(&self, _: &Asked<'_>, _: &Bookmark, _: u64) -> Option<Part> {
        None
    }

    fn conversations(&self, _: &Asked<'_>, _: Option<&Path>, _: usize) -> Vec<Found> {
        Vec::new()
    }

    fn count(&self, _: &Asked<'_>, _: u64) -> Option<Counted> {
        None
    }

    fn digest(&self, _: &Asked<'_>) -> Option<Digest> {
        self.1.lock().unwrap().clone()
    }
}

/// Changes in memory.
#[derive(Debug, Default)]
pub struct FakeHistory(pub Mutex<Vec<(SessionId, Change)>>);

impl History for FakeHistory {
    fn note(&self, session: &SessionId, change: &Change) -> io::Result<()> {
        let mut all = self.0.lock().unwrap();
        let last = all.iter().rev().find(|(id, _)| id == session);
        if last.is_none_or(|(_, last)| !last.is_same(change)) {
            all.push((session.clone(), change.clone()));
        }
        Ok(())
    }

    fn changes(&self, session: &SessionId) -> io::Result<Vec<Change>> {
        let all = self.0.lock().unwrap();
        Ok(all.iter().filter(|(id, _)| id == session).map(|(_, c)| c.clone()).collect())
    }
}

/// Tools from a list.
#[derive(Debug, Default)]
pub struct FakeTools(pub Vec<Arc<ToolEntry>>);

impl FakeTools {
    pub fn of(tools: Vec<Tool>) -> Self {
        Self(tools.into_iter().map(|t| Arc::new(ToolEntry::trusted(t))).collect())
    }
}

impl Catalogue for FakeTools {
    fn tool(&self, name: &str) -> Option<Arc<ToolEntry>> {
        self.0.iter().find(|e| e.tool.name == name).cloned()
    }

    fn all(&self) -> Vec<Arc<ToolEntry>> {
        self.0.clone()
    }

    fn tool_of(&self, command: &str) -> (String, String) {
        match self.tool(command) {
            Some(_) => (command.to_owned(), String::new()),
            None => ("custom".to_owned(), command.to_owned()),
        }
    }

    fn unset_env(&self) -> Vec<String> {
        Vec::new()
    }
}
