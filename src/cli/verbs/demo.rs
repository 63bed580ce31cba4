//! `deck demo`: a throw-away deck with simulated agents.

use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};

use crate::cli::error::CliError;
use crate::cli::output::Out;
use crate::config::paths::Environment;
use crate::domain::group::GroupPath;
use crate::domain::id::SessionId;
use crate::ops::{self, Cx, New};
use crate::sys::files;
use crate::wiring::Wiring;

/// Try deck with simulated agents.
#[derive(Debug, clap::Args)]
#[command(
    after_help = "The demo uses its own temporary folder and tmux server; both are removed on exit.\n\nExamples:\n  deck demo\n  deck demo --keep             leave it running and print where it is"
)]
pub struct Args {
    /// Start the agents and print how to open the TUI, without opening it.
    #[arg(long)]
    keep: bool,
}

/// The stand-in agent and its tool file.
const AGENT: &str = include_str!("../../../assets/demo/agent");
const TOOL: &str = include_str!("../../../assets/demo/stand-in.toml");

/// The demo's sessions: title, group, what it plays, the one it belongs under.
const SESSIONS: &[(&str, &str, &str, Option<&str>)] = &[
    ("scratch", "", "idle", None),
    ("api", "backend", "ask", None),
    ("billing", "backend", "work", None),
    ("billing-tests", "backend", "sub", Some("billing")),
    ("docs", "backend", "finish", None),
    ("website", "frontend", "question", None),
    ("icons", "frontend", "work", None),
    ("flaky", "experiments", "crash", None),
    ("old-idea", "experiments", "idle", None),
];

/// The session that is not started: a demo shows a stopped one too.
const STOPPED: &str = "old-idea";

pub(super) fn run(args: &Args, env: &Environment, out: &Out) -> Result<(), CliError> {
    use std::io::IsTerminal;
    let on_terminal = std::io::stdout().is_terminal() && std::io::stdin().is_terminal();
    if !args.keep && !on_terminal {
        return Err(
            CliError::usage("the demo needs a terminal").hint("`deck demo --keep` starts it without the TUI")
        );
    }
    let private = std::fs::Permissions::from_mode(0o700);
    let folder = tempfile::Builder::new().prefix("deck-demo-").permissions(private).tempdir()?;
    let home = folder.path().canonicalize()?;
    let wiring = lay_out(&home, env)?;
    let demo = Demo { wiring };
    demo.start()?;
    if args.keep {
        // Kept on purpose: the user asked for it and is shown where it is.
        let home = folder.keep();
        let (home, socket) = (home.display(), std::mem::ManuallyDrop::new(demo).wiring.socket.clone());
        out.line(&format!("DECK_HOME={home} deck -p demo"))?;
        out.note(&format!(
            "the demo's agents run until you end them: `tmux -L {socket} kill-server`, then delete {home}"
        ));
        return Ok(());
    }
    let result = crate::tui::run(&demo.wiring);
    drop(demo);
    result?;
    out.note("the demo was removed; run `deck` to open your own sessions");
    Ok(())
}

/// Makes the demo's folder: its tool, its agent, folders to work in.
fn lay_out(home: &Path, env: &Environment) -> Result<Wiring, CliError> {
    let bin = home.join("bin");
    files::make_dir(&home.join("tools"))?;
    files::make_dir(&home.join("conversations"))?;
    files::make_dir(&bin)?;
    files::create_new(&home.join("tools/stand-in.toml"), TOOL.as_bytes(), 0o600)?;
    files::create_new(&bin.join("deck-demo-agent"), AGENT.as_bytes(), 0o700)?;
    for (title, ..) in SESSIONS {
        files::make_dir(&home.join("src").join(title))?;
    }
    let path = format!("{}:{}", bin.display(), env.get("PATH").unwrap_or("/usr/bin:/bin"));
    let home_text = home.to_string_lossy().into_owned();
    let kept = env.vars().iter().filter(|(k, _)| !k.starts_with("DECK_") && k != "PATH");
    let mut vars: Vec<(&str, &str)> = kept.map(|(k, v)| (k.as_str(), v.as_str())).collect();
    vars.extend([("PATH", path.as_str()), ("DECK_HOME", home_text.as_str())]);
    let demo_env = Environment::new(&vars, &home.join("src"));
    Ok(Wiring::new(demo_env, Some("demo"))?)
}

/// The running demo. When it is dropped its agents and its server end.
struct Demo {
    wiring: Wiring,
}

impl Demo {
    fn start(&self) -> Result<(), CliError> {
        let cx = self.wiring.cx();
        let mut made: Vec<(&str, SessionId)> = Vec::new();
        for (title, group, play, parent) in SESSIONS {
            let parent = parent.and_then(|p| made.iter().find(|(t, _)| *t == p)).map(|(_, id)| id.clone());
            let path: PathBuf = self.wiring.env.cwd.join(title);
            let group = if group.is_empty() { GroupPath::root() } else { GroupPath::parse(group)? };
            let new = New {
                path,
                title: Some((*title).to_owned()),
                command: Some("stand-in".to_owned()),
                group,
                parent,
                args: vec![(*play).to_owned()],
                start: *title != STOPPED,
                ..New::default()
            };
            made.push((title, ops::create(&cx, &new)?.session.id));
        }
        Ok(())
    }

    fn end(cx: &Cx) {
        let sessions = cx.profile.store.load().map(|l| l.profile.sessions).unwrap_or_default();
        for session in sessions {
            // Each is tried, whatever became of the others; the server's end takes the rest.
            let _ = ops::stop(cx, &session.id, ops::Terminals::End);
        }
        let _ = cx.mux.shut_down();
    }
}

impl Drop for Demo {
    fn drop(&mut self) {
        Self::end(&self.wiring.cx());
    }
}
