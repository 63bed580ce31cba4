// Asking the server.

export class ApiError extends Error {
  constructor(readonly status: number, readonly code: string, message: string, readonly hint: string | null) {
    super(hint ? `${message}. ${hint[0]?.toUpperCase()}${hint.slice(1)}` : message);
  }
}

/** The answer to a request. A request that changes something and whose line breaks is not made again. */
export async function ask<T>(method: string, path: string, body?: unknown): Promise<T> {
  let answer: Response;
  try {
    answer = await fetch(path, {
      method,
      headers: body === undefined ? {} : { "content-type": "application/json" },
      body: body === undefined ? null : JSON.stringify(body),
    });
  } catch {
    throw new ApiError(0, "line", "deck can't be reached", null);
  }
  const value = await answer.json();
  if (!answer.ok) {
    const { code, message, hint } = value.error;
    throw new ApiError(answer.status, code, message, hint ?? null);
  }
  return value as T;
}

export const of = (session: string, rest = "") => `/api/sessions/${encodeURIComponent(session)}${rest}`;
