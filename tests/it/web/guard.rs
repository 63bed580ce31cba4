//! Who is refused: every route, every way in.

use serde_json::json;

use super::client::{Ask, Server};
use super::document::routes;
use crate::support::Sandbox;

fn filled(path: &str) -> String {
    path.replace("{id}", "nobody").replace("{worker}", "nothing")
}

#[test]
fn every_route_refuses_strangers() {
    let s = Sandbox::new();
    let server = Server::start(&s, &[]);
    let cookie = server.paired(&server.pair);
    for (method, path, changes, _) in routes() {
        let ask = || Ask::new(&method, &filled(&path)).body(&json!({}));
        let what = format!("{method} {path}");
        let origin = server.origin();
        assert_eq!(server.raw(&ask().header("origin", &origin)).status, 401, "{what}: no login");
        let wrong = ask()
            .header("origin", &origin)
            .header("cookie", &cookie)
            .host(&format!("evil.example:{}", server.port));
        assert_eq!(server.raw(&wrong).status, 421, "{what}: another name");
        assert_eq!(
            server
                .raw(
                    &Ask::new(&method, &format!("{}?token={}", filled(&path), server.token))
                        .header("origin", &origin)
                )
                .status,
            401,
            "{what}: a token in the query"
        );
        if changes {
            for origin in ["http://evil.example", "null", &format!("http://127.0.0.1:{}", server.port ^ 1)] {
                let page = ask().header("cookie", &cookie).header("origin", origin);
                assert_eq!(server.raw(&page).status, 403, "{what}: from {origin}");
            }
            assert_eq!(server.raw(&ask().header("cookie", &cookie)).status, 403, "{what}: from nowhere");
        }
        let cross =
            ask().header("cookie", &cookie).header("origin", &origin).header("sec-fetch-site", "cross-site");
        assert_eq!(server.raw(&cross).status, 403, "{what}: from another site");
    }
}

#[test]
fn pages_and_health_refuse_another_name_too() {
    let s = Sandbox::new();
    let server = Server::start(&s, &[]);
    for path in ["/", "/s/x", "/api/health", "/api/openapi.json", "/ws/dashboard", "/nothing"] {
        let host = format!("evil.example:{}", server.port);
        assert_eq!(server.raw(&Ask::new("GET", path).host(&host)).status, 421, "{path}");
    }
    let health = server.raw(&Ask::new("GET", "/api/health"));
    assert_eq!(health.ok(), json!({ "ok": true }));
    for (name, want) in [
        ("x-content-type-options", "nosniff"),
        ("cache-control", "no-store"),
        ("referrer-policy", "no-referrer"),
        ("cross-origin-resource-policy", "same-origin"),
    ] {
        assert_eq!(health.header(name), Some(want), "{name}");
    }
    let page = server.raw(&Ask::new("GET", "/s/any/w/thing"));
    assert_eq!(page.status, 200);
    assert!(page.header("content-security-policy").unwrap().contains("frame-ancestors 'none'"));
}

#[test]
fn a_viewer_who_may_only_read_changes_nothing_through_any_route() {
    let s = Sandbox::new();
    let server = Server::start(&s, &["--read-only"]);
    for (method, path, changes, _) in routes() {
        let answer = server.ask(Ask::new(&method, &filled(&path)).body(&json!({})));
        if changes {
            assert_eq!(answer.fails(403)["code"], "forbidden", "{method} {path}");
        } else {
            assert_ne!(answer.status, 403, "{method} {path}");
        }
    }
    drop(server);
    let server = Server::start(&s, &[]);
    let pair = s.deck(&["serve", "pair", "--read-only"]).ok();
    let cookie = server.paired(pair.trim());
    let post = Ask::new("POST", "/api/undo").body(&json!({})).header("cookie", &cookie);
    assert_eq!(server.raw(&post.header("origin", &server.origin())).status, 403);
    assert_eq!(server.raw(&Ask::new("GET", "/api/sessions").header("cookie", &cookie)).status, 200);
}

#[test]
fn codes_work_once_guesses_are_limited_and_revoked_browsers_are_out() {
    let s = Sandbox::new();
    let server = Server::start(&s, &[]);
    let cookie = server.paired(&server.pair);
    let with = |cookie: &str| server.raw(&Ask::new("GET", "/api/sessions").header("cookie", cookie)).status;
    assert_eq!(with(&cookie), 200);
    let code = server.pair.split_once("#pair=").unwrap().1;
    let pair = |code: &str| {
        let ask = Ask::new("POST", "/api/pair").header("origin", &server.origin());
        server.raw(&ask.body(&json!({ "code": code, "name": "x" }))).status
    };
    assert_eq!(pair(code), 401, "a code works once");
    let id = s.deck(&["serve", "devices", "--json"]).ok();
    let id = serde_json::from_str::<serde_json::Value>(&id).unwrap()[0]["id"].as_str().unwrap().to_owned();
    assert!(s.deck(&["serve", "revoke", &id]).ok().contains("revoked 1 browser"));
    assert_eq!(with(&cookie), 401);
    let statuses: Vec<u16> = (0..12).map(|_| pair("guess")).collect();
    assert_eq!(statuses.first(), Some(&401));
    assert_eq!(statuses.last(), Some(&429), "{statuses:?}");
    // Whoever is logged in stays that, whatever others guess from the same address.
    let stale: Vec<u16> = (0..12).map(|_| with(&cookie)).collect();
    assert_eq!(stale.last(), Some(&429), "{stale:?}");
    assert_eq!(server.get("/api/sessions").status, 200);
    s.deck(&["serve", "revoke", "nobody"]).fails(3);
}

#[test]
fn bad_requests_are_named_and_change_nothing() {
    let s = Sandbox::new();
    let server = Server::start(&s, &[]);
    let post = |text: &str| {
        server.ask(Ask::new("POST", "/api/sessions").text(text).header("content-type", "application/json"))
    };
    let deep = "[".repeat(1000);
    for bad in ["{", "[]", r#"{"type":"quick","nope":1}"#, r#"{"type":1e309}"#, r#"{"type":"\ud800"}"#, &deep]
    {
        assert_eq!(post(bad).fails(400)["code"], "usage", "{bad}");
    }
    let text = server.ask(Ask::new("POST", "/api/sessions").text("x=1").header("content-type", "text/plain"));
    assert_eq!(text.fails(415)["code"], "media_type");
    let large = format!(r#"{{"type":"quick","locationPath":"{}"}}"#, "x".repeat(1_100_000));
    assert_eq!(post(&large).fails(413)["code"], "too_large");
    for (path, words) in
        [("relative", "absolute"), ("/no/such/folder", "/no/such/folder"), ("/etc/hostname", "/etc/hostname")]
    {
        let error = post(&json!({ "type": "quick", "locationPath": path }).to_string()).fails(400);
        assert!(error["message"].as_str().unwrap().contains(words), "{path}: {error}");
    }
    let error = server.post("/api/repositories", json!({ "path": "/no/such/folder" })).fails(400);
    assert!(error["message"].as_str().unwrap().contains("/no/such/folder"), "{error}");
    assert_eq!(server.post("/api/undo", json!({})).fails(409)["code"], "refused");
    assert_eq!(server.get("/api/sessions/nobody").fails(404)["code"], "not_found");
    assert_eq!(server.get("/api/sessions?nope=1").fails(400)["code"], "usage");
    assert_eq!(server.get("/api/sessions?profile=nobody").fails(404)["code"], "not_found");
    assert_eq!(server.get("/api/nothing").fails(404)["code"], "not_found");
    assert_eq!(server.ask(Ask::new("PUT", "/api/sessions")).fails(405)["code"], "method");
    assert_eq!(server.get("/ws/shell").fails(410)["code"], "not_found");
    assert_eq!(s.list().len(), 0);
}
