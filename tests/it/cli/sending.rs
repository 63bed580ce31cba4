//! What `deck send` does to input that is there already, and to programs that read lines.

use crate::support::{Sandbox, Screen, wait_until};

/// A program that reads lines, notes each, and asks after some.
const LINES: &str = r#"
while :; do
  printf '> '
  IFS= read -r line || exit
  printf '%s\n' "$line" >> "$DECK_LOG_OF_LINES"
  case $line in
    work) echo 'executing...'; while [ ! -e "$DECK_LOG_OF_LINES.done" ]; do sleep 0.05; done;;
    ask*) printf 'approve? [y/n] '; IFS= read -r answer; printf 'answer <%s>\n' "$answer" >> "$DECK_LOG_OF_LINES";;
  esac
done"#;

const TOOL: &str = r#"
[tools.vibe]
command = "vibe"
# Long enough for Enter to be pressed again, twice; what never comes is waited for no longer.
send = { delay_ms = 0, wait_ms = 1600 }
busy_patterns = ["executing"]
prompt_patterns = ["approve?", "[y/n]"]
"#;

/// The same tool, where what comes is waited for however busy the machine is.
fn patient() -> String {
    TOOL.replace("1600", "60000")
}

const COMPOSER: &str = r#"
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

fn sandbox(config: &str) -> Sandbox {
    sandbox_with(config, LINES)
}

fn sandbox_with(config: &str, program: &str) -> Sandbox {
    let s = Sandbox::new();
    s.file("config.toml", config);
    let log = s.path("tmp/lines");
    s.program("vibe", &format!("DECK_LOG_OF_LINES={}\n{program}", log.display()));
    s.deck(&["add", &s.project("p"), "-t", "v", "-c", "vibe"]).ok();
    wait_until("it shows its prompt", || {
        let text = s.deck(&["output", "--screen", "v"]).ok();
        if text.contains("> ") || text.contains('>') { Ok(()) } else { Err(text) }
    });
    s
}

/// Types something that is not sent, and waits until it stands there.
#[track_caller]
fn types(s: &Sandbox, text: &str) {
    s.deck(&["send", "--no-enter", "v", text]).ok();
    wait_until("it is typed", || match s.deck(&["output", "--screen", "v"]).ok() {
        shown if shown.trim_end().ends_with(&format!("> {}", text.trim_end())) => Ok(()),
        shown => Err(shown),
    });
}

fn lines(s: &Sandbox) -> Vec<String> {
    let text = std::fs::read_to_string(s.path("tmp/lines")).unwrap_or_default();
    text.lines().map(str::to_owned).collect()
}

fn noted(s: &Sandbox, want: &[&str]) {
    wait_until("the lines are noted", || match lines(s) {
        seen if seen == want => Ok(()),
        seen => Err(format!("{seen:?}")),
    });
}

#[test]
fn a_message_is_never_merged_with_what_is_typed() {
    let s = sandbox(&format!("{TOOL}{COMPOSER}"));
    types(&s, "half typed ");
    let error = s.deck(&["send", "v", "the message"]).fails(6);
    assert!(error.contains("session \"v\" has unsent input: \"half typed\""), "{error}");
    assert!(error.contains("--clear") && error.contains("--append"), "{error}");
    assert_eq!(lines(&s), Vec::<String>::new());
    s.deck(&["send", "--clear", "v", "first"]);
    noted(&s, &["first"]);
    types(&s, "half typed ");
    s.deck(&["send", "--append", "v", "second"]);
    noted(&s, &["first", "half typed second"]);
}

#[test]
fn two_messages_at_once_are_two_messages() {
    let s = sandbox(&format!("{TOOL}{COMPOSER}"));
    let mut all: Vec<_> = (0..3).map(|n| s.spawn_deck(&["send", "v", &format!("message {n}")])).collect();
    for child in &mut all {
        child.wait().unwrap();
    }
    wait_until("all came", || match lines(&s) {
        seen if seen.len() >= 3 => Ok(()),
        seen => Err(format!("{seen:?}")),
    });
    let mut seen = lines(&s);
    seen.sort();
    assert_eq!(seen, ["message 0", "message 1", "message 2"]);
    let left = std::fs::read_dir(s.path("deck/state/agents")).into_iter().flatten().flatten();
    let left: Vec<_> =
        left.map(|e| e.file_name()).filter(|n| n.to_string_lossy().ends_with(".send")).collect();
    assert!(left.is_empty(), "locks are left behind: {left:?}");
}

#[test]
fn a_program_that_reads_lines_gets_enter_once() {
    let s = sandbox(TOOL);
    // Whatever the receipts are: what counts is what came.
    s.deck(&["send", "v", "hello"]);
    s.deck(&["send", "v", "work"]);
    noted(&s, &["hello", "work"]);
    s.deck(&["send", "v", "ask for it"]);
    std::fs::write(s.path("tmp/lines.done"), "").unwrap();
    wait_until("it asks", || {
        let text = s.deck(&["output", "--screen", "v"]).ok();
        if text.contains("approve?") { Ok(()) } else { Err(text) }
    });
    s.deck(&["send", "v", "y"]).fails(6);
    assert_eq!(lines(&s), ["hello", "work", "ask for it"], "Enter would be an answer");
}

fn asks(s: &Sandbox, what: &str) {
    s.deck(&["send", "v", what]);
    wait_until("it asks", || match s.session("v") {
        v if v["reason"] == "permission" => Ok(()),
        v => Err(v.to_string()),
    });
}

#[test]
fn a_prompt_without_numbers_is_answered_by_a_line() {
    let s = sandbox(TOOL);
    asks(&s, "ask one");
    assert_eq!(s.session("v")["choices"][0]["label"], "y");
    let shown = s.deck(&["answer", "v"]).ok();
    assert!(shown.contains("approve? [y/n]") && shown.contains("1  y") && shown.contains("2  n"), "{shown}");
    assert!(shown.contains("--text"), "{shown}");
    // What refuses a message names what takes an answer.
    let refused = s.deck(&["send", "v", "y"]).fails(6);
    assert!(refused.contains("`deck answer v`"), "{refused}");
    s.deck(&["answer", "v", "y"]).ok();
    noted(&s, &["ask one", "answer <y>"]);
    // What was answered is no question any more, though it can still be read.
    wait_until("it no longer asks", || match s.session("v") {
        v if v["status"] != "waiting" || v["reason"] == "finished" => Ok(()),
        v => Err(v.to_string()),
    });
    let none = s.deck(&["answer", "v"]).fails(1);
    assert!(none.contains("asks nothing"), "{none}");
    asks(&s, "ask two");
    s.deck(&["answer", "v", "maybe"]).fails(2);
    s.deck(&["answer", "v", "No"]).ok();
    noted(&s, &["ask one", "answer <y>", "ask two", "answer <n>"]);
    asks(&s, "ask three");
    s.deck(&["answer", "v", "--text", "only the tests"]).ok();
    noted(&s, &["ask one", "answer <y>", "ask two", "answer <n>", "ask three", "answer <only the tests>"]);
    // Where it can't be told from a prompt that is open, nothing is typed all the same.
    s.deck(&["answer", "v", "y"]).fails(1);
}

#[test]
fn in_the_tui_a_prompt_is_answered_by_a_line() {
    let s = sandbox(TOOL);
    let screen = Screen::open(&s, "t", (100, 30), &[]);
    asks(&s, "ask one");
    screen.shows("asks: permission");
    screen.keys(&["a"]);
    screen.shows("enter answer");
    screen.keys(&["Enter"]);
    screen.shows("answered v: y");
    noted(&s, &["ask one", "answer <y>"]);
    screen.shows("◆ done");
    asks(&s, "ask two");
    screen.shows("asks: permission");
    screen.keys(&["a"]);
    screen.shows("enter answer");
    screen.keys(&["l", "a", "t", "e", "r", "Enter"]);
    noted(&s, &["ask one", "answer <y>", "ask two", "answer <later>"]);
}

#[test]
fn a_line_that_nobody_reads_is_not_delivered() {
    // The terminal shows what is typed; nothing takes it.
    let s = sandbox_with(TOOL, "printf '> '; exec sleep 1000");
    s.deck(&["send", "v", "hello"]).fails(5);
}

#[test]
fn a_line_is_delivered_once_something_is_written_below_it() {
    let s = sandbox(&patient());
    assert_eq!(s.deck(&["send", "v", "first"]).ok(), "v: delivered\n");
    s.deck(&["send", "--no-enter", "v", "half typed "]).ok();
    assert_eq!(s.deck(&["send", "--clear", "v", "second"]).ok(), "v: delivered\n");
    s.deck(&["send", "--no-enter", "v", "half typed "]).ok();
    assert_eq!(s.deck(&["send", "--append", "v", "third"]).ok(), "v: delivered\n");
    noted(&s, &["first", "second", "half typed third"]);
}

#[test]
fn a_command_of_the_agents_own_is_delivered_when_it_leaves_the_field() {
    // Its conversation could be read, and a command leaves nothing in it.
    let keeps = "conversation_files = [\"~/talk/{id}\"]\nbusy_patterns";
    let s = sandbox(&format!(
        "{}{COMPOSER}commands = '^/[a-z]+'\n",
        patient().replacen("busy_patterns", keeps, 1)
    ));
    assert_eq!(s.deck(&["send", "v", "/clear"]).ok(), "v: delivered\n");
    noted(&s, &["/clear"]);
}

#[test]
fn a_first_message_waits_until_what_is_typed_is_taken() {
    // Shows its field, and loses what is typed first.
    let late = format!(
        "stty -icanon -echo; printf '> '; dd bs=1 count=1 of=/dev/null 2>/dev/null; stty sane\nprintf '\\r'{LINES}"
    );
    let s = sandbox_with(&format!("{}{COMPOSER}", TOOL.replace("1600", "5000")), &late);
    s.deck(&["send", "v", "hello"]);
    noted(&s, &["hello"]);
}

#[test]
fn a_message_that_goes_nowhere_is_not_called_delivered() {
    // Shows its field, and takes nothing.
    let deaf = "stty -icanon -echo; printf '> '; exec sleep 1000";
    let s = sandbox_with(&format!("{TOOL}{COMPOSER}"), deaf);
    let error = s.deck(&["send", "v", "hello"]).fails(1);
    assert!(error.contains("isn't taking input yet; nothing was sent"), "{error}");
    assert_ne!(s.session("v")["reason"], "finished", "nothing was said");
}

#[test]
fn the_screen_asks_what_becomes_of_input_that_stands_there() {
    let s = sandbox(&format!("{}{COMPOSER}", patient()));
    let screen = Screen::open(&s, "t", (100, 30), &[]);
    for (typed, key, want) in [("half", "a", "half the message"), ("other", "r", "the message")] {
        types(&s, typed);
        screen.keys(&["s"]);
        screen.shows("To v");
        screen.keys(&["-l", "the message"]);
        screen.keys(&["Enter"]);
        screen.shows("v has unsent input");
        screen.shows("append to it");
        screen.keys(&[key]);
        wait_until("it is sent", || match lines(&s) {
            seen if seen.last().is_some_and(|l| l == want) => Ok(()),
            seen => Err(format!("{seen:?}")),
        });
        screen.shows("delivered");
    }
    assert_eq!(lines(&s).len(), 2, "nothing else was sent");
}
