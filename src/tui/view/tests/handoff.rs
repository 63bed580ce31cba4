//! Archived sessions and how they are restored, titles, and keys of the user's own.

use super::*;
use crate::app::Keymap;

#[test]
fn what_is_archived_comes_back_without_any_group() {
    let entries: Vec<Entry> =
        vec![("one", "", None, Status::Idle, None, 60), ("two", "", None, Status::Idle, None, 60)];
    for keys in ["U", ": u n a r c h i v e enter"] {
        let mut m = model(&entries, (80, 24));
        let mut away = snapshot(&entries);
        Arc::make_mut(&mut away.profile).sessions[1].archived_at = Some(now());
        update(&mut m, Msg::Snapshot(Box::new(away)));
        press(&mut m, keys);
        assert!(shown(&m).contains("two"), "{keys}\n{}", shown(&m));
        assert_eq!(press(&mut m, "enter"), [Effect::Unarchive(SessionId::new("id-two"))], "{keys}");
    }
    let mut m = model(&entries, (80, 24));
    press(&mut m, "U");
    assert!(m.dialogs.is_empty());
    assert!(shown(&m).contains("nothing is archived"), "{}", shown(&m));
}

#[test]
fn what_has_no_conversation_is_not_said_to_have_one() {
    let entries: Vec<Entry> = vec![
        ("shell", "", None, Status::Stopped, None, 60),
        ("gone", "", None, Status::Error, Some(Reason::Gone), 60),
    ];
    let with_id = |on: bool, key: &str| {
        let mut m = model(&[], (140, 30));
        let mut s = snapshot(&entries);
        for state in s.states.values_mut() {
            state.row = None;
        }
        for session in &mut Arc::make_mut(&mut s.profile).sessions {
            session.resume.id = on.then(|| "c0de".to_owned());
        }
        update(&mut m, Msg::Snapshot(Box::new(s)));
        press(&mut m, key);
        shown(&m)
    };
    for key in ["esc g g", "esc G"] {
        assert!(with_id(true, key).contains("R resumes it"), "{key} {}", with_id(true, key));
        let text = with_id(false, key);
        assert!(text.contains("R starts it") && !text.contains("resumes"), "{key} {text}");
    }
}

#[test]
fn titles_do_not_clash() {
    let one = |title| (title, "", None, Status::Idle, None, 60);
    let entries: Vec<Entry> = vec![one("api"), one("api fork"), one("docs")];
    let mut m = model(&entries, (80, 24));
    press(&mut m, "g g F");
    assert!(shown(&m).contains("api fork 2"), "{}", shown(&m));
    // A taken title is refused where it is typed.
    press(&mut m, "right backspace backspace");
    assert_eq!(press(&mut m, "enter"), []);
    assert!(shown(&m).contains("taken"), "{}", shown(&m));
    press(&mut m, "esc r ctrl-u d o c s");
    assert_eq!(press(&mut m, "enter"), []);
    assert!(shown(&m).contains("taken"), "{}", shown(&m));
    press(&mut m, "ctrl-u a p i");
    assert_eq!(press(&mut m, "enter").len(), 1, "its own is free");
}

#[test]
fn a_command_without_a_key_leaves_no_hole_in_the_footer() {
    let mut m = model(FULL, (200, 50));
    let (map, _) = Keymap::with(&[("down".into(), vec!["n".into(), "down".into()])]);
    m.app.keymap = Arc::new(map);
    let text = shown(&m);
    let footer = text.lines().last().unwrap();
    assert!(footer.contains("a answer") && !footer.contains(" new "), "{footer}");
}
