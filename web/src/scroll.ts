// Where each tab was scrolled to, for as long as the browser's tab is there.
import { useEffect, useRef } from "preact/hooks";

export const keep = (tab: string, place: number | null): void => {
  if (place === null) sessionStorage.removeItem(`scroll ${tab}`);
  else sessionStorage.setItem(`scroll ${tab}`, String(place));
};

export function kept(tab: string): number | null {
  const place = sessionStorage.getItem(`scroll ${tab}`);
  return place === null ? null : Number(place);
}

/** Scrolls an element back once what it shows is there, and keeps where it is scrolled to. */
export function useScroll(tab: string, isThere: boolean) {
  const place = useRef<HTMLDivElement>(null);
  useEffect(() => {
    const element = place.current;
    if (!element || !isThere) return;
    element.scrollTop = kept(tab) ?? 0;
    const note = () => keep(tab, element.scrollTop || null);
    element.addEventListener("scroll", note, { passive: true });
    return () => element.removeEventListener("scroll", note);
  }, [tab, isThere]);
  return place;
}
