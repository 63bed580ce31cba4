//! The worktrees of a repository: listed and finished.

#[cfg(test)]
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::shapes::{Consent, of};
use crate::api;
use crate::ops::OpError;
use crate::ops::worktree::{self, FinishWish, MergeWish};
use crate::server::error::ApiError;
use crate::server::route::{Call, Method, Route};

pub(super) const ROUTES: &[Route] = &[
    Route::get(
        "/api/repositories/{id}/worktrees",
        "List the worktrees of a repository",
        of::<WorktreesAnswer>(),
        list,
    ),
    Route::change(
        Method::Post,
        "/api/worktrees/finish",
        "Merge, push and remove a worktree, or plan that",
        of::<FinishAnswer>(),
        finish,
    )
    .input(of::<Finish>()),
];

#[derive(Debug, Serialize)]
#[cfg_attr(test, derive(JsonSchema))]
struct WorktreesAnswer {
    worktrees: Vec<api::Worktree>,
}

#[derive(Debug, Deserialize)]
#[cfg_attr(test, derive(JsonSchema))]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
struct Finish {
    /// Its folder, or its branch.
    worktree_id: String,
    /// Only say what would be done, and what is in the way.
    #[serde(default)]
    dry_run: bool,
    merge: Option<Way>,
    /// The branch that it is merged into; the one that it was made from if there is none.
    into: Option<String>,
    #[serde(default)]
    push: bool,
    #[serde(default)]
    delete_branch: bool,
    /// Stop the sessions that run in it.
    #[serde(default)]
    stop: bool,
    /// Only merge and push.
    #[serde(default)]
    keep: bool,
    /// Remove ignored files with it that a build doesn't make again.
    #[serde(default)]
    discard_ignored: bool,
    /// What its user allowed of what the repository wants to run.
    consent: Option<Consent>,
}

#[derive(Debug, Clone, Copy, Deserialize)]
#[cfg_attr(test, derive(JsonSchema))]
#[serde(rename_all = "lowercase")]
enum Way {
    Merge,
    Squash,
    Rebase,
}

/// A plan, with `dryRun`; else what was done.
#[derive(Debug, Serialize)]
#[cfg_attr(test, derive(JsonSchema))]
struct FinishAnswer {
    plan: Option<api::FinishPlan>,
    finished: Option<api::Finished>,
}

fn list(call: &Call) -> Result<Value, ApiError> {
    let failed = |error: OpError| call.error(&error);
    let (all, _) = worktree::list(&call.cx, Some(call.part("id"))).map_err(failed)?;
    // One that can't be asked is listed without its state.
    let one =
        |w: &worktree::Listed| api::Worktree::of(w, worktree::state_of(&call.cx, w).ok().flatten().as_ref());
    Call::value(&WorktreesAnswer { worktrees: all.iter().map(one).collect() })
}

fn finish(call: &Call) -> Result<Value, ApiError> {
    let input: Finish = call.input()?;
    let failed = |error: OpError| call.error(&error);
    let cx = &call.cx.for_command();
    let wish = FinishWish {
        merge: input.merge.map(|merge| match merge {
            Way::Merge => MergeWish::Merge,
            Way::Squash => MergeWish::Squash,
            Way::Rebase => MergeWish::Rebase,
        }),
        into: input.into,
        push: input.push,
        delete_branch: input.delete_branch,
        stop: input.stop,
        keep: input.keep,
        discard_ignored: input.discard_ignored,
        archive: true,
        consent: input.consent.map(Into::into),
    };
    if input.dry_run {
        let plan = worktree::plan_finish(cx, &input.worktree_id, &wish).map_err(failed)?;
        return Call::value(&FinishAnswer { plan: Some((&plan).into()), finished: None });
    }
    let finished = worktree::finish(cx, &input.worktree_id, &wish).map_err(failed)?;
    Call::value(&FinishAnswer { plan: None, finished: Some((&finished).into()) })
}
