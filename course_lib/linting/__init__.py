"""Reviewing tool definitions: `lint` says what is wrong with one or with a set, `fix` repairs what it can.

    forms        reading what was given, in any provider's form or from a file, as Definition
    definition   a definition in one form, as plain JSON, and every schema inside it
    rules_*      what can be wrong: with the schema, its fields, the texts, for a provider
    words        what names and descriptions say in English and Spanish, by the lists in words.toml
    findings     what the rules report, and how a reader sees it
    fixing       `fix`

The rules are a careful reviewer's, and the providers' own as of 2026-11; none of them asks a network.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from ..messages import localized
from . import rules_fields, rules_providers, rules_schema, rules_texts
from .definition import Definition
from .findings import SEVERITIES, Finding, Findings, Problem
from .fixing import fix
from .forms import read_all

__all__ = ["Finding", "Findings", "fix", "lint"]

LONGEST = 300
"""What is quoted from a definition is cut here: a finding is to be read."""

_RULES = (
    rules_texts.name,
    rules_texts.description,
    rules_texts.from_python,
    rules_schema.schema,
    rules_schema.values,
    rules_fields.required,
    rules_fields.fields,
    rules_providers.strict,
    rules_providers.portable,
    rules_providers.gemini,
)
"""Each takes a definition and yields problems, in the order in which they are shown among their like."""


def lint(definition_or_tool: Any, all_tools: Iterable[Any] | None = None) -> Findings:
    """Return what is wrong with a tool definition, or could be better, and what to write instead.

    Takes a definition in the form of Anthropic, OpenAI (Chat Completions, Responses) or Gemini, a Tool, an
    SDK's own object, a list of them, or a request that has `tools`. What it cannot read is a finding too.

    Args:
        definition_or_tool: What to review. A list is reviewed as a set: which tools would be mixed up?
        all_tools: The tools that one definition is offered with; findings are then about that one only.

    Returns:
        The findings, the most severe of each tool first. Empty: nothing was found.
    """
    definitions = read_all(definition_or_tool)
    others = [] if all_tools is None else _others(definition_or_tool, all_tools)
    found = {id(one): _alone(one) for one in definitions}
    alone = found | {id(one): _alone(one) for one in others}
    broken = {key for key, problems in alone.items() if _is_refused(problems)}
    # Of two that are alike the problem is the later one's, so what is under review comes last.
    everything = [*others, *definitions]
    if len(everything) > 1 or any(one.strict for one in everything):
        for tools, problem in rules_texts.together(everything, broken):
            reviewed = next((one for one in tools if id(one) in found), None)
            if reviewed is not None:
                found[id(reviewed)].append(problem)
            elif not tools:
                definitions, whole = _with_whole(definitions)
                found.setdefault(id(whole), []).append(problem)
    return Findings(finding for one in definitions for finding in _findings(one, found[id(one)]))


def _alone(definition: Definition) -> list[Problem]:
    """Return what is wrong with one definition by itself."""
    if not definition.readable:
        return list(definition.problems)
    found = [problem for rule in _RULES for problem in rule(definition)]
    if not _is_refused(found):
        found += rules_schema.invalid(definition)
    return [*definition.problems, *found]


def _is_refused(problems: list[Problem]) -> bool:
    return any(problem.severity == "error" for problem in problems)


def _findings(definition: Definition, problems: list[Problem]) -> list[Finding]:
    """Return each problem once and in the reader's language, the most severe first."""
    found = []
    for severity, code, where, values in dict.fromkeys(problems):
        values = {key: _short(value) for key, value in values.items()}
        why, fix = localized(f"lint.{code}.why", **values), localized(f"lint.{code}.fix", **values)
        found.append(Finding(code, severity, _short(where), why, fix, _short(definition.label)))
    return sorted(found, key=lambda finding: SEVERITIES.index(finding.severity))


def _short(value: Any) -> Any:
    return f"{value[: LONGEST - 1]}…" if isinstance(value, str) and len(value) > LONGEST else value


def _others(given: Any, all_tools: Iterable[Any]) -> list[Definition]:
    """Return the tools besides the one under review, which may be among them, also in another form."""
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


def _is_itself(own: Definition, other: Definition) -> bool:
    return own.form == other.form and own.raw == other.raw


def _is_in_another_form(own: Definition, other: Definition) -> bool:
    return own.form != other.form and own.label == other.label


def _listed(all_tools: Any) -> list[Any]:
    """Return the tools of a request or of Gemini's declarations; of anything else, what it holds."""
    if isinstance(all_tools, dict):
        return [one.raw for one in read_all(all_tools)]
    try:
        return list(all_tools)
    except TypeError:
        return [all_tools]


def _with_whole(definitions: list[Definition]) -> tuple[list[Definition], Definition]:
    """Return the definitions with one at their end that stands for all of them, and that one."""
    if definitions and definitions[-1].form == "all":
        return definitions, definitions[-1]
    whole = Definition("all", localized("lint.all_tools"), readable=False)
    return [*definitions, whole], whole
