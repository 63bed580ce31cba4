// What the page knows of itself: whether it may change anything, whether its server has another page by now, its settings.
import { signal } from "@preact/signals";
import { ask } from "./api";

/** A command of the screen. */
export interface Command { id: string; section: string; title: string; doc: string; keys: string[] }

export const readOnly = signal(false);
export const commands = signal<Command[]>([]);
export const profileName = signal("");
export const version = signal("");
/** Whether the server has a newer page than this one. */
export const outdated = signal(false);

let build: string | null = null;

/** What the server says of itself each time that the line is there again. */
export function greeted(hello: { build: string; readOnly: boolean }): void {
  readOnly.value = hello.readOnly;
  if (build !== null && build !== hello.build) outdated.value = true;
  build ??= hello.build;
}

export async function load(): Promise<void> {
  const page = await ask<{ version: string; build: string; readOnly: boolean; profile: string; commands: Command[] }>("GET", "/api/page");
  greeted(page);
  version.value = page.version;
  profileName.value = page.profile;
  commands.value = page.commands;
}

/** What this browser's user has chosen. */
export interface Settings { theme: string; webgl: boolean; notify: boolean }
const KEY = "settings";
const DEFAULTS: Settings = { theme: "auto", webgl: false, notify: false };

export const settings = signal<Settings>(read());

function read(): Settings {
  try {
    const kept = JSON.parse(localStorage.getItem(KEY) ?? "{}");
    return { ...DEFAULTS, ...kept };
  } catch {
    return DEFAULTS;
  }
}

export function choose(part: Partial<Settings>): void {
  settings.value = { ...settings.value, ...part };
  localStorage.setItem(KEY, JSON.stringify(settings.value));
}
