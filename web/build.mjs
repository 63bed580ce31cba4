// Bundles the page into assets/web, which is committed: building deck needs no Node.
import { build } from "esbuild";
import { cp, mkdir, readdir, rm } from "node:fs/promises";
import { fileURLToPath } from "node:url";

const out = fileURLToPath(new URL("../assets/web/", import.meta.url));
await mkdir(out, { recursive: true });
for (const name of await readdir(out)) await rm(out + name, { recursive: true });
await build({
  absWorkingDir: fileURLToPath(new URL(".", import.meta.url)),
  entryPoints: ["src/main.tsx", "src/style.css"],
  bundle: true,
  splitting: true,
  format: "esm",
  target: ["es2022"],
  minify: true,
  legalComments: "eof",
  outdir: out,
  entryNames: "[name]",
  chunkNames: "chunk-[hash]",
  jsx: "automatic",
  jsxImportSource: "preact",
});
await cp(fileURLToPath(new URL("src/index.html", import.meta.url)), out + "index.html");
