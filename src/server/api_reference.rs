//! The reference of the REST API for people, from the declarations of the routes.

use std::fmt::Write as _;

use serde_json::{Map, Value};

use super::openapi;

/// The page, in markdown.
fn reference() -> String {
    let document = openapi::document();
    let schemas = document.pointer("/components/schemas").and_then(Value::as_object).cloned();
    let schemas = schemas.unwrap_or_default();
    let mut text = "# The API of the web deck\n\nGenerated from the routes in `src/server/api`; [openapi.json](openapi.json) has the same for \
                    programs. [web.md](web.md) says how scripts log in, and describes the sockets. Every route takes `?profile=`.\n"
        .to_owned();
    let paths = document.get("paths").and_then(Value::as_object);
    for (path, methods) in paths.into_iter().flatten() {
        for (method, operation) in methods.as_object().into_iter().flatten() {
            // Writing to a string can't fail.
            let _ =
                write!(text, "\n## {} {path}\n\n{}.\n", method.to_uppercase(), words(operation, "summary"));
            let parameters = operation.get("parameters").and_then(Value::as_array);
            let of_query = parameters.into_iter().flatten().filter(|p| words(p, "in") == "query");
            for query in of_query.filter(|p| words(p, "name") != "profile") {
                let _ = write!(text, "\n- `?{}=`: {}", words(query, "name"), words(query, "description"));
            }
            if operation.get("requestBody").is_some() {
                fields(&mut text, "You send", schema_of(operation, "/requestBody"), &schemas);
            }
            let answers = operation.get("responses").and_then(Value::as_object);
            let good = answers.into_iter().flatten().find(|(status, _)| status.starts_with('2'));
            if let Some((status, answer)) = good {
                fields(&mut text, &format!("You get, with {status}"), schema_of(answer, ""), &schemas);
            }
        }
    }
    text.push_str("\n## Types\n");
    for (name, schema) in &schemas {
        if properties(schema).is_some_and(|all| !all.is_empty()) {
            fields(&mut text, &format!("`{name}`"), Some(schema), &schemas);
        }
    }
    text
}

fn words<'a>(value: &'a Value, name: &str) -> &'a str {
    value.get(name).and_then(Value::as_str).unwrap_or_default()
}

fn schema_of<'a>(of: &'a Value, at: &str) -> Option<&'a Value> {
    of.pointer(&format!("{at}/content/application~1json/schema"))
}

fn properties(schema: &Value) -> Option<&Map<String, Value>> {
    schema.get("properties").and_then(Value::as_object)
}

fn fields(text: &mut String, title: &str, schema: Option<&Value>, schemas: &Map<String, Value>) {
    let Some(schema) = schema else { return };
    let named = words(schema, "$ref").rsplit('/').next().and_then(|name| schemas.get(name));
    let schema = named.unwrap_or(schema);
    if let Some(kinds) = schema.get("oneOf").and_then(Value::as_array) {
        let _ = write!(text, "\n\n{title} one of:\n");
        for kind in kinds {
            let fields: Vec<String> =
                properties(kind).into_iter().flatten().map(|(k, v)| named_type(k, v)).collect();
            let _ = write!(text, "\n- {}", fields.join(", "));
        }
        text.push('\n');
        return;
    }
    let Some(all) = properties(schema).filter(|all| !all.is_empty()) else { return };
    let _ = write!(text, "\n\n{title}:\n\n| field | type | |\n|---|---|---|\n");
    let required = schema.get("required").and_then(Value::as_array);
    let is_required = |name: &str| required.is_some_and(|all| all.iter().any(|one| one == name));
    for (name, field) in all {
        let optional = if is_required(name) { "" } else { "?" };
        let doc = words(field, "description").replace('\n', " ").replace('|', "\\|");
        let _ = writeln!(text, "| `{name}`{optional} | {} | {doc} |", type_of(field));
    }
}

fn named_type(name: &str, field: &Value) -> String {
    match field.get("const").and_then(Value::as_str) {
        Some(value) => format!("`{name}: \"{value}\"`"),
        None => format!("`{name}` {}", type_of(field)),
    }
}

fn type_of(field: &Value) -> String {
    if let Some(name) = words(field, "$ref").rsplit('/').next().filter(|name| !name.is_empty()) {
        return format!("`{name}`");
    }
    match field.get("type") {
        Some(Value::String(kind)) if kind == "array" => {
            format!("list of {}", field.get("items").map(type_of).unwrap_or_default())
        }
        Some(Value::String(kind)) => kind.clone(),
        Some(Value::Array(kinds)) => kinds.iter().filter_map(Value::as_str).collect::<Vec<_>>().join(" or "),
        _ => match field.get("anyOf").and_then(Value::as_array) {
            Some(all) => all.iter().map(type_of).collect::<Vec<_>>().join(" or "),
            None => "any".to_owned(),
        },
    }
}

#[test]
fn docs_api_md_is_up_to_date() {
    crate::reference::up_to_date("docs/api.md", &reference());
}
