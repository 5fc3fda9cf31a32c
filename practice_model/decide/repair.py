"""One more try after a failed call, with the one argument changed that the error speaks of."""

from __future__ import annotations

import json
import re
from typing import Any

from ..language.text import fold, one_of, split_identifier
from ..request import Call, Result, ToolSpec
from .choices import mention
from .schema_values import fits, resolve, variants
from .task import Task, parse

_ALLOWED = re.compile(
    r"\b"
    + one_of(
        "one of", "(?:must|should) be(?: one of)?", "expected(?: one of)?",
        "(?:allowed|valid)(?: values)?(?: are)?",
        "choose(?: from)?", "use", r"available(?: \w+)?(?: are)?", "either", "options(?: are)?",
        "supported(?: values)?",
        "debe ser(?: uno de)?", "valores (?:permitidos|v[aá]lidos)", "permitid[oa]s?", "usa", "uno de",
        "disponibles?",
        "opciones",
    )
    + r"\b\s*:?\s*(.+)",
    re.IGNORECASE | re.DOTALL,
)  # fmt: skip
_MEANT = re.compile(
    r"(?:did you mean|perhaps you meant|quisiste decir"
    r"|quizás?)\s*:?\s*[\"'`“‘]?([\w .@/-]{1,80}?)[\"'`”’]?\s*[?.]",
    re.IGNORECASE,
)
_SIGNS = re.compile(
    r"\b"
    + one_of(
        "error", "invalid", "not (?:found|valid|allowed|supported|recogni[sz]ed)", "unknown", "failed",
        "must be",
        "did you mean", "unsupported", "inv[aá]lid", "no (?:existe|encontrad|v[aá]lid|se reconoce)",
        "desconocid",
        "fall[oó]", "debe ser",
    ),
    re.IGNORECASE,
)  # fmt: skip
# What an error says of an argument that the tool does not have.
_EXTRA = re.compile(
    one_of(
        "extra", "unexpected", "not permitted", "not allowed", "unrecogni[sz]ed",
        "unknown (?:argument|parameter|field|property|key)s?",
        "no permitid[oa]s?", "inesperad[oa]s?", "desconocid[oa]s?", "de más",
    ),
    re.IGNORECASE,
)  # fmt: skip
# What an error asks for, as a sentence of its own: "before you call it again" asks for something else.
_ONCE_MORE = re.compile(
    r"(?:^|[.;:!\n]|\bplease\b|\bpor favor\b,?)\s*"
    + one_of(
        "(?:call|send|make) (?:it|this|that|the call) (?:again|once more)", "repeat (?:it|the call)",
        r"(?:(?:fix|correct)\b[^.;:\n]{0,60}\band )?(?:try again|retry)(?! (?:later|in|after))",
        "vuelve a (?:llamar|enviar|hacer)l[ao]", "repite la llamada",
        r"(?:corr[ií]ge\w*\b[^.;:\n]{0,60}\b[ye] )?(?:int[eé]ntalo de nuevo|vuelve a intentarlo)"
        "(?! (?:m[aá]s tarde|dentro|en|luego))",
    )
    + r"\b",
    re.IGNORECASE,
)  # fmt: skip
LONGEST = 2_000  # characters of an error that are read


def failed(result: Result) -> bool:
    """Whether a result reports a failure: by its flag, or in words where the API has no flag."""
    if result.is_error:
        return True
    value = parse(result.content[:LONGEST])
    if isinstance(value, dict):
        return "error" in {fold(str(key)) for key in value} and bool(
            next(v for k, v in value.items() if fold(str(k)) == "error")
        )
    return isinstance(value, str) and bool(
        re.match(r"\W*(?:\w*error|tool error|invalid|failed|fall[oó])\b", value, re.IGNORECASE)
    )


def asks_for_it_again(result: Result) -> bool:
    """Whether a failure asks for the call once more."""
    return failed(result) and bool(_ONCE_MORE.search(result.content[:LONGEST]))


def repaired(call: Call, result: Result, spec: ToolSpec, task: Task) -> Call | None:
    """The call with the argument that the error speaks of put right; None where the error does not say
    how."""
    text = result.content[:LONGEST]
    if not failed(result) or not (_SIGNS.search(text) or _EXTRA.search(text)):
        return None
    options = _options(text)
    schema = resolve(spec.schema, spec.schema)
    properties: dict[str, Any] = (
        schema.get("properties") if isinstance(schema.get("properties"), dict) else {}
    )
    known = {name: value for name, value in call.arguments.items() if name in properties}
    if _EXTRA.search(text) and known != call.arguments:
        return Call(call.name, known)
    for name in _blamed(text, call, list(properties)):
        old = call.arguments.get(name)
        choices = [
            value
            for option in options
            if (value := _typed(option, properties.get(name, {}), schema)) not in (None, old)
        ]
        if old in choices or not choices:
            continue
        # What the user's words name, else what the wrong value names (temp -> temperature), else the only
        # one.
        ranked = sorted(
            choices, key=lambda value: -max(mention(value, task.text, task.language), _likeness(old, value))
        )
        best = ranked[0]
        if len(choices) == 1 or max(mention(best, task.text, task.language), _likeness(old, best)) > 0:
            return Call(call.name, {**call.arguments, name: best})
    return None


def _options(text: str) -> list[str]:
    if match := _MEANT.search(text):
        return [match[1].strip()]
    match = _ALLOWED.search(text)
    if not match:
        return []
    listed = re.split(r"\.\s|\n|;", match[1])[0]
    if quoted := re.findall(r"[\"'`“‘]([^\"'`”’]+)[\"'`”’]", listed):
        return quoted
    return [
        part.strip(" .()[]{}:")
        for part in re.split(r",|\bor\b|\band\b|\bo\b|\by\b|\|", listed)
        if part.strip(" .()[]{}:")
    ]


def _blamed(text: str, call: Call, names: list[str]) -> list[str]:
    """The arguments that the error may be about: named in it, or quoted by value; else the only one there
    is."""
    by_name = [name for name in names if re.search(rf"(?<!\w){re.escape(name)}(?!\w)", text)]
    by_value = [
        name for name, value in call.arguments.items() if isinstance(value, str) and value and value in text
    ]
    return list(dict.fromkeys([*by_name, *by_value])) or (
        list(call.arguments) if len(call.arguments) == 1 else []
    )


def _typed(option: str, schema: Any, root: dict[str, Any]) -> Any:
    """The text as a value that fits the property's schema; None if it cannot be one."""
    candidates: list[Any] = [option]
    try:
        candidates.append(json.loads(option))
    except ValueError:
        pass
    return next(
        (
            value
            for value in candidates
            if any(fits(value, one, root) for one in variants(schema, root) or [{}])
        ),
        None,
    )


def _likeness(old: Any, new: Any) -> float:
    """How much a wrong value looks like an allowed one: the same but for case and separators, or the start
    of it."""
    one, other = fold(split_identifier(str(old))).strip(), fold(split_identifier(str(new))).strip()
    if not one or not other:
        return 0.0
    if one == other:
        return 2.0
    return 1.0 if one.startswith(other[:3]) and (one in other or other in one) else 0.0
