#!/usr/bin/env python3
"""Test on the real agents that one starts another by deck's MCP server, waits for it and reads its answer; and that what it may not do
is refused in words that it gets."""
from __future__ import annotations

import json
import sys

sys.dont_write_bytecode = True  # no folders of compiled files in the project

from bench import Bench, Failed, run_parts
from keystrokes import ARGS, wait
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


if __name__ == "__main__":
    sys.exit(run_parts(__doc__, "agents", agents, list(NAMES)))
