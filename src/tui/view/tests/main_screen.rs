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
fn styles_of_the_main_screen() {
    let m = model(FULL, (60, 18));
    for (theme, depth) in [("dark", Depth::True), ("dark", Depth::Named), ("mono", Depth::None)] {
        let mut terminal = Terminal::new(TestBackend::new(60, 18)).unwrap();
        terminal.draw(|f| draw(f, &m, &Theme::named(theme, depth))).unwrap();
        let buffer = terminal.backend().buffer();
        let styles: std::collections::BTreeSet<String> = buffer
            .content()
            .iter()
            .filter(|c| "●◐◆○✕■◌▌".contains(c.symbol()))
            .map(|c| format!("{} fg {:?} bg {:?} {:?}", c.symbol(), c.fg, c.bg, c.modifier))
            .collect();
        let text = styles.into_iter().collect::<Vec<_>>().join("\n");
        insta::assert_snapshot!(format!("styles-{theme}-{depth:?}"), text);
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

#[test]
fn every_style_in_dark_and_in_mono() {
    for size in [(80, 24), (120, 40), (200, 50), (40, 12)] {
        let m = model(FULL, size);
        for (theme, depth) in [("dark", Depth::True), ("mono", Depth::None)] {
            insta::assert_snapshot!(format!("style-{theme}-{}x{}", size.0, size.1), styled(&m, theme, depth));
        }
    }
    let mut m = model(FULL, (80, 24));
    press(&mut m, "/ I L enter");
    insta::assert_snapshot!("style-found", styled(&m, "dark", Depth::Named));
    for keys in [
        "?", ":", "n", "d", "m", "p", "E", "a", "s", "M", "o", ",", "r", "S", "c", "F", "N", "i", "/", "x",
        "R",
    ] {
        let mut m = model(FULL, (40, 12));
        press(&mut m, keys);
        let name = keys.chars().next().map_or(0, u32::from);
        insta::assert_snapshot!(format!("mono-dialog-{name}-40x12"), styled(&m, "mono", Depth::None));
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
