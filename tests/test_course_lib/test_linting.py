"""lint(): every planted fault is found where it is, and good definitions are left in peace."""

from __future__ import annotations

import copy
import json
import random
import subprocess
import sys
from pathlib import Path
from typing import Any, Literal

import pytest
from lint_bad import ALONE, TOGETHER, anthropic, chat, closed, field, gemini
from lint_good import GOOD, SETS
from pydantic import BaseModel
from schema_providers import refusal

import course_lib
from course_lib import shop
from course_lib.linting import Finding, Findings, lint
from course_lib.messages import language, languages, set_language
from course_lib.tools import Tool, tool

ROOT = Path(course_lib.__file__).parent.parent
MOST_WARNINGS_ON_GOOD = 0


@pytest.fixture(params=languages())
def in_each_language(request):
    before = language()
    set_language(request.param)
    yield request.param
    set_language(before)


def codes(findings: Findings) -> list[str]:
    return [one.code for one in findings]


def places(findings: Findings, code: str) -> list[str]:
    return [one.where for one in findings if one.code == code]


# Planted faults -----------------------------------------------------------------------------------


@pytest.mark.parametrize("title", ALONE)
def test_a_planted_fault_is_found_at_its_place(title):
    definition, code, where = ALONE[title]
    assert (code, where) in [(one.code, one.where) for one in lint(definition)]


@pytest.mark.parametrize("title", ALONE)
def test_a_planted_fault_is_found_inside_a_set_too(title):
    definition, code, where = ALONE[title]
    other = anthropic(name="translate_text", about="Translate a text. Use it when the user asks for it.")
    assert code in codes(lint([other, definition]))


@pytest.mark.parametrize("title", TOGETHER)
def test_a_fault_of_a_set_is_reported_for_the_tool_that_has_it(title):
    definitions, code, name, where = TOGETHER[title]
    assert (code, name, where) in [(one.code, one.tool, one.where) for one in lint(definitions)]


def test_there_are_enough_planted_faults_and_one_for_every_rule():
    planted = {code for _, code, _ in ALONE.values()} | {code for _, code, _, _ in TOGETHER.values()}
    from course_lib.messages import texts

    rules = {key.split(".")[1] for key in texts("en") if key.startswith("lint.") and key.endswith(".why")}
    # Told by a Tool, by values that are no JSON, or by the library jsonschema: tested below.
    elsewhere = {"untyped-parameter", "variable-arguments", "dialect-refuses", "not-json", "endless"}
    elsewhere |= {
        "not-a-definition",
        "not-a-list",
        "a-function",
        "a-model",
        "no-schema-anywhere",
        "schema-invalid",
        "column",
    }
    assert rules - planted - elsewhere == set()
    assert len(ALONE) + len(TOGETHER) >= 60


@pytest.mark.parametrize("title", ALONE)
def test_planting_a_fault_adds_little_else(title):
    # What a reviewer would also say of the same place is fine; a shower of findings is not.
    definition, code, _ = ALONE[title]
    assert len([one for one in lint(definition) if one.code != code and one.severity != "hint"]) <= 1


# Good definitions ---------------------------------------------------------------------------------


@pytest.mark.parametrize("definition", [*GOOD, *SETS], ids=lambda one: str(one)[:60])
def test_a_good_definition_has_no_error(definition):
    assert lint(definition).errors == []


def test_good_definitions_have_next_to_no_warnings():
    found = [str(one) for definition in [*GOOD, *SETS] for one in lint(definition).warnings]
    assert len(GOOD) >= 30
    assert len(found) <= MOST_WARNINGS_ON_GOOD, found


def test_good_definitions_have_few_hints():
    hints = sum(len(lint(definition).hints) for definition in GOOD)
    assert hints <= len(GOOD) / 5


def test_the_tools_of_the_shop_are_fit_to_be_used():
    names = (
        "calculate calculate_shipping calculate_vat check_inventory create_ticket find_order get_messages "
    )
    names += "get_weather list_orders refund_order search_help"
    found = lint([tool(getattr(shop, name)) for name in names.split()])
    assert (found.errors, found.warnings) == ([], [])


# The providers ------------------------------------------------------------------------------------


def provider_of(definition: dict[str, Any]) -> str:
    if definition.get("type") == "function":
        return "openai" if "function" in definition else "openai_responses"
    return "anthropic" if "input_schema" in definition else "gemini"


@pytest.mark.parametrize("definition", [one for one in GOOD if "name" in one or "function" in one])
def test_what_is_called_good_is_accepted_by_its_provider(definition):
    assert refusal(provider_of(definition), definition) is None


def test_what_a_provider_refuses_is_an_error():
    """Random damage to good definitions: whenever the practice model refuses one, the linter has said so."""
    chance = random.Random(7)
    refused = 0
    for _ in range(400):
        definition = copy.deepcopy(chance.choice([one for one in GOOD if "functionDeclarations" not in one]))
        provider = provider_of(definition)
        damage(definition, chance)
        if _beyond_us(definition) or not refusal(provider, definition):
            continue
        refused += 1
        assert lint(definition).errors, definition
    assert refused > 50


VALUES = [
    None,
    True,
    0,
    1.5,
    "",
    "a",
    "string",
    "STRING",
    [],
    ["a"],
    [1],
    {},
    {"type": "string"},
    ["string", "null"],
]
KEYWORDS = (
    "type properties required items enum description anyOf default format minimum maxLength strict const"
).split()


def damage(definition: dict[str, Any], chance: random.Random) -> None:
    """Take a key away, put one in, or change a value, somewhere."""

    def inside(value: Any) -> list[Any]:
        held = value.values() if isinstance(value, dict) else value if isinstance(value, list) else []
        return [*([value] if held else []), *(one for inner in held for one in inside(inner))]

    place = chance.choice(inside(definition))
    value = copy.deepcopy(chance.choice(VALUES))
    if isinstance(place, list):
        place[chance.randrange(len(place))] = value
    elif chance.random() < 0.4:
        del place[chance.choice(list(place))]
    else:
        place[chance.choice([*KEYWORDS, *place])] = value


def _beyond_us(definition: dict[str, Any]) -> bool:
    """Without a schema it may be Gemini's, who takes it; what is in cache_control is no matter of tools."""
    schemas = ("input_schema", "parameters", "parameters_json_schema", "function")
    return not any(key in definition for key in schemas) or "cache_control" in definition


def test_a_definition_without_a_schema_may_be_one_of_geminis():
    alone = {"name": "turn_off_lights", "description": "Turn off all lights. Use it when the user leaves."}
    found = lint(alone)
    assert ("no-schema-anywhere", "hint") in [(one.code, one.severity) for one in found]
    among = lint([GOOD[0], alone])
    assert places(among, "schema-missing") == ["input_schema"]


def test_optional_fields_may_stay_optional_on_anthropic_but_not_on_openai():
    schema = closed({"city": field("The city."), "unit": field("C or F.")}, required=["city"])
    assert not lint(anthropic(strict=True, schema=schema)).errors
    found = lint(chat(strict=True, schema=schema))
    assert [(one.code, one.where) for one in found.errors] == [
        ("strict-not-required", "function.parameters.required")
    ]


def test_every_open_object_of_a_strict_definition_is_reported_with_its_path():
    who = {"type": "object", "properties": {"nif": {"type": "string"}}, "required": ["nif"]}
    pay = {"name": "pay", "strict": True, "input_schema": {"type": "object", "properties": {"who": who}}}
    pay["input_schema"]["required"] = ["who"]
    assert places(lint(pay), "strict-open-object") == ["input_schema", "input_schema.properties.who"]


def test_a_field_name_that_is_refused_is_reported_with_the_pattern():
    year = lint(anthropic({"año": field("The year, such as 2026.", "integer")})).errors
    assert [one.where for one in year] == ["input_schema.properties.año"]
    assert "^[a-zA-Z0-9_.-]{1,64}$" in year[0].why
    # Any letter is fine in a description and in a value.
    assert not lint(anthropic({"color": field("El año.", enum=["añil", "rojo"])})).errors


def test_the_limits_of_a_request_are_counted_over_all_strict_tools():
    def make(n: int) -> Tool:
        def find(a: str, x: int = 0, y: int = 0) -> str:
            """Find."""
            return a

        return Tool(find, name=f"tool_{n}", strict=True)

    tools = [make(n) for n in range(21)]
    for offered in (tools, [one.to_anthropic() for one in tools]):
        limits = [one for one in lint(offered) if one.code == "strict-limit"]
        whys = " ".join(one.why for one in limits)
        assert "21 strict tools (limit 20)" in whys and "42 optional parameters (limit 24)" in whys
        assert [one.tool for one in limits] == ["tool_12", "tool_20"]


def test_nullable_parameters_count_as_unions():
    def make(n: int) -> Tool:
        def find(a: int | None, b: str | None) -> str:
            """Find."""
            return ""

        return Tool(find, name=f"filter_{n}", strict=True)

    found = [
        one.why for one in lint([make(n).to_anthropic() for n in range(9)]) if one.code == "strict-limit"
    ]
    assert len(found) == 1 and "18 union parameters (limit 16)" in found[0]


def test_the_forms_give_the_same_findings_at_their_own_places():
    note = {"note": {"type": "string"}}
    assert places(lint(anthropic(note)), "field-without-description") == ["input_schema.properties.note"]
    assert places(lint(chat(note)), "field-without-description") == ["function.parameters.properties.note"]
    assert places(lint(gemini(note)), "field-without-description") == ["parameters.properties.note"]


def test_declarations_of_gemini_and_requests_are_taken_apart():
    bare = gemini({"note": {"type": "STRING"}})
    for given in (
        {"function_declarations": [bare]},
        {"functionDeclarations": [bare]},
        {"tools": [{"functionDeclarations": [bare]}], "contents": []},
        [{"function_declarations": [bare]}],
    ):
        found = [(one.tool, one.where) for one in lint(given)]
        assert found == [("find_order", "parameters.properties.note")]


def test_tools_that_the_provider_runs_are_left_alone():
    given = [
        {"type": "web_search_20260318", "name": "web_search"},
        {"type": "code_interpreter", "container": {"type": "auto"}},
        {"google_search": {}},
        {"codeExecution": {}},
        {"type": "custom", "name": "write_code", "format": {"type": "text"}},
    ]
    assert lint(given) == []


# A tool among others ------------------------------------------------------------------------------


def test_one_tool_among_others_gets_only_its_own_findings():
    one, other = anthropic(name="get_messages"), {**anthropic(name="get_message"), "description": ""}
    for all_tools in (
        [one, other],
        [other],
        [other, copy.deepcopy(one)],
        {"tools": [one, other]},
        iter([other]),
    ):
        found = lint(one, all_tools=all_tools)
        assert [(each.code, each.tool) for each in found] == [("names-alike", "get_messages")]


def test_a_tool_is_not_its_own_double_in_another_form():
    @tool
    def find_order(number: str) -> str:
        """Find an order. Use it when the user gives its number. Returns its status.

        Args:
            number: Such as ORD-1042.
        """

    assert lint(find_order, all_tools=[find_order.to_anthropic()]) == []
    assert codes(lint(anthropic(), all_tools=[anthropic(about="Something else")])) == ["name-twice"]


# Python -------------------------------------------------------------------------------------------


def test_what_only_the_function_can_tell():
    @tool
    def add_up(values: list[float], scale=1, *more: float, **options: str) -> float:
        """Add numbers up. Use it when the user asks for a total. Returns the sum.

        Args:
            values: The numbers.
            scale: What to multiply the sum by.
        """

    found = lint(add_up)
    assert places(found, "untyped-parameter") == ["parameters.properties.scale"]
    assert [one.why.split("'")[1] for one in found if one.code == "variable-arguments"] == [
        "*more",
        "**options",
    ]


def test_a_dictionary_with_any_keys_is_reported_with_the_formats_that_refuse_it():
    @tool
    def sum_prices(prices: dict[str, int]) -> int:
        """Total of a price list in euros. Use it when the user asks for it. Returns the total.

        Args:
            prices: Prices in euros by product name.
        """

    (found,) = lint(sum_prices)
    assert (found.code, found.severity) == ("dialect-refuses", "warning")
    assert found.where == "parameters.properties.prices"
    assert "'prices'" in found.why and "Gemini" in found.why and "OpenAI strict" in found.why


def test_what_only_a_strict_mode_refuses_is_a_hint_for_a_tool_that_is_not_strict():
    @tool
    def keep_note(note: Any, boxes: list[dict[str, int]]) -> str:
        """Keep a note. Use it when the user asks for it. Returns its number.

        Args:
            note: Whatever it is.
            boxes: Prices in euros by product name, one box each.
        """

    found = {one.where: one.severity for one in lint(keep_note) if one.code == "dialect-refuses"}
    assert found == {"parameters.properties.note": "hint", "parameters.properties.boxes.items": "warning"}


def test_a_model_class_gets_the_way_to_a_definition():
    class Basket(BaseModel):
        product: str

    (found,) = lint(Basket)
    assert found.code == "a-model" and "tool(Basket)" in found.fix and "model_json_schema" in found.fix


@pytest.mark.parametrize(
    "choices", [[{"enum": ["a", "b"]}], [{"type": "string", "enum": ["a"]}, {"enum": ["b"]}]]
)
def test_values_named_in_a_choice_are_enough(choices):
    status = {"anyOf": [*choices, {"type": "null"}], "description": "The status of the order"}
    definition = anthropic(schema={"properties": {"status": status}, "required": []})
    assert "maybe-a-closed-set" not in [one.code for one in lint(definition)]


@pytest.mark.parametrize("bare", [{"name": "now"}, {"name": "now", "description": "Tell the time."}])
@pytest.mark.parametrize("around", [list, lambda tools: {"tools": tools}])
def test_a_bare_definition_beside_chat_definitions_belongs_into_a_function(bare, around):
    chat = {"type": "function", "function": {"name": "find_bun", "parameters": {"type": "object"}}}
    codes = [one.code for one in lint(around([chat, bare])) if one.tool == "now"]
    assert {"type-function-missing", "belongs-inside-function"} <= set(codes)


def test_literals_dates_and_unions_of_python_are_read_as_what_they_are():
    @tool
    def list_orders(status: Literal["open", "closed"] | None = None, since: str | None = None) -> list:
        """List orders. Use it when the user asks for them. Returns number and status of each.

        Args:
            status: Only these.
            since: Only since this day.
        """

    assert [(one.code, one.where) for one in lint(list_orders)] == [
        ("date-without-format", "parameters.properties.since")
    ]


def test_the_objects_of_the_sdks_are_read():
    import anthropic as sdk
    import openai
    from google.genai import types
    from pydantic import BaseModel

    @sdk.beta_tool
    def find_order(number: str) -> str:
        """Find an order. Use it when the user gives its number. Returns its status.

        Args:
            number: Such as ORD-1042.
        """
        return number

    class FindOrder(BaseModel):
        """Find an order. Use it when the user gives its number. Returns its status."""

        number: str

    declaration = types.FunctionDeclaration(**gemini({"note": {"type": "STRING"}}))
    assert lint(find_order) == []
    assert places(lint(openai.pydantic_function_tool(FindOrder)), "field-without-description") == [
        "function.parameters.properties.number"
    ]
    for given in (declaration, types.Tool(function_declarations=[declaration])):
        assert places(lint(given), "field-without-description") == ["parameters.properties.note"]


# Judgement: what is not to be complained of -------------------------------------------------------


@pytest.mark.parametrize(
    "said",
    [
        "A colour, e.g. 'red' or 'blue'.",
        "A colour such as red, green or blue.",
        "Words like 'cheap', 'fast' or similar.",
        "Must be a valid e-mail address or phone number.",
        "Can be empty or null.",
        "The address (street, city and postcode).",
        "One of the user's own folders.",
        "YYYY-MM-DD or DD/MM/YYYY.",
        "Speed in km/h.",
        "A city and/or a country.",
        "Por ejemplo, rojo, verde o azul.",
        "Rojo, verde, azul, etc.",
        "A URL like https://example.com/a/b/c.",
        "One of red, green, blue, or any other colour.",
        "The name or the id.",
        "Input: the name or the id of the user.",
        "Use 'now' or a date to say when.",
        "Must be short, clear and polite.",
        "At 10: noon, at 12: lunch, such as in the menu.",
        "El comando (ej: 'ls -la', 'docker ps').",
        "Comma-separated, example: 'one, two', 'three'.",
    ],
)
def test_open_lists_are_not_taken_for_closed_ones(said):
    assert codes(lint(anthropic({"wish": field(said)}))) == []


@pytest.mark.parametrize(
    "said, enum",
    [
        ("One of OPEN, CLOSED or In-Progress.", ["OPEN", "CLOSED", "In-Progress"]),
        ("Dificultad: 'fácil', 'media' o 'difícil'.", ["fácil", "media", "difícil"]),
        ("Must be low | Medium | HIGH", ["low", "Medium", "HIGH"]),
    ],
)
def test_a_closed_set_is_offered_as_an_enum_in_its_own_spelling(said, enum):
    (found,) = lint(anthropic({"wish": field(said)}))
    assert found.code == "closed-set-as-text"
    assert json.dumps(enum, ensure_ascii=False) in found.fix


@pytest.mark.parametrize(
    "name, said",
    [
        ("since", "YYYY-MM-DD"),
        ("date", "ISO 8601"),
        ("fecha", "AAAA-MM-DD"),
        ("date", "In words, such as 'next Friday'."),
        ("timezone", "IANA name such as Europe/Madrid."),
        ("date_format", "How to write dates, strftime such as %Y."),
        ("start", "Where the route begins."),
        ("to", "The addresses."),
        ("update", "What to change."),
        ("response_time", "How fast the answer should be, such as 'at once'."),
        ("starts_at", "HH:MM"),
    ],
)
def test_dates_with_a_format_and_words_that_are_no_dates_are_fine(name, said):
    assert codes(lint(anthropic({name: field(said)}))) == []


@pytest.mark.parametrize(
    "name, said",
    [
        ("amount_cents", "How much."),
        ("price", "In euros."),
        ("precio", "En euros."),
        ("budget", "At most this, in $."),
        ("distance_km", "How far."),
        ("temperature", "Degrees Celsius."),
        ("quantity", "How many pieces."),
        ("tax_rate", "As a fraction."),
        ("order_number", "Four digits."),
        ("cost_weight", "How much the cost counts, between 0 and 1."),
        ("amount", "Grams of flour."),
        ("temperature", "C or F, as the user likes."),
        ("phone_count", "How many telephones."),
    ],
)
def test_numbers_with_a_unit_are_fine(name, said):
    assert codes(lint(anthropic({name: field(said, "number")}))) == []


@pytest.mark.parametrize(
    "name, said",
    [
        ("price_max", "The highest price in the list."),
        ("amount", "The amount."),
        ("total_cost", "The cost of all items."),
        ("temperature", "How warm it should be in the room."),
        ("distance", "The user's distance."),
    ],
)
def test_words_that_only_look_like_units_are_none(name, said):
    assert codes(lint(anthropic({name: field(said, "number")}))) in (
        ["amount-without-unit"],
        ["measure-without-unit"],
    )


def test_a_currency_beside_an_amount_is_its_unit():
    fields = {"price": field("How much.", "number"), "currency": field("ISO 4217, such as EUR.")}
    assert codes(lint(anthropic(fields))) == []


@pytest.mark.parametrize(
    "about",
    [
        "Gets the weather of a city now. Call this whenever somebody wants to know if it rains.",
        "Weather of a city. Only needed after the user has named a place. You receive degrees and wind.",
        "Answers questions about the weather of a city, with degrees and wind as the result.",
        "Obtiene el tiempo de una ciudad. Empléala siempre que pregunten por la lluvia. Da la temperatura.",
        "Informa del tiempo en una ciudad; sirve para saber si hace falta paraguas. Incluye el viento.",
        "Consulta el tiempo actual de una ciudad cuando el cliente quiera salir.",
        "Get the weather of a city. Mandatory before planning a trip.",
    ],
)
def test_when_and_what_comes_back_can_be_said_in_many_ways(about):
    assert codes(lint(anthropic(name="get_weather", about=about))) == []


@pytest.mark.parametrize(
    "name",
    ["lookup_stock_ticker", "getMessages", "github_create_issue", "buscar_pedidos", "celsius_to_kelvin"],
)
def test_names_of_a_verb_and_an_object_are_fine(name):
    assert codes(lint(anthropic(name=name))) == []


@pytest.mark.parametrize(
    "about",
    ["获取城市的天气信息", "Captura uma imagem da tela atual.", "Tổng hợp các hóa đơn trong ngày hôm nay."],
)
def test_nothing_is_said_of_phrases_in_languages_that_are_not_known(about):
    assert codes(lint(anthropic(name="get_weather", about=about))) == []


def test_a_verb_that_the_linter_does_not_know_is_learnt_from_the_description():
    about = "Upsells an order. Use it when the customer wants more. Returns the offers."
    assert codes(lint(anthropic(name="upsell_order", about=about))) == []


def test_the_tag_of_a_union_has_one_value_only():
    choice = {"type": "object", "properties": {"kind": {"enum": ["a"], "type": "string"}}}
    assert codes(lint(anthropic({"it": {"description": "Either way.", "anyOf": [choice, choice]}}))) == []


def test_a_choice_may_require_what_stands_around_it():
    fields = {"a": field("One."), "b": field("Two.")}
    inner = {"type": "object", "description": "One of them.", "properties": fields}
    inner["anyOf"] = [{"required": ["a"]}, {"required": ["b"]}]
    assert codes(lint(anthropic({"it": inner}))) == []


def test_parameters_named_like_keywords_are_parameters():
    fields = {
        name: field("Some text.") for name in ("type", "items", "properties", "required", "types", "desc")
    }
    assert codes(lint(anthropic(fields))) == []


# What cannot be read ------------------------------------------------------------------------------


class Hostile(dict):
    def items(self):
        raise RuntimeError("no")

    def __eq__(self, other):
        raise RuntimeError("no")

    __hash__ = None


def endless() -> dict[str, Any]:
    definition: dict[str, Any] = {"name": "find_order"}
    definition["input_schema"] = {"type": "object", "properties": {"a": definition}}
    return definition


def deep() -> dict[str, Any]:
    schema: dict[str, Any] = {}
    for _ in range(3000):
        schema = {"type": "object", "properties": {"a": schema}}
    return {"name": "find_order", "input_schema": schema}


class Model:
    def model_dump(self, **options):
        raise RuntimeError("no")


@pytest.mark.parametrize(
    "given, code",
    [
        (None, "not-a-definition"),
        ("text", "not-a-definition"),
        (3.5, "not-a-definition"),
        (b"{}", "not-a-definition"),
        (object(), "not-a-definition"),
        (Model(), "not-a-definition"),
        ([None], "not-a-definition"),
        ([[1]], "not-a-definition"),
        ({"tools": None}, "not-a-list"),
        ({"tools": ["find_order"]}, "not-a-definition"),
        ({"function_declarations": {}}, "not-a-list"),
        (lambda: None, "a-function"),
        ("".join, "a-function"),
        (Finding, "not-a-definition"),
        (endless(), "endless"),
        (deep(), "endless"),
        ({1: 2}, "not-json"),
        ({"name": "find_order", "input_schema": {"type": "object", "required": {"a"}}}, "not-json"),
        ({"name": "find_order", "input_schema": Finding}, "not-json"),
        ({"name": "find_order", "input_schema": {"minimum": float("nan")}}, "not-json"),
        (Hostile(name="find_order"), "not-json"),
        ({}, "name-missing"),
        ({"function": None}, "schema-not-an-object"),
        ({"type": "function", "function": []}, "schema-not-an-object"),
    ],
    ids=lambda one: one if isinstance(one, str) else type(one).__name__,
)
def test_what_is_no_definition_gets_a_finding_and_no_trace(given, code, in_each_language):
    found = lint(given)
    assert code in codes(found)
    assert repr(found) and found._repr_html_()
    assert codes(lint(GOOD[0], all_tools=[given])) is not None


def test_nothing_at_all_has_nothing_to_repair():
    assert lint([]) == [] and lint({"tools": []}) == [] and lint({}.values()) == []
    assert repr(lint([])) == "Nothing to mend was found."


def test_a_definition_is_never_changed():
    for definition, _, _ in ALONE.values():
        before = copy.deepcopy(definition)
        lint(definition)
        assert definition == before


def test_it_works_without_the_library_jsonschema(monkeypatch):
    bad = anthropic({"note": {"type": "string", "description": "A note.", "dependentRequired": 3}})
    assert codes(lint(bad)) == ["schema-invalid"]
    monkeypatch.setitem(sys.modules, "jsonschema", None)
    assert codes(lint(bad)) == []


def test_it_needs_no_sdk_and_not_the_practice_model():
    code = "import sys, course_lib; course_lib.lint({'name': 'find_order'}); print(*sys.modules)"
    done = subprocess.run(
        [sys.executable, "-c", code], cwd=ROOT, capture_output=True, encoding="utf-8", check=True
    )
    assert not {"anthropic", "openai", "google.genai", "practice_model.server"} & set(done.stdout.split())


# How it is shown ----------------------------------------------------------------------------------


def test_every_finding_says_why_and_what_to_write_in_every_language(in_each_language):
    for definition, _, _ in ALONE.values():
        for one in lint(definition):
            assert one.why and one.fix and "{" + "name}" not in one.why
    for definitions, *_ in TOGETHER.values():
        assert all(one.why and one.fix for one in lint(definitions))


def test_findings_are_a_list_that_can_be_asked_for_one_severity():
    found = lint(
        {**anthropic(), "input_schema": {"type": "object", "properties": {"a": {}}, "required": None}}
    )
    assert isinstance(found, list)
    assert codes(found.errors) == ["required-not-a-list"]
    assert codes(found.warnings) == ["field-without-description", "type-missing"] or codes(
        found.warnings
    ) == [
        "type-missing",
        "field-without-description",
    ]
    assert [one.severity for one in found] == sorted(one.severity for one in found)


def test_as_text_it_is_a_table_by_tool():
    second = anthropic(name="tool_2", about="Sends a parcel. Use it when the user pays. Returns its number.")
    text = repr(lint([anthropic({"note": {"type": "string"}}), second]))
    lines = text.split("\n")
    assert lines[0] == "2 warnings"
    assert lines[2] == "find_order"
    assert lines[3].split() == ["warning", "input_schema.properties.note", "[field-without-description]"]
    assert all(len(line) <= 110 for line in lines)


def test_as_html_it_is_a_table_that_holds_nothing_of_the_definitions_own_markup():
    found = lint(anthropic({"<b>x</b>": {"type": "<script>alert(1)</script>"}}, name="<i>tool</i>"))
    html = found._repr_html_()
    assert "<table" in html and "<script>" not in html and "<b>" not in html and "<i>" not in html
    for style in ("color:inherit", "background:transparent"):
        assert style in html  # light and dark themes keep their own colours


def test_long_and_strange_texts_are_cut_and_shown():
    found = lint(anthropic({"a" * 5000: {"type": "x" * 5000}, "\ud800\x1b[31m": {}}, name="n" * 100_000))
    assert max(len(one.why) for one in found) < 1200
    assert "\x1b" not in repr(found) and "\x1b" not in found._repr_html_()
    json.dumps([one.__dict__ for one in found])


@pytest.mark.parametrize(
    ("text", "expected"), [("Weather", "has 1 word:"), ("Weather forecast", "has 2 words:")]
)
def test_one_word_is_counted_as_one(text, expected):
    definition = {"name": "get_x", "description": text, "input_schema": {"type": "object", "properties": {}}}
    (found,) = [one for one in lint(definition) if one.code == "description-short"]
    assert expected in found.why
