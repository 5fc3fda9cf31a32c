"""check() and hint(): the mechanism that every lesson's checkers hang on. The record: test_progress.py."""

from __future__ import annotations

import ast
import signal
import subprocess
import sys
import textwrap
import threading

import pytest

from course_lib import messages
from course_lib.classroom import checks, setup
from course_lib.classroom.checks import (
    CheckNotPassed,
    check,
    hint,
    record,
    running,
)
from course_lib.classroom.checks.helpers import (
    Problems,
    call,
    expect,
    expect_equal,
    expect_type,
    first_difference,
)
from course_lib.classroom.checks.results import NotYet, ToDo
from course_lib.classroom.checks.running import checker
from course_lib.errors import SetupError
from course_lib.show.plain import safe_repr

TEXTS = {
    "checks.98.a.too_short": "{name} has {n} letters; write more.",
    "checks.98.b.passed": "You see why.",
    "hints.98.a.1": "Look at the name.",
    "hints.98.a.2": 'Use {{"name": …}}.',
    "hints.98.a.3": "Write it longer.",
}


@pytest.fixture(autouse=True)
def a_lesson(monkeypatch, tmp_path):
    """A lesson 98 with two exercises, its texts, no record, and no strict mode."""
    monkeypatch.setenv("COURSE_PROGRESS_FILE", str(tmp_path / "progress.json"))
    monkeypatch.delenv("COURSE_CHECKS", raising=False)
    for lesson in running.lessons():
        running.ids_of_lesson(lesson)  # what is first loaded during a test would be forgotten after it
    monkeypatch.setattr(running, "_checkers", dict(running._checkers))
    monkeypatch.setattr(record, "_this_session", {})
    monkeypatch.setattr(record, "_saved", True)
    monkeypatch.setattr(checks, "_hints_given", {})
    monkeypatch.setattr(checks, "_hints_since", setup.status())
    for module in (messages, checks.results):
        texts = module.texts
        monkeypatch.setattr(
            module, "texts", lambda lang, texts=texts: texts(lang) | (TEXTS if lang == "en" else {})
        )

    @checker("98.a")
    def check_98_a(name):
        expect_type(name, str, "name")
        expect(len(name) > 3, "too_short", name=name, n=len(name))

    @checker("98.b")
    def check_98_b(function, *, times=1):
        for _ in range(times):
            expect_equal(call(function, 2), 4, "the result")


def outcome(*answers, **named):
    result = check(*answers, **named)
    return result.state, result.message


def checked_by(function):
    """Return a check with `function` as the checker of 98.c."""
    checker("98.c")(function)
    return lambda *answers: outcome("98.c", *answers)


# ---- the three states ----


def test_a_right_answer_is_passed():
    assert outcome("98.a", "long enough") == ("passed", "Well done.")


def test_an_exercise_may_have_its_own_words_for_passed():
    assert outcome("98.b", lambda n: n + 2) == ("passed", "You see why.")


def test_a_wrong_answer_is_not_yet_with_the_reason():
    assert outcome("98.a", "abc") == ("not yet", "abc has 3 letters; write more.")


def pass_only(n):
    pass


def ellipsis_only(n): ...


def docstring_only(n):
    """Double n."""


def returns_ellipsis(n):
    return ...


def not_implemented(n):
    raise NotImplementedError("not my text")


def returns_none(n):
    return None


@pytest.mark.parametrize(
    ("stub", "message"),
    [
        (..., "Replace the ... with your answer, "),
        (returns_ellipsis, "Replace the ... with your answer, "),
        (None, "Your answer is None, so there is nothing to look at yet. "),
        (pass_only, "The function pass_only has no body yet, or only returns None. "),
        (ellipsis_only, "The function ellipsis_only has no body yet, or only returns None. "),
        (docstring_only, "The function docstring_only has no body yet, or only returns None. "),
        (returns_none, "The function returns_none has no body yet, or only returns None. "),
        (not_implemented, "Your code raises NotImplementedError where something is still missing. "),
    ],
)
def test_a_stub_is_to_do_in_words_that_are_true_of_it(stub, message):
    state, said = outcome("98.b", stub)
    assert state == "to do" and said.startswith(message)
    assert said.endswith("run that cell, then run this check again.")
    assert "..." not in said or stub in (..., returns_ellipsis)


@pytest.mark.parametrize(
    "function", [lambda n: n, lambda n: 4, lambda n: "text", lambda n: print(n), len, str.upper]
)
def test_a_function_with_a_body_is_no_stub(function):
    assert not running.is_stub(function)


def test_an_open_place_inside_an_answer_is_to_do_and_named():
    state, message = outcome("98.a", {"name": "x", "properties": [{"type": ...}]})
    assert state == "to do"
    assert '["properties"][0]["type"]' in message


def test_none_can_be_an_answer_where_the_checker_says_so():
    @checker("98.d", none_is_answer=True)
    def check_98_d(answer):
        expect(answer is None, "never")

    assert outcome("98.d", None)[0] == "passed"


def test_named_answers_are_answers_too():
    assert outcome("98.b", lambda n: 4, times=2)[0] == "passed"
    assert outcome("98.b", lambda n: 4, times=...)[0] == "to do"


def test_an_exercise_may_look_at_no_answer_at_all():
    assert checked_by(lambda: None)() == ("passed", "Well done.")


def test_the_state_stands_in_words_in_text_and_html():
    result = check("98.a", "abc")
    expected = '98.a: not yet\nabc has 3 letters; write more.\nStuck? hint("98.a") gives a hint.'
    assert repr(result) == expected
    html = result._repr_html_()
    assert "98.a: not yet" in html and "abc has 3 letters" in html


def test_what_a_learner_wrote_is_inert_in_html():
    html = check("98.a", "<b>")._repr_html_()
    assert "&lt;b&gt; has 3 letters" in html and "<b>" not in html


def test_spanish_is_spoken_in_spanish():
    messages.set_language("es")
    try:
        assert repr(check("98.a", [1])).startswith(
            "98.a: todavía no\nname debería ser un texto (str); lo tuyo es una lista."
        )
    finally:
        messages.set_language("en")


def test_both_languages_have_the_same_texts_with_the_same_fields():
    english, spanish = messages.texts("en"), messages.texts("es")
    ours = {key for key in english if key.startswith(("checks.", "show.")) and key not in TEXTS}
    # Lessons' own texts may come later in Spanish.
    mechanism = {key for key in ours if not key.split(".")[1].isdigit()}
    assert mechanism == {key for key in spanish if key in mechanism}
    for key in mechanism:
        assert messages.fields(english[key]) == messages.fields(spanish[key]), key


# ---- questions that do not fit ----


def test_an_unknown_exercise_is_answered_with_those_of_the_lesson():
    assert outcome("98.z", 1) == ("not yet", "There is no exercise 98.z. This lesson has: 98.a, 98.b.")


@pytest.mark.parametrize("ask", [outcome, hint])
@pytest.mark.parametrize("id", ["98.A", " 98.a", "98a", "98 a", "98.a "])
def test_an_id_that_is_written_otherwise_is_answered_with_the_right_form(ask, id):
    assert f'There is no exercise {id}. Did you mean "98.a"?' in str(ask(id))


def test_a_lesson_is_written_with_two_digits():
    assert running.as_id("7.A") == "07.a"
    assert '"01.a"' in outcome("1.a", 1)[1]


def test_a_letter_that_the_lesson_lacks_is_answered_with_those_that_it_has():
    assert outcome("98.Z", 1)[1] == "There is no exercise 98.Z. This lesson has: 98.a, 98.b."


@pytest.mark.parametrize("id", ["", "97.a", "97.A", "nonsense", "98", "../x.a"])
def test_an_unknown_lesson_is_answered_with_the_lessons(id):
    state, message = outcome(id, 1)
    assert state == "not yet" and "98" in message


@pytest.mark.parametrize("id", [98, ["98.a"], ...])
@pytest.mark.parametrize("ask", [lambda id: check(id, 1), hint])
def test_an_id_that_is_no_text_is_told(ask, id):
    assert 'is text, such as "01.a"' in ask(id).message


@pytest.mark.parametrize("ask", [check, lambda: check(None, 1), lambda: check(id="98.a")])
def test_a_check_without_an_id_is_told_what_to_write(ask):
    assert repr(ask()) == '?: not yet\nWrite which exercise you mean, for instance check("01.a", answer).'


@pytest.mark.parametrize("ask", [hint, lambda: hint(None)])
def test_a_hint_without_an_id_is_told_what_to_write(ask):
    assert repr(ask()) == 'No hint for ?\nWrite which exercise you mean, for instance hint("01.a").'
    assert hint(id="98.a").level == 1


@pytest.mark.parametrize("answers", [(), ("one", "two")])
def test_a_wrong_number_of_answers_is_told_with_the_right_form(answers):
    state, message = outcome("98.a", *answers)
    assert state == "not yet"
    assert f'check("98.a", name); it got another number of answers ({len(answers)})' in message


def test_an_answer_by_a_wrong_name_is_told():
    assert 'check("98.b", function, times)' in outcome("98.b", lambda n: 4, time=2)[1]


def test_a_lesson_module_that_is_broken_is_told_not_raised(monkeypatch):
    def broken(name):
        raise SyntaxError("oops")

    monkeypatch.setattr(running.importlib, "import_module", broken)
    state, message = outcome("96.a", 1)
    assert state == "not yet" and "not your mistake (SyntaxError: oops)" in message


def test_a_second_checker_for_the_same_exercise_is_a_mistake():
    def another(answer): ...

    another.__module__ = "elsewhere"
    with pytest.raises(ValueError, match=r"98\.a has a checker already"):
        checker("98.a")(another)
    with pytest.raises(ValueError, match="no exercise id"):
        checker("98a")


# ---- answers that bite ----


class Raises:
    def __init__(self, error=RuntimeError):
        self.error = error

    def bite(self, *_):
        raise self.error("ouch")

    __repr__ = __str__ = __eq__ = __len__ = __bool__ = __iter__ = __getitem__ = __call__ = __format__ = bite
    __hash__ = None

    @property
    def __class__(self):
        raise self.error("ouch")


def unprintable():
    class Silent(Exception):
        def __str__(self):
            raise RuntimeError("no text")

    raise Silent


@pytest.mark.parametrize("error", [RuntimeError, SystemExit, GeneratorExit, MemoryError, BaseException])
@pytest.mark.parametrize(
    "look",
    [
        lambda answer: answer == 1,
        lambda answer: bool(answer),
        lambda answer: list(answer),
        lambda answer: call(answer),
        lambda answer: isinstance(answer, dict),
        lambda answer: f"{answer}",
        lambda answer: expect_type(answer, dict, "answer"),
        lambda answer: expect_equal(answer, {"a": 1}, "answer"),
        lambda answer: expect(False, "no such text", value=answer),
    ],
)
def test_a_hostile_answer_gets_a_message(look, error):
    state, message = checked_by(lambda answer: look(answer))(Raises(error))
    assert state == "not yet" and message


def test_what_the_learners_code_raised_is_told_with_its_place():
    def halve(n):
        return {}["count"]

    line = halve.__code__.co_firstlineno + 1
    assert outcome("98.b", halve) == (
        "not yet",
        f"Your code raised KeyError: 'count' (in halve, line {line}).",
    )


def test_an_exception_without_a_text_is_told():
    assert "Silent" in outcome("98.b", lambda n: unprintable())[1]


def test_leaving_the_program_is_told():
    assert "ends the program (SystemExit: 3)" in outcome("98.b", lambda n: sys.exit(3))[1]


def test_endless_recursion_is_told():
    def again(n):
        return again(n)

    assert "calls itself without an end" in outcome("98.b", again)[1]


def test_an_answer_that_contains_itself_is_told():
    circle: list = []
    circle.append(circle)
    assert checked_by(lambda answer: expect_equal(answer, [1], "it"))(circle)[0] == "not yet"


@pytest.mark.skipif(not hasattr(signal, "setitimer"), reason="this platform cannot stop running code")
def test_code_that_does_not_end_is_stopped_even_if_it_catches_exceptions():
    def for_ever(n):
        while True:
            try:
                while True:
                    pass
            except Exception:  # noqa: BLE001 - a learner's loop may well be so
                pass

    @checker("98.d", seconds=0.05)
    def check_98_d(function):
        call(function, 1)

    before = signal.getsignal(signal.SIGALRM)
    assert "still running after 0.05 seconds" in outcome("98.d", for_ever)[1]
    assert signal.getsignal(signal.SIGALRM) is before
    assert signal.getitimer(signal.ITIMER_REAL) == (0, 0)


def test_a_check_works_in_a_thread():
    results = []
    thread = threading.Thread(target=lambda: results.append(outcome("98.a", "long enough")))
    thread.start()
    thread.join()
    assert results == [("passed", "Well done.")]


def test_a_huge_text_is_shortened():
    assert len(repr(check("98.a", {"x": "y" * 3_000_000}))) < 1_000
    assert len(checked_by(lambda answer: expect_equal(answer, "z"))("y" * 3_000_000)[1]) < 500
    assert len(outcome("98.b", lambda n: int("y" * 3_000_000))[1]) < 500


def test_a_field_in_braces_in_an_answer_is_no_field_of_the_text():
    assert outcome("98.a", "{n}") == ("not yet", "{n} has 3 letters; write more.")


def test_a_keyboard_interrupt_passes():
    def stop(n):
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        check("98.b", stop)


def test_a_text_that_is_missing_from_the_catalogue_stops_nobody():
    state, message = checked_by(lambda answer: expect(False, "no_such_text", got=answer))(5)
    assert (state, message) == ("not yet", "[no_such_text] got=5")


# ---- strict ----


@pytest.mark.parametrize(
    "call_it", [lambda: check("98.a", "abc"), lambda: check("98.a", ...), lambda: check("98.z")]
)
def test_strict_raises_with_the_text_where_a_check_has_not_passed(monkeypatch, call_it):
    text = repr(call_it())
    monkeypatch.setenv("COURSE_CHECKS", "strict")
    with pytest.raises(CheckNotPassed) as raised:
        call_it()
    assert str(raised.value) == text


def test_strict_returns_what_has_passed(monkeypatch):
    monkeypatch.setenv("COURSE_CHECKS", "strict")
    assert check("98.a", "long enough").passed


# ---- hints ----


def test_hints_come_one_by_one_and_the_last_is_repeated():
    assert [hint("98.a").level for _ in range(5)] == [1, 2, 3, 3, 3]


def test_a_notebook_that_is_run_again_as_a_whole_uses_no_hint_up():
    try:
        for _ in range(3):
            setup.setup(98)
            assert [hint("98.a").level, hint("98.a").level] == [1, 2]
        assert hint("98.a").level == 3
        with pytest.raises(SetupError):
            setup.setup("x")  # nothing was set up
        assert hint("98.a").level == 3
    finally:
        setup.teardown()


def test_a_hint_says_which_of_how_many_it_is():
    assert repr(hint("98.a")) == "Hint 1 of 3 for 98.a\nLook at the name."
    assert 'Use {"name": …}.' in hint("98.a")._repr_html_().replace("&quot;", '"')


def test_lines_of_a_hint_that_begin_with_spaces_are_code_and_stand_as_they_are(monkeypatch):
    code = "    for n in range(2):\n        print(n)\n\n    print({{}})"
    long = "Then go on. " * 20
    monkeypatch.setitem(TEXTS, "hints.98.a.1", f"Write the loop:\n{code}\n{long}")
    shown = hint("98.a")
    head, code_block, tail = repr(shown).partition(code.format())
    assert head == "Hint 1 of 3 for 98.a\nWrite the loop:\n\n" and code_block
    assert tail.count("\n") > 1 and max(map(len, tail.split("\n"))) <= 100  # other lines are wrapped
    html = shown._repr_html_()
    block = next(part for part in html.split("<div ") if "range(2)" in part)
    assert code.format() in block and "monospace" in block and "white-space:pre-wrap" in block
    assert "Write the loop" not in block and "Then go on" not in block


@pytest.mark.parametrize("lang", ["en", "es"])
def test_code_in_hints_is_python_and_fits_its_lines(lang):
    hints = {key: text for key, text in messages.texts(lang).items() if key.startswith("hints.")}
    assert hints
    for key, text in hints.items():
        lines = [line for line in text.format().split("\n") if line.startswith(" ") or not line.strip()]
        ast.parse(textwrap.dedent("\n".join(lines)), key)
        assert max(map(len, lines), default=0) <= 100, key


def test_without_hints_and_without_an_exercise_there_is_a_message():
    assert repr(hint("98.b")) == "No hint for 98.b"
    assert "This lesson has: 98.a, 98.b." in repr(hint("98.z"))


# ---- what a checker uses ----


def told(action, *arguments, **named) -> str:
    """Return what the learner is told, or "" if nothing is."""
    try:
        action(*arguments, **named)
    except NotYet as reason:
        return str(reason)
    return ""


@pytest.mark.parametrize(
    ("value", "kind", "message"),
    [
        ({}, dict, ""),
        (1, (int, float), ""),
        ([], dict, "tool should be a dictionary (dict); yours is a list."),
        (None, str, "tool should be text (str); yours is None (is a return missing?)."),
        (True, int, "tool should be a whole number (int); yours is True or False (bool)."),
        (
            object(),
            (dict, list),
            "tool should be a dictionary (dict) or a list; yours is an object of type object.",
        ),
    ],
)
def test_a_type_is_told_in_words(value, kind, message):
    assert told(expect_type, value, kind, "tool") == message


@pytest.mark.parametrize(
    ("got", "expected", "message"),
    [
        ({"a": [1, {"b": 2}]}, {"a": [1, {"b": 2}]}, ""),
        (1, 1.0, ""),
        ((1, 2), [1, 2], ""),
        ({"a": 1}, {"a": 1, "b": 2}, 'At x: the key "b" is missing.'),
        ({"a": 1, "b": 2}, {"a": 1}, 'At x: the key "b" does not belong there.'),
        ({"a": [1]}, {"a": [1, 2]}, "At x.a: expected a list of 2, got a list of 1."),
        (
            {"a": [{"b c": "1"}]},
            {"a": [{"b c": 1}]},
            'At x.a[0]["b c"]: expected a whole number (int), got text (str).',
        ),
        ({"a": True}, {"a": 1}, "At x.a: expected a whole number (int), got True or False (bool)."),
        ({"a": "weeks"}, {"a": "week"}, "At x.a: 'weeks' is not the value that is asked for."),
    ],
)
def test_the_first_difference_is_told_with_its_place(got, expected, message):
    assert told(expect_equal, got, expected, "x") == message


def test_the_expected_value_is_told_only_on_request():
    assert "'week'" not in told(expect_equal, "weeks", "week")
    assert told(expect_equal, "weeks", "week", reveal=True) == "Your value: expected 'week', got 'weeks'."


def test_objects_of_an_sdk_are_compared_as_what_they_send():
    class Block:
        def model_dump(self, **options):
            return {"type": "text"}

    assert first_difference([Block()], [{"type": "text"}]) is None


def test_all_problems_are_told_at_once():
    problems = Problems()
    assert problems.expect(True, "fine") is True
    problems.report()
    assert problems.expect(False, "one") is False
    assert told(problems.report) == "[one]"
    problems.expect(0, "two", n=2)
    assert told(problems.report) == "- [one]\n- [two] n=2"


def test_call_tells_what_is_no_function():
    assert (
        told(call, 3)
        == "A function is needed here; yours is a whole number (int). Give its name without brackets."
    )
    with pytest.raises(ToDo):
        call(ellipsis_only, 1)


def test_safe_repr_is_short_plain_and_in_order():
    assert safe_repr({"b": 1, "a": [1, 2]}) == "{'b': 1, 'a': [1, 2]}"
    assert safe_repr(Raises()) == "<Raises>"
    assert "0x" not in safe_repr(object())
    assert len(safe_repr("x" * 1_000_000)) <= 120
    assert len(safe_repr([["x" * 50] * 50] * 50)) <= 120


def test_the_mechanism_needs_no_sdk():
    script = (
        "import sys, course_lib.classroom.checks\n"
        "print([name for name in ('anthropic', 'openai', 'IPython') if name in sys.modules])"
    )
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, encoding="utf-8", check=True)
    assert done.stdout.strip() == "[]"
