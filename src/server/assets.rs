//! The page: files that are built into the binary.
//!
//! Invariant: what is cached for long has the checksum of its content in its name, so a new deck's page never runs old code.

use axum::http::header::{ACCEPT_ENCODING, CACHE_CONTROL, CONTENT_ENCODING, CONTENT_TYPE, VARY};
use axum::http::{HeaderMap, HeaderValue, StatusCode};
use axum::response::{IntoResponse, Response};
use rust_embed::RustEmbed;

#[derive(RustEmbed)]
#[folder = "assets/web/"]
struct Files;

/// The page itself.
const PAGE: &str = "index.html";

/// The types of the files that there are.
const TYPES: &[(&str, &str)] = &[
    (".html", "text/html; charset=utf-8"),
    (".js", "text/javascript; charset=utf-8"),
    (".css", "text/css; charset=utf-8"),
    (".svg", "image/svg+xml"),
    (".png", "image/png"),
    (".webmanifest", "application/manifest+json"),
];

/// How large files are kept, compressed alone: the best encoding first, and last the one that every client has.
const ENCODINGS: &[(&str, &str)] = &[("br", ".br"), ("gzip", ".gz")];

/// Names the page that is built in: it is another one after an update. The page itself names all of its files with their
/// checksums.
pub(super) fn build() -> String {
    let sum = Files::get(PAGE).map(|file| file.metadata.sha256_hash()).unwrap_or_default();
    sum.iter().take(6).map(|byte| format!("{byte:02x}")).collect()
}

/// A file of the page, or the page itself for every other address: what it shows is in the address.
pub(super) fn file(path: &str, headers: &HeaderMap) -> Response {
    let name = path.trim_start_matches('/');
    let kind = TYPES.iter().find(|(ending, _)| name.ends_with(ending));
    let name = if kind.is_some() { name } else { PAGE };
    if is_compressed(name) {
        return StatusCode::NOT_FOUND.into_response();
    }
    let (data, encoding) = match Files::get(name) {
        Some(file) => (file.data, None),
        None => {
            // A client that names none takes any.
            let unsaid = ENCODINGS.last().filter(|_| !headers.contains_key(ACCEPT_ENCODING));
            let accepted = ENCODINGS.iter().find(|(word, _)| accepts(headers, word)).or(unsaid);
            if accepted.is_none() {
                return StatusCode::NOT_ACCEPTABLE.into_response();
            }
            let compressed =
                accepted.and_then(|(word, ending)| Some((Files::get(&format!("{name}{ending}"))?, *word)));
            match compressed {
                Some((file, word)) => (file.data, Some(word)),
                // A file of another version's page.
                None => return StatusCode::NOT_FOUND.into_response(),
            }
        }
    };
    let mut answer = data.into_owned().into_response();
    let fixed = HeaderValue::from_static;
    let kind = kind.map_or("text/html; charset=utf-8", |(_, kind)| kind);
    let cached = if has_checksum(name) { "public, max-age=31536000, immutable" } else { "no-cache" };
    let all = answer.headers_mut();
    all.insert(CONTENT_TYPE, fixed(kind));
    all.insert(CACHE_CONTROL, fixed(cached));
    all.insert(VARY, fixed("accept-encoding"));
    if let Some(encoding) = encoding {
        all.insert(CONTENT_ENCODING, fixed(encoding));
    }
    answer
}

fn is_compressed(name: &str) -> bool {
    ENCODINGS.iter().any(|(_, ending)| name.ends_with(ending))
}

/// Whether a name ends in a dash and eight letters of a checksum, before its ending.
fn has_checksum(name: &str) -> bool {
    let stem = name.split('.').next().unwrap_or_default();
    stem.rsplit_once('-').is_some_and(|(_, sum)| {
        sum.len() == 8 && sum.bytes().all(|b| b.is_ascii_uppercase() || b.is_ascii_digit())
    })
}

fn accepts(headers: &HeaderMap, encoding: &str) -> bool {
    let all = headers.get(ACCEPT_ENCODING).and_then(|value| value.to_str().ok()).unwrap_or_default();
    all.split(',').any(|one| {
        let mut parts = one.split(';').map(str::trim);
        parts.next() == Some(encoding) && !parts.any(|part| matches!(part, "q=0" | "q=0.0"))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_page_is_kept_by_no_browser_and_its_files_are() {
        let page = file("/s/x/w/y", &HeaderMap::new());
        assert_eq!(page.headers()[CACHE_CONTROL], "no-cache");
        assert_eq!(page.headers()[CONTENT_TYPE], "text/html; charset=utf-8");
        let is_script = |name: &str| name.starts_with("main-") && name.ends_with(".js.gz");
        let script = Files::iter().find(|name| is_script(name)).unwrap();
        let script = format!("/{}", script.trim_end_matches(".gz"));
        let mut headers = HeaderMap::new();
        let answer = file(&script, &headers);
        assert_eq!(answer.headers()[CONTENT_ENCODING], "gzip", "a client that names none takes any");
        assert!(answer.headers()[CACHE_CONTROL].to_str().unwrap().contains("immutable"));
        headers.insert(ACCEPT_ENCODING, HeaderValue::from_static("gzip, deflate, br"));
        assert_eq!(file(&script, &headers).headers()[CONTENT_ENCODING], "br");
        headers.insert(ACCEPT_ENCODING, HeaderValue::from_static("gzip, deflate, br;q=0"));
        assert_eq!(file(&script, &headers).headers()[CONTENT_ENCODING], "gzip");
        headers.insert(ACCEPT_ENCODING, HeaderValue::from_static("identity"));
        assert_eq!(file(&script, &headers).status(), StatusCode::NOT_ACCEPTABLE);
        headers.remove(ACCEPT_ENCODING);
        assert_eq!(file("/main-0000AAAA.js", &headers).status(), StatusCode::NOT_FOUND);
    }
}
