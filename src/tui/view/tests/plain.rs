//! The TUI in ASCII, for terminals without these characters.

use super::*;
use crate::domain::status::StatusKind;

fn plain(mut m: Model) -> Model {
    m.app.settings = Arc::new(Settings { ascii: true, ..settings() });
    m
}

#[test]
fn every_sign_means_one_thing() {
    let mut signs: Vec<&str> = StatusKind::ALL.iter().map(|k| k.ascii()).collect();
    // The mark of an unconfirmed status.
    signs.push("?");
    let distinct: std::collections::BTreeSet<&str> = signs.iter().copied().collect();
    assert_eq!(distinct.len(), signs.len(), "{signs:?}");
}

#[test]
fn nothing_is_drawn_that_such_a_terminal_lacks() {
    let entries: Vec<Entry> = FULL.iter().filter(|e| e.0.is_ascii()).cloned().collect();
    for size in [(100, 30), (80, 24), (40, 12)] {
        for keys in ["j", "?", ":", "n", "d", "E", "a", "S", ",", "v"] {
            let mut m = plain(model(&entries, size));
            m.profile.captures.clear();
            press(&mut m, keys);
            let shown = shown(&m);
            let foreign: std::collections::BTreeSet<char> =
                shown.chars().filter(|c| ('\u{2190}'..='\u{27bf}').contains(c)).collect();
            assert!(foreign.is_empty(), "{size:?} {keys}: {foreign:?}\n{shown}");
        }
    }
    insta::assert_snapshot!("plain-80x24", shown(&plain(model(FULL, (80, 24)))));
    let mut m = plain(model(FULL, (80, 24)));
    press(&mut m, "a");
    insta::assert_snapshot!("plain-answer-80x24", shown(&m));
}
