// The service worker: keeps the files whose names have checksums, and a page that says that deck can't be reached. What the
// API says is never kept.
export {};

const worker = self as unknown as {
  addEventListener(name: string, take: (event: any) => void): void;
  skipWaiting(): Promise<void>;
  clients: { claim(): Promise<void>; matchAll(options: object): Promise<any[]>; openWindow(path: string): Promise<unknown> };
};
const FILES = "files";
const MOST = 60;
const CHECKED = /-[A-Z0-9]{8}\.(js|css|svg)$/;
const OFFLINE = `<!doctype html><html lang="en"><meta charset="utf-8"><meta name="viewport" content="width=device-width, initial-scale=1">
<title>deck</title><style>body{font:16px system-ui;max-width:32em;margin:20vh auto;padding:0 16px;color-scheme:light dark}</style>
<h1>deck can't be reached</h1><p>Is it served? <code>deck serve status</code> says so. Your sessions keep running.</p>
<p><a href="">Try again</a></p></html>`;

worker.addEventListener("install", () => void worker.skipWaiting());
worker.addEventListener("activate", (event) => event.waitUntil(worker.clients.claim()));
worker.addEventListener("fetch", (event) => {
  const request: Request = event.request;
  const url = new URL(request.url);
  if (request.method !== "GET" || url.origin !== location.origin) return;
  if (CHECKED.test(url.pathname)) event.respondWith(kept(request));
  else if (request.mode === "navigate") {
    event.respondWith(fetch(request).catch(() => new Response(OFFLINE, { headers: { "content-type": "text/html" } })));
  }
});
worker.addEventListener("notificationclick", (event) => {
  event.notification.close();
  const path = event.notification.data as string;
  event.waitUntil((async () => {
    const [page] = await worker.clients.matchAll({ type: "window" });
    if (!page) return worker.clients.openWindow(path);
    page.postMessage({ go: path });
    return page.focus();
  })());
});

async function kept(request: Request): Promise<Response> {
  const files = await caches.open(FILES);
  const known = await files.match(request);
  if (known) return known;
  const answer = await fetch(request);
  if (answer.ok) {
    await files.put(request, answer.clone());
    const all = await files.keys();
    await Promise.all(all.slice(0, Math.max(0, all.length - MOST)).map((old) => files.delete(old)));
  }
  return answer;
}
