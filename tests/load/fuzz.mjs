// Messages that no page would send, for a minute: the server must answer or end the line, and must not grow.
import assert from "node:assert/strict";
import { randomInt } from "node:crypto";
import WebSocket from "../web/node_modules/ws/wrapper.mjs";
import { Deck } from "../web/deck.mjs";
import { sleep, taken } from "./server.mjs";

const seconds = Number(process.argv[2] ?? 60);
const pick = (all) => all[randomInt(all.length)];
const TYPES = ["input", "key", "paste", "resize", "hidden", "more", "image", "wheel", "ack", "nope", "", null, 7];
const VALUES = [
  () => randomInt(-5, 100_000), () => -1, () => 2 ** 53, () => 1e308, () => null, () => true, () => [], () => ({}), () => "", () => "x".repeat(randomInt(3000)),
  () => String.fromCharCode(...Array.from({ length: randomInt(40) }, () => randomInt(0x10000))), () => "\u0000\u001b[c", () => "ctrl-c", () => "up", () => "image/png", () => "iVBORw0KGgo=",
];
const KEYS = ["data", "id", "name", "ctrl", "alt", "shift", "cols", "rows", "take", "on", "before", "lines", "mimeType", "up", "times", "seq", "more"];

/** One message: sound in part, cut off, or noise. */
function message() {
  const value = Object.fromEntries([["type", pick(TYPES)], ...Array.from({ length: randomInt(6) }, () => [pick(KEYS), pick(VALUES)()])]);
  const text = JSON.stringify(value);
  switch (randomInt(8)) {
    case 0: return text.slice(0, randomInt(text.length));
    case 1: return Buffer.from(Array.from({ length: randomInt(200) }, () => randomInt(256)));
    case 2: return "[".repeat(randomInt(2000));
    case 3: return text.replace(/\d/, "1e309");
    default: return text;
  }
}

const deck = new Deck();
try {
  await deck.serve();
  let said = "";
  deck.server.stderr.on("data", (data) => (said += data));
  const session = await deck.session("fuzzed", "cat");
  const paths = [`/ws/session/${session.id}/worker/${session.workers[0].id}`, "/ws/dashboard", `/ws/session/${session.id}/worker/${session.workers[0].id}?epoch=-1&offset=99`];
  const counts = { sent: 0, answered: 0, opened: 0 };
  let stop = false;
  const fuzz = async () => {
    while (!stop) {
      const socket = new WebSocket(`ws://127.0.0.1:${deck.port}${pick(paths)}`, { headers: { authorization: `Bearer ${deck.token()}` } });
      socket.on("message", () => (counts.answered += 1));
      socket.on("error", () => {});
      const closed = new Promise((done) => socket.once("close", done));
      const opened = await Promise.race([new Promise((done) => socket.once("open", () => done(true))), closed.then(() => false)]);
      if (opened) counts.opened += 1;
      for (let n = 0; n < 300 && socket.readyState === WebSocket.OPEN && !stop; n++) {
        socket.send(message());
        counts.sent += 1;
        if (n % 10 === 0) await sleep(1);
      }
      socket.close();
      await closed;
    }
  };
  const all = Promise.all([fuzz(), fuzz(), fuzz()]);
  await sleep(10_000);
  const first = taken(deck.server.pid);
  console.log("after 10 s", first, counts);
  await sleep(seconds * 1000);
  stop = true;
  await all;
  const last = taken(deck.server.pid);
  console.log("at the end", last, counts);
  assert.equal(deck.server.exitCode, null, "it has ended");
  assert.equal((await fetch(`${deck.url}/api/health`)).status, 200);
  assert.doesNotMatch(said, /panicked/);
  assert.ok(last.memory <= first.memory * 1.2 + 2048, `memory grew from ${first.memory} to ${last.memory} KiB`);
  assert.ok(last.descriptors <= first.descriptors + 4, `descriptors grew from ${first.descriptors} to ${last.descriptors}`);
} finally {
  await deck.end();
}
