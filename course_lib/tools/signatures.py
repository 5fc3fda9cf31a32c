"""What a function or a Pydantic model asks for: parameters, docstring, and the context it is handed."""

from __future__ import annotations

import contextlib
import functools
import inspect
import re
import types
import typing
from collections.abc import Callable, Iterable, Mapping
from contextvars import ContextVar
from dataclasses import dataclass, field
from typing import Annotated, Any, Literal, Union, get_args, get_origin

from pydantic import BaseModel, Field
from pydantic.fields import FieldInfo

from ..errors import CourseError, ToolSchemaError

# What the program hands to a tool -----------------------------------------------------------------

RUNNING: ContextVar[tuple[str, str]] = ContextVar("RUNNING", default=("", ""))
"""Id and key of the call that runs."""


class Context(types.SimpleNamespace):
    """What the program, not the model, hands to a tool: who is asking, a connection, a clock.

    A parameter annotated `Context`, or a class made from it, never reaches the model. The program gives the
    value with the call: `tool.run(arguments, context=Context(user="u1"))`.

    A tool that must do nothing twice finds two more things in it, while it runs for a call of a model:

    call_id     the id of the call, as the provider gave it
    call_key    what stands for this call and no other, for systems that take such a key ("idempotency key").
                From a Runner it is different for each call of each session, whatever the provider does; from
                run_calls alone it is the call's id, which on Gemini may come again in another turn

    Read them in the function of the tool: in a thread that it starts itself no call runs (`asyncio.to_thread`
    and tasks do know it). There call_id is "", and call_key raises CourseError.
    """

    def __getattr__(self, name: str) -> Any:
        if name not in ("call_id", "call_key"):
            return self.__getattribute__(name)  # raises what says that it is missing
        call_id, call_key = RUNNING.get()
        if name == "call_id":
            return call_id
        if not call_key:  # as a key, "" would be one for all
            raise CourseError(
                "context.call_key was read where no call of a model runs: outside of a tool, or in a thread "
                "that the tool started. Read it first, key = context.call_key, and give the thread the key; "
                "to try a tool without a call, write Context(call_key='any text', ...)."
            )
        return call_key


# Docstrings in Google, NumPy or Sphinx style ------------------------------------------------------

_SECTION = r"((Keyword |Other )?(Args|Arguments|Params|Parameters)|Returns|Yields|Raises)"
# Which style it is, seen from the one line that only that style has. Trying every parser and keeping the one
# that finds most would read "Use it when: ..." in plain prose as a section.
_STYLES = {
    "sphinx": re.compile(r"^:(param|parameter|arg|argument|key|keyword|returns?|raises?)\b.*:", re.M),
    "numpy": re.compile(rf"^{_SECTION}\n-{{3,}}", re.M),
    "google": re.compile(rf"^{_SECTION}:[ \t]*$", re.M),
}
_MORE_GOOGLE = ("Keyword Args", "Keyword Arguments", "Keyword Parameters")
_MORE_GOOGLE += ("Other Args", "Other Arguments", "Other Parameters")


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


# Signatures ---------------------------------------------------------------------------------------

MISSING = inspect.Parameter.empty
_UNREADABLE = (NameError, SyntaxError, TypeError, AttributeError)
_VARIABLE = {inspect.Parameter.VAR_POSITIONAL: "*", inspect.Parameter.VAR_KEYWORD: "**"}


@dataclass(frozen=True)
class Parameter:
    """One parameter that the model fills."""

    name: str
    """As Python calls it."""
    wire_name: str
    """As the model sees it: the same, unless `Field(alias=...)` gives another."""
    annotation: Any
    description: str | None
    """From the docstring, where the annotation has none of its own."""
    required: bool
    """Presence comes from the default; whether null is allowed, from the type."""
    default: Any
    """MISSING where there is none, or none to show."""
    make_default: Callable[[], Any] | None
    """For defaults that Python does not know: `n: int = Field(3)`, `Annotated[int, Field(default=3)]`."""
    positional: bool
    """Whether Python takes it by position only."""


@dataclass(frozen=True)
class Signature:
    """A function as a tool: what to call it, what to say of it, what it asks for."""

    name: str
    text: str
    parameters: tuple[Parameter, ...] = ()
    left_out: tuple[str, ...] = ()
    """`*args` and `**kwargs`, as written: the model cannot fill what has no name."""
    untyped: tuple[str, ...] = ()
    """Parameters without annotation; they are text."""
    context: Mapping[str, tuple[type[Context], ...]] = field(default_factory=dict)
    """The parameters that take the Context, each with the classes of it that it may be."""
    is_method: bool = False
    """Whether it was written in a class and waits for its `self`."""
    described: Mapping[str, str] = field(default_factory=dict)
    """What the docstring of a model says of its fields, by their names in Python."""


def read_signature(function: Callable[..., Any], names: Mapping[str, Any] | None = None) -> Signature:
    """Read a function's signature, annotations and docstring.

    Handles functions, methods, partials, decorated functions (through `__wrapped__`) and objects with
    `__call__`. What a partial has bound is hidden: it is configuration, often a secret. `names` helps to
    resolve annotations written as text that name classes of an enclosing function.
    """
    plain = _plain(function)
    docs = read_docstring(plain.__doc__ or _class_doc(function))
    bound = function.keywords if isinstance(function, functools.partial) else {}
    asked = _parameters(function)
    is_method = bool(asked) and _is_self(asked[0], plain)
    asked = [one for one in asked[is_method:] if one.name not in bound]
    named = [one for one in asked if one.kind not in _VARIABLE]
    hints, problems = _hints(named, plain, names or {})
    name = _name(function, plain)
    if problems:
        raise ToolSchemaError("\n- ".join([f"{name} cannot be a tool:", *problems]))
    contexts = {one.name: kinds for one in named if (kinds := _contexts(hints[one.name]))}
    filled = [one for one in named if one.name not in contexts]
    return Signature(
        name=name,
        text=docs.text,
        parameters=tuple(_parameter(one, hints[one.name], docs.parameters.get(one.name)) for one in filled),
        left_out=tuple(_VARIABLE[one.kind] + one.name for one in asked if one.kind in _VARIABLE),
        untyped=tuple(one.name for one in filled if one.annotation is MISSING),
        context=contexts,
        is_method=is_method,
    )


def read_model(model: type[BaseModel]) -> Signature:
    """Read a Pydantic model whose fields are the arguments: the language model fills them."""
    docs = read_docstring(model.__doc__)
    return Signature(model.__name__, docs.text, described=docs.parameters)


def _plain(function: Any) -> Any:
    """Return the function inside partials, decorators, methods and callable objects."""
    while True:
        if isinstance(function, functools.partial):
            function = function.func
        elif hasattr(function, "__wrapped__"):
            function = function.__wrapped__
        elif inspect.ismethod(function):
            function = function.__func__
        elif not inspect.isroutine(function) and not inspect.isclass(function) and callable(function):
            function = type(function).__call__
        else:
            return function


def _parameters(function: Callable[..., Any]) -> list[inspect.Parameter]:
    try:
        return list(inspect.signature(function).parameters.values())
    except (TypeError, ValueError, NameError) as error:
        raise ToolSchemaError(
            f"{function!r} has no signature that Python can read ({error}). "
            "Write a function with annotated parameters that calls it."
        ) from None


def _class_doc(function: Any) -> str | None:
    # An object that can be called is described by its class where `__call__` says nothing.
    is_object = not inspect.isroutine(function) and not isinstance(function, functools.partial)
    return type(function).__doc__ if is_object else None


def _name(function: Any, plain: Any) -> str:
    if plain.__name__ != "__call__":
        return plain.__name__
    inner = function.func if isinstance(function, functools.partial) else function
    return re.sub(r"(?<=[a-z0-9])(?=[A-Z])", "_", type(inner).__name__).lower()


def _is_self(one: inspect.Parameter, plain: Any) -> bool:
    """Return whether it is the `self` of a method that is decorated inside its class, before it is bound."""
    owner = plain.__qualname__.rpartition(".")[0]
    in_class = bool(owner) and not owner.endswith("<locals>")
    return in_class and one.name in ("self", "cls") and one.annotation is MISSING


# Types --------------------------------------------------------------------------------------------


def _hints(
    asked: list[inspect.Parameter], plain: Any, names: Mapping[str, Any]
) -> tuple[dict[str, Any], list[str]]:
    """Return the type of each parameter (text where there is none), and what is wrong with the others."""
    known = getattr(plain, "__globals__", {})

    def resolve(annotations: dict[str, Any]) -> dict[str, Any]:
        # Not the function itself: its return type need not be known.
        def holder() -> None: ...

        holder.__annotations__ = annotations
        return typing.get_type_hints(holder, known, dict(names), include_extras=True)

    written = {one.name: str if one.annotation is MISSING else one.annotation for one in asked}
    with contextlib.suppress(*_UNREADABLE):
        return resolve(written), []
    problems = []
    for name, annotation in written.items():
        try:
            resolve({name: annotation})
        except _UNREADABLE as error:
            problems.append(f"parameter '{name}' has an annotation that cannot be read: {error}")
    return {}, problems


def _contexts(hint: Any) -> tuple[type[Context], ...]:
    """Return Context, or the classes made from it, that a type names: `Shop`, `Shop | None`."""
    if get_origin(hint) in (Annotated, Union, types.UnionType):
        return tuple(kind for part in get_args(hint) for kind in _contexts(part))
    return (hint,) if isinstance(hint, type) and issubclass(hint, Context) else ()


def _parameter(one: inspect.Parameter, hint: Any, documented: str | None) -> Parameter:
    hint = _for_pydantic(hint)
    more = [one.default] if isinstance(one.default, FieldInfo) else []  # def f(n: int = Field(3, ge=1))
    fields = [extra for extra in (*getattr(hint, "__metadata__", ()), *more) if isinstance(extra, FieldInfo)]
    given = next((extra for extra in fields if not extra.is_required()), None)
    alias = next((extra.validation_alias for extra in fields if extra.validation_alias), None)
    default = MISSING if isinstance(one.default, FieldInfo) else one.default
    if default is MISSING and given and given.default_factory is None:
        default = given.default
    return Parameter(
        name=one.name,
        # Of several aliases, Pydantic would take the first.
        wire_name=getattr(alias, "choices", [alias])[0] or one.name,
        annotation=Annotated[(hint, *more)] if more else hint,
        description=None if documented and _description(hint, fields) else documented,
        required=default is MISSING and given is None,
        default=default,
        make_default=functools.partial(given.get_default, call_default_factory=True) if given else None,
        positional=one.kind is one.POSITIONAL_ONLY,
    )


def _for_pydantic(hint: Any) -> Any:
    """Return the type in words that Pydantic knows: bare texts in Annotated describe; an Iterable is a list.

    Pydantic would check an Iterable only while the function reads it, too late to tell the model.
    """
    origin, arguments = get_origin(hint), get_args(hint)
    if hint is Iterable or origin is Iterable:
        return list[arguments[0] if arguments else Any]
    if origin is Annotated:
        extras = tuple(_as_field(extra) for extra in hint.__metadata__)
        return Annotated[(_for_pydantic(hint.__origin__), *extras)]
    if not arguments or origin is Literal or any(isinstance(one, list) for one in arguments):
        return hint
    changed = tuple(_for_pydantic(one) for one in arguments)
    if changed == arguments:
        return hint
    if origin in (Union, types.UnionType):
        return Union[changed]  # noqa: UP007 (the members are only known when this runs)
    return hint.copy_with(changed) if hasattr(hint, "copy_with") else origin[changed]


def _as_field(extra: Any) -> Any:
    """Return what stands in Annotated; a bare text, or `Doc("...")`, as a description."""
    text = extra if isinstance(extra, str) else getattr(extra, "documentation", None)
    return Field(description=text) if isinstance(text, str) else extra


def _description(hint: Any, fields: Iterable[Any]) -> str | None:
    """Return the description in an annotation: `Annotated[str, "..."]`, also inside `... | None`."""
    found = next((one.description for one in fields if isinstance(one, FieldInfo) and one.description), None)
    hint = hint.__origin__ if get_origin(hint) is Annotated else hint
    if found or get_origin(hint) not in (Union, types.UnionType):
        return found
    inside = (_description(choice, getattr(choice, "__metadata__", ())) for choice in get_args(hint))
    return next(filter(None, inside), None)
