// Runs the tests of the page, one file after another; says so where there is no browser.
import { spawnSync } from "node:child_process";
import { readdirSync } from "node:fs";
import { executable } from "./browser.mjs";

if (!executable) {
  console.log("the tests of the page are skipped: there is no Chromium here (CHROMIUM=/path names one)");
  process.exit(0);
}
const here = new URL(".", import.meta.url).pathname;
const wanted = process.argv[2] ?? "";
const files = readdirSync(here).filter((name) => name.endsWith(".test.mjs") && name.includes(wanted)).map((name) => here + name);
const { status } = spawnSync(process.execPath, ["--test", "--test-concurrency=1", ...files], { stdio: "inherit" });
process.exit(status ?? 1);
