// A browser with what its pages do that they shouldn't: errors, and requests to anywhere but deck.
import { existsSync, mkdirSync, readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { fileURLToPath } from "node:url";
import { chromium } from "playwright-core";
import { LIMIT } from "./deck.mjs";

/** The system's Chromium. */
export const executable = [process.env.CHROMIUM, "/usr/bin/chromium", "/usr/bin/chromium-browser", "/usr/bin/google-chrome"].find((path) => path && existsSync(path));
export const DESKTOP = { viewport: { width: 1280, height: 800 } };
export const PHONE = { viewport: { width: 390, height: 844 }, hasTouch: true, isMobile: true, deviceScaleFactor: 2 };
const axe = readFileSync(createRequire(import.meta.url).resolve("axe-core/axe.min.js"), "utf8");
const pictures = fileURLToPath(new URL("pictures/", import.meta.url));

export class Browser {
  static async open() {
    const browser = new Browser();
    // As root there is no sandbox to be had.
    const args = process.getuid() === 0 ? ["--no-sandbox"] : [];
    browser.chromium = await chromium.launch({ executablePath: executable, args });
    return browser;
  }

  /** A page that is paired, in a profile of its own. */
  async page(deck, options = DESKTOP, pairing) {
    const context = await this.chromium.newContext({ colorScheme: "dark", ...options });
    // axe is put into the page by the test: its policy allows no script but its own.
    const page = await context.newPage();
    page.setDefaultTimeout(LIMIT);
    page.troubles = [];
    page.on("pageerror", (error) => page.troubles.push(String(error)));
    page.on("console", (message) => message.type() === "error" && !/Failed to load resource|WebSocket connection/.test(message.text()) && page.troubles.push(message.text()));
    page.on("request", (request) => {
      const url = new URL(request.url());
      if (url.protocol !== "data:" && url.protocol !== "blob:" && url.origin !== deck.url) page.troubles.push(`asked ${url}`);
    });
    await page.goto(pairing ?? (await deck.pairing()));
    await page.waitForSelector(".list .row, .list .empty");
    return page;
  }

  async end() {
    await this.chromium.close();
  }
}

/** What a terminal shows. */
export const terminal = (page) => page.locator(".xterm-rows").innerText();

/** Waits until the terminal shows something. */
export async function shows(page, text) {
  await page.waitForFunction((text) => document.querySelector(".xterm-rows")?.textContent.replaceAll("\u00a0", " ").includes(text), text);
}

/** The whole text of a terminal, by its text view. */
export async function text(page) {
  await page.click(".foot >> text=text");
  const all = await page.locator(".textview pre").textContent();
  await page.click("text=Back to the terminal");
  return all;
}

/** What axe finds that is serious or worse, for a state of the page; its picture is kept. */
export async function audit(page, name) {
  mkdirSync(pictures, { recursive: true });
  await page.screenshot({ path: `${pictures}${name}.png` });
  await page.evaluate(axe);
  const { violations } = await page.evaluate(() => globalThis.axe.run(document, { resultTypes: ["violations"] }));
  return violations
    .filter(({ impact }) => impact === "serious" || impact === "critical")
    .map(({ id, nodes }) => `${name}: ${id}: ${nodes.slice(0, 3).map((node) => `${node.html.slice(0, 160)} ${node.any[0]?.message ?? ""}`).join(" | ")}`);
}
