//! `waitJob`: until it has ended, or printed what is waited for.

use std::sync::mpsc::{RecvTimeoutError, channel};
use std::time::{Duration, Instant};

#[cfg(test)]
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::Value;

use super::super::call::{Call, Reporter};
use super::super::clip::USUAL;
use super::super::error::ToolError;
#[cfg(test)]
use super::super::schema;
use super::super::shapes::{Offsets, Ran, value};
use super::super::tool::{Effect, Tool};
use super::exec::progress;
use super::some_number;
use crate::api::Code;
use crate::domain::mcp_scope::Scope;
use crate::ops::job::{OutputRange, WaitOptions, find, output, wait};

pub(super) const TOOLS: &[Tool] = &[Tool {
    name: "waitJob",
    title: "Wait for a job",
    description: "Wait until a job has ended, has printed a line that matches `for`, or has been silent for `idle`. After 45 s it answers with \
                  status `running` and what was printed since `since`; call it again to wait on.",
    scope: Scope::Shells,
    effect: Effect::Reads,
    #[cfg(test)]
    input: schema::of::<Input>,
    #[cfg(test)]
    output: schema::of_output::<Ran>,
    run,
}];

#[derive(Debug, Deserialize)]
#[cfg_attr(test, derive(JsonSchema))]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
struct Input {
    job_id: String,
    /// Milliseconds to wait.
    #[serde(default, deserialize_with = "some_number")]
    timeout: Option<u64>,
    /// A regular expression for a whole line of its output.
    #[serde(rename = "for")]
    pattern: Option<String>,
    /// Milliseconds without output.
    #[serde(default, deserialize_with = "some_number")]
    idle: Option<u64>,
    /// Answer, and look for `for`, only from these bytes on.
    #[serde(default)]
    since: Offsets,
    /// The most bytes to answer; 32768 if absent.
    #[serde(default, deserialize_with = "some_number")]
    max_bytes: Option<u64>,
}

/// How often it is looked whether the client wants to be told something.
const LOOK: Duration = Duration::from_millis(100);

fn run(call: &Call) -> Result<Value, ToolError> {
    let input: Input = call.input()?;
    let job = find(&call.cx, &input.job_id)?;
    let limit = call.limit(input.timeout.map(Duration::from_millis));
    let options = WaitOptions {
        timeout: Some(limit),
        pattern: input.pattern.clone(),
        since: input.since.since(),
        idle: input.idle.map(Duration::from_millis),
        ..WaitOptions::default()
    };
    let (sender, ended) = channel();
    let (cx, waited_for) = (call.cx.clone(), job.clone());
    let look = move || {
        // Nobody may wait any more.
        let _ = sender.send(wait(&cx, std::slice::from_ref(&waited_for), &options));
    };
    std::thread::Builder::new()
        .name("wait-job".to_owned())
        .spawn(look)
        .map_err(|error| ToolError::new(Code::Failed, format!("can't start a thread: {error}")))?;
    let mut reporter = Reporter::new(call);
    let begun = Instant::now();
    let waited = loop {
        match ended.recv_timeout(LOOK) {
            Ok(result) => break result?,
            Err(RecvTimeoutError::Timeout) => {
                let now = || {
                    let now = call.cx.shells.job(&job.session_id, job.seq)?;
                    Ok(now.unwrap_or_else(|| job.clone()))
                };
                reporter.tell(|| progress(&call.cx, now()));
            }
            Err(RecvTimeoutError::Disconnected) => {
                let words = format!("internal error after {} s of waiting", begun.elapsed().as_secs());
                return Err(ToolError::new(Code::Failed, words));
            }
        }
    };
    let Some(waited) = waited.into_iter().next() else {
        return Err(ToolError::new(Code::Failed, "internal error: nothing was waited for"));
    };
    let range = OutputRange { stdout: input.since.stdout, stderr: input.since.stderr, limit: u64::MAX };
    let output = output(&call.cx, waited.job, range)?;
    value(&Ran { matched: waited.matched, ..Ran::of(&output, input.max_bytes.unwrap_or(USUAL)) })
}
