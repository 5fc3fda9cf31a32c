"""Tool definitions for the tests of the practice model's decisions: several small worlds, none of them the
course's."""

from __future__ import annotations

from practice_model.request import Call, CallResult, ConversationTurn, Request, ToolChoice, ToolSpec


def tool(name: str, description: str = "", required: str | None = None, /, **properties: dict) -> ToolSpec:
    names = list(properties) if required is None else required.split()
    return ToolSpec(name, description, {"type": "object", "properties": properties, "required": names})


def text(description: str = "", **more) -> dict:
    return {"type": "string", **({"description": description} if description else {}), **more}


def number(description: str = "", **more) -> dict:
    return {"type": "number", **({"description": description} if description else {}), **more}


def integer(description: str = "", **more) -> dict:
    return {"type": "integer", **({"description": description} if description else {}), **more}


def user(words: str) -> ConversationTurn:
    return ConversationTurn("user", words)


def assistant(*calls: Call, text: str = "") -> ConversationTurn:
    return ConversationTurn("assistant", text, calls)


def results(*pairs: tuple[str, str], error: bool = False) -> ConversationTurn:
    return ConversationTurn(
        "user", results=tuple(CallResult(call_id, content, error) for call_id, content in pairs)
    )


def request(turns, tools=(), mode: str = "auto", name: str = "", parallel: bool = True, **more) -> Request:
    turns = (user(turns),) if isinstance(turns, str) else tuple(turns)
    return Request(
        "practice", turns, tools=tuple(tools), tool_choice=ToolChoice(mode, name, parallel), **more
    )


FORECAST = tool(
    "get_forecast", "Get the weather forecast for a city.", city=text("The city, for instance Oslo.")
)
SUM = tool("calculate", "Evaluate an arithmetic expression.", expression=text("For instance 2 * (3 + 4)."))
BOOKS = tool(
    "search_books",
    "Search the catalogue of the library by words in title or author. Returns title, author and shelf.",
    query=text("Words to look for."),
)
LOAN = tool(
    "renew_loan",
    "Renew the loan of a borrowed book so that it is due later.",
    loan_id=text("The number of the loan."),
)
HOURS = tool(
    "get_opening_hours",
    "Opening hours of a branch of the library on a given day.",
    "day",
    day=text("The day.", format="date"),
    branch=text("Name of the branch.", enum=["central", "north", "harbour"]),
)
ROOM = tool(
    "reserve_room",
    "Reserve a study room of the library.",
    "day people",
    day=text("The day.", format="date"),
    people=integer("How many people come.", minimum=1, maximum=12),
    projector=text("", enum=["yes", "no"]),
)
LIBRARY = (BOOKS, LOAN, HOURS, ROOM)
PARCEL = tool(
    "track_parcel",
    "Where a parcel is now and when it will arrive.",
    tracking_number=text("The tracking number."),
)
RATE = tool(
    "get_exchange_rate",
    "The exchange rate between two currencies.",
    from_currency=text("ISO code of the currency to change."),
    to_currency=text("ISO code of the currency to get."),
)
MAIL = tool(
    "send_email",
    "Send an email to somebody.",
    "to body",
    to=text("E-mail address.", format="email"),
    subject=text("Subject line."),
    body=text("The text of the message."),
)
PLAYLIST = tool(
    "reproducir_cancion",
    "Reproduce una canción en el altavoz del salón.",
    titulo=text("Título de la canción."),
)
LIGHT = tool(
    "set_light",
    "Turn the light of a room on or off.",
    room=text("", enum=["kitchen", "bedroom", "garden"]),
    state=text("", enum=["on", "off"]),
)
NOTES = tool(
    "list_notes",
    "List the notes that the user wrote in a period, newest first.",
    "period",
    period=text("How far back.", enum=["day", "week", "month", "year", "all"]),
    keyword=text("Only notes that contain this word."),
)


def define(signature: str, description: str = "", /, **about: str) -> ToolSpec:
    """A tool from a line: define("book(day:date, guests:integer, view?:sea|garden)", "Book a table.",
    guests="How many").

    A name with "?" is optional. After the colon stands a type, a format, values of an enum, or any of them
    with "[]" for a list; nothing there means text. `about` describes parameters.
    """
    name, _, inside = signature.partition("(")
    properties, required = {}, []
    for part in filter(None, (part.strip() for part in inside.rstrip(")").split(","))):
        key, _, kind = part.partition(":")
        if not key.endswith("?"):
            required.append(key)
        key = key.rstrip("?")
        schema = _schema_of(kind.removesuffix("[]"))
        schema = {"type": "array", "items": schema} if kind.endswith("[]") else schema
        properties[key] = schema | ({"description": about[key]} if key in about else {})
    return ToolSpec(name, description, {"type": "object", "properties": properties, "required": required})


def _schema_of(kind: str) -> dict:
    if kind in ("date", "time", "date-time", "email", "uri"):
        return {"type": "string", "format": kind}
    if "|" in kind:
        return {"type": "string", "enum": kind.split("|")}
    return {"type": kind or "string"}
