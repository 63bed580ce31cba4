// A server that ends TLS itself.
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { request } from "node:https";
import { after, test } from "node:test";
import { fileURLToPath } from "node:url";
import { Deck, LIMIT } from "./deck.mjs";

const file = (name) => fileURLToPath(new URL(`../fixtures/web/${name}`, import.meta.url));
const deck = new Deck();
after(() => deck.end());

function ask(path, headers = {}) {
  return new Promise((done, failed) => {
    const asked = request({ host: "127.0.0.1", port: deck.port, path, headers, servername: "localhost", ca: readFileSync(file("cert.pem")), timeout: LIMIT }, (answer) => {
      let body = "";
      answer.on("data", (data) => (body += data));
      answer.on("end", () => done({ status: answer.statusCode, body }));
    });
    asked.on("error", failed);
    asked.end();
  });
}

test("it answers over TLS, and over nothing else", { timeout: LIMIT * 2 }, async () => {
  await deck.serve("--tls-cert", file("cert.pem"), "--tls-key", file("key.pem"));
  assert.match(deck.pair, /^https:\/\/127\.0\.0\.1:\d+\/#pair=/);
  assert.deepEqual(await ask("/api/health"), { status: 200, body: '{"ok":true}' });
  assert.equal((await ask("/api/sessions", { authorization: `Bearer ${deck.token()}` })).status, 200);
  assert.equal((await ask("/api/health", { host: `evil.example:${deck.port}` })).status, 421);
  await assert.rejects(fetch(`http://127.0.0.1:${deck.port}/api/health`));
});
