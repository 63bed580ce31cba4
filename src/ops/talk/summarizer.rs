//! The program that writes checkpoints: a tool that can be run once without a terminal.

use std::time::Duration;

use crate::domain::conversation;
use crate::domain::talk::{ANSWER_SCHEMA, SUMMARIZER};
use crate::domain::tool::Tool;
use crate::ops::Cx;
use crate::ops::agent_env::headless_env;
use crate::ports::headless::HeadlessJob;

/// How long one answer may take, and how large it may be.
const TIME: Duration = Duration::from_secs(120);
const BYTES: u64 = 256 * 1024;
/// How many tokens a model reads at once if its tool doesn't say.
const WINDOW: u64 = 200_000;

/// A tool that writes checkpoints.
pub(super) struct Summarizer {
    pub name: String,
    /// How many tokens it reads at once.
    pub window: u64,
    tool: Tool,
}

/// A command line's words.
fn words(command: &str) -> Vec<String> {
    shlex::split(command).unwrap_or_default()
}

/// The tool of a name, or the first one that is installed.
///
/// # Errors
/// Words that say why there is none.
pub(super) fn summarizer(cx: &Cx, name: Option<&str>) -> Result<Summarizer, String> {
    let of = |tool: &Tool| Summarizer {
        name: tool.name.clone(),
        window: if tool.headless.window == 0 { WINDOW } else { tool.headless.window },
        tool: tool.clone(),
    };
    if let Some(name) = name {
        let entry = cx.tools.tool(name).ok_or_else(|| format!("there is no tool {name}"))?;
        return match entry.tool.headless.args.is_empty() {
            false => Ok(of(&entry.tool)),
            true => Err(format!("the tool {name} has no `headless.args`")),
        };
    }
    let path = cx.caller.var("PATH").unwrap_or_default().to_owned();
    let is_there = |tool: &Tool| {
        let program = words(&tool.command).into_iter().next().unwrap_or_default();
        !tool.headless.args.is_empty() && cx.host.find_program(&program, &path, &cx.caller.cwd).is_some()
    };
    let all = cx.tools.all();
    let found = all.iter().find(|entry| is_there(&entry.tool));
    found.map(|entry| of(&entry.tool)).ok_or_else(|| "no tool that could write it is installed".to_owned())
}

impl Summarizer {
    /// Its answer to some material.
    ///
    /// # Errors
    /// Words that say why there is none.
    pub fn ask(&self, cx: &Cx, material: &str) -> Result<String, String> {
        let tool = &self.tool;
        let mut argv = words(&tool.command);
        argv.extend(tool.headless.args.iter().cloned());
        let env = headless_env(cx, tool).map_err(|error| error.to_string())?;
        let job = HeadlessJob {
            argv,
            env: env.clone(),
            scratch: cx.installation.run.join("headless"),
            input: material.to_owned(),
            system: SUMMARIZER.to_owned(),
            schema: ANSWER_SCHEMA.to_owned(),
            result: tool.headless.result.clone(),
            leaves: tool.headless.leaves.clone(),
            time: TIME,
            bytes: BYTES,
        };
        let answer = cx.headless.run(&job, &cx.cancel).map_err(|error| error.to_string())?;
        if let Some(left) = &answer.left {
            let var = |name: &str| env.get(name).map(String::as_str);
            for pattern in conversation::places(tool, left, var) {
                for path in cx.host.all_files(&pattern) {
                    if let Err(error) = cx.host.remove_own(&path) {
                        tracing::warn!(path = %path.display(), %error, "can't remove what a summarizer left");
                    }
                }
            }
        }
        Ok(answer.text)
    }
}
