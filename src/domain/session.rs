//! A session's record: what its user asked for, and the ids its agent ever had.
//!
//! Invariants: `id` never changes, and `tmux.name` only when a session that was adopted is started on
//! deck's own server; ids of conversations are only ever added to
//! `resume.history`; status is not here, it lives on the tmux session. Fields of a newer deck
//! are kept in `extra` and written back.

use std::collections::BTreeMap;

use jiff::Timestamp;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

use super::group::GroupPath;
use super::id::{ServerId, SessionId, is_conversation};
use super::mcp_servers::{Loaded, McpChoice};
use super::place::Place;
use super::status::Status;
use super::talk::Carries;
use super::worker::Worker;

/// What the user last asked of a session. Written before a command goes to tmux.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum DesiredState {
    /// It should be running: a missing tmux session means that it was lost.
    Running,
    /// It was stopped or never started.
    #[default]
    Stopped,
}

/// How an id of a conversation was learnt.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum IdSource {
    /// deck made it and passed it to the agent.
    Minted,
    /// A headless run of the agent printed it.
    Captured,
    /// A hook or the agent's own report named it.
    Reported,
    /// The user gave it.
    Given,
}

/// One id a session had, and how deck knows.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct ResumeEntry {
    /// The agent's id of the conversation.
    pub id: String,
    /// How it was learnt.
    pub source: IdSource,
    /// When it was learnt.
    pub seen_at: Timestamp,
    /// Fields of a newer deck.
    #[serde(flatten)]
    pub extra: Map<String, Value>,
}

/// The conversation a session resumes, with every id it had before.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct Resume {
    /// The current id.
    #[serde(default)]
    pub id: Option<String>,
    /// How the current id was learnt.
    #[serde(default)]
    pub source: Option<IdSource>,
    /// When the current id was learnt.
    #[serde(default)]
    pub seen_at: Option<Timestamp>,
    /// Whether the current conversation ever had a turn: then it is on disk, and missed when it isn't.
    #[serde(default)]
    pub used: bool,
    /// Every id this session ever had, oldest first. Only grows.
    #[serde(default)]
    pub history: Vec<ResumeEntry>,
    /// Fields of a newer deck.
    #[serde(flatten)]
    pub extra: Map<String, Value>,
}

impl Resume {
    /// The current id, unless what is recorded is invalid.
    pub fn usable(&self) -> Option<&str> {
        self.id.as_deref().filter(|id| is_conversation(id))
    }

    /// A new conversation begins whose id is not known yet.
    pub fn begin_new(&mut self) {
        (self.id, self.source, self.seen_at, self.used) = (None, None, None, false);
    }

    /// Makes `id` the current one and adds it to the ledger. Returns whether anything changed: an invalid
    /// id is ignored.
    pub fn record(&mut self, id: &str, source: IdSource, at: Timestamp) -> bool {
        if self.id.as_deref() == Some(id) || !is_conversation(id) {
            return false;
        }
        self.id = Some(id.to_owned());
        self.used = false;
        self.source = Some(source);
        self.seen_at = Some(at);
        self.history.push(ResumeEntry { id: id.to_owned(), source, seen_at: at, extra: Map::new() });
        true
    }
}

/// An agent that the user had started in their own tmux session.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Adopted {
    /// The pane, by tmux's own id.
    pub pane: String,
    /// The pane's process: the agent itself, or the shell that it was typed into.
    pub shell: i32,
    /// The agent's process.
    pub agent: i32,
    /// The program that the agent is.
    pub program: String,
}

impl Adopted {
    /// Reads what [`Display`](std::fmt::Display) wrote; `None` for anything else.
    pub fn parse(text: &str) -> Option<Self> {
        match text.splitn(4, ' ').collect::<Vec<_>>()[..] {
            [pane, shell, agent, program] if !program.is_empty() => Some(Self {
                pane: pane.to_owned(),
                shell: shell.parse().ok()?,
                agent: agent.parse().ok()?,
                program: program.to_owned(),
            }),
            _ => None,
        }
    }
}

impl std::fmt::Display for Adopted {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{} {} {} {}", self.pane, self.shell, self.agent, self.program)
    }
}

/// A process that deck started, as it is known again: ids are reused.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct StartedProcess {
    /// Its id.
    pub pid: i32,
    /// Its start, in clock ticks since boot.
    pub start: u64,
}

/// Where a session lives: the tmux server's socket and its name there.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct TmuxRef {
    /// The server that it is on; empty in records of a deck that didn't write it.
    #[serde(default)]
    pub socket: ServerId,
    /// The session's name on that server.
    #[serde(default)]
    pub name: String,
    /// What was adopted, until deck itself starts the agent.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub adopted: Option<Adopted>,
    /// The process that deck started in its pane last, if it has a conversation to write to.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub process: Option<StartedProcess>,
    /// Fields of a newer deck.
    #[serde(flatten)]
    pub extra: Map<String, Value>,
}

/// An MCP server that a session was started without.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct LeftOut {
    pub name: String,
    /// Why.
    pub why: String,
    /// Whether that lies in how it would be passed: in the tool, or in its environment at the start.
    #[serde(default)]
    pub in_passing: bool,
}

impl LeftOut {
    /// One that isn't to be passed at all.
    pub fn before(name: &str, why: &str) -> Self {
        Self { name: name.to_owned(), why: why.to_owned(), in_passing: false }
    }

    /// One that can't be passed to this agent as it is started.
    pub fn in_passing(name: &str, why: &str) -> Self {
        Self { name: name.to_owned(), why: why.to_owned(), in_passing: true }
    }
}

/// One agent session, as recorded in its profile.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Session {
    /// Its own id.
    pub id: SessionId,
    /// The user's name for it; may repeat.
    #[serde(default)]
    pub title: String,
    /// The directory the agent works in, absolute.
    #[serde(default)]
    pub project_path: String,
    /// The group it is in; empty for none.
    #[serde(default)]
    pub group_path: GroupPath,
    /// The tool's name, or `custom`.
    #[serde(default)]
    pub tool: String,
    /// The command as the user gave it, or the tool's.
    #[serde(default)]
    pub command: String,
    /// Further arguments.
    #[serde(default)]
    pub args: Vec<String>,
    /// Environment the user gave with the session.
    #[serde(default)]
    pub env: BTreeMap<String, String>,
    /// The session it was added from.
    #[serde(default)]
    pub parent_id: Option<SessionId>,
    /// Place among its siblings.
    #[serde(default)]
    pub order: i64,
    /// What the user last asked for.
    #[serde(default)]
    pub wanted: DesiredState,
    /// When deck last began to start it.
    #[serde(default)]
    pub launched_at: Option<Timestamp>,
    /// When its user last stopped it.
    #[serde(default)]
    pub stopped_at: Option<Timestamp>,
    /// Its conversation.
    #[serde(default)]
    pub resume: Resume,
    /// Its first prompt, until the agent is known to have taken it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub draft: Option<String>,
    /// What deck's MCP server gives it, as words of scopes; none: the server isn't passed.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub mcp: Vec<String>,
    /// The worktree that it works in; none for a folder as it is.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub place: Option<Place>,
    /// Its id in the program that it was imported from.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub imported_id: Option<String>,
    /// What works beside its agent.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub workers: Vec<Worker>,
    /// The session whose further agent it is.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub worker_of: Option<SessionId>,
    /// The handoff that it was started for.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub handoff: Option<String>,
    /// The session whose work it continues, and the one that continues its own.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub handed_from: Option<SessionId>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub handed_to: Option<SessionId>,
    /// The conversation that it carries.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub carries: Option<Carries>,
    /// The user's MCP servers that are attached to it, and detached from it.
    #[serde(default, skip_serializing_if = "McpChoice::is_empty")]
    pub mcps: McpChoice,
    /// The names of the MCP servers that it was last started with.
    #[serde(default)]
    pub loaded_mcps: Vec<String>,
    /// The same with whose they are and what names their definitions; none: not known, it was started by an older deck or
    /// not by deck.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub loaded_mcp_state: Option<Vec<Loaded>>,
    /// Those that it was meant to have and was started without.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub left_out_mcps: Vec<LeftOut>,
    /// Where it lives.
    #[serde(default)]
    pub tmux: TmuxRef,
    /// When it was added.
    #[serde(default)]
    pub created_at: Timestamp,
    /// When its record last changed.
    #[serde(default)]
    pub updated_at: Timestamp,
    /// When it was archived.
    #[serde(default)]
    pub archived_at: Option<Timestamp>,
    /// When it was put into the trash.
    #[serde(default)]
    pub deleted_at: Option<Timestamp>,
    /// Fields of a newer deck.
    #[serde(flatten)]
    pub extra: Map<String, Value>,
}

/// A session as errors and hints name it: by its id, to act on, and by the title it had then.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SessionName {
    pub id: SessionId,
    pub title: String,
}

impl std::fmt::Display for SessionName {
    /// The title, in quotes.
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{:?}", self.title)
    }
}

impl Session {
    /// How errors name it.
    pub fn name(&self) -> SessionName {
        SessionName { id: self.id.clone(), title: self.title.clone() }
    }

    /// A new record with nothing but an id, a title and a time.
    pub fn new(id: SessionId, title: &str, at: Timestamp) -> Self {
        Self {
            id,
            title: title.to_owned(),
            project_path: String::new(),
            group_path: GroupPath::root(),
            tool: String::new(),
            command: String::new(),
            args: Vec::new(),
            env: BTreeMap::new(),
            parent_id: None,
            order: 0,
            wanted: DesiredState::Stopped,
            launched_at: None,
            stopped_at: None,
            resume: Resume::default(),
            draft: None,
            mcp: Vec::new(),
            place: None,
            imported_id: None,
            handoff: None,
            handed_from: None,
            handed_to: None,
            carries: None,
            workers: Vec::new(),
            worker_of: None,
            mcps: McpChoice::default(),
            loaded_mcps: Vec::new(),
            loaded_mcp_state: None,
            left_out_mcps: Vec::new(),
            tmux: TmuxRef::default(),
            created_at: at,
            updated_at: at,
            archived_at: None,
            deleted_at: None,
            extra: Map::new(),
        }
    }

    /// The words that replace its status's own where its first prompt was not sent and nothing is more urgent.
    pub fn unsent(&self, status: Status) -> Option<&'static str> {
        let calm = matches!(status, Status::Idle | Status::Stopped);
        (calm && self.draft.is_some()).then_some("prompt not sent")
    }

    /// That another session continues its work; or else that its first prompt was not sent, which then matters to nobody.
    pub fn aside(&self, status: Status) -> Option<&'static str> {
        let handed = status == Status::Stopped && self.handed_to.is_some();
        handed.then_some("handed over").or_else(|| self.unsent(status))
    }

    /// Whether it is in neither the trash nor the archive.
    pub fn is_live(&self) -> bool {
        self.deleted_at.is_none() && self.archived_at.is_none()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_was_adopted_as_text_and_back() {
        let adopted = Adopted { pane: "%5".into(), shell: 10, agent: 12, program: "my agent".into() };
        assert_eq!(Adopted::parse(&adopted.to_string()), Some(adopted));
        for bad in ["", "%5 x 12 claude", "%5 10 12 ", "%5 10"] {
            assert_eq!(Adopted::parse(bad), None, "{bad}");
        }
    }

    #[test]
    fn ids_are_a_ledger() {
        let at = Timestamp::UNIX_EPOCH;
        let mut resume = Resume::default();
        assert!(resume.record("a", IdSource::Minted, at));
        assert!(!resume.record("a", IdSource::Reported, at));
        assert!(resume.record("b", IdSource::Reported, at));
        assert!(!resume.record("--resume", IdSource::Reported, at), "an invalid id is ignored");
        assert_eq!(resume.id.as_deref(), Some("b"));
        let ids: Vec<_> = resume.history.iter().map(|e| e.id.as_str()).collect();
        assert_eq!(ids, ["a", "b"]);
    }

    #[test]
    fn unknown_fields_survive() {
        let text = r#"{"id":"x","later":{"a":[1]},"resume":{"id":null,"more":2,"history":[{"id":"c","source":"given","seen_at":"1970-01-01T00:00:00Z","later":4}]},"tmux":{"socket":"deck","name":"n","zone":3}}"#;
        let session: Session = serde_json::from_str(text).unwrap();
        let back = serde_json::to_value(&session).unwrap();
        assert_eq!(back["later"]["a"][0], 1);
        assert_eq!(back["resume"]["more"], 2);
        assert_eq!(back["tmux"]["zone"], 3);
        assert_eq!(back["resume"]["history"][0]["later"], 4);
    }
}
