//! Getting and making conversations, adding to them, and what is refused.

use std::process::Stdio;

use serde_json::{Value, json};

use super::{add, conv, ids, json, opened, refused};
use crate::support::Sandbox;

#[test]
fn each_role_talks_about_features_and_tasks_whichever_process_asks() {
    let s = Sandbox::new();
    for role in ["pm", "dev", "qa", "harness", "merge"] {
        let feature = ["open", "--role", role, "--feature", "auth"];
        let task = [&feature[..], &["--task", "login", "--state", "in_x"]].concat();
        for (args, id) in [
            (feature.to_vec(), format!("{role}-feature-auth")),
            (task, format!("{role}-task-auth-login-in_x")),
        ] {
            let made = json(&s, &args);
            assert_eq!((&made["id"], &made["created"]), (&json!(id), &json!(true)));
            conv(&s, &["archive", &id]);
            let again = json(&s, &args);
            assert_eq!((&again["status"], &again["created"]), (&json!("archived"), &json!(false)));
            assert_eq!(again["createdAt"], made["createdAt"]);
            conv(&s, &["unarchive", &id]);
        }
    }
    let list: Vec<Value> = serde_json::from_value(json(&s, &["list"])).unwrap();
    assert_eq!(list.len(), 10);
    // The state of a role counts where none is given.
    assert_eq!(
        json(&s, &["open", "--role", "dev", "--feature", "auth", "--task", "t"])["taskState"],
        "in_dev"
    );
    let refused = refused(&s, &["open", "--role", "pm", "--feature", "auth", "--task", "t"], 2);
    assert!(refused.contains("role \"pm\" has no state") && refused.contains("--state in_dev"), "{refused}");
}

#[test]
fn names_roles_and_ids_that_can_not_be_are_refused() {
    let s = opened();
    for (args, code, words) in [
        (&["open", "--role", "pmm", "--feature", "auth"][..], 2, "did you mean pm?"),
        (&["open", "--role", "pm", "--feature", "../x"], 2, "invalid feature \"../x\""),
        (&["open", "--role", "pm", "--feature", &"x".repeat(65)], 2, "invalid feature"),
        (&["open", "--role", "pm", "--feature", "a", "--state", "x"], 2, "no task is given"),
        (&["show", "nonesuch"], 3, "no conversation \"nonesuch\""),
        (&["show", "pm-feature-aut"], 0, ""),
        (&["show", "."], 2, "only works inside a session"),
        (&["unpin", "pm-feature-auth", "5"], 3, "has no pin 5"),
        (&["checkpoint", "pm-feature-auth", "--version", "7"], 3, "has no checkpoint 7: versions 1 are kept"),
        (&["messages", "pm-feature-auth", "--before", "m"], 3, "has no message \"m\""),
        (&["clear", "pm-feature-auth"], 2, "`--yes` clears without asking"),
        (&["context", "pm-feature-auth", "x=1"], 2, "can be given"),
        (&["context", "pm-feature-auth", "x"], 2, "write it as KEY=VALUE"),
    ] {
        let args = [&["conversation"], args].concat();
        let said = if code == 0 { s.deck(&args).ok() } else { s.deck(&args).fails(code) };
        assert!(said.contains(words), "{args:?}: {said}");
    }
    // Another feature and another task may have the same id.
    let open = |feature, task| ["open", "--role", "dev", "--feature", feature, "--task", task];
    conv(&s, &open("a-b", "c"));
    let taken = refused(&s, &open("a", "b-c"), 6);
    assert!(taken.contains("dev · a-b/c · in_dev, not dev · a/b-c · in_dev"), "{taken}");
    conv(&s, &["open", "--role", "qa", "--feature", "auth"]);
    let several = refused(&s, &["show", "feature-auth"], 3);
    assert!(several.contains("matches 2 conversations"), "{several}");
}

#[test]
fn a_hundred_that_open_at_once_make_one() {
    let s = Sandbox::new();
    let args = ["conversation", "open", "--role", "pm", "--feature", "auth", "--json"];
    let start = |_| {
        let mut command = s.command(env!("CARGO_BIN_EXE_deck"));
        command.args(args).stdout(Stdio::piped()).spawn().unwrap()
    };
    let all: Vec<_> = (0..100).map(start).collect();
    let answers = all.into_iter().map(|child| {
        let output = child.wait_with_output().unwrap();
        assert!(output.status.success());
        serde_json::from_slice::<Value>(&output.stdout).unwrap()
    });
    let made: Vec<bool> = answers.map(|a| a["created"].as_bool().unwrap()).collect();
    assert_eq!(made.iter().filter(|m| **m).count(), 1);
    assert_eq!(json(&s, &["list"]).as_array().unwrap().len(), 1);
}

#[test]
fn messages_are_kept_as_they_are_and_once() {
    let s = opened();
    let odd = "line\ttab `code` \"quotes\" <b> 漢字 \u{1b}[31m\nend";
    let id = add(&s, "user", odd);
    let said = json(&s, &["messages", "pm-feature-auth"]);
    assert_eq!((&said["messages"][0]["content"], &said["messages"][0]["id"]), (&json!(odd), &json!(id)));
    let again =
        ["add", "pm-feature-auth", "--role", "assistant", "--id", "m1", "--tokens", "1200,340", "Yes."];
    assert_eq!(json(&s, &again)["added"], true);
    let twice = json(&s, &again);
    assert_eq!((&twice["added"], &twice["seq"]), (&json!(false), &json!(3)));
    assert_eq!(
        twice["message"]["metadata"],
        json!({"tokens": {"input": 1200, "output": 340}, "agentType": "pm"})
    );
    let other = refused(&s, &["add", "pm-feature-auth", "--role", "assistant", "--id", "m1", "No."], 6);
    assert!(other.contains("has a message \"m1\" already, with other words"), "{other}");
    assert_eq!(ids(&s, &[]), [id, "m1".to_owned()]);
    let stats = json(&s, &["show", "pm-feature-auth"])["stats"].clone();
    assert_eq!(stats["totalMessages"], 2);
    assert!(stats["totalTokens"].as_u64().unwrap() > 1540, "{stats}");
    for (bytes, words) in
        [(&b"a\0b"[..], "a NUL at byte 1"), (b"ab\xff", "not UTF-8 at byte 2"), (b"", "is empty")]
    {
        let mut command = s.command(env!("CARGO_BIN_EXE_deck"));
        command.args(["conversation", "add", "pm-feature-auth", "--role", "user", "-"]);
        let mut child = command.stdin(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
        std::io::Write::write_all(&mut child.stdin.take().unwrap(), bytes).unwrap();
        let output = child.wait_with_output().unwrap();
        let said = String::from_utf8_lossy(&output.stderr).into_owned();
        assert!(output.status.code() == Some(2) && said.contains(words), "{said}");
    }
    conv(&s, &["archive", "pm-feature-auth"]);
    let refused = refused(&s, &["add", "pm-feature-auth", "--role", "user", "x"], 6);
    assert!(refused.contains("is archived") && refused.contains("conversation unarchive"), "{refused}");
}

#[test]
fn they_are_in_the_worktree_of_their_feature_and_git_knows_nothing_of_them() {
    let s = Sandbox::new();
    let main = s.project("api");
    s.git(&main, &["init", "-q", "-b", "main"]);
    s.git(&main, &["commit", "-q", "--allow-empty", "-m", "first"]);
    let other = s.path("proj/auth").to_str().unwrap().to_owned();
    s.git(&main, &["worktree", "add", "-q", "-b", "auth", &other]);
    let inside = |args: &[&str]| {
        let mut command = s.command(env!("CARGO_BIN_EXE_deck"));
        let output =
            command.current_dir(&main).arg("conversation").args(args).arg("--json").output().unwrap();
        assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
        serde_json::from_slice::<Value>(&output.stdout).unwrap()
    };
    let open = |feature| inside(&["open", "--role", "pm", "--feature", feature])["root"].clone();
    assert_eq!((open("auth"), open("billing")), (json!(other), json!(main)));
    for dir in [&main, &other] {
        assert_eq!(s.git(dir, &["status", "--porcelain", "--untracked-files=all"]), "", "{dir}");
    }
    // From one worktree those of all others are found.
    assert_eq!(inside(&["show", "pm-feature-auth"])["root"], json!(other));
    assert_eq!(inside(&["list"]).as_array().unwrap().len(), 2);
    assert_eq!(inside(&["list", "--feature", "auth"])[0]["id"], "pm-feature-auth");
}

#[test]
fn pins_archive_trash_and_what_agents_are_told() {
    let s = opened();
    let first = add(&s, "user", "Only GitHub.");
    conv(&s, &["pin", "pm-feature-auth", "Never touch billing"]);
    conv(&s, &["pin", "pm-feature-auth", &first]);
    conv(&s, &["pin", "pm-feature-auth", "Never touch billing"]);
    let pins = json(&s, &["show", "pm-feature-auth"])["pins"].clone();
    let want = json!([{"number": 1, "text": "Never touch billing"}, {"number": 2, "text": "Only GitHub.", "message": first}]);
    assert_eq!(pins, want);
    conv(&s, &["unpin", "pm-feature-auth", "1"]);
    let cleared = json(&s, &["clear", "pm-feature-auth", "--yes"]);
    assert_eq!(cleared["archivedMessages"], 1);
    assert_eq!((ids(&s, &[]), ids(&s, &["--archive"])), (Vec::new(), vec![first]));
    assert_eq!(json(&s, &["show", "pm-feature-auth"])["pins"].as_array().unwrap().len(), 1);
    let removed = conv(&s, &["rm", "pm-feature-auth"]);
    assert!(removed.contains("`deck conversation undo pm-feature-auth` brings it back"), "{removed}");
    refused(&s, &["show", "pm-feature-auth"], 3);
    assert!(conv(&s, &["undo", "pm-feature-auth"]).contains("is back"));
    refused(&s, &["undo", "dev-feature-x"], 3);
    assert!(conv(&s, &["describe", "pm-feature-auth"]).contains("You are the project manager"));
    s.file("roles/pm.toml", "instructions = \"Plan.\"\ntools = \"None.\"\n");
    assert!(
        conv(&s, &["describe", "pm-feature-auth"]).contains("You are the project manager"),
        "as it was made"
    );
    let told = json(&s, &["describe", "pm-feature-auth", "--refresh"]);
    assert_eq!((&told["roleInstructions"], &told["toolInstructions"]), (&json!("Plan."), &json!("None.")));
    // A role of its user's, and what is wrong with one.
    s.file("roles/writer.toml", "title = \"docs\"\ntype = \"task\"\nstate = \"writing\"\n");
    let made = json(
        &s,
        &["open", "--role", "writer", "--feature", "auth", "--task", "guide", "--from", "pm-feature-auth"],
    );
    assert_eq!(
        (&made["id"], &made["pins"][0]["text"]),
        (&json!("writer-task-auth-guide-writing"), &json!("Only GitHub."))
    );
    s.file("roles/odd.toml", "titel = \"x\"\n");
    let checked = s.deck(&["config", "check"]).stdout();
    assert!(checked.contains("unknown key `titel`; did you mean `title`?"), "{checked}");
}

#[test]
fn files_of_other_programs_go_in_and_come_out_alike() {
    let s = Sandbox::new();
    let fixtures = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/fixtures/conversations");
    let dir = s.path("proj/in");
    std::fs::create_dir(&dir).unwrap();
    let kinds = ["session", "chat", "checkpoint", "context", "agent-description"];
    let name = |kind: &str| format!("{kind}_pm-feature-my-feature.json");
    for kind in kinds {
        std::fs::copy(fixtures.join(format!("{kind}.json")), dir.join(name(kind))).unwrap();
    }
    let imported = json(&s, &["import", "in"]);
    assert_eq!(
        (&imported[0]["id"], &imported[0]["created"]),
        (&json!("pm-feature-my-feature"), &json!(true))
    );
    assert_eq!(json(&s, &["import", "in"])[0]["created"], false, "what is there is left");
    let exported = json(&s, &["export", "pm-feature-my-feature", "out"]);
    assert_eq!(exported["files"].as_array().unwrap().len(), 5);
    for kind in kinds {
        let read = |path: std::path::PathBuf| -> Value {
            serde_json::from_str(&std::fs::read_to_string(path).unwrap()).unwrap()
        };
        let (was, is) = (read(dir.join(name(kind))), read(s.path("proj/out").join(name(kind))));
        assert_eq!(was, is, "{kind}");
    }
    let said = json(&s, &["messages", "pm-feature-my-feature"]);
    assert_eq!(
        (&said["totalMessages"], &said["oldestMessageTimestamp"]),
        (&json!(42), &json!("2026-01-17T12:00:00.000Z"))
    );
    conv(&s, &["add", "pm-feature-my-feature", "--role", "user", "more"]);
    assert_eq!(json(&s, &["show", "pm-feature-my-feature"])["stats"]["totalMessages"], 43);
    let there = refused(&s, &["export", "pm-feature-my-feature", "out"], 1);
    assert!(there.contains("can't write"), "{there}");
    std::fs::write(dir.join(name("chat")), "{\"messages\": [{}]}").unwrap();
    conv(&s, &["rm", "pm-feature-my-feature"]);
    let broken = refused(&s, &["import", "in"], 1);
    assert!(broken.contains("chat_pm-feature-my-feature.json can't be imported"), "{broken}");
    assert!(refused(&s, &["import", "out/.."], 1).contains("no file session_ID.json is in it"));
}

#[test]
fn what_happened_is_told_from_a_number_on() {
    let s = opened();
    add(&s, "user", "one");
    let events = |args: &[&str]| -> Vec<(u64, String)> {
        let out = conv(&s, &[&["events", "--json"], args].concat());
        let all = out.lines().map(|line| serde_json::from_str::<Value>(line).unwrap());
        all.map(|e| (e["seq"].as_u64().unwrap(), e["event"].as_str().unwrap().to_owned())).collect()
    };
    let told = |seq, event: &str| (seq, event.to_owned());
    assert_eq!(events(&[]), [told(1, "created"), told(2, "message_added")]);
    conv(&s, &["clear", "pm-feature-auth", "--yes"]);
    conv(&s, &["pin", "pm-feature-auth", "x"]);
    assert_eq!(events(&["--since", "1"]), [told(2, "message_added"), told(3, "cleared"), told(4, "pinned")]);
    assert_eq!(events(&["pm-feature-auth", "--since", "4"]), []);
    // Who follows is told of what comes, also in conversations that are new.
    let mut command = s.command(env!("CARGO_BIN_EXE_deck"));
    command.args(["conversation", "events", "--follow", "--json", "--since", "4"]).stdout(Stdio::piped());
    let mut child = command.spawn().unwrap();
    let mut lines = std::io::BufRead::lines(std::io::BufReader::new(child.stdout.take().unwrap()));
    let mut next = || serde_json::from_str::<Value>(&lines.next().unwrap().unwrap()).unwrap();
    add(&s, "user", "two");
    let event = next();
    assert_eq!((&event["seq"], &event["message"]["content"]), (&json!(5), &json!("two")));
    conv(&s, &["archive", "pm-feature-auth"]);
    assert_eq!(next()["event"], "archived");
    child.kill().unwrap();
    child.wait().unwrap();
}
