//! The set of profiles: one folder each, and the name of the default one.

use std::io;
use std::path::PathBuf;

use serde::{Deserialize, Serialize};

use super::ProfileFile;
use crate::domain::id::ProfileName;
use crate::ports::store::{Store, StoreError};
use crate::sys::files;

/// The folder that holds all profiles.
#[derive(Debug, Clone)]
pub struct Profiles {
    folder: PathBuf,
}

/// What can't be done with a profile.
#[derive(Debug, thiserror::Error)]
pub enum ProfilesError {
    /// It exists.
    #[error("profile {0:?} already exists")]
    Taken(String),
    /// It doesn't.
    #[error("no profile {0:?}")]
    Missing(String),
    /// It holds sessions.
    #[error("profile {name:?} still holds {}", crate::domain::text::counted(*sessions, "session"))]
    NotEmpty {
        /// The profile.
        name: String,
        /// How many sessions, archived ones counted.
        sessions: usize,
    },
    /// A file could not be read or written.
    #[error(transparent)]
    Store(#[from] StoreError),
}

/// The most that is read of the file with the default profile's name, in bytes.
const MAX_BYTES: u64 = 64 * 1024;

#[derive(Serialize, Deserialize)]
struct DefaultFile {
    name: ProfileName,
}

impl Profiles {
    /// The profiles below `folder`. Nothing is made yet.
    pub fn new(folder: PathBuf) -> Self {
        Self { folder }
    }

    pub fn file(&self, name: &ProfileName) -> ProfileFile {
        ProfileFile::new(&self.folder.join(name.as_str()))
    }

    /// All profiles, by name. The default one exists even before anything was written to it.
    ///
    /// # Errors
    /// [`StoreError`] when the folder can't be read.
    pub fn list(&self) -> Result<Vec<ProfileName>, StoreError> {
        let mut names = vec![self.default_or_first()];
        match std::fs::read_dir(&self.folder) {
            Ok(entries) => {
                let folders = entries.flatten().filter(|e| e.path().is_dir());
                names.extend(folders.filter_map(|e| ProfileName::parse(e.file_name().to_str()?).ok()));
            }
            Err(e) if e.kind() == io::ErrorKind::NotFound => {}
            Err(source) => return Err(StoreError::Io { action: "read", path: self.folder.clone(), source }),
        }
        names.sort();
        names.dedup();
        Ok(names)
    }

    /// Whether a profile's folder exists.
    pub fn exists(&self, name: &ProfileName) -> bool {
        self.folder.join(name.as_str()).is_dir()
    }

    /// The profile that is used when none is named.
    ///
    /// # Errors
    /// [`StoreError`] when its file exists and can't be read.
    pub fn default_name(&self) -> Result<ProfileName, StoreError> {
        let path = self.default_path();
        let text = match files::read_text(&path, MAX_BYTES) {
            Ok(text) => text,
            Err(e) if e.kind() == io::ErrorKind::NotFound => return Ok(ProfileName::default()),
            Err(source) => return Err(StoreError::Io { action: "read", path, source }),
        };
        let parsed = toml::from_str::<DefaultFile>(&text);
        parsed.map(|f| f.name).map_err(|e| StoreError::Io {
            action: "read",
            path,
            source: io::Error::other(e.message().to_owned()),
        })
    }

    /// The same; where its file can't be read, the profile that is the default from the beginning.
    pub fn default_or_first(&self) -> ProfileName {
        self.default_name().unwrap_or_default()
    }

    /// Makes a profile the default.
    ///
    /// # Errors
    /// [`ProfilesError::Missing`] when there is none of that name.
    pub fn set_default(&self, name: &ProfileName) -> Result<(), ProfilesError> {
        if !self.exists(name) && *name != self.default_or_first() {
            return Err(ProfilesError::Missing(name.to_string()));
        }
        self.write_default(name)
    }

    fn write_default(&self, name: &ProfileName) -> Result<(), ProfilesError> {
        let path = self.default_path();
        let io = |source| StoreError::Io { action: "write", path: path.clone(), source };
        files::make_dir(&self.folder).map_err(io)?;
        let text = format!("name = \"{name}\"\n");
        Ok(files::replace(&path, text.as_bytes(), || Ok(())).map_err(io)?)
    }

    /// Makes an empty profile.
    ///
    /// # Errors
    /// [`ProfilesError::Taken`] when it exists.
    pub fn add(&self, name: &ProfileName) -> Result<(), ProfilesError> {
        if self.exists(name) {
            return Err(ProfilesError::Taken(name.to_string()));
        }
        self.file(name).change(&mut |_| true)?;
        Ok(())
    }

    /// Gives a profile another name. Its sessions keep running; `moved` is called under the new name's
    /// file before the old one is gone.
    ///
    /// # Errors
    /// [`ProfilesError`] when the old one is missing or the new one taken.
    pub fn rename(&self, from: &ProfileName, to: &ProfileName) -> Result<(), ProfilesError> {
        if !self.exists(from) {
            return Err(ProfilesError::Missing(from.to_string()));
        }
        if self.exists(to) {
            return Err(ProfilesError::Taken(to.to_string()));
        }
        let was_default = self.default_or_first() == *from;
        let (old, new) = (self.folder.join(from.as_str()), self.folder.join(to.as_str()));
        std::fs::rename(&old, &new).map_err(|source| StoreError::Io {
            action: "rename",
            path: old,
            source,
        })?;
        if was_default { self.write_default(to) } else { Ok(()) }
    }

    /// Deletes a profile that holds no session: its folder is put aside under a hidden name,
    /// not erased.
    ///
    /// # Errors
    /// [`ProfilesError::NotEmpty`] while it holds sessions.
    pub fn remove(&self, name: &ProfileName, stamp: i64) -> Result<PathBuf, ProfilesError> {
        if !self.exists(name) {
            return Err(ProfilesError::Missing(name.to_string()));
        }
        let loaded = self.file(name).load()?;
        let sessions = loaded.profile.sessions.iter().filter(|s| s.deleted_at.is_none()).count();
        if sessions > 0 {
            return Err(ProfilesError::NotEmpty { name: name.to_string(), sessions });
        }
        let old = self.folder.join(name.as_str());
        let trash = self.folder.join(format!(".deleted-{name}-{stamp}"));
        std::fs::rename(&old, &trash).map_err(|source| StoreError::Io {
            action: "delete",
            path: old,
            source,
        })?;
        Ok(trash)
    }

    fn default_path(&self) -> PathBuf {
        self.folder.join(ProfileName::DEFAULT_FILE)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_life_of_a_profile() {
        let dir = tempfile::tempdir().unwrap();
        let profiles = Profiles::new(dir.path().join("profiles"));
        let name = |n: &str| ProfileName::parse(n).unwrap();
        let list = |p: &Profiles| p.list().unwrap().iter().map(ToString::to_string).collect::<Vec<_>>();
        assert_eq!(list(&profiles), ["default"]);
        profiles.add(&name("work")).unwrap();
        assert!(matches!(profiles.add(&name("work")), Err(ProfilesError::Taken(_))));
        profiles.set_default(&name("work")).unwrap();
        profiles.rename(&name("work"), &name("job")).unwrap();
        assert_eq!(profiles.default_name().unwrap(), name("job"), "the default follows a rename");
        assert!(matches!(profiles.set_default(&name("none")), Err(ProfilesError::Missing(_))));
        assert!(profiles.remove(&name("job"), 1).unwrap().is_dir(), "put aside, not erased");
    }
}
