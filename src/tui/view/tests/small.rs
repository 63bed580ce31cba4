//! A terminal that is too small to show anything, and pastes.

use super::*;

#[test]
fn on_a_screen_too_small_nothing_is_done_that_can_not_be_seen() {
    let mut m = model(FULL, (38, 9));
    for key in ["c", "n", "d", "a", "i", "?", ":", "/", "ctrl-r", "ctrl-x"] {
        assert_eq!(press(&mut m, key), [], "{key}");
        assert!(m.dialogs.is_empty() && m.mode.pass_through().is_none() && !m.mode.is_find(), "{key}");
    }
    let wheel = Mouse { kind: MouseKind::WheelDown, column: 1, row: 1 };
    let before = m.view.cursor.clone();
    update(&mut m, Msg::Mouse(wheel));
    assert_eq!(m.view.cursor, before);
    assert_eq!(press(&mut m, "q"), [Effect::Quit]);
    assert_eq!(press(&mut m, "ctrl-c"), [Effect::Quit]);
}

#[test]
fn what_is_written_is_not_touched_on_a_screen_too_small() {
    let mut m = model(FULL, (80, 24));
    press(&mut m, "s h i");
    update(&mut m, Msg::Resize(38, 9));
    assert_eq!(press(&mut m, "q x"), [], "q is a letter of the message");
    assert_eq!(update(&mut m, Msg::Paste("unseen".into())), []);
    update(&mut m, Msg::Resize(80, 24));
    assert!(shown(&m).contains("│ hi "), "{}", shown(&m));
    assert!(!shown(&m).contains("unseen"));
    update(&mut m, Msg::Resize(38, 9));
    assert_eq!(press(&mut m, "ctrl-c"), [Effect::Quit], "there is a way out");
}

#[test]
fn the_words_on_a_screen_too_small_are_whole() {
    for size in [(30, 8), (20, 4), (12, 3), (39, 9)] {
        let text = shown(&model(FULL, size));
        let words: Vec<&str> = text.split(['"', ' ', '\n']).filter(|w| !w.is_empty()).collect();
        assert_eq!(words.join(" "), "deck needs 40 columns and 10 rows", "{size:?}\n{text}");
    }
}

#[test]
fn lines_of_a_paste_stay_lines() {
    let mut m = model(FULL, (80, 24));
    press(&mut m, "i");
    let id = m.selected().unwrap().clone();
    let effects = update(&mut m, Msg::Paste("one\rtwo\r\nthree\nfour".into()));
    assert_eq!(effects, [Effect::Type(id, None, PaneInput::Paste("one\ntwo\nthree\nfour".into()))]);
}
