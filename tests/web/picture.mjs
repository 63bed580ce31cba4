// Makes assets/screenshots/web.png: the page of a deck with stand-in agents, on a desktop and on a phone.
import { mkdirSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { Browser, DESKTOP, PHONE, shows } from "./browser.mjs";
import { Deck } from "./deck.mjs";

const file = fileURLToPath(new URL("../../assets/screenshots/web.png", import.meta.url));
const AGENTS = [
  ["api", "backend", "question"], ["billing", "backend", "work"], ["gateway", "backend", "ask"], ["docs", "", "finish"], ["checkout", "frontend", "work"], ["flaky test", "frontend", "crash"],
];
const deck = new Deck();
let browser;
try {
  await deck.serve();
  browser = await Browser.open();
  deck.folder = `${deck.env.HOME}/shop`;
  mkdirSync(deck.folder);
  await deck.git("init", "-q", "-b", "main");
  for (const [title, group, play] of AGENTS) {
    const body = { type: "quick", locationPath: deck.folder, title, group, agentId: `deck-demo-agent ${play}`, cols: 110, rows: 26 };
    await deck.ask("POST", "/api/sessions", body);
  }
  const ready = async (page) => {
    await page.waitForSelector(".row:has-text('api'):has-text('question')");
    await page.waitForSelector(".row:has-text('gateway'):has-text('permission')");
    await page.waitForSelector(".row:has-text('docs'):has-text('finished')");
  };
  const pictures = {};
  for (const [name, options] of [["desktop", { ...DESKTOP, deviceScaleFactor: 1 }], ["phone", { ...PHONE, viewport: { width: 390, height: 800 }, deviceScaleFactor: 1 }]]) {
    const page = await browser.page(deck, options);
    await ready(page);
    await page.click('.row:has-text("api")');
    await page.waitForSelector(".ask .btn");
    await shows(page, "1. ");
    await page.waitForFunction(() => !document.querySelector(".toast"));
    pictures[name] = (await page.screenshot()).toString("base64");
    await page.context().close();
  }
  // Both in one.
  const both = await browser.chromium.newPage({ viewport: { width: 1280 + 24 + 390, height: 800 } });
  await both.setContent(`<body style="margin:0;display:flex;gap:24px;background:transparent">${Object.values(pictures).map((data) => `<img src="data:image/png;base64,${data}" style="border-radius:10px">`).join("")}`);
  await both.waitForFunction(() => [...document.images].every((image) => image.complete));
  await both.screenshot({ path: file, omitBackground: true });
} finally {
  await browser?.end();
  await deck.end();
}
