//! The machine that agents run on: folders, programs, processes.

use std::path::{Path, PathBuf};

use crate::domain::id::SessionId;
use crate::domain::session::StartedProcess;
use crate::ports::Cancel;
use crate::ports::store::Stamp;

/// A process, and what it runs.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Running {
    /// Its id.
    pub pid: i32,
    /// Its command line.
    pub argv: Vec<String>,
    /// The folder it works in.
    pub folder: PathBuf,
}

/// A process whose working directory is in a folder.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct InFolder {
    pub pid: i32,
    /// What its command line begins with, without the folder.
    pub program: String,
    /// Those that it was started by, the nearest first.
    pub ancestors: Vec<i32>,
}

/// What the use cases ask of the machine.
pub trait Host: Send + Sync {
    /// Whether there is such a folder, or a link to one.
    fn is_dir(&self, path: &Path) -> bool;

    /// Whether nobody but its user may write to a folder, or to any above it.
    fn is_private(&self, path: &Path) -> bool;

    /// Whether there is anything at this path.
    fn exists(&self, path: &Path) -> bool;

    /// The file that `program` names, as a shell in `dir` with this `PATH` would find it.
    fn find_program(&self, program: &str, path: &str, dir: &Path) -> Option<PathBuf>;

    /// What a program prints when it is asked for its version; `None` when it takes long or reports nothing.
    fn version_of(&self, program: &Path) -> Option<String>;

    /// A file's text.
    ///
    /// # Errors
    /// The system's error.
    fn read(&self, path: &Path) -> std::io::Result<String>;

    /// What a file is like, to notice that it was written; none if there is none.
    fn stamp(&self, path: &Path) -> Option<Stamp>;

    /// Writes a private file, and the folders above it, unless it holds just this text already.
    ///
    /// # Errors
    /// The system's error; the old file is then unchanged.
    fn put(&self, path: &Path, text: &str) -> std::io::Result<()>;

    /// Removes a private file of deck's own. One that is gone is no error.
    ///
    /// # Errors
    /// The system's error.
    fn remove_own(&self, path: &Path) -> std::io::Result<()>;

    /// Runs a line by `sh -c` in a folder, with this environment, in a process group of its own that ends with it. Returns its
    /// exit code, none if it was ended, and the end of what it printed.
    ///
    /// # Errors
    /// The system's error when it can't be started.
    fn run_line(
        &self,
        dir: &Path,
        line: &str,
        env: &std::collections::BTreeMap<String, String>,
        cancel: &Cancel,
    ) -> std::io::Result<(Option<i32>, String)>;

    /// Makes a folder of the user's, and those above it, with the permissions that their programs give one.
    ///
    /// # Errors
    /// The system's error.
    fn make_folder(&self, path: &Path) -> std::io::Result<()>;

    /// Waits for a lock by a file, which is created if missing: until all others that hold it have dropped it,
    /// or ended. `None` when that takes longer than `limit`, or the caller no longer waits.
    ///
    /// # Errors
    /// The system's error when the file can't be locked at all.
    fn hold(
        &self,
        path: &Path,
        limit: std::time::Duration,
        cancel: &Cancel,
    ) -> std::io::Result<Option<std::fs::File>>;

    /// Ends a lock by [`Self::hold`], and removes its file. Who waits for it locks a new one.
    fn release(&self, path: &Path, held: std::fs::File);

    /// Whether any file matches a path in which `*` stands for any run of characters of one name.
    fn any_file(&self, pattern: &str) -> bool;

    /// The first file that matches such a path.
    fn find_file(&self, pattern: &str) -> Option<PathBuf>;

    /// All files that match such a path.
    fn all_files(&self, pattern: &str) -> Vec<PathBuf>;

    /// A loopback port that nobody listens on right now.
    ///
    /// # Errors
    /// The system's error when it gives none.
    fn free_port(&self) -> std::io::Result<u16>;

    /// Ends the process group led by `pid` and waits until it is gone: HUP and TERM, then KILL.
    ///
    /// # Errors
    /// The system's error when it can't be signalled or outlives KILL.
    fn end_group(&self, pid: i32) -> std::io::Result<()>;

    /// A process as it is known again; none when it is gone, or where there is no `/proc`.
    fn started(&self, pid: i32) -> Option<StartedProcess>;

    /// Ends the groups of processes that run `program` for this session on the terminal that `leader` was
    /// started on, which is lost. Nothing else that runs there is touched.
    ///
    /// # Errors
    /// The system's error when one can't be signalled or outlives KILL.
    fn end_leftovers(
        &self,
        leader: StartedProcess,
        session: &SessionId,
        program: &str,
    ) -> std::io::Result<()>;

    /// Whether this process was started by that one, or by one that it started. Where processes can't be looked at, it counts
    /// as started by it.
    fn descends_from(&self, pid: i32) -> bool;

    /// A path without links; none if there is nothing at it.
    fn real_path(&self, path: &Path) -> Option<PathBuf>;

    /// The processes that have the foreground of this process's terminal, the group's leader first.
    fn foreground(&self, pid: i32) -> Vec<Running>;

    /// The leader of the group in the foreground of this process's terminal, if that isn't its own group.
    fn front(&self, pid: i32) -> Option<Running>;

    /// A variable of the environment that a process was started with.
    fn variable(&self, pid: i32, name: &str) -> Option<String>;

    /// The environment that a process was started with; none if it can't be read.
    fn environment(&self, pid: i32) -> Option<Vec<(String, String)>>;

    /// The processes but this one whose working directory is a folder or below it, as far as their user may see that; none
    /// where there is no `/proc`.
    fn processes_in(&self, folder: &Path) -> Option<Vec<InFolder>>;

    /// Whether this process lives.
    fn lives(&self, pid: i32) -> bool;

    /// Tells tests that a step is reached: there they may stop this process, to kill it.
    fn reached(&self, _step: &str) {}

    /// Whether any process of the group led by `pid` lives.
    fn group_lives(&self, pid: i32) -> bool;
}
