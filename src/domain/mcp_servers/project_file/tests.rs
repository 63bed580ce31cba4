//! A server is put into texts of many shapes and taken out again.

use serde_json::json;

use super::*;

fn memory() -> Value {
    json!({"command": "npx", "args": ["-y", "memory"], "env": {"T": "${TOKEN}"}})
}

fn put(text: Option<&str>) -> (String, Written) {
    with_server(text, "memory", &memory(), false).unwrap().unwrap()
}

/// Texts of every shape in which people and programs write such files.
fn shapes() -> Vec<String> {
    let other = json!({"command": "ö \"x\"", "args": [], "env": {"A": "\u{1F980}"}});
    let values = [
        json!({}),
        json!({"mcpServers": {}}),
        json!({"mcpServers": {"other": other}}),
        json!({"mcpServers": {"other": other, "and": {"url": "https://x.example/{}"}}}),
        json!({"first": [1, {"mcpServers": {}}], "mcpServers": {}, "last": null}),
        json!({"mcpServers": {"b": {}, "a": other}, "z": {"memory": 1}}),
        json!({"other": "a text with \"mcpServers\": {} in it"}),
    ];
    let mut all = Vec::new();
    for value in &values {
        let mut texts = vec![value.to_string(), value.to_string().replace("\":", "\" : ")];
        for step in ["  ", "    ", "\t", " "] {
            let style = Style { newline: "\n", step: step.to_owned(), is_spaced: true };
            let pretty = style.pretty(value, "");
            texts.push(pretty.replace(": {\n", ":\n{\n"));
            texts.push(format!("  {}", pretty.replace('\n', "\n  ")));
            texts.push(pretty.replace("{}", "{ }"));
            texts.push(pretty);
        }
        for text in texts {
            all.extend([
                text.clone(),
                format!("{text}\n"),
                format!("\n{text}\n\n"),
                text.replace('\n', "\r\n"),
                format!("{}\r\n", text.replace('\n', "\r\n")),
            ]);
        }
    }
    all
}

#[test]
fn put_in_and_taken_out_every_byte_is_as_it_was() {
    let shapes = shapes();
    assert!(shapes.len() >= 200, "{}", shapes.len());
    for text in &shapes {
        let (new, written) = put(Some(text));
        let value = value_of(&new).unwrap();
        assert_eq!(value["mcpServers"]["memory"], memory(), "{new}");
        assert_eq!(with_server(Some(&new), "memory", &memory(), false).unwrap(), None, "there already");
        assert_eq!(
            without_server(&new, "memory", &written).unwrap().as_deref(),
            Some(text.as_str()),
            "{new}"
        );
        // Not one byte before or after is touched.
        let same = text.bytes().zip(new.bytes()).take_while(|(a, b)| a == b).count();
        let rest = text.bytes().rev().zip(new.bytes().rev()).take_while(|(a, b)| a == b).count();
        assert!(same + rest + written.replaced.len() >= text.len(), "{text:?} {new:?}");
    }
}

#[test]
fn it_is_written_as_the_others_are() {
    let lines = |text: &str| put(Some(text)).0;
    assert_eq!(
        lines("{\n    \"mcpServers\": {\n        \"a\": {}\n    }\n}\n"),
        "{\n    \"mcpServers\": {\n        \"a\": {},\n        \"memory\": {\n            \"command\": \"npx\",\n            \"args\": [\n                \"-y\",\n                \"memory\"\n            ],\n            \"env\": {\n                \"T\": \"${TOKEN}\"\n            }\n        }\n    }\n}\n"
    );
    let compact = r#""memory":{"command":"npx","args":["-y","memory"],"env":{"T":"${TOKEN}"}}"#;
    assert_eq!(lines(r#"{"mcpServers":{"a":{}}}"#), format!(r#"{{"mcpServers":{{"a":{{}},{compact}}}}}"#));
    assert!(lines("{\"mcpServers\": {\"a\": {}}}").contains(r#", "memory": {"command": "npx", "args""#));
    assert_eq!(
        put(None).0,
        format!("{}\n", serde_json::to_string_pretty(&json!({"mcpServers": {"memory": memory()}})).unwrap())
    );
}

#[test]
fn several_are_taken_out_in_any_order_and_what_was_made_for_them_goes() {
    for text in
        [None, Some("{}\n"), Some("{\n  \"x\": 1\n}\n"), Some(""), Some("{\"mcpServers\":{\"a\":{}}}")]
    {
        for first in [0, 1] {
            let (one, memory) = put(text);
            let (two, other) =
                with_server(Some(&one), "other", &json!({"command": "o"}), false).unwrap().unwrap();
            let mut owned = [("memory", memory), ("other", other)];
            // The last one takes along what was made for the first.
            let made = owned[0].1.made;
            owned[1].1.made = made;
            let rest = without_server(&two, owned[first].0, &owned[first].1).unwrap().unwrap();
            let end = without_server(&rest, owned[1 - first].0, &owned[1 - first].1).unwrap();
            let values = |t: Option<&str>| t.filter(|t| !t.trim().is_empty()).map(|t| value_of(t).unwrap());
            match text {
                None => assert_eq!(end, None),
                Some("") => assert_eq!(values(end.as_deref()).unwrap_or(json!({})), json!({})),
                Some(text) => assert_eq!(values(end.as_deref()), values(Some(text)), "{end:?}"),
            }
        }
    }
}

#[test]
fn in_doubt_nothing_is_changed() {
    for (text, words) in [
        ("{", "can't be read as JSON: EOF"),
        ("{ // mine\n}", "can't be read as JSON"),
        ("{\"a\": 1,}", "can't be read as JSON"),
        ("\u{feff}{}", "can't be read as JSON"),
        ("[]", "no object"),
        ("3", "no object"),
        ("{\"mcpServers\": []}", "no object"),
        ("{\"mcpServers\": null}", "no object"),
        ("{\"mcpServers\": {}, \"mcpServers\": {}}", "\"mcpServers\" twice"),
        ("{\"mcpServers\": {\"memory\": {}, \"memory\": {}}}", "\"memory\" twice"),
        ("{\"mcpServers\": {\"memory\": {\"command\": \"npx\"}}}", "differs in args, env"),
        ("{\"mcpServers\": {\"memory\": 3}}", "differs in everything"),
    ] {
        let error = with_server(Some(text), "memory", &memory(), false).unwrap_err().to_string();
        assert!(error.contains(words), "{text}: {error}");
    }
}

#[test]
fn one_that_took_the_place_of_another_gives_it_back() {
    let text = "{\"mcpServers\": {\"memory\": {\"command\":  \"old\"}, \"b\": {}}}";
    let (new, written) = with_server(Some(text), "memory", &memory(), true).unwrap().unwrap();
    assert_eq!(value_of(&new).unwrap()["mcpServers"]["memory"], memory());
    assert_eq!(without_server(&new, "memory", &written).unwrap().unwrap(), text);
}

#[test]
fn only_what_was_written_is_taken_out() {
    let (new, written) = put(Some("{\"mcpServers\": {\"a\": {}}}"));
    let edited = new.replace("npx", "bunx");
    assert_eq!(without_server(&edited, "memory", &written), Err(Unchanged::NotOurs));
    assert_eq!(without_server("{}", "memory", &written), Err(Unchanged::Missing));
    // Written anew by another program, it means the same.
    let anew = serde_json::to_string_pretty(&value_of(&new).unwrap()).unwrap();
    assert_eq!(
        value_of(&without_server(&anew, "memory", &written).unwrap().unwrap()).unwrap(),
        json!({"mcpServers": {"a": {}}})
    );
}
