//! What the form shows.

use super::super::{Line, keys};
use super::make_folder::MakeFolder;
use super::path::{expand, tilde};
use super::{Field, NewSession};
use crate::app::done::Prepared;
use crate::app::panel::{BETWEEN, Block, Panel, Place, Role, Span, span};
use crate::app::panel_layout::PAD;
use crate::app::state::{Model, Switch};
use crate::domain::group::GroupPath;
use crate::domain::quote;
use crate::domain::text;

/// Completions that are shown at once.
const OFFERED: usize = 8;
/// Cells of a tool's version.
const VERSION: usize = 8;
/// Columns from which on there is room for the folder beside the command.
const FOR_FOLDER: usize = 96;
/// Columns from which on there is room for versions.
const FOR_VERSIONS: u16 = 60;

impl NewSession {
    pub(super) fn shown(&self, model: &Model) -> Panel {
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
        let here = model.record().live_sessions().filter(|s| s.project_path == path).count();
        let path_note = match (&self.plan, here) {
            (Some(Err(refused)), _) if refused.no_folder => span(Role::Error, "no such folder"),
            _ if self.offer.waits() => span(Role::Dim, "reading the folder… · esc stops waiting"),
            _ if self.offer.trouble(self.path.text()).is_some() => {
                let why = self.offer.trouble(self.path.text()).unwrap_or_default();
                span(Role::Error, format!("can't be listed: {why}"))
            }
            (_, 0) => span(Role::Dim, "no session here yet"),
            (_, 1) => span(Role::Dim, "1 session here"),
            (_, n) => span(Role::Dim, format!("{n} sessions here")),
        };
        let group_new =
            GroupPath::parse(self.group.text()).ok().filter(|p| model.record().group(p).is_none());
        let mut blocks = vec![text(Field::Path, "Path", &self.path, note(Field::Path, Some(path_note)))];
        if focused(Field::Path) {
            blocks.extend(self.folder_list(model));
        }
        if self.has(Field::Branch) {
            blocks.push(text(Field::Branch, "Branch", &self.branch, Some(self.branch_note())));
        }
        blocks.push(Block::Choices {
            label: "Tool".to_owned(),
            spans: self.tools(model),
            // What is typed goes into the command below.
            focused: focused(Field::Tool) && !self.is_custom(model),
        });
        if self.is_custom(model) {
            blocks.push(text(Field::Tool, "Command", &self.command, note(Field::Tool, None)));
        }
        let title_note = self.title.note().filter(|_| focused(Field::Title));
        blocks.push(text(Field::Title, "Title", &self.title, note(Field::Title, title_note)));
        let group_note = group_new.map(|_| span(Role::Dim, "new group"));
        blocks.push(text(Field::Group, "Group", &self.group, note(Field::Group, group_note)));
        if focused(Field::Group) {
            blocks.extend(self.group_names());
        }
        if !self.options.is_empty() {
            blocks.push(Block::Choices {
                label: "Options".to_owned(),
                spans: self.switches(model),
                focused: focused(Field::Options),
            });
        }
        if self.has(Field::Servers) {
            blocks.push(Block::Choices {
                label: Field::Servers.label().to_owned(),
                spans: self.servers.shown(focused(Field::Servers), self.group.text(), model),
                focused: focused(Field::Servers),
            });
        }
        let editor = focused(Field::Prompt).then(|| span(Role::Dim, "ctrl-e editor"));
        blocks.push(text(Field::Prompt, "Prompt", &self.prompt, editor));
        blocks.push(Block::Rule);
        blocks.push(Block::Line(self.plan_line(&path, model)));
        Panel {
            title: "New session".to_owned(),
            keys: self.keys(),
            blocks,
            width: 100,
            place: Place::Bottom,
            ..Panel::default()
        }
    }

    /// What becomes of the branch that is named.
    fn branch_note(&self) -> Span {
        match &self.plan {
            _ if self.branch.text().trim().is_empty() => {
                span(Role::Dim, "of the folder as it is; name one to work in a worktree for it")
            }
            Some(Ok(Prepared { worktree: Some(worktree), .. })) => {
                span(Role::Dim, text::clean(&worktree.what))
            }
            _ => span(Role::Dim, ""),
        }
    }

    fn tools(&self, model: &Model) -> Vec<Span> {
        let tools = &model.app.settings.tools;
        let mark = |on: bool, title: &str| {
            let (mark, role) = if on { ("●", Role::Accent) } else { ("○", Role::Dim) };
            span(role, format!("{mark} {title}{BETWEEN}"))
        };
        let there = tools.iter().enumerate().filter(|(_, t)| t.found);
        // There is room for a version before it is known: when it comes, nothing moves.
        let title = |t: &crate::app::ToolInfo| match model.app.versions.get(&t.name) {
            _ if !t.has_version || model.app.size.0 < FOR_VERSIONS => t.title.clone(),
            version => {
                format!("{} {}", t.title, text::pad(version.map_or("", String::as_str), VERSION))
            }
        };
        let mut spans: Vec<Span> = there.map(|(i, t)| mark(i == self.tool, &title(t))).collect();
        spans.push(mark(self.is_custom(model), "command…"));
        let missing: Vec<&str> = tools.iter().filter(|t| !t.found).map(|t| t.title.as_str()).collect();
        if !missing.is_empty() {
            spans.push(span(Role::Faint, format!("not found: {}", missing.join(", "))));
        }
        spans
    }

    /// The keys of the form and of the field.
    fn keys(&self) -> Vec<(String, String)> {
        if self.make == MakeFolder::Asked {
            return keys(&[("enter", "create it"), ("esc", "back")]);
        }
        let own: &[(&str, &str)] = match self.field() {
            Field::Path => &[("tab", "complete"), ("↓", "pick")],
            Field::Tool => &[("←→", "choose"), ("↓", "next")],
            Field::Options | Field::Servers => &[("space", "toggle"), ("←→", "move"), ("↓", "next")],
            Field::Group => &[("→", "your groups"), ("↓", "next")],
            Field::Title | Field::Prompt | Field::Branch => &[("tab", "next")],
        };
        keys(&[&[("enter", "create")], own, &[("esc", "close")]].concat())
    }

    /// What the group can be completed to, in one line.
    fn group_names(&self) -> Option<Block> {
        let names: Vec<&str> = self.completions.iter().take(OFFERED).map(String::as_str).collect();
        let more = if self.completions.len() > OFFERED { " …" } else { "" };
        let words = format!("           {}{more}", names.join("  "));
        (!names.is_empty()).then(|| Block::Line(vec![span(Role::Dim, words)]))
    }

    fn switches(&self, model: &Model) -> Vec<Span> {
        let options = model.app.settings.tools.get(self.tool).map(|t| t.options.clone()).unwrap_or_default();
        let mut spans = Vec::new();
        for (i, (Switch { label, .. }, on)) in options.iter().zip(&self.options).enumerate() {
            let at = self.field() == Field::Options && i == self.option;
            let role = if at {
                Role::Accent
            } else if *on {
                Role::Text
            } else {
                Role::Dim
            };
            spans.push(span(role, format!("[{}] {label}{BETWEEN}", if *on { 'x' } else { ' ' })));
        }
        spans
    }

    fn plan_line(&self, path: &str, model: &Model) -> Vec<Span> {
        match &self.plan {
            Some(Err(refused)) if refused.no_folder => {
                vec![span(Role::Error, "the folder doesn't exist: enter offers to create it")]
            }
            Some(Ok(plan)) => {
                let room = usize::from(model.app.size.0.saturating_sub(2 * PAD));
                let sends = plan.sends.as_ref().map(|text| format!(", then sends {}", quote::sh(text)));
                let all = " · ctrl-o all";
                let folder = plan.worktree.as_ref().map_or(path, |worktree| worktree.path.as_str());
                let place = text::fit_end(&text::clean(&tilde(folder, model)), room / 3);
                // The folder is in its field, too.
                let place = if room < FOR_FOLDER { String::new() } else { format!("in {place}  ") };
                let left = room.saturating_sub(text::cells(&place) + text::cells(all));
                let command = text::clean(&format!("{}{}", plan.brief, sends.unwrap_or_default()));
                vec![
                    span(Role::Dim, place),
                    span(Role::Text, text::fit(&command, left)),
                    span(Role::Dim, all),
                ]
            }
            Some(Err(refused)) => vec![span(Role::Error, refused.why.clone())],
            None => vec![span(Role::Dim, "the command that will run")],
        }
    }
}
