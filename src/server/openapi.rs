//! The OpenAPI document, made by the tests from the declarations of the routes; deck ships it as a file.

use schemars::SchemaGenerator;
use schemars::generate::SchemaSettings;
use serde_json::{Map, Value, json};

use super::api;
use super::error::ErrorAnswer;
use super::route::{Effect, Route};

/// What is answered beside what a route is for: status and reason.
const ERRORS: &[(u16, &str)] = &[
    (400, "The request is wrong."),
    (401, "Nobody is logged in."),
    (403, "The viewer may only read, or the request comes from another page."),
    (404, "There is no such thing."),
    (408, "The body came too slowly."),
    (409, "Refused: something would be lost."),
    (413, "The body is too large."),
    (415, "The body is not JSON."),
    (421, "The server is not called that."),
    (429, "Too many requests."),
    (500, "It failed."),
    (503, "The tmux server is gone."),
    (504, "It took too long."),
];

/// The document.
pub fn document() -> Value {
    let settings = SchemaSettings::draft2020_12().with(|s| {
        s.definitions_path = "/components/schemas".into();
        s.meta_schema = None;
    });
    let mut generator = settings.into_generator();
    let error = generator.subschema_for::<ErrorAnswer>();
    let mut paths: Map<String, Value> = Map::new();
    for route in api::routes() {
        let operation = operation(route, &mut generator, &error);
        let path = paths.entry(route.path).or_insert_with(|| json!({}));
        if let Some(path) = path.as_object_mut() {
            path.insert(route.method.word().to_lowercase(), operation);
        }
    }
    json!({
        "openapi": "3.1.0",
        "info": {
            "title": "deck",
            "version": env!("CARGO_PKG_VERSION"),
            "description": "The API of `deck serve`. A script sends the token of `deck serve token` as `Authorization: Bearer`.",
        },
        "security": [{ "token": [] }, { "cookie": [] }],
        "paths": paths,
        "components": {
            "schemas": generator.take_definitions(true),
            "securitySchemes": {
                "token": { "type": "http", "scheme": "bearer" },
                "cookie": { "type": "apiKey", "in": "cookie", "name": "deck_PORT" },
            },
        },
    })
}

fn operation(route: &Route, generator: &mut SchemaGenerator, error: &schemars::Schema) -> Value {
    let in_path = route.path.split('/').filter_map(|part| part.strip_prefix('{')?.strip_suffix('}'));
    let mut parameters: Vec<Value> = in_path
        .map(|name| json!({ "name": name, "in": "path", "required": true, "schema": { "type": "string" } }))
        .collect();
    let profile = json!({ "name": "profile", "in": "query", "schema": { "type": "string", "pattern": "^[A-Za-z0-9_-][A-Za-z0-9._-]{0,63}$" }, "description": "The profile; the default one if there is none." });
    parameters.extend(route.query.iter().map(|query| {
        let kind = if query.is_flag { "boolean" } else { "string" };
        json!({ "name": query.name, "in": "query", "schema": { "type": kind }, "description": query.doc })
    }));
    parameters.push(profile);
    let body = |schema: Value| json!({ "application/json": { "schema": schema } });
    let mut responses = Map::new();
    let output = serde_json::to_value((route.output.0)(generator)).unwrap_or_default();
    responses.insert(
        route.status.as_u16().to_string(),
        json!({ "description": "It was done.", "content": body(output) }),
    );
    for (status, why) in ERRORS {
        let schema = serde_json::to_value(error).unwrap_or_default();
        responses.insert(status.to_string(), json!({ "description": why, "content": body(schema) }));
    }
    let mut operation = json!({
        "summary": route.summary,
        "operationId": id(route),
        "x-changes": route.effect == Effect::Changes,
        "parameters": parameters,
        "responses": responses,
    });
    if let (Some(input), Some(operation)) = (route.input, operation.as_object_mut()) {
        let schema = serde_json::to_value(input.0(generator)).unwrap_or_default();
        operation.insert("requestBody".to_owned(), json!({ "content": body(schema) }));
    }
    operation
}

/// Such as `postSessionsAnswer`.
fn id(route: &Route) -> String {
    let words = route.path.trim_start_matches("/api/").split('/').map(|part| part.trim_matches(['{', '}']));
    let words = words.map(|word| {
        let mut letters = word.chars();
        let first: String = letters.next().map(|c| c.to_ascii_uppercase()).into_iter().collect();
        first + letters.as_str()
    });
    route.method.word().to_lowercase() + &words.collect::<String>()
}

#[test]
fn docs_openapi_json_is_up_to_date() {
    let text = serde_json::to_string_pretty(&document()).unwrap();
    crate::reference::up_to_date("docs/openapi.json", &format!("{text}\n"));
}
