"""A service that answers as a test says, also in ways in which none should; and its Chat answers."""

from __future__ import annotations

import json
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

import pytest

VARIABLES = {
    "anthropic": ("ANTHROPIC_BASE_URL", ""),
    "openai": ("OPENAI_BASE_URL", "/v1"),
    "openai-responses": ("OPENAI_BASE_URL", "/v1"),
    "gemini": ("GOOGLE_GEMINI_BASE_URL", ""),
}


class Service:
    """Gives one answer after the other, the last one for good: a dictionary, a text, or events.

    `bodies` are the requests, `broken` is set when a client went away before the end of an answer.
    """

    def __init__(self, *answers: Any, pause: float = 0, kind: str = "") -> None:
        self.answers, self.pause, self.kind = list(answers), pause, kind
        self.bodies: list[dict[str, Any]] = []
        self.broken = threading.Event()


@contextmanager
def service(
    monkeypatch: pytest.MonkeyPatch, *answers: Any, pause: float = 0, kind: str = ""
) -> Iterator[Service]:
    """A service that the SDKs find by variables alone; with a pause between the parts of an answer."""
    found = Service(*answers, pause=pause, kind=kind)
    server = ThreadingHTTPServer(("127.0.0.1", 0), _handler(found))
    server.daemon_threads = True
    thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.005}, daemon=True)
    thread.start()
    for name, path in VARIABLES.values():
        monkeypatch.setenv(name, f"http://127.0.0.1:{server.server_port}{path}")
    for name in ("ANTHROPIC_API_KEY", "OPENAI_API_KEY", "GEMINI_API_KEY"):
        monkeypatch.setenv(name, "practice")
    for name in ("ANTHROPIC_AUTH_TOKEN", "GOOGLE_API_KEY", "HTTP_PROXY", "http_proxy"):
        monkeypatch.delenv(name, raising=False)
    for name in ("NO_PROXY", "no_proxy"):
        monkeypatch.setenv(name, "127.0.0.1,localhost")
    try:
        yield found
    finally:
        server.shutdown()
        server.server_close()


def _handler(found: Service) -> type[BaseHTTPRequestHandler]:
    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"

        def log_message(self, *_: Any) -> None:
            """Say nothing."""

        def do_POST(self) -> None:  # noqa: N802
            found.bodies.append(json.loads(self.rfile.read(int(self.headers["content-length"]))))
            answer = found.answers[min(len(found.bodies), len(found.answers)) - 1]
            if isinstance(answer, list):
                self._send("text/event-stream", [f"data: {json.dumps(one)}\n\n" for one in answer])
            elif isinstance(answer, str):
                self._send("text/html", [answer])
            else:
                text = json.dumps(answer)
                self._send("application/json", [text] if not found.pause else list(text))

        def _send(self, kind: str, parts: list[str]) -> None:
            self.send_response(200)
            self.send_header("content-type", found.kind or kind)
            self.send_header("content-length", str(sum(len(part.encode()) for part in parts)))
            self.end_headers()
            for part in parts:
                try:
                    self.wfile.write(part.encode())
                    self.wfile.flush()
                except OSError:
                    found.broken.set()
                    return
                time.sleep(found.pause)

    return Handler


def chat(content: Any = None, calls: Any = None, finish: str | None = "stop", **more: Any) -> dict[str, Any]:
    """A chat completion; more fields are the message's."""
    message = {"role": "assistant", "content": content, **more}
    if calls is not None:
        message["tool_calls"] = calls
    choice = {"index": 0, "message": message}
    return {"choices": [choice if finish is None else {**choice, "finish_reason": finish}]}


def chunk(finish: str | None = None, **delta: Any) -> dict[str, Any]:
    return {"choices": [{"index": 0, "delta": delta, "finish_reason": finish}]}


def call(name: str, arguments: Any, /, **more: Any) -> dict[str, Any]:
    text = arguments if isinstance(arguments, str) else json.dumps(arguments)
    return {"id": "call_1", "type": "function", "function": {"name": name, "arguments": text}, **more}
