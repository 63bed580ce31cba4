// 20 viewers of 10 panes that change ten times a second, for some minutes: what the server takes must not grow.
import assert from "node:assert/strict";
import { Deck } from "../web/deck.mjs";
import { busy, sleep, taken, view } from "./server.mjs";

const minutes = Number(process.argv[2] ?? 10);
const deck = new Deck();
try {
  await deck.serve();
  const { pid } = deck.server;
  const idle = taken(pid);
  console.log("no page", idle);
  const spinner = "sh -c 'stty -echo; i=0; while :; do i=$((i+1)); printf \"\\r%s working\" $i; read -t 0.1 x; done'";
  const sessions = [];
  for (let n = 0; n < 10; n++) sessions.push(await deck.session(`spinner ${n}`, `bash -c ${JSON.stringify(spinner.slice(7, -1))}`));
  const viewers = [];
  for (let n = 0; n < 20; n++) viewers.push(await view(deck, sessions[n % 10]));
  await sleep(20_000);
  const first = taken(pid);
  const since = { busy: busy(pid), at: Date.now(), bytes: viewers.reduce((sum, one) => sum + one.bytes, 0) };
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
  }
  const seconds = (Date.now() - since.at) / 1000;
  const bytes = viewers.slice(0, 5).map((one) => one.bytes);
  console.log(`processor ${(((busy(pid) - since.busy) / seconds) * 100).toFixed(1)} %, bytes of five viewers`, bytes);
  const last = taken(pid);
  assert.ok(last.memory <= first.memory * 1.1 + 1024, `memory grew from ${first.memory} to ${last.memory} KiB`);
  assert.ok(last.descriptors <= first.descriptors + 2, `descriptors grew from ${first.descriptors} to ${last.descriptors}`);
  assert.deepEqual(viewers.filter((one) => one.closed !== null), []);
  for (const one of viewers) one.socket.close();
} finally {
  await deck.end();
}
