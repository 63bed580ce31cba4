//! `deck serve`: the web deck.

mod detached;

use std::net::{IpAddr, Ipv4Addr, SocketAddr};
use std::path::PathBuf;
use std::process::ExitCode;
use std::sync::Arc;
use std::time::{Duration, Instant};

use jiff::Timestamp;
use serde_json::json;

use super::Done;
use crate::api::{Code, PairedDevice, Pairing, ServeStatus, Version};
use crate::cli::error::CliError;
use crate::cli::table::{Table, plain, terminal_width};
use crate::cli::{Context, hint};
use crate::domain::age;
use crate::domain::quote::sh;
use crate::ports::Clock as _;
use crate::server::{Address, Certificate, Device, Place, Running, ServeError, Settings, serve};
use crate::sys::clock::SystemClock;
use crate::sys::process;

/// Serve this deck to browsers and scripts.
#[derive(Debug, clap::Args)]
#[command(
    args_conflicts_with_subcommands = true,
    after_help = "Anyone who is logged in can run commands as you. It listens on this machine only, and accepts paired browsers and scripts with the token. From another machine, use `ssh -L 8420:127.0.0.1:8420`, or a tunnel that ends TLS, with --public-url and --behind-proxy.\n\nExamples:\n  deck serve                          on http://127.0.0.1:8420\n  deck serve --read-only              nobody can change anything\n  deck serve pair                     print an address that pairs one browser\n  deck serve token                    what scripts send as a bearer token"
)]
pub struct Args {
    #[command(subcommand)]
    what: Option<What>,
    /// Address and port; port 0 takes a free one.
    #[arg(long, value_name = "ADDRESS:PORT", default_value = "127.0.0.1:8420")]
    listen: SocketAddr,
    /// Refuse everything that changes something.
    #[arg(long)]
    read_only: bool,
    /// The address by which browsers reach it, if that is another one.
    #[arg(long, value_name = "URL", value_parser = Address::parse)]
    public_url: Option<Address>,
    /// Something in front of it ends TLS; needs --public-url https://…
    #[arg(long, requires = "public_url", conflicts_with = "tls_cert")]
    behind_proxy: bool,
    /// A certificate, with those that lead to its issuer, in PEM.
    #[arg(long, value_name = "FILE", requires = "tls_key")]
    tls_cert: Option<PathBuf>,
    /// The private key of the certificate, in PEM.
    #[arg(long, value_name = "FILE", requires = "tls_cert")]
    tls_key: Option<PathBuf>,
    /// Serve in the background, in a hidden session on deck's tmux server.
    #[arg(long)]
    detach: bool,
}

#[derive(Debug, clap::Subcommand)]
enum What {
    /// Show whether this deck is served, and where.
    #[command(
        after_help = "Exits 1 if it is not.\n\nExamples:\n  deck serve status\n  deck serve status --json"
    )]
    Status,
    /// Stop serving; no session is stopped.
    #[command(after_help = "Examples:\n  deck serve stop")]
    Stop,
    /// Print an address that pairs one browser, within five minutes.
    #[command(
        after_help = "Examples:\n  deck serve pair\n  deck serve pair --qr           for a phone's camera\n  deck serve pair --read-only    a browser that can change nothing"
    )]
    Pair {
        /// Print it as a QR code, too.
        #[arg(long)]
        qr: bool,
        /// The browser may only read.
        #[arg(long)]
        read_only: bool,
    },
    /// Print a systemd user unit that serves this deck.
    #[command(after_help = "Examples:\n  deck serve unit > deck.service    goes into ~/.config/systemd/user")]
    Unit,
    /// List the paired browsers.
    #[command(after_help = "Examples:\n  deck serve devices\n  deck serve devices --json")]
    Devices,
    /// Revoke a paired browser; its open pages end at once.
    #[command(
        after_help = "With --all the token of scripts is replaced, too.\n\nExamples:\n  deck serve revoke 3kX9aB12\n  deck serve revoke --all"
    )]
    Revoke {
        /// Its id, as `deck serve devices` prints it.
        #[arg(required_unless_present = "all")]
        id: Option<String>,
        /// All browsers and the token.
        #[arg(long, conflicts_with = "id")]
        all: bool,
    },
    /// Print the token of scripts.
    #[command(after_help = "Examples:\n  deck serve token")]
    Token,
}

/// How long a server may take to end.
const ENDS: Duration = Duration::from_secs(10);
const POLL_INTERVAL: Duration = Duration::from_millis(50);

pub(super) fn run(args: &Args, context: &mut Context) -> Done {
    let place = Place::in_state(&context.wiring.paths.state);
    match &args.what {
        None => start(args, context, place),
        Some(What::Unit) => unit(context),
        Some(What::Status) => status(context, &place),
        Some(What::Stop) => stop(context, &place),
        Some(What::Pair { qr, read_only }) => pair(context, &place, *qr, *read_only),
        Some(What::Devices) => devices(context, &place),
        Some(What::Revoke { id, .. }) => revoke(context, &place, id.as_deref()),
        Some(What::Token) => {
            context.out.line(&place.token()?)?;
            Ok(ExitCode::SUCCESS)
        }
    }
}

/// Where it listens: on both kinds of loopback if it was asked for the usual one.
fn addresses(args: &Args) -> Result<Vec<SocketAddr>, CliError> {
    let is_https = args.public_url.as_ref().is_some_and(|url| url.scheme == "https");
    let is_secure = args.tls_cert.is_some() || (args.behind_proxy && is_https);
    if !args.listen.ip().is_loopback() && !is_secure {
        return Err(CliError::usage(format!("{} can be reached from other machines", args.listen.ip())).hint(
            "listen on 127.0.0.1 and use `ssh -L`; or let something that ends TLS reach it: --behind-proxy --public-url https://…; or give it a certificate: --tls-cert FILE --tls-key FILE",
        ));
    }
    if args.behind_proxy && !is_https {
        return Err(CliError::usage("--behind-proxy needs --public-url https://…"));
    }
    if args.tls_cert.is_some() && args.public_url.is_some() && !is_https {
        return Err(CliError::usage("with a certificate, --public-url begins with https://"));
    }
    if args.listen.ip().is_unspecified() && args.public_url.is_none() {
        return Err(CliError::usage(format!("{} is no address that a browser can open", args.listen.ip()))
            .hint("name the one that it can: --public-url https://HOST:PORT"));
    }
    Ok(vec![args.listen])
}

fn certificate(args: &Args) -> Result<Option<Certificate>, CliError> {
    let (Some(certificate), Some(key)) = (&args.tls_cert, &args.tls_key) else { return Ok(None) };
    let read = Certificate::read(certificate, key);
    Ok(Some(read.map_err(|error| CliError::of_source(Code::Failed, &error))?))
}

fn start(args: &Args, context: &Context, place: Place) -> Done {
    let settings = Settings {
        listen: addresses(args)?,
        tls: certificate(args)?,
        behind_proxy: args.behind_proxy,
        public_url: args.public_url.clone(),
        read_only: args.read_only,
        hint: Arc::new(hint::command),
    };
    if args.detach {
        return detached::start(args, context, &place);
    }
    let json = context.out.json;
    let failed = std::cell::Cell::new(None);
    let served = serve(settings, place, context.wiring.served(), |serving| {
        let code = match serving.place.new_code(Timestamp::now(), false) {
            Ok(code) => code,
            Err(error) => return failed.set(Some(error)),
        };
        let pair = format!("{}/#pair={code}", serving.url);
        let line = if json {
            json!({ "url": serving.url, "pair": pair, "pid": std::process::id() }).to_string()
        } else {
            format!("deck is served at {}\npair a browser within five minutes: {pair}", serving.url)
        };
        if let Err(error) = context.out.line(&line) {
            tracing::debug!(%error.message, "nobody reads where deck is served");
        }
    });
    if let Some(error) = failed.take() {
        return Err(error.into());
    }
    match served {
        Ok(()) => Ok(ExitCode::SUCCESS),
        Err(ServeError::Running(running)) => Err(is_running(running)),
        Err(error @ ServeError::Listen(address, _)) => {
            let ip = address.ip();
            let free = SocketAddr::new(if ip.is_ipv4() { IpAddr::V4(Ipv4Addr::LOCALHOST) } else { ip }, 0);
            Err(CliError::of_source(Code::Failed, &error)
                .hint(format!("choose another port: `deck serve --listen {free}` takes a free one")))
        }
        Err(error) => Err(CliError::of_source(Code::Failed, &error)),
    }
}

fn is_running(running: Option<Running>) -> CliError {
    CliError::new(Code::Refused, ServeError::Running(running).to_string())
        .hint("`deck serve stop` ends it; `deck serve pair` pairs a browser with it")
}

/// A unit of systemd's that serves this deck in its caller's environment, as far as that matters to it.
fn unit(context: &Context) -> Done {
    let program = context.wiring.cx().installation.program.clone();
    let quoted =
        |word: &str| format!("\"{}\"", word.replace('\\', "\\\\").replace('"', "\\\"").replace('%', "%%"));
    let mut text = format!(
        "[Unit]\nDescription=deck in a browser\n\n[Service]\nExecStart={} serve\nRestart=on-failure\n",
        quoted(&program)
    );
    // What it starts finds its programs and files where they are found here.
    for name in ["PATH", "DECK_HOME", "SHELL", "LANG"] {
        if let Some(value) = context.wiring.env.get(name) {
            text.push_str(&format!("Environment={}\n", quoted(&format!("{name}={value}"))));
        }
    }
    // Ending the server ends none of the sessions that it has started.
    text.push_str("KillMode=process\n\n[Install]\nWantedBy=default.target\n");
    context.out.raw(text.as_bytes())?;
    Ok(ExitCode::SUCCESS)
}

fn running(place: &Place) -> Result<Running, CliError> {
    place
        .running()?
        .ok_or_else(|| CliError::new(Code::Failed, "this deck is not served").hint("`deck serve` serves it"))
}

fn status_of(running: &Running) -> ServeStatus {
    ServeStatus {
        schema_version: Version,
        url: running.url.clone(),
        pid: running.pid,
        port: running.port,
        read_only: running.read_only,
    }
}

fn status(context: &Context, place: &Place) -> Done {
    let running = running(place)?;
    if context.out.json {
        context.out.value(&status_of(&running))?;
    } else {
        let read_only = if running.read_only { ", read-only" } else { "" };
        context.out.line(&format!("served at {} by process {}{read_only}", running.url, running.pid))?;
    }
    Ok(ExitCode::SUCCESS)
}

fn stop(context: &Context, place: &Place) -> Done {
    let running = running(place)?;
    let pid = i32::try_from(running.pid).unwrap_or(0);
    // The lock is held, so there is a server. Whether it is this process is seen on the process itself: what is written may be of
    // the server before.
    if pid <= 1 || !process::argv(pid).iter().any(|word| word == "serve") {
        return Err(CliError::new(
            Code::Failed,
            format!("process {pid}, which serves this deck, can't be seen"),
        ));
    }
    nix::sys::signal::kill(nix::unistd::Pid::from_raw(pid), nix::sys::signal::Signal::SIGTERM)
        .map_err(std::io::Error::from)?;
    let until = Instant::now() + ENDS;
    while running.lives() {
        if Instant::now() > until {
            return Err(CliError::new(
                Code::TimedOut,
                format!("process {pid} has not ended within {} s", ENDS.as_secs()),
            ));
        }
        SystemClock.pause(POLL_INTERVAL);
    }
    detached::ended(context)?;
    if context.out.json {
        context.out.value(&status_of(&running))?;
    } else if !context.out.quiet {
        context.out.line(&format!("stopped serving at {}; all sessions keep running", running.url))?;
    }
    Ok(ExitCode::SUCCESS)
}

fn pair(context: &Context, place: &Place, qr: bool, read_only: bool) -> Done {
    let running = running(place)?;
    let address = format!("{}/#pair={}", running.url, place.new_code(Timestamp::now(), read_only)?);
    if context.out.json {
        context.out.value(&Pairing { schema_version: Version, pair: address })?;
        return Ok(ExitCode::SUCCESS);
    }
    if qr {
        let code = qrcode::QrCode::new(address.as_bytes())
            .map_err(|error| CliError::new(Code::Failed, format!("can't draw a QR code: {error}")))?;
        let picture = code.render::<qrcode::render::unicode::Dense1x2>().quiet_zone(true).build();
        context.out.line(&picture)?;
    }
    context.out.line(&address)?;
    Ok(ExitCode::SUCCESS)
}

fn device_of(device: &Device) -> PairedDevice {
    PairedDevice {
        schema_version: Version,
        id: device.id.clone(),
        name: device.name.clone(),
        created_at: device.created_at,
        last_used: device.last_used,
        read_only: device.read_only,
    }
}

fn devices(context: &Context, place: &Place) -> Done {
    let now = Timestamp::now();
    let all = place.devices(now)?;
    if context.out.json {
        context.out.value(&all.iter().map(device_of).collect::<Vec<_>>())?;
        return Ok(ExitCode::SUCCESS);
    }
    if all.is_empty() {
        context.out.note("no browser is paired; `deck serve pair` pairs one");
    }
    let mut table = Table::default();
    for device in &all {
        table.row(vec![
            (device.id.clone(), plain),
            (crate::domain::text::clean(&device.name), plain),
            (format!("used {} ago", age::running(now, device.last_used)), plain),
            (if device.read_only { "read-only".to_owned() } else { String::new() }, plain),
        ]);
    }
    table.lines(terminal_width(), &context.out).iter().try_for_each(|line| context.out.line(line))?;
    Ok(ExitCode::SUCCESS)
}

fn revoke(context: &Context, place: &Place, id: Option<&str>) -> Done {
    let gone = place.revoke(id)?;
    if let (Some(id), true) = (id, gone.is_empty()) {
        return Err(CliError::new(Code::NotFound, format!("no paired browser {id:?}"))
            .hint(format!("`deck serve devices` lists them; {} is an id", sh(id))));
    }
    if context.out.json {
        context.out.value(&gone.iter().map(device_of).collect::<Vec<_>>())?;
    } else if !context.out.quiet {
        let token = if id.is_none() { " and the token of scripts" } else { "" };
        let count = crate::domain::text::counted(gone.len(), "browser");
        context.out.line(&format!("revoked {count}{token}"))?;
    }
    Ok(ExitCode::SUCCESS)
}
