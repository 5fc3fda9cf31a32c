"""A tool: a function with a name, a description and a schema, which a model may call.

    @tool
    def calculate_vat(subtotal: float, rate: float = 0.2) -> float:
        \"\"\"Calculate the value-added tax of an amount.\"\"\"
        return round(subtotal * rate, 2)

    calculate_vat.to_anthropic()               # what goes into `tools=[...]`
    calculate_vat.execute(subtotal="100")      # what the model sent, checked: 20.0

How its schema comes about is in `schema`, the forms of it that providers take are in `provider_schemas`, and
several tools together are in `calls`. Running many calls, with time limits, is in `execution`.
"""

from __future__ import annotations

import asyncio
import contextlib
import copy
import inspect
import re
import sys
import unicodedata
from collections.abc import Callable, Iterator, Mapping
from dataclasses import replace
from functools import partial
from types import ModuleType
from typing import Any

from pydantic import BaseModel

from practice_model.facts.schemas import TOOL_NAMES

from ..errors import CourseError, ToolExecutionError, ToolSchemaError
from ..threads import in_thread, wait_for
from .arguments import check_arguments, read_arguments
from .schema import arguments_of, arguments_of_model, short_null
from .signatures import Context, read_model, read_signature

_NAME = TOOL_NAMES["openai"]
"""The narrowest of the providers' rules, so that a tool works with each."""


class Tool:
    """A function, with what a model needs to call it and what we need to run its calls.

    Or a Pydantic model: its fields are then the arguments, and a call returns an instance of it.

    name, description     as the model reads them
    parameters            clean JSON Schema 2020-12 of the arguments
    strict                whether the provider is asked for arguments that are guaranteed to fit
    sequential            whether its calls must not overlap with those of other sequential tools
    needs_approval        whether somebody has to agree before a call runs
    function, is_async    what runs
    left_out, untyped     `*args` and parameters without annotation, for the linter
    """

    def __init__(
        self,
        function: Callable[..., Any],
        *,
        name: str | None = None,
        description: str | None = None,
        strict: bool = False,
        sequential: bool = False,
        needs_approval: bool = False,
        names: Mapping[str, Any] | None = None,
    ) -> None:
        """Read the function. Raises ToolSchemaError where it cannot be a tool.

        `names` is where annotations written as text are looked up besides the function's module: a class
        made inside a function is known only there, and `tool` hands over the local names of its caller.
        """
        _check_function(function)
        _check_options(description, strict=strict, sequential=sequential, needs_approval=needs_approval)
        is_model = isinstance(function, type) and issubclass(function, BaseModel)
        signature = read_model(function) if is_model else read_signature(function, names)
        self.name = _checked_name(signature.name if name is None else name)
        self.description = inspect.cleandoc(description) if description is not None else signature.text
        self._adapter, self._schema = (
            arguments_of_model(function, signature.described, self.name)
            if is_model
            else arguments_of(signature.parameters, self.name)
        )
        self.parameters = short_null(self._schema)
        self.strict = strict
        self.sequential, self.needs_approval = sequential, needs_approval
        self.function = function
        self.is_async = _is_async(function)
        self.left_out, self.untyped = signature.left_out, signature.untyped
        self._signature = signature
        # So that help(), inspect.signature() and inspect.getsource() see the function.
        self.__wrapped__, self.__doc__ = function, function.__doc__
        if strict:
            _provider_schemas().check_strict(self._schema, self.name)

    def __repr__(self) -> str:
        return f"<tool {self.name}{inspect.signature(self.function)}>"

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        """Call the plain function: no checks, nothing converted."""
        return self.function(*args, **kwargs)

    def __get__(self, instance: Any, owner: type | None = None) -> Tool:
        """Return the tool of one object, where @tool stands on a method."""
        if instance is None or not self._signature.is_method:
            return self
        bound = copy.copy(self)
        bound.function = bound.__wrapped__ = self.function.__get__(instance, owner)
        bound._signature = replace(self._signature, is_method=False)
        return bound

    # Running --------------------------------------------------------------------------------------

    def execute(self, /, **arguments: Any) -> Any:
        """Run with arguments as a model sends them; the same as `run(arguments)`."""
        return self.run(arguments)

    async def execute_async(self, /, **arguments: Any) -> Any:
        """Run with arguments as a model sends them; the same as `await run_async(arguments)`."""
        return await self.run_async(arguments)

    def run(self, arguments: Mapping[str, Any] | str, *, context: Context | None = None) -> Any:
        """Check the arguments of a call, run the function, and return what it returns.

        The arguments are a dictionary, or the text of one. An async function is run to its end: with
        `asyncio.run`, or on a loop in another thread where one is running here already (as in a notebook);
        that blocks, so prefer `run_async` there.
        Raises ToolArgumentError if they do not fit, ToolExecutionError if the function fails.
        """
        call = self.prepare(arguments, context)
        with self.as_tool_errors():
            result = call()
            return wait_for(result) if inspect.isawaitable(result) else result

    async def run_async(self, arguments: Mapping[str, Any] | str, *, context: Context | None = None) -> Any:
        """As `run`, without blocking: a function that is not async runs in a thread of its own."""
        call = self.prepare(arguments, context)
        with self.as_tool_errors():
            try:
                result = call() if self.is_async else await in_thread(call)
                return await result if inspect.isawaitable(result) else result
            except asyncio.CancelledError as error:
                if asyncio.current_task().cancelling():  # from outside: we are to stop
                    raise
                raise ToolExecutionError(self.name, error) from error

    def prepare(
        self, arguments: Mapping[str, Any] | str, context: Context | None = None
    ) -> Callable[[], Any]:
        """Check the arguments, and return what is to run: the function with real objects and the context.

        Raises ToolArgumentError if they do not fit, CourseError if the function needs a context or an object.
        """
        self.check_object()
        arguments = read_arguments(arguments, self.name)
        values = check_arguments(self._adapter, self._schema, arguments, self.name)
        if not isinstance(values, dict):
            return lambda: values  # a model is made already
        for name, kinds in self._signature.context.items():
            if context is not None:
                values[name] = self._checked_context(context, kinds)
            elif inspect.signature(self.function).parameters[name].default is inspect.Parameter.empty:
                kind = kinds[0].__name__
                raise CourseError(
                    f"{self.name} takes a {kind}, which the program must hand over: "
                    f"{self.name}.run(arguments, context={kind}(...)), or "
                    f"run_calls(calls, tools, context={kind}(...))."
                )
        for one in self._signature.parameters:
            if one.make_default and one.name not in values:
                values[one.name] = one.make_default()
        by_position = [one for one in self._signature.parameters if one.positional]
        first = [values.pop(one.name, one.default) for one in by_position]
        return partial(self.function, *first, **values)

    def check_object(self) -> None:
        """Raise CourseError if this is the tool of a class, which has no object for its `self`."""
        if self._signature.is_method:
            owner, _, method = getattr(self.function, "__qualname__", f"Thing.{self.name}").rpartition(".")
            raise CourseError(
                f"{self.name} is a method of {owner}, and belongs to no object yet. Take it from one: "
                f"{owner}(...).{method}."
            )

    def _checked_context(self, context: Any, kinds: tuple[type[Context], ...]) -> Any:
        if isinstance(context, kinds):
            return context
        wanted = " or ".join(kind.__name__ for kind in kinds)
        raise CourseError(
            f"{self.name} takes a context of the class {wanted}, not {type(context).__name__}. "
            f"Write context={kinds[0].__name__}(...)."
        )

    @contextlib.contextmanager
    def as_tool_errors(self) -> Iterator[None]:
        """Turn whatever the function raises into a failure of this tool. Ctrl-C stays Ctrl-C."""
        try:
            yield
        except ToolExecutionError:
            raise  # the function chose its own words
        except (Exception, SystemExit) as error:  # noqa: BLE001 (the model reads it, the cause is kept)
            raise ToolExecutionError(self.name, error) from error

    # Forms of the definition for providers; strict=None means: as the tool says ---------------------

    def to_anthropic(self, strict: bool | None = None) -> dict[str, Any]:
        """Return the definition for `client.messages.create(tools=[...])`."""
        if self.is_strict(strict):
            return {**self._head(), "strict": True, "input_schema": self.strict_schema("anthropic")}
        return {**self._head(), "input_schema": copy.deepcopy(self.parameters)}

    def to_openai(self, strict: bool | None = None) -> dict[str, Any]:
        """Return the definition for `client.chat.completions.create(tools=[...])`."""
        return {"type": "function", "function": self._openai_function(strict)}

    def to_openai_responses(self, strict: bool | None = None) -> dict[str, Any]:
        """Return the definition for `client.responses.create(tools=[...])`: the same, flat."""
        return {"type": "function", **self._openai_function(strict)}

    def to_openai_parameters(self, strict: bool | None = None) -> dict[str, Any]:
        """Return the parameters alone, as OpenAI takes them: null as a choice of `anyOf`, no tuples."""
        if self.is_strict(strict):
            return self.strict_schema("openai")
        return copy.deepcopy(_provider_schemas().without_tuples(self._schema))

    def to_gemini_declaration(self) -> dict[str, Any]:
        """Return the definition for `types.Tool(function_declarations=[...])`."""
        return {**self._head(), **_provider_schemas().gemini_parameters(self._schema, self.name)}

    def _head(self) -> dict[str, Any]:
        return {"name": self.name, **({"description": self.description} if self.description else {})}

    def _openai_function(self, strict: bool | None) -> dict[str, Any]:
        # Always explicit: the two APIs differ in what a missing "strict" means.
        return {
            **self._head(),
            "parameters": self.to_openai_parameters(strict),
            "strict": self.is_strict(strict),
        }

    def is_strict(self, strict: bool | None = None) -> bool:
        """Return what `strict`, given to one of the methods above, means for this tool."""
        _check_options(strict=self.strict if strict is None else strict)
        return self.strict if strict is None else strict

    def strict_schema(self, provider: str) -> dict[str, Any]:
        """Return the strict parameters for "anthropic" or "openai". Raises ToolSchemaError if it has none."""
        return _provider_schemas().strict(self._schema, provider, self.name)

    def refusals(self) -> dict[str, list[tuple[str | None, str]]]:
        """Return the forms that this tool does not have, with the reasons: each place, and a sentence."""
        return _provider_schemas().refusals(self._schema, self.name)


def tool(
    function: Callable[..., Any] | None = None,
    /,
    *,
    name: str | None = None,
    description: str | None = None,
    strict: bool = False,
    sequential: bool = False,
    needs_approval: bool = False,
) -> Any:
    """Make a Tool of a function: `@tool`, or `@tool(name=..., description=..., strict=True)`.

    `sequential` and `needs_approval` are for tools that change something: see `Tool`.
    """
    # Annotations may be text that names a class of the function in which the tool is made: those are the
    # local names of whoever called this, and no other way leads to them.
    make = partial(
        Tool,
        name=name,
        description=description,
        strict=strict,
        sequential=sequential,
        needs_approval=needs_approval,
        names=sys._getframe(1).f_locals,
    )
    return make if function is None else make(function)


def _check_function(function: Any) -> None:
    if isinstance(function, classmethod | property):
        kind = type(function).__name__
        raise ToolSchemaError(f"@tool stands above @{kind}. Swap the two lines: @{kind} above @tool.")
    if isinstance(function, Tool):  # made once more, it would lose what it was made with
        raise ToolSchemaError(
            f"{function.name} is a tool already. Use it as it is; to make another, write "
            f"tool({function.name}.function, ...)."
        )
    if not callable(function):
        raise ToolSchemaError(f"{function!r} cannot be called. Put @tool directly on a function.")


def _check_options(description: Any = None, **flags: Any) -> None:
    """Raise ToolSchemaError for an option of the wrong type: here, and not when a provider refuses it."""
    if not isinstance(description, str | None):
        raise ToolSchemaError(
            f"The description of a tool must be text, and this is of the type {type(description).__name__}: "
            f'{description!r}. Write description="...".'
        )
    for option, given in flags.items():
        if not isinstance(given, bool):
            raise ToolSchemaError(f"{option} must be True or False, not {given!r}.")


def _checked_name(name: Any) -> str:
    """Return the name of a tool. Raises ToolSchemaError, with a better name, if a provider refuses it."""
    if not isinstance(name, str):
        raise ToolSchemaError(f'The name of a tool must be text, not {name!r}. Write @tool(name="...").')
    if re.fullmatch(_NAME, name):
        return name
    # Letters that fall apart into a plain one and a mark keep the plain one: größe becomes grosse.
    plain = unicodedata.normalize("NFKD", name.replace("ß", "ss").replace("ẞ", "SS"))
    plain = "".join(one for one in plain if not unicodedata.combining(one))
    better = re.sub(r"\W+", "_", plain, flags=re.ASCII).strip("_")[:64] or "my_tool"
    raise ToolSchemaError(
        f"'{name}' cannot be the name of a tool: providers take ^{_NAME}$ only. "
        f'Write @tool(name="{better}"), or rename the function.'
    )


def _provider_schemas() -> ModuleType:
    """Return the module of the strict and other forms, which is loaded when one is first asked for."""
    from . import provider_schemas

    return provider_schemas


def _is_async(function: Any) -> bool:
    while isinstance(function, partial):
        function = function.func
    return inspect.iscoroutinefunction(function) or inspect.iscoroutinefunction(
        getattr(function, "__call__", None)  # noqa: B004 (an object whose call is async)
    )
