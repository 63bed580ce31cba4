#!/usr/bin/env python3
"""Ends decks at bad moments and counts how often the tmux server dies of it (docs/decisions/0005).

    tests/live/kills.py DECK MODE RUNS [SEED]

MODE is `status:SECONDS` (two loops of `deck status`, ended after so many seconds), `mixed` (four loops of all
verbs, ended within 30 ms by INT, TERM or KILL), `watch` (a watcher that is killed, beside two loops of
`status`), `tui` (a TUI that is opened and ended, beside three loops of all verbs), `slow` (a server under strace, four
loops that are interrupted), `stopped` (a server that is stopped for up to two seconds now and then, beside three
interrupted loops), `all` (each in turn). DECK is a built binary. Everything is in a temporary folder with its own
server; what was started is ended by its process id. Exits 1 if a server died.
"""
import os, pty, random, shutil, signal, subprocess, sys, tempfile, threading, time

VERBS = [["status"], ["list"], ["list", "--json"], ["show", "s"], ["output", "s"], ["explain", "s"], ["next"],
         ["add", "/tmp", "-c", "cat"], ["stop", "s"], ["restart", "s"], ["rm", "s", "--stop"], ["keys", "s", "Enter"],
         ["wait", "s", "--for", "exit"], ["list", "--watch"], ["send", "s", "hi"]]
SIGNALS = [signal.SIGINT, signal.SIGTERM, signal.SIGKILL]


class World:
    def __init__(self, deck):
        self.deck, self.runs, self.deaths = deck, 0, 0
        self.dir = tempfile.mkdtemp(prefix="deck-kills-")
        for name in ("tmux", "home"):
            os.mkdir(f"{self.dir}/{name}", 0o700)
        self.env = {"PATH": os.environ["PATH"], "HOME": f"{self.dir}/home", "DECK_HOME": f"{self.dir}/x",
                    "DECK_SOCKET": "x", "TMUX_TMPDIR": f"{self.dir}/tmux", "LANG": "C.UTF-8", "SHELL": "/bin/sh"}
        self.lock = threading.Lock()
        self.pid = self.begin()

    def run(self, *args):
        return subprocess.run([self.deck, *args], env=self.env, stdin=subprocess.DEVNULL, capture_output=True)

    def tmux(self, *args):
        return subprocess.run(["tmux", "-N", "-L", "x", *args], env=self.env, stdin=subprocess.DEVNULL,
                              capture_output=True, timeout=60).stdout.decode().strip()

    def begin(self):
        for title in ("s", f"t{random.random()}"):
            done = self.run("add", "/tmp", "-t", title, "-c", "cat")
            if done.returncode:
                sys.exit(f"add failed: {done.stderr.decode()}")
        return self.tmux("display-message", "-p", "#{pid}")

    def look(self):
        if self.tmux("display-message", "-p", "#{pid}") != self.pid:
            self.deaths += 1
            print(f"the server died by run {self.runs}", flush=True)
            self.pid = self.begin()

    def one(self, args, seconds, sig):
        child = subprocess.Popen([self.deck, *args], env=self.env, stdin=subprocess.DEVNULL,
                                 stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        try:
            child.wait(seconds)
        except subprocess.TimeoutExpired:
            child.send_signal(sig)
            try:
                child.wait(60)
            except subprocess.TimeoutExpired:
                print("had to be killed:", args)
                child.kill()
                child.wait()
        with self.lock:
            self.runs += 1

    def screen(self, seconds, sig):
        """Opens the TUI on a terminal, and ends it after a while."""
        pid, terminal = pty.fork()
        if pid == 0:
            os.execve(self.deck, [self.deck], {**self.env, "TERM": "xterm-256color"})
        reader = threading.Thread(target=drain, args=(terminal,))
        reader.start()
        time.sleep(seconds)
        os.kill(pid, sig)
        until = time.time() + 60
        while os.waitpid(pid, os.WNOHANG) == (0, 0):
            if time.time() > until:
                print("the TUI had to be killed")
                os.kill(pid, signal.SIGKILL)
            time.sleep(0.02)
        reader.join()
        os.close(terminal)
        with self.lock:
            self.runs += 1

    def tidy(self):
        if self.run("show", "s").returncode:
            self.run("add", "/tmp", "-t", "s", "-c", "cat")
        ids = self.run("list", "-q").stdout.decode().split()
        if len(ids) > 30:
            self.run("rm", "--stop", *ids[:-5])

    def end(self):
        for pid in filter(str.isdigit, os.listdir("/proc")):
            try:
                if self.dir.encode() in open(f"/proc/{pid}/environ", "rb").read():
                    os.kill(int(pid), signal.SIGKILL)
            except OSError:
                pass
        shutil.rmtree(self.dir, ignore_errors=True)


def mixed(world, chance):
    verb = chance.choice(VERBS)
    if verb[0] in ("stop", "restart", "rm") and chance.random() < 0.7:
        verb = ["status"]
    world.one(verb, chance.random() * 0.03, chance.choice(SIGNALS))


def drain(terminal):
    try:
        while os.read(terminal, 65536):
            pass
    except OSError:
        pass


def loop(world, mode, number, rounds, seed):
    chance = random.Random(seed * 100 + number)
    for _ in range(rounds):
        if mode.startswith("status:"):
            world.one(["status"], float(mode.split(":")[1]), signal.SIGTERM)
        elif mode == "tui" and number == 0:
            world.screen(chance.random() * 3, chance.choice(SIGNALS))
        elif mode == "slow":
            verb = chance.choice([["status"], ["list"], ["show", "s"], ["add", "/tmp", "-c", "cat"]])
            world.one(verb, chance.random() * 0.15, signal.SIGINT)
        elif mode == "stopped" and number == 0:
            os.kill(int(world.pid), signal.SIGSTOP)
            time.sleep(chance.random() * 2)
            os.kill(int(world.pid), signal.SIGCONT)
            time.sleep(chance.random())
        elif mode == "stopped":
            world.one(chance.choice([["status"], ["list"], ["restart", "s"]]), chance.random(), signal.SIGINT)
        elif mode in ("mixed", "tui"):
            for _ in range(20 if mode == "tui" else 1):
                mixed(world, chance)
        elif number == 0:
            verb = chance.choice([["list", "--watch"], ["wait", "s", "--for", "exit"]])
            world.one(verb, chance.random() * 8, chance.choice(SIGNALS))
        else:
            for _ in range(100):
                world.one(["status"], 60, signal.SIGTERM)


def measure(deck, mode, runs, seed):
    world, begun = World(deck), time.time()
    loops, rounds = {"mixed": (4, 50), "watch": (3, 5), "tui": (4, 5), "slow": (4, 25), "stopped": (4, 10)}.get(mode, (2, 50))
    try:
        while world.runs < runs:
            slow = subprocess.Popen(["strace", "-f", "-qq", "-o", "/dev/null", "-p", world.pid]) if mode == "slow" else None
            threads = [threading.Thread(target=loop, args=(world, mode, n, rounds, seed)) for n in range(loops)]
            [t.start() for t in threads]
            [t.join() for t in threads]
            if slow:
                slow.terminate()
                slow.wait()
            seed += 1
            world.look()
            world.tidy()
        time.sleep(1)
        clients = len(world.tmux("list-clients").splitlines())
        print(f"{mode}: {world.runs} runs, {world.deaths} deaths, {time.time() - begun:.0f} s, clients left: {clients}")
        return world.deaths
    finally:
        world.end()


if __name__ == "__main__":
    # A script that a shell started in the background would hand on that ctrl-c is ignored.
    signal.signal(signal.SIGINT, signal.SIG_DFL)
    deck, mode, runs = os.path.abspath(sys.argv[1]), sys.argv[2], int(sys.argv[3])
    seed = int(sys.argv[4]) if len(sys.argv) > 4 else 1
    modes = ["status:0.006", "status:0.012", "mixed", "watch", "tui", "slow", "stopped"] if mode == "all" else [mode]
    sys.exit(1 if sum(measure(deck, m, runs, seed) for m in modes) else 0)
