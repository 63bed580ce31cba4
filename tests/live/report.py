"""Judges deck's answers against the truth, and prints what came of it."""
from __future__ import annotations

import json
from bisect import bisect_right
from dataclasses import asdict, dataclass, field
from datetime import datetime
from pathlib import Path

from agent import Agent, Sample
from truth import Truth, is_right

GRACE = 1.0  # seconds after a change of the truth in which deck may still tell the old one

SLOW = 0.4  # seconds; a look that took longer is noted in the time line


@dataclass
class Row:
    samples: int = 0
    right: int = 0
    lag: float = 0.0
    flickers: int = 0

    @property
    def share(self) -> float:
        return 100.0 * self.right / self.samples if self.samples else 100.0

    def add(self, other: Row):
        self.samples, self.right, self.flickers = self.samples + other.samples, self.right + other.right, self.flickers + other.flickers
        self.lag = max(self.lag, other.lag)


@dataclass
class Finding:
    """A sample that was wrong: `late` (outside the first second), a `flicker`, or the last one of a `lag` over a second."""

    kind: str
    step: str
    after: float  # seconds since the truth had changed
    truth: Truth
    sample: Sample


@dataclass
class Verdict:
    rows: dict[str, Row] = field(default_factory=dict)
    total: Row = field(default_factory=Row)
    findings: list[Finding] = field(default_factory=list)
    notes: list[str] = field(default_factory=list)
    looks: list[float] = field(default_factory=list)  # seconds that each look took
    paces: list[float] = field(default_factory=list)  # seconds between two looks

    def fails(self, share: float) -> bool:
        return bool(self.notes) or self.total.share < share or self.total.lag > GRACE or self.total.flickers > 0


def segments(truths: list[Truth]) -> list[list[Truth]]:
    """Truths in a row that say the same: a change of the truth is the start of a segment."""
    found: list[list[Truth]] = []
    for truth in truths:
        if found and found[-1][0].states == truth.states:
            found[-1].append(truth)
        else:
            found.append([truth])
    return found


def right(truth: Truth, s: Sample) -> bool:
    return any(is_right(state, s.status, s.reason) for state in truth.states)


def judge(agent: Agent) -> Verdict:
    verdict = Verdict(notes=agent.truth.notes)
    verdict.looks = [s.after - s.before for s in agent.samples]
    verdict.paces = [b.before - a.before for a, b in zip(agent.samples, agent.samples[1:])]
    truths = sorted(agent.truth.truths, key=lambda t: t.since)
    parts = segments(truths)
    ends = [part[0].since for part in parts[1:]] + [float("inf")]
    for i, (part, end) in enumerate(zip(parts, ends)):
        since, states = part[0].since, part[0].states
        samples = [s for s in agent.samples if since <= s.at and s.after <= end]
        if len(states) == 1 and samples:
            judge_segment(verdict, part, samples, parts[:i])
    for row in verdict.rows.values():
        verdict.total.add(row)
    return verdict


def judge_segment(verdict: Verdict, part: list[Truth], samples: list[Sample], before: list[list[Truth]]):
    since = part[0].since
    starts = [t.since for t in part]
    first_right = False
    last = None  # the sample before this one, once deck was right
    flickering = False
    lag = wrong = None  # until deck's first right answer that stays right; the last wrong one before it
    for s in samples:
        truth = part[bisect_right(starts, s.at) - 1]
        row = verdict.rows.setdefault(truth.step, Row())
        ok, after = right(truth, s), s.at - since
        if after >= GRACE:
            row.samples += 1
            row.right += ok
            if not ok:
                verdict.findings.append(Finding("late", truth.step, after, truth, s))
        if ok:
            lag = after if lag is None else lag
            changed = last is not None and last.said != s.said
            if first_right and changed and not flickering:
                row.flickers += 1
                verdict.findings.append(Finding("flicker", truth.step, after, truth, s))
            first_right, flickering, last = True, False, s
            continue
        lag, wrong = None, Finding("lag", truth.step, after, truth, s)
        # Before deck was right it may tell what was true before, but nothing else.
        if not flickering and (first_right or not any(right(t, s) for t in recent(before, s.at))):
            row.flickers += 1
            flickering = True
            verdict.findings.append(Finding("flicker", truth.step, after, truth, s))
    row = verdict.rows.setdefault(part[0].step, Row())
    if lag is None and samples[-1].at - since > GRACE:
        lag = samples[-1].at - since  # never right to the end
    row.lag = max(row.lag, lag or 0)
    if wrong and (lag or 0) > GRACE >= wrong.after:
        verdict.findings.append(wrong)


def recent(before: list[list[Truth]], at: float) -> list[Truth]:
    """What was true last, and all that was true within the second before `at`."""
    ends = [part[0].since for part in before[1:]] + [at]
    return [part[0] for part, end in zip(before, ends) if end > at - GRACE or part is before[-1]]


def table(tool: str, verdict: Verdict) -> str:
    lines = [f"{tool:<10}{'step':<18}{'samples':>8}{'right':>9}{'lag':>9}{'flickers':>10}"]
    for step, row in [*verdict.rows.items(), ("total", verdict.total)]:
        lines.append(f"{'':<10}{step:<18}{row.samples:>8}{row.share:>8.1f}%{row.lag:>7.2f} s{row.flickers:>10}")
    looks, paces = sorted(verdict.looks), sorted(verdict.paces)
    if paces:
        lines.append(f"{'':<10}a look took {looks[len(looks) // 2] * 1000:.0f} ms, {looks[-1] * 1000:.0f} ms at most; "
                     f"one every {paces[len(paces) // 2] * 1000:.0f} ms, {paces[-1] * 1000:.0f} ms at most")
    lines += [f"{'':<10}! {note.splitlines()[0]}" for note in verdict.notes]
    return "\n".join(lines)


def clock(at: float) -> str:
    return datetime.fromtimestamp(at).strftime("%H:%M:%S.%f")[:-3]


def evidence(folder: Path, tool: str, agent: Agent, verdict: Verdict):
    """A file for each wrong answer, and the time line of the truth."""
    folder.mkdir(parents=True, exist_ok=True)
    lines = [f"{clock(t.since)} {t.step:<16} {'|'.join(t.states) or '-':<22} {t.why}" for t in agent.truth.truths[1:]]
    lines += [f"{clock(s.at)} {'':<16} deck took {s.after - s.before:.2f} s" for s in agent.samples if s.after - s.before > SLOW]
    changes = [s for i, s in enumerate(agent.samples) if i == 0 or (s.status, s.reason) != (agent.samples[i - 1].status, agent.samples[i - 1].reason)]
    lines += [f"{clock(s.at)} {'':<16} deck says {s.status} {s.reason or ''}" for s in changes]
    (folder / f"{tool}.txt").write_text("\n".join(sorted(lines)) + "\n" + "".join(f"\n! {n}\n" for n in verdict.notes))
    for n, f in enumerate(verdict.findings, 1):
        text = (f"{f.kind}: deck says {f.sample.status} {f.sample.reason or ''}; true is {'|'.join(f.truth.states)}, "
                f"since {clock(f.truth.since)} ({f.truth.why})\nasked {clock(f.sample.before)}, answered {clock(f.sample.after)}, "
                f"{f.after:.2f} s after the truth changed\n\n{json.dumps(f.sample.answer, indent=1)}\n\n{f.sample.pane or 'no capture'}\n")
        (folder / tool).mkdir(exist_ok=True)
        (folder / tool / f"{n:03}-{f.step}-{f.kind}.txt").write_text(text)


def as_json(verdict: Verdict) -> dict:
    row = lambda r: asdict(r) | {"share": r.share}
    return {"rows": {k: row(r) for k, r in verdict.rows.items()}, "total": row(verdict.total), "notes": verdict.notes,
            "look_seconds": {"median": sorted(verdict.looks)[len(verdict.looks) // 2], "longest": max(verdict.looks)} if verdict.looks else None,
            "wrong": [asdict(f) for f in verdict.findings]}
