// Shared MCP servers beside own ones: memory, time, calls, writers, quiet cost, a client that never reads.
//   node tests/load/mcp_servers.mjs FOLDER [PART…]
// FOLDER has node_modules with @modelcontextprotocol/server-memory and server-everything.
import { readFileSync } from "node:fs";
import { resolve } from "node:path";
import { Servers, busy, memory, part, sleep, trees } from "./mcp.mjs";

const [folder, ...wanted] = process.argv.slice(2);
const entry = (name) => resolve(folder, `node_modules/@modelcontextprotocol/server-${name}/dist/index.js`);
const server = (name, of, more) => `[mcps.${name}]\ncommand = "node"\nargs = ["${entry(of)}"]\n${more}\n`;
const shared = 'share = "profile"\nidle = "1s"';

const deck = new Servers("");
const kept = (name) => `${deck.top}/${name}.json`;
const memoryServer = (name, more) => server(name, "memory", `env = { MEMORY_FILE_PATH = "${kept(name)}" }\n${more}`);
deck.file(
  "deck/config.toml",
  readFileSync(`${deck.top}/deck/config.toml`, "utf8") +
    memoryServer("own", "") +
    memoryServer("one", shared) +
    memoryServer("side", `${shared}\nparallel = true`) +
    server("all", "everything", shared) +
    server("every", "everything", `${shared}\nparallel = true`),
);

const parts = {
  async start(sets) {
    for (const name of ["own", "one"]) {
      const began = Date.now();
      const clients = sets.map((set) => deck.client(name, set));
      await Promise.all(clients.map(async (c) => (await c.greet(), await c.ask("tools/list"))));
      const seconds = (Date.now() - began) / 1000;
      const pools = (await deck.pools()).map((pool) => pool.pid);
      const mib = memory(trees([...clients.map((c) => c.child.pid), ...pools]));
      console.log(`20 sessions, memory server, ${name === "own" ? "own" : "shared"}: ${mib.toFixed(0)} MiB, up after ${seconds.toFixed(1)} s`);
      await Promise.all(clients.map((c) => c.end()));
      await deck.allEnded();
    }
  },

  async calls(sets) {
    for (const name of ["all", "every"]) {
      const clients = Array.from({ length: 200 }, (_, n) => deck.client(name, sets[n % sets.length]));
      await Promise.all(clients.map((c) => c.greet()));
      let wrong = 0;
      const times = [];
      const began = Date.now();
      await Promise.all(
        clients.map(async (client, n) => {
          for (let call = 0; call < 200; call++) {
            const at = performance.now();
            const answer = await client.call("echo", { message: `${n}-${call}` });
            times.push(performance.now() - at);
            if (answer.result?.content?.[0]?.text !== `Echo: ${n}-${call}`) wrong += 1;
          }
        }),
      );
      const seconds = (Date.now() - began) / 1000;
      const words = name === "all" ? "one at a time" : "side by side";
      console.log(`200 clients x 200 calls, equal ids and tokens, ${words}: ${wrong} of ${times.length} wrong, ${seconds.toFixed(1)} s, median ${part(times, 0.5).toFixed(0)} ms`);
      await Promise.all(clients.map((c) => c.end()));
      await deck.allEnded();
    }
  },

  async writers(sets) {
    for (const name of ["own", "one", "side"]) {
      const clients = sets.slice(0, 5).map((set) => deck.client(name, set));
      await Promise.all(clients.map((c) => c.greet()));
      const before = (() => { try { return readFileSync(kept(name), "utf8").split("\n").length; } catch { return 0; } })();
      await Promise.all(
        clients.map(async (client, n) => {
          for (let call = 0; call < 10; call++) {
            await client.call("create_entities", { entities: [{ name: `e-${n}-${call}`, entityType: "t", observations: ["x"] }] });
          }
        }),
      );
      await Promise.all(clients.map((c) => c.end()));
      await deck.allEnded();
      const lines = readFileSync(kept(name), "utf8").split("\n").filter((line) => line !== "");
      const names = new Set(lines.map((line) => { try { return JSON.parse(line).name; } catch { return undefined; } }).filter(Boolean));
      const words = { own: "a process each", one: "shared, one at a time", side: "shared, side by side" }[name];
      console.log(`5 writers x 10 entities, ${words}: ${names.size} of 50 kept${before ? " (the file was there)" : ""}`);
    }
  },

  async quiet(sets) {
    const clients = sets.map((set) => deck.client("one", set));
    await Promise.all(clients.map((c) => c.greet()));
    await sleep(2000);
    const shims = clients.map((c) => c.child.pid);
    const pool = (await deck.pools())[0];
    const all = [...shims, pool.pid];
    const before = busy(all);
    await sleep(20_000);
    const used = busy(all) - before;
    console.log(`20 attached, nothing called, 20 s: ${used} hundredths of a second of CPU in pool and shims; a shim ${(memory(shims) / 20).toFixed(1)} MiB, the pool ${memory([pool.pid]).toFixed(1)} MiB`);
    await Promise.all(clients.map((c) => c.end()));
    await deck.allEnded();
  },

  async deaf(sets) {
    const clients = sets.slice(0, 5).map((set) => deck.client("every", set));
    await Promise.all(clients.map((c) => c.greet()));
    const round = async () => {
      const times = [];
      await Promise.all(
        clients.map(async (client) => {
          for (let call = 0; call < 200; call++) {
            const at = performance.now();
            await client.call("echo", { message: "x" });
            times.push(performance.now() - at);
          }
        }),
      );
      return part(times, 0.95);
    };
    await round();
    const before = await round();
    const deaf = deck.client("every", sets[5]);
    await deaf.greet();
    deaf.lines.pause();
    deaf.child.stdout.pause();
    // 12 MiB of answers that nobody reads.
    const text = "x".repeat(60_000);
    for (let call = 0; call < 200; call++) deaf.send({ id: 100 + call, method: "tools/call", params: { name: "echo", arguments: { message: text } } });
    await sleep(3000);
    const during = await round();
    console.log(`5 clients x 200 calls: p95 ${before.toFixed(1)} ms; beside a client that never reads ${during.toFixed(1)} ms`);
    deaf.child.kill("SIGKILL");
    await Promise.all(clients.map((c) => c.end()));
    await deck.allEnded();
  },
};

try {
  const sets = [];
  for (let n = 0; n < 20; n++) sets.push(await deck.told(`s${n}`, "own,one,side,all,every"));
  for (const name of wanted.length > 0 ? wanted : Object.keys(parts)) await parts[name](sets);
} finally {
  await deck.end();
}
