// Asking the server.

/** One thing that keeps a worktree from being removed. */
export interface Blocker { kind: string; words: string; option: string | null }
/** What a repository wants to run. */
export interface Consent { repository: string; text: string; sha256: string }

export class ApiError extends Error {
  constructor(
    readonly status: number,
    readonly code: string,
    message: string,
    hint: string | null,
    readonly blockers: Blocker[] | null = null,
    readonly consent: Consent | null = null,
  ) {
    super(hint ? `${message}. ${hint[0]?.toUpperCase()}${hint.slice(1)}` : message);
  }
}

/** The profile that the page's address names; the server's default one if it names none. */
export const profile = new URLSearchParams(location.search).get("profile");

/** An address of the API or of a socket, for the page's profile. */
export function at(path: string): string {
  if (!profile) return path;
  return `${path}${path.includes("?") ? "&" : "?"}profile=${encodeURIComponent(profile)}`;
}

/** A name for a request, under which it is done once, however often it is made. */
export const newKey = (): string => crypto.randomUUID?.() ?? `${Date.now()}-${Math.random()}`;

/** The answer to a request. A request that changes something and whose line breaks is not made again. */
export async function ask<T>(method: string, path: string, body?: unknown, key?: string): Promise<T> {
  let answer: Response;
  try {
    answer = await fetch(at(path), {
      method,
      headers: {
        ...(body === undefined ? {} : { "content-type": "application/json" }),
        ...(key === undefined ? {} : { "idempotency-key": key }),
      },
      body: body === undefined ? null : JSON.stringify(body),
    });
  } catch {
    throw new ApiError(0, "line", "deck can't be reached", null);
  }
  const value = await answer.json().catch(() => ({ error: { code: "failed", message: `deck answered ${answer.status}` } }));
  if (!answer.ok) {
    const { code, message, hint, blockers, consent } = value.error;
    throw new ApiError(answer.status, code, message, hint ?? null, blockers, consent);
  }
  return value as T;
}

export const of = (session: string, rest = "") => `/api/sessions/${encodeURIComponent(session)}${rest}`;
