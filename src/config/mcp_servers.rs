//! The MCP servers and sets of the settings: `[mcps.NAME]`, files `mcps/NAME.toml` beside config.toml, and `[mcp_sets]`.

use std::path::{Path, PathBuf};

use toml::Value;

use super::problem::Problem;
use crate::domain::mcp_servers::{Catalogue, Definition, KEYS, check_name};
use crate::domain::resolve::nearest;
use crate::domain::source_pos::{key_line, unknown};
use crate::sys::files;

/// The most that is read of a server's file, in bytes.
const MAX_BYTES: u64 = 1024 * 1024;

/// The folder with a file for each server, beside the config file.
pub fn mcp_folder(config: &Path) -> PathBuf {
    config.with_file_name("mcps")
}

/// Reads a server's table.
///
/// # Errors
/// The key that is wrong, if it is one, and the words.
pub(super) fn definition(table: &toml::Table) -> Result<Definition, (Option<String>, String)> {
    let keys: Vec<&str> = KEYS.iter().map(|(key, _)| *key).collect();
    if let Some(key) = table.keys().find(|key| !keys.contains(&key.as_str())) {
        return Err((Some(key.clone()), unknown(key, nearest(key, keys))));
    }
    let server: Definition = Value::Table(table.clone())
        .try_into()
        .map_err(|error: toml::de::Error| (None, error.message().to_owned()))?;
    match server.check() {
        Ok(()) => Ok(server),
        Err((key, why)) => Err((Some(key.to_owned()), format!("`{key}` {why}"))),
    }
}

/// Adds the servers that have files of their own.
pub(super) fn add_files(folder: &Path, catalogue: &mut Catalogue, problems: &mut Vec<Problem>) {
    let entries = match std::fs::read_dir(folder) {
        Ok(entries) => entries,
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => return,
        Err(error) => {
            problems.push(Problem::new(folder, None, format!("can't be read: {error}")));
            return;
        }
    };
    let paths = entries.flatten().map(|entry| entry.path());
    let mut paths: Vec<PathBuf> = paths.filter(|p| p.extension().is_some_and(|e| e == "toml")).collect();
    paths.sort();
    for path in paths {
        let name = path.file_stem().unwrap_or_default().to_string_lossy().into_owned();
        let key = format!("mcps.{name}");
        let wrong = |line, words: String| Problem::new(&path, line, words).about(&key);
        let read = || -> Result<Definition, Problem> {
            check_name(&name).map_err(|why| wrong(None, format!("the server's name {name:?} {why}")))?;
            if catalogue.servers.contains_key(&name) {
                return Err(wrong(
                    None,
                    format!("the config file has a server {name:?}, too: that one counts"),
                ));
            }
            let text = files::read_text(&path, MAX_BYTES)
                .map_err(|error| wrong(None, format!("can't be read: {error}")))?;
            let table: toml::Table = toml::from_str(&text)
                .map_err(|error| wrong(None, format!("invalid TOML: {}", error.message())))?;
            definition(&table).map_err(|(key, words)| {
                let line = key.and_then(|key| key_line(&text, &key));
                wrong(line, format!("MCP server {name:?}: {words}"))
            })
        };
        match read() {
            Ok(server) => {
                catalogue.servers.insert(name.clone(), server);
            }
            Err(problem) => problems.push(problem),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_server_has_a_file_of_its_own() {
        let dir = tempfile::tempdir().unwrap();
        let put = |name: &str, text: &str| files::replace_unsynced(&dir.path().join(name), text.as_bytes());
        put("memory.toml", "command = \"npx\"\nargs = [\"-y\", \"x\"]\n").unwrap();
        put("Bad.toml", "command = \"x\"\n").unwrap();
        put("odd.toml", "command = \"x\"\ncomand = \"y\"\n").unwrap();
        put("broken.toml", "command = \n").unwrap();
        put("twice.toml", "command = \"x\"\n").unwrap();
        put("note.txt", "no server").unwrap();
        let mut catalogue = Catalogue::default();
        let own = Definition { command: "own".into(), ..Definition::default() };
        catalogue.servers.insert("twice".into(), own.clone());
        let mut problems = Vec::new();
        add_files(dir.path(), &mut catalogue, &mut problems);
        assert_eq!(catalogue.servers.keys().collect::<Vec<_>>(), ["memory", "twice"]);
        assert_eq!(catalogue.servers["twice"], own);
        let words: Vec<String> = problems.iter().map(|p| p.message.clone()).collect();
        assert_eq!(words.len(), 4, "{words:?}");
        assert!(words[0].contains("\"Bad\" must be 1 to 32 of the characters"), "{words:?}");
        assert!(words[1].starts_with("invalid TOML"), "{words:?}");
        assert!(words[2].contains("unknown key `comand`; did you mean `command`?"), "{words:?}");
        assert_eq!(problems[2].line, Some(2));
        assert!(words[3].contains("that one counts"), "{words:?}");
        add_files(&dir.path().join("none"), &mut catalogue, &mut problems);
        assert_eq!(problems.len(), 4);
    }
}
