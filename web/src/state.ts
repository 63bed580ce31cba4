// All that the page shows.
import { computed, signal } from "@preact/signals";
import { profile, type Consent } from "./api";
import { kindOf } from "./status";
import type { Counts, Session, Worker } from "./types";

export const sessions = signal<ReadonlyMap<string, Session>>(new Map());
export const counts = signal<Counts>({});
export const needsYou = signal<string[]>([]);
/** Whether the dashboard has sent anything yet. */
export const known = signal(false);
/** Why nothing is live, if nothing is. */
export const trouble = signal<string | null>(null);
export const lost = signal(false);
/** Words for the one live region. */
export const announced = signal("");
/** Words at the edge of the page, and what can be done about them. */
export interface Toast { text: string; bad: boolean; action?: { label: string; run: () => void } | undefined }
export const toast = signal<Toast | null>(null);
export const now = signal(Date.now());
/** The dialog that is open. */
export type Dialog =
  | { kind: "new"; like?: Session }
  | { kind: "finish" | "explain" | "rename" | "move" | "worker" | "fork"; session: Session }
  | { kind: "rename-worker"; session: Session; worker: Worker }
  | { kind: "consent"; consent: Consent; allow: (always: boolean) => void }
  | { kind: "trash" | "palette" | "help" | "settings" | "profiles" };
export const dialog = signal<Dialog | null>(null);
/** What the list is narrowed to: words, and the kind of a status. */
export const filter = signal({ text: "", kind: null as string | null });

/** The session and the tab that the address names. */
export const route = signal(read());

function read(): { session: string | null; worker: string | null } {
  const match = /^\/s\/([^/]+)(?:\/w\/([^/]+))?/.exec(location.pathname);
  const part = (n: number) => (match?.[n] ? decodeURIComponent(match[n]) : null);
  return { session: part(1), worker: part(2) };
}

export function go(session: string | null, worker: string | null = null, replace = false): void {
  const path = session === null ? "/" : `/s/${encodeURIComponent(session)}${worker ? `/w/${encodeURIComponent(worker)}` : ""}`;
  const query = profile ? `?profile=${encodeURIComponent(profile)}` : "";
  if (path !== location.pathname) history[replace ? "replaceState" : "pushState"](null, "", path + query);
  // What was said of another session is not about this one.
  if (session !== null && session !== route.value.session) toast.value = null;
  route.value = read();
}

addEventListener("popstate", () => (route.value = read()));
setInterval(() => {
  if (document.visibilityState === "visible") now.value = Date.now();
}, 5000);

export const selected = computed(() => sessions.value.get(route.value.session ?? "") ?? null);
export const tab = computed(() => {
  const session = selected.value;
  return session?.workers.find((w) => w.id === route.value.worker) ?? session?.workers[0] ?? null;
});

function matches(session: Session): boolean {
  const { text, kind } = filter.value;
  if (kind !== null && kindOf(session) !== kind) return false;
  const all = `${session.title} ${session.locationPath} ${session.group} ${session.agentId}`.toLowerCase();
  return text.toLowerCase().split(/\s+/).every((word) => all.includes(word));
}

/** The sessions in the order in which they are listed: by group, each below its parent. */
export const groups = computed(() => {
  const all = new Map<string, { session: Session; depth: number }[]>();
  const children = new Map<string, Session[]>();
  const inOrder = [...sessions.value.values()].filter(matches).sort((a, b) => a.order - b.order || (a.id < b.id ? -1 : 1));
  const tops: Session[] = [];
  for (const session of inOrder) {
    const parent = sessions.value.get(session.parentId ?? "");
    if (parent && parent.group === session.group) {
      children.set(parent.id, [...(children.get(parent.id) ?? []), session]);
    } else tops.push(session);
  }
  const put = (session: Session, depth: number) => {
    const list = all.get(session.group) ?? [];
    list.push({ session, depth });
    all.set(session.group, list);
    for (const child of children.get(session.id) ?? []) put(child, depth + 1);
  };
  for (const session of tops) put(session, 0);
  return [...all].sort(([a], [b]) => (a < b ? -1 : 1));
});

let hide: ReturnType<typeof setTimeout> | undefined;
export function say(text: string, bad = false, action?: Toast["action"]): void {
  clearTimeout(hide);
  toast.value = { text, bad, action };
  hide = setTimeout(() => (toast.value = null), bad || action ? 12000 : 5000);
}

/** Does something, and says what went wrong. */
export async function attempt<T>(work: Promise<T>, done?: string): Promise<T | undefined> {
  try {
    const result = await work;
    if (done) say(done);
    return result;
  } catch (error) {
    say(error instanceof Error ? error.message : String(error), true);
    return undefined;
  }
}
