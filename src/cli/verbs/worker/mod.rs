//! `deck worker …`: what works beside an agent.

mod add;
mod list;

pub(super) use list::exit_words;

use std::process::ExitCode;

use super::Done;
use crate::api;
use crate::cli::error::CliError;
use crate::cli::{Context, complete};
use crate::domain::session::Session;
use crate::domain::text;
use crate::domain::worker::WorkerId;
use crate::ops::worker::{self, Target, WorkerError, WorkerName};
use crate::ops::{Cx, OpError};

/// Add, list, rename and remove what works beside an agent.
#[derive(Debug, clap::Subcommand)]
#[command(
    after_help = "A worker is a terminal, a diff, a rendered file, a link or a further agent. It is named SESSION:NAME, SESSION:NUMBER as its tab, or by its id.\n\nExamples:\n  deck worker add api -c 'npm test -- --watch'\n  deck worker list api\n  deck send api:npm q\n  deck worker rm --stop api:npm"
)]
pub enum Args {
    /// Add a worker to a session.
    Add(add::Args),
    /// List the workers of a session.
    #[command(alias = "ls")]
    List(list::Args),
    /// Rename a worker.
    #[command(after_help = "Examples:\n  deck worker rename api:2 tests")]
    Rename {
        /// The worker.
        #[arg(value_name = "SESSION:WORKER", add = complete::workers())]
        worker: String,
        /// Its new name.
        name: String,
    },
    /// Remove a worker.
    #[command(
        after_help = "Examples:\n  deck worker rm api:diff\n  deck worker rm --stop api:tests     end what runs in it first"
    )]
    Rm {
        /// The worker.
        #[arg(value_name = "SESSION:WORKER", add = complete::workers())]
        worker: String,
        /// End what runs in it first.
        #[arg(long)]
        stop: bool,
    },
    /// Run the command of a terminal again.
    #[command(
        after_help = "What runs in it is ended. A further agent is restarted as `deck restart` does.\n\nExamples:\n  deck worker restart api:tests"
    )]
    Restart {
        /// The worker.
        #[arg(value_name = "SESSION:WORKER", add = complete::workers())]
        worker: String,
    },
}

pub(super) fn run(args: Args, context: &mut Context) -> Done {
    context.listen_for_interrupts()?;
    let cx = context.wiring.cx();
    match args {
        Args::Add(args) => add::run(&args, context, &cx),
        Args::List(args) => list::run(&args, context, &cx),
        Args::Rename { worker, name } => match own(&cx, &worker, "renamed here")? {
            Found::Agent(session) => {
                crate::ops::rename(&cx, &session.id, &name)?;
                tell_agent(context, &cx, &session, &format!("renamed to {name}"))
            }
            Found::Worker(of, id) => {
                worker::rename(&cx, &id, &name)?;
                tell(context, &cx, &of, &id.worker, "renamed to")
            }
        },
        Args::Restart { worker } => match own(&cx, &worker, "restarted here")? {
            Found::Agent(session) => {
                crate::ops::restart(&cx, &session.id, false)?;
                tell_agent(context, &cx, &session, &format!("restarted {}", session.title))
            }
            Found::Worker(of, id) => {
                worker::restart(&cx, &id)?;
                tell(context, &cx, &of, &id.worker, "restarted")
            }
        },
        Args::Rm { worker, stop } => match own(&cx, &worker, "removed")? {
            Found::Agent(session) => {
                let deleted = crate::ops::delete(&cx, std::slice::from_ref(&session.id), stop)?;
                removed(context, session.id.as_str(), &session.title, deleted.stopped > 0)
            }
            Found::Worker(_, id) => {
                let done = worker::remove(&cx, &id, stop)?;
                removed(context, done.worker.id.as_str(), &done.worker.name, done.ran)
            }
        },
    }
}

/// What a word of these verbs means.
enum Found {
    /// A further agent: a session of its own.
    Agent(Box<Session>),
    Worker(Box<Session>, WorkerName),
}

/// The worker that a word means, which is not the session's own agent.
fn own(cx: &Cx, word: &str, done: &'static str) -> Result<Found, CliError> {
    match worker::find(cx, word)? {
        Target::Session(session) if session.worker_of.is_some() => Ok(Found::Agent(session)),
        Target::Session(session) => Err(OpError::from(WorkerError::OwnAgent(session.name(), done)).into()),
        Target::Worker(session, worker) => {
            let name = WorkerName { session: session.id.clone(), worker: worker.id };
            Ok(Found::Worker(session, name))
        }
    }
}

/// Reports what was done to a worker.
fn tell(context: &Context, cx: &Cx, session: &Session, id: &WorkerId, done: &str) -> Done {
    let session = cx.session(&session.id)?;
    let all = worker::list(cx, &session)?;
    let Some(listed) = all.iter().find(|listed| listed.id == id.as_str()) else {
        return Err(OpError::Missing(session.id).into());
    };
    if context.out.json {
        context.out.value(&api::Worker::of(&session, listed))?;
    } else if context.out.quiet {
        context.out.line(&listed.id)?;
    } else {
        let (title, name) = (&session.title, &listed.name);
        context.out.line(&format!("{done} {title}:{name} ({}, tab {})", listed.kind, listed.tab))?;
    }
    Ok(ExitCode::SUCCESS)
}

/// Shows one worker.
pub(super) fn show(context: &Context, cx: &Cx, session: &Session, id: &WorkerId) -> Done {
    let all = worker::list(cx, session)?;
    let Some(listed) = all.iter().find(|listed| listed.id == id.as_str()) else {
        return Err(OpError::Missing(session.id.clone()).into());
    };
    if context.out.json {
        context.out.value(&api::Worker::of(session, listed))?;
        return Ok(ExitCode::SUCCESS);
    }
    let out = context.out;
    out.line(&out.strong(&text::clean(&listed.name)))?;
    let pane = listed.pane.as_ref().map(|pane| pane.pane.clone()).unwrap_or_default();
    let lines = [
        ("type", listed.kind.clone()),
        ("session", format!("{}, tab {}", session.title, listed.tab)),
        ("status", list::state(listed)),
        ("shows", list::what(session, listed)),
        ("id", listed.id.clone()),
        ("pane", pane),
        ("added", listed.created_at.strftime("%Y-%m-%d %H:%M UTC").to_string()),
    ];
    for (name, value) in lines.iter().filter(|(_, value)| !value.is_empty()) {
        out.line(&format!("{} {}", out.dim(&text::pad(name, 13)), text::clean(value)))?;
    }
    Ok(ExitCode::SUCCESS)
}

/// Reports what was done to a further agent, as a worker of its session.
fn tell_agent(context: &Context, cx: &Cx, agent: &Session, sentence: &str) -> Done {
    // The session that it belongs to may be in the trash.
    let of = agent.worker_of.as_ref().and_then(|id| cx.session(id).ok());
    if context.out.json
        && let Some(session) = &of
        && let Some(listed) = worker::list(cx, session)?.iter().find(|l| l.agent.as_ref() == Some(&agent.id))
    {
        context.out.value(&api::Worker::of(session, listed))?;
        return Ok(ExitCode::SUCCESS);
    }
    context.tell_session(cx, &agent.id, sentence)?;
    Ok(ExitCode::SUCCESS)
}

fn removed(context: &Context, id: &str, name: &str, stopped: bool) -> Done {
    if context.out.json {
        let (id, name) = (id.to_owned(), name.to_owned());
        context.out.value(&api::WorkerRemoved { schema_version: api::Version, id, name, stopped })?;
    } else if context.out.quiet {
        context.out.line(id)?;
    } else {
        context.out.line(&format!("{} {name}", if stopped { "ended and removed" } else { "removed" }))?;
    }
    Ok(ExitCode::SUCCESS)
}
