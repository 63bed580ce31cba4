//! First prompts that don't arrive: kept, shown, and cleared once they do.

use crate::support::{Sandbox, Screen, wait_until};

const TOOL: &str = r#"
[tools.vibe]
command = "vibe"
send = { delay_ms = 0, wait_ms = 300 }
prompt_patterns = ["[y/n]"]
[tools.vibe.regions.input]
lines = 1
[[tools.vibe.rules]]
name = "prompt"
in = "input"
any = ["re:^>"]
is = "ready"
[tools.vibe.composer]
region = "input"
frame = '^> ?'
"#;

/// Shows its field and takes nothing, until a file says so; then it reads lines and notes each.
const DEAF: &str = r#"
stty -icanon -echo
printf '> '
while [ ! -e "$LOG.go" ]; do sleep 0.05; done
stty sane
while :; do
  printf '\r> '
  IFS= read -r line || exit
  printf '%s\n' "$line" >> "$LOG"
done"#;

fn sandbox() -> Sandbox {
    let s = Sandbox::new();
    s.file("config.toml", TOOL);
    s.program("vibe", &format!("LOG={}\n{DEAF}", s.path("tmp/lines").display()));
    s
}

#[test]
fn a_first_prompt_that_was_not_taken_is_kept_and_shown() {
    let s = sandbox();
    let warned = s.deck(&["add", &s.project("p"), "-t", "v", "-c", "vibe", "--prompt", "first words"]);
    assert!(warned.stderr().contains("kept as the session's draft"), "{}", warned.stderr());
    let session = s.session("v");
    assert_eq!(session["draft"], "first words");
    assert_ne!(session["reason"], "finished", "nothing was said");
    wait_until("the list says so", || match s.deck(&["list"]).ok() {
        text if text.contains("idle · prompt not sent") => Ok(()),
        text => Err(text),
    });
    let shown = s.deck(&["show", "v"]).ok();
    assert!(shown.contains("first words") && shown.contains("prompt not sent"), "{shown}");

    // The TUI's composer has it.
    let screen = Screen::open(&s, "t", (100, 30), &[]);
    screen.shows("prompt not sent");
    screen.keys(&["s"]);
    screen.shows("first words");
    screen.keys(&["Escape"]);
    assert_eq!(s.session("v")["draft"], "first words", "looking at it changes nothing");

    std::fs::write(s.path("tmp/lines.go"), "").unwrap();
    wait_until("it takes the prompt", || {
        s.deck(&["send", "--clear", "v", "first words"]);
        if s.session("v")["draft"].is_null() {
            Ok(())
        } else {
            Err(s.deck(&["output", "--screen", "v"]).ok())
        }
    });
    assert!(!s.deck(&["list"]).ok().contains("prompt not sent"));
}

#[test]
fn a_draft_that_is_emptied_is_discarded() {
    let s = sandbox();
    s.deck(&["add", &s.project("p"), "-t", "v", "-c", "vibe", "--prompt", "words"]);
    let screen = Screen::open(&s, "t", (100, 30), &[]);
    screen.shows("prompt not sent");
    screen.keys(&["s"]);
    screen.shows("words");
    screen.keys(&["C-u", "Escape"]);
    wait_until("it is gone", || match s.session("v") {
        v if v["draft"].is_null() => Ok(()),
        v => Err(v.to_string()),
    });
}
