// The page of the web deck in a real browser.
import assert from "node:assert/strict";
import { existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { createServer } from "node:http";
import { after, before, beforeEach, test } from "node:test";
import { audit, Browser, DESKTOP, PHONE, shows, terminal, text } from "./browser.mjs";
import { Deck, LIMIT } from "./deck.mjs";

let deck;
let browser;

before(async () => {
  deck = new Deck();
  await repository();
  await deck.serve();
  browser = await Browser.open();
});
// One test's failure with a server that it has ended is no other test's.
beforeEach(() => deck.server ?? deck.serve());
after(async () => {
  await browser?.end();
  await deck?.end();
});

const PNG = Buffer.from("iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==", "base64");

async function repository() {
  await deck.git("init", "-q", "-b", "main");
  writeFileSync(`${deck.folder}/a.txt`, "one\ntwo\n");
  writeFileSync(`${deck.folder}/README.md`, "# Plan\n\n<script>window.ran = 1</script>\n\n[bad](javascript:window.ran=2) [good](https://example.org/)\n\n![far](https://example.org/x.png) ![near](img/p.png)\n");
  mkdirSync(`${deck.folder}/img`, { recursive: true });
  writeFileSync(`${deck.folder}/img/p.png`, PNG);
  await deck.git("add", ".");
  await deck.git("commit", "-qm", "begin");
  writeFileSync(`${deck.folder}/a.txt`, "one\n<b>2</b>\nthree\n");
}

for (const [size, options] of [["desktop", DESKTOP], ["phone", PHONE]]) {
  test(`${size}: pair, make a session, answer, type, look at a diff and a file, reload`, { timeout: LIMIT * 4 }, async () => {
    const page = await browser.page(deck, options, size === "desktop" ? deck.pair : undefined);
    const title = `made on a ${size}`;
    await page.click("[aria-label='new session']");
    await page.fill("input[name=folder]", deck.folder);
    await page.selectOption("select[name=agent]", "stand-in");
    await page.fill("input[name=title]", title);
    await page.click("dialog button:has-text('Start')");
    await page.waitForSelector(`h1:has-text("${title}")`);
    await shows(page, "pretend coding agent");

    // Its question is answered by a button.
    const asks = await deck.session(`asks ${size}`, "deck-demo-agent question");
    if (size === "phone") await page.click(".back");
    await page.click(`.row:has-text("asks ${size}")`);
    await page.click(".ask .btn >> nth=0");
    await page.waitForSelector(".toast:has-text('answered')");
    await page.waitForFunction(() => !document.querySelector(".ask"));
    const status = (await deck.ask("GET", `/api/sessions/${asks.id}`)).session.deck;
    assert.notEqual(status.reason, "question");

    // A terminal, beside it.
    await page.click("[aria-label^='add a worker']");
    await page.click(".menu.left button:has-text('terminal')");
    await page.waitForSelector("[role=tab]:nth-child(2)[aria-selected=true]");
    await page.waitForSelector(".screen textarea");
    await page.locator(".screen textarea").focus();
    await page.keyboard.type("echo typed-$((40+2)); seq 1 $((200+100))");
    await page.keyboard.press("Enter");
    await shows(page, "300");
    const all = await text(page);
    assert.match(all, /typed-42\n1\n2\n3\n/);

    // What changed, with a comment that its agent gets.
    await page.click("[aria-label^='add a worker']");
    await page.click(".menu.left button:has-text('diff')");
    await page.waitForSelector(".hunk .added");
    assert.match(await page.locator(".hunk").first().innerText(), /<b>2<\/b>/);
    await page.click(".hunk .line.added .number >> nth=0");
    await page.fill(".comment textarea", "why two?");
    await page.click(".comment button:has-text('Keep')");
    await page.reload();
    await page.waitForSelector(".comments:has-text('1 comment')");
    await page.click(".comments button:has-text('Send')");
    await page.waitForFunction(() => !document.querySelector(".comments"));

    // A file: nothing runs, nothing is loaded from elsewhere.
    await page.click("[aria-label^='add a worker']");
    await page.click(".menu.left button:has-text('more')");
    await page.selectOption("dialog select", "markdown");
    await page.fill("dialog input[name=filePath]", "README.md");
    await page.click("dialog button:has-text('Add')");
    await page.waitForSelector(".markdown img");
    assert.equal(await page.evaluate(() => globalThis.ran), undefined);
    assert.equal(await page.locator(".markdown a").count(), 1);
    assert.match(await page.locator(".markdown").innerText(), /<script>/);

    // A reload: same tab, same text, scrolled as before.
    await page.click("[role=tab] >> nth=1");
    await shows(page, "300");
    await page.locator(".screen").hover();
    const first = () => page.evaluate(() => Object.entries(sessionStorage).find(([key]) => key.startsWith("scroll "))?.[1]);
    // Up to its very first line: there it stays, however the browser gets there.
    while ((await first()) !== "0") {
      if (size === "desktop") await page.mouse.wheel(0, -4000);
      else await swipe(page, 600);
    }
    await shows(page, "typed-42");
    const seen = await terminal(page);
    const address = page.url();
    await page.reload();
    await page.waitForFunction((seen) => document.querySelector(".xterm-rows")?.innerText === seen, seen);
    assert.equal(page.url(), address);
    assert.deepEqual(page.troubles, []);
    await page.context().close();
  });
}

/** A finger that goes down by so many pixels. */
async function swipe(page, by) {
  const box = await page.locator(".screen").boundingBox();
  const [x, y] = [box.x + box.width / 2, box.y + 20];
  const client = await page.context().newCDPSession(page);
  const touch = (type, at) => client.send("Input.dispatchTouchEvent", { type, touchPoints: at === null ? [] : [{ x, y: at }] });
  await touch("touchStart", y);
  for (let moved = 0; moved <= by; moved += 40) await touch("touchMove", y + moved);
  await touch("touchEnd", null);
}

test("a pane that is left before its text is drawn fails nothing", { timeout: LIMIT }, async () => {
  await deck.session("left at once", "sh -c 'seq 1 300; exec cat'");
  await deck.session("gone to", "cat");
  const page = await browser.page(deck);
  // The emulator parses what it is given a turn later: that turn comes once the pane is gone.
  await page.evaluate(() => {
    const real = window.setTimeout;
    globalThis.held = [];
    window.setTimeout = (act, delay, ...rest) => (delay ? real(act, delay, ...rest) : globalThis.held.push(act));
    globalThis.release = () => new Promise((done) => {
      window.setTimeout = real;
      for (const act of [...globalThis.held, done]) real(act);
    });
  });
  await page.click('.row:has-text("left at once")');
  await page.waitForSelector(".foot:has-text('live')");
  assert.notEqual(await page.evaluate(() => globalThis.held.length), 0);
  await page.click('.row:has-text("gone to")');
  await page.waitForSelector('h1:has-text("gone to")');
  await page.evaluate(() => globalThis.release());
  await page.waitForSelector(".foot:has-text('live')");
  assert.deepEqual(page.troubles, []);
  await page.context().close();
});

test("a server that is killed while somebody types: the tab comes back, and nothing is typed twice", { timeout: LIMIT * 3 }, async () => {
  const session = await deck.session("typing", undefined);
  const page = await browser.page(deck);
  await page.click('.row:has-text("typing")');
  await page.waitForSelector(".foot:has-text('live')");
  await page.locator(".screen textarea").focus();
  await page.keyboard.type("cat > typed\n");
  // Typed on and on, until some of it is known not to be sent.
  const words = [];
  const typing = (async () => {
    while ((await page.locator(".unsent").count()) === 0) {
      words.push(`w${words.length} `);
      await page.keyboard.type(words.at(-1));
    }
  })();
  await page.waitForFunction(() => document.querySelector(".xterm-rows").textContent.includes("w10"));
  await deck.kill();
  await typing;
  await page.waitForSelector(".deck.lost");
  await page.keyboard.type("last");
  words.push("last");
  await page.waitForSelector(".unsent code:has-text('last')");
  const unsent = await page.locator(".unsent code").textContent();
  await deck.serve();
  await page.waitForSelector(".foot:has-text('live')");
  // All that was typed was taken once, or is named as not sent; what was under way may be both.
  await page.locator(".screen textarea").focus();
  await page.click(".unsent button:has-text('Forget')");
  await page.locator(".screen textarea").focus();
  await page.keyboard.press("Enter");
  await page.keyboard.press("Control+d");
  await page.keyboard.type("echo end-$((1+1))\n");
  await shows(page, "end-2");
  const taken = readFileSync(`${deck.folder}/typed`, "utf8").replace(/\n$/, "");
  const all = words.join("");
  assert.ok(all.startsWith(taken), `${taken} was typed`);
  const rest = all.slice(taken.length);
  assert.ok(unsent.endsWith(rest), `taken ${taken.slice(-20)}, not sent ${unsent.slice(0, 20)}`);
  await deck.ask("DELETE", `/api/sessions/${session.id}?stop=true`);
  assert.deepEqual(page.troubles, []);
  await page.context().close();
});

test("offline and back: no line is missing, and none is there twice", { timeout: LIMIT * 3 }, async () => {
  const session = await deck.session("offline", undefined);
  const page = await browser.page(deck);
  await page.click('.row:has-text("offline")');
  await page.waitForSelector(".foot:has-text('live')");
  // A browser that says that it is offline keeps sockets that are open: the server's end is cut.
  await page.context().setOffline(true);
  await deck.kill();
  await page.waitForSelector(".trouble:has-text('Line lost')");
  await page.waitForSelector(".screen.stale");
  await deck.serve();
  await deck.ask("POST", `/api/sessions/${session.id}/send`, { text: "seq 1 700", force: true });
  await page.context().setOffline(false);
  await page.waitForSelector(".foot:has-text('live')");
  await shows(page, "700");
  const lines = (await text(page)).split("\n").map((line) => line.trim());
  const at = lines.indexOf("1");
  assert.deepEqual(lines.slice(at, at + 700), Array.from({ length: 700 }, (_, n) => String(n + 1)));
  await deck.ask("DELETE", `/api/sessions/${session.id}?stop=true`);
  await page.context().close();
});

test("a server that says nothing any more is not shown as live", { timeout: LIMIT * 3 }, async () => {
  const session = await deck.session("silent", undefined);
  const page = await browser.page(deck);
  await page.click('.row:has-text("silent")');
  await page.waitForSelector(".foot:has-text('live')");
  deck.server.kill("SIGSTOP");
  try {
    await page.waitForSelector(".trouble:has-text('Line lost')");
    await page.waitForSelector(".screen.stale");
  } finally {
    deck.server.kill("SIGCONT");
  }
  await page.waitForFunction(() => !document.querySelector(".deck.lost"));
  await page.waitForSelector(".foot:has-text('live')");
  await deck.ask("DELETE", `/api/sessions/${session.id}?stop=true`);
  await page.context().close();
});

test("the page has what the pane has, line for line", { timeout: LIMIT * 6 }, async () => {
  const first = await deck.session("first", undefined);
  // For what is made from now on: a history that is soon full.
  await deck.tmux("set-option", "-g", "history-limit", "2000");
  const session = await deck.session("lines", undefined);
  await deck.tmux("set-option", "-g", "history-limit", "20000");
  const { name } = (await deck.json("show", "lines")).tmux;
  const page = await browser.page(deck);
  await page.click('.row:has-text("lines")');
  await page.waitForSelector(".foot:has-text('live')");
  const ofPane = async () => (await deck.tmux("capture-pane", "-p", "-S", "-1000", "-t", `=${name}:`)).trimEnd().split("\n").map((line) => line.trimEnd());
  const same = async (command, end) => {
    await deck.tmux("send-keys", "-t", `=${name}:`, command, "Enter");
    await wait(async () => (await ofPane()).includes(end));
    let [want, have] = [[], []];
    await wait(async () => {
      want = await ofPane();
      have = (await text(page)).split("\n").map((line) => line.trimEnd()).slice(-want.length);
      return want.join("\n") === have.join("\n");
    }, () => {
      const at = want.findIndex((line, n) => line !== have[n]);
      return `${command}: ${want.length} lines and ${have.length}, from ${at} on: ${want.slice(at, at + 3)} | ${have.slice(at, at + 3)}`;
    });
  };
  await same("clear; seq 1 3000; echo e''nd1", "end1");
  await same("i=0; while [ $i -lt 4000 ]; do i=$((i+1)); echo \"slow $i\"; done; echo e''nd2", "end2");
  await same("for i in 1 2 3 4 5 6 7 8 9; do printf '%s 漢字 \\360\\237\\230\\200 \\360\\237\\221\\215\\360\\237\\217\\275 e\\314\\201 \\342\\234\\205 end\\n' $i; done; echo e''nd3", "end3");
  await same("yes | head -c 20000000; echo e''nd4", "end4");
  const [columns, rows] = (await deck.tmux("display-message", "-p", "-t", `=${name}:`, "#{window_width} #{window_height}")).trim().split(" ");
  await same(`seq 1 500; tmux -S ${await deck.socketPath()} resize-window -x 71 -y 19; seq 1 500; echo e''nd5`, "end5");
  await same(`tmux -S ${await deck.socketPath()} resize-window -x ${columns} -y ${rows}; printf '\\033[?1049h'; seq 1 500; printf '\\033[?1049l'; echo e''nd6`, "end6");
  for (const { id } of [first, session]) await deck.ask("DELETE", `/api/sessions/${id}?stop=true`);
  assert.deepEqual(page.troubles, []);
  await page.context().close();
});

test("what a pane prints types nothing, runs nothing and asks nobody", { timeout: LIMIT * 3 }, async () => {
  const hostile = "\\033[c\\033[>c\\033[6n\\033]10;?\\007\\033]11;?\\007\\033]4;1;?\\007\\033P$q q\\033\\\\<script>window.ran=1</script>\\342\\200\\256abc\\302\\2332J";
  const session = await deck.session("hostile", `sh -c 'stty raw -echo; printf "${hostile}"; head -c 1000000 /dev/zero | tr "\\0" x; printf "\\r\\nready\\r\\n"; cat -v > typed-hostile'`);
  const typed = () => (existsSync(`${deck.folder}/typed-hostile`) ? readFileSync(`${deck.folder}/typed-hostile`, "utf8") : "");
  // tmux itself answers some of it: what a program is typed without any page, up to the last answer that it gives.
  await wait(() => typed().includes("R"));
  const before = typed();
  const page = await browser.page(deck);
  await page.click('.row:has-text("hostile")');
  await shows(page, "ready");
  assert.equal(await page.evaluate(() => globalThis.ran), undefined);
  await page.reload();
  await shows(page, "ready");
  await page.locator(".screen textarea").focus();
  await page.keyboard.type("k");
  await wait(() => typed() !== before);
  assert.equal(typed(), `${before}k`);
  await deck.ask("DELETE", `/api/sessions/${session.id}?stop=true`);
  assert.deepEqual(page.troubles, []);
  await page.context().close();
});

/** Waits for a condition outside the browser. */
async function wait(holds, why = () => "it never came") {
  const until = Date.now() + LIMIT;
  while (!(await holds())) {
    assert.ok(Date.now() < until, why());
    await new Promise((done) => setTimeout(done, 50));
  }
}

test("a page of another port or origin is refused", { timeout: LIMIT * 3 }, async () => {
  const page = await browser.page(deck);
  const other = createServer((_request, answer) => answer.setHeader("content-type", "text/html").end("<!doctype html><title>other</title>"));
  await new Promise((done) => other.listen(0, "127.0.0.1", done));
  for (const host of ["127.0.0.1", "localhost"]) {
    const stranger = await page.context().newPage();
    await stranger.goto(`http://${host}:${other.address().port}/`);
    const got = await stranger.evaluate(async ([url, port]) => {
      const socket = await new Promise((done) => {
        const socket = new WebSocket(`ws://127.0.0.1:${port}/ws/dashboard`);
        socket.onopen = () => done("open");
        socket.onerror = () => done("refused");
      });
      const asked = async (method) => {
        try {
          return (await fetch(`${url}/api/undo`, { method, credentials: "include", headers: { "content-type": "text/plain" }, body: method === "GET" ? undefined : "{}" })).status;
        } catch {
          return "refused";
        }
      };
      return { socket, get: await asked("GET"), post: await asked("POST") };
    }, [deck.url, deck.port]);
    assert.deepEqual(got, { socket: "refused", get: "refused", post: "refused" });
    const [answer] = await Promise.all([
      stranger.waitForResponse((answer) => answer.url().startsWith(deck.url)),
      stranger.evaluate((url) => {
        const form = document.createElement("form");
        Object.assign(form, { method: "post", action: `${url}/api/undo` });
        document.body.append(form);
        form.submit();
      }, deck.url),
    ]);
    assert.equal(answer.status(), 403);
    await stranger.close();
  }
  other.close();
  await page.context().close();
});

test("a page that may only read offers nothing else", { timeout: LIMIT * 3 }, async () => {
  const session = await deck.session("watched", "deck-demo-agent question");
  const page = await browser.page(deck, DESKTOP, await deck.pairing("--read-only"));
  await page.waitForSelector(".trouble:has-text('Read-only')");
  await page.click('.row:has-text("watched")');
  await shows(page, "Question");
  await page.waitForSelector(".ask");
  for (const gone of ["[aria-label='new session']", ".ask .btn", ".compose", ".keys", "[aria-label^='add a worker']", ".foot >> text=fit"]) {
    assert.equal(await page.locator(gone).count(), 0, gone);
  }
  await page.keyboard.press("n");
  assert.equal(await page.locator("dialog").count(), 0);
  await deck.ask("DELETE", `/api/sessions/${session.id}?stop=true`);
  assert.deepEqual(page.troubles, []);
  await page.context().close();
});

test("from the list to an answer by keyboard alone, and every dialog", { timeout: LIMIT * 3 }, async () => {
  const session = await deck.session("by keyboard", "deck-demo-agent question");
  const page = await browser.page(deck);
  await page.waitForSelector(".needs:has-text('by keyboard')");
  await page.keyboard.press("Space");
  while (!(await page.locator("h1").innerText()).includes("by keyboard")) await page.keyboard.press("Space");
  await page.waitForSelector(".ask .btn");
  await page.keyboard.press("a");
  assert.match(await page.evaluate(() => document.activeElement.closest(".ask")?.textContent ?? ""), /1/);
  await page.keyboard.press("Enter");
  await page.waitForSelector(".toast:has-text('answered')");
  // Esc goes to the agent, and Ctrl+Shift+Space comes back.
  await page.keyboard.press("Tab");
  await page.locator(".screen textarea").focus();
  await page.keyboard.press("Control+Shift+Space");
  assert.equal(await page.evaluate(() => document.activeElement.getAttribute("role")), "option");
  for (const [key, title] of [["?", "Keys"], [":", "Commands"], [",", "Settings"], ["p", "Profiles"], ["n", "New session"], ["E", "Why"], ["r", "Rename"], ["m", "Move"]]) {
    await page.keyboard.press(key);
    await page.waitForSelector(`dialog h2:has-text("${title}")`);
    await page.keyboard.press("Escape");
    await page.waitForFunction(() => !document.querySelector("dialog"));
  }
  await page.keyboard.press(":");
  await page.keyboard.type("explain");
  await page.keyboard.press("Enter");
  await page.waitForSelector("dialog h2:has-text('Why')");
  await page.keyboard.press("Escape");
  await deck.ask("DELETE", `/api/sessions/${session.id}?stop=true`);
  assert.deepEqual(page.troubles, []);
  await page.context().close();
});

test("nothing serious is found by axe in any state, dark and light, and no word is cut off on a phone", { timeout: LIMIT * 6 }, async () => {
  const session = await deck.session("looked at", "deck-demo-agent question");
  await deck.ask("POST", `/api/sessions/${session.id}/workers`, { type: "terminal" });
  await deck.ask("POST", `/api/sessions/${session.id}/workers`, { type: "diff" });
  await deck.ask("POST", `/api/sessions/${session.id}/workers`, { type: "markdown", filePath: "README.md" });
  // One of each kind: the header has to have room for all.
  const others = [];
  for (const play of ["work", "crash"]) others.push(await deck.session(`of ${play}`, `deck-demo-agent ${play}`));
  const found = [];
  for (const [size, options] of [["desktop", DESKTOP], ["phone", PHONE]]) {
    for (const colorScheme of ["dark", "light"]) {
      const page = await browser.page(deck, { ...options, colorScheme });
      const look = async (name) => found.push(...await audit(page, `${size}-${colorScheme}-${name}`));
      await page.waitForSelector("header .running");
      await page.waitForSelector("header .failed");
      await look("list");
      await page.click('.row:has-text("looked at")');
      await page.waitForSelector(".ask .btn");
      await shows(page, "Question");
      await look("question");
      for (const [tab, name, there] of [[1, "terminal", ".foot:has-text('live')"], [2, "diff", ".hunk"], [3, "file", ".markdown img"]]) {
        await page.click(`[role=tab] >> nth=${tab}`);
        await page.waitForSelector(there);
        await look(name);
      }
      await page.click("[role=tab] >> nth=0");
      await page.click(".foot >> text=text");
      await look("text");
      await page.click("text=Back to the terminal");
      await page.click(".heading summary");
      await look("menu");
      await page.keyboard.press("Escape");
      if (size === "phone") {
        // Nothing of the page is wider than the phone, and a letter without a field is no command.
        await page.click(".back");
        assert.ok(await page.evaluate(() => document.documentElement.scrollWidth <= innerWidth && document.querySelector("header").scrollWidth <= innerWidth), "it is too wide");
        await page.keyboard.press("n");
        assert.equal(await page.locator("dialog").count(), 0);
        await page.click('.row:has-text("looked at")');
        await page.locator(".screen textarea").focus();
        await page.tap(".keys [aria-label='slash']");
        assert.ok(await page.evaluate(() => document.activeElement?.matches(".screen textarea")), "a key of the bar takes no focus");
        await page.click(".back");
      }
      for (const [open, name] of [["new session", "new"], ["settings", "settings"], ["commands", "commands"]]) {
        await page.click(`[aria-label='${open}']`);
        await page.waitForSelector("dialog");
        await look(name);
        await page.keyboard.press("Escape");
        await page.waitForFunction(() => !document.querySelector("dialog"));
      }
      const wide = await page.evaluate(() => document.documentElement.scrollWidth - innerWidth);
      assert.ok(wide <= 0, `${size} is ${wide} pixels too wide`);
      assert.deepEqual(page.troubles, []);
      await page.context().close();
    }
  }
  for (const { id } of [session, ...others]) await deck.ask("DELETE", `/api/sessions/${id}?stop=true`);
  assert.deepEqual(found, []);
});
