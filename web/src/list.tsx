// The sessions, by group. What needs its user is named above them.
import { useEffect, useRef } from "preact/hooks";
import { counts, dialog, go, groups, known, needsYou, now, route, selected, sessions } from "./state";
import { age, GLYPHS, kindOf, word } from "./status";
import type { Session } from "./types";

export function Status({ session, full = false }: { session: Session; full?: boolean }) {
  const kind = kindOf(session);
  const time = session.deck.since ? age(session.deck.since, now.value) : "";
  return (
    <span class={kind}>
      <span aria-hidden="true">{GLYPHS[kind]}</span> {full && kind === "asks" ? `asks ${word(session)}` : word(session)}
      {time && ` · ${time}`}
    </span>
  );
}

export function Header() {
  const shown: [string, string, string][] = [
    ["running", "running", GLYPHS.running], ["waiting", "asks", GLYPHS.asks], ["idle", "idle", GLYPHS.idle], ["error", "failed", GLYPHS.failed],
  ];
  return (
    <header>
      <a class="brand" href="/" onClick={(event) => { event.preventDefault(); go(null); }}>deck</a>
      <span class="gap" />
      {shown.map(([name, colour, glyph]) => (counts.value[name] ?? 0) > 0 && (
        <span class={colour} key={name}>
          <span aria-hidden="true">{glyph}</span> {counts.value[name]} <span class="unseen">{name}</span>
        </span>
      ))}
      <button type="button" class="icon" aria-label="new session" title="new session (n)" onClick={() => (dialog.value = "new")}>＋</button>
    </header>
  );
}

export function NeedsYou() {
  const all = needsYou.value.map((id) => sessions.value.get(id)).filter((s): s is Session => !!s);
  if (all.length === 0) return null;
  return (
    <nav class="needs" aria-label="needs you">
      <span class="faint">needs you</span>
      {all.map((session) => {
        const kind = kindOf(session);
        return (
          <button type="button" key={session.id} onClick={() => go(session.id)}>
            <span class={kind} aria-hidden="true">{GLYPHS[kind]}</span> <span class="name">{session.title}</span> <span class="dim">{word(session)}</span>
          </button>
        );
      })}
    </nav>
  );
}

function Row({ session, depth }: { session: Session; depth: number }) {
  const kind = kindOf(session);
  const chosen = selected.value?.id === session.id;
  const row = useRef<HTMLButtonElement>(null);
  useEffect(() => {
    if (chosen) row.current?.scrollIntoView({ block: "nearest" });
  }, [chosen]);
  return (
    <button type="button" ref={row} class="row" role="option" aria-selected={chosen} data-session={session.id}
      style={depth ? { paddingLeft: `${16 + depth * 18}px` } : {}} onClick={() => go(session.id)}>
      <span class={kind} aria-hidden="true">{GLYPHS[kind]}</span>
      <span class="title">{session.title}</span>
      <span class={kind === "idle" || kind === "running" || kind === "stopped" ? "dim" : kind}>{word(session)}</span>
      <span class="age">{session.deck.since && age(session.deck.since, now.value)}</span>
    </button>
  );
}

export function List() {
  const empty = known.value && sessions.value.size === 0;
  return (
    <nav class="list" aria-label="sessions">
      {empty && (
        <p class="empty">No sessions yet.<br /><button type="button" class="btn" onClick={() => (dialog.value = "new")}>New session</button></p>
      )}
      {groups.value.map(([name, rows]) => (
        <div key={name} role="listbox" aria-label={name || "sessions"}>
          {(name || groups.value.length > 1) && <h2>{name || "no group"} <span class="faint">{rows.length}</span></h2>}
          {rows.map(({ session, depth }) => <Row key={session.id} session={session} depth={depth} />)}
        </div>
      ))}
    </nav>
  );
}

/** Moves to the session before or after. */
export function move(by: number): void {
  const all = groups.value.flatMap(([, rows]) => rows.map((row) => row.session.id));
  const at = all.indexOf(route.value.session ?? "");
  const to = all[Math.max(0, Math.min(all.length - 1, at + by))];
  if (to) go(to, null, true);
}
