"""What the modules of the APIs share in writing messages, and in sending a request with an SDK.

The body of a request goes past the SDK's own reading of it: with `client.post`, which an SDK has for
requests that it has no function for, or as `extra_body`. Its functions walk through the whole history with
every request to convert what may be an object or a file: 200 turns cost 7 s of CPU on Chat, 14 on Gemini and
27 on Responses. Ours is plain JSON, of which they would change nothing, and the same arrives in a thirtieth
of the time. All else is the SDK's: address, key, headers, connections, errors.
"""

from __future__ import annotations

from typing import Any

from pydantic_core import PydanticSerializationError, to_json

from ..errors import CourseError, ServiceError

JSON = dict[str, Any]
Call = tuple[str, str, JSON]
"""The id, the name and the arguments of a call."""
How = dict[str, Any]
"""How a request is sent: it may have a `timeout` in seconds, and `headers`."""


def if_any(**fields: Any) -> JSON:
    """Return the fields that have a value."""
    return {name: value for name, value in fields.items() if value}


def joined(messages: list[JSON], field: str) -> list[JSON]:
    """Return messages with those of the same role in a row as one, which holds what they have in `field`.

    Where a turn was empty, the user spoke twice.
    """
    found: list[JSON] = []
    for message in messages:
        if found and found[-1]["role"] == message["role"]:
            both = [*_blocks(found[-1][field]), *_blocks(message[field])]
            found[-1] = {**found[-1], field: both}
        else:
            found.append(message)
    return found


def _blocks(content: Any) -> list[Any]:
    return content if isinstance(content, list) else [{"type": "text", "text": content}]


def as_json(body: JSON) -> dict[str, Any]:
    """Return a body for `client.post`: as the text that is sent, which the SDK does not copy first."""
    try:
        return {"content": to_json(body, inf_nan_mode="constants")}
    except PydanticSerializationError:  # an agent's options may hold what only the SDK can read
        return {"body": body}


def extra_body(body: JSON, how: How) -> dict[str, Any]:
    """Return a body for the function of an SDK, beside what the function requires."""
    return {"extra_body": body, **{{"headers": "extra_headers"}.get(k, k): v for k, v in how.items()}}


def checked(found: Any, fields: tuple[str, ...]) -> JSON:
    """Return an answer, also one from a stream. Raises ServiceError where the service says that it failed.

    The first of the fields is the one that holds the model's turn. Some servers, and proxies before them, say
    with status 200 that they failed.
    """
    if isinstance(found, dict) and found.get(fields[0]):
        return found
    error = found.get("error") if isinstance(found, dict) else None
    if error or not isinstance(found, dict):
        raise ServiceError(f"The service answered without an answer of the model: {str(found)[:500]}", error)
    return found


def checked_client(client: Any, asynchronous: bool) -> Any:
    """Return a client of the SDKs of Anthropic and OpenAI. Raises CourseError if it is of the other kind."""
    kinds = {kind.__name__ for kind in type(client).__mro__}
    if ("AsyncAPIClient" in kinds) != asynchronous:
        name = type(client).__name__
        other = f"Async{name}" if asynchronous else name.removeprefix("Async")
        runs = "run_async and 'async for'" if asynchronous else "run and 'for'"
        raise CourseError(f"{runs} need a client of the other kind: write (model=({other}(...), id)).")
    return client
