"""A loopback HTTP server, from the standard library, over a `handle` callable.

It is for one learner's own programs on one machine. It listens on 127.0.0.1 only. It refuses a Host header
that is not loopback, so that no web page can reach it through a name of its own, and reads no body that a web
page of another machine lets the browser send (`handle` refuses those). It closes every connection after one
answer: keep-alive would leave an SDK's connection pool holding sockets of an event loop that a notebook has
already closed.
"""

from __future__ import annotations

import itertools
import json
import os
import re
import selectors
import socket
import socketserver
import threading
import time
from collections.abc import Callable, Iterator, Mapping
from http.client import responses as REASONS
from http.server import BaseHTTPRequestHandler
from typing import Any

from ..wires.api import Dropped
from .handle import MAX_BODY, Reply, foreign_page, logger

LOOPBACK = re.compile(r"(?:127\.\d+\.\d+\.\d+|localhost|\[::1\])(?::\d+)?", re.IGNORECASE)
LINGER_SECONDS = 5.0
LINGER_BYTES = 256 * 1024 * 1024

Handle = Callable[[str, str, Mapping[str, str], bytes], Reply]


class Server:
    """Serves a `handle` callable on a free port of 127.0.0.1 until `close()`; also a context manager."""

    def __init__(self, handle: Handle, port: int = 0) -> None:
        self._server = _ThreadingServer(("127.0.0.1", port), _Handler)
        self._server.practice_handle = handle
        self._thread = threading.Thread(
            target=self._server.serve_until_stopped, name="practice-server", daemon=True
        )
        self._thread.start()
        self._closed = False

    @property
    def port(self) -> int:
        return self._server.server_address[1]

    @property
    def url(self) -> str:
        """The address without a path, as ANTHROPIC_BASE_URL wants it."""
        return f"http://127.0.0.1:{self.port}"

    def close(self) -> None:
        """Free the port and end every thread; safe to call twice."""
        if self._closed:
            return
        self._closed = True
        self._server.stop()
        self._thread.join()
        self._server.server_close()
        self._server.end_connections()

    def __enter__(self) -> Server:
        return self

    def __exit__(self, *exc_info: object) -> None:
        self.close()


class _ThreadingServer(socketserver.ThreadingMixIn, socketserver.TCPServer):
    daemon_threads = True
    # A class that runs the same cell at once, or one program with many threads, must not be refused.
    request_queue_size = 128
    # A port that was just closed may be opened again; on Windows the same switch would share one in use.
    allow_reuse_address = os.name != "nt"
    practice_handle: Handle

    def __init__(self, *args: Any) -> None:
        super().__init__(*args)
        self._lock = threading.Lock()
        self._open: dict[threading.Thread, socket.socket] = {}
        self._stopping, self._stop = socket.socketpair()

    def serve_until_stopped(self) -> None:
        """Accept connections until `stop`, which `serve_forever` would only notice at its next look."""
        with self._stopping, selectors.DefaultSelector() as selector:
            selector.register(self, selectors.EVENT_READ)
            stopping = selector.register(self._stopping, selectors.EVENT_READ)
            while stopping not in [key for key, _ in selector.select()]:
                self.handle_request()

    def stop(self) -> None:
        """End `serve_until_stopped`."""
        self._stop.close()

    def process_request(self, request: Any, client_address: Any) -> None:
        thread = threading.Thread(
            target=self.process_request_thread,
            args=(request, client_address),
            name="practice-request",
            daemon=True,
        )
        with self._lock:
            self._open[thread] = request
        thread.start()

    def process_request_thread(self, request: Any, client_address: Any) -> None:
        try:
            super().process_request_thread(request, client_address)
        finally:
            with self._lock:
                self._open.pop(threading.current_thread(), None)

    def end_connections(self) -> None:
        """Hang up on clients that are still connected, and wait for their threads."""
        with self._lock:
            open_now = list(self._open.items())
        for thread, connection in open_now:
            try:
                connection.shutdown(socket.SHUT_RDWR)
            except OSError:
                pass  # already gone
            thread.join(timeout=5)

    def handle_error(self, request: Any, client_address: Any) -> None:
        """A traceback belongs in the log, not in a learner's notebook."""
        logger.exception("bug in the practice server")


class _Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    timeout = 60  # seconds that a silent client keeps a thread
    server: _ThreadingServer
    _unread = False  # whether some of the body is still on its way

    def handle(self) -> None:
        """Read one request, answer it, hang up."""
        self.close_connection = True
        try:
            self.raw_requestline = self.rfile.readline(65537)
            if len(self.raw_requestline) > 65536:
                self.requestline, self.request_version, self.command = "", "", ""
                self.send_error(414)
            elif self.raw_requestline and self.parse_request():
                self.close_connection = True
                self._answer()
        except (OSError, TimeoutError):
            return  # the client hung up, or fell silent
        if self._unread:
            self._linger()

    def _answer(self) -> None:
        host = self.headers.get("Host")
        if host is not None and not LOOPBACK.fullmatch(host.strip()):
            self._unread = True
            message = f"Host {host[:100]!r} is not loopback: use 127.0.0.1 or localhost"
            return self._send(_plain_error(403, "permission_error", message))
        headers: dict[str, str] = {}
        for name, value in self.headers.items():
            name = name.lower()
            headers[name] = f"{headers[name]}, {value}" if name in headers else value
        try:
            self._unread = bool(foreign_page(headers))
            body = b"" if self._unread else self._read_body()
        except ValueError as error:
            self._unread = True
            return self._send(_plain_error(400, "invalid_request_error", str(error)))
        if body is None:
            return  # hung up before the end
        self._send(self.server.practice_handle(self.command, self.path, headers, body))

    def _read_body(self) -> bytes | None:
        """Return the body; one byte too many where it is over the limit, None where the client hung up."""
        if "chunked" in self.headers.get("Transfer-Encoding", "").lower():
            return self._read_chunks()
        lengths = set(self.headers.get_all("Content-Length", []))
        if not lengths:
            return b""
        length = lengths.pop().strip()
        if lengths or not re.fullmatch(r"[0-9]{1,18}", length):
            raise ValueError("Content-Length is not one whole number")
        wanted = min(int(length), MAX_BODY + 1)
        self._unread = int(length) > MAX_BODY
        body = self.rfile.read(wanted)
        return body if len(body) == wanted else None

    def _read_chunks(self) -> bytes | None:
        body = bytearray()
        while len(body) <= MAX_BODY:
            size_line = self.rfile.readline(1024)
            if not size_line.endswith(b"\n"):
                if len(size_line) == 1024:
                    raise ValueError("a chunk has no size")
                return None
            size_text = size_line.split(b";")[0].strip()
            if not re.fullmatch(rb"[0-9a-fA-F]{1,15}", size_text):
                raise ValueError("a chunk has no size")
            size = int(size_text, 16)
            if size == 0:
                while self.rfile.readline(65537) not in (b"\r\n", b"\n", b""):
                    pass  # trailers
                return bytes(body)
            wanted = min(size, MAX_BODY + 1 - len(body))
            piece = self.rfile.read(wanted)
            body += piece
            if len(piece) < wanted:
                return None
            if wanted == size:
                self.rfile.readline(3)
        self._unread = True
        return bytes(body)

    def _send(self, reply: Reply) -> None:
        if reply.hold and not self._hold(reply.hold):
            return _close(reply.body)
        head = [f"HTTP/1.1 {reply.status} {REASONS.get(reply.status, 'Status')}"]
        head += [f"{name}: {value}" for name, value in reply.headers.items()]
        head.append("connection: close")
        is_whole = isinstance(reply.body, bytes)
        # Else in chunks, so that a broken stream does not look like a finished one.
        head.append(f"content-length: {len(reply.body)}" if is_whole else "transfer-encoding: chunked")
        head_bytes = "\r\n".join([*head, "", ""]).encode("latin-1", "replace")
        if is_whole:
            self.wfile.write(head_bytes + reply.body)
        else:
            self._send_pieces(head_bytes, reply.body)

    def _send_pieces(self, head: bytes, pieces: Iterator[bytes]) -> None:
        try:
            first = next(pieces, b"")  # before the head: a connection may break before anything is sent
            self.wfile.write(head)
            for piece in itertools.chain([first], pieces):
                if piece:
                    self.wfile.write(b"%x\r\n%s\r\n" % (len(piece), piece))
            self.wfile.write(b"0\r\n\r\n")
        except Dropped:
            return  # as asked for; the client sees the end of the connection, and no end of the answer
        finally:
            _close(pieces)  # lets the log know how far it got

    def _hold(self, seconds: float) -> bool:
        """Wait before answering; return False if the client hung up, or the server closed, meanwhile."""
        with selectors.DefaultSelector() as selector:
            selector.register(self.connection, selectors.EVENT_READ)
            return not selector.select(seconds)

    def _linger(self) -> None:
        """Read what is still coming, for a while.

        Closing now would reset the connection: the client would see a network error and not our answer.
        """
        end, left = time.monotonic() + LINGER_SECONDS, LINGER_BYTES
        try:
            self.connection.shutdown(socket.SHUT_WR)
            self.connection.settimeout(1.0)
            while left > 0 and time.monotonic() < end:
                piece = self.connection.recv(65536)
                if not piece:
                    return
                left -= len(piece)
        except OSError:
            return

    def send_error(self, code: int, message: str | None = None, explain: str | None = None) -> None:
        """Send what the standard library says of a request that is not HTTP, as JSON and not as HTML."""
        self._unread = True
        text = message or REASONS.get(code, "Bad request")
        self._send(_plain_error(code, "invalid_request_error", text))

    def log_message(self, *args: object) -> None:
        """Quiet: what went over the wire is in the practice model's own log."""


def _plain_error(status: int, kind: str, message: str) -> Reply:
    body = {"type": "error", "error": {"type": kind, "message": message}}
    return Reply(status, {"content-type": "application/json"}, json.dumps(body).encode("utf-8"))


def _close(pieces: Any) -> None:
    close = getattr(pieces, "close", None)
    if close:
        close()
