"""show.timeline(): when each call of a turn started and ended, as text and as HTML, whatever it is given."""

from __future__ import annotations

import itertools
import math
import re
import time
from dataclasses import replace
from html.parser import HTMLParser
from types import SimpleNamespace

import pytest

from course_lib import ToolCall, ToolResult, show, tool
from course_lib.execution import run_calls
from course_lib.messages import set_language

RESULTS = [
    ToolResult("a", "get_weather", "sunny", started=0.001, ended=0.104),
    ToolResult("b", "get_time", "18:30", started=0.102, ended=0.397),
    ToolResult("c", "refund_order", "refund_order failed: …", is_error=True),
    ToolResult("d", "find_order", "find_order failed: …", True, 0.0, 0.204),
    ToolResult("e", "calculate", "3", started=0.4, ended=0.4001),
    ToolResult("f", "by_hand", "x"),
]
TEXT = """\
Timeline: 6 tool calls in 400 ms

call            start to end
1 get_weather   0 to 100 ms    ██████████
2 get_time      100 to 400 ms            ██████████████████████████████
3 refund_order  did not run    error
4 find_order    0 to 200 ms    ████████████████████                      error
5 calculate     400 to 400 ms                                         ▏
6 by_hand       no times
Times are rounded to 50 ms: no two runs take exactly as long."""


def test_the_text_has_a_bar_for_each_call_that_ran_and_says_which_failed():
    assert repr(show.timeline(RESULTS)) == TEXT


def test_two_runs_that_differ_by_little_look_the_same():
    again = [
        one if one.started is None else replace(one, started=one.started + 0.004, ended=one.ended - 0.003)
        for one in RESULTS[:4]
    ]
    first, second = show.timeline(RESULTS[:4]), show.timeline(again)
    assert repr(first) == repr(second) and first._repr_html_() == second._repr_html_()


def test_the_rounding_can_be_finer():
    assert "0 to 104 ms" in repr(show.timeline(RESULTS, 2))
    assert "102 to 397 ms" in repr(show.timeline(RESULTS, step=1))


@pytest.mark.parametrize("step", [0, -5, 1.5, "50", None, True])
def test_a_step_that_is_none_is_told(step):
    with pytest.raises(ValueError, match="whole number from 1"):
        show.timeline(RESULTS, step)


def test_it_draws_what_run_calls_returns():
    @tool
    def wait(seconds: float) -> float:
        time.sleep(seconds)
        return seconds

    calls = [ToolCall("a", "wait", {"seconds": 0.1}), ToolCall("b", "nope", {}), ToolCall("c", "wait", {})]
    lines = repr(show.timeline(run_calls(calls, [wait]))).splitlines()
    assert re.fullmatch(r"1 wait +0 to \d+ ms +█+", lines[3])
    assert re.fullmatch(r"2 nope +did not run +error", lines[4])
    assert re.fullmatch(r"3 wait +did not run +error", lines[5])


class Bars(HTMLParser):
    """Collects the text of the rows and the bars of a chart, and whether its tags match."""

    def __init__(self):
        super().__init__()
        self.rows, self.bars, self.open = [], [], []

    def handle_starttag(self, tag, attrs):
        self.open.append(tag)
        if tag == "tr":
            self.rows.append([])
        style = dict(attrs).get("style", "")
        if found := re.search(r"margin-left:([\d.]+)%;width:([\d.]+)%", style):
            self.bars.append(tuple(float(number) for number in found.groups()))

    def handle_endtag(self, tag):
        assert self.open.pop() == tag

    def handle_data(self, data):
        if self.rows:
            self.rows[-1].append(data)


def test_the_html_has_the_same_words_and_bars_of_the_same_length():
    html = show.timeline(RESULTS)._repr_html_()
    page = Bars()
    page.feed(html)
    assert not page.open
    assert page.rows[1:5] == [
        ["1 get_weather", "0 to 100 ms"],
        ["2 get_time", "100 to 400 ms"],
        ["3 refund_order", "did not run", "error"],
        ["4 find_order", "0 to 200 ms", "error"],
    ]
    assert page.bars == [(0, 25), (25, 75), (0, 50), (100, 0)]
    # For light and dark: nothing but inherited colours and the one for errors.
    colours = set(re.findall(r"(?:color|background):([^;\"]+)", html))
    assert colours <= {"inherit", "transparent", "currentColor", "#ef4444"}


def test_markup_in_the_name_of_a_tool_is_inert():
    html = show.timeline([ToolResult("a", "<img src=x>", "ok", started=0.0, ended=0.1)])._repr_html_()
    assert "<img" not in html and "&lt;img src=x&gt;" in html
    assert "<script" not in html and "<style" not in html and " id=" not in html


def test_it_speaks_spanish():
    set_language("es")
    try:
        text = repr(show.timeline(RESULTS))
    finally:
        set_language("en")
    assert "Línea de tiempo" in text and "no se ejecutó" in text and "did not" not in text


class Hostile:
    def __getattr__(self, name):
        raise RuntimeError(name)

    def __iter__(self):
        raise SystemExit

    __repr__ = __str__ = __iter__


def odd(**fields):
    return SimpleNamespace(**{"tool_call_id": "a", "name": "f", "is_error": False, **fields})


@pytest.mark.parametrize(
    "results",
    [
        None,
        [],
        (),
        "text",
        7,
        {},
        Hostile(),
        [None],
        ["text", 3, b"x", object(), Hostile()],
        [Hostile()] * 3,
        RESULTS[0],
        {"name": "f", "started": 0.1, "ended": 0.2},
        [{"name": "f", "started": 0.1, "ended": 0.2}],
        [odd(started=math.nan, ended=1.0)],
        [odd(started=0.0, ended=math.inf)],
        [odd(started=-1.0, ended=1.0)],
        [odd(started=2.0, ended=1.0)],
        [odd(started=0.0, ended=10**400)],
        [odd(started="0", ended="1")],
        [odd(started=True, ended=True)],
        [odd(started=0.0, ended=None)],
        [odd(started=0.0, ended=0.0)],
        [odd(started=0, ended=1, name=Hostile())],
        [odd(started=0, ended=1, name=None, is_error="yes")],
        [odd(started=0, ended=1, name="two\nlines\x1b[31m" + "x" * 1000)],
        [odd(started=0, ended=1, name="<b>&\"'</b>")],
        [odd(started=0, ended=1, name="\ud800 天気 🌧")],
        itertools.repeat(RESULTS[0]),
        [RESULTS[0]] * 150,
    ],
    ids=lambda value: type(value).__name__,
)
def test_odd_input_is_drawn_as_far_as_it_goes(results):
    page = show.timeline(results)
    text, html = repr(page), page._repr_html_()
    assert text and all(len(line) <= 110 for line in text.splitlines())
    assert "\x1b" not in text + html and "<b>" not in html
    (text + html).encode("utf-8")
    Bars().feed(html)


def test_of_very_many_results_the_first_are_drawn():
    text = repr(show.timeline(RESULTS * 50))
    assert "Only the first 100 are drawn." in text and len(text.splitlines()) == 105


def test_without_results_it_says_what_to_write():
    assert "show.timeline(results)" in repr(show.timeline([]))
