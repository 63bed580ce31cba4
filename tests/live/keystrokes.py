#!/usr/bin/env python3
"""Test on the real agents that text reaches them as it was typed: pasted in deck's screen, beside a half-typed line, into a program that
reads lines, and as the first prompt of many sessions at once."""
from __future__ import annotations

import argparse
import os
import re
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path

sys.dont_write_bytecode = True  # no folders of compiled files in the project

from bench import Bench, Failed, fresh
from lab import Lab

TOOLS = ("claude", "gemini", "codex", "opencode")
PARTS = ("paste", "unsent", "line", "burst")
ARGS = {"claude": ("--", "--permission-mode", "manual")}
COLUMNS, ROWS = 120, 36  # of deck's screen
GRACE = 8.0  # seconds in which a message that must not come could still come
LINES = "one", "two", "three", "four"
FOLDED = r"\[Pasted (text #\d+ \+3|~4) lines\]"  # what an agent shows for four lines

# A program that reads lines, works on some and asks after others.
VIBE = r"""#!/bin/bash
while read -p "vibe> " l; do
  case $l in
    work) echo executing...; sleep 8;;
    ask*) read -p "approve? [y/n] " a; echo "got <$a>";;
    *) echo "you said <$l>";;
  esac
done
"""
CONFIG = """[tools.vibe]
command = "{}"
busy_patterns = ["executing"]
prompt_patterns = ["approve?", "[y/n]"]
"""


class Screen:
    """deck's own screen, in a terminal of a tmux server of its own."""

    def __init__(self, b: Bench):
        self.b, self.socket = b, f"{b.socket}-screen"
        self.tmux("-f", "/dev/null", "new-session", "-d", "-x", str(COLUMNS), "-y", str(ROWS), b.program)

    def close(self):
        self.tmux("kill-server")

    def tmux(self, *command: str) -> str:
        return self.b.run("tmux", "-L", self.socket, *command, seconds=20).out

    def look(self) -> str:
        return self.tmux("capture-pane", "-p").rstrip()

    def until(self, pattern: str, what: str, seconds: float = 30) -> str:
        """The first frame that matches."""
        end = time.time() + seconds
        while not re.search(pattern, frame := self.look(), re.S):
            if time.time() > end:
                raise Failed(f"deck's screen never shows {what}:\n{short(frame)}")
            time.sleep(0.1)
        self.b.note(f"deck's screen shows {what}:\n{short(frame)}")
        return frame

    def keys(self, *keys: str):
        for key in keys:
            self.tmux("send-keys", key)
            time.sleep(0.3)

    def type(self, text: str):
        self.tmux("send-keys", "-l", text)

    def paste(self, text: str):
        """Paste as a terminal does."""
        self.tmux("set-buffer", text, ";", "paste-buffer", "-p")

    def enter(self):
        """Begin to type into the selected session."""
        self.keys("i")
        self.until(r"all other keys go to the agent", "that keys go to the agent")

    def leave(self):
        self.keys("C-q")
        self.until(r"q quit|\? help", "its own keys again")


def short(frame: str) -> str:
    """A frame without its empty lines."""
    return "\n".join(line.rstrip() for line in frame.split("\n") if line.strip(" │"))


def wait(test: Callable[[], object], seconds: float) -> bool:
    end = time.time() + seconds
    while not test():
        if time.time() > end:
            return False
        time.sleep(0.1)
    return True


def pane(b: Bench, title: str = "one") -> str:
    """What a session's own terminal shows."""
    return b.screen(title).partition("\n")[2]


def said(b: Bench, word: str) -> list[str]:
    """What the user has said with this word in it, each message once, as the last request that has it tells."""
    last = b.wire.last(word)
    return [one for one in (last.said if last else []) if word in one]


def begin(b: Bench) -> Screen:
    """One agent that is idle, and deck's screen with it selected."""
    b.done("add", str(b.project), "-t", "one", "-c", b.tool, *ARGS.get(b.tool, ()))
    b.idle("one")
    s = Screen(b)
    s.until(r"○[^\n]* one .*idle", "the session")
    time.sleep(2)  # the agent gets the size of the preview
    return s


def quiet(b: Bench):
    b.wire.wait_quiet(60)
    b.idle("one")


# ---- four lines, pasted


def paste(b: Bench):
    s = begin(b)
    try:
        pasted(b, s, "four lines", LINES)
        pasted(b, s, "four lines and a quick Enter", LINES, hurried=True)
        pasted(b, s, "forty lines", tuple(f"line {n} of forty" for n in range(1, 41)))
    finally:
        s.close()


def pasted(b: Bench, s: Screen, name: str, lines: tuple[str, ...], hurried: bool = False):
    word = fresh("paste")
    lines = *lines[:-1], f"{lines[-1]} {word}"
    s.enter()
    s.paste("\n".join(lines))
    if hurried:
        time.sleep(0.1)  # sooner, Gemini takes it for a part of the paste
    else:
        # A field shows four lines or stands something in for them; of more the last ones.
        plain = r"[^\n]*\n[^\n]*".join(map(re.escape, lines[-4:]))
        holds = lambda shown: re.search(FOLDED if len(lines) == 4 else r"\[Pasted", shown) or re.search(plain, shown)
        b.check(wait(lambda: holds(pane(b)) and holds(s.look()), 15), f"{name}: the field holds them", short(s.look()), "one")
        b.note(f"{name}: deck's screen shows\n{short(s.look())}")
        b.check(not b.wire.first(word), f"{name}: nothing is sent before Enter", str(said(b, word)))
    s.keys("Enter")
    b.check(b.wire.wait(word, 40) is not None, f"{name}: they arrive", short(s.look()), "one")
    quiet(b)
    got = said(b, word)
    b.note(f"{name}: the model got {got!r}")
    b.check(len(got) == 1 and got[0].count(word) == 1 and "\n".join(lines) in got[0], f"{name}: as so many lines, once", repr(got), "one")
    s.leave()


# ---- beside a half-typed line


def unsent(b: Bench):
    s = begin(b)
    try:
        refused(b, s)
        shell_ways(b, s)
        screen_ways(b, s)
        odd_fields(b, s)
    finally:
        s.close()


def half(b: Bench, s: Screen, text: str = "half typed"):
    """Type something into the agent's field and go away."""
    s.enter()
    s.type(text)
    s.until(re.escape(text.strip()), "the half-typed line")
    s.leave()


def message(b: Bench, s: Screen, text: str) -> str:
    """Send a message in deck's screen; the frame that says what became of it."""
    s.keys("s")
    s.until(r"enter send", "the message field")
    s.keys("C-u")  # a message that was refused before is there again
    s.type(text)
    s.until(re.escape(text), "the message")
    s.keys("Enter")
    return s.until(r"unsent input|delivered|queued|not confirmed|sent to", "what became of the message")


def never(b: Bench, word: str, what: str):
    b.check(not wait(lambda: b.wire.first(word), GRACE), what, str(said(b, word)), "one")


def alone(b: Bench, word: str, text: str, what: str):
    b.check(arrives(b, word, text), what, repr(said(b, word)), "one")


def refused(b: Bench, s: Screen):
    half(b, s)
    word = fresh("screen")
    frame = message(b, s, f"ECHO {word}")
    for way in ("replace", "append", "cancel"):
        b.check(way in frame.lower(), f"the screen names {way}", short(frame))
    b.check("half typed" in pane(b), "the half-typed line is still there", pane(b))
    never(b, word, "a refused message of the screen never comes")
    s.keys("Escape", "Escape")
    word = fresh("shell")
    for json_too in ((), ("--json",)):
        refusal = b.deck("send", *json_too, "one", f"ECHO {word}")
        b.check(refusal.code == 6 and all(o in refusal.err for o in ("--clear", "--append")), f"send {''.join(json_too)} refuses and names its ways", str(refusal))
    never(b, word, "a refused message of the command line never comes")


def shell_ways(b: Bench, s: Screen):
    """The line of the last step is still there."""
    word = fresh("new")
    b.done("send", "--clear", "one", f"ECHO {word}")
    alone(b, word, f"ECHO {word}", "--clear replaces the line")
    half(b, s)
    word = fresh("new")
    b.done("send", "--append", "one", f" {word}")
    alone(b, word, f"half typed {word}", "--append adds to the line")


def way(frame: str, name: str) -> str | None:
    """The key that the screen gives for a way out."""
    found = re.search(rf"(\S+) {name}\b", frame)
    return {"esc": "Escape", "enter": "Enter"}.get(found[1], found[1]) if found else None


def screen_ways(b: Bench, s: Screen):
    for name in ("replace", "append", "cancel"):
        word, line = fresh("new"), fresh("old")
        half(b, s, f"{line} ")
        frame = message(b, s, f"ECHO {word}")
        key = way(frame, name)
        if b.check(key is not None, f"the screen gives a key to {name}", short(frame)):
            s.keys(key)
            if name == "cancel":
                never(b, word, "cancel sends nothing")
                b.check(line in pane(b), "cancel leaves the line", pane(b))
            else:
                alone(b, word, f"ECHO {word}" if name == "replace" else f"{line} ECHO {word}", f"{name} in the screen")
        else:
            # What the screen offers instead: look at the line and clear it there, then send what was kept.
            s.keys("Escape", "i")
            s.keys(*["BSpace"] * (len(line) + 1))
            b.check(wait(lambda: line not in pane(b), 5), "the line can be cleared with i", pane(b))
            s.leave()
            s.keys("s")
            s.until(word, "the refused message, kept")
            s.keys("Enter")
            alone(b, word, f"ECHO {word}", "the kept message, once the line is gone")
        empty(b)


def odd_fields(b: Bench, s: Screen):
    """What may be in a field besides one line with the cursor at its end: its text, how it comes there, the keys after it."""
    for name, text, is_pasted, keys in (
        ("the cursor inside of a line", "{} half typed", False, ["Left"] * 5),
        ("three lines", "{0}-a\n{0}-b\n{0}-c", True, []),
        ("five lines", "{0}-a\n{0}-b\n{0}-c\n{0}-d\n{0}-e", True, []),
        ("the cursor above the last of three lines", "{0}-a\n{0}-b\n{0}-c", True, ["Up", "Left"]),
    ):
        for option in ("--clear", "--append"):
            old, new = fresh("old"), fresh("new")
            text_now = text.format(old)
            s.enter()
            (s.paste if is_pasted else s.type)(text_now)
            time.sleep(2)
            s.keys(*keys)
            s.leave()
            refusal = b.deck("send", "one", f"ECHO {new}")
            b.check(refusal.code == 6, f"{name}: send refuses", str(refusal), "one")
            sent = b.deck("send", option, "one", f" ECHO {new}", seconds=300)
            b.check(sent.took < 15, f"{name}: {option} is quick", f"{sent.took:.0f} s")
            want = f"ECHO {new}" if option == "--clear" else f"{text_now} ECHO {new}"
            b.check(sent.code == 0 and arrives(b, new, want), f"{name}: {option} does what it says", f"{sent}\n{said(b, new)!r}", "one")
            if option == "--clear":
                b.check(not said(b, old), f"{name}: what was there never comes", repr(said(b, old)))
            empty(b)


def arrives(b: Bench, word: str, text: str) -> bool:
    """Whether the message comes, once, and nothing with it but what agents put around their users' words."""
    b.wire.wait(word, 40)
    quiet(b)
    got = [re.sub(r"</?pasted_content[^>]*>\n?", "", one.split("\n</system-reminder>\n")[-1].split("</session_context>")[-1]).strip() for one in said(b, word)]
    b.note(f"the model got {got!r}")
    return [" ".join(one.split()) for one in got] == [" ".join(text.split())]


def empty(b: Bench):
    """Delete what is left in the field, wherever the cursor is."""
    where = b.rows()["one"]["tmux"]["pane_id"]
    for keys in (["Down"] * 5, ["End"], ["-N", "150", "BSpace"]):
        b.run("tmux", "-L", b.socket, "send-keys", "-t", where, *keys)
        time.sleep(0.5)


# ---- a program that reads lines


def line(b: Bench):
    program = b.home / "bin/vibe"
    program.parent.mkdir(exist_ok=True)
    program.write_text(VIBE)
    program.chmod(0o755)
    (b.home / ".deck").mkdir(parents=True, exist_ok=True)
    (b.home / ".deck/config.toml").write_text(CONFIG.format(program))
    b.done("tool", "check")
    b.done("add", str(b.project), "-t", "vibe", "-c", "vibe")
    s = Screen(b)
    try:
        s.until(r"vibe>", "the program's prompt")
        asked(b, s)
        worked(b, s)
        history = b.done("explain", "vibe", "--history").out
        b.check(history.count("waiting · permission") == len(ANSWERS), "it is said to ask as often as it asked", history)
        print(f"note {b.name}: the history, newest first:\n{history}", flush=True)
    finally:
        s.close()


ANSWERS = "screen", "shell", "again"


def shows(b: Bench, text: str, times: int = 1, seconds: float = 15) -> bool:
    return wait(lambda: pane(b, "vibe").count(text) >= times, seconds)


def asks(b: Bench) -> bool:
    return wait(lambda: b.rows()["vibe"]["reason"] == "permission", 15)


def asked(b: Bench, s: Screen):
    b.done("send", "vibe", "hello")
    b.check(shows(b, "you said <hello>"), "a message arrives", pane(b, "vibe"))
    for number, answer in enumerate(ANSWERS, 1):
        b.done("send", "vibe", f"ask {number}")
        at_once = b.deck("send", "vibe", "too early")
        b.check(at_once.code == 6, "send refuses while it asks, at once", str(at_once), "vibe")
        b.check(asks(b), "it is seen to ask", pane(b, "vibe"))
        later = b.deck("send", "vibe", "too early")
        b.check(later.code == 6, "send refuses while it asks", str(later), "vibe")
        time.sleep(2)
        b.check(pane(b, "vibe").count("got <") == number - 1, "nothing answers by itself", pane(b, "vibe"))
        if answer == "screen":
            s.until(r"asks: permission", "the question")
            s.keys("a")
            s.until(r"vibe asks.*enter answer", "the answers")
            s.type("y")
            s.keys("Enter")
        else:
            b.done("answer", "vibe", "--text", "y")
        b.check(shows(b, "got <y>", number), f"the answer arrives: {answer}", pane(b, "vibe"))
        b.check("got <>" not in pane(b, "vibe"), "no empty answer", pane(b, "vibe"))
        b.check(wait(lambda: b.rows()["vibe"]["reason"] != "permission", 5), "it no longer asks", pane(b, "vibe"))


def worked(b: Bench, s: Screen):
    for how in "shell", "screen":
        b.done("send", "vibe", "work")
        b.check(shows(b, "executing", 1, 10), "it works", pane(b, "vibe"))
        word, begun = fresh(how), time.time()
        if how == "shell":
            b.done("send", "vibe", word)
        else:
            message(b, s, word)
        b.note(f"said after {time.time() - begun:.1f} s")
        b.check(shows(b, f"you said <{word}>", 1, 20), f"a message of the {how} while it works arrives", pane(b, "vibe"))
        time.sleep(3)
        b.check(pane(b, "vibe").count(f"<{word}>") == 1, f"a message of the {how} arrives once", pane(b, "vibe"))
        b.check("you said <>" not in pane(b, "vibe"), f"no empty lines with a message of the {how}", pane(b, "vibe"))
    ended = time.time()
    left = wait(lambda: b.rows()["vibe"]["status"] != "running", 20)
    print(f"note {b.name}: {'not running' if left else 'still running'} {time.time() - ended:.0f} s after its work", flush=True)


# ---- many first prompts at once


def burst(b: Bench, count: int, at_once: int, loops: int):
    """Each first prompt comes once, or the session says that it didn't and has it as a draft."""
    titles = [f"o{n}" for n in range(1, count + 1)]
    with (b.log.parent / f"{b.name}-watch.jsonl").open("w") as changes:
        watcher = subprocess.Popen([b.program, "list", "--watch", "--json"], env=b.env, cwd=b.project, stdin=subprocess.DEVNULL, stdout=changes)
        busy = [subprocess.Popen(["bash", "-c", "while :; do :; done"]) for _ in range(loops)]
        begun = time.time()
        try:
            script = 'seq "$1" | xargs -P"$2" -I{} "$0" add "$3" -c "$4" -t o{} --prompt "ECHO {}"'
            added = b.run("bash", "-c", script, b.program, str(count), str(at_once), str(b.project), b.tool, seconds=1800)
            b.note(str(added))
            print(f"note {b.name}: {count} added after {time.time() - begun:.0f} s, exit {added.code}, {added.err.count('warning')} warnings", flush=True)
            wait(lambda: all(b.rows().get(t, {}).get("status") in ("idle", "waiting", "error") for t in titles), 120)
            b.wire.wait_quiet(120, 10)
        finally:
            for one in (*busy, watcher):
                one.terminate()
                one.wait()
    judge(b, titles)


def judge(b: Bench, titles: list[str]):
    requests, rows = b.wire.look(), b.rows()
    came, drafts, lost = [], [], []
    for title in titles:
        prompt, row = f"ECHO {title[1:]}", rows.get(title, {})
        # A conversation repeats what was said in each of its requests.
        times = [sum(part.strip() == prompt for one in a.said for part in one.split("\n")) for a in requests]
        shown, history = b.deck("show", title).out, b.deck("explain", title, "--history").out
        (came if any(times) else drafts if row.get("draft") else lost).append(title)
        if any(times):
            b.check(max(times) == sum(times) == 1, f"{title}: its prompt comes once", str(times), title)
            b.check(not row.get("draft"), f"{title}: nothing is left to send", str(row.get("draft")), title)
        else:
            b.check("prompt not sent" in shown and prompt in shown, f"{title}: its prompt didn't come, and deck has it", shown, title)
            b.check("finished" not in history, f"{title}: never finished without its prompt", history, title)
    print(f"note {b.name}: of {len(titles)} prompts {len(came)} came, {len(drafts)} are drafts, {len(lost)} are lost: {' '.join(lost)}", flush=True)


# ---- the run


def options() -> argparse.Namespace:
    p = argparse.ArgumentParser(description=__doc__)
    p.add_argument("parts", nargs="*", default=list(PARTS), help=", ".join(PARTS) + " (default: all)")
    p.add_argument("--tools", default=",".join(TOOLS), help="which agents (default: %(default)s; line has a program of its own, burst is with opencode alone)")
    p.add_argument("--count", type=int, default=20, help="how many sessions burst adds (default: %(default)s)")
    p.add_argument("--at-once", type=int, default=4, help="how many of them at once (default: %(default)s)")
    p.add_argument("--loops", type=int, default=2, help="how many busy loops beside them (default: %(default)s)")
    given = p.parse_args()
    given.tools = given.tools.split(",")
    if unknown := [x for x in given.parts if x not in PARTS] + [t for t in given.tools if t not in TOOLS]:
        p.error(f"unknown: {', '.join(unknown)}")
    return given


def play(b: Bench, o: argparse.Namespace) -> bool:
    """One part with one agent, to its end or to where nothing can follow."""
    try:
        match b.part:
            case "paste":
                paste(b)
            case "unsent":
                unsent(b)
            case "line":
                line(b)
            case "burst":
                burst(b, o.count, o.at_once, o.loops)
    except Failed as e:
        b.check(False, "the part runs to its end", str(e), *b.rows())
    finally:
        b.close()
    failed = [what for ok, what in b.results if not ok]
    print(f"{b.part:8}{b.tool:10}{len(b.results) - len(failed):4} held{len(failed):4} failed", flush=True)
    return not failed


def main() -> int:
    o = options()
    place = os.environ.get("DECK_LAB")
    if not place or not (Path(place) / "env.sh").is_file():
        print("DECK_LAB isn't set to the folder of the lab, with its env.sh. README.md says how to get one.", file=sys.stderr)
        return 2
    deck = Path(os.environ.get("DECK_BIN", "target/debug/deck")).resolve()
    if not deck.is_file():
        print(f"{deck} is missing: build deck, or set DECK_BIN.", file=sys.stderr)
        return 2
    signal.signal(signal.SIGTERM, signal.default_int_handler)
    out = Path(tempfile.mkdtemp(prefix="deck-keystrokes-"))
    lab, held = Lab(Path(place).resolve()), []
    try:
        for part in o.parts:
            for tool in {"line": ["line"], "burst": ["opencode"]}.get(part, o.tools):
                held.append(play(Bench(lab, deck, part, tool, out), o))
    except KeyboardInterrupt:
        print("broken off", file=sys.stderr)
        return 130
    finally:
        lab.close()
    print(f"{'passed' if all(held) else 'failed'}; every command, answer and frame: {out}")
    return 0 if all(held) else 1


if __name__ == "__main__":
    sys.exit(main())
