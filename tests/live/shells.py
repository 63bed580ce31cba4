#!/usr/bin/env python3
"""Test on the real agents that deck's MCP server reaches them when deck starts them with it: each starts a shell and calls `exec` twice,
which finds the state kept, in a shell that is the session's."""
from __future__ import annotations

import json
import sys
import time

sys.dont_write_bytecode = True  # no folders of compiled files in the project

from bench import Bench, Failed, run_parts
from keystrokes import ARGS, wait

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


if __name__ == "__main__":
    sys.exit(run_parts(__doc__, "shells", shells, list(NAMES)))
