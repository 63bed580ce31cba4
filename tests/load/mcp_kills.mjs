// Kills what has to do with a shared MCP server, again and again, while clients call it.
//   node tests/load/mcp_kills.mjs [TIMES]
// Fails if a call reached the server twice, has no answer, if the next one takes long, or if a process is left.
import assert from "node:assert/strict";
import { existsSync, readFileSync } from "node:fs";
import { Servers, part, sleep, trees } from "./mcp.mjs";

const times = Number(process.argv[2] ?? 50);
const deck = new Servers("");
const notes = `${deck.top}/calls`;
deck.program(
  "counts",
  `sleep 1000 & echo $! >> "$NOTES.pids"; echo $$ >> "$NOTES.pids"
while IFS= read -r line; do
  rest=\${line#*\\"id\\":}; id=\${rest%%[,\\}]*}
  case $line in
    *'"method":"initialize"'*) echo "{\\"jsonrpc\\":\\"2.0\\",\\"id\\":$id,\\"result\\":{\\"protocolVersion\\":\\"2025-06-18\\",\\"capabilities\\":{\\"tools\\":{}},\\"serverInfo\\":{\\"name\\":\\"s\\",\\"version\\":\\"1\\"}}}";;
    *'"method":"tools/call"'*) text=\${line#*\\"text\\":\\"}; text=\${text%%\\"*}; echo "$text" >> "$NOTES"
      echo "{\\"jsonrpc\\":\\"2.0\\",\\"id\\":$id,\\"result\\":{\\"text\\":\\"$text\\"}}";;
    *'"id":'*) echo "{\\"jsonrpc\\":\\"2.0\\",\\"id\\":$id,\\"result\\":{}}";;
  esac
done`,
);
deck.file(
  "deck/config.toml",
  `${readFileSync(`${deck.top}/deck/config.toml`, "utf8")}[mcps.one]\ncommand = "counts"\nenv = { NOTES = "${notes}" }\nshare = "profile"\nidle = "1s"\n`,
);

let sets;
let clients = [];
let named = 0;
const told = [];
const again = [];
let stopped = false;

/** Calls until it is stopped. A client that was killed is replaced, as an agent that is started again has another one. */
async function works(n) {
  while (!stopped) {
    const client = clients[n];
    const text = `t${named++}`;
    const at = performance.now();
    const answer = await client.call("echo", { text });
    assert.ok(answer.ended || answer.error !== undefined || answer.result.text === text, JSON.stringify(answer));
    if (answer.ended) {
      clients[n] = deck.client("one", sets[n]);
      await clients[n].greet();
      continue;
    }
    if (answer.error !== undefined) {
      // Since the kill: when it was told, and when a call works again.
      if (killed > 0) told.push(performance.now() - Math.max(killed, at));
      const since = performance.now();
      while (!stopped) {
        const next = await client.call("echo", { text: `t${named++}` });
        if (next.result !== undefined || next.ended) break;
      }
      again.push(performance.now() - since);
    }
  }
}

let killed = 0;
async function kills(what, victim) {
  let done = 0;
  for (let n = 0; n < times; n++) {
    const pid = await victim(n);
    if (pid === undefined || pid === null) continue;
    killed = performance.now();
    try {
      process.kill(pid, "SIGKILL");
      done += 1;
    } catch {
      // It has ended by itself meanwhile.
    }
    // Until all work again: each has an answer after this moment.
    const seen = named;
    const began = Date.now();
    while (named < seen + 3 * clients.length) {
      assert.ok(Date.now() - began < 120_000, `nothing works after a kill of ${what}`);
      await sleep(10);
    }
    // A server that ends again and again is given up; its user has it started again.
    if (what === "server") await deck.deck("mcp", "restart", "one").catch(() => {});
  }
  const lines = readFileSync(notes, "utf8").trim().split("\n");
  assert.equal(new Set(lines).size, lines.length, `a call was made twice after a kill of ${what}`);
  const p = (all) => (all.length === 0 ? "none" : `median ${part(all, 0.5).toFixed(0)}, worst ${part(all, 1).toFixed(0)} ms`);
  console.log(`${what}: killed ${done} times, ${lines.length} calls so far, none twice; open calls told: ${p(told)}; working again: ${p(again)}`);
  told.length = again.length = 0;
}

try {
  sets = [];
  for (let n = 0; n < 6; n++) sets.push(await deck.told(`s${n}`, "one"));
  clients = sets.map((set) => deck.client("one", set));
  await Promise.all(clients.map((c) => c.greet()));
  const work = clients.map((_, n) => works(n));
  const pool = async () => (await deck.pools())[0];
  await kills("sharing process", async () => (await pool())?.pid);
  await kills("connection", (n) => clients[n % clients.length].child.pid);
  await kills("server", async () => (await pool())?.server_pid);
  stopped = true;
  await Promise.all(work);
  const known = trees((await deck.pools()).map((p) => p.pid));
  const pids = readFileSync(`${notes}.pids`, "utf8").trim().split("\n").map(Number);
  await Promise.all(clients.map((c) => c.end()));
  const began = Date.now();
  await deck.allEnded();
  const left = () => [...known, ...pids].filter((pid) => existsSync(`/proc/${pid}`) && !readFileSync(`/proc/${pid}/stat`, "utf8").includes(") Z "));
  while (left().length > 0) {
    assert.ok(Date.now() - began < 90_000, `processes are left: ${left()}`);
    await sleep(100);
  }
  console.log(`nothing is left ${((Date.now() - began) / 1000).toFixed(1)} s after the last client, with an idle time of 1 s`);
} finally {
  await deck.end();
}
