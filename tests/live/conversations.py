#!/usr/bin/env python3
"""Test on the real agents that deck keeps each conversation through restarts, forks and lost servers, and loses no message."""
from __future__ import annotations

import argparse
import os
import signal
import sys
import tempfile
import time
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from pathlib import Path

sys.dont_write_bytecode = True  # no folders of compiled files in the project

from bench import Bench, Failed, fresh
from lab import Lab, command_of, pids_of
from receipts import PARTS, receipts
from sending import sending

TOOLS = ("claude", "gemini", "codex", "opencode")


@dataclass
class Talk:
    """A session, and the words that its user has said."""

    title: str
    words: list[str] = field(default_factory=list)
    id: str | None = None


def same_ids(b: Bench, talks: list[Talk], when: str):
    """The ids are those that are known, and no two the same."""
    rows = b.rows()
    now = {t.title: rows.get(t.title, {}).get("resume_id") for t in talks}
    changed = {t.title: (t.id, now[t.title]) for t in talks if t.id and now[t.title] != t.id}
    b.check(not changed, f"{when}: the same ids", f"was, is: {changed}", *changed)
    missing = [title for title, i in now.items() if not i]
    b.check(len(set(now.values())) == len(talks) and not missing, f"{when}: ids of their own", str(now))
    for t in talks:
        t.id = now[t.title]


def speak(b: Bench, talk: Talk, others: list[Talk], when: str, stem: str = ""):
    """Send a prompt: its request must hold all that was said in this conversation, and nothing from the others."""
    word = fresh(stem or f"{talk.title}-{len(talk.words)}")
    receipt, said = b.send(talk.title, f"ECHO {word}")
    asked = b.wire.wait(word, 40)
    if not b.check(asked is not None, f"{when}: {talk.title} gets a prompt", f"not arrived after 40 s\n{said}", talk.title):
        return
    if receipt != "delivered":
        print(f"note {b.name}: {when}: the receipt for {talk.title} is {receipt!r}, and the prompt arrived", flush=True)
        b.note(f"NOTE receipt {receipt!r}\n{b.screen(talk.title)}")
    foreign = [w for o in others for w in o.words if w not in talk.words and w in asked.text]
    lacking = [w for w in talk.words if w not in asked.text]
    why = f"lacks {lacking}, has {foreign} of others; the user's side:\n{asked.said}"
    b.check(not foreign and not lacking, f"{when}: {talk.title} goes on", why, talk.title)
    talk.words.append(word)
    b.wire.wait_quiet(60)
    b.idle(talk.title)


def all_speak(b: Bench, talks: list[Talk], when: str):
    for talk in talks:
        speak(b, talk, talks, when)
    same_ids(b, talks, f"{when}, after a prompt")


def another_minute():
    """Gemini names a conversation's file by the minute: resumed in another one it leaves a second file, and cleans up at the next start."""
    time.sleep(61 - time.time() % 60)


def keep(b: Bench):
    """A conversation goes on after a restart, a fork, and a server that was killed."""
    parent = Talk("parent", [fresh("first")])
    b.add(parent.title, f"ECHO {parent.words[0]}")
    b.over(parent.words[0], parent.title)
    same_ids(b, [parent], "at first")
    if b.tool == "gemini":
        another_minute()
    b.done("restart", parent.title)
    b.idle(parent.title)
    same_ids(b, [parent], "restart")
    neighbour = Talk("neighbour", [fresh("neighbour")])
    b.add(neighbour.title, f"ECHO {neighbour.words[0]}")
    b.over(neighbour.words[0], neighbour.title)
    speak(b, parent, [neighbour], "restart")

    child = Talk("child", list(parent.words))
    b.done("fork", parent.title, "-t", child.title)
    b.idle(child.title)
    talks = [parent, child]
    all_speak(b, talks, "fork")

    b.done("restart", *(t.title for t in talks))
    b.idle(*(t.title for t in talks))
    same_ids(b, talks, "restart of both")
    all_speak(b, talks, "restart of both")

    before = set(pids_of(str(b.home)))
    b.run("tmux", "-L", b.socket, "kill-server")
    b.done("revive", "--all")
    left = [command_of(pid)[:100] for pid in before & set(pids_of(str(b.home)))]
    b.note(f"outlived the server and the revival: {left}")
    b.idle(*(t.title for t in talks))
    same_ids(b, talks, "revive")
    all_speak(b, talks, "revive")


def together(b: Bench, commands: list[list[str]]):
    """Run deck several times at once."""
    with ThreadPoolExecutor(len(commands)) as pool:
        for said in pool.map(lambda c: b.deck(*c, seconds=300), commands):
            b.check(said.code == 0, f"deck {said.command[1]} beside others", str(said))


def first(b: Bench, rounds: int, n: int = 4):
    """The first prompts of sessions that are added to one folder at once arrive, or are said not to; nothing finishes without a turn."""
    for number in range(1, rounds + 1):
        words = {f"r{number}-{i}": fresh(f"first-{number}-{i}") for i in range(1, n + 1)}
        begun = time.time()
        add = lambda t: b.deck("add", str(b.project), "-t", t, "-c", b.tool, "--prompt", f"ECHO {words[t]}", seconds=900)
        with ThreadPoolExecutor(n) as pool:
            said = dict(zip(words, pool.map(add, words)))
        for title, word in words.items():
            came, unsent = b.wire.wait(word, 120) is not None, "prompt was not delivered" in said[title].err or "couldn't confirm" in said[title].err
            status = b.rows()[title]
            b.check(came or unsent, f"round {number}: the prompt of {title} arrives, or is said not to", str(said[title]), title)
            b.check(came or status.get("reason") != "finished", f"round {number}: {title} isn't finished without a turn", str(status), title)
            b.note(f"round {number}: {title} {'arrived' if came else 'did not arrive'}, {'said as unsent' if unsent else 'not warned of'}")
        came = sum(b.wire.wait(w, 1) is not None for w in words.values())
        print(f"note {b.name}: round {number}: {came} of {n} arrived, {time.time() - begun:.0f} s", flush=True)
        b.done("stop", *words, seconds=300)


def twelve(b: Bench, n: int = 12):
    """Many sessions in one folder, started and restarted together, keep apart."""
    talks = [Talk(f"s{i:02}", [fresh(f"word-{i:02}")]) for i in range(1, n + 1)]
    titles = [t.title for t in talks]
    together(b, [["add", str(b.project), "-t", t.title, "-c", b.tool, "--prompt", f"ECHO {t.words[0]}"] for t in talks])
    for t in talks:
        b.over(t.words[0], t.title)
    same_ids(b, talks, "start")

    def restarts(when: str):
        b.done("restart", *titles, seconds=300)
        b.idle(*titles)
        same_ids(b, talks, f"{when}one restart")
        all_speak(b, talks, f"{when}one restart")
        together(b, [["restart", title] for title in titles])
        b.idle(*titles)
        same_ids(b, talks, f"{when}restarts at once")
        all_speak(b, talks, f"{when}restarts at once")

    restarts("")
    for t in talks[:3]:
        old, t.id = t.id, None
        receipt, said = b.send(t.title, "/clear")
        print(f"note {b.name}: the receipt for /clear is {receipt!r} after {said.took:.1f} s", flush=True)
        b.idle(t.title)
        before, t.words = t.words, []
        speak(b, t, [*talks, Talk("", before)], "clear", f"cleared-{t.title}")
        b.check(b.id(t.title) not in (None, old), f"clear: {t.title} has a new id", f"{old} and now {b.id(t.title)}", t.title)
    same_ids(b, talks, "clear")
    restarts("clear, ")


def options() -> argparse.Namespace:
    p = argparse.ArgumentParser(description=__doc__)
    p.add_argument("parts", nargs="*", default=["keep", "twelve", "send"], help="keep, twelve, send, first, receipts (default: the first three)")
    p.add_argument("--tools", default=",".join(TOOLS), help="which agents (default: %(default)s; twelve is with claude alone)")
    p.add_argument("--count", type=int, default=50, help="how many messages send sends to each (default: %(default)s)")
    p.add_argument("--rounds", type=int, default=5, help="how often first adds four sessions at once (default: %(default)s)")
    p.add_argument("--cases", default="", help="which of receipts: " + ",".join(PARTS))
    given = p.parse_args()
    given.tools = given.tools.split(",")
    if unknown := [t for t in given.tools if t not in (*TOOLS, "line")] + [x for x in given.parts if x not in ("keep", "twelve", "send", "first", "receipts")]:
        p.error(f"unknown: {', '.join(unknown)}")
    return given


def play(b: Bench, o: argparse.Namespace):
    """One part with one agent, to its end or to where nothing can follow."""
    try:
        match b.part:
            case "keep":
                keep(b)
            case "twelve":
                twelve(b)
            case "send":
                sending(b, o.count)
            case "first":
                first(b, o.rounds)
            case "receipts":
                receipts(b, tuple(filter(None, o.cases.split(","))))
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
    out = Path(tempfile.mkdtemp(prefix="deck-conversations-"))
    lab, held = Lab(Path(place).resolve()), []
    try:
        for part in o.parts:
            for tool in o.tools:
                if part != "twelve" or tool == "claude":
                    held.append(play(Bench(lab, deck, part, tool, out), o))
    except KeyboardInterrupt:
        print("broken off", file=sys.stderr)
        return 130
    finally:
        lab.close()
    print(f"{'passed' if all(held) else 'failed'}; every command, answer and screen: {out}")
    return 0 if all(held) else 1


if __name__ == "__main__":
    sys.exit(main())
