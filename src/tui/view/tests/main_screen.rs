//! The TUI at every layout, full, empty, and at its worst.

use super::*;

#[test]
fn the_main_screen_at_every_layout() {
    for (width, height) in [(80, 24), (120, 40), (200, 50), (40, 12), (30, 8)] {
        insta::assert_snapshot!(format!("main-full-{width}x{height}"), shown(&model(FULL, (width, height))));
        insta::assert_snapshot!(format!("main-empty-{width}x{height}"), shown(&model(&[], (width, height))));
    }
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

/// What opens every dialog.
const DIALOGS: [&str; 21] =
    ["?", ":", "n", "d", "m", "p", "E", "a", "s", "M", "o", ",", "r", "S", "c", "F", "N", "i", "/", "x", "R"];

#[test]
fn the_role_of_everything() {
    for size in [(80, 24), (120, 40)] {
        insta::assert_snapshot!(format!("roles-{}x{}", size.0, size.1), with_roles(&model(FULL, size)));
    }
    let mut m = model(FULL, (80, 24));
    press(&mut m, "/ I L enter");
    insta::assert_snapshot!("roles-found", with_roles(&m));
    for keys in DIALOGS {
        let mut m = model(FULL, (40, 12));
        press(&mut m, keys);
        let name = keys.chars().next().map_or(0, u32::from);
        insta::assert_snapshot!(format!("roles-dialog-{name}-40x12"), with_roles(&m));
    }
}

#[test]
fn without_colours_nothing_depends_on_one() {
    for size in [(40, 12), (80, 24), (120, 40), (200, 50)] {
        assert_eq!(coloured(&model(FULL, size)), []);
        for keys in DIALOGS {
            let mut m = model(FULL, size);
            press(&mut m, keys);
            assert_eq!(coloured(&m), [], "{keys} at {size:?}");
        }
    }
}

#[test]
fn before_tmux_has_answered() {
    let mut first = snapshot(FULL);
    first.states.clear();
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
fn a_window_that_has_just_become_smaller() {
    let mut m = model(FULL, (120, 40));
    press(&mut m, "?");
    for (width, height) in [(1, 1), (120, 3), (5, 40), (119, 39), (0, 0)] {
        let mut terminal = Terminal::new(TestBackend::new(width, height)).unwrap();
        terminal.draw(|f| draw(f, &m, &Theme::named("dark", Depth::True))).unwrap();
    }
}

#[test]
fn a_turn_that_ends_where_the_user_types_is_seen() {
    let mut m = model(FULL, (120, 40));
    press(&mut m, "j j j");
    assert!(m.session().unwrap().title.starts_with("gateway"));
    let state = |m: &mut Model| update(m, Msg::Snapshot(Box::new(snapshot(FULL))));
    assert!(state(&mut m).is_empty(), "looking at it alone is not enough");
    press(&mut m, "i");
    let id = m.selected().unwrap().clone();
    assert_eq!(state(&mut m), [Effect::Acknowledge(id)]);
    press(&mut m, "ctrl-q");
    assert!(state(&mut m).is_empty());
}
