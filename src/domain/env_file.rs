//! A file of variables, as people write one.

use std::collections::BTreeMap;

/// `KEY=value` lines; blank ones and comments are passed over, quotes around a value dropped.
pub fn env_lines(text: &str) -> BTreeMap<String, String> {
    let line = |line: &str| {
        let line = line.trim();
        let (key, value) = line.strip_prefix("export ").unwrap_or(line).split_once('=')?;
        let value = value.trim();
        let bare = ['"', '\''].iter().find_map(|q| value.strip_prefix(*q)?.strip_suffix(*q)).unwrap_or(value);
        (!line.starts_with('#')).then(|| (key.trim().to_owned(), bare.to_owned()))
    };
    text.lines().filter_map(line).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn env_files_as_people_write_them() {
        let env = env_lines("# keys\nA=1\nexport B='two words'\n\nC=\"x\"\nno line\n");
        let pairs: Vec<_> = env.iter().map(|(k, v)| format!("{k}={v}")).collect();
        assert_eq!(pairs, ["A=1", "B=two words", "C=x"]);
    }
}
