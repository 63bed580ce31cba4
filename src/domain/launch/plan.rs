//! The launch plan: what will run, where, under which id, and the script that does it.
//!
//! Invariant: a pure value. What `--dry-run` and the new-session form show is what runs.

use std::collections::BTreeMap;
use std::path::Path;

use super::hooks::{self, SettingsFile, args as hook_args, passes};
use super::mcp::{self, McpError};
use super::mcp_servers::{self, Servers};
use super::outline::{Added, Outline};
use super::script::{self, Publish, Step};
use crate::domain::mcp_servers::Loaded;
use crate::domain::quote;
use crate::domain::session::{IdSource, LeftOut, Session};
use crate::domain::tool::{ResumeKind, StartPrompt, Tool};

/// Why and how a session is started.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Start {
    /// A new conversation.
    Fresh,
    /// The conversation whose id the record holds; a new one if it holds none.
    Resume,
    /// A new conversation under the id the record holds: it never had a prompt.
    SameId,
    /// A copy of the conversation whose id the record holds.
    Fork,
}

/// What a plan is made from.
#[derive(Debug, Clone)]
pub struct Launch<'a> {
    pub session: &'a Session,
    /// Its tool; `None` for a custom command.
    pub tool: Option<&'a Tool>,
    /// Why and how.
    pub start: Start,
    /// A first prompt.
    pub prompt: Option<&'a str>,
    /// A UUID for tools that take one.
    pub minted: &'a str,
    /// The agent's environment.
    pub env: BTreeMap<String, String>,
    /// deck's own program, by absolute path.
    pub deck: &'a str,
    /// The folder for settings files that deck passes to agents.
    pub files: &'a Path,
    /// Whether hooks are passed.
    pub hooks: bool,
    /// Whether the tool's own settings file may be passed, or why not.
    pub own_settings: Result<(), String>,
    /// A free loopback port, for tools that serve on one.
    pub port: Option<u16>,
    /// How the script reports to deck.
    pub publish: Publish,
    /// What runs before the agent: in which folder, and which commands.
    pub setup: Option<(&'a str, &'a [String])>,
    /// The user's MCP servers that it is meant to have.
    pub servers: Servers,
    /// The caller's shell, for the tool whose command is `$SHELL`.
    pub shell: &'a str,
}

/// Why there is no plan.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum PlanError {
    /// Nothing to run.
    #[error("session {0:?} has no command")]
    NoCommand(String),
    /// deck's MCP server can't be passed.
    #[error(transparent)]
    Mcp(#[from] McpError),
    /// Something tmux can't carry.
    #[error("{what} contains a NUL character")]
    Nul {
        /// Where it is.
        what: &'static str,
    },
}

/// What will run.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct LaunchPlan {
    /// The agent's argument vector.
    pub argv: Vec<String>,
    /// The working directory.
    pub dir: String,
    /// The script that the pane runs under `sh -c`.
    pub script: String,
    /// The agent's environment.
    pub env: BTreeMap<String, String>,
    /// The conversation's id, when it is known beforehand.
    pub id: Option<(String, IdSource)>,
    /// The variable of the tmux session that holds it.
    pub id_env: Option<String>,
    /// A first prompt that must be pasted once the agent is ready.
    pub paste: Option<String>,
    /// Settings files that must be there before the agent starts.
    pub settings: Vec<SettingsFile>,
    /// The variables that point to them, or hold what is passed.
    pub settings_env: Vec<(String, String)>,
    /// The loopback port that the agent was told to serve on.
    pub port: Option<u16>,
    /// The MCP servers that it has: those that deck passes, and those that its own files give it.
    pub loaded_mcps: Vec<Loaded>,
    /// Those that it is meant to have, and isn't given.
    pub left_out_mcps: Vec<LeftOut>,
    /// Whether commands are run before the agent.
    pub has_setup: bool,
    /// The command for people.
    pub outline: Outline,
}

#[cfg(test)]
impl LaunchPlan {
    /// The command as a person would type it.
    pub fn command_line(&self) -> String {
        quote::sh_join(&self.argv)
    }
}

/// Makes the plan.
///
/// # Errors
/// [`PlanError`] when there is nothing that could run.
pub fn plan(launch: Launch<'_>) -> Result<LaunchPlan, PlanError> {
    let Launch {
        session,
        tool,
        start,
        prompt,
        minted,
        mut env,
        deck,
        files,
        hooks,
        own_settings,
        port,
        shell,
        publish,
        setup,
        servers,
    } = launch;
    let default = Tool::default();
    let tool = tool.unwrap_or(&default);
    let base = base_argv(session, tool, shell)?;
    let kind = tool.resume_kind();
    let known = session.resume.usable();

    let passed = hooks.then(|| hook_args(session, tool, deck, files));
    let (mut own_args, settings) = passed.unwrap_or_default();
    let mut settings: Vec<SettingsFile> = settings.into_iter().collect();
    let mut own_file = own_settings.is_ok().then(|| hooks::own_settings(tool, &env, deck, files)).flatten();
    let mut settings_env: Vec<(String, String)> = Vec::new();
    let may_pass = match &own_file {
        _ if own_settings.is_err() => own_settings.clone(),
        None => Err(format!("{} names one of yours", tool.settings.env)),
        Some(_) => Ok(()),
    };
    if !session.mcp.is_empty() {
        own_file = mcp::in_settings(tool, &session.mcp, own_file, own_settings, deck)?;
        let passed = match tool.mcp.settings.is_empty() {
            true => mcp::pass(tool, &session.mcp, &env, deck, files)?,
            false => mcp::Passed::default(),
        };
        own_args.extend(passed.args);
        settings.extend(passed.file);
        settings_env.extend(passed.variable);
    }
    let mut given = env.clone();
    given.extend(settings_env.iter().cloned());
    let passed = mcp_servers::pass(session, tool, &servers, &may_pass, &given, deck, files);
    own_args.extend(passed.args);
    settings.extend(passed.files);
    if let Some((name, value)) = passed.variable {
        settings_env.retain(|(other, _)| *other != name);
        settings_env.push((name, value));
    }
    if let (Some(more), Some(own)) = (&passed.settings, own_file.take_if(|_| passed.settings.is_some())) {
        own_file = Some(mcp_servers::in_settings(session, tool, own, more, files));
    }
    if let Some(file) = own_file {
        settings_env.push((tool.settings.env.clone(), file.path.to_string_lossy().into_owned()));
        settings.push(file);
    }
    env.extend(settings_env.clone());
    let port = port.filter(|_| !passes(session, tool, &tool.service.args));
    own_args.extend(port.iter().flat_map(|p| service_args(tool, *p)));
    let mut argv = base.clone();
    argv.extend(own_args.clone());
    let mut id = None;
    let mut step = Step::None;
    match (start, kind, known) {
        (Start::Fork, _, Some(known)) if tool.fork_post.is_some() => {
            let post = tool.fork_post.as_ref().map(|p| p.replace("{id}", known));
            step = capture(&base, &own_args, tool, deck, post.as_ref());
            if let Step::Capture { fresh, .. } = &mut step {
                fresh.extend(tool.fork.iter().map(|a| a.replace("{id}", known)));
            }
        }
        (Start::Fork, _, Some(known)) => {
            if tool.fork.iter().any(|a| a.contains("{new}")) {
                id = Some((minted.to_owned(), IdSource::Minted));
            }
            let words = tool.fork.iter().map(|a| a.replace("{id}", known).replace("{new}", minted));
            if tool.fork_first {
                let at = base.len().min(1);
                argv.splice(at..at, words);
            } else {
                argv.extend(words);
            }
        }
        (Start::Resume, Some(kind), Some(known)) => {
            id = Some((known.to_owned(), session.resume.source.unwrap_or(IdSource::Given)));
            argv = resume_argv(&base, tool, &own_args, kind, known);
        }
        (start, Some(ResumeKind::Minted), known) => {
            let new = known.filter(|_| start == Start::SameId).unwrap_or(minted);
            id = Some((new.to_owned(), IdSource::Minted));
            argv.extend(tool.new_id_flag.clone().into_iter().chain([new.to_owned()]));
        }
        (_, Some(ResumeKind::Capture), _) => {
            step = capture(&base, &own_args, tool, deck, tool.capture_post.as_ref());
        }
        _ => {}
    }
    if let Some((id, _)) = &id {
        step = Step::Known { id: id.clone() };
    }
    let mut tail = dangerous(tool);
    tail.extend(session.args.clone());
    let paste = push_prompt(&mut tail, tool, prompt);
    argv.extend(tail.clone());
    let added = Added {
        args: &own_args,
        paths: [deck, &files.to_string_lossy()],
        id: id.as_ref().map(|(id, _)| id.as_str()).filter(|id| *id == minted),
        port,
    };
    let outline = match &step {
        Step::Capture { resume, run, .. } => {
            let words: Vec<String> = resume.iter().chain(&tail).cloned().collect();
            Outline::new(&words, tail.len(), &added).with_new_id(tail.len()).after(&quote::sh_join(run))
        }
        Step::None | Step::Known { .. } => Outline::new(&argv, tail.len(), &added),
    };
    let outline = outline.with_variables(settings_env.clone());
    if let Step::Capture { tail: after, .. } = &mut step {
        *after = tail;
    }
    let id_env = tool.session_id_env.clone();
    let before = setup.map(|(dir, commands)| script::setup(dir, commands, deck, publish)).unwrap_or_default();
    let script = format!("{before}{}", script::script(&argv, &step, id_env.as_deref(), publish));
    let nul = |what, bad| if bad { Err(PlanError::Nul { what }) } else { Ok(()) };
    nul("the command", script.contains('\0'))?;
    nul("the directory", session.project_path.contains('\0'))?;
    nul("the environment", env.values().any(|v| v.contains('\0')))?;
    let dir = session.project_path.clone();
    Ok(LaunchPlan {
        argv,
        dir,
        script,
        env,
        id,
        id_env,
        paste,
        settings,
        settings_env,
        port,
        loaded_mcps: passed.loaded.into_iter().chain(servers.theirs).collect(),
        left_out_mcps: passed.left_out.into_iter().chain(servers.left_out).collect(),
        has_setup: setup.is_some(),
        outline,
    })
}

/// The program with the arguments that come before anything deck adds.
fn base_argv(session: &Session, tool: &Tool, shell: &str) -> Result<Vec<String>, PlanError> {
    use super::command::{ParsedCommand, parse_command};
    let line = if session.command.is_empty() { tool.command.as_str() } else { session.command.as_str() };
    if line == "$SHELL" {
        return Ok(std::iter::once(shell.to_owned()).chain(tool.args.clone()).collect());
    }
    match parse_command(line) {
        None => Err(PlanError::NoCommand(session.title.clone())),
        Some(ParsedCommand::Argv(argv)) => Ok(argv.into_iter().chain(tool.args.clone()).collect()),
        Some(ParsedCommand::Shell(line)) => Ok(vec!["sh".into(), "-c".into(), line]),
    }
}

fn service_args(tool: &Tool, port: u16) -> Vec<String> {
    tool.service.args.iter().map(|a| a.replace("{port}", &port.to_string())).collect()
}

fn resume_argv(base: &[String], tool: &Tool, own_args: &[String], kind: ResumeKind, id: &str) -> Vec<String> {
    let flag = tool.resume_flag.clone().unwrap_or_default();
    let mut argv = base.to_vec();
    let own_args = own_args.iter().cloned();
    if kind == ResumeKind::Subcommand {
        let at = argv.len().min(1);
        argv.splice(at..at, [flag, id.to_owned()].into_iter().chain(own_args));
    } else {
        argv.extend(own_args.chain([flag, id.to_owned()]));
    }
    argv
}

/// The headless run that gives an id, and what follows with it and without.
fn capture(base: &[String], own_args: &[String], tool: &Tool, deck: &str, post: Option<&String>) -> Step {
    let path = tool.session_id_json_path.clone().unwrap_or_else(|| ".session_id".to_owned());
    let (options, run) = match post {
        None => {
            let words = tool.output_format_flag.as_deref().and_then(shlex::split).unwrap_or_default();
            (Vec::new(), base.iter().cloned().chain(words).chain([".".to_owned()]).collect())
        }
        Some(post) => {
            let password =
                tool.capture_password_env.iter().flat_map(|n| ["--password-env".to_owned(), n.clone()]);
            let options = ["--post".to_owned(), post.clone()].into_iter().chain(password).collect();
            (options, base.iter().cloned().chain(tool.capture_args.clone()).collect())
        }
    };
    let fresh: Vec<String> = base.iter().chain(own_args).cloned().collect();
    let mut resume = fresh.clone();
    resume.extend(tool.resume_flag.clone());
    Step::Capture { deck: deck.to_owned(), options, path, run, resume, fresh, tail: Vec::new() }
}

fn dangerous(tool: &Tool) -> Vec<String> {
    let flag = tool.dangerous_flag.as_deref().filter(|_| tool.dangerous_mode);
    flag.and_then(shlex::split).unwrap_or_default()
}

/// Adds the prompt to the arguments, or returns it when it must be pasted.
fn push_prompt(tail: &mut Vec<String>, tool: &Tool, prompt: Option<&str>) -> Option<String> {
    let prompt = prompt?;
    if tool.start_prompt == StartPrompt::Paste {
        return Some(prompt.to_owned());
    }
    match &tool.prompt_flag {
        Some(flag) => tail.push(flag.clone()),
        // What starts with a dash would be read as an option.
        None if prompt.starts_with('-') => tail.push("--".to_owned()),
        None => {}
    }
    tail.push(prompt.to_owned());
    None
}

#[cfg(test)]
#[path = "plan_tests.rs"]
mod tests;
