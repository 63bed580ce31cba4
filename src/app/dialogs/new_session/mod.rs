//! The new-session form: one page that shows errors beside their fields, and the exact command while it is
//! filled in.

mod complete;
mod consent;
mod fields;
mod make_folder;
mod open;
mod path;
mod servers;
mod show;
mod whole_command;

use std::sync::Arc;

use self::fields::{FIELDS, Field};
use self::make_folder::MakeFolder;
use self::path::{Offer, expand};
use self::servers::Servers;
use super::{Dialog, Line, Pager, Step};
use crate::app::done::{Done, NotPrepared, Prepared};
use crate::app::effect::Effect;
use crate::app::key::{Key, KeyCode};
use crate::app::panel::{Block, Panel};
use crate::app::state::{Model, SwitchDoes};
use crate::domain::group::GroupPath;
use crate::domain::mcp_servers::McpChoice;
use crate::domain::text;
use crate::ops::worktree::branch_title;
use crate::ops::{McpWish, New, default_title};

/// The form.
#[derive(Debug)]
pub struct NewSession {
    at: usize,
    path: Line,
    /// The branch of the worktree; empty to work in the folder as it is.
    branch: Line,
    /// Whether the folder was in a repository when that was last known.
    in_repository: bool,
    tool: usize,
    command: Line,
    title: Line,
    titled: bool,
    group: Line,
    options: Vec<bool>,
    option: usize,
    servers: Servers,
    /// Whether the tool's agents can be given any.
    takes_servers: bool,
    prompt: Line,
    /// Distinguishes answers to this state from those to an earlier one.
    number: u64,
    plan: Option<Result<Prepared, NotPrepared>>,
    /// The state that the plan is for.
    planned: u64,
    /// Whether the session is to be added as soon as its plan is there.
    enter_waits: bool,
    /// The folders that are offered for the path.
    offer: Offer,
    make: MakeFolder,
    /// The whole command, while it is shown in place of the form.
    whole: Option<Pager>,
    /// What is to be allowed, while it is shown in place of the form.
    consent: Option<Pager>,
    completions: Vec<String>,
    /// Whether the user chose the tool.
    chosen: bool,
}

impl NewSession {
    /// Until the user chooses a tool, it is the one that was used last in the folder.
    fn follow_folder(&mut self, path: &std::path::Path, model: &Model) {
        let sessions = model.record().sessions.iter();
        let here = sessions.filter(|s| std::path::Path::new(&s.project_path) == path);
        let Some(last) = here.max_by_key(|s| s.created_at).filter(|_| !self.chosen) else { return };
        let tools = &model.app.settings.tools;
        let at = tools.iter().position(|t| t.name == last.tool && t.found);
        if let Some(at) = at.filter(|at| *at != self.tool) {
            self.tool = at;
            self.reset_options(model);
        }
    }

    /// What the form asks for, or which field is wrong and why.
    fn new_session(&self, model: &Model) -> Result<New, (Field, String)> {
        let path = expand(self.path.text(), model);
        if self.path.text().trim().is_empty() {
            return Err((Field::Path, "a folder is required".to_owned()));
        }
        let group = match self.group.text().trim() {
            "" => GroupPath::root(),
            text => GroupPath::parse(text).map_err(|e| (Field::Group, e.to_string()))?,
        };
        let tool = model.app.settings.tools.get(self.tool);
        let command = match tool {
            Some(tool) => tool.name.clone(),
            None if self.command.text().trim().is_empty() => {
                return Err((Field::Tool, "type the command".to_owned()));
            }
            None => self.command.text().to_owned(),
        };
        let switches = tool.map(|t| t.options.iter().zip(&self.options)).into_iter().flatten();
        let (mut args, mut mcp) = (Vec::new(), McpWish::None);
        for switch in switches.filter(|(_, on)| **on).map(|(switch, _)| switch) {
            match &switch.does {
                SwitchDoes::Args(more) => args.extend(more.clone()),
                SwitchDoes::Server => mcp = McpWish::Usual,
            }
        }
        let title = Some(self.title.text().trim().to_owned()).filter(|t| !t.is_empty());
        let prompt = Some(self.prompt.text().trim().to_owned()).filter(|p| !p.is_empty());
        Ok(New {
            path,
            title,
            command: Some(command),
            group,
            prompt,
            args,
            mcp,
            mcps: if self.has(Field::Servers) { self.servers.own.clone() } else { McpChoice::default() },
            worktree: self.wish(),
            start: true,
            ..New::default()
        })
    }

    /// After any change: the title follows the path, and the command is asked for again.
    fn changed(&mut self, model: &Model) -> Vec<Effect> {
        self.number += 1;
        self.enter_waits = false;
        self.offer.stop_waiting();
        let path = expand(self.path.text(), model);
        self.follow_folder(&path, model);
        if !self.titled {
            let title = match self.branch.text().trim() {
                "" => default_title(model.record(), &path),
                branch => branch_title(model.record(), &text::clean(branch)),
            };
            self.title = Line::proposal(&title);
        }
        match self.new_session(model) {
            Ok(new) => vec![Effect::Prepare(self.number, Box::new(new))],
            Err(_) => {
                self.plan = None;
                Vec::new()
            }
        }
    }

    /// Adds the session, as soon as it is known that this can be done.
    fn enter(&mut self, model: &Model) -> Step {
        match (self.new_session(model), &self.plan) {
            (Err((field, _)), _) => self.focus(field),
            (Ok(_), Some(_) | None) if self.planned != self.number => self.enter_waits = true,
            (Ok(_), Some(Ok(plan))) if plan.asks().is_some() => self.ask_for_consent(model),
            (Ok(new), Some(Ok(_))) => return Step::Answer(vec![Effect::Create(Box::new(new))]),
            (Ok(_), Some(Err(refused))) if refused.no_folder => self.ask_for_folder(),
            // It may be possible by now.
            (Ok(_), _) => return Step::Stay(self.changed(model)),
        }
        Step::Stay(Vec::new())
    }
}

impl Dialog for NewSession {
    fn key(&mut self, key: Key, model: &Model) -> Step {
        let special = self.whole_key(key, model).or_else(|| self.consent_key(key, model));
        let special = special.or_else(|| self.make_key(key, model));
        if let Some(step) = special.or_else(|| self.list_key(key, model)) {
            return step;
        }
        match key.code {
            KeyCode::Esc => return Step::Close,
            KeyCode::Enter => return self.enter(model),
            KeyCode::Char('o') if key.ctrl => self.show_whole(model),
            KeyCode::Char('e') if key.ctrl && self.field() == Field::Prompt => {
                return Step::Stay(vec![Effect::Edit(self.prompt.text().to_owned())]);
            }
            KeyCode::Tab if self.field() == Field::Group => return self.complete_group(model),
            KeyCode::Tab | KeyCode::Down => self.go(1),
            KeyCode::BackTab | KeyCode::Up => self.go(-1),
            _ if self.choose(key, model) => return Step::Stay(self.changed(model)),
            KeyCode::Char(_) if !key.ctrl && !key.alt => return self.edit(model, |line| line.key(key)),
            _ if self.line(model).is_some() => return self.edit(model, |line| line.key(key)),
            _ => {}
        }
        Step::Stay(Vec::new())
    }

    fn click(&mut self, block: usize, piece: usize, model: &Model) -> Step {
        if self.whole.is_some() || self.consent.is_some() {
            return Step::Stay(Vec::new());
        }
        let panel = self.panel(model);
        let label = match panel.blocks.get(block) {
            Some(Block::Field { label, .. } | Block::Choices { label, .. }) => label.clone(),
            Some(Block::Item { .. }) => {
                let before = panel.blocks.iter().take(block);
                let at = before.filter(|b| matches!(b, Block::Item { .. })).count();
                return self.click_folder(at, model);
            }
            Some(Block::Line(_)) if block + 1 == panel.blocks.len() => {
                self.show_whole(model);
                return Step::Stay(Vec::new());
            }
            _ => return Step::Stay(Vec::new()),
        };
        let Some(at) = FIELDS.iter().position(|f| f.label() == label) else { return Step::Stay(Vec::new()) };
        self.at = at;
        self.make = MakeFolder::default();
        match self.field() {
            Field::Tool => {
                let found = model.app.settings.tools.iter().enumerate().filter(|(_, t)| t.found);
                let tools: Vec<usize> = found.map(|(i, _)| i).collect();
                match tools.get(piece) {
                    Some(tool) => self.tool = *tool,
                    None if piece == tools.len() => self.tool = model.app.settings.tools.len(),
                    None => return Step::Stay(Vec::new()),
                }
                self.chosen = true;
                self.reset_options(model);
            }
            Field::Options => {
                let Some(on) = self.options.get_mut(piece) else { return Step::Stay(Vec::new()) };
                *on = !*on;
                self.option = piece;
            }
            Field::Servers => self.servers.click(piece, self.group.text(), model),
            _ => {}
        }
        Step::Stay(self.changed(model))
    }

    fn paste(&mut self, pasted: &str, model: &Model) -> Step {
        if self.whole.is_some() || self.consent.is_some() {
            return Step::Stay(Vec::new());
        }
        self.make = MakeFolder::default();
        let is_prompt = self.field() == Field::Prompt;
        let pasted = pasted.replace("\r\n", "\n").replace('\r', "\n");
        let text = if is_prompt {
            pasted.chars().filter(|c| *c == '\n' || !c.is_control()).collect()
        } else {
            text::clean(&pasted)
        };
        self.edit(model, |line| {
            line.insert(&text);
            true
        })
    }

    fn answer(&mut self, done: &Done, model: &Model) -> Step {
        match done {
            Done::McpServers(catalogue) => self.servers.catalogue = Some(Arc::clone(catalogue)),
            Done::Edited(text) => self.prompt.set(text.trim_end_matches('\n')),
            Done::Prepared(number, plan) if *number == self.number => {
                (self.plan, self.planned) = (Some(plan.clone()), *number);
                if let Ok(plan) = plan {
                    self.in_repository = plan.in_repository;
                }
                if std::mem::take(&mut self.enter_waits) {
                    return self.enter(model);
                }
            }
            Done::Folders(number, found) if *number == self.number => return self.found(found, model),
            Done::FolderMade(number, made) if *number == self.number => {
                return self.folder_made(made, model);
            }
            _ => {}
        }
        Step::Stay(Vec::new())
    }

    fn panel(&self, model: &Model) -> Panel {
        match (&self.whole, &self.consent) {
            (Some(pager), _) => pager.panel(model),
            (None, Some(pager)) => consent::panel(pager, model),
            (None, None) => self.shown(model),
        }
    }
}
