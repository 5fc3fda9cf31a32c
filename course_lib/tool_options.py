"""What the programmer writes beside the function of a tool, checked: its name, its description, its flags."""

from __future__ import annotations

import re
import unicodedata
from typing import Any

from .errors import ToolSchemaError

NAME = re.compile(r"[a-zA-Z0-9_-]{1,64}")

__all__ = ["NAME", "check_options", "checked_name"]


def check_options(description: Any = None, **flags: Any) -> None:
    """Tell a slip here, and not by a provider. Raises ToolSchemaError."""
    if not isinstance(description, str | None):
        raise ToolSchemaError(
            f"The description of a tool must be text, and this is of the type {type(description).__name__}: "
            f'{description!r}. Write description="...".'
        )
    for option, given in flags.items():
        if not isinstance(given, bool):
            raise ToolSchemaError(f"{option} must be True or False, not {given!r}.")


def checked_name(name: Any) -> str:
    """The name of a tool. Raises ToolSchemaError for one that a provider would refuse, with a better one."""
    if not isinstance(name, str):
        raise ToolSchemaError(f'The name of a tool must be text, not {name!r}. Write @tool(name="...").')
    if NAME.fullmatch(name):
        return name
    # Letters that fall apart into a plain one and a mark keep the plain one: größe becomes grosse.
    plain = unicodedata.normalize("NFKD", name.replace("ß", "ss").replace("ẞ", "SS"))
    plain = "".join(one for one in plain if not unicodedata.combining(one))
    better = re.sub(r"\W+", "_", plain, flags=re.ASCII).strip("_")[:64] or "my_tool"
    raise ToolSchemaError(
        f"'{name}' cannot be the name of a tool: providers take ^[a-zA-Z0-9_-]{{1,64}}$ only. "
        f'Write @tool(name="{better}"), or rename the function.'
    )
