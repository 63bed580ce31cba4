// The figures of the web deck in Chromium.
import { loadavg } from "node:os";
import { Browser, shows, text } from "../web/browser.mjs";
import { Deck } from "../web/deck.mjs";
import { sleep, taken, view } from "./server.mjs";

const deck = new Deck();
const browser = await Browser.open();
const p = (all, part) => [...all].sort((a, b) => a - b)[Math.min(all.length - 1, Math.floor(all.length * part))].toFixed(0);
try {
  await deck.serve();
  console.log("load", loadavg()[0].toFixed(1));
  console.log("no page", taken(deck.server.pid));
  const session = await deck.session("echo", undefined);
  await deck.ask("POST", `/api/sessions/${session.id}/send`, { text: "seq 1 $((800+100))", force: true });
  const painted = [];
  for (let n = 0; n < 7; n++) {
    // A browser that has nothing of it.
    const page = await browser.page(deck);
    await page.waitForSelector(".row");
    const other = await page.context().newPage();
    const began = Date.now();
    await other.goto(`${deck.url}/s/${session.id}`, { waitUntil: "commit" });
    await shows(other, "900");
    painted.push(Date.now() - began);
    await page.context().close();
  }
  console.log(`navigation to painted terminal: median ${p(painted, 0.5)}, worst ${p(painted, 1)} ms`);

  const page = await browser.page(deck);
  await page.click(".row");
  await page.waitForSelector(".foot:has-text('live')");
  await page.locator(".screen textarea").focus();
  await page.keyboard.type("stty echo; cat >/dev/null\n");
  await sleep(1000);
  const echo = await page.evaluate(async () => {
    const field = document.querySelector(".screen textarea");
    const rows = document.querySelector(".xterm-rows");
    const all = [];
    for (let n = 0; n < 60; n++) {
      const before = rows.textContent;
      const began = performance.now();
      field.value = "x";
      field.dispatchEvent(new InputEvent("input", { data: "x", inputType: "insertText", composed: true, bubbles: true }));
      await new Promise((done) => {
        const look = () => (rows.textContent === before ? requestAnimationFrame(look) : done());
        look();
      });
      all.push(performance.now() - began);
      await new Promise((done) => setTimeout(done, 60 + (n % 7) * 10));
    }
    return all;
  });
  console.log(`key to echo in the page: p50 ${p(echo, 0.5)}, p95 ${p(echo, 0.95)} ms`);
  await page.keyboard.press("Control+d");

  const began = Date.now();
  await page.reload();
  await shows(page, "900");
  console.log(`reload to first lines: ${Date.now() - began} ms`);
  const lines = (await text(page)).split("\n").filter((line) => /^\d+$/.test(line.trim())).length;
  console.log(`after the reload: ${lines} of 900 lines`);

  const flooded = await deck.session("flood", "bash -c 'read x; yes | head -c 20000000; echo; echo end of the flood; read y'");
  const viewer = await view(deck, flooded);
  await page.click('.row:has-text("flood")');
  await page.waitForSelector(".foot:has-text('live')");
  const before = viewer.bytes;
  const start = Date.now();
  await page.locator(".screen textarea").focus();
  await page.keyboard.press("Enter");
  const { name } = (await deck.json("show", "flood")).tmux;
  while (!(await deck.tmux("capture-pane", "-p", "-t", `=${name}:`)).includes("end of the flood")) await sleep(20);
  const over = Date.now();
  await shows(page, "end of the flood");
  console.log(`flood of 20 MB: ${((over - start) / 1000).toFixed(1)} s, ${((viewer.bytes - before) / 1024 / ((Date.now() - start) / 1000)).toFixed(0)} KiB/s, right ${Date.now() - over} ms after its end`);
  viewer.socket.close();
  console.log("with a page", taken(deck.server.pid));
} finally {
  await browser.end();
  await deck.end();
}
