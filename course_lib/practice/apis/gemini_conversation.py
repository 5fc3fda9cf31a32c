"""What can be wrong with the contents: who speaks, empty parts, calls and responses that do not match.

The first kind of function yields the place of each violation, for gemini_rules.py to list; the second looks
for its first violation and returns what its message needs, or None.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any

from . import gemini_models as models
from .gemini_shapes import Content, GenerateContentRequest, Part

Found = dict[str, Any] | None
Places = Iterator[dict[str, Any]]
ROLES = ("", "user", "model", "function", "tool")
"""The service names the first two in its message, and takes the older ones for function responses as well."""


# Places -------------------------------------------------------------------------------------------


def no_contents(request: GenerateContentRequest) -> Places:
    if not request.contents:
        yield {"place": "contents"}


def no_parts(request: GenerateContentRequest) -> Places:
    for n, content in enumerate(request.contents):
        if not content.parts:
            yield {"place": f"contents[{n}].parts"}


def _all_parts(request: GenerateContentRequest) -> Iterator[tuple[str, Part]]:
    """Every part with its place, those of the system instruction first."""
    if request.system_instruction is not None:
        for m, part in enumerate(request.system_instruction.parts):
            yield f"system_instruction.parts[{m}]", part
    for n, content in enumerate(request.contents):
        for m, part in enumerate(content.parts):
            yield f"contents[{n}].parts[{m}]", part


def part_without_data(request: GenerateContentRequest) -> Places:
    for place, part in _all_parts(request):
        # A signature may come in a part of its own, at the end of a stream.
        if part.data is None and part.thought_signature is None:
            yield {"place": f"{place}.data"}


def part_without_name(request: GenerateContentRequest) -> Places:
    for place, part in _all_parts(request):
        for kind in ("function_call", "function_response"):
            found = getattr(part, kind)
            if found is not None and not found.name:
                yield {"place": f"{place}.{kind}.name"}


# Turns --------------------------------------------------------------------------------------------


@dataclass
class Turn:
    """Contents in a row from the same side; the service takes them as one."""

    of_model: bool
    contents: list[tuple[int, Content]] = field(default_factory=list)

    def parts(self, kind: str) -> list[tuple[int, Part]]:
        """The parts that have the given data, each with the index of its content."""
        return [
            (n, part)
            for n, content in self.contents
            for part in content.parts
            if getattr(part, kind) is not None
        ]


def turns(contents: list[Content]) -> list[Turn]:
    """The contents as turns."""
    found: list[Turn] = []
    for n, content in enumerate(contents):
        of_model = content.role == "model"
        if not found or found[-1].of_model != of_model:
            found.append(Turn(of_model))
        found[-1].contents.append((n, content))
    return found


def unknown_role(request: GenerateContentRequest) -> Found:
    for n, content in enumerate(request.contents):
        if content.role not in ROLES:
            return {"n": n, "role": content.role[:100]}
    return None


def part_of_other_role(request: GenerateContentRequest) -> Found:
    for n, content in enumerate(request.contents):
        for m, part in enumerate(content.parts):
            if part.function_call is not None and content.role != "model":
                return {"n": n, "m": m}
    return None


def response_of_model(request: GenerateContentRequest) -> Found:
    for n, content in enumerate(request.contents):
        for m, part in enumerate(content.parts):
            if part.function_response is not None and content.role == "model":
                return {"n": n, "m": m}
    return None


def call_comes_first(request: GenerateContentRequest) -> Found:
    first = turns(request.contents)[0]
    calls = first.parts("function_call") if first.of_model else []
    return {"n": calls[0][0]} if calls else None


def response_without_call(request: GenerateContentRequest) -> Found:
    before: Turn | None = None
    for turn in turns(request.contents):
        responses = [] if turn.of_model else turn.parts("function_response")
        if responses and not (before and before.parts("function_call")):
            return {"n": responses[0][0]}
        before = turn
    return None


def counts_differ(request: GenerateContentRequest) -> Found:
    found = turns(request.contents)
    for turn, after in zip(found, [*found[1:], None], strict=True):
        calls = turn.parts("function_call") if turn.of_model else []
        if not calls:
            continue
        responses = after.parts("function_response") if after else []
        if len(calls) != len(responses):
            place = f"contents[{after.contents[0][0]}]" if after else "nothing"
            return {
                "n": calls[0][0],
                "calls": _count(len(calls), "functionCall"),
                "names": ", ".join(part.function_call.name for _, part in calls),
                "responses": _count(len(responses), "functionResponse"),
                "after": place,
            }
    return None


def _count(number: int, kind: str) -> str:
    return f"{number} {kind} part{'' if number == 1 else 's'}"


def ends_with_model_turn(request: GenerateContentRequest) -> Found:
    if models.takes_model_turn_at_the_end(request.model):
        return None
    return {} if request.contents[-1].role == "model" else None


def signature_lost(request: GenerateContentRequest) -> Found:
    """In the current turn, the first call of each step must carry the signature it came with."""
    if not models.requires_signatures(request.model):
        return None
    start = _start_of_current_turn(request.contents)
    for turn in turns(request.contents[start:]):
        calls = turn.parts("function_call") if turn.of_model else []
        if calls and not calls[0][1].thought_signature:
            n, part = calls[0]
            return {"name": part.function_call.name, "position": start + n + 1}
    return None


def _start_of_current_turn(contents: list[Content]) -> int:
    """The index after the last content in which the user says something, rather than answers a call."""
    for n in range(len(contents) - 1, -1, -1):
        content = contents[n]
        if content.role != "model" and any(part.function_response is None for part in content.parts):
            return n + 1
    return 0
