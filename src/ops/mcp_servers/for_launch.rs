//! What a start gives a session.

use std::collections::BTreeMap;
use std::path::PathBuf;

use super::AgentsFiles;
use crate::domain::launch::{Servers, mcp_files};
use crate::domain::mcp_servers::{Chosen, Loaded, Pools};
use crate::domain::profile::Profile;
use crate::domain::session::{LeftOut, Session};
use crate::domain::tool::Tool;
use crate::ops::{Cx, OpResult};

/// What the settings, its groups and its record say that a session has.
pub fn chosen(cx: &Cx, profile: &Profile, session: &Session) -> Vec<Chosen> {
    cx.mcp_servers.catalogue().of_session(profile, session)
}

fn theirs(cx: &Cx, tool: &Tool, session: &Session, env: &BTreeMap<String, String>) -> Vec<Loaded> {
    AgentsFiles::default().servers(&*cx.host, tool, &session.project_path, env)
}

/// What is passed to a session that is started now, with this environment, and what can't be.
pub fn for_launch(
    cx: &Cx,
    session: &Session,
    tool: Option<&Tool>,
    env: &BTreeMap<String, String>,
) -> OpResult<Servers> {
    let profile = cx.profile.store.load()?.profile;
    let theirs = tool.map(|tool| theirs(cx, tool, session, env)).unwrap_or_default();
    let pools = Pools {
        run: cx.installation.run.to_string_lossy().into_owned(),
        profile: cx.profile.name.to_string(),
        protocol: cx.installation.mcp_protocol.clone(),
    };
    Ok(Servers { pools, ..split(cx, session, tool, &chosen(cx, &profile, session), theirs) })
}

/// Removes the files of a session's servers but these: definitions may hold secrets that were written into them.
pub fn remove_files(cx: &Cx, session: &Session, but: &[PathBuf]) {
    let entry = cx.tools.tool(&session.tool);
    for path in mcp_files(&cx.installation.files, session, entry.as_ref().map(|e| &e.tool)) {
        if but.contains(&path) {
            continue;
        }
        if let Err(error) = cx.host.remove_own(&path) {
            tracing::warn!(path = %path.display(), %error, "can't remove a file of a session's MCP servers");
        }
    }
}

/// Of what is meant, what deck can pass: what there is, and what the agent's own files don't give under the same name,
/// unless it is attached in place of that.
pub(super) fn split(
    cx: &Cx,
    session: &Session,
    tool: Option<&Tool>,
    chosen: &[Chosen],
    theirs: Vec<Loaded>,
) -> Servers {
    let catalogue = cx.mcp_servers.catalogue();
    let mut servers = Servers { theirs, ..Servers::default() };
    let is_in = |words: &[String], name: &str| words.iter().any(|word| catalogue.covers(word, name));
    let can_replace = tool.is_some_and(|tool| tool.mcp.servers.replaces);
    for Chosen { name, .. } in chosen {
        let definition = catalogue.servers.get(name);
        let theirs = servers.theirs.iter().find(|l| l.name == *name).map(|l| l.source);
        let replaces = can_replace && definition.is_some() && is_in(&session.mcps.replace, name);
        if let (Some(source), false) = (theirs, replaces) {
            let why = format!("the agent's own files give it a server of this name ({})", source.word());
            servers.left_out.push(LeftOut::before(name, &why));
        } else if let Some(definition) = definition {
            servers.theirs.retain(|l| l.name != *name);
            let is_own = is_in(&session.mcps.own, name);
            let definition = if is_own { definition.not_shared() } else { definition.clone() };
            servers.wanted.insert(name.clone(), definition);
        } else {
            servers.left_out.push(LeftOut::before(name, "the settings have no such server"));
        }
    }
    servers
}
