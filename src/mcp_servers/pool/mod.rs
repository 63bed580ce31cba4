//! `deck mcp pool-serve`: one server for many clients. It is started by the first of them, and ends after the last one.
//!
//! Invariants: the server's process group ends with the pool; nobody waits for a reader; nothing runs while nobody says
//! anything.

mod protocol;
mod server;

use std::collections::BTreeMap;
use std::io::{self, BufReader, Read as _, Write as _};
use std::net::Shutdown;
use std::os::unix::net::{UnixListener, UnixStream};
use std::process::ExitCode;
use std::sync::mpsc::{Receiver, RecvTimeoutError, SyncSender, sync_channel};
use std::time::{Duration, Instant};

pub(super) use protocol::{Hello, PoolStatus, READY, Spec, VERB, WELCOME, ask};

use self::protocol::MAX_SPEC;
use super::lines::each_line;
use super::place::Place;
use super::queue::Queue;
use super::server_process::{self, ServerProcess, small_thread};
use crate::domain::mcp_servers::relay::{ClientId, Input, Millis, Output, Relay, RelayConfig};

/// How many events may wait: whoever makes more is not read for as long.
const EVENTS: usize = 1024;

/// What happens.
#[derive(Debug)]
pub(super) enum Event {
    Connected(UnixStream),
    Hello(ClientId, Hello),
    Said(ClientId, Vec<u8>),
    Left(ClientId),
    Server(u64, Vec<u8>),
    ServerEnded(u64, String),
}

struct Client {
    stream: UnixStream,
    queue: Queue,
    /// The session, once it has said so.
    session: Option<String>,
}

struct Pool {
    spec: Spec,
    place: Place,
    relay: Relay,
    began: Instant,
    clients: BTreeMap<ClientId, Client>,
    next_client: ClientId,
    server: Option<ServerProcess>,
    /// Counts the server's starts: what comes of an earlier one is late.
    generation: u64,
    events: SyncSender<Event>,
    is_done: bool,
    /// Whether all decks were told that the server was given up.
    is_noted: bool,
}

/// Serves until nobody has needed it for a while.
pub(super) fn serve() -> ExitCode {
    match serve_until_done() {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            // Who started it reads it there.
            let _ = writeln!(io::stdout(), "{error}");
            ExitCode::FAILURE
        }
    }
}

fn serve_until_done() -> io::Result<()> {
    nix::unistd::setsid()?;
    #[cfg(target_os = "linux")]
    nix::sys::prctl::set_child_subreaper(true)?;
    let mut text = String::new();
    io::stdin().take(MAX_SPEC).read_to_string(&mut text)?;
    let spec: Spec = serde_json::from_str(&text)?;
    let place = Place::of(&spec.run, &spec.key)?;
    // Whoever starts it holds the lock: no other pool of this server runs.
    server_process::end_leftovers(&spec.key);
    let listener = bind(&place)?;
    std::env::set_current_dir("/")?;
    let (events, happened) = sync_channel(EVENTS);
    let to = events.clone();
    small_thread("accept", move || {
        for stream in listener.incoming().flatten() {
            if to.send(Event::Connected(stream)).is_err() {
                return;
            }
        }
    })?;
    let mut out = io::stdout();
    writeln!(out, "{READY}")?;
    out.flush()?;
    // What the starter reads ends here, and nothing of this process goes there.
    let null = std::fs::File::options().read(true).write(true).open("/dev/null")?;
    nix::unistd::dup2_stdout(&null)?;
    nix::unistd::dup2_stdin(&null)?;
    let config = RelayConfig {
        name: spec.name.clone(),
        protocol: spec.protocol.clone(),
        parallel: spec.parallel,
        timeout: spec.timeout,
        idle: spec.idle,
        way_out: format!("`deck mcp restart {}` starts it again", spec.name),
    };
    let mut pool = Pool {
        spec,
        place,
        relay: Relay::new(config),
        began: Instant::now(),
        clients: BTreeMap::new(),
        next_client: 1,
        server: None,
        generation: 0,
        events,
        is_done: false,
        is_noted: false,
    };
    // What an earlier one said that was killed.
    pool.note_given_up()?;
    pool.run(&happened);
    pool.end();
    Ok(())
}

/// Binds the socket under another name first, so that nobody finds one that nobody listens on.
fn bind(place: &Place) -> io::Result<UnixListener> {
    let socket = place.socket();
    let new = socket.with_extension("new");
    for path in [&new, &socket] {
        match std::fs::remove_file(path) {
            Err(error) if error.kind() != io::ErrorKind::NotFound => return Err(error),
            _ => {}
        }
    }
    let listener = UnixListener::bind(&new)?;
    std::fs::rename(&new, &socket)?;
    Ok(listener)
}

impl Pool {
    fn now(&self) -> Millis {
        Millis::try_from(self.began.elapsed().as_millis()).unwrap_or(Millis::MAX)
    }

    fn run(&mut self, happened: &Receiver<Event>) {
        self.put(Input::Tick);
        while !self.is_done {
            let event = match self.relay.next_deadline() {
                None => match happened.recv() {
                    Ok(event) => Some(event),
                    Err(_) => return,
                },
                Some(at) => {
                    let left = Duration::from_millis(at.saturating_sub(self.now()));
                    match happened.recv_timeout(left) {
                        Ok(event) => Some(event),
                        Err(RecvTimeoutError::Timeout) => None,
                        Err(RecvTimeoutError::Disconnected) => return,
                    }
                }
            };
            match event {
                None => self.put(Input::Tick),
                Some(event) => self.happened(event),
            }
        }
    }

    fn happened(&mut self, event: Event) {
        match event {
            Event::Connected(stream) => {
                if let Err(error) = self.connected(stream) {
                    tracing::warn!(%error, "a client of a shared server was not taken in");
                }
            }
            Event::Hello(id, hello) => self.greeted(id, hello),
            Event::Said(id, line) => self.put(Input::Said(id, &line)),
            Event::Left(id) => {
                if let Some(client) = self.clients.remove(&id) {
                    client.queue.close();
                    if client.session.is_some() {
                        self.put(Input::Left(id));
                    }
                }
            }
            Event::Server(generation, line) if generation == self.generation => {
                self.put(Input::Server(&line))
            }
            Event::ServerEnded(generation, how) if generation == self.generation => {
                self.server = None;
                self.put(Input::ServerEnded(how));
            }
            // Of a server that was replaced.
            Event::Server(..) | Event::ServerEnded(..) => {}
        }
    }

    fn connected(&mut self, stream: UnixStream) -> io::Result<()> {
        #[cfg(target_os = "linux")]
        {
            use nix::sys::socket::{getsockopt, sockopt::PeerCredentials};
            if getsockopt(&stream, PeerCredentials)?.uid() != nix::unistd::getuid().as_raw() {
                return Err(io::ErrorKind::PermissionDenied.into());
            }
        }
        let id = self.next_client;
        self.next_client += 1;
        let queue = Queue::default();
        let (from, to) = (stream.try_clone()?, stream.try_clone()?);
        let events = self.events.clone();
        small_thread("client-in", move || {
            let mut is_first = true;
            each_line(BufReader::new(from), |line| {
                if !std::mem::take(&mut is_first) {
                    return events.send(Event::Said(id, line)).is_ok();
                }
                match serde_json::from_slice(&line) {
                    Ok(hello) => events.send(Event::Hello(id, hello)).is_ok(),
                    Err(_) => false,
                }
            });
            let _ = events.send(Event::Left(id));
        })?;
        let lines = queue.clone();
        small_thread("client-out", move || {
            lines.write_to(&to);
            let _ = to.shutdown(Shutdown::Both);
        })?;
        self.clients.insert(id, Client { stream, queue, session: None });
        Ok(())
    }

    fn greeted(&mut self, id: ClientId, hello: Hello) {
        let Some(client) = self.clients.get_mut(&id) else { return };
        match hello {
            Hello::Client { session } => {
                client.session = Some(session);
                client.queue.push(WELCOME.to_owned());
                self.put(Input::Joined(id));
            }
            Hello::Status | Hello::Restart => {
                if matches!(hello, Hello::Restart) {
                    self.put(Input::Restart);
                }
                let status = self.status();
                if let Some(client) = self.clients.get(&id) {
                    client.queue.push(serde_json::to_string(&status).unwrap_or_default());
                    client.queue.close();
                }
            }
        }
    }

    fn status(&self) -> PoolStatus {
        let mut sessions: Vec<String> =
            self.clients.values().filter_map(|client| client.session.clone()).collect();
        sessions.sort();
        PoolStatus {
            name: self.spec.name.clone(),
            pid: std::process::id(),
            server_pid: self.server.as_ref().map(|server| server.pid),
            sessions,
            relay: self.relay.status(),
        }
    }

    /// Has the relay decide, and does what it wants.
    fn put(&mut self, input: Input<'_>) {
        let now = self.now();
        for output in self.relay.handle(now, input) {
            match output {
                Output::ToClient(id, line) => {
                    let Some(client) = self.clients.get(&id) else { continue };
                    if !client.queue.push(line) {
                        tracing::warn!(
                            session = client.session,
                            "a client that doesn't read is disconnected"
                        );
                        // Its reader finds that out, and reports that it left.
                        let _ = client.stream.shutdown(Shutdown::Both);
                    }
                }
                Output::ToClientIfRoom(id, line) => {
                    if let Some(client) = self.clients.get(&id) {
                        client.queue.push_if_room(line);
                    }
                }
                Output::ToServer(line) => {
                    let Some(server) = &self.server else { continue };
                    if !server.stdin.push(line) {
                        tracing::warn!("a shared server that doesn't read is ended");
                        self.end_server();
                    }
                }
                Output::Start => self.start(),
                Output::End => self.end_server(),
                Output::Done => self.is_done = true,
            }
        }
        if self.relay.given_up().is_some() != self.is_noted {
            self.is_noted = !self.is_noted;
            if let Err(error) = self.note_given_up() {
                tracing::warn!(%error, "can't tell that a shared server was given up");
            }
        }
    }
}
