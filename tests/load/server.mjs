// What a server takes of the machine.
import { readdirSync, readFileSync } from "node:fs";
import WebSocket from "../web/node_modules/ws/wrapper.mjs";

/** Memory in KiB, threads, and descriptors. */
export function taken(pid) {
  const status = readFileSync(`/proc/${pid}/status`, "utf8");
  const number = (name) => Number(status.match(new RegExp(`^${name}:\\s+(\\d+)`, "m"))[1]);
  return { memory: number("VmRSS"), threads: number("Threads"), descriptors: readdirSync(`/proc/${pid}/fd`).length };
}

/** Time on the processor so far, in seconds. */
export function busy(pid) {
  const fields = readFileSync(`/proc/${pid}/stat`, "utf8").split(") ")[1].split(" ");
  return (Number(fields[11]) + Number(fields[12])) / 100;
}

/** A viewer of the first worker of a session, as a script is one: how many bytes and messages it got. */
export function view(deck, session) {
  const path = `/ws/session/${session.id}/worker/${session.workers[0].id}`;
  const socket = new WebSocket(`ws://127.0.0.1:${deck.port}${path}`, { headers: { authorization: `Bearer ${deck.token()}` } });
  const viewer = { socket, bytes: 0, messages: 0, since: Date.now(), closed: null };
  socket.on("message", (data) => {
    viewer.bytes += data.length;
    viewer.messages += 1;
  });
  socket.on("close", (code) => (viewer.closed = code));
  socket.on("error", () => {});
  return new Promise((done) => socket.on("open", () => done(viewer)));
}

export const sleep = (ms) => new Promise((done) => setTimeout(done, ms));
