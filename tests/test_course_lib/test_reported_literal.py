"""Small inputs behind real bug reports, word for word, where their file lies beside the course.

Each has the behaviour that is right; here stand the kinds of it that a few lines can compare. The other files
`test_reported_*` have all kinds, on inputs of our own.
"""

from __future__ import annotations

import json
import sys
import types
from pathlib import Path

import pytest
from schema_providers import definitions

from course_lib import Tool, ToolCall, ToolSchemaError, run_calls
from course_lib.providers import anthropic, openai_chat
from course_lib.tools.schema import walk

FILE = Path(__file__).resolve().parents[3] / "shared" / "cases" / "cases.jsonl"
CASES = [json.loads(line) for line in FILE.read_text("utf-8").splitlines()] if FILE.is_file() else []
pytestmark = pytest.mark.skipif(not CASES, reason="the file is not here")


def named(case):
    return f"{case['id']} {case['symptom'][:60]}"


def module_of(case, monkeypatch) -> types.ModuleType:
    """The input as a module of its own, so that annotations written as text are found."""
    module = types.ModuleType(f"case_{case['id']}")
    monkeypatch.setitem(sys.modules, module.__name__, module)
    exec(compile(case["input"], module.__name__, "exec", dont_inherit=True), module.__dict__)
    return module


def run_one(tool: Tool, arguments):
    (result,) = run_calls([ToolCall("id_1", tool.name, arguments)], [tool])
    return result


FUNCTIONS = [one for one in CASES if one["group"] in "ABDE" and "def tool_fn" in str(one["input"])]
REFUSED = {"A36": "año", "A39": "ctx"}  # a clear error is one of the right answers
SCALARS = [one for one in FUNCTIONS if isinstance(one.get("expected_value"), str | int | float)]
OBJECTS = [
    one for one in FUNCTIONS if isinstance(one.get("expected_value"), dict) and one["id"] not in REFUSED
]


@pytest.mark.parametrize("case", SCALARS, ids=named)
def test_what_the_function_gives(case, monkeypatch):
    module = module_of(case, monkeypatch)
    result = run_one(Tool(module.tool_fn), getattr(module, "ARGS", {}))
    assert (result.content, result.is_error) == (str(case["expected_value"]), False)


@pytest.mark.parametrize("case", OBJECTS, ids=named)
def test_what_its_schema_and_its_result_hold(case, monkeypatch):
    expected, module = case["expected_value"], module_of(case, monkeypatch)
    tool = Tool(module.tool_fn)
    shown = tool.parameters
    if case.get("provider") == "gemini":
        shown = tool.to_gemini_declaration()["parameters"]
    if case.get("provider") == "openai_strict" and "error_mentions" not in expected:
        shown = tool.to_openai_parameters(strict=True)
    assert shown.get("required") == expected.get("required", shown.get("required"))
    assert list(shown["properties"]) == expected.get("properties", list(shown["properties"]))
    keywords = {keyword for _, part in walk(shown) for keyword in part}
    assert not keywords & set(expected.get("forbidden_keys", ()))
    for name, wanted in expected.items():
        if name in shown["properties"] and isinstance(wanted, dict | str):
            found = shown["properties"][name]
            assert wanted in (found, found.get("description"))
    if "error_mentions" in expected:
        with pytest.raises(ToolSchemaError, match=expected["error_mentions"]):
            Tool(module.tool_fn, strict=True)
    if "result" in expected:
        assert run_one(tool, module.ARGS).content == str(expected["result"])
    if "mentions" in expected:
        result = run_one(tool, module.ARGS)
        assert result.is_error and expected["mentions"] in result.content
    if case["group"] == "E" and not hasattr(module, "ARGS"):
        content = run_calls([ToolCall("id_1", tool.name, {})], [tool], max_characters=10_000)[0].content
        parts = expected.get("contains", [])
        assert all(part in content for part in ([parts] if isinstance(parts, str) else parts))
        assert content.startswith(expected.get("startswith", "")) and content.endswith(
            expected.get("endswith", "")
        )
        assert len(content) <= expected.get("max_len", 10_500)
    for definition in definitions(tool).values():
        json.dumps(definition, allow_nan=False)


@pytest.mark.parametrize("case", [one for one in CASES if one["id"] in REFUSED], ids=named)
def test_what_is_refused_when_the_tool_is_made(case, monkeypatch):
    with pytest.raises(ToolSchemaError, match=REFUSED[case["id"]]):
        Tool(module_of(case, monkeypatch).tool_fn)


STREAMS = [one for one in CASES if one["group"] == "G" and one["input_kind"] == "json"]


@pytest.mark.parametrize("case", STREAMS, ids=named)
def test_what_a_stream_adds_up_to(case):
    provider = anthropic if case["provider"] == "anthropic" else openai_chat
    merged = provider.merge_stream(json.loads(case["input"]))
    found = [{"id": one.id, "name": one.name, "input": one.arguments} for one in provider.read_calls(merged)]
    expected = case["expected_value"]
    if "input_in_history" in expected:
        ((block,),) = (message["content"] for message in provider.write_turn(merged))
        assert block["input"] == expected["input_in_history"] and isinstance(found[0]["input"], str)
    else:
        assert expected in (found, found[0]["input"])


CALLS = [one for one in CASES if one["group"] == "D" and one["input_kind"] == "json"]


@pytest.mark.parametrize("case", CALLS, ids=named)
def test_what_becomes_of_a_call(case):
    """Of a call as a Chat Completion holds it, to a tool that needs nothing."""
    ran = []
    tools = [Tool(lambda: ran.append(1), name=name) for name in ("tide", "price", "wipe", "get_weather")]
    message = {"role": "assistant", "content": None, "tool_calls": [json.loads(case["input"])]}
    calls = openai_chat.read_calls(message)
    (message,) = openai_chat.write_results(run_calls(calls, tools))
    assert message["tool_call_id"] == "call_1"
    assert len(ran) == (case["expected_value"] == {})
    assert message["content"].startswith("Error: ") or ran
    assert str(case["expected_value"].get("mentions", "")) in message["content"]
