"""What went over the wire: `wire`, `prompt` (a request as the model reads it) and `names` (by provider)."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any

from .. import providers
from ..masking import mask_address
from ..messages import localized
from ..providers import ProviderModule, all_modules
from ..providers.conversation import (
    ConversationMessage,
    ConversationPart,
    read_blocks,
    read_messages,
    read_tools,
)
from ..providers.shared import parse_arguments
from ..tools.arguments import values_in
from .conversation_view import Calls
from .page import Box, Grid, Lines, Page, Shares, Steps, Words
from .plain import compact, count, fold_json, fold_text, plain, safe_text

# show.wire(): what was sent and what came back, as JSON -----------------------------------------------


def wire(n: int | None = None) -> Page:
    """Return the exchanges since setup() to look at, or the last `n`: request and response, without headers.

    Raises ValueError if `n` is not a positive whole number.
    """
    if n is not None and (isinstance(n, bool) or not isinstance(n, int) or n < 1):
        raise ValueError(localized("show.wire.bad_n"))
    exchanges = recorded()
    shown = exchanges if n is None else exchanges[-n:]
    title = localized("show.wire.title", shown=count("show.exchanges", len(shown)))
    if not shown:
        return Page(title, (Words(localized("show.wire.nothing")),))
    if len(shown) < len(exchanges):
        counted = count("show.exchanges", len(shown))
        title = localized("show.wire.title_last", shown=counted, all=len(exchanges))
    return Page(title, (Steps(tuple(_draw(exchange) for exchange in shown)),))


def recorded() -> list[Any]:
    """Return the exchanges since setup()."""
    # Asked for by its public name, when it is needed: only the classroom above knows what was set up.
    from .. import exchanges

    return list(exchanges())


def _draw(exchange: Any) -> Box:
    status = getattr(exchange, "status", None)
    # 0: the connection broke before there was an answer
    failed = not isinstance(status, int) or not 200 <= status < 400
    line = localized(
        "show.wire.exchange",
        number=getattr(exchange, "number", "?"),
        method=safe_text(getattr(exchange, "method", "?")),
        path=mask_address(safe_text(getattr(exchange, "path", "?"))),
        status=safe_text(status),
        meaning=localized("show.wire.failed") if failed else localized("show.wire.ok"),
    )
    parts = tuple(
        Box(localized(f"show.wire.{name}"), (_draw_body(getattr(exchange, name, None)),), tone, closable=True)
        for name, tone in (("request", "user"), ("response", "assistant"))
    )
    return Box(line, parts, "error" if failed else "good")


def _draw_body(body: Any) -> Words | Lines:
    value = plain(body)
    if value is None or value == "":
        return Words(localized("show.wire.no_body"), quiet=True)
    # A body that is no JSON was recorded as text: a stream of events, or a page from a proxy.
    return Lines((fold_text(value),) if isinstance(value, str) else tuple(fold_json(value)))


# show.prompt(): one request as the model reads it, and where its tokens go ----------------------------

# A sketch of the idea: providers turn a request into one long text, tool definitions included, in a form
# that they do not publish. Sizes are estimates from the text's length; the response's own count stands
# beside them.

_SYSTEM_ROLES = ("system", "developer")
_WORD_OR_SIGN = re.compile(r"\w+|[^\w\s]")


def prompt(exchange: object = None) -> Page:
    """Return a request as the model reads it: system text, tool definitions, turns, and what each costs.

    `exchange` is one of course_lib.exchanges(), its number, or a request as a dict; without it, the last
    request. Raises ValueError if it is something else.
    """
    request, response = _find(exchange)
    if request is None:
        return Page(localized("show.prompt.title"), (Words(localized("show.prompt.nothing")),))
    leading, history = _split(request)
    system, turns = _system(request, leading), _turns(history)
    tools = [compact(tool) for tool in read_tools(request.get("tools") or [])]
    texts = {
        "system": system,
        "tools": "\n".join(tools),
        "messages": "\n".join(f"{heading}\n{text}" for heading, text in turns),
    }
    sizes = tuple((localized(f"show.prompt.{name}"), estimate_tokens(text)) for name, text in texts.items())
    parts = [
        Words(localized("show.prompt.sketch"), quiet=True),
        Shares(
            tuple(localized(f"show.prompt.{name}") for name in ("part", "tokens", "share")),
            sizes,
            localized("show.prompt.total"),
        ),
    ]
    if (counted := _counted(response)) is not None:
        parts.append(Words(localized("show.prompt.counted", n=counted), quiet=True))
    drawn = tuple(Box(f"[{heading}]", (_lines(text),) if text else ()) for heading, text in turns)
    nothing = (Words(localized("show.prompt.none"), quiet=True),)
    parts += [
        Box(localized("show.prompt.system"), (_lines(system),) if system else nothing),
        Box(localized("show.prompt.tools"), tuple(map(_lines, tools)) or nothing, "tool"),
        Box(localized("show.prompt.messages"), drawn or nothing, "user"),
    ]
    return Page(localized("show.prompt.title"), tuple(parts))


def estimate_tokens(text: str) -> int:
    """Return about how many tokens a text has: one for each sign, and one for each five letters of a word."""
    return sum(1 + (len(piece) - 1) // 5 for piece in _WORD_OR_SIGN.findall(text))


def _find(exchange: object) -> tuple[dict | None, Any]:
    """Return the request and the response that are meant."""
    if isinstance(exchange, int) and not isinstance(exchange, bool):
        found = [one for one in recorded() if getattr(one, "number", None) == exchange]
        if not found:
            raise ValueError(localized("show.prompt.no_such_number", number=exchange))
        exchange = found[0]
    elif exchange is None:
        # Counting tokens and listing models are requests as well, but no model reads them.
        found = [one for one in recorded() if _is_prompt(getattr(one, "request", None))]
        read = [one for one in found if "count" not in str(getattr(one, "path", "")).rsplit("/", 1)[-1]]
        if not found:
            return None, None
        exchange = (read or found)[-1]
    if hasattr(exchange, "request"):
        request, response = plain(exchange.request), plain(getattr(exchange, "response", None))
    else:
        request, response = plain(exchange), None
        if isinstance(request, dict) and isinstance(request.get("config"), dict):
            request = {**request, **request["config"]}  # as the Gemini SDK takes it; the wire has no "config"
    if not _is_prompt(request):
        raise ValueError(localized("show.prompt.not_a_request"))
    return request, response


def _is_prompt(request: object) -> bool:
    return isinstance(request, dict) and any(one.HISTORY_FIELD in request for one in all_modules())


def _split(request: dict) -> tuple[list[ConversationMessage], list[ConversationMessage]]:
    """Return the history's leading system messages, where OpenAI has what others send apart, and the rest."""
    history = read_messages(
        next(request[one.HISTORY_FIELD] for one in all_modules() if one.HISTORY_FIELD in request)
    )
    first = next((n for n, message in enumerate(history) if message.role not in _SYSTEM_ROLES), len(history))
    return history[:first], history[first:]


def _system(request: dict, leading: list[ConversationMessage]) -> str:
    texts = []
    for name in (name for one in all_modules() for name in one.SYSTEM_FIELDS):
        value = request.get(name)
        if isinstance(value, dict) and "parts" in value:
            value = value["parts"]
        texts += [part.text for part in read_blocks(value)]
    texts += [part.text for message in leading for part in message.parts]
    return "\n".join(texts)


def _turns(history: list[ConversationMessage]) -> list[tuple[str, str]]:
    """Return the turns as (heading, text), in the order in which they are read."""
    calls = Calls(history)
    return [_turn(message, part, calls) for message in history for part in message.parts]


def _turn(message: ConversationMessage, part: ConversationPart, calls: Calls) -> tuple[str, str]:
    role = message.role or "?"
    if part.kind == "call":
        heading = localized("show.prompt.call", role=role, number=calls.number(part), name=part.name)
        return heading, _json(part.data)
    if part.kind == "result":
        call = calls.of(part)
        number = "?" if call is None else calls.number(call)
        heading = localized("show.prompt.result", role=role, number=number)
        if part.is_error:
            heading += " · " + localized("show.conversation.is_error")
        return heading, "\n".join(_text_of(inner) for inner in part.inside)
    return role, _text_of(part)


def _text_of(part: ConversationPart) -> str:
    if part.kind == "other":
        return _json(part.data)
    return f"[{part.text}]" if part.kind == "media" else part.text


def _json(value: Any) -> str:
    return value if isinstance(value, str) else compact(value)


def _lines(text: str) -> Lines:
    return Lines((fold_text(text),))


def _counted(response: Any) -> int | None:
    """Return how many tokens the response says that the request had."""
    if not isinstance(response, dict):
        return None
    for usage, name in (one.INPUT_TOKENS for one in all_modules()):
        found = response.get(usage)
        if isinstance(found, dict) and isinstance(found.get(name), int):
            return found[name]
    return None


# show.names(): the same thing in each provider's format, looked up in what was really sent ------------

# Nothing is typed in here: for each API that the log holds a whole tool call of, the values are searched in
# the request and response, and the table shows at which place they stand.


def names() -> Page:
    """Return a table of the formats in use, made from the tool calls since setup(): one row per idea."""
    found = {one: places for one in providers.MODULES if (places := _places(one)) is not None}
    if not found:
        return Page(localized("show.names.title"), (Words(localized("show.names.nothing")),))
    ideas = list(next(iter(found.values())))
    rows = tuple(
        (localized(f"show.names.{idea}"), tuple(places[idea] for places in found.values())) for idea in ideas
    )
    table = Grid(tuple(getattr(providers, one).LABEL for one in found), rows)
    return Page(localized("show.names.title"), (Words(localized("show.names.how"), quiet=True), table))


def _places(api: str) -> dict[str, str] | None:
    """Return idea -> the place of its value for one API, or None without a tool call that was answered."""
    provider = getattr(providers, api)  # the log names an API as its module is named
    exchanges = [one for one in recorded() if getattr(one, "api", "") == api and one.status == 200]
    for called, answered in reversed(list(zip(exchanges, exchanges[1:], strict=False))):
        calls = provider.read_calls(called.response) if isinstance(called.response, dict) else []
        if calls and (result := _result(answered.request, calls[-1], provider)) is not None:
            return _rows(called, answered, calls[-1], result, provider)
    return None


def _rows(
    called: Any, answered: Any, call: Any, result: tuple[str, str, str], provider: ProviderModule
) -> dict[str, str]:
    """Return idea -> place, from the exchange that brought the call and the one that sent its result."""
    request, response = plain(called.request), plain(called.response)
    link, text, kind = result
    return {
        "definition": _first(request.get("tools"), "tools", call.name),
        "schema": _schema(request.get("tools")),
        "stop": _stop(response, provider),
        "call": _call(response, call),
        "call_id": _first(response, "", call.id),
        "arguments": _arguments(response, call.arguments),
        "result": kind,
        "link": link,
        "result_text": text,
        "answer": _answer(plain(answered.response)),
    }


def _walk(value: Any, path: str = "") -> Iterator[tuple[str, Any]]:
    """Yield every value with its path; the place in a list does not matter, so it is written []."""
    for steps, found in values_in(value):
        place = "".join("[]" if isinstance(step, int) else f".{step}" for step in steps)
        yield (path + place).removeprefix("."), found


def _first(value: Any, path: str, wanted: Any) -> str:
    return next((place for place, found in _walk(value, path) if found == wanted), "–")


def _schema(tools: Any) -> str:
    for path, value in _walk(tools, "tools"):
        # Gemini writes the names of types in capitals.
        if isinstance(value, dict) and value.get("type") in ("object", "OBJECT") and "properties" in value:
            return path
    return "–"


def _stop(response: Any, provider: ProviderModule) -> str:
    for path, value in _walk(response):
        if path.rpartition(".")[2] in provider.STOP_FIELDS and isinstance(value, str):
            return f'{path}: "{value}"'
    return "–"


def _call(response: Any, call: Any) -> str:
    """Return what marks a call: the place that holds its id (else its name), and what that is."""
    for key in ("id", "name"):
        for path, value in _walk(response):
            if isinstance(value, dict) and getattr(call, key) in value.values():
                return path + _mark(value)
    return "–"


def _mark(value: dict) -> str:
    # Gemini has no field that says what a part is: the part's only name does.
    return next((f'.{key}: "{value[key]}"' for key in ("type", "role") if key in value), "")


def _arguments(response: Any, arguments: Any) -> str:
    """Return where the arguments stand, and whether as an object or as text."""
    for path, value in _walk(response):
        if value == arguments and isinstance(value, dict):
            return f"{path}  ({localized('show.names.object')})"
        if isinstance(value, str) and value.startswith("{") and parse_arguments(value) == arguments:
            return f"{path}  ({localized('show.names.text')})"
    return "–"


def _result(request: Any, call: Any, provider: ProviderModule) -> tuple[str, str, str] | None:
    """Return where a request carries the result of a call: its link (the id, else the name), its content, and
    what marks it as a result."""
    found = None
    for path, value in _walk(plain(request)):
        if not isinstance(value, dict):
            continue
        # The last place that has the link: before it stands the call itself, sent back.
        link = next((key for key, item in value.items() if item == call.id), None)
        link = link or ("name" if value.get("name") == call.name else None)
        content = provider.RESULT_FIELD
        if link and content in value:
            found = (f"{path}.{link}", f"{path}.{content}", path + _mark(value))
    return found


def _answer(response: Any) -> str:
    """Return where the text of the final answer stands: the longest text of the response."""
    texts = [
        (len(value), path)
        for path, value in _walk(response)
        if isinstance(value, str) and path.endswith(("text", "content"))
    ]
    return max(texts, default=(0, "–"))[1]
