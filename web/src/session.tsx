// One session: its tabs, what it asks, and what can be done with it.
import { useEffect, useRef, useState } from "preact/hooks";
import { ask, of } from "./api";
import { actions, canRun, removeWorker } from "./commands";
import { Diff } from "./diff";
import { Status } from "./list";
import { Markdown } from "./markdown";
import { commands, readOnly } from "./page";
import { Pane } from "./pane";
import { attempt, dialog, go, known, route, selected, tab } from "./state";
import { kindOf, GLYPHS, word } from "./status";
import type { Choice, Session, Worker } from "./types";

export function SessionView() {
  const session = selected.value;
  if (!session) {
    const isGone = known.value && route.value.session !== null;
    return (
      <main class="session empty">
        <p class="dim">{isGone ? "This session is not here. It may have been deleted, or be in another profile." : "Choose a session."}</p>
        {isGone && <button type="button" class="btn" onClick={() => go(null)}>To the list</button>}
      </main>
    );
  }
  const worker = tab.value;
  return (
    <main class="session">
      <Seen session={session} isShown={worker !== null && worker === session.workers[0]} />
      <Heading session={session} />
      <Tabs session={session} shown={worker} />
      {worker && <Tab key={worker.id} session={session} worker={worker} />}
    </main>
  );
}

/** How long a finished agent is looked at until it counts as seen, in milliseconds. */
const SEEN = 2000;

/** Marks an agent that has finished as seen once it was looked at for a while, as attaching to it does. */
function Seen({ session, isShown }: { session: Session; isShown: boolean }) {
  const isMeant = isShown && kindOf(session) === "done" && !readOnly.value;
  useEffect(() => {
    if (!isMeant) return;
    const timer = setTimeout(() => {
      // Nobody has asked for it: what goes wrong is said by what is asked for.
      if (document.visibilityState === "visible") void ask("POST", of(session.id, "/ack"), {}).catch(() => {});
    }, SEEN);
    return () => clearTimeout(timer);
  }, [session.id, isMeant]);
  return null;
}

function Heading({ session }: { session: Session }) {
  const facts = [session.agentId];
  if (session.branch) facts.push(session.base ? `${session.branch} ← ${session.base}` : session.branch);
  facts.push(session.locationPath);
  return (
    <div class="heading">
      <div class="first">
        <button type="button" class="back" aria-label="back to the list" onClick={() => go(null)}>‹</button>
        <h1>{session.title}</h1>
        <span class="gap" />
        <Status session={session} full />
        <Actions session={session} />
      </div>
      <p class="facts"><span class="status"><Status session={session} full /> · </span>{facts.join(" · ")}</p>
    </div>
  );
}

/** The commands of the menu, in their order. */
const MENU = ["restart", "stop", "seen", "explain", "rename", "move", "fork", "finish-worktree", "archive", "copy-answer", "undo"];

function Actions({ session }: { session: Session }) {
  const [sure, setSure] = useState<"no" | "asked" | "yes">("no");
  const menu = useRef<HTMLDetailsElement>(null);
  const shut = () => menu.current?.removeAttribute("open");
  const words = (id: string, title: string) => (id === "restart" && session.status !== "active" ? "start" : title);
  return (
    <details class="menu" ref={menu} onToggle={() => setSure("no")} onKeyDown={(event) => {
      if (event.key !== "Escape") return;
      shut();
      menu.current?.querySelector("summary")?.focus();
    }}>
      <summary aria-label={`more for ${session.title}`}>⋯</summary>
      <div>
        {commands.value.filter(({ id }) => MENU.includes(id) && canRun(id)).sort((a, b) => MENU.indexOf(a.id) - MENU.indexOf(b.id)).map(({ id, title, keys }) => (
          <button type="button" key={id} onClick={() => { shut(); actions[id]!.run(); }}>{words(id, title)}<span class="gap" /><kbd>{keys[0]}</kbd></button>
        ))}
        {canRun("delete") && (
          <button type="button" class={sure === "no" ? "" : "failed"} disabled={sure === "asked"} onClick={() => {
            if (sure === "no") {
              setSure("asked");
              // The second tap of a double tap is no answer.
              setTimeout(() => setSure((now) => (now === "asked" ? "yes" : now)), 500);
              return;
            }
            shut();
            actions["delete"]!.run();
          }}>{sure === "no" ? "delete…" : "stop and delete it?"}</button>
        )}
      </div>
    </details>
  );
}

function Tabs({ session, shown }: { session: Session; shown: Worker | null }) {
  const adder = useRef<HTMLDetailsElement>(null);
  const add = async (body: unknown) => {
    adder.current?.removeAttribute("open");
    const made = await attempt(ask<{ worker: Worker }>("POST", of(session.id, "/workers"), body));
    if (made) go(session.id, made.worker.id);
  };
  const shut = (then: () => void) => () => {
    adder.current?.removeAttribute("open");
    then();
  };
  const press = (event: KeyboardEvent) => {
    const by = { ArrowLeft: -1, ArrowRight: 1 }[event.key];
    const at = session.workers.findIndex((worker) => worker.id === shown?.id);
    const to = by && session.workers[at + by];
    if (!to) return;
    event.preventDefault();
    event.stopPropagation();
    go(session.id, to.id, true);
    requestAnimationFrame(() => document.querySelector<HTMLElement>('[role=tab][aria-selected="true"]')?.focus());
  };
  const isExtra = shown !== null && shown !== session.workers[0] && !readOnly.value;
  return (
    <div class="tabbar">
      <div class="tabs" role="tablist" aria-label="workers" onKeyDown={press}>
        {session.workers.map((worker) => (
          <button type="button" role="tab" key={worker.id} aria-selected={worker.id === shown?.id} tabIndex={worker.id === shown?.id ? 0 : -1} onClick={() => go(session.id, worker.id, true)}>
            <kbd>{worker.tab}</kbd>{worker.name}
            {worker.exitCode !== null && <span class={worker.exitCode ? "failed" : "dim"}> {worker.exitCode ? `✕ ${worker.exitCode}` : "ended"}</span>}
          </button>
        ))}
      </div>
      {!readOnly.value && (
        <details class="menu left" ref={adder}>
          <summary aria-label="add a worker, or change this tab">+</summary>
          <div>
            <button type="button" onClick={() => add({ type: "terminal" })}>terminal</button>
            <button type="button" onClick={() => add({ type: "diff" })}>diff</button>
            <button type="button" onClick={shut(() => (dialog.value = { kind: "worker", session }))}>more…</button>
            {isExtra && <hr />}
            {isExtra && canRun("restart-worker") && <button type="button" onClick={shut(() => actions["restart-worker"]!.run())}>run {shown.name} again</button>}
            {isExtra && <button type="button" onClick={shut(() => (dialog.value = { kind: "rename-worker", session, worker: shown }))}>rename {shown.name}…</button>}
            {isExtra && <button type="button" onClick={shut(() => void removeWorker(session, shown))}>remove {shown.name}</button>}
          </div>
        </details>
      )}
    </div>
  );
}

function Tab({ session, worker }: { session: Session; worker: Worker }) {
  switch (worker.type) {
    case "diff": return <Diff session={session} worker={worker} />;
    case "markdown": return <Markdown session={session} worker={worker} />;
    case "link": return <p class="pad"><a href={worker.url ?? ""} target="_blank" rel="noopener noreferrer">{worker.url}</a></p>;
    default: return (
      <Pane session={session} worker={worker}>
        {worker === session.workers[0] && <Asks session={session} />}
      </Pane>
    );
  }
}

/** What its agent asks, with its choices. An answer is for what is shown here, or for nothing. */
export function Asks({ session }: { session: Session }) {
  const { asks, choices, screen } = session.deck;
  const [busy, setBusy] = useState(false);
  const [text, setText] = useState<Choice | null>(null);
  const kind = kindOf(session);
  if (kind !== "asks") return null;
  const answer = async (choice: Choice, words?: string) => {
    setBusy(true);
    await attempt(ask("POST", of(session.id, "/answer"), { choice: choice.number, screen, ...(words === undefined ? {} : { text: words }) }), `answered: ${choice.label}`);
    setBusy(false);
    setText(null);
  };
  return (
    <section class="ask" aria-label={`${session.title} asks`}>
      <p class="question"><span class="asks"><span aria-hidden="true">{GLYPHS.asks}</span> {word(session)}:</span> {asks ?? "It asks something. Answer in the terminal."}</p>
      {screen && !readOnly.value && choices.map((choice) => (
        <button type="button" class="btn" key={choice.number} disabled={busy} data-choice={choice.number}
          onClick={() => (choice.is_text ? setText(choice) : answer(choice))}>
          <kbd>{choice.number}</kbd>{choice.label}
        </button>
      ))}
      {text && (
        <form onSubmit={(event) => { event.preventDefault(); void answer(text, String(new FormData(event.currentTarget).get("words") ?? "")); }}>
          <input name="words" aria-label={text.label} placeholder={text.label} autoFocus />
          <button class="btn" disabled={busy}>Send</button>
        </form>
      )}
    </section>
  );
}
