//! Each rule of the relay as what goes in and what comes out; then any interleaving.

use super::*;

/// A relay with a server that answers the handshake.
struct World {
    relay: Relay,
    now: Millis,
    out: Vec<Output>,
}

fn config(parallel: bool) -> RelayConfig {
    RelayConfig {
        name: "memory".into(),
        protocol: "2025-06-18".into(),
        parallel,
        timeout: 60_000,
        idle: 60_000,
        way_out: "ask for it".into(),
    }
}

impl World {
    fn new(parallel: bool) -> Self {
        Self { relay: Relay::new(config(parallel)), now: 0, out: Vec::new() }
    }

    /// One whose server is up, with clients 1 to `clients`, who were greeted.
    fn up(parallel: bool, clients: u64) -> Self {
        let mut w = Self::new(parallel);
        for client in 1..=clients {
            w.put(Input::Joined(client));
        }
        w.answer(
            1,
            r#"{"protocolVersion":"2025-06-18","capabilities":{"tools":{}},"serverInfo":{"name":"m"}}"#,
        );
        w.out.clear();
        w
    }

    fn put(&mut self, input: Input<'_>) -> &mut Self {
        let out = self.relay.handle(self.now, input);
        self.out.extend(out);
        self
    }

    fn say(&mut self, client: ClientId, line: &str) -> &mut Self {
        self.put(Input::Said(client, line.as_bytes()))
    }

    fn server(&mut self, line: &str) -> &mut Self {
        self.put(Input::Server(line.as_bytes()))
    }

    /// The server's answer to a request of the relay's.
    fn answer(&mut self, id: u64, result: &str) -> &mut Self {
        self.server(&format!(r#"{{"jsonrpc":"2.0","id":{id},"result":{result}}}"#))
    }

    fn pass(&mut self, time: Millis) -> &mut Self {
        self.now += time;
        self.put(Input::Tick)
    }

    /// What was put out since the last look, a line each.
    fn said(&mut self) -> Vec<String> {
        let words = |output| match output {
            Output::ToClient(client, line) | Output::ToClientIfRoom(client, line) => {
                format!("{client}< {}", line.replace("\"jsonrpc\":\"2.0\",", ""))
            }
            Output::ToServer(line) => format!("> {}", line.replace("\"jsonrpc\":\"2.0\",", "")),
            other => format!("{other:?}"),
        };
        std::mem::take(&mut self.out).into_iter().map(words).collect()
    }
}

fn call(id: &str, token: &str) -> String {
    let meta =
        if token.is_empty() { String::new() } else { format!(r#","_meta":{{"progressToken":{token}}}"#) };
    format!(r#"{{"jsonrpc":"2.0","id":{id},"method":"tools/call","params":{{"name":"add"{meta}}}}}"#)
}

#[test]
fn the_server_is_greeted_once_and_every_client_gets_its_answer() {
    let mut w = World::new(false);
    w.put(Input::Joined(1)).say(
        1,
        r#"{"jsonrpc":"2.0","id":0,"method":"initialize","params":{"protocolVersion":"2025-11-25"}}"#,
    );
    let said = w.said();
    assert_eq!(said[0], "Start");
    assert!(
        said[1].contains(r#""method":"initialize""#) && said[1].contains(r#""capabilities":{}"#),
        "{said:?}"
    );
    assert!(said[1].contains(r#""protocolVersion":"2025-06-18""#) && said.len() == 2, "{said:?}");
    w.put(Input::Joined(2)).say(2, r#"{"jsonrpc":"2.0","id":"a","method":"initialize","params":{}}"#);
    w.say(2, r#"{"jsonrpc":"2.0","id":1,"method":"tools/list"}"#);
    assert_eq!(w.said(), [""; 0], "it is held");
    w.answer(1, r#"{"protocolVersion":"2025-06-18"}"#);
    assert_eq!(
        w.said(),
        [
            r#"> {"method":"notifications/initialized"}"#,
            r#"1< {"id":0,"result":{"protocolVersion":"2025-06-18"}}"#,
            r#"2< {"id":"a","result":{"protocolVersion":"2025-06-18"}}"#,
            r#"> {"id":2,"method":"tools/list"}"#,
        ]
    );
    w.put(Input::Joined(3)).say(3, r#"{"jsonrpc":"2.0","id":7,"method":"initialize"}"#);
    w.say(3, r#"{"jsonrpc":"2.0","method":"notifications/initialized"}"#);
    assert_eq!(w.said(), [r#"3< {"id":7,"result":{"protocolVersion":"2025-06-18"}}"#]);
}

#[test]
fn equal_ids_and_tokens_come_back_to_their_own() {
    let mut w = World::up(true, 3);
    w.say(1, &call("1", "0")).say(2, &call("1", "0")).say(3, &call("\"x\"", "\"t\""));
    assert_eq!(
        w.said(),
        [
            r#"> {"id":2,"method":"tools/call","params":{"name":"add","_meta":{"progressToken":2}}}"#,
            r#"> {"id":3,"method":"tools/call","params":{"name":"add","_meta":{"progressToken":3}}}"#,
            r#"> {"id":4,"method":"tools/call","params":{"name":"add","_meta":{"progressToken":4}}}"#,
        ]
    );
    for id in [4, 3, 2] {
        w.server(&format!(
            r#"{{"jsonrpc":"2.0","method":"notifications/progress","params":{{"progressToken":{id},"progress":1}}}}"#
        ));
    }
    w.answer(3, "{\"of\": 2.50}").answer(2, "1").answer(4, "3").answer(4, "again").answer(99, "0");
    assert_eq!(
        w.said(),
        [
            r#"3< {"method":"notifications/progress","params":{"progressToken":"t","progress":1}}"#,
            r#"2< {"method":"notifications/progress","params":{"progressToken":0,"progress":1}}"#,
            r#"1< {"method":"notifications/progress","params":{"progressToken":0,"progress":1}}"#,
            r#"2< {"id":1,"result":{"of": 2.50}}"#,
            r#"1< {"id":1,"result":1}"#,
            r#"3< {"id":"x","result":3}"#,
        ]
    );
}

#[test]
fn one_call_at_a_time_client_by_client() {
    let mut w = World::up(false, 2);
    w.say(1, &call("1", "")).say(1, &call("2", "")).say(1, &call("3", "")).say(2, &call("1", "9"));
    w.say(2, r#"{"id":5,"method":"resources/read"}"#);
    assert_eq!(
        w.said(),
        [
            r#"> {"id":2,"method":"tools/call","params":{"name":"add"}}"#,
            r#"> {"id":3,"method":"resources/read"}"#
        ]
    );
    w.answer(3, "{}").said();
    w.pass(5_000);
    let note = r#"2< {"method":"notifications/progress","params":{"progressToken":9,"progress":5,"message":"waits for memory: 5 s"}}"#;
    assert_eq!(w.said(), [note]);
    w.answer(2, "1");
    assert_eq!(
        w.said()[1],
        r#"> {"id":4,"method":"tools/call","params":{"name":"add","_meta":{"progressToken":4}}}"#
    );
    w.answer(4, "1");
    assert_eq!(w.said()[1], r#"> {"id":5,"method":"tools/call","params":{"name":"add"}}"#);
    // A call that is given up makes room for the next one.
    w.say(1, r#"{"method":"notifications/cancelled","params":{"requestId":2}}"#);
    assert_eq!(
        w.said(),
        [
            r#"> {"method":"notifications/cancelled","params":{"requestId":5}}"#,
            r#"> {"id":6,"method":"tools/call","params":{"name":"add"}}"#,
        ]
    );
    w.answer(5, "late");
    assert_eq!(w.said(), [""; 0]);
    w.pass(59_999)
        .server(r#"{"method":"notifications/progress","params":{"progressToken":6,"progress":1}}"#)
        .pass(2);
    assert_eq!(w.said(), [""; 0], "progress gives it more time");
    w.pass(60_000);
    let said = w.said();
    assert_eq!(said[0], r#"> {"method":"notifications/cancelled","params":{"requestId":6}}"#);
    assert!(
        said.iter().any(|l| l.contains("gave no answer for 60 s") && l.starts_with(r#"1< {"id":3,"#)),
        "{said:?}"
    );
}

#[test]
fn a_client_that_leaves_takes_its_requests_along() {
    let mut w = World::up(false, 2);
    w.say(1, &call("1", "")).say(1, &call("2", "")).say(2, &call("1", ""));
    w.say(1, r#"{"id":8,"method":"resources/subscribe","params":{"uri":"a"}}"#).answer(3, "{}");
    w.said();
    w.put(Input::Left(1));
    let said = w.said();
    assert_eq!(said[0], r#"> {"method":"notifications/cancelled","params":{"requestId":2}}"#);
    assert!(said.iter().any(|l| l.contains("resources/unsubscribe")), "{said:?}");
    assert!(said.iter().any(|l| l.contains("tools/call")), "the next one's turn: {said:?}");
    w.answer(4, "{}").put(Input::Left(2)).said();
    assert_eq!(w.relay.next_deadline().map(|at| at <= 60_000), Some(true));
    w.pass(59_999);
    assert_eq!(w.said(), [""; 0]);
    w.pass(1);
    assert_eq!(w.said(), ["Done"]);
    // One that comes in time keeps it.
    let mut w = World::up(false, 1);
    w.put(Input::Left(1)).pass(30_000).put(Input::Joined(2)).said();
    w.pass(600_000);
    assert_eq!(w.said(), [""; 0]);
}

#[test]
fn what_was_sent_to_a_server_that_ended_is_answered_and_never_sent_again() {
    let mut w = World::up(false, 2);
    w.say(1, &call("1", "")).say(2, &call("1", ""));
    w.now = 10_000;
    w.said();
    w.put(Input::ServerEnded("signal 9".into()));
    let said = w.said();
    assert!(said[0].starts_with(r#"1< {"id":1,"error":{"code":-32000,"message":"the shared server memory ended (signal 9) and is started again; whether"#), "{said:?}");
    assert_eq!(said[1], "Start");
    assert_eq!(said.len(), 3);
    w.answer(3, r#"{"capabilities":{"tools":{}}}"#);
    assert_eq!(
        w.said(),
        [
            r#"> {"method":"notifications/initialized"}"#,
            r#"1< {"method":"notifications/tools/list_changed"}"#,
            r#"2< {"method":"notifications/tools/list_changed"}"#,
            r#"> {"id":4,"method":"tools/call","params":{"name":"add"}}"#,
        ],
        "what was never sent is sent now"
    );
}

#[test]
fn a_server_that_ends_at_once_again_and_again_is_given_up_with_its_words() {
    let mut w = World::new(false);
    w.put(Input::Joined(1)).say(1, r#"{"id":0,"method":"initialize"}"#);
    let mut starts = 0;
    for _ in 0..50 {
        starts += w.said().iter().filter(|l| *l == "Start").count();
        w.put(Input::ServerEnded("exit 1: no such database".into()));
        if w.relay.status().state == "failed" {
            break;
        }
        w.pass(60_000);
    }
    assert!(starts <= 5, "{starts}");
    let said = w.said().join("\n");
    assert!(
        said.contains("no such database; ask for it") && said.contains(r#"1< {"id":0,"error""#),
        "{said}"
    );
    w.say(1, &call("1", ""));
    assert!(w.said()[0].contains("no such database"));
    w.pass(6_000_000);
    assert_eq!(w.said(), [""; 0], "not by itself");
    w.put(Input::Restart);
    assert_eq!(w.said()[0], "Start");
}

#[test]
fn a_server_that_never_answers_the_handshake() {
    let mut w = World::new(false);
    w.put(Input::Joined(1)).say(1, r#"{"id":0,"method":"initialize"}"#).said();
    w.pass(30_000);
    let said = w.said();
    assert!(said[0].contains("didn't answer the handshake within 30 seconds"), "{said:?}");
    assert_eq!(said[1], "End");
    w.put(Input::ServerEnded("signal 15".into()));
    assert_eq!(w.said(), [""; 0]);
}

#[test]
fn a_call_has_a_limit_and_the_handshake_its_own() {
    let mut w = World::new(false);
    w.relay.config.timeout = 10_000;
    w.put(Input::Joined(1)).say(1, r#"{"id":0,"method":"initialize"}"#).said();
    w.pass(20_000);
    assert_eq!(w.said(), [""; 0], "a program that is fetched first takes its time");
    w.answer(1, r#"{"protocolVersion":"2025-06-18","capabilities":{}}"#).said();
    w.say(1, &call("7", "")).said();
    w.pass(10_000);
    let said = w.said();
    assert_eq!(said[0], r#"> {"method":"notifications/cancelled","params":{"requestId":2}}"#);
    assert!(said[1].contains("the shared server memory gave no answer for 10 s"), "{said:?}");
}

#[test]
fn what_concerns_one_client_goes_to_it_alone() {
    let mut w = World::up(true, 3);
    w.say(1, r#"{"id":1,"method":"resources/subscribe","params":{"uri":"a"}}"#);
    w.say(2, r#"{"id":1,"method":"resources/subscribe","params":{"uri":"a"}}"#);
    assert_eq!(
        w.said(),
        [r#"> {"id":2,"method":"resources/subscribe","params":{"uri":"a"}}"#, r#"2< {"id":1,"result":{}}"#]
    );
    w.server(r#"{"method":"notifications/resources/updated","params":{"uri":"a"}}"#);
    assert_eq!(w.said().len(), 2);
    w.say(1, r#"{"id":2,"method":"logging/setLevel","params":{"level":"error"}}"#);
    assert_eq!(w.said(), [r#"> {"id":3,"method":"logging/setLevel","params":{"level":"error"}}"#]);
    w.say(2, r#"{"id":2,"method":"logging/setLevel","params":{"level":"debug"}}"#);
    assert_eq!(w.said(), [r#"> {"id":4,"method":"logging/setLevel","params":{"level":"debug"}}"#]);
    w.server(r#"{"method":"notifications/message","params":{"level":"info","data":"x"}}"#);
    let to: Vec<String> = w.said().iter().map(|l| l.chars().take(2).collect()).collect();
    assert_eq!(to, ["2<", "3<"]);
    w.server(r#"{"method":"notifications/tools/list_changed"}"#);
    assert_eq!(w.said().len(), 3);
}

#[test]
fn what_a_shared_server_can_not_do_is_answered_at_once() {
    let mut w = World::up(true, 1);
    w.server(r#"{"id":"s","method":"roots/list"}"#).server(r#"{"id":5,"method":"ping"}"#);
    w.say(1, r#"{"id":1,"method":"server/discover"}"#).say(1, r#"{"id":2,"method":"ping"}"#);
    assert_eq!(
        w.said(),
        [
            r#"> {"id":"s","error":{"code":-32601,"message":"a shared server can ask its clients nothing"}}"#,
            r#"> {"id":5,"result":{}}"#,
            r#"1< {"id":1,"error":{"code":-32601,"message":"the shared server memory speaks 2025-06-18"}}"#,
            r#"1< {"id":2,"result":{}}"#,
        ]
    );
    assert_eq!(w.relay.status().asked, ["roots/list"]);
}

#[test]
fn lines_that_are_no_messages_hurt_nobody() {
    let mut w = World::up(true, 1);
    w.server("Server running on stdio").server("{\"id\":\"text\",\"result\":1}").server("\n").server("{}");
    w.say(1, "no json")
        .say(1, "[1]")
        .say(1, r#"{"id":null,"method":"x"}"#)
        .say(1, r#"{"id":1.5,"method":"x"}"#);
    w.say(1, r#"{"id":3,"result":1}"#).say(1, "").say(1, &call("7", "")).say(1, &call("7", ""));
    let said = w.said();
    let codes: Vec<&str> = ["-32700", "-32600", "-32600", "-32600"].into();
    for (line, code) in said.iter().zip(codes) {
        assert!(line.contains(code), "{line}");
    }
    assert!(said[4].starts_with("> "), "{said:?}");
    assert!(said[5].contains("a request with this id is open"), "{said:?}");
    assert_eq!((said.len(), w.relay.status().junk), (6, 3));
}

mod properties {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        /// Whatever the order in which clients ask and the server answers: each request gets one answer, its own.
        #[test]
        fn each_answer_goes_to_its_asker_once(
            steps in prop::collection::vec((1u64..6, 0u64..4, any::<bool>(), any::<prop::sample::Index>()), 1..200),
            parallel in any::<bool>(),
        ) {
            let mut w = World::up(parallel, 5);
            let mut asked: BTreeSet<(u64, u64)> = BTreeSet::new();
            let mut open: Vec<(u64, String)> = Vec::new();
            let mut got = 0;
            let mut sent = 0;
            for (client, id, asks, which) in steps {
                if asks {
                    // An id is used again only once its request is answered.
                    if asked.insert((client, id)) {
                        sent += 1;
                        w.say(client, &format!(r#"{{"id":{id},"method":"tools/call","params":{{"of":"{client}-{id}"}}}}"#));
                    }
                } else if !open.is_empty() {
                    let (own, of) = open.remove(which.index(open.len()));
                    w.answer(own, &format!("{of:?}"));
                }
                for line in w.said() {
                    if let Some(request) = line.strip_prefix("> ") {
                        let value: Value = serde_json::from_str(request).unwrap();
                        prop_assert!(parallel || open.is_empty());
                        let own = value["id"].as_u64().unwrap();
                        prop_assert!(!open.iter().any(|(id, _)| *id == own));
                        open.push((own, value["params"]["of"].as_str().unwrap().to_owned()));
                    } else {
                        let (client, answer) = line.split_once("< ").unwrap();
                        let value: Value = serde_json::from_str(answer).unwrap();
                        let id = value["id"].as_u64().unwrap();
                        prop_assert_eq!(value["result"].as_str().unwrap(), format!("{client}-{id}"));
                        prop_assert!(asked.remove(&(client.parse().unwrap(), id)));
                        got += 1;
                    }
                }
            }
            prop_assert_eq!(sent, got + asked.len());
        }

        #[test]
        fn any_line_is_survived(lines in prop::collection::vec((any::<bool>(), ".{0,60}"), 0..40)) {
            let mut w = World::up(false, 1);
            for (is_server, line) in lines {
                if is_server { w.server(&line); } else { w.say(1, &line); }
            }
            w.pass(1_000_000);
        }
    }
}
