"""Transports that call the practice model in the same process: no socket, no thread.

    Anthropic(http_client=httpx2.Client(transport=PracticeTransport(PracticeModel().handle)))

For tests, and for places where there are no threads.
"""

from __future__ import annotations

from collections.abc import AsyncIterator, Iterator

import httpx2

from ..wires.api import Dropped
from .handle import Reply
from .http import Handle


class PracticeTransport(httpx2.BaseTransport):
    """A `handle` callable in the place of the network, for an `httpx2.Client`."""

    def __init__(self, handle: Handle) -> None:
        self._handle = handle

    def handle_request(self, request: httpx2.Request) -> httpx2.Response:
        return _response(_call(self._handle, request, request.read()), request, asynchronous=False)


class AsyncPracticeTransport(httpx2.AsyncBaseTransport):
    """A `handle` callable in the place of the network, for an `httpx2.AsyncClient`."""

    def __init__(self, handle: Handle) -> None:
        self._handle = handle

    async def handle_async_request(self, request: httpx2.Request) -> httpx2.Response:
        return _response(_call(self._handle, request, await request.aread()), request, asynchronous=True)


def _call(handle: Handle, request: httpx2.Request, body: bytes) -> Reply:
    path = request.url.raw_path.decode("ascii")
    reply = handle(request.method, path, dict(request.headers), body)
    patience = request.extensions.get("timeout", {}).get("read")
    if reply.hold and patience is not None and patience <= reply.hold:
        # Nobody waits for this: without a network, time is compared and not spent.
        _all_of(reply.body)
        raise httpx2.ReadTimeout("The read operation timed out", request=request)
    return reply


def _response(reply: Reply, request: httpx2.Request, *, asynchronous: bool) -> httpx2.Response:
    body = reply.body
    if not isinstance(body, bytes):
        pieces, dropped = _all_of(body)
        if dropped and not pieces:
            raise httpx2.RemoteProtocolError(
                "Server disconnected without sending a response.", request=request
            )
        body = _stream(pieces, dropped, request)
        body = _one_by_one(body) if asynchronous else body
    return httpx2.Response(reply.status, headers=reply.headers, content=body, request=request)


def _all_of(body: bytes | Iterator[bytes]) -> tuple[list[bytes], bool]:
    """Return all pieces of a reply, and whether the connection broke after them."""
    pieces: list[bytes] = []
    if isinstance(body, bytes):
        return [body], False
    try:
        pieces.extend(piece for piece in body)
    except Dropped:
        return pieces, True
    return pieces, False


def _stream(pieces: list[bytes], dropped: bool, request: httpx2.Request) -> Iterator[bytes]:
    yield from pieces
    if dropped:
        message = "peer closed connection without sending complete message body (incomplete chunked read)"
        raise httpx2.RemoteProtocolError(message, request=request)


async def _one_by_one(pieces: Iterator[bytes]) -> AsyncIterator[bytes]:
    for piece in pieces:
        yield piece
