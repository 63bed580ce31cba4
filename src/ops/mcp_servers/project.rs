//! MCP servers in a project's own file, for all who have the project. It is the only file of an agent's that is written, and only
//! when its user asks for that.
//!
//! Invariant: the record of what is written, with a copy of what was there, is kept before the file is replaced; it is replaced
//! only in place of the bytes that were looked at.

use std::path::{Path, PathBuf};
use std::time::Duration;

use super::McpServersError;
use crate::domain::guard::Act;
use crate::domain::id::SessionId;
use crate::domain::mcp_servers::checksum;
use crate::domain::mcp_servers::project_file::{
    FILE, FileChange, Made, ProjectServer, project_entry, with_server, without_server,
};
use crate::ops::{Cx, OpError, OpResult, guard};
use crate::ports::folders::Kind;
use crate::ports::transact;

/// The most that such a file may have, in bytes.
const MOST: u64 = 4 * 1024 * 1024;
/// How often it is begun again because another program has just changed the file.
const TRIES: usize = 5;
/// How long another deck that changes the file is waited for.
const LIMIT: Duration = Duration::from_secs(30);

/// What was done to a project's file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ProjectChange {
    pub file: PathBuf,
    /// Whether it was changed.
    pub changed: bool,
    /// A copy of what it was before; none if there was no file.
    pub backup: Option<PathBuf>,
    /// Whether it is gone, since nothing was left in it.
    pub removed: bool,
}

/// What is to be done.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ProjectDeed {
    Attach {
        /// Also in place of another definition.
        replace: bool,
    },
    Detach,
}

/// Puts servers and sets into the file of the project that a session works in, or takes out what was put there.
///
/// # Errors
/// [`McpServersError`], when anything is in doubt; the file is then as it was.
pub fn change_project(
    cx: &Cx,
    session: &SessionId,
    names: &[String],
    deed: ProjectDeed,
) -> OpResult<ProjectChange> {
    let session = cx.session(session)?;
    guard::check(cx, Act::Configure, &session)?;
    let catalogue = cx.mcp_servers.catalogue();
    if deed != ProjectDeed::Detach {
        super::check_words(&catalogue, names)?;
    }
    let mut all: Vec<String> = Vec::new();
    for name in names {
        match name.strip_prefix('@').and_then(|set| catalogue.sets.get(set)) {
            Some(set) => all.extend(set.iter().cloned()),
            None => all.push(name.clone()),
        }
    }
    let file = place(cx, Path::new(&session.project_path))?;
    let lock = cx.installation.run.join(format!("project-{}.lock", checksum(path_bytes(&file))));
    let held = cx.host.hold(&lock, LIMIT, &cx.cancel).map_err(|error| stays(&file, &error))?;
    let held = held.ok_or_else(|| stays(&file, &"another deck is changing it"))?;
    let mut done = Ok(None);
    for _ in 0..TRIES {
        done = once(cx, &file, &all, deed);
        if !matches!(done, Ok(None)) {
            break;
        }
    }
    cx.host.release(&lock, held);
    done?.ok_or_else(|| stays(&file, &"another program keeps changing it"))
}

fn path_bytes(path: &Path) -> &[u8] {
    std::os::unix::ffi::OsStrExt::as_bytes(path.as_os_str())
}

fn stays(file: &Path, why: &dyn std::fmt::Display) -> OpError {
    McpServersError::FileStays { file: file.display().to_string(), why: why.to_string() }.into()
}

/// The file of a project, where it really is: below the project.
fn place(cx: &Cx, project: &Path) -> OpResult<PathBuf> {
    let file = project.join(FILE);
    let real = |path: &Path| cx.host.real_path(path);
    let Some(folder) = real(project).filter(|folder| cx.host.is_dir(folder)) else {
        return Err(stays(&file, &"the project's folder is gone"));
    };
    match cx.folders.kind(&file) {
        None => Ok(folder.join(FILE)),
        Some(Kind::File { .. }) => Ok(folder.join(FILE)),
        Some(Kind::Link) => match real(&file) {
            Some(target) if target.starts_with(&folder) => Ok(target),
            Some(target) => {
                Err(stays(&file, &format!("it is a link to {}, out of the project", target.display())))
            }
            None => Err(stays(&file, &"it is a link that leads nowhere")),
        },
        Some(Kind::Folder | Kind::Other) => Err(stays(&file, &"it is no regular file")),
    }
}

/// The file's bytes; none if there is no file.
fn bytes_of(cx: &Cx, file: &Path) -> OpResult<Option<Vec<u8>>> {
    match cx.folders.kind(file) {
        None => Ok(None),
        Some(Kind::File { len }) if len > MOST => {
            Err(stays(file, &format!("it has more than {} MiB", MOST / 1024 / 1024)))
        }
        Some(Kind::File { .. }) if !cx.folders.is_writable(file) => Err(stays(file, &"you may not write it")),
        Some(_) => match cx.folders.content(file, MOST) {
            Ok(bytes) => Ok(Some(bytes)),
            Err(error) => Err(stays(file, &error)),
        },
    }
}

/// Looks at the file and changes it; none if it was changed by another program meanwhile.
fn once(cx: &Cx, file: &Path, names: &[String], deed: ProjectDeed) -> OpResult<Option<ProjectChange>> {
    let before = bytes_of(cx, file)?;
    let text = before.as_deref().map(std::str::from_utf8).transpose();
    let text = text.map_err(|_| stays(file, &"it is no text"))?;
    let own = file.display().to_string();
    let profile = cx.profile.store.load()?.profile;
    let mut servers: Vec<ProjectServer> =
        profile.project_mcps.iter().filter(|server| server.file == own).cloned().collect();
    let kept = servers.clone();
    let mut now = text.map(str::to_owned);
    for name in names {
        now = match deed {
            ProjectDeed::Attach { replace } => put(cx, &own, now, name, replace, &mut servers)?,
            ProjectDeed::Detach => take(&own, now, name, &mut servers)?,
        };
    }
    let mut change = ProjectChange {
        file: file.to_owned(),
        changed: now.as_deref() != text,
        backup: None,
        removed: now.is_none() && text.is_some(),
    };
    if !change.changed && servers == kept {
        return Ok(Some(change));
    }
    if let Some(text) = text.filter(|_| change.changed) {
        let name = format!("{}-{}.json", checksum(path_bytes(file)), cx.clock.now().as_millisecond());
        let copy = cx.installation.state.join("mcp-backups").join(name);
        cx.host.put(&copy, text).map_err(|error| stays(file, &format!("it can't be copied: {error}")))?;
        change.backup = Some(copy);
    }
    let verb = if deed == ProjectDeed::Detach { "detached" } else { "attached" };
    let words = format!("{verb} {} in {own}", names.join(", "));
    let undo = FileChange {
        file: own.clone(),
        backup: change.backup.as_ref().map(|path| path.display().to_string()),
        after: now.as_deref().map(|text| checksum(text.as_bytes())),
        servers: kept,
    };
    let at = cx.clock.now();
    transact(&*cx.profile.store, |profile| {
        profile.project_mcps.retain(|server| server.file != own);
        profile.project_mcps.extend(servers.clone());
        if change.changed {
            profile.changed_file(at, words.clone(), undo.clone());
        }
        Ok::<_, OpError>(())
    })?;
    let after = now.as_deref().map(str::as_bytes);
    let replaced = cx.folders.replace_same(file, before.as_deref(), after);
    if !matches!(replaced, Ok(true)) {
        // It was left as it is, and so is what is known of it.
        transact(&*cx.profile.store, |profile| {
            profile.project_mcps.retain(|server| server.file != own);
            profile.project_mcps.extend(undo.servers.clone());
            profile.changes.retain(|last| last.file.as_ref() != Some(&undo));
            Ok::<_, OpError>(())
        })?;
    }
    Ok(replaced.map_err(|error| stays(file, &error))?.then_some(change))
}

fn put(
    cx: &Cx,
    file: &str,
    text: Option<String>,
    name: &str,
    replace: bool,
    servers: &mut Vec<ProjectServer>,
) -> OpResult<Option<String>> {
    let catalogue = cx.mcp_servers.catalogue();
    let Some(definition) = catalogue.servers.get(name) else {
        return Err(McpServersError::Unknown { name: name.to_owned(), near: None }.into());
    };
    let entry = project_entry(definition)
        .map_err(|why| McpServersError::NotForProject { name: name.to_owned(), why })?;
    // What deck has put there itself may be brought up to date.
    let is_own = text.as_deref().is_some_and(|text| {
        servers.iter().any(|s| s.name == name && without_server(text, name, &s.written).is_ok())
    });
    let text_now = match servers.iter().position(|s| s.name == name) {
        Some(at) if is_own => {
            let own = servers.remove(at);
            let text = text.as_deref().unwrap_or_default();
            if with_server(Some(text), name, &entry, false).is_ok_and(|same| same.is_none()) {
                servers.insert(at, own);
                return Ok(Some(text.to_owned()));
            }
            without_server(text, name, &own.written).map_err(|why| stays(Path::new(file), &why))?
        }
        _ => text,
    };
    let new = with_server(text_now.as_deref(), name, &entry, replace);
    match new.map_err(|why| stays(Path::new(file), &format!("{name:?}: {why}")))? {
        None => Ok(text_now),
        Some((text, written)) => {
            servers.retain(|s| s.name != name);
            servers.push(ProjectServer { file: file.to_owned(), name: name.to_owned(), written });
            Ok(Some(text))
        }
    }
}

fn take(
    file: &str,
    text: Option<String>,
    name: &str,
    servers: &mut Vec<ProjectServer>,
) -> OpResult<Option<String>> {
    let Some(at) = servers.iter().position(|server| server.name == name) else {
        return Err(McpServersError::NotWritten { file: file.to_owned(), name: name.to_owned() }.into());
    };
    let own = servers.remove(at);
    let rest = match text.as_deref().map(|text| without_server(text, name, &own.written)) {
        // It was taken out by hand, with the file or without.
        None => None,
        Some(Err(crate::domain::mcp_servers::project_file::Unchanged::Missing)) => text,
        Some(rest) => rest.map_err(|why| stays(Path::new(file), &format!("{name:?}: {why}")))?,
    };
    // What was made for it goes with the last one of deck's.
    if own.written.made != Made::Nothing
        && let Some(other) = servers.iter_mut().find(|s| s.written.made == Made::Nothing)
    {
        other.written.made = own.written.made;
    }
    Ok(rest)
}

/// Puts a file back as it was before a change.
///
/// # Errors
/// [`McpServersError::ChangedSince`]; others when it can't be written.
pub(in crate::ops) fn put_back(cx: &Cx, change: &FileChange) -> OpResult<()> {
    let file = Path::new(&change.file);
    let now = match cx.folders.kind(file) {
        None => None,
        Some(_) => Some(cx.folders.content(file, MOST).map_err(|error| stays(file, &error))?),
    };
    let before = match &change.backup {
        None => None,
        Some(copy) => {
            let text = cx.host.read(Path::new(copy));
            let why = |error| format!("the copy from before in {copy} can't be read: {error}");
            Some(text.map_err(|error| stays(file, &why(error)))?.into_bytes())
        }
    };
    // A deck that was ended between both has not written it, or has put it back already.
    if now == before {
        return Ok(());
    }
    let is_left = now.as_deref().map(checksum) == change.after;
    let is_back = is_left
        && cx
            .folders
            .replace_same(file, now.as_deref(), before.as_deref())
            .map_err(|error| stays(file, &error))?;
    if is_back {
        return Ok(());
    }
    Err(McpServersError::ChangedSince { file: change.file.clone(), backup: change.backup.clone() }.into())
}
