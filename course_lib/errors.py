"""The exceptions of course_lib: each says what is wrong, where, and what to write instead.

    CourseError
    ├── SetupError      setup() was called with something it cannot use, or was not called yet
    ├── KeyNotFound     live mode was asked for and no key was found
    ├── BadKey          a key was found, but no service can accept it as it stands
    └── MissingText     the catalogue has no such text (a mistake in course_lib, not the learner's)

None of them ever carries a key, not even part of one.
"""

from __future__ import annotations

__all__ = ["BadKey", "CourseError", "KeyNotFound", "MissingText", "SetupError"]


class CourseError(Exception):
    """Something that course_lib can explain."""


class SetupError(CourseError):
    """setup() cannot use an argument, or something needs setup() first."""


class KeyNotFound(CourseError):
    """Live mode was asked for, and no provider's key was found."""


class BadKey(CourseError):
    """A key was found, but it cannot be one: the message says why without showing it."""


class MissingText(CourseError, KeyError):
    """The catalogue has no text under this name, or a value for the text is missing."""

    # KeyError shows the repr of its argument; a sentence reads better as it is.
    __str__ = Exception.__str__
