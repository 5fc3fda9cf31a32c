"""Rules about names and descriptions: of one tool, and of tools that a model would mix up."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator
from typing import Any

from practice_model.facts.schemas import TOOL_NAMES
from practice_model.facts.services import OPENAI_MAX_TOOLS

from ..errors import ToolSchemaError
from ..messages import localized
from ..tools.provider_schemas import limits_exceeded
from .definition import PROVIDERS, Definition, shown
from .findings import Problem, counted, error, hint, warning
from .words import (
    content,
    first_verb,
    fold,
    is_verb,
    meanings,
    says_returns,
    says_when,
    says_when_not,
    stem,
    tokens,
    understood,
    word_set,
    words,
)

# One tool: its name and description, which a model reads first and chooses by -------------------------

# OpenAI answered 400 to longer ones on some models and on Azure (2024 and 2025), others take them.
LONG_FOR_OPENAI = 1024
EXPENSIVE = 3000
_NOTHING_NAMES = word_set("nothing_names")


def name(definition: Definition) -> Iterator[Problem]:
    """Check the name: what providers take, and whether it says what the tool does."""
    where, given = definition.at("name"), definition.name
    if given is None or given == "":
        yield error("name-missing", where)
        return
    if not isinstance(given, str):
        yield error("name-not-text", where, given=shown(given))
        return
    if definition.provider:
        pattern, provider = TOOL_NAMES[definition.provider], PROVIDERS[definition.provider]
        if not re.fullmatch(pattern, given):
            values = {"name": shown(given), "provider": provider, "pattern": f"^{pattern}$"}
            yield error("name-refused", where, better=_better(given), **values)
            return
    refusing = [PROVIDERS[other] for other, pattern in TOOL_NAMES.items() if not re.fullmatch(pattern, given)]
    if refusing:
        yield hint("name-not-portable", where, name=shown(given), others=", ".join(refusing))
    name_words = tokens(given)
    meaningful = [word for word in name_words if not word.isdigit() and len(word) > 1]
    if not set(meaningful) - _NOTHING_NAMES:
        yield warning("name-says-nothing", where, name=given)
    elif (
        not any(map(is_verb, name_words))
        and "to" not in name_words
        and not _described_as_a_verb(definition, name_words)
    ):
        yield hint("name-without-verb", where, name=given)


def _better(given: str) -> str:
    plain = re.sub(r"\W+", "_", "_".join(tokens(given)), flags=re.ASCII).strip("_")[:60]
    if not plain:
        return "get_weather"
    return plain if re.match("[a-z_]", plain) else f"tool_{plain}"


def _described_as_a_verb(definition: Definition, name_words: list[str]) -> bool:
    """Return whether the description begins with a word of the name: `upsell_order`, "Upsells an order"."""
    return isinstance(definition.description, str) and first_verb(definition.description) in map(
        stem, name_words
    )


def description(definition: Definition) -> Iterator[Problem]:
    """Check that the description says what the tool does, when to use it and what it returns."""
    where, text = definition.at("description"), definition.description
    if text is not None and not isinstance(text, str):
        yield error("description-not-text", where, given=shown(text))
        return
    if not (text or "").strip():
        yield warning("description-missing", where)
        return
    if definition.provider == "openai" and len(text) > LONG_FOR_OPENAI:
        yield warning("description-long-for-openai", where, n=len(text), limit=LONG_FOR_OPENAI)
    elif len(text) > EXPENSIVE:
        yield hint("description-expensive", where, n=len(text), tokens=len(text) // 4)
    if isinstance(definition.name, str) and not content(text) - set(map(stem, tokens(definition.name))):
        yield warning("description-says-nothing", where)
    elif understood(text) and len(words(text)) < 4:
        yield warning("description-short", where, words=counted("word", len(words(text))))
    if not understood(text):
        return  # the phrases of other languages are not known here
    if not says_when(text):
        yield hint("description-without-when", where)
    if not says_returns(text):
        yield hint("description-without-result", where)


def from_python(definition: Definition) -> Iterator[Problem]:
    """Check what only the function behind a Tool can tell."""
    if definition.tool is None:
        return
    for parameter in definition.tool.untyped:
        yield warning("untyped-parameter", f"{definition.root}.properties.{parameter}", name=parameter)
    for parameter in definition.tool.left_out:
        yield warning("variable-arguments", definition.root, name=parameter)


# Several tools: names and tasks that a model would mix up, and how many there are ---------------------

# How many tools at once the providers advise: OpenAI's guide to function calling "fewer than 20", Gemini's
# 10 to 20; Anthropic's page on tool search says that choosing gets worse from 30 to 50 on. As of 2026-11.
ADVISED = {"openai": 20, "gemini": 20, "anthropic": 30}
ALIKE = 0.4

_VERB = {stem(word): meant for word, meant in meanings("same_verbs").items()}

SetProblem = tuple[tuple[Definition, ...], Problem]
"""The tools that a problem is about, the one that has it first, and the problem; no tools: all of them."""


def together(all_tools: list[Definition], broken: set[int]) -> Iterator[SetProblem]:
    """Check tools that are offered together; the schemas of `broken` (by id) are not looked at."""
    tools = [one for one in all_tools if one.readable and isinstance(one.name, str) and one.name]
    yield from _forms(tools)
    yield from _names(tools)
    yield from _tasks(tools)
    yield from _number(tools)
    yield from _strict_limits([one for one in tools if id(one) not in broken])


_FORM = PROVIDERS | {"chat": "OpenAI Chat Completions", "responses": "OpenAI Responses"}


def _forms(tools: list[Definition]) -> Iterator[SetProblem]:
    forms = Counter(one.form for one in tools if one.form != "tool")
    if len(forms) > 1:
        most = forms.most_common(1)[0][0]
        for one in tools:
            if one.form not in (most, "tool"):
                yield (one,), error("forms-mixed", one.at("name"), form=_FORM[one.form], most=_FORM[most])


def _names(tools: list[Definition]) -> Iterator[SetProblem]:
    keys = [_word_key(one.name) for one in tools]
    for n, second in enumerate(tools):
        # One problem for each: with the first that it is like.
        for first, key in zip(tools[:n], keys, strict=False):
            if first.name == second.name:
                yield (second, first), error("name-twice", second.at("name"), name=second.name)
                break
            if key == keys[n]:
                values = {"name": second.name, "other": first.name}
                yield (second, first), warning("names-alike", second.at("name"), **values)
                break
    styles = Counter(_style(one.name) for one in tools if _style(one.name))
    if len(styles) > 1 and len(tools) > 1:
        most = styles.most_common(1)[0][0]
        odd = next(one for one in reversed(tools) if _style(one.name) not in ("", most))
        usual = next(one.name for one in tools if _style(one.name) == most)
        yield (odd,), hint("names-of-two-styles", odd.at("name"), name=odd.name, other=usual)


def _word_key(name: str) -> list[str]:
    """Return the words of a name, without what makes no difference: case, plurals, numbers, like verbs."""
    return sorted(_meanings(re.sub(r"\d+", " ", name)))


def _meanings(name: str) -> list[str]:
    """Return the stems of a name's words, with one verb for all that say the same."""
    return [_VERB.get(stem(word), stem(word)) for word in tokens(name)]


def _style(name: str) -> str:
    if re.search("[a-z][A-Z]", name):
        return "camel"
    return "snake" if "_" in name else "kebab" if "-" in name else ""


def _tasks(tools: list[Definition]) -> Iterator[SetProblem]:
    """Check whether tools that a model could take for each other say which one is for what."""
    described = [(one, content(one.description)) for one in tools if isinstance(one.description, str)]
    for n, (second, words_of_second) in enumerate(described):
        for first, words_of_first in described[:n]:
            likeness = _overlap(words_of_first, words_of_second)
            if likeness >= ALIKE and (found := _mixed_up(first, second, likeness)):
                yield (second, first), found
                break


def _mixed_up(first: Definition, second: Definition, likeness: float) -> Problem | None:
    if first.name == second.name or _names_other(first, second) or _names_other(second, first):
        return None
    fields, other_fields = _fields(first), _fields(second)
    same_input = bool(fields) and fields == other_fields
    values = {"name": second.name, "other": first.name}
    if likeness >= 0.75 or (likeness >= 0.5 and same_input):
        if _opposites(first.name, second.name):
            return None
        percent = round(100 * likeness)
        return warning("tools-overlap", second.at("description"), **values, percent=percent)
    if says_when_not(second.description) or says_when_not(first.description):
        return None
    return hint("description-without-when-not", second.at("description"), **values)


def _opposites(first: str, second: str) -> bool:
    """Return whether only the verbs differ, and clearly: `lock_door` and `unlock_door`."""
    one, other = _meanings(first), _meanings(second)
    return len(one) == len(other) > 1 and one[1:] == other[1:] and one[0] != other[0]


def _names_other(definition: Definition, other: Definition) -> bool:
    return re.search(rf"\b{re.escape(fold(other.name))}\b", fold(definition.description)) is not None


def _overlap(first: set[str], second: set[str]) -> float:
    shortest = min(len(first), len(second))
    return len(first & second) / len(first | second) if shortest >= 3 else 0.0


def _fields(definition: Definition) -> set[str]:
    return set(definition.parts[0].properties) if definition.parts else set()


def _number(tools: list[Definition]) -> Iterator[SetProblem]:
    count, providers = len(tools), Counter(one.provider for one in tools if one.provider)
    provider = providers.most_common(1)[0][0] if providers else ""
    if provider == "openai" and count > OPENAI_MAX_TOOLS:
        yield (), error("tools-over-the-limit", "tools", n=count, limit=OPENAI_MAX_TOOLS)
    elif count > ADVISED.get(provider, 20):
        yield (), warning("tools-many", "tools", n=count)


def _strict_limits(tools: list[Definition]) -> Iterator[SetProblem]:
    for provider in ("anthropic", "openai"):
        schemas: dict[str, Any] = {}
        for one in tools:
            if one.strict and (schema := _strict_schema(one, provider)) is not None:
                schemas[one.name] = schema
        for over in limits_exceeded(schemas, provider):
            one = next(tool for tool in tools if tool.name == over.brought_over_by)
            most = ", ".join(f"{name} ({count})" for name, count in list(over.per_tool.items())[:3])
            what = localized("lint.limits." + re.sub(r"\W+", "_", over.what))
            values = {"count": over.count, "what": what, "limit": over.limit, "most": most}
            yield (one,), error("strict-limit", one.at("strict"), provider=PROVIDERS[provider], **values)


def _strict_schema(definition: Definition, provider: str) -> dict[str, Any] | None:
    if definition.tool is None:
        is_meant = definition.provider == provider and isinstance(definition.schema, dict)
        return definition.schema if is_meant else None
    try:
        return definition.tool.strict_schema(provider)
    except ToolSchemaError:
        return None
