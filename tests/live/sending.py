"""Many messages to one agent, one after the other: each must arrive once and whole, and its receipt be right."""
from __future__ import annotations

import time
from collections import Counter
from dataclasses import dataclass

from bench import Bench, fresh
from wire import Asked

STARTS = ("-x {}", "? {}", "ECHO ! {}", "ECHO {}\n!echo harmless\n?\n-x", "--json {}")
GRACE = 1.0  # seconds between a request's end and the agent's own, and from a receipt to the request


@dataclass
class Message:
    """One message, and what became of it."""

    word: str
    text: str
    hurried: bool  # sent while the turn before is still running
    receipt: str = ""
    began: float = 0.0
    took: float = 0.0
    arrived: Asked | None = None
    times: int = 0
    whole: bool = False
    right: bool = False


def messages(count: int) -> list[Message]:
    """Short and long in turn, with a slow turn before every 7th, and every 10th with a special start."""
    made = []
    for i in range(1, count + 1):
        word = fresh(f"m{i:03}")
        text = f"ECHO {word}"
        if i % 7 == 6:
            text = f"SLOW 2 {word}"
        elif i % 10 == 0:
            text = STARTS[i // 10 % len(STARTS)].format(word)
        elif i % 2 == 0:
            text += "".join(f"\nline {n} of a long message, with some words in it" for n in range(2, 41))
        made.append(Message(word, text, i % 7 == 0))
    return made


def flat(text: str) -> str:
    return " ".join(text.split())


def sending(b: Bench, count: int):
    first = fresh("first")
    b.add("one", f"ECHO {first}")
    b.over(first, "one")
    sent = messages(count)
    for m, after in zip(sent, [*sent[1:], None]):
        send(b, m)
        if after and after.hurried:
            continue
        b.wire.wait_quiet(60)
        b.idle("one")
    judge(b, sent)


def send(b: Bench, m: Message):
    """Send one and wait until it is there."""
    m.began = time.time()
    m.receipt, said = b.send("one", m.text)
    m.took = said.took
    m.arrived = b.wire.wait(m.word, 30)
    if not m.arrived:
        b.check(False, f"{m.word} arrives", f"not after 30 s\n{said}", "one")


def judge(b: Bench, sent: list[Message]):
    """Count each message in the conversation as it is at the end."""
    end = b.wire.last(*(m.word for m in sent))
    said = end.text if end else ""
    for m in sent:
        m.times = said.count(m.word)
        m.whole = any(flat(m.text) in flat(one) for one in (end.said if end else []))
        m.right = is_right(b, m)
        if m.times != 1 or not m.whole or not m.right:
            after = f"{m.arrived.at - m.began:.1f} s" if m.arrived else "never"
            b.check(False, m.word, f"{m.times} times, whole: {m.whole}, receipt {m.receipt!r} after {m.took:.1f} s right: {m.right}; "
                    f"busy before: {bool(b.wire.open_at(m.began))}; arrived after: {after}; {m.text[:60]!r}")
    order = [m.word for m in sorted(sent, key=lambda m: said.find(m.word)) if m.times]
    b.check(order == [m.word for m in sent if m.times], "the order is that of the sending", str(order))
    late = [m.word for m in sent if m.arrived and m.word not in m.arrived.said[-1]]
    b.check(not late, "each arrives as the user's last word", str(late))
    receipts = Counter(m.receipt for m in sent)
    print(f"{b.tool}: sent {len(sent)}, arrived once {sum(m.times == 1 for m in sent)}, lost {sum(not m.times for m in sent)}, "
          f"doubled {sum(m.times > 1 for m in sent)}, changed {sum(m.times == 1 and not m.whole for m in sent)}, "
          f"receipts right {sum(m.right for m in sent)} ({', '.join(f'{n} {r}' for r, n in receipts.items())}), "
          f"while busy {sum(bool(b.wire.open_at(m.began)) for m in sent)}, slowest {max(m.took for m in sent):.1f} s", flush=True)


def is_right(b: Bench, m: Message) -> bool:
    """Delivered: it came at once, to an agent that was idle, or became so. Queued: the agent was busy, and it came later."""
    if not m.arrived:
        return m.receipt not in ("delivered", "queued")
    before = b.wire.open_at(m.began)
    ended = m.began + m.took
    if m.receipt == "delivered":
        return m.arrived.at <= ended + GRACE and all(r.closed and r.closed <= ended for r in before)
    return m.receipt == "queued" and bool(before or b.wire.open_at(m.began - GRACE))
