//! Asking for a job: its record, and the process that runs it.
//!
//! Invariants: the job's number, its code and its record are on disk before anything is started; the lock on the code
//! is taken before the record can be seen, and passes to the supervisor.

use std::fs::File;
use std::io::{self, Write};
use std::os::fd::OwnedFd;
use std::os::unix::net::UnixStream;
use std::os::unix::process::CommandExt;
use std::path::{Path, PathBuf};
use std::process::Stdio;

use jiff::Timestamp;

use super::folder::ShellFolder;
use super::messages::{Request, Tag, read_frame, send_request};
use super::records::{self, io_error};
use super::supervisor;
use crate::domain::shell::{Job, JobId, Shell};
use crate::ports::ShellsError;
use crate::ports::shells::{Attached, Input, NewJob, Progress, Runs, Which};
use crate::sys::step;
use crate::sys::{files, lock, spawn};

/// What the processes of a job are told about deck itself.
#[derive(Debug, Clone, Default)]
pub struct Surroundings {
    /// `DECK_HOME`, if it is set.
    pub deck_home: Option<String>,
    /// The profile.
    pub profile: String,
}

/// Records a job and starts its supervisor.
pub fn start(
    folder: &ShellFolder,
    new: NewJob,
    around: &Surroundings,
) -> Result<Box<dyn Attached>, ShellsError> {
    let (job, code) = record(folder, &new)?;
    step::reached("recorded-by-asker");
    let request = request(&new, &job, around);
    let stdin = match (new.input_file, new.input) {
        (Some(file), _) => Stdio::from(file),
        (None, Input::Inherited) => Stdio::inherit(),
        (None, _) => Stdio::null(),
    };
    let broke = |error: io::Error| ShellsError::Supervisor(error.to_string());
    let (socket, theirs) = UnixStream::pair().map_err(broke)?;
    let mut command = spawn::command(program());
    command.arg0("deck").arg(supervisor::VERB).arg(&folder.job(job.seq).0);
    command.stdin(stdin).stdout(OwnedFd::from(theirs)).stderr(code);
    if let Runs::Program(_) = new.runs {
        command.current_dir(&job.work_dir);
    }
    command.spawn().map_err(broke)?;
    // This process keeps neither the lock nor the other end of the socket.
    drop(command);
    step::reached("started-by-asker");
    let mut attached = Attachment { socket, seq: job.seq };
    send_request(&mut attached.socket, &request).map_err(broke)?;
    Ok(Box::new(attached))
}

/// Gives the job a number, and makes its folder with code and record.
fn record(folder: &ShellFolder, new: &NewJob) -> Result<(Job, File), ShellsError> {
    let now = Timestamp::now();
    let mut made = None;
    let damaged = || ShellsError::Damaged(folder.record());
    records::change_shell(folder, |shell| {
        // It may have been ended since it was looked at.
        if !shell.is_active() && !new.nested {
            return Err(ShellsError::Supervisor("its shell was ended".to_owned()));
        }
        let seq = records::next_job(folder, shell)?;
        let job_folder = folder.job(seq);
        files::make_dir(&job_folder.0).map_err(io_error("make", &job_folder.0))?;
        let code = code_of(&new.runs);
        let path = job_folder.code();
        files::create_new(&path, &code, 0o600).map_err(io_error("write", &path))?;
        step::reached("code-by-asker");
        let file = files::open(&path).map_err(io_error("read", &path))?;
        // Others only look whether it is locked.
        lock::wait(&file).map_err(io_error("lock", &path))?;
        // It exists as long as the job runs.
        let path = job_folder.leader();
        lock::file(&path).map_err(io_error("write", &path))?;
        let job = new_job(shell, seq, &code, new, now);
        records::write_job(&job_folder, &job)?;
        shell.job_sequence = seq;
        shell.execution_count += 1;
        shell.last_activity_at = now;
        made = Some((job, file));
        Ok(())
    })?;
    made.ok_or_else(damaged)
}

fn code_of(runs: &Runs) -> Vec<u8> {
    match runs {
        Runs::Code(code) => code.clone(),
        Runs::Program(words) => crate::domain::quote::sh_join(words).into_bytes(),
    }
}

fn new_job(shell: &Shell, seq: u64, code: &[u8], new: &NewJob, now: Timestamp) -> Job {
    let kind = if matches!(new.runs, Runs::Program(_)) { "program" } else { &shell.kind };
    let id = JobId { shell: shell.session_id.clone(), seq };
    Job {
        parent_job: new.parent.clone(),
        background: new.background,
        work_dir: new.folder.clone().unwrap_or_else(|| shell.work_dir.clone()),
        generation: shell.generation,
        ..Job::queued(id, code, kind, now)
    }
}

fn request(new: &NewJob, job: &Job, around: &Surroundings) -> Request {
    let mut own_env = vec![
        ("DECK_SHELL_ID".to_owned(), job.session_id.to_string()),
        ("DECK_JOB_ID".to_owned(), job.job_id.to_string()),
        ("DECK_PROFILE".to_owned(), around.profile.clone()),
    ];
    own_env.extend(around.deck_home.clone().map(|home| ("DECK_HOME".to_owned(), home)));
    Request {
        program: match &new.runs {
            Runs::Program(words) => Some(words.clone()),
            Runs::Code(_) => None,
        },
        env: new.env.clone(),
        folder: new.folder.clone(),
        open_stdin: new.input == Input::Open,
        merge: new.merge,
        stream: new.stream,
        takes_turn: !new.background && !new.nested,
        timeout_ms: new.timeout.map(|t| u64::try_from(t.as_millis()).unwrap_or(u64::MAX)),
        kill_on_timeout: new.kill_on_timeout,
        own_env,
    }
}

/// Where deck is installed: the file may be a newer one by now.
pub fn installed_program() -> PathBuf {
    let own = std::env::current_exe().unwrap_or_else(|_| PathBuf::from("deck"));
    // What Linux says of a file that was replaced.
    let text = own.to_str().and_then(|text| text.strip_suffix(" (deleted)")).map(PathBuf::from);
    text.unwrap_or(own)
}

/// deck's own program, also after its file was replaced by a newer one.
pub fn program() -> PathBuf {
    let own = Path::new("/proc/self/exe");
    if own.exists() {
        own.to_owned()
    } else {
        std::env::current_exe().unwrap_or_else(|_| PathBuf::from("deck"))
    }
}

/// A job that was asked for.
#[derive(Debug)]
struct Attachment {
    socket: UnixStream,
    seq: u64,
}

impl Attached for Attachment {
    fn seq(&self) -> u64 {
        self.seq
    }

    fn next(&mut self) -> Result<Progress, ShellsError> {
        let broke = |error: io::Error| ShellsError::Supervisor(error.to_string());
        loop {
            // A supervisor that is gone reports nothing more: the record says what is known.
            let Some((tag, bytes)) = read_frame(&mut self.socket).map_err(broke)? else {
                return Ok(Progress::Ended);
            };
            return Ok(match Tag::of(tag) {
                Some(Tag::Started) => Progress::Started,
                Some(Tag::Stdout) => Progress::Output(Which::Stdout, bytes),
                Some(Tag::Stderr) => Progress::Output(Which::Stderr, bytes),
                Some(Tag::Detached) => Progress::Detached,
                Some(Tag::Ended) => Progress::Ended,
                Some(Tag::Failed) => Progress::Failed(String::from_utf8_lossy(&bytes).into_owned()),
                None => continue,
            });
        }
    }

    fn interrupter(&self) -> Box<dyn Fn() + Send> {
        let socket = self.socket.try_clone();
        Box::new(move || {
            if let Ok(socket) = &socket {
                // One that has ended needs no interrupt.
                let mut to = socket;
                let _ = to.write_all(b"i");
            }
        })
    }
}
