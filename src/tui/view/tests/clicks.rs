//! Whatever looks like a key or a choice can be clicked: the mouse alone opens, answers, filters, chooses, quits.

use super::*;

#[test]
fn a_question_is_answered_by_a_click() {
    for size in [(80, 24), (120, 36)] {
        let mut m = model(FULL, size);
        click(&mut m, "a answer");
        let effects = click(&mut m, "2  Yes, and");
        let answers: Vec<_> = effects.iter().filter(|e| matches!(e, Effect::Answer(..))).collect();
        let [Effect::Answer(_, crate::ops::Pick::Number(2), _)] = answers[..] else { panic!("{effects:?}") };
    }
}

#[test]
fn keys_of_the_footer_and_of_dialogs_can_be_clicked() {
    let mut m = model(FULL, (120, 36));
    click(&mut m, "? help");
    assert!(shown(&m).contains(" Keys "), "{}", shown(&m));
    click(&mut m, "esc close");
    assert!(m.dialogs.is_empty());
    click(&mut m, "n new");
    click(&mut m, "○ Gemini");
    assert!(shown(&m).contains("● Gemini"), "{}", shown(&m));
    click(&mut m, "[ ] plan first");
    assert!(shown(&m).contains("[x] plan first"), "{}", shown(&m));
    click(&mut m, "Title ");
    press(&mut m, "z");
    assert!(shown(&m).contains("▌Title     z "), "{}", shown(&m));
    click(&mut m, "esc close");
    assert_eq!(click(&mut m, "q quit"), [Effect::Quit]);
}

#[test]
fn a_theme_is_chosen_by_the_mouse_alone() {
    let mut m = model(FULL, (120, 36));
    click(&mut m, ": commands");
    press(&mut m, "t h e m e");
    click(&mut m, "Choose the colours");
    let shown = press(&mut m, "down");
    assert_eq!(shown, [Effect::TryTheme(Some("dark".into()))], "each is shown while it is selected");
    assert_eq!(click(&mut m, "nord"), [Effect::Set("ui.theme".into(), "\"nord\"".into())]);
    press(&mut m, ":");
    press(&mut m, "t h e m e enter");
    assert_eq!(press(&mut m, "esc"), [Effect::TryTheme(None)], "without a choice it is as before");
    assert!(m.dialogs.is_empty());
}

#[test]
fn a_count_in_the_header_filters() {
    let mut m = model(FULL, (120, 36));
    click(&mut m, "● 2 running");
    assert!(shown(&m).contains("only running"), "{}", shown(&m));
}
