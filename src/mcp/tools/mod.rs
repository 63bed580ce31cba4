//! All tools, and what their inputs share.

mod acting;
mod agents;
mod exec;
mod jobs;
mod sessions;
mod states;
mod wait_job;

use serde::{Deserialize, Deserializer};
use serde_json::{Value, json};

use super::tool::{Tool, schemas};
use crate::domain::mcp_scope::{Scope, allow};

/// Every tool once, in the order in which they are listed.
pub const ALL: &[&[Tool]] = &[
    exec::TOOLS,
    jobs::TOOLS,
    wait_job::TOOLS,
    sessions::TOOLS,
    states::TOOLS,
    agents::TOOLS,
    acting::TOOLS,
];

/// Those of these scopes.
pub fn all(scopes: &[Scope]) -> impl Iterator<Item = &'static Tool> {
    ALL.iter().flat_map(|group| group.iter()).filter(|tool| allow(scopes, tool.scope))
}

/// What is listed of them, as JSON.
pub fn described(scopes: &[Scope]) -> Value {
    let schemas = schemas();
    let one = |tool: &Tool| serde_json::to_value(tool.listed(&schemas)).unwrap_or_default();
    json!({ "tools": all(scopes).map(one).collect::<Vec<_>>() })
}

/// A number, also one that was written as text: models do that.
pub fn number<'de, D: Deserializer<'de>>(from: D) -> Result<u64, D::Error> {
    #[derive(Deserialize)]
    #[serde(untagged)]
    enum Given {
        Number(u64),
        Text(String),
    }
    match Given::deserialize(from)? {
        Given::Number(n) => Ok(n),
        Given::Text(text) => text.trim().parse().map_err(serde::de::Error::custom),
    }
}

/// The same where it may be absent.
pub fn some_number<'de, D: Deserializer<'de>>(from: D) -> Result<Option<u64>, D::Error> {
    #[derive(Deserialize)]
    struct One(#[serde(deserialize_with = "number")] u64);
    Ok(Option::<One>::deserialize(from)?.map(|one| one.0))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[cfg(feature = "web")]
    #[test]
    fn docs_schemas_of_tools_are_up_to_date() {
        let one = |tool: &Tool| {
            (tool.name.to_owned(), json!({ "input": (tool.input)(), "output": (tool.output)() }))
        };
        let all: serde_json::Map<String, Value> = all(&Scope::ALL).map(one).collect();
        crate::reference::up_to_date("assets/schemas/mcp.json", &format!("{}\n", Value::from(all)));
    }

    #[test]
    fn what_is_listed() {
        insta::assert_snapshot!(serde_json::to_string_pretty(&described(&Scope::ALL)).unwrap());
    }

    #[test]
    fn all_of_it_is_short_and_has_no_null() {
        let text = described(&Scope::ALL).to_string();
        assert!(text.len() <= 24 * 1024, "{} bytes", text.len());
        let usual = described(&Scope::USUAL).to_string();
        assert!(usual.len() <= 20 * 1024, "{} bytes", usual.len());
        // Agents give their model no schemas of what comes out: this is what takes room in its context.
        let mut shown = described(&Scope::ALL);
        for tool in shown["tools"].as_array_mut().unwrap() {
            tool.as_object_mut().unwrap().remove("outputSchema");
        }
        assert!(shown.to_string().len() <= 16 * 1024, "{} bytes", shown.to_string().len());
        assert!(!text.contains("null"), "{text}");
        let mut names: Vec<&str> = all(&Scope::ALL).map(|t| t.name).collect();
        names.sort_unstable();
        let count = names.len();
        names.dedup();
        assert_eq!(names.len(), count, "no name twice");
        for tool in all(&Scope::ALL) {
            let first = tool.description.split(". ").next().unwrap();
            assert!(first.len() > 20 && first.len() < 160, "{}: {first}", tool.name);
        }
    }

    #[test]
    fn numbers_may_be_text() {
        #[derive(Debug, Deserialize)]
        struct Input {
            #[serde(default, deserialize_with = "some_number")]
            n: Option<u64>,
        }
        let read = |text: &str| serde_json::from_str::<Input>(text).map(|i| i.n);
        assert_eq!(read("{\"n\": 5}").unwrap(), Some(5));
        assert_eq!(read("{\"n\": \" 5 \"}").unwrap(), Some(5));
        assert_eq!(read("{}").unwrap(), None);
        assert!(read("{\"n\": \"five\"}").is_err());
    }
}
