"""A Tool: what it reads from a function, how it runs, and what it says when it cannot."""

from __future__ import annotations

import asyncio
import contextvars
import enum
import functools
import inspect
import pickle
import re
import subprocess
import sys
import threading
import typing
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Any, ClassVar, Literal

import pytest
from pydantic import BaseModel, Field, RootModel, field_validator
from test_imports import loaded_after

import course_lib
from course_lib.tools import (
    Context,
    Tool,
    ToolArgumentError,
    ToolExecutionError,
    ToolSchemaError,
    check_limits,
    find_tool,
    tool,
    tools_by_name,
    unknown_tool,
)


@tool
def calculate_vat(subtotal: float, rate: float = 0.20) -> float:
    """Calculate the value-added tax of an amount."""
    return round(subtotal * rate, 2)


def described(docstring: str) -> Tool:
    def probe(city: str, days: int = 1):
        return city

    probe.__doc__ = docstring
    return tool(probe)


def texts(tool: Tool) -> dict[str, str]:
    return {name: held.get("description", "") for name, held in tool.parameters["properties"].items()}


# Names and descriptions ---------------------------------------------------------------------------


def test_name_and_description_come_from_the_function():
    assert calculate_vat.name == "calculate_vat"
    assert calculate_vat.description == "Calculate the value-added tax of an amount."


def test_or_from_the_decorator():
    @tool(name="lookup_stock_ticker", description="Fetch the latest quote for a stock symbol.")
    def fetch_quote(symbol: str) -> dict:
        """For people who read the code."""
        return {"symbol": symbol.upper()}

    assert fetch_quote.name == "lookup_stock_ticker"
    assert fetch_quote.description == "Fetch the latest quote for a stock symbol."
    assert fetch_quote.execute(symbol="abc") == {"symbol": "ABC"}


def test_a_tool_can_be_made_without_the_decorator():
    assert Tool(len_of, name="length").execute(text="abc") == 3


def len_of(text: str) -> int:
    return len(text)


def test_the_names_are_at_the_top_of_the_package():
    assert course_lib.tool is tool
    assert course_lib.Tool is Tool
    assert issubclass(course_lib.ToolArgumentError, course_lib.CourseError)


def test_it_looks_like_the_function():
    assert repr(calculate_vat) == "<tool calculate_vat(subtotal: 'float', rate: 'float' = 0.2) -> 'float'>"
    assert "round(subtotal * rate, 2)" in inspect.getsource(calculate_vat)
    assert list(inspect.signature(calculate_vat).parameters) == ["subtotal", "rate"]
    assert calculate_vat.__doc__ == "Calculate the value-added tax of an amount."


def test_calling_it_calls_the_plain_function():
    assert calculate_vat(100, rate=0.1) == 10.0
    with pytest.raises(TypeError):
        calculate_vat("100")


@pytest.mark.parametrize("name", ["library.search books", "", "x" * 65, "größe", "a/b", "<lambda>"])
def test_a_name_that_providers_refuse_is_refused(name):
    with pytest.raises(ToolSchemaError, match=r"\^\[a-zA-Z0-9_-\]\{1,64\}\$"):
        tool(name=name or " ")(len_of)


def test_a_refused_name_comes_with_a_better_one():
    with pytest.raises(ToolSchemaError, match='name="library_search_books"'):
        tool(name="library.search books")(len_of)


def test_an_object_that_can_be_called_is_named_after_its_class():
    class SendText:
        """Send a text."""

        def __call__(self, text: str): ...

    assert tool(SendText()).name == "send_text"
    assert tool(SendText()).description == "Send a text."


# Docstrings ---------------------------------------------------------------------------------------

GOOGLE = """Get the forecast.

    Use it when: somebody asks about the weather.

    Args:
        city: The city.
            Example: Soria
        days (int, optional): How many days.

    Returns:
        A text of one line.

    Raises:
        ValueError: Never.
    """
NUMPY = """Get the forecast.

    Use it when: somebody asks about the weather.

    Parameters
    ----------
    city : str
        The city.
        Example: Soria

    Other Parameters
    ----------------
    days : int, optional
        How many days.

    Returns
    -------
    str
        A text of one line.
    """
SPHINX = """Get the forecast.

    Use it when: somebody asks about the weather.

    :param city: The city.
        Example: Soria
    :param int days: How many days.
    :returns: A text of one line.
    :raises ValueError: Never.
    """
KEYWORD = GOOGLE.replace("        days", "\n    Keyword Args:\n        days")


@pytest.mark.parametrize(
    "docstring", [GOOGLE, NUMPY, SPHINX, KEYWORD], ids=["google", "numpy", "sphinx", "keyword"]
)
def test_each_style_of_docstring_is_taken_apart(docstring):
    found = described(docstring)
    assert texts(found) == {"city": "The city. Example: Soria", "days": "How many days."}
    assert found.description == (
        "Get the forecast.\n\nUse it when: somebody asks about the weather.\n\nReturns: A text of one line."
    )


@pytest.mark.parametrize(
    "docstring",
    [
        "Search.",
        "Search.\n\nUse it when: asked.\nDo not use it: otherwise.\nReturns: a list.",
        "Busca pedidos.\n\nÚsala cuando: el usuario dé el número.\n\n- uno\n- dos",
        "Search with `a: b` and https://a.example/b.",
        "",
    ],
)
def test_plain_prose_stays_as_it_is(docstring):
    assert described(docstring).description == docstring


def test_a_missing_docstring_is_an_empty_description():
    assert tool(len_of).description == ""


def test_annotated_beats_the_docstring_and_the_docstring_beats_the_models():
    class City(BaseModel):
        """A city in general."""

        name: str

    @tool
    def forecast(
        city: Annotated[str, "City in Spain"],
        home: City,
        hint: Annotated[str, Field(description="free text")] | None = None,
        away: City | None = None,
    ):
        """Forecast.

        Args:
            city: from the docstring
            home: where it starts
            hint: from the docstring
        """

    assert texts(forecast) == {
        "city": "City in Spain",
        "home": "where it starts",
        "hint": "free text",
        "away": "A city in general.",
    }


# What the model never sees ------------------------------------------------------------------------


def test_variable_arguments_are_left_out_and_recorded():
    @tool
    def add(base: int, *more: int, **named: str):
        return base

    assert list(add.parameters["properties"]) == ["base"]
    assert add.left_out == ("*more", "**named")
    assert add.execute(base=4) == 4
    with pytest.raises(ToolArgumentError, match="more is no argument"):
        add.execute(base=4, more=[1])


def test_parameters_without_annotation_are_text_and_recorded():
    @tool
    def repeat(phrase, count: int, *rest):
        return phrase * count

    assert repeat.untyped == ("phrase",)
    assert repeat.execute(phrase="a", count=3) == "aaa"


class Asking(Context):
    """A context with a type of its own."""

    user: str


@pytest.mark.parametrize("annotation", [Context, Asking, Annotated[Asking, "who asks"], Asking | None])
def test_the_context_comes_from_the_program_only(annotation):
    def top_up(amount: int, who):
        return f"{who.user}:{amount}"

    top_up.__annotations__["who"] = annotation
    paying = tool(top_up)
    assert list(paying.parameters["properties"]) == ["amount"]
    assert paying.run({"amount": 5}, context=Asking(user="u1")) == "u1:5"
    assert asyncio.run(paying.run_async({"amount": 5}, context=Asking(user="u1"))) == "u1:5"
    with pytest.raises(ToolArgumentError, match="who is no argument of this tool; the arguments are: amount"):
        paying.run({"amount": 5, "who": {"user": "root"}}, context=Asking(user="u1"))


def test_a_context_that_is_not_given_is_the_programs_mistake():
    @tool
    def whoami(context: Context):
        return context.user

    with pytest.raises(course_lib.CourseError, match=r"whoami\.run\(.*run_calls\(.*context=Context\("):
        whoami.execute()


@pytest.mark.parametrize("annotation", [Asking, Asking | None, Annotated[Asking, "who asks"]])
@pytest.mark.parametrize("context", [Context(user="u1"), {"user": "u1"}, "u1"])
def test_a_context_of_another_class_is_the_programs_mistake(annotation, context):
    def whoami(context):
        return context.user

    whoami.__annotations__["context"] = annotation
    with pytest.raises(course_lib.CourseError, match="class Asking, not (Context|dict|str).*context=Asking"):
        tool(whoami).run({}, context=context)


def test_a_context_with_a_default_may_be_missing():
    @tool
    def whoami(context: Context | None = None):
        return context

    assert whoami.execute() is None
    assert whoami.run({}, context=Context(user="u1")).user == "u1"


def test_several_parameters_may_take_the_context():
    @tool
    def compare(a: Context, n: int, b: Asking):
        return a is b, n

    assert compare.run({"n": 1}, context=Asking()) == (True, 1)


def test_a_tool_without_context_ignores_it():
    assert calculate_vat.run({"subtotal": 10}, context=Context()) == 2.0


def test_what_a_partial_binds_is_hidden_and_cannot_be_set():
    def send(channel: str, text: str, *, key: str = "none"):
        """Send a text.

        Args:
            text: What to say.
        """
        return f"{channel}:{text}:{key}"

    sending = tool(functools.partial(functools.partial(send, "desk"), key="secret"))
    assert (sending.name, sending.description) == ("send", "Send a text.")
    assert texts(sending) == {"text": "What to say."}
    assert sending.execute(text="hi") == "desk:hi:secret"
    assert "secret" not in str(sending.to_anthropic())
    with pytest.raises(ToolArgumentError, match="key is no argument"):
        sending.execute(text="hi", key="mine")


# Annotations --------------------------------------------------------------------------------------


def test_annotations_as_text_may_name_a_class_of_the_enclosing_function():
    class Local(BaseModel):
        size: int

    @tool
    def first(item: Local, more: list[Local]):
        return item

    @tool(name="second")
    def other(item: Local | None = None):
        return item

    assert first.execute(item={"size": 1}, more=[]) == Local(size=1)
    assert other.execute(item={"size": 1}) == Local(size=1)


def test_the_return_type_need_not_be_known():
    @tool
    def later(a: int) -> NotYetThere:  # noqa: F821
        return a

    assert later.execute(a=1) == 1


class Opaque:
    pass


@pytest.mark.parametrize(
    ("annotation", "words"),
    [
        (Callable[[int], int], "no JSON value is a function"),
        (Callable, "no JSON value is a function"),
        (type[int], "no JSON value is a function or a class"),
        (Opaque, "Opaque has no JSON form. Write a dataclass or a Pydantic model"),
        (list[Opaque], "Opaque has no JSON form"),
        (threading.Lock, "parameter 'x'"),
        ("Missing", "annotation that cannot be read: name 'Missing' is not defined"),
        ("list[Missing]", "name 'Missing' is not defined"),
        ("not python", "annotation that cannot be read"),
        (Annotated[str, Field(pattern="(")], "parameter 'x'"),
        (Annotated[Opaque, "in vain"], "Opaque has no JSON form"),
    ],
)
def test_what_has_no_json_form_is_refused_when_the_tool_is_made(annotation, words):
    def probe(x, y: int = 0): ...

    probe.__annotations__["x"] = annotation
    with pytest.raises(ToolSchemaError) as error:
        tool(probe)
    assert str(error.value).startswith("probe cannot be a tool:\n- parameter 'x'")
    assert words in str(error.value)


def test_all_bad_parameters_are_told_at_once():
    def probe(a: Opaque, b: int, c: Callable): ...

    with pytest.raises(ToolSchemaError, match=r"(?s)parameter 'a': Opaque.*\n- parameter 'c': no JSON"):
        tool(probe)


@pytest.mark.skipif(sys.version_info >= (3, 12), reason="Pydantic takes both from Python 3.12 on")
def test_the_wrong_typed_dict_comes_with_the_right_one():
    def probe(x: typing.TypedDict("Old", {"a": int})): ...

    probe.__annotations__["x"] = typing.TypedDict("Old", {"a": int})
    with pytest.raises(ToolSchemaError, match="from typing_extensions import TypedDict"):
        tool(probe)


def test_a_parameter_beyond_ascii_is_refused_with_the_way_out():
    def probe(año: int, ciudad: str): ...

    with pytest.raises(ToolSchemaError, match=r"'año'.*\^\[a-zA-Z0-9_.-\]\{1,64\}\$.*Field\(alias="):
        tool(probe)


@pytest.mark.parametrize("thing", [3, "text", ["a"]])
def test_what_cannot_be_called_is_refused(thing):
    with pytest.raises(ToolSchemaError, match="cannot be called. Put @tool directly on a function"):
        tool(name="thing")(thing)


# Methods ------------------------------------------------------------------------------------------


class Shop:
    def __init__(self, name: str) -> None:
        self.name = name

    @tool
    def stock(self, item: str, most: int = 1) -> str:
        """How much there is."""
        return f"{self.name}:{item}:{most}"

    vat = calculate_vat


def test_a_method_can_be_decorated_in_its_class():
    north, south = Shop("north").stock, Shop("south").stock
    assert list(north.parameters["properties"]) == ["item", "most"]
    assert north.execute(item="bun") == "north:bun:1"
    assert south("tea", 2) == "south:tea:2"
    assert asyncio.run(north.execute_async(item="bun")) == "north:bun:1"


def test_a_tool_that_is_only_kept_in_a_class_stays_itself():
    assert Shop("north").vat is calculate_vat
    assert Shop("north").vat.execute(subtotal=10) == 2.0


# Running ------------------------------------------------------------------------------------------


def test_a_failure_keeps_type_message_and_cause():
    @tool
    def query(table: str):
        raise ConnectionError("Database connection timeout")

    with pytest.raises(ToolExecutionError) as error:
        query.execute(table="orders")
    assert str(error.value) == "query failed: ConnectionError: Database connection timeout"
    assert isinstance(error.value.cause, ConnectionError)
    assert error.value.__cause__ is error.value.cause
    assert error.value.tool == "query"
    assert str(pickle.loads(pickle.dumps(error.value))) == str(error.value)


@pytest.mark.parametrize(
    "failure", [KeyError("x"), StopIteration(), SystemExit(3), ValueError(), AssertionError("no")]
)
def test_any_exception_is_a_failure_of_the_tool_however_it_runs(failure):
    @tool
    def fail():
        raise failure

    @tool
    async def fail_later():
        raise failure

    for one in (fail, fail_later):
        if isinstance(failure, StopIteration | SystemExit) and one.is_async:
            continue  # Python itself turns the first into a RuntimeError; the second stops a loop
        for run in (one.run, lambda arguments, one=one: asyncio.run(one.run_async(arguments))):
            with pytest.raises(ToolExecutionError, match=type(failure).__name__):
                run({})


def test_a_tool_may_choose_its_own_words():
    @tool
    def pay():
        raise ToolExecutionError("pay", "the shop is closed today")

    with pytest.raises(ToolExecutionError, match="^pay failed: the shop is closed today$"):
        pay.execute()


def test_ctrl_c_stays_ctrl_c():
    @tool
    def stop():
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        stop.execute()


@tool
async def fetch_status(service: str) -> dict:
    """Ask a service how it is."""
    await asyncio.sleep(0.001)
    return {"service": service, "thread": threading.current_thread().name}


def test_an_async_tool_runs_to_its_end_from_plain_code():
    assert fetch_status.is_async
    assert fetch_status.execute(service="mail")["service"] == "mail"


def test_and_from_code_that_runs_in_a_loop_as_in_a_notebook():
    async def cell():
        return fetch_status.execute(service="mail")

    assert asyncio.run(cell())["service"] == "mail"


def test_and_on_the_loop_itself_when_awaited():
    async def cell():
        return await fetch_status.execute_async(service="mail")

    assert asyncio.run(cell())["thread"] == threading.main_thread().name


def test_a_failure_in_a_loop_of_its_own_is_a_failure():
    @tool
    async def fail():
        raise ValueError("no")

    async def cell():
        return fail.execute()

    with pytest.raises(ToolExecutionError, match="ValueError: no"):
        asyncio.run(cell())


USER = contextvars.ContextVar("USER", default="nobody")


def test_a_sync_tool_does_not_block_the_loop_and_has_the_context_variables():
    released = threading.Event()

    @tool
    def wait() -> tuple:
        return released.wait(10), USER.get(), threading.current_thread().daemon

    async def cell():
        USER.set("ada")
        waiting = asyncio.ensure_future(wait.execute_async())
        await asyncio.sleep(0)
        released.set()  # reached only because the loop goes on
        return await waiting

    assert asyncio.run(cell()) == (True, "ada", True)


def test_many_that_hang_do_not_keep_others_waiting():
    hanging = threading.Event()

    @tool
    def hang():
        hanging.wait(10)

    async def cell():
        stuck = [asyncio.ensure_future(hang.execute_async()) for _ in range(100)]
        await asyncio.sleep(0)
        found = await calculate_vat.execute_async(subtotal=10)
        alive = sum(not one.done() for one in stuck)
        hanging.set()
        await asyncio.gather(*stuck)
        return found, alive

    assert asyncio.run(cell()) == (2.0, 100)


def test_one_that_hangs_does_not_keep_the_program_from_exiting():
    program = """
import asyncio, threading
from course_lib.tools import tool
@tool
def hang():
    threading.Event().wait(60)
async def main():
    try:
        await asyncio.wait_for(hang.execute_async(), 0.01)
    except TimeoutError:
        print("gave up")
asyncio.run(main())
"""
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, encoding="utf-8", timeout=50)
    assert done.stdout.strip() == "gave up", done.stderr


def test_cancelling_from_outside_stays_a_cancellation():
    @tool
    async def sleep():
        await asyncio.sleep(60)

    async def cell():
        waiting = asyncio.ensure_future(sleep.execute_async())
        await asyncio.sleep(0)
        waiting.cancel()
        await waiting

    with pytest.raises(asyncio.CancelledError):
        asyncio.run(cell())


def test_a_tool_that_cancels_itself_has_failed():
    @tool
    async def give_up():
        raise asyncio.CancelledError

    with pytest.raises(ToolExecutionError, match="CancelledError"):
        asyncio.run(give_up.run_async({}))


def test_a_plain_function_may_return_something_to_await():
    @tool
    def start(a: int):
        return asyncio.sleep(0, result=a)

    assert start.execute(a=1) == 1
    assert asyncio.run(start.execute_async(a=1)) == 1


def test_wrong_arguments_never_start_the_function():
    started = []

    @tool
    def start(a: int):
        started.append(a)

    for run in (start.run, lambda arguments: asyncio.run(start.run_async(arguments))):
        with pytest.raises(ToolArgumentError):
            run({"a": "x"})
    assert not started


def test_an_argument_of_any_name_reaches_the_function():
    @tool
    def odd(self: int, arguments: int, context: int, function: int):
        return self, arguments, context, function

    assert odd.execute(self=1, arguments=2, context=3, function=4) == (1, 2, 3, 4)


def test_a_default_that_changes_is_the_functions_own():
    @dataclass
    class Basket:
        count: int = 0

    shared = Basket()

    @tool
    def put(basket: Any = shared):
        basket.count += 1
        return basket

    assert put.execute() is shared


def test_a_default_of_field_is_for_what_the_model_left_out():
    @tool
    def shelf(row: int = Field(3), place: Annotated[int, Field(default=4)] = 4):
        return row, place

    assert shelf.execute() == (3, 4)
    assert shelf.execute(row=1, place=2) == (1, 2)


def test_a_class_can_be_a_tool():
    class Point(BaseModel):
        """A point."""

        x: int
        y: int = 0

    making = tool(Point)
    assert (making.name, making.description) == ("Point", "A point.")
    assert making.execute(x="1") == Point(x=1)


# Imports ------------------------------------------------------------------------------------------


def test_tools_and_schemas_load_no_sdk_and_no_docstring_parser_until_one_is_read():
    loaded = loaded_after("from course_lib import tool\n@tool\ndef add(a: int):\n    'Add.'")
    assert "course_lib.tools.schema" in loaded
    assert not {"anthropic", "openai", "google.genai", "docstring_parser", "practice_model.server"} & loaded


def test_tools_know_only_the_errors_and_the_threads():
    for file in (Path(course_lib.__file__).parent / "tools").glob("*.py"):
        climbing = re.findall(r"^\s*from \.\.(\w*) import", file.read_text(encoding="utf-8"), re.MULTILINE)
        assert set(climbing) <= {"errors", "threads"}, file


# Several tools ------------------------------------------------------------------------------------


def test_two_tools_of_one_name_are_refused():
    with pytest.raises(ToolSchemaError, match="Two tools are called 'calculate_vat'"):
        tools_by_name([calculate_vat, fetch_status, calculate_vat])
    assert tools_by_name([calculate_vat, fetch_status])["fetch_status"] is fetch_status


def test_an_unknown_tool_is_told_to_the_model_with_the_names_that_there_are():
    assert find_tool("fetch_status", [calculate_vat, fetch_status]) is fetch_status
    with pytest.raises(
        ToolArgumentError, match="no tool 'calculate_vta'.*calculate_vat, fetch_status.*mean calculate_vat"
    ):
        find_tool("calculate_vta", [calculate_vat, fetch_status])
    with pytest.raises(
        ToolArgumentError, match=r"no tool 'multi_tool_use\.parallel'; the tools are: calculate_vat\."
    ):
        find_tool("multi_tool_use.parallel", [calculate_vat])
    with pytest.raises(ToolArgumentError, match="there are no tools"):
        find_tool("x", [])


# Slips of the programmer --------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("options", "told"),
    [
        ({"name": 5}, "name of a tool must be text, not 5"),
        ({"name": ["a"]}, "name of a tool must be text"),
        ({"name": ""}, "'' cannot be the name"),
        ({"description": ("a", "b")}, "description of a tool must be text, and this is of the type tuple"),
        ({"description": 5}, "description of a tool must be text, and this is of the type int"),
        ({"strict": "yes"}, "strict must be True or False, not 'yes'"),
        ({"sequential": 1}, "sequential must be True or False, not 1"),
        ({"needs_approval": None}, "needs_approval must be True or False, not None"),
    ],
)
def test_an_option_of_the_wrong_kind_is_told_where_it_is_written(options, told):
    with pytest.raises(ToolSchemaError, match=re.escape(told)):
        tool(**options)(len_of)


def test_strict_is_true_or_false_for_a_form_too():
    with pytest.raises(ToolSchemaError, match="strict must be True or False"):
        tool(len_of).to_openai(strict="yes")


@pytest.mark.parametrize("around", [classmethod, property])
def test_decorators_in_the_wrong_order_are_to_be_swapped(around):
    with pytest.raises(ToolSchemaError, match=f"@{around.__name__}.*Swap"):
        tool(around(len_of))


def test_a_method_runs_on_an_object_only():
    class Shop:
        @tool
        def count(self, of: str) -> int:
            return len(of)

    assert Shop().count.run({"of": "buns"}) == 4
    with pytest.raises(
        course_lib.CourseError, match="count is a method of .*Shop, and belongs to no object yet"
    ):
        Shop.count.run({"of": "buns"})
    with pytest.raises(course_lib.CourseError, match="belongs to no object yet"):
        tool(functools.partial(Shop.count.function), name="count").run({"of": "buns"})


def test_the_name_that_is_proposed_keeps_the_letters():
    def grüße_añil(): ...

    with pytest.raises(ToolSchemaError, match='name="grusse_anil"'):
        tool(grüße_añil)


def test_two_parameters_under_one_name_are_refused():
    def clash(x: Annotated[int, Field(alias="y")], y: int = 1): ...

    with pytest.raises(ToolSchemaError, match="'x' and 'y' would both be called 'y'"):
        tool(clash)


class Nobody(enum.Enum):
    pass


class Pair(enum.Enum):
    A = (1, 2)


class Bread(enum.Enum):
    RYE = "rye"


@pytest.mark.parametrize(
    ("annotation", "told"),
    [
        (Literal[b"x"], "no JSON value gives the choice b'x'"),
        (list[Literal["a", b"x"]], "no JSON value gives the choice b'x'"),
        (Nobody, "an enum without members"),
        (Pair, r"no JSON value gives the choice \(1, 2\)"),
        (Literal[Bread.RYE], "no JSON value gives the choice <Bread.RYE.*Take the whole enum"),
        (Annotated[str, Field(pattern="(")], "not a regular expression: unclosed group"),
        (ClassVar[int], r"typing.ClassVar\[int\] is no type of a value"),
        (5, "5 is no type of a value"),
    ],
)
def test_a_type_that_no_json_fits_is_refused_when_the_tool_is_made(annotation, told):
    def probe(x): ...

    probe.__annotations__["x"] = annotation
    with pytest.raises(ToolSchemaError, match=f"'x': .*{told}") as found:
        tool(probe)
    assert "arbitrary_types_allowed" not in str(found.value)


# A Pydantic model as a tool -----------------------------------------------------------------------


class Basket(BaseModel, extra="forbid"):
    """Fill a basket.

    Args:
        note: What to write on it.
    """

    product: str = Field(description="Such as rye bread", min_length=1)
    count: int = Field(1, alias="howMany", ge=1)
    note: str | None = None

    @field_validator("product")
    @classmethod
    def lower(cls, value):
        return value.lower()


def test_a_model_is_a_tool_whose_arguments_are_its_fields():
    fill = tool(Basket)
    assert (fill.name, fill.description) == ("Basket", "Fill a basket.")
    properties = fill.parameters["properties"]
    assert {name: field.get("description") for name, field in properties.items()} == {
        "product": "Such as rye bread",
        "howMany": None,
        "note": "What to write on it.",
    }
    assert fill.parameters["required"] == ["product"] and "description" not in fill.parameters
    assert fill.run({"product": "Rye", "howMany": "2"}) == Basket(product="rye", howMany=2)
    assert asyncio.run(fill.run_async('{"product": "Rye"}')).product == "rye"
    assert set(fill.to_gemini_declaration()["parameters"]["properties"]) == set(properties)


@pytest.mark.parametrize(
    ("sent", "told"),
    [
        ({}, "product is missing"),
        ({"product": ""}, "product should have at least 1 character"),
        (
            {"product": "a", "count": 2},
            "count is no argument of this tool; the arguments are: product, howMany",
        ),
    ],
)
def test_the_arguments_of_a_model_are_refused_in_the_same_words(sent, told):
    with pytest.raises(ToolArgumentError, match=told):
        tool(Basket).run(sent)


class Branching(BaseModel):
    twigs: list[Branching] = []


class Numbers(RootModel[list[int]]):
    pass


class Unfit(BaseModel):
    call: Callable
    año: int


@pytest.mark.parametrize(
    ("model", "told"),
    [
        (Branching, "the model contains itself"),
        (Numbers, "the model has no fields"),
        (BaseModel, "the model has no fields"),
        (Unfit, "(?s)'año': .*'call': no JSON value is a function"),
    ],
)
def test_a_model_that_cannot_be_a_tool_says_why(model, told):
    with pytest.raises(ToolSchemaError, match=told):
        tool(model)


# Several together ---------------------------------------------------------------------------------


def test_strict_limits_are_counted_of_tools_with_different_names():
    with pytest.raises(ToolSchemaError, match="Two tools are called 'len_of'"):
        check_limits([tool(len_of), tool(len_of)], "anthropic")


@pytest.mark.parametrize(
    "known", [{"find_bun": 1, "bake": 2}, ["find_bun", "bake"], iter(["find_bun", "bake"])]
)
def test_an_unknown_name_is_answered_with_the_names_that_there_are(known):
    said = str(unknown_tool("find_buns", known))
    assert "the tools are: find_bun, bake" in said and "Did you mean find_bun?" in said


def test_a_tool_of_a_tool_is_refused_because_it_would_forget_how_it_was_made():
    @tool(needs_approval=True)
    def pay(amount: float) -> str:
        """Pay."""
        return "paid"

    for make in (tool, tool(name="pay_later"), Tool):
        with pytest.raises(ToolSchemaError, match="pay is a tool already.*pay.function"):
            make(pay)
    assert tool(pay.function, needs_approval=True).needs_approval
