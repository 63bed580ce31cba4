//! What a shell keeps between commands, byte for byte.

use std::fmt::Write as _;
use std::os::unix::ffi::OsStrExt;

use super::{folder, json, run, workspace_is_untouched, world};
use crate::support::Sandbox;

#[test]
fn what_the_code_changes_is_there_for_the_next() {
    let s = world();
    let code = "mkdir ~/dir && ln -s dir ~/link && cd ~/link; x=1; export y='a b'; f() { echo \"f $1\"; }; alias l='echo alias'; \
                shopt -s extglob expand_aliases; set -o pipefail; trap 'echo usr1' USR1; umask 027; set -- one 'two three'; \
                declare -A m=([k]=v); declare -i n=3; declare -r ro=4; declare -n ref=x; arr=(1 '' 3); unset HOME; pushd /tmp > /dev/null";
    run(&s, code).ok();
    let shown = json(
        &s,
        "echo $x $y $# \"$2\" ${m[k]} $n $ro $ref ${#arr[@]} ${HOME-unset}; f 2; l 3\numask; dirs -l; popd > /dev/null; pwd; shopt -q extglob && set -o | grep -c 'pipefail.*on'; kill -USR1 $$",
    );
    let home = s.path("home").display().to_string();
    let want = format!(
        "1 a b 2 two three v 3 4 1 3 unset\nf 2\nalias 3\n0027\n/tmp {home}/link\n{home}/link\n1\nusr1\n"
    );
    assert_eq!(shown["stdout"], want.as_str(), "{shown}");
    assert_eq!((&shown["state"], &shown["stderr"]), (&"kept".into(), &"".into()));
    workspace_is_untouched(&s);
}

#[test]
fn it_says_when_the_state_is_unchanged() {
    let s = world();
    run(&s, "x=1").ok();
    for (code, reason) in
        [("x=2; exec true", "exec"), ("x=2; kill -9 $$", "killed"), ("x=2; trap : EXIT; exit 3", "exit_trap")]
    {
        let answer = json(&s, code);
        assert_eq!(
            (&answer["state"], &answer["state_reason"]),
            (&"unchanged".into(), &reason.into()),
            "{code}"
        );
        assert_eq!(run(&s, "echo $x").ok(), "1\n", "{code}");
    }
    for (code, x) in [
        ("x=3; exit 1", "3"),
        ("set -e; x=4; false; x=no", "4"),
        ("set +e; x=5; ${nope?}", "5"),
        ("x=6; )", "5"),
    ] {
        assert_eq!(json(&s, code)["state"], "kept", "{code}");
        assert_eq!(run(&s, "echo $x").ok().trim(), x, "{code}");
    }
    let trap = json(&s, "trap 'echo bye' EXIT; x=7");
    assert_eq!((&trap["stdout"], &trap["state"]), (&"bye\n".into(), &"kept".into()));
    assert_eq!(run(&s, "echo $x").ok(), "7\n");
}

#[test]
fn a_variable_and_a_folder_for_one_command_are_gone_after_it() {
    let s = world();
    run(&s, "export y=before; declare -i n=5; cd /").ok();
    let out = s.deck(&[
        "shell",
        "exec",
        "api",
        "echo $y $n $z; pwd",
        "--env",
        "y=o w",
        "--env",
        "z=new",
        "--env",
        "n=7",
        "--cwd",
        "/tmp",
    ]);
    assert_eq!(out.ok(), "o w 7 new\n/tmp\n");
    assert_eq!(run(&s, "echo $y $n ${z-unset}; pwd; n+=1; echo $n").ok(), "before 5 unset\n/\n6\n");
    s.deck(&["shell", "exec", "api", "cd /usr", "--cwd", "/tmp"]).ok();
    assert_eq!(run(&s, "pwd").ok(), "/usr\n");
}

#[test]
fn the_environment_of_the_start_is_exact_and_nothing_comes_back() {
    let s = Sandbox::new();
    let mut start = s.command(env!("CARGO_BIN_EXE_deck"));
    start.env("a.b", "c").env("X", std::ffi::OsStr::from_bytes(b"\xff\x01z"));
    let started = start.args(["shell", "start", "--name", "api", "--env", "PAGER=less"]).output().unwrap();
    assert!(started.status.success());
    let code =
        "env | grep -c '^a.b=c$'; printf '%q\\n' \"$X\"; echo $PAGER $TERM $GIT_PAGER ${DECK_HOME:+home}";
    assert_eq!(run(&s, code).ok(), "1\n$'\\377\\001z'\nless dumb cat home\n");
    run(&s, "unset PATH TERM X; export OWN=1").ok();
    assert_eq!(
        run(&s, code.replace("env |", "/usr/bin/env |").replace("grep", "/bin/grep").as_str()).ok(),
        "1\n''\nless cat home\n"
    );
    assert_eq!(run(&s, "echo ${PATH-unset} ${TERM-unset} $OWN").ok(), "unset unset 1\n");
    // What names the job is its own each time, and never kept.
    assert_eq!(
        run(&s, "echo $DECK_JOB_ID").ok(),
        format!("{}\n", super::job(&s, 5)["job_id"].as_str().unwrap())
    );
    let state = std::fs::read_dir(folder(&s).join("state")).unwrap();
    for file in state {
        let text = std::fs::read(file.unwrap().path()).unwrap();
        assert!(!String::from_utf8_lossy(&text).contains("DECK_JOB_ID"));
    }
}

#[test]
fn a_damaged_state_falls_back_and_says_so() {
    let s = world();
    run(&s, "x=1").ok();
    run(&s, "x=2").ok();
    let state = folder(&s).join("state/000002");
    let mut bytes = std::fs::read(&state).unwrap();
    let at = bytes.len() / 2;
    bytes[at] ^= 1;
    std::fs::write(&state, bytes).unwrap();
    let answer = json(&s, "echo $x");
    assert_eq!(answer["stdout"], "1\n");
    assert!(answer["reason"].as_str().unwrap().contains("state 2 is damaged"), "{answer}");
    assert_eq!(json(&s, "echo $x")["reason"], serde_json::Value::Null);
    std::fs::write(folder(&s).join("shell.json"), "").unwrap();
    assert_eq!(run(&s, "echo $x").ok(), "1\n", "a record that is lost is made again");
}

/// Numbers from a seed: a failure can be repeated.
struct Random(u64);

impl Random {
    fn next(&mut self, below: u64) -> u64 {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 33) % below
    }

    /// Any bytes but zero, as bash reads them.
    fn bytes(&mut self, most: u64) -> String {
        let mut text = "$'".to_owned();
        for _ in 0..self.next(most) {
            write!(text, "\\{:03o}", 1 + self.next(255)).unwrap();
        }
        text + "'"
    }

    fn some<'a>(&mut self, of: &[&'a str]) -> Vec<&'a str> {
        of.iter().copied().filter(|_| self.next(3) == 0).collect()
    }
}

const OPTIONS: &[&str] = &[
    "noclobber",
    "nounset",
    "errexit",
    "xtrace",
    "posix",
    "allexport",
    "noglob",
    "keyword",
    "functrace",
    "errtrace",
    "verbose",
    "pipefail",
    "physical",
    "hashall",
    "braceexpand",
];
const SHELL_OPTIONS: &[&str] = &[
    "nocasematch",
    "nocaseglob",
    "extglob",
    "nullglob",
    "failglob",
    "dotglob",
    "globstar",
    "expand_aliases",
    "lastpipe",
    "xpg_echo",
];
const FUNCTIONS: &[&str] = &[
    "cd", "printf", "declare", "read", "set", "trap", "shopt", "a-b", "x.y", "echo", "unset", "eval", "test",
    "pwd", "umask", "export", "local", "alias", "while", "if",
];

/// All that bash can tell of its state.
const DUMP: &str = r#"
{ builtin declare -p v ev arr asc nr ii ro 2>&1; builtin declare -f; builtin declare -F; builtin alias -p; builtin set +o; builtin shopt -p; builtin trap -p USR1 USR2 INT ERR; builtin umask; builtin printf '%q ' "$@"; builtin printf '%q\n' "$IFS"; builtin pwd; builtin printf '%q ' "${DIRSTACK[@]}"; } >| "$OUT"
"#;

fn code(random: &mut Random) -> String {
    let mut code = "shopt -s extglob\n".to_owned();
    for (name, value) in [("v=", ""), ("export ev=", ""), ("declare -r ro=", "")] {
        writeln!(code, "{name}{}{value}", random.bytes(40)).unwrap();
    }
    writeln!(
        code,
        "arr=({} {}); arr[7]=x; declare -A asc; kk=k{}; asc[\"$kk\"]={}",
        random.bytes(40),
        random.bytes(40),
        random.bytes(20),
        random.bytes(40)
    )
    .unwrap();
    writeln!(
        code,
        "declare -n nr=v; declare -i ii={}; set -- {} {}",
        random.next(99),
        random.bytes(40),
        random.bytes(40)
    )
    .unwrap();
    for name in random.some(FUNCTIONS) {
        writeln!(
            code,
            "function {name} {{ command echo {} $((1 + 2)) <<E\nhi $x\nE\n[[ $1 == @(a|b) ]] && return 3; }}",
            random.bytes(6)
        )
        .unwrap();
    }
    if random.next(2) == 0 {
        writeln!(
            code,
            "builtin alias ll={} while='echo w' for=x do=y cd='echo cd' printf='echo p'",
            random.bytes(9)
        )
        .unwrap();
    }
    writeln!(
        code,
        "builtin umask 0{}{}; builtin trap :{} USR1; builtin trap '' USR2; builtin trap 'builtin :' ERR",
        random.next(1),
        random.next(8),
        random.bytes(9).replace("\\012", "")
    )
    .unwrap();
    if random.next(2) == 0 {
        code.push_str(
            "builtin cd /usr; builtin pushd /tmp > /dev/null; builtin pushd /usr/bin > /dev/null\n",
        );
    }
    for option in random.some(SHELL_OPTIONS) {
        writeln!(code, "builtin shopt -s {option}").unwrap();
    }
    writeln!(code, "IFS={}", random.bytes(4)).unwrap();
    let options: String = random.some(OPTIONS).iter().map(|o| format!(" -o {o}")).collect();
    writeln!(code, "builtin set{options} || :").unwrap();
    code
}

#[test]
fn random_states_survive_byte_for_byte_twice_round() {
    let s = Sandbox::new();
    for seed in 0..24 {
        let mut random = Random(seed);
        let code = code(&mut random);
        s.deck(&["shell", "start", "--name", "api"]).ok();
        let path = s.path("home/code");
        std::fs::write(&path, &code).unwrap();
        s.shell("deck shell exec api < ~/code; :", None).ok();
        assert_eq!(super::job(&s, 1)["state"], "kept", "seed {seed}\n{code}");
        // The same without deck.
        std::fs::write(&path, format!("{code}{DUMP}")).unwrap();
        let alone = s.path("home/alone");
        s.shell(
            &format!(
                "env -i PATH=\"$PATH\" LANG=$LANG HOME=$HOME OUT={} bash -c \"$(cat ~/code)\"; :",
                alone.display()
            ),
            None,
        );
        let want = String::from_utf8_lossy(&std::fs::read(&alone).unwrap()).into_owned();
        for round in 0..2 {
            let seen = s.path(&format!("home/seen{round}"));
            let out = format!("OUT={}", seen.display());
            s.deck(&["shell", "exec", "api", DUMP, "--env", &out]);
            let have = String::from_utf8_lossy(&std::fs::read(&seen).unwrap_or_default()).into_owned();
            let differs = have.lines().zip(want.lines()).find(|(a, b)| a != b);
            assert!(have == want, "seed {seed}, round {round}: {differs:?}\n{code}");
            std::fs::remove_file(&seen).unwrap();
        }
        s.deck(&["shell", "end", "api", "--now"]).ok();
        std::fs::remove_file(&alone).unwrap();
    }
    workspace_is_untouched(&s);
}

#[test]
fn code_is_read_byte_for_byte_from_the_first_command_on() {
    let s = world();
    // The beginning of a character in UTF-8, and then another one's.
    let code = b"printf '%s' '\xe2\x82\x01\xc3(\x7f' | od -An -tx1 > ~/bytes".to_vec();
    s.deck(&["shell", "start", "--name", "fresh", "--env", "LC_ALL=C.UTF-8"]).ok();
    std::fs::write(s.path("home/code"), code).unwrap();
    let mut command = s.command(env!("CARGO_BIN_EXE_deck"));
    command.args(["shell", "exec", "fresh", "-"]);
    command.stdin(std::fs::File::open(s.path("home/code")).unwrap());
    assert!(command.status().unwrap().success());
    let bytes = std::fs::read_to_string(s.path("home/bytes")).unwrap();
    assert_eq!(bytes.trim(), "e2 82 01 c3 28 7f");
}

#[test]
fn restoring_a_state_makes_no_variable() {
    let s = world();
    for _ in 0..2 {
        assert_eq!(run(&s, "echo ${BASH_COMPAT-none}").ok(), "none\n");
    }
}
