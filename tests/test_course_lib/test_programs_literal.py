"""The programs of the documents that the course grew from, word for word, where those lie beside it.

Their code stands between paragraphs, without fences. A program is what is left of a document when all that
cannot be Python is taken out; only its framework's import is replaced by ours.
"""

from __future__ import annotations

import ast
import asyncio
import re
from pathlib import Path

import pytest
from program_runs import colab_secrets, practice_mode, run

from course_lib.tools import Tool

FOLDER = Path(__file__).resolve().parents[3] / "shared" / "seeds"
pytestmark = pytest.mark.skipif(not FOLDER.is_dir(), reason="the documents are not here")

BEGINS = re.compile(r'[@#"{]|(import|from|def|async def|class|assert|return|if|for) |[\w.\[\]]+(\(|\s*=[^=])')
GLUED = re.compile(r"(?<=^\])[A-Z].*|(?<=message\.content)[A-Z].*")  # prose behind the last line of a block


@pytest.fixture(autouse=True)
def practice(monkeypatch):
    with practice_mode(monkeypatch):
        yield


def lines_of(number: int) -> list[str]:
    """The lines of a document that may be Python; others start with a word that begins no statement."""
    (path,) = FOLDER.glob(f"{number:03}_*.txt")
    lines = [GLUED.sub("", line) for line in path.read_text("utf-8").replace("\xa0", " ").splitlines()]
    lines = [line for line in lines if not line.lstrip().startswith("•")]
    return [line for line in lines if not line or line[0] in " )]}" or BEGINS.match(line)]


def program(lines: list[str]) -> str:
    """The longest runs of lines that are Python together."""
    starts = [at for at, line in enumerate(lines) if BEGINS.match(line)]
    found, at = [], 0
    while at < len(lines):
        ends = [end for end in (len(lines), *reversed(starts)) if end > at]
        end = next((end for end in ends if _is_python("\n".join(lines[at:end]))), None)
        found += lines[at:end] if end else []
        at = end or at + 1
    return re.sub(r"chatflow_agent(\.\w+)*", "course_lib", "\n".join(found))


def _is_python(text: str) -> bool:
    try:
        ast.parse(text)
    except SyntaxError:
        return False
    return True


def indented(lines: list[str]) -> list[str]:
    """A program whose indentation got lost: a block ends with its `return`, or with the program."""
    depth, found = 0, []
    for line in lines:
        found.append("    " * depth + line)
        depth += line.startswith(("def ", "if ")) and line.endswith(":")
        depth -= line.startswith("return ")
    return found


def test_messages_in_colab(monkeypatch):
    colab_secrets(monkeypatch, ANTHROPIC_API_KEY="not-a-real-key")
    names, printed = run(program(lines_of(0)))
    assert "getMessages" in printed
    ask = names["call_agent"]
    assert ask("¿Cuántos mensajes envié la última semana?").startswith("Hay 2 mensajes (semana)")
    assert "Hay 5 mensajes" in ask("¿Cuántos mensajes tengo en total?")
    assert "RAG" in ask("¿Qué mensajes hay sobre RAG este mes?")


def test_langchain_binds_tools_and_gets_their_results():
    names, printed = run(program(lines_of(1)))
    assert names["llm"].__class__.__name__ == "ChatOpenAI"  # unchanged: it knows of no tool
    assert not names["llm"].invoke("¿Qué tiempo hace en París?").tool_calls
    assert "tool_calls: [{'name': 'get_weather', 'args': {'city': 'París'}, 'id': 'call_" in printed
    assert "content: ''" in printed
    assert printed.count("It's always sunny in París!") >= 5
    assert "HumanMessage: '¿Qué tiempo hace en París?'\nAIMessage: ''\nToolMessage: " in printed
    assert "[{'name': 'calculate', 'args': {'expression': '123 * 456'}, 'id': 'call_" in printed
    assert "Tool: get_weather\nTool: calculate\n" in printed
    last = names["final_response"].content
    assert "sunny in Tokio" in last and "56088" in last
    (call,) = names["llm_with_tools"].invoke("Busca en la web noticias sobre energía solar").tool_calls
    assert call["name"] == "search_web"


def test_definitions_with_pydantic():
    names, _ = run(program(lines_of(2)))
    assert names["BUSCAR_PEDIDOS"]["input_schema"]["required"] == ["email"]
    assert names["ejecutar"]({"email": "ana@example.com", "estado": "enviado"}) == {"pedidos": []}
    with pytest.raises(ValueError, match="enviado"):
        names["ejecutar"]({"email": "ana@example.com", "estado": "Enviado"})

    from anthropic import Anthropic

    def asked(question, *tools):
        messages = [{"role": "user", "content": question}]
        answer = Anthropic().messages.create(
            model="claude-haiku-4-5", max_tokens=500, tools=list(tools), messages=messages
        )
        return [(block.name, block.input) for block in answer.content if block.type == "tool_use"]

    sent = {"email": "ana@example.com", "estado": "enviado"}
    for definition in (names["BUSCAR_PEDIDOS"], names["TOOL"], Tool(names["BuscarPedidos"]).to_anthropic()):
        question = "¿Qué pedidos enviados tengo? Mi email es ana@example.com"
        assert asked(question, definition) == [(definition["name"], sent)]
    question = "Crea un ticket de prioridad alta sobre el envío: la caja llegó rota."
    ((name, ticket),) = asked(question, names["TOOL_ESTRICTA"])
    assert (name, ticket["categoria"], ticket["prioridad"]) == ("crear_ticket", "envio", "alta")


def test_an_agent_with_a_session_and_two_tools():
    """Its own assertions run, too."""
    names, printed = run(program(lines_of(3)))
    response = names["response"]
    assert f"Agent Response: {response.content}\nTools Executed: [" in printed
    assert "21.25" in response.content and "in stock" in response.content
    assert [(one.name, one.arguments, one.is_error) for one in response.tool_calls_executed] == [
        ("check_inventory", {"sku": "SKU-990"}, False),
        ("calculate_shipping", {"weight_kg": 2.5, "destination": "CA"}, False),
    ]
    assert names["store"].session_ids() == ["customer-turn-42"]

    assert names["calculate_vat"].parameters["required"] == ["subtotal"]
    assert names["sync_reverse"].execute(text="abc") == "cba"
    assert asyncio.run(names["sync_reverse"].execute_async(text="abc")) == "cba"
    healthy = {"service": "shop", "status": "healthy"}
    assert names["async_fetch_status"].execute(service_name="shop") == healthy
    assert asyncio.run(names["async_fetch_status"].execute_async(service_name="shop")) == healthy
    values = names["sum_metrics"].to_gemini_declaration()["parameters"]["properties"]["values"]
    assert values == {"type": "ARRAY", "items": {"type": "NUMBER"}}
    assert names["repeat_phrase"].execute(phrase="ab", count=2) == "abab"


def test_the_loop_by_hand_with_chat_completions():
    from openai import OpenAI

    names, printed = run(program(indented(lines_of(4))), client=OpenAI(), MODEL="gpt-5-mini")
    assert names["args"] == {"city": "Ciudad de México"}
    assert "18" in printed and "Ciudad de México" in printed
    assert "18" in names["answer_with_tools"]("¿Cuál es el clima en Oaxaca?")
    assert names["answer_with_tools"]("Hola, ¿cómo estás?")
