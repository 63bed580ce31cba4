// The themes of the screen as colours of the page.
//
// A terminal's own background stays there; a page needs one, which is made from the theme's panel. Words are read on it, so
// each colour of words is moved towards the text's until its contrast is at least 4.5.
import { readdir, readFile } from "node:fs/promises";

/** The page's variable for each role. */
const ROLES = {
  dim: "dim", faint: "faint", accent: "accent", starting: "starting", running: "running", waiting: "asks", done: "done",
  idle: "idle", error: "failed", stopped: "stopped", added: "added", removed: "removed",
};
const CONTRAST = 4.6;

/** All themes that have colours: their names with the variables of each. */
export async function read(folder) {
  const all = {};
  for (const file of (await readdir(folder)).sort()) {
    const roles = parse(await readFile(folder + file, "utf8"));
    if (roles.panel?.bg) all[file.replace(/\.toml$/, "")] = theme(roles);
  }
  return all;
}

export function variables(theme) {
  return Object.entries(theme.colours).map(([name, colour]) => `--${name}: ${colour};`).join(" ");
}

function parse(text) {
  const roles = {};
  for (const [, role, inner] of text.matchAll(/^(\w+)\s*=\s*\{(.*)\}/gm)) {
    roles[role] = Object.fromEntries([...inner.matchAll(/(\w+)\s*=\s*"([^"]*)"/g)].map(([, key, value]) => [key, value]));
  }
  return roles;
}

function theme(roles) {
  const panel = rgb(roles.panel.bg);
  const isDark = luminance(panel) < 0.4;
  const text = rgb(roles.panel.fg ?? roles.text.fg ?? (isDark ? "#ffffff" : "#000000"));
  const bg = mix(panel, isDark ? [0, 0, 0] : [255, 255, 255], isDark ? 0.15 : 0.75);
  const selection = rgb(roles.selection.bg);
  // The least readable of what words stand on.
  const grounds = [bg, panel, selection];
  const readable = (colour) => {
    for (let part = 0; part <= 1; part += 0.05) {
      const moved = mix(colour, text, part);
      if (grounds.every((ground) => contrast(moved, ground) >= CONTRAST)) return moved;
    }
    return text;
  };
  const colours = { bg: hex(bg), panel: hex(panel), text: hex(text), sel: hex(selection), border: roles.border.fg };
  for (const [role, name] of Object.entries(ROLES)) colours[name] = hex(readable(rgb(roles[role].fg)));
  colours["on-accent"] = hex(contrast(bg, rgb(colours.accent)) >= CONTRAST ? bg : isDark ? [0, 0, 0] : [255, 255, 255]);
  return { scheme: isDark ? "dark" : "light", colours };
}

const rgb = (text) => [1, 3, 5].map((at) => Number.parseInt(text.slice(at, at + 2), 16));
const hex = (colour) => `#${colour.map((n) => Math.round(n).toString(16).padStart(2, "0")).join("")}`;
const mix = (from, to, part) => from.map((n, at) => n + (to[at] - n) * part);

function luminance(colour) {
  const [r, g, b] = colour.map((n) => (n / 255 <= 0.04045 ? n / 255 / 12.92 : ((n / 255 + 0.055) / 1.055) ** 2.4));
  return 0.2126 * r + 0.7152 * g + 0.0722 * b;
}

function contrast(a, b) {
  const [low, high] = [luminance(a), luminance(b)].sort((x, y) => x - y);
  return (high + 0.05) / (low + 0.05);
}
