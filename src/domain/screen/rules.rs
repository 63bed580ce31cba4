//! A tool's rules: their form in a file, and the compiled set.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use super::choices::{AgentDialog, Choice, Reader};
use super::classify::Reading;
use super::composer::Composer;
use super::line_prompt::{self, PROMPT};
use super::normalize::Lines;
use super::pattern::{Pattern, View};
use super::region::{LAST, RegionSpec, Regions};
use crate::domain::status::{BlockKind, BusyKind, FailKind, Observation, Turn};

/// One pattern or several.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(untagged)]
pub enum OneOrMany {
    /// One.
    One(String),
    /// Several.
    Many(Vec<String>),
}

/// A rule as written in a tool file.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct RuleSpec {
    /// Its name, unique within the tool.
    pub name: String,
    /// The region it looks at; `title` is the pane's title, `last` the last five non-blank lines.
    #[serde(rename = "in")]
    pub region: String,
    /// Every one of these must be there.
    pub all: Vec<String>,
    /// At least one of these must be there.
    pub any: Vec<String>,
    /// None of these may be there.
    pub none: Vec<String>,
    /// These regions must be on the screen.
    pub with: Vec<String>,
    /// These regions must not be on the screen.
    pub without: Vec<String>,
    /// What it observes: busy, blocked, ready or failed.
    pub is: String,
    pub kind: String,
    /// The highest that matches decides; among equals the first in the file.
    pub priority: i32,
    /// Patterns whose group `asks` is the text that is asked, or that names what failed.
    pub capture: Option<OneOrMany>,
    /// The region that `capture` looks at, if another one.
    pub capture_in: Option<String>,
}

/// Why a tool's rules can't be used.
#[derive(Debug, Clone, thiserror::Error)]
pub enum RuleError {
    /// A regular expression is faulty; the error's text has a caret under the place.
    #[error("{place}: {error}")]
    Regex {
        /// The rule or region.
        place: String,
        /// The fault.
        error: regex::Error,
    },
    /// `is` and `kind` don't fit.
    #[error("rule `{rule}`: unknown kind `{kind}` of observation `{is}`")]
    Observation {
        rule: String,
        /// Its `is`.
        is: String,
        kind: String,
    },
    /// A region nobody defined.
    #[error("rule `{rule}`: unknown region `{region}`")]
    Region { rule: String, region: String },
    /// A region that ends at one nobody defined.
    #[error("region `{region}`: can't end before unknown region `{other}`")]
    Before { region: String, other: String },
    /// Choices of a dialog that no rule sees.
    #[error("choices: unknown rule `{0}`")]
    NoRule(String),
    /// A name twice, or none.
    #[error("rule `{0}`: duplicate name")]
    Name(String),
}

/// A compiled rule.
#[derive(Debug, Clone)]
pub(super) struct Rule {
    pub name: String,
    pub region: String,
    pub all: Vec<Pattern>,
    pub any: Vec<Pattern>,
    pub none: Vec<Pattern>,
    pub with: Vec<String>,
    pub without: Vec<String>,
    pub what: Observation,
    pub priority: i32,
    pub capture: Vec<Pattern>,
    pub capture_in: String,
}

/// The region that stands for the pane's title.
pub(super) const TITLE: &str = "title";

/// A tool's compiled rules.
#[derive(Debug, Clone, Default)]
pub struct RuleSet {
    pub(super) regions: Regions,
    /// Highest priority first, else as in the file.
    pub(super) rules: Vec<Rule>,
    choices: Vec<Reader>,
    composer: Option<Composer>,
}

impl RuleSet {
    /// Compiles a tool's rules and its plain patterns.
    ///
    /// # Errors
    /// [`RuleError`] for the first rule that can't be used.
    pub fn new(
        regions: &BTreeMap<String, RegionSpec>,
        specs: &[RuleSpec],
        busy: &[String],
        prompt: &[String],
    ) -> Result<Self, RuleError> {
        let regions = Regions::new(regions).map_err(|(name, pattern, error)| RuleError::Regex {
            place: format!("region `{name}`, `{pattern}`"),
            error,
        })?;
        if let Some((region, other)) = regions.dangling() {
            return Err(RuleError::Before { region, other });
        }
        let plain = |name: &str, patterns: &[String], is: &str, kind: &str, priority| RuleSpec {
            name: name.to_owned(),
            region: LAST.to_owned(),
            any: patterns.to_vec(),
            is: is.to_owned(),
            kind: kind.to_owned(),
            priority,
            ..RuleSpec::default()
        };
        let mut all = specs.to_vec();
        if !prompt.is_empty() {
            all.push(plain(PROMPT, prompt, "blocked", "permission", 2));
        }
        if !busy.is_empty() {
            all.push(plain("busy_patterns", busy, "busy", "thinking", 1));
        }
        let mut rules: Vec<Rule> = Vec::with_capacity(all.len());
        for spec in &all {
            if spec.name.is_empty() || rules.iter().any(|r| r.name == spec.name) {
                return Err(RuleError::Name(spec.name.clone()));
            }
            rules.push(compile(spec, &regions)?);
        }
        rules.sort_by_key(|r| std::cmp::Reverse(r.priority));
        Ok(Self { regions, rules, choices: Vec::new(), composer: None })
    }

    /// Compiles a tool's rules.
    ///
    /// # Errors
    /// [`RuleError`] for the first rule that can't be used.
    pub fn of(tool: &crate::domain::tool::Tool) -> Result<Self, RuleError> {
        let mut set = Self::new(&tool.regions, &tool.rules, &tool.busy_patterns, &tool.prompt_patterns)?;
        let is_rule = |name: &String| name == PROMPT || set.rules.iter().any(|r| r.name == *name);
        if let Some(name) = tool.choices.iter().flat_map(|c| &c.rules).find(|name| !is_rule(name)) {
            return Err(RuleError::NoRule(name.clone()));
        }
        set.choices = tool.choices.iter().map(|c| Reader::new(c, &set.regions)).collect::<Result<_, _>>()?;
        set.composer = Composer::new(&tool.composer, &set.regions)?;
        Ok(set)
    }

    /// Whether the input field of this tool's agents can be read.
    pub const fn has_composer(&self) -> bool {
        self.composer.is_some()
    }

    /// Whether a message is a command of the agent's own, which sends nothing to its model.
    pub fn is_command(&self, message: &str) -> bool {
        self.composer.as_ref().is_some_and(|c| c.is_command(message))
    }

    /// What is typed in the input field and not sent; `None` if it is not on the screen, or can't be read.
    pub fn typed(&self, lines: &Lines) -> Option<String> {
        self.composer.as_ref()?.typed(&self.regions, lines)
    }

    /// The dialog that a reading found, with its choices; `None` when none can be read.
    pub fn dialog(&self, lines: &Lines, reading: &Reading) -> Option<AgentDialog> {
        let numbered = self.choices.iter().find_map(|reader| reader.dialog(&self.regions, lines, reading));
        let of_line = || {
            reading.rule.as_deref().filter(|r| *r == PROMPT)?;
            let last = lines.text.last().map(std::slice::from_ref)?;
            let rule = self.rules.iter().find(|r| r.name == PROMPT)?;
            rule.any.iter().find_map(|p| p.find(View { raw: last, text: last }))?;
            // Choices that can't be read now are no line of text.
            let has_choices = self.choices.iter().any(|reader| reader.reads(PROMPT));
            if has_choices { None } else { last.first().map(|line| line_prompt::dialog(line)) }
        };
        numbered.or_else(of_line)
    }

    /// Whether a choice leads to a dialog that only asks to confirm it.
    pub fn is_confirmed(&self, chosen: &Choice) -> bool {
        self.choices.iter().any(|reader| reader.confirms(chosen))
    }

    /// Whether there is nothing to match.
    pub fn is_empty(&self) -> bool {
        self.rules.is_empty()
    }
}

fn compile(spec: &RuleSpec, regions: &Regions) -> Result<Rule, RuleError> {
    let patterns = |sources: &[String]| {
        let one = |source: &String| {
            Pattern::new(source)
                .map_err(|error| RuleError::Regex { place: format!("rule `{}`", spec.name), error })
        };
        sources.iter().map(one).collect::<Result<Vec<_>, _>>()
    };
    let capture_in = spec.capture_in.clone().unwrap_or_else(|| spec.region.clone());
    let named = [&spec.region, &capture_in].into_iter().chain(&spec.with).chain(&spec.without);
    for region in named {
        if region != TITLE && !regions.has(region) {
            return Err(RuleError::Region { rule: spec.name.clone(), region: region.clone() });
        }
    }
    let what = observation(&spec.is, &spec.kind).ok_or_else(|| RuleError::Observation {
        rule: spec.name.clone(),
        is: spec.is.clone(),
        kind: spec.kind.clone(),
    })?;
    let capture = match &spec.capture {
        None => Vec::new(),
        Some(OneOrMany::One(one)) => patterns(std::slice::from_ref(one))?,
        Some(OneOrMany::Many(many)) => patterns(many)?,
    };
    Ok(Rule {
        name: spec.name.clone(),
        region: spec.region.clone(),
        all: patterns(&spec.all)?,
        any: patterns(&spec.any)?,
        none: patterns(&spec.none)?,
        with: spec.with.clone(),
        without: spec.without.clone(),
        what,
        priority: spec.priority,
        capture,
        capture_in,
    })
}

fn observation(is: &str, kind: &str) -> Option<Observation> {
    Some(match (is, kind) {
        ("busy", "thinking" | "") => Observation::Busy(BusyKind::Thinking),
        ("busy", "tool") => Observation::Busy(BusyKind::Tool),
        ("busy", "retrying") => Observation::Busy(BusyKind::Retrying(None)),
        ("busy", "background") => Observation::Busy(BusyKind::Background),
        ("busy", "compacting") => Observation::Busy(BusyKind::Compacting),
        ("blocked", "permission") => Observation::Blocked(BlockKind::Permission),
        ("blocked", "question") => Observation::Blocked(BlockKind::Question),
        ("blocked", "plan") => Observation::Blocked(BlockKind::Plan),
        ("blocked", "trust") => Observation::Blocked(BlockKind::Trust),
        ("blocked", "login") => Observation::Blocked(BlockKind::Login),
        ("blocked", "dialog" | "") => Observation::Blocked(BlockKind::Dialog),
        ("ready", "finished") => Observation::Ready(Turn::Finished),
        ("ready", "interrupted") => Observation::Ready(Turn::ByUser),
        ("ready", "empty" | "") => Observation::Ready(Turn::Unmarked),
        ("failed", "api" | "") => Observation::Failed(FailKind::Api),
        ("failed", "auth") => Observation::Failed(FailKind::Auth),
        ("failed", "limit") => Observation::Failed(FailKind::Limit),
        _ => return None,
    })
}
