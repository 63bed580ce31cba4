//! What all requests of one server share.

use std::collections::HashMap;
use std::net::{IpAddr, Ipv4Addr};
use std::sync::{Arc, Mutex, PoisonError};

use tokio::sync::{Semaphore, watch};

use super::hub::Hub;
use super::idempotency::Answers;
use super::limits::Rates;
use super::login::Failures;
use super::place::Place;
use super::socket::Sockets;
use super::tls::Certificate;
use crate::domain::hint::Hint;
use crate::domain::id::ProfileName;
use crate::engine::PaneWatches;
use crate::ops::Cx;
use crate::wiring::Served;

/// How many use cases run at the same time.
const OPS: usize = 16;

/// How the server was asked to serve.
#[derive(Clone)]
pub struct Settings {
    pub listen: Vec<std::net::SocketAddr>,
    /// The address by which others reach it, if that is another one.
    pub public_url: Option<Address>,
    /// The certificate of a server that ends TLS itself.
    pub tls: Option<Certificate>,
    /// Whether something in front of it says where requests come from.
    pub behind_proxy: bool,
    /// Whether nobody may change anything.
    pub read_only: bool,
    /// The words for what to do about an error.
    pub hint: Arc<dyn Fn(&Hint) -> String + Send + Sync>,
}

impl Settings {
    const fn scheme(&self) -> &'static str {
        if self.tls.is_some() { "https" } else { "http" }
    }

    /// The address by which others reach it, if it listens on just that one.
    fn outside(&self) -> Option<IpAddr> {
        let first = self.listen.first()?.ip();
        (!first.is_unspecified() && first != Ipv4Addr::LOCALHOST).then_some(first)
    }
}

/// The parts of an address that matter to who may ask.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Address {
    pub scheme: String,
    /// With its port, if that isn't the usual one.
    pub host: String,
}

impl Address {
    /// Reads `http://HOST[:PORT]` or `https://…`, without a path.
    ///
    /// # Errors
    /// What is wrong with it.
    pub fn parse(text: &str) -> Result<Self, String> {
        let (scheme, rest) =
            text.split_once("://").ok_or_else(|| format!("{text:?} has no http:// or https://"))?;
        let host = rest.trim_end_matches('/').to_ascii_lowercase();
        let is_host = |c: char| c.is_ascii_alphanumeric() || ".-:[]".contains(c);
        if !matches!(scheme, "http" | "https") || host.is_empty() || !host.chars().all(is_host) {
            return Err(format!("{text:?} is not https://HOST[:PORT]"));
        }
        let usual = if scheme == "https" { ":443" } else { ":80" };
        let host = host.strip_suffix(usual).unwrap_or(&host).to_owned();
        Ok(Self { scheme: scheme.to_owned(), host })
    }

    /// As browsers name it.
    pub fn origin(&self) -> String {
        format!("{}://{}", self.scheme, self.host)
    }
}

/// One server.
#[derive(Clone)]
pub struct App(Arc<Inner>);

impl std::ops::Deref for App {
    type Target = Inner;

    fn deref(&self) -> &Inner {
        &self.0
    }
}

pub struct Inner {
    pub settings: Settings,
    pub place: Place,
    /// The hosts by which it may be called, with their ports.
    pub hosts: Vec<String>,
    /// The origins of its own pages.
    pub origins: Vec<String>,
    pub port: u16,
    pub served: Served,
    pub panes: PaneWatches,
    pub ops: Arc<Semaphore>,
    pub answers: Answers,
    pub failures: Failures,
    pub rates: Rates,
    pub sockets: Sockets,
    /// Becomes true when it ends.
    pub ends: watch::Receiver<bool>,
    hubs: Mutex<HashMap<ProfileName, Arc<Hub>>>,
}

impl App {
    pub fn new(
        settings: Settings,
        place: Place,
        port: u16,
        served: Served,
        ends: watch::Receiver<bool>,
    ) -> Self {
        let mut hosts =
            vec![format!("127.0.0.1:{port}"), format!("localhost:{port}"), format!("[::1]:{port}")];
        // An address can't be made to lead elsewhere, as a name can.
        hosts.extend(settings.outside().map(|ip| std::net::SocketAddr::new(ip, port).to_string()));
        let scheme = settings.scheme();
        let mut origins: Vec<String> = hosts.iter().map(|host| format!("{scheme}://{host}")).collect();
        if let Some(public) = &settings.public_url {
            hosts.push(public.host.clone());
            origins.push(public.origin());
        }
        let cx = served.cx(&served.wiring.profile);
        let panes = PaneWatches::new(cx.mux.clone(), cx.clock.clone(), cx.installation.socket.clone());
        Self(Arc::new(Inner {
            settings,
            place,
            hosts,
            origins,
            port,
            served,
            panes,
            ops: Arc::new(Semaphore::new(OPS)),
            answers: Answers::default(),
            failures: Failures::default(),
            rates: Rates::default(),
            sockets: Sockets::default(),
            ends,
            hubs: Mutex::default(),
        }))
    }

    /// What a request works with.
    pub fn cx(&self, profile: &ProfileName) -> Cx {
        self.served.cx(profile)
    }

    /// What watches a profile for the pages that are open.
    ///
    /// # Errors
    /// The system's error when there is no thread to be had.
    pub fn hub(&self, profile: &ProfileName) -> std::io::Result<Arc<Hub>> {
        let mut hubs = self.hubs.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(hub) = hubs.get(profile) {
            return Ok(hub.clone());
        }
        let hub = Arc::new(Hub::start(self.cx(profile), self.served.engine(profile)?));
        hubs.insert(profile.clone(), hub.clone());
        Ok(hub)
    }

    /// The same, if a page was ever open.
    pub fn open_hub(&self, profile: &ProfileName) -> Option<Arc<Hub>> {
        self.hubs.lock().unwrap_or_else(PoisonError::into_inner).get(profile).cloned()
    }

    /// The address of its page.
    pub fn url(&self) -> String {
        match &self.settings.public_url {
            Some(public) => public.origin(),
            None => {
                let ip = self.settings.outside().unwrap_or(Ipv4Addr::LOCALHOST.into());
                format!("{}://{}", self.settings.scheme(), std::net::SocketAddr::new(ip, self.port))
            }
        }
    }

    /// Whether its pages come over TLS.
    pub fn is_secure(&self) -> bool {
        self.settings.tls.is_some()
            || self.settings.public_url.as_ref().is_some_and(|public| public.scheme == "https")
    }
}

#[cfg(test)]
mod tests {
    use super::Address;

    #[test]
    fn addresses() {
        let origin = |text| Address::parse(text).map(|a| a.origin());
        assert_eq!(origin("https://deck.example/"), Ok("https://deck.example".to_owned()));
        assert_eq!(origin("https://Deck.example:443"), Ok("https://deck.example".to_owned()));
        assert_eq!(origin("http://deck.example:8420"), Ok("http://deck.example:8420".to_owned()));
        for bad in ["deck.example", "ftp://x", "https://", "https://x/y", "https://a b"] {
            assert!(origin(bad).is_err(), "{bad}");
        }
    }
}
