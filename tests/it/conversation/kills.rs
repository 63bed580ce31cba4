//! A process that is killed at any of its writes.

use super::{add, conv, ids, json, opened};
use crate::support::Sandbox;

fn talked() -> (Sandbox, Vec<String>) {
    let s = opened();
    for n in 0..3 {
        add(&s, "user", &format!("request {n} {}", "word ".repeat(50)));
        add(&s, "assistant", &format!("answer {n}"));
    }
    let all = ids(&s, &[]);
    (s, all)
}

#[test]
fn killed_at_each_step_of_a_compaction_nothing_is_lost() {
    const COMPACT: [&str; 6] = ["conversation", "compact", "pm-feature-auth", "--force", "--model", "none"];
    for (step, version) in [
        ("talk-added", 1),
        ("talk-version", 1),
        ("talk-checkpoint", 2),
        ("talk-complete", 2),
        ("talk-archived", 2),
        ("talk-log", 2),
    ] {
        let (s, all) = talked();
        s.killed_at(step, &COMPACT);
        assert_eq!(ids(&s, &["--archive"]), all, "{step}: before anybody mends it");
        // Whoever comes next finishes it, or undoes it.
        let opened = json(&s, &["open", "--role", "pm", "--feature", "auth"]);
        assert_eq!(
            (&opened["checkpoint"], &opened["compaction"]["running"]),
            (&version.into(), &false.into()),
            "{step}"
        );
        assert_eq!(ids(&s, &["--archive"]), all, "{step}");
        let more = add(&s, "user", "more");
        conv(&s, &COMPACT[1..]);
        let want = [all, vec![more]].concat();
        assert_eq!(ids(&s, &["--archive"]), want, "{step}");
        conv(&s, &["compact", "pm-feature-auth", "--undo"]);
        assert_eq!(ids(&s, &["--archive"]), want, "{step}");
    }
}

#[test]
fn killed_while_it_is_undone_or_cleared_or_removed_nothing_is_lost() {
    let (s, all) = talked();
    conv(&s, &["compact", "pm-feature-auth", "--force", "--model", "none"]);
    for step in ["talk-undone", "talk-pulled"] {
        s.killed_at(step, &["conversation", "compact", "pm-feature-auth", "--undo"]);
        assert_eq!(ids(&s, &[]), all, "{step}");
        conv(&s, &["open", "--role", "pm", "--feature", "auth"]);
        assert_eq!(ids(&s, &[]), all, "{step}");
        conv(&s, &["compact", "pm-feature-auth", "--force", "--model", "none"]);
    }
    s.killed_at("talk-cleared", &["conversation", "clear", "pm-feature-auth", "--yes"]);
    assert_eq!((ids(&s, &[]), ids(&s, &["--archive"])), (Vec::new(), all.clone()));
    s.killed_at("talk-removing", &["conversation", "rm", "pm-feature-auth"]);
    conv(&s, &["rm", "pm-feature-auth"]);
    conv(&s, &["undo", "pm-feature-auth"]);
    assert_eq!(ids(&s, &["--archive"]), all);
}
