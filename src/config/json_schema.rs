//! The JSON Schema of the config file, for editors that complete and check TOML by one.

use serde_json::{Map, Value, json};

use super::kind::Kind;
use super::settings::SETTINGS;

/// The schema. `tool_keys` are the keys of a tool's table, with their docs.
pub fn json_schema<'a>(tool_keys: impl IntoIterator<Item = (&'a str, &'a str)>) -> Value {
    let mut root = Map::new();
    for setting in SETTINGS {
        let (table, name) = setting.key.rsplit_once('.').unwrap_or(("", setting.key));
        let mut one = of_kind(setting.kind);
        let default: Option<toml::Table> = toml::from_str(&format!("x = {}", setting.default)).ok();
        if let (Some(one), Some(default)) = (one.as_object_mut(), default.and_then(|mut t| t.remove("x"))) {
            one.insert("title".to_owned(), setting.name.into());
            one.insert("description".to_owned(), setting.doc.replace('\n', " ").into());
            one.insert("default".to_owned(), serde_json::to_value(default).unwrap_or_default());
        }
        if table.is_empty() {
            root.insert(name.to_owned(), one);
            continue;
        }
        let of = root
            .entry(table)
            .or_insert_with(|| json!({ "type": "object", "additionalProperties": false, "properties": {} }));
        if let Some(properties) = of.get_mut("properties").and_then(Value::as_object_mut) {
            properties.insert(name.to_owned(), one);
        }
    }
    let keys: Map<String, Value> =
        tool_keys.into_iter().map(|(key, doc)| (key.to_owned(), json!({ "description": doc }))).collect();
    root.insert(
        "tools".to_owned(),
        json!({
            "type": "object",
            "description": "Your own tools, and changes to the built-in ones, by name.",
            "additionalProperties": { "type": "object", "additionalProperties": false, "properties": keys },
        }),
    );
    let keys: Map<String, Value> = crate::domain::mcp_servers::KEYS
        .iter()
        .map(|(key, doc)| ((*key).to_owned(), json!({ "description": doc })))
        .collect();
    root.insert(
        "mcps".to_owned(),
        json!({
            "type": "object",
            "description": "MCP servers that can be attached to sessions, by name.",
            "additionalProperties": { "type": "object", "additionalProperties": false, "properties": keys },
        }),
    );
    root.insert(
        "mcp_sets".to_owned(),
        json!({
            "type": "object",
            "description": "Sets of MCP servers, by name; attached as @NAME.",
            "additionalProperties": { "type": "array", "items": { "type": "string" } },
        }),
    );
    let keys: Map<String, Value> = crate::domain::talk::ROLE_KEYS
        .iter()
        .map(|(key, doc)| ((*key).to_owned(), json!({ "description": doc })))
        .collect();
    root.insert(
        "roles".to_owned(),
        json!({
            "type": "object",
            "description": "Roles of conversations, and changes to the built-in ones, by name.",
            "additionalProperties": { "type": "object", "additionalProperties": false, "properties": keys },
        }),
    );
    json!({
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "title": "deck's config.toml",
        "type": "object",
        "additionalProperties": false,
        "properties": root,
    })
}

fn of_kind(kind: Kind) -> Value {
    let text = json!({ "type": "string" });
    match kind {
        Kind::Text | Kind::Tool | Kind::Location => text,
        Kind::Theme => json!({ "type": "string", "minLength": 1 }),
        Kind::Bool => json!({ "type": "boolean" }),
        Kind::Number { least, most } => json!({ "type": "integer", "minimum": least, "maximum": most }),
        Kind::OneOf(words) => json!({ "enum": words }),
        Kind::SomeOf(words) => json!({ "type": "array", "items": { "enum": words } }),
        Kind::Columns => {
            let words = crate::domain::columns::Column::ALL.map(crate::domain::columns::Column::word);
            json!({ "type": "array", "items": { "enum": words } })
        }
        Kind::Command | Kind::Words | Kind::Tools | Kind::McpServers => {
            json!({ "type": "array", "items": text })
        }
        Kind::Key => json!({ "oneOf": [text, { "type": "array", "items": text }] }),
        Kind::Keys => json!({ "type": "object", "additionalProperties": of_kind(Kind::Key) }),
    }
}
