"""What a docstring says of a function and of each parameter, in Google, NumPy or Sphinx style."""

from __future__ import annotations

import functools
import inspect
import re
from dataclasses import dataclass, field
from typing import Any

_SECTION = r"((Keyword |Other )?(Args|Arguments|Params|Parameters)|Returns|Yields|Raises)"
# Which style it is, told from the one line that only that style has. Trying every parser and keeping the one
# that finds most would read "Use it when: ..." in plain prose as a section.
_STYLES = {
    "sphinx": re.compile(r"^:(param|parameter|arg|argument|key|keyword|returns?|raises?)\b.*:", re.M),
    "numpy": re.compile(rf"^{_SECTION}\n-{{3,}}", re.M),
    "google": re.compile(rf"^{_SECTION}:[ \t]*$", re.M),
}
_MORE_GOOGLE = ("Keyword Args", "Keyword Arguments", "Keyword Parameters")
_MORE_GOOGLE += ("Other Args", "Other Arguments", "Other Parameters")

__all__ = ["Docs", "read_docstring"]


@dataclass(frozen=True)
class Docs:
    """A docstring, taken apart."""

    text: str = ""
    """What the function does, and what it returns: for the tool's description."""
    parameters: dict[str, str] = field(default_factory=dict)


def read_docstring(docstring: str | None) -> Docs:
    """Take a docstring apart.

    The description is everything outside the sections, and what stands under "Returns": the model needs to
    know what it will get. "Raises" and "Examples" are for people who read the code, and are left out.
    """
    text = inspect.cleandoc(docstring or "").strip()
    style = next((name for name, pattern in _STYLES.items() if pattern.search(text)), None)
    if style is None:
        return Docs(text)
    parsed = _parser(style).parse(text)
    parameters = {
        # NumPy allows two names on a line; a star is not part of the name.
        name.strip().lstrip("*"): " ".join(found.description.split())
        for found in parsed.params
        if found.description
        for name in found.arg_name.split(",")
    }
    about = [parsed.short_description, parsed.long_description]
    # Generators say "Yields"; in both cases it is what comes back.
    if parsed.returns and parsed.returns.description:
        about.append("Returns: " + " ".join(parsed.returns.description.split()))
    return Docs("\n\n".join(part.strip() for part in about if part), parameters)


@functools.cache
def _parser(style: str) -> Any:
    # Imported here: it takes longer to load than the rest of course_lib together.
    from docstring_parser import google, numpydoc, rest

    if style == "numpy":
        return numpydoc.NumpydocParser()
    if style == "google":
        more = [google.Section(title, "param", google.SectionType.MULTIPLE) for title in _MORE_GOOGLE]
        return google.GoogleParser([*google.DEFAULT_SECTIONS, *more])
    return rest
