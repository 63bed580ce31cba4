//! What clients say, and what becomes of it.

use serde_json::{Value, json};

use super::message::{
    INVALID_REQUEST, METHOD_NOT_FOUND, Message, PARSE_ERROR, SERVER_ERROR, error, notification, request,
    result,
};
use super::{ClientId, MOST_OPEN, Millis, Open, Output, Phase, Relay, WAIT_NOTE, Waiting, severity};

impl Relay {
    pub(super) fn said(&mut self, now: Millis, client: ClientId, line: &[u8]) {
        if line.iter().all(u8::is_ascii_whitespace) {
            return;
        }
        let Some(message) = Message::parse(line) else {
            let is_batch = line.iter().find(|b| !b.is_ascii_whitespace()) == Some(&b'[');
            let (code, words) = if is_batch {
                (INVALID_REQUEST, "batches are no part of this protocol")
            } else {
                (PARSE_ERROR, "this line is no JSON-RPC message")
            };
            return self.tell(client, error("null", code, words));
        };
        match (message.method.clone(), message.id.is_some()) {
            (Some(method), true) => match message.usable_id() {
                Some(id) => self.asked_by(now, client, id, &method, &message),
                None => {
                    self.tell(client, error("null", INVALID_REQUEST, "an id is a text or a whole number"))
                }
            },
            (Some(method), false) => self.noted_by(client, &method, &message, line),
            // An answer to what nobody asked: the server's requests are not passed on.
            (None, _) => {}
        }
    }

    fn asked_by(&mut self, now: Millis, client: ClientId, id: String, method: &str, message: &Message<'_>) {
        let Some(state) = self.clients.get_mut(&client) else { return };
        let is_open = self.open.values().any(|o| o.client == Some(client) && o.id == id)
            || state.waiting.iter().any(|w| w.id == id)
            || state.greets.contains(&id);
        if is_open {
            return self.tell(client, error(&id, INVALID_REQUEST, "a request with this id is open"));
        }
        match method {
            "initialize" => match &self.phase {
                Phase::Failed { why } => {
                    let words = why.clone();
                    self.tell(client, error(&id, SERVER_ERROR, &words));
                }
                _ => match self.greeting.clone().filter(|_| matches!(self.phase, Phase::Up)) {
                    Some(greeting) => self.tell(client, result(&id, &greeting)),
                    None => state.greets.push(id),
                },
            },
            "ping" => self.tell(client, result(&id, &json!({}))),
            // The stateless revision, and what belongs to a later version than the server was asked for.
            _ if method == "server/discover"
                || method.starts_with("tasks/")
                || method == "subscriptions/listen" =>
            {
                let words = format!("the shared server {} speaks {}", self.config.name, self.config.protocol);
                self.tell(client, error(&id, METHOD_NOT_FOUND, &words));
            }
            _ => {
                if let Phase::Failed { why } = &self.phase {
                    let words = why.clone();
                    return self.tell(client, error(&id, SERVER_ERROR, &words));
                }
                let open = self.open.values().filter(|o| o.client == Some(client)).count();
                if open + state.waiting.len() >= MOST_OPEN {
                    let words = format!("{MOST_OPEN} requests of this session are open");
                    return self.tell(client, error(&id, SERVER_ERROR, &words));
                }
                if self.is_settled_here(client, &id, method, message) {
                    return;
                }
                let params = message.params.map(|p| p.get().to_owned());
                let (method, token) = (method.to_owned(), message.token());
                let waiting = Waiting { id, method, params, token, since: now, noted: now };
                let is_held = !matches!(self.phase, Phase::Up);
                if is_held || (waiting.method == "tools/call" && !self.config.parallel) {
                    if waiting.token.is_some() {
                        self.next_note.get_or_insert(now + WAIT_NOTE);
                    }
                    if let Some(state) = self.clients.get_mut(&client) {
                        state.waiting.push_back(waiting);
                    }
                } else {
                    self.send(now, client, waiting);
                }
            }
        }
    }

    /// Subscriptions and levels of logs are counted here: the server has one client.
    fn is_settled_here(&mut self, client: ClientId, id: &str, method: &str, message: &Message<'_>) -> bool {
        match method {
            "resources/subscribe" | "resources/unsubscribe" => {
                let Some(uri) = message.param("uri").and_then(|v| v.as_str().map(str::to_owned)) else {
                    return false;
                };
                let all = self.subscribed.entry(uri.clone()).or_default();
                let was_first = all.is_empty();
                let settled = if method == "resources/subscribe" {
                    all.insert(client);
                    // The first one's request goes to the server, which may refuse it.
                    !was_first
                } else {
                    all.remove(&client);
                    !all.is_empty() || was_first
                };
                if all.is_empty() {
                    self.subscribed.remove(&uri);
                }
                if settled {
                    self.tell(client, result(id, &json!({})));
                }
                settled
            }
            "logging/setLevel" => {
                let level = message.param("level").and_then(|v| v.as_str().map(str::to_owned));
                if let Some(state) = self.clients.get_mut(&client) {
                    state.level = level;
                }
                false
            }
            _ => false,
        }
    }

    /// Passes a request to the server.
    pub(super) fn send(&mut self, now: Millis, client: ClientId, waiting: Waiting) {
        let id = self.next_id;
        self.next_id += 1;
        let Waiting { id: own, method, params, token, .. } = waiting;
        let is_call = method == "tools/call";
        self.calls += u64::from(is_call);
        let params = self.loudest(&method, params);
        self.out.push(Output::ToServer(request(id, &method, params.as_deref(), token.is_some())));
        let until = now + self.config.timeout;
        self.open.insert(id, Open { client: Some(client), id: own, token, is_call, until });
    }

    /// Of all clients' levels, the server is told the one by which it says most.
    pub(super) fn loudest(&self, method: &str, params: Option<String>) -> Option<String> {
        if method != "logging/setLevel" {
            return params;
        }
        let levels = self.clients.values().filter_map(|c| c.level.as_deref());
        let loudest = levels.min_by_key(|level| severity(level))?;
        Some(json!({ "level": loudest }).to_string())
    }

    fn noted_by(&mut self, client: ClientId, method: &str, message: &Message<'_>, line: &[u8]) {
        match method {
            "notifications/cancelled" => {
                let Some(id) = message.param("requestId").map(|id| id.to_string()) else { return };
                if let Some(state) = self.clients.get_mut(&client) {
                    state.waiting.retain(|w| w.id != id);
                    state.greets.retain(|greet| *greet != id);
                }
                let found = self.open.iter().find(|(_, o)| o.client == Some(client) && o.id == id);
                if let Some(own) = found.map(|(own, _)| *own) {
                    self.cancel(own);
                }
            }
            // Each client says it, and the server has been told once.
            "notifications/initialized" | "notifications/roots/list_changed" | "notifications/progress" => {}
            _ if matches!(self.phase, Phase::Up) => {
                let line = String::from_utf8_lossy(line).trim().to_owned();
                self.out.push(Output::ToServer(line));
            }
            _ => {}
        }
    }

    /// Has the server drop a request; its answer, if one comes, is for nobody.
    pub(super) fn cancel(&mut self, own: u64) {
        if self.open.remove(&own).is_some() {
            let params = json!({ "requestId": own });
            self.out.push(Output::ToServer(notification("notifications/cancelled", Some(&params))));
        }
    }

    pub(super) fn left(&mut self, now: Millis, client: ClientId) {
        if self.clients.remove(&client).is_none() {
            return;
        }
        self.turns.retain(|c| *c != client);
        let own: Vec<u64> =
            self.open.iter().filter(|(_, o)| o.client == Some(client)).map(|(id, _)| *id).collect();
        own.into_iter().for_each(|id| self.cancel(id));
        let mut released = Vec::new();
        self.subscribed.retain(|uri, clients| {
            let was_last = clients.remove(&client) && clients.is_empty();
            if was_last {
                released.push(uri.clone());
            }
            !clients.is_empty()
        });
        let is_up = matches!(self.phase, Phase::Up);
        for uri in released.into_iter().filter(|_| is_up) {
            self.ask_for_itself(now, "resources/unsubscribe", &json!({ "uri": uri }));
        }
        if self.clients.is_empty() {
            self.alone_since = Some(now);
        }
    }

    /// Asks the server something on nobody's behalf.
    pub(super) fn ask_for_itself(&mut self, now: Millis, method: &str, params: &Value) -> u64 {
        let id = self.next_id;
        self.next_id += 1;
        self.out.push(Output::ToServer(request(id, method, Some(&params.to_string()), false)));
        let until = now + self.config.timeout;
        self.open.insert(id, Open { client: None, id: String::new(), token: None, is_call: false, until });
        id
    }
}
