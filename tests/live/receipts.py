"""What each receipt of `deck send` says, and what the model got: they must be the same in every state of an agent's input."""
from __future__ import annotations

import json
import time
import unicodedata
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass

from bench import Bench, Failed, fresh

GRACE = 8.0  # seconds after a receipt in which a message may still come
ASKS = {"codex": 'CALL exec_command {{"cmd":"touch {0}","sandbox_permissions":"require_escalated","justification":"To write"}}'}
ARGS = {"claude": ("--", "--permission-mode", "manual")}
NEW = {"claude": "/clear", "gemini": "/clear", "codex": "/new", "opencode": "/new"}
SHELL = ("gemini", "opencode", "claude")  # `!` in an empty field begins a shell command

# A program that reads lines, notes each, and asks after some.
LINES = r"""#!/bin/bash
while IFS= read -rp "vibe> " l; do
  printf '%s\n' "$l" >> "$HOME/lines"
  case $l in SLOW*) echo executing...; sleep 3; printf "done %s\n" 1 2 3 4 5;; ask*) read -rp "approve? [y/n] " a; printf 'answer <%s>\n' "$a" >> "$HOME/lines";; esac
done
"""
CONFIG = """[tools.line]
command = "vibe"
busy_patterns = ["executing"]
prompt_patterns = ["approve?", "[y/n]"]
"""


def normal(text: str) -> str:
    return unicodedata.normalize("NFC", text.replace("\t", "    ")).replace("\u200d", "")


@dataclass
class Case:
    """One message: what was said of it, and what the model got."""

    name: str
    receipt: str
    came: str  # "once", "merged", "never", "3 times", "changed"
    took: float
    right: bool
    said: str


class Receipts:
    def __init__(self, b: Bench):
        self.b, self.cases, self.line = b, [], b.tool == "line"

    # ---- what came

    def all_said(self) -> list[str]:
        """Every message that came, oldest first; those of one conversation repeat in each request."""
        if self.line:
            path = self.b.home / "lines"
            return path.read_text().splitlines() if path.exists() else []
        return [one for asked in self.b.wire.look() for one in asked.said]

    def came(self, word: str, text: str, seconds: float) -> str:
        end = time.time() + seconds
        while not any(word in one for one in self.all_said()) and time.time() < end:
            time.sleep(0.1)
        time.sleep(0.5)
        if self.line:
            hits = [one for one in self.all_said() if word in one]
        else:
            last = self.b.wire.last(word)
            hits = [one for one in (last.said if last else []) if word in one]
        if not hits:
            return "never"
        if sum(one.count(word) for one in hits) > 1:
            return f"{sum(one.count(word) for one in hits)} times"
        # Agents put their own reminders in front of or behind what was said, in parts of their own.
        if text in hits[0].split("\n</system-reminder>\n")[-1] and text.strip() in hits[0]:
            return "once" if any(part.strip() == text.strip() for part in (hits[0], *hits[0].split("\n"))) or "\n" in text else "merged"
        self.b.note(f"sent {text!r}\ncame {hits[0][-len(text) - 200:]!r}")
        # Claude Code keeps four blanks for a tab, composed letters, and no joiner that joins nothing.
        if self.b.tool == "claude" and normal(text) in normal(hits[0]):
            return "once"
        return "changed"

    # ---- one message

    def message(self, name: str, text: str, word: str, *options: str, want: str = "once", title: str = "one"):
        said = self.b.deck("send", "--json", *options, title, "--", text, seconds=150)
        try:
            receipt = json.loads(said.out)["receipt"]
        except (ValueError, KeyError, TypeError):
            receipt = f"exit {said.code}"
        arrives = receipt in ("delivered", "queued")
        came = self.came(word, text, 40 if arrives else GRACE)
        # A merged message is right only where that was asked for.
        right = came == want if arrives else came == "never"
        self.note(name, receipt, came, said.took, right, str(said))

    def note(self, name: str, receipt: str, came: str, took: float, right: bool, said: str):
        self.cases.append(Case(name, receipt, came, took, right, said))
        print(f"{self.b.tool:9} {name:34} {receipt:14} {came:9} {took:5.1f} s  {'' if right else '!'}", flush=True)
        self.b.check(right, name, f"{receipt!r}, and it came {came}\n{said}", "one")

    def word(self, stem: str) -> tuple[str, str]:
        word = fresh(stem)
        return word, (word if self.line else f"ECHO {word}")

    def quiet(self):
        if not self.line:
            self.b.wire.wait_quiet(60)
        self.b.idle("one")

    def until(self, what: str, test, seconds: float = 40):
        end = time.time() + seconds
        while time.time() < end:
            if test():
                return
            time.sleep(0.2)
        raise Failed(f"never: {what}\n{self.b.screen('one')}")

    # ---- the cases

    def starting(self):
        word, text = self.word("starting")
        self.b.done("add", str(self.b.project), "-t", "one", "-c", self.b.tool, *ARGS.get(self.b.tool, ()))
        self.message("a starting agent", text, word)
        self.quiet()

    def empty(self):
        word, text = self.word("empty")
        self.message("an empty field", text, word)
        self.quiet()

    def half_typed(self):
        self.b.done("send", "--no-enter", "one", "half typed ")
        word, text = self.word("half")
        if not self.line:  # nothing shows what a line-based tool's user has typed
            self.message("a half-typed field", text, word)
        self.message("half-typed, --clear", text, word, "--clear")
        self.quiet()
        self.b.done("send", "--no-enter", "one", "SLOW " if self.line else "ECHO half typed ")
        word = fresh("append")
        self.message("half-typed, --append", word, word, "--append", want="merged")
        self.quiet()

    def twice(self):
        pairs = [self.word("twice"), self.word("twice")]
        with ThreadPoolExecutor(2) as pool:
            list(pool.map(lambda p: self.message("two at once", p[1], p[0]), pairs))
        self.quiet()

    def dialog(self):
        asks = "ask for it" if self.line else ASKS.get(self.b.tool, "TOOL touch {0}").format("asked")
        self.b.deck("send", "one", "--", asks)
        self.until("it asks", lambda: self.b.rows()["one"]["reason"] == "permission")
        word, text = self.word("dialog")
        self.message("a dialog", text, word)
        if self.line:
            self.b.done("answer", "one", "y")
            self.until("the answer comes", lambda: "answer <y>" in self.all_said())
        else:
            self.b.done("answer", "one", "1")
        self.quiet()

    def before_a_dialog(self):
        """Sent while a turn runs whose dialog opens in a moment: at several distances from it."""
        if self.line:
            return
        for gap in (1.6, 2.0, 2.2, 2.4, 2.6, 2.8, 3.0):
            asks = ASKS.get(self.b.tool, "TOOL touch {0}").format(f"asked-{int(gap * 100)}")
            self.b.deck("send", "one", "--", f"SLOW 2 THEN {asks}" if self.b.tool != "codex" else asks)
            time.sleep(max(0.0, gap - 1))
            word, text = self.word("before")
            said = self.b.deck("send", "--json", "one", "--", text, seconds=150)
            try:
                receipt = json.loads(said.out)["receipt"]
            except (ValueError, KeyError, TypeError):
                receipt = f"exit {said.code}"
            for _ in range(6):
                if self.b.rows()["one"]["reason"] != "permission":
                    time.sleep(0.5)
            if self.b.rows()["one"]["reason"] == "permission":
                self.b.deck("answer", "one", "1")
            arrives = receipt in ("delivered", "queued")
            came = self.came(word, text, 25 if arrives else GRACE)
            self.note(f"just before a dialog ({gap} s)", receipt, came, said.took, (came == "once") == arrives, str(said))
            self.b.deck("send", "--clear", "--no-enter", "one", " ")
            self.b.deck("keys", "one", "BSpace")
            self.quiet()

    def odd_texts(self):
        for name, body in [("tabs", "a\tb\n\tc"), ("unicode", "naïve 日本語 👩‍👩‍👧 e\u0301 ﬁ \u200d\u00a0end"), ("blanks", "a   b  \n\n  c"),
                           ("20 kB", "\n".join(f"line {n} of a long message, with some words in it" for n in range(400)))]:
            word = fresh("odd")
            if self.line and "\n" in body:
                continue
            text = f"{word} {body}" if self.line else f"ECHO {word} {body}"
            self.message(name, text, word)
            self.quiet()

    def shell_mode(self):
        if self.b.tool not in SHELL:
            return
        self.b.done("send", "--no-enter", "one", "!")
        time.sleep(1)
        word, text = self.word("shell")
        self.message("a shell command's field", text, word)
        self.message("the same, --clear", text, word, "--clear")
        for _ in range(3):
            self.b.deck("keys", "one", "BSpace")
        self.quiet()

    def commands(self):
        """A command of the agent's own sends nothing to the model: its effect is another conversation."""
        if self.b.tool not in NEW:
            return
        before = self.b.id("one")
        said = self.b.deck("send", "--json", "one", "--", NEW[self.b.tool])
        receipt = json.loads(said.out)["receipt"] if said.out.strip() else f"exit {said.code}"
        time.sleep(1)
        # Some begin the new conversation only with its first prompt.
        text = f"ECHO {(word := fresh('after'))}"
        self.message(f"after {NEW[self.b.tool]}", text, word)
        last = self.b.wire.last(word)
        worked = last is not None and not any("starting-" in one for one in last.said)
        self.note(NEW[self.b.tool], receipt, "once" if worked else "never", said.took, (receipt == "delivered") == worked, f"{before}\n{said}")
        self.quiet()


PARTS = ("starting", "empty", "half_typed", "twice", "dialog", "before_a_dialog", "odd_texts", "shell_mode", "commands")


def receipts(b: Bench, only: tuple[str, ...] = ()):
    if b.tool == "line":
        (b.home / ".deck").mkdir(parents=True, exist_ok=True)
        (b.home / ".deck/config.toml").write_text(CONFIG)
        (b.home / "bin").mkdir(exist_ok=True)
        (b.home / "bin/vibe").write_text(LINES)
        (b.home / "bin/vibe").chmod(0o755)
        b.env["PATH"] = f"{b.home / 'bin'}:{b.env['PATH']}"
    r = Receipts(b)
    for part in PARTS:
        if part == "starting" or not only or part in only:
            try:
                getattr(r, part)()
            except Failed as e:
                b.check(False, f"{part} runs to its end", str(e), "one")
    wrong = sum(not c.right for c in r.cases)
    print(f"{b.tool}: {len(r.cases)} receipts, {len(r.cases) - wrong} right, {wrong} wrong", flush=True)
