//! What is to be done because time has passed, or because there is room for more.

use serde_json::{Value, json};

use super::message::{SERVER_ERROR, error, notification};
use super::{ClientId, HANDSHAKE, Millis, Output, Phase, Relay, WAIT_NOTE};

impl Relay {
    /// What is due at this time.
    pub(super) fn pass_time(&mut self, now: Millis) {
        match self.phase {
            Phase::Down { until } if now >= until && !self.clients.is_empty() => {
                self.starts.begin(now);
                self.out.push(Output::Start);
                let params = json!({
                    "protocolVersion": self.config.protocol,
                    // A server asks a client for nothing that this doesn't name: it wouldn't know which one.
                    "capabilities": {},
                    "clientInfo": { "name": "deck", "version": env!("CARGO_PKG_VERSION") },
                });
                let id = self.ask_for_itself(now, "initialize", &params);
                // It has a limit of its own, and may not be cancelled.
                self.open.remove(&id);
                self.phase = Phase::Greeting { id, since: now };
            }
            Phase::Greeting { since, .. } if now >= since + HANDSHAKE => {
                let why = format!(
                    "the shared server {} didn't answer the handshake within 30 seconds; {}",
                    self.config.name, self.config.way_out
                );
                self.fail(&why);
                self.out.push(Output::End);
            }
            _ => {}
        }
        self.time_out(now);
        self.take_turns(now);
        self.note_waiting(now);
        if self.alone_since.is_some_and(|since| now >= since + self.config.idle) {
            self.out.push(Output::Done);
        }
    }

    fn time_out(&mut self, now: Millis) {
        let late: Vec<u64> = self.open.iter().filter(|(_, o)| now >= o.until).map(|(id, _)| *id).collect();
        for id in late {
            let Some(open) = self.open.get(&id) else { continue };
            let to = open.client.map(|client| (client, open.id.clone()));
            self.cancel(id);
            if let Some((client, own)) = to {
                let seconds = self.config.timeout / 1000;
                let words = format!("the shared server {} gave no answer for {seconds} s", self.config.name);
                self.tell(client, error(&own, SERVER_ERROR, &words));
            }
        }
    }

    /// Passes on the next calls, client by client.
    fn take_turns(&mut self, now: Millis) {
        if !matches!(self.phase, Phase::Up) || self.config.parallel {
            return;
        }
        while !self.open.values().any(|open| open.is_call) {
            let has_call =
                |client: &ClientId| self.clients.get(client).is_some_and(|c| !c.waiting.is_empty());
            let Some(at) = self.turns.iter().position(has_call) else { return };
            let Some(client) = self.turns.remove(at) else { return };
            self.turns.push_back(client);
            let next = self.clients.get_mut(&client).and_then(|c| c.waiting.pop_front());
            let Some(waiting) = next else { return };
            self.send(now, client, waiting);
        }
    }

    /// Tells clients that their calls wait for others, as far as they want to be told.
    fn note_waiting(&mut self, now: Millis) {
        if self.next_note.is_none_or(|at| now < at) {
            return;
        }
        let name = self.config.name.clone();
        let mut notes = Vec::new();
        self.next_note = None;
        for (client, state) in &mut self.clients {
            for waiting in &mut state.waiting {
                let Some(token) = &waiting.token else { continue };
                if now >= waiting.noted + WAIT_NOTE {
                    waiting.noted = now;
                    let token: Value = serde_json::from_str(token).unwrap_or(Value::Null);
                    let seconds = (now - waiting.since) / 1000;
                    let words = format!("waits for {name}: {seconds} s");
                    let params = json!({ "progressToken": token, "progress": seconds, "message": words });
                    notes.push((*client, notification("notifications/progress", Some(&params))));
                }
                let at = waiting.noted + WAIT_NOTE;
                self.next_note = Some(self.next_note.map_or(at, |next| next.min(at)));
            }
        }
        notes.into_iter().for_each(|(client, note)| self.tell_if_room(client, note));
    }
}
