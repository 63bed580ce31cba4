//! The tools of a deck that stays open: its user may change their files meanwhile.
//!
//! Invariant: all decks at work judge by the same rules, since they share the memory of each status.

use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError, RwLock};

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
    /// What the files were like before they were read last: what changed while they were read is read again.
    seen: Mutex<ToolsStamp>,
}

/// What the files of tools in a folder, and the config file, are like: another one when any of them has changed.
pub fn stamp_of(folder: &Path, config: &Path) -> ToolsStamp {
    let entries = std::fs::read_dir(folder).into_iter().flatten().flatten().map(|e| e.path());
    let files = entries.filter(|p| p.extension().is_some_and(|e| e == "toml"));
    let of = |path: PathBuf| {
        let data = path.metadata().ok();
        let time = data.as_ref().and_then(|d| d.modified().ok());
        (path, time, data.map_or(0, |d| d.len()))
    };
    let mut all: ToolsStamp = files.chain([config.to_owned()]).map(of).collect();
    all.sort();
    all
}

impl LiveTools {
    /// Tools as they were read from the folder and the config file, which were like `seen` before that.
    pub const fn new(folder: PathBuf, config: PathBuf, read: Arc<Registry>, seen: ToolsStamp) -> Self {
        Self { folder, config, now: RwLock::new(read), seen: Mutex::new(seen) }
    }

    /// What the files were like before they were read last.
    pub fn seen(&self) -> ToolsStamp {
        self.seen.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }

    /// Notes what they were like before they were read.
    pub fn saw(&self, stamp: ToolsStamp) {
        *self.seen.lock().unwrap_or_else(PoisonError::into_inner) = stamp;
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

    /// What the files are like now.
    pub fn stamp(&self) -> ToolsStamp {
        stamp_of(&self.folder, &self.config)
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_changed_after_it_was_read_counts_as_changed_whenever_it_is_looked_at_first() {
        let dir = tempfile::tempdir().unwrap();
        let (folder, config) = (dir.path().join("tools"), dir.path().join("config.toml"));
        let seen = stamp_of(&folder, &config);
        let live = LiveTools::new(folder.clone(), config.clone(), Arc::default(), seen);
        assert_eq!(live.seen(), live.stamp());
        crate::sys::files::replace_unsynced(&config, b"[ui]\n").unwrap();
        assert_ne!(live.seen(), live.stamp());
        live.saw(live.stamp());
        crate::sys::files::make_dir(&folder).unwrap();
        crate::sys::files::replace_unsynced(&folder.join("x.toml"), b"").unwrap();
        assert_ne!(live.seen(), live.stamp(), "a file of a tool, too");
    }
}
