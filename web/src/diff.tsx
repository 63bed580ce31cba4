// What changed in a session's folder, with comments that are sent to its agent as one message.
import { useEffect, useRef, useState } from "preact/hooks";
import { ask, of } from "./api";
import { readOnly } from "./page";
import { useScroll } from "./scroll";
import { attempt, say } from "./state";
import type { Session, Worker } from "./types";

interface Line { kind: "context" | "added" | "removed"; old: number | null; new: number | null; text: string }
interface Hunk { old_start: number; new_start: number; section: string; lines: Line[] }
interface File { path: string; old_path: string | null; change: string; added: number | null; removed: number | null; is_binary: boolean; is_complete: boolean; hunks: Hunk[] | null }
interface Changed { base: string; added: number; removed: number; files: File[]; is_complete: boolean }
interface Comment { path: string; line: number; removed: boolean; quoted: string; text: string }

/** The comments on a session's changes that are not sent yet; a reload keeps them. */
function useComments(session: string): [Comment[], (all: Comment[]) => void] {
  const key = `comments ${session}`;
  const [all, setAll] = useState<Comment[]>(() => JSON.parse(sessionStorage.getItem(key) ?? "[]"));
  return [all, (next) => {
    setAll(next);
    if (next.length) sessionStorage.setItem(key, JSON.stringify(next));
    else sessionStorage.removeItem(key);
  }];
}

export function Diff({ session, worker }: { session: Session; worker: Worker }) {
  const [diff, setDiff] = useState<Changed | null>(null);
  const [error, setError] = useState<string | null>(null);
  const [comments, setComments] = useComments(session.id);
  const [busy, setBusy] = useState(false);
  const load = () => ask<Changed>("GET", of(session.id, `/workers/${encodeURIComponent(worker.id)}/diff`))
    .then((value) => { setDiff(value); setError(null); }, (why: Error) => setError(why.message));
  useEffect(() => void load(), [worker.id]);
  const scroll = useScroll(worker.id, diff !== null);
  const send = async () => {
    setBusy(true);
    const sent = await attempt(ask<{ receipt: string }>("POST", of(session.id, "/comments"), { comments }));
    setBusy(false);
    if (!sent) return;
    setComments([]);
    say(`${session.title}: ${sent.receipt}`);
  };
  const comment = (on: Comment) => {
    const others = comments.filter((one) => one.path !== on.path || one.line !== on.line || one.removed !== on.removed);
    setComments(on.text ? [...others, on] : others);
  };
  return (
    <div class="diffpane" role="tabpanel" aria-label={worker.name}>
      <div class="pad scroll diff" ref={scroll} tabIndex={0}>
        <p class="dim">
          {diff && <>compared with {diff.base} · <span class="added">+{diff.added}</span> <span class="removed">−{diff.removed}</span> · </>}
          <button type="button" class="link" onClick={load}>read again</button>
        </p>
        {error && <p class="failed" role="alert">{error}</p>}
        {diff?.files.length === 0 && <p>No changes.</p>}
        {diff?.files.map((file) => (
          <details key={file.path} open={diff.files.length < 20}>
            <summary>
              {file.old_path ? `${file.old_path} → ` : ""}{file.path} <span class="dim">{file.change}</span> {file.added !== null && <span class="added">+{file.added}</span>} {file.removed !== null && <span class="removed">−{file.removed}</span>}
            </summary>
            {file.is_binary && <p class="dim">not text</p>}
            {file.hunks?.map((hunk, at) => (
              <div class="hunk" key={at}>
                <p class="dim mono">@@ −{hunk.old_start} +{hunk.new_start} {hunk.section}</p>
                {hunk.lines.map((line, n) => (
                  <Row key={n} line={line} path={file.path} comments={comments} comment={comment} />
                ))}
              </div>
            ))}
            {!file.is_complete && !file.is_binary && <p class="dim">Not all of its lines are shown.</p>}
          </details>
        ))}
        {diff && !diff.is_complete && <p class="dim">There are more files than can be listed.</p>}
      </div>
      {comments.length > 0 && (
        <div class="comments">
          <span>{comments.length === 1 ? "1 comment" : `${comments.length} comments`}, not sent</span>
          <span class="gap" />
          <button type="button" class="btn" onClick={() => setComments([])}>Discard</button>
          <button type="button" class="btn first" disabled={busy} onClick={send}>Send to {session.title}</button>
        </div>
      )}
    </div>
  );
}

function Writing({ label, text, put, cancel }: { label: string; text: string; put: (text: string) => void; cancel: () => void }) {
  const field = useRef<HTMLTextAreaElement>(null);
  useEffect(() => field.current?.focus(), []);
  return (
    <form class="comment" onSubmit={(event) => { event.preventDefault(); put(field.current?.value ?? ""); }}>
      <textarea ref={field} rows={2} aria-label={label} defaultValue={text}
        onKeyDown={(event) => {
          if (event.key === "Escape") cancel();
          if (event.key === "Enter" && (event.ctrlKey || event.metaKey)) put(event.currentTarget.value);
        }} />
      <button class="btn first">Keep</button>
      <button type="button" class="btn" onClick={cancel}>Cancel</button>
    </form>
  );
}

function Row({ line, path, comments, comment }: { line: Line; path: string; comments: Comment[]; comment: (on: Comment) => void }) {
  const [writing, setWriting] = useState(false);
  const removed = line.kind === "removed";
  const number = removed ? line.old : line.new;
  const known = comments.find((one) => one.path === path && one.line === number && one.removed === removed);
  const [sign, colour] = line.kind === "added" ? ["+", "added"] : removed ? ["−", "removed"] : [" ", ""];
  const put = (text: string) => {
    setWriting(false);
    if (number !== null) comment({ path, line: number, removed, quoted: line.text, text: text.trim() });
  };
  return (
    <>
      <div class={`line ${colour}`}>
        {readOnly.value || number === null
          ? <span class="number">{number}</span>
          : <button type="button" class="number" aria-label={`comment on line ${number}`} onClick={() => setWriting(true)}>{number}</button>}
        <code>{sign} {line.text}</code>
      </div>
      {writing && (
        <Writing label={`comment on ${path}:${number}`} text={known?.text ?? ""} put={put} cancel={() => setWriting(false)} />
      )}
      {known && !writing && (
        <p class="comment"><span>{known.text}</span> <button type="button" class="link" onClick={() => setWriting(true)}>edit</button> <button type="button" class="link" onClick={() => put("")}>remove</button></p>
      )}
    </>
  );
}
