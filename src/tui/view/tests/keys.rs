//! Keys that do the same in every dialog.

use super::*;

#[test]
fn ctrl_c_leaves_every_dialog() {
    for keys in ["?", ":", "n", "d", "m", "p", "E", "a", "s", "M", "o", ",", "r", "S", "c", "F", "N", "x"] {
        let mut m = model(FULL, (100, 30));
        press(&mut m, keys);
        let was_open = !m.dialogs.is_empty();
        let effects = press(&mut m, "ctrl-c");
        assert!(m.dialogs.is_empty() && !effects.contains(&Effect::Quit), "{keys}: {effects:?}");
        assert!(was_open, "{keys} opens no dialog");
    }
    let mut m = model(FULL, (100, 30));
    press(&mut m, "s h i ctrl-c s");
    assert!(shown(&m).contains("│ hi "), "a draft is kept: {}", shown(&m));
    let mut m = model(FULL, (100, 30));
    press(&mut m, "/ z ctrl-c");
    assert!(m.view.filter.is_off() && !m.mode.is_find());
}

#[test]
fn typing_replaces_a_proposed_title() {
    let text = |keys: &str| {
        let mut m = model(FULL, (100, 30));
        press(&mut m, keys);
        match press(&mut m, "enter").into_iter().next() {
            Some(Effect::Fork(_, title)) => title.unwrap_or_default(),
            Some(Effect::Rename(_, title)) => title,
            Some(Effect::AddGroup(path)) => path.to_string(),
            other => panic!("{other:?}"),
        }
    };
    assert_eq!(text("F"), "api fork");
    assert_eq!(text("F x y"), "xy");
    assert_eq!(text("F right x"), "api forkx");
    // Nothing is shown as selected: other keys edit the text that is there.
    assert_eq!(text("r backspace z"), "apz");
    assert_eq!(text("F backspace"), "api for");
    assert_eq!(text("F home delete"), "pi fork");
    assert_eq!(text("F ctrl-w z"), "api z");
    assert_eq!(text("F ctrl-u z"), "z");
    assert_eq!(text("c n e w"), "backend/new", "what is begun is continued");
}

#[test]
fn enter_in_help_runs_the_row() {
    let mut m = model(FULL, (100, 30));
    press(&mut m, "? e x p l a i n enter");
    assert!(shown(&m).contains("Why api"), "{}", shown(&m));
    let mut m = model(FULL, (100, 30));
    press(&mut m, "g g j ?");
    press(&mut m, "f o r k enter");
    assert!(shown(&m).contains("unavailable: select a session first"), "{}", shown(&m));
}

#[test]
fn the_palette_finds_whatever_has_a_name() {
    let run = |keys: &str| {
        let mut m = model(FULL, (100, 30));
        press(&mut m, "k k");
        press(&mut m, ":");
        press(&mut m, keys);
        let effects = press(&mut m, "enter");
        (m, effects)
    };
    let (m, _) = run("b i l l i n g - t");
    assert_eq!(m.session().unwrap().title, "billing-tests");
    let (m, _) = run("e x p e r i m e n t s");
    assert_eq!(m.group().unwrap().as_str(), "experiments");
    assert_eq!(run("d e f a u l t").1, [Effect::Profile(ProfileName::default())]);
    assert_eq!(run("n o r d").1, [Effect::Set("ui.theme".into(), "\"nord\"".into())]);
    for size in [(80, 24), (120, 36)] {
        let mut m = model(FULL, size);
        press(&mut m, ": e x p");
        insta::assert_snapshot!(format!("palette-found-{}x{}", size.0, size.1), shown(&m));
    }
}

#[test]
fn marking_a_group_marks_all_of_it_and_nothing_else() {
    let mut m = model(FULL, (100, 30));
    press(&mut m, "g g j");
    let group = m.group().unwrap().clone();
    let count = m.record().live_sessions().filter(|s| s.group_path.is_within(&group)).count();
    press(&mut m, "v");
    assert_eq!(m.profile.marked.len(), count);
    press(&mut m, "k v");
    assert!(m.profile.marked.is_empty());
}

#[test]
fn what_has_no_room_ends_in_a_sign() {
    for (keys, size) in [(":", (40, 12)), ("?", (40, 12)), (":", (40, 10)), ("?", (40, 10)), ("?", (80, 24))]
    {
        let mut m = model(FULL, size);
        press(&mut m, keys);
        for _ in 0..70 {
            let panel = m.dialogs.last().unwrap().panel(&m);
            let laid = crate::app::panel_layout(&m, &panel);
            let lines = laid.rows.iter().map(|r| r.source).collect::<Vec<_>>();
            assert!(
                lines.contains(&(panel.blocks.len() - 1)),
                "all of it is seen at {size:?}:\n{}",
                shown(&m)
            );
            press(&mut m, "down");
        }
    }
    let mut m = model(FULL, (40, 10));
    press(&mut m, ": s e n d");
    insta::assert_snapshot!("palette-small-40x10", shown(&m));
}

#[test]
fn a_list_with_nothing_in_it_says_nothing_of_matches() {
    let mut m = model(FULL, (80, 24));
    m.app.profiles.truncate(1);
    press(&mut m, "p");
    assert!(!shown(&m).contains("no match"), "{}", shown(&m));
}
