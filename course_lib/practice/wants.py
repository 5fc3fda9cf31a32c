"""What a parameter wants to hear: from its name, format and description to the kinds of facts that may fill it."""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache
from typing import Any

from .language import features, fold, generic_words, split_identifier
from .shape import type_of

# Kinds of facts (`reading.Entity.kind`, and "topic", "said", "residue", "object" of `phrases`), each with plain words
# for the parameters that want them. The words go through the lexicon, so "ciudad", "municipio" or "town" do as well.
_KINDS: list[tuple[tuple[str, ...], str]] = [
    (("email",), "email"),
    (("url",), "url link website"),
    (("date",), "date day deadline since until birthday"),
    (("time", "date"), "time hour"),
    (("expression",), "expression formula calculation equation arithmetic"),
    (("currency", "code"), "currency"),
    (("language", "name"), "language"),
    (("place", "code", "name", "object"), "city place location country destination origin region town address airport"),
    (("identifier", "number", "code", "quoted"), "identifier id code sku number reference invoice order ticket account"),
    (("code", "identifier", "quoted"), "ticker symbol"),
    (("quoted", "topic", "residue"), "query search keyword topic term question"),
    (("quoted", "said", "topic", "request"), "message text body content summary description title subject reason comment note"),
    (("name", "quoted", "residue"), "person customer name recipient author contact"),
]  # fmt: skip
_BY_FORMAT = {
    "email": ("email",),
    "uri": ("url",),
    "date": ("date",),
    "date-time": ("date", "time"),
    "time": ("time",),
    "uuid": ("identifier", "quoted"),
}
_IN_ORDER = (
    "quoted",
    "labelled",
    "name",
    "place",
    "identifier",
    "topic",
    "object",
    "residue",
)  # for any other text
# Only these say on their own that a tool is meant; a bare number or a capital letter fits too many parameters.
TELLING = frozenset({"email", "url", "expression", "currency", "place", "identifier", "language"})
_FROM = frozenset(
    "from origin source departure depart start begin since after min lower desde origen salida inicio desde_fecha".split()
)
_TO = frozenset(
    "to destination target arrival arrive end until till before max upper hasta destino llegada fin".split()
)
_SAYS_FROM = frozenset("from since after de desde starting between entre".split())
_SAYS_TO = frozenset("to until till into before a hasta hacia para in en and y through".split())


@dataclass(frozen=True)
class Parameter:
    """One property of a schema, with what its words say."""

    name: str
    schema: Any
    type: str
    description: str
    kinds: tuple[str, ...]
    """The kinds of facts that may fill it, best first."""
    label: frozenset[str]
    """Features of its name: what would stand beside its value in a message."""
    hint: frozenset[str]
    """Features of its description."""
    direction: str
    """ "from", "to" or "": which of two places, dates or currencies it wants."""


def parameter(name: str, schema: dict[str, Any]) -> Parameter:
    """Read the words of one property."""
    spoken = split_identifier(name)
    description = str(schema.get("description") or "")
    label = features(spoken)
    parts = [fold(part) for part in spoken.split()]
    direction = "from" if set(parts) & _FROM else "to" if set(parts) & _TO else ""
    return Parameter(
        name,
        schema,
        type_of(schema),
        description,
        _kinds(spoken, description, str(schema.get("format", "")), direction),
        frozenset(f for f, weight in label.items() if weight >= 0.5) or frozenset(label),
        # Concepts only: an example in a description ("for instance Oslo") is no name for the property.
        frozenset(f for f, weight in features(description).items() if weight >= 0.5 and f[0] != "="),
        direction,
    )


def direction_said(before: str) -> str:
    """ "from" or "to" where the word right before a fact says so: "from Oslo", "hasta el 5"."""
    last = fold(before).split()[-1:] or [""]
    return "from" if last[0] in _SAYS_FROM else "to" if last[0] in _SAYS_TO else ""


@lru_cache(maxsize=2_000)
def _kinds(spoken: str, description: str, format_name: str, direction: str) -> tuple[str, ...]:
    if format_name in _BY_FORMAT:
        return _BY_FORMAT[format_name]
    found = _named_kinds(spoken)
    if found is None:
        # A name that says nothing ("q", "x", "value"): the description's first sentence does.
        found = _named_kinds(description.split(".")[0])
    if found is not None and "object" not in found and direction and found == ("date",):
        return found
    return found or (("place", "date", "currency", "number", "object", "residue") if direction else _IN_ORDER)


def _named_kinds(text: str) -> tuple[str, ...] | None:
    """The kinds that the *last* telling word asks for: in English the head comes last (order_date is a date)."""
    best: tuple[int, tuple[str, ...]] | None = None
    parts = text.split()
    for position, part in enumerate(parts):
        if fold(part) in generic_words("en") and fold(part) not in _kind_words():
            continue
        said = {feature for feature, weight in features(part).items() if weight >= 0.25}
        for kinds, examples in _KINDS:
            if said & _features_of(examples) and (best is None or position >= best[0]):
                best = (position, kinds)
                break
    return best[1] if best else None


@lru_cache(maxsize=None)
def _features_of(examples: str) -> frozenset[str]:
    # The exact concept of each word: related ones (weight one half) would make "umbrella" ask for a date.
    return frozenset(
        f for word in examples.split() for f, weight in features(word, "en").items() if weight in (0.25, 1)
    )


@lru_cache(maxsize=None)
def _kind_words() -> frozenset[str]:
    return frozenset(word for _, examples in _KINDS for word in examples.split())
