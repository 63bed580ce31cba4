//! A server as it is to be run, from a session's file of servers.

use std::collections::BTreeMap;
use std::path::Path;

use super::pool::Spec;
use crate::domain::env_file::env_lines;
use crate::domain::mcp_servers::{
    Definition, Place, Prepared, Seconds, SetFile, Share, checksum, is_passed_on, prepare,
};
use crate::sys::{files, spawn};

/// The most that is read of such a file, in bytes.
const MAX_BYTES: u64 = 16 * 1024 * 1024;

/// How long a call may take in a shared server, and how long that stays alone, if its definition says nothing.
const TIMEOUT: Seconds = Seconds(300);
const IDLE: Seconds = Seconds(60);

/// A server that is to be run or reached.
pub(super) struct Resolved {
    pub server: Prepared,
    /// The session's id.
    pub session: String,
    /// What its pool is started with, if it is shared.
    pub shared: Option<Spec>,
}

/// What a shared server's pool is started with. Its key is made of all that makes one process another: of what the definition
/// says, of the values that it names, and of who shares it.
fn spec(
    name: &str,
    file: &SetFile,
    definition: &Definition,
    share: Share,
    server: Prepared,
    env: &BTreeMap<String, String>,
) -> Spec {
    let own: BTreeMap<&String, &String> = server.env.iter().filter(|(name, _)| !is_passed_on(name)).collect();
    let who = if share == Share::Project { &file.project } else { "" };
    let all = serde_json::json!([
        definition.digest(),
        own,
        server.args,
        server.dir,
        env.get("HOME"),
        file.pools.run,
        file.pools.profile,
        file.pools.protocol,
        who,
    ]);
    let milliseconds = |time: Option<Seconds>, usual: Seconds| time.unwrap_or(usual).0 * 1000;
    Spec {
        name: name.to_owned(),
        run: file.pools.run.clone().into(),
        key: format!("{name}-{}", checksum(all.to_string().as_bytes())),
        server,
        protocol: file.pools.protocol.clone(),
        parallel: definition.parallel,
        timeout: milliseconds(definition.timeout, TIMEOUT),
        idle: milliseconds(definition.idle, IDLE),
    }
}

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
pub(super) fn resolved(name: &str, set: &Path, env: &BTreeMap<String, String>) -> Result<Resolved, String> {
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
    let shared = match server.share {
        Share::No => None,
        share => Some(spec(name, &file, server, share, ready.clone(), env)),
    };
    Ok(Resolved { server: ready, session: file.session, shared })
}
