//! Finding a value in JSON by a path such as `.session_id` or `.a[0].b`.

use serde_json::Value;

/// A path into JSON.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct JsonPath(Vec<Step>);

#[derive(Debug, Clone, PartialEq, Eq)]
enum Step {
    Key(String),
    Index(usize),
}

impl JsonPath {
    /// Reads a path; the leading dot may be left out.
    pub fn parse(path: &str) -> Option<Self> {
        let mut steps = Vec::new();
        for part in path.trim().trim_start_matches('.').split('.') {
            let (key, indexes) = part.split_once('[').map_or((part, None), |(k, i)| (k, Some(i)));
            if !key.is_empty() {
                steps.push(Step::Key(key.trim_matches('"').to_owned()));
            } else if indexes.is_none() {
                return None;
            }
            for index in indexes.into_iter().flat_map(|i| i.split('[')) {
                steps.push(Step::Index(index.strip_suffix(']')?.parse().ok()?));
            }
        }
        Some(Self(steps))
    }

    pub(super) fn find<'a>(&self, value: &'a Value) -> Option<&'a Value> {
        self.0.iter().try_fold(value, |at, step| match step {
            Step::Key(key) => at.get(key),
            Step::Index(index) => at.get(index),
        })
    }
}

/// The value at `path` of the last JSON document in `text` that has it, as plain text.
///
/// Programs print warnings before their JSON, or one document a line: each `{` or `[` that
/// starts a document counts, the rest is passed over.
pub fn last_with(text: &str, path: &JsonPath) -> Option<String> {
    let mut found = None;
    let mut rest = text;
    while let Some(at) = rest.find(['{', '[']) {
        rest = rest.get(at..)?;
        let mut documents = serde_json::Deserializer::from_str(rest).into_iter::<Value>();
        match documents.next() {
            Some(Ok(document)) => {
                if let Some(value) = path.find(&document).and_then(plain) {
                    found = Some(value);
                }
                rest = rest.get(documents.byte_offset()..)?;
            }
            _ => rest = rest.get(1..)?,
        }
    }
    found
}

fn plain(value: &Value) -> Option<String> {
    match value {
        Value::String(s) if !s.is_empty() => Some(s.clone()),
        Value::Number(n) => Some(n.to_string()),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_last_document_that_has_the_path() {
        let check = |text: &str, path: &str, want: Option<&str>| {
            assert_eq!(last_with(text, &JsonPath::parse(path).unwrap()).as_deref(), want, "{text}");
        };
        check(r#"{"session_id":"a"}"#, ".session_id", Some("a"));
        check(
            "warning: {x}\n{\"session_id\":\"a\"}\n{\"session_id\":\"b\"}\n{\"other\":1}",
            ".session_id",
            Some("b"),
        );
        check(r#"[{"a":{"b":[1,{"c":7}]}}]"#, "[0].a.b[1].c", Some("7"));
        check(r#"{"session_id":null}"#, ".session_id", None);
        check("no json", ".session_id", None);
        check("{\"session_id\":\"cut", ".session_id", None);
        assert_eq!(JsonPath::parse("."), None);
        assert_eq!(JsonPath::parse(".a..b"), None);
    }
}
