//! Running a verb, and comparing what it prints with its schema.

use std::collections::{BTreeMap, BTreeSet};

use deck::reference::ERROR;
use serde_json::{Value, json};

use crate::support::Sandbox;

/// No object has another field than those that the schema names.
fn strict(schema: &mut Value) {
    match schema {
        Value::Object(map) => {
            if map.contains_key("properties") && !map.contains_key("additionalProperties") {
                map.insert("additionalProperties".to_owned(), false.into());
            }
            map.values_mut().for_each(strict);
        }
        Value::Array(all) => all.iter_mut().for_each(strict),
        _ => {}
    }
}

/// A schema that was compiled once, for any number of values.
pub(super) struct Compiled {
    schemas: boon::Schemas,
    index: boon::SchemaIndex,
}

impl Compiled {
    pub(super) fn new(mut schema: Value) -> Self {
        strict(&mut schema);
        let (mut schemas, mut compiler) = (boon::Schemas::new(), boon::Compiler::new());
        compiler.enable_format_assertions();
        compiler.add_resource("schema.json", schema).unwrap();
        let index = compiler.compile("schema.json", &mut schemas).unwrap_or_else(|e| panic!("{e:#}"));
        Self { schemas, index }
    }

    /// What is wrong with a value, if anything.
    pub(super) fn mistakes(&self, value: &Value) -> Option<String> {
        self.schemas.validate(value, self.index).err().map(|e| format!("{e:#}"))
    }
}

/// Runs verbs and validates what they print.
pub(super) struct Checked<'a> {
    pub(super) sandbox: &'a Sandbox,
    all: Compiled,
    own: BTreeMap<String, Compiled>,
}

impl<'a> Checked<'a> {
    pub(super) fn new(sandbox: &'a Sandbox) -> Self {
        let all = Compiled::new(serde_json::from_str(&sandbox.deck(&["schema"]).ok()).unwrap());
        Self { sandbox, all, own: BTreeMap::new() }
    }

    /// The names of what was validated.
    pub(super) fn seen(&self) -> BTreeSet<String> {
        self.own.keys().cloned().collect()
    }

    /// Validates a text against the schema of `name`: the one of its own, and its part of the one for all verbs.
    #[track_caller]
    pub(super) fn validate(&mut self, name: &str, text: &str) -> Value {
        let value: Value = serde_json::from_str(text).unwrap_or_else(|e| panic!("deck {name}: {e}: {text}"));
        let own = self.own.entry(name.to_owned()).or_insert_with(|| {
            let words: Vec<&str> = ["schema"].into_iter().chain(name.split(' ')).collect();
            Compiled::new(serde_json::from_str(&self.sandbox.deck(&words).ok()).unwrap())
        });
        let wrong = own.mistakes(&value).or_else(|| self.all.mistakes(&json!({ name: value })));
        if let Some(wrong) = wrong {
            panic!("deck {name} prints what its schema doesn't describe: {wrong}\n{text}");
        }
        value
    }

    /// Runs a verb that exits with `code`, and validates what it prints.
    #[track_caller]
    pub(super) fn exits(&mut self, code: i32, name: &str, args: &[&str]) -> Value {
        // First, since a key may begin with a dash.
        let words: Vec<&str> =
            ["--json"].into_iter().chain(name.split(' ')).chain(args.iter().copied()).collect();
        let answer = self.sandbox.deck(&words);
        assert_eq!(answer.code(), code, "deck {words:?}: {}{}", answer.stdout(), answer.stderr());
        if code != 0 && answer.stdout().is_empty() {
            // Warnings may come before it.
            return self.validate(ERROR, answer.stderr().lines().last().unwrap_or_default());
        }
        self.validate(name, &answer.stdout())
    }

    #[track_caller]
    pub(super) fn ok(&mut self, name: &str, args: &[&str]) -> Value {
        self.exits(0, name, args)
    }
}
