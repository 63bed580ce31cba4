//! Changing one setting in the config file; comments and everything else stay as they are.

use std::io;
use std::path::Path;

use toml_edit::{DocumentMut, Item, Table, Value};

use super::load::{ConfigError, parse};

/// Sets `key`, such as `ui.theme`, to a value written as TOML.
///
/// # Errors
/// [`ConfigError`] when the file or the value is not what it should be; nothing is written then.
pub fn set(path: &Path, key: &str, value: &str) -> Result<String, ConfigError> {
    let text = match crate::sys::files::read_text(path, super::load::MAX_BYTES) {
        Ok(text) => text,
        Err(e) if e.kind() == io::ErrorKind::NotFound => String::new(),
        Err(source) => return Err(ConfigError::Read { path: path.to_owned(), source }),
    };
    let bad = |message: String| ConfigError::Bad { path: path.to_owned(), at: String::new(), message };
    let mut document: DocumentMut = text.parse().map_err(|e: toml_edit::TomlError| bad(e.to_string()))?;
    let new: Value =
        value.parse().map_err(|e: toml_edit::TomlError| bad(format!("{key}: {}", e.message())))?;
    let mut table: &mut Table = document.as_table_mut();
    let mut parts: Vec<&str> = key.split('.').collect();
    let name = parts.pop().unwrap_or_default();
    for part in parts {
        let item = table.entry(part).or_insert_with(|| Item::Table(Table::new()));
        table = item.as_table_mut().ok_or_else(|| bad(format!("`{part}` is not a table")))?;
    }
    match table.get_mut(name).and_then(Item::as_value_mut) {
        Some(old) => {
            // What surrounds it, such as a comment at the end of the line, belongs to the user.
            let decor = old.decor().clone();
            *old = new;
            *old.decor_mut() = decor;
        }
        None => {
            table.insert(name, Item::Value(new));
        }
    }
    let text = document.to_string();
    // What can't be read again is not written.
    parse(path, &text)?;
    Ok(text)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn after(text: &str, key: &str, value: &str) -> Result<String, String> {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("config.toml");
        std::fs::File::create(&path)
            .and_then(|mut f| std::io::Write::write_all(&mut f, text.as_bytes()))
            .unwrap();
        set(&path, key, value).map_err(|e| e.to_string().replace(&path.display().to_string(), "F"))
    }

    #[test]
    fn comments_and_order_stay() {
        let text = "# mine\n[ui] # here\ntheme = \"dark\" # old\nsplit = 40\n";
        assert_eq!(
            after(text, "ui.theme", "\"light\"").unwrap(),
            "# mine\n[ui] # here\ntheme = \"light\" # old\nsplit = 40\n"
        );
        assert_eq!(after("", "notify.bell", "false").unwrap(), "[notify]\nbell = false\n");
        assert_eq!(
            after("default_tool = 'x'\n", "ui.ascii", "true").unwrap(),
            "default_tool = 'x'\n\n[ui]\nascii = true\n"
        );
    }

    #[test]
    fn what_is_wrong_is_not_written() {
        assert!(after("", "ui.split", "\"wide\"").is_err());
        assert!(after("[ui\n", "ui.split", "30").is_err());
        assert!(after("", "ui.theme", "not toml").unwrap_err().contains("ui.theme"));
    }
}
