//! Documentation generated from the code is up to date.

use deck::reference::{DIFF_SECTION, SECTIONS};
use std::fmt::Write as _;

fn keys() -> String {
    let mut text =
        "# Keys\n\nGenerated from the commands in `src/app/commands`. `?` shows the same inside deck. In the config file, \
         `keys = { stop = \"ctrl-x\" }` binds a command, by its name, to other keys; those in the diff are fixed.\n"
            .to_owned();
    for (preview_header, commands) in SECTIONS.iter().chain(DIFF_SECTION) {
        write!(text, "\n## {preview_header}\n\n| keys | action | name |\n|---|---|---|\n").unwrap();
        for c in *commands {
            let keys: Vec<_> = c.keys.iter().map(|k| format!("`{k}`")).collect();
            writeln!(text, "| {} | {} | {} |", keys.join(" "), c.doc, c.id).unwrap();
        }
    }
    text.push_str(
        "\nMouse: click to select, double-click to attach, click a group to fold it, scroll with the wheel, ",
    );
    text.push_str(
        "drag a row to move it, drag the line between list and preview to resize them. Hold shift for your terminal's own selection.\n",
    );
    text
}

/// Compares a file below `docs/` with what the code generates, or writes it when asked to.
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
