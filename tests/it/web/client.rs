//! A server of a sandbox, and who asks it.

use std::io::{BufRead, BufReader, Read, Write};
use std::net::TcpStream;
use std::process::{Child, Stdio};
use std::time::{Duration, Instant};

use serde_json::{Value, json};
use tungstenite::client::IntoClientRequest;
use tungstenite::{Message, WebSocket};

use crate::support::Sandbox;

/// How long an answer may take on a busy machine.
pub const LIMIT: Duration = Duration::from_secs(120);

/// `deck serve`, which ends with this.
pub struct Server {
    child: Child,
    pub port: u16,
    pub pair: String,
    pub token: String,
}

/// An answer.
#[derive(Debug)]
pub struct Answer {
    pub status: u16,
    pub headers: Vec<(String, String)>,
    pub body: String,
}

impl Answer {
    pub fn json(&self) -> Value {
        serde_json::from_str(&self.body).unwrap_or_else(|e| panic!("{e}: {self:?}"))
    }

    pub fn header(&self, name: &str) -> Option<&str> {
        self.headers.iter().find(|(key, _)| key == name).map(|(_, value)| value.as_str())
    }

    #[track_caller]
    pub fn ok(&self) -> Value {
        assert!((200..300).contains(&self.status), "{self:?}");
        self.json()
    }

    #[track_caller]
    pub fn fails(&self, status: u16) -> Value {
        assert_eq!(self.status, status, "{self:?}");
        self.json()["error"].clone()
    }
}

/// A request.
#[derive(Clone)]
pub struct Ask<'a> {
    pub method: &'a str,
    pub path: String,
    /// None for the right one.
    pub host: Option<String>,
    pub headers: Vec<(String, String)>,
    pub body: Option<String>,
}

impl<'a> Ask<'a> {
    pub fn new(method: &'a str, path: &str) -> Self {
        Self { method, path: path.to_owned(), host: None, headers: Vec::new(), body: None }
    }

    pub fn header(mut self, name: &str, value: &str) -> Self {
        self.headers.push((name.to_owned(), value.to_owned()));
        self
    }

    pub fn host(self, host: &str) -> Self {
        Self { host: Some(host.to_owned()), ..self }
    }

    pub fn body(self, body: &Value) -> Self {
        self.text(&body.to_string()).header("content-type", "application/json")
    }

    pub fn text(self, body: &str) -> Self {
        Self { body: Some(body.to_owned()), ..self }
    }
}

impl Server {
    pub fn start(s: &Sandbox, args: &[&str]) -> Self {
        let mut all = vec!["serve", "--listen", "127.0.0.1:0", "--json"];
        all.extend(args);
        let mut command = s.command(env!("CARGO_BIN_EXE_deck"));
        command.args(all).stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::null());
        let mut child = command.spawn().unwrap();
        let mut line = String::new();
        BufReader::new(child.stdout.take().unwrap()).read_line(&mut line).unwrap();
        let said: Value = serde_json::from_str(&line).unwrap_or_else(|e| panic!("{e}: {line:?}"));
        let port = said["url"].as_str().unwrap().rsplit(':').next().unwrap().parse().unwrap();
        let token = s.deck(&["serve", "token"]).ok().trim().to_owned();
        Self { child, port, pair: said["pair"].as_str().unwrap().to_owned(), token }
    }

    pub fn pid(&self) -> u32 {
        self.child.id()
    }

    /// Ends it at once, as if it had crashed.
    pub fn kill(&mut self) {
        self.child.kill().unwrap();
        self.child.wait().unwrap();
    }

    pub fn wait(&mut self) -> std::process::ExitStatus {
        self.child.wait().unwrap()
    }

    pub fn origin(&self) -> String {
        format!("http://127.0.0.1:{}", self.port)
    }

    /// A request as it is written.
    fn text(&self, ask: &Ask<'_>) -> String {
        let host = ask.host.clone().unwrap_or_else(|| format!("127.0.0.1:{}", self.port));
        let mut text =
            format!("{} {} HTTP/1.1\r\nhost: {host}\r\nconnection: close\r\n", ask.method, ask.path);
        for (name, value) in &ask.headers {
            text.push_str(&format!("{name}: {value}\r\n"));
        }
        let body = ask.body.as_deref().unwrap_or_default();
        text.push_str(&format!("content-length: {}\r\n\r\n{body}", body.len()));
        text
    }

    /// Asks, as it is.
    pub fn raw(&self, ask: &Ask<'_>) -> Answer {
        let mut stream = TcpStream::connect(("127.0.0.1", self.port)).unwrap();
        stream.set_read_timeout(Some(LIMIT)).unwrap();
        stream.write_all(self.text(ask).as_bytes()).unwrap();
        let mut answer = Vec::new();
        // A server that refuses a body may close before all of it is read.
        let _ = stream.read_to_end(&mut answer);
        let answer = String::from_utf8_lossy(&answer).into_owned();
        let (head, body) = answer.split_once("\r\n\r\n").unwrap_or_else(|| panic!("no answer: {answer:?}"));
        let mut lines = head.lines();
        let status = lines.next().unwrap().split(' ').nth(1).unwrap().parse().unwrap();
        let headers = lines.filter_map(|l| l.split_once(": ")).map(|(k, v)| (k.to_lowercase(), v.to_owned()));
        Answer { status, headers: headers.collect(), body: body.to_owned() }
    }

    /// Asks, and is gone before there is an answer.
    pub fn leave(&self, ask: &Ask<'_>) {
        let mut stream = TcpStream::connect(("127.0.0.1", self.port)).unwrap();
        stream.write_all(self.text(ask).as_bytes()).unwrap();
    }

    /// Asks as a script with the token.
    pub fn ask(&self, ask: Ask<'_>) -> Answer {
        self.raw(&ask.header("authorization", &format!("Bearer {}", self.token)))
    }

    pub fn get(&self, path: &str) -> Answer {
        self.ask(Ask::new("GET", path))
    }

    pub fn post(&self, path: &str, body: Value) -> Answer {
        self.ask(Ask::new("POST", path).body(&body))
    }

    /// Pairs a browser with the address that was printed. Returns its cookie.
    pub fn paired(&self, pair: &str) -> String {
        let code = pair.split_once("#pair=").unwrap().1;
        let ask = Ask::new("POST", "/api/pair").header("origin", &self.origin());
        let answer = self.raw(&ask.body(&json!({ "code": code, "name": "test" })));
        answer.ok();
        let cookie = answer.header("set-cookie").unwrap();
        assert!(cookie.contains("; HttpOnly; SameSite=Strict;"), "{cookie}");
        cookie.split(';').next().unwrap().to_owned()
    }

    /// Opens a socket as a script.
    pub fn socket(&self, path: &str) -> Page {
        let token = format!("Bearer {}", self.token);
        self.socket_with(path, &[("authorization", &token)]).unwrap_or_else(|status| panic!("{status}"))
    }

    /// Opens a socket; the status if it is refused.
    pub fn socket_with(&self, path: &str, headers: &[(&str, &str)]) -> Result<Page, u16> {
        let mut request = format!("ws://127.0.0.1:{}{path}", self.port).into_client_request().unwrap();
        for (name, value) in headers {
            let name: tungstenite::http::HeaderName = name.parse().unwrap();
            request.headers_mut().insert(name, value.parse().unwrap());
        }
        let stream = TcpStream::connect(("127.0.0.1", self.port)).unwrap();
        stream.set_read_timeout(Some(Duration::from_millis(100))).unwrap();
        let mut attempt = tungstenite::client(request, stream);
        loop {
            match attempt {
                Ok((socket, _)) => return Ok(Page { socket, seen: Vec::new() }),
                Err(tungstenite::HandshakeError::Interrupted(mid)) => attempt = mid.handshake(),
                Err(tungstenite::HandshakeError::Failure(tungstenite::Error::Http(answer))) => {
                    return Err(answer.status().as_u16());
                }
                Err(error) => panic!("{error}"),
            }
        }
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        // It may have ended already.
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// A page with a socket.
pub struct Page {
    socket: WebSocket<TcpStream>,
    /// Everything that came.
    pub seen: Vec<Value>,
}

impl Page {
    pub fn send(&mut self, message: &Value) {
        self.send_text(&message.to_string());
    }

    pub fn send_text(&mut self, text: &str) {
        self.socket.send(Message::text(text)).unwrap();
    }

    /// What comes next: a message, or the code with which it is closed; none if nothing came for a moment.
    pub fn next(&mut self) -> Option<Result<Value, u16>> {
        match self.socket.read() {
            Ok(Message::Text(text)) => {
                let value: Value = serde_json::from_str(&text).unwrap();
                self.seen.push(value.clone());
                Some(Ok(value))
            }
            Ok(Message::Close(frame)) => Some(Err(frame.map_or(0, |f| f.code.into()))),
            Ok(_) => None,
            Err(tungstenite::Error::Io(error)) if error.kind() == std::io::ErrorKind::WouldBlock => None,
            Err(_) => Some(Err(0)),
        }
    }

    /// Waits for a message of which something holds.
    #[track_caller]
    pub fn until<T>(&mut self, what: &str, mut is: impl FnMut(&Value) -> Option<T>) -> T {
        let end = Instant::now() + LIMIT;
        while Instant::now() < end {
            match self.next() {
                Some(Ok(value)) => {
                    if let Some(found) = is(&value) {
                        return found;
                    }
                }
                Some(Err(code)) => panic!("{what}: closed with {code} after {:?}", self.seen.last()),
                None => {}
            }
        }
        panic!("{what}: did not come; last {:?}", self.seen.last());
    }

    /// Waits for the end, and returns its code.
    #[track_caller]
    pub fn closed(&mut self) -> u16 {
        let end = Instant::now() + LIMIT;
        while Instant::now() < end {
            if let Some(Err(code)) = self.next() {
                return code;
            }
        }
        panic!("it was not closed");
    }
}

/// What a page shows: an emulator that writes what came.
pub struct Shown {
    pub parser: vt100::Parser,
    pub epoch: u64,
    pub offset: u64,
    pub histories: usize,
}

impl Shown {
    pub fn new() -> Self {
        let cells = |n| std::num::NonZeroU16::new(n).unwrap();
        Self { parser: vt100::Parser::new(cells(24), cells(80), 50_000), epoch: 0, offset: 0, histories: 0 }
    }

    pub fn take(&mut self, message: &Value) {
        let data = message["data"].as_str().unwrap_or_default();
        match message["type"].as_str() {
            Some("history") => {
                let cells = |n: &str| {
                    std::num::NonZeroU16::new(u16::try_from(message[n].as_u64().unwrap()).unwrap()).unwrap()
                };
                self.parser = vt100::Parser::new(cells("rows"), cells("cols"), 50_000);
                self.histories += 1;
            }
            Some("output") => assert_eq!(message["epoch"].as_u64(), Some(self.epoch), "{message}"),
            _ => return,
        }
        self.parser.process(data.as_bytes());
        self.epoch = message["epoch"].as_u64().unwrap();
        self.offset = message["offset"].as_u64().unwrap();
    }

    /// All lines that it has, from the oldest on.
    pub fn lines(&mut self) -> Vec<String> {
        let (_, width) = self.parser.screen().size();
        let rows = |parser: &vt100::Parser| -> Vec<String> {
            parser.screen().rows(0, width.get()).map(|row| row.trim_end().to_owned()).collect()
        };
        self.parser.screen_mut().set_scrollback(usize::MAX);
        let back = self.parser.screen().scrollback();
        let mut all = Vec::new();
        for at in (1..=back).rev() {
            self.parser.screen_mut().set_scrollback(at);
            all.push(rows(&self.parser)[0].clone());
        }
        self.parser.screen_mut().set_scrollback(0);
        all.extend(rows(&self.parser));
        all
    }
}
