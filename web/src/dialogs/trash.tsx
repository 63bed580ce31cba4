// What was deleted and can be restored.
import { useEffect, useState } from "preact/hooks";
import { ask } from "../api";
import { attempt, go, now } from "../state";
import { age } from "../status";
import { close, Frame } from "./frame";

interface Deleted { id: string; title: string; deletedAt: string }

export function Trash() {
  const [all, setAll] = useState<Deleted[] | null>(null);
  const [failed, setFailed] = useState<string | null>(null);
  useEffect(() => void ask<{ deleted: Deleted[] }>("GET", "/api/trash").then(({ deleted }) => setAll(deleted), (error: Error) => setFailed(error.message)), []);
  const restore = async (one: Deleted) => {
    if (await attempt(ask("POST", "/api/undo", { session: one.id }), `restored ${one.title}`)) {
      close();
      go(one.id);
    }
  };
  return (
    <Frame title="Deleted sessions">
      {failed && <p class="failed" role="alert">{failed}</p>}
      {all?.length === 0 && <p class="dim">Nothing was deleted in the last seven days.</p>}
      <ul class="plain scroll">
        {all?.map((one, n) => (
          <li key={one.id}>
            <button type="button" class="line" data-focus={n === 0} onClick={() => void restore(one)}>
              <span>{one.title}</span><span class="dim">deleted {age(one.deletedAt, now.value)} ago</span><span class="link">restore</span>
            </button>
          </li>
        ))}
      </ul>
      <div class="buttons"><button type="button" class="btn" onClick={close}>Close</button></div>
    </Frame>
  );
}
