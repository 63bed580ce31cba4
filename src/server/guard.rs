//! Who may ask at all, before it is known who they are: by which name this server is called, and from which page.
//!
//! A page of another site can have a browser ask this server anything, also under a name that leads here (DNS rebinding).
//! So the name is checked first, then the page that asks.

use axum::extract::{Request, State};
use axum::http::header::{HOST, ORIGIN};
use axum::http::{HeaderMap, Method};
use axum::middleware::Next;
use axum::response::{IntoResponse, Response};

use super::app::App;
use super::error::ApiError;
use super::{headers, login};

/// Checks a request before anything else looks at it, and puts headers on every answer.
pub async fn check(State(app): State<App>, request: Request, next: Next) -> Response {
    let is_api = ["/api", "/ws"].iter().any(|start| request.uri().path().starts_with(start));
    let mut answer = match may_ask(&app, &request) {
        Ok(()) => next.run(request).await,
        Err(error) => error.into_response(),
    };
    headers::put(answer.headers_mut(), is_api);
    answer
}

fn may_ask(app: &App, request: &Request) -> Result<(), ApiError> {
    let headers = request.headers();
    check_host(app, headers)?;
    let path = request.uri().path();
    let is_socket = path.starts_with("/ws/");
    let reads = matches!(*request.method(), Method::GET | Method::HEAD);
    let is_page = !path.starts_with("/api") && !is_socket;
    let site = header(headers, "sec-fetch-site");
    // A link on another page may lead here: what it opens holds nothing before it has asked with its own origin.
    let opens_page = is_page && header(headers, "sec-fetch-mode") == Some("navigate");
    if site == Some("cross-site") && !opens_page {
        return Err(ApiError::forbidden("a page of another site may not ask this deck"));
    }
    if reads && !is_socket {
        return Ok(());
    }
    match headers.get(ORIGIN).map(|origin| origin.to_str().unwrap_or("?")) {
        Some(origin) if app.origins.iter().any(|own| own == origin) => Ok(()),
        Some(_) => Err(ApiError::forbidden("a page of another origin may not ask this deck")),
        None => {
            if login::is_script(app, headers)? {
                return Ok(());
            }
            Err(ApiError::forbidden("the request names no origin and carries no token"))
        }
    }
}

fn header<'a>(headers: &'a HeaderMap, name: &str) -> Option<&'a str> {
    headers.get(name).and_then(|value| value.to_str().ok())
}

fn check_host(app: &App, headers: &HeaderMap) -> Result<(), ApiError> {
    let mut all = headers.get_all(HOST).iter();
    let host = all.next().and_then(|host| host.to_str().ok()).unwrap_or_default();
    if all.next().is_none() && app.hosts.iter().any(|own| own.eq_ignore_ascii_case(host)) {
        return Ok(());
    }
    Err(ApiError::host(host))
}
