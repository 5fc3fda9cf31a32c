"""Reading JSON into the shapes of gemini_shapes.py by the rules that Google's services have for it.

A field may be named in camelCase or in snake_case; null is the same as leaving it out; one value may stand
for a list of one; numbers may be written as strings; base64 may be of either alphabet. All complaints are
collected and told at once, each with its place, in the service's words.
"""

from __future__ import annotations

import json
import re
import types
import typing
from typing import Any

from ..api import Refused
from .shapes import Enum, GeminiMessage

_BASE64 = re.compile(r"[A-Za-z0-9+/_-]*={0,2}")
_SCALARS = {
    str: "TYPE_STRING",
    bytes: "TYPE_BYTES",
    bool: "TYPE_BOOL",
    int: "TYPE_INT32",
    float: "TYPE_DOUBLE",
}
_NOTHING = object()


def read(shape: type[GeminiMessage], data: Any, version: str = "v1beta") -> Any:
    """The request in the given shape; raises Refused with every complaint."""
    reader = _Reader(version)
    if not isinstance(data, dict):
        reader.complain("", 'Invalid JSON payload received. Unknown name "": Root element must be a message.')
        request = None
    else:
        request = reader.message(shape, data, "")
    if reader.complaints:
        raise reader.refused()
    return request


def snake_case(name: str) -> str:
    """`functionDeclarations` -> `function_declarations`."""
    return re.sub(r"(?<!^)([A-Z])", lambda match: "_" + match[1].lower(), name)


class _Reader:
    """One reading; keeps the complaints."""

    def __init__(self, version: str) -> None:
        self.types = f"type.googleapis.com/google.ai.generativelanguage.{version}."
        self.complaints: list[tuple[str, str]] = []

    def complain(self, place: str, text: str) -> Any:
        self.complaints.append((place, text))
        return _NOTHING

    def unknown(self, name: str, place: str, why: str) -> Any:
        at = f" at '{place}'" if place else ""
        return self.complain(place, f'Invalid JSON payload received. Unknown name "{name[:200]}"{at}: {why}')

    def wrong(self, place: str, kind: str, value: Any) -> Any:
        shown = json.dumps(value, ensure_ascii=False)
        shown = shown if len(shown) <= 200 else shown[:200] + "…"
        return self.complain(place, f"Invalid value at '{place}' ({kind}), {shown}")

    def refused(self) -> Refused:
        violations = [
            {"field": place, "description": text} if place else {"description": text}
            for place, text in self.complaints
        ]
        details = [{"@type": "type.googleapis.com/google.rpc.BadRequest", "fieldViolations": violations}]
        message = "\n".join(text for _, text in self.complaints)
        return Refused(400, "INVALID_ARGUMENT", message, {"details": details})

    # A message, field by field ----------------------------------------------------------------------

    def message(self, shape: type[GeminiMessage], data: dict[str, Any], place: str) -> Any:
        values: dict[str, Any] = {}
        for name, value in data.items():
            field = self._field(shape, name)
            if field is None:
                self.unknown(name, place, "Cannot find field.")
            elif value is not None or shape.model_fields[field].annotation is Any:
                self._check_oneof(shape, field, name, values, place)
                kind, meta = _unwrapped(shape.model_fields[field])
                found = self.value(kind, meta, value, f"{place}.{field}" if place else field, name, place)
                if found is not _NOTHING:
                    values[field] = found
        return shape.model_construct(**values)

    @staticmethod
    def _field(shape: type[GeminiMessage], name: str) -> str | None:
        snake = snake_case(name)
        # "function_Declarations" is neither spelling.
        exact = name == snake or "_" not in name
        return snake if exact and snake in shape.model_fields else None

    def _check_oneof(
        self, shape: type[GeminiMessage], field: str, name: str, values: dict[str, Any], place: str
    ) -> None:
        group, members = shape.ONEOF
        if field in members and any(other in members for other in values):
            text = f"oneof field '{group}' is already set. Cannot set '{name}'"
            self.complain(place, f"Invalid value at '{place}' (oneof), {text}")

    def value(self, kind: Any, meta: tuple[Any, ...], value: Any, place: str, name: str, parent: str) -> Any:
        """One value of a field, by the kind that the shape names for it."""
        origin = typing.get_origin(kind)
        if kind is Any:
            return value
        if origin is list:
            return self._list(typing.get_args(kind)[0], value, place, name, parent)
        if isinstance(value, list):
            return self.unknown(name, parent, "Proto field is not repeating, cannot start list.")
        if origin is dict:
            return self._map(typing.get_args(kind)[1], value, place)
        if isinstance(kind, type) and issubclass(kind, GeminiMessage):
            if not isinstance(value, dict):
                return self.wrong(place, self.types + kind.__name__.removeprefix("Gemini"), value)
            return self.message(kind, value, place)
        if isinstance(value, dict):
            return self.unknown(name, parent, "Starting an object on a scalar field.")
        if origin is typing.Literal:
            return self._enum(typing.get_args(kind), meta, value, place)
        return self._scalar(kind, value, place)

    def _list(self, kind: Any, value: Any, place: str, name: str, parent: str) -> Any:
        kind, meta = _plain(kind)
        if not isinstance(value, list):
            items = [self.value(kind, meta, value, place, name, parent)]
        else:
            items = [
                self.value(kind, meta, item, f"{place}[{n}]", name, parent) for n, item in enumerate(value)
            ]
        return [item for item in items if item is not _NOTHING]

    def _map(self, kind: Any, value: Any, place: str) -> Any:
        if kind is Any:
            return value if isinstance(value, dict) else self.wrong(place, _STRUCT, value)
        if not isinstance(value, dict):
            return self.wrong(place, self.types + "MapEntry", value)
        found = {}
        for n, (name, item) in enumerate(value.items()):
            entry = f"{place}[{n}]"
            one = self.value(kind, (), item, f"{entry}.value", "value", entry)
            if one is not _NOTHING:
                found[name] = one
        return found

    def _enum(self, allowed: tuple[str, ...], meta: tuple[Any, ...], value: Any, place: str) -> Any:
        if isinstance(value, str) and value.upper() in allowed:
            return value.upper()
        if isinstance(value, int) and not isinstance(value, bool) and 0 <= value < len(allowed):
            return allowed[value]
        name = next((one.name for one in meta if isinstance(one, Enum)), "")
        return self.wrong(place, self.types + name, value)

    def _scalar(self, kind: type, value: Any, place: str) -> Any:
        wrong = _SCALARS[kind]
        if kind is str:
            return value if isinstance(value, str) else self.wrong(place, wrong, value)
        if kind is bytes:
            if isinstance(value, str) and _BASE64.fullmatch(value):
                return value
            if isinstance(value, str):
                text = f'Base64 decoding failed for "{value[:100]}"'
                return self.complain(place, f"Invalid value at '{place}' ({wrong}), {text}")
            return self.wrong(place, wrong, value)
        if kind is bool:
            return value if isinstance(value, bool) else self.wrong(place, wrong, value)
        number = _number(value)
        if number is None or (kind is int and (number != int(number) or abs(number) >= 2**31)):
            return self.wrong(place, wrong, value)
        return int(number) if kind is int else number


_STRUCT = "type.googleapis.com/google.protobuf.Struct"


def _number(value: Any) -> int | float | None:
    """A number, also one that is written as a string, as protocol buffers allow."""
    if isinstance(value, str) and re.fullmatch(r"-?\d{1,18}(\.\d{1,18})?", value):
        return float(value) if "." in value else int(value)
    return value if isinstance(value, int | float) and not isinstance(value, bool) else None


def _unwrapped(field: Any) -> tuple[Any, tuple[Any, ...]]:
    kind, meta = _plain(field.annotation)
    return kind, (*field.metadata, *meta)


def _plain(kind: Any) -> tuple[Any, tuple[Any, ...]]:
    """`Annotated[X, …] | None` -> X and what is annotated."""
    if isinstance(kind, types.UnionType) or typing.get_origin(kind) is typing.Union:
        kind = next(one for one in typing.get_args(kind) if one is not types.NoneType)
    if typing.get_origin(kind) is typing.Annotated:
        inner, *meta = typing.get_args(kind)
        return inner, tuple(meta)
    return kind, ()
