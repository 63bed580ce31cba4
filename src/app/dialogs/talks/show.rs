//! What the list of conversations shows.

use jiff::Timestamp;

use super::super::{Line, inner, keys, room_for, with_more};
use super::{Talks, Typing, carrier, name_of};
use crate::app::panel::{Block, Panel, Role, Span, role_of, span};
use crate::app::state::Model;
use crate::domain::age;
use crate::domain::text;
use crate::ops::talk::Listed;

/// The width it would like, in cells.
const WIDTH: u16 = 118;
/// Rows of the dialog that are not conversations: its edges, rules, the lines about the selected one, and the last one.
const TAKEN: u16 = 13;
/// Lines about the selected conversation's checkpoint.
const ABOUT: usize = 4;
/// Cells of the bar that says how full it is.
const BAR: u64 = 10;
/// From how many cells on there is room for all keys.
const WIDE: usize = 84;
/// From how many cells on there is room for a session's title beside the conversation.
const ROOMY: usize = 60;

impl Talks {
    pub(super) fn shown(&self, model: &Model) -> Panel {
        let mut panel = Panel {
            title: "Conversations".to_owned(),
            keys: keys(&[("esc", "close")]),
            width: WIDTH,
            ..Panel::default()
        };
        let all = match &self.all {
            None => {
                panel.blocks.push(Block::Line(vec![span(Role::Dim, "reading…")]));
                return panel;
            }
            Some(Err(why)) => {
                panel.blocks.push(Block::Text(vec![span(Role::Error, text::clean(why))]));
                return panel;
            }
            Some(Ok(all)) => all,
        };
        if all.is_empty() {
            panel.blocks.extend(empty());
            return panel;
        }
        let rows = self.rows();
        let at = self.at.min(rows.len().saturating_sub(1));
        let room = room_for(model.app.size.1, TAKEN);
        let first = (at + 1).saturating_sub(room);
        let width = inner(WIDTH, model);
        if let Some(listed) = rows.get(at) {
            panel.blocks.push(Block::Line(heading(listed, width, model)));
            panel.blocks.push(Block::Rule);
        }
        for (n, listed) in rows.iter().enumerate().skip(first).take(room) {
            panel.blocks.push(self.item(listed, n == at, width, model));
        }
        if rows.is_empty() {
            panel.blocks.push(Block::Line(vec![span(Role::Dim, "no conversation matches")]));
        }
        panel.blocks.push(Block::Rule);
        if let Some(listed) = rows.get(at) {
            panel.blocks.extend(about(listed, width));
        }
        panel.blocks.push(self.last_line());
        let mut all = vec![
            ("enter", "read"),
            ("c", "compact"),
            ("p", "preview"),
            ("s", "send"),
            ("P", "pin"),
            ("A", "archive"),
            ("/", "find"),
            ("esc", "close"),
        ];
        // What closes it is seen in any case; what is rare isn't.
        all.retain(|(key, _)| *key != "A" || width >= WIDE);
        panel.one_line = true;
        panel.keys = with_more(rows.len().saturating_sub(first + room), &all);
        panel
    }

    /// What is typed, or what came of what was done last.
    fn last_line(&self) -> Block {
        let field = |label: &str, line: &Line, focused: bool| Block::Field {
            label: label.to_owned(),
            text: line.text().to_owned(),
            caret: focused.then(|| line.caret()),
            note: None,
        };
        match (&self.typing, &self.last) {
            (Typing::Pin(line), _) => field("pin", line, true),
            (Typing::Find, _) => field("find", &self.find, true),
            (Typing::Nothing, _) if !self.find.text().is_empty() => field("find", &self.find, false),
            (Typing::Nothing, Some(Ok(words))) => Block::Line(vec![span(Role::Done, text::clean(words))]),
            (Typing::Nothing, Some(Err(why))) => Block::Line(vec![span(Role::Error, text::clean(why))]),
            (Typing::Nothing, None) => Block::Gap,
        }
    }

    fn item(&self, listed: &Listed, selected: bool, width: usize, model: &Model) -> Block {
        let state = &listed.talk.state;
        let session = carrier(listed, model);
        let compacts = self.compacts.get(&name_of(listed));
        let kind = session.and_then(|session| model.state(&session.id)).map(|l| l.verdict.kind());
        let lead = match (compacts.is_some() || state.compactions.lease.is_some(), kind) {
            (true, _) => span(Role::Starting, if model.app.settings.ascii { "~ " } else { "◔ " }),
            (false, Some(kind)) => span(role_of(kind), format!("{} ", model.glyph(kind))),
            (false, None) => span(Role::Faint, if model.app.settings.ascii { "  " } else { "○ " }),
        };
        let mut spans = vec![lead, span(Role::Accent, format!("{} ", text::clean(&state.subject.role)))];
        let about = state.subject.words();
        let about = about.split_once(" · ").map_or(about.as_str(), |(_, rest)| rest);
        spans.push(span(if selected { Role::Title } else { Role::Text }, text::clean(about)));
        let mut right = Vec::new();
        if let Some(since) = compacts {
            right.push(span(Role::Starting, format!("compacting {}  ", age::running(model.app.now, *since))));
        } else if state.compactions.lease.is_some() {
            right.push(span(Role::Starting, "compacting  "));
        } else if let Some(session) = session.filter(|_| width >= ROOMY) {
            let compacted = session.carries.as_ref().is_some_and(|carries| carries.compacted);
            let mark = if compacted { " compacted" } else { "" };
            right.push(span(
                Role::Dim,
                format!("{} ({})", text::clean(&session.title), text::clean(&session.tool)),
            ));
            right.push(span(Role::Waiting, format!("{mark}  ")));
        }
        right.push(span(Role::Dim, format!("{:>5}", size(listed))));
        Block::Item { spans, right, selected }
    }
}

/// How large it is: `~61k`, or what its agent says, without the sign of an estimate.
fn size(listed: &Listed) -> String {
    let sign = if listed.is_estimated { "~" } else { "" };
    format!("{sign}{}", text::thousands(listed.size))
}

/// `12 messages · ~61k of 100k ▰▰▰▰▰▰▱▱▱▱ · checkpoint 3, 2h ago`
fn heading(listed: &Listed, width: usize, model: &Model) -> Vec<Span> {
    let state = &listed.talk.state;
    let messages = usize::try_from(state.stats.total_messages).unwrap_or(usize::MAX);
    let limit = listed.limit.max(1);
    let full = (listed.size.saturating_mul(BAR) / limit).min(BAR);
    let (on, off) = if model.app.settings.ascii { ("#", "-") } else { ("▰", "▱") };
    let bar = |sign: &str, n: u64| sign.repeat(usize::try_from(n).unwrap_or_default());
    let role = if listed.size >= limit * 9 / 10 { Role::Waiting } else { Role::Done };
    let ago =
        listed.checkpoint.compaction_info.compacted_at.as_ref().and_then(|at| at.parse::<Timestamp>().ok());
    let ago = ago.map(|at| format!(", {} ago", age::age(model.app.now, at))).unwrap_or_default();
    let mut spans = vec![span(
        Role::Dim,
        format!("{} · {} of {} ", text::counted(messages, "message"), size(listed), text::thousands(limit)),
    )];
    if width >= ROOMY {
        spans.push(span(role, bar(on, full)));
        spans.push(span(Role::Faint, bar(off, BAR - full)));
        spans.push(span(Role::Dim, " "));
    }
    spans.push(span(Role::Dim, format!("· checkpoint {}{ago}", state.version)));
    spans
}

/// What the checkpoint and the pins of the selected one say, in a few lines.
fn about(listed: &Listed, width: usize) -> Vec<Block> {
    let summary = &listed.checkpoint.summary;
    let pins: Vec<String> = listed.talk.state.pins.iter().map(|pin| pin.text.clone()).collect();
    let lists = [
        ("pinned", &pins),
        ("now", &summary.in_progress),
        ("next", &summary.pending),
        ("blocked", &summary.blockers),
        ("decided", &summary.decisions),
        ("done", &summary.completed),
    ];
    let line = |(name, list): (&str, &Vec<String>)| {
        let words: Vec<String> = list.iter().map(|item| text::clean(item)).collect();
        let words = text::fit(&words.join(" · "), width.saturating_sub(10));
        Block::Line(vec![span(Role::Dim, format!("{name:<9} ")), span(Role::Text, words)])
    };
    let mut lines: Vec<Block> =
        lists.into_iter().filter(|(_, list)| !list.is_empty()).take(ABOUT).map(line).collect();
    if lines.is_empty() {
        let words = "Nothing was compacted yet: all that was said is in its messages.";
        lines.push(Block::Line(vec![span(Role::Dim, words)]));
    }
    if let Some(why) = &listed.talk.state.compactions.error {
        let words = text::fit(&format!("last compaction: {}", text::clean(why)), width);
        lines.push(Block::Line(vec![span(Role::Error, words)]));
    }
    lines.resize_with(ABOUT.max(lines.len()), || Block::Gap);
    lines
}

/// What there is to do where there are none.
fn empty() -> Vec<Block> {
    let words = "There are no conversations here yet. This opens one, and starts an agent that talks in it:";
    let example = "deck conversation open --role dev --feature auth --task login --start -c claude";
    vec![
        Block::Text(vec![span(Role::Text, words)]),
        Block::Text(vec![span(Role::Dim, "$ "), span(Role::Title, example)]),
    ]
}
