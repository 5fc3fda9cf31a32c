"""Definitions with one planted fault each: what it is called, and where it is.

The rest of each definition is as good as is short, so that the fault is what a reviewer would speak of first.
"""

from __future__ import annotations

from typing import Any

ABOUT = "Look up the {0} of an order. Use it when the customer asks about one order. Returns {0} or an error."
TEXT = {"type": "string", "description": "What the customer wrote."}


def anthropic(
    properties: Any = None, name: str = "find_order", about: str = "", **more: Any
) -> dict[str, Any]:
    """An Anthropic definition; `schema` adds keywords at the top of the schema."""
    schema = {"type": "object", "properties": {"note": TEXT} if properties is None else properties}
    schema |= more.pop("schema", {})
    return {"name": name, "description": about or ABOUT.format("status"), "input_schema": schema, **more}


def chat(properties: Any = None, **more: Any) -> dict[str, Any]:
    """A definition for Chat Completions; `outside` adds keys beside `function`."""
    outside = more.pop("outside", {})
    inside = anthropic(properties, **more)
    inside["parameters"] = inside.pop("input_schema")
    return {"type": "function", "function": inside, **outside}


def responses(properties: Any = None, **more: Any) -> dict[str, Any]:
    inside = anthropic(properties, **{"strict": False, **more})
    inside["parameters"] = inside.pop("input_schema")
    return {"type": "function", **inside}


def gemini(properties: Any = None, **more: Any) -> dict[str, Any]:
    text = {"type": "STRING", "description": "What the customer wrote."}
    inside = anthropic({"note": text} if properties is None else properties, **more)
    schema = {**inside.pop("input_schema")}
    schema["type"] = "OBJECT" if schema["type"] == "object" else schema["type"]
    return {**inside, "parameters": schema}


def field(description: str = "", kind: str = "string", **more: Any) -> dict[str, Any]:
    return {"type": kind, **({"description": description} if description else {}), **more}


def closed(properties: dict[str, Any], **more: Any) -> dict[str, Any]:
    """A closed object with everything required, as strict wants it."""
    return {"type": "object", "properties": properties, "additionalProperties": False, **more}


def _nested(levels: int) -> dict[str, Any]:
    inner: dict[str, Any] = field("The value.")
    for _ in range(levels):
        inner = {"type": "object", "description": "The next level.", "properties": {"a": inner}}
    return inner


AT = "input_schema.properties."

# title: (definition, code, where)
ALONE: dict[str, tuple[Any, str, str]] = {
    # Names
    "no name": ({**anthropic(), "name": ""}, "name-missing", "name"),
    "a name with a space": (anthropic(name="find order"), "name-refused", "name"),
    "a name with an accent": (anthropic(name="buscar_envío"), "name-refused", "name"),
    "a name with a dot on OpenAI": (chat(name="shop.find_order"), "name-refused", "function.name"),
    "a name too long for OpenAI": (responses(name="find_order_" + "x" * 60), "name-refused", "name"),
    "a name that starts with a digit on Gemini": (gemini(name="3d_render_order"), "name-refused", "name"),
    "a name that is a number": (anthropic(name=7), "name-not-text", "name"),
    "a name that says nothing": (anthropic(name="tool_1"), "name-says-nothing", "name"),
    "a Spanish name that says nothing": (anthropic(name="herramienta"), "name-says-nothing", "name"),
    "a name without a verb": (anthropic(name="order_status"), "name-without-verb", "name"),
    "a name that only Gemini takes": (gemini(name="shop.find_order"), "name-not-portable", "name"),
    # Descriptions
    "no description": (chat(about=" "), "description-missing", "function.description"),
    "a description that repeats the name": (
        anthropic(name="find_order", about="Finds the orders."),
        "description-says-nothing",
        "description",
    ),
    "a Spanish description that repeats the name": (
        anthropic(name="buscar_pedidos", about="Busca pedidos."),
        "description-says-nothing",
        "description",
    ),
    "a description of empty words": (
        anthropic(name="get_order_data", about="This tool handles various order information and data."),
        "description-says-nothing",
        "description",
    ),
    "a description to be written": (
        anthropic(about="TODO: description of the tool"),
        "description-says-nothing",
        "description",
    ),
    "a description of three words": (
        anthropic(about="Order status lookup."),
        "description-short",
        "description",
    ),
    "a description without when": (
        anthropic(about="Looks an order up in the warehouse and returns its status."),
        "description-without-when",
        "description",
    ),
    "a Spanish description without when": (
        anthropic(name="anular_pedido", about="Anula un pedido y devuelve el importe abonado."),
        "description-without-when",
        "description",
    ),
    "a description without a result": (
        anthropic(name="cancel_order", about="Cancels an order. Use it when the customer asks for it."),
        "description-without-result",
        "description",
    ),
    "a Spanish description without a result": (
        anthropic(name="anular_pedido", about="Anula un pedido. Úsala si el cliente lo pide expresamente."),
        "description-without-result",
        "description",
    ),
    "a description that is a list": (anthropic(about=["Finds"]), "description-not-text", "description"),
    "a description too long for some of OpenAI": (
        chat(about=ABOUT.format("status") + " Be careful." * 100),
        "description-long-for-openai",
        "function.description",
    ),
    "a description that costs": (
        anthropic(about=ABOUT.format("status") + " Be careful." * 300),
        "description-expensive",
        "description",
    ),
    # The keys around
    "no schema on Anthropic": (
        {"name": "find_order", "description": ABOUT.format("status"), "cache_control": {"type": "ephemeral"}},
        "schema-missing",
        "input_schema",
    ),
    "a schema that is a list": ({**anthropic(), "input_schema": []}, "schema-not-an-object", "input_schema"),
    "MCP's name for the schema": (
        {"name": "find_order", "description": ABOUT.format("status"), "inputSchema": {"type": "object"}},
        "wrong-schema-key",
        "inputSchema",
    ),
    "Anthropic's name for the schema on OpenAI": (
        {"type": "function", **anthropic()},
        "wrong-schema-key",
        "input_schema",
    ),
    "Anthropic's name inside OpenAI's wrapping": (
        {"type": "function", "function": anthropic()},
        "wrong-schema-key",
        "function.input_schema",
    ),
    "no type around a function": (
        {"function": chat()["function"]},
        "type-function-missing",
        "type",
    ),
    "strict outside the function": (
        chat(outside={"strict": True}),
        "belongs-inside-function",
        "strict",
    ),
    "strict without a wrapping": (
        {key: value for key, value in responses().items() if key != "type"},
        "type-function-missing",
        "type",
    ),
    "required beside the schema": (anthropic(required=["note"]), "schema-key-outside", "required"),
    "a key that nobody has": (anthropic(returns="text"), "unknown-key", "returns"),
    "a key that only Anthropic has": (
        chat(cache_control={"type": "ephemeral"}),
        "unknown-key",
        "function.cache_control",
    ),
    "only a schema": ({"type": "object", "properties": {"note": TEXT}}, "only-a-schema", "(the whole)"),
    "two schemas": (anthropic(parameters={"type": "object"}), "two-schemas", "parameters"),
    "strict inside the schema": (
        anthropic(schema={"strict": True}),
        "strict-in-the-schema",
        "input_schema.strict",
    ),
    "a type that Anthropic does not know": (anthropic(type="tool"), "type-not-custom", "type"),
    "no properties on OpenAI": (
        {**responses(), "parameters": {"type": "object"}},
        "root-without-properties",
        "parameters",
    ),
    "strict as text": (chat(strict="true"), "strict-not-true-or-false", "function.strict"),
    "strict unsaid on Responses": (
        {key: value for key, value in responses().items() if key != "strict"},
        "strict-unsaid",
        "strict",
    ),
    # Types and keywords
    "types for type": (anthropic({"note": {"types": "string"}}), "keyword-misspelt", f"{AT}note.types"),
    "desc for description": (
        chat({"note": {"type": "string", "desc": "What the customer wrote."}}),
        "keyword-misspelt",
        "function.parameters.properties.note.desc",
    ),
    "require for required": (
        anthropic(schema={"require": ["note"]}),
        "keyword-misspelt",
        "input_schema.require",
    ),
    "values for enum": (
        anthropic({"size": field("The size.", values=["S", "M"])}),
        "keyword-misspelt",
        f"{AT}size.values",
    ),
    "a typing error in a keyword": (
        anthropic({"note": {**TEXT, "maxLenght": 50}}),
        "keyword-misspelt",
        f"{AT}note.maxLenght",
    ),
    "a keyword that nobody knows": (
        anthropic({"note": {**TEXT, "placeholder": "Hello"}}),
        "keyword-without-effect",
        f"{AT}note.placeholder",
    ),
    "optional in a field": (
        anthropic({"note": {**TEXT, "optional": True}}),
        "optional-in-field",
        f"{AT}note.optional",
    ),
    "nullable outside Gemini": (
        responses({"note": {**TEXT, "nullable": True}}),
        "nullable-in-json-schema",
        "parameters.properties.note.nullable",
    ),
    "str for string": (anthropic({"note": {**TEXT, "type": "str"}}), "type-unknown", f"{AT}note.type"),
    "Python's class for string": (
        anthropic({"note": {**TEXT, "type": str}}),
        "type-unknown",
        f"{AT}note.type",
    ),
    "None among the types": (
        anthropic({"note": {**TEXT, "type": ["string", None]}}),
        "type-unknown",
        f"{AT}note.type",
    ),
    "a type with a typing error": (
        chat({"note": {**TEXT, "type": "sting"}}),
        "type-unknown",
        "function.parameters.properties.note.type",
    ),
    "a type in capitals on Anthropic": (
        anthropic({"note": {**TEXT, "type": "STRING"}}),
        "type-in-capitals",
        f"{AT}note.type",
    ),
    "date as a type": (
        anthropic({"day": {"type": "date", "description": "The day, YYYY-MM-DD."}}),
        "type-is-a-format",
        f"{AT}day.type",
    ),
    "enum as a type": (
        anthropic({"size": {"type": "enum", "enum": ["S", "M"], "description": "The size."}}),
        "type-is-enum",
        f"{AT}size.type",
    ),
    "a field without a type": (
        anthropic({"note": {"description": "What the customer wrote."}}),
        "type-missing",
        f"{AT}note",
    ),
    "a field that is text": (anthropic({"note": "string"}), "field-not-a-schema", f"{AT}note"),
    "properties as a list": (
        anthropic([{"name": "note"}]),
        "value-invalid",
        "input_schema.properties",
    ),
    "a root that is a string": (
        anthropic(schema={"type": "string"}),
        "root-not-an-object",
        "input_schema.type",
    ),
    "a root without a type": (
        {**anthropic(), "input_schema": {"properties": {"note": TEXT}}},
        "root-without-type",
        "input_schema",
    ),
    "a choice at the root": (
        anthropic(schema={"anyOf": [{"required": ["note"]}]}),
        "choice-at-the-root",
        "input_schema.anyOf",
    ),
    "a list without items": (
        responses({"tags": field("Words to look for.", "array")}),
        "items-missing",
        "parameters.properties.tags",
    ),
    "items on text": (
        anthropic({"note": {**TEXT, "items": {"type": "string"}}}),
        "items-without-array",
        f"{AT}note.items",
    ),
    "properties on text": (
        anthropic({"note": {**TEXT, "properties": {"a": TEXT}}}),
        "properties-without-object",
        f"{AT}note.properties",
    ),
    "an object without fields": (
        anthropic({"filters": field("What to filter by.", "object")}),
        "object-without-fields",
        f"{AT}filters",
    ),
    "objects four levels deep": (
        anthropic({"a": _nested(3)}),
        "nested-deeply",
        f"{AT}a.properties.a.properties.a",
    ),
    "sixteen fields": (
        anthropic({f"note_{letter}": TEXT for letter in "abcdefghijklmnop"}),
        "many-fields",
        "input_schema.properties",
    ),
    "a minimum above the maximum": (
        anthropic({"amount_usd": field("In dollars.", "number", minimum=10, maximum=1)}),
        "range-empty",
        f"{AT}amount_usd.minimum",
    ),
    "a length that is text": (
        anthropic({"note": {**TEXT, "maxLength": "long"}}),
        "value-invalid",
        f"{AT}note.maxLength",
    ),
    "a broken pattern": (
        anthropic({"note": {**TEXT, "pattern": "["}}),
        "pattern-broken",
        f"{AT}note.pattern",
    ),
    "a reference to nothing": (
        anthropic({"note": {"$ref": "#/$defs/Note", "description": "The note."}}),
        "reference-broken",
        f"{AT}note.$ref",
    ),
    "a field name with a letter that is refused": (
        anthropic({"año": field("The year.", "integer")}),
        "field-name-refused",
        f"{AT}año",
    ),
    "a field name with a space": (
        anthropic({"the note": TEXT}),
        "field-name-refused",
        'input_schema.properties["the note"]',
    ),
    # Required
    "required is null": (
        anthropic(schema={"required": None}),
        "required-not-a-list",
        "input_schema.required",
    ),
    "required is text": (
        chat(schema={"required": "note"}),
        "required-not-a-list",
        "function.parameters.required",
    ),
    "required holds a number": (
        anthropic(schema={"required": ["note", 1]}),
        "required-not-a-list",
        "input_schema.required",
    ),
    "required in a field": (
        anthropic({"note": {**TEXT, "required": True}}),
        "required-in-field",
        f"{AT}note.required",
    ),
    "a required name that is no field": (
        anthropic(schema={"required": ["notes"]}),
        "required-unknown",
        "input_schema.required",
    ),
    "a required name twice": (
        anthropic(schema={"required": ["note", "note"]}),
        "required-twice",
        "input_schema.required",
    ),
    "required with a default": (
        anthropic({"limit": field("How many.", "integer", default=10)}, schema={"required": ["limit"]}),
        "required-with-default",
        f"{AT}limit",
    ),
    "required, but optional in words": (
        anthropic({"note": field("Optional. A note.")}, schema={"required": ["note"]}),
        "required-but-optional",
        f"{AT}note",
    ),
    "required, but with a default in words": (
        anthropic({"limit": field("How many; defaults to 10.", "integer")}, schema={"required": ["limit"]}),
        "required-but-optional",
        f"{AT}limit",
    ),
    "required, but optional in Spanish": (
        anthropic({"limite": field("Cuántos. Por defecto, 10.", "integer")}, schema={"required": ["limite"]}),
        "required-but-optional",
        f"{AT}limite",
    ),
    "required, but not always known": (
        anthropic({"note": field("A note from the customer, if any.")}, schema={"required": ["note"]}),
        "required-but-optional",
        f"{AT}note",
    ),
    "all of six required": (
        anthropic(
            {f"note_{n}": TEXT for n in "abcdef"}, schema={"required": [f"note_{n}" for n in "abcdef"]}
        ),
        "all-required",
        "input_schema.required",
    ),
    # Fields
    "a field without description": (
        anthropic({"note": {"type": "string"}}),
        "field-without-description",
        f"{AT}note",
    ),
    "a nested field without description": (
        gemini(
            {
                "customer": {
                    "type": "OBJECT",
                    "description": "Who asks.",
                    "properties": {"phone": {"type": "STRING"}},
                }
            }
        ),
        "field-without-description",
        "parameters.properties.customer.properties.phone",
    ),
    "a date as free text": (
        anthropic({"since": field("Only orders placed since then.")}),
        "date-without-format",
        f"{AT}since",
    ),
    "a Spanish date as free text": (
        anthropic({"fecha_entrega": field("Fecha de entrega del pedido.")}),
        "date-without-format",
        f"{AT}fecha_entrega",
    ),
    "a date by its description": (
        chat({"from": field("The first date of the period.")}),
        "date-without-format",
        "function.parameters.properties.from",
    ),
    "money without a currency": (
        anthropic({"max_price": field("The highest price.", "number")}),
        "amount-without-unit",
        f"{AT}max_price",
    ),
    "Spanish money without a currency": (
        anthropic({"importe": field("Importe a devolver.", "number")}),
        "amount-without-unit",
        f"{AT}importe",
    ),
    "a weight without a unit": (
        responses({"weight": field("How heavy the parcel is.", "number")}),
        "measure-without-unit",
        "parameters.properties.weight",
    ),
    "an id without an example": (
        anthropic({"customer_id": field("The id of the customer.")}),
        "id-without-example",
        f"{AT}customer_id",
    ),
    "an id as a decimal number": (
        anthropic({"customer_id": field("The id of the customer.", "number")}),
        "id-as-number",
        f"{AT}customer_id",
    ),
    "a postcode as a number": (
        anthropic({"postal_code": field("Where to send it.", "integer")}),
        "digits-as-number",
        f"{AT}postal_code",
    ),
    "a Spanish telephone as a number": (
        gemini({"telefono": field("A quién llamar.", "INTEGER")}),
        "digits-as-number",
        "parameters.properties.telefono",
    ),
    "a currency without a standard": (
        anthropic({"currency": field("What the customer pays in.")}),
        "code-without-standard",
        f"{AT}currency",
    ),
    "a count as text": (
        anthropic({"limit": field("How many orders to list.")}),
        "number-as-text",
        f"{AT}limit",
    ),
    "money as text": (
        anthropic({"max_price": field("The highest price in euros.")}),
        "number-as-text",
        f"{AT}max_price",
    ),
    "a date as a number": (
        anthropic({"due_date": field("When it is due.", "integer")}),
        "date-without-format",
        f"{AT}due_date",
    ),
    "a yes or no as text": (
        anthropic({"urgent": field("Whether it is urgent: 'yes' or 'no'.")}),
        "boolean-as-text",
        f"{AT}urgent",
    ),
    "a yes or no by its name": (
        anthropic({"is_gift": field("Whether it is a gift.")}),
        "boolean-as-text",
        f"{AT}is_gift",
    ),
    # Closed sets
    "one of": (
        anthropic({"state": field("One of open, closed or waiting.")}),
        "closed-set-as-text",
        f"{AT}state",
    ),
    "either or": (
        chat({"speed": field("How to send it, either standard or express.")}),
        "closed-set-as-text",
        "function.parameters.properties.speed",
    ),
    "could be, with a colon": (
        anthropic({"period": field("How far back; it could be: day, week, month, year or all.")}),
        "closed-set-as-text",
        f"{AT}period",
    ),
    "bars": (anthropic({"sort": field("asc|desc")}), "closed-set-as-text", f"{AT}sort"),
    "a quoted list": (
        responses({"colour": field("The colour: 'red', 'green' or 'blue'.")}),
        "closed-set-as-text",
        "parameters.properties.colour",
    ),
    "a list in brackets": (
        anthropic({"priority": field("How urgent it is (low, normal, high).")}),
        "closed-set-as-text",
        f"{AT}priority",
    ),
    "values with their meanings": (
        anthropic({"sort": field("Use 'asc' for oldest first and 'desc' for newest first.")}),
        "closed-set-as-text",
        f"{AT}sort",
    ),
    "numbers with their meanings": (
        anthropic({"urgency": field("1 = low, 2 = normal, 3 = high.", "integer")}),
        "closed-set-as-text",
        f"{AT}urgency",
    ),
    "a list after can be": (
        anthropic({"speed": field("Can be slow, normal, fast.")}),
        "closed-set-as-text",
        f"{AT}speed",
    ),
    "nothing but a list": (
        gemini({"visibility": field("Public or private.", "STRING")}),
        "closed-set-as-text",
        "parameters.properties.visibility",
    ),
    "a list in brackets after the word": (
        anthropic({"only": field("Filter by status (open, closed).")}),
        "closed-set-as-text",
        f"{AT}only",
    ),
    "a quoted list alone": (
        anthropic({"size": field("'S', 'M', 'L'")}),
        "closed-set-as-text",
        f"{AT}size",
    ),
    "a Spanish list": (
        anthropic({"estado": field("Puede ser pendiente, enviado o entregado.")}),
        "closed-set-as-text",
        f"{AT}estado",
    ),
    "a list of closed values": (
        anthropic({"days": field("Days, each one of mon, tue, wed.", "array", items={"type": "string"})}),
        "closed-set-as-text",
        f"{AT}days",
    ),
    "a status that is not told": (
        anthropic({"status": field("The status of the order.")}),
        "maybe-a-closed-set",
        f"{AT}status",
    ),
    # Enums
    "an empty enum": (anthropic({"size": field("The size.", enum=[])}), "value-invalid", f"{AT}size.enum"),
    "an enum of one": (
        anthropic({"size": field("The size.", enum=["M"])}),
        "enum-of-one",
        f"{AT}size.enum",
    ),
    "a value twice": (
        anthropic({"size": field("The size.", enum=["S", "M", "S"])}),
        "enum-twice",
        f"{AT}size.enum",
    ),
    "values that differ in case": (
        anthropic({"size": field("The size.", enum=["Small", "small", "large"])}),
        "enum-alike",
        f"{AT}size.enum",
    ),
    "values of another type": (
        anthropic({"size": field("The size.", enum=[1, 2])}),
        "enum-of-another-type",
        f"{AT}size.enum",
    ),
    "values of several types": (
        anthropic({"size": {"description": "The size.", "enum": ["S", 2]}}),
        "enum-mixed",
        f"{AT}size.enum",
    ),
    "a default outside the enum": (
        anthropic({"size": field("The size.", enum=["S", "M"], default="L")}),
        "default-not-allowed",
        f"{AT}size.default",
    ),
    # Strict
    "an open object on Anthropic": (
        anthropic(strict=True, schema={"required": ["note"]}),
        "strict-open-object",
        "input_schema",
    ),
    "an open object inside a list on OpenAI": (
        chat(
            strict=True,
            schema=closed(
                {
                    "lines": field(
                        "What was ordered.",
                        "array",
                        items={"type": "object", "properties": {"sku": TEXT}, "required": ["sku"]},
                    )
                },
                required=["lines"],
            ),
        ),
        "strict-open-object",
        "function.parameters.properties.lines.items",
    ),
    "an optional field on OpenAI": (
        responses(strict=True, schema=closed({"note": TEXT}, required=[])),
        "strict-not-required",
        "parameters.required",
    ),
    "a minimum on Anthropic": (
        anthropic(
            strict=True, schema=closed({"n": field("How many.", "integer", minimum=1)}, required=["n"])
        ),
        "strict-keyword",
        f"{AT}n.minimum",
    ),
    "a default on OpenAI": (
        chat(strict=True, schema=closed({"n": field("How many.", "integer", default=1)}, required=["n"])),
        "strict-keyword",
        "function.parameters.properties.n.default",
    ),
    "free keys with strict": (
        anthropic(
            strict=True,
            schema=closed(
                {"prices": field("By name.", "object", additionalProperties={"type": "integer"})},
                required=["prices"],
            ),
        ),
        "strict-free-keys",
        f"{AT}prices",
    ),
    "a format that OpenAI does not take": (
        responses(strict=True, schema=closed({"link": field("Where.", format="uri")}, required=["link"])),
        "strict-format",
        "parameters.properties.link.format",
    ),
    "two items at least on Anthropic": (
        anthropic(
            strict=True,
            schema=closed(
                {"words": field("Words.", "array", items={"type": "string"}, minItems=2)}, required=["words"]
            ),
        ),
        "strict-min-items",
        f"{AT}words.minItems",
    ),
    "look-ahead on Anthropic": (
        anthropic(strict=True, schema=closed({"note": {**TEXT, "pattern": "(?=a)b"}}, required=["note"])),
        "strict-pattern",
        f"{AT}note.pattern",
    ),
    "a reference in allOf on Anthropic": (
        anthropic(
            strict=True,
            schema=closed(
                {"note": {"description": "The note.", "allOf": [{"$ref": "#/$defs/Note"}]}},
                required=["note"],
                **{"$defs": {"Note": TEXT}},
            ),
        ),
        "strict-reference-in-all-of",
        f"{AT}note.allOf",
    ),
    "objects in an enum on Anthropic": (
        anthropic(
            strict=True,
            schema=closed(
                {"size": {"description": "The size.", "enum": [{"x": 1}, {"x": 2}]}}, required=["size"]
            ),
        ),
        "strict-enum-value",
        f"{AT}size.enum",
    ),
    "no type with strict": (
        chat(strict=True, schema=closed({"note": {"description": "Anything."}}, required=["note"])),
        "strict-without-type",
        "function.parameters.properties.note",
    ),
    "words beside a reference on OpenAI": (
        chat(
            strict=True,
            schema=closed(
                {"note": {"$ref": "#/$defs/N", "description": "The note."}},
                required=["note"],
                **{"$defs": {"N": field("A note.")}},
            ),
        ),
        "strict-beside-reference",
        "function.parameters.properties.note",
    ),
    "recursion on Anthropic": (
        anthropic(
            strict=True,
            schema=closed(
                {"root": {"$ref": "#/$defs/Node"}},
                required=["root"],
                **{
                    "$defs": {
                        "Node": closed(
                            {"children": field("Below it.", "array", items={"$ref": "#/$defs/Node"})},
                            required=["children"],
                        )
                    }
                },
            ),
        ),
        "strict-recursive",
        "input_schema.$defs.Node.properties.children.items.$ref",
    ),
    # Gemini
    "a closed object on Gemini": (
        gemini(schema={"additionalProperties": False}),
        "gemini-keyword",
        "parameters.additionalProperties",
    ),
    "const on Gemini": (
        gemini({"unit": {"type": "STRING", "const": "kg", "description": "The unit."}}),
        "gemini-const",
        "parameters.properties.unit.const",
    ),
    "two types on Gemini": (
        gemini({"note": {"type": ["STRING", "NULL"], "description": "A note."}}),
        "gemini-type-list",
        "parameters.properties.note.type",
    ),
    "an enum of numbers on Gemini": (
        gemini({"stars": {"type": "INTEGER", "enum": [1, 2, 3], "description": "Stars."}}),
        "gemini-enum-not-text",
        "parameters.properties.stars.enum",
    ),
    "empty text in an enum on Gemini": (
        gemini({"size": {"type": "STRING", "enum": ["", "S"], "description": "The size."}}),
        "gemini-enum-empty-text",
        "parameters.properties.size.enum",
    ),
    "a format that Gemini refuses": (
        gemini({"email": {"type": "STRING", "format": "email", "description": "The address."}}),
        "gemini-format",
        "parameters.properties.email.format",
    ),
    "parameters without fields on Gemini": (gemini({}), "gemini-no-parameters", "parameters"),
    "an object without fields on Gemini": (
        gemini({"filters": {"type": "OBJECT", "description": "Filters."}}),
        "gemini-object-without-fields",
        "parameters.properties.filters",
    ),
    "null as a choice on Gemini": (
        gemini({"note": {"anyOf": [{"type": "STRING"}, {"type": "NULL"}], "description": "A note."}}),
        "gemini-null-choice",
        "parameters.properties.note.anyOf[1]",
    ),
    "a misspelt keyword on Gemini": (
        gemini({"note": {"type": "STRING", "desc": "A note."}}),
        "keyword-misspelt",
        "parameters.properties.note.desc",
    ),
}


def _said(name: str, about: str, **fields: Any) -> dict[str, Any]:
    return anthropic(fields or None, name=name, about=about)


_REFUND = "Pay back the price of an order to the customer's card and return the number of the payment."

# title: (definitions, code, tool, where)
TOGETHER: dict[str, tuple[list[Any], str, str, str]] = {
    "the same name twice": ([anthropic(), anthropic()], "name-twice", "find_order", "name"),
    "one and many": (
        [anthropic(name="get_message"), anthropic(name="get_messages")],
        "names-alike",
        "get_messages",
        "name",
    ),
    "two spellings": (
        [anthropic(name="get_message"), anthropic(name="getMessage")],
        "names-alike",
        "getMessage",
        "name",
    ),
    "two verbs for one thing": (
        [anthropic(name="get_weather"), anthropic(name="fetch_weather")],
        "names-alike",
        "fetch_weather",
        "name",
    ),
    "two Spanish spellings": (
        [anthropic(name="buscar_pedido"), anthropic(name="buscar_pedidos")],
        "names-alike",
        "buscar_pedidos",
        "name",
    ),
    "two styles": (
        [_said("find_order", _REFUND), _said("cancelShipment", "Stops a parcel on its way.")],
        "names-of-two-styles",
        "cancelShipment",
        "name",
    ),
    "one task, two tools": (
        [_said("refund_order", _REFUND), _said("return_money", _REFUND.replace("Pay", "Gives"))],
        "tools-overlap",
        "return_money",
        "description",
    ),
    "alike, and neither says when not": (
        [
            _said("find_order", "Look up the status and the delivery date of one order by its number."),
            _said("list_orders", "Look up the status and the total of all orders of a customer."),
        ],
        "description-without-when-not",
        "list_orders",
        "description",
    ),
    "two forms": (
        [anthropic(name="find_order"), anthropic(name="cancel_order"), chat(name="refund_order")],
        "forms-mixed",
        "refund_order",
        "function.name",
    ),
    "twenty-one tools": (
        [chat(name=f"find_{letter}") for letter in "abcdefghijklmnopqrstu"],
        "tools-many",
        "(all tools)",
        "tools",
    ),
    "too many for OpenAI": (
        [responses(name=f"find_{chr(97 + n // 26)}{chr(97 + n % 26)}") for n in range(129)],
        "tools-over-the-limit",
        "(all tools)",
        "tools",
    ),
    "too many strict tools": (
        [
            anthropic(name=f"find_{letter}", strict=True, schema=closed({"note": TEXT}, required=["note"]))
            for letter in "abcdefghijklmnopqrstu"
        ],
        "strict-limit",
        "find_u",
        "strict",
    ),
    "too many optional fields": (
        [
            anthropic(
                name=f"find_{letter}",
                strict=True,
                schema=closed({f"note_{n}": TEXT for n in "abcdefghijklm"}),
            )
            for letter in "ab"
        ],
        "strict-limit",
        "find_b",
        "strict",
    ),
}
