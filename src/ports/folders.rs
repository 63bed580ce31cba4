//! What deck does with files in folders of the user's: it reads, copies and links, and overwrites nothing.

use std::io;
use std::path::{Path, PathBuf};

/// What is at a path; a link is not followed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Kind {
    File {
        /// In bytes.
        len: u64,
    },
    Link,
    Folder,
    /// A pipe, a socket, a device.
    Other,
}

/// What is below a folder.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Below {
    /// Files and links, each with its length in bytes.
    pub files: Vec<(PathBuf, u64)>,
    /// Folders that are repositories of their own.
    pub repositories: Vec<PathBuf>,
    /// Whether there are more than were read.
    pub is_cut: bool,
}

/// Files in folders of the user's.
pub trait Folders: Send + Sync {
    /// What is at a path; none if there is nothing.
    fn kind(&self, path: &Path) -> Option<Kind>;

    /// Whether a folder holds nothing; so it is if there is none.
    fn is_empty(&self, folder: &Path) -> bool;

    /// All that is below a folder, or the file at this path; links are not followed.
    ///
    /// # Errors
    /// The system's error where anything can't be read.
    fn below(&self, path: &Path, most: usize) -> io::Result<Below>;

    /// A number of the device that a folder is on; none if it isn't there.
    fn device(&self, folder: &Path) -> Option<u64>;

    /// What a regular file holds, or where a link leads.
    ///
    /// # Errors
    /// The system's error, also for a file of more than `most` bytes, and for anything else than a file or a link.
    fn content(&self, path: &Path, most: u64) -> io::Result<Vec<u8>>;

    /// The checksum of that, in hexadecimal digits.
    ///
    /// # Errors
    /// The system's error.
    fn checksum(&self, path: &Path) -> io::Result<String>;

    /// Copies a regular file with its permissions, or a link as a link, and makes the folders above it. Returns whether it did:
    /// what is there already is left.
    ///
    /// # Errors
    /// The system's error; nothing is left of a copy that failed.
    fn copy_new(&self, from: &Path, to: &Path) -> io::Result<bool>;

    /// Makes a link, and the folders above it. Returns whether it did: what is there already is left.
    ///
    /// # Errors
    /// The system's error.
    fn link_new(&self, target: &Path, at: &Path) -> io::Result<bool>;

    /// Whether the user may write a file: its permissions allow it.
    fn is_writable(&self, file: &Path) -> bool;

    /// Puts other bytes in a file's place, or removes it, if it has just these ones; none stands for no file. All of it is
    /// replaced at once, permissions stay, and a link's target is what is replaced. Returns whether it did.
    ///
    /// # Errors
    /// The system's error; the file is then as it was.
    fn replace_same(&self, file: &Path, before: Option<&[u8]>, after: Option<&[u8]>) -> io::Result<bool>;

    /// Adds a line to a text file, unless it has it.
    ///
    /// # Errors
    /// The system's error.
    fn add_line(&self, file: &Path, line: &str) -> io::Result<()>;
}
