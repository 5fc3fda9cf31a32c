"""From a fact of the message to the JSON value of a slot: units, percentages, dates, codes, numbers."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import replace
from datetime import timedelta
from itertools import pairwise
from typing import Any

from ..facts.schemas import is_number
from ..language.dates import FULL_MONTH
from ..language.entities import Entity, language_code, place_code
from ..language.message import Clause
from ..language.numbers import in_unit, measure_of_unit, unit_of, worth
from ..language.text import (
    any_case,
    features,
    features_of_each,
    fold,
    full_features,
    phrases,
    read_rows,
    split_identifier,
    stem,
    stop_words,
    verb_concepts,
    word_group,
)
from .free_text import Candidate, Context, FreeText, Span
from .slots import Slot, direction_said, names_a_thing

_MEASURED = read_rows("slots.txt", "measures")
_CURRENCIES, _OF_ANYTHING, _UP, _DOWN = (
    frozenset(word_group(name).split()) for name in ("money", "of anything", "more", "less")
)
_PEOPLE, _COUNT, _THINGS = map(word_group, ("people", "count", "numbered things"))
_HOW_MANY = any_case(rf"\b{phrases('the last of many')}\s*$")
_AT_MOST, _AT_LEAST = (any_case(rf"\b{phrases(name)}\s*[$€£]?$") for name in ("at most", "at least"))
_LEADS_TO_NUMBER = any_case(rf"(?:\b{phrases('leads to a number')}\s+){{0,4}}[$€£]?$")
_OF_THESE = any_case(r"\s+[^\W\d_]+\s+(?:of|de)\s+")  # "two bottles of milk" are milk
_SIGNS = {"%": "percent", "$": "usd", "€": "eur", "£": "gbp"}
LONGEST_LINK = 12  # characters between the two days of a span: " until the "
_LITTLE = any_case(r"(?:\s+(?:of|is|to|at|de|es|a))*$")  # between the name of a number and the number


def closeness(slot: Slot, entity: Entity) -> float:
    """Return how well the words beside a fact name the slot: "2.5 kg" for weight_kg, "rate 0.21" for rate.

    Negative where the fact's unit is none that the slot could mean.
    """
    unit, measure = _unit(entity), measure_of(entity)
    parts = slot.units
    if entity.kind == "span":
        return 3.0
    if entity.kind == "number" and measure and not parts and _is_of_anything(slot):
        return 2.0 * (measure not in ("time", "percent"))
    if entity.kind == "number" and measure:
        taken = {measure_of_unit(part) for part in parts}
        taken |= _measured_by_name(slot)
        if measure in taken:
            return 3.0 + (unit in parts)
        if taken and measure != "time":
            return -1.0
    beside = full_features(_spell(entity.before)) | full_features(_spell(f"{entity.unit} {entity.after}"))
    # "CA for Canada" in a description makes Canada no word for what stands beside it.
    plain = " ".join(word for word in f"{entity.before} {entity.after}".split() if not word[0].isupper())
    points = 2.0 * bool(slot.label & beside) + 1.0 * bool(slot.hint & full_features(_spell(plain)))
    if entity.kind == "number":
        points += 1.5 * bool(slot.label & full_features(_LITTLE.sub("", entity.before).split(" ")[-1]))
        points += 1.5 * (bool(_AT_MOST.search(entity.before)) and slot.direction == "to")
        points += 1.5 * (bool(_AT_LEAST.search(entity.before)) and slot.direction == "from")
        points += 2.5 * (bool(_HOW_MANY.search(entity.before)) and slot.is_called(word_group("limit")))
        points += 0.25 * (
            fold(entity.before).split()[-1:] in (["to"], ["a"])
        )  # "from 3 to 6": 6 is what is asked for
        points += 0.5 * (_starts_with_count(entity) and slot.is_called(_COUNT))
        people = features_of_each(_PEOPLE)
        points += 2.0 * bool(slot.label & people and features(entity.after).keys() & people)
    return points


def _measured_by_name(slot: Slot) -> set[str]:
    """Return what a number of the slot measures, by its name: by its very word ("rate"), else by a word
    of the same meaning."""
    rows = [(measure, features_of_each(names) & slot.label) for measure, names in _MEASURED]
    exact = {measure for measure, shared in rows if any(feature[0] == "=" for feature in shared)}
    return exact or {measure for measure, shared in rows if shared}


def measures_taken(slot: Slot) -> set[str]:
    """Return what a number of the slot measures, by the unit in its name or description."""
    return {measure_of_unit(part) for part in slot.units}


def _is_of_anything(slot: Slot) -> bool:
    """Return whether a number of any measure may fill a slot: a "value" or "amount", if no more is said."""
    named = set(fold(split_identifier(slot.name)).split()) <= _OF_ANYTHING
    return named and not full_features(slot.description) & features_of_each("money price currency")


def _starts_with_count(entity: Entity) -> bool:
    """Return whether a thing follows that can be counted: "6 eggs", "two dice"."""
    return bool(entity.after) and not measure_of(entity)


def measure_of(entity: Entity) -> str:
    """Return what the unit beside a number measures: mass, length, time, volume, temperature, money or
    percent."""
    unit = _unit(entity)
    if unit in ("percent", "per"):
        return "percent"
    if (
        unit in ("usd", "eur", "gbp")
        or set(fold(entity.before).split()[-1:]) & set("$€£")
        or unit in _CURRENCIES
    ):
        return "money"
    return measure_of_unit(unit) if unit_of(unit) else ""


def step_of(entity: Entity) -> int:
    """Return 1 or -1 where a number is how much more or less of something there is to be, else 0: "two
    degrees warmer", "raise it by 3", "2 grados más"."""
    beside = {*fold(entity.after).split(), *fold(entity.before).split()}
    up, down = bool(beside & _UP), bool(beside & _DOWN)
    than = "than" in beside or "que" in beside or "de" in fold(entity.before).split()[-1:]
    return 0 if up == down or than else 1 if up else -1


def counts_nothing(entity: Entity, others: Iterable[Entity]) -> bool:
    """Return whether a number may identify a thing ("order 7"): no measure, decimal or part of a
    calculation."""
    if entity.kind == "identifier":
        return str(entity.value).isdigit()
    if entity.kind != "number" or not isinstance(entity.value, int) or measure_of(entity):
        return False
    return not any(
        other.kind == "expression" and other.start <= entity.start and entity.end <= other.end
        for other in others
    )


def is_relative(entity: Entity) -> bool:
    """Return whether a date is counted from the day of the message: "tomorrow", "last Monday", "in 3
    days"."""
    named = rf"\d{{4}}|\d+[/.-]\d+|\b{FULL_MONTH}\b"
    return not re.search(named, fold(entity.written))


def given_to_another(slot: Slot, entity: Entity, text: str) -> bool:
    """Return whether a message gives a fact to another slot by its name: "x=1" is no id."""
    match = re.search(r"([\w-]+)\s*=\s*[\"'“]?$", text[max(0, entity.start - 80) : entity.start])
    return bool(match) and fold(match[1]) != fold(slot.name) and not features(match[1]).keys() & slot.label


def convert(slot: Slot, entity: Entity, clock: str = "") -> Any:
    """Return the fact as a value for the slot, in the slot's unit where its name says one.

    Args:
        slot: what the value is for.
        entity: the fact.
        clock: the time of day, for a slot that takes it together with the day.
    """
    value = entity.value
    if entity.kind == "date":
        if is_relative(entity) and not slot.dated:
            return entity.written
        first, last, _ = value
        day = (last if slot.direction == "to" else first).isoformat()
        zone = "Z" if slot.schema.get("format") == "date-time" else ""
        return f"{day}T{clock or '00:00'}:00{zone}" if zone or (slot.moment and clock) else day
    if entity.kind == "time":
        return f"{value}:00" if slot.schema.get("format") == "time" else value
    if slot.type in ("integer", "number"):
        return _number(slot, entity)
    if entity.kind == "number" and slot.kinds[:1] == ("number",) and measure_of(entity):
        return " ".join([entity.written, *entity.after.split()[:1]])
    if entity.kind in ("place", "name", "code") and slot.takes_country_code:
        if code := place_code(str(value), region=slot.takes_regions):
            return code
    if entity.kind == "language" and slot.takes_language_code:
        return language_code(str(value)) or value
    return re.sub(r"['’]s$", "", str(value)) if entity.kind in ("name", "place") else str(value)


def _number(slot: Slot, entity: Entity) -> Any:
    value = entity.value
    if isinstance(value, str):
        value = int(value) if value.isdigit() else value
    if not isinstance(value, int | float):
        return value
    unit = _unit(entity)
    if unit == "percent" and slot.is_ratio:
        value = round(value / 100, 10)
    for part in slot.units:
        if unit_of(unit) and unit != part and measure_of_unit(unit) == measure_of_unit(part):
            value = round(in_unit(value, unit, part), 6)
            value = int(value) if value == int(value) else value
            break
    if slot.type == "integer" and isinstance(value, float) and value.is_integer():
        return int(value)
    return value


def _unit(entity: Entity) -> str:
    first = entity.unit or (entity.after.split() or [""])[0]
    return _SIGNS.get(first) or unit_of(first) or fold(first).removesuffix("s")


def _spell(text: str) -> str:
    return " ".join(
        {"%": "percent", "$": "price", "€": "price", "£": "price"}.get(word, word) for word in text.split()
    )


# Which number is meant for which slot -------------------------------------------------------------

# A calculation in signs; two numbers with only a minus or a slash between them may be a range or a share.
_IN_SIGNS = re.compile(r"(?=.*(?:[*+×·÷^(]|\s[-−/]\s))[\d\s.,()*+/×·÷^−-]+")


def numbers_for(
    slots: list[Slot], required: frozenset[str], free: FreeText
) -> list[tuple[float, Slot, Entity]]:
    """Return the numbers that may be meant for each slot, with how near its name they stand; as they stand.

    An optional number must be named in the message: "2 of them in blue" says nothing about a limit.
    """
    entities = free.clause.entities
    operands = sum(slot.name in required for slot in slots) > 1
    facts = entities if operands else _worked_out(entities)
    digits = [e for e in map(_year, facts) if _is_number(e) and free.has(e)] + _spans(entities)
    digits = _without_counts(digits, slots)
    if operands:
        digits = _in_order_of_calculation(digits, entities)
    return [
        (closeness(slot, entity), slot, entity)
        for slot in slots
        for entity in digits
        if not names_a_thing(slot) or counts_nothing(entity, entities)
        if entity.kind != "span" or _takes_days(slot)
        if not given_to_another(slot, entity, free.text) and not _numbers_a_thing(slot, entity, free.clause)
    ]


def number(slot: Slot, near: float, entity: Entity, free: FreeText) -> Iterator[Candidate]:
    """Yield a number as a value for a slot, if it is still free."""
    value, written = convert(slot, entity), f"“{entity.written}”"
    if entity.kind == "span":  # its days are used beside it
        yield Candidate(value, (), f"{written} is so long")
    elif step := step_of(entity):
        if (base := _base(slot, free.context)) is not None:
            more = "more" if step > 0 else "less"
            why = f"{written} is how much {more} than {base} it is to be"
            yield Candidate(round(base + step * value, 10), _with_words(slot, near, entity, free), why)
    elif free.has(entity):
        places = _with_words(slot, near, entity, free)
        amount = free.text[entity.start : places[0][1]].strip()
        in_unit = measure_of(entity) in measures_taken(slot) - {""}
        beside = "stands beside words for it" if near >= 1 else "is a number that nothing else takes"
        why = f"“{amount}” is a number with a unit that it takes" if in_unit else f"“{amount}” {beside}"
        yield Candidate(value, places, why)


def _base(slot: Slot, context: Context) -> int | float | None:
    """Return the number that a step up or down starts from: of the same name, or the only one known."""
    known = {name: value for name, value in (context.results | context.carried).items() if is_number(value)}
    if slot.name in known:
        return known[slot.name]
    alike = [value for name, value in known.items() if full_features(split_identifier(name)) & slot.label]
    found = alike or list(known.values())
    return found[0] if len(found) == 1 else None


_AFTER_NUMBER = any_case(r"\s?(?:[%$€£]|°\s?[CF]?)|[\s-]?[^\W\d_]+")


def _with_words(slot: Slot, near: float, entity: Entity, free: FreeText) -> tuple[Span, ...]:
    """Return the place of a number with the words that belong to it: "under 80 euros", "for 4 people"."""
    before = _LEADS_TO_NUMBER.search(free.text[max(0, entity.start - 40) : entity.start])
    end = entity.end
    after = _AFTER_NUMBER.match(free.text[end:])
    if after and "unit" not in free.labels:  # there the unit is a slot of its own
        word = fold(after.group().strip(" -"))
        if (near >= 1 or not word.isalpha()) and word not in stop_words(free.language):
            end += after.end()
    if slot.is_called(_COUNT) and (of := _OF_THESE.match(free.text, entity.end)):
        end = of.end()
    return ((entity.start - len(before.group()), end),)


def _without_counts(numbers: list[Entity], slots: list[Slot]) -> list[Entity]:
    """Return the numbers without words that only count what the others are: "the two sides are 3 and 4"."""
    left = [
        number
        for number in numbers
        if not (number.written.isalpha() and _starts_with_count(number))
        or any(
            slot.label & (full_features(number.after) | features_of_each(f"{_COUNT} {_PEOPLE}"))
            for slot in slots
        )
    ]
    return left if sum(number.kind == "number" for number in left) >= len(slots) else numbers


def _spans(entities: tuple[Entity, ...]) -> list[Entity]:
    """Return the lengths of the times in a message, in days: "the last two weeks", "from 5 to 8 May"."""
    dates = [entity for entity in entities if entity.kind == "date"]
    # This week has seven days, however many of them are over.
    usual = {"week": timedelta(7), "month": timedelta(30), "year": timedelta(365)}
    found = [
        (date, max(date.value[1] - date.value[0], usual.get(date.value[2], timedelta(0)))) for date in dates
    ]
    for one, other in pairwise(dates):
        if other.start - one.end <= LONGEST_LINK and direction_said(other.before) == "to":
            found.append((other, other.value[0] - one.value[0]))
    return [
        replace(date, kind="span", value=length.days, unit="day") for date, length in found if length.days > 0
    ]


def _takes_days(slot: Slot) -> bool:
    """Return whether a number of the slot counts days or more, by its name or description."""
    return any(measure_of_unit(part) == "time" and in_unit(1, part, "day") >= 1 for part in slot.units)


def _is_verb(word: str) -> bool:
    return bool(full_features(word) & verb_concepts())


def _numbers_a_thing(slot: Slot, entity: Entity, clause: Clause) -> bool:
    """Return whether a number tells which order or room it is, and so is no amount: "ship order 7 to
    Peru"."""
    before, after = entity.before.split()[-1:], fold(entity.after).split()[:1]
    thing = {f for word in before for f in full_features(word)}
    if names_a_thing(slot) or not thing & features_of_each(_THINGS) - slot.label:
        return False
    counted = any(
        word not in stop_words(clause.language) and not _is_verb(word) for word in after
    )  # "3 mugs"
    return not counted and counts_nothing(entity, clause.entities)  # which looks at all others, so it is last


def _worked_out(entities: tuple[Entity, ...]) -> list[Entity]:
    """Return the facts, with each calculation in signs as its result: no slot takes the 12 of "12 * 7.5"."""
    found = list(entities)
    for entity in entities:
        if entity.kind != "expression" or not _IN_SIGNS.fullmatch(entity.written):
            continue
        if (value := worth(entity.value)) is not None:
            inside = [
                e for e in found if e.kind == "number" and entity.start <= e.start and e.end <= entity.end
            ]
            found = [e for e in found if e not in inside]
            found.append(replace(entity, kind="number", value=value))
    return sorted(found, key=lambda entity: entity.start)


def _year(entity: Entity) -> Entity:
    """Return a year ("from 1999") as the number that it also is."""
    if entity.kind == "date" and entity.value[2] == "year" and entity.end - entity.start == 4:
        return replace(entity, kind="number", value=entity.value[0].year, after="year")
    return entity


def _is_number(entity: Entity) -> bool:
    return entity.kind == "number" or (entity.kind == "identifier" and str(entity.value).isdigit())


def _in_order_of_calculation(digits: list[Entity], entities: tuple[Entity, ...]) -> list[Entity]:
    """ "subtract 5 from 20" is 20 - 5: there the order is that of the expression."""
    for entity in entities:
        if entity.kind == "expression":
            order = [float(part) for part in re.findall(r"\d+(?:\.\d+)?", str(entity.value))]
            inside = [
                e
                for e in digits
                if entity.start <= e.start and e.end <= entity.end and float(e.value) in order
            ]
            return sorted(inside, key=lambda e: order.index(float(e.value))) + [
                e for e in digits if e not in inside
            ]
    return digits


# Which other facts are meant for which slot ---------------------------------------------------------

# What each kind of fact is called in a sentence.
CALLED = {
    "email": "an e-mail address", "url": "an address on the web", "phone": "a phone number",
    "date": "a date", "period": "a time that lasts", "time": "a time of day", "expression": "a calculation",
    "number": "a number", "currency": "a currency", "language": "a language",
    "colour": "a colour", "path": "a path or file", "ip": "an address on the net", "unit": "a unit",
    "nationality": "a nationality", "place": "a place",
    "handle": "a channel or user", "code": "a code", "identifier": "an identifier", "name": "a name",
    "quoted": "a text in quotation marks",
}  # fmt: skip
_VAGUE = frozenset({"number", "name", "code", "identifier", "path", "handle"})


def facts_for(kind: str, slot: Slot, free: FreeText, required: bool) -> list[tuple[float, Entity]]:
    """Return the facts of a kind that a slot may take, with how well the words beside them name it."""
    entities = free.clause.entities
    if kind == "unit":
        found = _units(free.clause)
        if slot.direction and any(unit.before[-1:].isdigit() for unit in found):  # it is converted from there
            found = [unit for unit in found if unit.before[-1:].isdigit() == (slot.direction == "from")]
    else:
        looked_for = "date" if kind == "period" else kind
        found = [e for e in entities if e.kind == looked_for and not given_to_another(slot, e, free.text)]
    if kind == "number" and names_a_thing(slot):
        found = [entity for entity in found if counts_nothing(entity, entities)]
    if kind == "code" and "place" in slot.kinds:
        found = [entity for entity in found if len(entity.value) == 2]
    if slot.direction and kind != "unit":  # "to Paris" is no origin
        opposite = {"from": "to", "to": "from"}[slot.direction]
        found = [entity for entity in found if direction_said(entity.before) != opposite]
    vague = kind in _VAGUE or (kind == "quoted" and not {"topic", "said", "called"} & set(slot.kinds))
    least = 1 if (vague and not required) or (kind == "number" and slot.kinds[0] != "identifier") else 0
    rows = [(_nearness(slot, entity), entity) for entity in found if suits(slot, entity)]
    return [(near, entity) for near, entity in rows if near >= least]


def fact(slot: Slot, entity: Entity, free: FreeText) -> Iterator[Candidate]:
    """Yield a fact as a value for a slot, if it is still free."""
    if not free.has(entity):
        return
    places = [(entity.start, entity.end)]
    clock = ""
    if entity.kind == "date" and slot.moment:  # the time of day that goes with it
        times = [other for other in free.clause.entities if other.kind == "time" and free.has(other)]
        if times:
            time = min(times, key=lambda other: abs(other.start - entity.start))
            clock = time.value
            places.append((time.start, time.end))
    why = f"“{entity.written or entity.value}” is {CALLED.get(entity.kind, entity.kind)}"
    yield Candidate(convert(slot, entity, clock), tuple(places), why)


def suits(slot: Slot, entity: Entity) -> bool:
    """Return whether a fact of the right kind can be meant: a week is no day."""
    if entity.kind != "date" or slot.kinds[0] == "period" or slot.direction:
        return True
    return entity.value[0] == entity.value[1]


def _units(clause: Clause) -> list[Entity]:
    """Return the units in a message: the word right after each number ("3 cups"), and the names of units."""
    found = []
    for number in clause.entities:
        if number.kind == "number" and number.after and number.after[0].isalpha():
            word = number.after.split()[0]
            start = clause.text.index(word, number.end)
            found.append(Entity("unit", word, start, start + len(word), number.written, written=word))
    known = {unit.start for unit in found}
    return found + [e for e in clause.entities if e.kind == "unit" and e.start not in known]


def _nearness(slot: Slot, entity: Entity) -> float:
    last = fold(entity.before).split()[-1:] or [""]
    lead = 1.0 if last[0] in slot.leads else 0.0
    if entity.kind == "currency" and slot.direction:
        # "How many euros are 50 pounds": the amount is in pounds.
        lead += 1.0 if entity.amount == (slot.direction == "from") else -1.0
    if entity.kind == "name" and any(
        len(word) > 3 and fold(slot.name).startswith(stem(word, "en")) for word in fold(entity.after).split()
    ):
        lead += 1.0  # "did Laura send": she is the sender
    if entity.kind == "name" and slot.kinds[0] == "name" and entity.after.split()[:1] == ["s"]:
        lead += 1.0  # "Ana's tickets"
    stated = 0.5 if slot.direction and direction_said(entity.before) == slot.direction else 0.0
    return max(closeness(slot, entity), 0) + lead + stated
