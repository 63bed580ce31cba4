//! The terminal's modes: taken at the start, given back whatever happens.

use std::io::{self, Stdout, Write, stdout};
use std::sync::Once;

use crossterm::cursor::Show;
use crossterm::event::{
    DisableBracketedPaste, DisableMouseCapture, EnableBracketedPaste, EnableMouseCapture,
};
use crossterm::terminal::{
    BeginSynchronizedUpdate, Clear, ClearType, EndSynchronizedUpdate, EnterAlternateScreen,
    LeaveAlternateScreen, disable_raw_mode, enable_raw_mode,
};
use crossterm::{execute, queue};
use ratatui::Terminal as Drawn;
use ratatui::backend::CrosstermBackend;

use super::theme::Theme;
use crate::app::Model;

/// The terminal while deck has it.
pub(super) struct Terminal {
    drawn: Drawn<CrosstermBackend<Stdout>>,
    mouse: bool,
}

static PANIC_HOOK: Once = Once::new();

impl Terminal {
    /// Takes the terminal.
    pub fn take(mouse: bool) -> io::Result<Self> {
        PANIC_HOOK.call_once(|| {
            let before = std::panic::take_hook();
            std::panic::set_hook(Box::new(move |info| {
                // The message must be readable: first the terminal, then the words. A panic of a
                // worker is told on the screen and is none of the terminal's business.
                if std::thread::current().name() == Some("main") {
                    restore();
                    before(info);
                } else {
                    tracing::error!("{info}");
                }
            }));
        });
        let mut terminal = Self { drawn: Drawn::new(CrosstermBackend::new(stdout()))?, mouse };
        terminal.enter()?;
        Ok(terminal)
    }

    fn enter(&mut self) -> io::Result<()> {
        enable_raw_mode()?;
        execute!(stdout(), EnterAlternateScreen, EnableBracketedPaste)?;
        if self.mouse {
            execute!(stdout(), EnableMouseCapture)?;
        }
        Ok(())
    }

    /// Takes the terminal again after something else had it; everything is drawn anew.
    pub fn retake(&mut self) -> io::Result<()> {
        self.enter()?;
        // A new drawing knows of nothing on the screen. Clearing the old one would ask the terminal
        // where its cursor is, and wait for an answer that another reader may have taken.
        self.drawn = Drawn::new(CrosstermBackend::new(stdout()))?;
        execute!(stdout(), Clear(ClearType::All))
    }

    /// Draws the model as one frame.
    pub fn draw(&mut self, model: &Model, theme: &Theme) -> io::Result<()> {
        queue!(stdout(), BeginSynchronizedUpdate)?;
        self.drawn.draw(|frame| super::view::draw(frame, model, theme))?;
        execute!(stdout(), EndSynchronizedUpdate)
    }

    /// The size in cells.
    pub fn size(&self) -> io::Result<(u16, u16)> {
        let size = self.drawn.size()?;
        Ok((size.width, size.height))
    }
}

impl Drop for Terminal {
    fn drop(&mut self) {
        restore();
    }
}

/// Puts every mode back as it was. May be called twice.
pub(super) fn restore() {
    // Each step is tried whatever became of the one before: a half-restored terminal is the worst.
    let mut out = stdout();
    let _ = execute!(out, DisableMouseCapture);
    let _ = execute!(out, DisableBracketedPaste);
    let _ = execute!(out, LeaveAlternateScreen, Show);
    let _ = disable_raw_mode();
    let _ = out.flush();
}
