// A socket that comes back: with a pause that grows, at once when there is a network again or the page is looked at.

/** How long nothing may come before the line counts as lost, in milliseconds: the server says each four seconds that it is there. */
const SILENCE = 12_000;

export const CODES = { login: 4401, readOnly: 4403, gone: 4404, tooMany: 4429 } as const;

export class Line {
  private socket: WebSocket | null = null;
  private tries = 0;
  private timer: ReturnType<typeof setTimeout> | undefined;
  private ended = false;
  /** What waits for the first opening; none after that. */
  private waiting: string[] | null = [];
  /** When something was heard last, or it was begun. */
  private heard = 0;
  private readonly listen: ReturnType<typeof setInterval>;
  private readonly wake = () => {
    if (document.visibilityState !== "visible") return;
    this.check();
    if (!this.isOpen()) this.connect();
  };
  private readonly check = () => {
    if (Date.now() - this.heard > SILENCE) this.drop();
  };
  private readonly drop = () => {
    const socket = this.socket;
    if (socket === null) return;
    // A line that is dead takes long to close: it isn't waited for.
    socket.onclose = socket.onmessage = socket.onopen = null;
    socket.close();
    this.closed(1006);
  };

  constructor(
    private readonly address: () => string,
    private readonly take: (message: any) => void,
    /** Told when the line is lost: the code, and in how many milliseconds it is tried again; none if it isn't. */
    private readonly down: (code: number, retry: number | null) => void,
  ) {
    this.listen = setInterval(this.check, 3000);
    addEventListener("online", this.wake);
    addEventListener("offline", this.drop);
    document.addEventListener("visibilitychange", this.wake);
    this.connect();
  }

  isOpen(): boolean {
    return this.socket !== null && this.socket.readyState <= WebSocket.OPEN;
  }

  /** Whether it was sent. What is sent while the line is opened for the first time waits for that. */
  send(message: unknown): boolean {
    const text = JSON.stringify(message);
    if (this.socket?.readyState === WebSocket.OPEN) this.socket.send(text);
    else if (this.socket?.readyState === WebSocket.CONNECTING && this.waiting) this.waiting.push(text);
    else return false;
    return true;
  }

  end(): void {
    this.ended = true;
    clearTimeout(this.timer);
    clearInterval(this.listen);
    removeEventListener("online", this.wake);
    removeEventListener("offline", this.drop);
    document.removeEventListener("visibilitychange", this.wake);
    this.socket?.close();
  }

  private connect(): void {
    if (this.ended) return;
    clearTimeout(this.timer);
    this.heard = Date.now();
    const scheme = location.protocol === "https:" ? "wss" : "ws";
    const socket = new WebSocket(`${scheme}://${location.host}${this.address()}`);
    this.socket = socket;
    socket.onopen = () => {
      for (const text of this.waiting ?? []) socket.send(text);
      this.waiting = null;
    };
    socket.onmessage = (event) => {
      this.tries = 0;
      this.heard = Date.now();
      if (!this.ended) this.take(JSON.parse(event.data as string));
    };
    socket.onclose = (event) => {
      if (!this.ended && this.socket === socket) this.closed(event.code);
    };
  }

  private closed(code: number): void {
    this.socket = null;
    this.waiting = null;
    if (Object.values(CODES).includes(code as any)) return this.down(code, null);
    const wait = Math.min(15000, 500 * 2 ** this.tries++) * (0.7 + 0.6 * Math.random());
    this.down(code, wait);
    clearTimeout(this.timer);
    this.timer = setTimeout(() => this.connect(), wait);
  }
}
