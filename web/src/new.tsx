// A new session.
import { useEffect, useRef, useState } from "preact/hooks";
import { ask } from "./api";
import { attempt, dialog, go, selected, sessions } from "./state";
import type { Session } from "./types";

interface Agent { name: string; title: string; program: string | null }

export function NewSession() {
  const box = useRef<HTMLDialogElement>(null);
  const [agents, setAgents] = useState<Agent[]>([]);
  const [busy, setBusy] = useState(false);
  // One request, however often it is sent.
  const key = useRef(crypto.randomUUID?.() ?? String(Math.random()));
  useEffect(() => {
    box.current?.showModal();
    void ask<{ agents: Agent[] }>("GET", "/api/agents").then((all) => setAgents(all.agents.filter((a) => a.program)), () => {});
  }, []);
  const close = () => (dialog.value = null);
  const make = async (form: HTMLFormElement) => {
    const data = new FormData(form);
    const text = (name: string) => String(data.get(name) ?? "").trim() || undefined;
    setBusy(true);
    const body = { type: "quick", locationPath: text("folder"), title: text("title"), agentId: text("agent"), group: text("group"), prompt: text("prompt") };
    const made = await attempt(send(body));
    setBusy(false);
    if (made) {
      close();
      go(made.session.id);
    }
  };
  const send = async (body: unknown): Promise<{ session: Session }> => {
    const answer = await fetch("/api/sessions", {
      method: "POST",
      headers: { "content-type": "application/json", "idempotency-key": key.current },
      body: JSON.stringify(body),
    });
    const value = await answer.json();
    if (!answer.ok) {
      // What was refused may be tried again with something else.
      key.current = crypto.randomUUID?.() ?? String(Math.random());
      throw new Error(value.error.hint ? `${value.error.message}: ${value.error.hint}` : value.error.message);
    }
    return value;
  };
  const folders = [...new Set([...sessions.value.values()].map((s) => s.locationPath))];
  return (
    <dialog ref={box} onClose={close} aria-labelledby="new-title">
      <form onSubmit={(event) => { event.preventDefault(); void make(event.currentTarget); }}>
        <h2 id="new-title">New session</h2>
        <label>Folder<input name="folder" required list="folders" placeholder="/home/you/src/api" defaultValue={selected.value?.locationPath ?? folders[0] ?? ""} /></label>
        <datalist id="folders">{folders.map((path) => <option key={path} value={path} />)}</datalist>
        <label>Agent
          <select name="agent">
            {agents.map((agent) => <option key={agent.name} value={agent.name}>{agent.title}</option>)}
          </select>
        </label>
        <label>Title<input name="title" placeholder="the folder's name" /></label>
        <label>Group<input name="group" placeholder="none" defaultValue={selected.value?.group ?? ""} /></label>
        <label>First prompt<textarea name="prompt" rows={3} /></label>
        <div class="buttons">
          <button type="button" class="btn" onClick={close}>Cancel</button>
          <button class="btn first" disabled={busy}>{busy ? "Starting…" : "Start"}</button>
        </div>
      </form>
    </dialog>
  );
}
