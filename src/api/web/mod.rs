//! What the web deck answers: the shapes of its REST API and of its sockets. They are made from the shapes that verbs print,
//! so that no fact has two sources.

mod session;
mod worker;

pub use session::Session;
pub use worker::Worker;
