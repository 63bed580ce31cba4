//! What is typed in an agent's input field and not sent yet.

use regex::Regex;
use serde::{Deserialize, Serialize};

use super::normalize::Lines;
use super::region::{Places, Regions};
use super::rules::RuleError;

/// How the input field is read. Patterns are regular expressions on the lines as they are.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct ComposerSpec {
    pub region: String,
    /// The line above its first one; none: the region starts with its first line.
    pub start: Option<String>,
    /// The line below its last one.
    pub end: Option<String>,
    /// What of a line is not in the field, such as its sign and its border: removed from each line.
    pub frame: Option<String>,
    /// What an empty one shows.
    pub empty: Vec<String>,
    /// Messages that are commands of the agent's own: they send nothing to its model.
    pub commands: Option<String>,
}

/// A compiled [`ComposerSpec`].
#[derive(Debug, Clone)]
pub(super) struct Composer {
    region: String,
    start: Option<Regex>,
    end: Option<Regex>,
    frame: Option<Regex>,
    empty: Vec<Regex>,
    commands: Option<Regex>,
}

impl Composer {
    /// Compiles it; none where a tool has none.
    pub fn new(spec: &ComposerSpec, regions: &Regions) -> Result<Option<Self>, RuleError> {
        if spec.region.is_empty() {
            return Ok(None);
        }
        if !regions.has(&spec.region) {
            return Err(RuleError::Region { rule: "composer".to_owned(), region: spec.region.clone() });
        }
        let one = |source: &String| {
            Regex::new(source)
                .map_err(|error| RuleError::Regex { place: format!("composer, `{source}`"), error })
        };
        Ok(Some(Self {
            region: spec.region.clone(),
            start: spec.start.as_ref().map(one).transpose()?,
            end: spec.end.as_ref().map(one).transpose()?,
            frame: spec.frame.as_ref().map(one).transpose()?,
            empty: spec.empty.iter().map(one).collect::<Result<_, _>>()?,
            commands: spec.commands.as_ref().map(one).transpose()?,
        }))
    }

    /// Whether a message is a command of the agent's own.
    pub fn is_command(&self, message: &str) -> bool {
        self.commands.as_ref().is_some_and(|re| re.is_match(message.trim()))
    }

    /// The text in it; `None` if the field is not on the screen.
    pub fn typed(&self, regions: &Regions, lines: &Lines) -> Option<String> {
        let (from, to) = regions.find(&self.region, lines, &mut Places::new())?;
        let region = lines.raw.get(from..to)?;
        let first = match &self.start {
            Some(start) => region.iter().position(|l| start.is_match(l))? + 1,
            None => 0,
        };
        let field = region.get(first..)?;
        let last = match &self.end {
            // The first line belongs to it in any case.
            Some(end) => 1 + field.iter().skip(1).position(|l| end.is_match(l))?,
            None => field.len(),
        };
        let text = |line: &String| match &self.frame {
            Some(frame) => frame.replace_all(line, "").trim().to_owned(),
            None => line.trim().to_owned(),
        };
        let typed: Vec<String> = field.iter().take(last).map(text).collect();
        let typed = typed.join("\n").trim().to_owned();
        Some(if self.empty.iter().any(|e| e.is_match(&typed)) { String::new() } else { typed })
    }
}
