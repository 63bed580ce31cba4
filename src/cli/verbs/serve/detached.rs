//! The web deck in the background: tmux keeps it running when its terminal is closed.

use std::process::ExitCode;
use std::time::Instant;

use jiff::Timestamp;
use serde_json::json;

use super::{Args, Done, ENDS, POLL_INTERVAL};
use crate::api::Code;
use crate::cli::Context;
use crate::cli::error::CliError;
use crate::domain::quote::sh;
use crate::domain::text;
use crate::ops::{Cx, end_of_hidden, run_hidden};
use crate::ports::Clock as _;
use crate::server::{Place, Running};
use crate::sys::clock::SystemClock;

/// The session that it runs in.
const SESSION: &str = "_serve";

/// Starts it, waits until it serves, and says where.
pub(super) fn start(args: &Args, context: &Context, place: &Place) -> Done {
    if let Some(running) = place.running()? {
        return Err(super::is_running(Some(running)));
    }
    let cx = context.wiring.cx();
    run_hidden(&cx, SESSION, script(args, context, &cx)?)?;
    let running = served(&cx, place)?;
    let pair = format!("{}/#pair={}", running.url, place.new_code(Timestamp::now(), false)?);
    let line = if context.out.json {
        json!({ "url": running.url, "pair": pair, "pid": running.pid }).to_string()
    } else {
        format!(
            "deck is served at {} by process {}, in the background\npair a browser within five minutes: {pair}",
            running.url, running.pid
        )
    };
    context.out.line(&line)?;
    Ok(ExitCode::SUCCESS)
}

fn served(cx: &Cx, place: &Place) -> Result<Running, CliError> {
    let until = Instant::now() + ENDS;
    loop {
        if let Some(running) = place.running()? {
            return Ok(running);
        }
        if let Some(said) = end_of_hidden(cx, SESSION)? {
            let said = text::clean_lines(said.trim());
            return Err(CliError::new(Code::Failed, format!("the web deck has ended at once: {said}")));
        }
        if Instant::now() > until {
            let words = format!("the web deck serves nothing after {} s", ENDS.as_secs());
            return Err(CliError::new(Code::TimedOut, words).hint(format!(
                "`tmux -L {} attach -t {SESSION}` shows what it does",
                sh(cx.installation.socket.as_str())
            )));
        }
        SystemClock.pause(POLL_INTERVAL);
    }
}

/// Removes what is left of one that has ended.
pub(super) fn ended(context: &Context) -> Result<(), CliError> {
    end_of_hidden(&context.wiring.cx(), SESSION)?;
    Ok(())
}

/// The command line of the same server in the foreground.
fn script(args: &Args, context: &Context, cx: &Cx) -> Result<String, CliError> {
    let mut words = vec![cx.installation.program.clone()];
    words.extend(["--profile".to_owned(), context.wiring.profile.to_string()]);
    words.extend(["serve", "--listen"].map(str::to_owned));
    words.push(args.listen.to_string());
    words.extend(args.read_only.then(|| "--read-only".to_owned()));
    words.extend(args.behind_proxy.then(|| "--behind-proxy".to_owned()));
    let mut named = |name: &str, value: String| words.extend([name.to_owned(), value]);
    if let Some(url) = &args.public_url {
        named("--public-url", url.origin());
    }
    for (name, file) in [("--tls-cert", &args.tls_cert), ("--tls-key", &args.tls_key)] {
        if let Some(file) = file {
            named(name, std::path::absolute(file)?.display().to_string());
        }
    }
    Ok(format!("exec {}", words.iter().map(|word| sh(word)).collect::<Vec<_>>().join(" ")))
}
