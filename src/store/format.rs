//! The file's format: reading every version there ever was, writing the newest.

use serde_json::Value;

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
        map.insert("schema_version".to_owned(), SCHEMA_VERSION.into());
    }
    let mut profile: Profile =
        serde_json::from_value(value).map_err(|e| Unreadable::Broken(e.to_string()))?;
    for session in profile.sessions.iter_mut().filter(|s| s.tmux.name.is_empty()) {
        session.tmux.name = tmux_name(&session.title, &session.id);
    }
    // Older files and hands may leave out a session's group.
    let paths: Vec<_> = profile.live_sessions().map(|s| s.group_path.clone()).collect();
    for path in paths {
        profile.ensure_group(&path);
    }
    Ok(profile)
}

/// The file's text for a profile.
pub(super) fn write(profile: &Profile) -> String {
    let mut text = serde_json::to_string_pretty(profile).unwrap_or_default();
    text.push('\n');
    text
}

#[cfg(test)]
mod tests {
    use super::*;

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
    fn newer_and_broken_files_are_told_apart() {
        assert!(matches!(read(r#"{"schema_version": 99}"#), Err(Unreadable::Newer(99))));
        for broken in
            ["", "{", "[]", "null", r#"{"schema_version":"x"}"#, r#"{"sessions":3,"schema_version":1}"#]
        {
            assert!(matches!(read(broken), Err(Unreadable::Broken(_))), "{broken}");
        }
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
