// Whether what is committed in assets/web is what this builds, byte for byte. What is compressed may differ between versions
// of Node, so that is unpacked first.
import { execFileSync } from "node:child_process";
import { mkdtempSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { fileURLToPath } from "node:url";
import { brotliDecompressSync, gunzipSync } from "node:zlib";

const committed = fileURLToPath(new URL("../assets/web/", import.meta.url));
const built = `${mkdtempSync(`${tmpdir()}/deck-page-`)}/`;
execFileSync(process.execPath, [fileURLToPath(new URL("build.mjs", import.meta.url)), built.slice(0, -1)], { stdio: "inherit" });
const content = (folder, name) => {
  const data = readFileSync(folder + name);
  return name.endsWith(".br") ? brotliDecompressSync(data) : name.endsWith(".gz") ? gunzipSync(data) : data;
};
const [have, want] = [readdirSync(committed).sort(), readdirSync(built).sort()];
const differ = new Set([...have, ...want].filter((name) => !have.includes(name) || !want.includes(name) || !content(committed, name).equals(content(built, name))));
rmSync(built, { recursive: true });
if (differ.size) {
  console.error(`assets/web is not what web/ makes: ${[...differ].join(", ")}. Run \`make web\`, and commit what it changes.`);
  process.exit(1);
}
console.log(`assets/web is what web/ makes: ${have.length} files`);
