//! The settings dialog.

use super::*;

/// The row of the list with this key, without its edges.
fn row(m: &Model, key: &str) -> String {
    let shown = shown(m);
    let line = shown.lines().find(|l| l.contains(key)).unwrap_or_else(|| panic!("{key} in\n{shown}"));
    line.trim_matches(['"', ' ', '│', '▌']).to_owned()
}

/// Presses the left button where these words are, in the line with the key.
fn click(m: &mut Model, key: &str, words: &str) -> Vec<Effect> {
    let shown = shown(m);
    let at = shown.lines().enumerate().find_map(|(y, line)| {
        let (before, _) = line.split_once(words).filter(|_| line.contains(key))?;
        // The first character is a quote.
        Some((before.chars().count() - 1, y))
    });
    let (x, y) = at.unwrap_or_else(|| panic!("{words} in\n{shown}"));
    let mouse = Mouse { kind: MouseKind::Press, column: x.try_into().unwrap(), row: y.try_into().unwrap() };
    update(m, Msg::Mouse(mouse))
}

fn set(key: &str, value: &str) -> Vec<Effect> {
    vec![Effect::Set(key.into(), value.into())]
}

/// The list, gone down to a setting.
fn at(key: &str, size: (u16, u16)) -> Model {
    let mut m = model(FULL, size);
    press(&mut m, ",");
    let down = m.app.settings.all.iter().position(|s| s.key == key).unwrap();
    for _ in 0..down {
        press(&mut m, "j");
    }
    m
}

#[test]
fn a_choice_has_its_values_beside_it() {
    let mut m = at("ui.mouse", (100, 30));
    assert_eq!(row(&m, "ui.mouse"), "Mouse                  ui.mouse            ● true   ○ false");
    assert_eq!(press(&mut m, "right"), set("ui.mouse", "false"));
    // Shown at once, and what the next key goes on from, though the file is read again only later.
    assert_eq!(row(&m, "ui.mouse"), "Mouse                  ui.mouse            ○ true   ● false");
    assert_eq!(press(&mut m, "left"), set("ui.mouse", "true"));
    assert_eq!(press(&mut m, "space"), set("ui.mouse", "false"));
    update(&mut m, Msg::Done(Done::NotSet("can't write".into())));
    assert!(row(&m, "ui.mouse").contains("● true"), "{}", shown(&m));
    let mut m = at("notify.osc", (100, 30));
    assert_eq!(row(&m, "notify.osc"), "Terminal notification  notify.osc          ● off   ○ 9   ○ 777");
    assert_eq!(press(&mut m, "right"), set("notify.osc", "\"9\""));
    assert_eq!(
        press(&mut m, "left left"),
        [set("notify.osc", "\"off\""), set("notify.osc", "\"777\"")].concat()
    );
    let mut m = at("tmux.program", (100, 30));
    assert_eq!(press(&mut m, "right left h l"), [], "a text has no values to go through");
}

#[test]
fn values_are_clicked_wherever_they_are() {
    let mut m = at("default_tool", (100, 30));
    assert_eq!(click(&mut m, "notify.osc", "777"), set("notify.osc", "\"777\""), "in another row");
    assert_eq!(click(&mut m, "notify.bell", "false"), set("notify.bell", "false"));
    assert_eq!(click(&mut m, "ui.theme", "Theme"), [], "a name only selects");
    assert_eq!(click(&mut m, "Values", "nord"), set("ui.theme", "\"nord\""), "below the list");
    assert_eq!(click(&mut m, "tmux.program", "tmux.program"), [], "selected first");
    assert_eq!(click(&mut m, "tmux.program", "tmux.program"), []);
    assert_eq!(press(&mut m, "x enter"), set("tmux.program", "\"tmux\"x"), "then written");
    // Where a row is short its values are below.
    let mut m = at("ui.mouse", (40, 12));
    assert_eq!(click(&mut m, "Values", "false"), set("ui.mouse", "false"));
}

#[test]
fn the_list_opens_where_it_was_left() {
    let mut m = at("ui.split", (80, 24));
    press(&mut m, "esc ,");
    assert!(shown(&m).contains("▌ List width"), "{}", shown(&m));
    // The list of themes is another dialog.
    let mut m = at("ui.theme", (80, 24));
    press(&mut m, "enter esc ,");
    assert!(shown(&m).contains("▌ Theme"), "{}", shown(&m));
}

#[test]
fn the_dialog_keeps_its_height_and_says_what_is_refused() {
    for size in [(40, 12), (60, 15), (80, 24), (100, 30), (200, 50)] {
        let mut m = at("default_tool", size);
        let edges = |m: &Model| {
            let lines: Vec<String> = shown(m).lines().map(str::to_owned).collect();
            (lines.iter().position(|l| l.contains('┌')), lines.iter().rposition(|l| l.contains('└')))
        };
        let first = edges(&m);
        for _ in 0..m.app.settings.all.len() {
            press(&mut m, "j");
            assert_eq!(edges(&m), first, "{size:?}\n{}", shown(&m));
        }
        update(&mut m, Msg::Done(Done::NotSet("`notify.status_line`: must be true or false, not 7".into())));
        assert_eq!(edges(&m), first);
        assert!(shown(&m).contains("must be true"), "{}", shown(&m));
        press(&mut m, "k");
        assert!(!shown(&m).contains("must be true"), "it was about another setting");
    }
}
