"""What the modules of the APIs share: reading responses, writing messages, sending requests."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Iterator
from typing import Any

from pydantic_core import PydanticSerializationError, to_json

from ..errors import CourseError, ServiceError
from ..tools import ToolResult

JSON = dict[str, Any]
Call = tuple[str, str, JSON]
"""The id, the name and the arguments of a call."""
SendOptions = dict[str, Any]
"""What a request is sent with beside its body: it may have a `timeout` in seconds, and `headers`."""

OWN_ID = re.compile(r"local_[0-9a-f]{12}_(\d+)")
"""Of a call that came without an id, as Gemini's older models send them: made from the turn, and not sent."""
ENDED_EARLY = "stream_ended_early"
"""What `merge_stream` puts where the reason of the end would stand, if the stream broke off before it: the
last call may not be whole then, however it looks."""


def get(value: Any, name: str, default: Any = None) -> Any:
    """Return a field of an SDK's object or of a dictionary; the default where it is missing or None."""
    found = value.get(name) if isinstance(value, dict) else getattr(value, name, None)
    return default if found is None else found


def has_any(response: Any, fields: tuple[str, ...]) -> bool:
    """Return whether an object of an SDK, or a dictionary, has one of these fields."""
    if isinstance(response, dict):
        return any(name in response for name in fields)
    return not isinstance(response, str | type) and any(hasattr(response, name) for name in fields)


def dump(value: Any) -> dict[str, Any]:
    """Return an SDK's object as the dictionary that it came from, without fields that were not sent."""
    if isinstance(value, dict):
        return value
    if not hasattr(value, "model_dump"):
        raise CourseError(f"{str(value)[:80]!r} is neither an object of an SDK nor a dictionary.")
    # exclude_unset: newer SDKs give an object fields that the service would refuse to read back.
    return value.model_dump(mode="json", exclude_unset=True)


def joined_pieces(before: Any, piece: Any) -> Any:
    """Return a field of a streamed message that came in two pieces: texts go on, lists grow, objects merge.

    Objects in a list with the same `index` are one, whose texts go on but for what names it.
    """
    if isinstance(before, str) and isinstance(piece, str):
        return before + piece
    if isinstance(before, dict) and isinstance(piece, dict):
        grown = {name: joined_pieces(before.get(name), one) for name, one in piece.items()}
        return before | grown | {name: piece[name] for name in _NAMING if name in piece}
    if isinstance(before, list) and isinstance(piece, list):
        joined = list(before)
        for one in piece:
            index = one.get("index") if isinstance(one, dict) else None
            same = [n for n, old in enumerate(joined) if index is not None and get(old, "index") == index]
            if same:
                joined[same[-1]] = joined_pieces(joined[same[-1]], one)
            else:
                joined.append(one)
        return joined
    return piece


_NAMING = ("index", "type", "id", "format")


def items_in(messages: list[Any], field: str, role: str) -> Iterator[dict[str, Any]]:
    """Yield what the messages of a model's turn hold in a field. Raises ValueError or TypeError if they are
    of another role, or hold what is no object."""
    for message in messages:
        if message["role"] != role:
            raise ValueError("not what the model said")
        content = message.get(field)
        for item in content if isinstance(content, list) else ():
            if not isinstance(item, dict):
                raise TypeError("no object")
            yield item


def paragraphs(texts: Iterable[str | None]) -> str:
    """Return the texts of an answer as one. Those in a row are joined; a None, for something that is no text,
    begins a new paragraph."""
    found = [""]
    for text in texts:
        if text is None:
            found.append("")
        else:
            found[-1] += text
    return "\n\n".join(paragraph for paragraph in found if paragraph)


def token_count(value: Any) -> int:
    """Return how many tokens; 0 where a server does not say it."""
    return value if isinstance(value, int) and value > 0 else 0


def parse_arguments(value: Any) -> dict[str, Any] | str:
    """Return arguments as a dictionary; as the text they came in, where that holds no JSON object.

    Nothing at all ("" or None) is a call without arguments. Text inside text is read once more: some servers
    encode twice. An object that cannot be kept and sent on stays text, too: one with a number longer than
    any service reads, or with more levels.
    """
    if value is None or value == "":
        return {}
    if isinstance(value, dict):
        return value if _can_be_kept(value, DEEPEST) else _text_of(value)
    text = value if isinstance(value, str) else _text_of(value)
    if not text.strip():
        return {}
    try:
        found = json.loads(text, parse_constant=_no_number)
        if isinstance(found, str):
            found = json.loads(found, parse_constant=_no_number)
    except (ValueError, RecursionError):
        return text
    return found if isinstance(found, dict) and _can_be_kept(found, DEEPEST) else text


DEEPEST = 100
"""Levels of arguments. Readers of JSON end at about 200, and a request has levels around these."""
LONGEST_NUMBER = 10**308
"""No double holds a larger one, and readers of JSON refuse it."""


def _can_be_kept(value: Any, levels: int) -> bool:
    if isinstance(value, dict | list):
        inner = value.values() if isinstance(value, dict) else value
        return levels > 0 and all(_can_be_kept(one, levels - 1) for one in inner)
    return not isinstance(value, int) or -LONGEST_NUMBER <= value <= LONGEST_NUMBER


def _text_of(arguments: Any) -> str:
    try:
        return json.dumps(arguments, ensure_ascii=False, default=str)
    except (RecursionError, TypeError, ValueError):  # deeper or longer than Python writes, or no JSON at all
        return "{...}"


def sendable_arguments(value: Any) -> str:
    """Return arguments as the text that a history has on OpenAI's APIs: as they came, if that is an object;
    else "{}", as the next request is refused with anything else."""
    text = value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)
    return text if text and isinstance(parse_arguments(text), dict) else "{}"


def _no_number(name: str) -> None:
    """Raise ValueError: Python's reader takes NaN and Infinity, which are no numbers of JSON, and which no
    service takes back."""
    raise ValueError(f"{name} is not JSON")


def as_object(value: Any) -> dict[str, Any]:
    """Return arguments for a history: always an object, or the next request is refused. What was no JSON
    becomes {}."""
    found = parse_arguments(value)
    return found if isinstance(found, dict) else {}


def result_text(result: ToolResult, *, mark_error: bool) -> str:
    """Return a result's content as text. `mark_error` is for APIs without a flag for errors: there the text
    says it."""
    text = (
        result.content if isinstance(result.content, str) else json.dumps(result.content, ensure_ascii=False)
    )
    if mark_error and result.is_error and not text.lstrip().lower().startswith("error"):
        return f"Error: {text}"
    return text


# What most of the modules have: their API needs nothing done --------------------------------------------


def set_call_ids(messages: list[JSON], ids: list[str]) -> None:
    """Do nothing: each call has an id of its own, or one made from its place."""


def unchanged(messages: list[JSON]) -> list[JSON]:
    """Return messages that the API takes as they are."""
    return messages


def check_options(options: JSON) -> None:
    """Do nothing: no options are refused together."""


def fit_request(body: JSON) -> JSON:
    """Return a request in which nothing is refused beside its messages."""
    return body


def read_answer(sent: Any) -> Any:
    """Return the response as it came: the SDK has read its JSON."""
    return sent


def retry_delay(error: BaseException) -> float | None:
    """Return None: the service says it in a header."""


# Writing messages ------------------------------------------------------------------------------------


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


# Sending a request with an SDK ------------------------------------------------------------------------
# The body of a request goes past the SDK's own reading of it: with `client.post`, which an SDK has for
# requests that it has no function for, or as `extra_body`. Its functions walk through the whole history with
# every request to convert what may be an object or a file: 200 turns cost 7 s of CPU on Chat, 14 on Gemini
# and 27 on Responses. Ours is plain JSON, of which they would change nothing, and the same arrives in a
# thirtieth of the time. All else is the SDK's: address, key, headers, connections, errors.


def as_json(body: JSON) -> dict[str, Any]:
    """Return a body for `client.post`: as the text that is sent, which the SDK does not copy first."""
    try:
        return {"content": to_json(body, inf_nan_mode="constants")}
    except PydanticSerializationError:  # an agent's options may hold what only the SDK can read
        return {"body": body}


def extra_body(body: JSON, options: SendOptions) -> dict[str, Any]:
    """Return a body for the function of an SDK, beside what the function requires."""
    return {"extra_body": body, **{{"headers": "extra_headers"}.get(k, k): v for k, v in options.items()}}


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
