"""Finding a closed list of values in a description: "one of a, b or c", "'a' | 'b'", "(a, b)"."""

from __future__ import annotations

import re

from .words import plain

_FOR_EXAMPLE = (
    r"(\be\.?g\.?,?|\bfor (example|instance),?|\bsuch as|\blike|\bexamples?( are)?|\b(p\.? ?)?e[jx]\.?,?|"
    r"\bejemplos?,?|\bcomo|\bincluding|\bincl\.?|\bi\.?e\.?,?|\bformats?|\bformatos?)"
)
_OPEN_BEFORE = re.compile(rf"{_FOR_EXAMPLE}[:\s(\[\"'`“‘«]*$")
_OPEN_AFTER = re.compile(
    r"^[\s,\"'`”’»]*(etc|\.\.\.|…|and so on|and more|or (any|some|an)?\s*(other|similar|another)|"
    r"among others|y (otros|otras|mas)|u otr|o cualquier|entre otr|or any\b)"
)
_LEAD = re.compile(
    r"\b(?P<strong>one of|any of|either|valid (values|options)( are)?|(allowed|possible|accepted|supported|"
    r"permitted) (values|options|types|units)?( are)?|options( are)?|choices( are)?|values( are)?|"
    r"un[oa] de|cualquiera de|valores( posibles| validos| permitidos| admitidos)?( son)?|opciones( son)?)"
    r"(?: these| the following| estos| los siguientes)?\s*[:=(\[]?\s*"
    r"|\b(?P<weak>(must|should|can|could|may|has to) (only )?be|it is|puede(n)? ser|debe(n)? ser|"
    r"tiene que ser|admite|accepts|acepta)\s*(?P<colon>:)?\s*"
)
_QUOTE = "\"'`“”‘’«»"
_ITEM = rf"(?:[{_QUOTE}][^{_QUOTE}\n]{{1,30}}[{_QUOTE}]|[^\W_][\w+.-]*(?: [\w+-]+){{0,2}}?)"
_BETWEEN = r"(?:\s*,\s*(?:or|and|o|y|u|e)\s+|\s*,\s*|\s*[/|]\s*|\s+(?:or|o|u|y|and)\s+)"
_LIST = re.compile(rf"{_ITEM}(?:{_BETWEEN}{_ITEM})+")
_QUOTED = rf"[{_QUOTE}][\w .+-]{{1,30}}[{_QUOTE}]"
_QUOTED_LIST = re.compile(rf"{_QUOTED}(?:\s*\([^)]*\))?(?:{_BETWEEN}{_QUOTED}(?:\s*\([^)]*\))?)+")
_GLOSSED = re.compile(
    rf"[{_QUOTE}]([\w.+-]{{1,30}})[{_QUOTE}]\s*(?:for\b|means?\b|to\b|if\b|when\b|=|:|para\b|si\b|significa\b)"
)
_NUMBERED = re.compile(r"(?<![\w.])(\d{1,2})\s*(?:=|means|significa)\s*[a-z]")
_BARS = re.compile(
    r"(?<![\w|])[\w-]+(?:\s*\|\s*[\w-]+)+(?![\w|])|(?<![\w/:.])[a-z_]+(?:/[a-z_]+){2,}(?![\w/])"
)
_IN_PARENTHESES = re.compile(r"[(\[]([^()\[\]\n]{3,80})[)\]]")

# Words that a value does not consist of: what holds them is a sentence.
_SENTENCE = frozenset(
    """
    a an the of for to in on at by with from than is are be it its valid any your their our my between
    greater less least most more not set used same only if when that which specific own
    un una el la los las de del al en por para con es son se su mayor menor entre valido valida cualquier
    que si
    """.split()
)
_NO_VALUES = frozenset(
    "empty null none blank omitted missing vacio vacia nulo nula optional opcional".split()
)
_YES_NO = (
    {"true", "false"},
    {"yes", "no"},
    {"si", "no"},
    {"verdadero", "falso"},
    {"on", "off"},
    {"y", "n"},
    {"0", "1"},
)
_DATE_LETTERS = re.compile(r"[ymdhsa:/.\-t z]+", re.I)
CLOSED = frozenset(
    """
    status state kind type level priority severity mode sort order direction unit units category period
    size role frequency gender visibility stage estado tipo nivel prioridad gravedad modo orden unidad
    unidades categoria periodo rol frecuencia genero
    """.split()
)
LONGEST = 3000
"""What stands behind is not read: a description that long has other problems."""

__all__ = ["CLOSED", "is_yes_or_no", "options_in"]


def options_in(text: str, name_words: list[str]) -> list[str]:
    """The values that a description names as all there are; empty where it names none, or only examples."""
    return [_as_written(option, text) for option in _options(plain(text[:LONGEST]), name_words)]


def _as_written(option: str, text: str) -> str:
    """The value as it stands in the description, with its capitals and accents."""
    length = len(option)
    pieces = (text[start : start + length] for start in range(min(len(text), LONGEST)))
    return next((piece for piece in pieces if plain(piece) == option), option)


def _options(text: str, name_words: list[str]) -> list[str]:
    for found in (_explained, _quoted, _bars, _after_a_lead):
        if options := found(text):
            return options
    # Shorter forms are read as lists only where the name, or the word before them, speaks of such a thing.
    before = re.split(r"[(:\[]", text)[0].split()
    if set(name_words) & CLOSED or set(before[-2:]) & CLOSED:
        return _parenthesised(text) or _nothing_but(text)
    return []


def is_yes_or_no(options: list[str]) -> bool:
    return {plain(one) for one in options} in _YES_NO


def _explained(text: str) -> list[str]:
    """Values with their meanings: "'asc' for ascending, 'desc' for descending", "1 = low, 2 = high"."""
    for pattern in (_GLOSSED, _NUMBERED):
        found = list(pattern.finditer(text))
        if len(found) > 1 and not _is_open(text, found[0].start(), found[-1].end()):
            return [one[1] for one in found]
    return []


def _quoted(text: str) -> list[str]:
    for found in _QUOTED_LIST.finditer(text):
        if _is_open(text, found.start(), found.end()):
            continue
        # "or" says that one is to be taken; a list that stands alone, after a colon or in brackets as well.
        chosen = re.search(r"\b(or|o|u)\b|[|/]", found[0])
        if chosen or re.search(r"(^|:|\(|\[|\bone of|\bun[oa] de|values)\s*$", text[: found.start()]):
            return re.findall(rf"[{_QUOTE}]([\w .+-]{{1,30}})[{_QUOTE}]", found[0])
    return []


def _bars(text: str) -> list[str]:
    for found in _BARS.finditer(text):
        options = [one.strip() for one in re.split(r"[|/]", found[0])]
        if not _is_open(text, found.start(), found.end()) and _are_values(options):
            return options
    return []


def _after_a_lead(text: str) -> list[str]:
    for lead in _LEAD.finditer(text):
        found = _LIST.match(text, lead.end())
        if not found or _OPEN_BEFORE.search(text[: lead.start()]) or _OPEN_AFTER.match(text[found.end() :]):
            continue
        options = _split(found[0])
        sure = lead["strong"] or lead["colon"] or re.search(r"\s(or|o|u)\s", found[0])
        if not sure and len(options) > 2 and not re.search(r"\s(and|y|e)\s", found[0]):
            sure = all(len(one.split()) == 1 for one in options)  # "can be low, normal, high"
        if sure and _are_values(options):
            return options
    return []


def _parenthesised(text: str) -> list[str]:
    for found in _IN_PARENTHESES.finditer(text):
        options = _split(found[1])
        if _is_open(text, found.start(1), found.end(1)) or re.match(_FOR_EXAMPLE, found[1]):
            continue
        if len(options) > 1 and _are_values(options) and all(len(one.split()) == 1 for one in options):
            return options
    return []


def _nothing_but(text: str) -> list[str]:
    """A description that is only a list, maybe after a colon: "public or private", "Order: asc/desc"."""
    listed = text.rpartition(":")[2].strip().rstrip(".")
    options = _split(listed)
    single = all(re.fullmatch(r"[\w-]+", one) for one in options)
    return options if single and re.search(r"\s(or|o|u)\s|[/|]", listed) and _are_values(options) else []


def _split(text: str) -> list[str]:
    return [one.strip(f" {_QUOTE}.") for one in re.split(_BETWEEN, text) if one.strip(f" {_QUOTE}.")]


def _is_open(text: str, start: int, end: int) -> bool:
    return bool(_OPEN_BEFORE.search(text[max(0, start - 30) : start]) or _OPEN_AFTER.match(text[end:]))


def _are_values(options: list[str]) -> bool:
    if len(options) < 2 or all(re.fullmatch(r"y+|m+|d+|a+|h+|s+", one) for one in options):
        return False  # dd/mm/yyyy
    for one in options:
        if _SENTENCE & set(one.split()) or one in _NO_VALUES or len(one) > 30:
            return False
        if _DATE_LETTERS.fullmatch(one) and len(one) > 5:
            return False
    return True
