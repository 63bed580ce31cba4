//! Documentation generated from the code is up to date.

use deck::reference::{DIFF_SECTION, SECTIONS};
use std::fmt::Write as _;

fn keys() -> String {
    let mut text =
        "# Keys\n\nGenerated from the commands in `src/app/commands`. `?` shows the same inside deck. In the config file, \
         `keys = { stop = \"ctrl-x\" }` binds a command, by its name, to other keys; those in the diff are \
         bound apart from the others, so that the same key may be used in both.\n"
            .to_owned();
    for (preview_header, commands) in SECTIONS.iter().chain(DIFF_SECTION) {
        write!(text, "\n## {preview_header}\n\n| keys | action | name |\n|---|---|---|\n").unwrap();
        for c in *commands {
            let keys: Vec<_> = c.keys.iter().map(|k| format!("`{k}`")).collect();
            writeln!(text, "| {} | {} | {} |", keys.join(" "), c.doc, c.id).unwrap();
        }
    }
    text.push_str(
        "\nMouse: click to select, double-click to attach, click whatever looks like a key, a choice or a count, scroll with the wheel, ",
    );
    text.push_str(
        "drag a row to move it, drag the line between list and preview to resize them. Hold shift for your terminal's own selection.\n",
    );
    text
}

fn themes() -> String {
    let names: Vec<_> = deck::reference::THEMES.iter().map(|(name, _)| format!("`{name}`")).collect();
    let mut text = format!(
        "# Themes\n\nGenerated from the roles in `src/app/role.rs`. `theme` in the palette (`:`) lists all themes and shows each while it is \
         selected. `ui.theme` in the config file names the one that is used: {}; or `auto`, which is `dark` or `light` by the \
         terminal's background. `NO_COLOR` makes every theme `mono`.\n\n\
         ## Your own\n\nA file `themes/NAME.toml` next to the config file is a theme of that name. What it leaves out looks as in `dark`; a \
         built-in theme of `assets/themes` is a good start.\n\n\
         ```toml\n# The colour where a terminal shows any, and the one of the 16 named ones where it doesn't.\n\
         accent = {{ fg = \"#7aa2f7\", fg16 = \"lightblue\", bold = true }}\nselection = {{ bg = \"#1f2840\", bg16 = \"blue\" }}\n```\n\n\
         A role takes `fg`, `bg`, `fg16`, `bg16`, `bold`, `dim`, `reverse` and `underline`. Where no background is given, it is the \
         terminal's own. A mistake is reported with its line when the theme is loaded, and by `deck config check`.\n\n\
         ## Roles\n\n| role | what it colours |\n|---|---|\n",
        names.join(", ")
    );
    for (_, name, doc) in deck::reference::Role::ALL {
        writeln!(text, "| `{name}` | {doc} |").unwrap();
    }
    text
}

#[test]
fn docs_themes_md_is_up_to_date() {
    up_to_date("themes.md", &themes());
}

/// Compares a file of `docs/` with what the code generates, or writes it when asked to.
pub fn up_to_date(name: &str, want: &str) {
    let path = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("docs").join(name);
    if std::env::var_os("DECK_UPDATE_DOCS").is_some() {
        std::fs::write(&path, want).unwrap();
    }
    let have = std::fs::read_to_string(&path).unwrap_or_default();
    assert_eq!(have, want, "run DECK_UPDATE_DOCS=1 cargo test docs_");
}

#[test]
fn docs_keys_md_is_up_to_date() {
    up_to_date("keys.md", &keys());
}

#[test]
fn docs_config_example_toml_is_up_to_date() {
    up_to_date("../config.example.toml", &deck::reference::example_settings());
}
