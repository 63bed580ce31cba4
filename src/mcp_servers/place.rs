//! Where the socket of a shared server is, and who may be behind it.

use std::io;
use std::os::unix::fs::{MetadataExt as _, PermissionsExt as _};
use std::path::{Path, PathBuf};

use crate::sys::files;

/// The longest path of a socket, in bytes, that every system takes.
const LONGEST: usize = 100;

/// The files of one shared server: a socket, a lock for those who start it, a log.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Place {
    folder: PathBuf,
    /// The server's name, and what names its definition with all that it was given.
    pub key: String,
}

impl Place {
    /// The files below `run` of a server with this key. The folder is made, and is this user's alone.
    ///
    /// # Errors
    /// The system's error, or that the folder isn't this user's alone.
    pub fn of(run: &Path, key: &str) -> io::Result<Self> {
        let folder = folder(run);
        files::make_dir(&folder)?;
        let data = folder.symlink_metadata()?;
        let is_own = data.uid() == nix::unistd::getuid().as_raw();
        if !data.is_dir() || !is_own || data.permissions().mode() & 0o077 != 0 {
            let words =
                format!("{} is not yours alone: its owner or its permissions are wrong", folder.display());
            return Err(io::Error::other(words));
        }
        Ok(Self { folder, key: key.to_owned() })
    }

    pub fn socket(&self) -> PathBuf {
        self.folder.join(format!("{}.sock", self.key))
    }

    pub fn lock(&self) -> PathBuf {
        self.folder.join(format!("{}.lock", self.key))
    }

    pub fn log(&self) -> PathBuf {
        self.folder.join(format!("{}.log", self.key))
    }
}

/// The folder for sockets: below the one for what may be lost, or where that is too long for a socket, in the system's own.
pub(super) fn folder(run: &Path) -> PathBuf {
    let usual = run.join("mcp");
    // A name of 32, a checksum of 16, and what is around them.
    if usual.as_os_str().len() + 60 <= LONGEST {
        return usual;
    }
    let hash = crate::domain::mcp_servers::checksum(usual.to_string_lossy().as_bytes());
    PathBuf::from(format!("/tmp/deck-{}-{hash}", nix::unistd::getuid()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_socket_has_a_path_that_is_short_enough() {
        let dir = tempfile::tempdir().unwrap();
        let place = Place::of(dir.path(), "memory-0123456789abcdef").unwrap();
        assert_eq!(place.socket(), dir.path().join("mcp/memory-0123456789abcdef.sock"));
        let long = dir.path().join("x".repeat(80));
        let key = format!("{}-0123456789abcdef", "n".repeat(32));
        assert!(folder(&long).join(key).as_os_str().len() <= LONGEST);
        assert_ne!(folder(&long), folder(&long.join("y")));
    }

    #[test]
    fn a_folder_that_others_may_use_is_refused() {
        let dir = tempfile::tempdir().unwrap();
        let folder = dir.path().join("mcp");
        std::fs::create_dir(&folder).unwrap();
        std::fs::set_permissions(&folder, std::fs::Permissions::from_mode(0o755)).unwrap();
        assert!(Place::of(dir.path(), "x").unwrap_err().to_string().contains("not yours alone"));
    }
}
