#!/usr/bin/env python3
"""Test on the real agents that deck's MCP server reaches them when deck starts them with it: each starts a shell and calls `exec` twice,
which finds the state kept, in a shell that is the session's."""
from __future__ import annotations

import argparse
import json
import os
import signal
import sys
import tempfile
import time
from pathlib import Path

sys.dont_write_bytecode = True  # no folders of compiled files in the project

from bench import Bench, Failed
from keystrokes import ARGS, wait
from lab import Lab

# How each agent names a tool of the server. The mock can't call into Codex's namespace.
NAMES = {"claude": "mcp__deck__", "gemini": "mcp_deck_", "opencode": "deck_"}
CALLS = [
    ("startSession", {"name": "api"}),
    ("exec", {"sessionId": "api", "code": "cd /usr; export MARK=kept; echo one"}),
    ("exec", {"sessionId": "api", "code": "echo $PWD $MARK"}),
]


def call(b: Bench, name: str, arguments: dict):
    """Have the agent call a tool, and allow it where the agent asks."""
    turns = b.rows()["a"].get("since")
    b.done("send", "a", f"CALL {NAMES[b.tool]}{name} {json.dumps(arguments, separators=(',', ':'))}")
    end = time.time() + 60
    while time.time() < end:
        row = b.rows()["a"]
        if row["status"] == "waiting" and row["reason"] != "finished":
            b.deck("answer", "a", "1")
        elif row["reason"] == "finished" and row["since"] != turns:
            return
        time.sleep(0.3)
    raise Failed(f"its turn with {name} doesn't end: {row}")


def shells(b: Bench):
    b.done("add", str(b.project), "-t", "a", "-c", b.tool, "--mcp=shells", *ARGS.get(b.tool, ()))
    if not wait(lambda: b.rows()["a"]["status"] == "idle", 60):
        raise Failed(f"it doesn't start: {b.rows()['a']}")
    for name, arguments in CALLS:
        call(b, name, arguments)
    all_shells = json.loads(b.done("--json", "shell", "list", "--all").out)
    b.check(len(all_shells) == 1, "it has one shell", json.dumps(all_shells), "a")
    jobs = json.loads(b.done("--json", "job", "list").out)
    out = {j["job_id"]: b.deck("job", "output", j["job_id"]).out.strip() for j in jobs}
    b.check("/usr kept" in out.values(), "the second call finds the state of the first", str(out), "a")
    b.check([s["owner"] for s in all_shells] == [b.rows()["a"]["id"]], "the shell is the session's", json.dumps(all_shells), "a")


def main() -> int:
    p = argparse.ArgumentParser(description=__doc__)
    p.add_argument("--tools", default=",".join(NAMES), help="which agents (default: %(default)s)")
    o = p.parse_args()
    place = os.environ.get("DECK_LAB")
    if not place or not (Path(place) / "env.sh").is_file():
        print("DECK_LAB isn't set to the folder of the lab, with its env.sh. README.md says how to get one.", file=sys.stderr)
        return 2
    deck = Path(os.environ.get("DECK_BIN", "target/debug/deck")).resolve()
    signal.signal(signal.SIGTERM, signal.default_int_handler)
    out = Path(tempfile.mkdtemp(prefix="deck-shells-"))
    held = True
    for tool in o.tools.split(","):
        lab = Lab(Path(place).resolve())
        b = Bench(lab, deck, "shells", tool, out)
        try:
            shells(b)
        except Failed as e:
            b.check(False, "the run comes to its end", str(e), "a")
        finally:
            b.close()
            lab.close()
        right = [ok for ok, _ in b.results]
        held &= all(right)
        print(f"{tool:10} {sum(right)} held, {len(right) - sum(right)} failed", flush=True)
    print(f"{'passed' if held else 'failed'}; every command and answer: {out}")
    return 0 if held else 1


if __name__ == "__main__":
    sys.exit(main())
