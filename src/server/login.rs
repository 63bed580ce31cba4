//! Who asks: a browser that was paired, by its cookie, or a script, by the token.
//!
//! Invariant: nothing in an address is ever a login.

use std::collections::HashMap;
use std::net::{IpAddr, SocketAddr};
use std::sync::{Mutex, PoisonError};
use std::time::{Duration, Instant};

use axum::http::HeaderMap;
use axum::http::header::{AUTHORIZATION, COOKIE};
use jiff::Timestamp;

use super::app::App;
use super::error::ApiError;
use super::secret;

/// So many logins may fail in [`WINDOW`] from one address.
const MAX_FAILURES: usize = 10;
const WINDOW: Duration = Duration::from_secs(60);
/// How many addresses are remembered.
const MAX_ADDRESSES: usize = 1000;

/// Who asks.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Viewer {
    /// The device that was paired; none of a script with the token.
    pub device: Option<String>,
    pub read_only: bool,
}

impl Viewer {
    /// What limits count by.
    pub fn key(&self) -> &str {
        self.device.as_deref().unwrap_or("token")
    }
}

/// The address that a request comes from, as far as that is known: behind a proxy, what it says last. What stands before
/// that can be written by anyone.
pub fn address(app: &App, headers: &HeaderMap, from: SocketAddr) -> IpAddr {
    if !app.settings.behind_proxy {
        return from.ip();
    }
    let all = headers.get_all("x-forwarded-for").iter().filter_map(|value| value.to_str().ok());
    let last = all.flat_map(|value| value.split(',')).last().map(str::trim);
    last.and_then(|last| last.parse().ok()).unwrap_or_else(|| from.ip())
}

/// The name of the cookie: cookies don't tell ports apart.
pub fn cookie_name(port: u16) -> String {
    format!("deck_{port}")
}

fn cookie<'a>(headers: &'a HeaderMap, name: &str) -> Option<&'a str> {
    let all = headers.get_all(COOKIE).iter().filter_map(|value| value.to_str().ok());
    all.flat_map(|value| value.split(';')).find_map(|pair| {
        let (key, value) = pair.trim().split_once('=')?;
        (key == name).then_some(value)
    })
}

fn bearer(headers: &HeaderMap) -> Option<&str> {
    headers.get(AUTHORIZATION)?.to_str().ok()?.strip_prefix("Bearer ").map(str::trim)
}

/// Whether a script asks: one that carries the token.
///
/// # Errors
/// That the token can't be read.
pub fn is_script(app: &App, headers: &HeaderMap) -> Result<bool, ApiError> {
    let Some(given) = bearer(headers) else { return Ok(false) };
    Ok(secret::is_same(given, &app.place.token()?))
}

/// Who asks.
///
/// # Errors
/// 401 if nobody is known by what the request carries; 429 after too many of these.
pub fn viewer(app: &App, headers: &HeaderMap, from: IpAddr) -> Result<Viewer, ApiError> {
    let (given, token) = (cookie(headers, &cookie_name(app.port)), bearer(headers));
    if given.is_none() && token.is_none() {
        return Err(ApiError::login());
    }
    let read_only = app.settings.read_only;
    if token.is_some() {
        if is_script(app, headers)? {
            return Ok(Viewer { device: None, read_only });
        }
    } else if let Some(given) = given
        && let Some(device) = app.place.device_of(given, Timestamp::now())?
    {
        return Ok(Viewer { read_only: read_only || device.read_only, device: Some(device.id) });
    }
    // Only who isn't known is limited: others may share the address.
    app.failures.check(from)?;
    app.failures.note(from);
    Err(ApiError::login())
}

/// Whether a viewer is still known.
pub fn is_known(app: &App, viewer: &Viewer, token: Option<&str>) -> bool {
    match &viewer.device {
        Some(id) => app.place.devices(Timestamp::now()).is_ok_and(|all| all.iter().any(|d| d.id == *id)),
        None => {
            token.is_some_and(|given| app.place.token().is_ok_and(|known| secret::is_same(given, &known)))
        }
    }
}

/// The token that a request carries.
pub fn token(headers: &HeaderMap) -> Option<String> {
    bearer(headers).map(str::to_owned)
}

/// Logins that failed, by address.
#[derive(Debug, Default)]
pub struct Failures(Mutex<HashMap<IpAddr, Vec<Instant>>>);

impl Failures {
    /// # Errors
    /// 429 after too many failures.
    pub fn check(&self, from: IpAddr) -> Result<(), ApiError> {
        let mut all = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let now = Instant::now();
        let Some(times) = all.get_mut(&from) else { return Ok(()) };
        times.retain(|at| now.duration_since(*at) < WINDOW);
        if times.len() >= MAX_FAILURES {
            return Err(ApiError::too_many("too many logins failed").hint("wait a minute"));
        }
        Ok(())
    }

    pub fn note(&self, from: IpAddr) {
        let mut all = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if all.len() >= MAX_ADDRESSES {
            let now = Instant::now();
            all.retain(|_, times| times.iter().any(|at| now.duration_since(*at) < WINDOW));
        }
        if all.len() < MAX_ADDRESSES || all.contains_key(&from) {
            all.entry(from).or_default().push(Instant::now());
        }
    }
}
