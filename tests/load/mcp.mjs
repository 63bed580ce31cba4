// What the measurements of shared MCP servers have in common: a deck with sessions, agents' clients, and a look at processes.
import { spawn } from "node:child_process";
import { chmodSync, readFileSync, readdirSync, writeFileSync } from "node:fs";
import { createInterface } from "node:readline";
import { Deck, program } from "../web/deck.mjs";

export const sleep = (ms) => new Promise((done) => setTimeout(done, ms));

/** A deck whose sessions' agents do nothing; what they would start is started here. */
export class Servers extends Deck {
  constructor(config) {
    super();
    const tool = `[tools.told]
command = "told"
[tools.told.mcp.servers]
stdio = '"{name}":{"command":"{deck}","args":["mcp","run","{name}","--set","{set}"]}'
file = '{"mcpServers":{{entries}}}'
args = ["--mcp-config={file}"]
`;
    this.file("deck/config.toml", tool + config);
    this.program("told", "exec cat");
  }

  file(name, text) {
    writeFileSync(`${this.top}/${name}`, text);
  }

  program(name, script) {
    this.file(`bin/${name}`, `#!/bin/sh\n${script}\n`);
    chmodSync(`${this.top}/bin/${name}`, 0o755);
  }

  /** Adds a session with these servers; gives the file by which its agent starts them. */
  async told(title, servers) {
    await this.deck("add", this.folder, "-t", title, "-c", "told", "--mcp-server", servers);
    const { id } = (await this.json("list")).find((s) => s.title === title);
    return `${this.env.DECK_HOME}/state/agents/mcp/${id}-set.json`;
  }

  client(name, set, env = {}) {
    return new Client(program, ["mcp", "run", name, "--set", set], { ...this.env, ...env }, this.folder);
  }

  pools() {
    return this.json("mcp", "pool");
  }

  /** Waits until no shared server is left. */
  async allEnded(limit = 90_000) {
    const began = Date.now();
    while ((await this.pools()).length > 0) {
      if (Date.now() - began > limit) throw new Error("a shared server is left");
      await sleep(200);
    }
  }
}

/** An agent's end of a server. */
export class Client {
  constructor(command, args, env, cwd) {
    this.child = spawn(command, args, { env, cwd, stdio: ["pipe", "pipe", "ignore"] });
    this.child.stdin.on("error", () => {});
    this.next = 0;
    this.waiting = new Map();
    this.notes = [];
    this.lines = createInterface({ input: this.child.stdout });
    this.lines.on("line", (line) => {
      const message = JSON.parse(line);
      if (message.method !== undefined) return this.notes.push(message);
      this.waiting.get(message.id)?.(message);
      this.waiting.delete(message.id);
    });
    this.gone = new Promise((done) => this.child.once("exit", done));
    this.gone.then(() => {
      for (const done of this.waiting.values()) done({ error: { message: "the program has ended" }, ended: true });
      this.waiting.clear();
    });
  }

  send(message) {
    this.child.stdin.write(`${JSON.stringify({ jsonrpc: "2.0", ...message })}\n`);
  }

  ask(method, params = {}) {
    const id = this.next++;
    const answer = new Promise((done) => this.waiting.set(id, done));
    this.send({ id, method, params });
    return answer;
  }

  async greet() {
    const params = { protocolVersion: "2025-06-18", capabilities: {}, clientInfo: { name: "measured", version: "1" } };
    const answer = await this.ask("initialize", params);
    if (answer.result === undefined) throw new Error(JSON.stringify(answer));
    this.send({ method: "notifications/initialized" });
    return answer.result;
  }

  /** Calls a tool, under a token that every client has. */
  call(name, args) {
    return this.ask("tools/call", { name, arguments: args, _meta: { progressToken: 0 } });
  }

  async end() {
    this.child.stdin.end();
    await this.gone;
  }
}

/** The parents of all processes. */
function parents() {
  const all = new Map();
  for (const pid of readdirSync("/proc").filter((name) => /^\d+$/.test(name))) {
    try {
      all.set(Number(pid), Number(readFileSync(`/proc/${pid}/stat`, "utf8").split(") ")[1].split(" ")[1]));
    } catch {
      // It has ended meanwhile.
    }
  }
  return all;
}

/** These processes, and all that they started. */
export function trees(pids) {
  const found = new Set(pids);
  const all = parents();
  for (let grew = true; grew; ) {
    grew = false;
    for (const [pid, parent] of all) {
      if (found.has(parent) && !found.has(pid)) grew = Boolean(found.add(pid));
    }
  }
  return [...found];
}

/** Their share of the machine's memory, in MiB. */
export function memory(pids) {
  const one = (pid) => {
    try {
      return Number(readFileSync(`/proc/${pid}/smaps_rollup`, "utf8").match(/^Pss:\s+(\d+)/m)[1]) / 1024;
    } catch {
      return 0;
    }
  };
  return pids.map(one).reduce((a, b) => a + b, 0);
}

/** Time on the processors so far, in hundredths of a second. */
export function busy(pids) {
  const one = (pid) => {
    const fields = readFileSync(`/proc/${pid}/stat`, "utf8").split(") ")[1].split(" ");
    return Number(fields[11]) + Number(fields[12]);
  };
  return pids.map(one).reduce((a, b) => a + b, 0);
}

export const part = (all, share) => [...all].sort((a, b) => a - b)[Math.min(all.length - 1, Math.floor(all.length * share))];
