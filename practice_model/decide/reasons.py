"""Why: where each argument of a call came from, and what to change in a definition that led to none."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import islice
from typing import Any

from ..language.text import split_identifier
from ..request import ArgumentReason, Score
from .planning import Step
from .ranking import THRESHOLD
from .schema_values import listed, members, resolve
from .slots import MOST_SLOTS, TELLING, Slot, is_words, slot_of
from .tool_profiles import Profile

MOST_LISTED = 6  # values of an enum that are named


def argument_reasons(steps: list[Step], tools: list[Profile]) -> tuple[ArgumentReason, ...]:
    """Return for each parameter of the planned calls where its value came from, or why it has none."""
    known = {profile.spec.name: profile for profile in tools}
    return tuple(reason for step in steps for reason in _of_step(step, known[step.name].spec.schema))


def _of_step(step: Step, schema: Any) -> Iterator[ArgumentReason]:
    properties = members(resolve(schema, schema))
    required = [name for name in listed(resolve(schema, schema), "required") if isinstance(name, str)]
    for name in islice(dict.fromkeys([*properties, *required, *step.filled.arguments]), MOST_SLOTS):
        if name in step.filled.arguments:
            value = step.filled.arguments[name]
            why = step.filled.why.get(name, "what was said or called before")
            yield ArgumentReason(step.name, name, value, why)
        elif name in required:
            slot = slot_of(name, resolve(properties.get(name, {}), schema))
            yield ArgumentReason(step.name, name, None, f"missing: {_lacking(slot)}", _advice(slot))
        else:
            yield ArgumentReason(step.name, name, None, "left out: nothing says it, and it is optional")


def _lacking(slot: Slot) -> str:
    """Return what the message lacks for a slot."""
    if values := listed(slot.schema, "enum"):
        more = ", …" if len(values) > MOST_LISTED else ""
        return f"nothing names one of {', '.join(map(str, values[:MOST_LISTED]))}{more}"
    if slot.type in ("integer", "number"):
        return "the message has no number for it"
    kind = next((kind for kind in slot.kinds if kind in TELLING | {"date", "time"}), "")
    return f"the message has no {kind}" if kind else "nothing in the message is left for it"


def _advice(slot: Slot) -> str:
    label = split_identifier(slot.name)
    if listed(slot.schema, "enum"):
        return f"say in the description of `{slot.name}` what each value stands for, in words that users say"
    if not slot.description:
        return f"describe `{slot.name}`: what it is, and an example of it"
    if is_words(slot) or slot.kinds[0] in ("name", "chunk"):
        return f"give an example in the description of `{slot.name}`, or write “{label}: …” in the message"
    return f"say it in the message, or leave `{slot.name}` out of `required` and describe its default"


def advice_on_tools(scores: tuple[Score, ...]) -> tuple[str, ...]:
    """Return what to change so that a tool is called, for each clause that none fits."""
    said = []
    for clause in dict.fromkeys(row.clause for row in scores):
        rows = [row for row in scores if row.clause == clause]
        near = max(rows, key=lambda row: row.score)
        if near.score > 0 and not any(row.chosen for row in rows):
            said.append(
                f"for a tool that is meant by “{clause}”, say in its description when to use it, in words "
                f"that users say (nearest is `{near.tool}`, with {near.score:.2f} of {THRESHOLD:.2f} points)"
            )
    return tuple(said)
