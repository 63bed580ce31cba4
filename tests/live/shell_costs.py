#!/usr/bin/env python3
"""What headless shells cost: plain python3, DECK_BIN names the binary of `make dist`. Prints a table; run it on an idle machine."""
import json
import os
import shutil
import statistics
import subprocess
import tempfile
import time

DECK = os.path.realpath(os.environ.get("DECK_BIN", "target/dist/deck"))
HOME = tempfile.mkdtemp(prefix="deck-costs-")
ENV = {"PATH": "/usr/local/bin:/usr/bin:/bin", "HOME": HOME, "DECK_HOME": f"{HOME}/deck", "LANG": "C.UTF-8"}
RUNS = 60


def deck(*args, **more):
    return subprocess.run([DECK, *args], env=ENV, cwd=HOME, capture_output=True, check=True, **more).stdout


def record(*args):
    return json.loads(deck("--json", *args))


def timed(act, runs=RUNS):
    """The median and the best time of a call, in milliseconds."""
    all_times = []
    for _ in range(runs):
        begun = time.perf_counter()
        act()
        all_times.append((time.perf_counter() - begun) * 1000)
    return statistics.median(all_times), min(all_times)


def row(what, value):
    print(f"| {what} | {value} |", flush=True)


def line(what, times, base=0.0):
    row(what, f"{times[0]:.1f} ms, best {times[1]:.1f}" + (f" ({times[0] - base:+.1f})" if base else ""))


class Server:
    """A client of `deck mcp`."""

    def __init__(self):
        self.process = subprocess.Popen([DECK, "mcp"], env=ENV, cwd=HOME, stdin=subprocess.PIPE,
                                        stdout=subprocess.PIPE, stderr=subprocess.DEVNULL)
        self.count = 0
        self.ask("initialize", {"protocolVersion": "2025-06-18", "capabilities": {},
                                "clientInfo": {"name": "costs", "version": "1"}})
        self.say({"method": "notifications/initialized"})

    def say(self, message):
        self.process.stdin.write(json.dumps({"jsonrpc": "2.0", **message}).encode() + b"\n")
        self.process.stdin.flush()

    def ask(self, method, params):
        self.count += 1
        self.say({"id": self.count, "method": method, "params": params})
        while True:
            answer = json.loads(self.process.stdout.readline())
            if answer.get("id") == self.count:
                return answer["result"]

    def call(self, tool, **arguments):
        result = self.ask("tools/call", {"name": tool, "arguments": arguments})
        assert not result.get("isError"), result
        return result["structuredContent"]


def memory(pid):
    """Private and highest resident memory of a process, in kB."""
    private = sum(int(l.split()[1]) for l in open(f"/proc/{pid}/smaps_rollup") if l.startswith("Private_"))
    highest = next(int(l.split()[1]) for l in open(f"/proc/{pid}/status") if l.startswith("VmHWM"))
    return private, highest


def wake_ups(pid):
    text = open(f"/proc/{pid}/status").read()
    return sum(int(l.split()[1]) for l in text.splitlines() if "ctxt_switches" in l)


def children(pid):
    return [int(p) for p in open(f"/proc/{pid}/task/{pid}/children").read().split()]


def folder_size(path):
    return sum(os.path.getsize(os.path.join(d, f)) for d, _, files in os.walk(path) for f in files
               if not os.path.islink(os.path.join(d, f)))


def supervisor_of(job):
    pid = record("job", "show", job)["pid"]
    stat = open(f"/proc/{pid}/stat").read().rsplit(") ", 1)[1]
    return int(stat.split()[1])


def main():
    print(f"load {os.getloadavg()[0]:.2f}, {os.cpu_count()} cores\n\n| what | measured |\n|---|---|")
    bash = timed(lambda: subprocess.run(["bash", "-c", ":"], env=ENV, cwd=HOME, check=True))
    line("`bash -c :`", bash)
    deck("shell", "start", "--name", "a")
    deck("shell", "exec", "a", ":")
    line("`deck shell exec a :`", timed(lambda: deck("shell", "exec", "a", ":")), bash[0])
    deck("shell", "start", "--name", "b")
    big = "".join(f"export V{n}='{'x' * 300}'\n" for n in range(150))
    big += "".join(f"f{n}() {{\n" + "  echo some words here\n" * 15 + "}\n" for n in range(200))
    deck("shell", "exec", "b", "-", input=big.encode())
    line("the same with 150 variables and 200 functions", timed(lambda: deck("shell", "exec", "b", ":")), bash[0])
    server = Server()
    shell = server.call("startSession")["sessionId"]
    server.call("exec", sessionId=shell, code=":")
    line("`exec` of a running `deck mcp`", timed(lambda: server.call("exec", sessionId=shell, code=":")), bash[0])
    for kind in ("sh", "python3", "node"):
        if shutil.which(kind, path=ENV["PATH"]):
            deck("shell", "start", "--name", kind, kind)
            deck("shell", "exec", kind, "0" if kind != "sh" else ":")
            line(f"`deck shell exec` in a {kind}",
                 timed(lambda: deck("shell", "exec", kind, "0" if kind != "sh" else ":")))
    job = deck("shell", "exec", "a", "sleep 1000", "--background").decode().strip()
    pid = supervisor_of(job)
    before = wake_ups(pid)
    time.sleep(5)
    row("a supervisor's private memory while its job is silent", f"{memory(pid)[0]} kB")
    row("its wake-ups in 5 s", wake_ups(pid) - before)
    begun = [0.0]

    def end_and_wait():
        job = deck("shell", "exec", "a", "read -r x", "--background", "--stdin", "open").decode().strip()
        waiting = subprocess.Popen([DECK, "job", "wait", job], env=ENV, cwd=HOME, stdout=subprocess.DEVNULL)
        time.sleep(0.05)
        fifo = os.path.join(record("shell", "show", "a")["folder"], "jobs", job.rsplit("-", 1)[1], "stdin")
        with open(fifo, "w") as stdin:
            begun[0] = time.perf_counter()
            stdin.write("go\n")
        waiting.wait()
        return (time.perf_counter() - begun[0]) * 1000

    waits = [end_and_wait() for _ in range(20)]
    row("from what ends a job to the return of `deck job wait`",
        f"{statistics.median(waits):.1f} ms, best {min(waits):.1f}")
    deck("job", "kill", job)
    begun = time.perf_counter()
    job = deck("shell", "exec", "a", "head -c 1000000000 /dev/zero; sleep 1000", "--background").decode().strip()
    pid = supervisor_of(job)
    while record("job", "show", job)["stdout"]["total"] < 1_000_000_000:
        time.sleep(0.01)
    took = time.perf_counter() - begun
    folder = os.path.join(record("shell", "show", "a")["folder"], "jobs", job.rsplit("-", 1)[1])
    row("1 GB to stdout", f"{1000 / took:.0f} MB/s, {memory(pid)[1] / 1000:.1f} MB at most, "
        f"{folder_size(folder) / 1e6:.1f} MB on disk")
    deck("job", "kill", job)
    for listed in record("shell", "list"):
        deck("shell", "end", listed["session_id"], "--kill")
    shutil.rmtree(HOME)


main()
