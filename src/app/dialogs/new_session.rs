//! The new-session form: one screen, errors beside their field, and the exact command live.

use super::{Dialog, Line, Step, common_start, keys};
use crate::app::effect::{Done, Effect};
use crate::app::key::{Key, KeyCode};
use crate::app::model::Model;
use crate::app::panel::{Block, Panel, Role, Span, span};
use crate::domain::group::GroupPath;
use crate::domain::text;
use crate::ops::{New, default_title};

/// A field of the form.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Field {
    Path,
    Tool,
    Title,
    Group,
    Options,
    Prompt,
}

/// Completions that are shown at once.
const OFFERED: usize = 8;

const FIELDS: [Field; 6] =
    [Field::Path, Field::Tool, Field::Title, Field::Group, Field::Options, Field::Prompt];

/// The form.
#[derive(Debug)]
pub struct NewSession {
    at: usize,
    path: Line,
    tool: usize,
    command: Line,
    title: Line,
    titled: bool,
    group: Line,
    options: Vec<bool>,
    option: usize,
    prompt: Line,
    /// Tells answers to this state from those to an earlier one.
    number: u64,
    plan: Option<Result<String, String>>,
    completions: Vec<String>,
    /// Whether the user chose the tool.
    chosen: bool,
}

impl NewSession {
    /// The form for a session like the selected one: its folder, command, group and arguments.
    pub fn like(model: &Model) -> (Self, Vec<Effect>) {
        let (mut form, _) = Self::open(model);
        if let Some(session) = model.session() {
            form.path.set(&tilde(&session.project_path, model));
            let tools = &model.settings.tools;
            match tools.iter().position(|t| t.name == session.tool && session.command == session.tool) {
                Some(at) => form.tool = at,
                None => {
                    form.tool = tools.len();
                    let args = crate::domain::quote::sh_join(&session.args);
                    form.command.set(format!("{} {args}", session.command).trim_end());
                }
            }
            form.options = tools.get(form.tool).map_or_else(Vec::new, |t| {
                let has = |args: &[String]| session.args.windows(args.len().max(1)).any(|w| w == args);
                t.options.iter().map(|(_, args)| has(args)).collect()
            });
            form.titled = false;
        }
        let effects = form.changed(model);
        (form, effects)
    }

    /// The form for a session beside the selected one, and its first effects.
    pub fn open(model: &Model) -> (Self, Vec<Effect>) {
        let here = model.here();
        let of_group = model.snapshot.profile.group(&here).and_then(|g| g.default_path.clone());
        let of_session = model.session().map(|s| s.project_path.clone());
        let cwd = model.settings.cwd.to_string_lossy().into_owned();
        let path = of_group.or(of_session).unwrap_or(cwd);
        let tools = &model.settings.tools;
        let wanted = model.session().map(|s| s.tool.clone());
        let by_name = |name: &str| tools.iter().position(|t| t.name == name && t.found);
        let tool = wanted
            .as_deref()
            .and_then(by_name)
            .or_else(|| by_name(&model.settings.default_tool))
            .or_else(|| tools.iter().position(|t| t.found))
            .unwrap_or(0);
        let mut form = Self {
            at: 0,
            path: Line::new(&tilde(&path, model)),
            tool,
            command: Line::default(),
            title: Line::default(),
            titled: false,
            group: Line::new(here.as_str()),
            options: Vec::new(),
            option: 0,
            prompt: Line::default(),
            number: 0,
            plan: None,
            completions: Vec::new(),
            chosen: false,
        };
        form.reset_options(model);
        let mut effects = form.changed(model);
        if model.versions.is_empty() {
            effects.push(Effect::Versions);
        }
        (form, effects)
    }

    /// Until the user chooses a tool, it is the one that was used last in the folder.
    fn follow_folder(&mut self, path: &std::path::Path, model: &Model) {
        let sessions = model.snapshot.profile.sessions.iter();
        let here = sessions.filter(|s| std::path::Path::new(&s.project_path) == path);
        let Some(last) = here.max_by_key(|s| s.created_at).filter(|_| !self.chosen) else { return };
        let tools = &model.settings.tools;
        let at = tools.iter().position(|t| t.name == last.tool && t.found);
        if let Some(at) = at.filter(|at| *at != self.tool) {
            self.tool = at;
            self.reset_options(model);
        }
    }

    /// Folders that were used before, latest first.
    fn recent(model: &Model) -> Vec<String> {
        let mut sessions: Vec<_> = model.snapshot.profile.sessions.iter().collect();
        sessions.sort_by_key(|s| std::cmp::Reverse(s.created_at));
        let mut all: Vec<String> = Vec::new();
        for session in sessions {
            let path = tilde(&session.project_path, model);
            if !all.contains(&path) {
                all.push(path);
            }
        }
        all
    }

    fn field(&self) -> Field {
        FIELDS.get(self.at).copied().unwrap_or(Field::Path)
    }

    /// Whether the choice behind all tools is taken: a command of the user's own.
    fn is_custom(&self, model: &Model) -> bool {
        self.tool >= model.settings.tools.len()
    }

    fn reset_options(&mut self, model: &Model) {
        let count = model.settings.tools.get(self.tool).map_or(0, |t| t.options.len());
        self.options = vec![false; count];
        self.option = 0;
    }

    /// What the form asks for, or which field is wrong and why.
    fn new_session(&self, model: &Model) -> Result<New, (Field, String)> {
        let path = expand(self.path.text(), model);
        if self.path.text().trim().is_empty() {
            return Err((Field::Path, "a folder is needed".to_owned()));
        }
        let group = match self.group.text().trim() {
            "" => GroupPath::root(),
            text => GroupPath::parse(text).map_err(|e| (Field::Group, e.to_string()))?,
        };
        let tool = model.settings.tools.get(self.tool);
        let command = match tool {
            Some(tool) => tool.name.clone(),
            None if self.command.text().trim().is_empty() => {
                return Err((Field::Tool, "type the command".to_owned()));
            }
            None => self.command.text().to_owned(),
        };
        let chosen = tool.map(|t| t.options.iter().zip(&self.options)).into_iter().flatten();
        let args = chosen.filter(|(_, on)| **on).flat_map(|((_, args), _)| args.clone()).collect();
        let title = Some(self.title.text().trim().to_owned()).filter(|t| !t.is_empty());
        let prompt = Some(self.prompt.text().trim().to_owned()).filter(|p| !p.is_empty());
        Ok(New { path, title, command: Some(command), group, prompt, args, start: true, ..New::default() })
    }

    /// After any change: the title follows the path, and the command is asked for anew.
    fn changed(&mut self, model: &Model) -> Vec<Effect> {
        self.number += 1;
        let path = expand(self.path.text(), model);
        self.follow_folder(&path, model);
        if !self.titled {
            self.title.set(&default_title(&model.snapshot.profile, &path));
        }
        match self.new_session(model) {
            Ok(new) => vec![Effect::Prepare(self.number, Box::new(new))],
            Err(_) => {
                self.plan = None;
                Vec::new()
            }
        }
    }

    fn go(&mut self, by: isize) {
        let last = FIELDS.len();
        self.at = (self.at + last).saturating_add_signed(by) % last;
        if self.field() == Field::Options && self.options.is_empty() {
            self.at = (self.at + last).saturating_add_signed(by) % last;
        }
        self.completions.clear();
    }

    /// Left and right choose; space switches.
    fn choose(&mut self, key: Key, model: &Model) -> bool {
        let count = model.settings.tools.len() + 1;
        self.chosen |= self.field() == Field::Tool;
        match (self.field(), key.code) {
            (Field::Tool, KeyCode::Right) => self.next_tool(1, count, model),
            (Field::Tool, KeyCode::Left) => self.next_tool(count - 1, count, model),
            (Field::Tool, KeyCode::Char(' ')) if !self.is_custom(model) => self.next_tool(1, count, model),
            (Field::Options, KeyCode::Right) => self.option = (self.option + 1) % self.options.len().max(1),
            (Field::Options, KeyCode::Left) => {
                let last = self.options.len().max(1);
                self.option = (self.option + last - 1) % last;
            }
            (Field::Options, KeyCode::Char(' ')) => {
                if let Some(on) = self.options.get_mut(self.option) {
                    *on = !*on;
                }
            }
            _ => return false,
        }
        true
    }

    /// The next tool that is installed, or the command of one's own.
    fn next_tool(&mut self, by: usize, count: usize, model: &Model) {
        for _ in 0..count {
            self.tool = (self.tool + by) % count;
            if model.settings.tools.get(self.tool).is_none_or(|t| t.found) {
                break;
            }
        }
        self.reset_options(model);
    }

    fn line(&mut self, model: &Model) -> Option<&mut Line> {
        match self.field() {
            Field::Path => Some(&mut self.path),
            Field::Tool if self.is_custom(model) => Some(&mut self.command),
            Field::Title => Some(&mut self.title),
            Field::Group => Some(&mut self.group),
            Field::Prompt => Some(&mut self.prompt),
            Field::Tool | Field::Options => None,
        }
    }

    fn edit(&mut self, model: &Model, act: impl FnOnce(&mut Line) -> bool) -> Step {
        if self.field() == Field::Tool && !self.is_custom(model) {
            // Who types here means a command of his own.
            self.tool = model.settings.tools.len();
            self.reset_options(model);
        }
        let field = self.field();
        let touched = self.line(model).is_some_and(act);
        if !touched {
            return Step::Stay(Vec::new());
        }
        self.titled |= field == Field::Title;
        self.completions.clear();
        Step::Stay(self.changed(model))
    }

    /// Completes the group by the first that fits what was typed, then by the next; on when there is none.
    fn next_group(&mut self, model: &Model) -> Step {
        if self.completions.is_empty() {
            let typed = self.group.text().to_owned();
            let mut fit: Vec<String> =
                model.snapshot.profile.live_groups().map(|g| g.path.to_string()).collect();
            fit.retain(|p| p.starts_with(&typed) && *p != typed);
            fit.sort();
            self.completions = fit;
        } else {
            self.completions.rotate_left(1);
        }
        let Some(next) = self.completions.first().cloned() else {
            self.go(1);
            return Step::Stay(Vec::new());
        };
        self.group.set(&next);
        let offered = std::mem::take(&mut self.completions);
        let effects = self.changed(model);
        // The only one that fits is taken: the next tab goes on.
        self.completions = if offered.len() > 1 { offered } else { Vec::new() };
        Step::Stay(effects)
    }

    /// Completes the path or the group as far as it is clear.
    fn complete(&mut self, model: &Model) -> Step {
        if self.field() == Field::Group {
            return self.next_group(model);
        }
        if self.field() == Field::Path && self.path.text().trim().is_empty() {
            self.completions = Self::recent(model);
            if let Some(latest) = self.completions.first().cloned() {
                self.path.set(&latest);
            }
            let recent = std::mem::take(&mut self.completions);
            let effects = self.changed(model);
            self.completions = recent;
            return Step::Stay(effects);
        }
        // A path that ends in a slash is whole: tab then goes on, as it does everywhere else.
        if self.field() == Field::Path && !self.path.text().ends_with('/') {
            self.number += 1;
            return Step::Stay(vec![Effect::CompletePath(self.number, self.path.text().to_owned())]);
        }
        self.go(1);
        Step::Stay(Vec::new())
    }
}

fn expand(typed: &str, model: &Model) -> std::path::PathBuf {
    let home = model.settings.home.as_deref().unwrap_or("/");
    let typed = typed.trim();
    let path = match typed.strip_prefix('~') {
        Some("") => home.to_owned(),
        Some(rest) if rest.starts_with('/') => format!("{home}{rest}"),
        _ => typed.to_owned(),
    };
    let joined = model.settings.cwd.join(path);
    // A trailing slash is how completion ends; it is no part of the path.
    joined.components().collect()
}

fn tilde(path: &str, model: &Model) -> String {
    match model.settings.home.as_deref().and_then(|h| path.strip_prefix(h)) {
        Some(rest) if rest.is_empty() || rest.starts_with('/') => format!("~{rest}"),
        _ => path.to_owned(),
    }
}

impl Dialog for NewSession {
    fn key(&mut self, key: Key, model: &Model) -> Step {
        match key.code {
            KeyCode::Esc => return Step::Close,
            KeyCode::Enter => {
                return match (self.new_session(model), &self.plan) {
                    (Ok(new), Some(Ok(_))) => Step::Answer(vec![Effect::Create(Box::new(new))]),
                    (Ok(_), _) => Step::Stay(self.changed(model)),
                    (Err((field, _)), _) => {
                        self.at = FIELDS.iter().position(|f| *f == field).unwrap_or(self.at);
                        Step::Stay(Vec::new())
                    }
                };
            }
            KeyCode::Char('e') if key.ctrl && self.field() == Field::Prompt => {
                return Step::Stay(vec![Effect::Edit(self.prompt.text().to_owned())]);
            }
            KeyCode::Tab if matches!(self.field(), Field::Path | Field::Group) => {
                return self.complete(model);
            }
            KeyCode::Tab | KeyCode::Down => self.go(1),
            KeyCode::BackTab | KeyCode::Up => self.go(-1),
            _ if self.choose(key, model) => return Step::Stay(self.changed(model)),
            // What is typed takes the place of the proposal.
            KeyCode::Char(_) if self.field() == Field::Title && !self.titled && !key.ctrl && !key.alt => {
                self.title.set("");
                return self.edit(model, |line| line.key(key));
            }
            KeyCode::Char(_) if !key.ctrl && !key.alt => return self.edit(model, |line| line.key(key)),
            _ if self.line(model).is_some() => return self.edit(model, |line| line.key(key)),
            _ => {}
        }
        Step::Stay(Vec::new())
    }

    fn paste(&mut self, pasted: &str, model: &Model) -> Step {
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
            Done::Edited(text) => self.prompt.set(text.trim_end_matches('\n')),
            Done::Prepared(number, plan) if *number == self.number => self.plan = Some(plan.clone()),
            Done::Completed(number, found) if *number == self.number => {
                match found.as_slice() {
                    // Nothing to complete: on to the next field, as tab does everywhere else.
                    [] => self.go(1),
                    [one] => self.path.set(one),
                    many => {
                        self.path.set(&common_start(many));
                        self.completions = many.to_vec();
                    }
                }
                return Step::Stay(self.changed(model));
            }
            _ => {}
        }
        Step::Stay(Vec::new())
    }

    fn panel(&self, model: &Model) -> Panel {
        let focused = |field| self.field() == field;
        let wrong = self.new_session(model).err();
        let note = |field: Field, else_: Option<Span>| match &wrong {
            Some((f, why)) if *f == field => Some(span(Role::Error, why.clone())),
            _ => else_,
        };
        let text = |field, label: &str, line: &Line, note| Block::Field {
            label: label.to_owned(),
            text: line.text().replace('\n', "⏎"),
            caret: focused(field).then(|| line.caret()),
            note,
        };
        let path = expand(self.path.text(), model).to_string_lossy().into_owned();
        let here = model.snapshot.profile.live_sessions().filter(|s| s.project_path == path).count();
        let path_note = match (&self.plan, here) {
            (Some(Err(why)), _) if why.contains("folder") => {
                span(Role::Error, "no such folder · tab completes")
            }
            _ if self.path.text().is_empty() => span(Role::Dim, "tab: where you were last"),
            (_, 0) => span(Role::Dim, "tab completes"),
            (_, 1) => span(Role::Dim, "1 session here · tab completes"),
            (_, n) => span(Role::Dim, format!("{n} sessions here · tab completes")),
        };
        let group_new =
            GroupPath::parse(self.group.text()).ok().filter(|p| model.snapshot.profile.group(p).is_none());
        let mut blocks = vec![text(Field::Path, "Path", &self.path, note(Field::Path, Some(path_note)))];
        if focused(Field::Path) {
            blocks.extend(self.offered(|c| c.trim_end_matches('/').rsplit('/').next().unwrap_or_default()));
        }
        blocks.push(Block::Choices {
            label: "Tool".to_owned(),
            spans: self.tools(model),
            focused: focused(Field::Tool),
        });
        if self.is_custom(model) {
            blocks.push(text(Field::Tool, "Command", &self.command, note(Field::Tool, None)));
        }
        blocks.push(text(Field::Title, "Title", &self.title, note(Field::Title, None)));
        let group_note = match group_new {
            Some(_) => Some(span(Role::Dim, "new group")),
            None => focused(Field::Group).then(|| span(Role::Dim, "tab: your groups, one after the other")),
        };
        blocks.push(text(Field::Group, "Group", &self.group, note(Field::Group, group_note)));
        if focused(Field::Group) {
            blocks.extend(self.offered(|c| c));
        }
        if !self.options.is_empty() {
            blocks.push(Block::Choices {
                label: "Options".to_owned(),
                spans: self.switches(model),
                focused: focused(Field::Options),
            });
        }
        let editor = focused(Field::Prompt).then(|| span(Role::Dim, "ctrl-e editor"));
        blocks.push(text(Field::Prompt, "Prompt", &self.prompt, editor));
        blocks.push(Block::Rule);
        blocks.push(Block::Line(self.plan_line(&path, model)));
        Panel {
            title: "New session".to_owned(),
            keys: keys(&[("enter", "create"), ("tab", "next"), ("esc", "close")]),
            blocks,
            width: 100,
            spares_picture: false,
        }
    }
}

impl NewSession {
    fn tools(&self, model: &Model) -> Vec<Span> {
        let tools = &model.settings.tools;
        let mark = |on: bool, title: &str| {
            let (mark, role) = if on { ("●", Role::Accent) } else { ("○", Role::Dim) };
            span(role, format!("{mark} {title}   "))
        };
        let there = tools.iter().enumerate().filter(|(_, t)| t.found);
        let title = |t: &crate::app::ToolInfo| match model.versions.get(&t.name) {
            Some(version) => format!("{} {version}", t.title),
            None => t.title.clone(),
        };
        let mut spans: Vec<Span> = there.map(|(i, t)| mark(i == self.tool, &title(t))).collect();
        spans.push(mark(self.is_custom(model), "command…"));
        let missing: Vec<&str> = tools.iter().filter(|t| !t.found).map(|t| t.title.as_str()).collect();
        if !missing.is_empty() {
            spans.push(span(Role::Faint, format!("not found: {}", missing.join(", "))));
        }
        spans
    }

    /// What the field can be completed to, in one line.
    fn offered(&self, name: impl Fn(&str) -> &str) -> Option<Block> {
        let names: Vec<&str> = self.completions.iter().take(OFFERED).map(|c| name(c)).collect();
        let more = if self.completions.len() > OFFERED { " …" } else { "" };
        let words = format!("           {}{more}", names.join("  "));
        (!names.is_empty()).then(|| Block::Line(vec![span(Role::Dim, words)]))
    }

    fn switches(&self, model: &Model) -> Vec<Span> {
        let options = model.settings.tools.get(self.tool).map(|t| t.options.clone()).unwrap_or_default();
        let mut spans = Vec::new();
        for (i, ((label, _), on)) in options.iter().zip(&self.options).enumerate() {
            let at = self.field() == Field::Options && i == self.option;
            let role = if at {
                Role::Accent
            } else if *on {
                Role::Text
            } else {
                Role::Dim
            };
            spans.push(span(role, format!("[{}] {label}   ", if *on { 'x' } else { ' ' })));
        }
        spans
    }

    fn plan_line(&self, path: &str, model: &Model) -> Vec<Span> {
        match &self.plan {
            Some(Ok(command)) => vec![
                span(Role::Dim, format!("in {}  ", tilde(path, model))),
                span(Role::Text, text::clean(command)),
            ],
            Some(Err(why)) => vec![span(Role::Error, why.clone())],
            None => vec![span(Role::Dim, "what will run shows here")],
        }
    }
}
