//! Values of a newer deck in the format that this one knows too.
//!
//! Invariants: a value that this deck doesn't know is not damage, and is written back as it was unless this
//! deck set another one; in between, the field holds the value that does least.

use serde_json::{Map, Value};

/// A field with one of a few values.
struct Place {
    key: &'static str,
    known: &'static [&'static str],
    /// The replacement for an unknown value; `None`: null.
    instead: Option<&'static str>,
}

const WANTED: Place = Place { key: "wanted", known: &["running", "stopped"], instead: Some("stopped") };
const SOURCES: &[&str] = &["minted", "captured", "reported", "given"];
/// How the current id was recorded: the next one has its own source.
const SOURCE: Place = Place { key: "source", known: SOURCES, instead: None };
/// How a past id was recorded: that never changes.
const PAST: Place = Place { key: "source", known: SOURCES, instead: Some("reported") };

impl Place {
    /// The key under which the value is kept meanwhile.
    fn aside(&self) -> String {
        format!("{}, as a newer deck has it", self.key)
    }

    fn set_aside(&self, map: &mut Map<String, Value>) {
        let word = map.get(self.key).and_then(Value::as_str).filter(|word| !self.known.contains(word));
        if let Some(word) = word.map(str::to_owned) {
            map.insert(self.key.to_owned(), self.instead.into());
            map.insert(self.aside(), word.into());
        }
    }

    fn put_back(&self, map: &mut Map<String, Value>) {
        // Removed in any case; the order of the rest stays.
        let Some(word) = map.shift_remove(&self.aside()) else { return };
        if map.get(self.key).is_some_and(|now| *now == Value::from(self.instead)) {
            map.insert(self.key.to_owned(), word);
        }
    }
}

/// Replaces unknown values by known ones.
pub(super) fn set_aside(profile: &mut Value) {
    each(profile, Place::set_aside);
}

/// Puts the original values back.
pub(super) fn put_back(profile: &mut Value) {
    each(profile, Place::put_back);
}

fn each(profile: &mut Value, act: impl Fn(&Place, &mut Map<String, Value>)) {
    let sessions = profile.get_mut("sessions").and_then(Value::as_array_mut);
    for session in sessions.into_iter().flatten().filter_map(Value::as_object_mut) {
        act(&WANTED, session);
        let Some(resume) = session.get_mut("resume").and_then(Value::as_object_mut) else { continue };
        act(&SOURCE, resume);
        let history = resume.get_mut("history").and_then(Value::as_array_mut);
        for entry in history.into_iter().flatten().filter_map(Value::as_object_mut) {
            act(&PAST, entry);
        }
    }
}
