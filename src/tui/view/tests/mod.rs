//! The TUI as text and as styles. Here is what the tests look at; they are beside this file.

mod any_input;
mod attention;
mod clicks;
mod dialogs;
mod diff;
mod handoff;
mod keys;
mod late;
mod main_screen;
mod mcp_servers;
mod mouse;
mod narrow;
mod new_session;
mod new_session_form;
mod new_session_path;
mod of_group;
mod plain;
mod questions;
mod rows;
mod settings;
mod shells;
mod small;
mod talks;
mod workers;
mod zoom;

use std::sync::Arc;

use jiff::{SignedDuration, Timestamp};
use ratatui::Terminal;
use ratatui::backend::TestBackend;
use ratatui::style::Color;

use super::draw;
use crate::app::dialogs::Setting;
use crate::app::{
    Done, Effect, Key, Model, Mouse, MouseKind, Msg, PaneInput, Settings, Switch, SwitchDoes, ToolInfo,
    update,
};
use crate::domain::columns::Column;
use crate::domain::conversation::{Digest, Said, Who};
use crate::domain::group::GroupPath;
use crate::domain::id::{ProfileName, SessionId};
use crate::domain::profile::Profile;
use crate::domain::screen::{AgentDialog, Choice, Press};
use crate::domain::session::{DesiredState, Session};
use crate::domain::status::{
    BlockKind, BusyKind, Evidence, Memory, Observation, Reason, Source, Status, Verdict,
};
use crate::ops::{PreviewHeader, RowFacts, SessionState, Snapshot};
use crate::ports::mux::{PaneFacts, PaneRef, PaneRow, ScreenCapture, ServerId, SessionRef, SessionTags};
use crate::tui::theme::{marked, role_at};
use crate::tui::{Depth, Theme};

fn now() -> Timestamp {
    "2026-03-04T10:42:12Z".parse().unwrap()
}

fn settings() -> Settings {
    let tool = |name: &str, title: &str, found: bool| ToolInfo {
        name: name.into(),
        title: title.into(),
        icon: title.chars().take(1).collect(),
        found,
        has_version: true,
        takes_servers: true,
        keeps_transcripts: true,
        options: [("skip permissions", "--yes"), ("plan first", "--plan")]
            .map(|(label, arg)| Switch {
                label: label.into(),
                on: false,
                does: SwitchDoes::Args(vec![arg.into()]),
            })
            .into_iter()
            .chain([Switch { label: "deck's MCP server".into(), on: false, does: SwitchDoes::Server }])
            .collect(),
    };
    Settings {
        home: Some("/home/me".into()),
        cwd: "/home/me/src/api".into(),
        split: None,
        columns: Column::ALL.to_vec(),
        answer_advance: true,
        preview_fit: true,
        tools: vec![
            tool("claude", "Claude Code", true),
            tool("gemini", "Gemini", true),
            tool("codex", "Codex", false),
        ],
        theme: "auto".into(),
        themes: ["auto", "dark", "nord"].map(str::to_owned).to_vec(),
        file: "/home/me/.config/deck/config.toml".into(),
        all: crate::config::SETTINGS.iter().map(setting).collect(),
        ..Settings::default()
    }
}

/// A setting with its default.
fn setting(one: &crate::config::Setting) -> Setting {
    let quoted = |word: &&str| {
        if one.default == "true" || one.default == "false" { (*word).into() } else { format!("\"{word}\"") }
    };
    let words = match one.kind {
        crate::config::Kind::Theme => &["auto", "dark", "light", "gruvbox", "nord", "tokyo-night"],
        kind => kind.words(),
    };
    Setting {
        key: one.key.into(),
        name: one.name.into(),
        value: one.default.into(),
        doc: one.doc.into(),
        choices: words.iter().map(quoted).collect(),
    }
}

/// Title, group, parent, status, reason, age in seconds.
type Entry = (&'static str, &'static str, Option<&'static str>, Status, Option<Reason>, i64);

const FULL: &[Entry] = &[
    ("scratch", "", None, Status::Starting, None, 3),
    ("api", "backend", None, Status::Waiting, Some(Reason::Blocked(BlockKind::Permission)), 125),
    ("billing", "backend", None, Status::Running, Some(Reason::Busy(BusyKind::Tool)), 64),
    (
        "billing-tests",
        "backend",
        Some("billing"),
        Status::Running,
        Some(Reason::Busy(BusyKind::Thinking)),
        12,
    ),
    (
        "gateway, a very long title that has to be cut somewhere 日本語",
        "backend",
        None,
        Status::Waiting,
        Some(Reason::Finished),
        670,
    ),
    ("docs", "backend", None, Status::Idle, None, 10_900),
    (
        "\u{1b}[31mevil\u{7} #(touch x) \u{202e}",
        "experiments/deep",
        None,
        Status::Error,
        Some(Reason::Exited(1)),
        301,
    ),
    ("old-idea", "experiments", None, Status::Stopped, None, 180_000),
];

/// What the sources report of an agent that asks, a stuck title and an older hook among them.
fn evidence(since: Timestamp) -> Vec<Evidence> {
    let asks = Observation::Blocked(BlockKind::Permission);
    let say = |source, what, line: &str| {
        let mut e = Evidence::new(source, what, now());
        e.line = Some(line.to_owned());
        e
    };
    let mut screen = say(Source::Screen, asks.clone(), "Do you want to proceed?");
    screen.rule = Some("permission".to_owned());
    vec![
        say(Source::Report, asks.clone(), "waiting, permission prompt").since(Some(since)),
        say(Source::Hook, asks, "PermissionRequest Bash").since(Some(since)),
        screen,
        say(Source::Title, Observation::Busy(BusyKind::Thinking), "⠋ working"),
        say(Source::Transcript, Observation::Unknown, "\u{1b}[31mcut"),
    ]
}

fn dialog() -> AgentDialog {
    let choice = |(number, label): (u32, &str)| Choice {
        number,
        label: label.to_owned(),
        is_text: number == 3,
        here: number == 1,
        press: Press::Number,
    };
    let labels = [
        "Yes",
        "Yes, and don't ask again for sqlx migrate run --dry-run in ~/src/backend",
        "No, and say what to do",
    ];
    AgentDialog {
        rule: "permission".into(),
        asks: None,
        choices: (1..).zip(labels).map(choice).collect(),
        several: false,
        confirms: None,
        takes_text: false,
        typed: String::new(),
    }
}

fn snapshot(entries: &[Entry]) -> Snapshot {
    let mut profile = Profile::default();
    let mut states = std::collections::BTreeMap::new();
    for (title, group, parent, status, reason, age) in entries {
        let id = SessionId::new(format!("id-{title}"));
        let since = now() - SignedDuration::from_secs(*age);
        let mut session = Session::new(id.clone(), title, since);
        if !group.is_empty() {
            session.group_path = GroupPath::parse(group).unwrap();
        }
        session.order = profile.next_session_order(&session.group_path);
        session.parent_id = parent.map(|p| SessionId::new(format!("id-{p}")));
        session.project_path = format!("/home/me/src/{}", group);
        session.tool = "claude".into();
        session.wanted =
            if *status == Status::Stopped { DesiredState::Stopped } else { DesiredState::Running };
        profile.ensure_group(&session.group_path);
        profile.sessions.push(session);
        let mut memory = Memory::new(*status, reason.clone(), since, Source::Report);
        if matches!(reason, Some(Reason::Blocked(_))) {
            memory.asks = Some("Bash: sqlx migrate run --dry-run".into());
        }
        let verdict = Verdict {
            status: *status,
            reason: reason.clone(),
            since,
            asks: memory.asks.clone(),
            unsure: (*title == "docs").then(now),
            decided_by: matches!(reason, Some(Reason::Blocked(_))).then_some(0),
            memory,
        };
        let row = PaneRow {
            session: SessionRef::new(&ServerId::from("deck"), "$1"),
            name: "n".into(),
            pane: PaneRef::new(&ServerId::from("deck"), "%1"),
            facts: PaneFacts {
                pid: Some(1),
                dead: None,
                activity: 0,
                attached: 0,
                is_current: true,
                is_looked_at: false,
                reported: false,
                size: (80, 24),
                title: String::new(),
            },
            tags: SessionTags {
                setup: None,
                id: Some(id.clone()),
                adopted: None,
                memory: String::new(),
                ack: None,
                answered: None,
                resized: None,
                started: None,
                start_kind: Default::default(),
                resume_id: None,
                note: String::new(),
                hook: None,
                port: None,
            },
        };
        let row = (*status != Status::Stopped).then_some(row);
        let evidence = if matches!(reason, Some(Reason::Blocked(_))) { evidence(since) } else { Vec::new() };
        let dialog = matches!(reason, Some(Reason::Blocked(_))).then(dialog);
        let state = SessionState {
            row,
            verdict,
            evidence,
            acknowledged_at: None,
            folder_gone: false,
            dialog,
            mcp: crate::ops::mcp_servers::McpState::NotKnown,
            workers: Vec::new(),
        };
        states.insert(id, state);
    }
    Snapshot {
        profile: Arc::new(profile),
        states,
        at: now(),
        recovered: None,
        server: ServerId::from("deck"),
        unreached: Default::default(),
        given_up_mcps: Default::default(),
    }
}

/// Clicks on the first place where a text is shown.
fn click(m: &mut Model, text: &str) -> Vec<Effect> {
    let screen = shown(m);
    // The first character of a line is the snapshot's quote.
    let at = screen.lines().enumerate().find_map(|(row, line)| {
        let before = line.split_once(text)?.0.chars().count() - 1;
        Some((u16::try_from(before).unwrap(), u16::try_from(row).unwrap()))
    });
    let Some((column, row)) = at else { panic!("{text:?} is not shown:\n{screen}") };
    let mut effects = update(m, Msg::Mouse(Mouse { kind: MouseKind::Press, column, row }));
    effects.extend(update(m, Msg::Mouse(Mouse { kind: MouseKind::Release, column, row })));
    effects
}

fn model(entries: &[Entry], size: (u16, u16)) -> Model {
    let first = snapshot(entries);
    let mut model =
        Model::new(Arc::new(settings()), ProfileName::parse("work").unwrap(), first.clone(), size);
    model.app.profiles = vec![ProfileName::default(), ProfileName::parse("work").unwrap()];
    update(&mut model, Msg::Snapshot(Box::new(first)));
    let facts = |(id, branch, ahead_behind, line): (&str, &str, _, &str)| {
        let last_line = (!line.is_empty()).then(|| line.to_owned());
        (
            SessionId::new(format!("id-{id}")),
            RowFacts { branch: Some(branch.into()), ahead_behind, last_line },
        )
    };
    let known = [
        ("api", "feat/login", None, "not shown: it asks"),
        ("billing", "main", Some((2, 0)), "cargo test -p billing"),
        ("billing-tests", "fix/a-very-long-\u{1b}[31mbranch-name", Some((12, 3)), ""),
        (
            "gateway, a very long title that has to be cut somewhere 日本語",
            "fix/retry",
            None,
            "Retries now back off; 14 tests pass, 日本語",
        ),
        ("docs", "main", Some((0, 0)), ""),
        ("old-idea", "main", None, "not shown: it is stopped"),
    ];
    update(&mut model, Msg::RowFacts(known.map(facts).to_vec()));
    if entries.len() > 1 {
        press(&mut model, "j");
        press(&mut model, "j");
        let text = "\u{1b}[32m●\u{1b}[0m Update(src/limits.rs)\n\n  Do you want to proceed?\n\u{1b}[34m❯ 1. Yes\u{1b}[0m\n  2. No\n\u{e}lqqk\u{f} 日本語 wide";
        let capture = ScreenCapture {
            lines: text.split('\n').map(|l| l.as_bytes().to_vec()).collect(),
            size: (80, 24),
            cursor: None,
            ..ScreenCapture::default()
        };
        let Some(id) = model.selected().cloned() else { return model };
        update(&mut model, Msg::ScreenCapture(id.clone(), None, Box::new(capture)));
        let digest =
            Digest { context_tokens: Some(86_000), context_window: Some(200_000), ..Digest::default() };
        let preview_header =
            PreviewHeader { branch: Some("feat/\u{1b}[31mlogin".into()), digest: Some(digest) };
        update(&mut model, Msg::PreviewHeader(id, Box::new(preview_header.clone())));
        update(&mut model, Msg::PreviewHeader(SessionId::new("id-billing"), Box::new(preview_header)));
    }
    model
}

fn press(model: &mut Model, keys: &str) -> Vec<Effect> {
    keys.split(' ').flat_map(|k| update(model, Msg::Key(Key::parse(k).unwrap()))).collect()
}

fn shown(model: &Model) -> String {
    let (width, height) = model.app.size;
    let mut terminal = Terminal::new(TestBackend::new(width, height)).unwrap();
    terminal.draw(|f| draw(f, model, &Theme::named("dark", Depth::True))).unwrap();
    terminal.backend().to_string()
}

/// What titles may hold at their worst.
const WORST: &[Entry] = &[
    (
        "日本語のとても長いタイトルで切らなければならないもの",
        "backend",
        None,
        Status::Running,
        Some(Reason::Busy(BusyKind::Tool)),
        5,
    ),
    (
        "emoji 👩‍👩‍👧‍👦 🏳️‍🌈 e\u{301} zalgo",
        "backend",
        None,
        Status::Waiting,
        Some(Reason::Blocked(BlockKind::Question)),
        99_999,
    ),
    ("مرحبا עברית \u{202e}reversed", "a/very/deep/tree/of/groups", None, Status::Idle, None, 60),
    ("\t\n tabs and lines", "", None, Status::Error, Some(Reason::Killed(String::new())), 1),
    (
        "a-title-without-any-blank-that-is-far-too-long-for-any-list-on-any-screen-that-people-have-today",
        "",
        None,
        Status::Stopped,
        None,
        999_999_999,
    ),
];

/// Rows of text with the roles that they are drawn in: a change is written between angle brackets, as the
/// role of the text and, where there is one, of the background. Colours of an agent's own are written as they are.
fn with_roles(model: &Model) -> String {
    let (width, height) = model.app.size;
    let mut terminal = Terminal::new(TestBackend::new(width, height)).unwrap();
    terminal.draw(|f| draw(f, model, &marked())).unwrap();
    let buffer = terminal.backend().buffer();
    let name = |color: Color| role_at(color).map_or_else(|| format!("{color:?}"), str::to_owned);
    let mut out = String::new();
    for y in 0..height {
        let mut last = None;
        for x in 0..width {
            let Some(cell) = buffer.cell((x, y)) else { continue };
            let style = (cell.fg, cell.bg, cell.modifier);
            if last != Some(style) {
                let mut words = vec![if cell.fg == Color::Reset { String::new() } else { name(cell.fg) }];
                words.extend((cell.bg != Color::Reset).then(|| format!("on {}", name(cell.bg))));
                words.extend((!cell.modifier.is_empty()).then(|| format!("{:?}", cell.modifier)));
                out.push_str(&format!("<{}>", words.join(" ").trim_start()));
            }
            last = Some(style);
            out.push_str(cell.symbol());
        }
        out.push('\n');
    }
    out
}

/// Where a cell depends on colour, outside of what an agent itself has drawn.
fn coloured(model: &Model) -> Vec<(u16, u16)> {
    let (width, height) = model.app.size;
    let mut terminal = Terminal::new(TestBackend::new(width, height)).unwrap();
    terminal.draw(|f| draw(f, model, &Theme::named("dark", Depth::None))).unwrap();
    let panel = model.dialogs.last().map(|d| d.panel(model));
    let shown =
        panel.map_or_else(|| crate::app::geometry_of(model), |p| crate::app::geometry_above(model, &p));
    let capture = shown.capture;
    let cells = (0..height).flat_map(|y| (0..width).map(move |x| (x, y)));
    let has_colour = |(x, y): &(u16, u16)| {
        let cell = terminal.backend().buffer().cell((*x, *y));
        cell.is_some_and(|c| (c.fg, c.bg) != (Color::Reset, Color::Reset)) && !capture.has(*x, *y)
    };
    cells.filter(has_colour).collect()
}
