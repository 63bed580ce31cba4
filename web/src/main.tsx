// The page of the web deck. Everything from outside becomes a text node, but for what the server has rendered and cleaned.
import { render } from "preact";
import { useEffect } from "preact/hooks";
import { ask } from "./api";
import { follow } from "./dashboard";
import { Header, List, move, NeedsYou } from "./list";
import { NewSession } from "./new";
import { SessionView } from "./session";
import { announced, dialog, go, lost, needsYou, route, selected, toast, trouble } from "./state";

function Page() {
  useEffect(() => {
    addEventListener("keydown", press);
    return () => removeEventListener("keydown", press);
  }, []);
  return (
    <div class={`deck${route.value.session ? " one" : ""}${lost.value ? " lost" : ""}`}>
      <Header />
      {trouble.value && <p class="trouble" role="status">{trouble.value}</p>}
      <NeedsYou />
      <List />
      <SessionView />
      {dialog.value === "new" && <NewSession />}
      {toast.value && <p class={`toast${toast.value.bad ? " failed" : ""}`} role={toast.value.bad ? "alert" : "status"}>{toast.value.text}</p>}
      <p class="unseen" aria-live="polite">{announced.value}</p>
    </div>
  );
}

/** The keys of the TUI, where nothing else has them. */
function press(event: KeyboardEvent): void {
  const target = event.target as HTMLElement;
  if (event.ctrlKey || event.metaKey || event.altKey || dialog.value || target.closest("input, textarea, select, .screen, dialog")) return;
  const session = selected.value;
  const keys: Record<string, () => void> = {
    j: () => move(1),
    k: () => move(-1),
    ArrowDown: () => move(1),
    ArrowUp: () => move(-1),
    n: () => (dialog.value = "new"),
    i: () => document.querySelector<HTMLElement>(".screen textarea")?.focus(),
    s: () => document.querySelector<HTMLElement>(".compose textarea")?.focus(),
    a: () => document.querySelector<HTMLElement>(".ask button")?.focus(),
    " ": () => {
      const all = needsYou.value;
      const next = all[(all.indexOf(session?.id ?? "") + 1) % all.length];
      if (next) go(next);
    },
  };
  const worker = /^[1-9]$/.test(event.key) ? session?.workers[Number(event.key) - 1] : undefined;
  if (session && worker) keys[event.key] = () => go(session.id, worker.id, true);
  // A button that has the focus keeps its own keys.
  const act = event.key === " " && target.closest("button, a, summary") ? undefined : keys[event.key];
  if (act) {
    event.preventDefault();
    act();
  }
}

async function begin(): Promise<void> {
  const code = new URLSearchParams(location.hash.slice(1)).get("pair");
  if (code) {
    history.replaceState(null, "", location.pathname);
    try {
      await ask("POST", "/api/pair", { code, name: navigator.userAgent.slice(0, 60) });
    } catch {
      trouble.value = "This address was used, or is too old. `deck serve pair` prints another one.";
    }
  }
  render(<Page />, document.getElementById("page")!);
  follow();
}

void begin();
