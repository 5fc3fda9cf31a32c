"""Reading a definition of any form: whose it is, and where its name, description and schema stand.

`definitions_in` reads files: JSON as it is sent, or a Python file that is run to find its tools.

What cannot be read is a finding, never a traceback; what a provider runs itself (a built-in web search) has
no schema of ours and is left alone.
"""

from __future__ import annotations

import json
import runpy
import sys
import types
from collections.abc import Iterable, Iterator, Mapping, ValuesView
from contextlib import redirect_stdout
from pathlib import Path
from typing import Any

from practice_model.facts.schemas import snake_case

from ..errors import CourseError
from ..messages import localized
from ..show.plain import safe_text
from ..tools import Tool
from .definition import ENDLESS, Definition, described, shown, to_plain
from .findings import Problem, error, hint

# As of 2026-11, from the providers' API references.
KEYS = {
    "anthropic": "type name description input_schema strict input_examples cache_control defer_loading "
    "eager_input_streaming allowed_callers",
    "chat": "name description parameters strict",
    "responses": "type name description parameters strict defer_loading allowed_callers output_schema async",
    "gemini": "name description parameters parameters_json_schema parametersJsonSchema response "
    "response_json_schema responseJsonSchema behavior",
}
_SCHEMA_KEYS = ("input_schema", "parameters", "parameters_json_schema", "parametersJsonSchema")
# What people call the schema where it has another name.
_WRONG_KEYS = ("inputSchema", "schema", "params", "args_schema", "arguments", "json_schema")
_GEMINI_RUNS = frozenset(
    "google_search google_search_retrieval google_maps code_execution url_context computer_use file_search "
    "mcp_servers".split()
)
_FUNCTIONS = (types.FunctionType, types.MethodType, types.BuiltinFunctionType)
_DECLARATIONS = ("function_declarations", "functionDeclarations")


def read_all(given: Any) -> list[Definition]:
    """Return every definition in one, a list of them, Gemini's declarations or the `tools` of a request."""
    if isinstance(given, list | tuple | ValuesView):
        found = [_several(one, f"tools[{n}]") for n, one in enumerate(given)]
        return _settle_doubtful([one for several in found for one in several])
    return _settle_doubtful(_several(given, ""))


def _several(given: Any, place: str) -> list[Definition]:
    if isinstance(given, Tool):
        return [_from_tool(given)]
    plain, problems = to_plain(given)
    if problems or not isinstance(plain, dict):
        return [_unreadable(given, place, problems)]
    return unpack(plain, place)


def unpack(plain: dict[str, Any], place: str = "") -> list[Definition]:
    """Return the definitions in a plain dictionary; they share its parts: repairing them repairs it."""
    for key in _DECLARATIONS:
        if key in plain:
            return _listed(plain[key], key, place, "gemini")
    if "tools" in plain and "name" not in plain:
        return _listed(plain["tools"], "tools", place)
    return [_one(plain, place)]


def _listed(held: Any, key: str, place: str, form: str = "") -> list[Definition]:
    """Return the definitions in a list inside what was given."""
    place = f"{place}.{key}" if place else key
    if not isinstance(held, list):
        return [_not_one(place, error("not-a-list", key, given=shown(held), key=key))]
    found = []
    for n, one in enumerate(held):
        label = f"{place}[{n}]"
        if not isinstance(one, dict):
            found.append(_not_one(label, error("not-a-definition", label, given=shown(one))))
        elif not form and any(key in one for key in _DECLARATIONS):
            found += unpack(one, label)
        else:
            found.append(_one(one, label, form))
    return found


def _not_one(label: str, problem: Problem) -> Definition:
    """Return what stands in the place of a definition that cannot be read."""
    return Definition("", label, readable=False, problems=[problem])


def _one(plain: dict[str, Any], place: str, form: str = "") -> Definition:
    """Return a definition in the form that its keys show, or are nearest to."""
    if not form and _provider_runs_it(plain):
        return Definition("", str(plain.get("name") or plain.get("type") or place), plain, readable=False)
    if not form and "name" not in plain and _is_bare_schema(plain):
        whole = place or localized("lint.whole")
        return _not_one(whole, error("only-a-schema", whole))
    form = form or _form(plain)
    inside, prefix = plain, ""
    if form == "chat" and isinstance(plain.get("function"), dict):
        inside, prefix = plain["function"], "function."
    definition = Definition(form, "", plain, inside, prefix, _schema_key(form, inside))
    name = definition.name
    definition.label = name if isinstance(name, str) and name.strip() else place
    if form != "doubtful":
        definition.problems += _check_keys(definition)
    definition.label = definition.label or localized("lint.whole")
    return definition


def _form(plain: dict[str, Any]) -> str:
    if "function" in plain:
        return "chat"
    if plain.get("type") == "function":
        return "responses"
    if "input_schema" in plain or "inputSchema" in plain or plain.get("type") == "custom":
        return "anthropic"
    if any(key in plain for key in ("input_examples", "cache_control", "eager_input_streaming")):
        return "anthropic"
    if "strict" in plain and "parameters" in plain:
        return "responses"
    if any(key in plain for key in _SCHEMA_KEYS):
        return "gemini"
    return "doubtful"


def _schema_key(form: str, inside: dict[str, Any]) -> str:
    right = {"anthropic": ("input_schema",), "gemini": _SCHEMA_KEYS[1:]}.get(form, ("parameters",))
    for key in (*right, *_SCHEMA_KEYS, *_WRONG_KEYS):
        if isinstance(inside.get(key), dict) or (key in right and key in inside):
            return key
    return right[0]


def _provider_runs_it(plain: dict[str, Any]) -> bool:
    """Return whether the provider has the definition: `{"type": "web_search_…"}`, `{"google_search": {}}`."""
    kind = plain.get("type")
    if {"function", "input_schema", "parameters", "properties"} & set(plain):
        return False
    if kind == "custom":  # OpenAI's tools that take free text
        return "custom" in plain or "format" in plain
    if isinstance(kind, str):
        return kind not in ("function", "object")
    return bool(_GEMINI_RUNS & set(map(snake_case, plain))) and "name" not in plain


def _is_bare_schema(plain: dict[str, Any]) -> bool:
    kind = plain.get("type")
    return "properties" in plain or (isinstance(kind, str) and kind.lower() == "object")


def _settle_doubtful(definitions: list[Definition]) -> list[Definition]:
    """Give a definition without a schema the form of its neighbours; alone it is Gemini's, who takes it."""
    forms = [one.form for one in definitions if one.readable and one.form not in ("doubtful", "tool")]
    for one in definitions:
        if one.form == "doubtful":
            one.form = max(set(forms), key=forms.count) if forms else "gemini"
            one.schema_key = _schema_key(one.form, one.inside)
            if not forms and one.schema is None:
                one.problems.append(hint("no-schema-anywhere", "parameters"))
            one.problems += _check_keys(one)
    return definitions


def _check_keys(definition: Definition) -> Iterator[Problem]:
    """Check the keys around name, description and schema: missing, misplaced, of another form."""
    if definition.form == "chat":
        yield from _check_wrapper(definition)
    elif definition.form == "responses" and definition.raw.get("type") != "function":
        yield error("type-function-missing", "type")
    elif definition.form == "anthropic" and definition.raw.get("type") not in (None, "custom"):
        yield error("type-not-custom", "type", given=shown(definition.raw["type"]))
    allowed = set(KEYS[definition.form].split())
    right = {"anthropic": "input_schema"}.get(definition.form, "parameters")
    for key in definition.inside:
        if key in allowed:
            continue
        where = definition.at(key)
        if key == definition.schema_key:
            yield error("wrong-schema-key", where, key=key, right=right)
        elif key in _SCHEMA_KEYS:
            yield error("two-schemas", where, key=key, right=right)
        elif key in ("properties", "required", "additionalProperties"):
            yield error("schema-key-outside", where, key=key, right=definition.root)
        else:
            yield error("unknown-key", where, key=key, known=", ".join(sorted(allowed)))
    if definition.form == "gemini" and isinstance(definition.inside.get("parameters"), dict):
        for key in _SCHEMA_KEYS[2:]:
            if key in definition.inside:
                yield error("two-schemas", key, key=key, right="parameters")
    if definition.schema is None and definition.form == "anthropic":
        code = "schema-not-an-object" if definition.schema_key in definition.inside else "schema-missing"
        yield error(code, definition.root, key=definition.schema_key, given="null")
    elif definition.schema is not None and not isinstance(definition.schema, dict):
        given = shown(definition.schema)
        yield error("schema-not-an-object", definition.root, key=definition.schema_key, given=given)


def _check_wrapper(definition: Definition) -> Iterator[Problem]:
    """Check what stands outside of `function`: only `type` belongs beside it."""
    inside = definition.raw.get("function", {})
    if not isinstance(inside, dict):
        yield error("schema-not-an-object", "function", key="function", given=shown(inside))
        definition.readable = False
    if definition.raw.get("type") != "function":
        yield error("type-function-missing", "type")
    for key in definition.raw:
        if key not in ("type", "function"):
            yield error("belongs-inside-function", key, key=key)


def _from_tool(tool: Tool) -> Definition:
    inside = {"name": tool.name, "description": tool.description, "parameters": tool.parameters}
    if tool.strict:
        inside["strict"] = True
    return Definition("tool", tool.name, inside, inside, "", "parameters", tool)


def _unreadable(given: Any, place: str, problems: list[tuple[str, str]]) -> Definition:
    whole = localized("lint.whole")
    if isinstance(given, Mapping) and problems:
        where, what = problems[0]
        name = dict.get(given, "name") if isinstance(given, dict) else None
        label = name if type(name) is str else place
        code = "endless" if what == ENDLESS else "not-json"
        return _not_one(label or whole, error(code, where or whole, given=what))
    code = "not-a-definition"
    if isinstance(given, _FUNCTIONS):
        code = "a-function"
    elif isinstance(given, type) and hasattr(given, "model_json_schema"):
        code = "a-model"
    what = described(given) if code == "not-a-definition" else given.__name__
    return _not_one(place or whole, error(code, place or whole, given=what))


# Files of definitions -----------------------------------------------------------------------------

_DEFINITION_KEYS = ("input_schema", "parameters", "function", *_DECLARATIONS)


def definitions_in(path: str) -> Any:
    """Return the definitions in a file, as `lint` takes them; "-" is standard input.

    JSON is read as it is sent. A .py file is executed, as `python FILE` would, but not as the main program.
    Raises CourseError, with line and column where JSON is broken.
    """
    if not path:
        raise CourseError(localized("lint.file.no_path"))
    if path.endswith(".ipynb"):
        raise CourseError(localized("lint.file.notebook", path=path))
    if path.endswith(".py"):
        return _from_python(path)
    text = _read(path)
    shown = "-" if path == "-" else path
    try:
        return json.loads(text)
    except json.JSONDecodeError as error:
        values = {"line": error.lineno, "column": error.colno, "reason": error.msg}
        raise CourseError(localized("lint.file.not_json", path=shown, **values)) from error
    except (RecursionError, ValueError) as error:  # ValueError: a number with too many digits
        key = "too_deep" if isinstance(error, RecursionError) else "unreadable"
        raise CourseError(localized(f"lint.file.{key}", path=shown, reason=error)) from error


def _read(path: str) -> str:
    try:
        if path == "-":
            data = sys.stdin.buffer.read() if hasattr(sys.stdin, "buffer") else sys.stdin.read().encode()
        elif not Path(path).exists():
            raise CourseError(localized("lint.file.missing", path=path))
        else:
            data = Path(path).read_bytes()
        return data.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        raise CourseError(localized("lint.file.unreadable", path=path, reason=error.reason)) from error
    except (OSError, ValueError) as error:
        reason = getattr(error, "strerror", None) or error
        raise CourseError(localized("lint.file.unreadable", path=path, reason=reason)) from error


def _from_python(path: str) -> list[Any]:
    if not Path(path).is_file():
        raise CourseError(localized("lint.file.missing", path=path))
    # As Python does, so that the file can import its neighbours.
    sys.path.insert(0, str(Path(path).resolve().parent))
    try:
        # What the file prints is not part of the report.
        with redirect_stdout(sys.stderr):
            names = runpy.run_path(path, run_name="linted")
    except (Exception, SystemExit) as error:  # noqa: BLE001 (somebody else's program)
        reason = f"{type(error).__name__}: {safe_text(error)}".removesuffix(": ")
        raise CourseError(localized("lint.file.python_failed", path=path, reason=reason)) from error
    finally:
        sys.path.pop(0)
    found = _tools_among(names)
    if not found:
        raise CourseError(localized("lint.file.no_tools", path=path))
    return found


def _tools_among(names: dict[str, Any]) -> list[Any]:
    """Return every tool and definition at the top level and in lists and dictionaries there, each once."""
    held = [value for name, value in names.items() if not name.startswith("__")]
    several = [one for value in held for one in _inside(value)]
    # A dictionary may be a request, whose `tools` are a list.
    several += [one for value in several if isinstance(value, list | tuple) for one in value]
    return list({id(one): one for one in [*held, *several] if _is_definition(one)}.values())


def _inside(value: Any) -> Iterable[Any]:
    if isinstance(value, list | tuple):
        return value
    if not isinstance(value, dict) or _is_definition(value):
        return ()
    is_schema = "properties" in value or "$defs" in value  # whose fields may have any name
    return () if is_schema else value.values()


def _is_definition(one: Any) -> bool:
    return isinstance(one, Tool) or (isinstance(one, dict) and any(key in one for key in _DEFINITION_KEYS))
