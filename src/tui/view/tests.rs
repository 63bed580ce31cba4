//! The screen as text, at every layout, empty and full.

use std::sync::Arc;

use jiff::{SignedDuration, Timestamp};
use ratatui::Terminal;
use ratatui::backend::TestBackend;

use super::draw;
use crate::app::{Done, Effect, Key, Model, Mouse, MouseKind, Msg, Settings, ToolInfo, update};
use crate::domain::conversation::{Digest, Said, Who};
use crate::domain::group::GroupPath;
use crate::domain::id::{ProfileName, SessionId};
use crate::domain::profile::Profile;
use crate::domain::screen::{Choice, Dialog, Press};
use crate::domain::session::{Session, Wanted};
use crate::domain::status::{
    BlockKind, BusyKind, Evidence, Memory, Observation, Reason, Source, Status, Verdict,
};
use crate::ops::{Heading, Look, Snapshot};
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

/// What the sources say of an agent that asks, a stuck title and an older hook among them.
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

fn dialog() -> Dialog {
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
    Dialog {
        rule: "permission".into(),
        asks: None,
        choices: (1..).zip(labels).map(choice).collect(),
        several: false,
    }
}

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
            decided_by: matches!(reason, Some(Reason::Blocked(_))).then_some(0),
            memory,
        };
        let row = PaneRow {
            deck_id: Some(id.clone()),
            server: None,
            session: MuxSession("$1".into()),
            name: "n".into(),
            adopted: None,
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
            hook: None,
            port: None,
            title: String::new(),
        };
        let row = (*status != Status::Stopped).then_some(row);
        let evidence = if matches!(reason, Some(Reason::Blocked(_))) { evidence(since) } else { Vec::new() };
        let dialog = matches!(reason, Some(Reason::Blocked(_))).then(dialog);
        looks.insert(id, Look { row, verdict, evidence, acknowledged_at: None, dialog });
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
            ..Picture::default()
        };
        let Some(id) = model.selected().cloned() else { return model };
        update(&mut model, Msg::Picture(id.clone(), Box::new(picture)));
        let digest =
            Digest { context_tokens: Some(86_000), context_window: Some(200_000), ..Digest::default() };
        let heading = Heading { branch: Some("feat/\u{1b}[31mlogin".into()), digest: Some(digest) };
        update(&mut model, Msg::Heading(id, Box::new(heading.clone())));
        update(&mut model, Msg::Heading(SessionId::new("id-billing"), Box::new(heading)));
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
        let mut m = model(FULL, size);
        m.versions.insert("claude".into(), "2.1.330".into());
        press(&mut m, "n ctrl-u tab tab tab tab tab h i");
        insta::assert_snapshot!(name("new-session-filled"), shown(&m));
        insta::assert_snapshot!(name("confirm-delete"), at(size, "d"));
        insta::assert_snapshot!(name("move"), at(size, "m"));
        insta::assert_snapshot!(name("profiles"), at(size, "p"));
        insta::assert_snapshot!(name("explain"), at(size, "E"));
        insta::assert_snapshot!(name("answer"), at(size, "a"));
        insta::assert_snapshot!(name("compose"), at(size, "v v s h i alt-enter y o u"));
        insta::assert_snapshot!(name("messages"), at(size, "% M"));
        insta::assert_snapshot!(name("typing"), at(size, "i"));
        let mut m = model(FULL, size);
        press(&mut m, "o");
        let said = vec![
            Said { who: Who::User, text: "fix the \u{1b}[31mlimits".into() },
            Said { who: Who::Tool, text: "Bash cargo test".into() },
            Said {
                who: Who::Agent,
                text: "# Done\n- `limits.rs` is right\n```rust\nfn main() {}\n```".into(),
            },
        ];
        let id = m.selected().unwrap().clone();
        update(&mut m, Msg::Done(Done::Said(id, said)));
        insta::assert_snapshot!(name("read"), shown(&m));
    }
    insta::assert_snapshot!("marked", at((100, 18), "v v"));
    insta::assert_snapshot!("heading", at((100, 18), "j"));
    insta::assert_snapshot!("rename", at((80, 24), "r"));
    insta::assert_snapshot!("find", at((80, 24), "/ b i l"));
    insta::assert_snapshot!("prefix", at((80, 24), "g"));
    insta::assert_snapshot!("unknown-key", at((80, 24), "%"));
}

/// A number that looks random, from the one before: splitmix64.
fn next(seed: &mut u64) -> usize {
    *seed = seed.wrapping_add(0x9e37_79b9_7f4a_7c15);
    let mut z = *seed;
    z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    usize::try_from((z ^ (z >> 31)) >> 33).unwrap()
}

#[test]
fn any_keys_and_any_mouse() {
    let keys = "a b c d e f g h i j k l m n o p q r s t u v w x y z A D E F G J K M N R Y Z / ! @ # & ? : , [ ] % 1 2 \
                space enter esc tab backtab backspace delete home end pageup pagedown up down left right ctrl-q ctrl-d \
                ctrl-u ctrl-w ctrl-j ctrl-p ctrl-n f5 alt-enter ü 日";
    let keys: Vec<Key> = keys.split_whitespace().map(|k| Key::parse(k).unwrap()).collect();
    let sizes = [(1, 1), (40, 12), (80, 24), (39, 9), (200, 50), (60, 18), (100, 10)];
    for seed in 0..100_u64 {
        let mut state = seed;
        let mut m = model(if seed.is_multiple_of(5) { &[] } else { FULL }, (100, 30));
        for _ in 0..200 {
            let n = next(&mut state);
            let msg = match n % 20 {
                0 => {
                    let (width, height) = sizes[next(&mut state) % sizes.len()];
                    Msg::Resize(width, height)
                }
                1..=3 => {
                    let kinds = [
                        MouseKind::Press,
                        MouseKind::Drag,
                        MouseKind::Release,
                        MouseKind::WheelUp,
                        MouseKind::WheelDown,
                    ];
                    let (column, row) = (next(&mut state) % 210, next(&mut state) % 60);
                    let kind = kinds[next(&mut state) % kinds.len()];
                    Msg::Mouse(Mouse {
                        kind,
                        column: column.try_into().unwrap(),
                        row: row.try_into().unwrap(),
                    })
                }
                4 => Msg::Paste("a\n\u{1b}[31m日本\t".into()),
                5 => Msg::Snapshot(Box::new(snapshot(if n.is_multiple_of(3) { &FULL[..3] } else { FULL }))),
                _ => Msg::Key(keys[next(&mut state) % keys.len()]),
            };
            for effect in update(&mut m, msg) {
                // Effects on a session name one that is there.
                if let Effect::Type(id, _) | Effect::Attach(id) | Effect::Stop(id) = &effect {
                    assert!(m.snapshot.profile.session(id).is_some(), "seed {seed}: {effect:?}");
                }
            }
            assert!(m.cursor.is_none() || m.index().is_some(), "seed {seed}: the cursor is on a row");
            assert!(m.marked.iter().all(|id| m.snapshot.profile.session(id).is_some()), "seed {seed}");
            if n.is_multiple_of(4) {
                shown(&m);
            }
        }
    }
}

#[test]
fn a_click_on_who_needs_the_user_goes_there() {
    let mut m = model(FULL, (120, 40));
    let line = shown(&m).lines().nth(1).unwrap().to_owned();
    press(&mut m, "G");
    let at = |column| Msg::Mouse(Mouse { kind: MouseKind::Press, column, row: 1 });
    // The first character of the line is the snapshot's quote.
    let column = u16::try_from(line.split("gateway").next().unwrap().chars().count() - 1).unwrap();
    update(&mut m, at(column));
    assert!(m.session().unwrap().title.starts_with("gateway"), "{:?}", m.session());
    update(&mut m, at(119));
    assert!(m.session().unwrap().title.starts_with("gateway"), "nobody stands there");
}

#[test]
fn a_turn_that_ends_where_the_user_types_is_seen() {
    let mut m = model(FULL, (120, 40));
    press(&mut m, "j j j");
    assert!(m.session().unwrap().title.starts_with("gateway"));
    let look = |m: &mut Model| update(m, Msg::Snapshot(Box::new(snapshot(FULL))));
    assert!(look(&mut m).is_empty(), "looking at it alone is not enough");
    press(&mut m, "i");
    let id = m.selected().unwrap().clone();
    assert_eq!(look(&mut m), [Effect::Acknowledge(id)]);
    press(&mut m, "ctrl-q");
    assert!(look(&mut m).is_empty());
}

#[test]
fn a_window_that_has_just_become_smaller() {
    let mut m = model(FULL, (120, 40));
    press(&mut m, "?");
    for (width, height) in [(1, 1), (120, 3), (5, 40), (119, 39), (0, 0)] {
        let mut terminal = Terminal::new(TestBackend::new(width, height)).unwrap();
        terminal.draw(|f| draw(f, &m, &Theme::named("dark", Depth::True))).unwrap();
    }
}

#[test]
fn what_was_lost_is_offered() {
    let titles = ["api", "billing", "docs", "\u{1b}[31mevil", "gateway", "shell", "web"];
    let lost = titles.map(|t| (t, "work", None, Status::Error, Some(Reason::Gone), 60));
    let mut m = model(&lost, (80, 24));
    insta::assert_snapshot!("lost-80x24", shown(&m));
    let effects = press(&mut m, "enter");
    let Some(Effect::Revive(ids)) = effects.first() else { panic!("{effects:?}") };
    for id in &ids[..2] {
        update(&mut m, Msg::Done(Done::Revived(id.clone(), None)));
    }
    insta::assert_snapshot!("reviving-80x24", shown(&m));
    for id in &ids[2..] {
        update(&mut m, Msg::Done(Done::Revived(id.clone(), Some("it ended: no conversation found".into()))));
    }
    insta::assert_snapshot!("revived-80x24", shown(&m));
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

/// Rows of text with their styles: a change of style is written between angle brackets.
fn styled(model: &Model, theme: &str, depth: Depth) -> String {
    let (width, height) = model.size;
    let mut terminal = Terminal::new(TestBackend::new(width, height)).unwrap();
    terminal.draw(|f| draw(f, model, &Theme::named(theme, depth))).unwrap();
    let buffer = terminal.backend().buffer();
    let mut out = String::new();
    for y in 0..height {
        let mut last = None;
        for x in 0..width {
            let Some(cell) = buffer.cell((x, y)) else { continue };
            let style = (cell.fg, cell.bg, cell.modifier);
            if last.is_some_and(|l| l != style) || last.is_none() {
                out.push_str(
                    &format!("<{:?} {:?} {:?}>", cell.fg, cell.bg, cell.modifier).replace("Modifier", ""),
                );
            }
            last = Some(style);
            out.push_str(cell.symbol());
        }
        out.push('\n');
    }
    out
}

#[test]
fn the_worst_titles_and_five_hundred_sessions() {
    for (width, height) in [(80, 24), (120, 40), (200, 50), (40, 12)] {
        let m = model(WORST, (width, height));
        insta::assert_snapshot!(format!("worst-{width}x{height}"), shown(&m));
    }
    let names: Vec<String> = (0..500).map(|n| format!("session-{n:03}")).collect();
    let names: &'static [String] = Box::leak(names.into_boxed_slice());
    let many: Vec<Entry> = names
        .iter()
        .enumerate()
        .map(|(n, name)| (name.as_str(), "all", None, Status::ALL[n % Status::ALL.len()], None, 60))
        .collect();
    let mut m = model(&many, (80, 24));
    press(&mut m, "G");
    insta::assert_snapshot!("five-hundred-80x24", shown(&m));
}

#[test]
fn every_style_in_dark_and_in_mono() {
    for size in [(80, 24), (120, 40), (40, 12)] {
        let m = model(FULL, size);
        for (theme, depth) in [("dark", Depth::True), ("mono", Depth::None)] {
            insta::assert_snapshot!(format!("style-{theme}-{}x{}", size.0, size.1), styled(&m, theme, depth));
        }
    }
    let mut m = model(FULL, (80, 24));
    press(&mut m, "/ I L enter");
    insta::assert_snapshot!("style-found", styled(&m, "dark", Depth::Named));
    for keys in ["?", ":", "n", "d", "m", "p", "E", "a", "s", "M", "o", ",", "r"] {
        let mut m = model(FULL, (40, 12));
        press(&mut m, keys);
        let name = keys.chars().next().map_or(0, u32::from);
        insta::assert_snapshot!(format!("mono-dialog-{name}-40x12"), styled(&m, "mono", Depth::None));
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
