"""Arithmetic in a message: "12 * 7", "3 veces 4", "15% of 80", "divide 10 by 4" -> an expression in digits
and signs."""

from __future__ import annotations

import ast
import operator
import re
from collections.abc import Iterator
from dataclasses import dataclass

from .language import one_of
from .numerals import DIGITS, number

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
_OPERATORS = [(re.compile(one_of(*words), re.IGNORECASE), sign) for sign, words in _WORDS.items()]
_TOKEN = re.compile(
    rf"(?P<number>(?<![\w.,]){DIGITS}(?!\s?%))"
    r"|(?P<open>\()|(?P<close>\))|(?P<sign>\*\*|[-−+*×·/÷^])"
    rf"|\b(?P<word>{one_of(*(word for words in _WORDS.values() for word in words))})\b"
    r"|\b(?P<power>squared|cubed|al cuadrado|al cubo)\b",
    re.IGNORECASE,
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
_LISTS = re.compile(
    r"\b(?:add(?: up)?|sum(?: up)?(?: of)?|suma\w*(?: de)?)\s+"
    rf"((?:{DIGITS})(?:\s*(?:,|\band\b|\bto\b|\by\b|\bcon\b|\be\b)\s*(?:{DIGITS})){{1,20}})",
    re.IGNORECASE,
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


def find_expressions(text: str, tongue: str) -> Iterator[tuple[int, int, str]]:
    """The arithmetic in a text: (start, end, expression). One pass, whatever the text holds."""
    for pattern, form in _REQUESTS:
        for match in re.finditer(pattern, text, re.IGNORECASE):
            yield (
                match.start(),
                match.end(),
                form.format(*(str(number(part, tongue)) for part in match.groups())),
            )
    for match in _LISTS.finditer(text):
        numbers = [str(number(part, tongue)) for part in re.findall(DIGITS, match[1])]
        yield match.start(), match.end(), " + ".join(numbers)
    run: _Run | None = None
    for token in _TOKEN.finditer(text):
        if run and text[run.ends[-1] : token.start()].strip():
            yield from _finish(run)
            run = None
        if run and _take(run, token, text, tongue):
            continue
        if run:
            yield from _finish(run)
        run = _Run(token.start(), [], [])
        if not _take(run, token, text, tongue):
            run = None
    if run:
        yield from _finish(run)


def worth(expression: str) -> int | float | None:
    """What an expression comes to; None where that is no number, or the expression is too large to try."""
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


def _take(run: _Run, token: re.Match[str], text: str, tongue: str) -> bool:
    """Add a token to the run; False where it cannot stand there."""
    kind = token.lastgroup
    wants_number = not run.pieces or run.pieces[-1] in ("(", "+", "-", "*", "/", "**", "neg")
    if kind in ("number", "open") and not wants_number:
        return False
    if kind in ("close", "power", "word") and wants_number:
        return False
    if kind == "close" and run.depth == 0:
        return False
    if kind == "number":
        run.pieces.append(str(number(token.group(), tongue)))
    elif kind in ("open", "close"):
        run.depth += 1 if kind == "open" else -1
        run.pieces.append(token.group())
    elif kind == "power":
        run.pieces.append("** 3" if re.search("cub", token.group(), re.IGNORECASE) else "** 2")
        run.loose = True
    elif wants_number:
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
    """The expression of a run, without what dangles at its ends; nothing where no sign joins numbers."""
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
