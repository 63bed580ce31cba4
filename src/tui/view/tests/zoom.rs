//! The room that list and preview share, and a screen that doesn't fit into the preview.

use super::*;
use crate::app::{fit_size, geometry_of};

/// The heights of list and preview.
fn heights(m: &Model) -> (u16, u16) {
    let g = geometry_of(m);
    (g.list.height, g.capture.height)
}

#[test]
fn a_key_gives_the_preview_all_the_room_then_the_list_then_both_again() {
    for (size, both, preview, list) in
        [((120, 36), (31, 29), (0, 29), (31, 0)), ((80, 24), (9, 7), (0, 17), (19, 0))]
    {
        let mut m = model(FULL, size);
        assert_eq!(heights(&m), both, "{size:?}");
        press(&mut m, "tab");
        assert_eq!((heights(&m), geometry_of(&m).capture.width), (preview, size.0), "{size:?}");
        assert!(shown(&m).contains("Do you want to proceed?"), "{}", shown(&m));
        press(&mut m, "tab");
        assert_eq!(heights(&m), list, "{size:?}");
        press(&mut m, "tab");
        assert_eq!(heights(&m), both, "{size:?}");
    }
}

#[test]
fn where_there_is_room_for_one_a_key_goes_from_one_to_the_other() {
    let mut m = model(FULL, (40, 12));
    let list = heights(&m);
    press(&mut m, "tab");
    assert_eq!(heights(&m), (0, 5));
    press(&mut m, "tab");
    assert_eq!(heights(&m), list);
}

#[test]
fn what_changed_is_seen_where_the_list_had_all_the_room() {
    let mut m = model(FULL, (120, 36));
    press(&mut m, "tab tab D");
    let g = geometry_of(&m);
    assert!(g.diff.height > 0 && g.list.height > 0, "{g:?}");
}

#[test]
fn a_line_that_goes_on_is_marked_where_it_is_cut() {
    for (ascii, mark) in [(false, '›'), (true, '>')] {
        let mut m = model(FULL, (120, 36));
        m.app.settings = Arc::new(Settings { ascii, ..settings() });
        let id = m.selected().unwrap().clone();
        let lines = ["x".repeat(200), "y".repeat(20)].map(String::into_bytes).to_vec();
        let capture = ScreenCapture { lines, size: (200, 50), ..ScreenCapture::default() };
        update(&mut m, Msg::ScreenCapture(id, None, Box::new(capture)));
        let text = shown(&m);
        let line = |c: char| text.lines().find(|l| l.contains(&c.to_string().repeat(20))).unwrap().to_owned();
        assert!(line('x').trim_end_matches('"').ends_with(mark), "{text}");
        assert!(!line('y').contains(mark), "{text}");
    }
}

#[test]
fn a_session_gets_the_previews_size_but_never_one_that_agents_draw_badly_in() {
    let mut m = model(FULL, (120, 36));
    assert_eq!(fit_size(&m), Some((73, 29)));
    press(&mut m, "tab");
    assert_eq!(fit_size(&m), Some((119, 29)));
    assert_eq!(fit_size(&model(FULL, (80, 24))), Some((79, 24)));
    // Nothing moves under a question, and nothing is fitted to what isn't shown.
    let mut m = model(FULL, (120, 36));
    press(&mut m, "a");
    assert_eq!(fit_size(&m), None);
    press(&mut m, "esc tab tab");
    assert_eq!(fit_size(&m), None);
    let mut m = model(FULL, (120, 36));
    m.app.settings = Arc::new(Settings { preview_fit: false, ..settings() });
    assert_eq!(fit_size(&m), None);
}

#[test]
fn what_has_not_scrolled_away_is_read_in_the_conversation() {
    let mut m = model(FULL, (120, 36));
    press(&mut m, "pageup");
    assert!(shown(&m).contains("nothing scrolled away above; o reads the conversation"), "{}", shown(&m));
}
