"""What every API needs to write an answer: token counts, ids, events, a decision within its request's limits.

Everything is a function of the request, so that every run of a lesson shows the same.
"""

from __future__ import annotations

import base64
import hashlib
import json
import re
import string
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, Literal

from ..request import Call, Decision, Request

# Token counts ---------------------------------------------------------------------------------------
# A real tokenizer has a vocabulary of its own for each family of models. This one only has to be plausible,
# quick and always the same: ASCII words count one token for each six characters, other words one for each
# two, punctuation one for each two signs, and blanks belong to the word after them. For English prose that
# is about four characters a token.


_TOKEN = re.compile(r"\s*(?:[A-Za-z0-9_]{1,6}|\w{1,2}|[^\w\s]{1,2})|\s+")


LONGEST_COUNTED = 400_000


def count_tokens(text: str) -> int:
    """Return how many tokens the text has; of a very long one by the tokens of its beginning."""
    counted = _TOKEN.subn("", text[:LONGEST_COUNTED])[1]
    return counted if len(text) <= LONGEST_COUNTED else counted * len(text) // LONGEST_COUNTED


def count_json_tokens(value: Any) -> int:
    """Return how many tokens a value has when written as JSON."""
    return count_tokens(json.dumps(value, ensure_ascii=False))


def cut_tokens(text: str, limit: int) -> tuple[str, int]:
    """Return the beginning of the text that fits into `limit` tokens, and how many it has."""
    end = used = 0
    for match in _TOKEN.finditer(text):
        if used >= limit:
            break
        used, end = used + 1, match.end()
    return text[:end], used


# Ids that look real -------------------------------------------------------------------------------

_ALPHABET = string.digits + string.ascii_uppercase + string.ascii_lowercase


def canonical(value: Any) -> str:
    """Return the value as JSON in one spelling: sorted keys, no blanks."""
    return json.dumps(value, sort_keys=True, separators=(",", ":"), ensure_ascii=False)


def make_id(prefix: str, *parts: Any, length: int = 22) -> str:
    """Return an id such as `msg_01Xq…`: the prefix, then letters and digits that the parts decide."""
    # surrogatepass: a request that is not valid Unicode is refused, and the refusal needs an id too.
    text = "\x1f".join(str(part) for part in parts)
    number = int.from_bytes(hashlib.sha256(text.encode("utf-8", "surrogatepass")).digest(), "big")
    letters = []
    for _ in range(length):
        number, rest = divmod(number, len(_ALPHABET))
        letters.append(_ALPHABET[rest])
    return prefix + "".join(letters)


def signature(seed: str, thinking: str) -> str:
    """Return an opaque text that belongs to a piece of thinking, as a service's own signature does."""
    digest = hashlib.sha512(f"{seed}\x1f{thinking}".encode("utf-8", "surrogatepass")).digest()
    return base64.b64encode(digest).decode("ascii")


# Event streams ------------------------------------------------------------------------------------
# A real service cuts text and tool input wherever its tokens end: in a number, a word, or an escaped
# letter. So do we, so that a program that parses each piece by itself is found out here and not in
# production.


SHORTEST, LONGEST = 1, 9
"""Characters in a piece of tool input."""


def event(data: Any, name: str = "") -> bytes:
    """Return one server-sent event: a name where the API has one, and data as JSON or the text "[DONE]"."""
    text = data if isinstance(data, str) else json.dumps(data, ensure_ascii=False)
    return f"{f'event: {name}' + chr(10) if name else ''}data: {text}\n\n".encode("utf-8", "replace")


def text_pieces(text: str) -> Iterator[str]:
    """Yield a text in pieces of a few words, blanks kept; joined they are the text again."""
    words = text.split(" ")
    piece = ""
    for place, word in enumerate(words):
        piece += word if place == 0 else f" {word}"
        if len(piece) >= 12:
            yield piece
            piece = ""
    if piece:
        yield piece


def cut_at_random(text: str, seed: str) -> Iterator[str]:
    """Yield a text in pieces that end anywhere, also inside a number or an escape.

    Where the cuts fall depends on the text and `seed` alone, so the same request streams alike each time.
    """
    digest = hashlib.sha256(f"{seed}\x1f{text}".encode("utf-8", "surrogatepass")).digest()
    start = turn = 0
    while start < len(text):
        size = SHORTEST + digest[turn % len(digest)] % (LONGEST - SHORTEST + 1)
        size = min(size, max(1, len(text) // 2)) if start == 0 else size
        yield text[start : start + size]
        start, turn = start + size, turn + 1


# A decision within the limits of its request: max_tokens, stop sequences --------------------------

CALL_OVERHEAD = 12
"""Tokens that a call costs beside its name and its arguments."""


@dataclass
class Written:
    """What came out of a decision, and why it ended there."""

    thinking: str = ""
    text: str = ""
    calls: tuple[Call, ...] = ()
    """The last one lacks arguments where the limit fell into it; its `raw` is what was written of them."""
    refusal: str = ""
    """What a model that refuses says; text and calls are empty then."""
    stop: Literal["end", "calls", "limit", "sequence", "refusal", "filtered", "pause", "malformed"] = "end"
    stop_sequence: str | None = None
    output_tokens: int = 0
    thinking_tokens: int = 0


def write(decision: Decision, request: Request, fallback_thought: str = "") -> Written:
    """Write thinking, text and calls, in this order, until done or at a limit."""
    limit = request.max_tokens if request.max_tokens is not None else 10**9
    if decision.ending == "cut":
        limit = min(limit, _middle_of_the_last(decision, request, fallback_thought))
    written = Written(stop="limit" if limit == 0 else "end")
    if request.thinking and written.stop == "end":
        _write_thinking(written, decision.thinking or fallback_thought, limit)
    if decision.ending in ("refusal", "filtered", "malformed"):
        return _write_nothing(written, decision)
    if decision.text and written.stop == "end":
        _write_text(written, decision.text, request.stop_sequences, limit)
    for call in decision.calls:
        if written.stop in ("end", "calls"):
            _write_call(written, call, limit)
    if decision.ending == "pause" and written.stop in ("end", "calls"):
        written.calls, written.stop = (), "pause"
    return written


def _write_nothing(written: Written, decision: Decision) -> Written:
    """Write an answer that is none: only its reason, and what a refusal says."""
    if written.stop == "end":
        written.stop = decision.ending
        written.refusal = decision.text if decision.ending == "refusal" else ""
        written.output_tokens += count_tokens(written.refusal)
    return written


def _middle_of_the_last(decision: Decision, request: Request, fallback_thought: str) -> int:
    """Return the limit that falls into the middle of the last thing that the decision wants to write."""
    sizes = [count_tokens(decision.thinking or fallback_thought)] if request.thinking else []
    sizes += [count_tokens(decision.text)] if decision.text else []
    for call in decision.calls:
        head = CALL_OVERHEAD + count_tokens(call.name)
        sizes += [head, count_json_tokens(call.arguments)]
    return sum(sizes[:-1]) + sizes[-1] // 2 if sizes else 0


def _write_thinking(written: Written, text: str, limit: int) -> None:
    written.thinking, count = cut_tokens(text, limit)
    written.output_tokens = written.thinking_tokens = count
    if written.thinking != text:
        written.stop = "limit"


def _write_text(written: Written, text: str, stop_sequences: tuple[str, ...], limit: int) -> None:
    """Write the text up to the first stop sequence in it, or up to the limit."""
    found = [(text.find(stop), stop) for stop in stop_sequences if stop in text]
    place, stop = min(found, default=(len(text), None))
    written.text, count = cut_tokens(text[:place], limit - written.output_tokens)
    written.output_tokens += count
    if written.text != text[:place]:
        written.stop = "limit"
    elif stop is not None:
        written.stop, written.stop_sequence = "sequence", stop


def _write_call(written: Written, call: Call, limit: int) -> None:
    """Write a call; where it does not fit, with the arguments that were complete at the limit."""
    head = CALL_OVERHEAD + count_tokens(call.name)
    left = limit - written.output_tokens - head
    size = count_json_tokens(call.arguments)
    if size <= left:
        written.calls += (call,)
        written.output_tokens += head + size
        written.stop = "calls"
        return
    if left >= 0:
        written.calls += (_cut(call, left),)
    written.output_tokens = limit
    written.stop = "limit"


def _cut(call: Call, left: int) -> Call:
    """Return the call with the arguments that were complete at the limit, and the text of it until then.

    The text breaks off in a name or in a string, never in a number: half a number would read as another one.
    """
    arguments: dict[str, Any] = {}
    for name, value in call.arguments.items():
        if count_json_tokens({**arguments, name: value}) > left:
            start = json.dumps(arguments, ensure_ascii=False)[:-1] + (", " if arguments else "")
            begun = json.dumps(name, ensure_ascii=False)
            if isinstance(value, str):
                begun += f": {json.dumps(value, ensure_ascii=False)}"
            more, _ = cut_tokens(begun[:-1], max(left - count_tokens(start), 1))
            return Call(call.name, arguments, call.id, start + more)
        arguments[name] = value
    return Call(call.name, arguments, call.id, json.dumps(arguments, ensure_ascii=False)[:-1])
