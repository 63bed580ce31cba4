#!/usr/bin/env python3
"""Test on a real agent, OpenCode, which asks nobody before it calls a tool, that one which sends to another again and again stops at
`mcp.messages`, and that both then wait for their user."""
from __future__ import annotations

import json
import sys

sys.dont_write_bytecode = True  # no folders of compiled files in the project

from bench import Bench, Failed, run_parts
from keystrokes import ARGS, wait
from shells import NAMES, call


def budget(b: Bench):
    """Have one send five times in one turn: whatever its user sends or answers would let it send again."""
    (b.home / ".deck").mkdir(exist_ok=True)
    (b.home / ".deck" / "config.toml").write_text("mcp.messages = 3\n")
    b.done("add", str(b.project), "-t", "a", "-c", b.tool, "--mcp=shells,look,talk,spawn", *ARGS.get(b.tool, ()))
    if not wait(lambda: b.rows()["a"]["status"] == "idle", 60):
        raise Failed(f"it doesn't start: {b.rows()['a']}")
    call(b, "spawn_agent", {"title": "helper", "prompt": "ECHO ready"})
    call(b, "wait_agent", {"agents": ["helper"]})
    sends = [f"CALL {NAMES[b.tool]}send_to_agent " + json.dumps({"agent": "helper", "text": f"ECHO message {n}"}, separators=(",", ":")) for n in range(5)]
    since = b.rows()["a"]["since"]
    b.done("send", "a", " THEN CALL deck_exec {\"code\":\"sleep 4\"} THEN ".join(sends))
    if not wait(lambda: (row := b.rows()["a"])["reason"] == "finished" and row["since"] != since, 180):
        raise Failed(f"its turn doesn't end: {b.rows()['a']}")
    arrived = len(json.loads(b.done("--json", "explain", "helper").out)["messages"])
    b.check(arrived == 3, "it ends at the budget", f"{arrived} arrived", "a", "helper")
    wait(lambda: b.rows()["helper"]["reason"] == "finished", 60)
    rows = b.rows()
    waits = {title: rows[title]["reason"] for title in ("a", "helper")}
    b.check(waits == {"a": "finished", "helper": "finished"}, "deck list shows that both wait for their user", json.dumps(rows), "a")


if __name__ == "__main__":
    sys.exit(run_parts(__doc__, "budget", budget, ["opencode"]))
