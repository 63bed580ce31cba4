// The list of sessions, as it changes.
import { batch } from "@preact/signals";
import { at } from "./api";
import { CODES, Line } from "./line";
import { show } from "./notify";
import { greeted } from "./page";
import { announced, counts, known, lost, needsYou, say, sessions, trouble } from "./state";
import type { Session } from "./types";

let seq: number | null = null;

export function follow(): void {
  let since = 0;
  let why = 0;
  let next: number | null = null;
  new Line(
    () => at(`/ws/dashboard${seq === null ? "" : `?since=${seq}`}`),
    (message) => batch(() => {
      since = 0;
      lost.value = false;
      if (!trouble.value?.startsWith("tmux")) trouble.value = null;
      take(message);
    }),
    (code, retry) => {
      lost.value = true;
      since ||= Date.now();
      why = code;
      next = retry === null ? null : Date.now() + retry;
      tell();
    },
  );
  // The seconds are counted down.
  setInterval(() => lost.value && tell(), 1000);

  function tell(): void {
    trouble.value = why === CODES.login
      ? "This browser is not paired. Run `deck serve pair` and open the address that it prints."
      : why === CODES.tooMany
        ? "Too many pages are open. Close one, and reload."
        : `Line lost ${Math.round((Date.now() - since) / 1000)} s ago · next try in ${Math.max(0, Math.ceil(((next ?? Date.now()) - Date.now()) / 1000))} s`;
  }
}

function take(message: any): void {
  if (typeof message.seq === "number") seq = message.seq;
  switch (message.type) {
    case "hello":
      greeted(message);
      return;
    case "snapshot":
      sessions.value = new Map((message.sessions as Session[]).map((s) => [s.id, s]));
      needsYou.value = message.needsYou;
      counts.value = message.counts ?? {};
      trouble.value = message.trouble ? `tmux: ${message.trouble}` : null;
      known.value = true;
      break;
    case "session": {
      const session = message.session as Session;
      sessions.value = new Map(sessions.value).set(session.id, session);
      break;
    }
    case "gone": {
      const left = new Map(sessions.value);
      left.delete(message.id);
      sessions.value = left;
      break;
    }
    case "counts":
      needsYou.value = message.needsYou;
      counts.value = message.counts;
      trouble.value = null;
      break;
    case "notice":
      announced.value = message.text;
      if (document.visibilityState === "visible") say(message.text);
      void show(message.text, message.id ?? null);
      break;
    case "trouble":
      trouble.value = `tmux: ${message.message}`;
      break;
  }
}
