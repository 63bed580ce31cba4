//! What a character is drawn with, read from SGR sequences and written as one.

#[cfg(any(test, feature = "web"))]
use std::fmt::Write as _;

/// A colour as a program chose it: what an indexed one looks like is its viewer's.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
pub enum Colour {
    #[default]
    Default,
    Indexed(u8),
    Rgb(u8, u8, u8),
}

/// Bold, italic and the like, together.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
pub struct Attributes(u8);

impl Attributes {
    pub const BOLD: Self = Self(1);
    pub const DIM: Self = Self(1 << 1);
    pub const ITALIC: Self = Self(1 << 2);
    pub const UNDERLINED: Self = Self(1 << 3);
    pub const REVERSED: Self = Self(1 << 4);
    pub const HIDDEN: Self = Self(1 << 5);
    pub const CROSSED_OUT: Self = Self(1 << 6);

    /// Each with the SGR parameter that sets it.
    #[cfg(any(test, feature = "web"))]
    const ALL: [(Self, u8); 7] = [
        (Self::BOLD, 1),
        (Self::DIM, 2),
        (Self::ITALIC, 3),
        (Self::UNDERLINED, 4),
        (Self::REVERSED, 7),
        (Self::HIDDEN, 8),
        (Self::CROSSED_OUT, 9),
    ];

    #[must_use]
    pub const fn with(self, other: Self) -> Self {
        Self(self.0 | other.0)
    }

    #[must_use]
    pub const fn without(self, other: Self) -> Self {
        Self(self.0 & !other.0)
    }

    pub const fn has(self, other: Self) -> bool {
        self.0 & other.0 != 0
    }
}

/// What characters are drawn with. Blinking is left out: it would draw attention to the wrong thing.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
pub struct Pen {
    pub fg: Colour,
    pub bg: Colour,
    pub attributes: Attributes,
}

impl Pen {
    /// Takes the parameters of an SGR sequence. Unknown ones change nothing.
    pub(super) fn take(&mut self, parameters: &str) {
        // Semicolons separate attributes. Colons separate the parts of one.
        let mut rest = parameters.split(';');
        while let Some(word) = rest.next() {
            let mut parts = word.split(':');
            let number = |part: Option<&str>| part.and_then(|p| p.parse::<u16>().ok());
            let first = match parts.next() {
                Some("") | None => Some(0),
                part => number(part),
            };
            let Some(first) = first else { continue };
            let (set, unset) = (|a: Attributes, b| a.with(b), |a: Attributes, b| a.without(b));
            let now = self.attributes;
            match first {
                0 => *self = Self::default(),
                1 => self.attributes = set(now, Attributes::BOLD),
                2 => self.attributes = set(now, Attributes::DIM),
                3 => self.attributes = set(now, Attributes::ITALIC),
                4 if parts.next() == Some("0") => self.attributes = unset(now, Attributes::UNDERLINED),
                4 | 21 => self.attributes = set(now, Attributes::UNDERLINED),
                7 => self.attributes = set(now, Attributes::REVERSED),
                8 => self.attributes = set(now, Attributes::HIDDEN),
                9 => self.attributes = set(now, Attributes::CROSSED_OUT),
                22 => self.attributes = unset(unset(now, Attributes::BOLD), Attributes::DIM),
                23 => self.attributes = unset(now, Attributes::ITALIC),
                24 => self.attributes = unset(now, Attributes::UNDERLINED),
                27 => self.attributes = unset(now, Attributes::REVERSED),
                28 => self.attributes = unset(now, Attributes::HIDDEN),
                29 => self.attributes = unset(now, Attributes::CROSSED_OUT),
                n @ 30..=37 => self.fg = indexed(n - 30),
                n @ 40..=47 => self.bg = indexed(n - 40),
                n @ 90..=97 => self.fg = indexed(n - 82),
                n @ 100..=107 => self.bg = indexed(n - 92),
                39 => self.fg = Colour::Default,
                49 => self.bg = Colour::Default,
                n @ (38 | 48 | 58) => {
                    let parts: Vec<&str> = parts.collect();
                    let colour =
                        if parts.is_empty() { following(&mut rest) } else { colour_of_parts(&parts) };
                    match (n, colour) {
                        (38, Some(colour)) => self.fg = colour,
                        (48, Some(colour)) => self.bg = colour,
                        // The colour of an underline is that of its text.
                        _ => {}
                    }
                }
                _ => {}
            }
        }
    }
}

fn indexed(n: u16) -> Colour {
    Colour::Indexed(u8::try_from(n).unwrap_or(0))
}

fn byte(word: Option<&str>) -> Option<u8> {
    let word = word?;
    if word.is_empty() {
        Some(0)
    } else {
        word.parse::<u16>().ok().map(|n| u8::try_from(n).unwrap_or(u8::MAX))
    }
}

/// `5;N` or `2;R;G;B` after a 38 or 48.
fn following<'a>(rest: &mut impl Iterator<Item = &'a str>) -> Option<Colour> {
    match rest.next()? {
        "5" => byte(rest.next()).map(Colour::Indexed),
        "2" => Some(Colour::Rgb(byte(rest.next())?, byte(rest.next())?, byte(rest.next())?)),
        _ => None,
    }
}

/// `5:N`, `2:R:G:B` or `2:SPACE:R:G:B`.
fn colour_of_parts(parts: &[&str]) -> Option<Colour> {
    match *parts {
        ["5", n, ..] => byte(Some(n)).map(Colour::Indexed),
        ["2", _, r, g, b, ..] | ["2", r, g, b] => {
            Some(Colour::Rgb(byte(Some(r))?, byte(Some(g))?, byte(Some(b))?))
        }
        _ => None,
    }
}

/// The sequence that sets exactly this pen, whatever was set before.
#[cfg(any(test, feature = "web"))]
pub fn sgr(pen: Pen) -> String {
    let mut out = "\x1b[0".to_owned();
    // Writing to a string doesn't fail.
    for (attribute, number) in Attributes::ALL {
        if pen.attributes.has(attribute) {
            let _ = write!(out, ";{number}");
        }
    }
    for (colour, base) in [(pen.fg, 30), (pen.bg, 40)] {
        let _ = match colour {
            Colour::Default => Ok(()),
            Colour::Indexed(n @ 0..=7) => write!(out, ";{}", base + u16::from(n)),
            Colour::Indexed(n @ 8..=15) => write!(out, ";{}", base + 52 + u16::from(n)),
            Colour::Indexed(n) => write!(out, ";{};5;{n}", base + 8),
            Colour::Rgb(r, g, b) => write!(out, ";{};2;{r};{g};{b}", base + 8),
        };
    }
    out.push('m');
    out
}
