"""Definitions as a careful person writes them, in all forms and in two languages: nothing to complain of."""

from __future__ import annotations

from typing import Any


def anthropic(
    name: str, about: str, properties: dict[str, Any], *required: str, **more: Any
) -> dict[str, Any]:
    schema = {"type": "object", "properties": properties, "required": list(required)}
    return {"name": name, "description": about, "input_schema": schema, **more}


def chat(name: str, about: str, properties: dict[str, Any], *required: str, strict: bool = False) -> dict:
    inside = responses(name, about, properties, *required, strict=strict)
    del inside["type"]
    return {"type": "function", "function": inside}


def responses(
    name: str, about: str, properties: dict[str, Any], *required: str, strict: bool = False
) -> dict:
    schema: dict[str, Any] = {"type": "object", "properties": properties, "required": list(required)}
    if strict:
        schema["additionalProperties"] = False
    return {"type": "function", "name": name, "description": about, "parameters": schema, "strict": strict}


def gemini(name: str, about: str, properties: dict[str, Any], *required: str) -> dict[str, Any]:
    schema = {"type": "OBJECT", "properties": properties, "required": list(required)}
    return {"name": name, "description": about, "parameters": schema}


def text(description: str, **more: Any) -> dict[str, Any]:
    return {"type": "string", "description": description, **more}


def whole(description: str, **more: Any) -> dict[str, Any]:
    return {"type": "integer", "description": description, **more}


def number(description: str, **more: Any) -> dict[str, Any]:
    return {"type": "number", "description": description, **more}


def listed(description: str, items: dict[str, Any], **more: Any) -> dict[str, Any]:
    return {"type": "array", "description": description, "items": items, **more}


_CELSIUS = {
    "type": "string",
    "enum": ["celsius", "fahrenheit"],
    "description": "The unit of the temperature.",
}

GOOD: list[dict[str, Any]] = [
    # Anthropic ------------------------------------------------------------------------------------
    anthropic(
        "get_weather",
        "Get the current weather in a given location",
        {"location": text("The city and state, e.g. San Francisco, CA"), "unit": _CELSIUS},
        "location",
    ),
    anthropic(
        "get_stock_price",
        "Retrieves the current price of a stock by its ticker symbol. The ticker must be that of a company "
        "listed on a major US exchange. Returns the latest trade in US dollars. Use it when the user asks "
        "about the current or latest price of one stock; it knows nothing else about the company.",
        {"ticker": text("The ticker symbol of the stock, e.g. AAPL for Apple Inc.")},
        "ticker",
    ),
    anthropic(
        "send_email",
        "Send an e-mail on behalf of the user. Use it only after the user has seen the text and agreed. "
        "Returns the id of the message that was sent.",
        {
            "to": listed("The addresses to send it to.", {"type": "string", "format": "email"}),
            "subject": text("The subject line, without line breaks."),
            "body": text("The text of the message, in Markdown."),
            "cc": listed("Who gets a copy. Leave it out if nobody does.", {"type": "string"}),
        },
        "to",
        "subject",
        "body",
    ),
    anthropic(
        "run_sql_query",
        "Run one read-only SQL query on the sales database (SQLite) and return up to 100 rows as JSON. "
        "Use it "
        "for questions about figures that no other tool answers. It refuses anything but SELECT.",
        {"query": text("A complete SELECT statement, such as SELECT count(*) FROM orders.")},
        "query",
    ),
    anthropic(
        "str_replace_in_file",
        "Replace a piece of text in a file. Use it to make a small change; to write a new file, use "
        "create_file. Returns the lines around the change, or an error if the text is not there exactly "
        "once.",
        {
            "path": text("The path from the root of the repository, such as src/app.py."),
            "old_text": text("The text to replace, with its indentation. It must occur exactly once."),
            "new_text": text("What to put there. An empty string deletes the old text."),
        },
        "path",
        "old_text",
        "new_text",
    ),
    anthropic(
        "create_calendar_event",
        "Create an event in the user's calendar. Call it when the user wants to schedule something and has "
        "named a day. Returns the event's id and a link to it.",
        {
            "title": text("What the calendar shows."),
            "start": text("Start date and time with offset, ISO 8601, e.g. 2026-03-05T14:00:00+01:00."),
            "duration_minutes": whole("How long it takes.", minimum=5),
            "attendees": listed("E-mail addresses of those to invite.", {"type": "string"}),
        },
        "title",
        "start",
    ),
    anthropic(
        "refund_order",
        "Refund all or part of an order to the card that paid it. Use it when the customer asks for "
        "money back "
        "and the order is known; to only look an order up, use find_order. Returns the refund's number.",
        {
            "order_number": text("The number of the order, such as ORD-1042."),
            "amount_usd": number("How much to pay back, in US dollars. Leave it out for the whole order."),
            "reason": text("Why.", enum=["damaged", "late", "wrong_item", "changed_mind"]),
        },
        "order_number",
        "reason",
    ),
    anthropic(
        "record_feedback",
        "Save what a visitor says about the exhibition. Use it once per visitor, at the end of the chat. "
        "Returns nothing but a confirmation.",
        {
            "stars": whole("From 1 (bad) to 5 (very good).", minimum=1, maximum=5),
            "comment": text("In the visitor's own words, at most 500 characters."),
            "visited_on": text("The day of the visit.", format="date"),
        },
        "stars",
    ),
    anthropic(
        "book_table",
        "Reserve a table at the restaurant. Use it when a guest has named a day, a time and the number of "
        "people. Returns the booking's code, or the next free times if there is no table.",
        {
            "date": text("The day, as YYYY-MM-DD."),
            "time": text("The time of arrival in 24 hours, as HH:MM."),
            "party_size": whole("How many people come.", minimum=1, maximum=12),
        },
        "date",
        "time",
        "party_size",
        strict=False,
    ),
    {
        "name": "list_open_tickets",
        "description": "List the tickets that nobody has answered yet, oldest first. Use it when the "
        "user asks "
        "what is waiting. Returns number, subject and age in hours of each.",
        "input_schema": {"type": "object", "properties": {}},
    },
    {
        "name": "create_ticket",
        "description": "Open a support ticket. Use it when the customer reports a problem that you "
        "cannot solve. "
        "Returns the ticket's number.",
        "strict": True,
        "input_schema": {
            "type": "object",
            "properties": {
                "category": text("What it is about.", enum=["billing", "delivery", "account"]),
                "priority": text("How urgent it is.", enum=["low", "normal", "high"]),
                "summary": text("The problem in one or two sentences."),
                "order": {
                    "type": "object",
                    "description": "The order in question. Leave it out if there is none.",
                    "properties": {"number": text("The order's number, such as 1042.")},
                    "required": ["number"],
                    "additionalProperties": False,
                },
            },
            "required": ["category", "priority", "summary"],
            "additionalProperties": False,
        },
        "cache_control": {"type": "ephemeral"},
    },
    anthropic(
        "draw_chart",
        "Draw a chart and show it to the user. Use it when numbers are easier to see than to read. Returns "
        "the picture's address.",
        {
            "marks": {
                "description": "Lines or bars.",
                "anyOf": [
                    {
                        "type": "object",
                        "properties": {
                            "kind": {"type": "string", "enum": ["line"]},
                            "points": listed("The values in order.", {"type": "number"}),
                        },
                    },
                    {
                        "type": "object",
                        "properties": {
                            "kind": {"const": "bar"},
                            "heights": listed("One value per bar.", {"type": "number"}),
                        },
                    },
                ],
            },
            "caption": {"type": ["string", "null"], "description": "Text below the chart, or null for none."},
        },
        "marks",
    ),
    # OpenAI, Chat Completions ---------------------------------------------------------------------
    chat(
        "get_delivery_date",
        "Get the delivery date for a customer's order. Call this whenever you need to know the delivery "
        "date, "
        "for example when a customer asks 'Where is my package'",
        {"order_id": text("The customer's order ID, such as order_12345.")},
        "order_id",
        strict=True,
    ),
    chat(
        "search_knowledge_base",
        "Query a knowledge base to retrieve relevant passages on a topic. Use it before answering a question "
        "about our products. Returns up to five passages with their titles.",
        {
            "query": text("The user's question or the words to search for."),
            "max_results": {"type": ["integer", "null"], "description": "How many passages; null for 5."},
            "sort_by": text("What comes first.", enum=["relevance", "newest"]),
        },
        "query",
        "max_results",
        "sort_by",
        strict=True,
    ),
    chat(
        "convert_currency",
        "Convert an amount from one currency to another at today's rate. Use it when the user asks what "
        "a price "
        "is in other money. Returns the converted amount and the rate.",
        {
            "amount": number("The amount to convert."),
            "from_currency": text("The ISO 4217 code of the amount, such as USD."),
            "to_currency": text("The ISO 4217 code to convert to, such as EUR."),
        },
        "amount",
        "from_currency",
        "to_currency",
    ),
    chat(
        "translate_text",
        "Translate a text. Use it when the user asks for a translation of more than a sentence. Returns the "
        "translated text only.",
        {
            "text": text("The text to translate, as it is."),
            "target_language": text("The language to translate to, as a BCP 47 tag such as pt-BR."),
        },
        "text",
        "target_language",
    ),
    chat(
        "set_thermostat",
        "Set the target temperature of a room. Use it when the user feels too cold or too warm, or names a "
        "temperature. Returns the temperature that was set.",
        {
            "room": text("The room.", enum=["kitchen", "bedroom", "office"]),
            "temperature": number("The target in degrees Celsius.", minimum=5, maximum=30),
            "until": text("When to go back to the programme, HH:MM in local time. Leave it out for no end."),
        },
        "room",
        "temperature",
    ),
    chat(
        "calculate_shipping",
        "Calculate what a parcel costs to send, in euros. Use it when a customer asks about postage before "
        "ordering; for an order that exists, use get_delivery_date. Returns price and days.",
        {
            "weight_kg": number("The weight of the parcel in kilograms."),
            "postal_code": text("Where it goes: the postal code as text, such as 08001."),
            "country": text("ISO 3166 code of two letters, such as ES."),
            "express": {"type": "boolean", "description": "Whether it is urgent. Leave it out for standard."},
        },
        "weight_kg",
        "postal_code",
        "country",
    ),
    # OpenAI, Responses ----------------------------------------------------------------------------
    responses(
        "get_horoscope",
        "Get today's horoscope for an astrological sign.",
        {"sign": text("An astrological sign like Taurus or Aquarius")},
        "sign",
        strict=True,
    ),
    responses(
        "search_flights",
        "Search for flights between two airports on one day. Use it when the user wants to fly and has named "
        "both places. Returns up to ten flights, cheapest first; it books nothing.",
        {
            "origin": text("IATA code of the airport of departure, e.g. MAD."),
            "destination": text("IATA code of the airport of arrival, e.g. LHR."),
            "departure_date": text("The day of departure.", format="date"),
            "cabin": text("The class.", enum=["economy", "premium_economy", "business", "first"]),
            "max_price_eur": number("Only flights up to this price. Leave it out for all."),
        },
        "origin",
        "destination",
        "departure_date",
    ),
    responses(
        "find_customer",
        "Find a customer by e-mail or by telephone. Use it first when someone asks about their own account. "
        "Returns the customer's id and name, or that there is none.",
        {
            "email": {"type": ["string", "null"], "description": "The address, or null if it is not known."},
            "phone": {"type": ["string", "null"], "description": "With country code, +34600123456, or null."},
        },
        "email",
        "phone",
        strict=True,
    ),
    responses(
        "add_to_cart",
        "Put products into the shopping cart. Use it when the customer says what to buy. Returns the cart's "
        "new total in euros.",
        {
            "lines": listed(
                "One entry per product.",
                {
                    "type": "object",
                    "properties": {
                        "sku": text("The product's code, as returned by search_products."),
                        "quantity": whole("How many pieces."),
                    },
                    "required": ["sku", "quantity"],
                    "additionalProperties": False,
                },
            )
        },
        "lines",
        strict=True,
    ),
    responses(
        "set_reminder",
        "Set a reminder for the user. Use it when the user asks to be reminded of something. Returns when it "
        "will ring.",
        {
            "about": text("What to be reminded of."),
            "when": text("Date and time, ISO 8601 without offset, such as 2026-05-01T09:00."),
            "repeat": text("How often.", enum=["never", "daily", "weekly"]),
        },
        "about",
        "when",
    ),
    {
        "type": "function",
        "name": "get_current_user",
        "description": "Get the name, language and time zone of the signed-in user. Use it when an "
        "answer depends "
        "on who asks.",
        "parameters": {"type": "object", "properties": {}, "additionalProperties": False},
        "strict": True,
    },
    # Gemini ---------------------------------------------------------------------------------------
    gemini(
        "set_light_values",
        "Sets the brightness and color temperature of a light. Use it when the user wants a mood or "
        "more light. "
        "Returns the values that were set.",
        {
            "brightness": {
                "type": "INTEGER",
                "description": "Light level from 0 to 100. Zero is off and 100 is full brightness",
            },
            "color_temp": {
                "type": "STRING",
                "enum": ["daylight", "cool", "warm"],
                "description": "Color temperature of the light fixture.",
            },
        },
        "brightness",
        "color_temp",
    ),
    {
        # As the guide to the Python SDK writes it: the SDK turns the types into capitals.
        "name": "schedule_meeting",
        "description": "Schedules a meeting with specified attendees at a given time and date.",
        "parameters": {
            "type": "object",
            "properties": {
                "attendees": {
                    "type": "array",
                    "items": {"type": "string"},
                    "description": "List of people attending the meeting.",
                },
                "date": {"type": "string", "description": "Date of the meeting (e.g., '2024-07-29')"},
                "time": {"type": "string", "description": "Time of the meeting (e.g., '15:00')"},
                "topic": {"type": "string", "description": "The subject or topic of the meeting."},
            },
            "required": ["attendees", "date", "time", "topic"],
        },
    },
    gemini(
        "find_theaters",
        "Find theaters near a place, optionally those that show a certain movie now. Use it when the "
        "user wants "
        "to go to the movies. Returns names, addresses and showtimes.",
        {
            "location": {
                "type": "STRING",
                "description": "City and state, e.g. San Francisco, CA or a zip code.",
            },
            "movie": {"type": "STRING", "description": "Any movie title.", "nullable": True},
        },
        "location",
    ),
    gemini(
        "log_meal",
        "Save a meal in the user's diary. Use it when the user tells what they ate. Returns the day's "
        "calories.",
        {
            "items": {
                "type": "ARRAY",
                "description": "What was eaten, one entry per food.",
                "items": {
                    "type": "OBJECT",
                    "properties": {
                        "food": {"type": "STRING", "description": "Such as 'brown rice'."},
                        "weight": {"type": "NUMBER", "description": "In grams."},
                    },
                    "required": ["food"],
                    "propertyOrdering": ["food", "weight"],
                },
                "min_items": 1,
            },
            "eaten_at": {
                "type": "STRING",
                "format": "date-time",
                "description": "When. Leave it out for now.",
            },
        },
        "items",
    ),
    {
        "name": "turn_off_all_lights",
        "description": "Turn off every light in the house. Use it when the user leaves or goes to bed. "
        "Returns how "
        "many lights were on.",
        "parameters_json_schema": {"type": "object", "properties": {}},
    },
    {
        "functionDeclarations": [
            gemini(
                "play_music",
                "Play a song, an album or a genre. Use it when the user asks for music. Returns what is "
                "playing.",
                {
                    "query": {"type": "STRING", "description": "What to play, in the user's words."},
                    "volume": {"type": "INTEGER", "description": "From 0 to 100. Leave it out to keep it."},
                    "source": {
                        "anyOf": [{"type": "STRING"}, {"type": "INTEGER"}],
                        "description": "Name of a speaker, or its number as shown in the app.",
                    },
                },
                "query",
            )
        ]
    },
    # Spanish --------------------------------------------------------------------------------------
    anthropic(
        "consultar_saldo",
        "Consulta el saldo de una cuenta del cliente. Úsala cuando pregunte cuánto dinero tiene. Devuelve el "
        "saldo en euros y la fecha del último movimiento. No sirve para hacer transferencias.",
        {"numero_cuenta": text("IBAN de la cuenta, p. ej. ES9121000418450200051332.")},
        "numero_cuenta",
    ),
    chat(
        "reservar_cita",
        "Reserva una cita médica. Llámala cuando el paciente haya elegido día y hora. Devuelve el "
        "código de la "
        "cita, o las horas libres si esa ya está ocupada.",
        {
            "especialidad": text("La especialidad.", enum=["medicina_general", "pediatria", "dermatologia"]),
            "fecha": text("Día de la cita en formato AAAA-MM-DD."),
            "hora": text("Hora en formato HH:MM, de 24 horas."),
            "telefono": text("Teléfono con prefijo, como +34 600 123 456. Opcional."),
        },
        "especialidad",
        "fecha",
        "hora",
    ),
    responses(
        "enviar_transferencia",
        "Envía dinero a otra cuenta. Úsala solo si el usuario ha confirmado el importe y el destinatario. "
        "Devuelve el número de la operación.",
        {
            "iban_destino": text("IBAN de la cuenta que recibe el dinero, p. ej. ES9121000418450200051332."),
            "importe": number("Importe en euros, con dos decimales."),
            "concepto": text("Lo que verá quien lo recibe, 140 caracteres como máximo."),
        },
        "iban_destino",
        "importe",
        "concepto",
        strict=True,
    ),
    gemini(
        "buscar_recetas",
        "Busca recetas de cocina por ingredientes. Úsala si el usuario no sabe qué cocinar. Devuelve "
        "hasta cinco "
        "recetas con su tiempo y su dificultad.",
        {
            "ingredientes": {
                "type": "ARRAY",
                "items": {"type": "STRING"},
                "description": "Lo que hay en casa, en singular, como 'tomate'.",
            },
            "dificultad": {
                "type": "STRING",
                "enum": ["fácil", "media", "difícil"],
                "description": "Omítela para ver todas.",
            },
            "minutos_maximos": {"type": "INTEGER", "description": "Tiempo máximo de preparación."},
        },
        "ingredientes",
    ),
    anthropic(
        "traducir_documento",
        "Traduce un documento guardado y conserva su formato. Es útil cuando el usuario quiere el "
        "archivo y no "
        "solo el texto. Devuelve el identificador del documento nuevo.",
        {
            "documento_id": text("Identificador del documento, tal como lo devuelve listar_documentos."),
            "idioma": text("Código ISO 639 del idioma de destino, como fr."),
        },
        "documento_id",
        "idioma",
    ),
]

# Tools that are offered together, each as it should be.
SETS: list[list[dict[str, Any]]] = [
    [
        anthropic(
            "find_order",
            "Get one order by its number. Use it when the user gives a number; without one, use list_orders. "
            "Returns status, dates and what was ordered.",
            {"number": whole("The number of the order, four digits, such as 1042.")},
            "number",
        ),
        anthropic(
            "list_orders",
            "List the orders of a customer, newest first, at most 20. Use it when the user gives no "
            "number; for "
            "one order, use find_order. Returns number, status and total of each.",
            {
                "email": text("The customer's address."),
                "since": text("Only orders since this day, YYYY-MM-DD."),
            },
            "email",
        ),
        {"type": "web_search_20260318", "name": "web_search"},
    ],
    [
        chat(
            "lock_door",
            "Lock a door of the house. Use it when the user leaves. Returns its state.",
            {"door": text("Which one.", enum=["front", "back"])},
            "door",
        ),
        chat(
            "unlock_door",
            "Unlock a door of the house. Use it when the user arrives. Returns its state.",
            {"door": text("Which one.", enum=["front", "back"])},
            "door",
        ),
    ],
]
