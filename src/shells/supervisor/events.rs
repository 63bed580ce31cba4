//! The signals that a supervisor hears, as bytes in pipes, so that one `poll` waits for all there is.

use std::io::{self, Read};
use std::os::unix::net::UnixStream;

use signal_hook::consts::{SIGCHLD, SIGHUP, SIGINT, SIGTERM};
use signal_hook::low_level::pipe;

/// Two pipes.
#[derive(Debug)]
pub struct Events {
    /// A child has ended.
    pub child: UnixStream,
    /// Somebody wants this process to end.
    pub end: UnixStream,
}

impl Events {
    pub fn listen() -> io::Result<Self> {
        let pair = |signals: &[i32]| {
            let (reader, writer) = UnixStream::pair()?;
            reader.set_nonblocking(true)?;
            for signal in signals {
                pipe::register(*signal, writer.try_clone()?)?;
            }
            Ok::<_, io::Error>(reader)
        };
        Ok(Self { child: pair(&[SIGCHLD])?, end: pair(&[SIGTERM, SIGINT, SIGHUP])? })
    }
}

/// Empties such a pipe. Returns whether there was anything.
pub fn take(pipe: &mut UnixStream) -> bool {
    let mut bytes = [0; 64];
    let mut any = false;
    while pipe.read(&mut bytes).is_ok_and(|n| n > 0) {
        any = true;
    }
    any
}
