// Worktrees, consent, finish, trash and undo, on the page alone.
import assert from "node:assert/strict";
import { existsSync, mkdirSync, writeFileSync } from "node:fs";
import { after, before, test } from "node:test";
import { audit, Browser, DESKTOP, PHONE } from "./browser.mjs";
import { Deck, LIMIT } from "./deck.mjs";

let deck;
let browser;
before(async () => {
  deck = new Deck();
  deck.folder = `${deck.env.HOME}/shop`;
  mkdirSync(deck.folder);
  await deck.git("init", "-q", "-b", "main");
  writeFileSync(`${deck.folder}/.deck.toml`, 'setup = ["touch was-set-up"]\n');
  writeFileSync(`${deck.folder}/.gitignore`, "was-set-up\n");
  await deck.git("add", ".");
  await deck.git("commit", "-qm", "begin");
  await deck.deck("repo", "add", deck.folder);
  await deck.serve();
  browser = await Browser.open();
});
after(async () => {
  await browser?.end();
  await deck?.end();
});

for (const [size, options] of [["desktop", DESKTOP], ["phone", PHONE]]) {
  test(`${size}: a worktree is made once its commands are allowed, finished, and what is deleted comes back`, { timeout: LIMIT * 4 }, async () => {
    const page = await browser.page(deck, options);
    const branch = `feat/${size}`;
    const make = async () => {
      if (await page.locator("dialog").count()) await page.click("dialog button:has-text('Cancel')");
      if (size === "phone" && (await page.locator(".back").isVisible())) await page.click(".back");
      await page.click("[aria-label='new session']");
      await page.click("label:has-text('a worktree of its own')");
      await page.fill("input[name=branch]", branch);
      await page.selectOption("select[name=agent]", "stand-in");
      await page.fill("input[name=title]", branch);
      await page.click("dialog button:has-text('Start')");
    };
    // Not allowed: nothing is made.
    if (size === "desktop") {
      await make();
      await page.waitForSelector("dialog h2:has-text('wants to run this')");
      assert.match(await page.locator("dialog pre").innerText(), /touch was-set-up/);
      assert.deepEqual(await audit(page, "desktop-dark-consent"), []);
      await page.click("dialog button:has-text('Cancel')");
      assert.equal((await deck.json("list")).length, 0);
      await make();
      await page.click("dialog button:has-text('Allow always')");
    } else {
      await make();
    }
    await page.waitForSelector(`h1:has-text("${branch}")`);
    const { session } = await deck.ask("GET", `/api/sessions/${(await deck.json("show", branch)).id}`);
    await page.waitForFunction(() => /idle|finished/.test(document.querySelector(".heading").innerText));
    assert.ok(existsSync(`${session.locationPath}/was-set-up`), "it was set up");
    writeFileSync(`${session.locationPath}/${size}.txt`, "work\n");

    // What would be lost is named, and finishing waits for it.
    const finish = async () => {
      await page.click(".heading summary");
      await page.click(".menu button:has-text('finish')");
      await page.waitForSelector(`dialog h2:has-text("Finish ${branch}")`);
    };
    await finish();
    await page.waitForSelector("dialog .asks");
    assert.match(await page.locator("dialog section").innerText(), new RegExp(`${size}.txt|uncommitted|untracked`));
    assert.ok(await page.locator("dialog button:has-text('Finish')").isDisabled());
    assert.deepEqual(await audit(page, `${size}-dark-finish`), []);
    await page.keyboard.press("Escape");
    const inside = async (...args) => deck.git("-C", session.locationPath, ...args);
    await inside("add", ".");
    await inside("commit", "-qm", `work on the ${size}`);
    await finish();
    await page.click("label:has-text('stop the sessions')");
    await page.click("label:has-text('remove ignored files')");
    await page.click("dialog button:has-text('Finish'):enabled");
    await page.waitForSelector(".toast:has-text('worktree removed')");
    assert.ok(existsSync(`${deck.folder}/${size}.txt`), "it is merged");
    assert.ok(!existsSync(session.locationPath), "it is removed");

    // Deleted, undone.
    const other = await deck.session(`kept ${size}`, undefined);
    await page.click(`.row:has-text("kept ${size}")`);
    await page.click(".heading summary");
    await page.click(".menu button:has-text('delete')");
    await page.click(".menu button:has-text('stop and delete it?')");
    await page.waitForFunction((title) => ![...document.querySelectorAll(".row")].some((row) => row.textContent.includes(title)), `kept ${size}`);
    if (size === "desktop") await page.keyboard.press("u");
    else await page.click(".toast button:has-text('Undo')");
    await page.waitForSelector(`.row:has-text("kept ${size}")`, { state: "attached" });
    await deck.ask("DELETE", `/api/sessions/${other.id}?stop=true`);
    assert.deepEqual(page.troubles, []);
    await page.context().close();
  });
}
