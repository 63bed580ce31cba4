//! The choices of a dialog, read from the screen by rules in the tool's file.
//!
//! Invariants: what isn't surely a list of choices is none: its numbers run without a gap, are in
//! one column, and the cursor is on one of them; a choice that opens a text field is marked as such.

use regex::Regex;
use serde::{Deserialize, Serialize};

use super::classify::Reading;
use super::normalize::Lines;
use super::region::{Places, Regions};
use super::rules::RuleError;
use crate::domain::text;

/// How a choice is taken.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Take {
    /// Its digit; Enter where the digit only moves the cursor.
    #[default]
    Number,
    /// The cursor goes there, then Enter.
    Cursor,
    /// A click of the mouse on it.
    Click,
    /// The key that it begins with.
    Key,
}

/// How a dialog's choices are read, as written in a tool file.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct ChoiceSpec {
    /// The rules whose dialogs it reads.
    pub rules: Vec<String>,
    /// The region it looks at.
    #[serde(rename = "in")]
    pub region: String,
    /// A line with a choice: groups `label`, `number` (none: they are counted), `cursor` (not blank where
    /// the cursor is), `mark` (a box to tick: then several may be chosen), `buttons` (several on one line).
    pub option: String,
    /// What is cut from a label: descriptions and panes beside it.
    pub cut: Option<String>,
    /// Labels that open a text field.
    pub text: Vec<String>,
    /// Columns at the right end that a wrapped label leaves free.
    pub margin: usize,
    /// How one is taken.
    pub take: Take,
    /// If the dialog only asks to confirm a choice of another one.
    pub confirms: Option<Confirms>,
}

/// A dialog that asks to confirm what was just chosen: the second half of one decision.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Confirms {
    /// The choice that leads to it.
    pub choice: String,
    /// Its own choice that confirms that.
    pub by: String,
}

/// What is between two buttons.
const BETWEEN: &str = "   ";

#[derive(Debug, Clone)]
pub(super) struct Reader {
    rules: Vec<String>,
    region: String,
    option: Regex,
    cut: Option<Regex>,
    text: Vec<Regex>,
    margin: usize,
    take: Take,
    confirms: Option<Confirms>,
}

/// How a choice is pressed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Press {
    /// Its digit.
    Number,
    /// N steps down, or up if negative, then Enter.
    Steps(i32),
    /// A click at this column and row, counted from 1.
    At(u16, u16),
    /// This character.
    Key(char),
    /// Its words are typed, then Enter.
    Line,
}

/// One choice of a dialog.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Choice {
    /// Its number, as the agent shows it, or counted from 1.
    pub number: u32,
    /// Its words.
    pub label: String,
    /// Whether it opens a text field.
    pub is_text: bool,
    /// Whether the cursor is on it.
    pub here: bool,
    /// How it is pressed.
    pub press: Press,
}

impl Choice {
    /// Whether these are its words, however they are wrapped. A label that the agent cut is its start.
    pub fn is_called(&self, words: &str) -> bool {
        let (label, words) = (without_blanks(&self.label), without_blanks(words));
        let cut = label.strip_suffix('…').filter(|start| !start.is_empty());
        label == words || cut.is_some_and(|start| words.starts_with(start))
    }

    /// Whether its words start with these, however they are wrapped.
    pub fn starts_with(&self, words: &str) -> bool {
        let words = without_blanks(words);
        !words.is_empty() && without_blanks(&self.label).starts_with(&words)
    }
}

/// In lower case, and without the blanks that may come from a line that was too long.
fn without_blanks(text: &str) -> String {
    text.to_lowercase().split_whitespace().collect()
}

/// A dialog with its choices.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct AgentDialog {
    /// The rule that saw it.
    pub rule: String,
    pub asks: Option<String>,
    /// What there is to choose.
    pub choices: Vec<Choice>,
    /// Whether several may be chosen.
    pub several: bool,
    /// If it only asks to confirm a choice of another dialog.
    pub confirms: Option<Confirms>,
    /// Whether any other text may be typed, too.
    pub takes_text: bool,
    /// What is typed already and was not sent.
    pub typed: String,
}

impl Choice {
    /// Its number and its words, or only those where it is a line of text.
    pub fn words(&self) -> String {
        match self.press {
            Press::Line => text::clean(&self.label),
            _ => format!("{} {}", self.number, text::clean(&self.label)),
        }
    }
}

impl AgentDialog {
    /// Whether it is the same question with the same choices, wherever the cursor is.
    pub fn is_same(&self, other: &Self) -> bool {
        let labels = |d: &Self| d.choices.iter().map(|c| (c.number, c.label.clone())).collect::<Vec<_>>();
        self.rule == other.rule && self.asks == other.asks && labels(self) == labels(other)
    }

    /// The choice that confirms what was chosen before this dialog came.
    pub fn confirmation(&self, chosen: &Choice) -> Option<&Choice> {
        let confirms = self.confirms.as_ref().filter(|c| chosen.is_called(&c.choice))?;
        self.choices.iter().find(|c| c.is_called(&confirms.by))
    }
}

impl Reader {
    pub fn new(spec: &ChoiceSpec, regions: &Regions) -> Result<Self, RuleError> {
        let place = || format!("choices in `{}`", spec.region);
        let compile = |p: &String| Regex::new(p).map_err(|error| RuleError::Regex { place: place(), error });
        if !regions.has(&spec.region) {
            return Err(RuleError::Region { rule: place(), region: spec.region.clone() });
        }
        Ok(Self {
            rules: spec.rules.clone(),
            region: spec.region.clone(),
            option: compile(&spec.option)?,
            cut: spec.cut.as_ref().map(compile).transpose()?,
            text: spec.text.iter().map(compile).collect::<Result<_, _>>()?,
            margin: spec.margin,
            take: spec.take,
            confirms: spec.confirms.clone(),
        })
    }

    /// Whether this choice of another dialog leads to one that is read here.
    pub fn confirms(&self, chosen: &Choice) -> bool {
        self.confirms.as_ref().is_some_and(|c| chosen.is_called(&c.choice))
    }

    /// Whether it reads the dialogs of this rule.
    pub fn reads(&self, rule: &str) -> bool {
        self.rules.iter().any(|r| r == rule)
    }

    /// The dialog that a reading found, with its choices; `None` when none can be read.
    pub fn dialog(&self, regions: &Regions, lines: &Lines, reading: &Reading) -> Option<AgentDialog> {
        let rule = reading.rule.as_ref().filter(|r| self.rules.contains(r))?;
        let (from, to) = regions.find(&self.region, lines, &mut Places::new())?;
        let inside = lines.text.get(from..to)?;
        let (choices, several) = self.buttons(inside, from).or_else(|| self.list(inside, width(lines)))?;
        Some(AgentDialog {
            rule: rule.clone(),
            asks: reading.asks.clone(),
            choices,
            several,
            confirms: self.confirms.clone(),
            takes_text: false,
            typed: String::new(),
        })
    }

    /// Choices side by side on one line.
    fn buttons(&self, inside: &[String], from: usize) -> Option<(Vec<Choice>, bool)> {
        let (at, found) = inside.iter().enumerate().rev().find_map(|(i, l)| {
            let found = self.option.captures(l)?.name("buttons")?.range();
            Some((i, found))
        })?;
        let line = inside.get(at)?;
        let row = u16::try_from(from + at + 1).ok()?;
        let mut column = text::cells(line.get(..found.start)?);
        let mut choices = Vec::new();
        for (number, label) in (1..).zip(line.get(found)?.split(BETWEEN)) {
            if self.take == Take::Key {
                let (key, words) = label.split_once(' ').filter(|(key, _)| key.chars().count() == 1)?;
                let press = Press::Key(key.chars().next()?);
                choices.push(Choice { number, label: words.to_owned(), is_text: false, here: false, press });
                continue;
            }
            let press = Press::At(u16::try_from(column + 2).ok()?, row);
            choices.push(Choice { number, label: label.to_owned(), is_text: false, here: false, press });
            column += text::cells(label) + BETWEEN.len();
        }
        Some((choices, false))
    }

    /// Choices below each other.
    fn list(&self, inside: &[String], width: usize) -> Option<(Vec<Choice>, bool)> {
        let mut found: Vec<Found> = Vec::new();
        for (at, line) in inside.iter().enumerate().rev() {
            let Some(one) = self.found(at, line) else {
                // Unnumbered choices are together; between numbered ones there may be descriptions.
                let apart = line.is_empty() || found.first().is_some_and(|f| f.number.is_none());
                if apart && !found.is_empty() && !is_rule(line) {
                    break;
                }
                continue;
            };
            match found.first() {
                None => found.push(one),
                Some(below) if below.column != one.column => {}
                Some(below)
                    if one.number.is_some() && below.number != one.number.map(|n| n.saturating_add(1)) =>
                {
                    break;
                }
                Some(_) => found.insert(0, one),
            }
            if found.first().is_some_and(|f| f.number == Some(1)) {
                break;
            }
        }
        let here = found.iter().position(|f| f.here);
        let marks_cursor = self.option.capture_names().flatten().any(|name| name == "cursor");
        if found.is_empty() || (marks_cursor && here.is_none()) {
            return None;
        }
        let several = found.iter().any(|f| f.ticks);
        let ends: Vec<usize> = found.iter().skip(1).map(|f| f.at).chain([inside.len()]).collect();
        let choices = found.iter().zip(ends).enumerate().map(|(i, (one, end))| {
            let label = self.label(inside, one, end, width);
            let steps = i32::try_from(i).unwrap_or(0) - i32::try_from(here.unwrap_or(0)).unwrap_or(0);
            let number = one.number.unwrap_or(u32::try_from(i + 1).unwrap_or(0));
            // Of two digits an agent takes the first for the answer.
            let by_digit = self.take == Take::Number && number <= 9;
            let unreachable = !by_digit && here.is_none();
            Choice {
                number,
                is_text: unreachable || self.text.iter().any(|re| re.is_match(&label)),
                label,
                here: one.here,
                press: if by_digit { Press::Number } else { Press::Steps(steps) },
            }
        });
        Some((choices.collect(), several))
    }

    fn found(&self, at: usize, line: &str) -> Option<Found> {
        let captures = self.option.captures(line)?;
        let label = captures.name("label")?;
        let number = captures.name("number");
        Some(Found {
            at,
            number: number.map(|n| n.as_str().parse().unwrap_or(0)),
            column: text::cells(line.get(..number.unwrap_or(label).start())?),
            label: label.as_str().to_owned(),
            here: captures.name("cursor").is_some_and(|c| !c.as_str().trim().is_empty()),
            ticks: captures.name("mark").is_some(),
        })
    }

    /// The label with the lines it was wrapped to: those whose first word had no room on the line above.
    fn label(&self, inside: &[String], one: &Found, end: usize, width: usize) -> String {
        let cut =
            |t: &str| self.cut.as_ref().map_or_else(|| t.to_owned(), |re| re.replace(t, "").into_owned());
        let mut label = cut(&one.label);
        let start =
            inside.get(one.at).map_or(0, |l| text::cells(l.strip_suffix(one.label.as_str()).unwrap_or(l)));
        let mut used = start + text::cells(&label);
        for line in inside.get(one.at + 1..end).unwrap_or_default() {
            let words = cut(line.trim_start());
            let indent = text::cells(line).saturating_sub(text::cells(line.trim_start()));
            let first = words.split(' ').next().map_or(0, text::cells);
            let fitted = used + 1 + first <= width.saturating_sub(self.margin);
            if line.is_empty() || indent <= one.column || fitted {
                break;
            }
            label = format!("{label} {words}");
            used = indent + text::cells(&words);
        }
        cut(&label).trim().to_owned()
    }
}

struct Found {
    at: usize,
    number: Option<u32>,
    column: usize,
    label: String,
    here: bool,
    ticks: bool,
}

/// The screen's width, as far as anything reaches.
fn width(lines: &Lines) -> usize {
    lines.raw.iter().map(|l| text::cells(l)).max().unwrap_or(0)
}

/// A hairline between groups of choices.
fn is_rule(line: &str) -> bool {
    let line = line.trim();
    !line.is_empty() && line.chars().all(|c| matches!(c, '─' | '━' | '╌'))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_count_however_they_are_wrapped() {
        let choice = |label: &str| Choice {
            number: 1,
            label: label.into(),
            is_text: false,
            here: false,
            press: Press::Number,
        };
        let path = choice("Yes, and allow access to /home/me/some/long/pat h/to/a/file");
        assert!(path.is_called("yes, and allow access to /home/me/some/long/path/to/a/file"));
        assert!(path.starts_with("Yes, and allow access to /home/me/some/long/path"));
        assert!(!path.is_called("Yes") && !path.starts_with("") && !path.starts_with("No"));
        // One that the agent cut is taken by all of its words, too.
        let cut = choice("Yes, and don't ask again for deploy in /home/me/s…");
        assert!(cut.is_called("Yes, and don't ask again for deploy in /home/me/shop"));
        assert!(
            !cut.is_called("Yes, and don't ask again for build in /home/me/shop") && !cut.is_called("Yes")
        );
        assert!(!choice("…").is_called("Yes"));
    }
}
