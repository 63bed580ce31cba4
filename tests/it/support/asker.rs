//! A stand-in agent that does what it is told by a word: works, asks, or runs a hook.

use super::Sandbox;

const TOOL: &str = r#"
command = "asker"
title = "Asker"
fallback = "unknown"
send = { delay_ms = 0 }

[regions.tail]
lines = 6

[[rules]]
name = "ask"
in = "tail"
all = ['re:^❯ \d+\. ']
is = "blocked"
kind = "permission"
priority = 30
capture = ['raw:(?P<asks>Delete [a-z]+\?)']

[[rules]]
name = "sure"
in = "tail"
all = ['re:^Sure\?', 're:^❯ \d+\. ']
is = "blocked"
kind = "permission"
priority = 31
capture = ['raw:(?P<asks>Sure\?)']

[[rules]]
name = "work"
in = "tail"
all = ['re:^working']
is = "busy"
priority = 20

[[rules]]
name = "prompt"
in = "tail"
all = ['re:^> *$']
is = "ready"
priority = 10

[[choices]]
rules = ["ask"]
in = "tail"
option = '^(?P<cursor>❯ |  )(?P<number>\d+)\. (?P<label>\S.*)$'
text = ['^Type ']
margin = 2

[[choices]]
rules = ["sure"]
in = "tail"
option = '^(?P<cursor>❯ |  )(?P<number>\d+)\. (?P<label>\S.*)$'
confirms = { choice = "Yes, always", by = "Confirm" }
"#;

const SCRIPT: &str = r#"
question() {
  about=$1
  printf '\033[2J\033[HDelete %s?\n❯ 1. Yes\n  2. No, never\n  3. Type something\n' "$1"
}
key() {
  old=$(stty -g); stty -icanon -echo
  key=$(dd bs=1 count=1 2>/dev/null)
  if [ "$key" = 3 ]; then
    # Its field: what is typed stands for the words of the choice.
    text=
    while
      printf '\033[2J\033[HDelete %s?\n  1. Yes\n  2. No, never\n❯ 3. %s' "$about" "${text:-Type something}"
      char=$(dd bs=1 count=1 2>/dev/null)
      [ -n "$char" ]
    do text=$text$char; done
    key="3 $text"
  fi
  stty "$old"
  echo "$key" >> answers
}
said=
while :; do
  printf '\033[2J\033[H%b> ' "$said"
  read -r word rest || exit 0
  said=
  case $word in
    ask)
      question "$rest"; key ;;
    always)
      printf '\033[2J\033[HDelete %s?\n❯ 1. Yes\n  2. Yes, always\n' "$rest"; key
      printf '\033[2J\033[HSure?\n❯ 1. Confirm\n  2. Cancel\n'; key ;;
    report)
      printf '%s' '{"tool_name":"Bash","tool_input":{"command":"rm x"}}' | "$DECK" hook PermissionRequest
      question "$rest"; key; printf '\033[2J\033[Hcopying\n'; read -r _ ;;
    twice)
      question "$rest"; key
      question "$rest"; printf 'once'; key ;;
    turn)
      question "$rest"
      while [ ! -e go ]; do sleep 0.05; done
      question more; key ;;
    work) printf '\033[2J\033[Hworking\n'; read -r _ ;;
    hook) printf '%s' "${rest#* }" | "$DECK" hook "${rest%% *}" > hook-out 2>&1; echo "$?" >> hook-out ;;
    bye) exit "$rest" ;;
    *) said="got $word\n" ;;
  esac
done
"#;

impl Sandbox {
    /// Installs the stand-in as the tool `asker`.
    pub fn asker(&self) {
        self.file("tools/asker.toml", TOOL);
        let script = format!("DECK='{}'\n{SCRIPT}", env!("CARGO_BIN_EXE_deck"));
        self.program("asker", &script);
    }

    /// Adds a session of it and waits until it is up.
    pub fn ask_session(&self, title: &str) -> String {
        let dir = self.project(title);
        self.deck(&["add", &dir, "-t", title, "-c", "asker"]).ok();
        self.deck(&["wait", title, "--for", "idle", "--timeout", "120"]).ok();
        dir
    }
}
