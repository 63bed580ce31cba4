//! The OpenAPI document: up to date, and what the server answers.

use serde_json::Value;

#[test]
fn docs_openapi_json_is_up_to_date() {
    let text = serde_json::to_string_pretty(&deck::reference::openapi()).unwrap();
    crate::docs::up_to_date("openapi.json", &format!("{text}\n"));
}

#[test]
fn docs_api_md_is_up_to_date() {
    crate::docs::up_to_date("api.md", &deck::reference::api_reference());
}

/// Every route: its method, its path, whether it changes something, and its operation.
pub fn routes() -> Vec<(String, String, bool, Value)> {
    let document = deck::reference::openapi();
    let mut all = Vec::new();
    for (path, methods) in document["paths"].as_object().unwrap() {
        for (method, operation) in methods.as_object().unwrap() {
            let changes = operation["x-changes"].as_bool().unwrap();
            all.push((method.to_uppercase(), path.clone(), changes, operation.clone()));
        }
    }
    assert!(all.len() > 30, "{}", all.len());
    all
}

#[test]
fn whatever_is_no_get_changes_something() {
    for (method, path, changes, _) in routes() {
        assert_eq!(changes, method != "GET", "{method} {path}");
    }
}

/// What is wrong with an answer to a route.
pub fn problem(method: &str, path: &str, status: u16, answer: &Value) -> Option<String> {
    let (mut schemas, mut compiler) = (boon::Schemas::new(), boon::Compiler::new());
    compiler.add_resource("openapi.json", deck::reference::openapi()).unwrap();
    let path = path.replace('~', "~0").replace('/', "~1").replace('{', "%7B").replace('}', "%7D");
    let method = method.to_lowercase();
    let at =
        format!("openapi.json#/paths/{path}/{method}/responses/{status}/content/application~1json/schema");
    let index = match compiler.compile(&at, &mut schemas) {
        Ok(index) => index,
        Err(error) => return Some(format!("{at}: {error:#}")),
    };
    schemas.validate(answer, index).err().map(|e| format!("{e:#}\n{answer:#}"))
}
