//! The tool files that come with deck.

/// Name and text of each, in the order in which they are offered.
pub const BUILTIN: &[(&str, &str)] = &[
    ("claude", include_str!("../../assets/tools/claude.toml")),
    ("gemini", include_str!("../../assets/tools/gemini.toml")),
    ("codex", include_str!("../../assets/tools/codex.toml")),
    ("opencode", include_str!("../../assets/tools/opencode.toml")),
    ("shell", include_str!("../../assets/tools/shell.toml")),
];
