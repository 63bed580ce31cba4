//! Changing one setting in the config file; comments, order and everything else stay as they are.

use std::io;
use std::path::{Path, PathBuf};
use std::time::Duration;

use toml_edit::{DocumentMut, Item, Table, Value};

use super::load::{Loaded, MAX_BYTES, parse};
use super::problem::Problem;
use super::settings::{kind_of, meant};
use crate::domain::source_pos::unknown;
use crate::ports::Cancel;
use crate::sys::{files, lock};

/// How long another deck that changes the file is waited for.
const PATIENCE: Duration = Duration::from_secs(5);

/// A setting that was changed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Changed {
    /// Its new value, as TOML.
    pub value: String,
    /// What follows from it, such as a command of the TUI that lost its key.
    pub notes: Vec<Problem>,
}

/// Why a setting was not changed.
#[derive(Debug, thiserror::Error)]
pub enum SetError {
    /// There is no such setting.
    #[error("{}", unknown(.key, *.meant))]
    Unknown {
        /// What was given.
        key: String,
        /// What was probably meant.
        meant: Option<&'static str>,
    },
    /// It can't have this value.
    #[error("{0}")]
    Invalid(String),
    /// The file isn't TOML: nothing can be changed in it without changing more.
    #[error("{0}")]
    Broken(Problem),
    /// The file can't be read or written.
    #[error("can't change {path}")]
    Io {
        /// The file.
        path: PathBuf,
        /// Why.
        #[source]
        source: io::Error,
    },
    /// Another deck changes it.
    #[error("{} is being changed by another deck", .0.display())]
    Busy(PathBuf),
}

/// Sets `key`, such as `ui.theme` or `keys.stop`, to what `words` stand for. `lock_file` keeps two decks from
/// losing what the other wrote; `check` returns everything that is wrong with settings as they would be.
///
/// # Errors
/// [`SetError`]; the file is then as it was.
pub fn set(
    path: &Path,
    lock_file: &Path,
    key: &str,
    words: &[String],
    check: impl Fn(&Loaded) -> Vec<Problem>,
) -> Result<Changed, SetError> {
    let broken = |source| SetError::Io { path: path.to_owned(), source };
    let Some(kind) = kind_of(key) else {
        return Err(SetError::Unknown { key: key.to_owned(), meant: meant(key) });
    };
    let value = kind.value_of(words).map_err(|why| SetError::Invalid(format!("`{key}` {why}")))?;
    for dir in [lock_file.parent(), path.parent()].into_iter().flatten() {
        files::make_dir(dir).map_err(broken)?;
    }
    let _lock = lock::file(lock_file)
        .and_then(|file| lock::exclusive(file, PATIENCE, &Cancel::default()))
        .map_err(broken)?
        .map_err(|_| SetError::Busy(path.to_owned()))?;
    let text = match files::read_text(path, MAX_BYTES) {
        Ok(text) => text,
        Err(e) if e.kind() == io::ErrorKind::NotFound => String::new(),
        Err(source) => return Err(broken(source)),
    };
    let new = edited(path, &text, key, &value)?;
    let read = parse(path, &new);
    let of_key = |p: &Problem| {
        let rest = p.key.as_deref().and_then(|k| k.strip_prefix(key));
        rest.is_some_and(|rest| rest.is_empty() || rest.starts_with('.'))
    };
    let problems: Vec<Problem> = check(&read).into_iter().filter(of_key).collect();
    if let Some(wrong) = problems.iter().find(|p| !p.is_note) {
        let words = if wrong.path == path { wrong.message.clone() } else { wrong.to_string() };
        return Err(SetError::Invalid(words));
    }
    files::replace(path, new.as_bytes(), || Ok(())).map_err(broken)?;
    Ok(Changed { value: value.to_string(), notes: problems })
}

/// The text with another value for `key`.
fn edited(path: &Path, text: &str, key: &str, value: &toml::Value) -> Result<String, SetError> {
    let now = parse(path, text);
    if let Some(problem) = now.problems.iter().find(|_| now.is_broken) {
        return Err(SetError::Broken(problem.clone()));
    }
    let bad = |message: String| SetError::Broken(Problem::new(path, None, message));
    let mut document: DocumentMut = text.parse().map_err(|e: toml_edit::TomlError| bad(e.to_string()))?;
    let new: Value = value.to_string().parse().map_err(|e: toml_edit::TomlError| bad(e.to_string()))?;
    if let Some(text) = uncommented(path, text, key, value).filter(|_| now.line(key).is_none()) {
        return Ok(text);
    }
    let mut table: &mut dyn toml_edit::TableLike = document.as_table_mut();
    let mut parts: Vec<&str> = key.split('.').collect();
    let name = parts.pop().unwrap_or_default();
    let mut is_inline = false;
    for part in parts {
        let item = table.entry(part).or_insert_with(|| Item::Table(Table::new()));
        is_inline = item.is_inline_table();
        let words = || bad(format!("`{part}` is not a table"));
        table = item.as_table_like_mut().ok_or_else(words)?;
    }
    match (table.get_mut(name), new) {
        // One with a header of its own: its comments are in it.
        (Some(Item::Table(old)), Value::InlineTable(new)) => {
            old.retain(|entry, _| new.contains_key(entry));
            for (entry, value) in new {
                put(old, &entry, value);
            }
        }
        (_, new) => {
            put(table, name, new);
            if is_inline {
                // It has one line, and no comments to lose.
                table.fmt();
            }
        }
    }
    Ok(document.to_string())
}

/// Gives an entry of a table another value, or adds it.
fn put(table: &mut dyn toml_edit::TableLike, name: &str, new: Value) {
    match table.get_mut(name).and_then(Item::as_value_mut) {
        Some(old) => {
            // What surrounds it, such as a comment at the end of the line, belongs to the user.
            let decor = old.decor().clone();
            *old = new;
            *old.decor_mut() = decor;
        }
        None => {
            let mut new = new;
            new.decor_mut().clear();
            table.insert(name, Item::Value(new));
        }
    }
}

/// The text with the setting in the place where it stands as a comment, as in the example file.
fn uncommented(path: &Path, text: &str, key: &str, value: &toml::Value) -> Option<String> {
    let (table, name) = key.rsplit_once('.').unwrap_or(("", key));
    let (mut at, mut offset) = ("", 0);
    let mut found = None;
    for line in text.split_inclusive('\n') {
        if let Some(header) = line.strip_prefix('[') {
            at = header.split(']').next().unwrap_or_default().trim();
        }
        let comment = line.strip_prefix('#').unwrap_or_default().trim();
        // A sentence that begins like it is none.
        if at == table
            && let Ok(mut own) = comment.parse::<DocumentMut>()
            && own.len() == 1
            && own.contains_key(name)
        {
            put(own.as_table_mut(), name, value.to_string().parse().ok()?);
            found = Some((offset, line.trim_end().len(), own.to_string()));
            break;
        }
        offset += line.len();
    }
    let (start, length, own) = found?;
    let (before, after) = (text.get(..start)?, text.get(start + length..)?);
    let new = format!("{before}{}{after}", own.trim_end());
    // Whatever looks like one and is none, such as a line in a text of several, is left alone.
    let read = parse(path, &new);
    let own = key
        .split('.')
        .try_fold(&toml::Value::Table(toml::from_str(&new).ok()?), |at, part| at.get(part))
        .cloned();
    (!read.is_broken && own.as_ref() == Some(value)).then_some(new)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn after(text: &str, key: &str, words: &[&str]) -> Result<String, String> {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("config.toml");
        files::create_new(&path, text.as_bytes(), 0o600).unwrap();
        let words: Vec<String> = words.iter().map(|w| (*w).to_owned()).collect();
        let result = set(&path, &dir.path().join("lock"), key, &words, |loaded| loaded.problems.clone());
        let now = files::read_text(&path, MAX_BYTES).unwrap();
        match result {
            Ok(_) => Ok(now),
            Err(error) => {
                assert_eq!(now, text, "nothing is written");
                Err(error.to_string().replace(&path.display().to_string(), "F"))
            }
        }
    }

    #[test]
    fn comments_and_order_stay() {
        let text = "# mine\n[ui] # here\ntheme = \"dark\" # old\nsplit = 40\n";
        assert_eq!(
            after(text, "ui.theme", &["light"]).unwrap(),
            "# mine\n[ui] # here\ntheme = \"light\" # old\nsplit = 40\n"
        );
        assert_eq!(after("", "notify.bell", &["false"]).unwrap(), "[notify]\nbell = false\n");
        assert_eq!(
            after("default_tool = 'x'\n", "ui.ascii", &["true"]).unwrap(),
            "default_tool = 'x'\n\n[ui]\nascii = true\n"
        );
        assert_eq!(
            after("keys = { new = \"f2\" } # f\n", "keys.stop", &["ctrl-x"]).unwrap(),
            "keys = { new = \"f2\", stop = \"ctrl-x\" } # f\n"
        );
        assert_eq!(after("", "keys.stop", &["x", "f3"]).unwrap(), "[keys]\nstop = [\"x\", \"f3\"]\n");
    }

    #[test]
    fn a_setting_that_stands_there_as_a_comment_takes_its_place() {
        let text =
            "# top\n# default_tool = \"\"\n\n[ui]\n# doc\n# ascii = false\n\n[notify]\n# ascii = false\n";
        assert_eq!(
            after(text, "ui.ascii", &["true"]).unwrap(),
            text.replace("# doc\n# ascii = false", "# doc\nascii = true")
        );
        assert_eq!(
            after(text, "default_tool", &["claude"]).unwrap(),
            text.replace("# default_tool = \"\"", "default_tool = \"claude\"")
        );
        let in_text = "[ui]\ntheme = '''\n# ascii = false\n'''\n";
        assert!(after(in_text, "ui.ascii", &["true"]).unwrap().starts_with(in_text));
    }

    #[test]
    fn a_table_as_a_whole_keeps_its_comments() {
        let text = "[keys]\n# as in vi\ndown = \"n\" # was j\nstop = \"f2\"\n";
        assert_eq!(
            after(text, "keys", &["{ down = \"m\", new = \"f3\" }"]).unwrap(),
            "[keys]\n# as in vi\ndown = \"m\" # was j\nnew = \"f3\"\n"
        );
    }

    #[test]
    fn a_note_of_the_user_is_no_setting_in_a_comment() {
        let note = "[ui]\n# split = 40 was too wide\n";
        assert_eq!(
            after(note, "ui.split", &["30"]).unwrap(),
            "[ui]\nsplit = 30\n# split = 40 was too wide\n"
        );
        assert_eq!(
            after("[ui]\n# split = 40 # too wide\n", "ui.split", &["30"]).unwrap(),
            "[ui]\nsplit = 30 # too wide\n"
        );
    }

    #[test]
    fn what_is_wrong_in_an_entry_of_a_table_is_not_written() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("config.toml");
        let set = |key: &str, word: &str| {
            let wrong =
                |_: &Loaded| vec![Problem::new(&path, None, "unknown command").about("keys.nonsense")];
            set(&path, &dir.path().join("lock"), key, &[word.to_owned()], wrong)
        };
        let refused = set("keys", "{ nonsense = \"x\" }").unwrap_err().to_string();
        assert_eq!(refused, "unknown command");
        assert!(!path.exists());
        set("ui.split", "30").unwrap();
    }

    #[test]
    fn what_is_wrong_is_not_written() {
        let wrong = |text: &str, key: &str, words: &[&str]| after(text, key, words).unwrap_err();
        assert_eq!(
            wrong("", "ui.split", &["wide"]),
            "`ui.split` must be a number from 0 to 80, not \"wide\""
        );
        assert_eq!(wrong("", "ui.theem", &["x"]), "unknown key `ui.theem`; did you mean `ui.theme`?");
        assert_eq!(wrong("", "nonsense", &["x"]), "unknown key `nonsense`");
        assert!(wrong("[ui\n", "ui.split", &["30"]).starts_with("F:1: invalid TOML: "));
        assert_eq!(wrong("keys = 3\n", "keys.stop", &["x"]), "F: `keys` is not a table");
    }
}
