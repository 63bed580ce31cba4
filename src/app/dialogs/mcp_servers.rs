//! Which MCP servers sessions have: the settings' ones to attach and detach, and those of the agents' own files to know of.

use std::collections::BTreeSet;
use std::sync::Arc;

use super::{Dialog, Step, moved_choice, room_for, with_more};
use crate::app::done::Done;
use crate::app::effect::Effect;
use crate::app::key::{Key, KeyCode};
use crate::app::mcp_work::McpWork;
use crate::app::panel::{Block, Panel, Role, Span, span};
use crate::app::state::Model;
use crate::domain::id::SessionId;
use crate::domain::mcp_servers::{
    Catalogue, Change, Chosen, Definition, Origin, Share, Source, why_not_shared,
};
use crate::domain::session::Session;
use crate::domain::text;

/// The width it would like, in cells.
const WIDTH: u16 = 92;
/// Rows of the dialog that are not servers: its edges, the lines about the sessions and about the selected row.
const TAKEN: u16 = 9;
/// From how many cells on a row has room for more than a name and a state.
const ROOMY: usize = 50;
/// How wide the names may be, in cells.
const NAMES: usize = 24;

/// The MCP servers of these sessions, whichever are selected later.
#[derive(Debug)]
pub struct McpServers {
    sessions: Vec<SessionId>,
    catalogue: Option<Arc<Catalogue>>,
    at: usize,
    /// What can't be done with the row, once that was tried.
    refusal: Option<String>,
}

/// What a row is about.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Kind {
    /// A server of the settings.
    Server,
    /// A set of them.
    Set,
    /// One that an agent's own file gives.
    Theirs(Source),
    /// One that is attached, and that the settings don't have.
    Unknown,
}

struct Row {
    name: String,
    kind: Kind,
    /// How many of the sessions are meant to have it.
    having: usize,
}

impl McpServers {
    /// Of these sessions, and what asks for the servers that there are.
    pub const fn new(sessions: Vec<SessionId>) -> (Self, Effect) {
        (Self { sessions, catalogue: None, at: 0, refusal: None }, Effect::McpServers)
    }

    /// Those of its sessions that there still are.
    fn concerned<'a>(&self, model: &'a Model) -> Vec<&'a Session> {
        self.sessions.iter().filter_map(|id| model.record().session(id)).collect()
    }

    fn rows(&self, catalogue: &Catalogue, model: &Model) -> Vec<Row> {
        let sessions = self.concerned(model);
        let chosen: Vec<BTreeSet<String>> = sessions
            .iter()
            .map(|s| catalogue.of_session(model.record(), s).into_iter().map(|c| c.name).collect())
            .collect();
        let having = |is: &dyn Fn(&BTreeSet<String>) -> bool| chosen.iter().filter(|all| is(all)).count();
        let mut rows: Vec<Row> = catalogue
            .servers
            .keys()
            .map(|name| Row {
                having: having(&|all| all.contains(name)),
                name: name.clone(),
                kind: Kind::Server,
            })
            .collect();
        let unknown: BTreeSet<&String> =
            chosen.iter().flatten().filter(|name| !catalogue.servers.contains_key(*name)).collect();
        rows.extend(unknown.into_iter().map(|name| Row {
            having: having(&|all| all.contains(name)),
            name: name.clone(),
            kind: Kind::Unknown,
        }));
        let theirs: BTreeSet<(String, Source)> = sessions
            .iter()
            .flat_map(|s| s.loaded_mcp_state.iter().flatten())
            .filter(|loaded| loaded.source != Source::Deck)
            .map(|loaded| (loaded.name.clone(), loaded.source))
            .collect();
        rows.extend(theirs.into_iter().map(|(name, source)| {
            let has = |s: &&&Session| {
                s.loaded_mcp_state.iter().flatten().any(|l| l.name == name && l.source == source)
            };
            let having = sessions.iter().filter(has).count();
            Row { name, kind: Kind::Theirs(source), having }
        }));
        rows.extend(catalogue.sets.iter().map(|(name, set)| Row {
            name: format!("@{name}"),
            kind: Kind::Set,
            having: having(&|all| !set.is_empty() && set.iter().all(|server| all.contains(server))),
        }));
        rows
    }

    /// Does the same to each session that is meant to change.
    fn each(&self, model: &Model, work: impl Fn(&Session) -> Option<McpWork>) -> Step {
        let one = |s: &Session| work(s).map(|work| Effect::Mcp(s.id.clone(), work));
        Step::Stay(self.concerned(model).into_iter().filter_map(one).collect())
    }

    /// Attaches the selected row to all sessions, or detaches it if all have it.
    fn toggle(&mut self, row: &Row, catalogue: &Catalogue, model: &Model) -> Step {
        let all = self.concerned(model).len();
        let name = row.name.clone();
        match row.kind {
            Kind::Theirs(source) => {
                self.refusal = Some(format!("it comes from {}: change it there", whose(source)));
                Step::Stay(Vec::new())
            }
            _ if row.having == all || row.kind == Kind::Unknown => self.each(model, |s| {
                let has = catalogue.of_session(model.record(), s);
                let covers = |c: &Chosen| c.name == name || catalogue.covers(&name, &c.name);
                has.iter().any(covers).then(|| McpWork::Detach(name.clone()))
            }),
            _ => self.each(model, |s| {
                let own = s.mcps.own.contains(&name);
                Some(McpWork::Attach { name: name.clone(), own })
            }),
        }
    }

    /// Gives sessions a process of their own of a shared server, or takes that back.
    fn toggle_own(&mut self, row: &Row, catalogue: &Catalogue, model: &Model) -> Step {
        let is_shared = catalogue.servers.get(&row.name).is_some_and(|d| d.share != Share::No);
        if row.kind != Kind::Server || !is_shared {
            self.refusal =
                Some("it isn't shared: `share` in its definition has one process for many".to_owned());
            return Step::Stay(Vec::new());
        }
        let name = row.name.clone();
        let own = !self.concerned(model).iter().all(|s| s.mcps.own.contains(&name));
        self.each(model, |_| Some(McpWork::Attach { name: name.clone(), own }))
    }
}

/// Whose server it is that deck doesn't pass.
const fn whose(source: Source) -> &'static str {
    match source {
        Source::Deck => "deck",
        Source::User => "your own settings of the agent",
        Source::Project => "a file of the project",
        Source::Local => "your own settings of the agent, for this folder",
    }
}

/// What a session has of a server now, in a few words.
fn state_words(session: &Session, name: &str, model: &Model) -> (Role, String) {
    let state = model.state(&session.id);
    let runs = state.is_some_and(|s| s.row.as_ref().is_some_and(|row| row.facts.dead.is_none()));
    let loaded =
        session.loaded_mcp_state.iter().flatten().any(|l| l.name == name && l.source == Source::Deck);
    let change = state.and_then(|s| {
        let is_of = |c: &&Change| matches!(c, Change::Added(n, Source::Deck) | Change::Removed(n, Source::Deck) | Change::Changed(n, Source::Deck) if n == name);
        s.mcp.changes().iter().find(is_of)
    });
    let left_out = session.left_out_mcps.iter().find(|l| l.name == name);
    match (runs, change, left_out, loaded) {
        (false, ..) => (Role::Dim, String::new()),
        (_, Some(Change::Added(..)), ..) => (Role::Waiting, "not loaded yet".to_owned()),
        (_, Some(Change::Removed(..)), ..) => (Role::Waiting, "still loaded".to_owned()),
        (_, Some(Change::Changed(..)), ..) => (Role::Waiting, "changed since".to_owned()),
        (_, None, Some(_), _) => (Role::Error, "left out".to_owned()),
        (_, None, None, true) => (Role::Done, "loaded".to_owned()),
        (_, None, None, false) => (Role::Dim, String::new()),
    }
}

/// How it is reached, and by whom.
fn way(definition: &Definition, own: bool) -> String {
    let transport = definition.transport().word();
    match (definition.share, own) {
        (Share::No, _) => transport.to_owned(),
        (_, true) => "own process".to_owned(),
        (Share::Project, _) => "shared in the folder".to_owned(),
        (Share::Profile, _) => "shared".to_owned(),
    }
}

/// What there is to say of the selected row.
fn about(row: &Row, catalogue: &Catalogue, sessions: &[&Session], model: &Model) -> Vec<String> {
    let mut all = Vec::new();
    match row.kind {
        Kind::Theirs(source) => all.push(format!("It comes from {}, which deck only reads.", whose(source))),
        Kind::Unknown => all.push("The settings have no server of this name.".to_owned()),
        Kind::Set => {
            let set = row.name.strip_prefix('@').and_then(|name| catalogue.sets.get(name));
            all.push(set.map(|set| set.join(", ")).unwrap_or_default());
        }
        Kind::Server => {
            let Some(definition) = catalogue.servers.get(&row.name) else { return all };
            if let [session] = sessions
                && let Some(left) = session.left_out_mcps.iter().find(|l| l.name == row.name)
            {
                all.push(format!("It was left out: {}.", left.why));
            }
            if !definition.description.is_empty() {
                all.push(definition.description.clone());
            }
            let words = [&definition.command, &definition.url].into_iter().chain(&definition.args);
            all.push(words.filter(|w| !w.is_empty()).map(String::as_str).collect::<Vec<_>>().join(" "));
            if let Some(why) = why_not_shared(definition) {
                all.push(format!("Not for sharing: {why}."));
            }
            if let [session] = sessions {
                let chosen = catalogue.of_session(model.record(), session);
                match chosen.into_iter().find(|c| c.name == row.name).map(|c| c.origin) {
                    Some(Origin::Default) => all.push("All sessions have it, by `mcp.default`.".to_owned()),
                    Some(Origin::Group(path)) => {
                        all.push(format!("The sessions of the group {path} have it."))
                    }
                    Some(Origin::Session) | None => {}
                }
            }
        }
    }
    all
}

impl Dialog for McpServers {
    fn key(&mut self, key: Key, model: &Model) -> Step {
        self.refusal = None;
        if matches!(key.code, KeyCode::Esc | KeyCode::Char('q' | 'C')) && !key.ctrl {
            return Step::Close;
        }
        let Some(catalogue) = self.catalogue.clone() else { return Step::Stay(Vec::new()) };
        let rows = self.rows(&catalogue, model);
        let last = rows.len().saturating_sub(1);
        let selected = rows.get(self.at.min(last));
        match (key.code, selected) {
            (KeyCode::Char('j'), _) if !key.ctrl => self.at = (self.at + 1).min(last),
            (KeyCode::Char('k'), _) if !key.ctrl => self.at = self.at.min(last).saturating_sub(1),
            (KeyCode::Char('R'), _) if !key.ctrl => {
                let is_stale = |s: &Session| model.state(&s.id).is_some_and(|state| state.mcp.is_stale());
                if !self.concerned(model).into_iter().any(is_stale) {
                    self.refusal = Some("nothing is out of date".to_owned());
                }
                return self.each(model, |s| is_stale(s).then_some(McpWork::Restart));
            }
            (KeyCode::Char(' ') | KeyCode::Enter, Some(row)) => return self.toggle(row, &catalogue, model),
            (KeyCode::Char('o'), Some(row)) if !key.ctrl => return self.toggle_own(row, &catalogue, model),
            _ => {
                if let Some(at) = moved_choice(key, self.at, last) {
                    self.at = at;
                }
            }
        }
        Step::Stay(Vec::new())
    }

    fn answer(&mut self, done: &Done, _: &Model) -> Step {
        if let Done::McpServers(catalogue) = done {
            self.catalogue = Some(Arc::clone(catalogue));
        }
        Step::Stay(Vec::new())
    }

    fn panel(&self, model: &Model) -> Panel {
        let sessions = self.concerned(model);
        let whose = match sessions[..] {
            [one] => text::clean(&one.title),
            _ => format!("{} sessions", sessions.len()),
        };
        let mut panel = Panel {
            title: format!("MCP servers of {whose}"),
            keys: super::keys(&[("esc", "close")]),
            width: WIDTH,
            ..Panel::default()
        };
        let Some(catalogue) = &self.catalogue else {
            panel.blocks.push(Block::Line(vec![span(Role::Dim, "reading the settings…")]));
            return panel;
        };
        let rows = self.rows(catalogue, model);
        // What can't be done is said at the top, where there is always room.
        panel.blocks.push(match &self.refusal {
            Some(why) => Block::Text(vec![span(Role::Error, why.clone())]),
            None => Block::Line(heading(&sessions, model)),
        });
        panel.blocks.push(Block::Rule);
        if rows.is_empty() {
            let words = "There are no servers yet. This describes one, which can then be attached here:";
            panel.blocks.push(Block::Text(vec![span(Role::Text, words)]));
            let example = "deck mcp add memory -- npx -y @modelcontextprotocol/server-memory";
            panel.blocks.push(Block::Text(vec![span(Role::Dim, "$ "), span(Role::Title, example)]));
            return panel;
        }
        let at = self.at.min(rows.len() - 1);
        let room = room_for(model.app.size.1, TAKEN);
        let first = (at + 1).saturating_sub(room);
        let widest = rows.iter().map(|row| text::cells(&row.name)).max().unwrap_or(0).min(NAMES);
        for (n, row) in rows.iter().enumerate().skip(first).take(room) {
            panel.blocks.push(item(row, n == at, widest, catalogue, &sessions, model));
        }
        panel.blocks.push(Block::Rule);
        if let Some(row) = rows.get(at) {
            let words = about(row, catalogue, &sessions, model);
            let line = |words: String| Block::Line(vec![span(Role::Dim, text::clean(&words))]);
            panel.blocks.extend(words.into_iter().take(3).map(line));
        }
        let below = rows.len().saturating_sub(first + room);
        let all = [("space", "attach, detach"), ("o", "own process"), ("R", "restart"), ("esc", "close")];
        panel.keys = with_more(below, &all);
        panel
    }
}

/// What is loaded, and what is out of date.
fn heading(sessions: &[&Session], model: &Model) -> Vec<Span> {
    let loaded = sessions.iter().map(|s| s.loaded_mcp_state.as_ref().map_or(0, Vec::len)).max().unwrap_or(0);
    let stale: Vec<&&Session> =
        sessions.iter().filter(|s| model.state(&s.id).is_some_and(|state| state.mcp.is_stale())).collect();
    match (sessions, &stale[..]) {
        ([session], []) => {
            let runs = session.loaded_mcp_state.is_some();
            let words =
                if runs { format!("{loaded} loaded") } else { "what is loaded is not known".to_owned() };
            vec![span(Role::Dim, words)]
        }
        ([session], _) => {
            let changes = model.state(&session.id).map(|s| s.mcp.changes()).unwrap_or_default();
            let words: Vec<String> = changes.iter().map(|c| text::clean(&c.word())).collect();
            let stale = format!("out of date: {}", words.join(" "));
            vec![span(Role::Dim, format!("{loaded} loaded   ")), span(Role::Waiting, stale)]
        }
        (_, []) => vec![span(Role::Dim, "none is out of date")],
        (all, stale) => {
            vec![span(Role::Waiting, format!("{} of {} are out of date", stale.len(), all.len()))]
        }
    }
}

fn item(
    row: &Row,
    selected: bool,
    widest: usize,
    catalogue: &Catalogue,
    sessions: &[&Session],
    model: &Model,
) -> Block {
    let mark = match (row.kind, row.having) {
        (Kind::Theirs(_), _) => "[·]",
        (_, 0) => "[ ]",
        (_, n) if n == sessions.len() => "[x]",
        _ => "[-]",
    };
    let name = text::pad(&text::fit(&text::clean(&row.name), widest), widest);
    let role = if row.having > 0 { Role::Title } else { Role::Text };
    let own = sessions.iter().any(|s| s.mcps.own.contains(&row.name));
    let words = match row.kind {
        Kind::Server => catalogue.servers.get(&row.name).map(|d| way(d, own)).unwrap_or_default(),
        Kind::Set => "set".to_owned(),
        Kind::Theirs(source) => format!("theirs ({})", source.word()),
        Kind::Unknown => "not in the settings".to_owned(),
    };
    let right = match (sessions, row.kind) {
        ([session], Kind::Server) => {
            let (role, words) = state_words(session, &row.name, model);
            vec![span(role, words)]
        }
        ([_], Kind::Theirs(_)) => vec![span(Role::Done, "loaded")],
        (all, _) if all.len() > 1 && row.having > 0 && row.having < all.len() => {
            vec![span(Role::Dim, format!("{} of {}", row.having, all.len()))]
        }
        _ => Vec::new(),
    };
    let mut spans = vec![span(Role::Accent, format!("{mark} ")), span(role, name)];
    if super::inner(WIDTH, model) >= ROOMY {
        spans.push(span(Role::Dim, format!("  {words}")));
    }
    Block::Item { spans, right, selected }
}
