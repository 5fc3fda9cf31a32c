"""Rules about a tool's name and description: what a model reads first, and chooses by."""

from __future__ import annotations

import re
from collections.abc import Iterator

from ..say import say
from .found import Found, error, hint, warning
from .parts import Definition, shown
from .words import content, first_verb, is_verb, says_returns, says_when, stem, tokens, understood, words

# As of 2026-11, from the providers' API references.
NAMES = {
    "anthropic": (r"[a-zA-Z0-9_-]{1,128}", "^[a-zA-Z0-9_-]{1,128}$"),
    "openai": (r"[a-zA-Z0-9_-]{1,64}", "^[a-zA-Z0-9_-]{1,64}$"),
    "gemini": (r"[a-zA-Z_][a-zA-Z0-9_.:-]{0,63}", "^[a-zA-Z_][a-zA-Z0-9_.:-]{0,63}$"),
}
PROVIDERS = {"anthropic": "Anthropic", "openai": "OpenAI", "gemini": "Gemini"}
# OpenAI answered 400 to longer ones on some models and on Azure (2024 and 2025), others take them.
LONG_FOR_OPENAI = 1024
EXPENSIVE = 3000
_NOTHING_NAMES = frozenset(
    """
    tool function func method api helper helpers util utils data info stuff thing do handle handler
    process processor run execute exec action task misc my the new test foo bar baz main custom general
    generic call use get x f fn manager herramienta funcion dato datos accion tarea prueba mi ejecutar
    procesar hacer
    """.split()
)

__all__ = ["NAMES", "PROVIDERS", "description", "name"]


def name(one: Definition) -> Iterator[Found]:
    """What is wrong with the name."""
    where, given = one.at("name"), one.name
    if given is None or given == "":
        yield error("name-missing", where)
        return
    if not isinstance(given, str):
        yield error("name-not-text", where, given=shown(given))
        return
    if one.provider:
        pattern, told = NAMES[one.provider]
        if not re.fullmatch(pattern, given):
            values = {"name": shown(given), "provider": PROVIDERS[one.provider], "pattern": told}
            yield error("name-refused", where, better=_better(given), **values)
            return
    refusing = [PROVIDERS[other] for other, (pattern, _) in NAMES.items() if not re.fullmatch(pattern, given)]
    if refusing:
        yield hint("name-not-portable", where, name=shown(given), others=", ".join(refusing))
    said = tokens(given)
    meaningful = [word for word in said if not word.isdigit() and len(word) > 1]
    if not set(meaningful) - _NOTHING_NAMES:
        yield warning("name-says-nothing", where, name=given)
    elif not any(map(is_verb, said)) and "to" not in said and not _described_as_a_verb(one, said):
        yield hint("name-without-verb", where, name=given)


def _better(given: str) -> str:
    plain = re.sub(r"\W+", "_", "_".join(tokens(given)), flags=re.ASCII).strip("_")[:60]
    if not plain:
        return "get_weather"
    return plain if re.match("[a-z_]", plain) else f"tool_{plain}"


def _described_as_a_verb(one: Definition, said: list[str]) -> bool:
    """Whether the description begins with a word of the name, as in `upsell_order`: "Upsells an order"."""
    return isinstance(one.description, str) and first_verb(one.description) in map(stem, said)


def description(one: Definition) -> Iterator[Found]:
    """The questions that a description answers: what the tool does, when to use it, what it returns."""
    where, text = one.at("description"), one.description
    if text is not None and not isinstance(text, str):
        yield error("description-not-text", where, given=shown(text))
        return
    if not (text or "").strip():
        yield warning("description-missing", where)
        return
    yield from _length(one, text, where)
    if isinstance(one.name, str) and not content(text) - set(map(stem, tokens(one.name))):
        yield warning("description-says-nothing", where)
    elif understood(text) and len(words(text)) < 4:
        n = len(words(text))
        told = say(f"lint.count.word.{'one' if n == 1 else 'many'}", n=n)
        yield warning("description-short", where, words=told)
    if not understood(text):
        return  # the phrases of other languages are not known here
    if not says_when(text):
        yield hint("description-without-when", where)
    if not says_returns(text):
        yield hint("description-without-result", where)


def _length(one: Definition, text: str, where: str) -> Iterator[Found]:
    if one.provider == "openai" and len(text) > LONG_FOR_OPENAI:
        yield warning("description-long-for-openai", where, n=len(text), limit=LONG_FOR_OPENAI)
    elif len(text) > EXPENSIVE:
        yield hint("description-expensive", where, n=len(text), tokens=len(text) // 4)


def from_python(one: Definition) -> Iterator[Found]:
    """What only the function behind a Tool can tell."""
    if one.tool is None:
        return
    for parameter in one.tool.untyped:
        yield warning("untyped-parameter", f"{one.root}.properties.{parameter}", name=parameter)
    for parameter in one.tool.left_out:
        yield warning("variable-arguments", one.root, name=parameter)
