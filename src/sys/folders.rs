//! Files in folders of the user's: read, copied and linked; overwritten only in place of bytes that are known.

use std::io::{self, Write};
use std::os::unix::ffi::OsStrExt;
use std::os::unix::fs::{OpenOptionsExt, PermissionsExt, symlink};
use std::path::Path;

use sha2::{Digest, Sha256};

use super::files;
use crate::ports::folders::{Below, Folders, Kind};

/// The most that a file may have which is replaced, in bytes.
const MAX_REPLACED: u64 = 64 * 1024 * 1024;

/// Those of this machine.
#[derive(Debug, Clone, Copy, Default)]
pub struct SystemFolders;

impl Folders for SystemFolders {
    fn kind(&self, path: &Path) -> Option<Kind> {
        let facts = path.symlink_metadata().ok()?;
        Some(match facts.file_type() {
            kind if kind.is_symlink() => Kind::Link,
            kind if kind.is_dir() => Kind::Folder,
            kind if kind.is_file() => Kind::File { len: facts.len() },
            _ => Kind::Other,
        })
    }

    fn is_empty(&self, folder: &Path) -> bool {
        match std::fs::read_dir(folder) {
            Ok(mut entries) => entries.next().is_none(),
            Err(error) => error.kind() == io::ErrorKind::NotFound,
        }
    }

    fn below(&self, path: &Path, most: usize) -> io::Result<Below> {
        let mut found = Below::default();
        let mut due = vec![path.to_owned()];
        while let Some(at) = due.pop() {
            let facts = at.symlink_metadata()?;
            if found.files.len() + found.repositories.len() >= most {
                found.is_cut = true;
                break;
            }
            if !facts.is_dir() {
                found.files.push((at, facts.len()));
                continue;
            }
            if at.join(".git").symlink_metadata().is_ok() {
                found.repositories.push(at);
                continue;
            }
            for entry in std::fs::read_dir(&at)? {
                due.push(entry?.path());
            }
        }
        Ok(found)
    }

    fn device(&self, folder: &Path) -> Option<u64> {
        std::os::unix::fs::MetadataExt::dev(&folder.metadata().ok()?).into()
    }

    fn content(&self, path: &Path, most: u64) -> io::Result<Vec<u8>> {
        if self.kind(path) == Some(Kind::Link) {
            return Ok(std::fs::read_link(path)?.as_os_str().as_bytes().to_vec());
        }
        files::read(path, most)
    }

    fn checksum(&self, path: &Path) -> io::Result<String> {
        let mut hasher = Sha256::new();
        if self.kind(path) == Some(Kind::Link) {
            hasher.update(self.content(path, 0)?);
        } else {
            io::copy(&mut files::open(path)?, &mut Hashing(&mut hasher))?;
        }
        Ok(hasher.finalize().iter().map(|b| format!("{b:02x}")).collect())
    }

    fn is_writable(&self, file: &Path) -> bool {
        // Not by asking the system: to root it is all the same, and a file that is marked so is to be left.
        file.metadata().is_ok_and(|facts| facts.permissions().mode() & 0o222 != 0)
    }

    fn replace_same(&self, file: &Path, before: Option<&[u8]>, after: Option<&[u8]>) -> io::Result<bool> {
        let is_same = || match (files::read(file, MAX_REPLACED), before) {
            (Ok(now), Some(before)) => Ok(now == before),
            (Ok(_), None) => Ok(false),
            (Err(error), before) if error.kind() == io::ErrorKind::NotFound => Ok(before.is_none()),
            (Err(error), _) => Err(error),
        };
        if !is_same()? {
            return Ok(false);
        }
        match (before, after) {
            (None, None) => Ok(true),
            (None, Some(after)) => match files::create_whole(file, after) {
                Err(error) if error.kind() == io::ErrorKind::AlreadyExists => Ok(false),
                done => done.map(|()| true),
            },
            (Some(_), None) => std::fs::remove_file(file).map(|()| true),
            (Some(_), Some(after)) => {
                let mut was_changed = false;
                let done = files::replace(file, after, || {
                    was_changed = !is_same()?;
                    if was_changed { Err(io::ErrorKind::Interrupted.into()) } else { Ok(()) }
                });
                if was_changed { Ok(false) } else { done.map(|()| true) }
            }
        }
    }

    fn copy_new(&self, from: &Path, to: &Path) -> io::Result<bool> {
        if self.kind(from) == Some(Kind::Link) {
            return self.link_new(&std::fs::read_link(from)?, to);
        }
        let mut source = files::open(from)?;
        to.parent().map_or(Ok(()), std::fs::create_dir_all)?;
        let mode = source.metadata()?.permissions().mode() & 0o777;
        let mut options = std::fs::OpenOptions::new();
        let mut target = match options.write(true).create_new(true).mode(mode).open(to) {
            Err(error) if error.kind() == io::ErrorKind::AlreadyExists => return Ok(false),
            other => other?,
        };
        // The kernel shares the blocks where the file system can.
        let copied = io::copy(&mut source, &mut target)
            .and_then(|_| target.set_permissions(std::fs::Permissions::from_mode(mode)));
        if let Err(error) = copied {
            // Half a file is worse than none.
            let _ = std::fs::remove_file(to);
            return Err(error);
        }
        Ok(true)
    }

    fn link_new(&self, target: &Path, at: &Path) -> io::Result<bool> {
        at.parent().map_or(Ok(()), std::fs::create_dir_all)?;
        match symlink(target, at) {
            Err(error) if error.kind() == io::ErrorKind::AlreadyExists => Ok(false),
            other => other.map(|()| true),
        }
    }

    fn add_line(&self, file: &Path, line: &str) -> io::Result<()> {
        let text = match files::read_text(file, files::MAX_BYTES) {
            Err(error) if error.kind() == io::ErrorKind::NotFound => String::new(),
            other => other?,
        };
        if text.lines().any(|l| l == line) {
            return Ok(());
        }
        file.parent().map_or(Ok(()), std::fs::create_dir_all)?;
        let before = if text.is_empty() || text.ends_with('\n') { "" } else { "\n" };
        let mut file = std::fs::OpenOptions::new().append(true).create(true).open(file)?;
        file.write_all(format!("{before}{line}\n").as_bytes())
    }
}

/// Hashes what is written to it.
struct Hashing<'a>(&'a mut Sha256);

impl Write for Hashing<'_> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.0.update(bytes);
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_there_is_left_and_modes_and_links_are_kept() {
        let dir = tempfile::tempdir().unwrap();
        let at = |name: &str| dir.path().join(name);
        files::create_new(&at("run"), b"#!/bin/sh\n", 0o600).unwrap();
        std::fs::set_permissions(at("run"), std::fs::Permissions::from_mode(0o750)).unwrap();
        symlink("run", at("link")).unwrap();
        let f = SystemFolders;
        assert!(f.copy_new(&at("run"), &at("deep/er/run")).unwrap());
        assert_eq!(at("deep/er/run").metadata().unwrap().permissions().mode() & 0o777, 0o750);
        assert!(f.copy_new(&at("link"), &at("deep/link")).unwrap());
        assert_eq!(f.content(&at("deep/link"), 0).unwrap(), b"run");
        files::create_new(&at("other"), b"mine\n", 0o600).unwrap();
        assert!(!f.copy_new(&at("run"), &at("other")).unwrap());
        assert_eq!(f.content(&at("other"), 100).unwrap(), b"mine\n");
        assert!(!f.link_new(&at("run"), &at("other")).unwrap());
        assert_eq!(f.checksum(&at("run")).unwrap(), f.checksum(&at("deep/er/run")).unwrap());
        assert_ne!(f.checksum(&at("run")).unwrap(), f.checksum(&at("other")).unwrap());
        assert_eq!((f.kind(&at("link")), f.kind(&at("deep"))), (Some(Kind::Link), Some(Kind::Folder)));
        assert!(f.is_empty(&at("nothing")) && !f.is_empty(&at("deep")));
    }

    #[test]
    fn a_line_is_added_once() {
        let dir = tempfile::tempdir().unwrap();
        let file = dir.path().join("info/exclude");
        for _ in 0..2 {
            SystemFolders.add_line(&file, "/.worktrees/").unwrap();
        }
        SystemFolders.add_line(&file, "/b").unwrap();
        assert_eq!(files::read_text(&file, 100).unwrap(), "/.worktrees/\n/b\n");
    }
}
