"""calculate(): what it works out, what it refuses, and that refusing is quick."""

from __future__ import annotations

import decimal
import math
import operator
from concurrent.futures import ThreadPoolExecutor
from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st

from course_lib.shop.calculator import LONGEST, CalculatorError, calculate


@pytest.mark.parametrize(
    ("expression", "result"),
    [
        ("123 * 456", 56088),
        ("(2.5 + 1) * 8.50", 29.75),
        ("2 + 3 * 4", 14),
        ("2 ** 3 ** 2", 512),
        ("-2 ** 2", -4),
        ("7 // 2", 3),
        ("-7 // 2", -4),
        ("7 // (-2)", -4),
        ("-7 % 3", 2),
        ("7 % (-3)", -2),
        ("7.5 % 2", 1.5),
        ("9 ** 0.5", 3),
        ("2 ** -1", 0.5),
        ("0 ** 0", 1),
        ("--5", 5),
        ("+5", 5),
        (".5 + 1.", 1.5),
        ("1e3 + 1E-1", 1000.1),
        ("  1\n+\t2 ", 3),
        ("0.20 * 50", 10),
        ("123456789 * 987654321", 121932631112635269),
        ("99999999999.99 + 0.01", 100000000000),
        ("99999999999.98 + 0.01", 99999999999.99),
    ],
)
def test_it_works_out_arithmetic(expression, result):
    value = calculate(expression)
    assert value == result and type(value) is type(result)


@pytest.mark.parametrize(
    ("expression", "result"),
    [("3 × 4", 12), ("3·4", 12), ("8 ÷ 2", 4), ("5 − 2", 3), ("5 – 2", 3), ("2^10", 1024)],
)
def test_it_understands_everyday_signs(expression, result):
    assert calculate(expression) == result


@pytest.mark.parametrize(
    ("expression", "result"),
    [
        ("0.1 + 0.2", 0.3),
        ("1.1 * 1.1", 1.21),
        ("0.3 - 0.1 * 3", 0),
        ("1 / 3 * 3", 1),
        ("10 ** 20 / 3 * 3", 10**20),
        ("1 / 3 + 1 / 3 + 1 / 3 - 1", 0),
        ("2 ** 0.5 * 2 ** 0.5", 2),
        ("1 / 3 * 3 // 1", 1),
        ("1 / 3 * 3 % 1", 0),
        ("(-8) ** (1 / 3 * 3)", -8),
        ("1 / 3", 0.3333333333333333),
        ("1e-400", 0),
    ],
)
def test_it_counts_in_decimal_so_that_no_rounding_error_shows(expression, result):
    assert repr(calculate(expression)) == repr(result)


@pytest.mark.parametrize("expression", ["6 / 3", "2.0", "1e3", "0.5 * 2", "-0.0"])
def test_a_whole_result_is_an_integer(expression):
    assert type(calculate(expression)) is int


REFUSED = {
    # too much
    "9**9**9": "too large",
    "9**3000000": "too large",
    "9**300000": "too large",
    "9 ** 9 ** 9 ** 9 ** 9": "too large",
    "-(9**99)": "too large",
    "1.0000001 ** (10 ** 40)": "too large",
    "10**49 * 10": "too large",
    "9" * 51: "too large",
    "1e999": "too large",
    "1e999999999999999999999": "cannot be worked out|too large",
    "*".join(str(n) for n in range(1, 60)): "too large",
    "1e49 // 1e-100": "too large",
    "1e49 % 3e-40": "too large",
    "+".join(["1"] * 10_000): "at most 200",
    "-" * 100_000 + "1": "at most 200",
    "1" * 1_000_000: "at most 200",
    "(" * 10_000 + "1" + ")" * 10_000: "at most 200",
    "(" * 99 + "1" + ")" * 99: "more than 20 deep",
    "(" * 199: "more than 20 deep",
    # no result
    "1/0": "divides by zero",
    "1 // (2 - 2)": "divides by zero",
    "1 % 0": "divides by zero",
    "0 / 0": "divides by zero",
    "0 ** -1": "divides by zero",
    "(-8) ** 0.5": "no real power 0.5",
    "inf": "words are not available",
    "nan": "words are not available",
    # more than arithmetic
    "price * 2": "names, functions and words are not available",
    "e": "names, functions and words are not available",
    "__import__('os').system('ls')": "write numbers without separators",
    "(1).real": "names, functions and words are not available",
    "().__class__": "separators",
    "abs(-3)": "names, functions and words are not available",
    "sqrt(9)": r"write 9 \*\* 0.5 for sqrt\(9\)",
    "lambda: 1": "names, functions and words are not available",
    "[x for x in (1, 2)]": "round brackets",
    "1 if 1 else 2": "names, functions and words are not available",
    "'a' * 3": "use only numbers",
    '"a" * 10**9': "use only numbers",
    "1; 2": "use only numbers",
    "~5": "use only numbers",
    "1 << 3": r"write 8 \* 2 \*\* 3",
    "1 << 10 ** 9": r"write 8 \* 2 \*\* 3",
    "8 >> 1": r"write 8 / 2 \*\* 3",
    "x = 2": "names are not available",
    "2 == 2": "write only what is to be calculated",
    "2 + 2 =": "write only what is to be calculated",
    "1j": "names, functions and words are not available",
    "0x10": r"write \* to multiply",
    "3 x 4": r"write \* to multiply",
    # near misses
    "": "empty",
    " \n\t ": "empty",
    "()": "cannot be read",
    "(1": r"each \( needs its \)",
    "1)": r"each \( needs its \)",
    "1 +": "cannot be read",
    "* 2": "cannot be read",
    "1 2": "an operator between",
    "1..2": "cannot be read",
    "1e": "cannot be read",
    "2(3 + 4)": r"write \* between a number and a bracket",
    "(2)(3)": r"write \* between a number and a bracket",
    "(2)3": r"write \* between a number and a bracket",
    "007 + 1": "without zeros in front",
    "1,234.50 * 2": "without thousands commas",
    "3,5 * 2": "a point for decimals",
    "1_000": "without separators",
    "20%": r"write 0.20 \* 50",
    "20% of 50": r"0.20 \* 50 for 20% of 50",
    "50 * 20%": r"write 0.20 \* 50",
    "100 + 20% - 5": r"write 0.20 \* 50",
    "(20%) * 50": r"write 0.20 \* 50",
    "5!": "write a factorial out",
    "5²": r"write 5 \*\* 2",
    "√9": r"write 9 \*\* 0.5",
    "$12 * 2": "without a currency sign",
    "raíz de 9": "words are not available",
    # odd characters
    "1\0": "use only numbers",
    "٣ + 1": "use only numbers",
    "１＋１": "use only numbers",
    "1\u200b+1": "use only numbers",
    "\ud800": "use only numbers",
    "😀": "use only numbers",
}


@pytest.mark.parametrize(
    ("expression", "advice"), REFUSED.items(), ids=[ascii(text)[:20] for text in REFUSED]
)
def test_it_refuses_with_a_sentence_that_says_what_to_write(expression, advice):
    with pytest.raises(CalculatorError, match=advice) as caught:
        calculate(expression)
    message = str(caught.value)
    assert message.endswith(".") and len(message) < 250 and "\n" not in message
    message.encode("utf-8")
    assert isinstance(caught.value, ValueError)


@pytest.mark.parametrize("value", [None, 5, 2.5, b"1 + 1", ["1"], {"expression": "1"}])
def test_it_refuses_what_is_not_text(value):
    with pytest.raises(CalculatorError, match="expression must be text such as '2 \\* 3', not"):
        calculate(value)


def test_the_longest_and_deepest_expressions_that_are_allowed_work():
    assert calculate("+".join(["1"] * (LONGEST // 2))) == LONGEST // 2
    assert calculate("-" * (LONGEST - 2) + "1") == 1
    assert calculate("(" * 20 + "7" + ")" * 20) == 7
    assert calculate("9" * 50) == 10**50 - 1


def test_a_bracket_pair_beside_another_is_not_deeper():
    assert calculate("+".join(["(1)"] * 40)) == 40


def test_it_minds_no_decimal_context_and_leaves_it_alone():
    with decimal.localcontext(decimal.Context(prec=2, traps=[])) as context:
        assert calculate("1234567 + 1") == 1234568
        with pytest.raises(CalculatorError):
            calculate("1e999999999999999999999")
        assert decimal.getcontext() is context and not any(context.flags.values())


def test_threads_do_not_mix_their_expressions():
    with ThreadPoolExecutor(16) as pool:
        results = list(pool.map(lambda n: calculate(f"{n} * 1.5 + {n}"), range(400)))
    assert results == [n * 2.5 for n in range(400)]


# Against exact fractions

NUMBERS = st.one_of(
    st.integers(0, 10**6).map(str),
    st.decimals(0, 10**4, places=3).map(lambda number: f"{number:f}"),
)


def pairs(expressions):
    return st.tuples(expressions, st.sampled_from(["+", "-", "*", "/", "//", "%"]), expressions) | st.tuples(
        st.just("-"), expressions
    )


TREES = st.recursive(NUMBERS, pairs, max_leaves=8)

EXACT = {
    "+": operator.add,
    "-": operator.sub,
    "*": operator.mul,
    "/": operator.truediv,
    "//": lambda a, b: Fraction(a // b),
    "%": operator.mod,
}


def written(tree):
    if isinstance(tree, str):
        return tree
    return f"({' '.join(part if part in EXACT else written(part) for part in tree)})"


def exact(tree):
    if isinstance(tree, str):
        return Fraction(tree)
    if len(tree) == 2:
        return -exact(tree[1])
    return EXACT[tree[1]](exact(tree[0]), exact(tree[2]))


@given(TREES)
def test_it_agrees_with_exact_fractions(tree):
    expression = written(tree).replace("( ", "(")
    try:
        expected = exact(tree)
    except ZeroDivisionError:
        with pytest.raises(CalculatorError, match="divides by zero"):
            calculate(expression)
        return
    value = calculate(expression)
    assert type(value) is (int if expected.denominator == 1 else float)
    assert value == (expected if expected.denominator == 1 else float(expected))


@given(st.integers(-50, 50), st.integers(-12, 12))
def test_whole_powers_agree_with_exact_fractions(base, exponent):
    if base == 0 and exponent < 0:
        with pytest.raises(CalculatorError, match="divides by zero"):
            calculate(f"({base}) ** ({exponent})")
    else:
        expected = Fraction(base) ** exponent
        whole = expected.denominator == 1
        assert calculate(f"({base}) ** ({exponent})") == (expected if whole else float(expected))


@given(st.text("0123456789.+-*/%()eE ", max_size=40) | st.text(max_size=40))
def test_any_text_gives_a_finite_number_or_a_sentence(text):
    try:
        value = calculate(text)
    except CalculatorError as error:
        assert str(error).endswith(".")
    else:
        assert type(value) in (int, float) and math.isfinite(value)
