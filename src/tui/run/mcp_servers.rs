//! What is done to the MCP servers of a session.

use crate::app::{Done, Keymap, McpWork};
use crate::domain::id::SessionId;
use crate::domain::mcp_servers::Attaching;
use crate::domain::text;
use crate::ops::mcp_servers::{Deed, Place, change, restart_if_idle};
use crate::ops::{Cx, OpResult};

/// Does one thing to the servers of a session.
pub(super) fn perform(cx: &Cx, keymap: &Keymap, id: SessionId, work: McpWork) -> OpResult<Done> {
    let place = Place::Session(id.clone());
    let title = text::clean(&cx.session(&id)?.title);
    match work {
        McpWork::Attach { name, own } => {
            // Whose definition of the name counts is another question.
            let replace = cx.session(&id)?.mcps.replace.contains(&name);
            let deed = Deed::Attach(Attaching { own, replace });
            change(cx, &place, std::slice::from_ref(&name), deed)?;
            let how = if own { ", with a process of its own" } else { "" };
            let then = format!("; {} restarts what is out of date", keymap.key("restart"));
            Ok(Done::WellFor(id, format!("{title} has {name} from its next start on{how}{then}")))
        }
        McpWork::Detach(name) => {
            change(cx, &place, std::slice::from_ref(&name), Deed::Detach)?;
            Ok(Done::WellFor(id, format!("{title} has {name} no more from its next start on")))
        }
        McpWork::Restart => {
            restart_if_idle(cx, &id)?;
            Ok(Done::WellFor(id, format!("restarted {title} with its MCP servers")))
        }
    }
}
