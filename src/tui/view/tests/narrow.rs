//! What lists and explanations show where there is little room, and how they show that there is more.

use super::*;

#[test]
fn siblings_are_joined() {
    let child = |title| (title, "", Some("top"), Status::Idle, None, 60);
    let entries: Vec<Entry> =
        vec![("top", "", None, Status::Idle, None, 60), child("one"), child("two"), child("three")];
    let m = model(&entries, (80, 24));
    let text = shown(&m);
    let join = |title: &str| {
        let line = text.lines().find(|l| l.contains(&format!("○ C {title}"))).unwrap();
        line.split('○').next().unwrap().trim_matches(['"', ' ', '▌']).to_owned()
    };
    assert_eq!([join("one"), join("two"), join("three")], ["├", "├", "└"], "{text}");
}

#[test]
fn an_explanation_is_whole_at_any_width() {
    for width in [60, 44, 120] {
        let mut m = model(FULL, (width, 40));
        press(&mut m, "E");
        let text = shown(&m);
        for words in ["← decides", "waiting, permission prompt", "outdated"] {
            assert!(text.contains(words), "{width} {words}\n{text}");
        }
    }
}

#[test]
fn a_palette_says_how_much_more_there_is() {
    for size in [(40, 12), (60, 20), (80, 24), (120, 40), (120, 60)] {
        let mut m = model(FULL, size);
        press(&mut m, ":");
        let all: Vec<&str> = crate::app::commands::all().map(|c| c.title).collect();
        let text = shown(&m);
        let row = |line: &str| {
            let line = line.trim_matches(['"', ' ', '│', '▌']);
            all.iter().any(|t| line.starts_with(&format!("{t:<16} ")))
        };
        let rows = text.lines().filter(|l| row(l)).count();
        assert!(text.contains(&format!(" {} more", all.len() - rows)), "{size:?} {rows}\n{text}");
        all.iter().for_each(|_| drop(press(&mut m, "down")));
        assert!(!shown(&m).contains(" more"), "{size:?}\n{}", shown(&m));
    }
}

#[test]
fn the_palette_offers_first_what_was_run_last() {
    let mut m = model(FULL, (100, 80));
    let chosen = |m: &mut Model| {
        press(m, ":");
        let text = shown(m);
        let lines = text.lines().filter(|l| l.contains('│')).map(|l| l.trim_matches(['"', ' ', '│', '▌']));
        lines.map(str::to_owned).collect::<Vec<_>>()
    };
    let at = |lines: &[String], title: &str| {
        lines.iter().position(|l| l.starts_with(&format!("{title:<16} "))).unwrap()
    };
    let lines = chosen(&mut m);
    for title in ["next", "send", "help", "fold all"] {
        assert!(at(&lines, title) < at(&lines, "down"), "{title}\n{}", lines.join("\n"));
    }
    press(&mut m, "r e f r e s h enter");
    let lines = chosen(&mut m);
    assert!(at(&lines, "refresh") < at(&lines, "attach"), "{}", lines.join("\n"));
    press(&mut m, "f r s h");
    assert!(shown(&m).contains("▌ refresh"), "{}", shown(&m));
}
