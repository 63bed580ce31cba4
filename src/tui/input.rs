//! The terminal's events as messages.

use std::io;
use std::os::fd::AsFd;

use crossterm::event::{
    Event, EventStream, KeyCode as Code, KeyEvent, KeyEventKind, KeyModifiers, MouseButton, MouseEventKind,
};

use futures_util::StreamExt;
use nix::poll::{PollFd, PollFlags, PollTimeout, poll};

use crate::app::{Key, KeyCode, Mouse, MouseKind, Msg};

/// The terminal's events, while deck has the terminal.
pub(super) struct Events(Option<EventStream>);

impl Events {
    /// Reads the terminal.
    pub fn open() -> Self {
        Self(Some(EventStream::new()))
    }

    /// The next one; none at the terminal's end.
    pub async fn next(&mut self) -> Option<io::Result<Event>> {
        match &mut self.0 {
            Some(stream) => stream.next().await,
            None => None,
        }
    }

    /// Stops reading: no key that is meant for someone else is taken. Two streams at a time would wait for each
    /// other, so the old one ends before there is a new one.
    pub fn close(&mut self) {
        self.0 = None;
    }

    /// Reads again.
    pub fn reopen(&mut self) {
        self.0 = Some(EventStream::new());
    }
}

/// Whether the terminal has input that was not read yet. Events may be late: their reader is another thread, and what arrives
/// while it is ended and started again is read together with the next key.
pub(super) fn waits() -> bool {
    let stdin = io::stdin();
    let mut fds = [PollFd::new(stdin.as_fd(), PollFlags::POLLIN)];
    poll(&mut fds, PollTimeout::ZERO).is_ok_and(|ready| ready > 0)
}

/// The message for an event; `None` for those that mean nothing.
pub(super) fn message(event: Event) -> Option<Msg> {
    match event {
        Event::Key(key) if key.kind != KeyEventKind::Release => Some(Msg::Key(translate(key)?)),
        Event::FocusGained => Some(Msg::Focus(true)),
        Event::FocusLost => Some(Msg::Focus(false)),
        Event::Paste(text) => Some(Msg::Paste(text)),
        Event::Resize(width, height) => Some(Msg::Resize(width, height)),
        Event::Mouse(mouse) => {
            let kind = match mouse.kind {
                MouseEventKind::Down(MouseButton::Left) => MouseKind::Press,
                MouseEventKind::Drag(MouseButton::Left) => MouseKind::Drag,
                MouseEventKind::Up(MouseButton::Left) => MouseKind::Release,
                MouseEventKind::ScrollUp => MouseKind::WheelUp,
                MouseEventKind::ScrollDown => MouseKind::WheelDown,
                _ => return None,
            };
            Some(Msg::Mouse(Mouse { kind, column: mouse.column, row: mouse.row }))
        }
        _ => None,
    }
}

fn translate(key: KeyEvent) -> Option<Key> {
    let shift = key.modifiers.contains(KeyModifiers::SHIFT);
    let code = match key.code {
        Code::Char(c) if shift => KeyCode::Char(c.to_uppercase().next().unwrap_or(c)),
        Code::Char(c) => KeyCode::Char(c),
        Code::Enter => KeyCode::Enter,
        Code::Esc => KeyCode::Esc,
        Code::Tab if shift => KeyCode::BackTab,
        Code::Tab => KeyCode::Tab,
        Code::BackTab => KeyCode::BackTab,
        Code::Backspace => KeyCode::Backspace,
        Code::Delete => KeyCode::Delete,
        Code::Home => KeyCode::Home,
        Code::End => KeyCode::End,
        Code::PageUp => KeyCode::PageUp,
        Code::PageDown => KeyCode::PageDown,
        Code::Up => KeyCode::Up,
        Code::Down => KeyCode::Down,
        Code::Left => KeyCode::Left,
        Code::Right => KeyCode::Right,
        Code::Insert => KeyCode::Insert,
        Code::F(n) => KeyCode::F(n),
        _ => return None,
    };
    let ctrl = key.modifiers.contains(KeyModifiers::CONTROL);
    let shift = shift && !matches!(code, KeyCode::Char(_) | KeyCode::BackTab);
    Some(Key { code, ctrl, alt: key.modifiers.contains(KeyModifiers::ALT), shift })
}
