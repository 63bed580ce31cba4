//! Reading the config file: errors that name line and key, warnings for unknown keys.

use std::path::{Path, PathBuf};

use super::notify_command;
use super::schema::{Config, KEYS};
use crate::domain::resolve::nearest;
use crate::domain::source_pos::{key_line, line_of, unknown};
use crate::sys::files;

/// The most that is read of a settings file, in bytes.
pub(super) const MAX_BYTES: u64 = 16 * 1024 * 1024;

/// The config file can't be used.
#[derive(Debug, thiserror::Error)]
pub enum ConfigError {
    /// It can't be read.
    #[error("can't read {path}")]
    Read {
        /// The file.
        path: PathBuf,
        /// Why.
        #[source]
        source: std::io::Error,
    },
    /// It isn't what it should be.
    #[error("{path}{at}: {message}")]
    Bad {
        /// The file.
        path: PathBuf,
        /// `:LINE`, when it is known.
        at: String,
        /// What is wrong.
        message: String,
    },
}

/// Something odd that deck works in spite of.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Warning {
    /// The file.
    pub path: PathBuf,
    /// The line, counted from 1.
    pub line: Option<usize>,
    /// What is odd.
    pub message: String,
}

impl std::fmt::Display for Warning {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{}", self.path.display())?;
        if let Some(line) = self.line {
            write!(f, ":{line}")?;
        }
        write!(f, ": {}", self.message)
    }
}

/// What was read.
#[derive(Debug, Clone, Default)]
pub struct Loaded {
    /// The settings.
    pub config: Config,
    /// The tables below `tools`, with the file's text for line numbers.
    pub tools: toml::Table,
    /// The file's text; empty when there is none.
    pub text: String,
    /// What is odd in it.
    pub warnings: Vec<Warning>,
}

/// Reads the config file. No file means all defaults.
///
/// # Errors
/// [`ConfigError`] when it exists and can't be used.
pub fn load(path: &Path) -> Result<Loaded, ConfigError> {
    match files::read_text(path, MAX_BYTES) {
        Ok(text) => parse(path, &text),
        Err(e) if e.kind() == std::io::ErrorKind::NotFound => Ok(Loaded::default()),
        Err(source) => Err(ConfigError::Read { path: path.to_owned(), source }),
    }
}

/// Reads a config file's text.
///
/// # Errors
/// [`ConfigError::Bad`] with the line.
pub fn parse(path: &Path, text: &str) -> Result<Loaded, ConfigError> {
    let bad = |e: toml::de::Error| {
        let at = e.span().map(|s| format!(":{}", line_of(text, s.start))).unwrap_or_default();
        ConfigError::Bad { path: path.to_owned(), at, message: e.message().to_owned() }
    };
    let mut config: Config = toml::from_str(text).map_err(bad)?;
    let mut table: toml::Table = toml::from_str(text).map_err(bad)?;
    let tools = match table.remove("tools") {
        Some(toml::Value::Table(tools)) => tools,
        Some(_) => {
            let message = "`tools` must be a table of tools, such as [tools.vibe]".to_owned();
            return Err(ConfigError::Bad { path: path.to_owned(), at: String::new(), message });
        }
        None => toml::Table::new(),
    };
    let mut warnings = Vec::new();
    unknown_keys("", &table, &mut |key, name| {
        let known: Vec<&str> = KEYS.iter().map(|(k, _)| *k).collect();
        let message = unknown(key, nearest(key, known));
        warnings.push(Warning { path: path.to_owned(), line: key_line(text, name), message });
    });
    if let Some(why) = notify_command::why_unsafe(&config.notify.command) {
        config.notify.command.clear();
        let message = format!("`notify.command` is not run: {why}");
        warnings.push(Warning { path: path.to_owned(), line: key_line(text, "command"), message });
    }
    Ok(Loaded { config, tools, text: text.to_owned(), warnings })
}

fn unknown_keys(prefix: &str, table: &toml::Table, tell: &mut dyn FnMut(&str, &str)) {
    for (name, value) in table {
        let key = if prefix.is_empty() { name.clone() } else { format!("{prefix}.{name}") };
        let is_table = KEYS.iter().any(|(k, _)| k.starts_with(&format!("{key}.")));
        match value {
            toml::Value::Table(inner) if is_table => unknown_keys(&key, inner, tell),
            _ if KEYS.iter().any(|(k, _)| *k == key) => {}
            _ => tell(&key, name),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn errors_name_the_line() {
        let err =
            parse(Path::new("c.toml"), "default_tool = 'x'\n[ui]\nsplit = 'wide'\n").unwrap_err().to_string();
        assert!(err.starts_with("c.toml:3: "), "{err}");
    }

    #[test]
    fn a_notice_that_a_shell_would_read_is_refused() {
        let command = |words: &str| {
            let loaded =
                parse(Path::new("c.toml"), &format!("[notify]\nbell = true\ncommand = {words}\n")).unwrap();
            (
                loaded.config.notify.command.len(),
                loaded.warnings.iter().map(ToString::to_string).collect::<String>(),
            )
        };
        for unsafe_ in [
            r#"["sh", "-c", "say '{text}'"]"#,
            r#"["sh", "-c", "{text}"]"#,
            r#"["env", "X=1", "/bin/bash", "-lc", "{text}"]"#,
            r#"["python3", "-c", "{text}"]"#,
            r#"["osascript", "-e", "display notification \"{text}\""]"#,
            r#"["notify-send", "--body={text}"]"#,
            r#"["{text}"]"#,
        ] {
            let (words, told) = command(unsafe_);
            assert_eq!(words, 0, "{unsafe_} is not run");
            assert!(told.starts_with("c.toml:3: `notify.command` is not run: "), "{told}");
        }
        for fine in [
            r#"["notify-send", "deck", "{text}"]"#,
            r#"["sh", "-c", "say \"$0\"", "{text}"]"#,
            r#"["notify-send", "-c", "{text}"]"#,
            r#"["date"]"#,
            "[]",
        ] {
            assert_eq!(command(fine).1, "", "{fine}");
        }
    }

    #[test]
    fn unknown_keys_are_warned_of_with_the_nearest_name() {
        let loaded =
            parse(Path::new("c.toml"), "[ui]\ntheem = 'dark'\n[tools.vibe]\ncommand = 'vibe'\n").unwrap();
        let warnings: Vec<_> = loaded.warnings.iter().map(ToString::to_string).collect();
        assert_eq!(warnings, ["c.toml:2: unknown key `ui.theem`; did you mean `ui.theme`?"]);
        assert!(loaded.tools.contains_key("vibe"));
    }

    #[test]
    fn the_example_file_has_every_key_with_its_default() {
        let example = include_str!("../../config.example.toml");
        let settings = example.lines().take_while(|l| !l.starts_with("# Your own tools"));
        let uncommented: String = settings
            .map(|l| l.strip_prefix("# ").filter(|l| l.contains(" = ") && !l.contains(": ")).unwrap_or(l))
            .map(|l| format!("{l}\n"))
            .collect();
        let loaded = parse(Path::new("example"), &uncommented).unwrap();
        assert_eq!(loaded.config, Config::default());
        assert!(loaded.warnings.is_empty(), "{:?}", loaded.warnings);
        for (key, doc) in KEYS {
            let name = key.rsplit('.').next().unwrap();
            assert!(example.contains(&format!("# {name} = ")), "{key} is missing");
            for line in doc.lines() {
                assert!(example.contains(line), "the doc of {key} is missing: {line}");
            }
        }
    }
}
