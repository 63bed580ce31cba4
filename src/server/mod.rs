//! The web deck, `deck serve`: the same sessions in a browser.
//!
//! Invariants: a front end as the command line is, so each route calls the function in `ops` that the verb calls; it owns no
//! process and no terminal, so killing it ends nothing; whoever passes `guard` and `login` can run commands as the user, so
//! each request passes both before anything else looks at it; what changes something says so in its declaration, and a
//! viewer who may only read is refused by that alone.

mod api;
#[cfg(test)]
mod api_reference;
mod app;
mod assets;
mod connection;
mod devices;
mod dialog;
mod error;
mod guard;
mod headers;
mod hub;
mod idempotency;
mod limits;
mod listen;
mod login;
mod markdown;
#[cfg(test)]
mod openapi;
mod picture;
mod place;
mod route;
mod secret;
mod socket;
mod tls;

pub use app::{Address, Settings};
pub use devices::Device;
pub use listen::{ServeError, serve};
pub use place::{Place, Running};
pub use route::Effect;
pub use socket::MESSAGES;
pub use tls::Certificate;
