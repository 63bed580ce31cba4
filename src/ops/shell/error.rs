//! What can go wrong with shells and jobs.

use std::path::PathBuf;

use crate::domain::shell::{ShellHint, ShellName, ShellResolveError};
use crate::ports::ShellsError;

/// A use case's result.
pub type ShellOpResult<T> = Result<T, ShellError>;

/// What went wrong.
#[derive(Debug, thiserror::Error)]
pub enum ShellError {
    /// A word names no single shell.
    #[error(transparent)]
    Resolve(#[from] ShellResolveError),
    /// It takes no further commands.
    #[error("shell {label:?} was ended {ago}")]
    Ended {
        /// The shell.
        label: String,
        /// How long ago.
        ago: String,
    },
    /// The folder that it would start in is gone.
    #[error("folder {} of shell {label:?} doesn't exist; nothing was run", folder.display())]
    NoFolder {
        /// The folder.
        folder: PathBuf,
        /// The shell.
        label: String,
    },
    /// A folder that was given.
    #[error("folder {} doesn't exist", .0.display())]
    NoSuchFolder(PathBuf),
    /// No kind of shell is known by this program.
    #[error("{0} needs a terminal, or is no shell that deck knows")]
    UnknownKind(String),
    /// Its program isn't installed.
    #[error("{program} was not found")]
    NoProgram {
        /// The program.
        program: String,
        /// What was searched.
        path: String,
    },
    /// Nothing to run.
    #[error("no code given")]
    NoCode,
    /// A zero byte.
    #[error("the code has a NUL byte, which no shell can run")]
    NulInCode,
    /// A name that can't be used.
    #[error("invalid shell name {0:?}")]
    BadName(String),
    /// A name that another has.
    #[error("shell {0:?} already exists")]
    NameTaken(String),
    /// A variable that can't be set.
    #[error("invalid variable {0:?}: expected NAME=VALUE")]
    BadVariable(String),
    /// As many shells as an owner may have, and all of them run.
    #[error("all {} shells of {owner} are running jobs", labels.len())]
    AllRun {
        /// Whose they are.
        owner: String,
        /// Them.
        labels: Vec<String>,
    },
    /// As many jobs as a shell may run.
    #[error("shell {label:?} already runs {count} jobs")]
    TooManyJobs {
        /// The shell.
        label: String,
        /// How many.
        count: usize,
    },
    /// Another's, and an agent asks.
    #[error("shell {label:?} is not this agent's: {owner} started it")]
    NotOwn {
        /// The shell.
        label: String,
        /// Who started it.
        owner: String,
        /// Whether it was only to be read.
        read: bool,
    },
    /// Whether a user or an agent asks can't be seen.
    #[error("can't tell whether a user or an agent asks")]
    NoActor(#[source] Box<crate::ops::OpError>),
    /// What the settings put around every shell isn't there: none is started without it.
    #[error(
        "can't find {program:?}, by which the setting `shells.wrap` runs every shell; nothing was started"
    )]
    NoWrap {
        program: String,
        /// Where it was looked for.
        path: String,
    },
    /// The process that held a shell's state is gone.
    #[error("the {kind} of shell {label:?} has ended, and its state is lost; nothing was run")]
    Lost { label: String, kind: String },
    /// One of a lost shell's jobs could not be run again to its end.
    #[error("job {job} could not be run again to its end, and the shell stays lost")]
    NotReplayed {
        job: u64,
        /// The job that ran its code again.
        by: String,
    },
    /// A shell whose process is there has nothing to do again.
    #[error("the state of shell {0:?} is not lost")]
    NotLost(String),
    /// A live process does one thing after another.
    #[error("a {0} shell runs one command after another: it has no background")]
    NoBackground(String),
    /// A live process can't be copied.
    #[error(
        "the state of a {0} shell is in its process: it can't be kept, gone back to or changed from outside"
    )]
    NoStates(String),
    /// A kind of shell whose state no terminal can start from.
    #[error("only a bash can be opened as a session, and this shell is a {0}")]
    NoTerminal(String),
    /// No session could be made of it.
    #[error("can't open shell {label:?} as a session")]
    NotOpened {
        label: String,
        /// Why.
        #[source]
        source: Box<crate::ops::OpError>,
    },
    /// The sessions could not be read, of which one may be meant.
    #[error("can't read the sessions of this profile")]
    NoProfile(#[source] Box<crate::ops::OpError>),
    /// A job that would wait for its own end.
    #[error("this code runs in shell {0:?} itself: it would wait for its own end")]
    OwnTurn(String),
    /// Jobs run in it.
    #[error("shell {label:?} still runs {}", jobs.join(", "))]
    StillRuns {
        /// The shell.
        label: String,
        /// The jobs.
        jobs: Vec<String>,
    },
    /// A change that was refused.
    #[error("{0}")]
    BadChange(String),
    /// No state was kept.
    #[error("shell {0:?} has no checkpoint")]
    NoCheckpoint(String),
    /// No such job.
    #[error("no job {0:?}")]
    NoJob(String),
    /// `%12` or `job run` outside of a shell.
    #[error("{0} only works in the code of a shell")]
    NotInside(&'static str),
    /// An offset behind the end.
    #[error("offset {since} is beyond the end: {stream} has {total} bytes")]
    BeyondEnd {
        /// What was given.
        since: u64,
        /// Which stream.
        stream: &'static str,
        /// How many there are.
        total: u64,
    },
    /// A job that reads nothing.
    #[error("job {0} doesn't read what is written to it")]
    NotReading(String),
    /// A job that has ended.
    #[error("job {job} has ended ({status})")]
    JobEnded {
        /// The job.
        job: String,
        /// How.
        status: &'static str,
    },
    /// A job that outlives force.
    #[error("job {job} did not end within {seconds} s")]
    NotEnded {
        /// The job.
        job: String,
        /// How long it was waited for.
        seconds: u64,
    },
    /// A signal that there isn't.
    #[error("unknown signal {0:?}")]
    BadSignal(String),
    /// A pattern that can't be used.
    #[error("invalid regular expression: {0}")]
    BadPattern(String),
    /// It could not be run.
    #[error("{0}")]
    NotRun(String),
    /// The caller no longer waits.
    #[error("interrupted")]
    Cancelled,
    /// Files and processes.
    #[error(transparent)]
    Shells(#[from] ShellsError),
}

impl ShellError {
    /// What the user can do about it, if there is one thing.
    pub fn hint(&self) -> Option<ShellHint> {
        Some(match self {
            Self::Resolve(ShellResolveError::Missing(_)) => ShellHint::ListShells,
            Self::Resolve(ShellResolveError::Ambiguous { labels, .. }) => ShellHint::UseId(labels.clone()),
            Self::Resolve(ShellResolveError::NotInside) => ShellHint::NameShell,
            Self::Ended { label, .. } => ShellHint::StartShell(label.clone()),
            Self::NoFolder { label, .. } => ShellHint::ChangeFolder(label.clone()),
            Self::UnknownKind(program) => ShellHint::AddSession(program.clone()),
            Self::NoProgram { path, .. } | Self::NoWrap { path, .. } => ShellHint::Install(path.clone()),
            Self::BadName(_) | Self::NameTaken(_) => ShellHint::UseOtherName(ShellName::RULE),
            Self::AllRun { labels, .. } => ShellHint::EndOne(labels.clone()),
            Self::TooManyJobs { label, .. } => ShellHint::ListJobs(label.clone()),
            Self::OwnTurn(_) => ShellHint::RunInBackground,
            Self::StillRuns { label, .. } => ShellHint::EndJobs(label.clone()),
            Self::NotReplayed { by, .. } => ShellHint::ShowJob(by.clone()),
            Self::NotEnded { job, .. } => ShellHint::ShowJob(job.clone()),
            Self::NoCheckpoint(label) => ShellHint::MakeCheckpoint(label.clone()),
            Self::NoJob(_) => ShellHint::FindJob,
            Self::Lost { label, .. } => ShellHint::Replay(label.clone()),
            Self::NotReading(_) => ShellHint::OpenInput,
            _ => return None,
        })
    }
}
