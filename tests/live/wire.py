"""The model requests of one deck's agents: which are open, when they came, and what the user has said in them.

From a proxy and a mock model of its own that keeps whole requests; never from anything that deck or its agents keep.
"""
from __future__ import annotations

import json
import subprocess
import sys
import threading
import time
from dataclasses import dataclass
from pathlib import Path

from proxy import Proxy, Request, tools_of


@dataclass
class Asked:
    """One model request: when it came, and the texts that stand there as the user's, oldest first."""

    at: float
    said: list[str]

    @property
    def text(self) -> str:
        return "\n".join(self.said)


def said_in(body: dict) -> list[str]:
    """What the user has said, in each of the four protocols."""
    said = []
    for item in body.get("messages") or body.get("contents") or body.get("input") or []:
        if isinstance(item, dict) and item.get("role") == "user":
            content = item.get("content") or item.get("parts") or []
            parts = [content] if isinstance(content, str) else [p.get("text") for p in content if isinstance(p, dict)]
            said.append("\n".join(p for p in parts if isinstance(p, str)))
    return said


class Wire:
    """Stands between the agents on `port` and the model."""

    def __init__(self, mock: Path, folder: Path):
        self.dumps = folder / "dumps"
        self.dumps.mkdir(parents=True)
        self.mock = subprocess.Popen([sys.executable, mock, "--port", "0", "--dump", self.dumps],
                                     stdout=subprocess.PIPE, text=True, start_new_session=True)
        said = self.mock.stdout.readline()  # "mock model on http://127.0.0.1:PORT (pid N)"
        self.lock, self.requests = threading.Lock(), []
        self.read, self.asked = set(), []
        self.proxy = Proxy(int(said.split("127.0.0.1:")[1].split()[0]), self.opened, lambda _: None)
        self.port = self.proxy.port

    def opened(self, request: Request):
        with self.lock:
            self.requests.append(request)

    def close(self):
        self.proxy.close()
        self.mock.terminate()
        self.mock.wait(5)

    def open_at(self, at: float) -> list[Request]:
        """The requests that were open then."""
        with self.lock:
            return [r for r in self.requests if r.opened <= at and (r.closed is None or r.closed > at)]

    def look(self) -> list[Asked]:
        """All requests of conversations so far; those without tools are about titles and the like."""
        for path in sorted(self.dumps.iterdir()):
            if path.name in self.read:
                continue
            try:
                dump = json.loads(path.read_text())
            except ValueError:
                break  # still being written; in order
            if tools_of(dump["path"], json.dumps(dump["body"]).encode()):
                self.asked.append(Asked(path.stat().st_mtime, said_in(dump["body"])))
            self.read.add(path.name)
            path.write_text("")
        return self.asked

    def first(self, word: str) -> Asked | None:
        """The first request in which the user has said this."""
        return next((a for a in self.look() if word in a.text), None)

    def last(self, *words: str) -> Asked | None:
        """The last request in which the user has said one of these."""
        return next((a for a in reversed(self.look()) if any(w in a.text for w in words)), None)

    def wait(self, word: str, seconds: float) -> Asked | None:
        """The first request with this, as soon as it comes."""
        end = time.time() + seconds
        while not (found := self.first(word)) and time.time() < end:
            time.sleep(0.1)
        return found

    def wait_quiet(self, seconds: float, quiet: float = 0.5) -> bool:
        """Wait until no request has been open for a while."""
        end = time.time() + seconds
        while time.time() < end:
            now = time.time()
            with self.lock:
                busy = any(r.closed is None or r.closed > now - quiet for r in self.requests)
            if not busy:
                return True
            time.sleep(0.1)
        return False
