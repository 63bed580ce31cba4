"""A reverse proxy on loopback that stands between one agent and the mock model, and notes when each request is open.

It passes bytes on as they come, one request a connection, and sees at once when the agent hangs up.
"""
from __future__ import annotations

import json
import re
import select
import socket
import socketserver
import threading
import time
from dataclasses import dataclass

LIMIT = 240  # seconds that one request may be open
LAST_CHUNK = b"0\r\n\r\n"
MODEL_CALLS = ("/v1/messages", "/responses", "/chat/completions", ":generateContent", ":streamGenerateContent")


@dataclass
class Request:
    """One model request of the agent. `closed` is None while it is open; `status` is the reply's HTTP status."""

    path: str
    opened: float
    tools: int
    closed: float | None = None
    status: int = 0
    aborted: bool = False  # the agent hung up before the reply's end


def tools_of(path: str, body: bytes) -> int:
    """How many tools a request offers; 0 for housekeeping: titles, quota probes, token counts, classifiers."""
    if not path.split("?")[0].endswith(MODEL_CALLS):
        return 0
    try:
        asked = json.loads(body or b"{}")
    except ValueError:
        return 0
    config = asked.get("generationConfig") or {}
    if config.get("responseJsonSchema") or config.get("responseSchema") or ((asked.get("text") or {}).get("format") or {}).get("schema"):
        return 0
    return len(asked.get("tools") or [])


class Proxy:
    """Listens on `port`. `on_open` and `on_close` are called with each request that offers tools."""

    def __init__(self, upstream: int, on_open, on_close):
        self.upstream, self.on_open, self.on_close = upstream, on_open, on_close
        proxy = self

        class Handler(socketserver.StreamRequestHandler):
            def handle(self):
                proxy.handle(self.connection, self.rfile)

        class Server(socketserver.ThreadingTCPServer):
            daemon_threads, allow_reuse_address = True, True

            def handle_error(self, *_):
                pass  # an agent that hangs up is no error here

        self.server = Server(("127.0.0.1", 0), Handler)
        self.port = self.server.server_address[1]
        threading.Thread(target=self.server.serve_forever, kwargs={"poll_interval": 0.2}, daemon=True).start()

    def close(self):
        self.server.shutdown()
        self.server.server_close()

    def handle(self, client: socket.socket, rfile):
        client.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        head = read_head(rfile)
        if head is None:
            return
        first, headers = head
        body = read_body(rfile, headers)
        path = first.split(" ")[1]
        request = Request(path, time.time(), tools_of(path, body))
        counts = first.startswith("POST ") and request.tools > 0
        kept = [f"{k}: {v}" for k, v in headers if k.lower() not in ("connection", "content-length", "transfer-encoding", "expect")]
        message = "\r\n".join([first, *kept, "Connection: close", f"Content-Length: {len(body)}", "", ""]).encode("latin-1") + body
        if counts:
            self.on_open(request)
        try:
            with socket.create_connection(("127.0.0.1", self.upstream), timeout=10) as model:
                model.sendall(message)
                relay(client, model, request)
        except OSError:
            request.aborted = True
        finally:
            request.closed = time.time()
            if counts:
                self.on_close(request)


def read_head(rfile):
    """The request line and the headers, or None at the end of the stream."""
    first = rfile.readline(65536).decode("latin-1").rstrip("\r\n")
    if first.count(" ") < 2:
        return None
    headers = []
    while line := rfile.readline(65536).decode("latin-1").rstrip("\r\n"):
        name, _, value = line.partition(":")
        headers.append((name, value.strip()))
    return first, headers


def read_body(rfile, headers) -> bytes:
    named = {k.lower(): v for k, v in headers}
    if "chunked" not in named.get("transfer-encoding", ""):
        return rfile.read(int(named.get("content-length") or 0))
    body = b""
    while size := int(rfile.readline().split(b";")[0].strip() or b"0", 16):
        body += rfile.read(size)
        rfile.readline()
    rfile.readline()
    return body


def relay(client: socket.socket, model: socket.socket, request: Request):
    """Pass the reply on until it is whole or the agent has hung up."""
    end, reply = time.time() + LIMIT, Reply()
    while time.time() < end and not reply.whole:
        ready, _, _ = select.select([client, model], [], [], 1.0)
        if model in ready:
            data = model.recv(65536)
            if not data:
                break
            client.sendall(reply.take(data))
            request.status = reply.status
        elif client in ready and not client.recv(65536):
            break
    request.aborted = not reply.whole


class Reply:
    """What has come of a reply: its status, and whether it is whole."""

    def __init__(self):
        self.head, self.status, self.left, self.tail, self.whole = b"", 0, None, b"", False

    def take(self, data: bytes) -> bytes:
        """The bytes to pass on for these; the head tells the agent that the connection ends with this reply."""
        out = b""
        if not self.status:
            self.head += data
            head, found, data = self.head.partition(b"\r\n\r\n")
            if not found:
                return b""
            self.status = int(head.split(b" ")[1])
            length = re.search(rb"(?i)\r\ncontent-length: *(\d+)", head)
            self.left = int(length[1]) if length else None
            out = head + b"\r\nConnection: close\r\n\r\n"
        self.tail = (self.tail + data)[-len(LAST_CHUNK):]
        if self.left is None:
            self.whole = self.tail == LAST_CHUNK
        else:
            self.left -= len(data)
            self.whole = self.left <= 0
        return out + data
