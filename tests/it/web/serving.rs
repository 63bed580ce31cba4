//! The server itself: one a home, found by other processes, ended without ending anything else.

use super::client::Server;
use crate::support::{Sandbox, wait_until};

#[test]
fn there_is_one_server_a_home_and_stopping_it_ends_nothing() {
    let s = Sandbox::new();
    s.deck(&["serve", "status"]).fails(1);
    s.deck(&["add", &s.project("p"), "-t", "api", "-c", "shell"]).ok();
    let mut server = Server::start(&s, &[]);
    let status = s.deck(&["serve", "status"]).ok();
    assert_eq!(status.trim(), format!("served at {} by process {}", server.origin(), server.pid()));
    let second = s.deck(&["serve", "--listen", "127.0.0.1:0"]).fails(6);
    assert!(second.contains(&format!("at {} by process {}", server.origin(), server.pid())), "{second}");
    s.deck(&["serve", "stop"]).ok();
    assert!(server.wait().success());
    s.deck(&["serve", "status"]).fails(1);
    assert!(s.session("api")["tmux"]["pid"].is_i64());
}

#[test]
fn one_that_was_killed_is_in_nobodys_way() {
    let s = Sandbox::new();
    let mut server = Server::start(&s, &[]);
    server.kill();
    wait_until("it is gone", || match s.deck(&["serve", "status"]).code() {
        1 => Ok(()),
        code => Err(format!("exit {code}")),
    });
    let again = Server::start(&s, &[]);
    assert_eq!(again.get("/api/sessions").status, 200);
}

#[test]
fn other_machines_are_not_served_without_tls() {
    let s = Sandbox::new();
    let error = s.deck(&["serve", "--listen", "0.0.0.0:0"]).fails(2);
    insta::assert_snapshot!(error, @r"
    error: 0.0.0.0 can be reached from other machines
      hint: listen on 127.0.0.1 and use `ssh -L`; or let something that ends TLS reach it: --behind-proxy --public-url https://…; or give it a certificate: --tls-cert FILE --tls-key FILE
    ");
    s.file("cert.pem", "no certificate");
    s.file("key.pem", "");
    let (cert, key) = (s.path("deck").join("cert.pem"), s.path("deck").join("key.pem"));
    let (cert, key) = (cert.display().to_string(), key.display().to_string());
    let tls = ["serve", "--listen", "127.0.0.1:0", "--tls-cert", &cert, "--tls-key", &key];
    assert!(s.deck(&tls).fails(1).contains("cert.pem has no certificate in it"));
    let tls = ["serve", "--listen", "127.0.0.1:0", "--tls-cert", "missing.pem", "--tls-key", &key];
    assert!(s.deck(&tls).fails(1).contains("can't read a certificate from missing.pem"));
    let tls = ["serve", "--listen", "0.0.0.0:0", "--tls-cert", &cert, "--tls-key", &key];
    assert!(s.deck(&tls).fails(2).contains("--public-url https://HOST:PORT"));
}

#[test]
fn it_serves_in_the_background_until_it_is_stopped() {
    let s = Sandbox::new();
    let detach = ["serve", "--detach", "--listen", "127.0.0.1:0", "--json"];
    let said: serde_json::Value = serde_json::from_str(&s.deck(&detach).ok()).unwrap();
    let url = said["url"].as_str().unwrap();
    assert!(said["pair"].as_str().unwrap().starts_with(&format!("{url}/#pair=")), "{said}");
    assert!(s.deck(&["serve", "status"]).ok().contains(url));
    assert!(s.deck(&detach).fails(6).contains("served already"));
    assert!(s.list().is_empty(), "it is no session of the user's");
    s.deck(&["doctor"]).ok();
    s.deck(&["serve", "stop"]).ok();
    s.deck(&["serve", "status"]).fails(1);
    // One that can't serve says why, and leaves nothing in the way.
    let taken = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
    let address = taken.local_addr().unwrap().to_string();
    let error = s.deck(&["serve", "--detach", "--listen", &address]).fails(1);
    assert!(error.contains(&format!("can't listen on {address}")), "{error}");
    s.deck(&detach).ok();
    s.deck(&["serve", "stop"]).ok();
}

#[test]
fn a_port_that_is_taken_is_named() {
    let s = Sandbox::new();
    let taken = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
    let address = taken.local_addr().unwrap().to_string();
    let error = s.deck(&["serve", "--listen", &address]).fails(1);
    assert!(
        error.contains(&format!("can't listen on {address}")) && error.contains("127.0.0.1:0"),
        "{error}"
    );
}
