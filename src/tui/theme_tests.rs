//! Themes: what holds for every built-in one. No other test depends on a colour.

use super::*;

/// Backgrounds; every other role colours text.
const GROUNDS: &[Role] = &[Role::Selection, Role::Panel, Role::Toast];
/// What a marker of a role has for red: no theme and no agent in a test has it.
const TEXT: u8 = 0xF1;
const GROUND: u8 = 0xF2;

/// A theme in which each role has a colour that says which role it is, so that a test names roles.
pub fn marked() -> Theme {
    let mark = |(n, (role, ..)): (u8, &(Role, &str, &str))| {
        let style = if GROUNDS.contains(role) {
            Style::default().bg(Color::Rgb(GROUND, n, 0))
        } else {
            Style::default().fg(Color::Rgb(TEXT, n, 0))
        };
        (*role, style)
    };
    Theme { styles: (0..).zip(Role::ALL).map(mark).collect() }
}

/// The name of the role whose marker this colour is.
pub fn role_at(color: Color) -> Option<&'static str> {
    match color {
        Color::Rgb(TEXT | GROUND, n, 0) => Role::ALL.get(usize::from(n)).map(|(_, name, _)| *name),
        _ => None,
    }
}

fn themes() -> impl Iterator<Item = (&'static str, BTreeMap<String, RoleStyle>)> {
    BUILTIN.iter().map(|(name, text)| (*name, toml::from_str(text).unwrap()))
}

/// The backgrounds of the terminals that a theme is for.
fn grounds(name: &str) -> &'static [&'static str] {
    match name {
        "light" => &["#ffffff", "#f5f5f5"],
        _ => &["#000000", "#1a1b26", "#1e1e1e"],
    }
}

fn luminance(color: &str) -> f64 {
    let Ok(Color::Rgb(r, g, b)) = color.parse() else { panic!("{color} is no full colour") };
    let part = |c: u8| {
        let c = f64::from(c) / 255.0;
        if c <= 0.04045 { c / 12.92 } else { ((c + 0.055) / 1.055).powf(2.4) }
    };
    0.2126 * part(r) + 0.7152 * part(g) + 0.0722 * part(b)
}

/// The contrast of two colours as WCAG 2 counts it: from 1 to 21.
fn contrast(a: &str, b: &str) -> f64 {
    let (a, b) = (luminance(a), luminance(b));
    (a.max(b) + 0.05) / (a.min(b) + 0.05)
}

/// The least contrast of a role; none for what isn't read.
fn least(role: Role, theme: &str) -> Option<f64> {
    match (role, theme) {
        (Role::Border | Role::Selection | Role::Panel | Role::Toast, _) => None,
        (_, "high-contrast") => Some(5.5),
        // Of least weight on purpose: nothing that must be read is only there.
        (Role::Faint | Role::Stopped, _) => Some(2.0),
        (_, "dark" | "light") => Some(4.0),
        // Palettes that people know have their own contrasts.
        _ => Some(3.0),
    }
}

#[test]
fn every_role_can_be_read_on_every_background_it_is_drawn_on() {
    let mut bad = Vec::new();
    for (name, looks) in themes().filter(|(n, _)| *n != "mono") {
        let own = GROUNDS.iter().filter_map(|g| {
            let (_, ground, _) = Role::ALL.iter().find(|(r, ..)| r == g)?;
            looks.get(*ground)?.bg.as_deref()
        });
        let on: Vec<&str> = grounds(name).iter().copied().chain(own).collect();
        for (role, role_name, _) in Role::ALL {
            let fg = looks.get(*role_name).and_then(|l| l.fg.as_deref());
            let (Some(fg), Some(least)) = (fg, least(*role, name)) else { continue };
            for ground in &on {
                let found = contrast(fg, ground);
                if found < least {
                    bad.push(format!("{name}: {role_name} {fg} on {ground}: {found:.1} < {least}"));
                }
            }
        }
    }
    assert!(bad.is_empty(), "{}", bad.join("\n"));
}

#[test]
fn a_colour_falls_back_to_one_of_the_sixteen() {
    for (name, looks) in themes() {
        for (role, look) in looks {
            for (full, named) in [(&look.fg, &look.fg16), (&look.bg, &look.bg16)] {
                // A background that isn't among the sixteen is the terminal's own, as is the text on it.
                let is_own = look.bg.is_some() && look.bg16.is_none();
                assert!(full.is_none() || named.is_some() || is_own, "{name}: {role}: no fallback");
                let Some(named) = named else { continue };
                let color: Color = named.parse().unwrap();
                let is_named = !matches!(color, Color::Rgb(..) | Color::Indexed(_) | Color::Reset);
                assert!(is_named, "{name}: {role}: {named}");
            }
        }
    }
}

#[test]
fn mono_has_no_colour_at_all() {
    let (_, looks) = themes().find(|(n, _)| *n == "mono").unwrap();
    for (role, look) in looks {
        let colours = [&look.fg, &look.bg, &look.fg16, &look.bg16];
        assert!(colours.iter().all(|c| c.is_none()), "{role}");
    }
    for depth in [Depth::None, Depth::Named, Depth::Indexed, Depth::True] {
        for style in Theme::named("mono", depth).styles.values() {
            assert_eq!((style.fg, style.bg), (None, None));
        }
    }
}

#[test]
fn every_theme_has_every_role_at_every_depth() {
    for (name, text) in BUILTIN {
        let states: BTreeMap<String, RoleStyle> = toml::from_str(text).unwrap();
        let names: Vec<_> = Role::ALL.iter().map(|(_, n, _)| (*n).to_owned()).collect();
        assert!(names.iter().all(|n| states.contains_key(n)) && states.len() == names.len(), "{name}");
        for state in states.values() {
            for c in [&state.fg, &state.bg, &state.fg16, &state.bg16].into_iter().flatten() {
                assert!(c.parse::<Color>().is_ok(), "{name}: {c}");
            }
        }
    }
}

#[test]
fn what_is_wrong_in_a_theme_is_said_in_plain_words() {
    let dir = tempfile::tempdir().unwrap();
    let of = |text: &str| {
        let path = dir.path().join("own.toml");
        std::fs::File::create(&path)
            .and_then(|mut f| std::io::Write::write_all(&mut f, text.as_bytes()))
            .unwrap();
        let (_, trouble) = Theme::chosen("own", Depth::True, dir.path(), false);
        trouble.map(|t| t.replace(&format!("{}/", dir.path().display()), ""))
    };
    assert_eq!(of("accent = { fg = \"#ff00ff\", bold = true }\n"), None);
    let wrong = [
        "dim = {}\naccent = \"#ff00ff\"\n",
        "accent = { fg = \"#ff00f\" }\n",
        "accent = { fg = 7 }\n",
        "accent = { bold = \"yes\" }\n",
        "accent = { colour = \"red\" }\n",
        "acent = { fg = \"red\" }\n",
        "accent = {\n",
    ];
    let reported: Vec<String> = wrong.iter().map(|text| of(text).unwrap()).collect();
    insta::assert_debug_snapshot!(reported);
}

#[test]
fn colours_come_down_to_what_a_terminal_has() {
    let depth = |vars: &[(&str, &str)]| {
        Depth::of(|name| vars.iter().find(|(k, _)| *k == name).map(|(_, v)| (*v).to_owned()))
    };
    assert_eq!(depth(&[("TERM", "xterm-256color")]), Depth::Indexed);
    assert_eq!(depth(&[("TERM", "xterm"), ("COLORTERM", "truecolor")]), Depth::True);
    assert_eq!(depth(&[("TERM", "xterm")]), Depth::Named);
    assert_eq!(depth(&[("TERM", "xterm"), ("NO_COLOR", "1")]), Depth::None);
    assert_eq!(nearest_indexed(255, 0, 0), 196);
    assert_eq!(nearest_indexed(128, 128, 128), 244);
}
