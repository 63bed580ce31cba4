//! Telling an agent why there is no server: in the answer to its requests, since nobody reads what a server prints elsewhere.

use std::io::{self, BufRead as _, Read as _, Write};
use std::process::ExitCode;

use serde_json::{Value, json};

/// The longest line that is read, in bytes.
const LONGEST: u64 = 32 * 1024 * 1024;
/// A server's own error, of those that JSON-RPC leaves to it.
pub(super) const SERVER_ERROR: i32 = -32_000;

/// Answers each request on stdin with an error until stdin ends.
pub(super) fn answer_error(words: &str) -> ExitCode {
    let _ = writeln!(io::stderr(), "{words}");
    let mut input = io::stdin().lock();
    let mut line = Vec::new();
    loop {
        line.clear();
        match (&mut input).take(LONGEST).read_until(b'\n', &mut line) {
            Ok(0) | Err(_) => return ExitCode::FAILURE,
            Ok(_) => {}
        }
        let Some(answer) = answer_to(&line, words) else { continue };
        let mut out = io::stdout().lock();
        if writeln!(out, "{answer}").and_then(|()| out.flush()).is_err() {
            return ExitCode::FAILURE;
        }
    }
}

/// The answer to a line; none unless it is a request.
fn answer_to(line: &[u8], words: &str) -> Option<Value> {
    let request: Value = serde_json::from_slice(line).ok()?;
    request.get("method")?;
    let id = request.get("id").filter(|id| !id.is_null())?;
    Some(json!({ "jsonrpc": "2.0", "id": id, "error": { "code": SERVER_ERROR, "message": words } }))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn requests_are_answered_and_nothing_else() {
        let answer = |line: &str| answer_to(line.as_bytes(), "gone").map(|a| a.to_string());
        assert_eq!(
            answer(r#"{"jsonrpc":"2.0","id":"a","method":"initialize"}"#).unwrap(),
            r#"{"jsonrpc":"2.0","id":"a","error":{"code":-32000,"message":"gone"}}"#
        );
        for none in [r#"{"method":"x"}"#, r#"{"id":1,"result":{}}"#, r#"{"id":null,"method":"x"}"#, "x", "[]"]
        {
            assert_eq!(answer(none), None, "{none}");
        }
    }
}
