//! The machine that agents run on: folders, programs, processes.

use std::path::{Path, PathBuf};

/// What the use cases ask of the machine.
pub trait Host: Send + Sync {
    /// Whether there is such a folder, or a link to one.
    fn is_dir(&self, path: &Path) -> bool;

    /// Whether there is anything at this path.
    fn exists(&self, path: &Path) -> bool;

    /// The file that `program` names, as a shell in `dir` with this `PATH` would find it.
    fn find_program(&self, program: &str, path: &str, dir: &Path) -> Option<PathBuf>;

    /// A file's text.
    ///
    /// # Errors
    /// The system's error.
    fn read(&self, path: &Path) -> std::io::Result<String>;

    /// Whether any file matches a path in which `*` stands for any run of characters of one name.
    fn any_file(&self, pattern: &str) -> bool;

    /// Ends the process group led by `pid` and waits until it is gone: HUP and TERM, then KILL.
    ///
    /// # Errors
    /// The system's error when it can't be signalled or outlives KILL.
    fn end_group(&self, pid: i32) -> std::io::Result<()>;

    /// Whether this process lives.
    fn lives(&self, pid: i32) -> bool;

    /// Whether any process of the group led by `pid` lives.
    fn group_lives(&self, pid: i32) -> bool;
}
