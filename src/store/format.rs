//! The file's format: every version is read, the newest one is written.

use std::collections::HashSet;

use serde_json::Value;

use super::newer_words;
use crate::domain::profile::{Profile, SCHEMA_VERSION};
use crate::domain::slug::tmux_name;

/// Why a file's text is not a profile.
#[derive(Debug)]
pub(super) enum Unreadable {
    /// It can't be parsed.
    Broken(String),
    /// It is from a newer deck.
    Newer(u64),
}

/// Migrations: entry `n` turns format `n` into `n + 1`.
type Migration = fn(&mut Value);

/// Format 0 had no `schema_version` and called sessions `instances`.
const MIGRATIONS: &[Migration] = &[from_0];

fn from_0(file: &mut Value) {
    let Some(map) = file.as_object_mut() else { return };
    if let Some(instances) = map.remove("instances") {
        map.entry("sessions").or_insert(instances);
    }
}

/// Reads a file's text.
pub(super) fn read(text: &str) -> Result<Profile, Unreadable> {
    let mut value: Value = serde_json::from_str(text).map_err(|e| Unreadable::Broken(e.to_string()))?;
    if !value.is_object() {
        return Err(Unreadable::Broken("not a JSON object".to_owned()));
    }
    let found = match value.get("schema_version") {
        None => 0,
        Some(v) => v.as_u64().ok_or_else(|| Unreadable::Broken(format!("schema_version is {v}")))?,
    };
    if found > u64::from(SCHEMA_VERSION) {
        return Err(Unreadable::Newer(found));
    }
    for migrate in MIGRATIONS.iter().skip(usize::try_from(found).unwrap_or(usize::MAX)) {
        migrate(&mut value);
    }
    if let Some(map) = value.as_object_mut() {
        // Every deck writes them, even if there are none: a file without them was damaged.
        if !map.contains_key("sessions") {
            return Err(Unreadable::Broken("it has no sessions".to_owned()));
        }
        map.insert("schema_version".to_owned(), SCHEMA_VERSION.into());
    }
    newer_words::set_aside(&mut value);
    let mut profile: Profile =
        serde_json::from_value(value).map_err(|e| Unreadable::Broken(e.to_string()))?;
    for session in profile.sessions.iter_mut().filter(|s| s.tmux.name.is_empty()) {
        session.tmux.name = tmux_name(&session.title, &session.id);
    }
    // Older files and hands may leave out a session's group.
    let groups: HashSet<_> = profile.live_groups().map(|g| &g.path).collect();
    let paths: Vec<_> =
        profile.live_sessions().map(|s| &s.group_path).filter(|p| !groups.contains(p)).cloned().collect();
    for path in paths.into_iter().filter(|p| !p.is_root()) {
        profile.ensure_group(&path);
    }
    Ok(profile)
}

/// The file's text for a profile.
pub(super) fn write(profile: &Profile) -> String {
    let mut value = serde_json::to_value(profile).unwrap_or_default();
    newer_words::put_back(&mut value);
    let mut text = serde_json::to_string_pretty(&value).unwrap_or_default();
    text.push('\n');
    text
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::domain::session::{DesiredState, IdSource};

    #[test]
    fn every_old_format_is_read() {
        let old = include_str!("../../tests/fixtures/store/sessions-v0.json");
        let profile = read(old).unwrap();
        assert_eq!(profile.schema_version, SCHEMA_VERSION);
        assert_eq!(profile.sessions.len(), 1);
        assert_eq!(profile.sessions[0].title, "api");
        assert_eq!(profile.sessions[0].tmux.name, "api-3f9c21ab");
        assert!(profile.live_groups().any(|g| g.path.as_str() == "work/backend"));
    }

    #[test]
    fn newer_and_broken_files_are_distinguished() {
        assert!(matches!(read(r#"{"schema_version": 99}"#), Err(Unreadable::Newer(99))));
        for broken in
            ["", "{", "[]", "null", r#"{"schema_version":"x"}"#, r#"{"sessions":3,"schema_version":1}"#]
        {
            assert!(matches!(read(broken), Err(Unreadable::Broken(_))), "{broken}");
        }
    }

    #[test]
    fn what_a_newer_deck_calls_by_other_words_is_kept() {
        let text = r#"{"schema_version":1,"sessions":[{"id":"a","wanted":"paused","resume":{"id":"c","source":"guessed",
            "history":[{"id":"c","source":"guessed","seen_at":"1970-01-01T00:00:00Z"}]}}]}"#;
        let mut profile = read(text).unwrap();
        assert_eq!(profile.sessions[0].wanted, DesiredState::Stopped);
        let back = |profile: &Profile| {
            serde_json::from_str::<Value>(&write(profile)).unwrap()["sessions"][0].clone()
        };
        let same = back(&profile);
        assert_eq!(same["wanted"], "paused");
        assert_eq!(
            (&same["resume"]["source"], &same["resume"]["history"][0]["source"]),
            (&"guessed".into(), &"guessed".into())
        );
        assert_eq!(same.as_object().unwrap().keys().filter(|k| k.contains("wanted")).count(), 1, "{same}");
        profile.sessions[0].wanted = DesiredState::Running;
        assert_eq!(back(&profile)["wanted"], "running", "what is changed here stands");
        assert_eq!(back(&profile)["resume"]["source"], "guessed");
        profile.sessions[0].resume.record("d", IdSource::Reported, jiff::Timestamp::UNIX_EPOCH);
        assert_eq!(back(&profile)["resume"]["source"], "reported");
        // Anything but text is damage.
        let broken = r#"{"schema_version":1,"sessions":[{"id":"a","wanted":7}]}"#;
        assert!(matches!(read(broken), Err(Unreadable::Broken(_))));
    }

    #[test]
    fn a_file_without_sessions_is_broken() {
        for text in ["{}", r#"{"schema_version":1}"#, r#"{"schema_version":1,"sessionz":[],"groups":[]}"#] {
            assert!(matches!(read(text), Err(Unreadable::Broken(_))), "{text}");
        }
        assert!(read(r#"{"instances":[]}"#).is_ok(), "as they were called before");
        assert!(read(&write(&Profile::default())).is_ok(), "an empty profile has none of them");
    }

    #[test]
    fn unknown_fields_survive_a_round_trip() {
        let text = r#"{"schema_version":1,"theme":"x","sessions":[{"id":"a","zone":9}],"groups":[{"path":"g","icon":"!"}]}"#;
        let back: Value = serde_json::from_str(&write(&read(text).unwrap())).unwrap();
        assert_eq!(
            (&back["theme"], &back["sessions"][0]["zone"], &back["groups"][0]["icon"]),
            (&"x".into(), &9.into(), &"!".into())
        );
    }
}
