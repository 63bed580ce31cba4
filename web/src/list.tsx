// The sessions, by group. What needs its user is named above them.
import { useEffect, useRef } from "preact/hooks";
import { key } from "./commands";
import { readOnly, profileName } from "./page";
import { counts, dialog, filter, go, groups, known, needsYou, now, route, selected, sessions } from "./state";
import { age, GLYPHS, kindOf, word } from "./status";
import type { Session } from "./types";

export function Status({ session, full = false }: { session: Session; full?: boolean }) {
  const kind = kindOf(session);
  const time = session.deck.since ? age(session.deck.since, now.value) : "";
  return (
    <span class={`status ${kind}`}>
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
      <button type="button" class="dim" title={`switch profile${key("profile")}`} onClick={() => (dialog.value = { kind: "profiles" })}>{profileName.value} <span aria-hidden="true">▾</span></button>
      <span class="gap" />
      {shown.map(([name, colour, glyph]) => (counts.value[name] ?? 0) > 0 && (
        <span class={colour} key={name}>
          <span aria-hidden="true">{glyph}</span> {counts.value[name]} <span class="unseen">{name}</span>
        </span>
      ))}
      {!readOnly.value && <button type="button" class="icon" aria-label="new session" title={`new session${key("new")}`} onClick={() => (dialog.value = { kind: "new" })}>+</button>}
      <button type="button" class="icon" aria-label="settings" title={`settings${key("settings")}`} onClick={() => (dialog.value = { kind: "settings" })}>☾</button>
      <button type="button" class="icon" aria-label="commands" title={`commands${key("palette")}`} onClick={() => (dialog.value = { kind: "palette" })}>⋯</button>
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
  // One of the list is reached by Tab, and the others from there.
  const isFirst = selected.value === null && groups.value[0]?.[1][0]?.session.id === session.id;
  useEffect(() => {
    if (chosen) row.current?.scrollIntoView({ block: "nearest" });
  }, [chosen]);
  return (
    <button type="button" ref={row} class="row" role="option" aria-selected={chosen} data-session={session.id} tabIndex={chosen || isFirst ? 0 : -1}
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
  const { text, kind } = filter.value;
  const none = !empty && known.value && groups.value.length === 0;
  const put = (words: string) => (filter.value = { ...filter.value, text: words });
  return (
    <nav class="list" aria-label="sessions">
      <div class="find-list">
        <input type="search" aria-label="find sessions" placeholder="find sessions" value={text} onInput={(event) => put(event.currentTarget.value)}
          onKeyDown={(event) => {
            if (event.key === "Escape") put("");
            if (event.key === "Escape" || event.key === "Enter") event.currentTarget.blur();
          }} />
      </div>
      {kind && <p class="pad-small"><button type="button" class="link" onClick={() => (filter.value = { ...filter.value, kind: null })}>only {kind === "asks" ? "waiting" : kind} ✕</button></p>}
      {empty && (
        <p class="empty">No sessions yet.<br />{!readOnly.value && <button type="button" class="btn" onClick={() => (dialog.value = { kind: "new" })}>New session</button>}</p>
      )}
      {none && <p class="empty">No session matches.</p>}
      {groups.value.map(([name, rows]) => (
        <section key={name}>
          {(name || groups.value.length > 1) && <h2>{name || "no group"} <span class="faint">{rows.length}</span></h2>}
          <div role="listbox" aria-label={name || "sessions"}>
            {rows.map(({ session, depth }) => <Row key={session.id} session={session} depth={depth} />)}
          </div>
        </section>
      ))}
    </nav>
  );
}

/** Goes to a session by its place in the list, counted from its end if negative. */
export function moveTo(place: number): void {
  const to = groups.value.flatMap(([, rows]) => rows).at(place);
  if (to) choose(to.session.id);
}

/** Shows a session; the focus goes along if it was in the list. */
function choose(id: string): void {
  const isIn = document.activeElement?.closest(".list") !== null || document.activeElement === document.body;
  go(id, null, true);
  if (isIn) requestAnimationFrame(() => document.querySelector<HTMLElement>(`[data-session="${CSS.escape(id)}"]`)?.focus());
}

/** Moves to the session before or after. */
export function move(by: number): void {
  const all = groups.value.flatMap(([, rows]) => rows.map((row) => row.session.id));
  const at = all.indexOf(route.value.session ?? "");
  const to = all[Math.max(0, Math.min(all.length - 1, at + by))];
  if (to) choose(to);
}
