//! Starting an agent: the intent on disk, then the multiplexer.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use super::{Deck, OpError, OpResult};
use crate::domain::id::SessionId;
use crate::domain::launch::{
    Launch, LaunchPlan, ParsedCommand, Start, agent_env, is_closed, parse_command, plan,
};
use crate::domain::resolve::nearest;
use crate::domain::session::{IdSource, Session, Wanted};
use crate::domain::status::Began;
use crate::domain::tool::{ResumeKind, Tool};
use crate::ports::ToolEntry;
use crate::ports::mux::{Made, NewSession, PaneRow, Respawn};

/// Columns and rows of a session that nobody has looked at yet.
const SIZE: (u16, u16) = (200, 50);

/// What was started.
#[derive(Debug, Clone)]
pub struct Launched {
    /// The record.
    pub session: Session,
    /// What runs.
    pub plan: LaunchPlan,
    /// Where.
    pub made: Made,
}

/// Starts a stopped or lost session: its conversation goes on, unless `fresh`.
///
/// # Errors
/// [`OpError`]; the record then says that the session is stopped.
pub fn start(deck: &Deck, id: &SessionId, fresh: bool, prompt: Option<&str>) -> OpResult<Launched> {
    let session = deck.session(id)?;
    let row = find_row(deck, &session)?;
    match row {
        Some(row) if row.dead.is_none() => Err(OpError::Running(session.title)),
        row => launch(deck, &session, fresh, prompt, row.as_ref()),
    }
}

/// The agent's pane of a session, dead or alive.
pub(super) fn find_row(deck: &Deck, session: &Session) -> OpResult<Option<PaneRow>> {
    let list = match deck.mux.panes(None) {
        Err(crate::ports::MuxError::NoServer(_)) => return Ok(None),
        other => other?,
    };
    Ok(list.rows.into_iter().find(|row| is_of(row, session)))
}

/// Whether a pane is the session's own: by the id it carries, or by name when deck was cut off
/// before it could put the id there.
pub(super) fn is_of(row: &PaneRow, session: &Session) -> bool {
    match &row.deck_id {
        Some(id) => *id == session.id,
        None => row.name == session.tmux.name,
    }
}

/// What starting the session would do, without doing it.
///
/// # Errors
/// [`OpError`] when it can't be started.
pub fn preview(deck: &Deck, session: &Session, fresh: bool, prompt: Option<&str>) -> OpResult<LaunchPlan> {
    let minted = deck.clock.new_conversation_id();
    let row = find_row(deck, session)?;
    plan_for(deck, session, how(deck, session, fresh, row.as_ref()), prompt, &minted)
}

/// How a session is to be started: its conversation is resumed if it has one; one that never had
/// a prompt left no file and is started again under its id.
fn how(deck: &Deck, session: &Session, fresh: bool, row: Option<&PaneRow>) -> Start {
    let entry = deck.tools.tool(&session.tool);
    let (Some(id), Some(entry)) = (session.resume.id.as_deref(), entry) else { return Start::Fresh };
    if fresh {
        return Start::Fresh;
    }
    let minted = entry.tool.resume_kind() == Some(ResumeKind::Minted);
    match conversation_exists(deck, &entry.tool, session, id, row) {
        Some(false) if minted => Start::SameId,
        _ => Start::Resume,
    }
}

/// Whether the conversation's file is there; `None` when nobody knows where it would be.
///
/// It is looked for where the agent will look: a restart in the same pane has the tmux session's own
/// environment, whatever the caller's is.
fn conversation_exists(
    deck: &Deck,
    tool: &Tool,
    session: &Session,
    id: &str,
    row: Option<&PaneRow>,
) -> Option<bool> {
    if tool.conversation_files.is_empty() {
        return None;
    }
    let mut names: Vec<String> = tool
        .conversation_files
        .iter()
        .filter_map(|p| p.strip_prefix('$')?.split_once('/').map(|(name, _)| name.to_owned()))
        .collect();
    names.push("HOME".to_owned());
    let own: BTreeMap<String, String> = match row {
        Some(row) => {
            let wanted: Vec<_> = names.iter().map(|n| (row.session.clone(), n.clone())).collect();
            // What can't be asked is not known: then the conversation is taken to be there.
            let values = deck.mux.environment(&wanted).ok()?;
            names.iter().zip(values).filter_map(|(n, v)| Some((n.clone(), v?))).collect()
        }
        None => environment(deck, session, deck.tools.tool(&session.tool).as_ref()).ok()?,
    };
    let var = |name: &str| own.get(name).map(String::as_str);
    let id8: String = id.chars().take(8).collect();
    let fill = |pattern: &String| {
        let text = pattern.replace("{id8}", &id8).replace("{id}", id);
        match text.strip_prefix('$').and_then(|t| t.split_once('/')) {
            Some((name, rest)) => var(name).map(|dir| format!("{dir}/{rest}")),
            None => Some(match text.strip_prefix("~/") {
                Some(rest) => format!("{}/{rest}", var("HOME").unwrap_or("/")),
                None => text,
            }),
        }
    };
    let mut places = tool.conversation_files.iter().filter_map(fill);
    Some(places.any(|p| deck.host.any_file(&p)))
}

/// Makes the plan and checks that it can be carried out.
fn plan_for(
    deck: &Deck,
    session: &Session,
    start: Start,
    prompt: Option<&str>,
    minted: &str,
) -> OpResult<LaunchPlan> {
    let entry = deck.tools.tool(&session.tool);
    let tool = entry.as_ref().map(|e| &e.tool);
    let plan = plan(Launch {
        session,
        tool,
        start,
        prompt,
        minted,
        env: environment(deck, session, entry.as_ref())?,
        deck: &deck.place.program,
        shell: deck.place.var("SHELL").unwrap_or("/bin/sh"),
    })?;
    check(deck, session, &plan)?;
    Ok(plan)
}

/// Refuses what could not run: nothing is recorded, nothing is started.
fn check(deck: &Deck, session: &Session, plan: &LaunchPlan) -> OpResult<()> {
    let dir = Path::new(&plan.dir);
    if !deck.host.is_dir(dir) {
        // tmux would start the agent in another folder without a word.
        return Err(no_folder(deck, dir));
    }
    if !is_closed(&session.command) {
        return Err(OpError::UnclosedQuote(session.command.clone()));
    }
    let shell_line = matches!(parse_command(&session.command), Some(ParsedCommand::Shell(_)));
    let program = plan.argv.first().filter(|_| !shell_line);
    let path = plan.env.get("PATH").map(String::as_str).unwrap_or("/usr/bin:/bin");
    match program {
        Some(program) if deck.host.find_program(program, path, dir).is_none() => {
            let all = deck.tools.all();
            let names = all.iter().map(|e| e.tool.name.as_str()).filter(|n| n != program);
            let near = nearest(program, names).map(str::to_owned);
            Err(OpError::NoProgram { program: program.clone(), path: path.to_owned(), near })
        }
        _ => Ok(()),
    }
}

/// Why a path is no folder to work in.
pub(super) fn no_folder(deck: &Deck, path: &Path) -> OpError {
    if deck.host.exists(path) {
        OpError::NotAFolder(path.to_owned())
    } else {
        OpError::NoFolder(path.to_owned())
    }
}

/// The agent's environment: its caller's, the tool's, the session's, and deck's own names.
fn environment(
    deck: &Deck,
    session: &Session,
    entry: Option<&Arc<ToolEntry>>,
) -> OpResult<BTreeMap<String, String>> {
    let mut of_tool = entry.map(|e| e.tool.env.clone()).unwrap_or_default();
    if let Some(file) = entry.and_then(|e| e.tool.env_file.as_deref()) {
        let home = deck.place.var("HOME").unwrap_or("/");
        let path =
            file.strip_prefix("~/").map_or_else(|| PathBuf::from(file), |rest| Path::new(home).join(rest));
        let text = deck.host.read(&path).map_err(|source| OpError::EnvFile { path, source })?;
        of_tool.extend(env_lines(&text));
    }
    let place = &deck.place;
    let mut env = agent_env(&place.env, &deck.tools.unset_env(), &of_tool, &session.env);
    let own = [
        ("DECK_SESSION_ID", Some(session.id.as_str())),
        ("DECK_PROFILE", Some(place.profile.as_str())),
        ("DECK_SOCKET", Some(place.socket.as_str())),
        ("DECK_HOME", place.deck_home.as_deref()),
    ];
    env.extend(own.into_iter().filter_map(|(k, v)| Some((k.to_owned(), v?.to_owned()))));
    Ok(env)
}

/// `KEY=value` lines; blank ones and comments are passed over, quotes around a value dropped.
fn env_lines(text: &str) -> BTreeMap<String, String> {
    let line = |line: &str| {
        let line = line.trim();
        let (key, value) = line.strip_prefix("export ").unwrap_or(line).split_once('=')?;
        let value = value.trim();
        let bare = ['"', '\''].iter().find_map(|q| value.strip_prefix(*q)?.strip_suffix(*q)).unwrap_or(value);
        (!line.starts_with('#')).then(|| (key.trim().to_owned(), bare.to_owned()))
    };
    text.lines().filter_map(line).collect()
}

/// Writes the intent, then makes the tmux session or replaces the process in its pane.
pub(super) fn launch(
    deck: &Deck,
    session: &Session,
    fresh: bool,
    prompt: Option<&str>,
    row: Option<&PaneRow>,
) -> OpResult<Launched> {
    let minted = deck.clock.new_conversation_id();
    let start = how(deck, session, fresh, row);
    let plan = plan_for(deck, session, start, prompt, &minted)?;
    if row.is_none() && find_row(deck, session)?.is_some() {
        // Another deck was faster: its id is the session's.
        return Err(OpError::Running(session.title.clone()));
    }
    let now = deck.clock.now();
    let session = deck.change_session(&session.id, |s| {
        s.wanted = Wanted::Running;
        s.launched_at = Some(now);
        if let Some((id, source)) = &plan.id {
            s.resume.learn(id, *source, now);
        }
    })?;
    let began = match (start, prompt) {
        (_, Some(_)) => Began::Prompted,
        (Start::Resume, None) => Began::Resumed,
        _ => Began::Fresh,
    };
    let made = match row {
        Some(row) => respawn(deck, &session, &plan, row, began),
        None => make(deck, &session, &plan, began),
    };
    match made {
        Ok(made) => Ok(Launched { session, plan, made }),
        Err(error) => {
            // Where nothing runs, say so on disk too, or the session would count as lost.
            if matches!(find_row(deck, &session), Ok(None)) {
                deck.change_session(&session.id, |s| s.wanted = Wanted::Stopped)?;
            }
            Err(error)
        }
    }
}

/// Puts deck's own facts on a session that was made, by a deck that was killed before it could.
pub(super) fn mark(deck: &Deck, session: &Session, row: &PaneRow) -> OpResult<()> {
    let (id, profile) = (session.id.to_string(), deck.place.profile.to_string());
    let started = session.launched_at.unwrap_or(session.created_at).as_millisecond().to_string();
    let options = [
        ("@deck_id", id.as_str()),
        ("@deck_home", &deck.place.home_key),
        ("@deck_profile", &profile),
        ("@deck_title", &session.title),
        ("@deck_tool", &session.tool),
        ("@deck_command", &session.command),
        ("@deck_path", &session.project_path),
        ("@deck_group", session.group_path.as_str()),
        ("@deck_started", &started),
        ("@deck_pane", &row.pane.0),
    ];
    Ok(deck.mux.set_options(&row.session, &options)?)
}

/// What the tmux session carries.
fn options(deck: &Deck, session: &Session, plan: &LaunchPlan, began: Began) -> Vec<(String, String)> {
    let place = &deck.place;
    let mut all = vec![
        ("@deck_id", session.id.to_string()),
        ("@deck_home", place.home_key.clone()),
        ("@deck_profile", place.profile.to_string()),
        ("@deck_title", session.title.clone()),
        ("@deck_tool", session.tool.clone()),
        ("@deck_command", session.command.clone()),
        ("@deck_path", session.project_path.clone()),
        ("@deck_group", session.group_path.to_string()),
        ("@deck_started", deck.clock.now().as_millisecond().to_string()),
        ("@deck_began", began.word().to_owned()),
        ("@deck_status", String::new()),
        ("@deck_note", String::new()),
    ];
    if let Some((id, _)) = &plan.id {
        all.push(("@deck_resume_id", id.clone()));
    } else if session.resume.id.is_none() {
        all.push(("@deck_resume_id", String::new()));
    }
    all.into_iter().map(|(k, v)| (k.to_owned(), v)).collect()
}

fn make(deck: &Deck, session: &Session, plan: &LaunchPlan, began: Began) -> OpResult<Made> {
    let mut env = plan.env.clone();
    if let (Some(name), Some((id, _))) = (&plan.id_env, &plan.id) {
        env.insert(name.clone(), id.clone());
    }
    Ok(deck.mux.create(&NewSession {
        name: session.tmux.name.clone(),
        dir: plan.dir.clone(),
        script: plan.script.clone(),
        env,
        size: SIZE,
        options: options(deck, session, plan, began),
    })?)
}

fn respawn(deck: &Deck, session: &Session, plan: &LaunchPlan, row: &PaneRow, began: Began) -> OpResult<Made> {
    Ok(deck.mux.respawn(&Respawn {
        session: row.session.clone(),
        pane: row.pane.clone(),
        dir: plan.dir.clone(),
        script: plan.script.clone(),
        options: options(deck, session, plan, began),
    })?)
}

/// How an id came about that a session carries without deck having passed it.
pub(super) fn source_of(deck: &Deck, session: &Session) -> IdSource {
    match deck.tools.tool(&session.tool).and_then(|e| e.tool.resume_kind()) {
        Some(ResumeKind::Minted) => IdSource::Minted,
        Some(ResumeKind::Capture) => IdSource::Captured,
        _ => IdSource::Reported,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn env_files_as_people_write_them() {
        let env = env_lines("# keys\nA=1\nexport B='two words'\n\nC=\"x\"\nno line\n");
        let pairs: Vec<_> = env.iter().map(|(k, v)| format!("{k}={v}")).collect();
        assert_eq!(pairs, ["A=1", "B=two words", "C=x"]);
    }
}
