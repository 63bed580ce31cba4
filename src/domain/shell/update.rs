//! Code that changes a shell's state from outside, in its own words: so it is recorded and kept as any command.

use serde_json::Value;

use super::environment::is_variable_name;
use crate::domain::quote::sh;

/// What is to be changed.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Changes {
    /// The folder to go to.
    pub folder: Option<String>,
    /// Variables to export.
    pub env: Vec<(String, String)>,
    /// Variables to unset.
    pub unset: Vec<String>,
    /// Variables to set, not exported: text, lists and maps of text.
    pub vars: Vec<(String, Value)>,
}

impl Changes {
    /// Whether nothing is to be changed.
    pub fn is_empty(&self) -> bool {
        *self == Self::default()
    }

    /// The code, for bash. The first change that fails ends it.
    ///
    /// # Errors
    /// The name or the value that can't be used.
    pub fn code(&self) -> Result<String, String> {
        let named = |name: &str| {
            let good = is_variable_name(name.as_bytes());
            if good { Ok(()) } else { Err(format!("invalid variable name {name:?}")) }
        };
        let mut code = Vec::new();
        if let Some(folder) = &self.folder {
            code.push(format!("\\builtin cd -- {}", sh(folder)));
        }
        for (name, value) in &self.env {
            named(name)?;
            code.push(format!("\\builtin export {name}={}", sh(value)));
        }
        for name in &self.unset {
            named(name)?;
            code.push(format!("\\builtin unset -v {name}"));
        }
        for (name, value) in &self.vars {
            named(name)?;
            code.push(assignment(name, value)?);
        }
        Ok(code.join(" && "))
    }
}

fn assignment(name: &str, value: &Value) -> Result<String, String> {
    let text = |value: &Value| match value {
        Value::String(text) if text.contains('\0') => Err(format!("the value of {name} has a NUL byte")),
        Value::String(text) => Ok(sh(text)),
        Value::Null => Ok(sh("")),
        Value::Bool(_) | Value::Number(_) => Ok(sh(&value.to_string())),
        Value::Array(_) | Value::Object(_) => Err(format!("bash has no nested values: {name}")),
    };
    // What it was before, an integer or a list, is not to change what it becomes.
    let fresh = format!("\\builtin unset -v {name}");
    Ok(match value {
        Value::Null => fresh,
        Value::Array(all) => {
            let all = all.iter().map(text).collect::<Result<Vec<_>, _>>()?;
            format!("{fresh} && \\builtin declare -a {name} && {name}=({})", all.join(" "))
        }
        Value::Object(all) => {
            let pair =
                |(key, value): (&String, &Value)| Ok::<_, String>(format!("[{}]={}", sh(key), text(value)?));
            let all = all.iter().map(pair).collect::<Result<Vec<_>, _>>()?;
            format!("{fresh} && \\builtin declare -A {name} && {name}=({})", all.join(" "))
        }
        value => format!("{fresh} && {name}={}", text(value)?),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values_are_quoted_and_names_are_names() {
        let changes = Changes {
            folder: Some("/a b".into()),
            env: vec![("A".into(), "it's".into())],
            unset: vec!["B".into()],
            vars: vec![
                ("n".into(), serde_json::json!(5)),
                ("list".into(), serde_json::json!(["a", "$(x)"])),
                ("map".into(), serde_json::json!({"k y": true})),
                ("gone".into(), Value::Null),
            ],
        };
        insta::assert_snapshot!(changes.code().unwrap().replace(" && ", " &&\n"));
        for bad in ["1a", "", "a b", "a;rm"] {
            let changes = Changes { unset: vec![bad.to_owned()], ..Changes::default() };
            assert!(changes.code().unwrap_err().contains("invalid variable name"), "{bad}");
        }
        let nested = Changes { vars: vec![("x".into(), serde_json::json!([[1]]))], ..Changes::default() };
        assert!(nested.code().unwrap_err().contains("nested"));
        assert!(Changes::default().is_empty());
    }
}
