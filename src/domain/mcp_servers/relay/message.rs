//! One message of the protocol: JSON-RPC 2.0, a line each. What isn't needed to route it is kept as it was written.

use serde::{Deserialize, Serialize};
use serde_json::value::RawValue;
use serde_json::{Value, json};

/// An id that is `null` is one, of a request that can't be answered.
fn present<'de, D: serde::Deserializer<'de>>(from: D) -> Result<Option<&'de RawValue>, D::Error> {
    <&RawValue>::deserialize(from).map(Some)
}

/// A message, whichever it is.
#[derive(Debug, Deserialize)]
pub(super) struct Message<'a> {
    #[serde(borrow, default, deserialize_with = "present")]
    pub id: Option<&'a RawValue>,
    #[serde(default)]
    pub method: Option<String>,
    #[serde(borrow, default)]
    pub params: Option<&'a RawValue>,
    #[serde(borrow, default)]
    pub result: Option<&'a RawValue>,
    #[serde(borrow, default)]
    pub error: Option<&'a RawValue>,
}

/// JSON-RPC's own errors.
pub(super) const PARSE_ERROR: i32 = -32_700;
pub(super) const INVALID_REQUEST: i32 = -32_600;
pub(super) const METHOD_NOT_FOUND: i32 = -32_601;
/// What a server may use as it likes.
pub(super) const SERVER_ERROR: i32 = -32_000;

impl<'a> Message<'a> {
    /// Reads a line.
    pub fn parse(line: &'a [u8]) -> Option<Self> {
        // An array would be read as the fields in their order.
        let is_object = line.iter().find(|b| !b.is_ascii_whitespace()) == Some(&b'{');
        is_object.then(|| serde_json::from_slice(line).ok()).flatten()
    }

    /// Its id, if it is one that a request may have: a text or a whole number.
    pub fn usable_id(&self) -> Option<String> {
        let text = self.id?.get();
        let value: Value = serde_json::from_str(text).ok()?;
        (value.is_string() || value.is_i64() || value.is_u64()).then(|| text.to_owned())
    }

    /// The token by which a request asks to be told of progress, as it was written.
    pub fn token(&self) -> Option<String> {
        let params: Value = serde_json::from_str(self.params?.get()).ok()?;
        params.pointer("/_meta/progressToken").map(Value::to_string)
    }

    /// A text of the parameters.
    pub fn param(&self, name: &str) -> Option<Value> {
        let params: Value = serde_json::from_str(self.params?.get()).ok()?;
        params.get(name).cloned()
    }
}

#[derive(Serialize)]
struct Request<'a> {
    jsonrpc: &'static str,
    id: u64,
    method: &'a str,
    #[serde(skip_serializing_if = "Option::is_none")]
    params: Option<Box<RawValue>>,
}

/// A request under another id, with that as its token if it has one.
pub(super) fn request(id: u64, method: &str, params: Option<&str>, has_token: bool) -> String {
    let params = params.and_then(|text| {
        if !has_token {
            return RawValue::from_string(text.to_owned()).ok();
        }
        let mut value: Value = serde_json::from_str(text).ok()?;
        *value.pointer_mut("/_meta/progressToken")? = id.into();
        serde_json::value::to_raw_value(&value).ok()
    });
    serde_json::to_string(&Request { jsonrpc: "2.0", id, method, params }).unwrap_or_default()
}

#[derive(Serialize)]
struct Answer<'a> {
    jsonrpc: &'static str,
    id: &'a RawValue,
    #[serde(skip_serializing_if = "Option::is_none")]
    result: Option<&'a RawValue>,
    #[serde(skip_serializing_if = "Option::is_none")]
    error: Option<&'a RawValue>,
}

/// An answer under the asker's id.
pub(super) fn answer(id: &str, result: Option<&RawValue>, error: Option<&RawValue>) -> String {
    let Ok(id) = RawValue::from_string(id.to_owned()) else { return String::new() };
    serde_json::to_string(&Answer { jsonrpc: "2.0", id: &id, result, error }).unwrap_or_default()
}

/// A result under the asker's id.
pub(super) fn result(id: &str, result: &Value) -> String {
    let raw = serde_json::value::to_raw_value(result).ok();
    answer(id, raw.as_deref(), None)
}

/// An error under the asker's id.
pub(super) fn error(id: &str, code: i32, words: &str) -> String {
    let raw = serde_json::value::to_raw_value(&json!({ "code": code, "message": words })).ok();
    answer(id, None, raw.as_deref())
}

/// A notification.
pub(super) fn notification(method: &str, params: Option<&Value>) -> String {
    let mut value = json!({ "jsonrpc": "2.0", "method": method });
    if let (Some(object), Some(params)) = (value.as_object_mut(), params) {
        object.insert("params".to_owned(), params.clone());
    }
    value.to_string()
}
