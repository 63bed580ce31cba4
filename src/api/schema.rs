//! The JSON Schema of what each verb prints with `--json`.
//!
//! Invariant: the binary has them as a file. The tests make that file from the types that are printed, so no schema is put
//! together, and no code for that is shipped, when deck runs.

use std::collections::BTreeSet;

use serde_json::{Map, Value};

/// The name of the lines that `deck list --watch` prints.
pub const WATCH: &str = "list --watch";

/// The name of what is printed on stderr when a verb fails.
pub const ERROR: &str = "error";

/// One schema for all verbs: each property describes the output of the verb that it is named after.
const ALL: &str = include_str!("../../assets/schemas/verbs.json");

/// Where a schema has the definitions that it refers to.
const DEFINITIONS: &str = "$defs";

fn all() -> Map<String, Value> {
    let mut all: Map<String, Value> = serde_json::from_str(ALL).unwrap_or_default();
    if !cfg!(feature = "web")
        && let Some(Value::Object(outputs)) = all.get_mut("properties")
    {
        outputs.retain(|name, _| !name.starts_with("serve "));
        let used: Vec<Value> = outputs.values().cloned().collect();
        let definitions = all.remove(DEFINITIONS);
        all.insert(DEFINITIONS.to_owned(), needed(definitions, used).into());
    }
    all
}

/// Those of all definitions to which schemas refer, also through others.
fn needed(definitions: Option<Value>, mut due: Vec<Value>) -> Map<String, Value> {
    let Some(Value::Object(mut definitions)) = definitions else { return Map::new() };
    let mut needed = BTreeSet::new();
    while let Some(value) = due.pop() {
        for name in referred(&value).into_iter().filter(|name| needed.insert(name.clone())) {
            due.extend(definitions.get(&name).cloned());
        }
    }
    definitions.retain(|name, _| needed.contains(name));
    definitions
}

/// The names of what is described: verbs, [`WATCH`] and [`ERROR`].
pub fn outputs() -> Vec<String> {
    let all = all();
    let outputs = all.get("properties").and_then(Value::as_object);
    outputs.into_iter().flat_map(Map::keys).cloned().collect()
}

/// The schema of one verb's output; `None` if there is no such verb, or it prints no JSON.
pub fn schema(name: &str) -> Option<Value> {
    let mut all = all();
    let own = all.get("properties")?.get(name)?.as_object()?.clone();
    let definitions = needed(all.remove(DEFINITIONS), vec![Value::Object(own.clone())]);
    let mut whole: Map<String, Value> = all.into_iter().filter(|(key, _)| key == "$schema").collect();
    whole.insert("title".to_owned(), format!("deck {name}").into());
    whole.extend(own);
    if !definitions.is_empty() {
        whole.insert(DEFINITIONS.to_owned(), definitions.into());
    }
    Some(whole.into())
}

/// The definitions that a schema refers to by itself.
fn referred(schema: &Value) -> Vec<String> {
    match schema {
        Value::Object(map) => {
            let own = map.get("$ref").and_then(Value::as_str);
            let own = own.and_then(|path| path.strip_prefix("#/$defs/")).map(str::to_owned);
            own.into_iter().chain(map.values().flat_map(referred)).collect()
        }
        Value::Array(all) => all.iter().flat_map(referred).collect(),
        _ => Vec::new(),
    }
}

/// The schema of all verbs.
pub fn all_schemas() -> Value {
    all().into()
}

#[test]
fn the_file_is_read_with_any_features() {
    assert_eq!(outputs().iter().any(|name| name.starts_with("serve ")), cfg!(feature = "web"));
    assert!(outputs().len() > 100 && outputs().iter().all(|name| schema(name).is_some()));
}

#[cfg(all(test, feature = "web"))]
#[path = "schema_tests.rs"]
mod tests;
