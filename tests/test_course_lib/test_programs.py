"""Whole programs of the kinds that learners bring along, as they stand in a cell, in English and Spanish.

(A Colab cell with secrets has a file of its own: test_colab_program.)
"""

from __future__ import annotations

import asyncio

import pytest
from program_runs import practice_mode, run

from course_lib import Tool, ToolArgumentError


@pytest.fixture(autouse=True)
def practice(monkeypatch):
    with practice_mode(monkeypatch):
        yield


# Tools: names, schemas, both ways to run ------------------------------------------------------------

TOOLS = '''
import asyncio
from course_lib import Tool, ToolSchemaError, tool

@tool
def split_bill(total: float, people: int = 2) -> float:
    """Split the bill of a table."""
    return round(total / people, 2)

assert split_bill.name == "split_bill"
assert "Split the bill" in split_bill.description

@tool(name="find_table", description="Find a free table for a number of guests.")
def search(guests: int, terrace: bool | None = None) -> dict:
    """How it is done is no business of the model's."""
    return {"table": 7, "seats": guests}

@tool
async def kitchen_is_open(day: str) -> dict:
    """Say whether the kitchen is open."""
    await asyncio.sleep(0)
    return {"day": day, "open": True}

@tool
def rate(stars: list[float], weight: int | float, note: int | str, *more, **rest):
    """Rate an evening."""

@tool
def untyped(dish, count): ...

class Oven: ...

try:
    @tool
    def heat(oven: Oven): ...
except ToolSchemaError as error:
    print("REFUSED", error)

halve = Tool(lambda n: n / 2, name="halve")
'''


def test_tools_have_names_schemas_and_two_ways_to_run():
    names, printed = run(TOOLS)
    split, find, kitchen = names["split_bill"], names["search"], names["kitchen_is_open"]
    assert split.parameters["required"] == ["total"]
    assert (find.name, find.description) == ("find_table", "Find a free table for a number of guests.")
    assert split.execute(total=90) == 45.0 == asyncio.run(split.execute_async(total=90))
    answer = {"day": "Monday", "open": True}
    assert kitchen.execute(day="Monday") == answer == asyncio.run(kitchen.execute_async(day="Monday"))
    assert "REFUSED heat cannot be a tool" in printed and "'oven'" in printed
    assert names["halve"].name == "halve"


def test_tools_are_written_for_each_provider():
    names, _ = run(TOOLS)
    gemini = names["rate"].to_gemini_declaration()["parameters"]
    assert gemini["properties"] == {
        "stars": {"type": "ARRAY", "items": {"type": "NUMBER"}},
        "weight": {"type": "NUMBER"},
        "note": {"anyOf": [{"type": "INTEGER"}, {"type": "STRING"}]},
    }
    guests = names["search"]
    assert guests.to_gemini_declaration()["parameters"]["properties"]["terrace"] == {
        "type": "BOOLEAN",
        "nullable": True,
    }
    assert guests.to_openai_parameters()["properties"]["terrace"] == {
        "anyOf": [{"type": "boolean"}, {"type": "null"}]
    }
    texts = names["untyped"].to_gemini_declaration()["parameters"]["properties"]
    assert texts == {"dish": {"type": "STRING"}, "count": {"type": "STRING"}}


# An agent, a runner and a session -------------------------------------------------------------------

BIKES = '''
from course_lib import Agent, Runner, SessionStore, tool

@tool
def price_rental(days: int, bike: str) -> dict:
    """Work out what it costs to rent a bike, from the days and the kind of bike."""
    rate = 12.40 if bike.lower() == "electric" else 7.00
    return {"bike": bike, "price_eur": round(days * rate, 2)}

@tool
def count_bikes(station: str) -> dict:
    """Count the bikes that stand at a station, by the station's code."""
    return {"station": station, "bikes": 14}

desk = Agent(
    name="BikeDesk",
    instructions="Help people to rent a bike.",
    tools=[price_rental, count_bikes],
    model=MODEL,
)
store = SessionStore()
runner = Runner(starting_agent=desk, session_store=store)
response = runner.run(
    session_id="visitor-7",
    user_message="How many bikes are at station EST-12, and what does it cost to rent an electric bike "
    "for 3 days?",
)
print(response.content)
print(response.tool_calls_executed)
'''

BICICLETAS = '''
from course_lib import Agent, Runner, SessionStore, tool

@tool
def calcular_alquiler(dias: int, tipo: str) -> dict:
    """Calcula cuánto cuesta alquilar una bicicleta según los días y el tipo."""
    return {"tipo": tipo, "precio_eur": round(dias * (12.4 if tipo == "eléctrica" else 7), 2)}

@tool
def contar_bicicletas(estacion: str) -> dict:
    """Cuenta las bicicletas que hay en una estación, por el código de la estación."""
    return {"estacion": estacion, "bicicletas": 14}

mostrador = Agent("Mostrador", "Ayuda a alquilar bicicletas.", [calcular_alquiler, contar_bicicletas], MODEL)
store = SessionStore()
response = Runner(mostrador, store).run(
    "visitor-7",
    "¿Cuántas bicicletas hay en la estación EST-12 y cuánto cuesta alquilar una bicicleta eléctrica 3 días?",
)
print(response.content)
print(response.tool_calls_executed)
'''

ON_EACH_FAMILY = pytest.mark.parametrize(
    "model", ["gemini-2.5-flash", "claude-haiku-4-5", "gpt-5-mini", "openai-responses:gpt-5-mini"]
)


@ON_EACH_FAMILY
@pytest.mark.parametrize("program", [BIKES, BICICLETAS], ids=["english", "spanish"])
def test_an_agent_answers_from_two_tools(program, model):
    names, printed = run(program, MODEL=model)
    response = names["response"]
    assert "14" in response.content and "37.2" in response.content.replace(",", ".")
    count, price = response.tool_calls_executed
    assert list(count.arguments.values()) == ["EST-12"]
    assert sorted(map(str, price.arguments.values())) in (["3", "electric"], ["3", "eléctrica"])
    assert not count.is_error and not price.is_error
    assert response.content in printed and "37.2" in printed.splitlines()[-1]
    assert [turn["role"] for turn in names["store"].get("visitor-7")] == [
        "user",
        "assistant",
        "tool",
        "assistant",
    ]


MEMBERS = """
from course_lib import Agent, Runner, tool

@tool(description=DESCRIPTION)
def read_bookings(member: str) -> list:
    raise ConnectionError("the database did not answer in time")

response = Runner(Agent("club", "Help the members.", [read_bookings], MODEL)).run("s", QUESTION)
"""


@ON_EACH_FAMILY
@pytest.mark.parametrize(
    ("description", "question", "says"),
    [
        (
            "Read the bookings of a member from the database, by the member's number.",
            "Which bookings has member 8812?",
            "could not",
        ),
        (
            "Lee en la base de datos las reservas de un socio, por su número.",
            "¿Qué reservas tiene el socio 8812?",
            "No pude",
        ),
    ],
    ids=["english", "spanish"],
)
def test_a_tool_that_fails_is_explained_to_the_user(model, description, question, says):
    names, _ = run(MEMBERS, MODEL=model, DESCRIPTION=description, QUESTION=question)
    response = names["response"]
    (call,) = response.tool_calls_executed
    assert call.is_error and list(call.arguments.values()) == ["8812"]
    (result,) = response.messages[2]["results"]
    assert result["is_error"] and "the database did not answer in time" in result["content"]
    assert says in response.content and "the database did not answer in time" in response.content
    assert response.stop_reason == "end"


# LangChain ------------------------------------------------------------------------------------------

LANGCHAIN = '''
from langchain.tools import tool
from langchain_core.messages import HumanMessage, ToolMessage
from langchain_openai import ChatOpenAI

@tool
def tide_table(port: str) -> str:
    """TIDE"""
    return f"High tide in {port} at 06:40."

@tool
def reckon(expression: str) -> str:
    """RECKON"""
    left, _, right = expression.partition("*")
    return str(int(left) * int(right))

@tool
def search_news(query: str) -> str:
    """SEARCH"""
    return f"One article on {query}."

model = ChatOpenAI(model="gpt-5-mini")
by_name = {one.name: one for one in (tide_table, reckon, search_news)}
knowing = model.bind_tools(list(by_name.values()))

def talk(question):
    messages = [HumanMessage(question)]
    asked = knowing.invoke(messages)
    messages.append(asked)
    for call in asked.tool_calls:
        print("CALL", call["name"], call["args"], call["type"])
        messages.append(by_name[call["name"]].invoke(call))
    print("SAID", knowing.invoke(messages).content)
    return messages
'''
ENGLISH = {
    "TIDE": "Get today's tide times of a port.",
    "RECKON": "Work out a simple sum such as '12 * 3'.",
    "SEARCH": "Search the web for news about a subject.",
}
SPANISH = {
    "TIDE": "Obtiene las mareas de hoy en un puerto.",
    "RECKON": "Calcula una operación sencilla como '12 * 3'.",
    "SEARCH": "Busca en la web noticias sobre un tema.",
}


def in_words(program: str, words: dict[str, str]) -> str:
    for placeholder, text in words.items():
        program = program.replace(f'"""{placeholder}"""', f'"""{text}"""')
    return program


@pytest.mark.parametrize(
    ("words", "tide", "sum_", "both", "search"),
    [
        (
            ENGLISH,
            "When is high tide in Vigo?",
            "What is 217 times 38?",
            "When is high tide in Vigo, and what is 217 * 38?",
            "Search the web for news about lighthouses",
        ),
        (
            SPANISH,
            "¿Qué mareas hay hoy en Vigo?",
            "¿Cuánto es 217 multiplicado por 38?",
            "¿Qué mareas hay hoy en Vigo, y cuánto es 217 * 38?",
            "Busca en la web noticias sobre faros",
        ),
    ],
    ids=["english", "spanish"],
)
def test_langchain_binds_tools_and_hands_whole_calls_to_them(words, tide, sum_, both, search, capsys):
    names, _ = run(in_words(LANGCHAIN, words))
    talk = names["talk"]
    port, reckoning = "CALL tide_table {'port': 'Vigo'} tool_call", "CALL reckon {'expression': '217 * 38'}"

    messages = talk(tide)
    assert [type(one).__name__ for one in messages] == ["HumanMessage", "AIMessage", "ToolMessage"]
    assert messages[2].tool_call_id == messages[1].tool_calls[0]["id"]
    assert messages[1].content == ""
    printed = capsys.readouterr().out
    assert port in printed and "06:40" in printed.partition("SAID")[2]

    talk(sum_)
    printed = capsys.readouterr().out
    assert reckoning in printed and "8246" in printed.partition("SAID")[2]

    talk(both)
    printed = capsys.readouterr().out
    assert printed.index(port) < printed.index(reckoning)
    assert "06:40" in printed.partition("SAID")[2] and "8246" in printed.partition("SAID")[2]

    talk(search)
    assert "CALL search_news" in capsys.readouterr().out
    assert not names["model"].invoke(tide).tool_calls  # what it was bound from knows of no tool


# The loop by hand, with Chat Completions ------------------------------------------------------------

CHAT = """
import json
from openai import OpenAI

client = OpenAI()
tools = [{
    "type": "function",
    "function": {
        "name": NAME,
        "description": DESCRIPTION,
        "parameters": {
            "type": "object",
            "properties": {"city": {"type": "string", "description": CITY}},
            "required": ["city"],
        },
    },
}]
impls = {NAME: lambda args: {"city": args["city"], "aqi": 42, "level": "good"}}

def answer(text):
    messages = [{"role": "user", "content": text}]
    reply = client.chat.completions.create(model="gpt-5-mini", messages=messages, tools=tools)
    calls = reply.choices[0].message.tool_calls
    if not calls:
        return reply.choices[0].message.content
    messages.append(reply.choices[0].message)
    for call in calls:
        args = json.loads(call.function.arguments)
        print("CALL", call.function.name, args)
        result = json.dumps(impls[call.function.name](args))
        messages.append({"role": "tool", "tool_call_id": call.id, "content": result})
    # Without the tools: this time the model can only answer.
    reply = client.chat.completions.create(model="gpt-5-mini", messages=messages)
    return reply.choices[0].message.content
"""


@pytest.mark.parametrize(
    ("words", "question", "city", "hello"),
    [
        (
            {
                "NAME": "get_air_quality",
                "DESCRIPTION": "Get the air quality of a city. Use it when the user asks about clean air.",
                "CITY": "The name of the city, such as 'Santa Cruz'",
            },
            "How is the air quality in San Sebastián?",
            "San Sebastián",
            "Hello, how are you?",
        ),
        (
            {
                "NAME": "consultar_aire",
                "DESCRIPTION": "Consulta la calidad del aire de una ciudad. Úsala si preguntan por el aire.",
                "CITY": "El nombre de la ciudad, p. ej. 'Santa Cruz'",
            },
            "¿Cuál es la calidad del aire en San Sebastián?",
            "San Sebastián",
            "Hola, ¿qué tal?",
        ),
    ],
    ids=["english", "spanish"],
)
def test_the_loop_by_hand_with_chat_completions(words, question, city, hello, capsys):
    names, _ = run(CHAT, **words)
    said = names["answer"](question)
    assert f"CALL {words['NAME']} {{'city': '{city}'}}" in capsys.readouterr().out
    assert "42" in said and city in said
    assert names["answer"](hello) and "CALL" not in capsys.readouterr().out


# Definitions from Pydantic models -------------------------------------------------------------------

RESERVAS = '''
from typing import Literal, Optional
from pydantic import BaseModel, Field

class BuscarReservas(BaseModel):
    """Busca las reservas de un huésped con filtros opcionales."""
    email: str = Field(description="Email del huésped tal como lo escribió.")
    estado: Optional[Literal["confirmada", "cancelada", "pendiente"]] = Field(
        default=None, description="Filtra por estado. Omítelo para verlas todas.")
    noches: Optional[int] = Field(default=None, description="Número de noches.")

TOOL = {
    "name": "buscar_reservas",
    "description": "Busca las reservas de un huésped con filtros opcionales. Úsala cuando pregunte por sus "
                   "reservas sin dar un número concreto.",
    "input_schema": BuscarReservas.model_json_schema(),
}

def execute(sent: dict) -> dict:
    return {"found": [], "state": BuscarReservas.model_validate(sent).estado}
'''
BOOKINGS = '''
from typing import Literal, Optional
from pydantic import BaseModel, Field

class FindBookings(BaseModel):
    """Find the bookings of a guest, with optional filters."""
    email: str = Field(description="Email of the guest, as written.")
    state: Optional[Literal["confirmed", "cancelled", "pending"]] = Field(
        default=None, description="Filter by state. Leave it out to see all.")
    nights: Optional[int] = Field(default=None, description="Number of nights.")

TOOL = {
    "name": "find_bookings",
    "description": "Find the bookings of a guest, with optional filters. Use it when the guest asks about "
                   "bookings without giving a number.",
    "input_schema": FindBookings.model_json_schema(),
}

def execute(sent: dict) -> dict:
    return {"found": [], "state": FindBookings.model_validate(sent).state}
'''


@pytest.mark.parametrize(
    ("program", "model", "question", "alone", "sent"),
    [
        (
            RESERVAS,
            "BuscarReservas",
            "¿Qué reservas confirmadas tengo? Mi email es ona@example.com",
            "¿Qué reservas tengo?",
            {"email": "ona@example.com", "estado": "confirmada"},
        ),
        (
            BOOKINGS,
            "FindBookings",
            "My email is ona@example.com. Which confirmed bookings do I have?",
            "Which bookings do I have?",
            {"email": "ona@example.com", "state": "confirmed"},
        ),
    ],
    ids=["spanish", "english"],
)
def test_a_definition_from_a_pydantic_model_and_the_tool_from_the_same_model(
    program, model, question, alone, sent
):
    from anthropic import Anthropic

    names, _ = run(program)
    ours = Tool(names[model], name=names["TOOL"]["name"], description=names["TOOL"]["description"])
    state = list(sent)[1]
    assert "title" in str(names["TOOL"]) and "title" not in str(ours.to_anthropic())

    def ask(definition, text):
        return Anthropic().messages.create(
            model="claude-haiku-4-5",
            max_tokens=500,
            tools=[definition],
            messages=[{"role": "user", "content": text}],
        )

    for definition in (names["TOOL"], ours.to_anthropic(), ours.to_anthropic(strict=True)):
        (block,) = (one for one in ask(definition, question).content if one.type == "tool_use")
        assert (block.name, block.input) == (names["TOOL"]["name"], sent)
        assert names["execute"](block.input) == {"found": [], "state": sent[state]}
        assert getattr(ours.run(block.input), state) == sent[state]
        answer = ask(definition, alone)
        assert answer.stop_reason == "end_turn" and "email" in answer.content[0].text.lower()
    for refuse in (names["execute"], ours.run):
        with pytest.raises((ValueError, ToolArgumentError), match=state):
            refuse({**sent, state: "Confirmed"})
