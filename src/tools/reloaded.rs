//! The tools of a deck that stays open: its user may change their files meanwhile.
//!
//! Invariant: all decks at work judge by the same rules, since they share the memory of each status.

use std::path::PathBuf;
use std::sync::{Arc, PoisonError, RwLock};

use super::Registry;
use crate::ports::{Catalogue, ToolEntry};

/// What a file or a folder was like when it was read: name, time, size.
pub type ToolsStamp = Vec<(PathBuf, Option<std::time::SystemTime>, u64)>;

/// Tools that can be read again.
#[derive(Debug)]
pub struct LiveTools {
    folder: PathBuf,
    config: PathBuf,
    now: RwLock<Arc<Registry>>,
}

impl LiveTools {
    /// Tools as they were read from the folder and the config file.
    pub const fn new(folder: PathBuf, config: PathBuf, read: Arc<Registry>) -> Self {
        Self { folder, config, now: RwLock::new(read) }
    }

    /// The tools as they were read last.
    pub fn registry(&self) -> Arc<Registry> {
        self.now.read().unwrap_or_else(PoisonError::into_inner).clone()
    }

    /// Reads them again, with the config file's text and its tables of tools.
    pub fn read_again(&self, text: &str, tables: &toml::Table) {
        let read = Arc::new(Registry::load(&self.folder, &self.config, text, tables));
        *self.now.write().unwrap_or_else(PoisonError::into_inner) = read;
    }

    /// What the files are like: another one when any of them has changed.
    pub fn stamp(&self) -> ToolsStamp {
        let entries = std::fs::read_dir(&self.folder).into_iter().flatten().flatten().map(|e| e.path());
        let files = entries.filter(|p| p.extension().is_some_and(|e| e == "toml"));
        let of = |path: PathBuf| {
            let data = path.metadata().ok();
            let time = data.as_ref().and_then(|d| d.modified().ok());
            (path, time, data.map_or(0, |d| d.len()))
        };
        let mut all: ToolsStamp = files.chain([self.config.clone()]).map(of).collect();
        all.sort();
        all
    }
}

impl Catalogue for LiveTools {
    fn tool(&self, name: &str) -> Option<Arc<ToolEntry>> {
        self.registry().tool(name)
    }

    fn all(&self) -> Vec<Arc<ToolEntry>> {
        self.registry().all()
    }

    fn tool_of(&self, command: &str) -> (String, String) {
        self.registry().tool_of(command)
    }

    fn unset_env(&self) -> Vec<String> {
        self.registry().unset_env()
    }
}
