// What a status looks like: always a glyph with a word, never colour alone.
import type { Session } from "./types";

export type Kind = "asks" | "failed" | "done" | "running" | "idle" | "starting" | "stopped" | "unknown";

export const GLYPHS: Record<Kind, string> = {
  asks: "◐", failed: "✕", done: "◆", running: "●", idle: "○", starting: "◌", stopped: "■", unknown: "?",
};

export function kindOf(session: Session): Kind {
  const { status, reason } = session.deck;
  if (status === "waiting") return reason === "finished" ? "done" : "asks";
  if (status === "error") return "failed";
  return status !== null && status in GLYPHS ? (status as Kind) : "unknown";
}

export function age(since: string, now: number): string {
  const seconds = Math.max(0, Math.round((now - Date.parse(since)) / 1000));
  if (seconds < 60) return `${seconds}s`;
  if (seconds < 3600) return `${Math.floor(seconds / 60)}m`;
  return seconds < 86400 ? `${Math.floor(seconds / 3600)}h` : `${Math.floor(seconds / 86400)}d`;
}

/** The word for what it does; with `?` where nothing confirms it. */
export function word(session: Session): string {
  const { status, reason, unsure } = session.deck;
  const word = reason && status !== "running" ? reason : (status ?? "not seen");
  return unsure ? `? ${word}` : word;
}
