//! A server as an agent's own file describes it, made a definition of the settings.

use std::collections::BTreeMap;

use serde_json::Value;

use super::variables::variables_in;
use super::{Definition, Transport};

/// A definition, and the variables in which its secrets are to be from now on: their names here, and where they were written.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Imported {
    pub definition: Definition,
    /// Keys such as `env.TOKEN` whose written values became `$TOKEN`.
    pub secrets: Vec<String>,
}

/// Reads an entry, whichever agent's it is: their keys differ, and mean no two things.
///
/// # Errors
/// Why it can't be a server of the settings, in words.
pub fn import(entry: &Value) -> Result<Imported, String> {
    let Some(entry) = entry.as_object() else { return Err("it is no table".to_owned()) };
    let text = |keys: &[&str]| {
        keys.iter().find_map(|key| entry.get(*key)?.as_str()).map(str::to_owned).unwrap_or_default()
    };
    let table = |keys: &[&str]| -> BTreeMap<String, String> {
        let found = keys.iter().find_map(|key| entry.get(*key)?.as_object());
        let one = |(name, value): (&String, &Value)| Some((name.clone(), here(value.as_str()?)));
        found.into_iter().flatten().filter_map(one).collect()
    };
    // Codex names what it passes on instead of giving values.
    let named =
        entry.get("env_vars").and_then(Value::as_array).into_iter().flatten().filter_map(Value::as_str);
    let mut definition = Definition {
        description: text(&["description"]),
        cwd: text(&["cwd"]),
        url: here(&text(&["url", "httpUrl"])),
        headers: table(&["headers", "http_headers"]),
        env: table(&["env", "environment"]),
        ..Definition::default()
    };
    for name in named {
        definition.env.entry(name.to_owned()).or_insert_with(|| format!("${name}"));
    }
    if let Some(variable) = entry.get("bearer_token_env_var").and_then(Value::as_str) {
        definition.headers.insert("Authorization".to_owned(), format!("Bearer ${variable}"));
    }
    for (header, variable) in entry.get("env_http_headers").and_then(Value::as_object).into_iter().flatten() {
        if let Some(variable) = variable.as_str() {
            definition.headers.insert(header.clone(), format!("${variable}"));
        }
    }
    let mut words: Vec<String> = match entry.get("command") {
        Some(Value::String(command)) => vec![here(command)],
        Some(Value::Array(all)) => all.iter().filter_map(Value::as_str).map(here).collect(),
        _ => Vec::new(),
    };
    words.extend(
        entry.get("args").and_then(Value::as_array).into_iter().flatten().filter_map(Value::as_str).map(here),
    );
    let mut words = words.into_iter();
    definition.command = words.next().unwrap_or_default();
    definition.args = words.collect();
    let is_sse = text(&["type", "transport"]) == "sse"
        // Gemini CLI has an address of each kind under a key of its own.
        || (entry.contains_key("url") && entry.contains_key("trust") && !entry.contains_key("httpUrl"));
    if is_sse && !definition.url.is_empty() {
        definition.transport = Some(Transport::Sse);
    }
    if definition.command.is_empty() && definition.url.is_empty() {
        return Err("it has neither a command nor an address".to_owned());
    }
    let secrets = definition.written_secrets();
    for key in &secrets {
        let (of, name) = key.split_once('.').unwrap_or(("env", key));
        let value = if of == "env" { definition.env.get_mut(name) } else { definition.headers.get_mut(name) };
        if let Some(value) = value {
            let variable = variable_for(name);
            let bearer = value.strip_prefix("Bearer ").map(|_| "Bearer ").unwrap_or_default();
            *value = format!("{bearer}${variable}");
        }
    }
    definition.check().map_err(|(key, why)| format!("`{key}` {why}"))?;
    Ok(Imported { definition, secrets })
}

/// The variable in which a secret is to be that stood under this name.
pub fn variable_for(name: &str) -> String {
    name.chars().map(|c| if c.is_ascii_alphanumeric() { c.to_ascii_uppercase() } else { '_' }).collect()
}

/// A value in which variables are written as the settings have them: agents write `${NAME}`, `$NAME` and `{env:NAME}`.
fn here(text: &str) -> String {
    let mut rest = text;
    let mut all = String::new();
    while let Some((before, after)) = rest.split_once("{env:") {
        let Some((name, end)) = after.split_once('}') else { break };
        all.push_str(before);
        all.push_str(&format!("${{{name}}}"));
        rest = end;
    }
    all.push_str(rest);
    // Only what names a variable stays; a default that an agent would fill in is kept as it is written.
    debug_assert!(variables_in(&all).len() >= variables_in(text).len());
    all
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn of(entry: &Value) -> String {
        let imported = import(entry).unwrap();
        let text = toml::to_string(&imported.definition).unwrap();
        format!("{}{}", text.replace('\n', " "), imported.secrets.join(" "))
    }

    #[test]
    fn each_agents_way_of_writing_it() {
        let memory = r#"command = "npx" args = ["-y", "memory"] "#;
        assert_eq!(of(&json!({"command": "npx", "args": ["-y", "memory"]})), memory);
        assert_eq!(
            of(&json!({"type": "local", "command": ["npx", "-y", "memory"], "enabled": true})),
            memory
        );
        assert_eq!(
            of(&json!({"command": "x", "env_vars": ["A"], "env": {"B": "${C}"}})),
            r#"command = "x"  [env] A = "$A" B = "${C}" "#
        );
        assert_eq!(of(&json!({"httpUrl": "https://a"})), r#"url = "https://a" "#);
        assert_eq!(
            of(&json!({"type": "sse", "url": "https://a"})),
            r#"url = "https://a" transport = "sse" "#
        );
        assert_eq!(
            of(&json!({"url": "https://a", "bearer_token_env_var": "T"})),
            r#"url = "https://a"  [headers] Authorization = "Bearer $T" "#
        );
        assert_eq!(
            of(&json!({"type": "remote", "url": "https://a", "headers": {"X-Key": "{env:K}"}})),
            r#"url = "https://a"  [headers] X-Key = "${K}" "#
        );
    }

    #[test]
    fn secrets_become_variables_and_what_is_none_is_refused() {
        let entry = json!({"command": "x", "env": {"API_TOKEN": "marked", "MODE": "fast"}});
        assert_eq!(
            of(&entry),
            r#"command = "x"  [env] API_TOKEN = "$API_TOKEN" MODE = "fast" env.API_TOKEN"#
        );
        let entry = json!({"url": "https://a", "headers": {"Authorization": "Bearer marked"}});
        assert_eq!(
            of(&entry),
            r#"url = "https://a"  [headers] Authorization = "Bearer $AUTHORIZATION" headers.Authorization"#
        );
        for (entry, why) in [
            (json!({}), "neither a command nor an address"),
            (json!([]), "no table"),
            (json!({"command": "x", "url": "https://a"}), ""),
        ] {
            assert!(import(&entry).unwrap_err().contains(why), "{entry}");
        }
    }
}
