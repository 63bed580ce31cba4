//! Short names of values, by what they mean.

use std::collections::BTreeMap;

use serde_json::Value;
use sha2::{Digest as _, Sha256};

/// What names a value, whatever the order of its keys: 16 hexadecimal digits.
pub(super) fn digest(value: &Value) -> String {
    checksum(sorted(value).to_string().as_bytes())
}

/// The first 16 hexadecimal digits of a SHA-256.
pub fn checksum(bytes: &[u8]) -> String {
    let hash = Sha256::digest(bytes);
    hash.iter().take(8).map(|byte| format!("{byte:02x}")).collect()
}

fn sorted(value: &Value) -> Value {
    match value {
        Value::Object(object) => {
            let all: BTreeMap<&String, Value> = object.iter().map(|(k, v)| (k, sorted(v))).collect();
            Value::Object(all.into_iter().map(|(k, v)| (k.clone(), v)).collect())
        }
        Value::Array(all) => Value::Array(all.iter().map(sorted).collect()),
        other => other.clone(),
    }
}
