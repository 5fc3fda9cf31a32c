"""Reviewing tool definitions: `lint` says what is wrong with one or with a set, and `fix` mends what it can.

    plain_json  whatever was given, as JSON         forms       every provider's form, as one
    parts       the schemas inside                  vocabulary  what JSON Schema knows
    words       what English and Spanish say        options     closed lists in descriptions
    rules_*     what can be wrong, by subject       findings    how it is told
    mending     `fix`                               files       definitions in a file

The rules are a careful reviewer's, and the providers' own as of 2026-11; none of them asks a network.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from ..messages import localized
from . import rules_fields, rules_schema, rules_texts
from . import rules_schema as rules_values
from .definition import Definition
from .findings import SEVERITIES, Finding, Findings, Found
from .fixing import fix
from .forms import read_all
from .rules_fields import required
from .rules_providers import gemini, portable, strict
from .rules_schema import invalid
from .rules_texts import together

__all__ = ["Finding", "Findings", "fix", "lint"]

LONGEST = 300
"""What is quoted from a definition is cut here: a finding is to be read."""

_RULES = (
    rules_texts.name,
    rules_texts.description,
    rules_texts.from_python,
    rules_schema.schema,
    rules_values.values,
    required,
    rules_fields.fields,
    strict,
    portable,
    gemini,
)


def lint(definition_or_tool: Any, all_tools: Iterable[Any] | None = None) -> Findings:
    """What is wrong with a tool definition, or could be better, and what to write instead.

    Takes a definition in the form of Anthropic, OpenAI (Chat Completions, Responses) or Gemini, a Tool, an
    SDK's own object, a list of them, or a request that has `tools`. What it cannot read is a finding too.

    Args:
        definition_or_tool: What to review. A list is reviewed as a set: which tools would be mixed up?
        all_tools: The tools that one definition is offered with; findings are then about that one only.

    Returns:
        The findings, the most severe of each tool first. Empty: nothing was found.
    """
    definitions = read_all(definition_or_tool)
    around = [] if all_tools is None else _others(definition_or_tool, all_tools)
    found = {id(one): list(_alone(one)) for one in definitions}
    broken = {id(one) for one in definitions if any(severity == "error" for severity, *_ in found[id(one)])}
    broken |= {id(one) for one in around if any(severity == "error" for severity, *_ in _alone(one))}
    # Of two that are alike the later is told, so what is under review comes last.
    everything = [*around, *definitions]
    if len(everything) > 1 or any(one.strict for one in everything):
        for tools, one_found in together(everything, broken):
            told = next((one for one in tools if id(one) in found), None)
            if told is not None:
                found[id(told)].append(one_found)
            elif not tools:
                definitions, all_of_them = _with_whole(definitions)
                found.setdefault(id(all_of_them), []).append(one_found)
    return Findings(
        finding
        for one in definitions
        for finding in sorted(
            _told(one, found[id(one)]), key=lambda finding: SEVERITIES.index(finding.severity)
        )
    )


def _alone(one: Definition) -> Iterable[Found]:
    """What is wrong with one definition by itself."""
    yield from one.problems
    if not one.readable:
        return
    found = [each for rule in _RULES for each in rule(one)]
    yield from found
    if not any(severity == "error" for severity, *_ in found):
        yield from invalid(one)


def _told(one: Definition, found: list[Found]) -> Iterable[Finding]:
    for severity, code, where, values in dict.fromkeys(map(_Hashable, found)):
        values = {key: _short(value) for key, value in values.items()}
        why, mend = localized(f"lint.{code}.why", **values), localized(f"lint.{code}.mend", **values)
        yield Finding(code, severity, _short(where), why, mend, _short(one.label))


def _short(value: Any) -> Any:
    return f"{value[: LONGEST - 1]}…" if isinstance(value, str) and len(value) > LONGEST else value


class _Hashable(tuple):
    """A found thing that can be compared: two rules may see the same fault."""

    def __hash__(self) -> int:
        return hash(self[:3])


def _others(given: Any, all_tools: Iterable[Any]) -> list[Definition]:
    """The tools besides the one under review, which may be among them: itself, a copy, or in another form."""
    tools = list(all_tools) if isinstance(all_tools, list | tuple) else _listed(all_tools)
    read = [read_all(one) for one in tools]
    for own in read_all(given):
        for same in (_is_itself, _is_in_another_form):
            place = next((n for n, found in enumerate(read) if any(same(own, one) for one in found)), None)
            place = next((n for n, one in enumerate(tools) if one is given), place)
            if place is not None:
                del tools[place], read[place]
                break
    return read_all(tools)


def _is_itself(own: Definition, one: Definition) -> bool:
    return own.form == one.form and own.raw == one.raw


def _is_in_another_form(own: Definition, one: Definition) -> bool:
    return own.form != one.form and own.label == one.label


def _listed(all_tools: Any) -> list[Any]:
    """A request or a Gemini tool holds several; anything else that can be gone through is taken as it is."""
    if isinstance(all_tools, dict):
        return [one.raw for one in read_all(all_tools)]
    try:
        return list(all_tools)
    except TypeError:
        return [all_tools]


def _with_whole(definitions: list[Definition]) -> tuple[list[Definition], Definition]:
    """The definitions with one at their end that stands for all of them together."""
    if definitions and definitions[-1].form == "all":
        return definitions, definitions[-1]
    whole = Definition("all", localized("lint.all_tools"), readable=False)
    return [*definitions, whole], whole
