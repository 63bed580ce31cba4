//! Which rule holds for a screen.

use super::line_prompt::{PROMPT, answered};
use super::normalize::Lines;
use super::pattern::{Found, Pattern, View};
use super::region::Places;
use super::rules::{Rule, RuleSet, TITLE};
use crate::domain::status::{BusyKind, Observation};

/// What a screen shows.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Reading {
    /// What was observed.
    pub what: Observation,
    /// The kind's word; empty for none.
    pub rule: Option<String>,
    /// The line that matched.
    pub line: Option<String>,
    /// What is asked, or what failed, in the agent's words.
    pub asks: Option<String>,
}

impl Reading {
    const UNKNOWN: Self = Self { what: Observation::Unknown, rule: None, line: None, asks: None };
}

impl RuleSet {
    /// The rule of the highest priority that holds for a screen and its title.
    pub fn read(&self, lines: &Lines, title: &str) -> Reading {
        self.best(lines, title, |_| true)
    }

    /// The same, only by rules on the screen, or only by rules on the title.
    pub fn read_part(&self, lines: &Lines, title: &str, of_title: bool) -> Reading {
        self.best(lines, title, |rule| (rule.region == TITLE) == of_title)
    }

    fn best(&self, lines: &Lines, title: &str, part: impl Fn(&Rule) -> bool) -> Reading {
        let mut screen =
            Screen { set: self, lines, title: vec![title.trim().to_owned()], places: Places::new() };
        for rule in self.rules.iter().filter(|r| part(r)) {
            if let Some(found) = screen.holds(rule) {
                let asks = screen.captured(rule);
                return Reading {
                    what: with_attempt(&rule.what, asks.as_deref()),
                    rule: Some(rule.name.clone()),
                    line: Some(found.line).filter(|l| !l.is_empty()),
                    asks: asks.filter(|a| !a.is_empty()),
                };
            }
        }
        Reading::UNKNOWN
    }
}

/// A retry whose captured text is a number carries it as the attempt.
fn with_attempt(what: &Observation, asks: Option<&str>) -> Observation {
    match what {
        Observation::Busy(BusyKind::Retrying(_)) => {
            // Agents write `5` or `5/10`.
            let first = asks.and_then(|a| a.split('/').next()).map(str::trim);
            Observation::Busy(BusyKind::Retrying(first.and_then(|a| a.parse().ok())))
        }
        other => other.clone(),
    }
}

/// One screen while rules are tried on it.
struct Screen<'a> {
    set: &'a RuleSet,
    lines: &'a Lines,
    title: Vec<String>,
    places: Places,
}

impl Screen<'_> {
    fn view(&mut self, region: &str) -> Option<View<'_>> {
        if region == TITLE {
            let empty = self.title.iter().all(String::is_empty);
            return (!empty).then_some(View { raw: &self.title, text: &self.title });
        }
        let (from, to) = self.set.regions.find(region, self.lines, &mut self.places)?;
        Some(View { raw: self.lines.raw.get(from..to)?, text: self.lines.text.get(from..to)? })
    }

    /// The first thing that the rule found, when all of it holds.
    fn holds(&mut self, rule: &Rule) -> Option<Found> {
        if rule.with.iter().any(|r| self.view(r).is_none())
            || rule.without.iter().any(|r| self.view(r).is_some())
        {
            return None;
        }
        let view = self.view(&rule.region)?;
        let answered = if rule.name == PROMPT { answered(view.text) } else { Vec::new() };
        let open = |lines: &[String]| -> Vec<String> {
            let of = |(i, line): (usize, &String)| match answered.get(i) {
                Some(true) => String::new(),
                _ => line.clone(),
            };
            lines.iter().enumerate().map(of).collect()
        };
        let (raw, text);
        let view = if answered.contains(&true) {
            (raw, text) = (open(view.raw), open(view.text));
            View { raw: &raw, text: &text }
        } else {
            view
        };
        let mut first = None;
        for pattern in &rule.all {
            let found = pattern.find(view)?;
            first.get_or_insert(found);
        }
        if !rule.any.is_empty() {
            let found = rule.any.iter().find_map(|p| p.find(view))?;
            first.get_or_insert(found);
        }
        if rule.none.iter().any(|p| p.find(view).is_some()) {
            return None;
        }
        // A rule that only lists what must be absent matches on the whole region.
        Some(first.unwrap_or(Found { line: String::new(), asks: None }))
    }

    fn captured(&mut self, rule: &Rule) -> Option<String> {
        let view = self.view(&rule.capture_in)?;
        let find = |p: &Pattern| p.find(view)?.asks;
        rule.capture.iter().find_map(find)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::BTreeMap;

    fn vibe() -> RuleSet {
        let busy = ["executing".to_owned(), "re:^run(ning)? ".to_owned()];
        RuleSet::new(&BTreeMap::new(), &[], &busy, &["approve?".to_owned(), "[y/n]".to_owned()]).unwrap()
    }

    #[test]
    fn plain_patterns_look_at_the_last_five_lines() {
        let word = |screen: &str| vibe().read(&Lines::of(screen), "").what.word();
        assert_eq!(word("Executing step 2\n\n"), "busy");
        assert_eq!(word("running tool"), "busy");
        assert_eq!(word("Executing\nApprove? [Y/n]"), "blocked", "a prompt beats busy");
        assert_eq!(word("executing\n1\n\n2\n3\n4\n5"), "unknown");
        assert_eq!(word(""), "unknown");
        assert_eq!(word("vibe> ask\n[y/n] "), "blocked");
        assert_eq!(word("vibe> ask\n[y/n] y\nyou chose y\nvibe> "), "unknown", "it was answered");
    }

    #[test]
    fn a_faulty_regex_is_shown_with_a_caret() {
        let err = RuleSet::new(&BTreeMap::new(), &[], &["re:a(b".to_owned()], &[]).unwrap_err().to_string();
        assert!(err.contains("busy_patterns") && err.contains('^'), "{err}");
    }
}
