// One session: its tabs, what it asks, and what can be done with it.
import { useEffect, useState } from "preact/hooks";
import { ask, of } from "./api";
import { Diff } from "./diff";
import { Pane } from "./pane";
import { attempt, go, say, selected, tab } from "./state";
import { Status } from "./list";
import { kindOf, GLYPHS } from "./status";
import type { Choice, Session, Worker } from "./types";

export function SessionView() {
  const session = selected.value;
  if (!session) return <main class="session empty"><p class="dim">Choose a session.</p></main>;
  const worker = tab.value;
  return (
    <main class="session">
      <Heading session={session} />
      <Tabs session={session} shown={worker} />
      {worker && <Tab key={worker.id} session={session} worker={worker} />}
    </main>
  );
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
      <p class="facts">{facts.join(" · ")}</p>
    </div>
  );
}

function Actions({ session }: { session: Session }) {
  const [sure, setSure] = useState(false);
  const act = (path: string, done: string, body: unknown = {}) => void attempt(ask("POST", of(session.id, path), body), done);
  const runs = session.status === "active";
  const remove = async () => {
    if (!sure) return setSure(true);
    const done = await attempt(ask("DELETE", of(session.id, "?stop=true")));
    if (done) {
      go(null);
      say(`${session.title} is deleted; undo restores it`);
    }
  };
  return (
    <details class="menu" onToggle={() => setSure(false)}>
      <summary aria-label={`more for ${session.title}`}>⋯</summary>
      <div onClick={(event) => !(event.target as HTMLElement).dataset["stay"] && event.currentTarget.closest("details")?.removeAttribute("open")}>
        {!runs && <button type="button" onClick={() => act("/start", "started")}>Start</button>}
        {runs && <button type="button" onClick={() => act("/restart", "restarted", { continueConversation: true })}>Restart</button>}
        {runs && <button type="button" onClick={() => act("/stop", "stopped; its conversation is kept")}>Stop</button>}
        <button type="button" onClick={() => act("/ack", "marked as seen")}>Mark as seen</button>
        <button type="button" onClick={() => act("/fork", "forked")}>Fork</button>
        <button type="button" onClick={() => act("/archive", "archived")}>Archive</button>
        <button type="button" class={sure ? "failed" : ""} data-stay="yes" onClick={remove}>{sure ? "Stop and delete it?" : "Delete…"}</button>
        <button type="button" onClick={() => void attempt(ask("POST", "/api/undo", {}), "undone")}>Undo</button>
      </div>
    </details>
  );
}

function Tabs({ session, shown }: { session: Session; shown: Worker | null }) {
  const add = async (body: unknown) => {
    const made = await attempt(ask<{ worker: Worker }>("POST", of(session.id, "/workers"), body));
    if (made) go(session.id, made.worker.id);
  };
  const file = () => {
    const path = prompt("File in the session's folder:", "README.md");
    if (path) void add({ type: "markdown", filePath: path });
  };
  return (
    <div class="tabs" role="tablist" aria-label="workers">
      {session.workers.map((worker) => (
        <button type="button" role="tab" key={worker.id} aria-selected={worker.id === shown?.id} onClick={() => go(session.id, worker.id, true)}>
          <kbd>{worker.tab}</kbd>{worker.name}
          {worker.exitCode !== null && <span class={worker.exitCode ? "failed" : "dim"}> {worker.exitCode ? `✕ ${worker.exitCode}` : "ended"}</span>}
        </button>
      ))}
      <details class="menu left">
        <summary aria-label="add a worker">＋</summary>
        <div onClick={(event) => event.currentTarget.closest("details")?.removeAttribute("open")}>
          <button type="button" onClick={() => add({ type: "terminal" })}>Terminal</button>
          <button type="button" onClick={() => add({ type: "diff" })}>Diff</button>
          <button type="button" onClick={file}>File…</button>
        </div>
      </details>
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

function Markdown({ session, worker }: { session: Session; worker: Worker }) {
  const [html, setHtml] = useState<string | null>(null);
  const [error, setError] = useState<string | null>(null);
  const load = () => ask<{ html: string }>("GET", of(session.id, `/workers/${encodeURIComponent(worker.id)}/markdown`))
    .then((file) => { setHtml(file.html); setError(null); }, (why: Error) => setError(why.message));
  useEffect(() => void load(), [worker.id]);
  return (
    <div class="pad scroll">
      <p class="dim">{worker.filePath} · <button type="button" class="link" onClick={load}>read again</button></p>
      {error && <p class="failed" role="alert">{error}</p>}
      {/* Made by the server without raw HTML, and with links to the web and to mail alone. */}
      {html !== null && <article class="markdown" dangerouslySetInnerHTML={{ __html: html }} />}
    </div>
  );
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
      <p class="question"><span class="asks" aria-hidden="true">{GLYPHS.asks}</span> {asks ?? "It asks something. Answer in the terminal."}</p>
      {screen && choices.map((choice) => (
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
