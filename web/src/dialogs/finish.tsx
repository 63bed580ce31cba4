// Finishing a worktree: what would be done and what is in the way, before anything is done.
import { useEffect, useState } from "preact/hooks";
import { ApiError, ask, type Blocker, type Consent } from "../api";
import { dialog, go, say } from "../state";
import type { Session } from "../types";
import { close, Frame } from "./frame";

interface Plan { path: string; branch: string | null; base: string | null; lacks: number | null; blockers: Blocker[]; commands: string[]; stops: string[] }
interface Finished { removed: boolean; merged: boolean; pushed_to: string | null; branch_deleted: boolean; base: string | null }

export function Finish({ session }: { session: Session }) {
  const [merge, setMerge] = useState("merge");
  const [into, setInto] = useState("");
  const [flags, setFlags] = useState({ push: false, deleteBranch: false, stop: false, keep: false, discardIgnored: false });
  const [plan, setPlan] = useState<Plan | null>(null);
  const [failed, setFailed] = useState<string | null>(null);
  const [busy, setBusy] = useState(false);
  const wish = {
    worktreeId: session.worktreeId, ...(merge ? { merge } : {}), ...(into ? { into } : {}), ...flags,
  };
  const changed = JSON.stringify(wish);
  useEffect(() => {
    let isOld = false;
    ask<{ plan: Plan }>("POST", "/api/worktrees/finish", { ...wish, dryRun: true })
      .then((answer) => { if (!isOld) { setPlan(answer.plan); setFailed(null); } }, (why: Error) => { if (!isOld) { setPlan(null); setFailed(why.message); } });
    return () => { isOld = true; };
  }, [changed]);
  const finish = async (consent?: { sha256: string; always: boolean }): Promise<void> => {
    setBusy(true);
    try {
      const { finished } = await ask<{ finished: Finished }>("POST", "/api/worktrees/finish", { ...wish, ...(consent ? { consent } : {}) });
      close();
      say([finished.merged && `merged into ${finished.base}`, finished.pushed_to && `pushed to ${finished.pushed_to}`,
        finished.removed ? "worktree removed" : "worktree kept"].filter(Boolean).join(", "));
      if (finished.removed) go(null);
    } catch (error) {
      if (error instanceof ApiError && error.consent) return ask_user(error.consent);
      if (error instanceof ApiError && error.blockers && plan) setPlan({ ...plan, blockers: error.blockers });
      setFailed(error instanceof Error ? error.message : String(error));
    } finally {
      setBusy(false);
    }
  };
  const ask_user = (consent: Consent) => {
    dialog.value = { kind: "consent", consent, allow: (always) => void finish({ sha256: consent.sha256, always }) };
  };
  const flag = (name: keyof typeof flags, words: string) => (
    <label class="check"><input type="checkbox" checked={flags[name]} onChange={(event) => setFlags({ ...flags, [name]: event.currentTarget.checked })} />{words}</label>
  );
  const isBlocked = plan === null || plan.blockers.length > 0;
  return (
    <Frame title={`Finish ${session.branch ?? session.title}`} wide>
      <form onSubmit={(event) => { event.preventDefault(); void finish(); }}>
        <label>Merge
          <select value={merge} data-focus onChange={(event) => setMerge(event.currentTarget.value)}>
            <option value="merge">with a merge commit</option>
            <option value="squash">as one commit</option>
            <option value="rebase">rebased</option>
            <option value="">not at all</option>
          </select>
        </label>
        <label>Into<input value={into} placeholder={plan?.base ?? session.base ?? "the branch that it was made from"} onChange={(event) => setInto(event.currentTarget.value.trim())} /></label>
        {flag("push", "push the branch")}
        {flag("deleteBranch", "delete the branch")}
        {flag("keep", "keep the worktree")}
        {flag("stop", "stop the sessions that run in it")}
        {flag("discardIgnored", "remove ignored files with it")}
        {plan && (
          <section aria-live="polite">
            <p class="dim">{plan.path}{plan.lacks !== null && plan.base && ` · ${plan.base} lacks ${plan.lacks} of its commits`}</p>
            {plan.blockers.map((blocker) => <p key={blocker.words} class="asks">◐ {blocker.words}</p>)}
            <pre class="script" tabIndex={0}>{plan.commands.join("\n") || "nothing to run"}</pre>
          </section>
        )}
        {failed && <p class="failed" role="alert">{failed}</p>}
        <div class="buttons">
          <button type="button" class="btn" onClick={close}>Cancel</button>
          <button class="btn first" disabled={busy || isBlocked}>{busy ? "Finishing…" : "Finish"}</button>
        </div>
      </form>
    </Frame>
  );
}
