// How the page says that somebody is needed when it isn't looked at: its title, its icon, a badge, and notifications.
import { effect } from "@preact/signals";
import { profile } from "./api";
import { settings } from "./page";
import { needsYou, route } from "./state";

const icon = document.querySelector<HTMLLinkElement>("link[rel=icon]");
const plain = icon?.href ?? "";
const DOT = `data:image/svg+xml,${encodeURIComponent('<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 64 64"><rect width="64" height="64" rx="14" fill="#12161f"/><path d="M14 22h36M14 32h24M14 42h30" stroke="#7aa2f7" stroke-width="5" stroke-linecap="round"/><circle cx="48" cy="16" r="14" fill="#e0af68"/></svg>')}`;

/** Keeps title, icon and badge up to date. */
export function follow(): void {
  effect(() => {
    const count = needsYou.value.length;
    document.title = count ? `(${count}) deck` : "deck";
    if (icon) icon.href = count ? DOT : plain;
    const badge = navigator as { setAppBadge?: (n: number) => Promise<void>; clearAppBadge?: () => Promise<void> };
    void (count ? badge.setAppBadge?.(count) : badge.clearAppBadge?.())?.catch(() => {});
  });
  if ("serviceWorker" in navigator && isSecureContext) {
    navigator.serviceWorker.register("/sw.js").catch(() => {});
    navigator.serviceWorker.addEventListener("message", (event) => {
      const path = event.data?.go;
      if (typeof path === "string") location.assign(path);
    });
  }
}

/** Whether the browser can notify here at all, and what its user has said to that. */
export function permission(): NotificationPermission | "none" {
  return "Notification" in globalThis && isSecureContext ? Notification.permission : "none";
}

/** Notifies of what a notice says, unless the one that it is about is on the screen. */
export async function show(text: string, session: string | null): Promise<void> {
  const isSeen = document.visibilityState === "visible" && document.hasFocus() && (session === null || route.value.session === session);
  if (!settings.value.notify || isSeen || permission() !== "granted") return;
  const query = profile ? `?profile=${encodeURIComponent(profile)}` : "";
  const path = session === null ? `/${query}` : `/s/${encodeURIComponent(session)}${query}`;
  const options = { body: text, tag: session ?? "deck", data: path, icon: plain };
  const worker = await navigator.serviceWorker?.getRegistration();
  if (worker) return worker.showNotification("deck", options);
  const shown = new Notification("deck", options);
  shown.onclick = () => {
    window.focus();
    location.assign(path);
  };
}
