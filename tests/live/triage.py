#!/usr/bin/env python3
"""Test on the real agents that whoever needs their user is found and answered in a few keys: ten sessions of four agents, of which four ask,
one failed, three are done and two work; then `space a 1` for each that asks."""
from __future__ import annotations

import argparse
import os
import signal
import sys
import tempfile
import time
from pathlib import Path

sys.dont_write_bytecode = True  # no folders of compiled files in the project

from bench import Bench, Failed
from keystrokes import Screen, short, wait
from lab import Lab

MANUAL, PLANNING = ("--", "--permission-mode", "manual"), ("--", "--permission-mode", "plan")
# What each of the ten is started with: title, agent, prompt, arguments.
SESSIONS = [
    ("permit-claude", "claude", "TOOL touch a", MANUAL),
    ("permit-gemini", "gemini", "TOOL touch b", ()),
    ("question", "claude", "ASK Which database?", MANUAL),
    ("plan", "claude", 'CALL ExitPlanMode {"plan":"1. Move it"}', PLANNING),
    ("failed", "claude", "FAIL 400", MANUAL),
    ("done-claude", "claude", "ECHO one", MANUAL),
    ("done-codex", "codex", "ECHO two", ()),
    ("done-opencode", "opencode", "ECHO three", ()),
    ("works-codex", "codex", "SLOW 900", ()),
    ("works-opencode", "opencode", "SLOW 900", ()),
]
ASKING = ("permit-claude", "permit-gemini", "question", "plan")
WANTED = {"ask": 4, "failed": 1, "done": 3, "running": 2}


def kind(row: dict) -> str:
    """What a session counts as in the header."""
    match row["status"], row.get("reason"):
        case "waiting", "finished":
            return "done"
        case "waiting", _:
            return "ask"
        case "error", _:
            return "failed"
        case status, _:
            return status


def counts(b: Bench) -> dict[str, int]:
    kinds = [kind(row) for row in b.rows().values()]
    return {k: kinds.count(k) for k in sorted(set(kinds))}


def begin(b: Bench):
    for title, tool, prompt, args in SESSIONS:
        b.done("add", str(b.project), "-t", title, "-c", tool, "--prompt", prompt, *args)
    if not wait(lambda: counts(b) == WANTED, 180):
        raise Failed(f"the ten never are as wanted: {counts(b)}, not {WANTED}")


def press(s: Screen, log: Path, key: str, pattern: str, what: str):
    """Press a key, and wait for what a user waits for before the next one."""
    s.tmux("send-keys", key)
    frame = s.until(pattern, what, 60)
    with log.open("a") as f:
        f.write(f"==== {key}: {what}\n{frame}\n\n")
    print(f"{key:6} {what:45} {frame.splitlines()[0].split('default')[-1].strip()}", flush=True)


def triage(b: Bench, log: Path):
    s = Screen(b)
    try:
        first = s.until(r"4 ask", "all that ask")
        log.write_text(f"==== the first frame\n{first}\n\n")
        for left in range(4, 0, -1):
            press(s, log, "Space", r"▌ *◐", "one that asks is selected")
            press(s, log, "a", r"esc", "its question, with choices")
            begun = time.time()
            s.tmux("send-keys", "1")
            if not wait(lambda: counts(b).get("ask", 0) == left - 1, 60):
                raise Failed(f"{left} still ask\n{short(s.look())}")
            press(s, log, "", r"answered", "the answer was taken")
            print(f"1      answered after {time.time() - begun:.1f} s; {counts(b)}", flush=True)
        b.check(counts(b).get("ask", 0) == 0, "nobody asks any more", str(counts(b)))
        rows = b.rows()
        went_on = all(kind(rows[title]) in ("running", "done", "idle") for title in ASKING)
        b.check(went_on, "those that were answered went on", str({t: kind(rows[t]) for t in ASKING}), *ASKING)
    finally:
        s.close()


def main() -> int:
    p = argparse.ArgumentParser(description=__doc__)
    p.add_argument("--out", type=Path, default=Path("triage.log"), help="keys and frames (default: %(default)s)")
    o = p.parse_args()
    place = os.environ.get("DECK_LAB")
    if not place or not (Path(place) / "env.sh").is_file():
        print("DECK_LAB isn't set to the folder of the lab, with its env.sh. README.md says how to get one.", file=sys.stderr)
        return 2
    deck = Path(os.environ.get("DECK_BIN", "target/debug/deck")).resolve()
    signal.signal(signal.SIGTERM, signal.default_int_handler)
    out = Path(tempfile.mkdtemp(prefix="deck-triage-"))
    lab = Lab(Path(place).resolve())
    b = Bench(lab, deck, "triage", "all", out)
    try:
        begin(b)
        triage(b, o.out)
    except Failed as e:
        b.check(False, "the run comes to its end", str(e), *b.rows())
    finally:
        b.close()
        lab.close()
    held = all(ok for ok, _ in b.results)
    print(f"{'passed' if held else 'failed'}; keys and frames: {o.out}; every command and answer: {out}")
    return 0 if held else 1


if __name__ == "__main__":
    sys.exit(main())
