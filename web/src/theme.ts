// The colours: those of the system's choice, or of a theme of the screen.
import { effect } from "@preact/signals";
import all from "themes";
import { settings } from "./page";

export const names = Object.keys(all);

/** Uses the theme that is chosen, now and whenever another one is. */
export function follow(): void {
  const root = document.documentElement;
  effect(() => {
    const theme = all[settings.value.theme];
    root.removeAttribute("style");
    if (theme) {
      root.style.colorScheme = theme.scheme;
      for (const [name, colour] of Object.entries(theme.colours)) root.style.setProperty(`--${name}`, colour);
    }
    dispatchEvent(new Event("deck-theme"));
  });
  matchMedia("(prefers-color-scheme: light)").addEventListener("change", () => dispatchEvent(new Event("deck-theme")));
}
