//! Where the web deck keeps its files, and which server there is.
//!
//! Invariant: one server a home. It holds a lock for as long as it lives, so whoever finds the lock free knows that there is
//! none, whatever the file says.

use std::fs::File;
use std::io;
use std::path::PathBuf;
use std::time::Duration;

use serde::{Deserialize, Serialize};

use crate::ops::Cancel;
use crate::sys::{files, lock};

/// The most that is read of one of these files, in bytes.
const MAX_BYTES: u64 = 1024 * 1024;
/// How long other processes may take that change the files.
const PATIENCE: Duration = Duration::from_secs(5);

/// The folder with the files of the web deck.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Place(PathBuf);

/// A server that runs, as it says itself.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Running {
    pub pid: u32,
    /// Its address.
    pub url: String,
    /// The port that it listens on.
    pub port: u16,
    pub read_only: bool,
}

impl Place {
    /// In the state folder.
    pub fn in_state(state: &std::path::Path) -> Self {
        Self(state.join("web"))
    }

    pub(super) fn folder(&self) -> &std::path::Path {
        &self.0
    }

    /// Takes the lock of the one server.
    ///
    /// # Errors
    /// The system's; none with the server that has it.
    pub(super) fn take(&self) -> io::Result<Result<File, Option<Running>>> {
        files::make_dir(&self.0)?;
        let file = lock::file(&self.0.join("serve.lock"))?;
        match lock::exclusive(file, Duration::ZERO, &Cancel::default())? {
            Ok(file) => Ok(Ok(file)),
            Err(_) => Ok(Err(self.written())),
        }
    }

    /// The server that runs.
    ///
    /// # Errors
    /// The system's.
    pub fn running(&self) -> io::Result<Option<Running>> {
        if !self.0.join("serve.lock").exists() {
            return Ok(None);
        }
        Ok(self.take()?.err().flatten())
    }

    fn written(&self) -> Option<Running> {
        let text = files::read_text(&self.0.join("serve.json"), MAX_BYTES).ok()?;
        serde_json::from_str(&text).ok()
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
