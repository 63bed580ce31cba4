//! Reading the config file. It never fails: what can't be used is reported with its line, and everything else
//! is used.

use std::collections::BTreeMap;
use std::ops::Range;
use std::path::{Path, PathBuf};

use serde::Deserialize;
use toml::de::{DeTable, DeValue};
use toml::{Spanned, Value};

use super::kind::Kind;
use super::mcp_servers;
use super::problem::Problem;
use super::roles;
use super::schema::Config;
use super::settings::{self, SETTINGS, defaults};
use crate::domain::mcp_servers::{Catalogue, check_name};
use crate::domain::resolve::nearest;
use crate::domain::source_pos::{line_of, unknown};
use crate::domain::talk::Roles;
use crate::domain::worktree::SetupPart;
use crate::sys::files;

/// The most that is read of a settings file, in bytes.
pub(super) const MAX_BYTES: u64 = 16 * 1024 * 1024;
/// How many mistakes in its syntax are reported: one that is not closed makes mistakes of all that follows.
const MOST_MISTAKES: usize = 20;

/// What was read.
#[derive(Debug, Clone, Default)]
pub struct Loaded {
    /// The file.
    pub path: PathBuf,
    /// The settings.
    pub config: Config,
    /// The tables below `tools`.
    pub tools: toml::Table,
    /// The tables below `mcps` and `mcp_sets`, with the servers that have files of their own.
    pub mcps: Catalogue,
    /// The roles of conversations: the built-in ones with what the tables below `roles` and the files of roles change.
    pub roles: Roles,
    /// The tables below `repositories`.
    pub repositories: BTreeMap<String, SetupPart>,
    /// The file's text; empty when there is none.
    pub text: String,
    /// What is wrong with it.
    pub problems: Vec<Problem>,
    /// Whether it could not be read, or isn't TOML: some of what the user wants is then unknown.
    pub is_broken: bool,
    /// The line of each setting in it.
    lines: BTreeMap<String, usize>,
    /// The tables of roles, until files of roles are added.
    role_tables: BTreeMap<String, toml::Table>,
}

impl Loaded {
    /// The line that sets this, counted from 1; nothing when it has its default.
    pub fn line(&self, key: &str) -> Option<usize> {
        self.lines.get(key).copied()
    }

    /// A mistake in a setting of this file.
    pub fn problem(&self, key: &str, message: impl Into<String>) -> Problem {
        Problem::new(&self.path, self.line(key), message).about(key)
    }
}

/// Reads the config file. No file means all defaults.
pub fn load(path: &Path) -> Loaded {
    match files::read_text(path, MAX_BYTES) {
        Ok(text) => with_files(parse(path, &text)),
        Err(e) if e.kind() == std::io::ErrorKind::NotFound => {
            let role_tables = roles::builtin();
            with_files(Loaded { path: path.to_owned(), role_tables, ..Loaded::default() })
        }
        Err(error) => Loaded {
            path: path.to_owned(),
            problems: vec![Problem::new(path, None, format!("can't be read: {error}"))],
            is_broken: true,
            roles: roles::finish(roles::builtin(), path, &mut Vec::new()),
            ..Loaded::default()
        },
    }
}

/// What was read, with the servers that have files of their own beside the config file.
fn with_files(mut loaded: Loaded) -> Loaded {
    let folder = mcp_servers::mcp_folder(&loaded.path);
    mcp_servers::add_files(&folder, &mut loaded.mcps, &mut loaded.problems);
    let tables = std::mem::take(&mut loaded.role_tables);
    loaded.roles = roles::finish(tables, &loaded.path, &mut loaded.problems);
    loaded.mcps.default.clone_from(&loaded.config.mcp.default);
    let unknown = |loaded: &Loaded, key: &str, word: &str| {
        let words = loaded.mcps.words();
        let near = nearest(word, words.iter().map(String::as_str));
        let near = near.map(|n| format!("; did you mean {n:?}?")).unwrap_or_default();
        loaded.problem(key, format!("`{key}`: unknown MCP server {word:?}{near}"))
    };
    let of_default = loaded.mcps.default.iter().map(|word| ("mcp.default".to_owned(), word));
    let of_sets = loaded
        .mcps
        .sets
        .iter()
        .flat_map(|(set, words)| words.iter().map(move |word| (format!("mcp_sets.{set}"), word)));
    let named = of_default.chain(of_sets).filter(|(_, word)| !loaded.mcps.has(word));
    let more: Vec<Problem> = named.map(|(key, word)| unknown(&loaded, &key, word)).collect();
    loaded.problems.extend(more);
    loaded
}

/// Reads a config file's text.
pub fn parse(path: &Path, text: &str) -> Loaded {
    let (table, mistakes) = DeTable::parse_recoverable(text);
    let mut reader = Reader {
        text,
        loaded: Loaded {
            path: path.to_owned(),
            text: text.to_owned(),
            role_tables: roles::builtin(),
            ..Loaded::default()
        },
        values: defaults(),
        damaged: mistakes.iter().map(|e| e.span().unwrap_or_default()).collect(),
    };
    reader.mistakes(&mistakes);
    reader.table("", table.get_ref());
    reader.finish()
}

/// Tables whose names are the user's own.
const OPEN_TABLES: [&str; 5] = ["tools", "repositories", "mcps", "mcp_sets", "roles"];

struct Reader<'a> {
    text: &'a str,
    loaded: Loaded,
    /// The defaults, with what is right in the file in their place.
    values: toml::Table,
    /// Where the syntax is wrong.
    damaged: Vec<Range<usize>>,
}

impl Reader<'_> {
    fn mistakes(&mut self, mistakes: &[toml::de::Error]) {
        let mut lines: Vec<usize> = Vec::new();
        let mut all: Vec<_> =
            mistakes.iter().map(|e| (e.span().unwrap_or_default().start, e.message())).collect();
        all.sort_by_key(|(at, _)| *at);
        for (at, message) in all {
            // At its very end, the file's last line is meant.
            let line = line_of(self.text.trim_end(), at);
            if lines.contains(&line) || lines.len() >= MOST_MISTAKES {
                continue;
            }
            lines.push(line);
            let problem = Problem::new(&self.loaded.path, Some(line), "");
            self.loaded.problems.push(match self.key_at(line) {
                Some(key) => Problem { message: format!("`{key}`: {message}"), ..problem.about(key) },
                None => Problem { message: format!("invalid TOML: {message}"), ..problem },
            });
        }
        self.loaded.is_broken = !mistakes.is_empty();
    }

    /// The setting that a line seems to set.
    fn key_at(&self, line: usize) -> Option<String> {
        let is_key = |k: &str| !k.is_empty() && k.chars().all(|c| c.is_alphanumeric() || "_-.".contains(c));
        let key = self.text.lines().nth(line.checked_sub(1)?)?.split_once('=')?.0.trim();
        let above: Vec<&str> = self.text.lines().take(line).collect();
        let table = above.iter().rev().find_map(|l| l.trim_start().strip_prefix('['));
        let table = table.and_then(|t| t.split(']').next()).map(str::trim).unwrap_or_default();
        let key = if table.is_empty() { key.to_owned() } else { format!("{table}.{key}") };
        is_key(&key).then_some(key)
    }

    fn table(&mut self, prefix: &str, table: &DeTable<'_>) {
        let mut all: Vec<_> = table.iter().collect();
        all.sort_by_key(|(name, _)| name.span().start);
        for (name, value) in all {
            // What the parser made up to go on after a broken header: the name of one thing with the place of another.
            if value.span().end < name.span().start {
                continue;
            }
            let key = join(prefix, name.get_ref());
            self.loaded.lines.insert(key.clone(), line_of(self.text, name.span().start));
            let is_whole = self.is_whole(name.span().start..value.span().end);
            match (value.get_ref(), settings::kind_of(&key)) {
                (DeValue::Table(inner), Some(Kind::Keys)) => self.keys(inner),
                (DeValue::Table(inner), _) if settings::is_table(&key) => self.table(&key, inner),
                (DeValue::Table(inner), _) if key == "tools" => self.tools(inner),
                (DeValue::Table(inner), _) if key == "repositories" => self.repositories(inner),
                (DeValue::Table(inner), _) if key == "mcps" => self.mcps(inner),
                (DeValue::Table(inner), _) if key == "mcp_sets" => self.mcp_sets(inner),
                (DeValue::Table(inner), _) if key == "roles" => self.roles(inner),
                // What is wrong there was reported already.
                _ if !is_whole => {}
                (_, Some(kind)) => self.setting(&key, kind, value),
                (value, None) if settings::is_table(&key) || OPEN_TABLES.contains(&&*key) => {
                    let example = match &*key {
                        "tools" => "tools.vibe",
                        "mcps" => "mcps.memory",
                        "repositories" => "repositories.api",
                        "roles" => "roles.dev",
                        other => other,
                    };
                    let words =
                        format!("`{key}` must be a table, such as [{example}], not {}", value.type_str());
                    self.wrong(&key, words);
                }
                (_, None) if key.is_empty() => {}
                (_, None) => self.wrong(&key, unknown(&key, settings::meant(&key))),
            }
        }
    }

    /// Whether no mistake in the syntax is in this part of the file.
    fn is_whole(&self, part: Range<usize>) -> bool {
        self.damaged.iter().all(|d| d.start > part.end || d.end < part.start)
    }

    fn setting(&mut self, key: &str, kind: Kind, value: &Spanned<DeValue<'_>>) {
        let Some(value) = plain(value) else { return };
        if let Some(why) = kind.refusal(&value) {
            let default = SETTINGS.iter().find(|s| s.key == key).map(|s| s.default);
            let instead = default.filter(|_| kind != Kind::Command).map(|d| format!("; using {d}"));
            return self.wrong(key, format!("`{key}` {why}{}", instead.unwrap_or_default()));
        }
        put(&mut self.values, key, value);
    }

    fn keys(&mut self, table: &DeTable<'_>) {
        for (name, value) in table {
            let key = join("keys", name.get_ref());
            self.loaded.lines.insert(key.clone(), line_of(self.text, name.span().start));
            if !self.is_whole(name.span().start..value.span().end) {
                continue;
            }
            let Some(value) = plain(value) else { continue };
            match Kind::Key.refusal(&value) {
                Some(why) => self.wrong(&key, format!("`{key}` {why}")),
                // Whether there is such a command is for the TUI to know.
                None => {
                    let keys = self.values.get_mut("keys").and_then(Value::as_table_mut);
                    keys.map(|keys| keys.insert(name.get_ref().to_string(), value));
                }
            }
        }
    }

    fn tools(&mut self, table: &DeTable<'_>) {
        for (name, value) in table {
            let key = join("tools", name.get_ref());
            self.loaded.lines.insert(key.clone(), line_of(self.text, name.span().start));
            let Some(tool) = value.get_ref().as_table() else {
                self.wrong(&key, format!("`{key}` must be a table, such as [{key}]"));
                continue;
            };
            let whole = |(key, value): &(&Spanned<_>, &Spanned<DeValue<'_>>)| {
                self.is_whole(key.span().start..value.span().end)
            };
            let known = tool.iter().filter(whole);
            let known = known.filter_map(|(key, value)| Some((key.get_ref().to_string(), plain(value)?)));
            let known: toml::Table = known.collect();
            self.loaded.tools.insert(name.get_ref().to_string(), Value::Table(known));
        }
    }

    fn repositories(&mut self, table: &DeTable<'_>) {
        for (name, value) in table {
            let key = join("repositories", name.get_ref());
            self.loaded.lines.insert(key.clone(), line_of(self.text, name.span().start));
            if !self.is_whole(name.span().start..value.span().end) {
                continue;
            }
            let Some(Value::Table(table)) = plain(value) else {
                self.wrong(&key, format!("`{key}` must be a table, such as [{key}]"));
                continue;
            };
            match SetupPart::of_table(&table) {
                Ok(part) => {
                    self.loaded.repositories.insert(name.get_ref().to_string(), part);
                }
                Err((_, why)) => self.wrong(&key, format!("`{key}`: {why}")),
            }
        }
    }

    fn mcps(&mut self, table: &DeTable<'_>) {
        for (name, value) in table {
            let key = join("mcps", name.get_ref());
            self.loaded.lines.insert(key.clone(), line_of(self.text, name.span().start));
            if let Err(why) = check_name(name.get_ref()) {
                self.wrong(&key, format!("`{key}`: the server's name {why}"));
                continue;
            }
            let Some(inner) = value.get_ref().as_table() else {
                self.wrong(&key, format!("`{key}` must be a table, such as [{key}]"));
                continue;
            };
            for inner in inner.keys() {
                let line = line_of(self.text, inner.span().start);
                self.loaded.lines.insert(join(&key, inner.get_ref()), line);
            }
            // What is wrong in its syntax was reported already, and a part of a server is none.
            let Some(Value::Table(table)) =
                plain(value).filter(|_| self.is_whole(name.span().start..value.span().end))
            else {
                continue;
            };
            match mcp_servers::definition(&table) {
                Ok(server) => {
                    self.loaded.mcps.servers.insert(name.get_ref().to_string(), server);
                }
                Err((wrong, words)) => {
                    let at = wrong.map_or_else(|| key.clone(), |wrong| join(&key, &wrong));
                    self.wrong(&at, format!("MCP server \"{}\": {words}", name.get_ref()));
                }
            }
        }
    }

    fn roles(&mut self, table: &DeTable<'_>) {
        for (name, value) in table {
            let key = join("roles", name.get_ref());
            self.loaded.lines.insert(key.clone(), line_of(self.text, name.span().start));
            let Some(inner) = value.get_ref().as_table() else {
                self.wrong(&key, format!("`{key}` must be a table, such as [{key}]"));
                continue;
            };
            for inner in inner.keys() {
                let line = line_of(self.text, inner.span().start);
                self.loaded.lines.insert(join(&key, inner.get_ref()), line);
            }
            let whole = self.is_whole(name.span().start..value.span().end);
            let Some(Value::Table(table)) = plain(value).filter(|_| whole) else { continue };
            let dir = self.loaded.path.parent().unwrap_or(Path::new(".")).to_owned();
            if let Err((wrong, words)) = roles::add(&mut self.loaded.role_tables, name.get_ref(), table, &dir)
            {
                let at = wrong.map_or_else(|| key.clone(), |wrong| join(&key, &wrong));
                self.wrong(&at, format!("role \"{}\": {words}", name.get_ref()));
            }
        }
    }

    fn mcp_sets(&mut self, table: &DeTable<'_>) {
        for (name, value) in table {
            let key = join("mcp_sets", name.get_ref());
            self.loaded.lines.insert(key.clone(), line_of(self.text, name.span().start));
            if !self.is_whole(name.span().start..value.span().end) {
                continue;
            }
            if let Err(why) = check_name(name.get_ref()) {
                self.wrong(&key, format!("`{key}`: the set's name {why}"));
                continue;
            }
            let list = plain(value).and_then(|v| v.as_array().cloned());
            let words = list.and_then(|list| {
                list.iter().map(|v| v.as_str().map(str::to_owned)).collect::<Option<Vec<String>>>()
            });
            match words.filter(|words| words.iter().all(|word| !word.starts_with('@'))) {
                Some(words) => {
                    self.loaded.mcps.sets.insert(name.get_ref().to_string(), words);
                }
                None => self.wrong(
                    &key,
                    format!("`{key}` must be a list of MCP servers, such as [\"memory\", \"fetch\"]"),
                ),
            }
        }
    }

    fn wrong(&mut self, key: &str, message: String) {
        let problem = self.loaded.problem(key, message);
        self.loaded.problems.push(problem);
    }

    fn finish(mut self) -> Loaded {
        if self.loaded.is_broken {
            self.keep_server();
        }
        match Config::of(self.values) {
            Ok(config) => self.loaded.config = config,
            // Each value was checked: this is a mistake of deck's own.
            Err(error) => {
                let problem = Problem::new(&self.loaded.path, None, error.message());
                self.loaded.problems.push(problem);
            }
        }
        self.loaded.problems.sort_by_key(|p| p.line);
        self.loaded
    }

    /// Another server would show all sessions as lost: which one it is survives a mistake anywhere else.
    fn keep_server(&mut self) {
        let mut table = "";
        for (at, line) in self.text.lines().enumerate() {
            let line = line.trim();
            if let Some(header) = line.strip_prefix('[') {
                table = header.split(']').next().unwrap_or_default().trim();
                continue;
            }
            let one = toml::from_str::<toml::Table>(line).ok().filter(|_| table == "tmux");
            for (name, value) in one.into_iter().flatten() {
                let key = join(table, &name);
                let fits = settings::kind_of(&key).is_some_and(|kind| kind.refusal(&value).is_none());
                if fits && !self.loaded.lines.contains_key(&key) {
                    self.loaded.lines.insert(key.clone(), at + 1);
                    put(&mut self.values, &key, value);
                }
            }
        }
    }
}

fn join(prefix: &str, name: &str) -> String {
    if prefix.is_empty() { name.to_owned() } else { format!("{prefix}.{name}") }
}

fn plain(value: &Spanned<DeValue<'_>>) -> Option<Value> {
    Value::deserialize(toml::de::ValueDeserializer::from(value.clone())).ok()
}

/// Puts a value where its key says; the tables above it are there.
fn put(table: &mut toml::Table, key: &str, value: Value) {
    match key.split_once('.') {
        Some((first, rest)) => {
            if let Some(inner) = table.get_mut(first).and_then(Value::as_table_mut) {
                put(inner, rest, value);
            }
        }
        None => {
            table.insert(key.to_owned(), value);
        }
    }
}

#[cfg(test)]
#[path = "load_tests.rs"]
mod tests;
