// Dialogs that ask for a line or two: a title, a group, a further worker.
import { useEffect, useState } from "preact/hooks";
import { ask, of } from "../api";
import { attempt, go, groups } from "../state";
import type { Session, Worker } from "../types";
import { close, Frame } from "./frame";

/** Asks for one line. `send` returns whether it was done. */
function Line({ title, label, value, done, list, send }: {
  title: string; label: string; value: string; done: string; list?: string[]; send: (text: string) => Promise<unknown>;
}) {
  const submit = async (form: HTMLFormElement) => {
    if (await attempt(send(String(new FormData(form).get("text") ?? "").trim()), done)) close();
  };
  return (
    <Frame title={title}>
      <form onSubmit={(event) => { event.preventDefault(); void submit(event.currentTarget); }}>
        <label>{label}<input name="text" defaultValue={value} data-focus list={list && "known"} onFocus={(event) => event.currentTarget.select()} /></label>
        {list && <datalist id="known">{list.map((one) => <option key={one} value={one} />)}</datalist>}
        <div class="buttons">
          <button type="button" class="btn" onClick={close}>Cancel</button>
          <button class="btn first">OK</button>
        </div>
      </form>
    </Frame>
  );
}

export const Rename = ({ session }: { session: Session }) => (
  <Line title={`Rename ${session.title}`} label="Title" value={session.title} done="renamed" send={(title) => ask("PATCH", of(session.id), { title })} />
);

export const Move = ({ session }: { session: Session }) => (
  <Line title={`Move ${session.title}`} label="Group; empty for none" value={session.group} done="moved" list={groups.value.map(([name]) => name).filter(Boolean)}
    send={(group) => ask("PATCH", of(session.id), { group })} />
);

export const Fork = ({ session }: { session: Session }) => (
  <Line title={`Fork ${session.title}`} label="Title of the fork" value={`${session.title} fork`} done="forked"
    send={(title) => ask<{ session: Session }>("POST", of(session.id, "/fork"), title ? { title } : {}).then((made) => (go(made.session.id), made))} />
);

export const RenameWorker = ({ session, worker }: { session: Session; worker: Worker }) => (
  <Line title={`Rename ${worker.name}`} label="Name" value={worker.name} done="renamed"
    send={(name) => ask("PATCH", of(session.id, `/workers/${encodeURIComponent(worker.id)}`), { name })} />
);

interface Agent { name: string; title: string; program: string | null }

/** A further worker of a session. */
export function AddWorker({ session }: { session: Session }) {
  const [kind, setKind] = useState("terminal");
  const [agents, setAgents] = useState<Agent[]>([]);
  useEffect(() => void ask<{ agents: Agent[] }>("GET", "/api/agents").then((all) => setAgents(all.agents.filter((a) => a.program)), () => {}), []);
  const submit = async (form: HTMLFormElement) => {
    const data = new FormData(form);
    const body: Record<string, unknown> = { type: kind };
    for (const [name, value] of data) if (String(value).trim()) body[name] = String(value).trim();
    const made = await attempt(ask<{ worker: Worker }>("POST", of(session.id, "/workers"), body));
    if (!made) return;
    close();
    go(session.id, made.worker.id);
  };
  return (
    <Frame title={`Add to ${session.title}`}>
      <form onSubmit={(event) => { event.preventDefault(); void submit(event.currentTarget); }}>
        <label>What
          <select value={kind} data-focus onChange={(event) => setKind(event.currentTarget.value)}>
            <option value="terminal">terminal</option><option value="diff">diff</option><option value="markdown">file</option>
            <option value="link">link</option><option value="agent">further agent</option>
          </select>
        </label>
        <label>Name<input name="name" placeholder="by what it is" /></label>
        {kind === "terminal" && <label>Command<input name="command" placeholder="a shell" class="mono" /></label>}
        {kind === "diff" && <label>Against<input name="against" placeholder="head, base, or a branch or commit" /></label>}
        {kind === "markdown" && <label>File<input name="filePath" required placeholder="README.md" /></label>}
        {kind === "link" && <label>Address<input name="url" required placeholder="http://localhost:{port}" /></label>}
        {kind === "agent" && (
          <label>Agent<select name="agentId">{agents.map((agent) => <option key={agent.name} value={agent.name}>{agent.title}</option>)}</select></label>
        )}
        <div class="buttons">
          <button type="button" class="btn" onClick={close}>Cancel</button>
          <button class="btn first">Add</button>
        </div>
      </form>
    </Frame>
  );
}
