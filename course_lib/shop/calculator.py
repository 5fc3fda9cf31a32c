"""A calculator that is safe to hand to a model: `simpleeval` walks the expression, the bounds are ours.

It knows numbers and the operators + - * / // % ** with brackets, nothing else: no names, no functions, no
text. It counts in decimal with 100 digits, so 0.1 + 0.2 is 0.3 and 1 / 3 * 3 is 1, and it refuses what would
take long.
"""

from __future__ import annotations

import ast
import decimal
import functools
import itertools
import re
from collections.abc import Callable
from decimal import Decimal

LONGEST = 200  # characters of an expression
DEEPEST = 20  # brackets inside brackets
MOST_DIGITS = 50  # before the decimal point, of every number on the way
_TOO_LARGE = Decimal(10) ** MOST_DIGITS
_AS_GOOD_AS_ZERO = Decimal("1e-40")  # what rounding leaves of 1/3 + 1/3 + 1/3 - 1
_COUNTING = decimal.Context(
    prec=100, traps=[decimal.InvalidOperation, decimal.DivisionByZero, decimal.Overflow]
)
_STEADY = decimal.Context(prec=60)  # digits that rounding does not reach
_ROUNDING = Decimal("1e-60")  # of a divisor: 1 % (1 / 233) leaves nothing, but 1 / 233 has no exact decimals

_EVERYDAY_SIGNS = str.maketrans({"×": "*", "·": "*", "÷": "/", "−": "-", "–": "-", "^": "**"})
_ADVICE = {
    ",": "write numbers without thousands commas and with a point for decimals: 1234.5",
    "_": "write numbers without separators: 1000000",
    "=": "write only what is to be calculated: 2 + 2",
    "<": "write 8 * 2 ** 3 for 8 << 3",
    ">": "write 8 / 2 ** 3 for 8 >> 3",
    "!": "write a factorial out: 4 * 3 * 2 * 1",
    "√": "write 9 ** 0.5 for a square root",
    "$": "write amounts without a currency sign: 12.50",
    "€": "write amounts without a currency sign: 12.50",
    "²": "write 5 ** 2 for a square",
    "x": "write * to multiply; names are not available",
    "[": "write round brackets: ( )",
    "]": "write round brackets: ( )",
}
_PERCENT_ADVICE = "% is the remainder of a division: write 0.20 * 50 for 20 percent of 50"
_SIGNS_ADVICE = "use only numbers, + - * / // % ** and round brackets"
_WORDS_ADVICE = (
    "names, functions and words are not available: write 9 ** 0.5 for sqrt(9), 0.20 * 50 for 20% of 50"
)


class CalculatorError(ValueError):
    """The expression is not one that the calculator works out; the text says what to write instead."""


def calculate(expression: str) -> int | float:
    """Work out an arithmetic expression.

    Args:
        expression: Numbers with + - * / // (whole division) % (remainder) ** (power) and brackets, such as
            "(2.5 + 1) * 8.50". The signs × ÷ ^ are understood too. Write a point for decimals, no thousands
            commas, no names or functions, no percent sign for percentages.

    Returns:
        The result: an integer where it is whole, else the nearest floating-point number. What is nearer to 0
        than 1e-40 is 0.

    Raises:
        CalculatorError: the expression is not arithmetic of this kind, or is too long, too deep or too large.
    """
    source = _checked(expression)
    try:
        # A context of our own, whatever the thread's is: it decides how exactly we count and what fails.
        with decimal.localcontext(_COUNTING):
            # A new evaluator each time: it keeps the expression it works on, and threads must not share that.
            return _result(_evaluator_class()().eval(source))
    except CalculatorError:
        raise
    except SyntaxError:
        raise CalculatorError(_why_unreadable(source)) from None
    except decimal.Overflow:
        raise CalculatorError(_too_large()) from None
    except (decimal.DecimalException, RecursionError):
        raise CalculatorError(
            f"{_shown(source)} cannot be worked out: split it into smaller steps."
        ) from None


def _checked(expression: object) -> str:
    """Refuse by looks alone what need not be parsed, and return the text in Python's own signs."""
    if not isinstance(expression, str):
        kind = type(expression).__name__
        raise CalculatorError(f"expression must be text such as '2 * 3', not {kind}.")
    if len(expression) > LONGEST:
        raise CalculatorError(
            f"The expression has {len(expression)} characters: write at most {LONGEST}, in several steps."
        )
    source = " ".join(expression.translate(_EVERYDAY_SIGNS).split())
    if not source:
        raise CalculatorError("The expression is empty: write one such as '2 * 3'.")
    if odd := re.search(r"[^0-9eE.+\-*/%() ]", source):
        character = odd.group()
        advice = _ADVICE.get(character.lower(), _WORDS_ADVICE if character.isalpha() else _SIGNS_ADVICE)
        raise CalculatorError(f"{character!r} in {_shown(source)} is not arithmetic: {advice}.")
    if re.search(r"% ?[+\-*/)]", source):
        raise CalculatorError(f"{_shown(source)} cannot be read: {_PERCENT_ADVICE}.")
    depths = itertools.accumulate((character == "(") - (character == ")") for character in source)
    if max(depths) > DEEPEST:
        raise CalculatorError(
            f"The brackets are more than {DEEPEST} deep: split the expression into smaller steps."
        )
    return source


@functools.cache
def _evaluator_class() -> type:
    # Imported here, so that a lesson that calculates nothing does not wait for it.
    from simpleeval import SimpleEval

    class Evaluator(SimpleEval):
        """Numbers, brackets and seven operators."""

        def __init__(self) -> None:
            super().__init__(operators=_OPERATORS, functions={}, names={})
            allowed = (ast.Expr, ast.BinOp, ast.UnaryOp)
            self.nodes = {kind: self.nodes[kind] for kind in allowed} | {ast.Constant: self._number}

        def _number(self, node: ast.Constant) -> Decimal:
            # From the digits as written: the parsed float has already lost some of them.
            return _bounded(Decimal(self.expr[node.col_offset : node.end_col_offset]))

        def _eval(self, node: ast.AST) -> Decimal:
            if type(node) not in self.nodes:
                raise CalculatorError(_why_unreadable(self.expr))
            return super()._eval(node)

    return Evaluator


def _bounded(value: Decimal) -> Decimal:
    if abs(value) >= _TOO_LARGE:
        raise CalculatorError(_too_large())
    return value


def _operator(compute: Callable[..., Decimal]) -> Callable[..., Decimal]:
    return lambda *operands: _bounded(compute(*operands))


def _divide(a: Decimal, b: Decimal) -> Decimal:
    return a / _not_zero(b)


def _whole_divide(a: Decimal, b: Decimal) -> Decimal:
    """Round down, as Python's // does for numbers; the // of Decimal rounds towards zero."""
    return _without_residue(_bounded(_divide(a, b))).to_integral_value(decimal.ROUND_FLOOR)


def _remainder(a: Decimal, b: Decimal) -> Decimal:
    """Take the sign of the divisor, as Python's % does for numbers."""
    rest = a - b * _whole_divide(a, b)
    return Decimal(0) if abs(rest) < abs(b) * _ROUNDING else rest


def _power(a: Decimal, b: Decimal) -> Decimal:
    b = _without_residue(b)
    if b == 0:
        return Decimal(1)
    if b < 0:
        _not_zero(a)
    if a < 0 and b != b.to_integral_value():
        raise CalculatorError(f"A negative number has no real power {b:.6g}: check the sign of the base.")
    return a**b


def _without_residue(value: Decimal) -> Decimal:
    """Drop what rounding has left far behind the point: 1 / 3 * 3 is 0.999... with 100 nines, and means 1."""
    return _STEADY.plus(value)


def _not_zero(divisor: Decimal) -> Decimal:
    if divisor == 0:
        raise CalculatorError("The expression divides by zero: there is no result; check the divisor.")
    return divisor


_OPERATORS = {
    ast.Add: _operator(lambda a, b: a + b),
    ast.Sub: _operator(lambda a, b: a - b),
    ast.Mult: _operator(lambda a, b: a * b),
    ast.Div: _operator(_divide),
    ast.FloorDiv: _operator(_whole_divide),
    ast.Mod: _operator(_remainder),
    ast.Pow: _operator(_power),
    ast.USub: _operator(lambda a: -a),
    ast.UAdd: _operator(lambda a: a),
}


def _result(value: Decimal) -> int | float:
    rounded = _without_residue(value)
    if abs(rounded) < _AS_GOOD_AS_ZERO:
        return 0
    return int(rounded) if rounded == rounded.to_integral_value() else float(rounded)


def _why_unreadable(source: str) -> str:
    if re.search(r"[eE]", re.sub(r"[0-9.]+[eE][+-]?[0-9]+", "", source)):
        advice = _WORDS_ADVICE
    elif "%" in source:
        advice = _PERCENT_ADVICE
    elif re.search(r"[0-9.)] ?\(|\) ?[0-9.]", source):
        advice = "write * between a number and a bracket: 2 * (3 + 4)"
    elif re.search(r"(?<![0-9.])0[0-9]", source):
        advice = "write numbers without zeros in front: 7, not 007"
    elif source.count("(") != source.count(")"):
        advice = "each ( needs its )"
    else:
        advice = "write numbers with an operator between each two, such as 2 * (3 + 4)"
    return f"{_shown(source)} cannot be read as arithmetic: {advice}."


def _too_large() -> str:
    return f"The numbers get too large: every step must stay under {MOST_DIGITS} digits; use smaller numbers."


def _shown(source: str) -> str:
    return repr(source if len(source) <= 40 else source[:40] + "...")
