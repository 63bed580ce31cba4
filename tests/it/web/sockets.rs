//! Sockets: what a page sees is what the pane shows, and nothing is typed that nobody typed.

use serde_json::{Value, json};

use super::client::{Page, Server, Shown};
use crate::support::{Sandbox, Screen, wait_until};

/// A session with a shell, and the path of its socket.
fn session(s: &Sandbox, server: &Server, title: &str) -> (Value, String) {
    let body = json!({ "type": "quick", "locationPath": s.project("p"), "title": title });
    let session = server.post("/api/sessions", body).ok()["session"].clone();
    let path = format!(
        "/ws/session/{}/worker/{}",
        session["id"].as_str().unwrap(),
        session["workers"][0]["id"].as_str().unwrap()
    );
    (session, path)
}

/// Follows until the page shows a text.
#[track_caller]
fn shows(page: &mut Page, shown: &mut Shown, text: &str) {
    page.until(text, |message| {
        shown.take(message);
        shown.parser.screen().contents().contains(text).then_some(())
    });
}

fn capture(s: &Sandbox, title: &str) -> Vec<String> {
    let pane = s.session(title)["tmux"]["pane_id"].as_str().unwrap().to_owned();
    let text = s.tmux(&s.socket(), &["capture-pane", "-p", "-S", "-1000", "-t", &pane]);
    text.lines().map(|l| l.trim_end().to_owned()).collect()
}

/// Waits until the last lines of the page are those of the pane.
#[track_caller]
fn is_equal(s: &Sandbox, page: &mut Page, shown: &mut Shown, title: &str) {
    let mut last = String::new();
    for _ in 0..1200 {
        if let Some(Ok(message)) = page.next() {
            shown.take(&message);
            continue;
        }
        let want = capture(s, title);
        let have = shown.lines();
        // What tmux prints ends with its last line that is not empty.
        let ends = |all: &[String]| all.iter().rposition(|l| !l.is_empty()).map_or(0, |at| at + 1);
        let (want, have) = (&want[..ends(&want)], &have[..ends(&have)]);
        let n = want.len().min(1000).min(have.len());
        if n > 0 && want[want.len() - n..] == have[have.len() - n..] && (have.len() >= want.len().min(1000)) {
            return;
        }
        last =
            format!("page {} lines, pane {}:\n{:?}\n{:?}", have.len(), want.len(), have.last(), want.last());
    }
    panic!("{last}");
}

#[test]
fn a_page_types_sees_it_and_comes_back_where_it_was() {
    let s = Sandbox::new();
    let server = Server::start(&s, &[]);
    let (_, path) = session(&s, &server, "api");
    let (mut page, mut shown) = (server.socket(&path), Shown::new());
    page.send(&json!({ "type": "input", "data": "echo one-$((1+1))\r", "id": 7 }));
    shows(&mut page, &mut shown, "one-2");
    assert!(page.seen.iter().any(|m| m["type"] == "took" && m["id"] == 7));
    page.send(&json!({ "type": "paste", "data": "echo pasted", "id": "p" }));
    page.send(&json!({ "type": "key", "name": "enter", "id": 9 }));
    shows(&mut page, &mut shown, "\npasted");
    page.send(&json!({ "type": "key", "name": "nope", "id": 10 }));
    let error = page.until("an error", |m| (m["type"] == "error").then(|| m.clone()));
    assert_eq!((&error["code"], &error["id"]), (&json!("usage"), &json!(10)));
    for bad in
        ["x", "[]", r#"{"type":"nope"}"#, r#"{"type":"input"}"#, r#"{"type":"input","data":"","more":1}"#]
    {
        page.send_text(bad);
        page.until("an error", |m| (m["type"] == "error").then_some(()));
    }
    drop(page);
    // Printed while nobody watched: it is missed, and given as what is missing.
    let pane = s.session("api")["tmux"]["pane_id"].as_str().unwrap().to_owned();
    s.tmux(&s.socket(), &["send-keys", "-t", &pane, "echo away", "Enter"]);
    wait_until("it is there", || {
        if capture(&s, "api").iter().any(|l| l == "away") { Ok(()) } else { Err("no".to_owned()) }
    });
    let histories = shown.histories;
    let mut page = server.socket(&format!("{path}?epoch={}&offset={}", shown.epoch, shown.offset));
    shows(&mut page, &mut shown, "\naway");
    assert_eq!(shown.histories, histories, "only what was missing");
    is_equal(&s, &mut page, &mut shown, "api");
    // From a position that there never was: everything.
    let mut page = server.socket(&format!("{path}?epoch={}&offset=99999999", shown.epoch));
    let mut other = Shown::new();
    shows(&mut page, &mut other, "\naway");
    assert_eq!(other.histories, 1);
}

#[test]
fn bursts_wide_characters_the_alternate_screen_and_a_new_size_are_shown_line_for_line() {
    let s = Sandbox::new();
    let server = Server::start(&s, &[]);
    let (_, path) = session(&s, &server, "api");
    let (mut page, mut shown) = (server.socket(&path), Shown::new());
    let mut run = |line: &str, done: &str| {
        page.send(&json!({ "type": "input", "data": format!("{line}\r") }));
        shows(&mut page, &mut shown, done);
        is_equal(&s, &mut page, &mut shown, "api");
    };
    run("clear; for i in 1 2 3 4 5 6 7 8 9; do echo \"line $i 漢字 é e\u{301} \"; done; echo e''nd", "\nend");
    run("seq 1 3000; echo e''nd2", "\nend2");
    run("printf '\\033[?1049h\\033[2J\\033[Halternate\\n'; echo e''nd3", "end3");
    run("printf '\\033[?1049l'; echo e''nd4", "\nend4");
    run("i=0; while [ $i -lt 700 ]; do i=$((i+1)); echo \"slow $i\"; done; echo e''nd5", "\nend5");
    let pane = s.session("api")["tmux"]["pane_id"].as_str().unwrap().to_owned();
    s.tmux(&s.socket(), &["resize-window", "-t", &pane, "-x", "61", "-y", "17"]);
    run("echo e''nd6", "\nend6");
}

#[test]
fn what_a_pane_asks_its_terminal_is_answered_by_nobody() {
    let s = Sandbox::new();
    let server = Server::start(&s, &[]);
    let (_, path) = session(&s, &server, "api");
    let (mut page, mut shown) = (server.socket(&path), Shown::new());
    // What tmux answers would be echoed wherever it comes, also before the end.
    let line = "stty -echo; printf '\\033[c\\033[6n\\033]10;?\\007\\033[?1004h</script>'; echo e''nd; cat -v";
    page.send(&json!({ "type": "input", "data": format!("{line}\r") }));
    shows(&mut page, &mut shown, "</script>end");
    let data: String = page.seen.iter().filter_map(|m| m["data"].as_str()).collect();
    for query in ["\u{1b}[c", "\u{1b}[6n", "\u{1b}]10", "\u{1b}[?1004h"] {
        assert!(!data.contains(query), "{query:?}");
    }
    // tmux itself answers the first two, before cat reads: what comes after them must be what was typed alone.
    page.send(&json!({ "type": "input", "data": "typed\r" }));
    shows(&mut page, &mut shown, "typed");
    assert!(!shown.parser.screen().contents().contains("^[[I"), "a page is no focus");
}

#[test]
fn pages_change_no_size_unless_they_are_asked_to_and_no_terminal_is_there() {
    let s = Sandbox::new();
    let server = Server::start(&s, &[]);
    let (session, path) = session(&s, &server, "api");
    let pane = s.session("api")["tmux"]["pane_id"].as_str().unwrap().to_owned();
    let size = || {
        s.tmux(
            &s.socket(),
            &["display-message", "-p", "-t", &pane, "#{pane_width}x#{pane_height} #{session_attached}"],
        )
        .trim()
        .to_owned()
    };
    let (mut page, mut shown) = (server.socket(&path), Shown::new());
    let mut other = server.socket(&path);
    page.send(&json!({ "type": "input", "data": "echo e''nd\r" }));
    shows(&mut page, &mut shown, "\nend");
    other.until("a picture", |m| (m["type"] == "history").then_some(()));
    let before = size();
    page.send(&json!({ "type": "resize", "cols": 50, "rows": 20 }));
    page.until("its size", |m| (m["type"] == "size").then_some(()));
    assert_eq!(size(), before);

    page.send(&json!({ "type": "resize", "cols": 50, "rows": 20, "take": true }));
    page.until("the new size", |m| {
        shown.take(m);
        (m["type"] == "history" && m["cols"] == 50 && m["rows"] == 20).then_some(())
    });
    assert_eq!(size(), "50x20 0");
    drop(page);
    wait_until("it has its size back", || if size() == before { Ok(()) } else { Err(size()) });

    let terminal = Screen::open(&s, "term", (100, 35), &["attach", session["title"].as_str().unwrap()]);
    wait_until("it is attached", || if size().ends_with(" 1") { Ok(()) } else { Err(size()) });
    let attached = size();
    let mut page = server.socket(&path);
    page.until("who holds it", |m| (m["type"] == "size" && m["held_by"] == "terminal").then_some(()));
    page.send(&json!({ "type": "resize", "cols": 50, "rows": 20, "take": true }));
    page.until("that it is held", |m| (m["type"] == "size" && m["held_by"] == "terminal").then_some(()));
    assert_eq!(size(), attached);
    terminal.keys(&["C-q"]);
    wait_until("it has left", || if size().ends_with(" 0") { Ok(()) } else { Err(size()) });
    page.until("nobody holds it", |m| (m["type"] == "size" && m["held_by"].is_null()).then_some(()));
    page.send(&json!({ "type": "resize", "cols": 50, "rows": 20, "take": true }));
    page.until("the new size", |m| (m["type"] == "history" && m["cols"] == 50).then_some(()));
    assert_eq!(size(), "50x20 0");
}

/// A program that asks for focus events and keeps every byte that it is given.
#[test]
fn a_program_that_asks_for_focus_is_told_nothing_of_pages() {
    let s = Sandbox::new();
    let server = Server::start(&s, &[]);
    let (session, path) = session(&s, &server, "api");
    let (mut page, mut shown) = (server.socket(&path), Shown::new());
    let line = "stty raw -echo; printf '\\033[?1004h'; echo re''ady; cat > typed";
    page.send(&json!({ "type": "input", "data": format!("{line}\r") }));
    shows(&mut page, &mut shown, "\nready");
    let pane = s.session("api")["tmux"]["pane_id"].as_str().unwrap().to_owned();
    let attached = || {
        let format = "#{session_attached} #{pane_width}x#{pane_height}";
        s.tmux(&s.socket(), &["display-message", "-p", "-t", &pane, format]).trim().to_owned()
    };
    let typed = || std::fs::read_to_string(format!("{}/typed", s.project("p"))).unwrap_or_default();

    let terminal = Screen::open(&s, "term", (100, 35), &["attach", session["title"].as_str().unwrap()]);
    wait_until("it is attached", || if attached().starts_with('1') { Ok(()) } else { Err(attached()) });
    // What its own terminal has told it until now, up to a byte that is typed there.
    s.tmux(&s.socket(), &["send-keys", "-t", &pane, "a"]);
    wait_until("a byte", || if typed().ends_with('a') { Ok(()) } else { Err(typed()) });
    let (before, size) = (typed(), attached());
    for _ in 0..3 {
        let mut pages = [server.socket(&path), server.socket(&path)];
        for page in &mut pages {
            page.until("a picture", |m| (m["type"] == "history").then_some(()));
            page.send(&json!({ "type": "hidden", "on": true }));
            page.send(&json!({ "type": "hidden", "on": false }));
            page.send(&json!({ "type": "resize", "cols": 50, "rows": 20, "take": true }));
            page.until("that it is held", |m| {
                (m["type"] == "size" && m["held_by"] == "terminal").then_some(())
            });
            assert_eq!(attached(), size);
        }
    }
    page.send(&json!({ "type": "input", "data": "b" }));
    wait_until("a byte", || if typed().ends_with('b') { Ok(()) } else { Err(typed()) });
    assert_eq!(typed(), format!("{before}b"));
    drop(terminal);
}

#[test]
fn a_terminal_says_its_own_size() {
    let s = Sandbox::new();
    let server = Server::start(&s, &[]);
    let (session, _) = session(&s, &server, "api");
    let id = session["id"].as_str().unwrap();
    let made = server.post(&format!("/api/sessions/{id}/workers"), json!({ "type": "terminal" })).ok();
    let mut page =
        server.socket(&format!("/ws/session/{id}/worker/{}", made["worker"]["id"].as_str().unwrap()));
    let whole = page.until("a picture", |m| (m["type"] == "history").then(|| m.clone()));
    let size = page.until("its size", |m| (m["type"] == "size").then(|| m.clone()));
    assert_eq!((&size["cols"], &size["rows"]), (&whole["cols"], &whole["rows"]));
}

#[test]
fn strangers_open_no_socket_and_who_may_only_read_types_nothing() {
    let s = Sandbox::new();
    let server = Server::start(&s, &[]);
    let (_, path) = session(&s, &server, "api");
    let cookie = server.paired(&server.pair);
    let origin = server.origin();
    for path in [path.as_str(), "/ws/dashboard"] {
        let other_port = format!("http://127.0.0.1:{}", server.port ^ 1);
        for origin in ["http://evil.example", "null", &other_port] {
            let refused = server.socket_with(path, &[("cookie", &cookie), ("origin", origin)]);
            assert_eq!(refused.err(), Some(403), "{path} from {origin}");
        }
        assert_eq!(server.socket_with(path, &[("cookie", &cookie)]).err(), Some(403), "{path} from nowhere");
        let mut nobody = server.socket_with(path, &[("origin", &origin)]).ok().unwrap();
        assert_eq!(nobody.closed(), 4401, "{path} without a login");
    }
    let mut gone = server.socket("/ws/session/nobody/worker/nothing");
    assert_eq!(gone.closed(), 4404);
    let pair = s.deck(&["serve", "pair", "--read-only"]).ok();
    let reader = server.paired(pair.trim());
    for (name, effect) in deck::reference::MESSAGES {
        let mut page = server.socket_with(&path, &[("cookie", &reader), ("origin", &origin)]).ok().unwrap();
        page.until("a picture", |m| (m["type"] == "history").then_some(()));
        let message = match *name {
            "key" => json!({ "type": "key", "name": "enter" }),
            "resize" => json!({ "type": "resize", "cols": 50, "rows": 20, "take": true }),
            "hidden" => json!({ "type": "hidden", "on": false }),
            "more" => json!({ "type": "more", "before": 0, "lines": 1 }),
            "image" => json!({ "type": "image", "data": "", "mimeType": "image/png" }),
            "wheel" => json!({ "type": "wheel", "up": true, "times": 1 }),
            other => json!({ "type": other, "data": "x" }),
        };
        page.send(&message);
        if *effect == deck::reference::Effect::Changes {
            assert_eq!(page.closed(), 4403, "{name}");
        }
    }
    // A browser that is revoked is out, also of the sockets that it has.
    let mut page = server.socket_with(&path, &[("cookie", &cookie), ("origin", &origin)]).ok().unwrap();
    page.until("a picture", |m| (m["type"] == "history").then_some(()));
    s.deck(&["serve", "revoke", "--all"]).ok();
    assert_eq!(page.closed(), 4401);
}

#[test]
fn the_dashboard_says_what_there_is_and_then_what_changes() {
    let s = Sandbox::new();
    let server = Server::start(&s, &[]);
    let mut page = server.socket("/ws/dashboard");
    let seq = page.until("a snapshot", |m| (m["type"] == "snapshot").then(|| m["seq"].as_u64().unwrap()));
    s.deck(&["add", &s.project("p"), "-t", "api", "-c", "shell"]).ok();
    let id = page.until("the session", |m| {
        (m["type"] == "session" && m["session"]["title"] == "api").then(|| m["session"]["id"].clone())
    });
    s.deck(&["rm", "--stop", "api"]).ok();
    page.until("its end", |m| (m["type"] == "gone" && m["id"] == id).then_some(()));
    drop(page);
    let mut page = server.socket(&format!("/ws/dashboard?since={seq}"));
    page.until("what was missed", |m| (m["type"] == "gone" && m["id"] == id).then_some(()));
    assert!(!page.seen.iter().any(|m| m["type"] == "snapshot"), "{:?}", page.seen);
    let mut page = server.socket("/ws/dashboard?since=1");
    page.until("everything", |m| (m["type"] == "snapshot").then_some(()));
    s.deck(&["serve", "stop"]).ok();
    assert_eq!(page.closed(), 1012);
}

#[test]
fn older_lines_are_given_by_number() {
    let s = Sandbox::new();
    let server = Server::start(&s, &[]);
    let (_, path) = session(&s, &server, "api");
    let (mut page, mut shown) = (server.socket(&path), Shown::new());
    page.send(&json!({ "type": "input", "data": "clear; seq 1 2500; echo e''nd\r" }));
    shows(&mut page, &mut shown, "\nend");
    is_equal(&s, &mut page, &mut shown, "api");
    let mut again = server.socket(&path);
    let before =
        again.until("a picture", |m| (m["type"] == "history").then(|| m["before"].as_u64().unwrap()));
    again.send(&json!({ "type": "more", "before": before, "lines": 10 }));
    let older = again.until("older lines", |m| (m["type"] == "older").then(|| m.clone()));
    assert_eq!(older["before"].as_u64(), Some(before - 10));
    let numbers: Vec<u64> = older["data"].as_str().unwrap().lines().map(|l| l.parse().unwrap()).collect();
    assert_eq!(numbers.len(), 10);
    assert!(numbers.windows(2).all(|two| two[1] == two[0] + 1), "{numbers:?}");
    again.send(&json!({ "type": "more", "before": 0, "lines": 10 }));
    let none = again.until("that there are none", |m| (m["type"] == "older").then(|| m.clone()));
    assert_eq!(none["lines"], 0);
}

#[test]
fn a_server_that_was_killed_is_found_again_with_the_same_text() {
    let s = Sandbox::new();
    let mut server = Server::start(&s, &[]);
    let (_, path) = session(&s, &server, "api");
    let (mut page, mut shown) = (server.socket(&path), Shown::new());
    page.send(&json!({ "type": "input", "data": "echo be''fore\r", "id": 1 }));
    // The prompt comes after what was printed.
    shows(&mut page, &mut shown, "\nbefore\n#");
    let lines = shown.lines();
    server.kill();
    let server = Server::start(&s, &[]);
    let mut page = server.socket(&format!("{path}?epoch={}&offset={}", shown.epoch, shown.offset));
    let mut again = Shown::new();
    shows(&mut page, &mut again, "\nbefore\n#");
    assert_eq!(again.histories, 1);
    assert_eq!(again.lines(), lines);
}
