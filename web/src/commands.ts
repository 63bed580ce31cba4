// What the page does for the commands of the screen. Names, words and keys are the screen's own, from its registry; a command
// without an entry here is not offered.
import { ask, of } from "./api";
import { move, moveTo } from "./list";
import { commands, readOnly, type Command } from "./page";
import { attempt, dialog, filter, go, needsYou, say, selected, tab } from "./state";
import type { Kind } from "./status";
import type { Session, Worker } from "./types";

interface Action {
  run: () => void;
  /** Whether it can be used now. */
  when?: () => boolean;
  /** Whether who may only read is not offered it. */
  changes?: boolean;
}

const one = () => selected.value !== null;
const focus = (place: string) => document.querySelector<HTMLElement>(place)?.focus();

/** Does something with the session that is shown. */
function act(path: string, done: string, body: unknown = {}): void {
  const session = selected.value;
  if (session) void attempt(ask("POST", of(session.id, path), body), done);
}

const open = (kind: "finish" | "explain" | "rename" | "move" | "worker" | "fork") => () => {
  if (selected.value) dialog.value = { kind, session: selected.value };
};
const toggle = (kind: Kind) => () => (filter.value = { ...filter.value, kind: filter.value.kind === kind ? null : kind });

async function copy(last: boolean): Promise<void> {
  const session = selected.value;
  if (!session) return;
  const answer = await attempt(ask<{ text: string }>("GET", of(session.id, `/output${last ? "?last=true" : ""}`)));
  if (answer) await attempt(navigator.clipboard.writeText(answer.text), last ? "copied the last answer" : "copied the screen");
}

async function addTerminal(): Promise<void> {
  const session = selected.value;
  if (!session) return;
  const made = await attempt(ask<{ worker: Worker }>("POST", of(session.id, "/workers"), { type: "terminal" }));
  if (made) go(session.id, made.worker.id);
}

async function showDiff(): Promise<void> {
  const session = selected.value;
  if (!session) return;
  const known = session.workers.find((worker) => worker.type === "diff");
  if (known) return go(session.id, known.id);
  const made = await attempt(ask<{ worker: Worker }>("POST", of(session.id, "/workers"), { type: "diff" }));
  if (made) go(session.id, made.worker.id);
}

export async function removeWorker(session: Session, worker: Worker): Promise<void> {
  if (await attempt(ask("DELETE", of(session.id, `/workers/${encodeURIComponent(worker.id)}?stop=true`)), `removed ${worker.name}`)) go(session.id);
}

async function remove(): Promise<void> {
  const session = selected.value;
  if (!session) return;
  if (await attempt(ask("DELETE", of(session.id, "?stop=true")))) {
    go(null);
    say(`${session.title} is deleted`, false, { label: "Undo", run: undo });
  }
}

const undo = () => void attempt(ask("POST", "/api/undo", {}), "undone");

function next(): void {
  const all = needsYou.value;
  const id = all[(all.indexOf(selected.value?.id ?? "") + 1) % all.length];
  if (id) go(id);
  else say("no session needs you");
}

const runs = () => selected.value?.status === "active";
const isWorker = () => tab.value !== null && tab.value !== selected.value?.workers[0];

/** By the names of the screen's registry. */
export const actions: Record<string, Action> = {
  next: { run: next },
  down: { run: () => move(1) },
  up: { run: () => move(-1) },
  first: { run: () => moveTo(0) },
  last: { run: () => moveTo(-1) },
  open: { run: () => focus(".screen textarea"), when: one },
  type: { run: () => focus(".screen textarea"), when: one, changes: true },
  answer: { run: () => focus(".ask button"), when: () => selected.value?.deck.screen != null, changes: true },
  send: { run: () => focus(".compose textarea"), when: one, changes: true },
  seen: { run: () => act("/ack", "marked as seen"), when: one, changes: true },
  "copy-answer": { run: () => void copy(true), when: one },
  "copy-screen": { run: () => void copy(false), when: one },
  explain: { run: open("explain"), when: one },
  new: { run: () => (dialog.value = { kind: "new" }), changes: true },
  "new-like": { run: () => (dialog.value = { kind: "new", like: selected.value! }), when: one, changes: true },
  restart: {
    run: () => (runs() ? act("/restart", "restarted", { continueConversation: true }) : act("/start", "started")),
    when: one, changes: true,
  },
  stop: { run: () => act("/stop", "stopped; its conversation is kept"), when: runs, changes: true },
  fork: { run: () => act("/fork", "forked"), when: one, changes: true },
  "fork-as": { run: open("fork"), when: one, changes: true },
  diff: { run: () => void showDiff(), when: one, changes: true },
  terminal: { run: () => void addTerminal(), when: one, changes: true },
  "add-worker": { run: open("worker"), when: one, changes: true },
  "remove-worker": { run: () => void removeWorker(selected.value!, tab.value!), when: isWorker, changes: true },
  "restart-worker": {
    run: () => act(`/workers/${encodeURIComponent(tab.value!.id)}/restart`, "started again"),
    when: () => isWorker() && tab.value?.type === "terminal", changes: true,
  },
  "finish-worktree": { run: open("finish"), when: () => selected.value?.worktreeId != null, changes: true },
  rename: { run: open("rename"), when: one, changes: true },
  move: { run: open("move"), when: one, changes: true },
  delete: { run: () => void remove(), when: one, changes: true },
  undo: { run: undo, changes: true },
  archive: { run: () => act("/archive", "archived"), when: one, changes: true },
  trash: { run: () => (dialog.value = { kind: "trash" }), changes: true },
  find: { run: () => focus(".find-list input") },
  "only-running": { run: toggle("running") },
  "only-waiting": { run: toggle("asks") },
  "only-idle": { run: toggle("idle") },
  "only-error": { run: toggle("failed") },
  "show-all": { run: () => (filter.value = { text: "", kind: null }), when: () => filter.value.text !== "" || filter.value.kind !== null },
  profile: { run: () => (dialog.value = { kind: "profiles" }) },
  theme: { run: () => (dialog.value = { kind: "settings" }) },
  settings: { run: () => (dialog.value = { kind: "settings" }) },
  palette: { run: () => (dialog.value = { kind: "palette" }) },
  help: { run: () => (dialog.value = { kind: "help" }) },
  ...Object.fromEntries(Array.from({ length: 9 }, (_, n) => [`tab-${n + 1}`, {
    run: () => go(selected.value!.id, selected.value!.workers[n]!.id, true),
    when: () => selected.value?.workers[n] !== undefined,
  }])),
};

export function canRun(id: string): boolean {
  const action = actions[id];
  return action !== undefined && (!readOnly.value || !action.changes) && (action.when?.() ?? true);
}

/** The commands that the page has, whether or not they can be used now. */
export const has = (id: string): boolean => actions[id] !== undefined && (!readOnly.value || !actions[id].changes);

/** The commands that can be used now. */
export const here = (): Command[] => commands.value.filter(({ id }) => canRun(id));

/** The first key of a command, for a title. */
export function key(id: string): string {
  const first = commands.value.find((command) => command.id === id)?.keys[0];
  return first ? ` (${first})` : "";
}

