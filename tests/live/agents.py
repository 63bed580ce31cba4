#!/usr/bin/env python3
"""Test on the real agents that one starts another by deck's MCP server, waits for it and reads its answer; and that what it may not do
is refused in words that it gets."""
from __future__ import annotations

import argparse
import json
import os
import signal
import sys
import tempfile
from pathlib import Path

sys.dont_write_bytecode = True  # no folders of compiled files in the project

from bench import Bench, Failed
from keystrokes import ARGS, wait
from lab import Lab
from shells import NAMES, call

MARKER = "sparrow-4711"


def agents(b: Bench):
    b.done("add", str(b.project), "-t", "a", "-c", b.tool, "--mcp=look,talk,spawn", *ARGS.get(b.tool, ()))
    if not wait(lambda: b.rows()["a"]["status"] == "idle", 60):
        raise Failed(f"it doesn't start: {b.rows()['a']}")
    call(b, "spawn_agent", {"title": "helper", "prompt": f"ECHO {MARKER}"})
    rows = b.rows()
    b.check(rows.get("helper", {}).get("parent_id") == rows["a"]["id"], "it has a child", json.dumps(rows), "a")
    call(b, "wait_agent", {"agents": ["helper"]})
    b.check(b.rows()["helper"]["reason"] == "finished", "the child is done", json.dumps(b.rows()["helper"]), "a", "helper")
    call(b, "read_agent", {"agent": "helper"})
    heard = b.deck("output", "a", "--lines", "400").out
    b.check(MARKER in heard, "it reads the child's answer", heard, "a", "helper")
    asked = b.deck("output", "helper", "--lines", "400").out
    b.check('Message from the session "a", not from your user' in asked, "the child sees who asks", asked, "helper")
    call(b, "stop_agent", {"agent": "helper"})
    b.check(b.rows()["helper"]["status"] == "stopped", "it stops the child", json.dumps(b.rows()["helper"]), "a")
    b.done("add", str(b.project), "-t", "stranger", "-c", "shell")
    call(b, "stop_agent", {"agent": "stranger"})
    b.check(b.rows()["stranger"]["status"] != "stopped", "a stranger is not stopped", json.dumps(b.rows()["stranger"]), "a")


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
    out = Path(tempfile.mkdtemp(prefix="deck-agents-"))
    held = True
    for tool in o.tools.split(","):
        lab = Lab(Path(place).resolve())
        b = Bench(lab, deck, "agents", tool, out)
        try:
            agents(b)
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
