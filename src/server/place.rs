//! Where the web deck keeps its files, and which server there is.
//!
//! Invariant: one server a home. It holds a lock for as long as it lives, so whoever finds the lock free knows that there is
//! none, whatever the file says. Where the lock is held, the file may still be that of a server before: it counts only if its
//! process lives.

use std::fs::File;
use std::io;
use std::path::PathBuf;
use std::time::{Duration, Instant};

use serde::{Deserialize, Serialize};

use crate::ops::Cancel;
use crate::ports::Clock as _;
use crate::sys::clock::SystemClock;
use crate::sys::{files, lock, process};

/// The most that is read of one of these files, in bytes.
const MAX_BYTES: u64 = 1024 * 1024;
/// How long other processes may take that change the files.
const PATIENCE: Duration = Duration::from_secs(5);
/// Between two tries to take the lock.
const RETRY_INTERVAL: Duration = Duration::from_millis(20);

/// The folder with the files of the web deck.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Place(PathBuf);

/// A server that runs, as it says itself.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Running {
    pub pid: u32,
    /// When that process was started, in clock ticks since boot, where that can be seen: ids are used again.
    #[serde(default)]
    pub started: Option<u64>,
    /// Its address.
    pub url: String,
    /// The port that it listens on.
    pub port: u16,
    pub read_only: bool,
}

impl Running {
    /// This process, which serves at an address.
    pub(super) fn this(url: String, port: u16, read_only: bool) -> Self {
        let pid = std::process::id();
        Self { pid, started: started(pid), url, port, read_only }
    }

    /// Whether its process lives.
    pub fn lives(&self) -> bool {
        let pid = i32::try_from(self.pid).unwrap_or(0);
        process::lives(pid) && (self.started.is_none() || self.started == started(self.pid))
    }
}

fn started(pid: u32) -> Option<u64> {
    process::stat(i32::try_from(pid).ok()?).map(|stat| stat.start)
}

impl Place {
    /// In the state folder.
    pub fn in_state(state: &std::path::Path) -> Self {
        Self(state.join("web"))
    }

    pub(super) fn folder(&self) -> &std::path::Path {
        &self.0
    }

    /// Takes the lock of the one server. What only looks whether there is one holds it for a moment, too, and is waited for.
    ///
    /// # Errors
    /// The system's; none with the server that has it.
    pub(super) fn take(&self) -> io::Result<Result<File, Option<Running>>> {
        self.take_pausing(|| SystemClock.pause(RETRY_INTERVAL))
    }

    fn take_pausing(&self, mut pause: impl FnMut()) -> io::Result<Result<File, Option<Running>>> {
        files::make_dir(&self.0)?;
        let until = Instant::now() + PATIENCE;
        loop {
            if let Some(file) = self.try_take()? {
                // What a server left that was killed.
                self.clear()?;
                return Ok(Ok(file));
            }
            let running = self.written();
            if running.is_some() || Instant::now() > until {
                return Ok(Err(running));
            }
            pause();
        }
    }

    fn try_take(&self) -> io::Result<Option<File>> {
        let file = lock::file(&self.0.join("serve.lock"))?;
        Ok(lock::exclusive(file, Duration::ZERO, &Cancel::default())?.ok())
    }

    /// The server that runs. One that is only starting is none yet.
    ///
    /// # Errors
    /// The system's.
    pub fn running(&self) -> io::Result<Option<Running>> {
        if !self.0.join("serve.lock").exists() || self.try_take()?.is_some() {
            return Ok(None);
        }
        Ok(self.written())
    }

    /// The server that the file names, if its process lives.
    fn written(&self) -> Option<Running> {
        let text = files::read_text(&self.0.join("serve.json"), MAX_BYTES).ok()?;
        serde_json::from_str(&text).ok().filter(Running::lives)
    }

    /// Removes the file, for who holds the lock.
    ///
    /// # Errors
    /// The system's.
    pub(super) fn clear(&self) -> io::Result<()> {
        match std::fs::remove_file(self.0.join("serve.json")) {
            Err(error) if error.kind() != io::ErrorKind::NotFound => Err(error),
            _ => Ok(()),
        }
    }

    /// Says which server runs.
    ///
    /// # Errors
    /// The system's.
    pub(super) fn write(&self, running: &Running) -> io::Result<()> {
        self.write_json("serve.json", running)
    }

    /// The token of scripts, which is made if there is none.
    ///
    /// # Errors
    /// The system's.
    pub fn token(&self) -> io::Result<String> {
        let path = self.0.join("token");
        match files::read_text(&path, MAX_BYTES) {
            Ok(text) if text.trim().len() >= 43 => Ok(text.trim().to_owned()),
            Ok(_) => Err(io::Error::other(format!("{} holds no token; delete it", path.display()))),
            Err(error) if error.kind() == io::ErrorKind::NotFound => {
                files::make_dir(&self.0)?;
                let token = super::secret::new(32)?;
                files::replace(&path, format!("{token}\n").as_bytes(), || Ok(()))?;
                Ok(token)
            }
            Err(error) => Err(error),
        }
    }

    pub(super) fn read_json<T: for<'a> Deserialize<'a> + Default>(&self, name: &str) -> io::Result<T> {
        match files::read_text(&self.0.join(name), MAX_BYTES) {
            Ok(text) => serde_json::from_str(&text).map_err(|error| {
                io::Error::other(format!("{} can't be read: {error}", self.0.join(name).display()))
            }),
            Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(T::default()),
            Err(error) => Err(error),
        }
    }

    pub(super) fn write_json<T: Serialize>(&self, name: &str, value: &T) -> io::Result<()> {
        files::make_dir(&self.0)?;
        let text = serde_json::to_string_pretty(value).map_err(io::Error::other)?;
        files::replace(&self.0.join(name), format!("{text}\n").as_bytes(), || Ok(()))
    }

    /// Changes a file that several processes write.
    pub(super) fn change_json<T, R>(&self, name: &str, change: impl FnOnce(&mut T) -> R) -> io::Result<R>
    where
        T: for<'a> Deserialize<'a> + Default + Serialize + PartialEq + Clone,
    {
        files::make_dir(&self.0)?;
        let file = lock::file(&self.0.join("files.lock"))?;
        let _held = match lock::exclusive(file, PATIENCE, &Cancel::default())? {
            Ok(held) => held,
            Err(_) => return Err(io::Error::other("another deck is changing the files of the web deck")),
        };
        let mut value: T = self.read_json(name)?;
        let before = value.clone();
        let result = change(&mut value);
        if value != before {
            self.write_json(name, &value)?;
        }
        Ok(result)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn place() -> (tempfile::TempDir, Place) {
        let dir = tempfile::tempdir().unwrap();
        let place = Place::in_state(dir.path());
        files::make_dir(place.folder()).unwrap();
        (dir, place)
    }

    #[test]
    fn what_a_server_left_is_not_taken_for_one_that_is_starting() {
        let (_dir, place) = place();
        let this = Running::this("http://127.0.0.1:1".into(), 1, false);
        let gone = Running { pid: 2_000_000_000, started: None, ..this.clone() };
        let other = Running { started: Some(1), ..this.clone() };
        let starting = place.try_take().unwrap();
        for left in [&gone, &other] {
            place.write(left).unwrap();
            assert_eq!(place.running().unwrap(), None, "{left:?}");
        }
        place.write(&this).unwrap();
        assert_eq!(place.running().unwrap().as_ref(), Some(&this));
        let refused = place.take_pausing(|| panic!("there is a server")).unwrap();
        assert_eq!(refused.unwrap_err(), Some(this));
        drop(starting);
        // A child that another test is just starting has the locked file open for a moment, too.
        let begun = std::time::Instant::now();
        while place.running().unwrap().is_some() {
            assert!(begun.elapsed() < std::time::Duration::from_secs(60), "it is locked no more");
            std::thread::yield_now();
        }
        place.write(&gone).unwrap();
        let _held = place.take().unwrap().unwrap();
        assert!(!place.folder().join("serve.json").exists(), "it is not this server's");
    }

    #[test]
    fn who_only_looks_keeps_no_server_from_starting() {
        let (_dir, place) = place();
        let mut looking = place.try_take().unwrap();
        assert!(looking.is_some());
        assert!(place.take_pausing(|| looking = None).unwrap().is_ok());
    }
}
