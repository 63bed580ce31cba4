//! The form as it is opened: what it proposes before its user has typed anything.

use super::super::Line;
use super::NewSession;
use super::make_folder::MakeFolder;
use super::path::{Offer, tilde};
use super::servers::Servers;
use crate::app::effect::Effect;
use crate::app::state::{Model, Switch, SwitchDoes};

impl NewSession {
    /// The form for a session like the selected one: its folder, command, group and arguments.
    pub fn like(model: &Model) -> (Self, Vec<Effect>) {
        let (mut form, _) = Self::open(model);
        if let Some(session) = model.session() {
            form.path.set(&tilde(&session.project_path, model));
            let tools = &model.app.settings.tools;
            match tools.iter().position(|t| t.name == session.tool && session.command == session.tool) {
                Some(at) => form.tool = at,
                None => {
                    form.tool = tools.len();
                    let args = crate::domain::quote::sh_join(&session.args);
                    form.command.set(format!("{} {args}", session.command).trim_end());
                }
            }
            form.options = tools.get(form.tool).map_or_else(Vec::new, |t| {
                let has = |switch: &Switch| match &switch.does {
                    SwitchDoes::Args(args) => session.args.windows(args.len().max(1)).any(|w| w == *args),
                    SwitchDoes::Server => !session.mcp.is_empty(),
                };
                t.options.iter().map(has).collect()
            });
            form.servers.own = session.mcps.clone();
            form.takes_servers = tools.get(form.tool).is_some_and(|t| t.takes_servers);
            form.titled = false;
        }
        let mut effects = form.changed(model);
        effects.push(Effect::McpServers);
        (form, effects)
    }

    /// The form for a session beside the selected one, and its first effects.
    pub fn open(model: &Model) -> (Self, Vec<Effect>) {
        let here = model.here();
        let of_group = model.record().group(&here).and_then(|g| g.default_path.clone());
        let of_session = model.session().map(|s| s.project_path.clone());
        let cwd = model.app.settings.cwd.to_string_lossy().into_owned();
        let path = of_group.or(of_session).unwrap_or(cwd);
        let tools = &model.app.settings.tools;
        let wanted = model.session().map(|s| s.tool.clone());
        let by_name = |name: &str| tools.iter().position(|t| t.name == name && t.found);
        let tool = wanted
            .as_deref()
            .and_then(by_name)
            .or_else(|| by_name(&model.app.settings.default_tool))
            .or_else(|| tools.iter().position(|t| t.found))
            .unwrap_or(0);
        let mut form = Self {
            at: 0,
            path: Line::new(&tilde(&path, model)),
            branch: Line::default(),
            in_repository: false,
            tool,
            command: Line::default(),
            title: Line::default(),
            titled: false,
            group: Line::new(here.as_str()),
            options: Vec::new(),
            option: 0,
            servers: Servers::default(),
            takes_servers: false,
            prompt: Line::default(),
            number: 0,
            plan: None,
            planned: 0,
            enter_waits: false,
            offer: Offer::whole(),
            make: MakeFolder::default(),
            whole: None,
            consent: None,
            completions: Vec::new(),
            chosen: false,
        };
        form.reset_options(model);
        let mut effects = form.changed(model);
        effects.push(Effect::McpServers);
        if model.app.versions.is_empty() {
            effects.push(Effect::Versions);
        }
        (form, effects)
    }
}
