//! What a test must never touch.

use std::fs;
use std::path::{Path, PathBuf};

/// What of the user's could be touched, as it was before the test.
#[derive(PartialEq, Debug)]
pub struct Guard {
    folders: Vec<(PathBuf, bool)>,
    sockets: Vec<String>,
}

impl Guard {
    pub fn now() -> Self {
        let home = PathBuf::from(std::env::var_os("HOME").unwrap_or_default());
        let folders = [".config/deck", ".local/share/deck", ".local/state/deck"].map(|f| home.join(f));
        let sockets = Path::new("/tmp").join(format!("tmux-{}", nix::unistd::getuid()));
        let mut names: Vec<String> = fs::read_dir(sockets)
            .into_iter()
            .flatten()
            .flatten()
            .filter_map(|e| e.file_name().into_string().ok())
            .filter(|n| n == "deck" || n == "default")
            .collect();
        names.sort();
        Self { folders: folders.into_iter().map(|f| (f.clone(), f.exists())).collect(), sockets: names }
    }
}
