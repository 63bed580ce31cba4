// One pane in a terminal emulator. It is a chunk of its own, which loads while the list is drawn.
import { SearchAddon } from "@xterm/addon-search";
import { UnicodeGraphemesAddon } from "@xterm/addon-unicode-graphemes";
import { WebLinksAddon } from "@xterm/addon-web-links";
import { Terminal } from "@xterm/xterm";
import { CODES, Line } from "./line";

export interface Told {
  size: string;
  live: "live" | "catching up" | "lost" | "ended" | "gone";
  heldBy: string | null;
  /** What was typed and was not taken when the line broke. */
  notSent: string;
}

/** Keys that tmux writes as the program in the pane wants them, by the names that it is given. */
const NAMED: Record<string, string> = {
  ArrowUp: "up", ArrowDown: "down", ArrowLeft: "left", ArrowRight: "right", Home: "home", End: "end",
  PageUp: "pageup", PageDown: "pagedown", Insert: "insert", Delete: "delete", Enter: "enter", Escape: "esc",
  Tab: "tab", Backspace: "backspace",
};

const MIN_FONT = 9;
const MAX_FONT = 14;

export class PaneView {
  private readonly term: Terminal;
  private readonly search = new SearchAddon();
  private readonly line: Line;
  private readonly resized: ResizeObserver;
  private epoch = 0;
  private offset = 0;
  private next = 0;
  /** What was sent and is not taken yet, by its number. */
  private readonly open = new Map<number, string>();
  private told: Told = { size: "", live: "lost", heldBy: null, notSent: "" };
  private exit: string | null = null;
  private readonly hide = () => this.line.send({ type: "hidden", on: document.visibilityState !== "visible" });

  constructor(
    private readonly place: HTMLElement,
    path: string,
    private readonly tell: (told: Told) => void,
    /** What the sticky key of the key bar makes of typed text. */
    private readonly modify: (data: string) => string,
    leave: () => void,
  ) {
    const style = getComputedStyle(document.documentElement);
    const colour = (name: string) => style.getPropertyValue(name).trim();
    this.term = new Terminal({
      allowProposedApi: true,
      scrollback: 20000,
      fontFamily: colour("--mono"),
      fontSize: MAX_FONT,
      cursorBlink: false,
      screenReaderMode: false,
      // The answers of an emulator are never sent: what it is given asks nothing.
      disableStdin: false,
      theme: { background: colour("--bg"), foreground: colour("--text"), cursor: colour("--accent"), selectionBackground: colour("--sel") },
    });
    this.term.loadAddon(this.search);
    this.term.loadAddon(new WebLinksAddon((_event, address) => {
      if (/^https?:/i.test(address)) window.open(address, "_blank", "noopener,noreferrer");
    }));
    const graphemes = new UnicodeGraphemesAddon();
    this.term.loadAddon(graphemes);
    this.term.open(place);
    this.term.attachCustomKeyEventHandler((event) => {
      if (event.type === "keydown" && event.ctrlKey && event.shiftKey && event.code === "Space") {
        leave();
        return false;
      }
      // Copying and pasting are the platform's, and so is what is composed.
      if (event.ctrlKey && event.shiftKey && ["KeyC", "KeyV", "KeyF"].includes(event.code)) return false;
      if (event.isComposing) return true;
      const name = NAMED[event.key] ?? (/^F([1-9]|1[0-2])$/.test(event.key) ? event.key.toLowerCase() : undefined);
      if (name === undefined || event.metaKey) return true;
      if (event.type === "keydown") {
        event.preventDefault();
        const shifted = name === "tab" && event.shiftKey ? "backtab" : name;
        const shift = event.shiftKey && shifted === name;
        this.sent({ type: "key", name: shifted, ctrl: event.ctrlKey, alt: event.altKey, shift }, "");
        this.term.scrollToBottom();
      }
      return false;
    });
    this.term.onData((data) => this.type(this.modify(data)));
    this.term.textarea?.setAttribute("aria-label", "terminal input; Ctrl+Shift+Space leaves it");
    // A paste is bracketed by tmux, if the program asked for it.
    place.addEventListener("paste", (event) => {
      const text = event.clipboardData?.getData("text/plain");
      event.preventDefault();
      event.stopPropagation();
      const image = [...(event.clipboardData?.files ?? [])].find((file) => file.type.startsWith("image/"));
      if (image) void this.image(image);
      else if (text) this.paste(text);
    }, { capture: true });
    this.resized = new ResizeObserver(() => this.fit());
    this.resized.observe(place);
    document.addEventListener("visibilitychange", this.hide);
    this.line = new Line(
      () => (this.epoch ? `${path}?epoch=${this.epoch}&offset=${this.offset}` : path),
      (message) => this.take(message),
      (code) => {
        const notSent = [...this.open.values()].join("");
        this.open.clear();
        this.put({ live: code === CODES.gone ? "gone" : "lost", notSent: this.told.notSent + notSent });
      },
    );
  }

  focus(): void {
    this.term.focus();
  }

  end(): void {
    this.line.end();
    this.resized.disconnect();
    document.removeEventListener("visibilitychange", this.hide);
    this.term.dispose();
  }

  type(data: string): void {
    this.sent({ type: "input", data }, data);
  }

  paste(data: string): void {
    this.sent({ type: "paste", data }, data);
  }

  key(name: string): void {
    this.sent({ type: "key", name }, "");
  }

  /** Gives the pane the size of the page, if no terminal holds it. */
  take_size(): void {
    const cell = this.cell(MAX_FONT);
    const cols = Math.floor(this.place.clientWidth / cell.width);
    const rows = Math.floor(this.place.clientHeight / cell.height);
    this.line.send({ type: "resize", cols, rows, take: true });
  }

  find(text: string): void {
    this.search.findPrevious(text);
  }

  /** The history as plain text. */
  text(): string {
    const buffer = this.term.buffer.active;
    const lines = [];
    for (let at = 0; at < buffer.length; at++) lines.push(buffer.getLine(at)?.translateToString(true) ?? "");
    return lines.join("\n").trimEnd();
  }

  sendAgain(): void {
    const text = this.told.notSent;
    this.put({ notSent: "" });
    this.type(text);
  }

  forget(): void {
    this.put({ notSent: "" });
  }

  private async image(file: File): Promise<void> {
    const bytes = new Uint8Array(await file.arrayBuffer());
    let text = "";
    for (let at = 0; at < bytes.length; at += 8192) text += String.fromCharCode(...bytes.subarray(at, at + 8192));
    this.sent({ type: "image", data: btoa(text), mimeType: file.type }, "");
  }

  private sent(message: Record<string, unknown>, text: string): void {
    const id = ++this.next;
    if (this.line.send({ ...message, id })) this.open.set(id, text);
    else if (text) this.put({ notSent: this.told.notSent + text });
  }

  private put(part: Partial<Told>): void {
    this.told = { ...this.told, ...part };
    this.tell(this.told);
  }

  private take(message: any): void {
    switch (message.type) {
      case "history": {
        const bottom = this.atBottom();
        const from = this.term.buffer.active.baseY - this.term.buffer.active.viewportY;
        this.term.reset();
        this.term.resize(message.cols, message.rows);
        this.fit();
        this.write(message, () => {
          if (bottom) this.term.scrollToBottom();
          else this.term.scrollLines(-from);
        });
        break;
      }
      case "output":
        this.write(message);
        break;
      case "took":
        this.open.delete(message.id);
        break;
      case "size":
        this.put({ heldBy: message.held_by });
        break;
      case "exit":
        this.exit = message.exitCode === null ? "ended" : `exited ${message.exitCode}`;
        this.put({ live: "ended" });
        break;
      case "activity":
        this.exit = null;
        break;
      case "error":
        this.open.delete(message.id);
        dispatchEvent(new CustomEvent("deck-error", { detail: message.message }));
        break;
    }
  }

  private write(message: any, done?: () => void): void {
    this.epoch = message.epoch;
    this.offset = message.offset;
    this.term.write(message.data, done);
    const size = `${this.term.cols}×${this.term.rows}`;
    const live = this.exit ? "ended" : message.behind ? "catching up" : "live";
    if (this.told.live !== live || this.told.size !== size) this.put({ live, size });
  }

  private atBottom(): boolean {
    const buffer = this.term.buffer.active;
    return buffer.viewportY >= buffer.baseY;
  }

  /** Cells at a size of the font, in pixels. */
  private cell(font: number): { width: number; height: number } {
    const screen = this.place.querySelector<HTMLElement>(".xterm-screen");
    const now = this.term.options.fontSize ?? MAX_FONT;
    const width = (screen?.clientWidth ?? 0) / this.term.cols || now * 0.6;
    const height = (screen?.clientHeight ?? 0) / this.term.rows || now * 1.2;
    return { width: (width * font) / now, height: (height * font) / now };
  }

  /** The largest font with which the pane fits; below the smallest one it is panned. */
  private fit(): void {
    const cell = this.cell(1);
    const wide = this.place.clientWidth / (cell.width * this.term.cols);
    const high = this.place.clientHeight / (cell.height * this.term.rows);
    const font = Math.max(MIN_FONT, Math.min(MAX_FONT, Math.floor(Math.min(wide, high) * 2) / 2));
    if (Number.isFinite(font) && font !== this.term.options.fontSize) this.term.options.fontSize = font;
  }
}
