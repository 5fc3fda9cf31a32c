"""Numbers as people write them, and arithmetic in a message."""

from __future__ import annotations

import ast
import operator
import re
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import date
from functools import cache

from .text import WORD, any_case, fold, fold_in_place, one_of, read_rows

# Numbers: "1,234.5", "1.234,5", "twenty-five", "doscientos cincuenta" -----------------------------

# Possessive (++): a long run of digits is read once, never again in shorter pieces. What goes on with a dot
# and a digit ("192.168.1.1", "1.234.5") is no number.
DIGITS = (
    r"(?:\d{1,3}(?:,\d{3}){1,30}+(?:\.\d{1,100}+)?|\d{1,3}(?:\.\d{3}){1,30}+(?:,\d{1,100}+)?"
    r"|\d{1,100}+(?:\.\d{1,100}+|,\d{1,100}+(?!,\d))?)(?!\.?\d|,\d{3}(?!\d))"
)

_ONES = {
    "en": "zero one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen "
    "sixteen seventeen eighteen nineteen",
    "es": "cero uno dos tres cuatro cinco seis siete ocho nueve diez once doce trece catorce quince "
    "dieciseis diecisiete dieciocho diecinueve veinte veintiuno veintidos veintitres veinticuatro "
    "veinticinco veintiseis veintisiete veintiocho veintinueve",
}
_TENS = {
    "en": "twenty thirty forty fifty sixty seventy eighty ninety",
    "es": "veinte treinta cuarenta cincuenta sesenta setenta ochenta noventa",
}
_HUNDREDS = (
    "ciento doscientos trescientos cuatrocientos quinientos seiscientos setecientos ochocientos novecientos"
)
_SMALL = {
    language: {word: value for value, word in enumerate(_ONES[language].split())}
    | {word: 10 * tens for tens, word in enumerate(_TENS[language].split(), 2)}
    for language in ("en", "es")
}
_SMALL["en"] |= {"dozen": 12}
_SMALL["es"] |= {word: 100 * count for count, word in enumerate(_HUNDREDS.split(), 1)}
_SMALL["es"] |= {"docena": 12, "cien": 100, "veintiun": 21}
_TIMES = {
    "en": {"hundred": 100, "thousand": 1_000, "million": 1_000_000},
    "es": {"mil": 1_000, "millon": 1_000_000, "millones": 1_000_000},
}
_LINK = {"en": "and", "es": "y"}
# "which one", "the one", "the longest one": there it is a pronoun.
_AFTER_ADJECTIVE = any_case(r"\b(?:an?|the)\s+[^\W\d_]+\s+$")
_NOT_A_COUNT = any_case(r"\b(?:which|this|that|the|each|any|no|every|another|only|other|cada|el|la)\s+$")


def number(text: str, language: str) -> int | float:
    """Return a number in digits, as the language writes it: in English 1,234.5, in Spanish 1.234,5."""
    text = text.replace("−", "-").strip()
    dot, comma = text.rfind("."), text.rfind(",")
    if dot >= 0 and comma >= 0:  # both: the later one is the decimal mark
        thousands = "," if dot > comma else "."
        text = text.replace(thousands, "").replace(",", ".")
    elif comma >= 0:
        grouped = re.fullmatch(r"-?\d{1,3}(,\d{3})+", text) and (language == "en" or text.count(",") > 1)
        text = text.replace(",", "" if grouped else ".")
    elif (
        dot >= 0 and re.fullmatch(r"-?\d{1,3}(\.\d{3})+", text) and (language == "es" or text.count(".") > 1)
    ):
        text = text.replace(".", "")
    return float(text) if "." in text else int(text)


def number_in(text: str) -> int | float | None:
    """Return the number that a text is, written in digits; None for any other text."""
    return number(text, "en") if re.fullmatch(rf"[-−]?{DIGITS}", text) else None


def is_number_word(word: str) -> bool:
    """Return whether a word is a number, in digits or letters."""
    return word[-1:].isdigit() or any(fold(word) in words for words in (*_SMALL.values(), *_TIMES.values()))


def spelled(text: str, language: str) -> Iterator[tuple[int, int, int]]:
    """Yield the numbers in words of a text: (start, end, value), "two hundred and fifty" as one."""
    run: list[re.Match[str]] = []
    for match in [*WORD.finditer(text), None]:
        word = fold(match.group()) if match else ""
        close = bool(run and match) and not text[run[-1].end() : match.start()].strip(" -")
        if match and (not run or close) and (word in _SMALL[language] or word in _TIMES[language]):
            run.append(match)
        elif run and close and word == _LINK[language]:
            run.append(match)
        else:
            if run:
                yield from _numbers_of(text, run, language)
            run = [match] if match and (word in _SMALL[language] or word in _TIMES[language]) else []


def _numbers_of(text: str, run: list[re.Match[str]], language: str) -> Iterator[tuple[int, int, int]]:
    """Cut a run of number words where one cannot continue the number: "two and three" are two numbers."""
    total, current, used = 0, 0, []
    folded = [fold(match.group()) for match in run]
    for position, (match, word) in enumerate(zip(run, folded, strict=True)):
        if word == _LINK[language]:
            joins = _joins(used, folded[position + 1 : position + 3], language)
            cut, value = bool(used) and not joins, None
        elif word in _TIMES[language]:
            cut, value = not _multiplies(total, current, _TIMES[language][word]), None
        else:
            value = _SMALL[language][word]
            cut = bool(used) and not (
                current % 100 == 0 or (current % 10 == 0 and current % 100 >= 20 and value < 10)
            )
        if cut:
            yield used[0].start(), used[-1].end(), total + current
            total, current, used = 0, 0, []
        if word == _LINK[language]:
            continue
        if value is not None:
            current += value
        elif (times := _TIMES[language][word]) < 1_000:
            current = max(current, 1) * times
        elif total % times:  # "two thousand million"
            total, current = (total + current) * times, 0
        else:
            total, current = total + max(current, 1) * times, 0
        used.append(match)
    if used and not (
        len(used) == 1
        and total + current == 1
        and (
            _NOT_A_COUNT.search(text[max(0, used[0].start() - 12) : used[0].start()])
            or _AFTER_ADJECTIVE.search(text[max(0, used[0].start() - 20) : used[0].start()])
        )
    ):
        yield used[0].start(), used[-1].end(), total + current


def _multiplies(total: int, current: int, times: int) -> bool:
    """Return whether "hundred", "thousand" or "million" may follow what was read of a number: each of them
    once ("two million three thousand"), and a smaller one before a larger one ("two hundred thousand").
    """
    if times < 1_000:
        return current < times
    return current < times and (total < times or total % (1_000 * times) == 0)


def _joins(used: list[re.Match[str]], following: list[str], language: str) -> bool:
    """Return whether "and" lies inside one number: "two hundred and six", "treinta y dos"; not in "one
    hundred and two hundred"."""
    if not used or not following or following[0] not in _SMALL[language]:
        return False
    last = fold(used[-1].group())
    if language == "en":
        scale, next_scale = (_TIMES["en"].get(word, 0) for word in (last, following[-1]))
        return scale > next_scale or scale == 100 < next_scale  # "two hundred and six thousand"
    return last in _TENS["es"].split() and _SMALL["es"][following[0]] < 10


# Units of measurement: "kg", "miles", "°C" --------------------------------------------------------


@cache
def _units() -> dict[str, tuple[str, float, float]]:
    """Word -> what it measures, how many base units it is, and what is added after that."""
    found = {}
    for measure, figures, listed in read_rows("units.txt"):
        factor, offset = (*map(float, figures.split()), 0.0)[:2]
        found |= {word: (measure, factor, offset) for word in listed.split()}
    return found


@cache
def unit_forms() -> dict[str, str]:
    """Return the words for each unit, also of several, and the unit in the form of the list: "kilos" ->
    "kilo"."""
    return {word + ending: word for ending in ("es", "s", "") for word in _units()}


def unit_of(word: str) -> str:
    """Return the unit that a word names, in the form of the list; "" where it names none."""
    return unit_forms().get(fold(word), "")


def measure_of_unit(unit: str) -> str:
    """Return what a unit measures: "mass", "length", …"""
    return _units()[unit][0]


def in_unit(value: float, unit: str, other: str) -> float:
    """Return how many of another unit of the same measure a quantity is."""
    _, factor, offset = _units()[unit]
    _, others_factor, others_offset = _units()[other]
    return (value * factor + offset - others_offset) / others_factor


# Quantities in words that are no whole number of their unit, or a single one. (folded)
_PARTS = [
    (r"\bhalf an? ", 0.5), (r"\b(?:a )?quarter of an? ", 0.25), (r"\bthree quarters of an? ", 0.75),
    (r"\bmedi[ao] ", 0.5), (r"\b(?:un )?cuarto de ", 0.25), (r"\btres cuartos de ", 0.75),
    (r"\ba couple of ", 2), (r"\bun par de ", 2),
    # Not in "120 euros a night": that is a rate.
    (r"(?:^|(?<=[,;:.(] )|(?<=\bfor )|(?<=\bin )|(?<=\btakes )|(?<=\blasts )|(?<=\babout )|(?<=\bof )"
     r"|(?<=\bis )|(?<=\bdurante )|(?<=\bde )|(?<=\ben )|(?<=\bpor )|(?<=\bdura ))(?:an?|una?) ", 1),
]  # fmt: skip
_PARTS_BEFORE = [
    (re.compile(pattern + r"(?=([a-z]{2,20})\b(?! (?:ago|from now)))"), value) for pattern, value in _PARTS
]
_AND_A_HALF = re.compile(r"\b(?:an|one|una) (hour|day|year|hora) (?:and a half|y media)\b")


def find_parts(text: str) -> Iterator[tuple[int, int, float, str]]:
    """Yield the parts of a unit in words: (start, end, value, unit), "half an" of "half an hour" as 0.5.

    The unit is empty where it follows in the text.
    """
    folded = fold_in_place(text)
    yield from ((*match.span(), 1.5, match[1]) for match in _AND_A_HALF.finditer(folded))
    for pattern, value in _PARTS_BEFORE:
        for match in pattern.finditer(folded):
            if value == 2 or (unit_of(match[1]) and not match[1].endswith("s")):
                yield match.start(), match.end() - 1, value, ""


# Arithmetic: "12 * 7", "3 veces 4", "15% of 80" -> an expression in digits and signs --------------

_WORDS = {
    "**": ["to the power of", "raised to(?: the power of)?", "elevado a(?: la)?"],
    "*": ["times", "multiplied by", "multiplicado por", "por", "veces", "x"],
    "/": ["divided by", "over", "dividido (?:por|entre)", "entre"],
    "+": ["plus", "added to", "m[aá]s", "sumado a"],
    "-": ["minus", "menos"],
}
_SIGNS = {
    "*": "*",
    "×": "*",
    "·": "*",
    "/": "/",
    "÷": "/",
    "+": "+",
    "-": "-",
    "−": "-",
    "^": "**",
    "**": "**",
}
_OPERATORS = [(any_case(one_of(*words)), sign) for sign, words in _WORDS.items()]
_TOKEN = any_case(
    rf"(?P<number>(?<![\w.,]){DIGITS}(?!\s?%))"
    r"|(?P<open>\()|(?P<close>\))|(?P<sign>\*\*|[-−+*×·/÷^])"
    rf"|\b(?P<word>{one_of(*(word for words in _WORDS.values() for word in words))})\b"
    r"|\b(?P<power>squared|cubed|al cuadrado|al cubo)\b"
)
_COMPUTED = {
    ast.Add: operator.add,
    ast.Sub: operator.sub,
    ast.Mult: operator.mul,
    ast.Div: operator.truediv,
    ast.Pow: operator.pow,
}
_N = rf"({DIGITS})"
_REQUESTS = [  # what is asked for in words of its own -> expression
    (
        rf"\b{_N}\s?(?:%|percent|per cent|por ciento)\s+(?:of|off?|del?)\s+(?:[$€£]\s?)?{_N}",
        "{0} / 100 * {1}",
    ),
    (rf"\b(?:square root of|sqrt(?: of)?|ra[ií]z cuadrada de)\s*\(?{_N}\)?", "{0} ** 0.5"),
    (rf"\b(?:multiply|multiplica\w*)\s+{_N}\s+(?:by|times|por)\s+{_N}", "{0} * {1}"),
    (rf"\b(?:divide|divid[ae]\w*)\s+{_N}\s+(?:by|entre|por)\s+{_N}", "{0} / {1}"),
    (rf"\b(?:subtract|take|resta\w*|r[eé]stale)\s+{_N}\s+(?:from|de|a)\s+{_N}", "{1} - {0}"),
    (rf"\b(?:difference (?:between|of)|diferencia entre)\s+{_N}\s+(?:and|y)\s+{_N}", "{0} - {1}"),
    (rf"\b(?:product of|producto de)\s+{_N}\s+(?:and|y|por)\s+{_N}", "{0} * {1}"),
]
_LISTS = any_case(
    r"\b(?:add(?: up)?|sum(?: up)?(?: of)?|suma\w*(?: de)?)\s+"
    rf"((?:{DIGITS})(?:\s*(?:,|\band\b|\bto\b|\by\b|\bcon\b|\be\b)\s*(?:{DIGITS})){{1,20}})"
)


@dataclass
class _Run:
    """An expression that is being read, token by token."""

    start: int
    pieces: list[str]
    ends: list[int]
    loose: bool = False
    """Whether anything but a minus without spaces joins the numbers: 555-0199 is no subtraction."""
    depth: int = 0


def find_expressions(text: str, today: date, language: str) -> Iterator[tuple[int, int, str]]:
    """Yield the arithmetic in a text: (start, end, expression). One pass, whatever the text holds."""
    for pattern, form in _REQUESTS:
        for match in re.finditer(pattern, text, re.IGNORECASE):
            yield (
                match.start(),
                match.end(),
                form.format(*(str(number(part, language)) for part in match.groups())),
            )
    for match in _LISTS.finditer(text):
        numbers = [str(number(part, language)) for part in re.findall(DIGITS, match[1])]
        yield match.start(), match.end(), " + ".join(numbers)
    run: _Run | None = None
    for token in _TOKEN.finditer(text):
        if run and text[run.ends[-1] : token.start()].strip():
            yield from _finish(run)
            run = None
        if run and _take(run, token, text, language):
            continue
        if run:
            yield from _finish(run)
        run = _Run(token.start(), [], [])
        if not _take(run, token, text, language):
            run = None
    if run:
        yield from _finish(run)


def worth(expression: str) -> int | float | None:
    """Return what an expression comes to; None where that is no number, or the expression is too large to
    try."""
    if len(expression) > 200 or expression.count("**") > 1:
        return None
    try:
        value = _value(ast.parse(expression, mode="eval").body)
        whole = isinstance(value, float) and value.is_integer() and abs(value) < 1e15
        return int(value) if whole else round(value, 10)
    except (ArithmeticError, SyntaxError, TypeError, ValueError, RecursionError, KeyError):
        return None


def _value(node: ast.AST) -> int | float:
    if isinstance(node, ast.Constant) and isinstance(node.value, int | float):
        return node.value
    if isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.USub):
        return -_value(node.operand)
    if isinstance(node, ast.BinOp):
        left, right = _value(node.left), _value(node.right)
        if isinstance(node.op, ast.Pow) and (abs(left) > 1e6 or abs(right) > 20):
            raise ValueError("too large to try")
        return _COMPUTED[type(node.op)](left, right)
    raise ValueError(f"no arithmetic: {type(node).__name__}")


def _take(run: _Run, token: re.Match[str], text: str, language: str) -> bool:
    """Add a token to the run; False where it cannot stand there."""
    kind = token.lastgroup
    needs_number = not run.pieces or run.pieces[-1] in ("(", "+", "-", "*", "/", "**", "neg")
    if kind in ("number", "open") and not needs_number:
        return False
    if kind in ("close", "power", "word") and needs_number:
        return False
    if kind == "close" and run.depth == 0:
        return False
    if kind == "number":
        run.pieces.append(str(number(token.group(), language)))
    elif kind in ("open", "close"):
        run.depth += 1 if kind == "open" else -1
        run.pieces.append(token.group())
    elif kind == "power":
        run.pieces.append("** 3" if re.search("cub", token.group(), re.IGNORECASE) else "** 2")
        run.loose = True
    elif needs_number:
        if token["sign"] not in ("-", "−") or run.pieces[-1:] == ["neg"]:
            return False
        run.pieces.append("neg")
    else:
        sign = _SIGNS.get(token["sign"] or "") or _sign_of(token.group())
        beside = text[token.start() - 1 : token.start()] + text[token.end() : token.end() + 1]
        run.loose = run.loose or sign != "-" or not beside.isdigit()
        run.pieces.append(sign)
    run.ends.append(token.end())
    return True


def _sign_of(words: str) -> str:
    return next(sign for pattern, sign in _OPERATORS if pattern.fullmatch(words))


def _finish(run: _Run) -> Iterator[tuple[int, int, str]]:
    """Yield the expression of a run, without what dangles at its ends; nothing where no sign joins
    numbers."""
    pieces, ends = run.pieces, run.ends
    while pieces and pieces[-1] in ("(", "+", "-", "*", "/", "**", "neg"):
        pieces.pop()
        ends.pop()
    unclosed = pieces.count("(") - pieces.count(")")
    while unclosed > 0 and pieces and pieces[0] == "(":
        pieces.pop(0)
        unclosed -= 1
    numbers = [float(piece.split()[0]) for piece in pieces if piece[0].isdigit()]
    signs = [piece for piece in pieces if piece in _SIGNS.values() or "**" in piece]
    if unclosed or not signs or (len(numbers) < 2 and not any("**" in piece for piece in pieces)):
        return
    if not run.loose and not (len(numbers) == 2 and numbers[0] > numbers[1]):
        return  # 100-37 is a subtraction; 10-20 is a range, 555-0199-4 a number of some kind
    written = " ".join(pieces).replace("( ", "(").replace(" )", ")").replace("neg ", "-")
    yield run.start, ends[-1], written
