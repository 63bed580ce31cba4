//! What an agent may do to others: messages, starting, answering, stopping.

use std::path::PathBuf;

#[cfg(test)]
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::super::call::Call;
use super::super::error::ToolError;
#[cfg(test)]
use super::super::schema;
use super::super::shapes::value;
use super::super::tool::{Effect, Tool};
use super::agents::{AgentNow, agent_now, find};
use crate::api::Code;
use crate::domain::group::GroupPath;
use crate::domain::mcp_scope::Scope;
use crate::domain::session::Session;
use crate::ops::{self, McpWish, New, OpError, Pick, Question, Receipt, SendOptions, Watcher};

pub(super) const TOOLS: &[Tool] = &[
    Tool {
        name: "send_to_agent",
        title: "Send to an agent",
        description: "Send a message to your parent or to an agent that you started. It arrives below a line that says that you sent it. \
                      Answers `delivered`, `queued` or `not_confirmed`.",
        scope: Scope::Talk,
        effect: Effect::Makes,
        #[cfg(test)]
        input: schema::of::<SendInput>,
        #[cfg(test)]
        output: schema::of_output::<Sent>,
        run: send,
    },
    Tool {
        name: "spawn_agent",
        title: "Start an agent",
        description: "Start another agent as your child, in your folder or below it. wait_agent waits for it, read_agent reads its answer.",
        scope: Scope::Spawn,
        effect: Effect::Runs,
        #[cfg(test)]
        input: schema::of::<SpawnInput>,
        #[cfg(test)]
        output: schema::of_output::<Spawned>,
        run: spawn,
    },
    Tool {
        name: "answer_agent",
        title: "Answer an agent",
        description: "Answer the question that an agent which you started asks. It is refused if it asks something else by now.",
        scope: Scope::Answer,
        effect: Effect::Destroys,
        #[cfg(test)]
        input: schema::of::<AnswerInput>,
        #[cfg(test)]
        output: schema::of_output::<Answered>,
        run: answer,
    },
    Tool {
        name: "stop_agent",
        title: "Stop an agent",
        description: "Stop an agent that you started; it and its conversation are kept, and its user can start it again.",
        scope: Scope::Spawn,
        effect: Effect::Destroys,
        #[cfg(test)]
        input: schema::of::<StopInput>,
        #[cfg(test)]
        output: schema::of_output::<Stopped>,
        run: stop,
    },
];

#[derive(Debug, Deserialize)]
#[cfg_attr(test, derive(JsonSchema))]
#[serde(deny_unknown_fields)]
struct SendInput {
    /// Its title or id.
    agent: String,
    text: String,
}

#[derive(Debug, Serialize)]
#[cfg_attr(test, derive(JsonSchema))]
struct Sent {
    /// `delivered`, `queued` or `not_confirmed`.
    receipt: String,
    agent: AgentNow,
}

const fn receipt_word(receipt: Receipt) -> &'static str {
    match receipt {
        Receipt::Delivered => "delivered",
        Receipt::Queued => "queued",
        Receipt::NotConfirmed => "not_confirmed",
    }
}

fn send(call: &Call) -> Result<Value, ToolError> {
    let input: SendInput = call.input()?;
    if input.text.trim().is_empty() {
        return Err(ToolError::new(Code::Usage, "the message is empty"));
    }
    let session = find(call, &input.agent)?;
    let receipt = ops::send(&call.cx, &session.id, &input.text, SendOptions::default())?;
    value(&Sent { receipt: receipt_word(receipt).to_owned(), agent: agent_now(call, &session)? })
}

#[derive(Debug, Deserialize)]
#[cfg_attr(test, derive(JsonSchema))]
#[serde(deny_unknown_fields)]
struct SpawnInput {
    /// The tool, such as `claude`; your own if absent.
    tool: Option<String>,
    /// The folder; your own if absent.
    path: Option<PathBuf>,
    /// What to call it.
    title: Option<String>,
    /// What it is to do.
    prompt: Option<String>,
    /// An existing group.
    group: Option<String>,
}

#[derive(Debug, Serialize)]
#[cfg_attr(test, derive(JsonSchema))]
struct Spawned {
    agent: AgentNow,
    /// What became of the prompt: `delivered`, `queued`, `not_confirmed`, or why it was not delivered.
    #[serde(skip_serializing_if = "Option::is_none")]
    prompt: Option<String>,
}

/// The session that the caller is in.
fn own(call: &Call) -> Result<Session, ToolError> {
    let error = || ToolError::new(Code::Refused, "only an agent in a session of deck can start others");
    let id = call.cx.caller.inside.as_ref().ok_or_else(error)?;
    Ok(call.cx.session(id)?)
}

fn spawn(call: &Call) -> Result<Value, ToolError> {
    let input: SpawnInput = call.input()?;
    let own = own(call)?;
    let cx = &ops::as_in_session(&call.cx, &own)?;
    let base = PathBuf::from(&own.project_path);
    let group = input.group.as_deref().map(GroupPath::parse).transpose().map_err(OpError::from)?;
    let new = New {
        path: input.path.map_or_else(|| base.clone(), |path| base.join(path)),
        title: input.title,
        command: Some(input.tool.unwrap_or_else(|| own.tool.clone())),
        group: group.unwrap_or_else(|| own.group_path.clone()),
        parent: Some(own.id),
        prompt: input.prompt,
        mcp: McpWish::ForTools(cx.installation.pass.clone()),
        start: true,
        ..New::default()
    };
    let created = ops::create(cx, &new)?;
    let text = created.launched.as_ref().and_then(|launched| launched.plan.paste.as_deref());
    // It exists and runs whatever becomes of its prompt.
    let prompt =
        text.map(|text| match ops::paste_when_ready(cx, &created.session.id, text, SendOptions::default()) {
            Ok(receipt) => receipt_word(receipt).to_owned(),
            Err(error) => format!("not delivered: {error}"),
        });
    value(&Spawned { agent: agent_now(call, &created.session)?, prompt })
}

#[derive(Debug, Deserialize)]
#[cfg_attr(test, derive(JsonSchema))]
#[serde(deny_unknown_fields)]
struct AnswerInput {
    /// Its title or id.
    agent: String,
    /// What it asks, as list_agents or read_agent shows it.
    question: String,
    /// A choice: its number, its words, or how they begin.
    choice: String,
}

#[derive(Debug, Serialize)]
#[cfg_attr(test, derive(JsonSchema))]
struct Answered {
    /// The choice that was taken.
    choice: String,
    agent: AgentNow,
}

fn answer(call: &Call) -> Result<Value, ToolError> {
    let input: AnswerInput = call.input()?;
    let (cx, session) = (&call.cx, find(call, &input.agent)?);
    let shown = Watcher::of([session.id.clone()]).tick(cx)?.state(&session.id).and_then(Question::of);
    let Some(shown) = shown else { return Err(OpError::NothingAsked(session.name()).into()) };
    let same = |text: &str| crate::domain::text::clean(text).split_whitespace().collect::<String>();
    if shown.asks.as_deref().map(same) != Some(same(&input.question)) {
        return Err(OpError::DialogChanged(session.name()).into());
    }
    let answered = ops::answer(cx, &session.id, &Pick::parse(&input.choice), Some(&shown))?;
    value(&Answered { choice: answered.choice.label, agent: agent_now(call, &session)? })
}

#[derive(Debug, Deserialize)]
#[cfg_attr(test, derive(JsonSchema))]
#[serde(deny_unknown_fields)]
struct StopInput {
    /// Its title or id.
    agent: String,
}

#[derive(Debug, Serialize)]
#[cfg_attr(test, derive(JsonSchema))]
struct Stopped {
    /// Whether it ran.
    stopped: bool,
    agent: AgentNow,
}

fn stop(call: &Call) -> Result<Value, ToolError> {
    let input: StopInput = call.input()?;
    let session = find(call, &input.agent)?;
    let stopped = ops::stop(&call.cx, &session.id, ops::Terminals::Keep)?;
    value(&Stopped { stopped: stopped.ran, agent: agent_now(call, &session)? })
}
