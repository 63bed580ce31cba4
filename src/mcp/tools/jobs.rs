//! Jobs: what there are, what they printed, and what can be done to them.

#[cfg(test)]
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::super::call::Call;
use super::super::clip::USUAL;
use super::super::error::ToolError;
#[cfg(test)]
use super::super::schema;
use super::super::shapes::{JobFacts, Offsets, Ran, value};
use super::super::tool::{Effect, Tool};
use super::some_number;
use crate::api::Code;
use crate::domain::mcp_scope::Scope;
use crate::domain::shell::JobStatus;
use crate::ops::job::{JobFilter, OutputRange, close, find, jobs, kill_word, output, write};

pub(super) const TOOLS: &[Tool] = &[
    Tool {
        name: "listJobs",
        title: "List jobs",
        description: "List the jobs of your shells, the newest first. Each exec is a job; its record stays after its end.",
        scope: Scope::Shells,
        effect: Effect::Reads,
        #[cfg(test)]
        input: schema::of::<List>,
        #[cfg(test)]
        output: schema::of_output::<Listed>,
        run: list,
    },
    Tool {
        name: "getJobOutput",
        title: "Read a job's output",
        description: "Read what a job printed, also after its end. `since` takes the `offset` of an earlier answer, to read on from there.",
        scope: Scope::Shells,
        effect: Effect::Reads,
        #[cfg(test)]
        input: schema::of::<GetOutput>,
        #[cfg(test)]
        output: schema::of_output::<Ran>,
        run: get_output,
    },
    Tool {
        name: "killJob",
        title: "End a job",
        description: "End a job with all processes that it started. With `signal` only that one signal is sent.",
        scope: Scope::Shells,
        effect: Effect::Destroys,
        #[cfg(test)]
        input: schema::of::<Kill>,
        #[cfg(test)]
        output: schema::of_output::<Killed>,
        run: kill,
    },
    Tool {
        name: "writeJob",
        title: "Write to a job",
        description: "Write text to the standard input of a job that was started with `stdin` set to `open`. Add a newline if it reads lines.",
        scope: Scope::Shells,
        effect: Effect::Makes,
        #[cfg(test)]
        input: schema::of::<Write>,
        #[cfg(test)]
        output: schema::of_output::<Written>,
        run: write_to,
    },
];

#[derive(Debug, Default, Deserialize)]
#[cfg_attr(test, derive(JsonSchema))]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
struct List {
    /// The shell: its id or name; all if absent.
    session_id: Option<String>,
    #[serde(default)]
    filter: Filter,
}

#[derive(Debug, Default, Deserialize)]
#[cfg_attr(test, derive(JsonSchema))]
#[serde(deny_unknown_fields)]
struct Filter {
    /// Only those with one of these statuses.
    #[serde(default)]
    status: Vec<String>,
    /// Only those in the background.
    #[serde(default)]
    background: bool,
    /// How many; 20 if absent.
    #[serde(default, deserialize_with = "some_number")]
    limit: Option<u64>,
}

#[derive(Debug, Serialize)]
#[cfg_attr(test, derive(JsonSchema))]
struct Listed {
    jobs: Vec<ListedJob>,
}

#[derive(Debug, Serialize)]
#[cfg_attr(test, derive(JsonSchema))]
#[serde(rename_all = "camelCase")]
struct ListedJob {
    #[serde(flatten)]
    job: JobFacts,
    session_id: String,
    /// The beginning of the code.
    code: String,
    background: bool,
}

fn list(call: &Call) -> Result<Value, ToolError> {
    let input: List = call.input()?;
    let status = |word: &String| {
        let known = JobStatus::from_word(word);
        known.ok_or_else(|| ToolError::new(Code::Usage, format!("unknown status {word:?}")))
    };
    let filter = JobFilter {
        statuses: input.filter.status.iter().map(status).collect::<Result<_, _>>()?,
        background: input.filter.background,
        limit: usize::try_from(input.filter.limit.unwrap_or(20)).ok(),
    };
    let one = |job: &crate::domain::shell::Job| ListedJob {
        job: JobFacts::from(job),
        session_id: job.session_id.to_string(),
        code: job.code.chars().take(200).collect(),
        background: job.background,
    };
    let jobs = jobs(&call.cx, input.session_id.as_deref(), &filter)?;
    value(&Listed { jobs: jobs.iter().map(one).collect() })
}

#[derive(Debug, Deserialize)]
#[cfg_attr(test, derive(JsonSchema))]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
struct GetOutput {
    job_id: String,
    /// From these bytes of each stream on.
    #[serde(default)]
    since: Offsets,
    /// The most bytes to answer; 32768 if absent.
    #[serde(default, deserialize_with = "some_number")]
    max_bytes: Option<u64>,
}

fn get_output(call: &Call) -> Result<Value, ToolError> {
    let input: GetOutput = call.input()?;
    let job = find(&call.cx, &input.job_id)?;
    let range = OutputRange { stdout: input.since.stdout, stderr: input.since.stderr, limit: u64::MAX };
    let output = output(&call.cx, job, range)?;
    value(&Ran::of(&output, input.max_bytes.unwrap_or(USUAL)))
}

#[derive(Debug, Deserialize)]
#[cfg_attr(test, derive(JsonSchema))]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
struct Kill {
    job_id: String,
    /// `INT`, `TERM`, `USR1` …; if absent all of its processes are ended, by force if need be.
    signal: Option<String>,
}

#[derive(Debug, Serialize)]
#[cfg_attr(test, derive(JsonSchema))]
#[serde(rename_all = "camelCase")]
struct Killed {
    #[serde(flatten)]
    job: JobFacts,
    /// Whether it had ended before.
    had_ended: bool,
}

fn kill(call: &Call) -> Result<Value, ToolError> {
    let input: Kill = call.input()?;
    let killed = kill_word(&call.cx, &input.job_id, input.signal.as_deref())?;
    value(&Killed { job: JobFacts::from(&killed.job), had_ended: killed.had_ended })
}

#[derive(Debug, Deserialize)]
#[cfg_attr(test, derive(JsonSchema))]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
struct Write {
    job_id: String,
    text: String,
    /// Let it see the end of its input after that.
    #[serde(default)]
    eof: bool,
}

#[derive(Debug, Serialize)]
#[cfg_attr(test, derive(JsonSchema))]
struct Written {
    /// How many bytes.
    bytes: usize,
}

fn write_to(call: &Call) -> Result<Value, ToolError> {
    let input: Write = call.input()?;
    let job = find(&call.cx, &input.job_id)?;
    write(&call.cx, &job, input.text.as_bytes())?;
    if input.eof {
        close(&call.cx, &job)?;
    }
    value(&Written { bytes: input.text.len() })
}
