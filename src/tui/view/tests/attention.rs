//! Who needs the user: the two lines at the top, and the key that goes there.

use super::*;
use crate::app::header::counters;
use crate::domain::status::{FailKind, StatusKind};

fn asks(title: &'static str, age: i64) -> Entry {
    (title, "", None, Status::Waiting, Some(Reason::Blocked(BlockKind::Permission)), age)
}

fn done(title: &'static str, age: i64) -> Entry {
    (title, "", None, Status::Waiting, Some(Reason::Finished), age)
}

fn failed(title: &'static str, age: i64) -> Entry {
    (title, "", None, Status::Error, Some(Reason::Failed(FailKind::Api)), age)
}

/// Three that are done, two that failed, two that ask, one at work.
fn everything() -> Vec<Entry> {
    vec![
        done("web", 30),
        done("docs", 3000),
        failed("flaky", 20),
        asks("api", 10),
        ("billing", "", None, Status::Running, Some(Reason::Busy(BusyKind::Tool)), 5),
        asks("infra", 400),
        failed("nightly", 200),
        done("site", 60),
    ]
}

#[test]
fn the_two_lines_at_any_width() {
    let mut all = String::new();
    for width in [40, 60, 80, 120, 200] {
        for entries in [everything(), vec![asks("api", 10), done("web", 30)], vec![done("web", 30)]] {
            let text = shown(&model(&entries, (width, 20)));
            all.extend(text.lines().take(2).map(|l| format!("{}\n", l.trim_matches('"').trim_end())));
        }
        all.push('\n');
    }
    insta::assert_snapshot!(all);
}

#[test]
fn space_goes_to_who_needs_the_user_most_and_then_round() {
    let mut m = model(&everything(), (80, 24));
    let mut next = |keys: &str| {
        press(&mut m, keys);
        m.session().unwrap().title.clone()
    };
    let round: Vec<String> = (0..8).map(|_| next("space")).collect();
    assert_eq!(round, ["infra", "api", "nightly", "flaky", "docs", "site", "web", "infra"]);
    // Anything in between begins anew, wherever the user is.
    assert_eq!(next("space"), "api");
    assert_eq!(next("j space"), "infra");
    assert_eq!(next("space space space"), "flaky");
    assert_eq!(next("v v space"), "infra");
    assert_eq!(next("k"), "billing");
    assert_eq!(next("space"), "infra");
    // Who is there already stays: what follows is always about the one that needs them most.
    assert_eq!(next("? esc space"), "infra");
    assert_eq!(next("space"), "api");
}

#[test]
fn a_click_on_a_count_shows_only_those() {
    let mut m = model(&everything(), (120, 24));
    let at = |m: &Model, kind| counters(m).into_iter().find(|c| c.kind == kind).unwrap().x;
    let click = |m: &mut Model, column| {
        update(m, Msg::Mouse(Mouse { kind: MouseKind::Press, column, row: 0 }));
        m.view.rows.len()
    };
    let (asks, done) = (at(&m, StatusKind::Asks), at(&m, StatusKind::Done));
    assert_eq!(click(&mut m, asks), 2);
    let text = shown(&m);
    assert!(text.contains("only ask") && !text.lines().skip(3).any(|l| l.contains("flaky")), "{text}");
    // The counts stay where they are: the name of the filter is at the other end.
    assert_eq!(at(&m, StatusKind::Done), done);
    assert_eq!(click(&mut m, done), 3);
    assert_eq!(click(&mut m, done), 8, "again: all of them");
    let rest = at(&m, StatusKind::Asks) - 1;
    assert_eq!(click(&mut m, rest), 8, "between them there is nothing");
}

#[test]
fn what_is_asked_is_cleaned_and_never_breaks_the_line() {
    let mut first = snapshot(&[asks("api", 10), asks("web", 10)]);
    for (state, words) in first
        .states
        .values_mut()
        .zip(["\u{1b}[31mrm -rf\n\t/ ?", "日本語のとても長い質問 日本語のとても長い質問"])
    {
        state.verdict.asks = Some(words.to_owned());
    }
    for width in [40, 60, 80, 120] {
        let m = Model::new(Arc::new(settings()), ProfileName::default(), first.clone(), (width, 12));
        let text = shown(&m);
        let line = text.lines().nth(1).unwrap();
        assert!(!line.contains('\u{1b}') && !line.contains("31m"), "{line}");
        assert!(width < 60 || line.contains("rm -rf"), "{line}");
    }
}
