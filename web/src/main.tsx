// The page of the web deck. Everything from outside becomes a text node, but for what the server has rendered and cleaned.
import { render } from "preact";
import { useEffect } from "preact/hooks";
import { ask } from "./api";
import { actions, canRun, has } from "./commands";
import { follow } from "./dashboard";
import { Dialogs } from "./dialogs";
import { find, written } from "./keys";
import { Header, List, NeedsYou } from "./list";
import * as notify from "./notify";
import * as page from "./page";
import { SessionView } from "./session";
import { announced, dialog, lost, route, say, toast, trouble, type Toast as Said } from "./state";
import * as theme from "./theme";

function Page() {
  useEffect(() => {
    addEventListener("keydown", press);
    return () => removeEventListener("keydown", press);
  }, []);
  return (
    <div class={`deck${route.value.session ? " one" : ""}${lost.value ? " lost" : ""}`}>
      <Header />
      <div class="bars">
        {trouble.value && <p class="trouble" role="status">{trouble.value}</p>}
        {page.outdated.value && (
          <p class="trouble" role="status">deck was updated. <button type="button" class="link" onClick={() => location.reload()}>Reload</button> Drafts stay.</p>
        )}
        {page.readOnly.value && <p class="trouble calm" role="status">Read-only: this browser can change nothing.</p>}
        <NeedsYou />
      </div>
      <List />
      <SessionView />
      <Dialogs />
      {toast.value && <Toast {...toast.value} />}
      <p class="unseen" aria-live="polite">{announced.value}</p>
    </div>
  );
}

function Toast({ text, bad, action }: Said) {
  return (
    <p class={`toast${bad ? " failed" : ""}`} role={bad ? "alert" : "status"}>
      {text}
      {action && <button type="button" class="link" onClick={() => { toast.value = null; action.run(); }}>{action.label}</button>}
    </p>
  );
}

/** What has no other pointer than a finger: letters that come from there were meant for a field. */
const isTouch = matchMedia("(hover: none) and (pointer: coarse)");

let pressed: string[] = [];

/** The keys of the screen, where nothing else has them. */
function press(event: KeyboardEvent): void {
  const target = event.target as HTMLElement;
  if (event.defaultPrevented || dialog.value || target.closest("input, textarea, select, .screen, dialog")) return;
  if (isTouch.matches && event.key.length === 1 && !event.ctrlKey) return;
  const key = written(event);
  if (key === null) return;
  // What the browser itself does with a key that has no command is left to it, and so are a button's own keys.
  const isButtons = (key === "space" || key === "enter") && target.closest("button, a, summary");
  if (isButtons) return;
  let found = find([...pressed, key], page.commands.value, has);
  if (found === null && pressed.length) found = find([key], page.commands.value, has);
  if (found === "more") pressed = [...pressed, key];
  else pressed = [];
  if (found === null) return;
  event.preventDefault();
  if (found === "more") return;
  if (canRun(found.id)) actions[found.id]?.run();
  // Esc is pressed to be sure that nothing is open.
  else if (key !== "esc") say(`${found.title}: not here`);
}

async function begin(): Promise<void> {
  theme.follow();
  const code = new URLSearchParams(location.hash.slice(1)).get("pair");
  if (code) {
    history.replaceState(null, "", location.pathname + location.search);
    try {
      await ask("POST", "/api/pair", { code, name: navigator.userAgent.slice(0, 60) });
    } catch {
      trouble.value = "This address was used, or is too old. `deck serve pair` prints another one.";
    }
  }
  // The terminal comes while the list is drawn.
  if (route.value.session) void import("./terminal").catch(() => {});
  render(<Page />, document.getElementById("page")!);
  notify.follow();
  follow();
  // Without it there are no keys; the line says what is wrong.
  await page.load().catch(() => {});
}

void begin();
