//! Putting the parts together: the one place that knows every adapter.

mod live_mcps;
#[cfg(feature = "web")]
mod served;

use std::process::Command;
use std::sync::{Arc, OnceLock};

use crate::config::paths::{Environment, NoPlace};
use crate::config::{self, Config, Loaded, Paths, Problem};
use crate::domain::hint::Hint;
use crate::domain::id::{BadProfileName, ProfileName, SessionId};
use crate::domain::kept_view::KeptView;
use crate::domain::resolve::nearest;
use crate::domain::status::HookNote;
use crate::engine::{Engine, Pace, Waker};
use crate::git::GitProgram;
use crate::mcp_servers;
use crate::ops::{Caller, Cancel, Cx, Installation, ProfileCx, UNSEEN};
use crate::ports::Catalogue;
use crate::ports::mux::{PaneRef, ServerId};
use crate::shells::{self, ShellFiles};
use crate::store::{ConversationFiles, HistoryFiles, Profiles, ProfilesError};
use crate::sys::clock::SystemClock;
use crate::sys::files;
use crate::sys::folders::SystemFolders;
use crate::sys::host::SystemHost;
use crate::tmux::{self, Event, Open, Servers, TmuxMux};
use crate::tools::stamp_of;
pub use crate::tools::{LiveTools, Registry, ToolsStamp};
use crate::tools::{SystemHeadless, SystemReports};
pub use live_mcps::LiveMcps;
#[cfg(feature = "web")]
pub use served::Served;

/// Why deck can't begin.
#[derive(Debug, thiserror::Error)]
pub enum WiringError {
    /// deck's files can't be located.
    #[error(transparent)]
    NoPlace(#[from] NoPlace),
    #[error(transparent)]
    Profile(#[from] BadProfileName),
}

/// Everything deck is made of, for one run.
#[derive(Clone)]
pub struct Wiring {
    /// The caller's environment.
    pub env: Environment,
    /// deck's folders.
    pub paths: Paths,
    /// The settings.
    pub config: Config,
    /// What was read of the config file, and what is wrong with it.
    pub settings: Loaded,
    /// The tools as they were read at the start.
    pub tools: Arc<Registry>,
    /// The tools that decks go by: the TUI reads them again when they change.
    pub live_tools: Arc<LiveTools>,
    /// The MCP servers of the settings, read again when these change.
    pub live_mcps: Arc<LiveMcps>,
    pub profiles: Profiles,
    /// The profile in use.
    pub profile: ProfileName,
    /// deck's own tmux server.
    pub socket: ServerId,
    /// Ends what the verbs of this run wait for.
    pub cancel: Cancel,
    /// What the verbs of this run share, whichever profile they work on.
    shared: OnceLock<Shared>,
}

/// The adapters of one process: one connection, and one set of caches.
#[derive(Clone)]
struct Shared {
    mux: Arc<Servers>,
    reports: Arc<SystemReports>,
    history: Arc<HistoryFiles>,
    installation: Arc<Installation>,
}

impl std::fmt::Debug for Wiring {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Wiring")
            .field("profile", &self.profile)
            .field("socket", &self.socket)
            .finish_non_exhaustive()
    }
}

impl Wiring {
    /// Reads settings and tools. `profile` is the one named by the caller.
    ///
    /// # Errors
    /// [`WiringError`] when something that exists can't be used.
    pub fn new(env: Environment, profile: Option<&str>) -> Result<Self, WiringError> {
        let paths = Paths::find(&env)?;
        let seen = stamp_of(&paths.tools, &paths.config_file);
        let seen_mcps = live_mcps::stamp(&paths.config_file);
        let (mut settings, tools) = read_settings(&paths, &env);
        let tools = Arc::new(tools);
        let live_tools = LiveTools::new(paths.tools.clone(), paths.config_file.clone(), tools.clone(), seen);
        let live_mcps = LiveMcps::new(paths.config_file.clone(), settings.mcps.clone(), seen_mcps);
        let profiles = Profiles::new(paths.profiles.clone());
        let profile = match profile {
            Some(name) => ProfileName::parse(name)?,
            None => profiles.default_name().unwrap_or_else(|error| {
                let first = ProfileName::default();
                let words = format!("{}; profile `{first}` is used", with_cause(&error));
                let file = paths.profiles.join(ProfileName::DEFAULT_FILE);
                settings.problems.push(Problem::new(file, None, words));
                first
            }),
        };
        let socket = ServerId::from(paths.deck_socket(&env, &settings.config.tmux.socket));
        Ok(Self {
            env,
            paths,
            config: settings.config.clone(),
            settings,
            tools,
            live_tools: Arc::new(live_tools),
            live_mcps: Arc::new(live_mcps),
            profiles,
            profile,
            socket,
            cancel: Cancel::default(),
            shared: OnceLock::new(),
        })
    }

    /// The deck of the profile in use, for one command.
    pub fn cx(&self) -> Cx {
        self.cx_for(&self.profile)
    }

    /// The deck of a profile, for one command. All share one connection and one set of caches.
    pub fn cx_for(&self, profile: &ProfileName) -> Cx {
        self.cx_with(profile, self.shared.get_or_init(|| self.adapters(Open::IfRunning, |_| {})))
    }

    /// A deck that stays: its connection is kept, and `listener` hears what happens on the server.
    pub fn lasting_cx(&self, profile: &ProfileName, listener: impl Fn(Event) + Send + Sync + 'static) -> Cx {
        self.cx_with(profile, &self.adapters(Open::Always, listener))
    }

    /// The deck of the profile in use for a command that watches, and an engine that is woken by what happens on
    /// its server. A server is not started.
    ///
    /// # Errors
    /// The system's error when there is no thread to be had.
    pub fn watching(&self, pace: Pace) -> std::io::Result<(Cx, Engine)> {
        let engine: Arc<OnceLock<Waker>> = Arc::default();
        let woken = engine.clone();
        let shared = self.adapters(Open::AtOnce, move |event| {
            if let Some(engine) = woken.get() {
                wake(engine, &event);
            }
        });
        let cx = self.cx_with(&self.profile, &shared);
        let started = Engine::start(cx.clone(), pace)?;
        // It is set once.
        let _ = engine.set(started.waker());
        Ok((cx, started))
    }

    fn adapters(&self, open: Open, listener: impl Fn(Event) + Send + Sync + 'static) -> Shared {
        // On a server that is the user's own, deck brings no configuration.
        let own = self.socket.as_str() != "default";
        let mux = TmuxMux::new(&self.config.tmux.program, &self.socket, &self.paths.run, own, open)
            .until(self.cancel.clone())
            .listen(listener);
        let mux = Servers::new(mux, &self.config.tmux.program, &self.paths.run);
        Shared {
            mux: Arc::new(mux),
            reports: Arc::new(SystemReports::new(self.paths.state.join("conversations"))),
            history: Arc::new(HistoryFiles::new(self.paths.state.join("history"))),
            installation: Arc::new(self.installation()),
        }
    }

    fn cx_with(&self, profile: &ProfileName, shared: &Shared) -> Cx {
        Cx {
            mux: shared.mux.clone(),
            reports: shared.reports.clone(),
            host: Arc::new(SystemHost),
            git: Arc::new(GitProgram),
            folders: Arc::new(SystemFolders),
            clock: Arc::new(SystemClock),
            tools: self.live_tools.clone(),
            history: shared.history.clone(),
            mcp_servers: self.live_mcps.clone(),
            conversations: Arc::new(ConversationFiles::until(self.cancel.clone())),
            headless: Arc::new(SystemHeadless),
            shells: Arc::new(self.shells(profile)),
            installation: shared.installation.clone(),
            profile: Arc::new(ProfileCx {
                name: profile.clone(),
                store: Arc::new(self.profiles.file(profile).until(self.cancel.clone())),
            }),
            caller: Arc::new(self.caller(profile)),
            cancel: self.cancel.clone(),
        }
    }

    fn shells(&self, profile: &ProfileName) -> ShellFiles {
        let deck_home = self.paths.deck_home.as_ref().map(|p| p.to_string_lossy().into_owned());
        ShellFiles::new(self.paths.state.join("shells"), profile, deck_home)
    }

    fn installation(&self) -> Installation {
        Installation {
            home_key: self.paths.home_key(),
            deck_home: self.paths.deck_home.as_ref().map(|p| p.to_string_lossy().into_owned()),
            socket: self.socket.clone(),
            program: program(),
            files: self.paths.state.join("agents"),
            shell_limits: self.config.shells.limits(),
            shell_wrap: self.config.shells.wrap.clone(),
            limits: self.config.mcp.limits(),
            pass: self.config.mcp.pass.clone(),
            may_spawn: self.config.mcp.may_spawn.clone(),
            consent: self.config.mcp.consent(),
            state: self.paths.state.clone(),
            run: self.paths.run.clone(),
            mcp_protocol: self.config.mcp.protocol.clone(),
            location: self.config.worktree.location.clone(),
            submodules: self.config.worktree.submodules,
            expendable: self.config.worktree.expendable.clone(),
            copy_limit: u64::from(self.config.worktree.copy_limit) * 1_000_000,
            repositories: self.settings.repositories.clone(),
            roles: self.settings.roles.clone(),
        }
    }

    /// The size at which a new session of a profile will be seen: that of the last preview.
    fn preview_size(&self, profile: &ProfileName) -> (u16, u16) {
        let text = files::read_text(&self.paths.view(profile), files::MAX_BYTES);
        let kept = text.ok().and_then(|text| KeptView::parse(&text).preview);
        kept.filter(|_| self.config.ui.preview_fit).unwrap_or(UNSEEN)
    }

    fn caller(&self, profile: &ProfileName) -> Caller {
        Caller {
            env: self.env.vars().to_vec(),
            cwd: self.env.cwd.clone(),
            inside: self.env.get("DECK_SESSION_ID").and_then(SessionId::parse),
            scopes: None,
            ask_user: None,
            client: None,
            size: self.preview_size(profile),
            begun: None,
        }
    }

    /// The command that hands this terminal to a session on this server.
    pub fn attach_command(
        &self,
        server: &ServerId,
        session_name: &str,
        pane: Option<&PaneRef>,
    ) -> Option<Command> {
        // What a session on another server shows is its user's own.
        let pane = pane.filter(|pane| pane.server == self.socket);
        let inside = self.is_inside(server);
        tmux::attach_command(&self.config.tmux.program, server, session_name, pane, inside)
    }

    /// Whether this deck runs in a pane of that server: then it can't attach, only switch.
    fn is_inside(&self, server: &ServerId) -> bool {
        let path = tmux::socket_path(server, self.env.get("TMUX_TMPDIR"));
        self.env
            .get("TMUX")
            .and_then(|t| t.split(',').next())
            .is_some_and(|t| path == std::path::Path::new(t))
    }

    /// Whether a server listens on the socket.
    pub fn server_is_live(&self) -> bool {
        tmux::socket_is_live(&self.socket, self.env.get("TMUX_TMPDIR"))
    }
}

/// The settings, and the tools that they and the tool files make up.
pub fn read_settings(paths: &Paths, env: &Environment) -> (Loaded, Registry) {
    let mut settings = config::load(&paths.config_file);
    let tools = tools_of(paths, &settings);
    drop_unknown_tools(&mut settings, &tools, env);
    (settings, tools)
}

/// The tools that the tool files and these settings make up.
pub fn tools_of(paths: &Paths, settings: &Loaded) -> Registry {
    Registry::load(&paths.tools, &paths.config_file, &settings.text, &settings.tools)
}

/// Tools in the settings that there aren't count as none: for new sessions, which may be of a program, and for deck's MCP
/// server.
pub fn drop_unknown_tools(settings: &mut Loaded, tools: &Registry, env: &Environment) {
    let all = tools.all();
    let unknown = |settings: &Loaded, key: &str, name: &str| {
        let near = nearest(name, all.iter().map(|e| e.tool.name.as_str()));
        let near = near.map(|n| format!("; did you mean `{n}`?")).unwrap_or_default();
        settings.problem(key, format!("`{key}`: unknown tool \"{name}\"{near}"))
    };
    for name in std::mem::take(&mut settings.config.mcp.pass) {
        if tools.tool(&name).is_some() {
            settings.config.mcp.pass.push(name);
        } else {
            settings.problems.push(unknown(settings, "mcp.pass", &name));
        }
    }
    // An unknown one stays in the list: an empty list would allow all.
    for name in settings.config.mcp.may_spawn.clone() {
        if tools.tool(&name).is_none() {
            settings.problems.push(unknown(settings, "mcp.may_spawn", &name));
        }
    }
    let name = settings.config.default_tool.trim().to_owned();
    let path = env.get("PATH").unwrap_or_default();
    let is_program = || crate::sys::spawn::find_program(&name, path, std::path::Path::new("/")).is_some();
    // Of a command line, only a shell knows what it starts.
    if name.contains(char::is_whitespace) || name.is_empty() || tools.tool(&name).is_some() || is_program() {
        return;
    }
    settings.problems.push(unknown(settings, "default_tool", &name));
    settings.config.default_tool.clear();
}

/// What is wrong with tools.
pub fn tool_problems(tools: &Registry) -> Vec<Problem> {
    let one = |p: &crate::tools::Problem| {
        Problem::new(&p.path, p.line, format!("tool `{}`: {}", p.tool, p.message))
            .about(format!("tools.{}", p.tool))
    };
    tools.problems().iter().map(one).collect()
}

/// Has an engine look at what an event on the server is about.
pub fn wake(engine: &Waker, event: &Event) {
    match event {
        Event::Activity => engine.wake(),
        Event::Structure | Event::Ended => engine.changed(),
    }
}

/// Puts a hook's note on its session without waiting for it. `tmux` and `pane` are the agent's own
/// `TMUX` and `TMUX_PANE`.
///
/// # Errors
/// The system's error when nothing could be started.
pub fn note_hook(session: &SessionId, tmux: &str, pane: &str, note: &HookNote) -> std::io::Result<()> {
    tmux::put_hook_note(tmux::HookPlace { session, tmux, pane }, note)
}

/// The verb by which deck starts [`guard_connection`].
pub const GUARD_VERB: &str = tmux::guard::VERB;

/// Sees the tmux client of a deck out: `note` is locked for as long as that deck lives.
///
/// # Errors
/// The system's error when it can't be done in order.
pub fn guard_connection(note: &std::path::Path) -> std::io::Result<()> {
    tmux::guard::run(note)
}

/// Runs a job of a headless shell, or an MCP server, if this process was started for that. It is asked before the command
/// line is parsed: each command that is run, and each agent that starts, waits for it.
pub fn run_behind() -> Option<std::process::ExitCode> {
    let all: Option<Vec<String>> = std::env::args_os().skip(1).map(|word| word.into_string().ok()).collect();
    if let Some(code) = all.and_then(|all| mcp_servers::dispatch(&all)) {
        return Some(code);
    }
    let mut words = std::env::args_os().skip(1);
    let verb = words.next()?;
    if verb == shells::repl::VERB {
        let folder = words.next()?;
        return Some(match shells::repl::lead(std::path::Path::new(&folder)) {
            Ok(code) => code.into(),
            Err(error) => {
                // Into the job's own stderr.
                let _ =
                    std::io::Write::write_all(&mut std::io::stderr(), format!("deck: {error}\n").as_bytes());
                std::process::ExitCode::FAILURE
            }
        });
    }
    if verb != shells::supervisor::VERB {
        return None;
    }
    let folder = words.next()?;
    let result = shells::supervisor::supervise(std::path::Path::new(&folder));
    Some(if result.is_ok() { std::process::ExitCode::SUCCESS } else { std::process::ExitCode::FAILURE })
}

/// deck's own program, by absolute path.
fn program() -> String {
    std::env::current_exe().map_or_else(|_| "deck".to_owned(), |p| p.to_string_lossy().into_owned())
}

/// Why a file could not be read, without the file's name.
fn with_cause(error: &dyn std::error::Error) -> String {
    let cause = error.source().map_or_else(|| error.to_string(), ToString::to_string);
    format!("can't be read: {}", cause.trim())
}

/// What can't be done with a profile.
#[derive(Debug)]
pub struct ProfilesProblem {
    /// What happened, with its cause.
    pub message: String,
    pub hint: Option<Hint>,
    pub kind: ProblemKind,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ProblemKind {
    Failed,
    NotFound,
    /// Something would have been lost.
    Refused,
}

impl From<ProfilesError> for ProfilesProblem {
    fn from(error: ProfilesError) -> Self {
        let (kind, hint) = match &error {
            ProfilesError::Missing(_) => (ProblemKind::NotFound, Some(Hint::ListProfiles)),
            ProfilesError::NotEmpty { name, .. } => {
                (ProblemKind::Refused, Some(Hint::EmptyProfile(name.clone())))
            }
            ProfilesError::Taken(_) => (ProblemKind::Failed, Some(Hint::UseOtherName)),
            ProfilesError::Store(_) => (ProblemKind::Failed, None),
        };
        let cause = std::error::Error::source(&error).map(|c| format!(": {c}")).unwrap_or_default();
        Self { message: format!("{error}{cause}"), hint, kind }
    }
}
