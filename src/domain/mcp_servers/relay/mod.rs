//! One MCP server for many clients, as a pure state machine: lines and times in, lines out.
//!
//! Invariants: every request goes to the server under an id of the relay's own, and its answer to its asker alone, once, under
//! the asker's id; one `tools/call` at a time, unless the server may have several; what was sent to a server that ended is
//! answered with an error and never sent again; no client waits for another one's reading.

mod clients;
mod message;
mod restart;
mod server;
#[cfg(test)]
mod tests;
mod times;

use std::collections::{BTreeMap, BTreeSet, VecDeque};

use serde_json::Value;

use restart::Starts;

/// A client, by the order in which they came.
pub type ClientId = u64;
/// Milliseconds since the relay began.
pub type Millis = u64;

/// What a relay goes by.
#[derive(Debug, Clone)]
pub struct RelayConfig {
    /// The server's name.
    pub name: String,
    /// The version of the protocol that the server is asked for.
    pub protocol: String,
    /// Whether calls may run side by side.
    pub parallel: bool,
    /// How long a call may take without progress.
    pub timeout: Millis,
    /// How long the relay waits for another client after the last one.
    pub idle: Millis,
    /// How its user has a server started again that isn't any more by itself, in words.
    pub way_out: String,
}

/// What happens to a relay.
#[derive(Debug)]
pub enum Input<'a> {
    Joined(ClientId),
    /// A line of a client's.
    Said(ClientId, &'a [u8]),
    Left(ClientId),
    /// A line of the server's.
    Server(&'a [u8]),
    /// The server ended: how, and its last words.
    ServerEnded(String),
    /// The user wants the server started again.
    Restart,
    /// It is later.
    Tick,
}

/// What a relay wants to be done, in this order.
#[derive(Debug, PartialEq, Eq)]
pub enum Output {
    ToClient(ClientId, String),
    /// The same, of what a client can do without: it is left out where that one is behind with reading.
    ToClientIfRoom(ClientId, String),
    ToServer(String),
    /// Start the server; there is none.
    Start,
    /// End the server; that is reported as any end of it.
    End,
    /// Nobody needs the relay any more.
    Done,
}

/// How long the server may take to answer the handshake.
const HANDSHAKE: Millis = 30_000;
/// How often a client that waits for others is told so, if it asked for progress.
const WAIT_NOTE: Millis = 5_000;
/// How many requests of one client may be open or wait.
const MOST_OPEN: usize = 10_000;

#[derive(Debug)]
enum Phase {
    /// There is no server. It is started at this time, if anybody needs it.
    Down { until: Millis },
    /// The handshake is under way since then, under this id.
    Greeting { id: u64, since: Millis },
    /// It works.
    Up,
    /// It won't be started again by itself.
    Failed { why: String },
}

/// A request that the server has.
#[derive(Debug)]
struct Open {
    /// Whose it is; none: the relay's own.
    client: Option<ClientId>,
    /// The asker's id, as it was written.
    id: String,
    token: Option<String>,
    is_call: bool,
    /// When it has taken too long.
    until: Millis,
}

/// A call that waits for its turn, or a request that waits for the server.
#[derive(Debug)]
struct Waiting {
    id: String,
    method: String,
    params: Option<String>,
    token: Option<String>,
    since: Millis,
    /// When its client was last told that it waits.
    noted: Millis,
}

#[derive(Debug, Default)]
struct Client {
    /// Ids of its `initialize` requests that wait for the server.
    greets: Vec<String>,
    waiting: VecDeque<Waiting>,
    /// Its level of log messages.
    level: Option<String>,
}

/// The relay.
#[derive(Debug)]
pub struct Relay {
    config: RelayConfig,
    phase: Phase,
    clients: BTreeMap<ClientId, Client>,
    /// Who has had a call last comes last.
    turns: VecDeque<ClientId>,
    open: BTreeMap<u64, Open>,
    next_id: u64,
    /// The answer to the handshake.
    greeting: Option<Value>,
    starts: Starts,
    /// Since when there has been no client.
    alone_since: Option<Millis>,
    subscribed: BTreeMap<String, BTreeSet<ClientId>>,
    /// What the server asked of its clients, which a shared one can't.
    asked: BTreeSet<String>,
    /// Lines of the server that were no messages.
    junk: u64,
    calls: u64,
    /// When the next client is to be told that it waits, at the earliest.
    next_note: Option<Millis>,
    out: Vec<Output>,
}

/// What a relay is doing, to be shown.
#[derive(Debug, Clone, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
pub struct RelayStatus {
    /// `starting`, `ready`, `waiting` or `failed`.
    pub state: String,
    /// Why it failed.
    pub why: Option<String>,
    pub clients: usize,
    /// Calls that were passed on so far.
    pub calls: u64,
    /// Calls that wait for their turn.
    pub waiting: usize,
    pub starts: usize,
    /// The version of the protocol that the server speaks.
    pub protocol: Option<String>,
    /// What the server asked of its clients.
    pub asked: Vec<String>,
    /// Lines of the server that were no messages.
    pub junk: u64,
}

impl Relay {
    pub fn new(config: RelayConfig) -> Self {
        Self {
            config,
            phase: Phase::Down { until: 0 },
            clients: BTreeMap::new(),
            turns: VecDeque::new(),
            open: BTreeMap::new(),
            next_id: 1,
            greeting: None,
            starts: Starts::default(),
            alone_since: Some(0),
            subscribed: BTreeMap::new(),
            asked: BTreeSet::new(),
            junk: 0,
            calls: 0,
            next_note: None,
            out: Vec::new(),
        }
    }

    /// What is to be done about something that happened at this time.
    pub fn handle(&mut self, now: Millis, input: Input<'_>) -> Vec<Output> {
        match input {
            Input::Joined(client) => {
                self.clients.insert(client, Client::default());
                self.turns.push_back(client);
                self.alone_since = None;
            }
            Input::Said(client, line) => self.said(now, client, line),
            Input::Left(client) => self.left(now, client),
            Input::Server(line) => self.server_said(now, line),
            Input::ServerEnded(how) => self.server_ended(now, &how),
            Input::Restart => {
                self.starts = Starts::default();
                match self.phase {
                    Phase::Up | Phase::Greeting { .. } => self.out.push(Output::End),
                    Phase::Down { .. } | Phase::Failed { .. } => self.phase = Phase::Down { until: now },
                }
            }
            Input::Tick => {}
        }
        self.pass_time(now);
        std::mem::take(&mut self.out)
    }

    /// When something is to be done though nothing happens; none: never.
    pub fn next_deadline(&self) -> Option<Millis> {
        let phase = match self.phase {
            Phase::Down { until } if !self.clients.is_empty() => Some(until),
            Phase::Greeting { since, .. } => Some(since + HANDSHAKE),
            _ => None,
        };
        let idle = self.alone_since.map(|since| since + self.config.idle);
        let open = self.open.values().map(|open| open.until).min();
        [phase, idle, open, self.next_note].into_iter().flatten().min()
    }

    /// Why the server isn't started any more by itself, if so.
    pub fn given_up(&self) -> Option<&str> {
        if let Phase::Failed { why } = &self.phase { Some(why) } else { None }
    }

    pub fn status(&self) -> RelayStatus {
        let (state, why) = match &self.phase {
            Phase::Up => ("ready", None),
            Phase::Greeting { .. } => ("starting", None),
            Phase::Down { .. } => ("waiting", None),
            Phase::Failed { why } => ("failed", Some(why.clone())),
        };
        let protocol = self.greeting.as_ref().and_then(|g| g.get("protocolVersion")).and_then(Value::as_str);
        RelayStatus {
            state: state.to_owned(),
            why,
            clients: self.clients.len(),
            calls: self.calls,
            waiting: self.clients.values().map(|c| c.waiting.len()).sum(),
            starts: self.starts.count(),
            protocol: protocol.map(str::to_owned),
            asked: self.asked.iter().cloned().collect(),
            junk: self.junk,
        }
    }

    fn tell(&mut self, client: ClientId, line: String) {
        self.out.push(Output::ToClient(client, line));
    }

    /// Tells a client what it can do without: progress, and what the server logs.
    fn tell_if_room(&mut self, client: ClientId, line: String) {
        self.out.push(Output::ToClientIfRoom(client, line));
    }
}

/// How severe a level of logs is: RFC 5424, as the protocol uses it.
fn severity(level: &str) -> usize {
    const LEVELS: [&str; 8] =
        ["debug", "info", "notice", "warning", "error", "critical", "alert", "emergency"];
    LEVELS.iter().position(|l| *l == level).unwrap_or(0)
}
