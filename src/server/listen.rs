//! Listening: connections with limits, routes, and an end that says goodbye.

use std::collections::BTreeMap;
use std::net::SocketAddr;
use std::sync::Arc;
use std::time::{Duration, Instant};

use axum::Router;
use axum::body::to_bytes;
use axum::extract::ws::WebSocketUpgrade;
use axum::extract::{ConnectInfo, Path, Query, Request, State};
use axum::http::header::{CONTENT_TYPE, SET_COOKIE};
use axum::http::{HeaderMap, HeaderValue};
use axum::response::{IntoResponse, Response};
use axum::routing::{MethodFilter, any, get, on, post};
use jiff::Timestamp;
use serde::Deserialize;
use serde_json::json;
use tokio::net::TcpListener;
use tokio::sync::{Semaphore, watch};

use super::app::{App, Settings};
use super::connection::{self, MAX_CONNECTIONS};
use super::error::ApiError;
use super::idempotency::Known;
use super::login::{self, Viewer};
use super::place::{Place, Running};
use super::route::{Call, Effect, Method, Route};
use super::socket::{self, Peer, Socket, Tab};
use super::tls::Certificate;
use super::{api, assets, guard, secret};
use crate::domain::frame::Position;
use crate::domain::id::{ProfileName, SessionId};
use crate::ops::{Cancel, Cx};
use crate::wiring::Served;

/// The OpenAPI document, which the tests make from the routes.
const OPENAPI: &str = include_str!("../../docs/openapi.json");
/// The most bytes of a body.
const MAX_BODY: usize = 1024 * 1024;
/// How long a client may take to send a body.
const BODY: Duration = Duration::from_secs(30);
/// How long what is open has to end.
const FAREWELL: Duration = Duration::from_secs(2);

/// Why nothing is served.
#[derive(Debug, thiserror::Error)]
pub enum ServeError {
    #[error("can't listen on {0}")]
    Listen(SocketAddr, #[source] std::io::Error),
    #[error("this deck is served already{}", .0.as_ref().map(|r| format!(", at {} by process {}", r.url, r.pid)).unwrap_or_default())]
    Running(Option<Running>),
    #[error("can't keep the files of the web deck in {0}")]
    Files(String, #[source] std::io::Error),
    #[error("the server failed")]
    Io(#[from] std::io::Error),
}

/// What is being served, once it is.
#[derive(Debug, Clone)]
pub struct Serving {
    pub url: String,
    pub place: Place,
}

/// Serves until the process is told to end. `begun` is called once, when connections are taken.
///
/// # Errors
/// [`ServeError`].
pub fn serve(
    settings: Settings,
    place: Place,
    served: Served,
    begun: impl FnOnce(&Serving),
) -> Result<(), ServeError> {
    let files = |error| ServeError::Files(place.folder().display().to_string(), error);
    let _lock = match place.take().map_err(files)? {
        Ok(lock) => lock,
        Err(running) => return Err(ServeError::Running(running)),
    };
    place.token().map_err(files)?;
    let runtime = tokio::runtime::Builder::new_multi_thread().worker_threads(2).enable_all().build()?;
    let result = runtime.block_on(run(settings, place.clone(), served, begun));
    runtime.shutdown_timeout(FAREWELL);
    // While the lock is held still: what follows may be another server.
    let cleared = place.clear().map_err(files);
    result.and(cleared)
}

async fn run(
    settings: Settings,
    place: Place,
    served: Served,
    begun: impl FnOnce(&Serving),
) -> Result<(), ServeError> {
    let mut listeners = Vec::new();
    for address in &settings.listen {
        let failed = |error| ServeError::Listen(*address, error);
        listeners.push(TcpListener::bind(address).await.map_err(failed)?);
    }
    let port = listeners.first().and_then(|l| l.local_addr().ok()).map_or(0, |a| a.port());
    let (end, ends) = watch::channel(false);
    let read_only = settings.read_only;
    let app = App::new(settings, place.clone(), port, served, ends.clone());
    let running = Running::this(app.url(), port, read_only);
    place.write(&running).map_err(|error| ServeError::Files(place.folder().display().to_string(), error))?;
    let sockets = app.clone();
    let tls = app.settings.tls.as_ref().map(Certificate::acceptor);
    let router = router(app);
    let room = Arc::new(Semaphore::new(MAX_CONNECTIONS));
    for listener in listeners {
        tokio::spawn(connection::accept(listener, tls.clone(), router.clone(), room.clone(), ends.clone()));
    }
    let mut term = tokio::signal::unix::signal(tokio::signal::unix::SignalKind::terminate())?;
    let mut interrupt = tokio::signal::unix::signal(tokio::signal::unix::SignalKind::interrupt())?;
    begun(&Serving { url: running.url, place });
    tokio::select! {
        _ = term.recv() => {}
        _ = interrupt.recv() => {}
    }
    end.send_replace(true);
    // Each connection has a permit until it has ended, or has become a socket; those say goodbye themselves.
    let all = async {
        let _ = room.acquire_many(u32::try_from(MAX_CONNECTIONS).unwrap_or(u32::MAX)).await;
        sockets.sockets.closed().await;
    };
    if tokio::time::timeout(FAREWELL, all).await.is_err() {
        tracing::debug!("not all connections have ended in time");
    }
    Ok(())
}

fn router(app: App) -> Router {
    let mut router = Router::new();
    for route in api::routes() {
        let filter = match route.method {
            Method::Get => MethodFilter::GET,
            Method::Post => MethodFilter::POST,
            Method::Patch => MethodFilter::PATCH,
            Method::Delete => MethodFilter::DELETE,
        };
        let handler = move |State(app): State<App>,
                            ConnectInfo(from): ConnectInfo<SocketAddr>,
                            Path(path): Path<BTreeMap<String, String>>,
                            request: Request| async move {
            match handle(route, app, from, path, request).await {
                Ok(answer) => answer,
                Err(error) => error.into_response(),
            }
        };
        router = router.route(route.path, on(filter, handler));
    }
    router
        .route("/api/health", get(|| async { json_answer(&json!({ "ok": true })) }))
        .route("/api/pair", post(pair))
        .route("/api/openapi.json", get(document))
        .route("/ws/dashboard", any(dashboard))
        .route("/ws/session/{id}/worker/{worker}", any(worker))
        .route("/api/{*rest}", any(|| async { ApiError::not_found("no such address").into_response() }))
        .route("/ws/{*rest}", any(moved))
        .method_not_allowed_fallback(|| async { ApiError::method().into_response() })
        .fallback(|request: Request| async move { assets::file(request.uri().path(), request.headers()) })
        .layer(axum::middleware::from_fn_with_state(app.clone(), guard::check))
        .with_state(app)
}

async fn moved(request: Request) -> Response {
    let old = ["/ws/terminal", "/ws/shell"];
    if old.iter().any(|start| request.uri().path().starts_with(start)) {
        return ApiError::gone("this address is no longer used")
            .hint("use /ws/session/SESSION/worker/WORKER")
            .into_response();
    }
    ApiError::not_found("no such address").into_response()
}

/// Cancels what a request began once nobody waits for its answer.
struct CancelWhenGone(Cancel);

impl Drop for CancelWhenGone {
    fn drop(&mut self) {
        self.0.cancel();
    }
}

fn query_of(request: &Request) -> Result<BTreeMap<String, String>, ApiError> {
    Query::try_from_uri(request.uri()).map(|Query(all)| all).map_err(|_| ApiError::usage("invalid query"))
}

/// The profile that is meant.
fn profile(app: &App, query: &BTreeMap<String, String>) -> Result<ProfileName, ApiError> {
    let Some(name) = query.get("profile") else { return Ok(app.served.wiring.profile.clone()) };
    let parsed = ProfileName::parse(name).map_err(|error| ApiError::usage(error.to_string()))?;
    if app.served.wiring.profiles.exists(&parsed) || parsed == app.served.wiring.profile {
        return Ok(parsed);
    }
    Err(ApiError::not_found(format!("no profile {name:?}")))
}

async fn handle(
    route: &'static Route,
    app: App,
    from: SocketAddr,
    path: BTreeMap<String, String>,
    request: Request,
) -> Result<Response, ApiError> {
    let from = login::address(&app, request.headers(), from);
    let viewer = login::viewer(&app, request.headers(), from)?;
    app.rates.count(viewer.key(), Instant::now())?;
    if route.effect == Effect::Changes && viewer.read_only {
        return Err(ApiError::read_only());
    }
    let query = query_of(&request)?;
    let known = |name: &str| name == "profile" || route.query.iter().any(|q| q.name == name);
    if let Some(other) = query.keys().find(|name| !known(name)) {
        return Err(ApiError::usage(format!("unknown parameter {other:?}")));
    }
    let profile = profile(&app, &query)?;
    let key = request.headers().get("idempotency-key").and_then(|key| key.to_str().ok()).map(str::to_owned);
    let asked_for = format!("{} {}", route.method.word(), request.uri());
    let body = body_of(request).await?;
    let cancel = Cancel::default();
    let cx = Cx { cancel: cancel.clone(), ..app.cx(&profile) };
    let call = Call { app: app.clone(), viewer: viewer.clone(), cx, path, query, body: body.clone() };
    let ops = app.ops.clone();
    let work = async move {
        let _cancel = CancelWhenGone(cancel);
        let permit = ops.acquire_owned().await;
        let done = tokio::task::spawn_blocking(move || {
            let _permit = permit;
            (route.run)(&call)
        });
        let result = done.await.unwrap_or_else(|_| Err(ApiError::failed("internal error")));
        match result {
            Ok(value) => (route.status, value.to_string()),
            Err(error) => (error.status, error.value().to_string()),
        }
    };
    let (status, text) = match key.filter(|_| route.method == Method::Post) {
        None => work.await,
        Some(key) => {
            if key.is_empty() || key.len() > 200 {
                return Err(ApiError::usage("Idempotency-Key has 1 to 200 characters"));
            }
            let asked = secret::checksum(&format!("{asked_for}\n{}", String::from_utf8_lossy(&body)));
            match app.answers.of(&format!("{} {key}", viewer.key()), &asked) {
                Known::Answer(answer) => {
                    // Whoever asks again wants what they asked for the first time: that is completed, also if they are gone.
                    let done = tokio::spawn(async move { answer.get_or_init(|| work).await.clone() });
                    done.await.map_err(|_| ApiError::failed("internal error"))?
                }
                Known::Other => {
                    return Err(ApiError::refused("this Idempotency-Key was used for another request"));
                }
                Known::Full => return Err(ApiError::too_many("too many requests with an Idempotency-Key")),
            }
        }
    };
    if route.effect == Effect::Changes
        && let Some(hub) = app.open_hub(&profile)
    {
        hub.look();
    }
    Ok((status, [(CONTENT_TYPE, JSON)], text).into_response())
}

const JSON: HeaderValue = HeaderValue::from_static("application/json");

fn json_answer(value: &serde_json::Value) -> Response {
    ([(CONTENT_TYPE, JSON)], value.to_string()).into_response()
}

/// The body of a request: JSON, or nothing.
async fn body_of(request: Request) -> Result<Vec<u8>, ApiError> {
    let kind = request.headers().get(CONTENT_TYPE).and_then(|kind| kind.to_str().ok()).map(str::to_owned);
    let body = tokio::time::timeout(BODY, to_bytes(request.into_body(), MAX_BODY)).await;
    let body = body.map_err(|_| ApiError::too_slow(BODY.as_secs()))?;
    let body = body.map_err(|_| ApiError::too_large(MAX_BODY))?;
    let is_json = kind.is_some_and(|kind| {
        kind.split(';').next().is_some_and(|kind| kind.trim().eq_ignore_ascii_case("application/json"))
    });
    if body.is_empty() || is_json { Ok(body.to_vec()) } else { Err(ApiError::media_type()) }
}

async fn document(
    State(app): State<App>,
    ConnectInfo(from): ConnectInfo<SocketAddr>,
    headers: HeaderMap,
) -> Response {
    match login::viewer(&app, &headers, login::address(&app, &headers, from)) {
        Ok(_) => ([(CONTENT_TYPE, JSON)], OPENAPI).into_response(),
        Err(error) => error.into_response(),
    }
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Pair {
    code: String,
    #[serde(default)]
    name: String,
}

async fn pair(
    State(app): State<App>,
    ConnectInfo(from): ConnectInfo<SocketAddr>,
    request: Request,
) -> Response {
    match paired(&app, from, request).await {
        Ok(answer) => answer,
        Err(error) => error.into_response(),
    }
}

async fn paired(app: &App, from: SocketAddr, request: Request) -> Result<Response, ApiError> {
    let from = login::address(app, request.headers(), from);
    app.failures.check(from)?;
    let body = body_of(request).await?;
    let input: Pair = serde_json::from_slice(&body).map_err(|error| ApiError::usage(error.to_string()))?;
    let Some((device, cookie)) = app.place.pair(&input.code, &input.name, Timestamp::now())? else {
        app.failures.note(from);
        return Err(ApiError::login());
    };
    const MONTH: u32 = 30 * 24 * 3600;
    let secure = if app.is_secure() { "; Secure" } else { "" };
    let name = login::cookie_name(app.port);
    let cookie = format!("{name}={cookie}; Path=/; HttpOnly; SameSite=Strict; Max-Age={MONTH}{secure}");
    let cookie = HeaderValue::from_str(&cookie).map_err(|_| ApiError::failed("internal error"))?;
    let answer = json!({ "device": device.id, "readOnly": device.read_only || app.settings.read_only });
    let mut answer = json_answer(&answer);
    answer.headers_mut().insert(SET_COOKIE, cookie);
    Ok(answer)
}

/// Opens a socket for whoever is logged in; others are told so on it, since a page can't see why one was refused.
fn open<F, S>(
    app: App,
    viewer: Result<Viewer, ApiError>,
    headers: &HeaderMap,
    upgrade: WebSocketUpgrade,
    serve: S,
) -> Response
where
    S: FnOnce(Socket) -> F + Send + 'static,
    F: Future<Output = ()> + Send,
{
    let token = login::token(headers);
    let upgrade = upgrade.max_message_size(socket::MAX_MESSAGE).max_frame_size(socket::MAX_MESSAGE);
    upgrade.on_upgrade(async move |inner| {
        let Ok(viewer) = viewer else {
            let nobody = Viewer { device: None, read_only: true };
            let socket = Socket::new(inner, app, Peer { viewer: nobody, token: None });
            return socket.close(socket::Close::Login).await;
        };
        let room = app.sockets.open(&viewer);
        let socket = Socket::new(inner, app, Peer { viewer, token });
        match room {
            Some(_room) => serve(socket).await,
            None => socket.close(socket::Close::TooMany).await,
        }
    })
}

async fn dashboard(
    State(app): State<App>,
    ConnectInfo(from): ConnectInfo<SocketAddr>,
    Query(query): Query<BTreeMap<String, String>>,
    headers: HeaderMap,
    upgrade: WebSocketUpgrade,
) -> Response {
    let viewer = login::viewer(&app, &headers, login::address(&app, &headers, from));
    let hub = match profile(&app, &query).and_then(|profile| Ok(app.hub(&profile)?)) {
        Ok(hub) => hub,
        Err(error) => return error.into_response(),
    };
    let since = query.get("since").and_then(|since| since.parse().ok());
    open(app, viewer, &headers, upgrade, move |socket| socket::dashboard(socket, hub, since))
}

async fn worker(
    State(app): State<App>,
    ConnectInfo(from): ConnectInfo<SocketAddr>,
    Path((session, worker)): Path<(String, String)>,
    Query(query): Query<BTreeMap<String, String>>,
    headers: HeaderMap,
    upgrade: WebSocketUpgrade,
) -> Response {
    let viewer = login::viewer(&app, &headers, login::address(&app, &headers, from));
    let found = profile(&app, &query).and_then(|profile| Ok((app.hub(&profile)?, app.cx(&profile))));
    let (hub, cx) = match found {
        Ok(found) => found,
        Err(error) => return error.into_response(),
    };
    let number = |name: &str| query.get(name).and_then(|n| n.parse::<u64>().ok());
    let from = match (number("epoch"), number("offset")) {
        (Some(epoch), Some(offset)) => Some(Position { epoch, offset }),
        _ => None,
    };
    let of = app.clone();
    open(app, viewer, &headers, upgrade, async move |socket: Socket| match SessionId::parse(&session) {
        Some(session) => socket::worker(socket, of, cx, hub, Tab { session, worker, from }).await,
        None => socket.close(socket::Close::Gone).await,
    })
}
