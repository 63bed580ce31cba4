//! The verbs, one file each.

mod ack;
mod add;
mod answer;
mod archive;
mod attach;
mod capture_id;
mod checkpoint;
mod completions;
mod config;
mod conversation;
mod demo;
mod diff;
mod doctor;
mod each_at_once;
mod explain;
mod fork;
mod group;
mod guard_connection;
mod handoff;
mod hook;
mod import;
mod job;
mod keys;
mod list;
mod list_watch;
mod mcp;
mod move_to;
mod next;
mod of_group;
mod output;
mod place_args;
mod profile;
mod rename;
mod repo;
mod restart;
mod revive;
mod rm;
mod schema;
mod send;
#[cfg(feature = "web")]
mod serve;
mod set;
mod setup_ended;
mod shell;
mod show;
mod start;
mod started;
mod status;
mod stop;
mod tool;
mod undo;
mod wait;
mod worker;
mod worktree;

use std::process::ExitCode;
use std::sync::{MutexGuard, PoisonError};

use clap::Subcommand;

use super::Context;
use super::args::Cli;
use super::error::CliError;
use super::output::Out;
use crate::api::{self, Code, Shape};
use crate::config::Problem;
use crate::config::paths::Environment;
use crate::domain::id::{ProfileName, SessionId};
use crate::domain::session::Session;
use crate::ops::worker::{Target, WorkerError};
use crate::ops::{self, Cx, OpError, Snapshot};

/// A verb's result: mostly success, or partial failure.
pub(super) type Done = Result<ExitCode, CliError>;

/// deck's verbs.
#[derive(Debug, Subcommand)]
pub enum Verb {
    /// Add a session and start it.
    Add(add::Args),
    /// Show what every session is doing.
    #[command(visible_alias = "ls")]
    List(list::Args),
    /// Show a session's details.
    Show(show::Args),
    /// Show why a session has its status.
    Explain(explain::Args),
    /// Count sessions by status.
    Status(status::Args),
    /// Show the session that needs you most.
    Next(next::Args),
    /// Answer an agent's question.
    Answer(answer::Args),
    /// Wait for sessions to reach a status.
    Wait(wait::Args),
    /// Mark finished turns as seen.
    Ack(ack::Args),
    /// Start stopped sessions, resuming their conversations.
    Start(start::Args),
    /// Stop sessions; they and their conversations are kept.
    Stop(stop::Args),
    /// Restart sessions, resuming their conversations.
    Restart(restart::Args),
    /// Fork a session from its conversation.
    Fork(fork::Args),
    /// Restart sessions that were lost, e.g. after a reboot.
    Revive(revive::Args),
    /// Import agents already running in tmux, or existing conversations.
    Import(import::Args),
    /// Attach to a session (ctrl-q detaches).
    Attach(attach::Args),
    /// Change a session's settings.
    Set(set::Args),
    /// Rename a session.
    Rename(rename::Args),
    /// Move sessions to a group.
    Move(move_to::Args),
    /// Archive sessions, stopping those that run.
    Archive(archive::Args),
    /// Restore archived sessions, or list them.
    Unarchive(archive::Back),
    /// Delete sessions (`deck undo` restores them).
    Rm(rm::Args),
    /// Undo what was deleted or arranged last, or restore a deleted session.
    Undo(undo::Args),
    /// Send a message to sessions.
    Send(send::Args),
    /// Send keys to a session.
    Keys(keys::Args),
    /// Show what changed in a session's folder.
    Diff(diff::Args),
    /// Print what somebody must know who continues a session's work.
    Checkpoint(checkpoint::Args),
    /// Hand a session's work over to another agent.
    Handoff(handoff::Args),
    /// Print a session's screen or last answer.
    Output(output::Args),
    /// Add, list, rename, move and delete groups.
    #[command(subcommand)]
    Group(group::Args),
    /// Add, list, rename and delete profiles.
    #[command(subcommand)]
    Profile(profile::Args),
    /// Add, list and change the repositories that worktrees are made in.
    #[command(subcommand)]
    Repo(repo::Args),
    /// List, show and lock the worktrees of repositories.
    #[command(subcommand, visible_alias = "wt")]
    Worktree(worktree::Args),
    /// Add, list and end what works beside an agent, such as terminals.
    #[command(subcommand)]
    Worker(worker::Args),
    /// List, show and check tools.
    #[command(subcommand)]
    Tool(tool::Args),
    /// Run commands in shells that keep their state, without a terminal.
    #[command(subcommand)]
    Shell(shell::Args),
    /// Follow, wait for and end the jobs of shells.
    #[command(subcommand)]
    Job(job::Args),
    /// Keep what roles say about features and tasks.
    #[command(subcommand, visible_alias = "conv")]
    Conversation(conversation::Args),
    Mcp(mcp::Args),
    #[cfg(feature = "web")]
    Serve(serve::Args),
    /// Show, change and check the settings.
    #[command(subcommand)]
    Config(config::Args),
    /// Diagnose problems with deck's setup.
    #[command(
        after_help = "Checks tmux, deck's folders, profiles, tools and the sessions on deck's server.\nExits 1 if it finds a problem. It changes nothing.\n\nExamples:\n  deck doctor\n  deck doctor --json"
    )]
    Doctor,
    /// Try deck with simulated agents.
    Demo(demo::Args),
    /// Print the JSON Schema of a verb's output.
    Schema(schema::Args),
    /// Generate shell completions.
    Completions(completions::Args),
    /// Record a hook's report from an agent.
    #[command(hide = true)]
    Hook(hook::Args),
    /// See a connection's client out.
    #[command(hide = true, name = crate::wiring::GUARD_VERB)]
    GuardConnection(guard_connection::Args),
    /// Become the bash of a session that was opened from a headless shell.
    #[command(hide = true, name = crate::ops::shell::ENTER_VERB)]
    EnterShell(shell::EnterArgs),
    /// Record how the setup of a worktree ended.
    #[command(hide = true, name = crate::domain::launch::SETUP_ENDED)]
    SetupEnded(setup_ended::Args),
    /// Find a conversation's id in JSON.
    #[command(hide = true, name = "capture-id")]
    CaptureId(capture_id::Args),
}

/// Runs the verbs that must work whatever the settings say. Returns nothing if it was none of them.
pub(super) fn early(cli: &Cli, env: &Environment, out: &Out) -> Result<Option<ExitCode>, CliError> {
    match &cli.verb {
        Some(Verb::Schema(args)) => schema::run(args, out)?,
        Some(Verb::Completions(args)) => completions::run(args, out)?,
        Some(Verb::CaptureId(args)) => capture_id::run(args, out)?,
        Some(Verb::GuardConnection(args)) => guard_connection::run(args),
        Some(Verb::Hook(args)) => hook::run(args, cli.profile.as_deref(), env),
        Some(Verb::Demo(args)) => demo::run(args, env, out)?,
        Some(Verb::Config(args)) => return config::run(args, env, out).map(Some),
        _ => return Ok(None),
    }
    Ok(Some(ExitCode::SUCCESS))
}

/// Runs a verb; without one, opens the TUI.
pub(super) fn run(verb: Option<Verb>, context: &mut Context) -> Done {
    match verb {
        None => open(context),
        Some(Verb::Add(args)) => add::run(args, context),
        Some(Verb::List(args)) => list::run(&args, context),
        Some(Verb::Show(args)) => show::run(&args, context),
        Some(Verb::Explain(args)) => explain::run(&args, context),
        Some(Verb::Status(args)) => status::run(&args, context),
        Some(Verb::Next(args)) => next::run(&args, context),
        Some(Verb::Answer(args)) => answer::run(&args, context),
        Some(Verb::Wait(args)) => wait::run(&args, context),
        Some(Verb::Ack(args)) => ack::run(&args, context),
        Some(Verb::Start(args)) => start::run(&args, context),
        Some(Verb::Stop(args)) => stop::run(&args, context),
        Some(Verb::Restart(args)) => restart::run(&args, context),
        Some(Verb::Fork(args)) => fork::run(&args, context),
        Some(Verb::Revive(args)) => revive::run(&args, context),
        Some(Verb::Import(args)) => import::run(&args, context),
        Some(Verb::Set(args)) => set::run(&args, context),
        Some(Verb::Attach(args)) => attach::run(&args, context),
        Some(Verb::Rename(args)) => rename::run(&args, context),
        Some(Verb::Move(args)) => move_to::run(&args, context),
        Some(Verb::Archive(args)) => archive::run(&args, context),
        Some(Verb::Unarchive(args)) => archive::back(&args, context),
        Some(Verb::Rm(args)) => rm::run(&args, context),
        Some(Verb::Undo(args)) => undo::run(&args, context),
        Some(Verb::Send(args)) => send::run(&args, context),
        Some(Verb::Keys(args)) => keys::run(&args, context),
        Some(Verb::Diff(args)) => diff::run(&args, context),
        Some(Verb::Checkpoint(args)) => checkpoint::run(&args, context),
        Some(Verb::Handoff(args)) => handoff::run(&args, context),
        Some(Verb::Output(args)) => output::run(&args, context),
        Some(Verb::Group(args)) => group::run(args, context),
        Some(Verb::Profile(args)) => profile::run(&args, context),
        Some(Verb::Repo(args)) => repo::run(args, context),
        Some(Verb::Worktree(args)) => worktree::run(&args, context),
        Some(Verb::Worker(args)) => worker::run(args, context),
        Some(Verb::Tool(args)) => tool::run(&args, context),
        Some(Verb::Shell(args)) => shell::run(args, context),
        Some(Verb::EnterShell(args)) => shell::enter(&args, context),
        Some(Verb::SetupEnded(args)) => setup_ended::run(&args, context),
        Some(Verb::Job(args)) => job::run(args, context),
        Some(Verb::Conversation(args)) => conversation::run(args, context),
        Some(Verb::Mcp(args)) => mcp::run(&args, context),
        #[cfg(feature = "web")]
        Some(Verb::Serve(args)) => serve::run(&args, context),
        Some(Verb::Doctor) => doctor::run(context),
        Some(
            Verb::Demo(_)
            | Verb::Schema(_)
            | Verb::Completions(_)
            | Verb::CaptureId(_)
            | Verb::Config(_)
            | Verb::GuardConnection(_)
            | Verb::Hook(_),
        ) => Ok(ExitCode::SUCCESS),
    }
}

/// Warns once that something is wrong with the settings, however much it is.
pub(super) fn warn_of_settings(problems: &[Problem], out: &Out) {
    let rest = match problems.len().saturating_sub(1) {
        0 => String::new(),
        rest => format!(" (and {rest} more: `deck config check`)"),
    };
    if let Some(first) = problems.first() {
        out.warn(&format!("{first}{rest}"));
    }
}

/// Opens the TUI.
fn open(context: &Context) -> Done {
    use std::io::IsTerminal;
    if !std::io::stdout().is_terminal() || !std::io::stdin().is_terminal() {
        return Err(CliError::usage("deck's TUI needs a terminal")
            .hint("`deck list` shows what every session is doing"));
    }
    // What a killed deck left of a handoff is finished beside: nobody waits for it.
    let cx = context.wiring.cx();
    std::thread::Builder::new().name("handoffs".to_owned()).spawn(move || {
        if let Err(error) = ops::handoff::finish(&cx) {
            tracing::warn!(%error, "can't finish a handoff that was begun");
        }
    })?;
    crate::tui::run(&context.wiring)?;
    Ok(ExitCode::SUCCESS)
}

impl Context {
    /// The live session that `name` means.
    fn find(&self, cx: &Cx, name: &str) -> Result<Session, CliError> {
        let loaded = cx.profile.store.load()?;
        self.tell_recovery(loaded.recovered.as_deref());
        match ops::worker::find(cx, name)? {
            Target::Session(session) => Ok(*session),
            Target::Worker(session, worker) => {
                let kind = worker.kind.word().to_owned();
                Err(OpError::from(WorkerError::NotASession {
                    session: session.name(),
                    name: worker.name,
                    kind,
                })
                .into())
            }
        }
    }

    /// Reports what had to be recovered.
    fn tell_recovery(&self, recovered: Option<&str>) {
        if let Some(recovered) = recovered {
            self.out.warn(recovered);
        }
    }

    /// Warns about what a poll had to recover, and about servers that gave no answer.
    fn warn_about(&self, snapshot: &Snapshot) {
        self.tell_recovery(snapshot.recovered.as_deref());
        self.warn_of_silence(snapshot);
    }

    /// Warns about servers that gave no answer.
    fn warn_of_silence(&self, snapshot: &Snapshot) {
        for silence in snapshot.silences() {
            let error = CliError::from(OpError::from(silence));
            let hint = error.hint.map(|h| format!("; {h}")).unwrap_or_default();
            self.out.warn(&format!("{}: statuses there are as last seen{hint}", error.message));
        }
    }

    /// Warns about profiles that can't be read, out of `count`; if none can, the first one's error is returned.
    fn tell_unreadable(&self, of: usize, failed: Vec<(ProfileName, CliError)>) -> Result<(), CliError> {
        let none_left = failed.len() == of;
        for (name, error) in failed {
            if none_left {
                return Err(error);
            }
            let causes: String = error.causes.iter().map(|c| format!(": {c}")).collect();
            self.out.warn(&format!("profile {name} is not shown: {}{causes}", error.message));
        }
        Ok(())
    }

    /// Runs `act` on each session named; each failure is reported, and the exit code is 1 if some
    /// failed, or the error's own when there was but one.
    fn each(&self, names: &[String], act: impl Fn(&Cx, &Session) -> Result<(), CliError>) -> Done {
        let cx = self.wiring.cx().for_command();
        let mut failed = Vec::new();
        self.collect_answers(names.len());
        for name in names {
            if let Err(error) = self.find(&cx, name).and_then(|session| act(&cx, &session)) {
                failed.push(error);
            }
        }
        self.conclude(names.len(), failed)
    }

    /// Answers in JSON about several sessions go into one array.
    fn collect_answers(&self, named: usize) {
        if self.out.json && named > 1 {
            *self.collected() = Some(Vec::new());
        }
    }

    fn collected(&self) -> MutexGuard<'_, Option<Vec<serde_json::Value>>> {
        self.answers.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Prints what was collected, and what failed.
    fn conclude(&self, named: usize, mut failed: Vec<CliError>) -> Done {
        let answers = self.collected().take();
        if let Some(answers) = answers {
            self.out.values(&answers)?;
        }
        match failed.len() {
            0 => Ok(ExitCode::SUCCESS),
            1 if named == 1 => Err(failed.remove(0)),
            _ => {
                for error in &failed {
                    let _ = self.out.error(error);
                }
                let interrupted = failed.iter().any(|e| e.code == Code::Interrupted);
                let code = if interrupted { Code::Interrupted } else { Code::Failed };
                Ok(crate::cli::interrupt::exit_code(code))
            }
        }
    }

    /// Answers in JSON about one session: at once, or in an array with the others that were named.
    fn answer(&self, value: &impl Shape) -> Result<(), CliError> {
        match self.collected().as_mut() {
            None => self.out.value(value),
            Some(all) => {
                all.push(serde_json::to_value(value).map_err(std::io::Error::other)?);
                Ok(())
            }
        }
    }

    /// Prints a session as it is now: JSON, its id alone, or a sentence.
    fn tell_session(&self, cx: &Cx, id: &SessionId, sentence: &str) -> Result<(), CliError> {
        if self.out.json {
            let snapshot = crate::ops::Watcher::new().tick(cx)?;
            let session = snapshot.profile.session(id).ok_or_else(|| OpError::Missing(id.clone()))?;
            return self.answer(&api::Session::of(session, cx.profile.name.as_str(), snapshot.state(id)));
        }
        if self.out.quiet { self.out.line(id.as_str()) } else { self.out.line(sentence) }
    }
}

/// A script is no JSON.
fn refuse_json(context: &Context, option: &str) -> Result<(), CliError> {
    if context.out.json {
        return Err(CliError::usage(format!("{option} prints a script, not JSON")).hint("leave out --json"));
    }
    Ok(())
}
