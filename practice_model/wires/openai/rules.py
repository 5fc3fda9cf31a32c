"""What both OpenAI APIs refuse alike: schemas, tools, tool choice and structured answers."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any, NamedTuple

from ...facts.models import GPT_RETIRED, GPT_SNAPSHOTS, gpt
from ...facts.schemas import TYPES
from ...facts.strict import BESIDE_REFERENCE, LARGE_ENUM, OPENAI_LIMITS, STRICT_FORMATS, STRICT_REFUSED
from ...request import ToolChoice, ToolSpec
from .. import json_schema
from ..api import which_model
from .shapes import refused

# Models ----------------------------------------------------------------------------------------------


def check_model(model: str) -> None:
    """Raise Refused for an id that does not exist or no longer does."""
    if GPT_RETIRED.fullmatch(model):
        message = (
            f"The model `{model[:200]}` has been deprecated, learn more here: "
            "https://platform.openai.com/docs/deprecations (a current one is gpt-5.4-mini)"
        )
    elif gpt(model):
        return
    else:
        hint = which_model(model, GPT_SNAPSHOTS)
        message = f"The model `{model[:200]}` does not exist or you do not have access to it. ({hint})"
    raise refused(message, None, "model_not_found", 404)


def reasons(model: str, effort: str | None) -> bool:
    """Return whether the model reasons before it answers, at this effort or the default one."""
    return (effort or gpt(model).default_effort or "none") != "none"


def takes_sampling(model: str, effort: str | None) -> bool:
    """Return whether temperature, top_p and the like may be set."""
    return gpt(model).takes_sampling and not reasons(model, effort)


# Which schemas OpenAI takes for a function's parameters and for a structured answer, strict and not ---
# The service answers 400 to anything that facts/strict.py has not. Messages are worded as the service words
# them: `context` is the place in the schema.

_NOT_AT_THE_TOP = ("oneOf", "anyOf", "allOf", "enum", "not")

Part = tuple[tuple[str, ...], dict[str, Any]]


def parameters_problem(schema: Any) -> str | None:
    """The first thing that is wrong with a schema whether strict or not, or None."""
    if not isinstance(schema, dict):
        return f"{schema!r} is not of type 'object', 'boolean'."
    kind = schema.get("type")
    if kind != "object":
        return f"""schema must be a JSON Schema of 'type: "object"', got 'type: "{kind}"'."""
    if any(keyword in schema for keyword in _NOT_AT_THE_TOP):
        names = "/".join(f"'{keyword}'" for keyword in _NOT_AT_THE_TOP)
        return f"schema must have type 'object' and not have {names} at the top level."
    for path, part in _walk(schema):
        if json_schema.problem({"type": part.get("type", "object")}):
            types = ", ".join(TYPES)
            wrong = part["type"]
            rule = f"{wrong!r} is not valid under any of the given schemas."
            return f"{rule} (In context={path}: the types are {types})"
    wrong = json_schema.problem(schema)
    if wrong:
        return f"the schema is not valid JSON Schema: {wrong}."
    for path, part in _walk(schema):
        if not path and "properties" not in part:
            return "In context=(), object schema missing properties."
        if part.get("type") == "array" and "items" not in part and "prefixItems" not in part:
            return f"In context={path}, array schema missing items."
    return None


def strict_problem(schema: dict[str, Any]) -> str | None:
    """The first thing in a schema that the strict subset does not have, or None."""
    for path, part in _walk(schema):
        wrong = _wrong(part, schema)
        if wrong:
            return f"In context={path}, {wrong}"
    return _over_a_limit(schema)


def _walk(schema: Any, path: tuple[str, ...] = ()) -> Iterator[Part]:
    """The schema and every schema inside it, each with its place."""
    if isinstance(schema, dict):
        yield path, schema
        for place, child in json_schema.children(schema):
            keyword, _, name = place.partition(".")
            yield from _walk(child, (*path, keyword, name) if name else (*path, keyword))


def _wrong(part: dict[str, Any], root: dict[str, Any]) -> str | None:
    """What is wrong with one schema, leaving out those inside it."""
    if "$ref" in part:
        return _wrong_reference(part, root)
    for keyword in STRICT_REFUSED["openai"]:
        if keyword in part:
            return f"'{keyword}' is not permitted."
    types = part["type"] if isinstance(part.get("type"), list) else [part.get("type")]
    if not any(keyword in part for keyword in ("type", "anyOf", "enum", "const")):
        return "schema must have a 'type' key."
    if "object" in types or "properties" in part:
        wrong = _wrong_object(part)
        if wrong:
            return wrong
    if "array" in types and "items" not in part:
        return "array schema missing items."
    if part.get("format", "date") not in STRICT_FORMATS["openai"]:
        return f"'{part['format']}' is not a valid format."
    return None


def _wrong_object(part: dict[str, Any]) -> str | None:
    if part.get("additionalProperties") is not False:
        return "'additionalProperties' is required to be supplied and to be false."
    names, required = list(part.get("properties", {})), part.get("required", [])
    rule = "'required' is required to be supplied and to be an array including every key in properties."
    missing = [name for name in names if name not in required]
    extra = [name for name in required if name not in names]
    if missing:
        return f"{rule} Missing '{missing[0]}'."
    return f"{rule} Extra required key '{extra[0]}' supplied." if extra else None


def _wrong_reference(part: dict[str, Any], root: dict[str, Any]) -> str | None:
    beside = sorted(set(part) - BESIDE_REFERENCE)
    if beside:
        return f"$ref cannot have keywords {{{', '.join(repr(name) for name in beside)}}}."
    reference = part["$ref"]
    target: Any = root if reference.startswith("#") else None
    for step in reference.lstrip("#").strip("/").split("/"):
        if step:
            step = step.replace("~1", "/").replace("~0", "~")
            target = target.get(step) if isinstance(target, dict) else None
    return (
        None
        if isinstance(target, dict)
        else f"reference to component '{reference}' which was not found in the schema."
    )


def _depth(schema: Any) -> int:
    """How many schemas stand inside each other, the outermost counted; choices of one place are one level."""
    if not isinstance(schema, dict):
        return 0
    deepest = 1
    for place, child in json_schema.children(schema):
        is_level = place.partition(".")[0] in ("properties", "items")
        deepest = max(deepest, _depth(child) + is_level)
    return deepest


def _over_a_limit(schema: dict[str, Any]) -> str | None:
    """Whether the schema is larger than strict mode takes. References are not followed."""
    parts = list(_walk(schema))
    properties = sum(len(part.get("properties", {})) for _, part in parts)
    enums = [part["enum"] for _, part in parts if "enum" in part]
    values = sum(len(enum) for enum in enums)
    depth = _depth(schema)
    names = [name for _, part in parts for word in ("properties", "$defs") for name in part.get(word, {})]
    texts = [str(value) for enum in enums for value in enum]
    letters = sum(map(len, names + texts + [str(part["const"]) for _, part in parts if "const" in part]))
    large = max(
        (sum(len(str(value)) for value in enum) for enum in enums if len(enum) > LARGE_ENUM), default=0
    )
    counts = (
        ("object properties in total", properties),
        ("levels of nesting", depth),
        ("enum values in total", values),
        ("characters in names, enum values and const values", letters),
        (f"characters in an enum of more than {LARGE_ENUM} values", large),
    )
    for (what, count), limit in zip(counts, OPENAI_LIMITS.values(), strict=True):
        if count > limit:
            return (
                f"Expected at most {limit} {what} within a schema when using structured outputs, "
                f"but received {count}. Consider reducing their number, or use 'strict: false' to opt out of "
                "structured outputs."
            )
    return None


# Tools, tool choice and structured answers, in what Chat Completions and Responses have in common -----
# The two APIs nest the same things differently; `Offered` and `Choice` are what is left without the nesting.


NO_PARAMETERS: dict[str, Any] = {"type": "object", "properties": {}}


class Offered(NamedTuple):
    """A function that the request offers, and where in the request it stands."""

    place: str
    name: str
    description: str
    parameters: Any
    strict: bool


class Choice(NamedTuple):
    """A tool choice: its mode, and the names that it speaks of."""

    mode: str = "auto"
    names: tuple[str, ...] = ()
    only: bool = False
    """True: the names are all that may be called (allowed_tools); False: the one that must be."""


def schema_problem(functions: Iterable[Offered]) -> dict[str, Any] | None:
    """The first function whose parameters are refused, and why."""
    for function in functions:
        if function.parameters is None:
            continue
        problem = parameters_problem(function.parameters)
        if problem is None and function.strict:
            problem = strict_problem(function.parameters)
        if problem:
            return {"name": function.name, "place": function.place, "problem": problem}
    return None


def answer_schema_problem(name: str, schema: Any, strict: bool) -> dict[str, Any] | None:
    """What is wrong with the schema of a structured answer."""
    problem = parameters_problem(schema)
    if problem is None and strict:
        problem = strict_problem(schema)
    return {"name": name, "problem": problem} if problem else None


def specs(functions: list[Offered], choice: Choice) -> tuple[ToolSpec, ...]:
    """The functions as the neutral request has them, without those that the choice does not allow."""
    return tuple(
        ToolSpec(one.name, one.description, one.parameters or NO_PARAMETERS, one.strict)
        for one in functions
        if not choice.only or one.name in choice.names
    )


def neutral(choice: Choice, parallel: bool | None) -> ToolChoice:
    """The tool choice as the neutral request has it."""
    mode = {"required": "any", "named": "tool"}.get(choice.mode, choice.mode)
    name = choice.names[0] if choice.mode == "named" else ""
    return ToolChoice(mode, name, parallel is not False)
