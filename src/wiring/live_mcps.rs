//! The MCP servers of a deck that stays open: its user may change the settings meanwhile.

use std::path::PathBuf;
use std::sync::{Arc, Mutex, PoisonError};

use crate::config;
use crate::domain::mcp_servers::Catalogue;
use crate::ports::McpServers;
use crate::tools::{ToolsStamp, stamp_of};

/// Servers that are read again when their files have changed.
#[derive(Debug)]
pub struct LiveMcps {
    config: PathBuf,
    now: Mutex<(ToolsStamp, Arc<Catalogue>)>,
}

/// What the config file and the files of servers beside it are like.
pub fn stamp(config: &std::path::Path) -> ToolsStamp {
    stamp_of(&config::mcp_folder(config), config)
}

impl LiveMcps {
    /// What was read of the config file and the files beside it, which were like `seen` before that.
    pub fn new(config: PathBuf, read: Catalogue, seen: ToolsStamp) -> Self {
        Self { config, now: Mutex::new((seen, Arc::new(read))) }
    }
}

impl McpServers for LiveMcps {
    fn catalogue(&self) -> Arc<Catalogue> {
        let stamp = stamp(&self.config);
        let mut now = self.now.lock().unwrap_or_else(PoisonError::into_inner);
        if now.0 != stamp {
            let read = config::load(&self.config);
            // What can't be read is taken to be as it was: servers that nobody removed would count as gone.
            if read.is_broken {
                now.0 = stamp;
            } else {
                *now = (stamp, Arc::new(read.mcps));
            }
        }
        now.1.clone()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::sys::files;

    #[test]
    fn settings_that_changed_are_read_again() {
        let dir = tempfile::tempdir().unwrap();
        let config = dir.path().join("config.toml");
        let live = LiveMcps::new(config.clone(), Catalogue::default(), stamp(&config));
        let names = || live.catalogue().servers.keys().cloned().collect::<Vec<_>>();
        assert_eq!(names(), [""; 0]);
        files::replace_unsynced(&config, b"[mcps.memory]\ncommand = \"x\"\n").unwrap();
        assert_eq!(names(), ["memory"]);
        files::make_dir(&dir.path().join("mcps")).unwrap();
        files::replace_unsynced(&dir.path().join("mcps/fetch.toml"), b"command = \"y\"\n").unwrap();
        assert_eq!(names(), ["fetch", "memory"]);
        files::replace_unsynced(&config, b"[mcps.memory\n").unwrap();
        assert_eq!(names(), ["fetch", "memory"], "a mistake in the file removes nothing");
    }
}
