// One pane in a terminal emulator. It is a chunk of its own, which loads while the list is drawn.
import { SearchAddon } from "@xterm/addon-search";
import { UnicodeGraphemesAddon } from "@xterm/addon-unicode-graphemes";
import { WebLinksAddon } from "@xterm/addon-web-links";
import { Terminal } from "@xterm/xterm";
import { at } from "./api";
import { CODES, Line } from "./line";
import { keep, kept } from "./scroll";

/** Lines from above, and the number of the first of them. */
export interface Older { text: string; before: number }

/** What a pane is shown with. */
export interface Options {
  /** Its socket. */
  path: string;
  /** Names its tab: where it is scrolled to is kept by that. */
  tab: string;
  readOnly: boolean;
  webgl: boolean;
  tell: (told: Told) => void;
  /** What the sticky key of the key bar makes of typed text. */
  modify: (data: string) => string;
  /** Leaves the terminal. */
  leave: () => void;
  /** Opens the field that finds text. */
  find: () => void;
}

export interface Told {
  size: string;
  live: "live" | "catching up" | "lost" | "ended" | "gone";
  heldBy: string | null;
  /** What was typed and was not taken when the line broke. */
  notSent: string;
  /** Whether its last line is shown. */
  atEnd: boolean;
}

const variable = (name: string): string => getComputedStyle(document.documentElement).getPropertyValue(name).trim();

function colours() {
  return {
    background: variable("--bg"), foreground: variable("--text"), cursor: variable("--accent"), selectionBackground: variable("--sel"),
  };
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
  private told: Told = { size: "", live: "lost", heldBy: null, notSent: "", atEnd: true };
  /** The number of the first line that the emulator has, counted from the first that ever scrolled away. */
  private first = 0;
  /** Waits for older lines. */
  private older: ((lines: Older) => void) | null = null;
  private isFirst = true;
  /** Whether it is scrolled to where its user wants it: while it is written anew, it isn't. */
  private isPlaced = false;
  private exit: string | null = null;
  /** Whether the emulator is gone. What it was given before may come to its end later, and must leave it alone. */
  private isOver = false;
  private readonly hide = () => this.line.send({ type: "hidden", on: document.visibilityState !== "visible" });

  private readonly paint = () => (this.term.options.theme = colours());

  constructor(private readonly place: HTMLElement, private readonly options: Options) {
    const { path } = options;
    this.term = new Terminal({
      allowProposedApi: true,
      scrollback: 20000,
      fontFamily: variable("--mono"),
      // Colours that were chosen for another background stay readable.
      minimumContrastRatio: 4.5,
      fontSize: MAX_FONT,
      cursorBlink: false,
      screenReaderMode: false,
      // The answers of an emulator are never sent: what it is given asks nothing.
      disableStdin: options.readOnly,
      theme: colours(),
    });
    this.term.loadAddon(this.search);
    this.term.loadAddon(new WebLinksAddon((_event, address) => {
      if (/^https?:/i.test(address)) window.open(address, "_blank", "noopener,noreferrer");
    }));
    const graphemes = new UnicodeGraphemesAddon();
    this.term.loadAddon(graphemes);
    this.term.open(place);
    if (options.webgl) {
      // Without it the emulator draws as before.
      void import("@xterm/addon-webgl").then(({ WebglAddon }) => {
        const webgl = new WebglAddon();
        webgl.onContextLoss(() => webgl.dispose());
        this.term.loadAddon(webgl);
      }).catch(() => {});
    }
    addEventListener("deck-theme", this.paint);
    this.term.onScroll(() => {
      this.keepPlace();
      this.tellEnd();
    });
    this.term.attachCustomWheelEventHandler((event) => this.wheel(event.deltaY));
    this.touch();
    this.term.attachCustomKeyEventHandler((event) => {
      if (event.type === "keydown" && event.ctrlKey && event.shiftKey && event.code === "Space") {
        options.leave();
        return false;
      }
      // Copying and pasting are the platform's, and so is what is composed.
      if (event.ctrlKey && event.shiftKey && ["KeyC", "KeyV"].includes(event.code)) return false;
      if (event.ctrlKey && event.shiftKey && event.code === "KeyF") {
        event.preventDefault();
        if (event.type === "keydown") options.find();
        return false;
      }
      if (options.readOnly) return false;
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
    this.term.onData((data) => this.type(options.modify(data)));
    this.term.textarea?.setAttribute("aria-label", "terminal input; Ctrl+Shift+Space leaves it");
    // A paste is bracketed by tmux, if the program asked for it.
    place.addEventListener("paste", (event) => {
      const text = event.clipboardData?.getData("text/plain");
      event.preventDefault();
      event.stopPropagation();
      if (options.readOnly) return;
      const image = [...(event.clipboardData?.files ?? [])].find((file) => file.type.startsWith("image/"));
      if (image) void this.image(image);
      else if (text) this.paste(text);
    }, { capture: true });
    this.resized = new ResizeObserver(() => this.fit());
    this.resized.observe(place);
    document.addEventListener("visibilitychange", this.hide);
    this.line = new Line(
      () => at(this.epoch ? `${path}?epoch=${this.epoch}&offset=${this.offset}` : path),
      (message) => this.take(message),
      (code) => {
        this.gotOlder({ text: "", before: this.first });
        this.put({ live: code === CODES.gone ? "gone" : "lost", notSent: this.notSent("") });
      },
    );
  }

  focus(): void {
    this.term.focus();
  }

  end(): void {
    this.isOver = true;
    this.line.end();
    this.resized.disconnect();
    document.removeEventListener("visibilitychange", this.hide);
    removeEventListener("deck-theme", this.paint);
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
  takeSize(): void {
    const cell = this.cell(MAX_FONT);
    const room = this.room();
    const cols = Math.floor(room.width / cell.width);
    const rows = Math.floor(room.height / cell.height);
    this.line.send({ type: "resize", cols, rows, take: true });
  }

  /** Finds text above the last place, or below it. Returns whether there is any. */
  find(text: string, below = false): boolean {
    return below ? this.search.findNext(text) : this.search.findPrevious(text);
  }

  /** Up to 2,000 lines above those that the emulator has, or above the line `before`; none are left where it is empty. */
  async more(before: number): Promise<Older> {
    if (before === 0 || !this.line.send({ type: "more", before, lines: 2000 })) return { text: "", before };
    this.gotOlder({ text: "", before });
    return new Promise((done) => (this.older = done));
  }

  private gotOlder(lines: Older): void {
    this.older?.(lines);
    this.older = null;
  }

  /** The number of the first line that there is here. */
  get firstLine(): number {
    return this.first;
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
    else if (text) this.put({ notSent: this.notSent(text) });
  }

  /** All that was not sent, in the order in which it was typed: what is known already, what was under way, and this. */
  private notSent(text: string): string {
    const underWay = [...this.open.values()].join("");
    this.open.clear();
    return this.told.notSent + underWay + text;
  }

  private put(part: Partial<Told>): void {
    this.told = { ...this.told, ...part };
    this.options.tell(this.told);
  }

  private take(message: any): void {
    // Back where it was: where nothing was missed, nothing is sent again.
    if (this.epoch !== 0 && this.told.live === "lost") this.put({ live: this.exit ? "ended" : "live" });
    switch (message.type) {
      case "history": {
        const bottom = this.atBottom();
        const from = this.term.buffer.active.baseY - this.term.buffer.active.viewportY;
        const line = this.isFirst ? kept(this.options.tab) : null;
        this.isFirst = false;
        this.isPlaced = line === null && bottom;
        this.first = message.before;
        this.term.reset();
        this.term.resize(message.cols, message.rows);
        this.fit();
        this.write(message, () => {
          if (line === null && bottom) return this.term.scrollToBottom();
          const { baseY } = this.term.buffer.active;
          this.scrollTo(Math.max(0, line === null ? baseY - from : Math.min(baseY, line - this.first)));
        });
        break;
      }
      case "output":
        this.write(message);
        break;
      case "took":
        this.open.delete(message.id);
        break;
      case "older":
        this.gotOlder({ text: message.data, before: message.before });
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
    this.term.write(message.data, () => this.isOver || done?.());
    const size = `${this.term.cols}×${this.term.rows}`;
    const live = this.exit ? "ended" : message.behind ? "catching up" : "live";
    if (this.told.live !== live || this.told.size !== size) this.put({ live, size });
  }

  /** Scrolls to a line, and keeps it there for some frames: the emulator's own scroll bar learns only later how long what was
   * written is, and moves it until then. */
  private scrollTo(line: number, frames = 12): void {
    if (this.isOver) return;
    if (this.term.buffer.active.viewportY !== line) this.term.scrollToLine(line);
    this.isPlaced = frames === 0;
    this.tellEnd();
    if (!this.isPlaced) requestAnimationFrame(() => this.scrollTo(line, frames - 1));
  }

  /** Keeps which line is at the top, unless it is at its end. */
  private keepPlace(): void {
    if (!this.isPlaced) return;
    keep(this.options.tab, this.atBottom() ? null : this.first + this.term.buffer.active.viewportY);
  }

  /** Turns of the wheel are the emulator's while it has lines above; else they are the program's. */
  private wheel(by: number): boolean {
    if (this.term.buffer.active.baseY > 0 || by === 0) return true;
    if (!this.options.readOnly) this.line.send({ type: "wheel", up: by < 0, times: 1 });
    return false;
  }

  /** One finger scrolls by lines; what is too wide is panned by the browser. */
  private touch(): void {
    let last = 0;
    let rest = 0;
    this.place.addEventListener("touchstart", (event) => {
      last = event.touches[0]?.clientY ?? 0;
      rest = 0;
    }, { passive: true });
    this.place.addEventListener("touchmove", (event) => {
      const now = event.touches[0]?.clientY ?? last;
      rest += last - now;
      last = now;
      const height = this.cell(this.term.options.fontSize ?? MAX_FONT).height;
      const lines = Math.trunc(rest / height);
      if (lines === 0) return;
      rest -= lines * height;
      if (this.wheel(lines)) this.term.scrollLines(lines);
    }, { passive: true });
  }

  /** Shows its last line. */
  toEnd(): void {
    this.term.scrollToBottom();
    this.tellEnd();
  }

  private tellEnd(): void {
    if (this.isPlaced && this.told.atEnd !== this.atBottom()) this.put({ atEnd: this.atBottom() });
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

  /** What there is for cells, in pixels. */
  private room(): { width: number; height: number } {
    const style = getComputedStyle(this.place);
    const of = (...names: string[]) => names.reduce((sum, name) => sum + parseFloat(style.getPropertyValue(name)), 0);
    return { width: this.place.clientWidth - of("padding-left", "padding-right"), height: this.place.clientHeight - of("padding-top", "padding-bottom") };
  }

  /** The largest font with which the pane fits; below the smallest one it is panned. */
  private fit(): void {
    const cell = this.cell(1);
    const room = this.room();
    const wide = room.width / (cell.width * this.term.cols);
    const high = room.height / (cell.height * this.term.rows);
    const font = Math.max(MIN_FONT, Math.min(MAX_FONT, Math.floor(Math.min(wide, high) * 2) / 2));
    if (Number.isFinite(font) && font !== this.term.options.fontSize) this.term.options.fontSize = font;
  }
}
