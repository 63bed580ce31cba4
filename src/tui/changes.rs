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
    /// The user's own pager; none where they have set `GIT_PAGER`.
    pager: Option<String>,
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
        let pager = pager(folder, vars);
        let changes = Self { place, folder: folder.to_owned(), less, pager };
        // To note a new file git makes an empty blob: not in the user's own store.
        let mut note = changes.git();
        let own = changes.place.path().join("objects");
        files::make_dir(&own).map_err(failed)?;
        note.env("GIT_OBJECT_DIRECTORY", own);
        note.env("GIT_ALTERNATE_OBJECT_DIRECTORIES", alternates(&folder.join(objects)));
        note.args(["add", "--intent-to-add", "--ignore-errors", "--", ":/"]);
        // A file that can't be read is left out; everything else is shown.
        note.output().map_err(failed)?;
        let mut compare = spawn::git_diff();
        compare.args(["--quiet", "HEAD"]).current_dir(folder).stdin(Stdio::null()).stderr(Stdio::null());
        let status = changes.with_index(&mut compare).output().map_err(failed)?.status;
        match status.code() {
            Some(0) => Ok(None),
            Some(1) => Ok(Some(changes)),
            _ => Err(NO_COMMIT.to_owned()),
        }
    }

    /// The command that shows them, with the user's own pager and colours.
    pub fn show(&self) -> Command {
        let mut command = spawn::git_diff();
        command.arg("HEAD").current_dir(&self.folder);
        self.with_index(&mut command).env("LESS", &self.less);
        if let Some(pager) = &self.pager {
            command.env("GIT_PAGER", pager);
        }
        command
    }

    fn git(&self) -> Command {
        let mut command = git(&self.folder);
        self.with_index(&mut command);
        command
    }

    fn with_index<'a>(&self, command: &'a mut Command) -> &'a mut Command {
        command.env("GIT_INDEX_FILE", self.place.path().join("index"))
    }
}

/// The pager that the user set for git, or for everything. A repository's own settings are an agent's to
/// write, so its pager is not run.
fn pager(folder: &Path, vars: &[(String, String)]) -> Option<String> {
    let var = |name: &str| vars.iter().find(|(n, _)| n == name).map(|(_, v)| v.clone());
    if var("GIT_PAGER").is_some() {
        return None;
    }
    let set = |scope: &str, key: &str| {
        let output = git(folder).args(["config", scope, "--includes", "--get", key]).output().ok()?;
        let value = String::from_utf8_lossy(&output.stdout).trim().to_owned();
        (output.status.success() && !value.is_empty()).then_some(value)
    };
    let keys = ["pager.diff", "core.pager"];
    let of_git = keys.iter().find_map(|key| set("--global", key).or_else(|| set("--system", key)));
    let is_switch = |value: &String| matches!(value.as_str(), "true" | "false");
    of_git.filter(|v| !is_switch(v)).or_else(|| var("PAGER")).or_else(|| Some("less".to_owned()))
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
    let mut command = spawn::git();
    command.current_dir(folder).stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::null());
    command
}
