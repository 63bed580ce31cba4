#!/bin/sh
# Makes the pictures in this folder from the real TUI: the demo in its own terminal.
set -eu
cd "$(dirname "$0")/../.."
cargo build --release --example screenshot
cargo build --release
dir=$(mktemp -d)
term() { TMUX_TMPDIR=$dir tmux -u -L screenshots "$@"; }

# The demo ends its own agents when it is left: the folder goes only after that.
leave() {
  term send-keys -t shot Escape 2>/dev/null || :
  term send-keys -t shot q 2>/dev/null || :
  while term has-session -t shot 2>/dev/null; do sleep 0.1; done
  rm -rf "$dir"
}
trap leave EXIT

# until TEXT: waits until the screen shows it.
until_shown() {
  n=0
  until term capture-pane -p -t shot | grep -q "$1"; do
    n=$((n + 1))
    [ "$n" -lt 300 ] || { echo "never shown: $1" >&2; exit 1; }
    sleep 0.1
  done
}

shoot() {
  term capture-pane -e -p -t shot | ./target/release/examples/screenshot "$2" >"assets/screenshots/$1.svg"
}

term -f /dev/null new-session -d -s shot -x 120 -y 32 -e COLORTERM=truecolor env "$PWD/target/release/deck" demo
term set-option -g status off
until_shown 'finished'
until_shown 'permission'
term send-keys -t shot space
until_shown 'asks: permission'
until_shown '1. Yes'
shoot main 120
term send-keys -t shot n
until_shown 'New session'
until_shown 'deck-demo-agent'
shoot new-session 120
