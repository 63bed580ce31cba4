//! What an agent may start: its own children, with no more rights than its own.

use std::path::Path;

use super::actor::is_agent;
use super::{Actor, Agent, actor, consent};
use crate::domain::guard::{self, Limits, Refusal};
use crate::domain::mcp_scope::{self, Scope, allow};
use crate::domain::session::Session;
use crate::domain::tool::Tool;
use crate::ops::create::New;
use crate::ops::panes::{is_of, panes};
use crate::ops::{Cx, McpWish, OpResult};

/// Refuses a new session that an agent may not start; else what it is started from, with its parent and no more
/// scopes than that has.
///
/// # Errors
/// [`crate::ops::OpError::Guard`].
pub fn check_new(cx: &Cx, new: &New) -> OpResult<New> {
    let Actor::Agent(agent) = actor(cx)? else { return Ok(new.clone()) };
    agent.check_proven()?;
    if !allow(&agent.scopes, Scope::Spawn) {
        return Err(agent.refused(guard::Denied::Needs(Scope::Spawn)));
    }
    let Some(parent) = agent.session.clone() else {
        return Err(Refusal::Never("only an agent in a session of deck can start others").into());
    };
    check_choices(cx, new, &parent)?;
    check_counts(cx, &parent, cx.installation.limits)?;
    check_tool(cx, new, &parent)?;
    check_folder(cx, &agent, &parent, &new.path)?;
    let scopes = scopes(cx, new, &agent)?;
    consent::ask(cx, &agent, Scope::Spawn, || in_words(new, &parent))?;
    Ok(New {
        parent: Some(parent.id.clone()),
        prompt: new.prompt.as_deref().map(|text| agent.signed(text)),
        mcp: McpWish::Scopes(scopes),
        ..new.clone()
    })
}

/// What is to be started, as its user is asked about it.
fn in_words(new: &New, parent: &Session) -> String {
    let tool = consent::quoted(new.command.as_deref().unwrap_or(&parent.tool));
    let folder = consent::quoted(&new.path.display().to_string());
    let prompt = new.prompt.as_deref().map(|text| format!(", with the prompt {}", consent::quoted(text)));
    format!("start {tool} in {folder}{}", prompt.unwrap_or_default())
}

/// What only a user may choose.
fn check_choices(cx: &Cx, new: &New, parent: &Session) -> OpResult<()> {
    let refuse = |what| Err(Refusal::Choice(what).into());
    if new.parent.as_ref().is_some_and(|id| *id != parent.id) {
        return refuse("the parent");
    }
    if !new.args.is_empty() {
        return refuse("arguments");
    }
    if !new.env.is_empty() {
        return refuse("the environment");
    }
    // What comes from its group and the settings is what its user said; to have less is no harm.
    if !new.mcps.attach.is_empty() {
        return refuse("MCP servers");
    }
    let profile = cx.profile.store.load()?.profile;
    if !new.group.is_root() && profile.group(&new.group).is_none() {
        return refuse("a new group");
    }
    Ok(())
}

fn check_counts(cx: &Cx, parent: &Session, limits: Limits) -> OpResult<()> {
    let profile = cx.profile.store.load()?.profile;
    if guard::ancestors(&profile, &parent.id).len() >= limits.depth {
        return Err(Refusal::Depth(limits.depth).into());
    }
    let below = guard::below(&profile, &guard::root(&profile, &parent.id));
    let rows = panes(cx, below.iter().copied())?.rows;
    let runs = |s: &&&Session| rows.iter().any(|r| r.facts.dead.is_none() && is_of(cx, r, s));
    let running: Vec<&&Session> = below.iter().filter(runs).collect();
    if running.iter().filter(|s| s.parent_id.as_ref() == Some(&parent.id)).count() >= limits.children {
        return Err(Refusal::Children(limits.children).into());
    }
    if running.len() >= limits.tree {
        return Err(Refusal::Tree(limits.tree).into());
    }
    Ok(())
}

/// Whether a session's agent skips its questions for permission.
fn is_dangerous(tool: &Tool, session: &Session) -> bool {
    let flag = tool.dangerous_flag.as_deref();
    let is_typed = |flag: &str| {
        session.args.iter().any(|a| a == flag) || session.command.split_whitespace().any(|w| w == flag)
    };
    tool.dangerous_mode || flag.is_some_and(is_typed)
}

fn check_tool(cx: &Cx, new: &New, parent: &Session) -> OpResult<()> {
    // The one of the agent itself is what its user chose already.
    let name = new.command.clone().filter(|c| !c.trim().is_empty()).unwrap_or_else(|| parent.tool.clone());
    let refuse = || Refusal::Tool(name.clone());
    let entry = cx.tools.tool(name.trim()).ok_or_else(refuse)?;
    let own = cx.tools.tool(&parent.tool);
    let listed = &cx.installation.may_spawn;
    let is_listed = listed.iter().any(|one| *one == entry.tool.name);
    // What it runs would not be confined as the agent's own commands are.
    let escapes = own.as_ref().is_some_and(|o| o.tool.mcp.confines) && !entry.tool.mcp.confines;
    let may = if listed.is_empty() { is_agent(&entry) && !escapes } else { is_listed };
    if !may {
        return Err(refuse().into());
    }
    let own_is_dangerous = own.is_some_and(|o| is_dangerous(&o.tool, parent));
    if entry.tool.dangerous_mode && !own_is_dangerous {
        return Err(Refusal::Dangerous(entry.tool.name.clone()).into());
    }
    Ok(())
}

fn check_folder(cx: &Cx, agent: &Agent, parent: &Session, folder: &Path) -> OpResult<()> {
    if allow(&agent.scopes, Scope::SpawnAnywhere) {
        return Ok(());
    }
    let own = Path::new(&parent.project_path);
    let real = |path: &Path| cx.host.real_path(path).unwrap_or_else(|| path.to_owned());
    let is_below = real(folder).starts_with(real(own));
    let is_same = || {
        let of = |path: &Path| cx.git.common_folder(path).map(|p| real(&p));
        of(folder).is_some_and(|folder| of(own).as_ref() == Some(&folder))
    };
    if is_below || is_same() { Ok(()) } else { Err(Refusal::Folder(folder.display().to_string()).into()) }
}

/// What the new one is given: what is asked for, or what is usual as far as its parent has it.
fn scopes(cx: &Cx, new: &New, agent: &Agent) -> OpResult<Vec<Scope>> {
    match &new.mcp {
        McpWish::None => Ok(Vec::new()),
        McpWish::Scopes(wanted) => {
            let more: Vec<Scope> = wanted.iter().copied().filter(|s| !allow(&agent.scopes, *s)).collect();
            if more.is_empty() { Ok(wanted.clone()) } else { Err(Refusal::MoreScopes(more).into()) }
        }
        wish => {
            let name = new.command.clone().unwrap_or_default();
            Ok(mcp_scope::common(&wish.for_tool(cx, name.trim()), &agent.scopes))
        }
    }
}
