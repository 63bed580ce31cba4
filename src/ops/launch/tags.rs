//! The multiplexer's session of an agent: making it, replacing the process in its pane, and the facts that it carries.

use crate::domain::launch::LaunchPlan;
use crate::domain::session::Session;
use crate::domain::status::StartKind;
use crate::ops::{Cx, OpResult};
use crate::ports::mux::{CreatedPane, NewSession, PaneRow, Respawn, Tag, TagName};

/// Puts deck's own facts on a session that was made, by a deck that was killed before it could.
pub(in crate::ops) fn mark(cx: &Cx, session: &Session, row: &PaneRow) -> OpResult<()> {
    let (id, profile) = (session.id.to_string(), cx.profile.name.to_string());
    let adopted = session.tmux.adopted.as_ref().map(ToString::to_string).unwrap_or_default();
    let started = session.launched_at.unwrap_or(session.created_at).as_millisecond().to_string();
    let tags = [
        Tag::new(TagName::Id, id.as_str()),
        Tag::new(TagName::Home, &cx.installation.home_key),
        Tag::new(TagName::Profile, &profile),
        Tag::new(TagName::Title, &session.title),
        Tag::new(TagName::Tool, &session.tool),
        Tag::new(TagName::Command, &session.command),
        Tag::new(TagName::Path, &session.project_path),
        Tag::new(TagName::Group, session.group_path.as_str()),
        Tag::new(TagName::Started, &started),
        Tag::new(TagName::Adopted, &adopted),
        Tag::new(TagName::Pane, &row.pane.pane),
    ];
    Ok(cx.mux.tag(&row.session, &tags)?)
}

/// What the tmux session carries.
fn tags(cx: &Cx, session: &Session, plan: &LaunchPlan, start_kind: StartKind) -> Vec<Tag> {
    let mut all = vec![
        Tag::new(TagName::Id, session.id.to_string()),
        Tag::new(TagName::Home, cx.installation.home_key.clone()),
        Tag::new(TagName::Profile, cx.profile.name.to_string()),
        Tag::new(TagName::Title, session.title.clone()),
        Tag::new(TagName::Tool, session.tool.clone()),
        Tag::new(TagName::Command, session.command.clone()),
        Tag::new(TagName::Path, session.project_path.clone()),
        Tag::new(TagName::Group, session.group_path.to_string()),
        Tag::new(TagName::Started, cx.clock.now().as_millisecond().to_string()),
        Tag::new(TagName::StartKind, start_kind.word().to_owned()),
        Tag::none(TagName::Status),
        Tag::none(TagName::Note),
        Tag::none(TagName::Adopted),
        Tag::none(TagName::Hook),
        // Notes of the previous run have times of its clock.
        Tag::none(TagName::HookAt),
        if plan.has_setup { Tag::new(TagName::Setup, "running") } else { Tag::none(TagName::Setup) },
        Tag::new(TagName::Port, plan.port.map(|p| p.to_string()).unwrap_or_default()),
    ];
    if let Some((id, _)) = &plan.id {
        all.push(Tag::new(TagName::ResumeId, id));
    } else if session.resume.usable().is_none() {
        all.push(Tag::none(TagName::ResumeId));
    }
    all
}

pub(super) fn make(
    cx: &Cx,
    session: &Session,
    plan: &LaunchPlan,
    start_kind: StartKind,
) -> OpResult<CreatedPane> {
    let mut env = plan.env.clone();
    if let (Some(name), Some((id, _))) = (&plan.id_env, &plan.id) {
        env.insert(name.clone(), id.clone());
    }
    env.extend(secret(cx, session, plan));
    Ok(cx.mux.create(&NewSession {
        name: session.tmux.name.clone(),
        dir: plan.dir.clone(),
        script: plan.script.clone(),
        env,
        size: cx.caller.size,
        tags: tags(cx, session, plan, start_kind),
    })?)
}

/// The variable with the password of the service that the agent runs, and a new password.
fn secret(cx: &Cx, session: &Session, plan: &LaunchPlan) -> Option<(String, String)> {
    let tool = cx.tools.tool(&session.tool)?;
    let name = tool.tool.service.password_env.clone()?;
    plan.port.map(|_| (name, cx.clock.new_conversation_id()))
}

pub(super) fn respawn(
    cx: &Cx,
    session: &Session,
    plan: &LaunchPlan,
    row: &PaneRow,
    start_kind: StartKind,
) -> OpResult<CreatedPane> {
    for (name, value) in secret(cx, session, plan).iter().chain(&plan.settings_env) {
        cx.mux.set_environment(&row.session, name, value)?;
    }
    Ok(cx.mux.respawn(&Respawn {
        session: row.session.clone(),
        pane: row.pane.clone(),
        dir: plan.dir.clone(),
        script: plan.script.clone(),
        tags: tags(cx, session, plan, start_kind),
    })?)
}
