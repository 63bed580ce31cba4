//! What ctrl-c does to a verb that waits: it ends what is waited for, and the exit code says so.
//!
//! Invariant: the process ends soon after the signal in any case, but not within a step that would leave
//! something half done. A second signal ends it at once.

use std::process::ExitCode;
use std::sync::atomic::{AtomicI32, Ordering};
use std::time::{Duration, Instant};

use signal_hook::consts::{SIGHUP, SIGINT, SIGTERM};
use signal_hook::iterator::Signals;

use crate::api::Code;
use crate::ops::Cancel;
use crate::ports::Clock;
use crate::sys::clock::SystemClock;
use crate::sys::process;

/// How long a verb may take to report what became of it.
const GRACE: Duration = Duration::from_secs(1);
/// How long a step that must be completed may hold the end off.
const LIMIT: Duration = Duration::from_secs(15);
/// How often to look.
const POLL_INTERVAL: Duration = Duration::from_millis(10);

/// The signal that ended this verb's waiting; 0 before.
static ENDED_BY: AtomicI32 = AtomicI32::new(0);

/// The exit status of an error: of an interruption, that of the signal.
pub(super) fn exit_code(code: Code) -> ExitCode {
    let signal = ENDED_BY.load(Ordering::SeqCst);
    match u8::try_from(128 + signal) {
        Ok(status) if code == Code::Interrupted && signal != 0 => ExitCode::from(status),
        _ => ExitCode::from(code.number()),
    }
}

/// From now on a signal that asks this process to end cancels what it waits for, unless it was started with that
/// signal ignored.
///
/// # Errors
/// The system's, if signals can't be heard.
pub(super) fn listen(cancel: &Cancel) -> std::io::Result<()> {
    let mut signals = Signals::new([SIGINT, SIGTERM, SIGHUP].into_iter().filter(|s| !process::ignores(*s)))?;
    let cancel = cancel.clone();
    let run = move || {
        let Some(signal) = signals.forever().next() else { return };
        ENDED_BY.store(signal, Ordering::SeqCst);
        cancel.cancel();
        let begun = Instant::now();
        let mut free = None;
        loop {
            let since: &Instant =
                if cancel.is_held_off() { free.insert(Instant::now()) } else { free.get_or_insert(begun) };
            let is_over = (!cancel.is_held_off() && since.elapsed() > GRACE) || begun.elapsed() > LIMIT;
            if is_over || signals.pending().next().is_some() {
                std::process::exit(128 + signal);
            }
            SystemClock.pause(POLL_INTERVAL);
        }
    };
    std::thread::Builder::new().name("interrupt".to_owned()).spawn(run)?;
    Ok(())
}
