//! Tabs beside the agent, and the end of a worktree.

use super::*;
use crate::app::{Done, WorkerWork};
use crate::domain::place::Place;
use crate::domain::session::SessionName;
use crate::domain::status::Exit;
use crate::domain::worker::{Worker, WorkerId, WorkerType};
use crate::domain::worktree::{Blocker, IgnoredFile};
use crate::ops::worker::listed;
use crate::ops::worktree::{FinishPlan, MergeWish};
use crate::ports::mux::TerminalRow;

fn worker(id: &str, kind: WorkerType, name: &str) -> Worker {
    let order = i64::from(id.bytes().last().unwrap_or_default());
    Worker::new(WorkerId::new(id), kind, name, now() + SignedDuration::from_secs(order))
}

/// The selected session with two terminals, of which one has ended, a diff, a file and a link.
fn with_workers(size: (u16, u16)) -> Model {
    let mut m = model(FULL, size);
    let id = m.selected().unwrap().clone();
    let mut seen = snapshot(FULL);
    let profile = Arc::make_mut(&mut seen.profile);
    let session = profile.session_mut(&id).unwrap();
    session.place = Some(Place { worktree: "/w".into(), base: Some("main".into()), ..Place::default() });
    session.workers = vec![
        worker("w1", WorkerType::Terminal, "te\u{1b}[31msts"),
        worker("w2", WorkerType::Terminal, "server"),
        worker("w3", WorkerType::Diff, "diff"),
        Worker { file: Some("PLAN.md".into()), ..worker("w4", WorkerType::Markdown, "PLAN.md") },
        Worker { url: Some("http://localhost:{port}/".into()), ..worker("w5", WorkerType::Link, "link") },
    ];
    let session = session.clone();
    let terminal = |worker: &str, pane: &str, dead: Option<Exit>| TerminalRow {
        session: SessionRef::new(&ServerId::from("deck"), "$1"),
        name: "n".into(),
        pane: PaneRef::new(&ServerId::from("deck"), pane),
        of: id.clone(),
        worker: WorkerId::new(worker),
        facts: PaneFacts { pid: Some(7), dead, ..PaneFacts::default() },
    };
    let terminals = [terminal("w1", "%7", None), terminal("w2", "%8", Some(Exit::Code(3)))];
    let profile = seen.profile.clone();
    let state = seen.states.get_mut(&id).unwrap();
    let row = state.row.clone();
    state.workers = listed(&profile, &session, |_| row.as_ref(), &terminals);
    update(&mut m, Msg::Snapshot(Box::new(seen)));
    m
}

fn show_terminal(m: &mut Model) {
    press(m, "2");
    let id = m.selected().unwrap().clone();
    let capture = ScreenCapture {
        lines: vec![b"12 tests, 1 failed".to_vec(), b"$ ".to_vec()],
        size: (80, 24),
        ..ScreenCapture::default()
    };
    update(m, Msg::ScreenCapture(id, Some(WorkerId::new("w1")), Box::new(capture)));
}

#[test]
fn tabs_are_above_the_preview() {
    for size in [(120, 36), (80, 24), (40, 12)] {
        let mut m = with_workers(size);
        if size.0 == 40 {
            press(&mut m, "tab");
        }
        insta::assert_snapshot!(format!("tabs-{}x{}", size.0, size.1), shown(&m));
        show_terminal(&mut m);
        assert!(shown(&m).contains("12 tests, 1 failed"), "{}", shown(&m));
        insta::assert_snapshot!(format!("tabs-terminal-{}x{}", size.0, size.1), shown(&m));
    }
    let m = model(FULL, (120, 36));
    assert!(!shown(&m).contains("1 claude"), "a session with its agent alone has none");
}

#[test]
fn a_row_remembers_its_tab_and_a_late_capture_is_another_tabs() {
    let mut m = with_workers((120, 36));
    show_terminal(&mut m);
    press(&mut m, "j k");
    assert!(shown(&m).contains("12 tests, 1 failed"));
    press(&mut m, "1");
    let text = shown(&m);
    assert!(text.contains("Do you want to proceed?") && !text.contains("12 tests"), "{text}");
    press(&mut m, "9");
    assert!(shown(&m).contains("the session has no such tab"), "{}", shown(&m));
}

#[test]
fn keys_on_a_terminal_are_about_it_and_acknowledge_nothing() {
    let mut m = with_workers((120, 36));
    let id = m.selected().unwrap().clone();
    show_terminal(&mut m);
    let terminal = WorkerId::new("w1");
    assert_eq!(press(&mut m, "enter"), [Effect::AttachTerminal(id.clone(), terminal.clone())]);
    assert_eq!(press(&mut m, "i"), []);
    let typed = press(&mut m, "x");
    let text = crate::app::PaneInput::Text("x".into());
    assert_eq!(typed, [Effect::Type(id.clone(), Some(terminal.clone()), text)]);
    assert_eq!(press(&mut m, "ctrl-q"), []);
    // It ends the terminal, not the agent; and it asks, since something runs in it.
    assert_eq!(press(&mut m, "x"), []);
    let removed = Effect::Worker(id.clone(), WorkerWork::Remove(terminal, true));
    assert_eq!(press(&mut m, "enter"), [removed]);
    press(&mut m, "3");
    let removed = Effect::Worker(id.clone(), WorkerWork::Remove(WorkerId::new("w2"), false));
    assert_eq!(press(&mut m, "x"), [removed], "one that has ended is removed at once");
    let read = Effect::Worker(id.clone(), WorkerWork::Read(WorkerId::new("w4")));
    assert_eq!(press(&mut m, "5"), [read]);
    update(&mut m, Msg::Done(Done::File(id, "PLAN.md".into(), Ok("# Plan\n\n- **one**\n".into()))));
    assert!(shown(&m).contains("PLAN.md") && shown(&m).contains("one"), "{}", shown(&m));
    press(&mut m, "esc");
    assert_eq!(press(&mut m, "6"), [Effect::Copy("http://localhost:20000/".into())]);
    let effects = press(&mut m, "4");
    assert!(
        matches!(&effects[..], [Effect::Diff(_, _, crate::domain::diff::Against::Left(base), _)] if base == "main"),
        "{effects:?}"
    );
}

#[test]
fn a_new_terminal_is_shown_at_once() {
    let mut m = with_workers((120, 36));
    let id = m.selected().unwrap().clone();
    let effects = press(&mut m, "t");
    assert!(matches!(&effects[..], [Effect::Worker(of, WorkerWork::Add(_))] if *of == id), "{effects:?}");
    update(
        &mut m,
        Msg::Done(Done::WorkerAdded(id.clone(), Some(WorkerId::new("w2")), "added server".into())),
    );
    assert_eq!(m.tab().unwrap().name, "server");
    press(&mut m, "w a");
    for c in "diff v1".chars() {
        update(&mut m, Msg::Key(Key::plain(crate::app::KeyCode::Char(c))));
    }
    let effects = press(&mut m, "enter");
    assert!(
        matches!(&effects[..], [Effect::Worker(_, WorkerWork::Add(new))] if new.against.as_deref() == Some("v1"))
    );
}

#[test]
fn a_file_is_rendered() {
    let text = "# Plan\n\n1. **one** `code`\n2. two\n\n> quote\n\n```rust\nlet x = 1;\n```\n\n<b>raw</b> \u{1b}[31mred\n";
    for (size, is_mono) in [((80, 24), false), ((40, 12), true)] {
        let mut m = with_workers(size);
        let id = m.selected().unwrap().clone();
        press(&mut m, "5");
        update(&mut m, Msg::Done(Done::File(id, "PLAN.md".into(), Ok(text.into()))));
        let (width, height) = size;
        let mut terminal = Terminal::new(TestBackend::new(width, height)).unwrap();
        let depth = if is_mono { Depth::None } else { Depth::True };
        terminal.draw(|f| draw(f, &m, &Theme::named("dark", depth))).unwrap();
        insta::assert_snapshot!(format!("markdown-{width}x{height}"), terminal.backend().to_string());
    }
}

fn plan(blockers: Vec<Blocker>) -> FinishPlan {
    FinishPlan {
        path: "/home/me/src/api-worktrees/feat-login".into(),
        branch: Some("feat/login".into()),
        base: Some("main".into()),
        lacks: Some(3),
        blockers,
        commands: vec![
            "git -C /home/me/src/api merge feat/login".into(),
            "git worktree remove /home/me/src/api-worktrees/feat-login".into(),
        ],
        sessions: Vec::new(),
        stops: vec![SessionName { id: SessionId::new("0a"), title: "add login\u{1b}".into() }],
        asks: None,
    }
}

#[test]
fn adding_says_what_can_be_added() {
    for size in [(80, 24), (40, 12)] {
        let mut m = with_workers(size);
        press(&mut m, "w a");
        insta::assert_snapshot!(format!("add-{}x{}", size.0, size.1), shown(&m));
        press(&mut m, "f i l e enter");
        assert!(shown(&m).contains("name the file"), "{}", shown(&m));
    }
}

#[test]
fn finishing_names_all_that_is_in_the_way_and_does_nothing_then() {
    let ignored = |path: &str| IgnoredFile { path: path.into(), bytes: 1234 };
    let six = vec![
        Blocker::UnderWay("a rebase"),
        Blocker::Uncommitted {
            staged: 1,
            changed: 2,
            conflicted: 0,
            untracked: 1,
            first: vec!["src/\u{1b}[31mlib.rs".into(), "new".into()],
        },
        Blocker::Ignored(vec![ignored(".env"), ignored("data.sqlite")]),
        Blocker::Locked("on a stick".into()),
        Blocker::Submodule { path: "lib".into(), why: "has commits that no remote branch has".into() },
        Blocker::Process { pid: 4711, program: "vim".into() },
    ];
    for size in [(100, 30), (80, 24), (40, 12)] {
        let mut m = with_workers(size);
        let id = m.selected().unwrap().clone();
        let effects = press(&mut m, "w f");
        assert!(matches!(&effects[..], [Effect::Worker(_, WorkerWork::PlanFinish(0, _))]), "{effects:?}");
        let answer = |number, blockers| Done::FinishPlanned(id.clone(), number, Box::new(Ok(plan(blockers))));
        update(&mut m, Msg::Done(answer(0, six.clone())));
        insta::assert_snapshot!(format!("finish-blocked-{}x{}", size.0, size.1), shown(&m));
        assert_eq!(press(&mut m, "enter"), [], "nothing is done while something is in the way");
        let effects = press(&mut m, "m");
        assert!(
            matches!(&effects[..], [Effect::Worker(_, WorkerWork::PlanFinish(1, wish))] if wish.merge == Some(MergeWish::Merge))
        );
        // An answer for another choice is dropped.
        update(&mut m, Msg::Done(answer(0, Vec::new())));
        assert_eq!(press(&mut m, "enter"), []);
        update(&mut m, Msg::Done(answer(1, Vec::new())));
        insta::assert_snapshot!(format!("finish-{}x{}", size.0, size.1), shown(&m));
        press(&mut m, "j j j j");
        assert!(shown(&m).contains("worktree remove"), "the last command can be scrolled to");
        let effects = press(&mut m, "enter");
        assert!(
            matches!(&effects[..], [Effect::Worker(_, WorkerWork::Finish(wish))] if wish.merge == Some(MergeWish::Merge) && wish.stop && wish.archive),
            "{effects:?}"
        );
    }
}

#[test]
fn what_a_teardown_runs_is_allowed_first() {
    use crate::ops::worktree::SetupContent;
    let mut m = with_workers((100, 30));
    let id = m.selected().unwrap().clone();
    press(&mut m, "w f");
    let content = SetupContent {
        files: vec![(".deck.toml".into(), b"teardown = ['./do\x1bwn']\n".to_vec())],
        ..SetupContent::default()
    };
    let asks = Some(("api".to_owned(), content.clone()));
    let answer = Done::FinishPlanned(id, 0, Box::new(Ok(FinishPlan { asks, ..plan(Vec::new()) })));
    update(&mut m, Msg::Done(answer));
    assert_eq!(press(&mut m, "enter"), [], "it is shown first");
    insta::assert_snapshot!("finish-consent-100x30", shown(&m));
    assert_eq!(press(&mut m, "enter"), [], "enter allows nothing");
    let effects = press(&mut m, "o");
    let [Effect::Worker(_, WorkerWork::Finish(wish))] = &effects[..] else { panic!("{effects:?}") };
    let given = wish.consent.as_ref().unwrap();
    assert_eq!((given.sha256.as_str(), given.always), (content.sha256().as_str(), false));
}

#[test]
fn tabs_and_finishing_without_colours() {
    let mono = |m: &Model| {
        let (width, height) = m.app.size;
        let mut terminal = Terminal::new(TestBackend::new(width, height)).unwrap();
        terminal.draw(|f| draw(f, m, &Theme::named("mono", Depth::None))).unwrap();
        terminal.backend().to_string()
    };
    let mut m = with_workers((40, 12));
    m.app.settings = Arc::new(Settings { ascii: true, ..settings() });
    press(&mut m, "tab 3");
    insta::assert_snapshot!("tabs-mono-40x12", mono(&m));
    press(&mut m, "w f");
    let id = m.selected().unwrap().clone();
    update(&mut m, Msg::Done(Done::FinishPlanned(id, 0, Box::new(Err("the profile can't be read".into())))));
    insta::assert_snapshot!("finish-failed-mono-40x12", mono(&m));
}
