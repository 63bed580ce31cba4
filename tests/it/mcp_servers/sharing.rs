//! One process of a server for many sessions, whatever it and they do.

use serde_json::{Value, json};

use super::{Server, entries, sandbox};
use crate::support::{Sandbox, wait_until};

/// A server that answers each call with what it was called with, notes each call, and does what its name says.
const SERVER: &str = r#"
echo "$$" >> "$NOTES/pids"
[ -n "$FORKS" ] && { sleep 1000 & echo $! >> "$NOTES/forked"; }
[ -n "$LEAVES" ] && { setsid sleep 1000 & echo $! >> "$NOTES/forked"; }
[ -n "$DEAF" ] && trap '' TERM HUP
while IFS= read -r line; do
  rest=${line#*\"id\":}; id=${rest%%[,\}]*}
  case $line in
    *'"method":"initialize"'*)
      echo 'no message at all'
      echo "{\"jsonrpc\":\"2.0\",\"id\":$id,\"result\":{\"protocolVersion\":\"2025-06-18\",\"capabilities\":{\"tools\":{}},\"serverInfo\":{\"name\":\"s\",\"version\":\"$$\"}}}"
      if [ -n "$ENDS" ]; then echo 'out of memory' >&2; exit 3; fi
      echo '{"jsonrpc":"2.0","id":"r","method":"roots/list"}';;
    *'"method":"tools/call"'*)
      echo "$line" >> "$NOTES/calls"
      case $line in
        *'"do":"nothing"'*) ;;
        *'"do":"die"'*) kill -9 $$;;
        *) text=${line#*\"text\":\"}; text=${text%%\"*}
           echo "{\"jsonrpc\":\"2.0\",\"id\":$id,\"result\":{\"text\":\"$text\",\"pid\":$$}}";;
      esac;;
    *'"id":'*) echo "{\"jsonrpc\":\"2.0\",\"id\":$id,\"result\":{}}";;
  esac
done
[ -n "$DEAF" ] && while :; do sleep 1; done
"#;

/// A deck with that server, shared by all, and the entries of these sessions.
fn shared(keys: &str, env: &[(&str, &str)], titles: &[&str]) -> (Sandbox, Vec<Value>) {
    let s = sandbox();
    s.program("serve", SERVER);
    let notes = s.path("tmp");
    let env: String = env.iter().map(|(name, value)| format!(", {name} = {value:?}")).collect();
    s.file("mcps/one.toml", &format!("command = \"serve\"\nenv = {{ NOTES = {notes:?}{env} }}\n{keys}"));
    let of = |title: &&str| {
        let project = s.project(title);
        s.deck(&["add", &project, "-t", title, "-c", "vibe", "--mcp-server", "one"]).ok();
        entries(&s)["one"].clone()
    };
    let all = titles.iter().map(of).collect();
    (s, all)
}

const FOR_ALL: &str = "share = \"profile\"\nidle = \"1s\"\n";

fn lines(s: &Sandbox, name: &str) -> Vec<String> {
    let text = std::fs::read_to_string(s.path("tmp").join(name)).unwrap_or_default();
    text.lines().map(str::to_owned).collect()
}

fn pools(s: &Sandbox) -> Vec<Value> {
    serde_json::from_str(&s.deck(&["--json", "mcp", "pool"]).ok()).unwrap()
}

fn pid(value: &Value) -> i32 {
    i32::try_from(value.as_i64().unwrap_or_else(|| panic!("{value}"))).unwrap()
}

fn lives(pid: i32) -> bool {
    let state = std::fs::read_to_string(format!("/proc/{pid}/stat")).unwrap_or_default();
    !state.is_empty() && !state.contains(") Z ")
}

fn kill(pid: i32) {
    nix::sys::signal::kill(nix::unistd::Pid::from_raw(pid), nix::sys::signal::Signal::SIGKILL).unwrap();
}

/// Waits until neither pool nor server is left.
fn all_end(s: &Sandbox, known: &[i32]) {
    wait_until("all processes end", || {
        let pids = lines(s, "pids").into_iter().chain(lines(s, "forked")).filter_map(|l| l.parse().ok());
        let left: Vec<i32> = pids.chain(known.iter().copied()).filter(|pid| lives(*pid)).collect();
        if left.is_empty() && pools(s).is_empty() { Ok(()) } else { Err(format!("{left:?}")) }
    });
}

impl Server {
    fn greet(&mut self) -> Value {
        let answer = self.ask(0, "initialize");
        self.send(&json!({"jsonrpc": "2.0", "method": "notifications/initialized"}));
        answer
    }

    fn call(&mut self, id: i32, what: &str, text: &str) {
        let params =
            json!({"name": "echo", "arguments": {"do": what, "text": text}, "_meta": {"progressToken": 0}});
        self.send(&json!({"jsonrpc": "2.0", "id": id, "method": "tools/call", "params": params}));
    }

    /// The next line that answers something.
    fn answer(&mut self) -> Value {
        loop {
            let line = self.line();
            let value: Value = serde_json::from_str(&line).unwrap_or_else(|e| panic!("{e}: {line:?}"));
            if value.get("method").is_none() {
                return value;
            }
        }
    }

    /// Calls until a call is answered without an error: the server may be on its way up again.
    fn works_again(&mut self, id: i32) -> Value {
        let mut last = Value::Null;
        for n in 0..100 {
            self.call(id + n, "echo", "again");
            last = self.answer();
            if last.get("result").is_some() {
                return last;
            }
        }
        panic!("{last}");
    }
}

#[test]
fn sessions_share_one_process_which_ends_after_the_last_of_them() {
    let (s, of) = shared(FOR_ALL, &[("FORKS", "1")], &["api", "docs", "web"]);
    let mut all: Vec<Server> = of.iter().map(|entry| Server::start(&s, entry, &[])).collect();
    let greetings: Vec<Value> = all.iter_mut().map(Server::greet).collect();
    assert!(greetings.iter().all(|g| g["result"]["serverInfo"] == greetings[0]["result"]["serverInfo"]));
    for (n, one) in all.iter_mut().enumerate() {
        one.call(7, "echo", &format!("of {n}"));
    }
    for (n, one) in all.iter_mut().enumerate() {
        let answer = one.answer();
        assert_eq!((&answer["id"], &answer["result"]["text"]), (&7.into(), &format!("of {n}").into()));
    }
    let pools = pools(&s);
    assert_eq!(pools.len(), 1, "{pools:?}");
    assert_eq!(pools[0]["sessions"], json!(["api", "docs", "web"]));
    assert_eq!(
        (&pools[0]["calls"], &pools[0]["starts"], &pools[0]["state"]),
        (&3.into(), &1.into(), &"ready".into())
    );
    assert_eq!(pools[0]["asks_for"], json!(["roots/list"]), "it was refused, and is told");
    assert!(s.deck(&["mcp", "pool"]).ok().contains("asks its clients for roots/list: not for sharing"));
    assert_eq!(lines(&s, "pids").len(), 1);
    let known = pid(&pools[0]["pid"]);
    all.into_iter().for_each(|one| assert_eq!(one.end(), Some(0)));
    all_end(&s, &[known]);
}

#[test]
fn a_server_that_dies_is_started_again_and_no_call_is_made_twice() {
    let (s, of) = shared(FOR_ALL, &[], &["api", "docs"]);
    let (mut api, mut docs) = (Server::start(&s, &of[0], &[]), Server::start(&s, &of[1], &[]));
    api.greet();
    docs.greet();
    api.call(1, "die", "fatal");
    docs.call(1, "echo", "waits for its turn");
    let lost = api.answer();
    let words = lost["error"]["message"].as_str().unwrap();
    assert!(words.contains("the shared server one ended (signal 9) and is started again"), "{words}");
    assert!(words.ends_with("whether this call took effect is not known"), "{words}");
    assert_eq!(docs.answer()["result"]["text"], "waits for its turn");
    let after = api.works_again(10);
    assert_ne!(Some(after["result"]["pid"].to_string()), lines(&s, "pids").first().cloned());
    let calls = lines(&s, "calls");
    for once in ["fatal", "waits for its turn"] {
        assert_eq!(calls.iter().filter(|c| c.contains(once)).count(), 1, "{calls:?}");
    }
    // From outside, too, and by its user.
    kill(pid(&pools(&s)[0]["server_pid"]));
    docs.works_again(100);
    s.deck(&["mcp", "restart", "one"]).ok();
    docs.works_again(200);
    assert!(s.deck(&["mcp", "restart", "none"]).fails(3).contains("no shared MCP server \"none\" runs"));
}

#[test]
fn a_pool_that_is_killed_is_replaced_and_open_calls_are_told() {
    let (s, of) = shared(FOR_ALL, &[("DEAF", "1"), ("FORKS", "1")], &["api", "docs"]);
    let (mut api, mut docs) = (Server::start(&s, &of[0], &[]), Server::start(&s, &of[1], &[]));
    api.greet();
    docs.greet();
    api.call(5, "nothing", "lost with the pool");
    wait_until("the server has it", || match lines(&s, "calls").len() {
        1 => Ok(()),
        _ => Err("not yet".to_owned()),
    });
    let old = pools(&s)[0].clone();
    kill(pid(&old["pid"]));
    let told = api.answer();
    assert_eq!(told["id"], 5);
    let words = told["error"]["message"].as_str().unwrap();
    assert!(words.starts_with("the process that shares the server one ended"), "{words}");
    for one in [&mut api, &mut docs] {
        one.works_again(50);
    }
    assert_eq!(lines(&s, "calls").iter().filter(|c| c.contains("lost with")).count(), 1);
    let new = pools(&s);
    assert_eq!((new.len(), new[0]["pid"] == old["pid"]), (1, false), "{new:?}");
    assert!(!lives(pid(&old["server_pid"])), "what it left is ended, though it ignores that it is asked to");
    api.end();
    docs.end();
    all_end(&s, &[pid(&new[0]["pid"])]);
}

#[test]
fn a_server_that_ends_after_its_handshake_is_given_up_with_its_words() {
    let (s, of) = shared(FOR_ALL, &[("ENDS", "1"), ("LEAVES", "1")], &["api"]);
    let mut api = Server::start(&s, &of[0], &[]);
    api.greet();
    let mut last = String::new();
    wait_until("it is given up", || {
        let pool = pools(&s)[0].clone();
        last = pool["reason"].as_str().unwrap_or_default().to_owned();
        if pool["state"] == "failed" { Ok(()) } else { Err(pool.to_string()) }
    });
    assert!(last.contains("exit 3: out of memory") && last.contains("`deck mcp restart one`"), "{last}");
    assert!(lines(&s, "pids").len() <= 5);
    api.call(1, "echo", "x");
    assert_eq!(api.answer()["error"]["message"], last.as_str());
    assert!(s.deck(&["mcp", "logs", "one"]).ok().contains("out of memory"));
    let left: Vec<i32> = lines(&s, "forked").iter().map(|pid| pid.parse().unwrap()).collect();
    assert!(!left.is_empty());
    // Whoever looks at the deck is told, once it is known.
    let screen = crate::support::Screen::open(&s, "t", (120, 40), &[]);
    screen.shows("the shared server one ended");
    api.end();
    all_end(&s, &left);
    let notes = s.path("deck/run/mcp-given-up");
    assert_eq!(std::fs::read_dir(notes).unwrap().count(), 0, "it is over with the last of them");
}

#[test]
fn other_values_and_other_folders_are_other_processes() {
    let (s, of) = shared("share = \"project\"\nidle = \"1s\"\n", &[("WHO", "$WHO")], &["api", "docs"]);
    let pids = |entry: &Value, who: &str| {
        let mut one = Server::start(&s, entry, &[("WHO", who)]);
        let version = one.greet()["result"]["serverInfo"]["version"].as_str().unwrap().to_owned();
        (one, version)
    };
    let (first, a) = pids(&of[0], "me");
    let (second, b) = pids(&of[0], "me");
    let (third, c) = pids(&of[0], "you");
    let (fourth, d) = pids(&of[1], "me");
    assert_eq!(a, b);
    assert_eq!([&a, &c, &d].into_iter().collect::<std::collections::BTreeSet<_>>().len(), 3);
    for one in [first, second, third, fourth] {
        one.end();
    }
    // Nobody is told of the values.
    let told = s.deck(&["--json", "mcp", "pool"]).ok();
    assert!(!told.contains("\"you\"") && !told.contains("\"me\""), "{told}");
}

#[test]
fn a_client_that_never_reads_holds_up_nobody() {
    let (s, of) = shared("share = \"profile\"\nidle = \"1s\"\nparallel = true\n", &[], &["api", "docs"]);
    let (mut deaf, mut docs) = (Server::start(&s, &of[0], &[]), Server::start(&s, &of[1], &[]));
    deaf.greet();
    docs.greet();
    let text = "x".repeat(100_000);
    for id in 1..60 {
        deaf.call(id, "echo", &text);
    }
    docs.call(1, "echo", "at once");
    assert_eq!(docs.answer()["result"]["text"], "at once");
    deaf.child.kill().unwrap();
    deaf.child.wait().unwrap();
    docs.end();
    all_end(&s, &[]);
}

#[test]
fn what_is_not_for_sharing_is_refused_and_a_session_may_opt_out() {
    let (s, _) = shared(FOR_ALL, &[], &["api"]);
    let browser = ["mcp", "add", "browser", "--share", "profile", "--", "npx", "@playwright/mcp"];
    let refused = s.deck(&browser).fails(6);
    assert!(refused.contains("\"browser\" isn't to be shared: it drives one browser"), "{refused}");
    s.deck(&["mcp", "add", "browser", "--share", "profile", "--force", "--", "npx", "@playwright/mcp"]).ok();
    assert!(s.deck(&["mcp", "list"]).ok().contains("stdio, shared"));
    let checked = s.deck(&["config", "check"]).ok();
    assert!(checked.contains("`share` has sessions share it, but it drives one browser"), "{checked}");
    s.deck(&["mcp", "attach", "api", "one", "--own"]).ok();
    assert_eq!(
        s.session("api")["mcp_changes"],
        json!([{"name": "one", "source": "deck", "change": "changed"}])
    );
    s.deck(&["restart", "api"]).ok();
    let mut own = Server::start(&s, &entries(&s)["one"], &[]);
    own.send(&json!({"jsonrpc": "2.0", "id": 0, "method": "initialize"}));
    assert_eq!(own.line(), "no message at all", "it is the server itself");
    assert!(pools(&s).is_empty());
    own.end();
}

#[test]
fn a_server_that_nothing_is_known_of_is_judged_by_what_it_does() {
    let (s, _) = shared("", &[], &["api"]);
    let told = s.deck(&["mcp", "check", "one"]).ok();
    assert!(told.contains("speaks 2025-06-18\n0 tools\n"), "{told}");
    assert!(told.contains("wrote 1 lines to stdout that are no messages"), "{told}");
    assert!(told.contains("not for sharing: it asks its clients for roots/list"), "{told}");
    let all: Value = serde_json::from_str(&s.deck(&["--json", "mcp", "check", "one"]).ok()).unwrap();
    assert_eq!(all["asks_for"], json!(["roots/list"]));
    let spoken = json!([
        {"asked": "2025-11-25", "answered": "2025-06-18"},
        {"asked": "2025-06-18", "answered": "2025-06-18"},
        {"asked": "2024-11-05", "answered": "2025-06-18"}
    ]);
    assert_eq!(all["protocols"], spoken);
    // Each was ended, and one that ends by itself is reported with its last words.
    assert!(lines(&s, "pids").iter().all(|pid| !lives(pid.parse().unwrap())));
    s.program("serve", "echo 'no such file' >&2; exit 4");
    let failed = s.deck(&["mcp", "check", "one"]).fails(1);
    assert!(failed.contains("it ended before it answered initialize (exit 4: no such file)"), "{failed}");
    s.file("mcps/far.toml", "url = \"https://x.example\"\n");
    assert!(s.deck(&["mcp", "check", "far"]).fails(6).contains("which many sessions use anyway"));
}
