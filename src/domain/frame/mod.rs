//! Terminal bytes made from what a pane shows: the difference between two captures, and the whole of one.
//!
//! Whoever writes what [`Painter`] returns to a terminal of the pane's size has the pane's screen, and above it, line for
//! line, what scrolled away. A terminal that is written to in this way is never asked anything: the bytes hold text, SGR,
//! cursor movement and the marks of a synchronized update.

mod capture;
mod painter;
mod row;
mod stream;
#[cfg(test)]
mod tests;

pub use capture::{Capture, Facts};
pub use painter::{Painter, Step};
pub use stream::{Keyframe, Position, Pull, Stream};
