// A live pane with what belongs to it: its line, the key bar, the composer and the text view.
import type { ComponentChildren } from "preact";
import { useEffect, useRef, useState } from "preact/hooks";
import { ask, of } from "./api";
import { attempt, say } from "./state";
import type { PaneView, Told } from "./terminal";
import type { Session, Worker } from "./types";

const LIVE: Record<Told["live"], string> = {
  live: "live", "catching up": "catching up", lost: "line lost", ended: "ended", gone: "gone",
};

export function Pane({ session, worker, children }: { session: Session; worker: Worker; children?: ComponentChildren }) {
  const place = useRef<HTMLDivElement>(null);
  const pane = useRef<PaneView | null>(null);
  const ctrl = useRef(false);
  const [sticky, setSticky] = useState(false);
  const [told, setTold] = useState<Told>({ size: "", live: "lost", heldBy: null, notSent: "" });
  const [text, setText] = useState<string | null>(null);
  const isAgent = worker.type === "agent";

  useEffect(() => {
    let ended = false;
    void import("./terminal").then(({ PaneView }) => {
      if (ended || !place.current) return;
      const path = `/ws/session/${encodeURIComponent(session.id)}/worker/${encodeURIComponent(worker.id)}`;
      const modify = (data: string) => {
        if (!ctrl.current || data.length !== 1) return data;
        ctrl.current = false;
        setSticky(false);
        return String.fromCharCode(data.toUpperCase().charCodeAt(0) & 0x1f);
      };
      const leave = () => document.querySelector<HTMLElement>(`[data-session="${CSS.escape(session.id)}"]`)?.focus();
      pane.current = new PaneView(place.current, path, setTold, modify, leave);
    });
    const failed = (event: Event) => say((event as CustomEvent<string>).detail, true);
    addEventListener("deck-error", failed);
    return () => {
      ended = true;
      removeEventListener("deck-error", failed);
      pane.current?.end();
      pane.current = null;
    };
  }, [session.id, worker.id]);

  const toggle = () => {
    ctrl.current = !ctrl.current;
    setSticky(ctrl.current);
    pane.current?.focus();
  };
  const stale = told.live === "lost" || told.live === "gone";
  return (
    <div class="pane">
      <div class={`screen${stale ? " stale" : ""}`} ref={place} hidden={text !== null} />
      {text !== null && (
        <div class="textview">
          <button type="button" class="btn" onClick={() => setText(null)}>Back to the terminal</button>
          <pre tabIndex={0}>{text}</pre>
        </div>
      )}
      {told.notSent !== "" && (
        <p class="unsent" role="alert">
          not sent: <code>{told.notSent.replaceAll("\r", "⏎")}</code>
          <button type="button" class="btn" onClick={() => pane.current?.sendAgain()}>Send</button>
          <button type="button" class="btn" onClick={() => pane.current?.forget()}>Forget</button>
        </p>
      )}
      <div class="foot">
        <span>{told.size && `${told.size} · `}{LIVE[told.live]}</span>
        {told.heldBy === "terminal" && <span>a terminal holds the size</span>}
        <span class="gap" />
        <button type="button" class="link" onClick={() => setText(pane.current?.text() ?? "")}>text</button>
        {told.heldBy !== "terminal" && <button type="button" class="link" title="give the pane the size of this page" onClick={() => pane.current?.take_size()}>fit</button>}
      </div>
      {children}
      {isAgent && <Composer session={session} />}
      <div class="keys" role="toolbar" aria-label="keys">
        {["esc", "tab"].map((name) => <button type="button" key={name} onClick={() => pane.current?.key(name)}>{name}</button>)}
        <button type="button" aria-pressed={sticky} onClick={toggle}>ctrl</button>
        {([["left", "←"], ["up", "↑"], ["down", "↓"], ["right", "→"]] as const).map(([name, glyph]) => (
          <Repeating key={name} label={name} glyph={glyph} press={() => pane.current?.key(name)} />
        ))}
        <button type="button" aria-label="ctrl c" onClick={() => pane.current?.key("ctrl-c")}>^C</button>
      </div>
    </div>
  );
}

/** A key that repeats while it is held. */
function Repeating({ label, glyph, press }: { label: string; glyph: string; press: () => void }) {
  const timer = useRef<ReturnType<typeof setTimeout> | undefined>(undefined);
  const stop = () => clearTimeout(timer.current);
  const start = (event: PointerEvent) => {
    event.preventDefault();
    press();
    const again = () => {
      press();
      timer.current = setTimeout(again, 80);
    };
    timer.current = setTimeout(again, 400);
  };
  useEffect(() => stop, []);
  const byKeyboard = (event: MouseEvent) => event.detail === 0 && press();
  return (
    <button type="button" aria-label={label} onPointerDown={start} onPointerUp={stop} onPointerLeave={stop} onPointerCancel={stop} onClick={byKeyboard}>
      {glyph}
    </button>
  );
}

/** A message to an agent, in a real text field. What isn't sent stays, also over a reload. */
function Composer({ session }: { session: Session }) {
  const key = `draft ${session.id}`;
  const [text, setText] = useState(() => sessionStorage.getItem(key) ?? "");
  const [busy, setBusy] = useState(false);
  const put = (value: string) => {
    setText(value);
    if (value) sessionStorage.setItem(key, value);
    else sessionStorage.removeItem(key);
  };
  const send = async () => {
    if (!text.trim() || busy) return;
    setBusy(true);
    const sent = await attempt(ask<{ receipt: string }>("POST", of(session.id, "/send"), { text }));
    setBusy(false);
    if (sent) {
      put("");
      say(`${session.title}: ${sent.receipt}`);
    }
  };
  return (
    <form class="compose" onSubmit={(event) => { event.preventDefault(); void send(); }}>
      <textarea rows={1} value={text} aria-label={`message to ${session.title}`} placeholder={`Message to ${session.title}`}
        onInput={(event) => put(event.currentTarget.value)}
        onKeyDown={(event) => {
          if (event.key === "Enter" && !event.shiftKey && !event.isComposing && matchMedia("(pointer: fine)").matches) {
            event.preventDefault();
            void send();
          }
        }} />
      <button aria-label="send" disabled={busy || !text.trim()}>↑</button>
    </form>
  );
}
