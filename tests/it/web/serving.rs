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
      hint: listen on 127.0.0.1 and use `ssh -L`, or let something that ends TLS reach it: --behind-proxy --public-url https://…
    ");
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
