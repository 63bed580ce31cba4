"""One real agent, started by deck in a throw-away HOME, driven by keys, and looked at through `deck list --json`."""
from __future__ import annotations

import itertools
import json
import re
import signal
import subprocess
import threading
import time
from dataclasses import dataclass
from pathlib import Path

from lab import Lab, alive, command_of, end_all_of, end_group, pids_of
from proxy import Proxy
from truth import BUSY, KILLED, READY, STOPPED, Timeline, is_right

PACE = 0.2  # seconds between two looks
RESIZE = 2  # seconds between two sizes of deck's screen
SIZES = (80, 24), (120, 36), (200, 50)
PASTE_PAUSE = 0.3  # between a paste and its Enter


class Failed(Exception):
    """The agent didn't do what the scenario is about, so nothing can be said about deck."""


@dataclass
class Sample:
    """One `deck list --json`: asked at `before`, answered at `after`."""

    before: float
    after: float
    status: str
    reason: str | None
    answer: dict
    pane: str | None = None  # what the pane showed, if deck seemed wrong or said something new

    @property
    def said(self) -> tuple[str, str | None]:
        """The status; with the reason where it makes a difference."""
        return self.status, self.reason if self.status == "waiting" else None

    @property
    def at(self) -> float:
        return (self.before + self.after) / 2


class Agent:
    def __init__(self, lab: Lab, deck: Path, tool: str, args: list[str], options):
        self.tool, self.deck, self.args, self.name = tool, str(deck), args, f"live-{tool}"
        self.truth = Timeline()
        self.proxy = Proxy(lab.mock_port, self.truth.on_open, self.truth.on_close)
        self.project = lab.path / "projects" / tool
        self.project.mkdir(parents=True)
        self.env = lab.env(tool, self.proxy.port, self.project)
        self.home = Path(self.env["HOME"])
        run = lab.path.name
        self.socket, self.tui_socket = f"live-{tool}-{run}", f"live-{tool}-{run}-tui"
        self.env |= {"DECK_HOME": str(self.home / ".deck"), "DECK_SOCKET": self.socket}
        if options.no_hooks:
            config = self.home / ".deck/config.toml"
            config.parent.mkdir(parents=True, exist_ok=True)
            config.write_text(f"[tools.{tool}]\nhooks = {{}}\n")
        self.no_report = self.home / ".claude/sessions" if options.no_report and tool == "claude" else None
        if self.no_report:
            self.no_report.write_text("")  # a file where the folder of session files should be
        self.samples: list[Sample] = []
        self.pane, self.pid, self.done = "", 0, threading.Event()
        self.with_tui, self.round = options.tui, 0

    # ---- programs

    def run(self, *command: str, seconds: float = 10, text: str | None = None, check: bool = True) -> str:
        try:
            done = subprocess.run(command, env=self.env, cwd=self.project, input=text, text=True, capture_output=True, timeout=seconds)
        except subprocess.TimeoutExpired as e:
            raise Failed(f"{' '.join(command)}: no answer within {seconds:.0f} s") from e
        if check and done.returncode:
            raise Failed(f"{' '.join(command)}: {done.stderr.strip()}")
        return done.stdout

    def tmux(self, *command: str, socket: str | None = None, **kw) -> str:
        return self.run("tmux", "-L", socket or self.socket, *command, **kw)

    # ---- life

    def start(self, up: str):
        self.run(self.deck, "add", str(self.project), "-t", self.name, "-c", self.tool, "--", *self.args, seconds=30)
        if self.with_tui:
            self.tmux("new-session", "-d", "-x", "120", "-y", "40", self.deck, socket=self.tui_socket)
        self.find_pane()
        self.wait_screen(up, 60)

    def restart(self, up: str):
        self.truth.set((), "restarted", "start")
        self.run(self.deck, "restart", self.name, seconds=30)
        self.find_pane()
        self.wait_screen(up, 60)

    def find_pane(self):
        rows = self.tmux("list-panes", "-a", "-F", "#{session_name} #{pane_id} #{pane_pid}").split("\n")
        row = next((r for r in rows if r.startswith(self.name)), None)
        if row is None:
            raise Failed("deck made no pane")
        _, self.pane, pid = row.split()
        self.pid = int(pid)

    def resize(self):
        """Give deck's screen another size again and again: the agent gets that of its preview."""
        for columns, rows in itertools.cycle(SIZES):
            if self.done.wait(RESIZE):
                return
            self.tmux("resize-window", "-x", str(columns), "-y", str(rows), socket=self.tui_socket, check=False)

    def stop(self):
        """Let everything that waits give up."""
        self.done.set()
        self.truth.stop()

    def check(self):
        """Whether the run was what it was meant to be."""
        if self.with_tui and not self.tmux("list-sessions", socket=self.tui_socket, check=False):
            self.truth.notes.append("deck's screen has ended")
        if self.no_report and not self.no_report.is_file():
            self.truth.notes.append("the agent made its session file all the same")

    def close(self):
        self.stop()
        if self.pid:
            end_group(self.pid)
        for socket in (self.tui_socket, self.socket):
            try:
                self.tmux("kill-server", socket=socket, check=False)
            except Failed as e:  # its processes are ended below
                self.truth.notes.append(str(e))
        end_all_of(str(self.home))
        self.proxy.close()

    # ---- what a user does

    def keys(self, *keys: str):
        """Press keys, with time for the agent between two."""
        for i, key in enumerate(keys):
            time.sleep(PASTE_PAUSE if i else 0)
            self.tmux("send-keys", "-t", self.pane, key)

    def paste(self, text: str):
        """Put text into the composer; again, if the agent wasn't ready for it yet."""
        for _ in range(4):
            self.keys("C-u")  # an interrupted prompt may be back in the composer
            time.sleep(PASTE_PAUSE)
            before = self.screen().count(text)
            self.tmux("load-buffer", "-b", "live", "-", text=text)
            self.tmux("paste-buffer", "-p", "-d", "-b", "live", "-t", self.pane)
            pasted = time.time()
            while time.time() < pasted + 2:
                if self.screen().count(text) > before:
                    time.sleep(max(0, pasted + PASTE_PAUSE - time.time()))
                    return
                time.sleep(0.05)

    def prompt(self, step: str, text: str, *ends: str):
        """Send a prompt whose requests leave these states behind when they end, one each; return when the first is open."""
        self.paste(text)
        self.truth.expect(*ends)
        self.truth.sent(step)
        for _ in range(3):
            self.keys("Enter")
            if self.truth.wait(lambda: self.truth.opened, 4):
                return
        raise Failed(f"{text!r} led to no request")

    def command(self, step: str, text: str):
        """Send a command of the agent's own, which makes no request and is done within a second."""
        self.paste(text)
        before = self.truth.now.states
        self.truth.set((*before, BUSY), f"{text} sent", step)
        self.keys("Enter")
        self.hold(1)
        self.truth.set(before, f"{text} done")
        self.hold()

    def answer(self, after: str, *keys: str):
        """Answer a dialog: with its last key the agent goes on to `after`."""
        self.all_but_last(keys)
        self.truth.set(after, f"{' '.join(keys)} pressed")
        self.keys(keys[-1])

    def all_but_last(self, keys: tuple[str, ...]):
        if keys[1:]:
            self.keys(*keys[:-1])
            time.sleep(PASTE_PAUSE)

    def interrupt(self, *keys: str):
        """Break the turn off. It is over when the agent hangs up on the model."""
        self.all_but_last(keys)
        self.truth.set((BUSY, READY), f"{' '.join(keys)} pressed")
        self.keys(keys[-1])

    def hold(self, seconds: float = 2.4):
        """Let deck look at a state that lasts."""
        if self.done.wait(seconds):
            raise Failed("broken off")

    def until(self, state: str, seconds: float = 20):
        if not self.truth.wait_for(state, seconds):
            raise Failed(f"not {state} within {seconds:.0f} s but {'|'.join(self.truth.now.states)} ({self.truth.now.why})")
        self.hold()

    def finish(self, state: str = READY, seconds: float = 40):
        """Wait for the end of the turn's last request."""
        if not self.truth.wait_turn(seconds):
            raise Failed(f"the turn didn't end within {seconds:.0f} s; {len(self.truth.ends)} requests missing")
        self.until(state, 1)

    def exit(self, command: str):
        self.paste(command)
        self.truth.set((*self.truth.now.states, STOPPED), f"{command} sent", "exit")
        self.keys("Enter")
        self.gone(STOPPED)

    def kill(self):
        self.truth.set((BUSY, KILLED), "kill -9", "kill")
        end_group(self.pid, signal.SIGKILL)
        self.gone(KILLED)

    def gone(self, state: str):
        self.wait_gone(self.pid, 15)
        self.truth.set(state, "the process is gone")
        self.hold()

    def wait_end_of(self, command: str, seconds: float):
        """Wait until the process with exactly this command line has ended."""
        pids = [pid for pid in pids_of(str(self.home)) if command_of(pid) == command]
        if not pids:
            raise Failed(f"no process {command!r}")
        self.wait_gone(pids[0], seconds)

    def wait_gone(self, pid: int, seconds: float):
        end = time.time() + seconds
        while alive(pid):
            if time.time() > end or self.done.is_set():
                raise Failed(f"the process {pid} didn't end within {seconds:.0f} s")
            time.sleep(0.01)

    # ---- looking; for pace and evidence only, never for the truth

    def screen(self) -> str:
        return self.tmux("capture-pane", "-p", "-t", self.pane, check=False)

    def wait_screen(self, pattern: str, seconds: float):
        end = time.time() + seconds
        while not re.search(pattern, self.screen()):
            if time.time() > end:
                raise Failed(f"/{pattern}/ not seen within {seconds:.0f} s:\n{self.screen().strip()}")
            time.sleep(0.1)

    def watch(self):
        """Ask deck every 200 ms until the agent is closed."""
        due = time.time()
        while not self.done.wait(max(0, due - time.time())):
            due = max(due + PACE, time.time())
            self.samples.append(self.look())

    def look(self) -> Sample:
        before = time.time()
        try:
            answer = next((s for s in json.loads(self.run(self.deck, "list", "--json")) if s["title"] == self.name), {})
        except (Failed, ValueError) as e:
            answer = {"status": "no answer", "reason": str(e)}
        sample = Sample(before, time.time(), answer.get("status", "missing"), answer.get("reason"), answer)
        states = self.truth.now.states
        news = self.samples and self.samples[-1].said != sample.said
        if states and (news or not any(is_right(s, sample.status, sample.reason) for s in states)):
            title = self.tmux("display-message", "-p", "-t", self.pane, "#{pane_title}", check=False)
            sample.pane = f"title: {title}{self.screen()}"
        return sample
