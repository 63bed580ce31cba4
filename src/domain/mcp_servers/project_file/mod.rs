//! A project's `.mcp.json`, which belongs to all who have the project: one server is put in or taken out, and every other byte
//! stays. In doubt nothing is changed.
//!
//! Invariant: what is written means what was there with that one server more or less; a text for which that doesn't hold is
//! never returned.

mod entry;
mod splice;
#[cfg(test)]
mod tests;

use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

use super::digest::digest;
use splice::{Found, Style};

pub use entry::{NotForProject, project_entry};

/// The name of the file, in the project's folder.
pub const FILE: &str = ".mcp.json";
/// The key that has the servers.
const KEY: &str = "mcpServers";

/// What was written into a file, so that it can be taken out again to the byte.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Written {
    /// Names the definition, as [`super::servers_in`] does.
    pub digest: String,
    /// The text that was put in, and what had been in its place.
    inserted: String,
    replaced: String,
    /// What had to be made for it.
    pub made: Made,
}

/// What of the file is deck's as well, and goes when it gets empty.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Made {
    Nothing,
    /// The key that has the servers.
    Key,
    File,
}

/// A server that deck has written into a project's file.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct ProjectServer {
    /// The file's real path.
    pub file: String,
    pub name: String,
    pub written: Written,
}

/// A change of a file of the user's, so that it can be undone.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct FileChange {
    pub file: String,
    /// A copy from before; none if there was no file.
    pub backup: Option<String>,
    /// The checksum of what was written; none if it was removed.
    pub after: Option<String>,
    /// What deck had written into it before.
    pub servers: Vec<ProjectServer>,
}

/// Why a file is left as it is.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum Unchanged {
    #[error("it can't be read as JSON: {0}")]
    NoJson(String),
    #[error("it is no object with an object `mcpServers`")]
    OtherShape,
    #[error("it has {0:?} twice")]
    Twice(String),
    #[error("it has another definition of this name, which differs in {0}")]
    Taken(String),
    #[error("it has no server of this name")]
    Missing,
    #[error("its definition is not, or no more, the one that was put there")]
    NotOurs,
    #[error("it can't be changed without touching something else")]
    Unsafe,
}

/// The text with this server in it, and what was written; none if it has just this one already. `text` is none if there is no
/// file. Another definition of the name is kept, unless `replace`.
///
/// # Errors
/// [`Unchanged`].
pub fn with_server(
    text: Option<&str>,
    name: &str,
    definition: &Value,
    replace: bool,
) -> Result<Option<(String, Written)>, Unchanged> {
    let written = |inserted: String, replaced: &str, made| Written {
        digest: digest(definition),
        inserted,
        replaced: replaced.to_owned(),
        made,
    };
    let Some(old) = text.filter(|text| !text.trim().is_empty()) else {
        let whole = serde_json::json!({ KEY: { name: definition } });
        let new = format!("{}\n", Style::default().pretty(&whole, ""));
        let made = if text.is_none() { Made::File } else { Made::Key };
        let kept = written(new.clone(), text.unwrap_or_default(), made);
        return Ok(Some((new, kept)));
    };
    let file = splice::read(old)?;
    let style = Style::of(old);
    let (at, inserted, made) = match file.find(KEY, name)? {
        Found::Server(value) => {
            let theirs = old.get(value.clone()).and_then(|t| serde_json::from_str::<Value>(t).ok());
            match theirs {
                Some(theirs) if theirs == *definition => return Ok(None),
                theirs if !replace => {
                    return Err(Unchanged::Taken(differences(theirs.as_ref(), definition)));
                }
                _ => {}
            }
            let indent = style.indent_at(old, value.start);
            (value, style.pretty(definition, &indent), Made::Nothing)
        }
        Found::Servers(object) => {
            let (at, text) = style.property(old, &object, name, definition);
            (at, text, Made::Nothing)
        }
        Found::Root(object) => {
            let servers = Value::Object(Map::from_iter([(name.to_owned(), definition.clone())]));
            let (at, text) = style.property(old, &object, KEY, &servers);
            (at, text, Made::Key)
        }
    };
    let replaced = old.get(at.clone()).unwrap_or_default().to_owned();
    let new = splice::splice(old, at, &inserted).ok_or(Unchanged::Unsafe)?;
    let mut wanted = value_of(old)?;
    let servers =
        wanted.as_object_mut().map(|root| root.entry(KEY).or_insert_with(|| Value::Object(Map::new())));
    if let Some(servers) = servers.and_then(Value::as_object_mut) {
        servers.insert(name.to_owned(), definition.clone());
    }
    if value_of(&new)? != wanted {
        return Err(Unchanged::Unsafe);
    }
    Ok(Some((new, written(inserted, &replaced, made))))
}

/// The text without this server, as long as it is still what was written; none if nothing of the file is left that isn't
/// deck's.
///
/// # Errors
/// [`Unchanged`].
pub fn without_server(text: &str, name: &str, written: &Written) -> Result<Option<String>, Unchanged> {
    let file = splice::read(text)?;
    let Found::Server(value) = file.find(KEY, name)? else { return Err(Unchanged::Missing) };
    let now = text.get(value).and_then(|t| serde_json::from_str::<Value>(t).ok());
    if now.is_none_or(|now| digest(&now) != written.digest) {
        return Err(Unchanged::NotOurs);
    }
    let old = value_of(text)?;
    let rest = without(&old, name, written.made);
    if written.made == Made::File && rest.as_object().is_some_and(Map::is_empty) {
        return Ok(None);
    }
    // As it was, wherever that text is still there.
    for (at, _) in text.rmatch_indices(&written.inserted) {
        let end = at + written.inserted.len();
        let new = splice::splice(text, at..end, &written.replaced);
        if let Some(new) = new
            && takes_back(&old, &new, name, written)
        {
            return Ok(Some(new));
        }
    }
    let new = file.remove(text, KEY, name).ok_or(Unchanged::Unsafe)?;
    let is_empty = |value: &Value| value.get(KEY).and_then(Value::as_object).is_some_and(Map::is_empty);
    let new = if written.made != Made::Nothing && is_empty(&value_of(&new)?) {
        splice::read(&new)?.remove_key(&new, KEY).ok_or(Unchanged::Unsafe)?
    } else {
        new
    };
    if value_of(&new)? == rest { Ok(Some(new)) } else { Err(Unchanged::Unsafe) }
}

/// Whether a text is what was there before: without the server, or with the one that it took the place of.
fn takes_back(old: &Value, new: &str, name: &str, written: &Written) -> bool {
    if new.trim().is_empty() {
        return written.replaced.trim().is_empty();
    }
    let Ok(mut new) = value_of(new) else { return false };
    let mut wanted = without(old, name, written.made);
    // What it replaced is of another definition, and only that may be there again.
    for value in [&mut new, &mut wanted] {
        if let Some(servers) = value.get_mut(KEY).and_then(Value::as_object_mut) {
            servers.remove(name);
        }
    }
    new == wanted
}

/// A file's meaning without a server.
fn without(value: &Value, name: &str, made: Made) -> Value {
    let mut value = value.clone();
    if let Some(root) = value.as_object_mut() {
        let is_empty = root.get_mut(KEY).and_then(Value::as_object_mut).is_some_and(|servers| {
            servers.shift_remove(name);
            servers.is_empty()
        });
        if is_empty && made != Made::Nothing {
            root.shift_remove(KEY);
        }
    }
    value
}

fn value_of(text: &str) -> Result<Value, Unchanged> {
    serde_json::from_str(text).map_err(|error| Unchanged::NoJson(error.to_string()))
}

/// The keys by which two definitions differ; values may be secret.
fn differences(theirs: Option<&Value>, ours: &Value) -> String {
    let (Some(theirs), Some(ours)) = (theirs.and_then(Value::as_object), ours.as_object()) else {
        return "everything".to_owned();
    };
    let mut keys: Vec<&str> = theirs.keys().chain(ours.keys()).map(String::as_str).collect();
    keys.sort_unstable();
    keys.dedup();
    keys.retain(|key| theirs.get(*key) != ours.get(*key));
    keys.join(", ")
}
