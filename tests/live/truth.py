"""What the agent really does: a time line that the script writes from what it did and from the model requests it saw.

Never from anything that deck reads: no screen, no title, no session file.
"""
from __future__ import annotations

import threading
import time
from dataclasses import dataclass, replace

from proxy import Request

BUSY, READY, FAILED, STOPPED, KILLED = "busy", "ready", "failed", "stopped", "killed"
PERMISSION, QUESTION, PLAN = "blocked:permission", "blocked:question", "blocked:plan"


@dataclass(frozen=True)
class Truth:
    """From `since` on, each of `states` is true. Two: a moment of change. None: not judged."""

    since: float
    states: tuple[str, ...]
    step: str
    why: str


def is_right(state: str, status: str, reason: str | None) -> bool:
    """Whether deck's answer says what is true."""
    reason = reason or ""
    match state.split(":"):
        case ["busy"]:
            return status == "running"
        case ["ready"]:
            return status == "idle" or (status, reason) == ("waiting", "finished")
        case ["blocked", kind]:
            return (status, reason) == ("waiting", kind)
        case ["failed"]:
            return status == "error" and reason in ("api error", "auth", "limit")
        case ["stopped"]:
            return status == "stopped"
        case ["killed"]:
            return status == "error" and "KILL" in reason
    raise ValueError(state)


class Timeline:
    """The truths in order. The states that follow the ends of a turn's requests are told before the turn."""

    def __init__(self):
        self.changed = threading.Condition()
        self.truths = [Truth(0.0, (), "start", "nothing is judged before the first prompt")]
        self.requests: list[Request] = []
        self.notes: list[str] = []
        self.open = 0
        self.opened = 0  # requests since the turn's start
        self.ends: list[str] = []
        self.last = READY
        self.stopped = False  # nobody waits any more

    @property
    def now(self) -> Truth:
        return self.truths[-1]

    def set(self, states, why: str, step: str | None = None, at: float | None = None):
        states = (states,) if isinstance(states, str) else tuple(dict.fromkeys(states))
        with self.changed:
            self.truths.append(Truth(at or time.time(), states, step or self.now.step, why))
            self.changed.notify_all()

    def void(self):
        """Nothing is known since the step began: it didn't go as told."""
        with self.changed:
            step = self.now.step
            self.truths = [replace(t, states=()) if t.step == step else t for t in self.truths]
            self.set((), "the step failed")
            self.ends = []

    def expect(self, *ends: str):
        """The next requests will leave these states behind when they end, one each."""
        with self.changed:
            self.ends, self.opened = list(ends), 0

    def sent(self, step: str):
        """A prompt is sent: busy as soon as its first request opens; until then what was, or busy."""
        self.set(self.now.states and (*self.now.states, BUSY), "prompt sent", step)

    def on_open(self, request: Request):
        with self.changed:
            self.requests.append(request)
            self.open, self.opened = self.open + 1, self.opened + 1
            self.set(BUSY, "a request is open", at=request.opened)

    def on_close(self, request: Request):
        with self.changed:
            self.open -= 1
            if STOPPED in self.now.states or KILLED in self.now.states:
                return
            if request.aborted:
                if READY not in self.now.states:
                    self.notes.append(f"{self.now.step}: the agent broke a request off by itself")
                after, self.ends = READY, []
            elif self.ends:
                after = self.last = self.ends.pop(0)
            elif request.status >= 400:
                after = self.last  # some try a refused request again at once, in other words
            else:
                after = READY
                self.notes.append(f"{self.now.step}: a request more than expected")
            why = "the agent hung up" if request.aborted else f"a request ended ({request.status})"
            self.set(BUSY if self.open else after, why, at=request.closed)

    def wait(self, condition, seconds: float) -> bool:
        """Wait until `condition()` holds; False when it didn't in time."""
        with self.changed:
            return self.changed.wait_for(lambda: self.stopped or condition(), seconds) and not self.stopped

    def stop(self):
        with self.changed:
            self.stopped = True
            self.changed.notify_all()

    def wait_for(self, state: str, seconds: float) -> bool:
        return self.wait(lambda: self.now.states == (state,) and (state == BUSY or not self.open), seconds)

    def wait_turn(self, seconds: float) -> bool:
        """Wait until every request that the turn was said to make has ended."""
        return self.wait(lambda: not self.open and not self.ends, seconds)
