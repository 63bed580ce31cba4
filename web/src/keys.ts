// Which keys stand for which command of the screen: its own, with the user's in their place.
import type { Command } from "./page";

const NAMES: Record<string, string> = {
  " ": "space", ArrowUp: "up", ArrowDown: "down", ArrowLeft: "left", ArrowRight: "right", Enter: "enter", Escape: "esc",
  Home: "home", End: "end", PageUp: "pageup", PageDown: "pagedown", Delete: "delete", Tab: "tab", Backspace: "backspace",
};

/** A key as the settings write it; none for one that only changes others. */
export function written(event: KeyboardEvent): string | null {
  const name = NAMES[event.key] ?? (/^F\d+$/.test(event.key) ? event.key.toLowerCase() : event.key);
  if (["Shift", "Control", "Alt", "Meta", "Dead", "Process"].includes(name) || event.metaKey) return null;
  const isNamed = name.length > 1;
  return `${event.ctrlKey ? "ctrl-" : ""}${event.altKey ? "alt-" : ""}${event.shiftKey && isNamed ? "shift-" : ""}${name}`;
}

/** What the keys pressed so far stand for: a command, the beginning of one, or nothing. */
export function find(pressed: string[], commands: Command[], isThere: (id: string) => boolean): Command | "more" | null {
  const sequence = pressed.join(" ");
  let begins = false;
  for (const command of commands) {
    if (!isThere(command.id)) continue;
    for (const keys of command.keys) {
      if (keys === sequence) return command;
      begins ||= keys.startsWith(`${sequence} `);
    }
  }
  return begins ? "more" : null;
}
