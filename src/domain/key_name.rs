//! Names of keys that are pressed in a session, as people write them and as the multiplexer knows them.
//!
//! Invariant: what names no key is refused; the multiplexer would type it as a text.

/// Names and what the multiplexer calls them. Letters' case doesn't matter.
const NAMES: &[(&str, &str)] = &[
    ("enter", "Enter"),
    ("return", "Enter"),
    ("esc", "Escape"),
    ("escape", "Escape"),
    ("tab", "Tab"),
    ("backtab", "BTab"),
    ("btab", "BTab"),
    ("space", "Space"),
    ("backspace", "BSpace"),
    ("bspace", "BSpace"),
    ("delete", "DC"),
    ("dc", "DC"),
    ("insert", "IC"),
    ("ic", "IC"),
    ("home", "Home"),
    ("end", "End"),
    ("pageup", "PPage"),
    ("ppage", "PPage"),
    ("pagedown", "NPage"),
    ("npage", "NPage"),
    ("up", "Up"),
    ("down", "Down"),
    ("left", "Left"),
    ("right", "Right"),
];

/// Modifiers as people write them and as the multiplexer knows them.
const MODIFIERS: &[(&str, &str)] =
    &[("ctrl-", "C-"), ("c-", "C-"), ("alt-", "M-"), ("m-", "M-"), ("shift-", "S-"), ("s-", "S-")];

/// What the multiplexer calls a key; `None` for what is none.
pub fn key_name(text: &str) -> Option<String> {
    let mut chars = text.chars();
    if let (Some(c), None) = (chars.next(), chars.next()) {
        return (!c.is_control()).then(|| text.to_owned());
    }
    let lower = text.to_ascii_lowercase();
    if let Some((_, name)) = NAMES.iter().find(|(n, _)| *n == lower) {
        return Some((*name).to_owned());
    }
    if let Some(number) = lower.strip_prefix('f').and_then(|n| n.parse::<u8>().ok()) {
        return (1..=12).contains(&number).then(|| format!("F{number}"));
    }
    let (long, short) = MODIFIERS.iter().find(|(m, _)| lower.starts_with(m))?;
    Some(format!("{short}{}", key_name(text.get(long.len()..)?)?))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_of_keys() {
        let name = |text| key_name(text);
        let all = [
            ("enter", "Enter"),
            ("Escape", "Escape"),
            ("ctrl-c", "C-c"),
            ("C-M-x", "C-M-x"),
            ("shift-up", "S-Up"),
            ("f12", "F12"),
            ("ü", "ü"),
            ("-", "-"),
            ("y", "y"),
        ];
        for (text, want) in all {
            assert_eq!(name(text).as_deref(), Some(want), "{text}");
        }
        for bad in ["", "yes", "entr", "f13", "ctrl-", "ctrl-nope", "\u{1b}"] {
            assert_eq!(name(bad), None, "{bad:?}");
        }
    }
}
