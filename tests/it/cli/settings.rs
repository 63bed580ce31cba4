//! `deck config`, and what shells complete.

use std::process::Stdio;

use crate::support::Sandbox;

#[test]
fn a_check_of_the_settings_finds_what_is_wrong() {
    let s = Sandbox::new();
    let wrong = [
        ("[ui]\ntheme = \"darkk\"\n", "config.toml:2: `ui.theme`: unknown theme \"darkk\""),
        ("defualt_tool = \"x\"\n", "config.toml:1: unknown key `defualt_tool`"),
        ("keys = { nonsense = \"x\" }\n", "config.toml:1: unknown command `nonsense`"),
    ];
    for (text, words) in wrong {
        s.file("config.toml", text);
        let answer = s.deck(&["config", "check"]);
        assert_eq!(answer.code(), 1, "{text}{}{}", answer.stdout(), answer.stderr());
        assert!(answer.stdout().contains(words), "{text}{}", answer.stdout());
    }
    s.file("config.toml", "[ui]\ntheme = \"own\"\n");
    s.file("themes/own.toml", "accent = \"#ff00ff\"\n");
    let text = s.deck(&["config", "check"]);
    assert_eq!(text.code(), 1);
    assert!(text.stdout().contains("own.toml:1: accent:"), "{}", text.stdout());
    // A key taken from another command is reported, but is not a mistake.
    s.file("config.toml", "keys = { down = \"n\" }\n");
    let text = s.deck(&["config", "check"]).ok();
    assert!(
        text.contains("config.toml:1: `keys.down`: `n` was bound to `new`, which now has no key"),
        "{text}"
    );
    s.file("config.toml", "[ui]\ntheme = \"light\"\n");
    assert!(s.deck(&["config", "check"]).ok().contains("no problems"));
}

/// Everything that can be wrong at once, and a setting that is right.
const WRONG: &str = "theme = \"dark\"\n\
default_tool = \"claud\"\n\
[ui]\n\
split = 90\n\
ascii = true\n\
mouse = yes\n\
theme = \"darkk\"\n\
[keys]\n\
fork = \"f9\"\n\
new = \"f9\"\n\
stpo = \"x\"\n\
[tools.vibe]\n\
comand = \"vibe\"\n";

#[test]
fn every_mistake_is_named_with_its_line_and_costs_only_itself() {
    let s = Sandbox::new();
    s.agent("claude");
    s.file("config.toml", WRONG);
    s.file("tools/other.toml", "command = 7\n");
    let answer = s.deck(&["config", "check"]);
    assert_eq!(answer.code(), 1);
    let report = answer.stdout().replace(s.path("deck").to_str().unwrap(), "HOME");
    insta::assert_snapshot!("config_check", report);
    let json: Vec<serde_json::Value> =
        serde_json::from_str(&s.deck(&["config", "check", "--json"]).stdout()).unwrap();
    assert_eq!(json.len(), report.lines().count());
    let theme = json.iter().find(|w| w["key"] == "ui.theme").unwrap();
    assert_eq!((theme["line"].as_u64(), theme["note"].as_bool()), (Some(7), Some(false)));
    // The value that is right holds, and so does everything else.
    assert_eq!(s.deck(&["config", "get", "ui.ascii"]).ok(), "true\n");
    assert_eq!(s.deck(&["config", "get", "ui.split"]).ok(), "0\n");
    let answer = s.deck(&["add", &s.project("p"), "-t", "api", "--no-start"]);
    let warning = answer.stderr();
    answer.ok();
    assert_eq!(warning.lines().filter(|l| l.starts_with("warning: ")).count(), 1, "{warning}");
    assert!(
        warning.contains("config.toml:1: unknown key `theme`; did you mean `ui.theme`? (and "),
        "{warning}"
    );
    assert_eq!(s.deck(&["list", "--json"]).ok().matches("\"title\"").count(), 1);
}

#[test]
fn deck_works_with_a_config_file_that_is_not_toml() {
    let s = Sandbox::new();
    s.agent("claude");
    for text in ["[ui\n", "theme = dark\n", "\u{0}", "[ui]\nsplit = 30\n[[ui]]\n", "= = =", "\u{feff}[ui]]"] {
        s.file("config.toml", text);
        for args in
            [vec!["list"], vec!["status"], vec!["tool", "list"], vec!["doctor"], vec!["config", "path"]]
        {
            let answer = s.deck(&args);
            let warned = answer.stderr().matches("config.toml:").count();
            assert_eq!(
                (answer.code(), warned),
                (0, usize::from(args[0] != "config")),
                "{text:?} {args:?} {}",
                answer.stderr()
            );
        }
        let check = s.deck(&["config", "check"]);
        assert!(check.stdout().contains("config.toml:"), "{text:?} {}", check.stdout());
        check.fails(1);
    }
    // Which server the sessions are on is not forgotten over a mistake elsewhere: they would seem lost.
    s.file("config.toml", "[notify]\ncommand = [\"say\",\n[tmux]\nsocket = \"mine\"\n");
    assert_eq!(s.deck(&["config", "get", "tmux.socket"]).ok(), "mine\n");
}

#[test]
fn a_setting_is_changed_in_place_or_not_at_all() {
    let s = Sandbox::new();
    let file = s.path("deck").join("config.toml");
    let text = || std::fs::read_to_string(&file).unwrap();
    let example = include_str!("../../../config.example.toml");
    assert_eq!(s.deck(&["config", "init"]).ok().trim(), file.to_str().unwrap());
    assert_eq!(text(), example);
    s.deck(&["config", "init"]).fails(6);
    s.deck(&["config", "check"]).ok();
    assert_eq!(s.deck(&["config", "set", "ui.theme", "light"]).ok(), "ui.theme = \"light\"\n");
    assert_eq!(text(), example.replace("# theme = \"auto\"", "theme = \"light\""));
    assert_eq!(s.deck(&["config", "get", "ui.theme"]).ok(), "light\n");
    // A dotfile that is linked to stays linked to, and private.
    let dotfile = s.path("home").join("dotfile.toml");
    std::fs::write(&dotfile, "# mine\n[ui]\nsplit = 30 # wide\n").unwrap();
    std::fs::remove_file(&file).unwrap();
    std::os::unix::fs::symlink(&dotfile, &file).unwrap();
    s.deck(&["config", "set", "ui.split", "40"]).ok();
    s.deck(&["config", "set", "notify.command", "notify-send", "{text}"]).ok();
    let taken = s.deck(&["config", "set", "keys.down", "n", "down"]);
    assert!(taken.stderr().contains("`n` was bound to `new`, which now has no key"), "{}", taken.stderr());
    taken.ok();
    assert!(file.is_symlink());
    let now = "# mine\n[ui]\nsplit = 40 # wide\n\n[notify]\ncommand = [\"notify-send\", \"{text}\"]\n\n\
               [keys]\ndown = [\"n\", \"down\"]\n";
    assert_eq!(text(), now);
    assert_eq!(s.deck(&["config", "get", "keys.down"]).ok(), "[\"n\", \"down\"]\n");
    let refused = [
        (vec!["ui.theem", "dark"], "unknown key `ui.theem`; did you mean `ui.theme`?"),
        (vec!["ui.theme", "darkk"], "did you mean `dark`?"),
        (vec!["ui.split", "90"], "`ui.split` must be a number from 0 to 80, not 90"),
        (vec!["default_tool", "claud"], "unknown tool \"claud\"; did you mean `claude`?"),
        (vec!["keys.stpo", "x"], "unknown command `stpo`; did you mean `stop`?"),
        (vec!["keys.fork", "n"], "key `n` is bound twice"),
        (vec!["keys.fork", "nonsense"], "invalid key `nonsense`"),
        (vec!["notify.command", "sh", "-c", "{text}"], "`notify.command` is not run"),
    ];
    for (words, why) in refused {
        let report = s.deck(&[vec!["config", "set"], words.clone()].concat()).fails(2);
        assert!(report.contains(why), "{words:?}: {report}");
        assert_eq!(text(), now, "{words:?}");
    }
    s.file("config.toml", "[ui\n");
    let report = s.deck(&["config", "set", "ui.split", "40"]).fails(1);
    assert!(report.contains("config.toml:1: ") && report.contains("deck config edit"), "{report}");
    assert_eq!(text(), "[ui\n");
}

#[test]
fn two_decks_that_change_settings_lose_nothing() {
    let s = Sandbox::new();
    let changes = [
        "ui.ascii=true",
        "ui.mouse=false",
        "ui.split=50",
        "notify.bell=false",
        "keys.stop=f4",
        "keys.fork=f5",
    ];
    let running: Vec<_> = changes
        .iter()
        .map(|change| {
            let (key, value) = change.split_once('=').unwrap();
            s.command(env!("CARGO_BIN_EXE_deck")).args(["config", "set", key, value]).spawn().unwrap()
        })
        .collect();
    for mut child in running {
        assert!(child.wait().unwrap().success());
    }
    let text = std::fs::read_to_string(s.path("deck").join("config.toml")).unwrap();
    for change in changes {
        let (key, value) = change.split_once('=').unwrap();
        let got = s.deck(&["config", "get", key]).ok();
        assert!(got.contains(value), "{key}: {got}\n{text}");
    }
}

#[test]
fn what_the_editor_leaves_is_checked_and_kept() {
    let s = Sandbox::new();
    let file = s.path("deck").join("config.toml");
    let edit = |script: &str| {
        let editor = s.path("home").join("editor");
        std::fs::write(&editor, format!("#!/bin/sh\n{script}\n")).unwrap();
        let mode = std::os::unix::fs::PermissionsExt::from_mode(0o755);
        std::fs::set_permissions(&editor, mode).unwrap();
        let mut deck = s.command(env!("CARGO_BIN_EXE_deck"));
        deck.env("VISUAL", format!("sh {}", editor.display())).args(["config", "edit"]).output().unwrap()
    };
    let output = edit("printf '[ui]\\nsplit = 30\\n' >> \"$1\"");
    // The example, which it starts with, has that table already.
    assert_eq!(output.status.code(), Some(1), "{output:?}");
    assert!(std::fs::read_to_string(&file).unwrap().ends_with("[ui]\nsplit = 30\n"));
    let output = edit("printf '[ui]\\nsplit = 30\\n' > \"$1\"");
    assert_eq!(output.status.code(), Some(0), "{output:?}");
    assert!(String::from_utf8_lossy(&output.stdout).contains("no problems"));
    assert_eq!(edit("exit 3").status.code(), Some(1));
}

#[test]
fn the_schema_of_the_settings_knows_right_from_wrong() {
    let s = Sandbox::new();
    let schema: serde_json::Value = serde_json::from_str(&s.deck(&["config", "schema"]).ok()).unwrap();
    let mut all = boon::Schemas::new();
    let mut compiler = boon::Compiler::new();
    compiler.add_resource("config.json", schema).unwrap();
    let index = compiler.compile("config.json", &mut all).unwrap();
    let valid = |text: serde_json::Value| all.validate(&text, index).is_ok();
    assert!(valid(
        serde_json::json!({ "ui": { "split": 40 }, "keys": { "stop": ["x"] }, "tools": { "v": { "command": "v" } } })
    ));
    for wrong in [
        serde_json::json!({ "theme": "dark" }),
        serde_json::json!({ "ui": { "split": 90 } }),
        serde_json::json!({ "keys": { "stop": 7 } }),
        serde_json::json!({ "tools": { "v": { "comand": "v" } } }),
    ] {
        assert!(!valid(wrong.clone()), "{wrong}");
    }
}

/// What bash makes of a line when Tab is pressed at its end.
fn completed(s: &Sandbox, words: &[&str]) -> Vec<String> {
    let quoted: Vec<String> = words.iter().map(|w| format!("'{w}'")).collect();
    let (all, last) = (quoted.join(" "), quoted.last().unwrap().clone());
    let script = format!(
        "source <(deck completions bash)\nCOMP_WORDS=({all}); COMP_CWORD={}; COMP_TYPE=9\n\
         f=$(complete -p deck); f=${{f##*-F }}; ${{f%% *}} deck {last} x\nprintf '%s\\n' \"${{COMPREPLY[@]}}\"\n",
        words.len() - 1
    );
    let dir = std::path::Path::new(env!("CARGO_BIN_EXE_deck")).parent().unwrap();
    let mut command = s.command("bash");
    let path = format!("{}:/usr/bin:/bin", dir.display());
    let output =
        command.env("PATH", path).args(["--norc", "-c", &script]).stderr(Stdio::piped()).output().unwrap();
    let text = String::from_utf8(output.stdout).unwrap();
    text.lines().filter(|l| !l.is_empty()).map(|l| l.trim_end().to_owned()).collect()
}

#[test]
fn bash_gets_words_that_it_reads_as_one() {
    let s = Sandbox::new();
    s.asker();
    let dir = s.project("p");
    for title in ["日本語 セッション 🚀", "it's $(here)", "plain"] {
        s.deck(&["add", &dir, "-t", title, "-c", "asker", "--no-start"]).ok();
    }
    for (typed, title) in [("日", "日本語 セッション 🚀"), ("it", "it's $(here)"), ("pl", "plain")]
    {
        let all = completed(&s, &["deck", "attach", typed]);
        let [one] = &all[..] else { panic!("{typed}: {all:?}") };
        let mut echo = s.command("bash");
        let output = echo.args(["--norc", "-c", &format!("printf '<%s>' {one}")]).output().unwrap();
        assert_eq!(String::from_utf8(output.stdout).unwrap(), format!("<{title}>"), "{one}");
    }
    assert_eq!(completed(&s, &["deck", "wait", "plain", "--for", "w"]), ["waiting"]);
    assert_eq!(completed(&s, &["deck", "wait", "plain", "--for", ""]).len(), 4);
}

#[test]
fn settings_and_their_values_are_completed() {
    let s = Sandbox::new();
    s.file("themes/own.toml", "");
    let words = |typed: &[&str]| completed(&s, typed);
    assert_eq!(words(&["deck", "config", "set", "ui.t"]), ["ui.theme"]);
    assert_eq!(words(&["deck", "config", "get", "keys.sto"]), ["keys.stop"]);
    assert_eq!(words(&["deck", "config", "set", "notify.osc", "7"]), ["777"]);
    assert_eq!(words(&["deck", "config", "set", "ui.ascii", "t"]), ["true"]);
    assert_eq!(words(&["deck", "config", "set", "ui.theme", "o"]), ["own"]);
    assert_eq!(words(&["deck", "config", "set", "default_tool", "gem"]), ["gemini"]);
}

#[test]
fn the_choices_of_a_question_are_completed() {
    let s = Sandbox::new();
    s.asker();
    s.ask_session("api");
    s.deck(&["send", "api", "ask everything"]).ok();
    s.deck(&["wait", "api", "--for", "waiting", "--timeout", "120"]).ok();
    let mut all = completed(&s, &["deck", "answer", "api", ""]);
    all.retain(|word| !word.starts_with('-'));
    assert_eq!(all, ["1", "2"], "a choice that needs typing is not offered");
}

#[test]
fn sessions_of_one_name_are_distinguished() {
    let s = Sandbox::new();
    s.agent("agent");
    let dir = s.project("p");
    s.deck(&["add", &dir, "-t", "top", "-c", "agent", "--no-start"]).ok();
    s.deck(&["add", &dir, "-t", "api", "-c", "agent", "-g", "work/deep", "--no-start"]).ok();
    s.deck(&["add", &dir, "-t", "api", "-c", "agent", "--parent", "top", "--no-start"]).ok();
    let text = s.deck(&["show", "api"]).fails(3);
    for words in ["in work/deep", "under top", "created now"] {
        assert!(text.contains(words), "{words}\n{text}");
    }
    let text = s.deck(&["rename", "top", "api"]).fails(2);
    assert!(text.contains("taken"), "{text}");
    s.deck(&["rename", "top", "top"]).ok();
}
