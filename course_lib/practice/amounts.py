"""Which number of a message is meant for which property of a schema."""

from __future__ import annotations

import re
from dataclasses import replace
from functools import cache
from typing import TYPE_CHECKING

from .arithmetic import worth
from .language import features, fold, stop_words
from .lexicon import verb_concepts
from .reading import Entity
from .shape import JSON, variants
from .values import closeness, counts_nothing, given_to_another
from .wants import Parameter, names_a_thing, parameter

if TYPE_CHECKING:
    from .filling import Scope

# A calculation in signs; two numbers with only a minus or a slash between them may be a range or a share.
_IN_SIGNS = re.compile(r"(?=.*(?:[*+×·÷^(]|\s[-−/]\s))[\d\s.,()*+/×·÷^−-]+")


def nearest_numbers(
    wanted: list[Parameter], required: set[str], root: JSON, scope: Scope
) -> dict[str, list[Entity]]:
    """Which number of the message is meant for which property: the closest pairs first, then as they stand.

    An optional number must be named in the message: "2 of them in blue" says nothing about a limit.
    """
    numeric = [
        parameter(one.name, {**option, "description": one.description})
        for one in wanted
        for option in variants(one.schema, root)
        if option.get("type") in ("integer", "number") and "enum" not in option
    ]
    operands = sum(one.name in required for one in numeric) > 1
    facts = scope.entities if operands else _worked_out(scope.entities)
    digits = [e for e in map(_year, facts) if _is_number(e) and scope.free(e)]
    if operands:
        digits = _in_order_of_calculation(digits, scope)
    pairs = [
        (closeness(one, entity), one.name in required, -place, -index, one, entity)
        for place, one in enumerate(numeric)
        for index, entity in enumerate(digits)
        if not names_a_thing(one) or counts_nothing(entity, scope.entities)
        if not given_to_another(one, entity, scope.text) and not _numbers_a_thing(one, entity, scope)
    ]
    found: dict[str, list[Entity]] = {}
    taken: list[Entity] = []
    # A word of its description that stands near gives no number to an optional property before those that are
    # required have one: "the VAT on 250" is no rate.
    sure = sorted(pairs, key=lambda pair: (pair[0] >= 1.5, pair[1], *pair[:4]), reverse=True)
    for near, needed, _, _, one, entity in sure:
        if (near > 0 or (needed and near == 0)) and one.name not in found and entity not in taken:
            found[one.name] = [entity]
            taken.append(entity)
    for near, _, _, _, one, entity in sorted(pairs, key=lambda pair: pair[:4], reverse=True):
        if near >= 0 and entity not in taken and one.name in found:
            found[one.name].append(entity)  # for a list, or where the first one is outside the limits
    return found


@cache
def _things() -> frozenset[str]:
    words_for_them = "order invoice ticket parcel package shipment booking reservation flight room product"
    return frozenset(
        f for word in words_for_them.split() for f, weight in features(word, "en").items() if weight == 1
    )


def _is_verb(word: str) -> bool:
    return bool({f for f, weight in features(word).items() if weight == 1} & verb_concepts())


def _numbers_a_thing(one: Parameter, entity: Entity, scope: Scope) -> bool:
    """Whether a number tells which order or room it is, and so is no amount: "ship order 7 to Peru"."""
    before, after = entity.before.split()[-1:], fold(entity.after).split()[:1]
    thing = {f for word in before for f, weight in features(word).items() if weight == 1}
    if names_a_thing(one) or not thing & _things() - one.label:
        return False
    counted = any(word not in stop_words(scope.tongue) and not _is_verb(word) for word in after)  # "3 mugs"
    return not counted and counts_nothing(entity, scope.entities)  # which looks at all others, so it is last


def _worked_out(entities: tuple[Entity, ...]) -> list[Entity]:
    """The facts, with each calculation that is written in signs as the one number that it comes to: no tool
    wants 12 and 7.5 of "12 * 7.5"."""
    found = list(entities)
    for one in entities:
        if one.kind != "expression" or not _IN_SIGNS.fullmatch(one.written):
            continue
        if (value := worth(one.value)) is not None:
            inside = [e for e in found if e.kind == "number" and one.start <= e.start and e.end <= one.end]
            found = [e for e in found if e not in inside]
            found.append(replace(one, kind="number", value=value))
    return sorted(found, key=lambda entity: entity.start)


def _year(entity: Entity) -> Entity:
    """A year ("from 1999") as the number that it also is."""
    if entity.kind == "date" and entity.value[2] == "year" and entity.end - entity.start == 4:
        return replace(entity, kind="number", value=entity.value[0].year, after="year")
    return entity


def _is_number(entity: Entity) -> bool:
    return entity.kind == "number" or (entity.kind == "identifier" and str(entity.value).isdigit())


def _in_order_of_calculation(digits: list[Entity], scope: Scope) -> list[Entity]:
    """ "subtract 5 from 20" is 20 - 5: there the order is that of the expression."""
    for entity in scope.entities:
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
