//! A deck on fakes, with tools of its own.

use std::sync::Arc;

use super::*;
use crate::domain::group::GroupPath;
use crate::domain::id::ProfileName;
use crate::domain::mcp_servers::{AgentFile, ServerEntries};
use crate::domain::screen::{ChoiceSpec, ComposerSpec, RegionSpec, RuleSpec};
use crate::domain::tool::{Fallback, ResumeKind, Tool};
use crate::ports::fake::{
    Composer, FakeClock, FakeGit, FakeHistory, FakeHost, FakeMcpServers, FakeMux, FakeReports, FakeShells,
    FakeStore, FakeTools, Frame,
};

pub struct World {
    pub mux: Arc<FakeMux>,
    pub store: Arc<FakeStore>,
    pub clock: Arc<FakeClock>,
    pub host: Arc<FakeHost>,
    pub reports: Arc<FakeReports>,
    pub shells: Arc<FakeShells>,
    pub mcp_servers: Arc<FakeMcpServers>,
    pub cx: Cx,
    pub watcher: Watcher,
}

impl World {
    pub fn new() -> Self {
        let minted = Tool {
            name: "mint".into(),
            command: "mint".into(),
            resume: Some(ResumeKind::Minted),
            new_id_flag: Some("--id".into()),
            resume_flag: Some("--resume".into()),
            session_id_env: Some("MINT_ID".into()),
            mcp: crate::domain::tool::McpServer {
                args: vec!["--mcp={scopes}".into()],
                servers: ServerEntries {
                    stdio: "\"{name}\":\"{set}\"".into(),
                    file: "{{entries}}".into(),
                    args: vec!["--servers={file}".into()],
                    ..ServerEntries::default()
                },
                read: vec![AgentFile {
                    file: vec!["{project}/.mint.json".into()],
                    at: vec!["servers".into()],
                    source: Some(crate::domain::mcp_servers::Source::Project),
                }],
                ..Default::default()
            },
            busy_patterns: vec!["working".into()],
            prompt_patterns: vec!["[y/n]".into()],
            ..Tool::default()
        };
        let (store, clock) = (Arc::<FakeStore>::default(), Arc::<FakeClock>::default());
        let mux = Arc::new(FakeMux::at(clock.clone()));
        let (host, reports) = (Arc::<FakeHost>::default(), Arc::<FakeReports>::default());
        let shells = Arc::<FakeShells>::default();
        let mcp_servers = Arc::<FakeMcpServers>::default();
        let installation =
            Installation { home_key: "/home".into(), socket: "s".into(), ..Installation::default() };
        let cx = Cx {
            mux: mux.clone(),
            reports: reports.clone(),
            host: host.clone(),
            git: Arc::<FakeGit>::default(),
            folders: Arc::<crate::ports::fake::FakeFolders>::default(),
            clock: clock.clone(),
            tools: Arc::new(FakeTools::of(vec![minted, asker(), captured(), composer(), liner()])),
            history: Arc::<FakeHistory>::default(),
            mcp_servers: mcp_servers.clone(),
            conversations: Arc::<crate::ports::fake::FakeConversations>::default(),
            headless: Arc::<crate::ports::fake::FakeHeadless>::default(),
            shells: shells.clone(),
            installation: Arc::new(installation),
            profile: Arc::new(ProfileCx { name: ProfileName::default(), store: store.clone() }),
            caller: Arc::default(),
            cancel: crate::ops::Cancel::default(),
        };
        Self { mux, store, clock, host, reports, shells, mcp_servers, cx, watcher: Watcher::new() }
    }

    pub fn add(&self, title: &str) -> SessionId {
        create(&self.cx, &self.new_session(title)).unwrap().session.id
    }

    pub fn new_session(&self, title: &str) -> New {
        New {
            path: "/src".into(),
            title: Some(title.into()),
            command: Some("mint".into()),
            group: GroupPath::parse("work").unwrap(),
            start: true,
            ..New::default()
        }
    }

    /// Looks a second later, with the screen as it is now.
    pub fn state(&mut self, id: &SessionId) -> String {
        self.clock.pass(1);
        *self.mux.now.lock().unwrap() += 1;
        let snapshot = self.watcher.tick(&self.cx).unwrap();
        let v = &snapshot.state(id).unwrap().verdict;
        let reason = v.reason.as_ref().map(|r| format!(" {r}")).unwrap_or_default();
        format!("{}{reason}", v.status)
    }

    pub fn show(&self, title: &str, screen: &str) {
        let now = *self.mux.now.lock().unwrap() + 1;
        self.mux.change(title, |s| (s.screen, s.activity) = (screen.to_owned(), now));
    }
}

/// A tool whose dialogs can be read.
fn asker() -> Tool {
    let choices = ChoiceSpec {
        rules: vec!["prompt_patterns".into()],
        region: "last".into(),
        option: r"^(?P<cursor>❯ |  )(?P<number>\d+)\. (?P<label>\S.*)$".into(),
        ..ChoiceSpec::default()
    };
    Tool {
        name: "asker".into(),
        command: "mint".into(),
        prompt_patterns: vec!["Proceed?".into()],
        choices: vec![choices],
        ..Tool::default()
    }
}

/// A tool whose ids come from a headless run.
fn captured() -> Tool {
    Tool {
        name: "cap".into(),
        command: "mint".into(),
        resume: Some(ResumeKind::Capture),
        resume_flag: Some("--resume".into()),
        session_id_env: Some("CAP_ID".into()),
        busy_patterns: vec!["working".into()],
        ..Tool::default()
    }
}

/// A tool whose input field can be read.
pub fn composer() -> Tool {
    let choices = ChoiceSpec {
        rules: vec!["prompt_patterns".into()],
        region: "last".into(),
        option: r"^(?P<cursor>❯ |  )(?P<number>\d+)\. (?P<label>\S.*)$".into(),
        ..ChoiceSpec::default()
    };
    let prompt = RuleSpec {
        name: "prompt".into(),
        region: "input".into(),
        any: vec!["re:^>".into()],
        is: "ready".into(),
        ..RuleSpec::default()
    };
    Tool {
        name: "composer".into(),
        command: "composer".into(),
        regions: [("input".to_owned(), RegionSpec { start: vec!["^>".into()], ..RegionSpec::default() })]
            .into(),
        rules: vec![prompt],
        busy_patterns: vec!["working".into()],
        prompt_patterns: vec!["Proceed?".into()],
        choices: vec![choices],
        composer: ComposerSpec {
            region: "input".into(),
            frame: Some("^> ?".into()),
            commands: Some("^/".into()),
            ..ComposerSpec::default()
        },
        fallback: Fallback::Unknown,
        ..Tool::default()
    }
}

/// A tool that reads lines: nothing of its input field is known.
fn liner() -> Tool {
    Tool { name: "liner".into(), command: "liner".into(), ..Tool::default() }
}

impl World {
    /// A session of a tool that has been up for long, and plays this program.
    pub fn running(
        &self,
        tool: &str,
        screen: &str,
        agent: impl crate::ports::fake::Agent + 'static,
    ) -> SessionId {
        let new = New { command: Some(tool.into()), ..self.new_session("a") };
        let id = create(&self.cx, &new).unwrap().session.id;
        self.clock.pass(600);
        self.mux.play("a", vec![Frame::at(0, screen)], agent);
        id
    }

    /// A session of the tool with an input field.
    pub fn composing(&self, agent: Composer) -> SessionId {
        let screen = Composer::screen(agent.typed());
        self.running("composer", &screen, agent)
    }
}
