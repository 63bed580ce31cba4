//! The mouse: clicks and drags.

use super::*;
use crate::domain::tree::Slot;

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
fn what_is_not_shown_can_not_be_clicked() {
    let mut m = model(FULL, (120, 40));
    let line = shown(&m).lines().nth(1).unwrap().to_owned();
    let column = u16::try_from(line.split("gateway").next().unwrap().chars().count() - 1).unwrap();
    press(&mut m, "G");
    let before = m.selected().cloned();
    update(&mut m, Msg::WatchFailed("tmux gives no answer".into()));
    update(&mut m, Msg::Mouse(Mouse { kind: MouseKind::Press, column, row: 1 }));
    assert_eq!(m.selected().cloned(), before);
}

#[test]
fn the_width_of_the_list_is_dragged_by_the_line_between_and_not_above_it() {
    let mut m = model(FULL, (120, 40));
    let divider = crate::app::geometry_of(&m).divider;
    for (row, moves) in [(0, false), (divider.y + 2, true)] {
        let mut at = |kind, column| update(&mut m, Msg::Mouse(Mouse { kind, column, row }));
        at(MouseKind::Press, divider.x);
        at(MouseKind::Drag, divider.x - 10);
        at(MouseKind::Release, divider.x - 10);
        assert_eq!(m.view.split.is_some(), moves, "row {row}");
    }
}

/// Presses, goes and lets go, from the row of one title to that of another.
fn drag(m: &mut Model, from: &str, to: &str) -> Vec<Effect> {
    let row_of = |m: &Model, title: &str| {
        // Below the header, its lines and the rule.
        let at = shown(m).lines().skip(3).position(|l| l.contains(title)).unwrap();
        u16::try_from(at + 3).unwrap()
    };
    let (from, to) = (row_of(m, from), row_of(m, to));
    let mut at = |kind, row| update(m, Msg::Mouse(Mouse { kind, column: 6, row }));
    at(MouseKind::Press, from);
    at(MouseKind::Drag, to);
    at(MouseKind::Release, to)
}

fn id(title: &str) -> SessionId {
    SessionId::new(format!("id-{title}"))
}

#[test]
fn rows_are_dragged_to_where_they_shall_be() {
    let mut m = model(FULL, (80, 40));
    assert_eq!(drag(&mut m, " api", " docs"), [Effect::Place(id("api"), Slot::Behind(id("docs")))]);
    assert_eq!(drag(&mut m, " docs", " api"), [Effect::Place(id("docs"), Slot::Before(id("api")))]);
    let backend = GroupPath::parse("backend").unwrap();
    assert_eq!(
        drag(&mut m, " old-idea", "▾ backend"),
        [Effect::Place(id("old-idea"), Slot::Into(backend.clone()))]
    );
    assert_eq!(
        drag(&mut m, "▾ experiments", "▾ backend"),
        [Effect::ReorderGroup(GroupPath::parse("experiments").unwrap(), -1)]
    );
    let deep = GroupPath::parse("experiments/deep").unwrap();
    assert_eq!(drag(&mut m, "▾ deep", "▾ backend"), [Effect::MoveGroup(deep, backend)]);
    assert_eq!(drag(&mut m, "▾ experiments", " old-idea"), [], "into itself");
}

#[test]
fn a_drag_says_what_it_would_do_and_any_key_leaves_it() {
    let mut m = model(FULL, (80, 24));
    let mut at = |kind, row| update(&mut m, Msg::Mouse(Mouse { kind, column: 6, row }));
    at(MouseKind::Press, 5);
    at(MouseKind::Drag, 8);
    insta::assert_snapshot!("drag-80x24", shown(&m));
    press(&mut m, "esc");
    assert_eq!(update(&mut m, Msg::Mouse(Mouse { kind: MouseKind::Release, column: 6, row: 8 })), []);
}

#[test]
fn a_click_on_a_group_folds_it_and_a_press_alone_does_not() {
    let mut m = model(FULL, (80, 24));
    let mut at = |kind| update(&mut m, Msg::Mouse(Mouse { kind, column: 6, row: 4 }));
    assert_eq!(at(MouseKind::Press), [Effect::Watch(None)]);
    assert_eq!(at(MouseKind::Release), [Effect::Fold(vec![GroupPath::parse("backend").unwrap()], false)]);
    assert_eq!(at(MouseKind::Release), [], "once");
}
