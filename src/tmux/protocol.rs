//! The control-mode protocol, without I/O: bytes in, replies and notifications out.
//!
//! A reply is `%begin T N F` … `%end T N F` or `%error T N F`; the whole triple must match,
//! since a pane's text may hold such lines (tmux(1), CONTROL MODE). `F` is 1 for commands that
//! came over this connection. Invariants: any chunking of the bytes gives the same messages;
//! no input panics; what isn't understood is passed over.

/// One reply to a command.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Reply {
    /// The server's second.
    pub time: i64,
    /// Whether it was a command of this connection.
    pub own: bool,
    /// Whether it succeeded.
    pub ok: bool,
    /// The lines, raw.
    pub lines: Vec<Vec<u8>>,
}

/// What the server says.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Message {
    /// The end of a command.
    Reply(Reply),
    /// Something happened; the line without its `%`.
    Notice(String),
    /// The server lets this client go, with its reason.
    Exit(String),
}

/// A block that has begun.
#[derive(Debug)]
struct Block {
    mark: Vec<u8>,
    time: i64,
    own: bool,
    lines: Vec<Vec<u8>>,
}

/// Turns bytes into messages.
#[derive(Debug, Default)]
pub struct Parser {
    partial: Vec<u8>,
    block: Option<Block>,
}

impl Parser {
    /// Takes what was read and calls `tell` for each message that it completes.
    pub fn feed(&mut self, bytes: &[u8], mut tell: impl FnMut(Message)) {
        let mut rest = bytes;
        while let Some(at) = rest.iter().position(|b| *b == b'\n') {
            let (line, after) = rest.split_at(at);
            self.partial.extend_from_slice(line);
            let line = std::mem::take(&mut self.partial);
            if let Some(message) = self.line(line) {
                tell(message);
            }
            rest = after.get(1..).unwrap_or_default();
        }
        self.partial.extend_from_slice(rest);
    }

    fn line(&mut self, line: Vec<u8>) -> Option<Message> {
        match &mut self.block {
            Some(block) => {
                let ok = match (line.strip_prefix(b"%end "), line.strip_prefix(b"%error ")) {
                    (Some(mark), _) if mark == block.mark => true,
                    (_, Some(mark)) if mark == block.mark => false,
                    _ => {
                        block.lines.push(line);
                        return None;
                    }
                };
                let Block { time, own, lines, .. } = self.block.take()?;
                Some(Message::Reply(Reply { time, own, ok, lines }))
            }
            None => self.outside(line),
        }
    }

    fn outside(&mut self, line: Vec<u8>) -> Option<Message> {
        // On a terminal tmux opens with a device control string; on pipes it does not.
        let line = line.strip_prefix(b"\x1bP1000p").map(<[u8]>::to_vec).unwrap_or(line);
        if let Some(mark) = line.strip_prefix(b"%begin ") {
            let (time, own) = read_mark(mark)?;
            self.block = Some(Block { mark: mark.to_vec(), time, own, lines: Vec::new() });
            return None;
        }
        let text = String::from_utf8_lossy(line.strip_prefix(b"%")?).into_owned();
        match text.strip_prefix("exit") {
            Some(why) if why.is_empty() || why.starts_with(' ') => Some(Message::Exit(why.trim().to_owned())),
            _ => Some(Message::Notice(text)),
        }
    }
}

/// Reads `T N F`.
fn read_mark(mark: &[u8]) -> Option<(i64, bool)> {
    let text = std::str::from_utf8(mark).ok()?;
    let mut fields = text.split(' ');
    let time = fields.next()?.parse().ok()?;
    fields.next()?.parse::<u64>().ok()?;
    let flags: u64 = fields.next()?.parse().ok()?;
    Some((time, flags & 1 == 1))
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn read(chunks: &[&[u8]]) -> Vec<Message> {
        let mut parser = Parser::default();
        let mut all = Vec::new();
        for chunk in chunks {
            parser.feed(chunk, |m| all.push(m));
        }
        all
    }

    #[test]
    fn a_pane_that_prints_the_protocol_ends_no_block() {
        let stream =
            b"%begin 1 2 1\n%end 1 2 0\n%end 1 3 1\n%begin 1 2 1\n%exit\n%end 1 2 1\n%sessions-changed\n";
        let [Message::Reply(reply), Message::Notice(notice)] = &read(&[stream])[..] else { panic!() };
        assert_eq!(reply.lines.len(), 4);
        assert!(reply.ok && reply.own);
        assert_eq!(notice, "sessions-changed");
    }

    #[test]
    fn errors_exits_and_foreign_lines() {
        let got = read(&[b"noise\n%begin 7 8 0\nno such\n%error 7 8 0\n%exit server exited\n%exiting x\n"]);
        let reply = Reply { time: 7, own: false, ok: false, lines: vec![b"no such".to_vec()] };
        let want = [
            Message::Reply(reply),
            Message::Exit("server exited".into()),
            Message::Notice("exiting x".into()),
        ];
        assert_eq!(got, want);
    }

    #[test]
    fn recorded_streams_read_the_same_however_they_are_cut() {
        let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/fixtures/tmux/3.3a");
        let mut seen = 0;
        for entry in std::fs::read_dir(folder).unwrap() {
            let path = entry.unwrap().path();
            if path.extension().is_none_or(|e| e != "stream") {
                continue;
            }
            seen += 1;
            let bytes = crate::sys::files::read(&path, crate::sys::files::MAX_BYTES).unwrap();
            let whole = read(&[&bytes]);
            assert!(whole.iter().any(|m| matches!(m, Message::Reply(_))), "{path:?}");
            for size in [1, 2, 3, 7, 64] {
                let chunks: Vec<&[u8]> = bytes.chunks(size).collect();
                assert_eq!(read(&chunks), whole, "{path:?} in pieces of {size}");
            }
        }
        assert!(seen >= 5, "{seen} recorded streams");
    }

    proptest! {
        #[test]
        fn arbitrary_bytes_never_panic(bytes in prop::collection::vec(any::<u8>(), 0..400), cut in 1usize..50) {
            let chunks: Vec<&[u8]> = bytes.chunks(cut).collect();
            prop_assert_eq!(read(&chunks), read(&[&bytes]));
        }
    }
}
