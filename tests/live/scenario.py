"""The conversation that each agent goes through: one step for each kind of turn."""
from __future__ import annotations

import time
from dataclasses import dataclass, field

from agent import Agent, Failed
from truth import BUSY, FAILED, PERMISSION, PLAN, QUESTION, READY


@dataclass
class Tool:
    """What is different between the agents: how they are started, their keys and commands."""

    up: str  # seen on the screen when the agent takes prompts
    args: list[str] = field(default_factory=list)
    shell: str = "TOOL touch {name}; sleep 3"  # a command that needs a permission
    allow: tuple[str, ...] = ("Enter",)
    refuse: tuple[str, ...] = ("Escape",)
    interrupt: tuple[str, ...] = ("Escape",)
    answer: tuple[str, ...] = ("Enter",)
    to_plan: tuple[str, ...] = ()  # into plan mode, and from it back
    from_plan: tuple[str, ...] = ()
    asks_in_plan: bool = False  # asks questions in plan mode only
    retry: tuple[str, int] = ("FAIL 529 2", 2)  # the prompt, and how often it fails
    agent: tuple[str, ...] = (BUSY, BUSY, BUSY, READY)  # the requests of a turn with a sub-agent
    new: str = "/clear"
    quit: str = "/exit"
    without: tuple[str, ...] = ()  # steps that the agent has no turn for


TOOLS = {
    "claude": Tool(up=r"manual mode on", args=["--permission-mode", "manual"], to_plan=("BTab", "BTab"), from_plan=("BTab", "BTab")),
    "gemini": Tool(up=r"Type your message", retry=("FAIL 503 1", 1), quit="/quit", without=("plan", "job", "agent")),
    "codex": Tool(
        up=r"for shortcuts|for agents",
        shell='CALL exec_command {{"cmd":"touch {name}; sleep 3","sandbox_permissions":"require_escalated","justification":"To write"}}',
        to_plan=("BTab",), from_plan=("BTab",), asks_in_plan=True,
        new="/new", quit="/quit", without=("plan", "job", "agent"),
    ),
    "opencode": Tool(up=r"ctrl\+p commands", agent=(BUSY, BUSY, READY), interrupt=("Escape", "Escape"), new="/new", without=("plan", "job")),
}


JOB = "sleep 6.25"  # a command line that nothing else has


def stream(a: Agent, t: Tool):
    a.prompt("stream", "SLOW 4", READY)
    a.finish()


def think(a: Agent, t: Tool):
    a.prompt("think", "THINK 4", READY)
    a.finish()


def silence(a: Agent, t: Tool):
    a.prompt("silence", "HANG 4", READY)
    a.finish()


def allow(a: Agent, t: Tool):
    a.prompt("allow", t.shell.format(name="allowed"), PERMISSION, READY)
    a.until(PERMISSION)
    a.answer(BUSY, *t.allow)
    a.finish()


def refuse(a: Agent, t: Tool):
    a.prompt("refuse", t.shell.format(name="refused"), PERMISSION)
    a.until(PERMISSION)
    a.answer(READY, *t.refuse)
    a.until(READY)


def interrupt(a: Agent, t: Tool):
    a.prompt("interrupt", "SLOW 20", READY)
    a.hold()
    a.interrupt(*t.interrupt)
    a.finish(seconds=8)


def interrupt_early(a: Agent, t: Tool):
    a.prompt("interrupt-early", "HANG 20", READY)
    a.hold()
    a.interrupt(*t.interrupt)
    a.finish(seconds=8)


def question(a: Agent, t: Tool):
    if t.asks_in_plan:
        a.keys(*t.to_plan)
    a.prompt("question", "ASK Which one?", QUESTION, READY)
    a.until(QUESTION)
    a.answer(BUSY, *t.answer)
    a.finish()
    if t.asks_in_plan:
        a.keys(*t.from_plan)


def plan(a: Agent, t: Tool):
    a.keys(*t.to_plan)
    a.prompt("plan", 'CALL ExitPlanMode {"plan":"1. Do the first thing"}', PLAN)
    a.until(PLAN)
    a.answer(READY, *t.refuse)
    a.until(READY)
    a.keys(*t.from_plan)


def error(a: Agent, t: Tool):
    a.prompt("error", "FAIL 400", FAILED)
    a.finish(FAILED)


def retry(a: Agent, t: Tool):
    text, failures = t.retry
    a.prompt("retry", f"{text} round {a.round}", *[BUSY] * failures, READY)
    a.finish(seconds=60)


def job(a: Agent, t: Tool):
    """A shell left in the background: the turn ends, and the end of the shell starts another."""
    a.prompt("job", f'CALL Bash {{"command":"{JOB}","description":"A job","run_in_background":true}}', BUSY, READY)
    a.finish()
    a.truth.expect(READY)
    a.wait_end_of(JOB, 20)
    a.truth.set((READY, BUSY), "the job has ended")
    if not a.truth.wait(lambda: a.truth.opened, 5):
        raise Failed("the end of the job led to no request")
    a.finish()


def sub_agent(a: Agent, t: Tool):
    a.prompt("agent", "AGENT SLOW 6", *t.agent)
    a.finish()


def clear(a: Agent, t: Tool):
    a.command("clear", t.new)
    a.prompt("clear", "ECHO a new conversation", READY)
    a.finish()


TURNS = {
    "stream": stream, "think": think, "silence": silence, "allow": allow, "refuse": refuse, "interrupt": interrupt,
    "interrupt-early": interrupt_early, "question": question, "plan": plan, "error": error, "retry": retry, "job": job,
    "agent": sub_agent, "clear": clear,
}


def exit_(a: Agent, t: Tool):
    a.exit(t.quit)


def kill(a: Agent, t: Tool):
    a.restart(t.up)
    a.prompt("kill", "SLOW 20", READY)
    a.hold()
    a.kill()


LAST = {"exit": exit_, "kill": kill}


def play(a: Agent, states: list[str], rounds: int, say):
    """All turns, as often as wanted, then the two ends. A turn that fails is noted, and the next begins anew."""
    tool = TOOLS[a.tool]
    a.start(tool.up)
    todo = [(n, TURNS[s]) for n in range(rounds) for s in TURNS if s in states and s not in tool.without]
    todo += [(rounds, LAST[s]) for s in LAST if s in states]
    for a.round, turn in todo:
        if a.done.is_set():
            return
        began = time.time()
        try:
            turn(a, tool)
        except Failed as e:
            a.truth.notes.append(f"{a.truth.now.step}: {e}\n{a.screen().strip()}")
            a.truth.void()
            a.keys("Escape")
            a.truth.wait(lambda: not a.truth.open, 25)
            a.truth.void()
        say(f"{a.tool}: {a.truth.now.step} {time.time() - began:.1f} s")
