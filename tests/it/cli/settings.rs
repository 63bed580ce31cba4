//! `deck config check`, and what shells complete.

use std::process::Stdio;

use crate::support::Sandbox;

#[test]
fn a_check_of_the_settings_finds_what_is_wrong() {
    let s = Sandbox::new();
    let wrong = [
        ("[ui]\ntheme = \"darkk\"\n", "config.toml:2: unknown theme \"darkk\""),
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
    assert!(text.contains("config.toml:1: `n` was bound to `new`, which now has no key"), "{text}");
    s.file("config.toml", "[ui]\ntheme = \"light\"\n");
    assert!(s.deck(&["config", "check"]).ok().contains("no problems"));
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
fn the_choices_of_a_question_are_completed() {
    let s = Sandbox::new();
    s.asker();
    s.ask_session("api");
    s.deck(&["send", "api", "ask everything"]).ok();
    s.deck(&["wait", "api", "--for", "waiting", "--timeout", "20"]).ok();
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
