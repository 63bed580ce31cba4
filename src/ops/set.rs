//! Changing a session's settings. They take effect at its next start; what runs is not touched.

use std::path::Path;

use super::create::clean_title;
use super::{Cx, McpWish, OpError, OpResult, edit, guard, launch};
use crate::domain::guard::Act;
use crate::domain::id::SessionId;
use crate::domain::launch::is_closed;
use crate::domain::mcp_scope;
use crate::domain::session::Session;

/// What can be set, with its doc.
pub const KEYS: &[(&str, &str)] = &[
    ("title", "its title"),
    ("path", "its folder"),
    ("command", "a tool or a command"),
    ("args", "extra arguments, split as a shell would"),
    ("env.NAME", "an environment variable; empty unsets it"),
    ("mcp", "what deck's MCP server gives it: none, default, or scopes separated by commas"),
    ("draft", "the first prompt that was not sent; empty discards it"),
];

/// Sets one thing.
///
/// # Errors
/// [`OpError::BadSetting`] for an unknown key; others when the value can't be used.
pub fn set(cx: &Cx, id: &SessionId, key: &str, value: &str) -> OpResult<Session> {
    if key != "title" && key != "draft" {
        guard::check(cx, Act::Configure, &cx.session(id)?)?;
    }
    let bad = |why: &str| OpError::BadSetting { key: key.to_owned(), why: Some(why.to_owned()) };
    match key {
        "title" => edit::rename(cx, id, &clean_title(value)?),
        "path" => {
            let path = Path::new(value);
            if !cx.host.is_dir(path) {
                return Err(launch::no_folder(cx, path));
            }
            cx.change_session(id, |s| value.clone_into(&mut s.project_path))
        }
        "command" => {
            if value.trim().is_empty() || !is_closed(value) {
                return Err(bad("not a command"));
            }
            let (tool, command) = cx.tools.tool_of(value);
            cx.change_session(id, |s| (s.tool, s.command) = (tool.clone(), command.clone()))
        }
        "draft" => {
            super::keep_draft(cx, id, Some(value))?;
            cx.session(id)
        }
        "mcp" => {
            let wish = McpWish::parse(value).map_err(|why| bad(&why))?;
            let scopes = mcp_scope::words(&wish.scopes(cx, &cx.session(id)?));
            cx.change_session(id, |s| s.mcp.clone_from(&scopes))
        }
        "args" => {
            let args = shlex::split(value).ok_or_else(|| bad("unclosed quote"))?;
            cx.change_session(id, |s| s.args.clone_from(&args))
        }
        _ => match key.strip_prefix("env.").filter(|name| !name.is_empty() && !name.contains('=')) {
            Some(name) => cx.change_session(id, |s| {
                if value.is_empty() {
                    s.env.remove(name);
                } else {
                    s.env.insert(name.to_owned(), value.to_owned());
                }
            }),
            None => Err(OpError::BadSetting { key: key.to_owned(), why: None }),
        },
    }
}
