//! Headless shells on disk, and the processes that run their jobs.

use std::ffi::OsString;
use std::ops::RangeInclusive;
use std::path::PathBuf;
use std::time::{Duration, SystemTime};

use jiff::Timestamp;

use crate::domain::shell::{Checkpoint, Child, Job, JobId, Shell, ShellId, StateFrom};

/// What went wrong with a shell's files or processes.
#[derive(Debug, thiserror::Error)]
pub enum ShellsError {
    /// A file could not be read, written or locked.
    #[error("can't {action} {}", path.display())]
    Io {
        /// What was tried: "read", "write" …
        action: &'static str,
        /// The file.
        path: PathBuf,
        /// Why it failed.
        #[source]
        source: std::io::Error,
    },
    /// There is one of that name.
    #[error("checkpoint {0:?} already exists")]
    Exists(String),
    /// That state is not kept.
    #[error("{0}")]
    NoState(String),
    /// Another process has a shell's lock.
    #[error("{} is {busy}", path.display())]
    Busy {
        /// The file.
        path: PathBuf,
        /// Who has it.
        busy: super::Busy,
    },
    /// A record that can't be used.
    #[error("{} is damaged", .0.display())]
    Damaged(PathBuf),
    /// The process that was to run a job.
    #[error("can't run the job: {0}")]
    Supervisor(String),
}

/// One of a job's two output streams.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Which {
    /// What it prints.
    Stdout,
    /// What it complains of.
    Stderr,
}

/// What a job runs.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Runs {
    /// Code in the shell.
    Code(Vec<u8>),
    /// A program with its arguments, with the caller's own environment.
    Program(Vec<String>),
}

/// What a job reads.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Input {
    /// Nothing.
    Nothing,
    /// What the caller's stdin gives.
    Inherited,
    /// What is written to the job later.
    Open,
}

/// A job to run.
#[derive(Debug)]
pub struct NewJob {
    /// What.
    pub runs: Runs,
    /// The job whose code asks for it.
    pub parent: Option<JobId>,
    /// Whether it changes no state and nobody waits for it.
    pub background: bool,
    /// Whether it is part of a job that has the shell's turn.
    pub nested: bool,
    /// Variables for this job alone.
    pub env: Vec<(String, String)>,
    /// Another folder for this job alone.
    pub folder: Option<String>,
    /// What it reads.
    pub input: Input,
    /// A file to read instead.
    pub input_file: Option<std::fs::File>,
    /// Whether both streams go into one pipe.
    pub merge: bool,
    /// Whether its output is wanted as it comes.
    pub stream: bool,
    /// When its caller no longer waits.
    pub timeout: Option<Duration>,
    /// Whether it is ended then.
    pub kill_on_timeout: bool,
}

/// What a job that was just started reports.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Progress {
    /// Its leader runs.
    Started,
    /// It printed something.
    Output(Which, Vec<u8>),
    /// Its time is up: it runs on without its caller.
    Detached,
    /// Its leader has ended, and the record says how.
    Ended,
    /// It could not be run.
    Failed(String),
}

/// A job whose caller waits for it.
pub trait Attached: Send {
    /// Its number in the shell.
    fn seq(&self) -> u64;

    /// What it reports next. After its end, or when its supervisor is gone, [`Progress::Ended`].
    ///
    /// # Errors
    /// The system's.
    fn next(&mut self) -> Result<Progress, ShellsError>;

    /// What sends it a signal, for another thread.
    fn interrupter(&self) -> Box<dyn Fn() + Send>;
}

/// How long something is waited for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Until {
    /// The end of the job's leader.
    Leader,
    /// The end of all its processes.
    All,
}

/// What runs a shell's code.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Program {
    /// Its kind.
    pub kind: String,
    /// Its file.
    pub file: PathBuf,
    /// Whether functions are kept between commands: what can't list them keeps none.
    pub keeps_functions: bool,
}

/// Why a program can't run a shell's code.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum NoProgram {
    /// No kind of shell is known by it.
    Unknown,
    /// It isn't installed.
    NotFound,
}

/// A program to become, with all that it starts with.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Interactive {
    pub program: PathBuf,
    pub args: Vec<OsString>,
    pub folder: PathBuf,
    /// All of its environment but `PWD`.
    pub env: Vec<(OsString, OsString)>,
}

/// Names and values of variables, in exact bytes.
pub type Variables = Vec<(Vec<u8>, Vec<u8>)>;

/// The headless shells of one profile.
pub trait Shells: Send + Sync {
    /// All shells, also those that were ended; the oldest first. One that can't be read is left out, and named beside.
    ///
    /// # Errors
    /// When the folder can't be read.
    fn all(&self) -> Result<(Vec<Shell>, Vec<ShellsError>), ShellsError>;

    /// One shell's record, as it is now.
    ///
    /// # Errors
    /// When it exists and can't be read.
    fn shell(&self, shell: &ShellId) -> Result<Option<Shell>, ShellsError>;

    /// What runs the code of a shell whose command begins with this word.
    ///
    /// # Errors
    /// [`NoProgram`].
    fn program(&self, word: &str, path: &str, dir: &std::path::Path) -> Result<Program, NoProgram>;

    /// Whether a shell's state is in a live process, and not in files.
    fn is_live(&self, shell: &Shell) -> bool;

    /// Whether that process is gone, and the state with it; or a new one has only a part of the state yet.
    fn is_lost(&self, shell: &Shell) -> bool;

    /// Lets a lost shell begin again with its next command, and tells which jobs made the state that is lost, from the
    /// first to the last. It stays lost until [`Self::end_again`], whatever happens until then; nobody else begins it again
    /// before the guard is dropped.
    ///
    /// # Errors
    /// [`ShellsError::Busy`] while somebody else does, or the system's.
    fn begin_again(&self, shell: &Shell) -> Result<(Box<dyn Send>, RangeInclusive<u64>), ShellsError>;

    /// The state of a shell that has begun again is whole.
    ///
    /// # Errors
    /// The system's.
    fn end_again(&self, shell: &Shell) -> Result<(), ShellsError>;

    /// All code of a job.
    ///
    /// # Errors
    /// The system's; it is not kept for ever.
    fn code(&self, job: &JobId) -> Result<Vec<u8>, ShellsError>;

    /// When something of the list of shells changed last (one was started, ended, brought back, renamed or removed), or
    /// something of one shell; none where nothing can be told. This is one look at one folder.
    fn changed_at(&self, shell: Option<&ShellId>) -> Option<SystemTime>;

    /// A new id.
    fn new_id(&self) -> ShellId;

    /// The folder of a shell.
    fn folder(&self, shell: &ShellId) -> PathBuf;

    /// Makes a shell that starts with this environment. It is on disk when this returns.
    ///
    /// # Errors
    /// The system's.
    fn create(&self, shell: &Shell, env: &[(Vec<u8>, Vec<u8>)]) -> Result<(), ShellsError>;

    /// Keeps others from starting, ending and bringing back shells of this profile until it is dropped.
    ///
    /// # Errors
    /// The system's.
    fn lock(&self) -> Result<Box<dyn Send>, ShellsError>;

    /// Records that a shell takes no further commands, unless one of its jobs has not ended: then nothing is changed,
    /// and there is no answer.
    ///
    /// # Errors
    /// The system's.
    fn end_idle(&self, shell: &ShellId, at: Timestamp) -> Result<Option<Shell>, ShellsError>;

    /// Keeps a shell's state under a name.
    ///
    /// # Errors
    /// [`ShellsError::Exists`] if there is one of that name, or the system's.
    fn checkpoint(&self, shell: &ShellId, new: &Checkpoint) -> Result<(), ShellsError>;

    /// The states that were kept, oldest first.
    ///
    /// # Errors
    /// The system's.
    fn checkpoints(&self, shell: &ShellId) -> Result<Vec<Checkpoint>, ShellsError>;

    /// Makes another state the one that a shell's next command starts from. Nothing is changed while a command has
    /// the shell's turn: then there is no answer.
    ///
    /// # Errors
    /// [`ShellsError::NoState`] when that state isn't kept, or the system's.
    fn restore(&self, shell: &ShellId, from: &StateFrom) -> Result<Option<Shell>, ShellsError>;

    /// Makes a shell that starts in a state of another one.
    ///
    /// # Errors
    /// As for [`Self::restore`].
    fn create_from(&self, shell: &Shell, of: &ShellId, from: &StateFrom) -> Result<Shell, ShellsError>;

    /// The environment that a shell was started with, in exact bytes.
    ///
    /// # Errors
    /// The system's.
    fn environment(&self, shell: &ShellId) -> Result<Variables, ShellsError>;

    /// Changes a shell's record under its lock.
    ///
    /// # Errors
    /// The system's; the old record is then unchanged.
    fn change(&self, shell: &ShellId, change: &mut dyn FnMut(&mut Shell)) -> Result<Shell, ShellsError>;

    /// What an interactive shell for a person is started with, so that it begins where this shell is. `pass` are
    /// variables of the terminal that it runs in.
    ///
    /// # Errors
    /// The system's.
    fn interactive(&self, shell: &Shell, pass: &[(String, String)]) -> Result<Interactive, ShellsError>;

    /// The folder that the next command starts in, in bytes that may not be text.
    ///
    /// # Errors
    /// When no state can be read.
    fn next_folder(&self, shell: &Shell) -> Result<PathBuf, ShellsError>;

    /// The jobs of a shell whose folders are kept, newest first.
    ///
    /// # Errors
    /// The system's.
    fn jobs(&self, shell: &Shell) -> Result<Vec<Job>, ShellsError>;

    /// The jobs of a shell that have not ended, newest first.
    ///
    /// # Errors
    /// The system's.
    fn running(&self, shell: &Shell) -> Result<Vec<Job>, ShellsError>;

    /// One job, also one of which only the record is left.
    ///
    /// # Errors
    /// The system's.
    fn job(&self, shell: &ShellId, seq: u64) -> Result<Option<Job>, ShellsError>;

    /// The finished jobs of a shell, newest first, at most `limit`.
    ///
    /// # Errors
    /// The system's.
    fn history(&self, shell: &ShellId, limit: usize) -> Result<Vec<Job>, ShellsError>;

    /// Records a job and starts the process that runs it.
    ///
    /// # Errors
    /// The system's; nothing runs then.
    fn start(&self, shell: &Shell, job: NewJob) -> Result<Box<dyn Attached>, ShellsError>;

    /// Kept bytes of a stream.
    ///
    /// # Errors
    /// The system's.
    fn read(&self, job: &JobId, which: Which, from: u64, to: u64) -> Result<Vec<u8>, ShellsError>;

    /// In which order the streams came: each with the offset from which on it was read. The last entry of a stream
    /// lasts until the next entry of the other.
    ///
    /// # Errors
    /// The system's.
    fn order(&self, job: &JobId) -> Result<Vec<(Which, u64)>, ShellsError>;

    /// Waits until a job has ended. Returns whether it has.
    ///
    /// # Errors
    /// The system's.
    fn wait(&self, job: &JobId, until: Until, limit: Option<Duration>) -> Result<bool, ShellsError>;

    /// Asks a job's supervisor for something. Returns whether there is one that hears.
    ///
    /// # Errors
    /// The system's.
    fn control(&self, job: &JobId, line: &str) -> Result<bool, ShellsError>;

    /// Writes to what a job reads. Returns whether it reads.
    ///
    /// # Errors
    /// The system's.
    fn write(&self, job: &JobId, bytes: &[u8]) -> Result<bool, ShellsError>;

    /// The processes of a job without a supervisor that still run.
    fn alive(&self, job: &Job) -> Vec<Child>;

    /// Signals one process that [`Self::alive`] named, if it is still that one.
    fn signal(&self, child: &Child, signal: &str);

    /// Removes a finished job's folder, and all that is in it. Its line in the history stays.
    ///
    /// # Errors
    /// The system's.
    fn remove_jobs(&self, shell: &ShellId, jobs: &[u64]) -> Result<(), ShellsError>;

    /// Removes a shell with all its files.
    ///
    /// # Errors
    /// The system's.
    fn remove(&self, shell: &ShellId) -> Result<(), ShellsError>;
}
