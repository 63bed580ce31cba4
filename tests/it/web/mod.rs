//! The web deck: the real server, asked as browsers, scripts and strangers ask it.

mod client;
mod document;
mod guard;
mod rest;
mod serving;
mod sockets;

pub use client::Server;
