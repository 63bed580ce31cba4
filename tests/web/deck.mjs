// A deck in a folder of its own, with its own tmux server, and the stand-in agent. Nothing of the user's is touched: its
// environment is made from nothing, and it ends what it has started, by id.
import { execFile, spawn } from "node:child_process";
import { copyFileSync, existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { createInterface } from "node:readline";
import { resolve } from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";

const top = fileURLToPath(new URL("../../", import.meta.url));
export const program = resolve(process.env.DECK ?? `${top}target/debug/deck`);
const run = promisify(execFile);
/** How long anything may take on a busy machine. */
export const LIMIT = 90_000;

export class Deck {
  constructor() {
    // Short: the path of a socket has at most 107 bytes.
    this.top = mkdtempSync("/tmp/deck-web-");
    const path = (name) => `${this.top}/${name}`;
    for (const name of ["home", "deck", "tmp", "bin", "p", "deck/tools"]) mkdirSync(path(name), { recursive: true, mode: 0o700 });
    copyFileSync(`${top}assets/demo/stand-in.toml`, path("deck/tools/stand-in.toml"));
    copyFileSync(`${top}assets/demo/agent`, path("bin/deck-demo-agent"));
    this.env = {
      HOME: path("home"), DECK_HOME: path("deck"), TMUX_TMPDIR: path("tmp"), TMPDIR: path("tmp"), PATH: `${path("bin")}:${process.env.PATH}`,
      SHELL: "/bin/sh", LANG: "C.UTF-8", TERM: "xterm-256color", USER: "someone", ENV: "", PS1: "$ ",
      GIT_CONFIG_GLOBAL: path("home/.gitconfig"), GIT_CONFIG_NOSYSTEM: "1",
    };
    this.folder = path("p");
    this.server = null;
  }

  /** Runs a verb, and gives what it prints. */
  async deck(...args) {
    const { stdout } = await run(program, args, { env: this.env, cwd: this.folder, timeout: LIMIT });
    return stdout;
  }

  async json(...args) {
    return JSON.parse(await this.deck(...args, "--json"));
  }

  async tmux(...args) {
    const { stdout } = await run("tmux", ["-S", await this.socketPath(), ...args], { env: this.env, timeout: LIMIT });
    return stdout;
  }

  async git(...args) {
    return (await run("git", ["-c", "user.name=Someone", "-c", "user.email=someone@example.org", ...args], { env: this.env, cwd: this.folder })).stdout;
  }

  /** Serves. */
  async serve(...args) {
    const child = spawn(program, ["serve", "--listen", `127.0.0.1:${this.port ?? 0}`, "--json", ...args], {
      env: this.env, cwd: this.folder, stdio: ["ignore", "pipe", "pipe"],
    });
    let said = "";
    child.stderr.on("data", (data) => (said += data));
    const lines = createInterface({ input: child.stdout });
    const first = await new Promise((done, failed) => {
      lines.once("line", done);
      child.once("error", failed);
      child.once("exit", () => failed(new Error(`deck serve has ended: ${said}`)));
    });
    this.server = child;
    const { url, pair } = JSON.parse(first);
    // The same one again after a restart.
    this.port = Number(new URL(url).port);
    Object.assign(this, { url, pair });
    return this;
  }

  /** Ends the server as a crash does. */
  async kill(signal = "SIGKILL") {
    const child = this.server;
    this.server = null;
    if (child === null || child.exitCode !== null) return;
    const gone = new Promise((done) => child.once("exit", done));
    child.kill(signal);
    await gone;
  }

  token() {
    return readFileSync(`${this.env.DECK_HOME}/state/web/token`, "utf8").trim();
  }

  /** Asks as a script does. */
  async ask(method, path, body) {
    const answer = await fetch(this.url + path, {
      method,
      headers: { authorization: `Bearer ${this.token()}`, ...(body ? { "content-type": "application/json" } : {}) },
      body: body && JSON.stringify(body),
    });
    const value = await answer.json();
    if (!answer.ok) throw new Error(`${method} ${path}: ${JSON.stringify(value)}`);
    return value;
  }

  /** A session; its agent is the stand-in with a play, or a command. */
  async session(title, agent) {
    const body = { type: "quick", locationPath: this.folder, title, agentId: agent };
    return (await this.ask("POST", "/api/sessions", body)).session;
  }

  /** A new address that pairs one browser. */
  async pairing(...args) {
    return (await this.json("serve", "pair", ...args)).pair;
  }

  /** The socket of its tmux server. */
  async socketPath() {
    const [session] = await this.json("list");
    const socket = session.tmux.socket;
    return socket.startsWith("/") ? socket : `${this.env.TMUX_TMPDIR}/tmux-${process.getuid()}/${socket}`;
  }

  async end() {
    await this.kill("SIGTERM");
    // Also one without a session, which keeps running.
    const sockets = `${this.env.TMUX_TMPDIR}/tmux-${process.getuid()}`;
    for (const name of existsSync(sockets) ? readdirSync(sockets) : []) {
      try {
        await run("tmux", ["-S", `${sockets}/${name}`, "kill-server"], { env: this.env, timeout: LIMIT });
      } catch (error) {
        // Its server was gone already; one that doesn't answer would stay.
        if (error.killed) throw error;
      }
    }
    rmSync(this.top, { recursive: true, force: true, maxRetries: 10, retryDelay: 100 });
  }
}
