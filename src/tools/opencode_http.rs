//! OpenCode's own service on loopback, which deck makes it start. Seen in 1.18.33.
//!
//! `GET /session/status` names the sessions that are busy or retry; a permission or a question
//! counts as busy there and is listed by `GET /permission` and `GET /question`; how the last turn
//! ended is on its last message. Invariants: the password that deck set goes with every request; an
//! answer that doesn't come at once is none; nothing is asked of an agent on whose window nothing moved.

use std::collections::BTreeMap;
use std::sync::{Mutex, PoisonError};
use std::time::{Duration, Instant};

use jiff::{SignedDuration, Timestamp};
use serde_json::Value;

use super::opencode_answers::{at_rest, at_work, blocked, digest_of, heard_in, said_in, titled};
use crate::domain::conversation::{Bookmark, Digest, Part, Said};
use crate::domain::id::is_conversation;
use crate::ports::reports::{Asked, Report};

/// How long one answer may take.
const TIMEOUT: Duration = Duration::from_millis(400);
/// How long all that is asked of one service at one poll may take.
const TOTAL: Duration = Duration::from_millis(900);
/// The same for a service that has not answered yet: while it starts it listens, but doesn't answer.
const FIRST: Duration = Duration::from_millis(250);
/// The same for what a user asks for directly.
const UNHURRIED: Duration = Duration::from_secs(3);
/// The most that is read of an answer, in bytes.
const MAX_BYTES: u64 = 4 * 1024 * 1024;
/// For how long an answer is reused while nothing moves.
const STANDS: SignedDuration = SignedDuration::from_secs(10);
/// For how long a service that gave no answer is not asked again.
const SPARED: SignedDuration = SignedDuration::from_secs(1);
/// The user's name that goes with the password.
const USER: &str = "opencode";

/// Asks the services of running agents.
#[derive(Debug)]
pub(super) struct Services {
    agent: ureq::Agent,
    answers: Mutex<BTreeMap<i32, (Timestamp, Report)>>,
    /// When each service last gave no answer in time.
    silent: Mutex<BTreeMap<i32, Timestamp>>,
}

/// The header's value that carries the password.
pub(super) fn authorization(password: &str) -> String {
    use base64::prelude::{BASE64_STANDARD, Engine as _};
    format!("Basic {}", BASE64_STANDARD.encode(format!("{USER}:{password}")))
}

/// A client for services on loopback: by no proxy, and sent nowhere else by an answer.
pub(super) fn agent() -> ureq::Agent {
    ureq::Agent::config_builder().proxy(None).max_redirects(0).build().into()
}

impl Default for Services {
    fn default() -> Self {
        Self { agent: agent(), answers: Mutex::default(), silent: Mutex::default() }
    }
}

impl Services {
    /// What each agent reports. Those that must be asked are asked at the same time.
    pub fn read(&self, asked: &[&Asked<'_>]) -> Vec<Report> {
        std::thread::scope(|scope| {
            let threads: Vec<_> = asked.iter().map(|a| scope.spawn(|| self.one(a))).collect();
            threads.into_iter().map(|t| t.join().unwrap_or_default()).collect()
        })
    }

    /// Whether the last answer is still valid, so that nothing need be asked.
    pub fn known(&self, asked: &Asked<'_>) -> Option<Report> {
        let answers = self.answers.lock().unwrap_or_else(PoisonError::into_inner);
        let (at, report) = answers.get(&asked.pid)?;
        let fresh = !asked.moved && asked.now.duration_since(*at) < STANDS;
        fresh.then(|| {
            let mut report = report.clone();
            report.evidence.iter_mut().for_each(|e| e.seen_at = asked.now);
            report
        })
    }

    /// What the end of the conversation reports. The service has it; its database is its own.
    pub fn digest(&self, asked: &Asked<'_>) -> Option<Digest> {
        let service = self.service(asked, UNHURRIED)?;
        let id = asked.conversation?;
        let messages = service.get(&format!("/session/{id}/message?limit=20"))?;
        let cost = service.get(&format!("/session/{id}"))?.get("cost").and_then(Value::as_f64);
        Some(Digest { cost_usd: cost, ..digest_of(&messages) })
    }

    /// What was said last in the conversation.
    pub fn said(&self, asked: &Asked<'_>) -> Vec<Said> {
        let service = self.service(asked, UNHURRIED);
        let messages =
            asked.conversation.and_then(|id| service?.get(&format!("/session/{id}/message?limit=100")));
        messages.map(|m| said_in(&m)).unwrap_or_default()
    }

    /// What was said in the conversation after a bookmark. The last messages are asked for first, and all of them only where the
    /// bookmark isn't among those.
    pub fn hear(&self, asked: &Asked<'_>, from: &Bookmark) -> Option<Part> {
        let service = self.service(asked, UNHURRIED)?;
        let id = asked.conversation.filter(|id| is_conversation(id))?;
        let path = format!("/session/{id}/message");
        let near =
            from.last.as_ref().and_then(|_| heard_in(&service.get(&format!("{path}?limit=20"))?, from));
        // A bookmark that is nowhere is of a conversation that was rewritten.
        near.or_else(|| {
            let all = service.get(&path)?;
            heard_in(&all, from).or_else(|| heard_in(&all, &Bookmark { last: None, ..from.clone() }))
        })
    }

    fn service<'a>(&'a self, asked: &'a Asked<'_>, patience: Duration) -> Option<Service<'a>> {
        Some(Service {
            agent: &self.agent,
            patience,
            until: None,
            base: format!("http://127.0.0.1:{}", asked.port?),
            password: asked.tool.service.password_env.as_deref().and_then(|name| asked.var(name)),
        })
    }

    fn one(&self, asked: &Asked<'_>) -> Report {
        let mut silent = self.silent.lock().unwrap_or_else(PoisonError::into_inner);
        if silent.get(&asked.pid).is_some_and(|at| asked.now.duration_since(*at) < SPARED) {
            return Report::default();
        }
        drop(silent);
        let Some(report) = self.ask(asked) else {
            silent = self.silent.lock().unwrap_or_else(PoisonError::into_inner);
            silent.retain(|_, at| asked.now.duration_since(*at) < SPARED);
            silent.insert(asked.pid, asked.now);
            return Report::default();
        };
        let mut answers = self.answers.lock().unwrap_or_else(PoisonError::into_inner);
        answers.insert(asked.pid, (asked.now, report.clone()));
        answers.retain(|_, (at, _)| asked.now.duration_since(*at) < STANDS + STANDS);
        report
    }

    fn ask(&self, asked: &Asked<'_>) -> Option<Report> {
        let known = self.answers.lock().unwrap_or_else(PoisonError::into_inner).contains_key(&asked.pid);
        let mut service = self.service(asked, if known { TIMEOUT } else { FIRST })?;
        service.until = Some(Instant::now() + TOTAL);
        let status = service.get("/session/status")?;
        let busy: Vec<(&String, &Value)> = status.as_object()?.iter().collect();
        if busy.is_empty() {
            let learnt = match asked.conversation {
                Some(_) => None,
                None => Some(titled(&service.get("/session")?, asked.title)?),
            };
            let id = asked.conversation.or(learnt.as_deref())?;
            let last = service.get(&format!("/session/{id}/message?limit=1"))?;
            let evidence = at_rest(&last, asked.now);
            return Some(Report { evidence: Some(evidence), conversation: learnt, ..Report::default() });
        }
        let waiting = [("/permission", true), ("/question", false)];
        let questions = waiting.iter().find_map(|(path, is_permission)| {
            let list = service.get(path)?;
            blocked(list.get(0)?, *is_permission, asked.now)
        });
        let evidence = questions.unwrap_or_else(|| at_work(&busy, asked.now));
        let conversation = service.main_conversation(asked.conversation, &busy);
        Some(Report { evidence: Some(evidence), conversation, ..Report::default() })
    }
}

struct Service<'a> {
    agent: &'a ureq::Agent,
    patience: Duration,
    /// When the time for all answers together is up.
    until: Option<Instant>,
    base: String,
    password: Option<&'a str>,
}

impl Service<'_> {
    fn get(&self, path: &str) -> Option<Value> {
        let left = self.until.map_or(self.patience, |until| until.saturating_duration_since(Instant::now()));
        let timeout = left.min(self.patience);
        if timeout.is_zero() {
            return None;
        }
        let request = self.agent.get(format!("{}{path}", self.base));
        let mut request = request.config().timeout_global(Some(timeout)).build();
        if let Some(password) = self.password {
            request = request.header("authorization", authorization(password));
        }
        // A redirect is not an answer.
        let mut answer = request.call().ok().filter(|a| a.status().is_success())?;
        let text = answer.body_mut().with_config().limit(MAX_BYTES).read_to_string().ok()?;
        serde_json::from_str(&text).ok()
    }

    /// The conversation that is busy, unless it is the known one or a sub-agent's.
    fn main_conversation(&self, known: Option<&str>, busy: &[(&String, &Value)]) -> Option<String> {
        if busy.iter().any(|(id, _)| Some(id.as_str()) == known) {
            return None;
        }
        let is_main = |id: &str| {
            self.get(&format!("/session/{id}")).is_some_and(|s| s.get("parentID").is_none_or(Value::is_null))
        };
        busy.iter()
            .map(|(id, _)| id.as_str())
            .find(|id| is_conversation(id) && is_main(id))
            .map(str::to_owned)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::domain::status::{BusyKind, Observation};

    const RECORDED: &str = include_str!("../../tests/fixtures/opencode/http-1.18.33.json");

    /// Serves one answer on its own port.
    fn serve(answer: String) -> u16 {
        use std::io::{Read, Write};
        let listener = std::net::TcpListener::bind(("127.0.0.1", 0)).unwrap();
        let port = listener.local_addr().unwrap().port();
        std::thread::spawn(move || {
            let (mut stream, _) = listener.accept().unwrap();
            let _ = stream.read(&mut [0; 4096]);
            let _ = stream.write_all(answer.as_bytes());
        });
        port
    }

    fn get(port: u16) -> Option<Value> {
        let services = Services::default();
        let base = format!("http://127.0.0.1:{port}");
        let patience = Duration::from_secs(60);
        Service { agent: &services.agent, patience, until: None, base, password: None }.get("/x")
    }

    /// Serves `status` at once, and nothing else ever. Returns its port, and what it is asked.
    fn serve_only_status(status: Value) -> (u16, std::sync::mpsc::Receiver<String>) {
        use std::io::{BufRead, BufReader, Write};
        let listener = std::net::TcpListener::bind(("127.0.0.1", 0)).unwrap();
        let port = listener.local_addr().unwrap().port();
        let (sender, asked) = std::sync::mpsc::channel();
        std::thread::spawn(move || {
            let mut open = Vec::new();
            for mut stream in listener.incoming().map(Result::unwrap) {
                let mut first = String::new();
                BufReader::new(&stream).read_line(&mut first).unwrap();
                if first.contains("/session/status ") {
                    let text = status.to_string();
                    let head = format!(
                        "HTTP/1.1 200 OK\r\nContent-Length: {}\r\nConnection: close\r\n\r\n",
                        text.len()
                    );
                    stream.write_all((head + &text).as_bytes()).unwrap();
                } else {
                    open.push(stream);
                }
                if sender.send(first).is_err() {
                    return;
                }
            }
        });
        (port, asked)
    }

    #[test]
    fn one_poll_asks_a_service_only_for_as_long_as_all_answers_may_take() {
        let busy: serde_json::Map<String, Value> =
            (0..2000).map(|n| (format!("ses_{n}"), serde_json::json!({"type": "busy"}))).collect();
        let (port, asked) = serve_only_status(busy.into());
        let tool: crate::domain::tool::Tool = toml::from_str("command = \"opencode\"").unwrap();
        let ask = Asked {
            pid: 1,
            tool: &tool,
            env: &BTreeMap::new(),
            conversation: None,
            port: Some(port),
            title: "",
            moved: true,
            now: Timestamp::UNIX_EPOCH,
        };
        // A service that has not answered yet is given little time: on a busy machine it may take more than one poll.
        let report = (0..50).find_map(|_| {
            asked.try_iter().for_each(drop);
            Services::default().ask(&ask)
        });
        let report = report.expect("the status itself was answered");
        assert_eq!(report.evidence.map(|e| e.what), Some(Observation::Busy(BusyKind::Thinking)));
        assert_eq!(report.conversation, None, "nobody said which one is the main one");
        let count = asked.try_iter().count();
        let at_most = 2 + TOTAL.div_duration_f64(FIRST).ceil() as usize;
        assert!(count <= at_most, "{count} questions");
    }

    #[test]
    fn a_password_goes_with_the_users_name() {
        // By the RFC's own example, with another user.
        assert_eq!(authorization("open sesame"), "Basic b3BlbmNvZGU6b3BlbiBzZXNhbWU=");
    }

    #[test]
    fn a_service_sends_nobody_elsewhere() {
        let answer = || "HTTP/1.1 200 OK\r\nContent-Length: 2\r\nConnection: close\r\n\r\n{}".to_owned();
        assert_eq!(get(serve(answer())), Some(serde_json::json!({})));
        let elsewhere = serve(answer());
        for code in [301, 302, 307] {
            let there = format!(
                "HTTP/1.1 {code} Moved\r\nLocation: http://127.0.0.1:{elsewhere}/\r\nContent-Length: 2\r\nConnection: close\r\n\r\n{{}}"
            );
            assert_eq!(get(serve(there)), None, "{code}");
        }
    }

    #[test]
    fn the_title_names_the_conversation_that_is_shown() {
        let list = serde_json::json!([
            {"id": "ses_1", "title": "Fix the parser"},
            {"id": "ses_2", "title": "A title of more than forty characters, which is cut"},
            {"id": "ses_3", "title": "Twice"},
            {"id": "ses_4", "title": "Twice", "parentID": null},
            {"id": "ses_5", "title": "Sub", "parentID": "ses_1"},
            {"id": "ses_6", "title": "Sub"},
        ]);
        let named = |title: &str| titled(&list, title);
        assert_eq!(named("OC | Fix the parser").as_deref(), Some("ses_1"));
        assert_eq!(named("OC | A title of more than forty characters…").as_deref(), Some("ses_2"));
        assert_eq!(named("OC | Sub").as_deref(), Some("ses_6"), "a sub-agent's is not shown");
        for unknown in ["OC | Twice", "OC | Fix", "OpenCode", "OC | ", "Fix the parser"] {
            assert_eq!(named(unknown), None, "{unknown}");
        }
    }

    /// What each recorded answer is read as.
    #[test]
    fn recorded_answers() {
        let all: serde_json::Map<String, Value> = serde_json::from_str(RECORDED).unwrap();
        let now = Timestamp::UNIX_EPOCH;
        let read = |(name, answer): (&String, &Value)| {
            let e = match name.split(' ').next().unwrap() {
                "status" => at_work(&answer.as_object().unwrap().iter().collect::<Vec<_>>(), now),
                "permission" => blocked(&answer[0], true, now).unwrap(),
                "question" => blocked(&answer[0], false, now).unwrap(),
                _ => at_rest(answer, now),
            };
            format!("{name}: {:?} {}", e.what, e.asks.unwrap_or_default())
        };
        insta::assert_snapshot!(all.iter().map(read).collect::<Vec<_>>().join("\n"));
    }
}
