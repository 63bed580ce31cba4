//! One profile's `sessions.json`: locked transactions, atomic writes, recovery.

use std::fs::File;
use std::io;
use std::path::{Path, PathBuf};

use jiff::Timestamp;

use super::backups;
use super::format::{self, Unreadable};
use crate::domain::profile::{Profile, SCHEMA_VERSION};
use crate::ports::store::{Loaded, Stamp, Store, StoreError};
use crate::ports::{Cancel, NotTaken};
use crate::sys::{files, lock};

#[derive(Debug, Clone)]
pub struct ProfileFile {
    path: PathBuf,
    now: fn() -> Timestamp,
    cancel: Cancel,
}

/// What reading one copy of the file gave.
enum Copy {
    Good(Box<Profile>),
    Absent,
    Broken(String),
}

impl ProfileFile {
    /// The file in a profile's folder. Nothing is made yet.
    pub fn new(folder: &Path) -> Self {
        Self { path: folder.join("sessions.json"), now: Timestamp::now, cancel: Cancel::default() }
    }

    /// The file for a caller who may stop waiting for its lock.
    #[must_use]
    pub fn until(self, cancel: Cancel) -> Self {
        Self { cancel, ..self }
    }

    /// Where the file is.
    #[cfg(test)]
    pub fn path(&self) -> &Path {
        &self.path
    }

    fn io(&self, action: &'static str) -> impl Fn(io::Error) -> StoreError {
        let path = self.path.clone();
        move |source| StoreError::Io { action, path: path.clone(), source }
    }

    fn folder(&self) -> &Path {
        self.path.parent().unwrap_or(Path::new("."))
    }

    /// Takes the lock beside the file; it is released when the returned file is closed.
    fn lock(&self) -> Result<File, StoreError> {
        let path = self.path.with_file_name("sessions.json.lock");
        let fail = |source| StoreError::Io { action: "lock", path: path.clone(), source };
        let file = files::open_to_append(&path).map_err(fail)?;
        let locked = lock::exclusive(file, lock::PATIENCE, &self.cancel).map_err(fail)?;
        locked.map_err(|why| match why {
            NotTaken::Busy(busy) => StoreError::Busy { path: self.path.clone(), busy },
            NotTaken::Cancelled => StoreError::Cancelled,
        })
    }

    /// Reads one copy. Only what can't be parsed is broken; what can't be read is an error.
    fn read(path: &Path) -> Result<Copy, StoreError> {
        let bytes = match files::read(path, files::MAX_BYTES) {
            Ok(bytes) => bytes,
            Err(e) if e.kind() == io::ErrorKind::NotFound => return Ok(Copy::Absent),
            Err(source) => return Err(StoreError::Io { action: "read", path: path.to_owned(), source }),
        };
        let text = match String::from_utf8(bytes) {
            Ok(text) => text,
            Err(e) => return Ok(Copy::Broken(e.to_string())),
        };
        match format::read(&text) {
            Ok(profile) => Ok(Copy::Good(Box::new(profile))),
            Err(Unreadable::Broken(why)) => Ok(Copy::Broken(why)),
            Err(Unreadable::Newer(found)) => {
                Err(StoreError::Newer { path: path.to_owned(), found, known: SCHEMA_VERSION })
            }
        }
    }

    /// The newest copy that can be read, with its path.
    fn best_backup(&self) -> Result<Option<(Profile, PathBuf)>, StoreError> {
        let dailies = backups::dailies(&self.path).into_iter().rev();
        for path in backups::rolling(&self.path).into_iter().chain(dailies) {
            match Self::read(&path) {
                Ok(Copy::Good(profile)) => return Ok(Some((*profile, path))),
                // A pipe or a folder in a copy's place: there are others.
                Ok(_) | Err(StoreError::Io { .. }) => {}
                Err(newer) => return Err(newer),
            }
        }
        Ok(None)
    }

    /// Reads the profile, from a backup if need be. Changes nothing on disk.
    fn look(&self) -> Result<(Loaded, bool), StoreError> {
        let why = match Self::read(&self.path)? {
            Copy::Good(profile) => {
                return Ok((Loaded { profile: *profile, exists: true, recovered: None }, false));
            }
            Copy::Absent => "it was missing".to_owned(),
            Copy::Broken(why) => format!("it can't be read ({why})"),
        };
        let broken = self.path.exists();
        let path = self.path.display();
        match self.best_backup()? {
            Some((profile, from)) => {
                let from = from.file_name().unwrap_or_default().to_string_lossy().into_owned();
                let recovered = Some(format!("{path} was recovered from {from}: {why}"));
                Ok((Loaded { profile, exists: true, recovered }, true))
            }
            None if broken => {
                let recovered =
                    Some(format!("{path} couldn't be recovered ({why}, no backup); starting empty"));
                Ok((Loaded { profile: Profile::default(), exists: true, recovered }, true))
            }
            None => Ok((Loaded::default(), false)),
        }
    }

    /// Reads under the lock; a recovered profile is written back, the broken file kept aside.
    fn load_locked(&self) -> Result<Loaded, StoreError> {
        let (mut loaded, recovered) = self.look()?;
        if recovered {
            if self.path.exists() {
                let aside = backups::put_aside(&self.path, (self.now)()).map_err(self.io("set aside"))?;
                let aside = aside.file_name().unwrap_or_default().to_string_lossy().into_owned();
                if let Some(text) = &mut loaded.recovered {
                    text.push_str(&format!("; the broken file is kept as {aside}"));
                }
            }
            // The backups stay as they are: they are what it was recovered from.
            let bytes = format::write(&loaded.profile);
            files::replace(&self.path, bytes.as_bytes(), || Ok(())).map_err(self.io("write"))?;
        }
        Ok(loaded)
    }

    fn write(&self, profile: &mut Profile) -> Result<(), StoreError> {
        let now = (self.now)();
        profile.revision += 1;
        profile.purge(now);
        backups::daily(&self.path, now).map_err(self.io("back up"))?;
        let text = format::write(profile);
        files::replace(&self.path, text.as_bytes(), || backups::rotate(&self.path)).map_err(self.io("write"))
    }
}

impl Store for ProfileFile {
    fn load(&self) -> Result<Loaded, StoreError> {
        let (loaded, recovered) = self.look()?;
        if !recovered {
            return Ok(loaded);
        }
        // Two decks may find the broken file at once: the one that gets the lock first fixes it. A
        // folder that can't be written still shows what was recovered.
        match self.lock() {
            Ok(_lock) => self.load_locked().or(Ok(loaded)),
            Err(_) => Ok(loaded),
        }
    }

    fn change(&self, change: &mut dyn FnMut(&mut Profile) -> bool) -> Result<Loaded, StoreError> {
        files::make_dir(self.folder()).map_err(self.io("create the folder of"))?;
        let _lock = self.lock()?;
        let mut loaded = self.load_locked()?;
        if change(&mut loaded.profile) {
            self.write(&mut loaded.profile)?;
            loaded.exists = true;
        }
        Ok(loaded)
    }

    fn stamp(&self) -> Option<Stamp> {
        files::stamp(&self.path)
    }

    fn others(&self) -> Result<Vec<Profile>, StoreError> {
        let own = self.folder();
        let Some(all) = own.parent() else { return Ok(Vec::new()) };
        let entries = match std::fs::read_dir(all) {
            Err(e) if e.kind() == io::ErrorKind::NotFound => return Ok(Vec::new()),
            other => {
                other.map_err(|source| StoreError::Io { action: "list", path: all.to_owned(), source })?
            }
        };
        let folders = entries.flatten().map(|e| e.path());
        let others = folders.filter(|f| f != own && f.is_dir());
        let read = |folder: PathBuf| match Self::new(&folder).look() {
            Ok((loaded, _)) => Some(Ok(loaded.profile)),
            Err(error @ StoreError::Newer { .. }) => {
                tracing::warn!(%error, "another profile was skipped");
                None
            }
            Err(error) => Some(Err(error)),
        };
        others.filter_map(read).collect()
    }
}

#[cfg(test)]
#[path = "profile_file_tests.rs"]
mod tests;
