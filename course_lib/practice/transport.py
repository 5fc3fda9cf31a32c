"""Call the practice model in the same process: no socket, no thread.

    Anthropic(http_client=httpx2.Client(transport=PracticeTransport(PracticeModel().handle)))

For tests, and for places where there are no threads.
"""

from __future__ import annotations

from collections.abc import AsyncIterator, Iterator

import httpx2

from .core import Reply
from .server import Handle

__all__ = ["AsyncPracticeTransport", "PracticeTransport"]


class PracticeTransport(httpx2.BaseTransport):
    """Gives an `httpx2.Client` a `handle` callable instead of a network."""

    def __init__(self, handle: Handle) -> None:
        self._handle = handle

    def handle_request(self, request: httpx2.Request) -> httpx2.Response:
        return _response(_call(self._handle, request, request.read()), request, asynchronous=False)


class AsyncPracticeTransport(httpx2.AsyncBaseTransport):
    """Gives an `httpx2.AsyncClient` a `handle` callable instead of a network."""

    def __init__(self, handle: Handle) -> None:
        self._handle = handle

    async def handle_async_request(self, request: httpx2.Request) -> httpx2.Response:
        return _response(_call(self._handle, request, await request.aread()), request, asynchronous=True)


def _call(handle: Handle, request: httpx2.Request, body: bytes) -> Reply:
    path = request.url.raw_path.decode("ascii")
    return handle(request.method, path, dict(request.headers), body)


def _response(reply: Reply, request: httpx2.Request, *, asynchronous: bool) -> httpx2.Response:
    body = reply.body
    if not isinstance(body, bytes) and asynchronous:
        body = _one_by_one(body)
    return httpx2.Response(reply.status, headers=reply.headers, content=body, request=request)


async def _one_by_one(pieces: Iterator[bytes]) -> AsyncIterator[bytes]:
    for piece in pieces:
        yield piece
