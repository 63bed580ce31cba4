//! A server as it is to be run, from a session's file of servers.

use std::collections::BTreeMap;
use std::path::Path;

use crate::domain::env_file::env_lines;
use crate::domain::mcp_servers::{Place, Prepared, SetFile, prepare};
use crate::sys::{files, spawn};

/// The most that is read of such a file, in bytes.
const MAX_BYTES: u64 = 16 * 1024 * 1024;

/// This process's environment, as far as it is text.
pub(super) fn environment() -> BTreeMap<String, String> {
    let text = |(name, value): (std::ffi::OsString, std::ffi::OsString)| {
        Some((name.into_string().ok()?, value.into_string().ok()?))
    };
    std::env::vars_os().filter_map(text).collect()
}

/// The server `name` of the session's file, with all filled in that its definition leaves open.
///
/// # Errors
/// Words for the agent's user.
pub(super) fn prepared(name: &str, set: &Path, env: &BTreeMap<String, String>) -> Result<Prepared, String> {
    let file = files::read_text(set, MAX_BYTES)
        .map_err(|error| format!("can't read {}: {error}; restart the session", set.display()))?;
    let file =
        SetFile::parse(&file).map_err(|why| format!("{}: {why}; restart the session", set.display()))?;
    let Some(server) = file.servers.get(name) else {
        return Err(format!("{} has no server of this name; restart the session", set.display()));
    };
    let home = env.get("HOME").map_or("/", String::as_str);
    let place = Place { project: &file.project, home };
    let more = match server.env_file.as_str() {
        "" => BTreeMap::new(),
        path => {
            let path = place.fill(path);
            let text = files::read_text(Path::new(&path), MAX_BYTES)
                .map_err(|error| format!("can't read its file of variables {path}: {error}"))?;
            env_lines(&text)
        }
    };
    let ready = prepare(server, place, env, &more)
        .map_err(|missing| format!("{missing}: export it before you start the session"))?;
    let dir = Path::new(&ready.dir);
    if !dir.is_dir() {
        return Err(format!("its folder {} doesn't exist", ready.dir));
    }
    let path = ready.env.get("PATH").map_or("/usr/bin:/bin", String::as_str);
    if spawn::find_program(&ready.program, path, dir).is_none() {
        return Err(format!("its program {:?} was not found; searched PATH={path}", ready.program));
    }
    Ok(ready)
}
