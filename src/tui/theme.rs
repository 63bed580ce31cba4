//! Themes: what each role looks like, for terminals of any colour depth.

use std::collections::BTreeMap;
use std::path::Path;

use ratatui::style::{Color, Modifier, Style};
use serde::Deserialize;

use crate::app::Role;
use crate::domain::source_pos;

/// How many colours a terminal shows.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Depth {
    None,
    /// The 16 named ones.
    Named,
    /// 256.
    Indexed,
    /// Any.
    True,
}

impl Depth {
    /// What the environment sets: `NO_COLOR`, `COLORTERM`, `TERM`.
    pub fn of(get: impl Fn(&str) -> Option<String>) -> Self {
        let term = get("TERM").unwrap_or_default();
        let colorterm = get("COLORTERM").unwrap_or_default();
        if get("NO_COLOR").is_some_and(|v| !v.is_empty()) || term == "dumb" {
            Self::None
        } else if colorterm == "truecolor" || colorterm == "24bit" || term.ends_with("-direct") {
            Self::True
        } else if term.contains("256color") {
            Self::Indexed
        } else {
            Self::Named
        }
    }
}

#[derive(Debug, Clone, Default, Deserialize)]
#[serde(default, deny_unknown_fields)]
struct RoleStyle {
    fg: Option<String>,
    bg: Option<String>,
    fg16: Option<String>,
    bg16: Option<String>,
    bold: bool,
    dim: bool,
    reverse: bool,
    underline: bool,
}

/// A theme for one terminal.
#[derive(Debug, Clone, Default)]
pub struct Theme {
    styles: BTreeMap<Role, Style>,
}

/// The built-in themes and their files.
pub const BUILTIN: &[(&str, &str)] = &[
    ("dark", include_str!("../../assets/themes/dark.toml")),
    ("light", include_str!("../../assets/themes/light.toml")),
    ("mono", include_str!("../../assets/themes/mono.toml")),
    ("high-contrast", include_str!("../../assets/themes/high-contrast.toml")),
    ("catppuccin", include_str!("../../assets/themes/catppuccin.toml")),
    ("gruvbox", include_str!("../../assets/themes/gruvbox.toml")),
    ("nord", include_str!("../../assets/themes/nord.toml")),
    ("solarized", include_str!("../../assets/themes/solarized.toml")),
    ("tokyo-night", include_str!("../../assets/themes/tokyo-night.toml")),
];

/// How much of a theme file is read, in bytes.
const MAX_BYTES: u64 = 1024 * 1024;

/// The names of all themes: `auto`, the built-in ones, and those in the user's `folder`.
pub fn names(folder: &Path) -> Vec<String> {
    let mut names = vec!["auto".to_owned()];
    names.extend(BUILTIN.iter().map(|(name, _)| (*name).to_owned()));
    let files = std::fs::read_dir(folder).into_iter().flatten().flatten();
    let own = files.filter_map(|f| f.file_name().to_str()?.strip_suffix(".toml").map(str::to_owned));
    let mut own: Vec<String> = own.filter(|n| !names.contains(n)).collect();
    own.sort();
    names.extend(own);
    names
}

impl Theme {
    /// The theme of this name: a built-in one, or a file of the user's in `folder`; `auto` goes by the
    /// terminal's background. Returns what is wrong if it can't be loaded, and is then `dark`.
    pub fn chosen(name: &str, depth: Depth, folder: &Path, is_light: bool) -> (Self, Option<String>) {
        let name = if name == "auto" && is_light { "light" } else { name };
        let is_known = name == "auto" || depth == Depth::None || BUILTIN.iter().any(|(n, _)| *n == name);
        if is_known {
            return (Self::named(name, depth), None);
        }
        let path = folder.join(format!("{name}.toml"));
        let read = crate::sys::files::read_text(&path, MAX_BYTES).map_err(|e| match e.kind() {
            std::io::ErrorKind::NotFound => {
                format!("unknown theme {name:?}: not built in, and not found: {}", path.display())
            }
            _ => format!("can't read {}: {e}", path.display()),
        });
        let parsed = read.and_then(|text| {
            // Roles that it leaves out look as in `dark`.
            let base = BUILTIN.first().map_or("", |(_, t)| t);
            let own = own_looks(&text).map_err(|(line, message)| {
                let line = line.map(|l| format!(":{l}")).unwrap_or_default();
                format!("{}{line}: {message}", path.display())
            })?;
            if let Some(unknown) = own.keys().find(|k| !Role::ALL.iter().any(|(_, n, _)| n == *k)) {
                let names: Vec<&str> = Role::ALL.iter().map(|(_, n, _)| *n).collect();
                return Err(format!(
                    "{}: unknown role {unknown:?}; one of {}",
                    path.display(),
                    names.join(", ")
                ));
            }
            let mut states: BTreeMap<String, RoleStyle> = toml::from_str(base).unwrap_or_default();
            states.extend(own);
            Ok(Self::of(&states, depth))
        });
        match parsed {
            Ok(theme) => (theme, None),
            Err(why) => (Self::named("dark", depth), Some(why)),
        }
    }

    /// A built-in theme; `dark` for a name that is none. Without colours it is `mono`.
    pub fn named(name: &str, depth: Depth) -> Self {
        let name = if depth == Depth::None { "mono" } else { name };
        let text =
            BUILTIN.iter().find(|(n, _)| *n == name).or_else(|| BUILTIN.first()).map_or("", |(_, t)| t);
        Self::parse(text, depth).unwrap_or_default()
    }

    fn parse(text: &str, depth: Depth) -> Result<Self, toml::de::Error> {
        Ok(Self::of(&toml::from_str(text)?, depth))
    }

    fn of(states: &BTreeMap<String, RoleStyle>, depth: Depth) -> Self {
        let style = |(role, name, _): &(Role, &str, &str)| Some((*role, states.get(*name)?.style(depth)));
        Self { styles: Role::ALL.iter().filter_map(style).collect() }
    }

    /// What a role looks like.
    pub fn style(&self, role: Role) -> Style {
        self.styles.get(&role).copied().unwrap_or_default()
    }
}

impl RoleStyle {
    fn style(&self, depth: Depth) -> Style {
        let mut style = Style::default();
        if let Some(fg) = color(self.fg.as_deref(), self.fg16.as_deref(), depth) {
            style = style.fg(fg);
        }
        if let Some(bg) = color(self.bg.as_deref(), self.bg16.as_deref(), depth) {
            style = style.bg(bg);
        }
        let modifiers = [
            (self.bold, Modifier::BOLD),
            (self.dim, Modifier::DIM),
            (self.reverse, Modifier::REVERSED),
            (self.underline, Modifier::UNDERLINED),
        ];
        modifiers.into_iter().filter(|(on, _)| *on).fold(style, |s, (_, m)| s.add_modifier(m))
    }
}

fn color(full: Option<&str>, named: Option<&str>, depth: Depth) -> Option<Color> {
    let rgb = full.and_then(|f| f.parse::<Color>().ok());
    match (depth, rgb) {
        (Depth::None, _) => None,
        (Depth::Named, _) => named.and_then(|n| n.parse().ok()),
        (Depth::Indexed, Some(Color::Rgb(r, g, b))) => Some(Color::Indexed(nearest_indexed(r, g, b))),
        (Depth::True | Depth::Indexed, rgb) => rgb,
    }
}

/// Reads a user's theme. A mistake is reported in their terms: the line, and what they can write there.
fn own_looks(text: &str) -> Result<BTreeMap<String, RoleStyle>, (Option<usize>, String)> {
    let syntax =
        |e: toml::de::Error| (e.span().map(|s| source_pos::line_of(text, s.start)), e.message().to_owned());
    let table: toml::Table = toml::from_str(text).map_err(syntax)?;
    for (role, value) in &table {
        let wrong = |what: String| (source_pos::key_line(text, role), format!("{role}: {what}"));
        let Some(state) = value.as_table() else {
            return Err(wrong(format!("invalid style {value}; write {role} = {{ fg = \"#ff00ff\" }}")));
        };
        for (key, value) in state {
            match key.as_str() {
                "fg" | "bg" | "fg16" | "bg16" => {
                    if value.as_str().is_none_or(|c| c.parse::<Color>().is_err()) {
                        let how = "write \"#rrggbb\" or a colour's name, such as \"light-blue\"";
                        return Err(wrong(format!("{key}: invalid colour {value}; {how}")));
                    }
                }
                "bold" | "dim" | "reverse" | "underline" => {
                    if !value.is_bool() {
                        return Err(wrong(format!("{key} must be true or false, not {value}")));
                    }
                }
                _ => {
                    let all = "fg, bg, fg16, bg16, bold, dim, reverse and underline";
                    return Err(wrong(format!("unknown key {key:?}; the keys are {all}")));
                }
            }
        }
    }
    toml::from_str(text).map_err(syntax)
}

/// The nearest of xterm's 256 colours: its 6×6×6 cube or its 24 greys.
fn nearest_indexed(r: u8, g: u8, b: u8) -> u8 {
    const STEPS: [u8; 6] = [0, 95, 135, 175, 215, 255];
    let step = |c: u8| (0u8..).zip(STEPS).min_by_key(|(_, s)| s.abs_diff(c)).unwrap_or((0, 0));
    let [(ri, rs), (gi, gs), (bi, bs)] = [r, g, b].map(step);
    let distance = |x: u8, y: u8, z: u8| {
        [(x, r), (y, g), (z, b)].iter().map(|(a, b)| u32::from(a.abs_diff(*b)).pow(2)).sum::<u32>()
    };
    let mean = (u16::from(r) + u16::from(g) + u16::from(b)) / 3;
    let grey = u8::try_from((mean.saturating_sub(3) / 10).min(23)).unwrap_or(23);
    let level = 8 + grey * 10;
    if distance(level, level, level) < distance(rs, gs, bs) { 232 + grey } else { 16 + 36 * ri + 6 * gi + bi }
}

#[cfg(test)]
#[path = "theme_tests.rs"]
mod tests;

#[cfg(test)]
pub use tests::{marked, role_at};
