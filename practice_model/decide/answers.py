"""Answers from tool results, in the user's language, also to follow-up questions.

Each call is reported by itself, as the answer to the clause that it was made for. The wording is made from
the result's own names and values (`sentences`): nothing is added that no result says.
"""

from __future__ import annotations

import json
import re
from collections.abc import Sequence
from typing import Any

from ..facts.schemas import is_number
from ..language.entities import read
from ..language.message import read_clause
from ..language.speech_acts import points_back
from ..language.text import any_case, by_language, features, fold, pattern, plural, singular, split_identifier
from ..request import Call
from .conversation import MadeCall, Task, failed, known_fields, parse
from .free_text import Context
from .questions import counted_noun, is_yes_or_no, key_of_answer, named_key, plain, questions_of
from .schema_values import JSON
from .sentences import ReportedCall, description, done, scope, statement, with_dates, yes_or_no
from .slot_filling import fill
from .slots import Form
from .wording import (
    Writer,
    capital,
    ended,
    is_feminine,
    is_known,
    is_moment,
    is_status,
    kind_of,
    parts_of,
    shortened,
    spoken,
)

MOST_READ = 10_000  # characters of a text that is read for the members of an object
# The last word of a field that says how many things there are.
_COUNTS = frozenset("count total quantity qty n num cantidad recuento".split())
_DONE = frozenset("ok success successful succeeded done completed exito hecho".split())


def answer(task: Task, tools: frozenset[str], clauses: Sequence[tuple[Call, str]] = ()) -> str:
    """Return one paragraph per result of the task, in the order of the calls.

    Args:
        task: the task, with what was called for it.
        tools: the names of the tools.
        clauses: the planned calls, each with the clause of the message that asks for it.
    """
    reported = _reported(task, tools, {call.name for call, _ in clauses})
    if not reported:
        return by_language(
            task.language, "The calls have no results yet.", "Las llamadas aún no tienen resultado."
        )
    said = []
    for made in reported:
        planned = [(call, clause) for call, clause in clauses if call.name == made.call.name]
        planned.sort(key=lambda one: one[0].arguments != made.call.arguments)
        question = next((clause for _, clause in planned), "") or task.text
        said.append(_tell(made, _report(made, task, question, len(reported) > 1)))
    return "\n\n".join(said)


def _reported(task: Task, tools: frozenset[str], planned: set[str]) -> list[MadeCall]:
    """Return the calls that are reported: of equal ones the last, no failure that a later call made good, and
    none that only found what a later one was called with."""
    last: dict[str, MadeCall] = {}
    for made in task.done:
        if made.result is None:
            continue
        if not failed(made.result):
            for key, other in list(last.items()):
                # Of the same tool, or of one that does not exist: this is the one that was meant.
                meant = other.call.name == made.call.name or other.call.name not in tools
                if meant and failed(other.result):
                    del last[key]
        last[json.dumps([made.call.name, made.call.arguments], sort_keys=True, default=str)] = made
    reported = list(last.values())
    return [
        made
        for position, made in enumerate(reported)
        if made.call.name in planned
        or not planned
        or not _only_feeds(made, reported[position + 1 :], task.text)
    ]


def _only_feeds(made: MadeCall, later: list[MadeCall], text: str) -> bool:
    """Return whether a result gave a later call an argument that the message does not say."""
    found = {str(value) for value in known_fields((made,)).values() if not isinstance(value, bool)}
    given = {str(value) for other in later for value in other.call.arguments.values()}
    return any(value not in text for value in found & given)


def _report(made: MadeCall, task: Task, question: str, several: bool = False) -> ReportedCall:
    value = plain(parse(made.result.content.strip())) if made.result else None
    if isinstance(value, dict) and len(value) == 1:  # {"result": 4} is 4
        key, item = next(iter(value.items()))
        says_nothing = ("result", "value", "answer", "output", "resultado", "valor", "respuesta")
        value = item if fold(str(key)) in says_nothing and not isinstance(item, dict | list) else value
    write = Writer(task.language, task.today.year if task.dated else None)
    return ReportedCall(made.call, value, question, task.text, write, several)


def structured(schema: JSON, task: Task) -> str:
    """Return the answer as JSON text that fits the schema, filled from the message and the results."""
    return json.dumps(_filled(schema, task, task.text, force=True), ensure_ascii=False)


def _filled(schema: JSON, task: Task, text: str, *, force: bool) -> JSON:
    results = " ".join(made.result.content for made in task.done if made.result)[:MOST_READ]
    known = known_fields(task.done)
    context = Context(task.today, force=force, whole=results, earlier=task.earlier, results=known)
    return fill(Form(schema), read_clause(text, task.language, task.today), context).arguments


def _tell(made: MadeCall, report: ReportedCall) -> str:
    value, name, pick = report.value, made.call.name, report.write.pick
    if made.result and failed(made.result):
        reason = _error_text(made.result.content.strip(), name)
        return f"{pick('I could not complete', 'No pude completar')} {name}: {reason}"
    if value in ("", {}, None):
        return pick(f"{name} returned nothing.", f"{name} no ha devuelto nada.")
    if isinstance(value, dict):
        return _done(report) or asked_for(report) or _object(report)
    if isinstance(value, list):
        return _list(value, spoken(report.noun, report.language), report)
    if isinstance(value, str) and not is_moment(value):
        text = shortened(value)
        return f"{name}{scope(report)}: {text}" if report.several and len(text) < 40 else text
    return _scalar(value, report)


def asked_for(report: ReportedCall) -> str | None:
    """Return the fields that the question asks for, as a sentence; None where it asks for none of them."""
    keys = [
        key_of_answer(report.fields, report.call, one, report.language)
        for one in questions_of(report.question)
    ]
    if None in keys:
        return None
    said: list[str] = []
    for key in dict.fromkeys(filter(None, keys)):
        item = report.fields[key]
        counts = _is_count(key, item, report.fields)
        if counts and any(isinstance(other, list) for other in report.fields.values()):
            return None  # a count with its list is reported together with the list
        if counts and (noun := counted_noun(report.question, report.call)):
            said.append(_counted(item, noun, report))
        elif isinstance(item, bool) and is_yes_or_no(report.question):
            said.append(yes_or_no(key, item, report))
        else:
            said += [statement(key, item, report, own=True)] if said else with_dates(key, report)
    return capital(ended("; ".join(said)))


def _scalar(value: Any, report: ReportedCall) -> str:
    """Return a bare number or truth value: the answer to a calculation, a count, or to a yes/no question."""
    shown, pick = report.write.value(value), report.write.pick
    if isinstance(value, bool):
        if is_yes_or_no(report.question):
            return f"{capital(shown)}."
        if value and report.acts:
            return f"{done(report)}."
        return f"{capital(spoken(report.noun, report.language))}{scope(report)}: {shown}."
    noun = counted_noun(report.question, report.call)
    converts = any(map(is_number, report.call.arguments.values()))  # "how many miles are 10 km?"
    if noun and isinstance(value, int) and not converts:
        return f"{_counted(value, noun, report)}."
    texts = [text for text in report.call.arguments.values() if isinstance(text, str)]
    if expression := next((text for text in texts if re.search(r"\d\s*[-+*/%]", text)), None):
        return f"{expression} = {shown}"
    asked = not features(report.noun).keys().isdisjoint(features(report.question, report.language))
    if report.thing and asked and is_known(report.noun, report.language):
        return f"{capital(statement(report.noun, value, report))}."
    where = f" {pick('for', 'para')} {report.thing.name}" if report.thing else scope(report) * report.several
    shown = f"{shown} {noun}" if noun else shown
    return pick(f"The result{where} is {shown}.", f"El resultado{where} es {shown}.")


def _object(report: ReportedCall) -> str:
    value, write = report.fields, report.write
    lists = {key: item for key, item in value.items() if isinstance(item, list)}
    numbers = any(map(is_number, next(iter(lists.values()), [])))  # their total is a sum
    counts = {} if numbers else {key: item for key, item in value.items() if _is_count(key, item, value)}
    counts = {key: item for key, item in counts.items() if key not in report.call.arguments}
    if len(value) == 1 and isinstance(only := next(iter(value.values())), int) and not isinstance(only, bool):
        noun = counted_noun(report.question, report.call) or (counts and spoken(report.noun, report.language))
        if noun:
            return f"{_counted(only, noun, report)}."
    key, items = next(iter(lists.items()), ("", []))
    rows = report.thing is None and any(isinstance(item, dict) for item in items)
    if len(lists) == 1 and (counts or rows or len(value) == 1):
        others = write.fields({k: v for k, v in value.items() if k not in lists and k not in counts})
        noun = None if is_known(key, report.language) else counted_noun(report.question, report.call)
        total = next(iter(counts.values()), len(items))
        said = _list(items, noun or spoken(key, report.language), report, total)
        return f"{said}\n{capital(others)}." if others else said
    if len(value) == 1 and isinstance(text := next(iter(value.values())), str) and " " in text:
        return shortened(text)
    return description(report)


def _done(report: ReportedCall) -> str | None:
    """Return what was done, where the result says that it is: {"ok": true}, {"sent": true, "id": 4}."""
    write, name = report.write, report.call.name
    success = next((key for key in report.fields if _succeeded(key, report)), None)
    given = list(report.call.arguments.values())
    others = write.fields(
        {key: item for key, item in report.fields.items() if key != success and item not in given}
    )
    if success and report.fields[success] is False:
        return f"{write.pick('I could not complete', 'No pude completar')} {name}{others and f': {others}'}."
    if success is None or (others and report.looks):
        return None
    if report.looks:
        return write.pick(
            f"{name} reports success, and nothing else.", f"{name} solo dice que todo fue bien."
        )
    said = f"{done(report)}."
    return f"{said} {capital(others)}." if others else said


def _succeeded(key: str, report: ReportedCall) -> bool:
    """Return whether a field says that an action is done, or is not: {"ok": true}, {"sent": true},
    {"success": false}."""
    item, parts = report.fields[key], parts_of(key)
    state = kind_of(" ".join(parts)) == "state" or parts[-1].endswith("ed")
    alone = not report.looks and (len(report.fields) == 1 or report.thing is None) and state
    return (
        (item is True and alone)
        or (isinstance(item, bool) and bool(_DONE & set(parts)))
        or (is_status(key, item) and fold(item) in _DONE)
    )


def _list(items: list[Any], noun: str, report: ReportedCall, total: int | None = None) -> str:
    head = _counted(len(items) if total is None else total, noun, report)
    return "\n".join([f"{head}:", *report.write.rows(items, noun)]) if items else f"{head}."


def _counted(count: int, noun: str, report: ReportedCall) -> str:
    language, pick = report.language, report.write.pick
    noun = singular(noun, language) if count == 1 else plural(noun, language) if " " not in noun else noun
    for item in report.call.arguments.values():  # "paid orders", "pedidos pagados"
        if isinstance(item, str) and (state := report.write.state(item, is_feminine(noun))):
            several = count != 1 and " " not in state
            noun = pick(f"{state} {noun}", f"{noun} {plural(state, 'es') if several else state}")
    be = pick("There is" if count == 1 else "There are", "Hay" if count else "No hay")
    number = str(count) if count else pick("no", "")
    return " ".join(filter(None, [be, number, noun])) + scope(report)


def _is_count(key: str, item: Any, fields: JSON) -> bool:
    """Return whether a field says how many things there are, and is no id ("order_number"), price
    ("total_usd") or the like; where there is a currency, a bare "total" is money."""
    parts = fold(split_identifier(key)).split() or [""]
    if not isinstance(item, int) or isinstance(item, bool):
        return False
    if parts[-1] == "total" and {fold(name) for name in fields} & {"currency", "moneda"}:
        return False
    return (
        parts[-1] in _COUNTS or parts[0] in ("num", "n") or parts[:2] in (["number", "of"], ["total", "of"])
    )


def _error_text(content: str, name: str) -> str:
    value = parse(content)
    if isinstance(value, dict):
        named = (
            item for key, item in value.items() if fold(str(key)) in ("error", "message", "detail", "mensaje")
        )
        value = next(named, content)
        value = value.get("message", value) if isinstance(value, dict) else value
    text = re.sub(r"^\W*error\W+", "", str(value), flags=re.IGNORECASE).strip() or str(value)
    text = re.sub(rf"^{re.escape(name)} failed: (?:\w+: )?", "", text)  # as `course_lib` reports exceptions
    return shortened(text)


# JSON that the prompt alone asks for --------------------------------------------------------------

_AS_JSON = any_case(
    r"\b(?:answer|reply|respond|return|output|give|write|responde|contesta|devuelve|da|escribe)\w*\b"
    r"[^.\n]{0,60}\bjson\b|\b(?:as|in|en|como) (?:a )?json\b"
    r"|\bjson\b[^.\n]{0,20}\b(?:only|nothing else|solo|s[oó]lo|nada m[aá]s)\b"
)
_WITH_KEYS = any_case(
    r"\b(?:keys?|fields?|properties|claves?|campos?|propiedades)\b\W+"
    r"((?:[\"'`]?\w{1,60}[\"'`]?(?:\s*,\s*(?:and |y )?|\s+(?:and|y)\s+)){0,20}[\"'`]?\w+)"
)
_TYPES = {"number": "number", "float": "number", "int": "integer", "integer": "integer", "bool": "boolean",
          "boolean": "boolean", "true/false": "boolean", "número": "number", "entero": "integer"}  # fmt: skip


def as_json(task: Task, system: str) -> str | None:
    """Return the answer as JSON, where the message or the system prompt asks for it: with the members of the
    template or the list of keys there, null where nothing says their value. None where none asks for it."""
    asked = next(
        (text for text in (task.text[:MOST_READ], system[:MOST_READ]) if _AS_JSON.search(text)), None
    )
    if asked is None:
        return None
    start, end = asked.find("{"), asked.rfind("}") + 1
    template = _template(asked[start:end]) if 0 <= start < end else None
    if template is None and (match := _WITH_KEYS.search(asked)):
        template = {key: "" for key in re.findall(r"\w+", match[1]) if key not in ("and", "y")}
    results = [parse(made.result.content) for made in task.done if made.result]
    if template is None:
        return (
            json.dumps(results[0] if len(results) == 1 else results, ensure_ascii=False) if results else None
        )
    text = task.text[:MOST_READ].replace(asked[start:end], " ") if 0 <= start < end else task.text[:MOST_READ]
    text = _AS_JSON.sub(" ", _WITH_KEYS.sub(" ", text))
    text = max(re.findall(r"[\"“«]([^\"”»]{20,})[\"”»]", text), key=len, default=text)  # what it is about
    members = {key: _schema(item) for key, item in template.items()}
    schema = {"type": "object", "properties": members, "required": list(members)}
    known = known_fields(task.done)
    found = {**_filled(schema, task, text, force=False), **known}
    return json.dumps({key: found.get(key) for key in template}, ensure_ascii=False)


def _template(text: str) -> JSON | None:
    """Return the members of a JSON object, also of one that is only sketched: {"name": ..., "age": <int>}."""
    value = parse(text)
    if isinstance(value, dict):
        return value
    found = re.findall(r"[\"']?(\w+)[\"']?\s*:\s*[\"'<]?([^\"'<>,{}]*)", text)
    return dict(found) or None


def _schema(item: Any) -> JSON:
    """Return the schema of a member of a template: by a type's name, or an example of its value."""
    if isinstance(item, str):
        return {"type": _TYPES.get(item.strip("<> .").lower(), "string")}
    names = {bool: "boolean", int: "number", float: "number", list: "array", dict: "object"}
    return {"type": names[type(item)]} if type(item) in names else {}


# Follow-up questions: "When will it arrive?" ------------------------------------------------------


def recall(task: Task) -> str | None:
    """Return the answer to a question about what an earlier call found, the latest first; None where none
    did."""
    if (
        "?" not in task.text
        or pattern("to us").search(task.text)
        or not points_back(task.text, task.language)
    ):
        return None
    if read(
        task.text, task.today, task.language
    ):  # "is it 4 kg?", "is it in Lima?": that asks something else
        return None
    for made in task.found:
        if made.result and not made.result.is_error:
            report = _report(made, task, task.text)
            if named_key(report.fields, made.call, task.text, task.language) and (said := asked_for(report)):
                return said
    return None
