//! The page: files that are built into the binary.

use axum::http::header::{CACHE_CONTROL, CONTENT_TYPE};
use axum::http::{HeaderValue, StatusCode};
use axum::response::{IntoResponse, Response};
use rust_embed::RustEmbed;

#[derive(RustEmbed)]
#[folder = "assets/web/"]
struct Files;

/// The types of the files that there are.
const TYPES: &[(&str, &str)] = &[
    (".html", "text/html; charset=utf-8"),
    (".js", "text/javascript; charset=utf-8"),
    (".css", "text/css; charset=utf-8"),
    (".svg", "image/svg+xml"),
];

/// A file of the page, or the page itself for every other address: what it shows is in the address.
pub(super) fn file(path: &str) -> Response {
    let name = path.trim_start_matches('/');
    let name = if Files::get(name).is_some() { name } else { "index.html" };
    let Some(file) = Files::get(name) else { return StatusCode::NOT_FOUND.into_response() };
    let kind = TYPES.iter().find(|(ending, _)| name.ends_with(ending));
    let kind = kind.map_or("application/octet-stream", |(_, kind)| kind);
    let mut answer = file.data.into_owned().into_response();
    answer.headers_mut().insert(CONTENT_TYPE, HeaderValue::from_static(kind));
    answer.headers_mut().insert(CACHE_CONTROL, HeaderValue::from_static("no-cache"));
    answer
}
