//! A worktree's conversations outlive it.

use std::path::Path;

use serde_json::{Value, json};

use super::carried::{TALKER, TOOLS};
use crate::places::repository;
use crate::support::{Sandbox, wait_until};

struct World {
    s: Sandbox,
    main: String,
    worktree: String,
}

impl World {
    /// A worktree `login` with a conversation in it, and what keeps it from nothing else.
    fn new() -> Self {
        let s = Sandbox::new();
        let main = repository(&s, "api");
        s.deck(&["repo", "add", &main]).ok();
        let worktree = s.path("home").join("src/wt/login").to_str().unwrap().to_owned();
        s.git(&main, &["worktree", "add", "-q", "-b", "login", &worktree]);
        let w = Self { s, main, worktree };
        assert_eq!(
            w.conv(&["open", "--role", "dev", "--feature", "login", "--task", "form"])["root"],
            w.worktree
        );
        w.conv(&["add", ID, "--role", "user", "Only GitHub at first."]);
        w.conv(&["pin", ID, "Never touch billing."]);
        w
    }

    fn conv(&self, args: &[&str]) -> Value {
        let all = [&["conversation"], args, &["--json"]].concat();
        let line = format!(
            "cd '{}' && deck {}",
            self.main,
            all.iter().map(|a| format!("'{a}'")).collect::<Vec<_>>().join(" ")
        );
        serde_json::from_str(&self.s.shell(&line, None).ok()).unwrap()
    }

    fn is_in(&self, folder: &str) -> bool {
        Path::new(folder).join(format!(".deck/conversations/chat_{ID}.jsonl")).exists()
    }
}

const ID: &str = "dev-task-login-form-in_dev";

#[test]
fn finishing_a_worktree_moves_its_conversations_to_the_main_one() {
    let w = World::new();
    let plan = w.s.deck(&["worktree", "finish", &w.worktree, "--dry-run"]).ok();
    assert!(!plan.contains("in the way"), "{plan}");
    let done = w.s.deck(&["worktree", "finish", &w.worktree]).ok();
    assert!(done.contains("moved 1 conversation to "), "{done}");
    assert!(!Path::new(&w.worktree).exists() && w.is_in(&w.main));
    let shown = w.conv(&["show", ID]);
    assert_eq!((&shown["root"], &shown["stats"]["totalMessages"]), (&json!(w.main), &json!(1)));
    assert_eq!(shown["pins"][0]["text"], "Never touch billing.");
    // Opened again it is the same one, also where a worktree of its feature comes later.
    w.s.git(&w.main, &["worktree", "add", "-q", &w.worktree, "login"]);
    let again = w.conv(&["open", "--role", "dev", "--feature", "login", "--task", "form"]);
    assert_eq!((&again["root"], &again["created"]), (&json!(w.main), &json!(false)));
}

#[test]
fn one_that_would_replace_another_keeps_the_worktree() {
    let w = World::new();
    w.conv(&["open", "--role", "dev", "--feature", "login", "--task", "form", "--root", &w.main]);
    let refused = w.s.deck(&["worktree", "finish", &w.worktree]).fails(6);
    assert!(refused.contains(".deck/conversations/"), "{refused}");
    assert!(w.is_in(&w.worktree) && w.is_in(&w.main));
}

#[test]
fn killed_at_each_step_it_is_whole_in_one_of_the_two() {
    for step in [
        "finish-kept",
        "talk-relocating",
        "talk-relocated",
        "finish-conversations-moved",
        "finish-conversations",
        "finish-removed",
    ] {
        let w = World::new();
        w.s.killed_at(step, &["worktree", "finish", &w.worktree]);
        w.s.deck(&["worktree", "finish", &w.worktree]).ok();
        assert!(!Path::new(&w.worktree).exists() && w.is_in(&w.main), "{step}");
        let shown = w.conv(&["show", ID]);
        assert_eq!((&shown["stats"]["totalMessages"], &shown["problems"]), (&json!(1), &json!([])), "{step}");
        assert_eq!(shown["pins"][0]["number"], 1, "{step}");
    }
}

#[test]
fn the_session_that_carries_it_carries_it_there() {
    let w = World::new();
    w.s.file("config.toml", TOOLS);
    w.s.program("talker", TALKER);
    w.s.deck(&["add", &w.main, "-t", "api", "-c", "talker", "--prompt", "Add the login"]).ok();
    wait_until("it has answered", || super::carried::said(&w.s, "api", 2));
    w.conv(&["carry", ID, "api"]);
    w.s.deck(&["worktree", "rm", &w.worktree]).ok();
    assert_eq!(w.s.session("api")["carries"]["root"], w.main);
    assert_eq!(w.conv(&["show", ID])["stats"]["totalMessages"], 3);
}
