"""Answers from tool results, in the user's language, also to follow-up questions."""

from __future__ import annotations

import json
import re
from typing import Any

from ..facts.schemas import is_number
from ..language.entities import read
from ..language.speech_acts import leans
from ..language.text import any_case, by_language, fold, generic_words, plural, singular, split_identifier
from .conversation import MadeCall, Task, failed, known_fields, parse
from .questions import (
    UNIT_ENDINGS,
    asks_for_several,
    counted_noun,
    is_yes_or_no,
    key_of_answer,
    named_key,
    plain,
    spoken,
)
from .schema_values import JSON
from .slot_filling import fill
from .slots import Scope

# The wording is made from the result's own field names and values: nothing is added that no result says,
# and each sentence is easy to trace to its result.


LONGEST = 600  # characters of one plain-text result that an answer quotes
MOST_ITEMS = 10
# The last word of a field that says how many things there are.
_COUNTS = frozenset("count total quantity qty n num cantidad recuento".split())
_YES = {"en": {True: "yes", False: "no"}, "es": {True: "sí", False: "no"}}


def answer(task: Task, tools: frozenset[str]) -> str:
    """Return one paragraph per result of the task, in the order of the calls; `tools` are the names of the
    tools."""
    reported = _reported(task.done, tools)
    if not reported:
        return by_language(
            task.language, "The calls have no results yet.", "Las llamadas aún no tienen resultado."
        )
    return "\n\n".join(_tell(made, task, several=len(reported) > 1) for made in reported)


def _reported(done: tuple[MadeCall, ...], tools: frozenset[str]) -> list[MadeCall]:
    """Return the calls that are reported: of equal ones the last, and no failure that a later call made
    good."""
    last: dict[str, MadeCall] = {}
    for made in done:
        if made.result is None:
            continue
        if not failed(made.result):
            for key, other in list(last.items()):
                # Of the same tool, or of one that does not exist: this is the one that was meant.
                meant = other.call.name == made.call.name or other.call.name not in tools
                if meant and failed(other.result):
                    del last[key]
        last[json.dumps([made.call.name, made.call.arguments], sort_keys=True, default=str)] = made
    return list(last.values())


def structured(schema: JSON, task: Task) -> str:
    """Return the answer as JSON text that fits the schema, filled from the message and the results."""
    results = " ".join(made.result.content for made in task.done if made.result)
    scope = Scope(
        task.text,
        task.language,
        task.today,
        known_fields(task.done),
        task.earlier,
        frozenset(),
        True,
        whole=results,
    )
    return json.dumps(fill(schema, scope).arguments, ensure_ascii=False)


def _tell(done: MadeCall, task: Task, *, several: bool) -> str:
    language, content = task.language, done.result.content.strip() if done.result else ""
    if done.result and failed(done.result):
        said = _error_text(content)
        cannot = by_language(language, "I could not complete", "No pude completar")
        return f"{cannot} {done.call.name}: {said}"
    value = _unwrapped(plain(parse(content)))
    where = about(done, language) if several or not isinstance(value, str) else ""
    if value in ("", {}, [], None):
        return f"{done.call.name}{where}: " + by_language(language, "no results.", "sin resultados.")
    if isinstance(value, dict):
        short = asked_for(value, done, task)
        return short.format(where=where) if short else _tell_object(value, done, where, language)
    if isinstance(value, list):
        return _tell_list(value, _noun_of(done.call.name, language), where, language)
    if isinstance(value, str):
        text = value if len(value) <= LONGEST else value[:LONGEST].rsplit(" ", 1)[0] + " …"
        return f"{done.call.name}{where}: {text}" if several and len(text) < 40 else text
    return _tell_scalar(value, done, where, task)


def _unwrapped(value: Any) -> Any:
    """Return a scalar that stands alone under a name that says nothing: {"result": 4} is 4."""
    if isinstance(value, dict) and len(value) == 1:
        key, item = next(iter(value.items()))
        if fold(str(key)) in ("result", "value", "answer", "output", "resultado", "valor", "respuesta"):
            return item if not isinstance(item, dict | list) else value
    return value


def asked_for(value: JSON, done: MadeCall, task: Task) -> str | None:
    """Return the one field that the question asks for, as a sentence; None where it asks for several or
    none."""
    if asks_for_several(task.text) and len({made.call.name for made in task.done}) == 1:
        return None  # one field would be half of the answer
    key = key_of_answer(value, done.call, task.text, task.language)
    if key is None:
        return None
    item, name = value[key], spoken(key, task.language)
    counts = _is_count(key, item, value)
    if counts and any(isinstance(other, list) for other in value.values()):
        return None  # a count with its list is reported together with the list
    shown = _show(item, key, task.language)
    unit = next((str(code) for name, code in value.items() if fold(name) in ("currency", "moneda")), "")
    if unit and is_number(item):
        shown = f"{shown} {unit}"
    shown = shown.replace("{", "{{").replace("}", "}}")
    if isinstance(item, bool) and is_yes_or_no(task.text):
        return f"{shown.capitalize()} ({name}: {shown})." if not item else f"{shown.capitalize()} ({name})."
    if counts and (noun := counted_noun(task.text, done.call)):
        return _counted(item, noun, task.language, "{where}") + "."
    return f"{_capital(name)}{{where}}: {shown}."


def _tell_scalar(value: Any, done: MadeCall, where: str, task: Task) -> str:
    """Return a bare number or truth value: the answer to a calculation, a count, or to a yes/no question."""
    language = task.language
    shown = _show(value, "", language)
    if isinstance(value, bool) and is_yes_or_no(task.text):
        return f"{shown.capitalize()}."
    if isinstance(value, int) and (noun := counted_noun(task.text, done.call)):
        return _counted(value, noun, language, where) + "."
    texts = [text for text in done.call.arguments.values() if isinstance(text, str)]
    if expression := next((text for text in texts if re.search(r"\d\s*[-+*/%]", text)), None):
        return f"{expression} = {shown}"
    return f"{_capital(_noun_of(done.call.name, language))}{where}: {shown}."


def _tell_object(value: JSON, done: MadeCall, where: str, language: str) -> str:
    lists = {key: item for key, item in value.items() if isinstance(item, list)}
    counts = {
        key: item
        for key, item in value.items()
        if _is_count(key, item, value) and key not in done.call.arguments
    }
    if counts and len(value) == 1:
        noun = _noun_of(done.call.name, language)
        return _counted(next(iter(counts.values())), noun, language, where) + "."
    if len(lists) == 1 and (counts or len(value) == 1):
        key, items = next(iter(lists.items()))
        others = {k: v for k, v in value.items() if k not in lists and k not in counts}
        total = next(iter(counts.values()), len(items))
        reported = _tell_list(items, spoken(key, language), where, language, total)
        return f"{reported}\n{_fields(others, language)}" if others else reported
    if len(value) == 1 and isinstance(text := next(iter(value.values())), str) and " " in text:
        return _shortened(text)
    return f"{_capital(_noun_of(done.call.name, language))}{where}: {_fields(value, language)}."


def _tell_list(items: list[Any], noun: str, where: str, language: str, total: int | None = None) -> str:
    head = _counted(len(items) if total is None else total, noun, language, where)
    if not items:
        return f"{head}."
    rows = [f"- {_item(item, language)}" for item in items[:MOST_ITEMS]]
    if len(items) > MOST_ITEMS:
        left = len(items) - MOST_ITEMS
        rows.append(by_language(language, f"- … and {left} more", f"- … y {left} más"))
    return "\n".join([f"{head}:", *rows])


def _counted(count: int, noun: str, language: str, where: str) -> str:
    noun = singular(noun, language) if count == 1 else plural(noun, language) if " " not in noun else noun
    if language == "es":
        return f"Hay {count} {noun}{where}" if count else f"No hay {noun}{where}"
    return f"There {'is' if count == 1 else 'are'} {count or 'no'} {noun}{where}"


def _item(item: Any, language: str) -> str:
    if isinstance(item, dict):
        values = list(item.values())
        if (
            len(values) == 2
            and all(isinstance(text, str) for text in values)
            and re.match(r"\d{4}-\d\d-\d\d", values[0])
        ):
            return f"{values[0]}: {values[1]}"
        return _fields(item, language)
    return _show(item, "", language)


def _fields(value: JSON, language: str, depth: int = 0) -> str:
    return ", ".join(
        f"{spoken(key, language)} {_show(item, key, language, depth)}" for key, item in value.items()
    )


def _show(value: Any, key: str, language: str, depth: int = 0) -> str:
    """Return a value as it is written in a sentence, with the unit that its field's name ends in."""
    if isinstance(value, bool):
        return _YES[language][value]
    if value is None:
        return "–"
    if isinstance(value, int | float):
        parts = fold(split_identifier(key)).split()
        unit = UNIT_ENDINGS.get(parts[-1], "") if len(parts) > 1 else ""
        return f"{value if isinstance(value, int) else format(value, '.12g')} {unit}".strip()
    if isinstance(value, dict):
        return f"({_fields(value, language, depth + 1)})" if depth < 3 else "…"
    if isinstance(value, list):
        shown = (
            "; ".join(_show(item, "", language, depth + 1) for item in value[:MOST_ITEMS])
            if depth < 3
            else "…"
        )
        return shown + ("; …" if len(value) > MOST_ITEMS else "") if value else "–"
    return str(value)


def about(done: MadeCall, language: str) -> str:
    """Return the call's arguments in brackets, so that several answers of one tool can be distinguished."""
    reported = [
        f"{spoken(name, language)}: {_show(item, '', language)}"
        for name, item in done.call.arguments.items()
        if item not in ("", None)
    ]
    return f" ({', '.join(reported)})" if reported else ""


def _noun_of(name: str, language: str) -> str:
    """Return what a tool is about, from its name without the verb: get_weather -> weather."""
    parts = split_identifier(name).split()
    verbs = generic_words("en") | generic_words("es")
    while len(parts) > 1 and (fold(parts[0]) in verbs or fold(parts[0]) in _VERBS):
        parts = parts[1:]
    return spoken(" ".join(parts), language)


_VERBS = frozenset(
    "get find list fetch lookup look check search read show calculate compute create estimate count obtener "
    "buscar listar".split()
)


def _shortened(text: str) -> str:
    return text if len(text) <= LONGEST else text[:LONGEST] + " …"


def _capital(text: str) -> str:
    return text[:1].upper() + text[1:]


def _is_count(key: str, item: Any = 0, value: JSON | None = None) -> bool:
    """Return whether a field says how many things there are, and is no id ("order_number"), price
    ("total_usd") or the like.

    Args:
        key: the field.
        item: its value.
        value: the object that it stands in: where that has a currency, a bare "total" is money.
    """
    parts = fold(split_identifier(key)).split() or [""]
    if not isinstance(item, int) or isinstance(item, bool):
        return False
    if parts[-1] == "total" and {fold(str(name)) for name in value or {}} & {"currency", "moneda"}:
        return False
    return (
        parts[-1] in _COUNTS or parts[0] in ("num", "n") or parts[:2] in (["number", "of"], ["total", "of"])
    )


def _error_text(content: str) -> str:
    value = parse(content)
    if isinstance(value, dict):
        value = next(
            (
                item
                for key, item in value.items()
                if fold(str(key)) in ("error", "message", "detail", "mensaje")
            ),
            content,
        )
        value = value.get("message", value) if isinstance(value, dict) else value
    text = re.sub(r"^\W*error\W+", "", str(value), flags=re.IGNORECASE).strip() or str(value)
    return _shortened(text)


# Follow-up questions: "When will it arrive?" ------------------------------------------------------

_BACK = {
    "en": any_case(r"\b(?:it|its|they|them|their|this|that|these|those|he|him|his|she|her)\b"),
    "es": any_case(  # not "la", "los", "las": they are articles most of the time
        r"^\W*\w{3,}(?:[aeiáéí]|[aei]r)l[oa]s?\b|\b(?:eso|esto|[eé]s[ae]|[eé]st[ae]|lo|sus?|suy[oa]s?|[eé]l|ell[oa]s?)\b"
    ),
}
_TO_US = any_case(r"\b(?:you|your|t[uú]s?|usted\w*|vuestr\w+|puedes|podr[ií]as?|pod[eé]is)\b")
_AND = any_case(r"^\W*(?:and|but|so|y|pero)\b\W*")


def refers_back(text: str, language: str) -> bool:
    """Return whether a message speaks of something that it does not name: "is it there?", "¿y cuándo
    llega?"."""
    return bool(_BACK[language].search(text)) or leans(_AND.sub("", text), language)


def recall(task: Task) -> str | None:
    """Return the answer to a question about what an earlier call found, the latest first; None where none
    did."""
    if "?" not in task.text or _TO_US.search(task.text) or not refers_back(task.text, task.language):
        return None
    if read(
        task.text, task.today, task.language
    ):  # "is it 4 kg?", "is it in Lima?": that asks something else
        return None
    for made in task.found:
        value = parse(made.result.content) if made.result and not made.result.is_error else None
        if isinstance(value, dict) and named_key(value, made.call, task.text, task.language):
            if said := asked_for(value, made, task):
                return said.format(where=about(made, task.language))
    return None
