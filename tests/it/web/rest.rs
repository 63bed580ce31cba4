//! The REST API, on real sessions; what it answers is held against the document.

use serde_json::{Value, json};

use super::client::{Answer, Ask, Server};
use super::document::problem;
use crate::support::{Sandbox, wait_until};

/// Asks, and checks the answer against the document.
#[track_caller]
fn ask(server: &Server, method: &str, path: &str, route: &str, body: Option<Value>) -> Answer {
    let ask = Ask::new(method, path);
    let answer = server.ask(match body {
        Some(body) => ask.body(&body),
        None => ask,
    });
    if let Some(problem) = problem(method, route, answer.status, &answer.json()) {
        panic!("{method} {path}: {problem}");
    }
    answer
}

#[test]
fn a_session_is_made_used_changed_and_deleted() {
    let s = Sandbox::new();
    let server = Server::start(&s, &[]);
    let folder = s.project("p");
    let body = json!({ "type": "quick", "locationPath": folder, "title": "api", "cols": 100, "rows": 30 });
    let made = ask(&server, "POST", "/api/sessions", "/api/sessions", Some(body));
    assert_eq!(made.status, 201);
    let session = made.json()["session"].clone();
    let id = session["id"].as_str().unwrap().to_owned();
    assert_eq!(session["type"], "quick");
    assert_eq!(session["status"], "active");
    assert_eq!(session["agentId"], "shell");
    let one = format!("/api/sessions/{id}");
    let route = "/api/sessions/{id}";
    assert_eq!(s.session("api")["id"], id.as_str());

    let body = json!({ "type": "terminal", "name": "tests", "command": "echo hello; exec cat" });
    let worker = ask(&server, "POST", &format!("{one}/workers"), &format!("{route}/workers"), Some(body));
    assert_eq!(worker.json()["worker"]["name"], "tests");
    let worker = worker.json()["worker"]["id"].as_str().unwrap().to_owned();
    let workers = ask(&server, "GET", &format!("{one}/workers"), &format!("{route}/workers"), None).ok();
    assert_eq!(workers["workers"].as_array().unwrap().len(), 2);
    let of = (format!("{one}/workers/{worker}"), format!("{route}/workers/{{worker}}"));
    let renamed = ask(&server, "PATCH", &of.0, &of.1, Some(json!({ "name": "unit" }))).ok();
    assert_eq!(renamed["worker"]["name"], "unit");
    ask(&server, "DELETE", &of.0, &of.1, None).fails(409);
    ask(&server, "DELETE", &format!("{}?stop=true", of.0), &of.1, None).ok();
    ask(&server, "GET", &format!("{one}/workers/nobody/diff"), &format!("{}/diff", of.1), None).fails(404);

    let body = json!({ "title": "backend", "group": "work" });
    let changed = ask(&server, "PATCH", &one, route, Some(body)).ok();
    assert_eq!(
        (&changed["session"]["title"], &changed["session"]["group"]),
        (&json!("backend"), &json!("work"))
    );
    for (path, of) in [("output", "output"), ("output?last=1", "output"), ("explain", "explain")] {
        ask(&server, "GET", &format!("{one}/{path}"), &format!("{route}/{of}"), None).ok();
    }
    let stopped =
        ask(&server, "POST", &format!("{one}/stop"), &format!("{route}/stop"), Some(json!({}))).ok();
    assert_eq!(stopped["session"]["status"], "inactive");
    ask(&server, "POST", &format!("{one}/send"), &format!("{route}/send"), Some(json!({ "text": "x" })));
    let started =
        ask(&server, "POST", &format!("{one}/start"), &format!("{route}/start"), Some(json!({}))).ok();
    assert_eq!(started["session"]["status"], "active");
    ask(&server, "DELETE", &one, route, None).fails(409);
    ask(&server, "DELETE", &format!("{one}?stop=true"), route, None).ok();
    assert_eq!(s.list().len(), 0);
    let trash = ask(&server, "GET", "/api/trash", "/api/trash", None).ok();
    assert_eq!(trash["deleted"][0]["id"], id.as_str());
    ask(&server, "POST", "/api/undo", "/api/undo", Some(json!({}))).ok();
    let all = ask(&server, "GET", "/api/sessions", "/api/sessions", None).ok();
    assert_eq!(all["sessions"][0]["title"], "backend");
    for path in ["/api/agents", "/api/profiles", "/api/groups", "/api/status", "/api/repositories"] {
        ask(&server, "GET", path, path, None).ok();
    }
}

#[test]
fn a_request_that_is_made_twice_makes_one_session() {
    let s = Sandbox::new();
    let server = Server::start(&s, &[]);
    let make = |title: &str| {
        let body = json!({ "type": "quick", "locationPath": s.project("p"), "title": title });
        server.ask(Ask::new("POST", "/api/sessions").body(&body).header("idempotency-key", "one"))
    };
    let (first, second) = std::thread::scope(|scope| {
        let both = [scope.spawn(|| make("a")), scope.spawn(|| make("a"))];
        let [first, second] = both.map(|one| one.join().unwrap());
        (first, second)
    });
    assert_eq!(first.ok()["session"]["id"], second.ok()["session"]["id"]);
    assert_eq!(s.list().len(), 1);
    assert_eq!(make("b").fails(409)["code"], "refused");
}

#[test]
fn a_request_whose_line_breaks_is_done_once_all_the_same() {
    let s = Sandbox::new();
    let server = Server::start(&s, &[]);
    let body = json!({ "type": "quick", "locationPath": s.project("p"), "title": "a" });
    let ask = || {
        let ask = Ask::new("POST", "/api/sessions").body(&body).header("idempotency-key", "one");
        ask.header("authorization", &format!("Bearer {}", server.token))
    };
    server.leave(&ask());
    let again = server.raw(&ask());
    assert_eq!(again.ok()["session"]["title"], "a");
    assert_eq!(s.list().len(), 1);
}

#[test]
fn a_question_is_answered_only_as_it_was_shown() {
    let s = Sandbox::new();
    s.asker();
    let dir = s.ask_session("api");
    let server = Server::start(&s, &[]);
    s.deck(&["send", "api", "ask everything"]).ok();
    s.deck(&["wait", "api"]).ok();
    let id = s.session("api")["id"].as_str().unwrap().to_owned();
    let one = format!("/api/sessions/{id}");
    let session = ask(&server, "GET", &one, "/api/sessions/{id}", None).ok()["session"].clone();
    assert_eq!(
        (&session["deck"]["asks"], &session["deck"]["needsYou"]),
        (&json!("Delete everything?"), &json!(true))
    );
    let route = "/api/sessions/{id}/answer";
    let answer = |body: Value| ask(&server, "POST", &format!("{one}/answer"), route, Some(body));
    let error = answer(json!({ "choice": 2, "screen": "other" })).fails(409);
    assert!(error["message"].as_str().unwrap().contains("changed; nothing was sent"), "{error}");
    assert_eq!(
        answer(json!({ "choice": 9, "screen": session["deck"]["screen"] })).fails(400)["code"],
        "usage"
    );
    let taken = answer(json!({ "choice": 2, "screen": session["deck"]["screen"] })).ok();
    assert_eq!(taken["choice"]["label"], "No, never");
    assert_eq!(std::fs::read_to_string(format!("{dir}/answers")).unwrap(), "2\n", "one key, once");
}

#[test]
fn worktrees_are_made_listed_and_finished() {
    let s = Sandbox::new();
    let server = Server::start(&s, &[]);
    let top = s.project("repo");
    s.git(&top, &["init", "-q", "-b", "main"]);
    s.git(&top, &["commit", "-q", "--allow-empty", "-m", "one"]);
    let added = ask(&server, "POST", "/api/repositories", "/api/repositories", Some(json!({ "path": top })));
    let repository = added.ok()["repository"]["id"].as_str().unwrap().to_owned();
    let body = json!({ "type": "worktree", "repositoryId": repository, "branch": "feat/x" });
    let session = ask(&server, "POST", "/api/sessions", "/api/sessions", Some(body)).ok()["session"].clone();
    assert_eq!((&session["type"], &session["branch"]), (&json!("worktree"), &json!("feat/x")));
    let route = "/api/repositories/{id}/worktrees";
    let all = ask(&server, "GET", &format!("/api/repositories/{repository}/worktrees"), route, None).ok();
    assert_eq!(all["worktrees"].as_array().unwrap().len(), 2);
    let path = "/api/worktrees/finish";
    let body = json!({ "worktreeId": session["worktreeId"], "dryRun": true });
    let plan = ask(&server, "POST", path, path, Some(body)).ok();
    assert_eq!(plan["plan"]["blockers"][0]["kind"], "session");
    let body = json!({ "worktreeId": session["worktreeId"] });
    let error = ask(&server, "POST", path, path, Some(body)).fails(409);
    assert_eq!(error["blockers"][0]["option"], "--stop");
    let body = json!({ "worktreeId": session["worktreeId"], "merge": "merge", "stop": true });
    let done = ask(&server, "POST", path, path, Some(body)).ok();
    assert_eq!(done["finished"]["branch"], "feat/x");
    wait_until("it is archived", || if s.list().is_empty() { Ok(()) } else { Err("no".to_owned()) });
}

#[test]
fn a_rendered_file_and_a_diff_are_shown() {
    let s = Sandbox::new();
    let server = Server::start(&s, &[]);
    let top = s.project("repo");
    s.git(&top, &["init", "-q", "-b", "main"]);
    s.git(&top, &["commit", "-q", "--allow-empty", "-m", "one"]);
    std::fs::write(format!("{top}/PLAN.md"), "# Plan\n<script>x</script>\n").unwrap();
    let body = json!({ "type": "quick", "locationPath": top, "title": "api" });
    let id = server.post("/api/sessions", body).ok()["session"]["id"].as_str().unwrap().to_owned();
    let add = |body: Value| {
        let worker = server.post(&format!("/api/sessions/{id}/workers"), body).ok();
        worker["worker"]["id"].as_str().unwrap().to_owned()
    };
    let file = add(json!({ "type": "markdown", "filePath": "PLAN.md" }));
    let route = "/api/sessions/{id}/workers/{worker}";
    let path = format!("/api/sessions/{id}/workers/{file}/markdown");
    let shown = ask(&server, "GET", &path, &format!("{route}/markdown"), None).ok();
    assert_eq!(shown["html"], "<h1>Plan</h1>\n&lt;script&gt;x&lt;/script&gt;\n");
    let diff = add(json!({ "type": "diff" }));
    let path = format!("/api/sessions/{id}/workers/{diff}/diff");
    let shown = ask(&server, "GET", &path, &format!("{route}/diff"), None).ok();
    assert_eq!(shown["files"][0]["path"], "PLAN.md");
}

#[test]
fn pictures_are_files_beside_the_one_that_names_them() {
    let s = Sandbox::new();
    let server = Server::start(&s, &[]);
    let top = s.project("p");
    std::fs::create_dir_all(format!("{top}/docs/img")).unwrap();
    std::fs::write(format!("{top}/docs/PLAN.md"), "![a](img/p.png)\n").unwrap();
    std::fs::write(format!("{top}/docs/img/p.png"), b"\x89PNG\r\n\x1a\nx").unwrap();
    std::fs::write(format!("{top}/docs/img/q.png"), "#!/bin/sh").unwrap();
    std::os::unix::fs::symlink("/etc/passwd", format!("{top}/docs/img/r.png")).unwrap();
    let body = json!({ "type": "quick", "locationPath": top, "title": "api" });
    let id = server.post("/api/sessions", body).ok()["session"]["id"].as_str().unwrap().to_owned();
    let body = json!({ "type": "markdown", "filePath": "docs/PLAN.md" });
    let worker = server.post(&format!("/api/sessions/{id}/workers"), body).ok()["worker"]["id"].clone();
    let route = "/api/sessions/{id}/workers/{worker}/image";
    let get = |query: &str| {
        let path = format!("/api/sessions/{id}/workers/{}/image{query}", worker.as_str().unwrap());
        ask(&server, "GET", &path, route, None)
    };
    let shown = get("?path=img/p.png").ok();
    assert_eq!((&shown["mimeType"], &shown["data"]), (&json!("image/png"), &json!("iVBORw0KGgp4")));
    let error = |query: &str| get(query).fails(400)["message"].as_str().unwrap().to_owned();
    assert!(error("").contains("path is missing"));
    assert!(error("?path=img/q.png").contains("is not png, jpeg, gif or webp"));
    for out in ["img/r.png", "../../../../../../../../../../../../etc/passwd", "/etc/passwd"] {
        assert!(error(&format!("?path={out}")).contains("leads out of the session's folder"), "{out}");
    }
}

#[test]
fn only_what_was_shown_of_a_repository_is_allowed() {
    let s = Sandbox::new();
    let server = Server::start(&s, &[]);
    let top = s.project("repo");
    s.git(&top, &["init", "-q", "-b", "main"]);
    std::fs::write(format!("{top}/.deck.toml"), "setup = [\"true\"]\n").unwrap();
    s.git(&top, &["add", "."]);
    s.git(&top, &["commit", "-q", "-m", "one"]);
    let added = server.post("/api/repositories", json!({ "path": top })).ok();
    let id = added["repository"]["id"].as_str().unwrap().to_owned();
    let (route, path) = ("/api/repositories/{id}/trust", format!("/api/repositories/{id}/trust"));
    let shown = ask(&server, "GET", &path, route, None).ok();
    assert_eq!(shown["trust"]["allowed"], false);
    assert!(shown["text"].as_str().unwrap().contains("setup = [\"true\"]"), "{shown}");
    std::fs::write(format!("{top}/.deck.toml"), "setup = [\"rm -rf x\"]\n").unwrap();
    let body = json!({ "sha256": shown["trust"]["sha256"] });
    let error = ask(&server, "POST", &path, route, Some(body)).fails(409);
    assert!(error["consent"]["text"].as_str().unwrap().contains("rm -rf x"), "{error}");
    let body = json!({ "sha256": error["consent"]["sha256"] });
    assert_eq!(ask(&server, "POST", &path, route, Some(body)).ok()["trust"]["allowed"], true);
}
