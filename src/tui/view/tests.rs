//! The screen as text, at every layout, empty and full.

use std::sync::Arc;

use jiff::{SignedDuration, Timestamp};
use ratatui::Terminal;
use ratatui::backend::TestBackend;

use super::draw;
use crate::app::{Effect, Key, Model, Msg, Settings, ToolInfo, update};
use crate::domain::group::GroupPath;
use crate::domain::id::{ProfileName, SessionId};
use crate::domain::profile::Profile;
use crate::domain::session::{Session, Wanted};
use crate::domain::status::{BlockKind, BusyKind, Memory, Reason, Source, Status, Verdict};
use crate::ops::{Look, Snapshot};
use crate::ports::mux::{MuxSession, Pane, PaneRow, Picture};
use crate::tui::{Depth, Theme};

fn now() -> Timestamp {
    "2026-03-04T10:42:12Z".parse().unwrap()
}

fn settings() -> Settings {
    let tool = |name: &str, title: &str, found: bool| ToolInfo {
        name: name.into(),
        title: title.into(),
        found,
        options: vec![
            ("skip permissions".into(), vec!["--yes".into()]),
            ("plan first".into(), vec!["--plan".into()]),
        ],
    };
    Settings {
        home: Some("/home/me".into()),
        cwd: "/home/me/src/api".into(),
        split: 36,
        tools: vec![
            tool("claude", "Claude Code", true),
            tool("gemini", "Gemini", true),
            tool("codex", "Codex", false),
        ],
        ..Settings::default()
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

fn snapshot(entries: &[Entry]) -> Snapshot {
    let mut profile = Profile::default();
    let mut looks = std::collections::BTreeMap::new();
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
        session.wanted = if *status == Status::Stopped { Wanted::Stopped } else { Wanted::Running };
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
            decided_by: None,
            memory,
        };
        let row = PaneRow {
            deck_id: Some(id.clone()),
            session: MuxSession("$1".into()),
            name: "n".into(),
            pane: Pane("%1".into()),
            pid: Some(1),
            dead: None,
            activity: 0,
            attached: 0,
            memory: String::new(),
            ack: None,
            started: None,
            began: Default::default(),
            resume_id: None,
            size: (80, 24),
            note: String::new(),
            title: String::new(),
        };
        let row = (*status != Status::Stopped).then_some(row);
        looks.insert(id, Look { row, verdict, evidence: Vec::new() });
    }
    Snapshot { profile: Arc::new(profile), looks, at: now(), recovered: None }
}

fn model(entries: &[Entry], size: (u16, u16)) -> Model {
    let first = snapshot(entries);
    let mut model =
        Model::new(Arc::new(settings()), ProfileName::parse("work").unwrap(), first.clone(), size);
    model.profiles = vec![ProfileName::default(), ProfileName::parse("work").unwrap()];
    update(&mut model, Msg::Snapshot(Box::new(first)));
    if entries.len() > 1 {
        press(&mut model, "j");
        press(&mut model, "j");
        let text = "\u{1b}[32m●\u{1b}[0m Update(src/limits.rs)\n\n  Do you want to proceed?\n\u{1b}[34m❯ 1. Yes\u{1b}[0m\n  2. No\n\u{e}lqqk\u{f} 日本語 wide";
        let picture = Picture {
            lines: text.split('\n').map(|l| l.as_bytes().to_vec()).collect(),
            size: (80, 24),
            cursor: None,
        };
        let id = model.selected().unwrap().clone();
        update(&mut model, Msg::Picture(id, Box::new(picture)));
    }
    model
}

fn press(model: &mut Model, keys: &str) -> Vec<Effect> {
    keys.split(' ').flat_map(|k| update(model, Msg::Key(Key::parse(k).unwrap()))).collect()
}

fn shown(model: &Model) -> String {
    let (width, height) = model.size;
    let mut terminal = Terminal::new(TestBackend::new(width, height)).unwrap();
    terminal.draw(|f| draw(f, model, &Theme::named("dark", Depth::True))).unwrap();
    terminal.backend().to_string()
}

#[test]
fn the_main_screen_at_every_layout() {
    for (width, height) in [(80, 24), (120, 40), (200, 50), (40, 12), (30, 8)] {
        insta::assert_snapshot!(format!("main-full-{width}x{height}"), shown(&model(FULL, (width, height))));
        insta::assert_snapshot!(format!("main-empty-{width}x{height}"), shown(&model(&[], (width, height))));
    }
}

#[test]
fn dialogs() {
    let at = |size, keys: &str| {
        let mut m = model(FULL, size);
        press(&mut m, keys);
        shown(&m)
    };
    for size in [(100, 30), (80, 24), (40, 12)] {
        let name = |what: &str| format!("{what}-{}x{}", size.0, size.1);
        insta::assert_snapshot!(name("help"), at(size, "?"));
        insta::assert_snapshot!(name("palette"), at(size, ":"));
        insta::assert_snapshot!(name("new-session"), at(size, "n"));
        insta::assert_snapshot!(name("confirm-delete"), at(size, "d"));
        insta::assert_snapshot!(name("move"), at(size, "m"));
        insta::assert_snapshot!(name("profiles"), at(size, "p"));
    }
    insta::assert_snapshot!("rename", at((80, 24), "r"));
    insta::assert_snapshot!("find", at((80, 24), "/ b i l"));
    insta::assert_snapshot!("prefix", at((80, 24), "g"));
    insta::assert_snapshot!("unknown-key", at((80, 24), "%"));
}

#[test]
fn styles_of_the_main_screen() {
    let m = model(FULL, (60, 18));
    for (theme, depth) in [("dark", Depth::True), ("dark", Depth::Named), ("mono", Depth::None)] {
        let mut terminal = Terminal::new(TestBackend::new(60, 18)).unwrap();
        terminal.draw(|f| draw(f, &m, &Theme::named(theme, depth))).unwrap();
        let buffer = terminal.backend().buffer();
        let styles: std::collections::BTreeSet<String> = buffer
            .content()
            .iter()
            .filter(|c| "●◐○✕■◌▌".contains(c.symbol()))
            .map(|c| format!("{} fg {:?} bg {:?} {:?}", c.symbol(), c.fg, c.bg, c.modifier))
            .collect();
        let text = styles.into_iter().collect::<Vec<_>>().join("\n");
        insta::assert_snapshot!(format!("styles-{theme}-{depth:?}"), text);
    }
}

#[test]
fn before_tmux_has_answered() {
    let mut first = snapshot(FULL);
    first.looks.clear();
    let m = Model::new(Arc::new(settings()), ProfileName::default(), first, (80, 24));
    insta::assert_snapshot!("first-frame", shown(&m));
}

#[test]
fn another_sessions_picture_is_never_drawn() {
    let mut m = model(FULL, (120, 40));
    assert!(shown(&m).contains("Do you want to proceed?"));
    press(&mut m, "j");
    assert!(!shown(&m).contains("Do you want to proceed?"));
}

#[test]
fn any_keys_at_any_size_never_panic() {
    let mut seed = 7u64;
    let mut random = |n: u64| {
        seed = seed.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (seed >> 33) % n
    };
    let names = [
        "enter",
        "esc",
        "tab",
        "backtab",
        "up",
        "down",
        "left",
        "right",
        "backspace",
        "ctrl-u",
        "ctrl-d",
        "space",
    ];
    let letters: Vec<char> = "abcdfghijklmnopqrstuvxyzRGJKNZ/:?!@#&[]".chars().collect();
    for round in 0..40 {
        let mut m = model(FULL, (40, 12));
        for _ in 0..120 {
            if random(12) == 0 {
                let size = (1 + random(220) as u16, 1 + random(60) as u16);
                update(&mut m, Msg::Resize(size.0, size.1));
            }
            let key = if random(2) == 0 {
                Key::parse(names[random(names.len() as u64) as usize]).unwrap()
            } else {
                Key::char(letters[random(letters.len() as u64) as usize])
            };
            update(&mut m, Msg::Key(key));
            shown(&m);
        }
        assert!(m.rows.len() <= 12, "round {round}");
    }
}
