//! JSON Schemas of what goes in and out, without `null`: some models' dialects refuse a tool whose schema has it. A field
//! that is absent is absent.

use schemars::generate::SchemaSettings;
use schemars::{JsonSchema, Schema};
use serde_json::{Map, Value};

/// The schema of what comes out: without words, which the agent has in the names and in the answer itself. All that is
/// listed takes room in the agent's context.
pub fn of_output<T: JsonSchema>() -> Map<String, Value> {
    let mut schema = of::<T>();
    without_words(&mut schema);
    schema.values_mut().filter_map(Value::as_object_mut).for_each(without_required);
    schema
}

/// What is always there in the parts of an answer can be seen in it.
fn without_required(object: &mut Map<String, Value>) {
    if object.get("required").is_some_and(Value::is_array) {
        object.remove("required");
    }
    object.values_mut().filter_map(Value::as_object_mut).for_each(without_required);
}

fn without_words(object: &mut Map<String, Value>) {
    if object.get("description").is_some_and(Value::is_string) {
        object.remove("description");
    }
    for value in object.values_mut() {
        match value {
            Value::Object(inner) => without_words(inner),
            Value::Array(all) => all.iter_mut().filter_map(Value::as_object_mut).for_each(without_words),
            _ => {}
        }
    }
}

/// The schema of a type, with everything in its place.
pub fn of<T: JsonSchema>() -> Map<String, Value> {
    let settings = SchemaSettings::draft2020_12().with(|s| {
        s.inline_subschemas = true;
        s.meta_schema = None;
    });
    let mut schema: Schema = settings.into_generator().into_root_schema_for::<T>();
    let Some(object) = schema.as_object_mut() else { return Map::new() };
    object.remove("title");
    without_null(object);
    object.clone()
}

fn without_null(object: &mut Map<String, Value>) {
    if let Some(Value::Array(types)) = object.get_mut("type") {
        types.retain(|t| t != "null");
        if let [one] = types.as_slice() {
            let one = one.clone();
            object.insert("type".to_owned(), one);
        }
    }
    if let Some(Value::Array(all)) = object.get_mut("anyOf") {
        all.retain(|one| one.get("type").is_none_or(|t| t != "null"));
        if let [Value::Object(one)] = all.as_slice() {
            let one = one.clone();
            object.remove("anyOf");
            for (key, value) in one {
                object.entry(key).or_insert(value);
            }
        }
    }
    if let Some(Value::Array(values)) = object.get_mut("enum") {
        values.retain(|value| !value.is_null());
    }
    // What holds where a field is absent is in its words; how a number is kept helps nobody.
    object.remove("default");
    let is_size =
        |value: &Value| value.as_str().is_some_and(|f| f.starts_with("uint") || f.starts_with("int"));
    if object.get("format").is_some_and(is_size) {
        object.remove("format");
        object.remove("minimum");
    }
    for value in object.values_mut() {
        match value {
            Value::Object(inner) => without_null(inner),
            Value::Array(all) => all.iter_mut().filter_map(Value::as_object_mut).for_each(without_null),
            _ => {}
        }
    }
}
