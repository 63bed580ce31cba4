"""The lab's agents and mock model, seen through a folder of the run's own, so that runs and users of the lab don't meet."""
from __future__ import annotations

import os
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from pathlib import Path


class Lab:
    """A private view of the lab: its programs and scripts, but HOMEs, logs and the mock model are the run's."""

    def __init__(self, real: Path):
        # Beside the lab and not in /tmp: an agent refuses settings in a folder that others can write to.
        (real / "live").mkdir(exist_ok=True)
        self.path = Path(tempfile.mkdtemp(prefix="", dir=real / "live"))
        for entry in ("bin", "cli", "env.sh", "lab.sh", "mock_model.py"):
            if (real / entry).exists():
                (self.path / entry).symlink_to(real / entry)
        (self.path / "logs").mkdir()
        self.mock = subprocess.Popen([sys.executable, real / "mock_model.py", "--port", "0", "--log", self.path / "logs/requests.jsonl"],
                                     stdout=subprocess.PIPE, text=True, start_new_session=True)
        said = self.mock.stdout.readline()  # "mock model on http://127.0.0.1:PORT (pid N)"
        self.mock_port = int(said.split("127.0.0.1:")[1].split()[0])
        (self.path / "logs/mock.pid").write_text(str(self.mock.pid))  # so that env.sh starts no other

    def env(self, name: str, port: int, project: Path) -> dict[str, str]:
        """The environment of a throw-away HOME in which the agents talk to the model on `port` and trust `project`."""
        script = '. "$LAB/env.sh" "$0" "$1" >&2; env -0'
        given = {k: v for k, v in os.environ.items() if not k.startswith(("LC_", "DECK_"))}
        out = subprocess.run(["bash", "-c", script, name, project], env=given | {"LAB": str(self.path), "PORT": str(port)},
                             capture_output=True, timeout=30, check=True).stdout
        return dict(line.split("=", 1) for line in out.decode().split("\0") if "=" in line)

    def close(self):
        self.mock.terminate()
        self.mock.wait(5)
        shutil.rmtree(self.path, ignore_errors=True)


def alive(pid: int) -> bool:
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    return True


def end_group(pid: int, sig=signal.SIGTERM):
    try:
        os.killpg(pid, sig)
    except (ProcessLookupError, PermissionError):
        pass


def end_all_of(home: str, seconds: float = 5):
    """End what still runs in a throw-away HOME: agents that outlived their terminal, daemons they left behind."""
    begun = time.time()
    while (pids := pids_of(home)) and time.time() < begun + 2 * seconds:
        sig = signal.SIGTERM if time.time() < begun + seconds else signal.SIGKILL
        for pid in pids:
            try:
                os.kill(pid, sig)
            except ProcessLookupError:
                pass
        time.sleep(0.1)


def pids_of(home: str) -> list[int]:
    """Processes whose environment has this HOME, which only this run made."""
    found = []
    for entry in Path("/proc").glob("[0-9]*/environ"):
        try:
            if f"HOME={home}".encode() in entry.read_bytes().split(b"\0"):
                found.append(int(entry.parent.name))
        except OSError:
            pass
    return found


def command_of(pid: int) -> str:
    """A process's command line, or nothing when it has ended."""
    try:
        return Path(f"/proc/{pid}/cmdline").read_bytes().rstrip(b"\0").replace(b"\0", b" ").decode(errors="replace")
    except OSError:
        return ""
