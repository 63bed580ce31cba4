//! What a user can do about an error of a shell, as data.

/// One thing to do.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum ShellHint {
    /// Run again what ran in it.
    Replay(String),
    /// Look at all shells.
    ListShells,
    /// Use one of these ids.
    UseId(Vec<String>),
    /// Name the shell.
    NameShell,
    /// Give the shell another folder.
    ChangeFolder(String),
    /// Add a session with this command instead.
    AddSession(String),
    /// Install it; this PATH was searched.
    Install(String),
    /// Choose another name, by this rule.
    UseOtherName(&'static str),
    /// End its jobs, too.
    EndJobs(String),
    /// End one of these shells first.
    EndOne(Vec<String>),
    /// Look at its jobs.
    ListJobs(String),
    /// Look at the jobs there are.
    FindJob,
    /// Look at what is left of a job.
    ShowJob(String),
    /// Run it in the background, or as a part of the job.
    RunInBackground,
    /// Start one under this name.
    StartShell(String),
    /// Keep its state.
    MakeCheckpoint(String),
    /// Let the job read what is written later.
    OpenInput,
}
