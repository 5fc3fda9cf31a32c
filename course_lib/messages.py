"""What course_lib says to a learner, by key, in the learner's language.

The texts stand in catalogue/<language>/*.toml, one file per part of the library; nested tables are
joined by dots. A language is a folder: adding one needs no change here. A text that is missing in
a language falls back to English. This module knows nothing about the texts themselves.
"""

from __future__ import annotations

import tomllib
from functools import cache
from pathlib import Path

from .errors import MissingText, SetupError

CATALOGUE = Path(__file__).parent / "catalogue"
DEFAULT = "en"

_language = DEFAULT


def localized(key: str, /, **values: object) -> str:
    """Return the text `key` in the current language, with its {fields} filled from `values`.

    Raises MissingText (a KeyError) if neither the language nor English has it, or a field has no value.
    """
    text = texts(_language).get(key)
    if text is None:
        text = texts(DEFAULT).get(key)
    if text is None:
        raise MissingText(f"The catalogue has no text '{key}'. Add it to a file in catalogue/{DEFAULT}/.")
    try:
        return text.format(**values)
    except (KeyError, IndexError, ValueError) as error:
        raise MissingText(
            f"The text '{key}' ({_language}) needs {sorted(fields(text))}; given: {sorted(values)}."
        ) from error


def language() -> str:
    """Return the current language, such as "en"."""
    return _language


def set_language(lang: str) -> None:
    """Speak `lang` from now on; an unknown language raises SetupError and changes nothing."""
    global _language
    if lang not in languages():
        known = ", ".join(f'"{name}"' for name in languages())
        raise SetupError(localized("setup.unknown_language", lang=repr(lang), known=known))
    _language = lang


def languages() -> list[str]:
    """Return the languages that have a catalogue."""
    return sorted(folder.name for folder in CATALOGUE.iterdir() if any(folder.glob("*.toml")))


@cache
def texts(lang: str) -> dict[str, str]:
    """Return all texts of one language, as {"setup.practice": "…"}; empty for an unknown language."""
    merged: dict[str, str] = {}
    for file in sorted((CATALOGUE / lang).glob("*.toml")):
        for key, text in _flat(tomllib.loads(file.read_text(encoding="utf-8"))):
            if key in merged:
                raise MissingText(f"The text '{key}' stands twice in catalogue/{lang}, again in {file.name}.")
            merged[key] = text
    return merged


def fields(text: str) -> set[str]:
    """Return the names of the {fields} in a text."""
    from string import Formatter

    return {name for _, name, _, _ in Formatter().parse(text) if name is not None}


def _flat(table: dict, prefix: str = ""):
    for name, value in table.items():
        if isinstance(value, dict):
            yield from _flat(value, f"{prefix}{name}.")
        else:
            # A multi-line TOML string ends with a line break that nobody wants to print.
            yield f"{prefix}{name}", str(value).rstrip("\n")
