#!/usr/bin/env python3
"""Holds deck's status against what real agents do, on a mock model. See README.md beside it."""
from __future__ import annotations

import argparse
import json
import os
import signal
import sys
import tempfile
import threading
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

sys.dont_write_bytecode = True  # no folders of compiled files in the project

from agent import Agent, Failed
from lab import Lab
from report import as_json, evidence, judge, table
from scenario import LAST, TOOLS, TURNS, play


def options() -> argparse.Namespace:
    p = argparse.ArgumentParser(description=__doc__)
    p.add_argument("--tools", default=",".join(TOOLS), help="which agents (default: %(default)s)")
    p.add_argument("--states", default=",".join([*TURNS, *LAST]), help="which turns (default: %(default)s)")
    p.add_argument("--rounds", type=int, default=1, help="how often each turn")
    p.add_argument("--jobs", type=int, default=2, help="how many agents at a time")
    p.add_argument("--no-report", action="store_true", help="without Claude's session file")
    p.add_argument("--no-hooks", action="store_true", help="without hooks")
    p.add_argument("--tui", action="store_true", help="with deck's screen open beside")
    p.add_argument("--resize", action="store_true", help="with deck's screen open beside, of another size every 2 s")
    p.add_argument("--out", type=Path, help="write everything here as JSON")
    given = p.parse_args()
    given.tui |= given.resize
    given.tools, given.states = given.tools.split(","), given.states.split(",")
    if unknown := [t for t in given.tools if t not in TOOLS] + [s for s in given.states if s not in {**TURNS, **LAST}]:
        p.error(f"unknown: {', '.join(unknown)}")
    return given


def wanted_share(o: argparse.Namespace) -> float:
    return 99.0 if not o.no_report else 95.0 if o.no_hooks else 98.0


def live(agent: Agent, o: argparse.Namespace):
    """The whole scenario with one agent, watched from its start."""
    watcher = threading.Thread(target=agent.watch, daemon=True)
    try:
        watcher.start()
        if o.resize:
            threading.Thread(target=agent.resize, daemon=True).start()
        play(agent, o.states, o.rounds, lambda line: print(line, file=sys.stderr, flush=True))
        agent.check()
    except Failed as e:
        agent.truth.notes.append(str(e))
    finally:
        agent.done.set()
        watcher.join(15)
        agent.close()


def all_live(agents: list[Agent], o: argparse.Namespace):
    """A few agents at a time; each ends what it started, also when the run is broken off."""
    pool = ThreadPoolExecutor(o.jobs)
    runs = [pool.submit(live, agent, o) for agent in agents]
    try:
        for run in runs:
            run.result()
    finally:
        for agent in agents:
            agent.stop()
        pool.shutdown(cancel_futures=True)


def main() -> int:
    o = options()
    place = os.environ.get("DECK_LAB")
    if not place or not (Path(place) / "env.sh").is_file():
        print("DECK_LAB must name the folder of the lab, with its env.sh. README.md says how to get one.", file=sys.stderr)
        return 2
    deck = Path(os.environ.get("DECK_BIN", "target/debug/deck")).resolve()
    if not deck.is_file():
        print(f"{deck} is missing: build deck, or set DECK_BIN.", file=sys.stderr)
        return 2
    signal.signal(signal.SIGTERM, signal.default_int_handler)
    lab = Lab(Path(place).resolve())
    try:
        agents = [Agent(lab, deck, tool, TOOLS[tool].args, o) for tool in o.tools]
        all_live(agents, o)
    except KeyboardInterrupt:
        print("broken off", file=sys.stderr)
        return 130
    finally:
        lab.close()
    verdicts = {a.tool: judge(a) for a in agents}
    for tool, verdict in verdicts.items():
        print(table(tool, verdict), end="\n\n")
    folder = Path(tempfile.mkdtemp(prefix="deck-live-"))
    for agent in agents:
        evidence(folder, agent.tool, agent, verdicts[agent.tool])
    print(f"Time lines, and every wrong answer with its screen: {folder}")
    if o.out:
        o.out.write_text(json.dumps({tool: as_json(v) for tool, v in verdicts.items()}, indent=1))
    share = wanted_share(o)
    failed = [tool for tool, v in verdicts.items() if v.fails(share)]
    print(f"{'failed: ' + ', '.join(failed) if failed else 'passed'} (wanted: {share:.0f} % right, no lag over 1 s, no flicker)")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
