// A live pane with what belongs to it: its line, the key bar, the composer and the text view.
import type { ComponentChildren } from "preact";
import { useEffect, useRef, useState } from "preact/hooks";
import { ask, of } from "./api";
import { readOnly, settings } from "./page";
import { attempt, say } from "./state";
import type { PaneView, Told } from "./terminal";
import type { Session, Worker } from "./types";

const LIVE: Record<Told["live"], string> = {
  live: "live", "catching up": "catching up", lost: "line lost", ended: "ended", gone: "gone",
};

/** Keys of the key bar that a browser keeps for itself: what tmux calls them, and what stands on them. */
const PLAIN = [["ctrl-w", "^W"], ["ctrl-t", "^T"], ["ctrl-n", "^N"]] as const;
/** How long a press is that opens the text view, in milliseconds. */
const LONG = 550;

export function Pane({ session, worker, children }: { session: Session; worker: Worker; children?: ComponentChildren }) {
  const place = useRef<HTMLDivElement>(null);
  const pane = useRef<PaneView | null>(null);
  const ctrl = useRef(false);
  const [sticky, setSticky] = useState(false);
  const [told, setTold] = useState<Told>({ size: "", live: "lost", heldBy: null, notSent: "", atEnd: true });
  const [text, setText] = useState<{ text: string; before: number } | null>(null);
  const [finding, setFinding] = useState(false);
  const isAgent = worker.type === "agent";
  const { webgl } = settings.value;
  const isReadOnly = readOnly.value;

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
      const find = () => setFinding(true);
      pane.current = new PaneView(place.current, { path, tab: worker.id, readOnly: isReadOnly, webgl, tell: setTold, modify, leave, find });
    }).catch(() => say("The terminal could not be loaded. Reload the page.", true));
    const failed = (event: Event) => say((event as CustomEvent<string>).detail, true);
    addEventListener("deck-error", failed);
    return () => {
      ended = true;
      removeEventListener("deck-error", failed);
      pane.current?.end();
      pane.current = null;
    };
  }, [session.id, worker.id, webgl, isReadOnly]);

  const toggle = () => {
    ctrl.current = !ctrl.current;
    setSticky(ctrl.current);
    pane.current?.focus();
  };
  const showText = () => pane.current && setText({ text: pane.current.text(), before: pane.current.firstLine });
  const older = async () => {
    const more = text && await pane.current?.more(text.before);
    if (text && more) setText({ text: more.text ? `${more.text}\n${text.text}` : text.text, before: more.text ? more.before : 0 });
  };
  const paste = async () => {
    const words = await attempt(navigator.clipboard.readText());
    if (words) pane.current?.paste(words);
  };
  const press = useLongPress(showText);
  const stale = told.live === "lost" || told.live === "gone";
  return (
    <div class="pane" role="tabpanel" aria-label={worker.name}>
      <div class="stage">
        <div class={`screen${stale ? " stale" : ""}`} ref={place} inert={text !== null} {...press} onClick={() => getSelection()?.isCollapsed !== false && pane.current?.focus()} />
        {text !== null && (
          <div class="textview">
            <div class="buttons">
              <button type="button" class="btn" onClick={() => setText(null)}>Back to the terminal</button>
              {text.before > 0 && <button type="button" class="btn" onClick={() => void older()}>Older lines</button>}
            </div>
            <pre tabIndex={0} role="region" aria-label={`text of ${worker.name}`} ref={toEnd}>{text.text}</pre>
          </div>
        )}
      </div>
      {finding && <Find find={(words, below) => pane.current?.find(words, below) ?? false} close={() => { setFinding(false); pane.current?.focus(); }} />}
      {told.notSent !== "" && (
        <p class="unsent" role="alert">
          not sent: <code>{told.notSent.replaceAll("\r", "⏎")}</code>
          <button type="button" class="btn" onClick={() => pane.current?.sendAgain()}>Send</button>
          <button type="button" class="btn" onClick={() => pane.current?.forget()}>Forget</button>
        </p>
      )}
      <div class="foot">
        <span>{told.size && `${told.size} · `}{LIVE[told.live]}</span>
        {told.heldBy === "terminal" && <span>held by a terminal</span>}
        <span class="gap" />
        {!told.atEnd && <button type="button" class="link" onClick={() => pane.current?.toEnd()}>to the end</button>}
        <button type="button" class="link" onClick={() => setFinding(true)}>find</button>
        <button type="button" class="link" onClick={() => (text === null ? showText() : setText(null))}>text</button>
        {told.heldBy !== "terminal" && !isReadOnly && <button type="button" class="link" title="give the pane the size of this page" onClick={() => pane.current?.takeSize()}>fit</button>}
      </div>
      {children}
      {isAgent && !isReadOnly && <Composer session={session} />}
      {!isReadOnly && (
        <div class="keys" role="toolbar" aria-label="keys" onMouseDown={(event) => event.preventDefault()}>
          {["esc", "tab"].map((name) => <button type="button" key={name} onClick={() => pane.current?.key(name)}>{name}</button>)}
          <button type="button" aria-pressed={sticky} onClick={toggle}>ctrl</button>
          <Repeating label="up" glyph="↑" press={() => pane.current?.key("up")} />
          <Repeating label="down" glyph="↓" press={() => pane.current?.key("down")} />
          <button type="button" aria-label="enter" onClick={() => pane.current?.key("enter")}>⏎</button>
          <button type="button" aria-label="ctrl c" onClick={() => pane.current?.key("ctrl-c")}>^C</button>
          <button type="button" aria-label="slash" onClick={() => pane.current?.type("/")}>/</button>
          <Repeating label="left" glyph="←" press={() => pane.current?.key("left")} />
          <Repeating label="right" glyph="→" press={() => pane.current?.key("right")} />
          <button type="button" onClick={() => void paste()}>paste</button>
          {PLAIN.map(([name, label]) => <button type="button" key={name} aria-label={name.replace("-", " ")} onClick={() => pane.current?.key(name)}>{label}</button>)}
        </div>
      )}
    </div>
  );
}

const toEnd = (element: HTMLElement | null) => {
  if (element && !element.dataset["seen"]) {
    element.dataset["seen"] = "yes";
    element.scrollTop = element.scrollHeight;
  }
};

/** What a finger does that stays where it is for a while. */
function useLongPress(then: () => void) {
  const timer = useRef<ReturnType<typeof setTimeout> | undefined>(undefined);
  const stop = () => clearTimeout(timer.current);
  useEffect(() => stop, []);
  return {
    onTouchStart: (event: TouchEvent) => {
      stop();
      if (event.touches.length === 1) timer.current = setTimeout(then, LONG);
    },
    onTouchMove: stop,
    onTouchEnd: stop,
    onTouchCancel: stop,
  };
}

/** Finds text in the terminal. */
function Find({ find, close }: { find: (words: string, below: boolean) => boolean; close: () => void }) {
  const field = useRef<HTMLInputElement>(null);
  const [found, setFound] = useState(true);
  useEffect(() => field.current?.focus(), []);
  const go = (below: boolean) => setFound(!field.current?.value || find(field.current.value, below));
  return (
    <form class="find" role="search" onSubmit={(event) => { event.preventDefault(); go(false); }}>
      <input ref={field} aria-label="find in the terminal" placeholder="find" onInput={() => go(false)} onKeyDown={(event) => event.key === "Escape" && close()} />
      <button class="btn" aria-label="above">↑</button>
      <button type="button" class="btn" aria-label="below" onClick={() => go(true)}>↓</button>
      <button type="button" class="btn" onClick={close}>Close</button>
      <span role="status" class="dim">{found ? "" : "not found"}</span>
    </form>
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
