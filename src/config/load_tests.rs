//! What is read of files that are right, wrong in part, and not TOML at all.

use super::*;

fn problems(text: &str) -> Vec<String> {
    parse(Path::new("c.toml"), text).problems.iter().map(ToString::to_string).collect()
}

#[test]
fn a_wrong_value_costs_only_its_key() {
    let text = "default_tool = 'x'\n[ui]\nsplit = 'wide'\nascii = true\nmouse = 1\n[notify]\nosc = '8'\nbell = false\n\
                keys = 3\n";
    let loaded = parse(Path::new("c.toml"), text);
    assert!(!loaded.is_broken);
    assert_eq!((loaded.config.ui.split, loaded.config.ui.ascii, loaded.config.ui.mouse), (36, true, true));
    assert_eq!((loaded.config.default_tool.as_str(), loaded.config.notify.bell), ("x", false));
    insta::assert_debug_snapshot!(problems(text));
}

#[test]
fn unknown_keys_are_reported_with_the_one_that_was_meant() {
    let text = "theme = 'dark'\n[ui]\ntheem = 'dark'\n[tools.vibe]\ncommand = 'vibe'\n[uii]\nascii = true\n";
    insta::assert_debug_snapshot!(problems(text));
    assert!(parse(Path::new("c.toml"), text).tools.contains_key("vibe"));
    assert_eq!(
        problems("ui = 3\ntools = 'x'\n"),
        [
            "c.toml:1: `ui` must be a table, such as [ui], not integer",
            "c.toml:2: `tools` must be a table, such as [tools.vibe], not string",
        ]
    );
}

#[test]
fn one_command_with_wrong_keys_costs_only_that_command() {
    let loaded = parse(Path::new("c.toml"), "[keys]\nstop = 'x'\nnew = 7\ndown = ['n', 'down']\n");
    let keys: Vec<_> = loaded.config.key_overrides().into_iter().map(|(command, _)| command).collect();
    assert_eq!(keys, ["down", "stop"]);
    let problems: Vec<_> = loaded.problems.iter().map(ToString::to_string).collect();
    assert_eq!(problems, ["c.toml:3: `keys.new` must be a key such as \"ctrl-x\", or a list of keys, not 7"]);
    assert_eq!(loaded.line("keys.down"), Some(4));
}

#[test]
fn a_mistake_in_the_syntax_costs_as_little_as_can_be() {
    let all = [
        "default_tool = 'x'\n[ui\ntheme = 'light'\n[tmux]\nsocket = 's'\n",
        "[ui]\ntheme = light\nsplit = 40\n[tmux]\nsocket = 's'\n",
        "[ui]\ntheme 'light'\nsplit = 40\n[tmux]\nsocket = 's'\n",
        "[ui]\nsplit = 40\nsplit = 50\n[tmux]\nsocket = 's'\n",
        // One that is not closed takes all that follows, but not the server.
        "[notify]\ncommand = [\"say\",\n[ui]\nsplit = 40\n[tmux]\nsocket = 's'\n",
        "keys = { down = \"n\"\n[tmux]\nsocket = 's'\n",
        "[tmux]\nsocket = 's'\n[notify\nbell = false\n",
    ];
    for text in all {
        let loaded = parse(Path::new("c.toml"), text);
        assert!(loaded.is_broken, "{text}");
        assert_eq!(loaded.config.tmux.socket, "s", "{text}");
        assert!(loaded.config.notify.command.is_empty() && loaded.config.keys.is_empty(), "{text}");
        assert_eq!(loaded.config.ui.theme, "auto", "{text}");
    }
    insta::assert_debug_snapshot!(all.map(problems));
}

#[test]
fn a_tool_keeps_what_is_right_in_it() {
    let text = "[tools.vibe]\ncommand = 'vibe'\nicon = V\n[tools.x\ncommand = 'y'\n[tools]\nz = 1\n";
    let loaded = parse(Path::new("c.toml"), text);
    let vibe = loaded.tools["vibe"].as_table().unwrap();
    assert!(vibe.contains_key("command") && !vibe.contains_key("icon"), "{vibe:?}");
    assert!(!loaded.tools.contains_key("x"));
}

#[test]
fn what_is_no_file_is_no_obstacle() {
    let dir = tempfile::tempdir().unwrap();
    let none = load(&dir.path().join("none.toml"));
    assert_eq!((none.config, none.is_broken, none.problems.len()), (Config::default(), false, 0));
    let folder = load(dir.path());
    assert_eq!((folder.config, folder.is_broken), (Config::default(), true));
    assert!(folder.problems[0].message.starts_with("can't be read: "), "{:?}", folder.problems);
}

#[test]
fn a_notification_that_a_shell_would_read_is_refused() {
    let command = |words: &str| {
        let loaded = parse(Path::new("c.toml"), &format!("[notify]\nbell = true\ncommand = {words}\n"));
        (
            loaded.config.notify.command.len(),
            loaded.problems.iter().map(ToString::to_string).collect::<String>(),
        )
    };
    for unsafe_ in [
        r#"["sh", "-c", "say '{text}'"]"#,
        r#"["sh", "-c", "{text}"]"#,
        r#"["env", "X=1", "/bin/bash", "-lc", "{text}"]"#,
        r#"["python3", "-c", "{text}"]"#,
        r#"["osascript", "-e", "display notification \"{text}\""]"#,
        r#"["notify-send", "--body={text}"]"#,
        r#"["{text}"]"#,
    ] {
        let (words, told) = command(unsafe_);
        assert_eq!(words, 0, "{unsafe_} is not run");
        assert!(told.starts_with("c.toml:3: `notify.command` is not run: "), "{told}");
    }
    for fine in [
        r#"["notify-send", "deck", "{text}"]"#,
        r#"["sh", "-c", "say \"$0\"", "{text}"]"#,
        r#"["notify-send", "-c", "{text}"]"#,
        r#"["date"]"#,
        "[]",
    ] {
        assert_eq!(command(fine).1, "", "{fine}");
    }
}
