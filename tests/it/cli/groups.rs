//! Groups from the command line.

use crate::support::Sandbox;

#[test]
fn a_tree_of_groups() {
    let s = Sandbox::new();
    s.agent("claude");
    s.deck(&["group", "add", "work/backend"]).ok();
    assert!(s.deck(&["group", "add", "work/backend"]).fails(1).contains("already exists"));
    s.deck(&["add", &s.project("p"), "-t", "api", "-g", "work/backend", "-c", "claude", "--no-start"]).ok();
    s.deck(&["group", "rename", "work", "job"]).ok();
    assert_eq!(s.session("api")["group_path"], "job/backend");
    s.deck(&["group", "move", "job/backend", "--to", ""]).ok();
    assert_eq!(s.session("api")["group_path"], "backend");
    let refused = s.deck(&["group", "rm", "backend"]).fails(6);
    assert!(refused.contains("--move-up") && refused.contains("--with-sessions"), "{refused}");
    s.deck(&["group", "rm", "backend", "--with-sessions"]).ok();
    assert!(s.list().is_empty());
    s.deck(&["undo"]).ok();
    assert_eq!(s.session("api")["group_path"], "backend");
    s.deck(&["group", "rm", "backend", "--move-up"]).ok();
    assert_eq!(s.session("api")["group_path"], "");
    assert!(s.deck(&["group", "rm", "none"]).fails(3).contains("deck group list"));
    assert_eq!(s.deck(&["group", "list"]).ok(), "job  0\n");
}

#[test]
fn a_verb_on_a_group_answers_in_json_with_an_array_whatever_the_group_holds() {
    let s = Sandbox::new();
    s.agent("claude");
    s.deck(&["add", &s.project("p"), "-t", "api", "-g", "work", "-c", "claude", "--no-start"]).ok();
    let archive = || {
        let answer = s.deck(&["archive", "--group", "work", "--json"]).ok();
        serde_json::from_str::<serde_json::Value>(&answer).unwrap().as_array().unwrap().len()
    };
    assert_eq!((archive(), archive()), (1, 0));
    let said = s.deck(&["archive", "--group", "work"]);
    assert!(said.stderr().contains("no sessions in work"), "{}", said.stderr());
    said.ok();
}

#[test]
fn a_message_for_a_group_goes_to_those_that_run_and_a_start_to_those_that_dont() {
    let s = Sandbox::new();
    s.asker();
    for title in ["api", "web"] {
        s.ask_session(title);
    }
    s.deck(&["move", "api", "web", "--to", "work"]).ok();
    s.deck(&["stop", "web"]).ok();
    let sent = s.deck(&["send", "--group", "work", "hello"]);
    assert!(sent.stderr().contains("web isn't running; nothing was sent to it"), "{}", sent.stderr());
    let told = sent.ok();
    assert!(told.starts_with("api: ") && told.lines().count() == 1, "{told}");
    let told = s.deck(&["start", "--group", "work"]).ok();
    assert_eq!(told, "api is running already\nstarted web\n");
    assert!(s.deck(&["start", "api"]).fails(1).contains("running"), "who names it is told");
    assert!(s.deck(&["send", "--group", "none", "hello"]).fails(3).contains("none"));
}
