// What all dialogs are shown in: it closes with Esc, and the focus goes back to where it was.
import type { ComponentChildren } from "preact";
import { useLayoutEffect, useRef } from "preact/hooks";
import { dialog } from "../state";

export const close = () => (dialog.value = null);

export function Frame({ title, wide = false, children }: { title: string; wide?: boolean; children: ComponentChildren }) {
  const box = useRef<HTMLDialogElement>(null);
  // Before the next key comes.
  useLayoutEffect(() => {
    const before = document.activeElement as HTMLElement | null;
    box.current?.showModal();
    box.current?.querySelector<HTMLElement>("[data-focus]")?.focus();
    return () => before?.isConnected && before.focus();
  }, []);
  // A click beside it closes it, too.
  return (
    <dialog ref={box} class={wide ? "wide" : ""} aria-labelledby="dialog-title" onClose={close}
      onClick={(event) => event.target === box.current && close()}>
      <div class="inside">
        <h2 id="dialog-title">{title}</h2>
        {children}
      </div>
    </dialog>
  );
}
