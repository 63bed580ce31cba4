//! The conversations of a project and those that sessions carry, with what a list shows of each.

use std::path::Path;
use std::sync::Arc;

use super::{TalkError, list, roots, size};
use crate::domain::talk::{Checkpoint, TalkStatus};
use crate::ops::{Caller, Cx, OpResult};
use crate::ports::conversations::Talk;

/// A conversation as a list shows it.
#[derive(Debug, Clone, PartialEq)]
pub struct Listed {
    pub talk: Talk,
    pub checkpoint: Checkpoint,
    /// The tokens of a request, estimated; or what the agent that carries it has in its context.
    pub size: u64,
    pub is_estimated: bool,
    pub limit: u64,
}

/// The conversations of the project that a folder is in, and those that sessions carry, but for archived ones: those that are
/// carried first, then the one that was written last.
///
/// # Errors
/// When they can't be listed.
pub fn overview(cx: &Cx, folder: &Path) -> OpResult<Vec<Listed>> {
    let there =
        Cx { caller: Arc::new(Caller { cwd: folder.to_owned(), ..(*cx.caller).clone() }), ..cx.clone() };
    let (mut all, failed) = list(&there, &roots(&there, None)?)?;
    for error in failed {
        tracing::warn!(%error, "a conversation can't be read");
    }
    let profile = cx.profile.store.load()?.profile;
    for carries in profile.live_sessions().filter_map(|session| session.carries.as_ref()) {
        let root = Path::new(&carries.root);
        if all.iter().any(|talk| talk.root == root && talk.state.id == carries.id) {
            continue;
        }
        match super::read(cx, root, &carries.id) {
            Ok(talk) => all.push(talk),
            // Its folder may be gone.
            Err(error) => tracing::warn!(id = %carries.id, %error, "a conversation can't be read"),
        }
    }
    all.retain(|talk| talk.state.status == TalkStatus::Active);
    all.sort_by(|a, b| {
        let key =
            |talk: &Talk| (talk.state.carrier.is_none(), std::cmp::Reverse(talk.state.updated_at.clone()));
        key(a).cmp(&key(b))
    });
    all.into_iter().map(|talk| listed(cx, talk)).collect()
}

fn listed(cx: &Cx, talk: Talk) -> OpResult<Listed> {
    let checkpoint =
        cx.conversations.checkpoint(&talk.root, &talk.state.id, None).map_err(TalkError::from)?;
    let role = cx.installation.roles.get(&talk.state.subject.role).cloned().unwrap_or_default();
    let context = talk.state.carrier.as_ref().and_then(|carrier| carrier.context);
    Ok(Listed {
        size: context.unwrap_or_else(|| size(cx, &talk.state)),
        is_estimated: context.is_none(),
        limit: role.token_limit,
        checkpoint: checkpoint.unwrap_or_default(),
        talk,
    })
}
