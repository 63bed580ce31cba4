//! What changed in a folder's repository since the last commit: tracked files and new ones.
//!
//! Invariant: nothing is written into the repository. New files are noted in a copy of its index, in deck's
//! own folder, which is gone with this value.

use std::ffi::OsString;
use std::io;
use std::path::Path;
use std::process::{Command, Stdio};

use tempfile::TempDir;

use crate::sys::{files, spawn};

/// Why there is no diff.
const NO_COMMIT: &str = "git diff failed: not a repository, or no commits yet";

/// Changes that can be shown.
#[derive(Debug)]
pub(super) struct Changes {
    /// Holds the copy of the index.
    place: TempDir,
    folder: std::path::PathBuf,
    less: String,
}

impl Changes {
    /// What changed in a folder's repository; none when nothing did. Blocking.
    pub fn of(folder: &Path, run: &Path, vars: &[(String, String)]) -> Result<Option<Self>, String> {
        let failed = |error: io::Error| format!("git diff failed: {error}");
        let found = git(folder).args(["rev-parse", "--git-path", "index", "--git-path", "objects"]).output();
        let found = found.map_err(failed)?;
        let text = String::from_utf8_lossy(&found.stdout).into_owned();
        let mut lines = text.lines();
        let (true, Some(index), Some(objects)) = (found.status.success(), lines.next(), lines.next()) else {
            return Err(NO_COMMIT.to_owned());
        };
        files::make_dir(run).map_err(failed)?;
        let place = tempfile::Builder::new().prefix("diff-").tempdir_in(run).map_err(failed)?;
        let index = folder.join(index);
        if index.exists() {
            std::fs::copy(&index, place.path().join("index")).map_err(failed)?;
        }
        let less = vars.iter().find(|(name, _)| name == "LESS").map(|(_, v)| v.as_str()).unwrap_or_default();
        // What fits one screen would be gone with less's own end; colours are git's.
        let less = if less.is_empty() { "R".to_owned() } else { format!("{less} -+F") };
        let changes = Self { place, folder: folder.to_owned(), less };
        // To note a new file git makes an empty blob: not in the user's own store.
        let mut note = changes.git();
        let own = changes.place.path().join("objects");
        files::make_dir(&own).map_err(failed)?;
        note.env("GIT_OBJECT_DIRECTORY", own);
        note.env("GIT_ALTERNATE_OBJECT_DIRECTORIES", alternates(&folder.join(objects)));
        note.args(["add", "--intent-to-add", "--ignore-errors", "--", ":/"]);
        // A file that can't be read is left out; everything else is shown.
        note.output().map_err(failed)?;
        let status = changes.git().args(["diff", "--quiet", "HEAD"]).output().map_err(failed)?.status;
        match status.code() {
            Some(0) => Ok(None),
            Some(1) => Ok(Some(changes)),
            _ => Err(NO_COMMIT.to_owned()),
        }
    }

    /// The command that shows them, with the user's own pager and colours.
    pub fn show(&self) -> Command {
        let mut command = spawn::command("git");
        command.args(["diff", "HEAD"]).current_dir(&self.folder);
        command.env("GIT_INDEX_FILE", self.place.path().join("index")).env("LESS", &self.less);
        command
    }

    fn git(&self) -> Command {
        let mut command = git(&self.folder);
        command.env("GIT_INDEX_FILE", self.place.path().join("index"));
        command
    }
}

/// The repository's own store, and those that the user named.
fn alternates(objects: &Path) -> OsString {
    let mut all = objects.as_os_str().to_owned();
    if let Some(more) = std::env::var_os("GIT_ALTERNATE_OBJECT_DIRECTORIES") {
        all.push(":");
        all.push(more);
    }
    all
}

fn git(folder: &Path) -> Command {
    let mut command = spawn::command("git");
    command.current_dir(folder).stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::null());
    command
}
