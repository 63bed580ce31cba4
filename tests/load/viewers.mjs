// 20 viewers of 10 panes that change ten times a second, for some minutes: what the server takes must not grow.
import assert from "node:assert/strict";
import { writeFileSync } from "node:fs";
import { Deck } from "../web/deck.mjs";
import { busy, sleep, taken, view } from "./server.mjs";

const minutes = Number(process.argv[2] ?? 10);
const deck = new Deck();
try {
  await deck.serve();
  const { pid } = deck.server;
  const idle = taken(pid);
  console.log("no page", idle);
  // No process of its own a turn: the shell's own read waits.
  writeFileSync(`${deck.top}/spinner`, 'stty -echo\nfor ((i = 0; ; i++)); do printf "\\r%s working" $i; read -rt 0.1; done\n');
  const sessions = [];
  for (let n = 0; n < 10; n++) sessions.push(await deck.session(`spinner ${n}`, `bash ${deck.top}/spinner`));
  const viewers = [];
  for (let n = 0; n < 20; n++) viewers.push(await view(deck, sessions[n % 10]));
  await sleep(20_000);
  let first = taken(pid);
  const since = { busy: busy(pid), at: Date.now() };
  console.log("at first", first);
  for (let n = 0; n < minutes * 2; n++) {
    await sleep(30_000);
    // Viewers come and go, too.
    const gone = viewers.shift();
    gone.socket.close();
    // Its place is free once the server has seen that.
    await sleep(500);
    viewers.push(await view(deck, sessions[n % 10]));
    console.log(`${(n + 1) / 2} min`, taken(pid));
    // By then as much of each pane is kept as ever will be.
    if (n + 1 === 8) first = taken(pid);
  }
  const seconds = (Date.now() - since.at) / 1000;
  const bytes = viewers.map((one) => (one.bytes / 1000 / ((Date.now() - one.since) / 1000)).toFixed(1));
  console.log(`processor ${(((busy(pid) - since.busy) / seconds) * 100).toFixed(1)} %; kB a second of each viewer: ${bytes.join(" ")}`);
  assert.ok(viewers.slice(0, 10).every((one) => one.messages > 100), "panes that do not change");
  const last = taken(pid);
  assert.ok(last.memory <= first.memory * 1.1 + 1024, `memory grew from ${first.memory} to ${last.memory} KiB`);
  assert.ok(last.descriptors <= first.descriptors + 2, `descriptors grew from ${first.descriptors} to ${last.descriptors}`);
  assert.deepEqual(viewers.filter((one) => one.closed !== null), []);
  for (const one of viewers) one.socket.close();
} finally {
  await deck.end();
}
