"""Which checker belongs to which exercise; a lesson's checkers are imported when one is first asked for."""

from __future__ import annotations

import importlib
import pkgutil
import re
from collections.abc import Callable
from dataclasses import dataclass

from ..say import DEFAULT, texts

__all__ = ["Checker", "as_id", "checker", "find", "ids_of_lesson", "known_ids", "lessons"]

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
