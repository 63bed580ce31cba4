//! A profile on disk.

use std::path::PathBuf;

use crate::domain::profile::Profile;

/// What a load found.
#[derive(Debug, Clone, Default)]
pub struct Loaded {
    /// The profile; an empty one when there is none.
    pub profile: Profile,
    /// Whether it exists on disk.
    pub exists: bool,
    /// What had to be recovered, in a sentence for the user.
    pub recovered: Option<String>,
}

/// What distinguishes one version of the file from another, to notice other writers.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Stamp {
    /// The file's inode.
    pub inode: u64,
    /// Nanoseconds of its last change.
    pub modified: i128,
    /// Its size in bytes.
    pub size: u64,
}

/// What went wrong between deck and its files.
#[derive(Debug, thiserror::Error)]
pub enum StoreError {
    /// A file could not be read, written or locked.
    #[error("can't {action} {path}")]
    Io {
        /// What was tried: "read", "write" …
        action: &'static str,
        /// The file.
        path: PathBuf,
        /// Why it failed.
        #[source]
        source: std::io::Error,
    },
    /// Another process has the file's lock.
    #[error("{path} is {busy}")]
    Busy {
        /// The file.
        path: PathBuf,
        /// Who has it.
        busy: super::Busy,
    },
    /// Another process has the file's lock, and the caller no longer waits for it.
    #[error("interrupted")]
    Cancelled,
    /// The file is from a newer deck.
    #[error("{path} is in format {found}, newer than this deck's {known}; left unchanged")]
    Newer {
        /// The file.
        path: PathBuf,
        /// Its format.
        found: u64,
        /// The newest format known.
        known: u32,
    },
    /// Nothing that was there could be read.
    #[error("{path} has no readable copy left")]
    Lost {
        /// The file.
        path: PathBuf,
    },
}

/// A profile that can be read and changed by many processes at once.
pub trait Store: Send + Sync {
    /// Reads the profile. An unknown one is empty, and nothing is made.
    ///
    /// # Errors
    /// [`StoreError`] when the file exists and can't be read.
    fn load(&self) -> Result<Loaded, StoreError>;

    /// Loads the profile under an exclusive lock, lets `change` alter it, and writes it if that
    /// returns true. The change is on disk when this returns.
    ///
    /// # Errors
    /// [`StoreError`]; the old file is then unchanged.
    fn change(&self, change: &mut dyn FnMut(&mut Profile) -> bool) -> Result<Loaded, StoreError>;

    /// What shows whether the file changed since it was last looked at; `None` when there is none.
    fn stamp(&self) -> Option<Stamp>;

    /// Reads the user's other profiles, except those of a newer deck. Nothing of them is changed, repaired or created.
    ///
    /// # Errors
    /// [`StoreError`] when one exists and can't be read.
    fn others(&self) -> Result<Vec<Profile>, StoreError> {
        Ok(Vec::new())
    }
}

/// Changes a profile: `change` sees the freshly loaded one, and what it makes of it is written
/// unless it fails.
///
/// # Errors
/// What `change` returns, or [`StoreError`].
pub fn transact<T, E: From<StoreError>>(
    store: &dyn Store,
    mut change: impl FnMut(&mut Profile) -> Result<T, E>,
) -> Result<T, E> {
    let mut result = None;
    store.change(&mut |profile| {
        let outcome = change(profile);
        let ok = outcome.is_ok();
        result = Some(outcome);
        ok
    })?;
    // `change` was called exactly once, or `store.change` failed.
    result.unwrap_or_else(|| Err(StoreError::Lost { path: PathBuf::new() }.into()))
}
