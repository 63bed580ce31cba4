#!/usr/bin/env python3
"""Test on the real agents that `mcp.consent` asks their user, by the agent's own dialog, before one starts another: declined, nothing is
started; accepted, it is. An agent whose program can't ask is refused."""
from __future__ import annotations

import json
import sys
import time

sys.dont_write_bytecode = True  # no folders of compiled files in the project

from bench import Bench, Failed, run_parts
from keystrokes import ARGS, wait
from shells import NAMES

# The agents whose program asks.
ASKS = {"claude"}


def spawn(b: Bench, title: str, keys: list[str]) -> str:
    """Have the agent start another one, allow the tool, and press keys in the dialog that asks the user."""
    since, asked = b.rows()["a"].get("since"), ""
    call = json.dumps({"title": title}, separators=(",", ":"))
    b.done("send", "a", f"CALL {NAMES[b.tool]}spawn_agent {call}")
    end = time.time() + 60
    while time.time() < end:
        row, screen = b.rows()["a"], b.screen("a")
        if "asks to start" in screen and row["status"] == "waiting" and not asked:
            asked = screen
            b.done("keys", "a", *keys)
        elif row["status"] == "waiting" and row["reason"] != "finished" and not asked:
            b.deck("answer", "a", "1")
        elif row["reason"] == "finished" and row["since"] != since:
            return asked
        time.sleep(0.3)
    raise Failed(f"its turn doesn't end: {b.rows()['a']}\n{b.screen('a')}")


def consent(b: Bench):
    (b.home / ".deck").mkdir(exist_ok=True)
    (b.home / ".deck" / "config.toml").write_text('mcp.consent = ["spawn"]\n')
    b.done("add", str(b.project), "-t", "a", "-c", b.tool, "--mcp=look,spawn", *ARGS.get(b.tool, ()))
    if not wait(lambda: b.rows()["a"]["status"] == "idle", 60):
        raise Failed(f"it doesn't start: {b.rows()['a']}")
    asked = spawn(b, "declined", ["down", "enter"])
    b.check(bool(asked) == (b.tool in ASKS), "its user is asked if its program can", asked, "a")
    b.check("declined" not in b.rows(), "nothing is started", json.dumps(b.rows()), "a")
    if asked:
        spawn(b, "helper", ["enter"])
        b.check("helper" in b.rows(), "with consent it is started", json.dumps(b.rows()), "a")


if __name__ == "__main__":
    sys.exit(run_parts(__doc__, "consent", consent, list(NAMES)))
