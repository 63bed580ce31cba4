//! Running git: what it may read, and how far it may go.

use std::collections::BTreeSet;
use std::ffi::OsStr;
use std::fs::File;
use std::io::ErrorKind;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::Duration;

use crate::domain::diff::path_of;
use crate::domain::text;
use crate::ports::git::{GitError, GitResult, Stop};
use crate::sys::spawn::{self, Ended, Limits, Printed};

/// How long one answer may take, and how large it may be.
const LIMITS: Limits = Limits { time: Duration::from_secs(20), bytes: 8 * 1024 * 1024 };
/// The same for what changes something: a checkout of a large repository takes its time.
const WRITING: Limits = Limits { time: Duration::from_secs(1800), bytes: 8 * 1024 * 1024 };
/// Variables of git that the caller may set: where its settings are, and how far up a repository is looked for.
const KEPT: [&str; 10] = [
    "GIT_CONFIG_GLOBAL",
    "GIT_CONFIG_SYSTEM",
    "GIT_CONFIG_NOSYSTEM",
    "GIT_CEILING_DIRECTORIES",
    "GIT_EXEC_PATH",
    // How its user reaches other machines, and who they are.
    "GIT_SSH_COMMAND",
    "GIT_AUTHOR_NAME",
    "GIT_AUTHOR_EMAIL",
    "GIT_COMMITTER_NAME",
    "GIT_COMMITTER_EMAIL",
];
/// The most that is shown of what git reports.
const WORDS: usize = 400;

/// A worktree that git is asked about.
pub(super) struct Repository<'a> {
    /// Its top.
    pub top: PathBuf,
    /// Settings that turn its own filters off.
    off: Vec<String>,
    stop: Stop<'a>,
}

impl<'a> Repository<'a> {
    /// The one that a folder is in.
    pub fn find(folder: &Path, stop: Stop<'a>) -> GitResult<Self> {
        let words = ["rev-parse", "--is-bare-repository", "--is-inside-work-tree", "--show-toplevel"];
        let printed = ask(folder, &[], &words, stop)?;
        let mut lines = printed.stdout.splitn(3, |b| *b == b'\n');
        let (bare, inside, top) = (lines.next(), lines.next(), lines.next());
        if bare == Some(b"true") {
            return Err(GitError::Bare(folder.to_owned()));
        }
        let outside = bare.is_none_or(<[u8]>::is_empty) && printed.stderr.contains("not a git repository");
        if outside || (bare == Some(b"false") && inside == Some(b"false")) {
            return Err(GitError::NoRepository(folder.to_owned()));
        }
        let top = top.and_then(|t| t.strip_suffix(b"\n")).filter(|_| printed.code == Some(0));
        let top = top.ok_or_else(|| failed(&printed))?;
        let top = path_of(top);
        Ok(Self { off: filters_off(&top, stop)?, top, stop })
    }

    /// What git prints, if it does well.
    pub fn run(&self, words: &[&str]) -> GitResult<Printed> {
        let printed = self.ask(words)?;
        if printed.code == Some(0) || printed.is_cut { Ok(printed) } else { Err(failed(&printed)) }
    }

    /// What git prints, however it ends.
    pub fn ask(&self, words: &[&str]) -> GitResult<Printed> {
        ask(&self.top, &self.off, words, self.stop)
    }

    /// Nothing, as long as somebody waits.
    pub fn check(&self) -> GitResult<()> {
        if (self.stop)() { Err(GitError::Stopped) } else { Ok(()) }
    }
}

/// Turns off the filters that the repository's own settings name: `status` and `diff` would run their programs. Those in
/// the user's settings are theirs, such as LFS.
fn filters_off(top: &Path, stop: Stop<'_>) -> GitResult<Vec<String>> {
    let mut names = BTreeSet::new();
    for scope in ["--local", "--worktree"] {
        let words = ["config", scope, "--includes", "--null", "--name-only", "--get-regexp", "^filter\\."];
        let printed = ask(top, &[], &words, stop)?;
        match printed.code {
            Some(0) => {}
            Some(1) => continue,
            // One of several worktrees has no settings of its own.
            _ if printed.stderr.contains("worktreeConfig") => continue,
            _ => return Err(failed(&printed)),
        }
        let keys = printed.stdout.split(|b| *b == 0).map(|key| String::from_utf8_lossy(key).into_owned());
        names
            .extend(keys.filter_map(|key| Some(key.strip_prefix("filter.")?.rsplit_once('.')?.0.to_owned())));
    }
    // git takes what is behind the first sign as the value.
    if let Some(name) = names.iter().find(|name| name.contains(['=', char::REPLACEMENT_CHARACTER])) {
        return Err(GitError::Failed(format!(
            "the repository's filter `{}` can't be turned off",
            text::clean(name)
        )));
    }
    let off = |name: &String| {
        ["clean=", "process=", "required=false"].map(|setting| format!("filter.{name}.{setting}"))
    };
    Ok(names.iter().flat_map(off).collect())
}

/// What git prints that only reads, however it ends.
pub(super) fn ask(folder: &Path, settings: &[String], words: &[&str], stop: Stop<'_>) -> GitResult<Printed> {
    let mut command = git(folder);
    for setting in settings {
        command.args(["-c", setting]);
    }
    command.args(words).stdin(Stdio::null());
    run(&mut command, LIMITS, stop)
}

/// The same, of what may be long in a large repository.
pub(super) fn ask_for_more(folder: &Path, words: &[&str], stop: Stop<'_>) -> GitResult<Printed> {
    let mut command = git(folder);
    command.args(words).stdin(Stdio::null());
    run(&mut command, Limits { bytes: 256 * 1024 * 1024, ..LIMITS }, stop)
}

/// What git prints that only reads, if it does well.
pub(super) fn read(folder: &Path, words: &[&str], stop: Stop<'_>) -> GitResult<Printed> {
    well(ask(folder, &[], words, stop)?)
}

/// What git prints that changes something, as its user would run it, if it does well. It has the file `held` open until its end.
pub(super) fn write(
    folder: &Path,
    words: &[&OsStr],
    held: Option<&File>,
    stop: Stop<'_>,
) -> GitResult<Printed> {
    write_with(folder, words, &[], held, stop)
}

/// The same with further variables.
pub(super) fn write_with(
    folder: &Path,
    words: &[&OsStr],
    env: &[(&str, &str)],
    held: Option<&File>,
    stop: Stop<'_>,
) -> GitResult<Printed> {
    let mut command = spawn::command("git");
    command.arg("-C").arg(folder).arg("--no-pager").args(words);
    clear(&mut command);
    command.envs([("LC_ALL", "C"), ("GIT_TERMINAL_PROMPT", "0"), ("GIT_PAGER", "cat")]);
    command.envs(env.iter().copied());
    // It is empty: to read from it is to read nothing.
    let held = held.map(File::try_clone).transpose()?;
    command.stdin(held.map_or_else(Stdio::null, Stdio::from));
    well(run(&mut command, WRITING, stop)?)
}

fn well(printed: Printed) -> GitResult<Printed> {
    if printed.code == Some(0) { Ok(printed) } else { Err(failed(&printed)) }
}

fn run(command: &mut Command, limits: Limits, stop: Stop<'_>) -> GitResult<Printed> {
    if stop() {
        return Err(GitError::Stopped);
    }
    match spawn::run_within(command, limits, stop) {
        Ok(Ended::Printed(printed)) => Ok(printed),
        Ok(Ended::TimedOut) => Err(GitError::TimedOut(limits.time.as_secs())),
        Ok(Ended::Stopped) => Err(GitError::Stopped),
        Err(error) if error.kind() == ErrorKind::NotFound => Err(GitError::NotInstalled),
        Err(error) => Err(error.into()),
    }
}

/// `git` for a folder. An agent may write a repository's settings, so what they could make it do is turned off.
fn git(folder: &Path) -> Command {
    let mut git = spawn::command("git");
    git.arg("-C").arg(folder).args(["--no-pager", "--no-optional-locks"]);
    for setting in SETTINGS {
        git.args(["-c", setting]);
    }
    clear(&mut git);
    git.envs([
        ("LC_ALL", "C"),
        ("GIT_OPTIONAL_LOCKS", "0"),
        ("GIT_TERMINAL_PROMPT", "0"),
        ("GIT_NO_LAZY_FETCH", "1"),
        ("GIT_PAGER", "cat"),
    ]);
    git
}

/// A deck that was started by a hook of git has the variables of that repository.
fn clear(git: &mut Command) {
    let is_gits = |name: &OsStr| name.to_str().is_some_and(|n| n.starts_with("GIT_") && !KEPT.contains(&n));
    for (name, _) in std::env::vars_os().filter(|(name, _)| is_gits(name)) {
        git.env_remove(name);
    }
}

const SETTINGS: [&str; 5] = [
    "core.fsmonitor=false",
    "core.untrackedCache=keep",
    "core.hooksPath=/dev/null",
    "core.quotePath=false",
    "protocol.allow=never",
];

/// git's own words, on one line.
pub(super) fn failed(printed: &Printed) -> GitError {
    let lines = printed.stderr.lines().map(str::trim).filter(|l| !l.is_empty());
    let words: Vec<&str> = lines.map(|l| l.strip_prefix("fatal: ").unwrap_or(l)).collect();
    let words = if words.is_empty() { "it gave no reason".to_owned() } else { words.join(" ") };
    GitError::Failed(text::fit(&text::clean(&words), WORDS))
}
