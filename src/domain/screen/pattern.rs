//! One pattern of a rule: a plain text or a regular expression, on lines or across them.

use regex::Regex;

/// A compiled pattern.
#[derive(Debug, Clone)]
pub(super) enum Pattern {
    /// A text anywhere in a line, whatever its case (kept in lower case here).
    Plain(String),
    /// `re:` a regular expression on one line.
    Line(Regex),
    /// `flat:` a regular expression on all lines joined by blanks, for texts that wrap.
    Flat(Regex),
    /// `raw:` a regular expression on the lines as they are, borders and all, across lines.
    Raw(Regex),
}

/// The lines of a region.
#[derive(Debug, Clone, Copy)]
pub(super) struct View<'a> {
    pub raw: &'a [String],
    pub text: &'a [String],
}

/// What a pattern found.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Found {
    /// The line, or the part that matched when it spans lines.
    pub line: String,
    /// The group named `asks`.
    pub asks: Option<String>,
}

impl Pattern {
    /// Compiles a pattern as it is written in a tool file.
    pub fn new(source: &str) -> Result<Self, regex::Error> {
        if let Some(re) = source.strip_prefix("re:") {
            Regex::new(re).map(Self::Line)
        } else if let Some(re) = source.strip_prefix("flat:") {
            Regex::new(re).map(Self::Flat)
        } else if let Some(re) = source.strip_prefix("raw:") {
            Regex::new(&format!("(?m){re}")).map(Self::Raw)
        } else {
            Ok(Self::Plain(source.to_lowercase()))
        }
    }

    /// The first place where it matches.
    pub fn find(&self, view: View<'_>) -> Option<Found> {
        match self {
            Self::Plain(text) => view
                .text
                .iter()
                .find(|l| l.to_lowercase().contains(text))
                .map(|l| Found { line: l.clone(), asks: None }),
            Self::Line(re) => view.text.iter().find_map(|l| found(re, l, Some(l))),
            Self::Flat(re) => {
                let flat: Vec<&str> = view.text.iter().flat_map(|l| l.split_whitespace()).collect();
                found(re, &flat.join(" "), None)
            }
            Self::Raw(re) => {
                let mut text = view.raw.join("\n");
                text.push('\n');
                found(re, &text, None)
            }
        }
    }
}

fn found(re: &Regex, text: &str, line: Option<&str>) -> Option<Found> {
    let captures = re.captures(text)?;
    // What is asked may run over lines inside of a box: its borders are no part of it.
    let words = |t: &str| t.replace(['│', '┃', '║'], " ").split_whitespace().collect::<Vec<_>>().join(" ");
    let whole = captures.get(0).map_or("", |m| m.as_str());
    Some(Found {
        line: line.map_or_else(|| words(whole), str::to_owned),
        asks: captures.name("asks").map(|m| words(m.as_str())),
    })
}
