//! The workers of a session: what its tabs show.

use base64::Engine as _;
#[cfg(test)]
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::shapes::{DONE, DoneAnswer, WorkerAnswer, WorkersAnswer, of, workers};
use crate::api::{self, web};
use crate::domain::diff::Against;
use crate::domain::session::Session;
use crate::domain::worker::{Worker, WorkerType};
use crate::ops::worker::{self, NewWorker, WorkerName};
use crate::ops::{self, McpWish, New, OpError, Watcher};
use crate::ports::git::Lines as DiffLines;
use crate::server::error::ApiError;
use crate::server::picture;
use crate::server::route::{Call, Method, Query, Route, WorkerOf};

pub(super) const ROUTES: &[Route] = &[
    Route::get("/api/sessions/{id}/workers", "List the workers of a session", of::<WorkersAnswer>(), list),
    Route::change(Method::Post, "/api/sessions/{id}/workers", "Add a worker", of::<WorkerAnswer>(), create)
        .input(of::<CreateWorker>())
        .created(),
    Route::change(
        Method::Patch,
        "/api/sessions/{id}/workers/{worker}",
        "Rename a worker",
        of::<WorkerAnswer>(),
        rename,
    )
    .input(of::<ChangeWorker>()),
    Route::change(
        Method::Delete,
        "/api/sessions/{id}/workers/{worker}",
        "Remove a worker",
        of::<DoneAnswer>(),
        remove,
    )
    .query(&[Query::flag("stop", "End what runs in it first.")]),
    Route::change(
        Method::Post,
        "/api/sessions/{id}/workers/{worker}/restart",
        "Run a terminal's command again, or restart an agent",
        of::<WorkerAnswer>(),
        restart,
    )
    .input(of::<super::shapes::Nothing>()),
    Route::get(
        "/api/sessions/{id}/workers/{worker}/diff",
        "Show what changed in its session's folder",
        of::<api::Diff>(),
        diff,
    )
    .query(&[Query::text("file", "The lines of this file alone, from the worktree's top.")]),
    Route::get(
        "/api/sessions/{id}/workers/{worker}/markdown",
        "Show a rendered file",
        of::<MarkdownAnswer>(),
        markdown,
    ),
    Route::get(
        "/api/sessions/{id}/workers/{worker}/image",
        "Show a picture that a rendered file names",
        of::<ImageAnswer>(),
        image,
    )
    .query(&[Query::text("path", "The picture's path from the folder of the rendered file.")]),
];

/// A worker to be added.
#[derive(Debug, Deserialize)]
#[cfg_attr(test, derive(JsonSchema))]
#[serde(tag = "type", rename_all = "camelCase", rename_all_fields = "camelCase", deny_unknown_fields)]
enum CreateWorker {
    /// A further agent, which works in the same folder.
    Agent {
        name: Option<String>,
        /// Its tool, or a command.
        agent_id: String,
    },
    Terminal {
        name: Option<String>,
        /// What it runs; a shell if there is none.
        command: Option<String>,
    },
    Diff {
        name: Option<String>,
        /// `head`, `base`, or a commit or branch.
        against: Option<String>,
    },
    Markdown {
        name: Option<String>,
        /// From the session's folder.
        file_path: String,
    },
    Link {
        name: Option<String>,
        /// With `{port}` for the first port of the session's worktree.
        url: String,
    },
}

#[derive(Debug, Deserialize)]
#[cfg_attr(test, derive(JsonSchema))]
#[serde(deny_unknown_fields)]
struct ChangeWorker {
    name: String,
}

#[derive(Debug, Serialize)]
#[cfg_attr(test, derive(JsonSchema))]
#[serde(rename_all = "camelCase")]
struct MarkdownAnswer {
    file_path: String,
    /// The file as HTML: without scripts, with links to http, https and mailto alone, and without pictures. One that is a file
    /// beside it is a `span` whose `data-path` is the path.
    html: String,
}

#[derive(Debug, Serialize)]
#[cfg_attr(test, derive(JsonSchema))]
#[serde(rename_all = "camelCase")]
struct ImageAnswer {
    /// `image/png`, `image/jpeg`, `image/gif` or `image/webp`, by what is in it.
    mime_type: String,
    /// The file, in base64.
    data: String,
}

fn seen(call: &Call, session: &Session) -> Result<Vec<web::Worker>, ApiError> {
    let snapshot = Watcher::new().tick(&call.cx).map_err(|error| call.error(&error))?;
    let of = snapshot.profile.session(&session.id);
    let of = of.ok_or_else(|| call.error(&OpError::Missing(session.id.clone())))?;
    Ok(workers(&api::Session::of(of, call.cx.profile.name.as_str(), snapshot.state(&of.id))))
}

fn one(call: &Call, session: &Session, is: impl Fn(&web::Worker) -> bool) -> Result<Value, ApiError> {
    let found = seen(call, session)?.into_iter().find(is);
    let worker = found.ok_or_else(|| ApiError::not_found("the worker is gone"))?;
    Call::value(&WorkerAnswer { worker })
}

fn list(call: &Call) -> Result<Value, ApiError> {
    let session = call.session()?;
    Call::value(&WorkersAnswer { workers: seen(call, &session)? })
}

fn create(call: &Call) -> Result<Value, ApiError> {
    let session = call.session()?;
    let new = match call.input()? {
        CreateWorker::Agent { name, agent_id } => {
            let new = New {
                path: session.project_path.clone().into(),
                title: name,
                command: Some(agent_id),
                group: session.group_path.clone(),
                parent: Some(session.id.clone()),
                mcp: McpWish::ForTools(call.cx.installation.pass.clone()),
                worker_of: Some(session.id.clone()),
                start: true,
                ..New::default()
            };
            let created = ops::create(&call.cx, &new).map_err(|error| call.error(&error))?.session;
            return one(call, &session, |w| w.session_id.as_deref() == Some(created.id.as_str()));
        }
        CreateWorker::Terminal { name, command } => {
            NewWorker { kind: Some(WorkerType::Terminal), name, command, ..NewWorker::default() }
        }
        CreateWorker::Diff { name, against } => {
            NewWorker { kind: Some(WorkerType::Diff), name, against, ..NewWorker::default() }
        }
        CreateWorker::Markdown { name, file_path } => NewWorker {
            kind: Some(WorkerType::Markdown),
            name,
            file: Some(file_path),
            ..NewWorker::default()
        },
        CreateWorker::Link { name, url } => {
            NewWorker { kind: Some(WorkerType::Link), name, url: Some(url), ..NewWorker::default() }
        }
    };
    let worker = worker::add(&call.cx, &session, &new).map_err(|error| call.error(&error))?;
    one(call, &session, |w| w.id == worker.id.as_str())
}

/// The worker that the path names, which must be no agent.
fn record(call: &Call) -> Result<(Session, Worker), ApiError> {
    match call.worker()? {
        (session, WorkerOf::Record(worker)) => Ok((session, *worker)),
        (session, _) => Err(ApiError::usage(format!("that worker of {:?} is an agent", session.title))),
    }
}

fn rename(call: &Call) -> Result<Value, ApiError> {
    let input: ChangeWorker = call.input()?;
    let (session, of) = call.worker()?;
    let agent = match of {
        WorkerOf::Record(worker) => {
            let name = WorkerName { session: session.id.clone(), worker: worker.id };
            worker::rename(&call.cx, &name, &input.name).map_err(|error| call.error(&error))?;
            return one(call, &session, |w| w.id == name.worker.as_str());
        }
        WorkerOf::Agent => session.clone(),
        WorkerOf::Further(agent) => *agent,
    };
    ops::rename(&call.cx, &agent.id, &input.name).map_err(|error| call.error(&error))?;
    one(call, &session, |w| w.id == call.part("worker"))
}

fn remove(call: &Call) -> Result<Value, ApiError> {
    let stop = call.flag("stop");
    match call.worker()? {
        (session, WorkerOf::Agent) => {
            return Err(ApiError::refused(format!("{:?} is the session's own agent", session.title))
                .hint("delete the session"));
        }
        (_, WorkerOf::Further(agent)) => {
            ops::delete(&call.cx.for_command(), std::slice::from_ref(&agent.id), stop)
                .map_err(|error| call.error(&error))?;
        }
        (session, WorkerOf::Record(worker)) => {
            let name = WorkerName { session: session.id, worker: worker.id };
            worker::remove(&call.cx, &name, stop).map_err(|error| call.error(&error))?;
        }
    }
    Call::value(&DONE)
}

fn restart(call: &Call) -> Result<Value, ApiError> {
    let super::shapes::Nothing {} = call.input()?;
    let failed = |error: OpError| call.error(&error);
    let (session, of) = call.worker()?;
    match of {
        WorkerOf::Record(worker) => {
            let name = WorkerName { session: session.id.clone(), worker: worker.id };
            worker::restart(&call.cx, &name).map_err(failed)?;
        }
        WorkerOf::Agent => drop(ops::restart(&call.cx, &session.id, false).map_err(failed)?),
        WorkerOf::Further(agent) => drop(ops::restart(&call.cx, &agent.id, false).map_err(failed)?),
    }
    one(call, &session, |w| w.id == call.part("worker"))
}

fn diff(call: &Call) -> Result<Value, ApiError> {
    let (session, worker) = record(call)?;
    if worker.kind != WorkerType::Diff {
        let (name, kind) = (worker.name, worker.kind.word().to_owned());
        return Err(call.error(&worker::WorkerError::NoDiff { name, kind }.into()));
    }
    let against = worker.against.as_deref();
    let against = against.map_or_else(|| Against::default_of(&session), |word| Against::of(word, &session));
    let lines = match call.query.get("file") {
        Some(file) => DiffLines::Of(file.clone()),
        None => DiffLines::All,
    };
    let diff = ops::diff(&call.cx, &session, &against, &lines).map_err(|error| call.error(&error))?;
    Call::value(&api::Diff::of(&session, &diff, true))
}

/// A rendered file's session, and its path from the session's folder.
fn rendered(call: &Call) -> Result<(Session, String), ApiError> {
    let (session, worker) = record(call)?;
    let file = worker.file.filter(|_| worker.kind == WorkerType::Markdown);
    let file = file.ok_or_else(|| ApiError::usage(format!("{:?} is no rendered file", worker.name)))?;
    Ok((session, file))
}

fn markdown(call: &Call) -> Result<Value, ApiError> {
    let (session, file) = rendered(call)?;
    let text = worker::read_file(&call.cx, &session, &file).map_err(|error| call.error(&error))?;
    let html = crate::server::markdown::html(&text);
    Call::value(&MarkdownAnswer { file_path: file, html })
}

fn image(call: &Call) -> Result<Value, ApiError> {
    let (session, file) = rendered(call)?;
    let path = call.query.get("path").ok_or_else(|| ApiError::usage("path is missing"))?;
    let bytes = worker::read_picture(&call.cx, &session, &file, path).map_err(|error| call.error(&error))?;
    let kind = picture::kind(&bytes);
    let kind = kind.ok_or_else(|| ApiError::usage(format!("{path:?} is not png, jpeg, gif or webp")))?;
    let data = base64::engine::general_purpose::STANDARD.encode(&bytes);
    Call::value(&ImageAnswer { mime_type: kind.mime_type.to_owned(), data })
}
