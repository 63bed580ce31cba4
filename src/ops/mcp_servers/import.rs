//! The servers that agents' own files have, as they could be in the settings. The files are only read.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

use super::agents_files::path_of;
use crate::domain::mcp_servers::{Imported, check_name, import, parse_agent_file};
use crate::ops::Cx;

/// A server of an agent's file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Importable {
    pub name: String,
    /// Where it is.
    pub file: PathBuf,
    /// What it would be, or why it can't be a server of the settings.
    pub server: Result<Imported, String>,
}

/// The keys under which programs keep servers.
const KEYS: &[&str] = &["mcpServers", "mcp_servers", "mcp", "servers"];

/// The servers in a file.
///
/// # Errors
/// Why it can't be read.
pub fn importable_of_file(cx: &Cx, file: &Path) -> Result<Vec<Importable>, String> {
    let text = cx.host.read(file).map_err(|error| error.to_string())?;
    let name = file.file_name().unwrap_or_default().to_string_lossy();
    let value = parse_agent_file(&name, &text)?;
    let servers = KEYS.iter().find_map(|key| value.get(*key)?.as_object());
    Ok(servers.into_iter().flatten().map(|(name, entry)| importable(name, file, entry)).collect())
}

/// The servers that agents find by themselves in a folder: those of one tool, or of all. Where several files have one of the
/// same name, the first is given.
pub fn importable_of_tools(cx: &Cx, tool: Option<&str>, project: &str) -> Vec<Importable> {
    let env: BTreeMap<String, String> = cx.caller.env.iter().cloned().collect();
    let mut known = BTreeSet::new();
    let mut all = Vec::new();
    for entry in cx.tools.all() {
        if tool.is_some_and(|name| name != entry.tool.name) {
            continue;
        }
        for of in &entry.tool.mcp.read {
            let Some(path) = path_of(of, project, &env) else { continue };
            let Ok(text) = cx.host.read(&path) else { continue };
            let name = path.file_name().unwrap_or_default().to_string_lossy().into_owned();
            let value = match parse_agent_file(&name, &text) {
                Ok(value) => value,
                Err(why) => {
                    all.push(Importable { name: String::new(), file: path, server: Err(why) });
                    continue;
                }
            };
            let here = of.at.iter().try_fold(&value, |v, key| v.get(key.replace("{project}", project)));
            for (name, entry) in here.and_then(|v| v.as_object()).into_iter().flatten() {
                if known.insert(name.clone()) {
                    all.push(importable(name, &path, entry));
                }
            }
        }
    }
    all
}

fn importable(name: &str, file: &Path, entry: &serde_json::Value) -> Importable {
    let server = match check_name(name) {
        Ok(()) => import(entry),
        Err(why) => Err(format!("its name {why}")),
    };
    Importable { name: name.to_owned(), file: file.to_owned(), server }
}
