//! Named parts of a screen, found from its bottom up.

use std::collections::BTreeMap;

use regex::Regex;
use serde::{Deserialize, Serialize};

use super::normalize::Lines;

/// How a region is found. Patterns are regular expressions on the lines as they are.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct RegionSpec {
    /// The region starts at a line that matches one of these.
    pub start: Vec<String>,
    /// The line after the start must match this.
    pub then: Option<String>,
    /// Some line below the start must match this.
    pub has: Option<String>,
    /// No line below the start may match this.
    pub has_not: Option<String>,
    /// Which matching line, counted from the bottom.
    pub nth: Option<usize>,
    /// The start must be among the last N lines.
    pub within: Option<usize>,
    /// The region ends where this other one starts.
    pub before: Option<String>,
    /// The start moves up over lines that match this.
    pub up: Option<String>,
    /// N non-blank lines above the start belong to it.
    pub above: usize,
    /// Without a start: N non-blank lines at the end.
    pub else_last: Option<usize>,
    /// Without `start`: N non-blank lines at the end.
    pub lines: usize,
}

/// The region that user tools' patterns look at.
pub(super) const LAST: &str = "last";

#[derive(Debug, Clone)]
struct Region {
    start: Vec<Regex>,
    then: Option<Regex>,
    has: Option<Regex>,
    has_not: Option<Regex>,
    nth: usize,
    within: usize,
    before: Option<String>,
    up: Option<Regex>,
    above: usize,
    else_last: Option<usize>,
    lines: usize,
}

/// All regions of a tool.
#[derive(Debug, Clone, Default)]
pub(super) struct Regions(BTreeMap<String, Region>);

/// Where regions were found on one screen.
pub(super) type Places = BTreeMap<String, Option<(usize, usize)>>;

impl Regions {
    /// Compiles the regions. On failure the region's name and the faulty pattern are returned.
    pub fn new(specs: &BTreeMap<String, RegionSpec>) -> Result<Self, (String, String, regex::Error)> {
        let mut all = BTreeMap::new();
        for (name, spec) in specs {
            let compile = |re: &String| Regex::new(re).map_err(|e| (name.clone(), re.clone(), e));
            let region = Region {
                start: spec.start.iter().map(compile).collect::<Result<_, _>>()?,
                then: spec.then.as_ref().map(compile).transpose()?,
                has: spec.has.as_ref().map(compile).transpose()?,
                has_not: spec.has_not.as_ref().map(compile).transpose()?,
                nth: spec.nth.unwrap_or(1).max(1),
                within: spec.within.unwrap_or(usize::MAX),
                before: spec.before.clone(),
                up: spec.up.as_ref().map(compile).transpose()?,
                above: spec.above,
                else_last: spec.else_last,
                lines: spec.lines,
            };
            all.insert(name.clone(), region);
        }
        all.entry(LAST.to_owned()).or_insert_with(|| Region {
            start: Vec::new(),
            then: None,
            has: None,
            has_not: None,
            nth: 1,
            within: usize::MAX,
            before: None,
            up: None,
            above: 0,
            else_last: None,
            lines: 5,
        });
        Ok(Self(all))
    }

    /// Whether there is a region of this name.
    pub fn has(&self, name: &str) -> bool {
        self.0.contains_key(name)
    }

    /// A region that ends before one that doesn't exist.
    pub fn dangling(&self) -> Option<(String, String)> {
        let missing = |(name, r): (&String, &Region)| {
            r.before.clone().filter(|b| !self.has(b)).map(|b| (name.clone(), b))
        };
        self.0.iter().find_map(missing)
    }

    /// Finds a region: the first line and the line after its last. `places` remembers.
    pub fn find(&self, name: &str, lines: &Lines, places: &mut Places) -> Option<(usize, usize)> {
        if let Some(known) = places.get(name) {
            return *known;
        }
        // Regions that name each other in a circle find nothing.
        places.insert(name.to_owned(), None);
        let found = self.0.get(name).and_then(|region| self.locate(region, lines, places));
        places.insert(name.to_owned(), found);
        found
    }

    fn locate(&self, region: &Region, lines: &Lines, places: &mut Places) -> Option<(usize, usize)> {
        let end = match &region.before {
            None => lines.raw.len(),
            Some(other) => self.find(other, lines, places)?.0,
        };
        let last = |n: usize| {
            let from = climb(lines, end, n);
            (from < end).then_some((from, end))
        };
        if region.start.is_empty() {
            return last(region.lines);
        }
        let candidates =
            (end.saturating_sub(region.within)..end).rev().filter(|i| region.starts_at(lines, *i, end));
        let Some(mut from) = candidates.into_iter().nth(region.nth - 1) else {
            return region.else_last.and_then(last);
        };
        if let Some(up) = &region.up {
            while from > 0 && lines.raw.get(from - 1).is_some_and(|l| up.is_match(l)) {
                from -= 1;
            }
        }
        Some((climb(lines, from, region.above), end))
    }
}

impl Region {
    fn starts_at(&self, lines: &Lines, at: usize, end: usize) -> bool {
        let inside = lines.raw.get(at..end).unwrap_or_default();
        let Some((first, below)) = inside.split_first() else { return false };
        self.start.iter().any(|re| re.is_match(first))
            && self.then.as_ref().is_none_or(|re| below.first().is_some_and(|l| re.is_match(l)))
            && self.has.as_ref().is_none_or(|re| below.iter().any(|l| re.is_match(l)))
            && self.has_not.as_ref().is_none_or(|re| !below.iter().any(|l| re.is_match(l)))
    }
}

/// The line from which `count` non-blank lines are above `end`, or the first line.
fn climb(lines: &Lines, end: usize, count: usize) -> usize {
    let mut at = end;
    let mut seen = 0;
    while at > 0 && seen < count {
        at -= 1;
        if lines.text.get(at).is_some_and(|l| !l.is_empty()) {
            seen += 1;
        }
    }
    at
}
