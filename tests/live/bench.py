"""A deck of its own on the lab's agents: a throw-away HOME, a project, a tmux server, and the wire to the model."""
from __future__ import annotations

import argparse
import json
import os
import secrets
import signal
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from lab import Lab, end_all_of
from wire import Wire


class Failed(Exception):
    """deck or the agent didn't do what everything after it needs."""


@dataclass
class Said:
    """What a command printed."""

    command: list[str]
    code: int | None  # None: it didn't end in time
    out: str
    err: str
    took: float

    def __str__(self) -> str:
        shown = " ".join(c if c.isprintable() and " " not in c else repr(c) for c in self.command)
        return f"$ {shown}  [{self.code}, {self.took:.1f} s]\n{self.out}{self.err}".rstrip()


def fresh(word: str) -> str:
    """A word that nothing else holds."""
    return f"{word}-{secrets.token_hex(4)}"


class Bench:
    def __init__(self, lab: Lab, deck: Path, part: str, tool: str, out: Path):
        self.part, self.tool, self.program = part, tool, str(deck)
        self.name = f"{part}-{tool}"
        self.log, self.lock = out / f"{self.name}.log", threading.Lock()
        self.results: list[tuple[bool, str]] = []
        self.project = lab.path / "projects" / self.name
        self.project.mkdir(parents=True)
        self.wire = Wire(lab.path / "mock_model.py", lab.path / "wires" / self.name)
        self.env = lab.env(self.name, self.wire.port, self.project)
        self.home, self.socket = Path(self.env["HOME"]), f"talk-{lab.path.name}"
        self.env |= {"DECK_HOME": str(self.home / ".deck"), "DECK_SOCKET": self.socket}

    def close(self):
        self.run("tmux", "-L", self.socket, "kill-server", seconds=20)
        end_all_of(str(self.home))
        self.wire.close()

    # ---- what held

    def check(self, ok: bool, what: str, why: str = "", *titles: str) -> bool:
        """Note whether something holds; if not, with what the sessions show."""
        self.results.append((ok, what))
        self.note(f"{'held' if ok else 'FAILED'}: {what}")
        if not ok:
            print(f"FAILED {self.name}: {what}: {why}", flush=True)
            self.note(why + "".join(f"\n--- screen of {t}\n{self.screen(t)}" for t in titles))
        return ok

    def note(self, text: str):
        with self.lock, self.log.open("a") as f:
            f.write(f"{time.strftime('%H:%M:%S')} {text}\n")

    # ---- programs

    def run(self, *command: str, seconds: float = 120) -> Said:
        begun = time.time()
        try:
            done = subprocess.run(command, env=self.env, cwd=self.project, text=True, stdin=subprocess.DEVNULL, capture_output=True, timeout=seconds)
            code, out, err = done.returncode, done.stdout, done.stderr
        except subprocess.TimeoutExpired:
            code, out, err = None, "", f"no answer within {seconds:.0f} s"
        return Said(list(command), code, out, err, time.time() - begun)

    def deck(self, *args: str, seconds: float = 120) -> Said:
        """Run deck and log what it said."""
        said = self.run(self.program, *args, seconds=seconds)
        said.command[0] = "deck"
        self.note(str(said))
        return said

    def done(self, *args: str, seconds: float = 120) -> Said:
        """Run deck, which must succeed."""
        said = self.deck(*args, seconds=seconds)
        if said.code != 0:
            raise Failed(str(said))
        return said

    def rows(self) -> dict[str, dict]:
        """`deck list --json`, by title."""
        return {row["title"]: row for row in json.loads(self.run(self.program, "list", "--json").out or "[]")}

    def id(self, title: str) -> str | None:
        return self.rows().get(title, {}).get("resume_id")

    def screen(self, title: str) -> str:
        row = self.rows().get(title, {})
        pane = (row.get("tmux") or {}).get("pane_id")
        shown = self.run("tmux", "-L", self.socket, "capture-pane", "-p", "-t", pane).out.rstrip() if pane else "(no pane)"
        return f"{row.get('status')} · {row.get('reason')} · {row.get('resume_id')}\n{shown}"

    # ---- what a user does

    def add(self, title: str, prompt: str | None = None):
        self.done("add", str(self.project), "-t", title, "-c", self.tool, *(["--prompt", prompt] if prompt else []))

    def idle(self, *titles: str):
        """Wait until deck says that they have nothing to do."""
        said = self.deck("wait", *titles, "--for", "idle", "--timeout", "120s", seconds=150)
        self.check(said.code == 0, f"idle: {', '.join(titles)}", str(said), *titles)

    def send(self, title: str, text: str) -> tuple[str, Said]:
        """The receipt, or what went wrong."""
        said = self.deck("send", "--json", title, "--", text)
        try:
            return json.loads(said.out)["receipt"], said
        except (ValueError, KeyError, TypeError):
            return "no answer" if said.code is None else "refused", said

    def over(self, word: str, title: str):
        """Wait until the turn of a prompt that the agent got with its start is over."""
        if not self.check(self.wire.wait(word, 90) is not None, f"the first prompt of {title} arrives", word, title):
            raise Failed(f"{title} has no conversation")
        self.wire.wait_quiet(60)
        self.idle(title)


def run_parts(doc: str, part: str, test: Callable[[Bench], None], tools: list[str]) -> int:
    """Run a test on each agent, in a lab of its own, and say how many of its checks held. Returns the exit code."""
    p = argparse.ArgumentParser(description=doc)
    p.add_argument("--tools", default=",".join(tools), help="which agents (default: %(default)s)")
    o = p.parse_args()
    place = os.environ.get("DECK_LAB")
    if not place or not (Path(place) / "env.sh").is_file():
        print("DECK_LAB isn't set to the folder of the lab, with its env.sh. README.md says how to get one.", file=sys.stderr)
        return 2
    deck = Path(os.environ.get("DECK_BIN", "target/debug/deck")).resolve()
    signal.signal(signal.SIGTERM, signal.default_int_handler)
    out = Path(tempfile.mkdtemp(prefix=f"deck-{part}-"))
    held = True
    for tool in o.tools.split(","):
        lab = Lab(Path(place).resolve())
        b = Bench(lab, deck, part, tool, out)
        try:
            test(b)
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
