//! What is done with a session: started, stopped, answered, sent to.

#[cfg(test)]
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::shapes::{Nothing, SessionAnswer, of};
use super::view;
use crate::api;
use crate::domain::diff::{Comment, message};
use crate::ops::guard::messages_to;
use crate::ops::{self, OpError, Pick, Question, Receipt, SendOptions, Terminals, Watcher};
use crate::server::dialog;
use crate::server::error::ApiError;
use crate::server::route::{Call, Method, Query, Route};

pub(super) const ROUTES: &[Route] = &[
    Route::change(
        Method::Post,
        "/api/sessions/{id}/restart",
        "Restart a session",
        of::<SessionAnswer>(),
        restart,
    )
    .input(of::<Restart>()),
    Route::change(
        Method::Post,
        "/api/sessions/{id}/start",
        "Start a stopped session",
        of::<SessionAnswer>(),
        start,
    )
    .input(of::<Restart>()),
    Route::change(Method::Post, "/api/sessions/{id}/stop", "Stop a session", of::<SessionAnswer>(), stop)
        .input(of::<Stop>()),
    Route::change(
        Method::Post,
        "/api/sessions/{id}/ack",
        "Mark a finished turn as seen",
        of::<SessionAnswer>(),
        acknowledge,
    )
    .input(of::<Nothing>()),
    Route::change(
        Method::Post,
        "/api/sessions/{id}/fork",
        "Fork a session from its conversation",
        of::<SessionAnswer>(),
        fork,
    )
    .input(of::<Fork>())
    .created(),
    Route::change(
        Method::Post,
        "/api/sessions/{id}/archive",
        "Archive a session, stopping it if it runs",
        of::<super::shapes::DoneAnswer>(),
        archive,
    )
    .input(of::<Nothing>()),
    Route::change(Method::Post, "/api/sessions/{id}/send", "Send a message", of::<SentAnswer>(), send)
        .input(of::<Send>()),
    Route::change(
        Method::Post,
        "/api/sessions/{id}/comments",
        "Send comments on changed lines as one message",
        of::<SentAnswer>(),
        send_comments,
    )
    .input(of::<Comments>()),
    Route::change(
        Method::Post,
        "/api/sessions/{id}/answer",
        "Answer a question",
        of::<AnsweredAnswer>(),
        answer,
    )
    .input(of::<Answer>()),
    Route::get(
        "/api/sessions/{id}/explain",
        "Show why a session has its status",
        of::<api::Explanation>(),
        explain,
    ),
    Route::get("/api/sessions/{id}/output", "Show its screen or last answer", of::<api::Output>(), output)
        .query(&[Query::flag("last", "Its last answer, if its conversation has one.")]),
];

#[derive(Debug, Deserialize)]
#[cfg_attr(test, derive(JsonSchema))]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
struct Restart {
    /// Whether its conversation is resumed; false begins a new one.
    #[serde(default = "yes")]
    continue_conversation: bool,
}

const fn yes() -> bool {
    true
}

#[derive(Debug, Deserialize)]
#[cfg_attr(test, derive(JsonSchema))]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
struct Stop {
    /// Whether its terminals end, too.
    #[serde(default)]
    with_workers: bool,
}

#[derive(Debug, Deserialize)]
#[cfg_attr(test, derive(JsonSchema))]
#[serde(deny_unknown_fields)]
struct Fork {
    title: Option<String>,
}

#[derive(Debug, Deserialize)]
#[cfg_attr(test, derive(JsonSchema))]
#[serde(deny_unknown_fields)]
struct Send {
    text: String,
    /// Send even if it is asking a question.
    #[serde(default)]
    force: bool,
}

#[derive(Debug, Deserialize)]
#[cfg_attr(test, derive(JsonSchema))]
#[serde(deny_unknown_fields)]
struct Comments {
    comments: Vec<CommentOn>,
}

/// A comment on a line of a diff.
#[derive(Debug, Deserialize)]
#[cfg_attr(test, derive(JsonSchema))]
#[serde(deny_unknown_fields)]
struct CommentOn {
    /// The file's path from the worktree's top.
    path: String,
    /// The line's number: now, or before if it was removed.
    line: u32,
    #[serde(default)]
    removed: bool,
    /// The line.
    quoted: String,
    /// The comment.
    text: String,
}

#[derive(Debug, Serialize)]
#[cfg_attr(test, derive(JsonSchema))]
struct SentAnswer {
    /// `delivered`, `queued` or `not confirmed`.
    receipt: String,
}

#[derive(Debug, Deserialize)]
#[cfg_attr(test, derive(JsonSchema))]
#[serde(deny_unknown_fields)]
struct Answer {
    /// A number, a label, or the start of one.
    choice: Choice,
    /// The dialog that was shown, as its session names it in `deck.screen`.
    screen: Option<String>,
    /// The text for a choice that opens a text field.
    text: Option<String>,
}

#[derive(Debug, Deserialize)]
#[cfg_attr(test, derive(JsonSchema))]
#[serde(untagged)]
enum Choice {
    Number(u32),
    Words(String),
}

#[derive(Debug, Serialize)]
#[cfg_attr(test, derive(JsonSchema))]
struct AnsweredAnswer {
    /// The choice that was taken.
    choice: api::Choice,
    session: api::web::Session,
}

fn restart(call: &Call) -> Result<Value, ApiError> {
    let session = call.session()?;
    let input: Restart = call.input()?;
    let failed = |error: OpError| call.error(&error);
    ops::restart(&call.cx, &session.id, !input.continue_conversation).map_err(failed)?;
    Call::value(&view::now(call, &session.id)?)
}

fn start(call: &Call) -> Result<Value, ApiError> {
    let session = call.session()?;
    let input: Restart = call.input()?;
    ops::start(&call.cx, &session.id, !input.continue_conversation, None)
        .map_err(|error| call.error(&error))?;
    Call::value(&view::now(call, &session.id)?)
}

fn stop(call: &Call) -> Result<Value, ApiError> {
    let session = call.session()?;
    let input: Stop = call.input()?;
    let terminals = if input.with_workers { Terminals::End } else { Terminals::Keep };
    ops::stop(&call.cx, &session.id, terminals).map_err(|error| call.error(&error))?;
    Call::value(&view::now(call, &session.id)?)
}

fn acknowledge(call: &Call) -> Result<Value, ApiError> {
    let session = call.session()?;
    let Nothing {} = call.input()?;
    ops::acknowledge(&call.cx, &session.id).map_err(|error| call.error(&error))?;
    Call::value(&view::now(call, &session.id)?)
}

fn fork(call: &Call) -> Result<Value, ApiError> {
    let session = call.session()?;
    let input: Fork = call.input()?;
    let forked =
        ops::fork(&call.cx, &session.id, input.title.as_deref()).map_err(|error| call.error(&error))?;
    Call::value(&view::now(call, &forked.id)?)
}

fn archive(call: &Call) -> Result<Value, ApiError> {
    let session = call.session()?;
    let Nothing {} = call.input()?;
    ops::archive(&call.cx.for_command(), &session.id).map_err(|error| call.error(&error))?;
    Call::value(&super::shapes::DONE)
}

fn send(call: &Call) -> Result<Value, ApiError> {
    let session = call.session()?;
    let input: Send = call.input()?;
    let options = SendOptions { force: input.force, ..SendOptions::default() };
    let receipt = ops::send(&call.cx, &session.id, &input.text, options);
    let receipt: Receipt = receipt.map_err(|error| call.error(&error))?;
    Call::value(&SentAnswer { receipt: receipt.words().to_owned() })
}

fn send_comments(call: &Call) -> Result<Value, ApiError> {
    let session = call.session()?;
    let input: Comments = call.input()?;
    let one = |c: CommentOn| Comment {
        path: c.path,
        line: c.line,
        is_removed: c.removed,
        quoted: c.quoted,
        text: c.text,
    };
    let all: Vec<Comment> = input.comments.into_iter().map(one).collect();
    if all.is_empty() || all.iter().any(|comment| comment.text.trim().is_empty()) {
        return Err(ApiError::usage("a comment is empty, or there is none"));
    }
    let receipt = ops::send(&call.cx, &session.id, &message(&all), SendOptions::default());
    let receipt: Receipt = receipt.map_err(|error| call.error(&error))?;
    Call::value(&SentAnswer { receipt: receipt.words().to_owned() })
}

fn answer(call: &Call) -> Result<Value, ApiError> {
    let session = call.session()?;
    let input: Answer = call.input()?;
    let failed = |error: OpError| call.error(&error);
    let shown = match &input.screen {
        None => None,
        Some(name) => {
            let snapshot = Watcher::of([session.id.clone()]).tick(&call.cx).map_err(failed)?;
            let question = snapshot.state(&session.id).and_then(Question::of);
            let question = question.filter(|question| dialog::name(question) == *name);
            Some(question.ok_or_else(|| failed(OpError::DialogChanged(session.name())))?)
        }
    };
    let pick = match input.choice {
        Choice::Number(number) => Pick::Number(number),
        Choice::Words(words) => Pick::parse(&words),
    };
    let pick = match input.text {
        Some(text) => Pick::Into(Box::new(pick), text),
        None => pick,
    };
    let answered = ops::answer(&call.cx, &session.id, &pick, shown.as_ref()).map_err(failed)?;
    let choice = api::Choice::from(&answered.choice);
    Call::value(&AnsweredAnswer { choice, session: view::now(call, &session.id)?.session })
}

fn explain(call: &Call) -> Result<Value, ApiError> {
    let session = call.session()?;
    let failed = |error: OpError| call.error(&error);
    let snapshot = Watcher::of([session.id.clone()]).tick(&call.cx).map_err(failed)?;
    let changes = call.cx.history.changes(&session.id).map_err(ApiError::from)?;
    let messages = messages_to(&call.cx, &session.id).map_err(failed)?;
    let state = snapshot.state(&session.id).ok_or_else(|| failed(OpError::Missing(session.id.clone())))?;
    let explanation = api::Explanation::of(&session, state, snapshot.at, Some(changes.as_slice()));
    Call::value(&explanation.with_messages(&messages))
}

fn output(call: &Call) -> Result<Value, ApiError> {
    let session = call.session()?;
    let failed = |error: OpError| call.error(&error);
    let (text, from) = super::lists::text_of(call, &session, call.flag("last")).map_err(failed)?;
    Call::value(&api::Output::new(&session, from, text))
}
