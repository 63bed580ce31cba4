//! Where tests stop a process, to kill it there.

/// Stops this process if a test asked for it at this step. Only in builds for tests.
pub fn reached(step: &str) {
    if cfg!(debug_assertions) && std::env::var("DECK_STOP_AT").is_ok_and(|at| at == step) {
        // Whoever asked for it kills it.
        let _ = nix::sys::signal::raise(nix::sys::signal::Signal::SIGSTOP);
    }
}
