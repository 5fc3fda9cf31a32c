"""The APIs of the providers: one module for each, with the same names in all of them.

    from course_lib.providers import anthropic, openai_chat, openai_responses, gemini

    read_calls(response)      what the model asks for: a list of ToolCall
    write_turn(response)      the model's own turn, as it goes back into the history
    write_results(results)    the results, as they go into the history after it
    merge_stream(events)      one response from the events of a stream, for the three above

The two that write return a list, so that every loop reads alike: `history += write_turn(response)`. They take
what an SDK gives (its objects), the same as dictionaries, and what `merge_stream` made.

`ProviderModule` lists everything that a module has. What else asks a model or stores its turns does it with
these names: a further API is a further module, and a line in `_MODULES`. How the messages of all of them look
to a reader is in `conversation`.
"""

from __future__ import annotations

import functools
import importlib
import re
from collections.abc import Iterable
from types import ModuleType
from typing import Any, Protocol, cast

from ..errors import CourseError

_MODULES = {
    "anthropic": "anthropic",
    "openai": "openai_chat",
    "openai-responses": "openai_responses",
    "gemini": "gemini",
}
NAMES, MODULES = tuple(_MODULES), tuple(_MODULES.values())
"""The names of the APIs, as they stand before the colon of a model and in a history; and their modules."""


def __getattr__(name: str) -> ModuleType:
    if name in MODULES:
        return importlib.import_module(f"{__name__}.{name}")
    raise AttributeError(f"course_lib.providers has no module {name!r}; there are: {', '.join(MODULES)}")


def module_of(name: str) -> ProviderModule:
    """Return the module of an API. Raises CourseError for an unknown name."""
    if not isinstance(name, str) or name not in _MODULES:
        known = ", ".join(f'"{one}"' for one in NAMES)
        raise CourseError(f"There is no provider {str(name)[:60]!r}. Write one of {known}.")
    return cast(ProviderModule, importlib.import_module(f"{__name__}.{_MODULES[name]}"))


@functools.cache
def all_modules() -> tuple[ProviderModule, ...]:
    """Return the modules of all APIs."""
    return tuple(module_of(name) for name in NAMES)


class ProviderModule(Protocol):
    """What each module has. JSON stands for a dictionary of plain values, messages for what goes into the
    history of a request: messages, input items or contents."""

    NAME: str
    LABEL: str
    """What a learner calls the API."""
    MODEL_IDS: re.Pattern[str] | None
    """The ids of models that belong to this API without a prefix."""
    SDK: str
    """The package that the clients come from."""
    VARIABLES: tuple[str, ...]
    """What the SDK reads from the environment: where to send requests, and with which key."""
    STRICT: str | None
    """Whose limits hold for strict tools; None where there is no strict mode."""
    FIELDS: tuple[str, ...]
    """One of these is in what `read_calls` takes: a response, or a part of one such as a choice."""
    RESPONSE_FIELDS: tuple[str, ...]
    """One of these is in every response, the first in those that hold a turn of the model."""
    LISTS: dict[str, str]
    """Those of FIELDS that hold lists, and that no other API has: what an object with one of them is."""
    METHOD: str
    """The SDK's method that returns a response, for error messages."""
    UNIQUE_IDS: bool
    """Whether an id may come only once in a conversation; elsewhere it may come again in a later turn."""
    CONNECTION_ERRORS: tuple[str, ...]
    """The SDK's exceptions for a connection that broke."""
    SERVICE_ERROR_TYPES: tuple[str, ...]
    """What stands as `type` or `code` of an error that may pass, where there is no HTTP status to go by."""
    SERVICE_ERROR_CODES: tuple[str, ...]
    """What stands as `code` only."""
    HISTORY_FIELD: str
    """The field of a request that holds its messages."""
    SYSTEM_FIELDS: tuple[str, ...]
    """Those that hold instructions."""
    STOP_FIELDS: tuple[str, ...]
    """What a response calls the reason of its end."""
    RESULT_FIELD: str
    """What the result of a call calls its content."""
    INPUT_TOKENS: tuple[str, str]
    """The two fields of a response that lead to the number of tokens that the request had."""

    # A response: an object of the SDK, a dictionary, or a merged stream

    def read_calls(self, response: Any) -> list[Any]:
        """Return the tool calls, as ToolCall."""

    def read_text(self, response: Any) -> str:
        """Return the text of the answer, without thinking."""

    def read_stop_reason(self, response: Any) -> str:
        """Return why the model stopped, as one of `history.STOP_REASONS`."""

    def read_usage(self, response: Any) -> tuple[int, int]:
        """Return the tokens of the request and of the answer, those of caches and of thinking included."""

    def write_turn(self, response: Any) -> list[dict[str, Any]]:
        """Return the messages that the history gets for it."""

    def write_results(self, results: Iterable[Any]) -> list[dict[str, Any]]:
        """Return the messages that the history gets for results of tools."""

    def merge_stream(self, events: Iterable[Any]) -> dict[str, Any]:
        """Return the response that the events of a stream add up to."""

    # A history: the model's own messages, as `write_turn` gave them, and those of the user and other models

    def call_ids(self, messages: list[Any]) -> list[str | None]:
        """Return the ids of the calls in a turn. Raises some exception for what is no turn of this API."""

    def set_call_ids(self, messages: list[dict[str, Any]], ids: list[str]) -> None:
        """Replace the ids of the calls in a turn, where servers that speak this API may leave them out."""

    def known_fields(self, messages: list[dict[str, Any]]) -> list[dict[str, Any]]:
        """Return the messages of a turn without what only the server that sent them understands."""

    def own_messages(self, messages: list[dict[str, Any]]) -> list[dict[str, Any]]:
        """Return the messages of a turn without what the API refuses to take back."""

    def write_user(self, text: str) -> list[dict[str, Any]]:
        """Return the messages for what the user says."""

    def write_assistant(self, text: str, calls: list[Any]) -> list[dict[str, Any]]:
        """Return the messages for the turn of another provider's model; calls are (id, name, arguments)."""

    def finish_messages(self, messages: list[dict[str, Any]]) -> list[dict[str, Any]]:
        """Return a whole history as the API takes it, where it is particular about what follows what."""

    # A request

    def check_options(self, options: dict[str, Any]) -> None:
        """Raise CourseError for fields of a request that the API would refuse together."""

    def write_definitions(self, tools: Iterable[Any]) -> list[dict[str, Any]]:
        """Return the definitions of tools as a request has them."""

    def write_request(self, model: str, instructions: str, messages: list[Any], tools: list[Any]) -> Any:
        """Return the whole request as JSON."""

    def fit_request(self, body: dict[str, Any]) -> dict[str, Any]:
        """Return a request without what the API would refuse beside the messages in it."""

    def make_client(self, asynchronous: bool) -> Any:
        """Return a client of the SDK. It asks once: `execution.retrying` asks again."""

    def client_of_kind(self, client: Any, asynchronous: bool) -> Any:
        """Return the program's client, or its other half. Raises CourseError if it is of the other kind."""

    def send(self, client: Any, body: dict[str, Any], options: dict[str, Any]) -> Any:
        """Send a request; return what the client gives, which is to be awaited if the client is asynchronous.

        `options` may have a `timeout` in seconds, and `headers`.
        """

    def read_answer(self, sent: Any) -> Any:
        """Return the response as JSON, from what `send` gave; an error of the service, where it is one."""

    def stream(self, client: Any, body: dict[str, Any], options: dict[str, Any]) -> Any:
        """Send a request; return the events of the answer as `send` does."""

    def retry_delay(self, error: BaseException) -> float | None:
        """Return the seconds that the service asks to wait, where it says so elsewhere than in a header."""

    def text_in(self, event: Any) -> str:
        """Return the piece of text that an event of a stream brings."""
