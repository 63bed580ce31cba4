//! The roles of conversations: the built-in ones, `[roles.NAME]`, and files `roles/NAME.toml` beside config.toml. Each changes key
//! by key what comes before it.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use toml::Value;

use super::problem::Problem;
use crate::domain::resolve::nearest;
use crate::domain::source_pos::{key_line, unknown};
use crate::domain::talk::{ROLE_KEYS, Role, Roles, builtin_tables, is_word};
use crate::sys::files;

/// The most that is read of a role's file, in bytes.
const MAX_BYTES: u64 = 1024 * 1024;

/// What a role's name must be.
const NAME: &str = "must be 1 to 32 of the characters a-z, 0-9 and _";

/// Why a table is no role: the key that is wrong, if it is one, and the words.
pub(super) type Wrong = (Option<String>, String);

/// A key whose value may be in a file of its own.
fn is_text(key: &str) -> bool {
    matches!(key, "instructions" | "tools")
}

/// Puts the text of `{ file = "…" }` in its place. `dir` is where a relative path begins.
fn with_texts(mut table: toml::Table, dir: &Path) -> Result<toml::Table, Wrong> {
    for (key, value) in &mut table {
        let Some(inner) = value.as_table().filter(|_| is_text(key)) else { continue };
        let file = match (inner.get("file").and_then(Value::as_str), inner.len()) {
            (Some(file), 1) => file,
            _ => {
                return Err((Some(key.clone()), format!("`{key}` must be a text, or {{ file = \"path\" }}")));
            }
        };
        let path = match file.strip_prefix("~/") {
            Some(rest) => std::env::home_dir().unwrap_or_default().join(rest),
            None => dir.join(file),
        };
        let text = files::read_text(&path, MAX_BYTES).map_err(|error| {
            (Some(key.clone()), format!("`{key}`: can't read {}: {error}", path.display()))
        })?;
        *value = Value::String(text);
    }
    Ok(table)
}

/// Adds a table to the one that a role has so far. The role that comes of it is checked.
///
/// # Errors
/// The key that is wrong, if it is one, and the words.
pub(super) fn add(
    tables: &mut BTreeMap<String, toml::Table>,
    name: &str,
    table: toml::Table,
    dir: &Path,
) -> Result<(), Wrong> {
    if !is_word(name) {
        return Err((None, format!("the role's name {NAME}")));
    }
    let keys: Vec<&str> = ROLE_KEYS.iter().map(|(key, _)| *key).collect();
    if let Some(key) = table.keys().find(|key| !keys.contains(&key.as_str())) {
        return Err((Some(key.clone()), unknown(key, nearest(key, keys))));
    }
    let mut merged = tables.get(name).cloned().unwrap_or_default();
    merged.extend(with_texts(table, dir)?);
    role(&merged)?;
    tables.insert(name.to_owned(), merged);
    Ok(())
}

fn role(table: &toml::Table) -> Result<Role, Wrong> {
    let role: Role = Value::Table(table.clone())
        .try_into()
        .map_err(|error: toml::de::Error| (None, error.message().to_owned()))?;
    match role.check() {
        Ok(()) => Ok(role),
        Err((key, why)) => Err((Some(key.to_owned()), format!("`{key}` {why}"))),
    }
}

/// The built-in roles alone.
pub(super) fn builtin() -> BTreeMap<String, toml::Table> {
    builtin_tables()
}

/// The folder with files of roles, beside the config file.
fn folder(config: &Path) -> PathBuf {
    config.with_file_name("roles")
}

/// The roles that these tables and the files beside the config file make up.
pub(super) fn finish(
    mut tables: BTreeMap<String, toml::Table>,
    config: &Path,
    problems: &mut Vec<Problem>,
) -> Roles {
    let folder = folder(config);
    let entries = match std::fs::read_dir(&folder) {
        Ok(entries) => entries.flatten().map(|entry| entry.path()).collect(),
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => Vec::new(),
        Err(error) => {
            problems.push(Problem::new(&folder, None, format!("can't be read: {error}")));
            Vec::new()
        }
    };
    let mut paths: Vec<PathBuf> =
        entries.into_iter().filter(|p| p.extension().is_some_and(|e| e == "toml")).collect();
    paths.sort();
    for path in paths {
        let name = path.file_stem().unwrap_or_default().to_string_lossy().into_owned();
        let wrong = |line, words: String| Problem::new(&path, line, words).about(format!("roles.{name}"));
        let read =
            files::read_text(&path, MAX_BYTES).map_err(|e| (String::new(), format!("can't be read: {e}")));
        let added = read.and_then(|text| {
            let table = toml::from_str::<toml::Table>(&text)
                .map_err(|error| (text.clone(), format!("invalid TOML: {}", error.message())))?;
            add(&mut tables, &name, table, &folder).map_err(|(key, words)| {
                let line = key.and_then(|key| key_line(&text, &key));
                (line.map(|line| line.to_string()).unwrap_or_default(), format!("role {name:?}: {words}"))
            })
        });
        if let Err((line, words)) = added {
            problems.push(wrong(line.parse().ok(), words));
        }
    }
    // Each was checked when it was added.
    tables.into_iter().filter_map(|(name, table)| Some((name, role(&table).ok()?))).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn roles_are_changed_key_by_key_and_added() {
        let dir = tempfile::tempdir().unwrap();
        let config = dir.path().join("config.toml");
        files::make_dir(&folder(&config)).unwrap();
        let put = |name: &str, text: &str| {
            files::replace_unsynced(&folder(&config).join(name), text.as_bytes()).unwrap();
        };
        put("writer.toml", "title = \"docs\"\ninstructions = { file = \"writer.md\" }\n");
        put("writer.md", "Write.");
        put("odd.toml", "title = \"x\"\ntoken_limt = 5\n");
        put("gone.toml", "tools = { file = \"none.md\" }\n");
        put("Bad.toml", "title = \"x\"\n");
        put("small.toml", "token_limit = 5\n");
        let mut tables = builtin();
        let mine: toml::Table = toml::from_str("keep_tokens = 20000").unwrap();
        add(&mut tables, "dev", mine, dir.path()).unwrap();
        let mut problems = Vec::new();
        let roles = finish(tables, &config, &mut problems);
        let names: Vec<&str> = roles.keys().map(String::as_str).collect();
        assert_eq!(names, ["dev", "harness", "merge", "pm", "qa", "writer"]);
        assert_eq!((roles["dev"].keep_tokens, roles["dev"].state.as_str()), (20_000, "in_dev"));
        assert_eq!(roles["writer"].instructions, "Write.");
        let words: Vec<String> = problems.iter().map(ToString::to_string).collect();
        assert_eq!(words.len(), 4, "{words:#?}");
        assert!(words[0].contains("the role's name must be"), "{words:#?}");
        assert!(words[1].contains("`tools`: can't read"), "{words:#?}");
        assert!(words[2].contains("unknown key `token_limt`; did you mean `token_limit`?"), "{words:#?}");
        assert_eq!(problems[2].line, Some(2));
        assert!(words[3].contains("`token_limit` must be from 1000"), "{words:#?}");
    }
}
