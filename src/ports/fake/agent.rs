//! Agents in memory: what a pane shows after which input, and when.

use std::time::Duration;

use crate::domain::status::Exit;

/// What a pane is given.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Input {
    /// A key by its name.
    Key(String),
    /// Text that is typed as it is.
    Text(String),
    Paste(String),
    /// A turn of the wheel, upwards or not.
    Wheel(bool),
}

/// What a pane shows from some time after its cause on. What is `None` stays as it was.
#[derive(Debug, Clone, Default)]
pub struct Frame {
    pub after: Duration,
    pub screen: Option<String>,
    /// The cursor's column and row; none where it is hidden.
    pub cursor: Option<Option<(u16, u16)>>,
    pub dead: Option<Exit>,
}

impl Frame {
    /// A screen, so many milliseconds later.
    pub fn at(ms: u64, screen: impl Into<String>) -> Self {
        Self { after: Duration::from_millis(ms), screen: Some(screen.into()), ..Self::default() }
    }

    /// The same with the cursor at a column and a row.
    #[must_use]
    pub fn cursor(mut self, column: u16, row: u16) -> Self {
        self.cursor = Some(Some((column, row)));
        self
    }

    /// The end of its process, so many milliseconds later.
    pub fn dies(ms: u64, how: Exit) -> Self {
        Self { after: Duration::from_millis(ms), dead: Some(how), ..Self::default() }
    }
}

/// A program in a pane.
pub trait Agent: Send {
    /// What comes of an input.
    fn take(&mut self, input: &Input) -> Vec<Frame>;
}

impl<F: FnMut(&Input) -> Vec<Frame> + Send> Agent for F {
    fn take(&mut self, input: &Input) -> Vec<Frame> {
        self(input)
    }
}

type OnEnter = Box<dyn FnMut(&str) -> Vec<Frame> + Send>;

/// An agent whose input field is the last line: `> ` and what was typed.
pub struct Composer {
    typed: String,
    /// Where its cursor is, in bytes.
    at: usize,
    on_enter: OnEnter,
    deaf: usize,
    undrawn: usize,
}

impl Composer {
    /// One that does this when it is given a message; where that is nothing, Enter changes nothing.
    pub fn new(on_enter: impl FnMut(&str) -> Vec<Frame> + Send + 'static) -> Self {
        Self { typed: String::new(), at: 0, on_enter: Box::new(on_enter), deaf: 0, undrawn: 0 }
    }

    /// With something in its field already.
    #[must_use]
    pub fn holding(mut self, text: &str) -> Self {
        self.typed = text.to_owned();
        self.at = text.len();
        self
    }

    /// With its cursor so many bytes from the start of what is in its field.
    #[must_use]
    pub fn cursor(mut self, at: usize) -> Self {
        self.at = at;
        self
    }

    /// One that loses its first inputs.
    #[must_use]
    pub fn deaf(mut self, inputs: usize) -> Self {
        self.deaf = inputs;
        self
    }

    /// One that takes its first inputs, but draws them only with the next.
    #[must_use]
    pub fn slow(mut self, inputs: usize) -> Self {
        self.undrawn = inputs;
        self
    }

    /// What is in its field.
    pub fn typed(&self) -> &str {
        &self.typed
    }

    /// Its screen with a text in its field.
    pub fn screen(typed: &str) -> String {
        format!("welcome\n> {typed}\n")
    }
}

impl Agent for Composer {
    fn take(&mut self, input: &Input) -> Vec<Frame> {
        if self.deaf > 0 {
            self.deaf -= 1;
            return Vec::new();
        }
        let line_start = self.typed.get(..self.at).and_then(|t| t.rfind('\n')).map_or(0, |n| n + 1);
        match input {
            Input::Text(text) | Input::Paste(text) => {
                self.typed.insert_str(self.at, text);
                self.at += text.len();
            }
            Input::Key(key) => match key.as_str() {
                "Enter" => {
                    let frames = (self.on_enter)(&self.typed);
                    if !frames.is_empty() {
                        self.typed.clear();
                        self.at = 0;
                    }
                    return frames;
                }
                "BSpace" if self.at > 0 => {
                    self.at -= 1;
                    self.typed.remove(self.at);
                }
                "C-u" => {
                    self.typed.replace_range(line_start..self.at, "");
                    self.at = line_start;
                }
                "C-e" => {
                    let rest = self.typed.get(self.at..).unwrap_or_default();
                    self.at += rest.find('\n').unwrap_or(rest.len());
                }
                "Right" => self.at = (self.at + 1).min(self.typed.len()),
                _ => {}
            },
            Input::Wheel(_) => {}
        }
        if self.undrawn > 0 {
            self.undrawn -= 1;
            return Vec::new();
        }
        vec![Frame::at(10, Self::screen(&self.typed))]
    }
}
