//! What is sent to an agent of a role, and what is learnt from its answer.

use serde_json::{Value, json};

use super::{add, conv, json, opened};

#[test]
fn a_request_has_all_that_is_known_in_the_same_order() {
    let s = opened();
    let root = s.path("proj");
    let dir = root.to_str().unwrap().to_owned();
    std::fs::write(root.join("CLAUDE.md"), "Use tabs.\n").unwrap();
    std::os::unix::fs::symlink("CLAUDE.md", root.join("AGENTS.md")).unwrap();
    std::fs::create_dir_all(root.join("src/app")).unwrap();
    std::fs::write(root.join("src/app/main.rs"), "").unwrap();
    s.git(&dir, &["init", "-q", "-b", "main"]);
    s.git(&dir, &["add", "CLAUDE.md", "src"]);
    s.git(&dir, &["commit", "-q", "-m", "Add the first file"]);
    std::fs::create_dir_all(root.join(".deck/features")).unwrap();
    let feature = json!({"name": "User Authentication", "goal": "Sign in", "tasks": [
        {"id": "a", "title": "Plan", "state": "done"}, {"id": "b", "title": "Do", "state": "in_dev", "depends_on": ["a"]}]});
    std::fs::write(root.join(".deck/features/auth.json"), feature.to_string()).unwrap();
    add(&s, "user", "Please plan it.");
    conv(&s, &["pin", "pm-feature-auth", "Never touch billing"]);
    let context = json(&s, &["context", "pm-feature-auth"]);
    assert_eq!(context["dagSummary"], "2 tasks: 1 complete, 1 in progress, 0 pending");
    assert_eq!(
        (&context["featureGoal"], &context["claudeMd"]),
        (&json!("Sign in"), &json!("## CLAUDE.md\n\nUse tabs."))
    );
    assert_eq!(context["projectStructure"], "src/\n  app/ (1)\nCLAUDE.md\n");
    assert!(context["recentCommits"][0].as_str().unwrap().ends_with(" - Add the first file"));
    assert_eq!(context["problems"], json!({}));
    let ask = |prompt: &str| json(&s, &["request", "pm-feature-auth", prompt, "--add"]);
    let one = ask("What is next?");
    let names: Vec<&str> =
        one["parts"].as_array().unwrap().iter().map(|p| p["name"].as_str().unwrap()).collect();
    assert_eq!(
        names,
        ["role", "instructions", "structure", "about", "commits", "pins", "messages", "prompt"]
    );
    let system = one["systemPrompt"].as_str().unwrap().to_owned();
    for words in ["You are the project manager", "Use tabs.", "Goal: Sign in", "- Never touch billing"] {
        assert!(system.contains(words), "{system}");
    }
    let want =
        json!([{"role": "user", "content": "Please plan it."}, {"role": "user", "content": "What is next?"}]);
    assert_eq!(one["messages"], want);
    assert!(one["userPrompt"].as_str().unwrap().ends_with("What is next?"));
    let sum: u64 = one["parts"].as_array().unwrap().iter().map(|p| p["tokens"].as_u64().unwrap()).sum();
    assert_eq!(one["totalTokens"], sum);
    let two = ask("And then?");
    assert_eq!(two["systemPrompt"], system, "what is the same comes first");
    assert_eq!(two["messages"].as_array().unwrap().len(), 3);
    // Looking at one changes nothing.
    let before = json(&s, &["show", "pm-feature-auth"]);
    json(&s, &["preview", "pm-feature-auth", "x"]);
    assert_eq!(json(&s, &["show", "pm-feature-auth"]), before);
    conv(&s, &["context", "pm-feature-auth", "featureGoal=Sign in with GitHub", "dependencies=x, y"]);
    let context = json(&s, &["context", "pm-feature-auth"]);
    assert_eq!(
        (&context["featureGoal"], &context["dependencies"]),
        (&json!("Sign in with GitHub"), &json!(["x", "y"]))
    );
    conv(&s, &["context", "pm-feature-auth", "featureGoal="]);
    assert_eq!(json(&s, &["context", "pm-feature-auth"])["featureGoal"], "Sign in");
}

#[test]
fn what_can_not_be_known_is_named() {
    let s = opened();
    std::fs::create_dir_all(s.path("proj/.deck/features")).unwrap();
    std::fs::write(s.path("proj/.deck/features/auth.json"), "{").unwrap();
    let context = json(&s, &["context", "pm-feature-auth"]);
    assert_eq!((&context["featureName"], &context["recentCommits"]), (&Value::Null, &Value::Null));
    let problems = context["problems"].as_object().unwrap();
    assert!(problems["featureName"].as_str().unwrap().contains("auth.json"), "{problems:?}");
    assert!(problems["recentCommits"].as_str().unwrap().contains("repository"), "{problems:?}");
}

#[test]
fn estimates_are_corrected_by_what_answers_used() {
    let s = opened();
    s.file("roles/pm.toml", "summarizer = \"claude\"\n");
    add(&s, "user", &"Some words to begin with. ".repeat(50));
    let total = || json(&s, &["preview", "pm-feature-auth"])["totalTokens"].as_u64().unwrap();
    let before = total();
    for n in 0..5 {
        let made = json(&s, &["request", "pm-feature-auth", "Next?", "--add"]);
        // Estimated with 15 % on top, as long as nothing is known.
        let used = made["totalTokens"].as_u64().unwrap() * 2 * 100 / 115;
        let tokens = format!("{used},5");
        let answer = [
            "add",
            "pm-feature-auth",
            "--role",
            "assistant",
            "--tokens",
            &tokens,
            "--meta",
            "model=claude-x",
            "Yes.",
        ];
        conv(&s, &answer);
        assert!(n == 4 || total() < before * 3 / 2, "five are needed");
    }
    assert!(total() > before * 16 / 10, "{before} {}", total());
}
