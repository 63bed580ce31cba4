//! Names that are made from titles: on the tmux server, and of folders.

use super::id::SessionId;

/// The tmux name of a session: a slug of its title, `-`, and the tail of its id.
///
/// Only `[A-Za-z0-9_-]`, since tmux gives meaning to other characters in names. It is made
/// once: a rename of the session never changes it.
pub fn tmux_name(title: &str, id: &SessionId) -> String {
    format!("{}-{}", slug(title, "session"), id.tail())
}

/// A text as a name of `[A-Za-z0-9_-]` alone; `otherwise` if nothing is left of it.
pub fn slug(text: &str, otherwise: &str) -> String {
    let mut slug = String::new();
    for c in text.chars() {
        if c.is_ascii_alphanumeric() || c == '_' {
            slug.push(c);
        } else if !slug.ends_with('-') && !slug.is_empty() {
            slug.push('-');
        }
        if slug.len() >= 32 {
            break;
        }
    }
    let slug = slug.trim_end_matches('-');
    if slug.is_empty() { otherwise.to_owned() } else { slug.to_owned() }
}

/// `wanted`, or `wanted-2`, `wanted-3` … : the first that `taken` doesn't hold.
pub fn unique_title(wanted: &str, taken: &[&str]) -> String {
    if !taken.contains(&wanted) {
        return wanted.to_owned();
    }
    (2..).map(|n| format!("{wanted}-{n}")).find(|t| !taken.contains(&t.as_str())).unwrap_or_default()
}

/// `wanted`, or `wanted 2`, `wanted 3` … : the first that `taken` doesn't hold.
pub fn numbered_title(wanted: &str, taken: &[&str]) -> String {
    if !taken.contains(&wanted) {
        return wanted.to_owned();
    }
    (2..).map(|n| format!("{wanted} {n}")).find(|t| !taken.contains(&t.as_str())).unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_safe_targets() {
        let id = SessionId::new("0197c0de-0000-7000-8000-00003f9c21ab");
        let check = |title: &str, want: &str| assert_eq!(tmux_name(title, &id), want);
        check("api", "api-3f9c21ab");
        check("#(touch x) $5", "touch-x-5-3f9c21ab");
        check("日本", "session-3f9c21ab");
        check("-x:y.z", "x-y-z-3f9c21ab");
        assert!(tmux_name(&"long".repeat(40), &id).len() <= 41);
    }

    #[test]
    fn a_taken_title_counts_up() {
        assert_eq!(unique_title("api", &[]), "api");
        assert_eq!(unique_title("api", &["api", "api-2"]), "api-3");
    }
}
