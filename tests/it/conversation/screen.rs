//! Conversations on the screen: their list, reading and pinning, handing a session over.

use serde_json::Value;

use super::carried::{DEV, said, sandbox};
use super::{conv, json as talk};
use crate::support::{Screen, wait_until};

#[test]
fn the_list_reads_compacts_pins_and_sends() {
    let (s, _) = sandbox();
    conv(&s, &["carry", DEV, "api"]);
    conv(&s, &["open", "--role", "small", "--feature", "auth"]);
    for text in ["first words", "second words"] {
        conv(&s, &["add", "small-feature-auth", "--role", "user", text]);
        conv(&s, &["add", "small-feature-auth", "--role", "assistant", &"word ".repeat(100)]);
    }
    conv(&s, &["add", "small-feature-auth", "--role", "user", "last words"]);
    let screen = Screen::open(&s, "t", (120, 40), &[]);
    screen.shows("api dev");
    screen.keys(&["g", "t"]);
    screen.shows("dev auth/login · in_dev");
    screen.shows("small auth");
    // The one that is carried comes first.
    screen.shows("api (talker)");
    screen.keys(&["s"]);
    screen.shows("To api");
    screen.keys(&["sent from the list", "Enter"]);
    wait_until("it is in the transcript", || said(&s, "api", 4));
    screen.shows("Conversations");
    screen.keys(&["Enter"]);
    screen.shows("heard sent from the list");
    screen.keys(&["{", "{", "{"]);
    screen.keys(&["p"]);
    let pins = || talk(&s, &["show", DEV])["pins"].clone();
    wait_until("it is pinned", || {
        let pins = pins();
        if pins[0]["text"] == "heard Add the login" { Ok(()) } else { Err(pins.to_string()) }
    });
    screen.keys(&["Tab"]);
    screen.shows("heard Add the login");
    screen.shows("Pinned");
    screen.keys(&["Escape"]);
    screen.shows("pinned    heard Add the login");
    screen.keys(&["j", "c"]);
    screen.shows("small-feature-auth: ");
    screen.shows("checkpoint 2");
    assert_eq!(talk(&s, &["show", "small-feature-auth"])["checkpoint"], 2);
    screen.keys(&["P", "No exports.", "Enter"]);
    screen.shows("pinned    No exports.");
    screen.keys(&["A"]);
    screen.hides("small auth");
    screen.keys(&["Escape"]);
    screen.hides("Conversations");
}

#[test]
fn a_session_is_handed_over_with_what_its_transcript_proves() {
    let (s, _) = sandbox();
    s.deck(&["wait", "api", "--for", "idle", "--timeout", "60"]);
    let screen = Screen::open(&s, "t", (120, 40), &[]);
    screen.shows("api");
    screen.keys(&["O"]);
    screen.shows("what goes along");
    screen.shows("> Add the login");
    // Of the tools that keep transcripts only this one is installed here.
    screen.shows("[talker]");
    screen.keys(&["Enter"]);
    screen.shows("recorded ✓");
    screen.shows("answered ✓");
    screen.shows("api is stopped");
    screen.keys(&["Enter"]);
    screen.hides("Hand over api");
    let list: Vec<Value> = s.list();
    let next = list.iter().find(|session| session["title"] == "api-talker").unwrap();
    assert_eq!(next["handed_from"], s.session("api")["id"]);
    screen.keys(&["u"]);
    screen.shows("undid: handed api over to api-talker");
}
