//! What a use case works with: the adapters, the profile, and on whose behalf it acts.

use std::collections::BTreeMap;
use std::path::PathBuf;
use std::sync::Arc;

use jiff::Timestamp;

use super::guard::AskUser;
use super::{Cancel, OpError, OpResult};
use crate::domain::guard::Limits;
use crate::domain::id::{ProfileName, SessionId};
use crate::domain::mcp_scope::Scope;
use crate::domain::profile::Profile;
use crate::domain::session::Session;
use crate::domain::talk::Roles;
use crate::domain::worktree::SetupPart;
use crate::ports::mux::ServerId;
use crate::ports::{
    Catalogue, Clock, Conversations, Folders, Git, Headless, History, Host, McpServers, Mux, Reports, Shells,
    Store,
};

/// Where this deck's files, program and server are: the same for all profiles and callers.
#[derive(Debug, Clone, Default)]
pub struct Installation {
    /// What names this deck's home on a shared tmux server.
    pub home_key: String,
    /// `DECK_HOME`, when it is set.
    pub deck_home: Option<String>,
    /// deck's own server.
    pub socket: ServerId,
    /// deck's own program, by absolute path.
    pub program: String,
    /// What headless shells may use that are started.
    pub shell_limits: crate::domain::shell::Limits,
    /// What they are run by: a program and its arguments; empty for nothing.
    pub shell_wrap: Vec<String>,
    /// The folder for settings files that deck passes to agents.
    pub files: PathBuf,
    /// How far agents may go.
    pub limits: Limits,
    /// The tools whose new sessions get deck's MCP server unasked.
    pub pass: Vec<String>,
    /// The tools that agents may start; empty: every agent's that confines its commands no less than theirs.
    pub may_spawn: Vec<String>,
    /// The scopes of which each use by an agent takes its user's consent.
    pub consent: Vec<Scope>,
    /// The folder for what should survive a restart of the machine.
    pub state: PathBuf,
    /// The folder for what may be lost at any time.
    pub run: PathBuf,
    /// The version of the protocol that shared MCP servers are asked for.
    pub mcp_protocol: String,
    /// Where worktrees are made, if their repository says nothing else.
    pub location: String,
    /// Whether submodules are part of a worktree's setup.
    pub submodules: bool,
    /// How much is copied into a new worktree at most, in bytes.
    pub copy_limit: u64,
    /// Names of files and folders that git ignores and that a build makes again.
    pub expendable: Vec<String>,
    /// The roles of conversations.
    pub roles: Roles,
    /// What the user's settings say of new worktrees, by the name of their repository.
    pub repositories: BTreeMap<String, SetupPart>,
}

#[derive(Clone)]
pub struct ProfileCx {
    pub name: ProfileName,
    /// Its file.
    pub store: Arc<dyn Store>,
}

/// On whose behalf something is done: another one for each request.
#[derive(Debug, Clone, Default)]
pub struct Caller {
    /// The caller's environment.
    pub env: Vec<(String, String)>,
    /// The caller's working directory.
    pub cwd: PathBuf,
    /// The session the caller itself runs in.
    pub inside: Option<SessionId>,
    /// What the MCP server was given by which an agent asks; none for who doesn't ask by one.
    pub scopes: Option<Vec<Scope>>,
    /// How an agent's user is asked for consent; none where that can't be done.
    pub ask_user: Option<AskUser>,
    /// What the agent's program calls itself, as it said to the MCP server.
    pub client: Option<String>,
    /// Columns and rows of a session that nobody has looked at yet.
    pub size: (u16, u16),
    /// When the command began: what began at the same time is undone as one. None: each use case by itself.
    pub begun: Option<Timestamp>,
}

/// Columns and rows where nobody has said where a session will be seen.
pub const UNSEEN: (u16, u16) = (200, 50);

impl Caller {
    /// A variable of the caller; none when it is unset or empty.
    pub fn var(&self, name: &str) -> Option<&str> {
        self.env.iter().find(|(k, _)| k == name).map(|(_, v)| v.as_str()).filter(|v| !v.is_empty())
    }
}

/// Everything a use case works with. The adapters are shared by all of a process; profile, caller and cancelling
/// are this request's.
#[derive(Clone)]
pub struct Cx {
    /// The multiplexer.
    pub mux: Arc<dyn Mux>,
    /// The agents' own reports.
    pub reports: Arc<dyn Reports>,
    /// The machine.
    pub host: Arc<dyn Host>,
    /// git.
    pub git: Arc<dyn Git>,
    /// Files in folders of the user's.
    pub folders: Arc<dyn Folders>,
    /// Time and ids.
    pub clock: Arc<dyn Clock>,
    pub tools: Arc<dyn Catalogue>,
    /// The last changes of status.
    pub history: Arc<dyn History>,
    /// The MCP servers of the user's settings.
    pub mcp_servers: Arc<dyn McpServers>,
    /// Conversations in the folders of projects.
    pub conversations: Arc<dyn Conversations>,
    /// Agents' programs that write checkpoints.
    pub headless: Arc<dyn Headless>,
    /// The headless shells of the profile.
    pub shells: Arc<dyn Shells>,
    /// Where deck itself is.
    pub installation: Arc<Installation>,
    pub profile: Arc<ProfileCx>,
    /// On whose behalf.
    pub caller: Arc<Caller>,
    /// Whether the caller still waits.
    pub cancel: Cancel,
}

impl std::fmt::Debug for Cx {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Cx")
            .field("profile", &self.profile.name)
            .field("caller", &self.caller)
            .finish_non_exhaustive()
    }
}

impl Cx {
    /// This deck for one command: what it deletes and arranges is undone as one.
    #[must_use]
    pub fn for_command(&self) -> Self {
        let begun = Some(self.clock.now());
        Self { caller: Arc::new(Caller { begun, ..(*self.caller).clone() }), ..self.clone() }
    }

    /// Whether its caller no longer waits, for what asks that again and again.
    pub(super) fn stop(&self) -> impl Fn() -> bool + use<'_> {
        || self.cancel.ends_waits()
    }

    /// When this command began.
    pub(super) fn begun(&self) -> Timestamp {
        self.caller.begun.unwrap_or_else(|| self.clock.now())
    }

    /// Changes the arrangement of the profile, and records how to undo it in the same write.
    pub(super) fn arrange<T>(
        &self,
        words: &str,
        mut change: impl FnMut(&mut Profile) -> OpResult<T>,
    ) -> OpResult<T> {
        let at = self.begun();
        crate::ports::transact(&*self.profile.store, |profile| profile.arranged(at, words, &mut change))
    }

    /// This deck for sessions that will first be seen at this size.
    #[must_use]
    pub fn seen_at(&self, size: (u16, u16)) -> Self {
        Self { caller: Arc::new(Caller { size, ..(*self.caller).clone() }), ..self.clone() }
    }

    /// The live session with this id, as it is on disk now.
    ///
    /// # Errors
    /// [`OpError::Missing`] when there is none, or it is in the trash.
    pub fn session(&self, id: &SessionId) -> OpResult<Session> {
        let profile = self.profile.store.load()?.profile;
        profile
            .session(id)
            .filter(|s| s.deleted_at.is_none())
            .cloned()
            .ok_or_else(|| OpError::Missing(id.clone()))
    }

    /// The server that a session is on: deck's own where its record names none.
    pub fn server_of<'a>(&'a self, session: &'a Session) -> &'a ServerId {
        if session.tmux.socket.is_empty() { &self.installation.socket } else { &session.tmux.socket }
    }

    /// Changes one session's record.
    ///
    /// # Errors
    /// [`OpError`] when it is gone or can't be written.
    pub fn change_session(&self, id: &SessionId, mut change: impl FnMut(&mut Session)) -> OpResult<Session> {
        let now = self.clock.now();
        crate::ports::transact(&*self.profile.store, |profile| {
            let session = profile
                .session_mut(id)
                .filter(|s| s.deleted_at.is_none())
                .ok_or_else(|| OpError::Missing(id.clone()))?;
            change(session);
            session.updated_at = now;
            Ok(session.clone())
        })
    }
}

#[cfg(test)]
impl Cx {
    /// One whose ports are all in memory, and empty.
    pub fn of_fakes() -> Self {
        use crate::ports::fake;
        Self {
            mux: Arc::<fake::FakeMux>::default(),
            reports: Arc::<fake::FakeReports>::default(),
            host: Arc::<fake::FakeHost>::default(),
            git: Arc::<fake::FakeGit>::default(),
            folders: Arc::<fake::FakeFolders>::default(),
            clock: Arc::<fake::FakeClock>::default(),
            tools: Arc::new(fake::FakeTools::of(Vec::new())),
            history: Arc::<fake::FakeHistory>::default(),
            mcp_servers: Arc::<fake::FakeMcpServers>::default(),
            conversations: Arc::<fake::FakeConversations>::default(),
            headless: Arc::<fake::FakeHeadless>::default(),
            shells: Arc::<fake::FakeShells>::default(),
            installation: Arc::default(),
            profile: Arc::new(ProfileCx {
                name: ProfileName::default(),
                store: Arc::<fake::FakeStore>::default(),
            }),
            caller: Arc::default(),
            cancel: Cancel::default(),
        }
    }
}
