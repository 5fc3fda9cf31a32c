"""Reading English and Spanish as far as the rules need it: names, sentences, closed lists of values.

Phrases are recognised by their general shape (a word for using, then a word for a condition), not by one
formula. Where it is not certain, the rules report nothing.
"""

from __future__ import annotations

import re
import tomllib
import unicodedata
from pathlib import Path

_DATA = tomllib.loads(Path(__file__).with_name("words.toml").read_text(encoding="utf-8"))


def word_set(name: str) -> frozenset[str]:
    """Return a list of words from words.toml."""
    return frozenset(_DATA["words"][name].split())


def phrase(name: str) -> str:
    """Return a regular expression from words.toml, which may stand there on several lines."""
    return "".join(_DATA["phrases"][name].splitlines())


def meanings(name: str) -> dict[str, str]:
    """Return a table of words.toml by word: what people write, and what they mean by it."""
    return {word: meant for meant, written in _DATA[name].items() for word in written.split()}


# Words ------------------------------------------------------------------------------------------------


def fold(text: str) -> str:
    """Return the text in lower case, without accents."""
    parts = unicodedata.normalize("NFKD", text.casefold())
    return "".join(one for one in parts if not unicodedata.combining(one))


def tokens(name: str) -> list[str]:
    """Return the words of a name: `getMessages`, `get_messages` and `get-messages` have the same."""
    spaced = re.sub(r"(?<=[a-z0-9])(?=[A-Z])|(?<=[A-Z])(?=[A-Z][a-z])", " ", name)
    return [word for word in re.split(r"[\W_]+", fold(spaced)) if word]


def words(text: str) -> list[str]:
    return re.findall(r"[^\W_]+(?:'[^\W_]+)?", fold(text))


def stem(word: str) -> str:
    """Return a word without the ending of a plural, third person or infinitive: messages, gets, buscar."""
    for ending, instead in (("ies", "y"), ("sses", "ss"), ("ches", "ch"), ("shes", "sh"), ("xes", "x")):
        if word.endswith(ending) and len(word) > len(ending) + 1:
            return word[: -len(ending)] + instead
    if re.search(r"[dlnrjz]es$", word) and len(word) > 5:
        return word[:-2]  # ciudades; English plurals in -es lose their e below, and so do both forms
    if word.endswith("s") and not word.endswith(("ss", "us", "is")) and len(word) > 3:
        word = word[:-1]
    if word.endswith(("ar", "er", "ir")) and len(word) > 4:
        word = word[:-1]  # buscar and busca; for "order" any form will do, if it is always the same
    return word[:-1] if word.endswith("e") and len(word) > 4 else word


_STOP = word_set("stop")
_EMPTY = frozenset(map(stem, word_set("empty")))


def content(text: str) -> set[str]:
    """Return the stems of the words that say something; generic ones ("data", "handle") do not."""
    return {stem(word) for word in words(text) if word not in _STOP} - _EMPTY


# Verbs --------------------------------------------------------------------------------------------

_VERBS = word_set("verbs")
_SPANISH_VERB = re.compile(r"[a-z]{2,}(ar|er|ir)(lo|la|los|las|se)?$")
_NOT_VERBS = word_set("not_verbs")
_RETRIEVING = frozenset(map(stem, word_set("retrieving")))


_MOSTLY_NOUNS = word_set("mostly_nouns")


def is_verb(word: str) -> bool:
    if word in _VERBS - _MOSTLY_NOUNS:
        return True
    return bool(_SPANISH_VERB.fullmatch(word)) and word not in _NOT_VERBS


def first_verb(text: str) -> str:
    """Return the stem of a description's first word, which in a good one says what is done."""
    found = words(text)
    return stem(found[0]) if found else ""


# What a description says --------------------------------------------------------------------------

_SOMEBODY = f"({phrase('somebody')})"
_USING = f"({phrase('using')})"
_CONDITION = f"({phrase('condition')})"
_WHEN = re.compile(
    rf"\b(when(ever)?|if|once|every time|any time|before|after|cuando|si|siempre que|cada vez que|en cuanto|"
    rf"antes de|despues de)\b[^.;:\n]{{0,40}}\b{_SOMEBODY}\b"
    rf"|\b{_USING}\b[^.;\n]{{0,60}}\b{_CONDITION}\b"
    r"|\b(questions?|requests?|preguntas?|dudas?|consultas?) (about|on|regarding|sobre|acerca|de)\b"
    r"|\bfor (any|all|every|when|things like|cases)\b"
    r"|\b(before|after) \w+ing\b|\b(antes|despues) de \w+r\b"
)
_RETURNS = re.compile(rf"\b({phrase('returns')})\b")
_NOT = re.compile(rf"\b({phrase('not')})\b")


def understood(text: str) -> bool:
    """Return whether a text is in English or Spanish, as far as its small words tell."""
    if any(ord(one) > 0x24F and one.isalpha() for one in text):
        return False
    found = words(text)
    return len(found) < 6 or any(word in _STOP for word in found)


def says_when(text: str) -> bool:
    """Return whether a description says when to use the tool."""
    return bool(_WHEN.search(fold(text)))


def says_returns(text: str) -> bool:
    """Return whether a description says what comes back, or by its first verb: "Counts the messages"."""
    if _RETURNS.search(fold(text)):
        return True
    return first_verb(text) in _RETRIEVING and len(words(text)) >= 5


def says_when_not(text: str) -> bool:
    """Return whether a description says what the tool is not for."""
    return bool(_NOT.search(fold(text)))


# What the description of a field says -------------------------------------------------------------

_EXAMPLE = re.compile(phrase("example"))
_ORIGIN = re.compile(phrase("origin"))


def has_example(text: str) -> bool:
    """Return whether a field's description shows what a value looks like, or says where it comes from."""
    unaccented = "".join(one for one in unicodedata.normalize("NFKD", text) if not unicodedata.combining(one))
    return bool(
        _EXAMPLE.search(unaccented) or _EXAMPLE.search(unaccented.lower()) or _ORIGIN.search(fold(text))
    )


# Closed lists of values in a description: "one of a, b or c", "'a' | 'b'", "(a, b)" --------------------

_FOR_EXAMPLE = f"({phrase('for_example')})"
_OPEN_BEFORE = re.compile(rf"{_FOR_EXAMPLE}[:\s(\[\"'`“‘«]*$")
_OPEN_AFTER = re.compile(phrase("open_after"))
_LEAD = re.compile(phrase("lead"))
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

_SENTENCE = word_set("sentence")
_NO_VALUES = word_set("no_values")
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
CLOSED = word_set("closed")
LONGEST = 3000
"""What stands behind is not read: a description that long has other problems."""


def options_in(text: str, name_words: list[str]) -> list[str]:
    """Return the values that a description names as all there are; none if it names only examples."""
    return [_as_written(option, text) for option in _options(fold(text[:LONGEST]), name_words)]


def _as_written(option: str, text: str) -> str:
    """Return the value as it stands in the description, with its capitals and accents."""
    length = len(option)
    pieces = (text[start : start + length] for start in range(min(len(text), LONGEST)))
    return next((piece for piece in pieces if fold(piece) == option), option)


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
    return {fold(one) for one in options} in _YES_NO


def _explained(text: str) -> list[str]:
    """Return values that stand with their meanings: "'asc' for ascending", "1 = low, 2 = high"."""
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
    """Return the values of a description that is only a list: "public or private", "Order: asc/desc"."""
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
