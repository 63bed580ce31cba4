//! The life of the server in a pool: its start, what is told of one that was given up, and its end.

use std::io;
use std::time::{Duration, Instant};

use super::{Event, Pool};
use crate::domain::mcp_servers::given_up::{self, GivenUp};
use crate::mcp_servers::server_process::{self, small_thread};
use crate::sys::{files, process};

/// How long the server may take to end by itself when its input ends, and when it is asked to.
const ENDING: Duration = Duration::from_secs(2);

impl Pool {
    /// Tells all decks that the server was given up, or is not any more.
    pub(super) fn note_given_up(&self) -> io::Result<()> {
        let folder = self.spec.run.join(given_up::FOLDER);
        let path = folder.join(format!("{}.json", self.spec.key));
        let Some(why) = self.relay.given_up() else {
            return match std::fs::remove_file(path) {
                Err(error) if error.kind() != io::ErrorKind::NotFound => Err(error),
                _ => Ok(()),
            };
        };
        let status = self.status();
        let note = GivenUp {
            name: status.name,
            why: why.to_owned(),
            pid: i32::try_from(status.pid).unwrap_or_default(),
            sessions: status.sessions,
        };
        files::make_dir(&folder)?;
        files::replace_unsynced(&path, serde_json::to_string(&note)?.as_bytes())
    }

    pub(super) fn start(&mut self) {
        self.generation += 1;
        let started = server_process::start(
            &self.spec.server,
            &self.spec.key,
            self.place.log(),
            self.generation,
            &self.events,
        );
        match started {
            Ok(server) => self.server = Some(server),
            Err(error) => {
                let how = format!("{:?} can't be started: {error}", self.spec.server.program);
                // Not from within the relay's own answer.
                let (events, generation) = (self.events.clone(), self.generation);
                let told = small_thread("not-started", move || {
                    let _ = events.send(Event::ServerEnded(generation, how));
                });
                if let Err(error) = told {
                    tracing::warn!(%error, "can't start a thread");
                }
            }
        }
    }

    /// Ends the server without waiting for it: its end is an event.
    pub(super) fn end_server(&self) {
        let Some(server) = &self.server else { return };
        server.stdin.close();
        let pid = server.pid;
        let ended = small_thread("end-server", move || {
            if let Err(error) = process::end_group(pid) {
                tracing::warn!(%error, pid, "can't end a shared server");
            }
        });
        if let Err(error) = ended {
            tracing::warn!(%error, "can't start a thread");
        }
    }

    /// Ends all that belongs to the pool. Who comes from now on starts another one.
    pub(super) fn end(mut self) {
        // A client that has connected and isn't welcomed finds that it must look again.
        let _ = std::fs::remove_file(self.place.socket());
        if self.is_noted {
            let note = self.spec.run.join(given_up::FOLDER).join(format!("{}.json", self.spec.key));
            let _ = std::fs::remove_file(note);
        }
        if let Some(server) = self.server.take() {
            server.stdin.close();
            let begun = Instant::now();
            let pause = Duration::from_millis(20);
            while process::group_lives(server.pid) && begun.elapsed() < ENDING {
                std::thread::park_timeout(pause);
            }
            if let Err(error) = process::end_group(server.pid) {
                tracing::warn!(%error, "can't end a shared server");
            }
        }
        // What left the group has this process as its parent, also what a server left that was given up.
        let own = i32::try_from(std::process::id()).unwrap_or_default();
        for child in process::all_children(own) {
            let group = process::stat(child).map_or(child, |stat| stat.group);
            if let Err(error) = process::end_group(group) {
                tracing::warn!(%error, child, "can't end what a shared server left");
            }
        }
    }
}
