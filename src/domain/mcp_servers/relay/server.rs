//! What the server says, and its end.

use std::collections::VecDeque;

use serde_json::{Value, json};

use super::message::{METHOD_NOT_FOUND, Message, SERVER_ERROR, answer, error, notification, result};
use super::{Client, ClientId, Millis, Output, Phase, Relay, RelayConfig, Waiting, severity};

impl Relay {
    pub(super) fn server_said(&mut self, now: Millis, line: &[u8]) {
        if line.iter().all(u8::is_ascii_whitespace) {
            return;
        }
        let Some(message) = Message::parse(line) else {
            self.junk += 1;
            return;
        };
        match (&message.method, message.id) {
            (Some(method), Some(id)) if method == "ping" => {
                self.out.push(Output::ToServer(result(id.get(), &json!({}))));
            }
            (Some(method), Some(id)) => {
                self.asked.insert(method.clone());
                let words = "a shared server can ask its clients nothing";
                self.out.push(Output::ToServer(error(id.get(), METHOD_NOT_FOUND, words)));
            }
            (Some(method), None) => self.server_noted(now, &method.clone(), &message, line),
            (None, Some(id)) => {
                let Ok(id) = id.get().parse::<u64>() else {
                    self.junk += 1;
                    return;
                };
                self.answered(now, id, &message);
            }
            (None, None) => self.junk += 1,
        }
    }

    fn answered(&mut self, now: Millis, id: u64, message: &Message<'_>) {
        if let Phase::Greeting { id: greeting, .. } = self.phase
            && greeting == id
        {
            return self.greeted(now, message);
        }
        // A late answer to what was cancelled is for nobody, and so is a second one.
        let Some(open) = self.open.remove(&id) else { return };
        if let Some(client) = open.client {
            self.tell(client, answer(&open.id, message.result, message.error));
        }
    }

    fn greeted(&mut self, now: Millis, message: &Message<'_>) {
        let Some(greeting) = message.result.and_then(|r| serde_json::from_str::<Value>(r.get()).ok()) else {
            let words = message.error.map_or("no result", |e| e.get());
            let RelayConfig { name, way_out, .. } = &self.config;
            let why = format!("the shared server {name} refused the handshake: {words}; {way_out}");
            self.fail(&why);
            self.out.push(Output::End);
            return;
        };
        self.out.push(Output::ToServer(notification("notifications/initialized", None)));
        let is_again = self.greeting.replace(greeting.clone()).is_some();
        self.phase = Phase::Up;
        let ids: Vec<ClientId> = self.clients.keys().copied().collect();
        for client in ids {
            let greets = self.clients.get_mut(&client).map(|c| std::mem::take(&mut c.greets));
            for id in greets.unwrap_or_default() {
                self.tell(client, result(&id, &greeting));
            }
            if is_again {
                for kind in ["tools", "resources", "prompts"] {
                    if greeting.pointer(&format!("/capabilities/{kind}")).is_some() {
                        self.tell(client, notification(&format!("notifications/{kind}/list_changed"), None));
                    }
                }
            }
        }
        let uris: Vec<String> = self.subscribed.keys().cloned().collect();
        for uri in uris.into_iter().filter(|_| is_again) {
            self.ask_for_itself(now, "resources/subscribe", &json!({ "uri": uri }));
        }
        if let Some(params) = self.loudest("logging/setLevel", None).filter(|_| is_again)
            && let Ok(params) = serde_json::from_str(&params)
        {
            self.ask_for_itself(now, "logging/setLevel", &params);
        }
        // What waited for the server, but for calls that wait for each other.
        let all: Vec<ClientId> = self.clients.keys().copied().collect();
        for client in all {
            let Some(state) = self.clients.get_mut(&client) else { continue };
            let waits = |w: &Waiting| w.method == "tools/call" && !self.config.parallel;
            let (stay, go): (VecDeque<_>, VecDeque<_>) =
                std::mem::take(&mut state.waiting).into_iter().partition(waits);
            state.waiting = stay;
            go.into_iter().for_each(|waiting| self.send(now, client, waiting));
        }
    }

    fn server_noted(&mut self, now: Millis, method: &str, message: &Message<'_>, line: &[u8]) {
        match method {
            "notifications/progress" => {
                let token = message.param("progressToken").and_then(|t| t.as_u64());
                let Some(open) = token.and_then(|t| self.open.get_mut(&t)) else { return };
                open.until = now + self.config.timeout;
                let (Some(client), Some(token)) = (open.client, open.token.clone()) else { return };
                let params = message.params.and_then(|p| serde_json::from_str::<Value>(p.get()).ok());
                let token = serde_json::from_str::<Value>(&token).unwrap_or(Value::Null);
                let Some(mut params) = params else { return };
                if let Some(object) = params.as_object_mut() {
                    object.insert("progressToken".to_owned(), token);
                }
                self.tell_if_room(client, notification(method, Some(&params)));
            }
            "notifications/cancelled" => {}
            "notifications/resources/updated" => {
                let uri = message.param("uri").and_then(|v| v.as_str().map(str::to_owned));
                let to = uri.and_then(|uri| self.subscribed.get(&uri)).cloned().unwrap_or_default();
                to.into_iter().for_each(|client| self.tell(client, text_of(line)));
            }
            "notifications/message" => {
                let level = message.param("level").and_then(|v| v.as_str().map(severity)).unwrap_or(0);
                let wants = |c: &Client| c.level.as_deref().is_none_or(|own| level >= severity(own));
                let to: Vec<ClientId> =
                    self.clients.iter().filter(|(_, c)| wants(c)).map(|(id, _)| *id).collect();
                to.into_iter().for_each(|client| self.tell_if_room(client, text_of(line)));
            }
            _ => {
                let to: Vec<ClientId> = self.clients.keys().copied().collect();
                to.into_iter().for_each(|client| self.tell(client, text_of(line)));
            }
        }
    }

    pub(super) fn server_ended(&mut self, now: Millis, how: &str) {
        let name = self.config.name.clone();
        let next = self.starts.ended(now);
        let again = if next.is_some() { "is started again" } else { "is not started again" };
        let words = format!(
            "the shared server {name} ended ({how}) and {again}; whether this call took effect is not known"
        );
        for (_, open) in std::mem::take(&mut self.open) {
            if let Some(client) = open.client {
                self.tell(client, error(&open.id, SERVER_ERROR, &words));
            }
        }
        if matches!(self.phase, Phase::Failed { .. }) {
            return;
        }
        match next {
            Some(delay) => self.phase = Phase::Down { until: now + delay },
            None => {
                let why = format!(
                    "the shared server {name} ended {} times, the last time so: {how}; {}",
                    self.starts.count(),
                    self.config.way_out
                );
                self.fail(&why);
            }
        }
    }

    /// Answers all that waits with the reason.
    pub(super) fn fail(&mut self, why: &str) {
        let all: Vec<ClientId> = self.clients.keys().copied().collect();
        for client in all {
            let Some(state) = self.clients.get_mut(&client) else { continue };
            let greets = std::mem::take(&mut state.greets);
            let waiting = std::mem::take(&mut state.waiting).into_iter().map(|w| w.id);
            let ids: Vec<String> = greets.into_iter().chain(waiting).collect();
            ids.iter().for_each(|id| self.tell(client, error(id, SERVER_ERROR, why)));
        }
        self.phase = Phase::Failed { why: why.to_owned() };
    }
}

fn text_of(line: &[u8]) -> String {
    String::from_utf8_lossy(line).trim().to_owned()
}
