// A new session: in a folder, or in a worktree of a repository.
import { useEffect, useRef, useState } from "preact/hooks";
import { ApiError, ask, newKey, type Consent } from "../api";
import { attempt, dialog, go, say, selected, sessions } from "../state";
import type { Session } from "../types";
import { close, Frame } from "./frame";

interface Agent { name: string; title: string; program: string | null }
interface Repository { id: string; name: string; path: string; base: string | null; missing: boolean }
interface Worktree { path: string; branch: string | null; bare: boolean }

/** The size that a pane would have on this page; of a phone, with letters that are small but can be read. */
function size(): { cols: number; rows: number } | Record<string, never> {
  const place = document.querySelector<HTMLElement>(".session");
  const isPhone = !place?.clientWidth;
  const [width, height, cell, line] = isPhone ? [innerWidth - 16, innerHeight - 330, 6.7, 13] : [place.clientWidth - 32, place.clientHeight - 190, 8.5, 17];
  const [cols, rows] = [Math.floor(width / cell), Math.floor(height / line)];
  return cols >= 40 && rows >= 10 ? { cols, rows } : {};
}

export function NewSession({ like }: { like?: Session }) {
  const of = like ?? selected.value;
  const [agents, setAgents] = useState<Agent[]>([]);
  const [repositories, setRepositories] = useState<Repository[]>([]);
  const [worktrees, setWorktrees] = useState<Worktree[]>([]);
  const [repository, setRepository] = useState(of?.repositoryId ?? "");
  const [kind, setKind] = useState<"quick" | "worktree">("quick");
  const [busy, setBusy] = useState(false);
  const [failed, setFailed] = useState<string | null>(null);
  // One request, however often it is sent.
  const key = useRef(newKey());
  useEffect(() => {
    void ask<{ agents: Agent[] }>("GET", "/api/agents").then((all) => setAgents(all.agents.filter((a) => a.program)), (why: Error) => setFailed(why.message));
    void ask<{ repositories: Repository[] }>("GET", "/api/repositories").then(({ repositories }) => {
      const there = repositories.filter((r) => !r.missing);
      setRepositories(there);
      setRepository((now) => now || there[0]?.id || "");
    }, () => {});
  }, []);
  useEffect(() => {
    setWorktrees([]);
    if (kind !== "worktree" || !repository) return;
    void ask<{ worktrees: Worktree[] }>("GET", `/api/repositories/${encodeURIComponent(repository)}/worktrees`)
      .then((all) => setWorktrees(all.worktrees.filter((w) => w.branch && !w.bare)), () => {});
  }, [kind, repository]);

  const make = async (body: Record<string, unknown>): Promise<void> => {
    setBusy(true);
    setFailed(null);
    try {
      const made = await ask<{ session: Session; resumed?: string }>("POST", "/api/sessions", body, key.current);
      close();
      if (made.resumed) say("it continues its newest conversation");
      go(made.session.id);
    } catch (error) {
      // What was refused may be tried again with something else; what was lost on the way is the same request.
      if (!(error instanceof ApiError) || error.status !== 0) key.current = newKey();
      if (error instanceof ApiError && error.consent) return consent(error.consent, body);
      setFailed(error instanceof Error ? error.message : String(error));
    } finally {
      setBusy(false);
    }
  };
  const consent = (asked: Consent, body: Record<string, unknown>) => {
    const allow = (always: boolean) => void attempt(
      ask<{ session: Session }>("POST", "/api/sessions", { ...body, consent: { sha256: asked.sha256, always } }, newKey())
        .then((made) => go(made.session.id)),
    );
    dialog.value = { kind: "consent", consent: asked, allow };
  };
  const submit = (form: HTMLFormElement) => {
    const data = new FormData(form);
    const text = (name: string) => String(data.get(name) ?? "").trim() || undefined;
    const place = kind === "quick"
      ? { locationPath: text("folder") }
      : { repositoryId: repository, branch: text("branch"), base: text("base") };
    void make({
      type: kind, ...place, title: text("title"), agentId: text("agent"), group: text("group"), prompt: text("prompt"),
      continueConversation: data.get("continue") === "on", ...size(),
    });
  };
  const folders = [...new Set([...sessions.value.values()].map((s) => s.locationPath))];
  return (
    <Frame title="New session">
      <form onSubmit={(event) => { event.preventDefault(); submit(event.currentTarget); }}>
        {repositories.length > 0 && (
          <fieldset class="choice">
            <legend>Where</legend>
            <label><input type="radio" name="kind" checked={kind === "quick"} onChange={() => setKind("quick")} />a folder</label>
            <label><input type="radio" name="kind" checked={kind === "worktree"} onChange={() => setKind("worktree")} />a worktree of its own</label>
          </fieldset>
        )}
        {kind === "quick" ? (
          <>
            <label>Folder<input name="folder" required list="folders" placeholder="/home/you/src/api" defaultValue={of?.locationPath ?? folders[0] ?? ""} data-focus /></label>
            <datalist id="folders">{folders.map((path) => <option key={path} value={path} />)}</datalist>
          </>
        ) : (
          <>
            <label>Repository
              <select value={repository} onChange={(event) => setRepository(event.currentTarget.value)}>
                {repositories.map((r) => <option key={r.id} value={r.id}>{r.name}</option>)}
              </select>
            </label>
            <label>Branch<input name="branch" required list="branches" placeholder="feat/login: made if there is none" /></label>
            <datalist id="branches">{worktrees.map((w) => <option key={w.path} value={w.branch!} />)}</datalist>
            <label>Begins at<input name="base" placeholder={repositories.find((r) => r.id === repository)?.base ?? "the repository's default branch"} /></label>
          </>
        )}
        <label>Agent
          <select name="agent" key={agents.length} defaultValue={of?.agentId ?? agents.find((agent) => agent.name !== "shell")?.name}>
            {agents.map((agent) => <option key={agent.name} value={agent.name}>{agent.title}</option>)}
          </select>
        </label>
        <label>Title<input name="title" placeholder="the folder's name" /></label>
        <label>Group<input name="group" placeholder="none" defaultValue={of?.group ?? ""} /></label>
        <label>First prompt<textarea name="prompt" rows={3} /></label>
        <label class="check"><input type="checkbox" name="continue" />continue the newest conversation there</label>
        {failed && <p class="failed" role="alert">{failed}</p>}
        <div class="buttons">
          <button type="button" class="btn" onClick={close}>Cancel</button>
          <button class="btn first" disabled={busy}>{busy ? "Starting…" : "Start"}</button>
        </div>
      </form>
    </Frame>
  );
}
