// A rendered file.
import { useEffect, useRef, useState } from "preact/hooks";
import { ask, of } from "./api";
import { useScroll } from "./scroll";
import type { Session, Worker } from "./types";

export function Markdown({ session, worker }: { session: Session; worker: Worker }) {
  const [html, setHtml] = useState<string | null>(null);
  const [error, setError] = useState<string | null>(null);
  const place = useRef<HTMLElement>(null);
  const path = of(session.id, `/workers/${encodeURIComponent(worker.id)}`);
  const load = () => ask<{ html: string }>("GET", `${path}/markdown`)
    .then((file) => { setHtml(file.html); setError(null); }, (why: Error) => setError(why.message));
  useEffect(() => void load(), [worker.id]);
  // Its pictures are files beside it, which are asked for one by one.
  useEffect(() => {
    for (const span of place.current?.querySelectorAll<HTMLElement>("span[data-path]") ?? []) {
      ask<{ mimeType: string; data: string }>("GET", `${path}/image?path=${encodeURIComponent(span.dataset["path"] ?? "")}`).then(({ mimeType, data }) => {
        const image = document.createElement("img");
        image.alt = span.textContent ?? "";
        image.src = `data:${mimeType};base64,${data}`;
        span.replaceChildren(image);
      }, (why: Error) => (span.textContent = `[image ${span.dataset["path"]}: ${why.message}]`));
    }
  }, [html]);
  const scroll = useScroll(worker.id, html !== null);
  return (
    <div class="pad scroll" ref={scroll} tabIndex={0} role="tabpanel" aria-label={worker.name}>
      <p class="dim">{worker.filePath} · <button type="button" class="link" onClick={load}>read again</button></p>
      {error && <p class="failed" role="alert">{error}</p>}
      {/* Made by the server without raw HTML, and with links to the web and to mail alone. */}
      {html !== null && <article class="markdown" ref={place} dangerouslySetInnerHTML={{ __html: html }} />}
    </div>
  );
}
