"""Checkers of lesson 05: a dispatch over plain functions, a fitting tool_choice, a path from outside."""

from __future__ import annotations

import contextlib
import datetime
import json
import tempfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

from ...show.plain import safe_text, type_name
from ...tools import ToolCall, ToolResult
from .helpers import Problems, call, expect, expect_equal, expect_type, explained, not_yet
from .results import NotYet, ToDo
from .running import checker

# 05.a: a dispatch over plain functions ----------------------------------------------------------------


class _Functions(dict):
    """The functions of the check, and how often one of them ran."""

    def __init__(self) -> None:
        self.ran: list[str] = []
        super().__init__(
            find_price=self._find_price,
            count_bags=lambda: 0,
            find_shelf=lambda: None,
            next_day=lambda: datetime.date(2026, 11, 21),
            close_till=_close_till,
            find_supplier=lambda sku: {"SKU-210": "Finca Sur"}[sku],
        )

    def _find_price(self, sku: str) -> dict[str, Any]:
        self.ran.append(sku)
        return {**_PRICE, "sku": sku}


_PRICE = {"sku": "SKU-210", "product": "Café molido", "price_usd": 14.9, "offer": None}


def _close_till() -> None:
    raise RuntimeError("the till is open")


@checker("05.a")
def check_05_a(dispatch_plain: Any) -> None:
    functions = _Functions()
    result = _dispatched(dispatch_plain, functions, "find_price", {"sku": "SKU-210"}, "good_raises")
    expect(result.is_error is False, "good_marked", got=repr(result.is_error))
    _check_json(result.content, _PRICE)
    expect(len(functions.ran) == 1, "twice", got=len(functions.ran))
    for name, wanted in (("count_bags", "0"), ("find_shelf", "null")):
        result = _dispatched(dispatch_plain, functions, name, {}, "good_raises")
        expect(result.content.strip() == wanted and not result.is_error, "empty", expected=wanted)

    result = _dispatched(dispatch_plain, functions, "find_prize", {"sku": "SKU-210"}, "unknown_raises")
    _check_unknown(result, functions)
    own_name = getattr(dispatch_plain, "__name__", "print")
    for name in (own_name, "print", "clear"):
        result = _dispatched(dispatch_plain, functions, name, {}, "anything_raises")
        expect(result.is_error is True and "find_price" in result.content, "anything", name=name)

    result = _dispatched(dispatch_plain, functions, "close_till", {}, "failure_raises")
    expect(result.is_error is True, "failure_not_marked")
    expect("the till is open" in result.content, "no_message", got=result.content)
    expect("RuntimeError" in result.content, "no_type", got=result.content)
    result = _dispatched(dispatch_plain, functions, "find_supplier", {"sku": "SKU-990"}, "key_error_raises")
    expect(result.is_error is True, "failure_not_marked")
    expect(
        "KeyError" in result.content and "find_price" not in result.content, "key_error", got=result.content
    )

    for arguments in ({}, {"sku": "SKU-210", "verbose": True}, '{"sku": "SKU-2'):
        result = _dispatched(dispatch_plain, functions, "find_price", arguments, "arguments_raise")
        expect(result.is_error is True, "arguments_not_marked", arguments=repr(arguments))
    _dispatched(dispatch_plain, functions, "next_day", {}, "json_raises")


def _dispatched(
    dispatch: Any, functions: _Functions, name: str, arguments: dict[str, Any] | str, key: str
) -> ToolResult:
    """Return the result of one call. An exception is answered with the text `key`."""
    made = ToolCall(f"call_{name}", name, arguments)
    with explained(key, name=name):
        got = call(dispatch, made, functions)
    expect(got is not None, "returns_none", name=name)
    expect_type(got, ToolResult, "dispatch_plain(call, functions)")
    expect(got.tool_call_id == made.id, "id", expected=made.id, got=repr(got.tool_call_id))
    expect(got.name == name, "name", expected=name, got=repr(got.name))
    expect_type(got.content, str, "content")
    return got


def _check_json(content: str, wanted: Any) -> None:
    with explained("not_json", ValueError, got=content):
        got = json.loads(content)
    expect_equal(got, wanted, "content", reveal=True)
    expect("é" in content, "accents", got=content)


def _check_unknown(result: ToolResult, functions: _Functions) -> None:
    expect(result.is_error is True, "unknown_not_marked")
    expect(all(name in result.content for name in functions), "no_names", got=result.content)


# 05.b: a fitting tool_choice --------------------------------------------------------------------------

_RIGHT = {"a": "auto", "b": "tool", "c": "any", "d": "none", "e": "auto"}
_FORMS = {  # and what else each may say, besides its type
    "auto": {"disable_parallel_tool_use"},
    "any": {"disable_parallel_tool_use"},
    "tool": {"name", "disable_parallel_tool_use"},
    "none": set(),
}


@checker("05.b")
def check_05_b(choices: Any) -> None:
    expect_type(choices, dict, "choices")
    problems = Problems()
    problems.expect_empty({safe_text(letter, 20) for letter in choices if letter not in _RIGHT}, "unknown")
    for letter, right in _RIGHT.items():
        if problems.expect(letter in choices, "missing", letter=letter):
            _check_choice(letter, choices[letter], right, problems)
    problems.report()


def _check_choice(letter: str, choice: Any, right: str, problems: Problems) -> None:
    if not isinstance(choice, dict):
        problems.expect(False, "shape", letter=letter, got=safe_text(repr(choice), 60))
        return
    kind = choice.get("type")
    if kind == "function" or kind == "required":
        problems.expect(False, "openai", letter=letter, got=kind)
    elif not isinstance(kind, str) or kind not in _FORMS:
        problems.expect(False, "no_form", letter=letter, got=safe_text(repr(kind), 60))
    elif problems.expect(kind == right, f"{letter}_{kind}"):
        extra = {safe_text(key, 40) for key in choice.keys() - {"type", *_FORMS[kind]}}
        problems.expect_empty(extra, "extra", letter=letter, kind=kind)
        if kind == "tool":
            problems.expect(choice.get("name") == "create_ticket", "tool_name", got=repr(choice.get("name")))


# 05.c: a path from outside ----------------------------------------------------------------------------

_NOTES = {
    "today.txt": "Call the roaster about the café.",
    "2026/november.txt": "Order 40 kg of beans.",
    "price..list.txt": "Grinder 64, mug 12.",
}
_SECRET = "PIN of the safe"  # noqa: S105 (what must not be read)
_OUTSIDE = {"parent": "../private.txt", "nested": "2026/../../private.txt"}


@checker("05.c")
def check_05_c(open_note: Any) -> None:
    with tempfile.TemporaryDirectory() as place:
        root = Path(place).resolve()
        folder = _write_notes(root)
        for name, text in _NOTES.items():
            _expect_note(open_note, folder, name, text, "dots" if ".." in name else "inside")
        for key, name in _OUTSIDE.items():
            _expect_refusal(open_note, folder, name, key)
        _expect_refusal(open_note, folder, str(root / "private.txt"), "absolute")
        _expect_refusal(open_note, folder, "../notes-private/salaries.txt", "sibling")
        if (folder / "link.txt").exists():
            _expect_refusal(open_note, folder, "link.txt", "link")
        roundabout = root / "notes-private" / ".." / "notes"
        _expect_note(open_note, roundabout, "today.txt", _NOTES["today.txt"], "folder")


def _write_notes(root: Path) -> Path:
    folder = root / "notes"
    (folder / "2026").mkdir(parents=True)
    (root / "notes-private").mkdir()
    for name, text in _NOTES.items():
        (folder / name).write_text(text, encoding="utf-8")
    for path in (root / "private.txt", root / "notes-private" / "salaries.txt"):
        path.write_text(_SECRET, encoding="utf-8")
    with contextlib.suppress(OSError, NotImplementedError):  # Windows lets only some users make links
        (folder / "link.txt").symlink_to(root / "private.txt")
    return folder


def _expect_note(open_note: Callable, folder: Path, name: str, text: str, key: str) -> None:
    with explained(key, name=name):
        got = call(open_note, folder, name)
    expect(got is not None, "returns_none", name=name)
    expect_type(got, str, "open_note(folder, name)")
    expect(got == text, "other_text", name=name, expected=text, got=safe_text(got, 60))


def _expect_refusal(open_note: Callable, folder: Path, name: str, key: str) -> None:
    shown = name.replace(str(folder.parent), "...")
    try:
        got = call(open_note, folder, name)
    except (NotYet, ToDo):
        raise
    except ValueError as error:
        expect(safe_text(error).strip(), "no_sentence")
        return
    except Exception as error:  # noqa: BLE001 (only ValueError is the answer that was asked for)
        raise not_yet("other_error", name=shown, got=type_name(error)) from error
    expect(got != _SECRET, key, name=shown)
    raise not_yet("no_error", name=shown, got=safe_text(repr(got), 60))
