//! The terminal's modes: set at the start, and restored however deck ends.

use std::io::{self, Stdout, Write, stdout};
use std::sync::Once;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use crossterm::clipboard::CopyToClipboard;
use crossterm::cursor::{MoveToPreviousLine, Show};
use crossterm::event::{
    DisableBracketedPaste, DisableFocusChange, DisableMouseCapture, EnableBracketedPaste, EnableFocusChange,
    EnableMouseCapture,
};
use crossterm::terminal::{
    BeginSynchronizedUpdate, Clear, ClearType, EndSynchronizedUpdate, EnterAlternateScreen,
    LeaveAlternateScreen, disable_raw_mode, enable_raw_mode,
};
use crossterm::{execute, queue};
use ratatui::Terminal as Drawn;
use ratatui::backend::CrosstermBackend;

use super::background;
use super::theme::Theme;
use crate::app::{Key, Model};
use crate::config::Notify;
use crate::config::paths::Environment;

/// How long the terminal may take to answer. Every one does, and at once unless it is far away; an answer
/// that came after this would be taken for keys.
const ANSWER: Duration = Duration::from_secs(1);

/// The terminal while deck has it.
pub(super) struct Terminal {
    drawn: Drawn<CrosstermBackend<Stdout>>,
    mouse: bool,
}

static PANIC_HOOK: Once = Once::new();

/// Whether deck has the terminal. It is restored once: leaving the alternate screen a second time moves the
/// cursor back to where it was at the start, and the shell's prompt over what was printed since.
static TAKEN: AtomicBool = AtomicBool::new(false);

impl Terminal {
    /// Takes the terminal.
    pub fn take(mouse: bool) -> io::Result<Self> {
        PANIC_HOOK.call_once(|| {
            let before = std::panic::take_hook();
            std::panic::set_hook(Box::new(move |info| {
                // The message must be readable: first the terminal, then the words. A panic of a
                // worker is shown in the TUI and is none of the terminal's business.
                if std::thread::current().name() == Some("main") {
                    restore();
                    before(info);
                    let words = "deck crashed. Your sessions are still running; run `deck` to see them.";
                    // Where stderr is closed nothing can be reported.
                    let _ = writeln!(io::stderr(), "\n{words}");
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
        TAKEN.store(true, Ordering::SeqCst);
        enable_raw_mode()?;
        execute!(stdout(), EnterAlternateScreen, EnableBracketedPaste, EnableFocusChange)?;
        if self.mouse {
            execute!(stdout(), EnableMouseCapture)?;
        }
        Ok(())
    }

    /// Takes the terminal again after something else had it; everything is drawn again.
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
        self.drawn.draw(|frame| {
            super::view::draw(frame, model, theme);
            fault(model);
        })?;
        execute!(stdout(), EndSynchronizedUpdate)
    }

    /// Rings, and shows a notification of the terminal's own, as the user wants it. The words are clean.
    pub fn notify(&mut self, notify: &Notify, inside_tmux: bool, words: &str) -> io::Result<()> {
        let mut out = stdout();
        if notify.bell {
            out.write_all(b"\x07")?;
        }
        let sequence = match notify.osc.as_str() {
            "9" => format!("\x1b]9;{words}\x1b\\"),
            "777" => format!("\x1b]777;notify;deck;{}\x1b\\", words.replace(';', ",")),
            _ => String::new(),
        };
        // tmux passes on what is wrapped for it, if it is allowed to.
        let sequence = if inside_tmux && !sequence.is_empty() {
            format!("\x1bPtmux;{}\x1b\\", sequence.replace('\x1b', "\x1b\x1b"))
        } else {
            sequence
        };
        out.write_all(sequence.as_bytes())?;
        out.flush()
    }

    /// Puts a text on the clipboard of the terminal that deck is seen in, wherever deck runs: OSC 52.
    pub fn copy(&mut self, text: &str) -> io::Result<()> {
        execute!(stdout(), CopyToClipboard::to_clipboard_from(text))
    }

    /// Whether the background is light: by `COLORFGBG`, else by what the terminal answers when it is asked
    /// for it (OSC 11). Also the keys that were pressed while it answered.
    pub fn is_light(&mut self, env: &Environment) -> io::Result<(bool, Vec<Key>)> {
        let last = env.get("COLORFGBG").and_then(|v| v.rsplit(';').next()).and_then(|n| n.parse::<u8>().ok());
        if let Some(background) = last {
            return Ok((background == 7 || background >= 9, Vec::new()));
        }
        // The question for its attributes is answered by every terminal, and in order: nobody waits in vain.
        stdout().write_all(b"\x1b]11;?\x1b\\\x1b[c")?;
        stdout().flush()?;
        let answer = background::answer(ANSWER)?;
        Ok((background::is_light(&answer).unwrap_or(false), background::keys(&answer)))
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

/// In builds that are tested: a panic in the middle of a frame with a dialog, if `DECK_FAULT=draw` asks
/// for one. How the terminal is left then can't be seen in any other way.
fn fault(model: &Model) {
    let asked = || std::env::var_os("DECK_FAULT").is_some_and(|f| f == "draw");
    assert!(!cfg!(debug_assertions) || model.dialogs.is_empty() || !asked(), "a fault in a widget");
}

/// Takes back the one line that tmux leaves behind on the user's own screen when they detach.
pub(super) fn forget_line() {
    // Where it fails the line stays: no harm.
    let _ = execute!(stdout(), MoveToPreviousLine(1), Clear(ClearType::CurrentLine));
}

/// Puts every mode back as it was. May be called twice: only the first call does something.
pub(super) fn restore() {
    if !TAKEN.swap(false, Ordering::SeqCst) {
        return;
    }
    // Each step is tried whatever became of the one before: a half-restored terminal is the worst.
    let mut out = stdout();
    // A panic may come in the middle of a frame.
    let _ = execute!(out, EndSynchronizedUpdate);
    let _ = execute!(out, DisableMouseCapture);
    let _ = execute!(out, DisableFocusChange);
    let _ = execute!(out, DisableBracketedPaste);
    let _ = execute!(out, LeaveAlternateScreen, Show);
    let _ = disable_raw_mode();
    let _ = out.flush();
}
