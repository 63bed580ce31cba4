// Bundles the page into assets/web, which is committed: building deck needs no Node.
//
// Every file that browsers may keep has the checksum of its content in its name. Large files are kept compressed alone, since they
// are part of the program.
import { build } from "esbuild";
import { createHash } from "node:crypto";
import { mkdir, readdir, readFile, rm, writeFile } from "node:fs/promises";
import { fileURLToPath } from "node:url";
import { brotliCompressSync, constants, gzipSync } from "node:zlib";
import { read as readThemes, variables } from "./themes.mjs";

const here = (path) => fileURLToPath(new URL(path, import.meta.url));
const out = process.argv[2] ? `${process.argv[2]}/` : here("../assets/web/");
const themes = await readThemes(here("../assets/themes/"));

/** The colours of the screen's themes: `themes` for scripts, `themes.css` for what is used by the system's choice. */
const plugin = {
  name: "themes",
  setup(builder) {
    builder.onResolve({ filter: /^themes(\.css)?$/ }, ({ path }) => ({ path, namespace: "themes" }));
    builder.onLoad({ filter: /.*/, namespace: "themes" }, ({ path }) => path === "themes"
      ? { contents: JSON.stringify(themes), loader: "json" }
      : { contents: css(), loader: "css" });
  },
};

function css() {
  const rule = (name) => `:root { color-scheme: ${themes[name].scheme}; ${variables(themes[name])} }`;
  return `${rule("dark")} @media (prefers-color-scheme: light) { ${rule("light")} }`;
}

await mkdir(out, { recursive: true });
for (const name of await readdir(out)) await rm(out + name, { recursive: true });
const options = {
  absWorkingDir: here("."),
  bundle: true,
  target: ["es2022"],
  minify: true,
  legalComments: "eof",
  outdir: out,
  plugins: [plugin],
};
const { metafile } = await build({
  ...options,
  entryPoints: ["src/main.tsx", "src/style.css"],
  splitting: true,
  format: "esm",
  entryNames: "[name]-[hash]",
  chunkNames: "chunk-[hash]",
  jsx: "automatic",
  jsxImportSource: "preact",
  metafile: true,
});
// Names that never change: what they are cached by, their own text says.
await build({ ...options, entryPoints: ["src/sw.ts"], format: "iife", entryNames: "[name]" });
const named = (entry) => Object.entries(metafile.outputs).find(([, output]) => output.entryPoint === entry)[0].split("/").at(-1);
const icon = await readFile(here("src/icon.svg"), "utf8");
const iconName = `icon-${sum(icon)}.svg`;
await writeFile(out + iconName, icon);
const manifest = (await readFile(here("src/manifest.json"), "utf8")).replaceAll("ICON", `/${iconName}`);
await writeFile(`${out}manifest.webmanifest`, manifest);
const page = (await readFile(here("src/index.html"), "utf8"))
  .replace("SCRIPT", `/${named("src/main.tsx")}`)
  .replace("TERMINAL", `/${named("src/terminal.ts")}`)
  .replace("STYLE", `/${named("src/style.css")}`)
  .replace("ICON", `/${iconName}`);
await writeFile(`${out}index.html`, page);
for (const name of await readdir(out)) {
  const data = await readFile(out + name);
  if (data.length <= 4096) continue;
  await writeFile(`${out}${name}.br`, brotliCompressSync(data, { params: { [constants.BROTLI_PARAM_QUALITY]: 11, [constants.BROTLI_PARAM_SIZE_HINT]: data.length } }));
  await writeFile(`${out}${name}.gz`, gzipSync(data, { level: 9 }));
  await rm(out + name);
}

/** As esbuild writes its own: eight capital letters and digits. */
function sum(text) {
  return createHash("sha256").update(text).digest("hex").slice(0, 8).toUpperCase();
}
