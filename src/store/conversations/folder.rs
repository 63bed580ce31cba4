//! The folder of a root's conversations, and the names of their files.
//!
//! Invariant: nothing is read or written through a link, in a folder that somebody else owns, or in one that others may write.

use std::io;
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};

use crate::domain::talk::TalkId;
use crate::ports::conversations::{ConversationsError, Part};
use crate::sys::files;

/// Has git leave all of the folder alone.
const IGNORE: &str = "*\n";

/// Where a root's conversations are.
#[derive(Debug, Clone)]
pub(super) struct Folder {
    pub root: PathBuf,
    pub dir: PathBuf,
}

/// An error of a file, with what was tried.
pub(super) fn failed(action: &'static str, path: &Path) -> impl FnOnce(io::Error) -> ConversationsError {
    let path = path.to_owned();
    move |source| ConversationsError::Io { action, path, source }
}

/// Why a path is not used; none if it is safe or missing.
fn unsafe_path(path: &Path, is_folder: bool) -> Option<String> {
    let meta = path.symlink_metadata().ok()?;
    if meta.is_symlink() {
        return Some("it is a symbolic link".to_owned());
    }
    if is_folder && !meta.is_dir() {
        return Some("it is no folder".to_owned());
    }
    if !is_folder && !meta.is_file() {
        return Some("it is no regular file".to_owned());
    }
    if meta.uid() != nix::unistd::geteuid().as_raw() {
        return Some(format!("it belongs to another user (uid {})", meta.uid()));
    }
    (meta.mode() & 0o022 != 0).then(|| "other users may write it: `chmod go-w` ends that".to_owned())
}

impl Folder {
    /// A root's folder, which need not exist.
    ///
    /// # Errors
    /// [`ConversationsError::Unsafe`].
    pub fn of(root: &Path) -> Result<Self, ConversationsError> {
        let above = root.join(".deck");
        let dir = above.join("conversations");
        for path in [&above, &dir] {
            if let Some(why) = unsafe_path(path, true) {
                return Err(ConversationsError::Unsafe { path: path.clone(), why });
            }
        }
        Ok(Self { root: root.to_owned(), dir })
    }

    /// Makes it, so that git ignores it.
    pub fn make(&self) -> Result<(), ConversationsError> {
        if self.dir.is_dir() {
            return Ok(());
        }
        files::make_dir(&self.dir).map_err(failed("create", &self.dir))?;
        let ignore = self.dir.join(".gitignore");
        files::replace_unsynced(&ignore, IGNORE.as_bytes()).map_err(failed("write", &ignore))
    }

    fn file(&self, kind: &str, id: &TalkId, end: &str) -> PathBuf {
        self.dir.join(format!("{kind}_{id}{end}"))
    }

    pub fn session(&self, id: &TalkId) -> PathBuf {
        self.file("session", id, ".json")
    }

    pub fn log(&self, id: &TalkId) -> PathBuf {
        self.file("chat", id, ".jsonl")
    }

    pub fn archive(&self, id: &TalkId) -> PathBuf {
        self.file("archive", id, ".jsonl")
    }

    pub fn checkpoint(&self, id: &TalkId) -> PathBuf {
        self.file("checkpoint", id, ".json")
    }

    pub fn version(&self, id: &TalkId, version: u64) -> PathBuf {
        self.file("checkpoint", id, &format!(".v{version}.json"))
    }

    pub fn part(&self, id: &TalkId, part: Part) -> PathBuf {
        let kind = match part {
            Part::Context => "context",
            Part::Description => "agent-description",
            Part::Request => "request",
        };
        self.file(kind, id, ".json")
    }

    pub fn lock(&self, id: &TalkId) -> PathBuf {
        self.file("lock", id, "")
    }

    /// What was cut off a log.
    pub fn torn(&self, id: &TalkId) -> PathBuf {
        self.file("torn", id, ".txt")
    }

    pub fn trash(&self) -> PathBuf {
        self.dir.join("trash")
    }

    /// All that there may be of a conversation but its lock and its older checkpoints.
    pub fn all(&self, id: &TalkId) -> Vec<PathBuf> {
        // The log last: without it there is no conversation.
        vec![
            self.session(id),
            self.archive(id),
            self.checkpoint(id),
            self.part(id, Part::Context),
            self.part(id, Part::Description),
            self.part(id, Part::Request),
            self.torn(id),
            self.log(id),
        ]
    }

    /// The ids of the logs that are there, sorted.
    pub fn ids(&self) -> Result<Vec<TalkId>, ConversationsError> {
        let entries = match std::fs::read_dir(&self.dir) {
            Ok(entries) => entries,
            Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(Vec::new()),
            Err(error) => return Err(failed("list", &self.dir)(error)),
        };
        let names = entries.flatten().filter_map(|entry| entry.file_name().into_string().ok());
        let mut ids: Vec<TalkId> = names
            .filter_map(|name| TalkId::parse(name.strip_prefix("chat_")?.strip_suffix(".jsonl")?))
            .collect();
        ids.sort();
        Ok(ids)
    }

    /// Refuses files of a conversation that somebody else could have put there.
    pub fn check(&self, id: &TalkId) -> Result<(), ConversationsError> {
        for path in [self.log(id), self.session(id), self.checkpoint(id), self.archive(id), self.lock(id)] {
            if let Some(why) = unsafe_path(&path, false) {
                return Err(ConversationsError::Unsafe { path, why });
            }
        }
        Ok(())
    }
}
