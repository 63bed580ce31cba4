// The page of the web deck: it pairs this browser, lists the sessions as they change, and answers what they ask.
// Everything from outside becomes a text node.

const at = (id) => document.getElementById(id);
const sessions = new Map();
let seq = null;
let needsYou = [];
let selected = null;
let socket = null;
let tries = 0;
let retry = 0;
let lostAt = null;

const GLYPHS = {
  asks: ["◐", "asks"], failed: ["✕", "failed"], done: ["◆", "done"], running: ["●", "running"],
  idle: ["○", "idle"], starting: ["◌", "starting"], stopped: ["■", "stopped"], unknown: ["?", "unknown"],
};

function element(tag, className, text) {
  const made = document.createElement(tag);
  if (className) made.className = className;
  if (text !== undefined) made.textContent = text;
  return made;
}

function kindOf(session) {
  const { status, reason } = session.deck;
  if (status === "waiting") return reason === "finished" ? "done" : "asks";
  if (status === "error") return "failed";
  return status in GLYPHS ? status : "unknown";
}

function age(since) {
  const seconds = Math.max(0, Math.round((Date.now() - new Date(since)) / 1000));
  if (seconds < 60) return `${seconds}s`;
  if (seconds < 3600) return `${Math.floor(seconds / 60)}m`;
  return seconds < 86400 ? `${Math.floor(seconds / 3600)}h` : `${Math.floor(seconds / 86400)}d`;
}

function words(session) {
  const { status, reason, since, unsure } = session.deck;
  const word = reason ?? status ?? "not seen";
  const time = since ? ` ${age(since)}` : "";
  return unsure ? `? ${word}, unconfirmed for ${age(unsure)}` : word + time;
}

function row(session) {
  const button = element("button", "row");
  button.type = "button";
  button.dataset.id = session.id;
  button.setAttribute("aria-current", String(session.id === selected));
  const kind = kindOf(session);
  const [glyph, name] = GLYPHS[kind];
  const colour = { asks: "asks", failed: "failed", done: "done", running: "runs" }[kind] ?? "";
  const mark = element("span", colour, glyph);
  mark.setAttribute("aria-hidden", "true");
  const state = element("span", `words ${colour}`, words(session));
  state.setAttribute("aria-label", `${name}, ${words(session)}`);
  button.append(mark, element("span", "title", session.title), state);
  button.addEventListener("click", () => select(session.id));
  return button;
}

// What has the focus keeps it: rows are made again, but for the same session.
function keepingFocus(draw) {
  const of = document.activeElement?.dataset?.id;
  const within = document.activeElement?.closest("section")?.id;
  draw();
  if (of && within) at(within).querySelector(`[data-id="${CSS.escape(of)}"]`)?.focus();
}

function drawLists() {
  keepingFocus(() => {
    const needy = needsYou.map((id) => sessions.get(id)).filter(Boolean);
    at("needs").replaceChildren(...(needy.length ? [element("h2", "", "needs you")] : []), ...needy.map(row));
    const groups = new Map();
    for (const session of sessions.values()) {
      groups.set(session.group, [...(groups.get(session.group) ?? []), session]);
    }
    const parts = [];
    for (const name of [...groups.keys()].sort()) {
      parts.push(element("h2", "", name || "sessions"));
      parts.push(...groups.get(name).sort((a, b) => a.order - b.order || (a.id < b.id ? -1 : 1)).map(row));
    }
    if (parts.length === 0) parts.push(element("p", "words", "No sessions yet. `deck add FOLDER` makes one."));
    at("list").replaceChildren(...parts);
  });
  document.title = needsYou.length ? `(${needsYou.length}) deck` : "deck";
}

function drawCounts(counts) {
  const all = ["waiting", "running", "idle", "error", "starting", "stopped"].filter((name) => counts[name] > 0);
  at("counts").textContent = all.map((name) => `${counts[name]} ${name}`).join(" · ");
}

async function ask(method, path, body) {
  const answer = await fetch(path, {
    method,
    headers: body ? { "content-type": "application/json" } : {},
    body: body ? JSON.stringify(body) : undefined,
  });
  const value = await answer.json();
  if (!answer.ok) {
    const { message, hint } = value.error;
    throw Object.assign(new Error(hint ? `${message}: ${hint}` : message), { status: answer.status });
  }
  return value;
}

function select(id) {
  selected = id;
  history.replaceState(null, "", id ? `/s/${encodeURIComponent(id)}` : "/");
  drawLists();
  drawSession();
}

let drawn = null;
async function drawSession() {
  const panel = at("session");
  const session = sessions.get(selected);
  panel.hidden = !session;
  if (!session) return;
  const { asks, choices, screen } = session.deck;
  // The same question is not drawn again below a finger that is about to answer it.
  const now = JSON.stringify([selected, session.title, asks, choices, screen]);
  if (now !== drawn) {
    drawn = now;
    const parts = [element("h2", "", session.title)];
    if (asks) parts.push(element("p", "", asks));
    for (const choice of screen ? choices.filter((one) => !one.is_text) : []) {
      const button = element("button", "choice", `${choice.number} ${choice.label}`);
      button.type = "button";
      button.addEventListener("click", () => answer(session, choice, panel));
      parts.push(button);
    }
    parts.push(element("pre", "", ""));
    panel.replaceChildren(...parts);
  }
  const text = panel.querySelector("pre");
  try {
    const of = selected;
    const output = await ask("GET", `/api/sessions/${encodeURIComponent(of)}/output`);
    if (of === selected) text.textContent = output.text;
  } catch (error) {
    text.textContent = error.message;
  }
}

async function answer(session, choice, panel) {
  panel.querySelector(".error")?.remove();
  const buttons = [...panel.querySelectorAll("button.choice")];
  buttons.forEach((button) => (button.disabled = true));
  try {
    await ask("POST", `/api/sessions/${encodeURIComponent(session.id)}/answer`, { choice: choice.number, screen: session.deck.screen });
    at("live").textContent = `answered ${session.title}`;
  } catch (error) {
    panel.append(element("p", "error", error.message));
  }
  buttons.forEach((button) => (button.disabled = false));
}

function take(message) {
  if (message.seq !== undefined) seq = message.seq;
  switch (message.type) {
    case "snapshot":
      sessions.clear();
      message.sessions.forEach((session) => sessions.set(session.id, session));
      needsYou = message.needsYou;
      if (message.counts) drawCounts(message.counts);
      if (message.trouble) say(message.trouble);
      break;
    case "session":
      sessions.set(message.session.id, message.session);
      break;
    case "gone":
      sessions.delete(message.id);
      break;
    case "counts":
      needsYou = message.needsYou;
      drawCounts(message.counts);
      say(null);
      break;
    case "notice":
      at("live").textContent = message.text;
      break;
    case "trouble":
      say(message.message);
      break;
  }
  drawLists();
  drawSession();
}

function say(text) {
  at("line").hidden = !text;
  at("line").textContent = text ?? "";
}

function connect() {
  clearTimeout(retry);
  if (socket && socket.readyState <= WebSocket.OPEN) return;
  const scheme = location.protocol === "https:" ? "wss" : "ws";
  socket = new WebSocket(`${scheme}://${location.host}/ws/dashboard${seq === null ? "" : `?since=${seq}`}`);
  socket.addEventListener("message", (event) => {
    tries = 0;
    lostAt = null;
    document.body.classList.remove("lost");
    say(null);
    take(JSON.parse(event.data));
  });
  socket.addEventListener("close", (event) => {
    document.body.classList.add("lost");
    lostAt ??= Date.now();
    if (event.code === 4401) return say("This browser is not paired. Run `deck serve pair` and open the address that it prints.");
    const wait = Math.min(15000, 500 * 2 ** tries++) * (0.7 + 0.6 * Math.random());
    say(`Line lost ${Math.round((Date.now() - lostAt) / 1000)} s ago. Next try in ${Math.ceil(wait / 1000)} s.`);
    retry = setTimeout(connect, wait);
  });
}

addEventListener("online", connect);
document.addEventListener("visibilitychange", () => document.visibilityState === "visible" && connect());
// Ages grow while nothing happens.
setInterval(() => document.visibilityState === "visible" && drawLists(), 10000);

async function begin() {
  const code = new URLSearchParams(location.hash.slice(1)).get("pair");
  if (code) {
    history.replaceState(null, "", location.pathname);
    try {
      await ask("POST", "/api/pair", { code, name: navigator.userAgent.slice(0, 60) });
    } catch (error) {
      return say(`This address was used, or is too old. Run \`deck serve pair\` for another one.`);
    }
  }
  selected = location.pathname.startsWith("/s/") ? decodeURIComponent(location.pathname.slice(3)) : null;
  connect();
}
begin();
