"""A program as one pastes it into a Colab cell: secrets, a camelCase tool, Spanish questions, str(result)."""

from __future__ import annotations

import subprocess
import sys
import textwrap

import pytest

PROGRAM = """
import sys, types

secrets = types.ModuleType("google.colab.userdata")
secrets.get = lambda name: "not-a-real-key"
colab = types.ModuleType("google.colab")
colab.userdata = secrets
sys.modules["google.colab"] = colab

import anthropic
from google.colab import userdata

client = anthropic.Anthropic(api_key=userdata.get("ANTHROPIC_API_KEY"))
TOOL = {
    "name": "getPhotos",
    "description": "Gives access to the photos that the user in session has uploaded. Use it when the user "
    "asks how many photos they uploaded in a period or which ones show something; returns them in an object.",
    "input_schema": {
        "type": "object",
        "properties": {
            "period": {
                "type": "string",
                "enum": ["day", "week", "month", "year", "all"],
                "description": "Period of time.",
            },
            "keyword": {"type": "string", "description": "What the photo shows."},
        },
        "required": ["period"],
    },
}


def get_photos(period, keyword=""):
    days = {"day": 1, "week": 7, "month": 30, "year": 365, "all": 9999}[period]
    photos = [("mar en calma", 2), ("la playa", 5), ("un gato", 20), ("la playa de noche", 200)]
    found = [name for name, age in photos if age <= days and keyword.lower() in name]
    return {"count": len(found), "photos": found}


def answer(question):
    messages = [{"role": "user", "content": question}]
    request = {"model": "claude-haiku-4-5-20251001", "max_tokens": 500, "tools": [TOOL]}
    first = client.messages.create(messages=messages, **request)
    if first.stop_reason == "tool_use":
        block = next(block for block in first.content if block.type == "tool_use")
        print("CALL", block.name, block.input)
        messages.append({"role": "assistant", "content": first.content})
        result = {"type": "tool_result", "tool_use_id": block.id, "content": str(get_photos(**block.input))}
        messages.append({"role": "user", "content": [result]})
        first = client.messages.create(messages=messages, **request)
    return first.content[0].text


for question in sys.argv[1:]:
    print("QUESTION", question)
    print(answer(question))
"""


WEEK = "¿Cuántas fotos subí la última semana?"
BEACH = "¿Qué fotos subí este año sobre la playa?"
TOOLS = "¿Qué tools tienes disponibles?"
HOW = "¿Cómo estás?"


@pytest.fixture(scope="module")
def said(tmp_path_factory) -> dict[str, str]:
    """Question -> what the program printed for it, from one run outside the course's folder."""
    folder = tmp_path_factory.mktemp("colab")
    script = folder / "program.py"
    script.write_text(textwrap.dedent(PROGRAM), encoding="utf-8")
    command = [sys.executable, "-X", "utf8", "-m", "course_lib", "practice", "run", str(script)]
    done = subprocess.run(
        [*command, WEEK, BEACH, TOOLS, HOW], cwd=folder, capture_output=True, encoding="utf-8", check=True
    )
    return dict(part.split("\n", 1) for part in done.stdout.split("QUESTION ")[1:])


def test_a_question_about_last_week_calls_with_week_and_the_answer_has_the_count(said):
    assert "CALL getPhotos {'period': 'week'}" in said[WEEK] and "Hay 2 fotos" in said[WEEK]


def test_a_question_with_a_subject_fills_the_keyword(said):
    assert "'period': 'year', 'keyword': 'playa'" in said[BEACH] and "la playa de noche" in said[BEACH]


def test_asked_for_its_tools_it_names_them_without_a_call(said):
    assert "getPhotos" in said[TOOLS] and "CALL" not in said[TOOLS]


def test_asked_how_it_is_it_answers_without_a_call(said):
    assert said[HOW].strip() and "CALL" not in said[HOW]
