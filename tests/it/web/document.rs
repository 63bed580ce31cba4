//! The OpenAPI document: up to date, and what the server answers.

use std::sync::LazyLock;

use serde_json::Value;

/// The document, which a unit test keeps up to date.
fn document() -> Value {
    let path = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("docs/openapi.json");
    serde_json::from_str(&std::fs::read_to_string(path).unwrap()).unwrap()
}

/// Every route: its method, its path, whether it changes something, and its operation.
pub fn routes() -> Vec<(String, String, bool, Value)> {
    let document = document();
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
    static DOCUMENT: LazyLock<Value> = LazyLock::new(document);
    let (mut schemas, mut compiler) = (boon::Schemas::new(), boon::Compiler::new());
    compiler.add_resource("openapi.json", DOCUMENT.clone()).unwrap();
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
