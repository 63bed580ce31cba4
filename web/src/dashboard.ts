// The list of sessions, as it changes.
import { batch } from "@preact/signals";
import { CODES, Line } from "./line";
import { announced, counts, known, lost, needsYou, say, sessions, trouble } from "./state";
import type { Session } from "./types";

let seq: number | null = null;

export function follow(): void {
  let since = 0;
  new Line(
    () => `/ws/dashboard${seq === null ? "" : `?since=${seq}`}`,
    (message) => batch(() => {
      since = 0;
      lost.value = false;
      if (!trouble.value?.startsWith("tmux")) trouble.value = null;
      take(message);
    }),
    (code, retry) => {
      lost.value = true;
      since ||= Date.now();
      trouble.value = code === CODES.login
        ? "This browser is not paired. Run `deck serve pair` and open the address that it prints."
        : code === CODES.tooMany
          ? "Too many pages are open. Close one, and reload."
          : `Line lost ${Math.round((Date.now() - since) / 1000)} s ago · next try in ${Math.ceil((retry ?? 0) / 1000)} s`;
    },
  );
}

function take(message: any): void {
  if (typeof message.seq === "number") seq = message.seq;
  switch (message.type) {
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
      break;
    case "trouble":
      trouble.value = `tmux: ${message.message}`;
      break;
  }
  document.title = needsYou.value.length ? `(${needsYou.value.length}) deck` : "deck";
}
