"""The registry of checkers, and running one on answers that may do anything."""

from __future__ import annotations

import importlib
import inspect
import pkgutil
import re
import signal
import sysconfig
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from types import FunctionType
from typing import Any

from ...messages import DEFAULT, texts
from ...show.plain import is_a, safe_text
from .results import (
    NOT_YET,
    PASSED,
    TO_DO,
    CheckResult,
    NotYet,
    ToDo,
    current_exercise,
    described,
    has_text,
    text,
)

# Which checker belongs to which exercise; a lesson's checkers are imported when one is first asked for

_ID = re.compile(r"(\d\d)\.([a-z])")


@dataclass(frozen=True)
class Checker:
    """One exercise's checker."""

    id: str
    function: Callable[..., None]
    seconds: float
    """How long the check may take, where the platform can stop it."""
    none_is_answer: bool


_checkers: dict[str, Checker] = {}


def checker(id: str, *, seconds: float = 10, none_is_answer: bool = False) -> Callable:
    """Register the function below as the checker of exercise `id`, such as "01.a".

    The function takes the learner's answers; it returns if they are right and raises NotYet if not.
    """
    if not _ID.fullmatch(id):
        raise ValueError(f'{id!r} is no exercise id. Write the lesson and a letter, such as "01.a".')

    def register(function: Callable[..., None]) -> Callable[..., None]:
        known = _checkers.get(id)
        # A module that is imported again registers its own functions again; another function is a mistake.
        if known is not None and known.function.__module__ != function.__module__:
            raise ValueError(f"{id} has a checker already, in {known.function.__module__}.")
        _checkers[id] = Checker(id, function, seconds, none_is_answer)
        return function

    return register


def as_id(words: str) -> str:
    """Return the id that was meant by one written otherwise: "7.A" is "07.a"; others stay as they are."""
    found = re.fullmatch(r"([0-9]{1,2})[.\s]*([a-z])", words.strip().lower())
    return f"{found[1]:0>2}.{found[2]}" if found else words


def find(id: str) -> Checker | None:
    """Return the checker of an exercise, or None. An error in the lesson's module is raised as it is."""
    found = _ID.fullmatch(id)
    if found is None:
        return None
    _load(found[1])
    return _checkers.get(id)


def ids_of_lesson(lesson: str) -> list[str]:
    """Return the ids of a lesson's exercises, such as ["01.a", "01.b"]."""
    _load(lesson)
    return sorted(id for id in _checkers if id.startswith(f"{lesson}."))


def known_ids(lesson: str) -> list[str]:
    """Return the ids of a lesson's exercises, also of one whose checkers cannot be loaded here."""
    try:
        return ids_of_lesson(lesson)
    except Exception:  # noqa: BLE001 - a package that is missing must hide neither this lesson nor the others
        hints = (re.match(rf"hints\.({re.escape(lesson)}\.[a-z])\.", key) for key in texts(DEFAULT))
        return sorted({found[1] for found in hints if found})


def lessons() -> list[str]:
    """Return the lessons that have checkers, such as ["00", "01"]."""
    package = importlib.import_module(__package__)
    names = [module.name for module in pkgutil.iter_modules(package.__path__)]
    loaded = {id.split(".")[0] for id in _checkers}
    return sorted(
        loaded | {name.removeprefix("lesson_") for name in names if re.fullmatch(r"lesson_\d\d", name)}
    )


def _load(lesson: str) -> None:
    name = f"{__package__}.lesson_{lesson}"
    try:
        importlib.import_module(name)
    except ModuleNotFoundError as error:
        # The lesson has no checkers; a module that is missing *inside* the lesson's module is another matter.
        if error.name != name:
            raise


# Run a checker, and turn whatever happens into a CheckResult ------------------------------------------

_OUR_FOLDER = str(Path(__file__).resolve().parents[2])
_LIBRARY_FOLDERS = ("site-packages", "dist-packages", sysconfig.get_path("stdlib"))


class _TooSlow(BaseException):
    """Raised in a running check when its time is over; the learner's `except Exception` lets it pass."""


def run(checker: Checker, answers: tuple, named: dict[str, Any]) -> CheckResult:
    """Return what the checker finds with these answers; only KeyboardInterrupt is ever raised."""
    token = current_exercise.set(checker.id)
    try:
        state, message = _run(checker, answers, named)
    finally:
        current_exercise.reset(token)
    return CheckResult(checker.id, state, message, has_text(f"hints.{checker.id}.1"))


def _run(checker: Checker, answers: tuple, named: dict[str, Any]) -> tuple[str, str]:
    problem = _wrong_number(checker, answers, named)
    if problem:
        return NOT_YET, problem
    try:
        for answer in (*answers, *named.values()):
            _look_for_stub(answer, checker.none_is_answer)
        with _time_limit(checker.seconds):
            checker.function(*answers, **named)
    except ToDo as missing:
        return TO_DO, safe_text(missing) or text("checks.to_do")
    except NotImplementedError:
        # A stub's own text is for programmers.
        return TO_DO, text("checks.not_implemented")
    except NotYet as reason:
        return NOT_YET, safe_text(reason, 2_000)
    except KeyboardInterrupt:
        raise
    except _TooSlow:
        return NOT_YET, text("checks.too_slow", seconds=f"{checker.seconds:g}")
    except BaseException as error:  # noqa: BLE001 - a learner's object may raise anything, SystemExit too
        return NOT_YET, _explain(error)
    passed = f"checks.{checker.id}.passed"
    return PASSED, text(passed) if has_text(passed) else text("checks.passed")


def _wrong_number(checker: Checker, answers: tuple, named: dict[str, Any]) -> str:
    """Return what is wrong with the number or names of the answers; "" if nothing is."""
    signature = inspect.signature(checker.function)
    try:
        signature.bind(*answers, **named)
    except TypeError:
        call = ", ".join([f'"{checker.id}"', *signature.parameters])
        return text("checks.wrong_number", call=f"check({call})", given=len(answers) + len(named))
    return ""


# Find out whether there is an answer at all -----------------------------------------------------------


def look_for_body(function: object) -> None:
    """Raise ToDo if a function has no body yet."""
    if is_stub(function):
        raise ToDo(text("checks.no_body", function=safe_text(function.__name__, 40)))


def is_stub(function: object) -> bool:
    """Return whether a function has no body yet: only `...` or `pass`, with or without a docstring.

    A body that only returns None has the same instructions, and counts as none.
    """
    if type(function) is not FunctionType:
        return False
    # A body that returns a constant has the same instructions: the constant tells them apart.
    if any(one is not None and one is not function.__doc__ for one in function.__code__.co_consts):
        return False
    return function.__code__.co_code in {_stub.__code__.co_code, _stub_with_docstring.__code__.co_code}


def _stub(): ...


def _stub_with_docstring():
    """Say something."""


def _look_for_stub(answer: object, none_is_answer: bool) -> None:
    if answer is ...:
        raise ToDo
    if answer is None and not none_is_answer:
        raise ToDo(text("checks.none_yet"))
    look_for_body(answer)
    path = _path_to_ellipsis(answer, "", 6)
    if path is not None:
        raise ToDo(text("checks.still_open", path=path))


def _path_to_ellipsis(value: object, path: str, depth: int) -> str | None:
    """Return where a list or dictionary still has a `...`, such as ["input_schema"]["type"]."""
    if value is ...:
        return path
    if depth == 0:
        return None
    items: list[tuple[object, object]] = []
    if type(value) is dict:
        items = list(value.items())[:200]
    elif type(value) in (list, tuple):
        items = list(enumerate(value[:200]))
    for key, item in items:
        step = f'["{safe_text(key, 40)}"]' if is_a(key, str) else f"[{safe_text(key, 40)}]"
        found = _path_to_ellipsis(item, path + step, depth - 1)
        if found is not None:
            return found
    return None


# Explain an exception ---------------------------------------------------------------------------------


def _explain(error: BaseException) -> str:
    """Return a sentence on an exception: what it is, and where in the learner's code it came from."""
    what = described(error)
    if is_a(error, SystemExit):
        return text("checks.exits", what=what)
    if is_a(error, RecursionError):
        return text("checks.recursion", what=what)
    place = None
    step = error.__traceback__
    while step is not None:
        code = step.tb_frame.f_code
        if _is_learners(code.co_filename):
            place = step
        step = step.tb_next
    if place is None:
        return text("checks.cannot_read", what=what)
    return text("checks.raised", what=what, function=place.tb_frame.f_code.co_name, line=place.tb_lineno)


def _is_learners(file: str) -> bool:
    """Return whether code is in a cell or a module of the learner, not in course_lib or a library."""
    return not file.startswith((_OUR_FOLDER, "<frozen")) and not any(
        part in file for part in _LIBRARY_FOLDERS
    )


# Stop a check in time ---------------------------------------------------------------------------------


@contextmanager
def _time_limit(seconds: float) -> Iterator[None]:
    """Raise _TooSlow in the block after `seconds`, where the platform can (not on Windows, not in a thread).

    Elsewhere the learner stops the cell by hand.
    """
    if not hasattr(signal, "setitimer") or threading.current_thread() is not threading.main_thread():
        yield
        return

    running = True

    def stop(number: int, frame: object) -> None:
        if running:
            raise _TooSlow

    before = signal.signal(signal.SIGALRM, stop)
    # Again every second: the learner's own `except:` may catch the first.
    signal.setitimer(signal.ITIMER_REAL, seconds, 1)
    try:
        yield
    finally:
        running = False
        signal.setitimer(signal.ITIMER_REAL, 0)
        # None: something outside of Python set it, and signal() cannot put that back.
        signal.signal(signal.SIGALRM, signal.SIG_DFL if before is None else before)
