// What changed in a session's folder.
import { useEffect, useState } from "preact/hooks";
import { ask, of } from "./api";
import type { Session, Worker } from "./types";

interface Line { kind: "context" | "added" | "removed"; text: string }
interface Hunk { old_start: number; new_start: number; lines: Line[] }
interface File { path: string; old_path: string | null; change: string; added: number | null; removed: number | null; is_binary: boolean; hunks: Hunk[] | null }
interface Changed { base: string; added: number; removed: number; files: File[]; is_complete: boolean }

export function Diff({ session, worker }: { session: Session; worker: Worker }) {
  const [diff, setDiff] = useState<Changed | null>(null);
  const [error, setError] = useState<string | null>(null);
  const load = () => ask<Changed>("GET", of(session.id, `/workers/${encodeURIComponent(worker.id)}/diff`))
    .then((value) => { setDiff(value); setError(null); }, (why: Error) => setError(why.message));
  useEffect(() => void load(), [worker.id]);
  return (
    <div class="pad scroll diff">
      <p class="dim">
        {diff && <>compared with {diff.base} · <span class="done">+{diff.added}</span> <span class="failed">−{diff.removed}</span> · </>}
        <button type="button" class="link" onClick={load}>read again</button>
      </p>
      {error && <p class="failed" role="alert">{error}</p>}
      {diff?.files.length === 0 && <p>No changes.</p>}
      {diff?.files.map((file) => (
        <details key={file.path} open={diff.files.length < 20}>
          <summary>
            {file.path} <span class="dim">{file.change}</span> {file.added !== null && <span class="done">+{file.added}</span>} {file.removed !== null && <span class="failed">−{file.removed}</span>}
          </summary>
          {file.is_binary && <p class="dim">not text</p>}
          {file.hunks?.map((hunk, at) => (
            <pre key={at} tabIndex={0}>
              {hunk.lines.map((line, n) => <Row key={n} line={line} />)}
            </pre>
          ))}
        </details>
      ))}
      {diff && !diff.is_complete && <p class="dim">There are more files than can be listed.</p>}
    </div>
  );
}

function Row({ line }: { line: Line }) {
  const [sign, colour] = line.kind === "added" ? ["+", "add"] : line.kind === "removed" ? ["−", "del"] : [" ", ""];
  return <span class={`line ${colour}`}>{sign} {line.text}{"\n"}</span>;
}
