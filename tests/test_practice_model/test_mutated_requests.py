"""Thousands of requests with something wrong in them: no fault of ours, in time, and nothing grows.

A failure names the API and the number of the request; `mutated(SEEDS[api][…], number)` makes it again.
"""

from __future__ import annotations

import gc
import json
import sys
import time
from pathlib import Path
from typing import Any

import pytest
from request_mutations import mutated
from request_tools import APIS, PATHS, body_of, fields, headers_of
from weekly import WEEKLY

from practice_model import PracticeModel

COUNT = 3_000 if WEEKLY else 40
"""Requests to each API."""
SECONDS = 2.0
"""That one may compute, in the weekly run: in the others, the machine may be anybody's."""
GROWTH = 150 * 2**20
"""Bytes that the process may gain after the first third: caches and the log fill up to their bounds."""

ORDER = ("find_order", "Find an order by its number.", fields(order_number={"type": "integer"}))
MAIL = (
    "send_mail",
    "Send a mail. First call find_order, then send it.",
    fields(
        to={"type": "string", "format": "email"},
        text={"type": "string", "minLength": 1},
        priority={"type": "string", "enum": ["low", "high"]},
        labels={"type": "array", "items": {"type": "string", "pattern": "^[a-z]+$"}, "maxItems": 3},
        sender={"$ref": "#/$defs/Person"},
    )
    | {
        "$defs": {
            "Person": fields(name={"type": "string"}, age={"anyOf": [{"type": "integer"}, {"type": "null"}]})
        }
    },
)
CITY = ("get_weather", "The weather in a city. Not for the sea.", fields(city={"type": "string"}))
CALL = {"order_number": 1042}
RESULT = (
    '{"order_number": 1042, "status": "shipped", "items": [{"name": "mug", "price": 7.5}], "error": null}'
)
ANSWER = fields(city={"type": "string"}, days={"type": "array", "items": {"type": "integer"}, "minItems": 1})


def histories(api: str) -> list[dict[str, Any]]:
    """A request that answers a call, in the form of the API."""
    asked = body_of(
        api, "Where is order 1042, and is it raining in Oslo?", [ORDER, CITY], "Today is 2026-03-11."
    )
    if api == "anthropic":
        asked["messages"] += [
            {
                "role": "assistant",
                "content": [{"type": "tool_use", "id": "toolu_1", "name": ORDER[0], "input": CALL}],
            },
            {
                "role": "user",
                "content": [{"type": "tool_result", "tool_use_id": "toolu_1", "content": RESULT}],
            },
        ]
    elif api == "gemini":
        asked["contents"] += [
            {"role": "model", "parts": [{"functionCall": {"id": "f1", "name": ORDER[0], "args": CALL}}]},
            {
                "role": "user",
                "parts": [
                    {"functionResponse": {"id": "f1", "name": ORDER[0], "response": json.loads(RESULT)}}
                ],
            },
        ]
    elif api == "openai_chat":
        function = {"name": ORDER[0], "arguments": json.dumps(CALL)}
        asked["messages"] += [
            {"role": "assistant", "tool_calls": [{"id": "call_1", "type": "function", "function": function}]},
            {"role": "tool", "tool_call_id": "call_1", "content": RESULT},
        ]
    else:
        asked["input"] = [
            {"role": "user", "content": asked["input"]},
            {"type": "function_call", "call_id": "call_1", "name": ORDER[0], "arguments": json.dumps(CALL)},
            {"type": "function_call_output", "call_id": "call_1", "output": RESULT},
        ]
    return [asked]


def structured(api: str) -> dict[str, Any]:
    """A request for an answer in JSON, in the form of the API."""
    asked = body_of(api, "Rain in Oslo on days 3 and 5, as JSON.")
    strict = ANSWER | {"additionalProperties": False}
    if api == "anthropic":
        return asked | {"output_config": {"format": {"type": "json_schema", "schema": strict}}}
    if api == "gemini":
        return asked | {
            "generationConfig": {"responseMimeType": "application/json", "responseJsonSchema": ANSWER}
        }
    form = {"name": "rain", "schema": ANSWER, "strict": False}
    if api == "openai_chat":
        return asked | {"response_format": {"type": "json_schema", "json_schema": form}}
    return asked | {"text": {"format": {"type": "json_schema", **form}}}


SEEDS = {
    api: [
        body_of(api, "Write to ana@example.com that order 1042 is late, high priority.", [ORDER, MAIL]),
        body_of(api, "What is the weather in Oslo and in Lima?", [CITY, ORDER], force=True),
        body_of(api, "¿Dónde está el pedido 1042?", [ORDER], "Before you answer, call find_order."),
        *histories(api),
        structured(api),
    ]
    for api in APIS
}


@pytest.mark.parametrize("api", APIS)
def test_the_seeds_are_answered(api):
    for seed in SEEDS[api]:
        reply = PracticeModel().handle("POST", PATHS[api], headers_of(api), json.dumps(seed).encode("utf-8"))
        assert reply.status == 200, reply.body


def memory() -> int:
    """How much memory this process has, where the system says so."""
    gc.collect()
    try:
        return int(Path("/proc/self/statm").read_text(encoding="ascii").split()[1]) * 4096
    except OSError:
        return 0


@pytest.mark.parametrize("api", APIS)
def test_no_mutated_request_is_a_fault_of_ours_or_takes_long_or_leaves_something(api):
    model, before = PracticeModel(), 0
    for number in range(COUNT):
        raw = mutated(SEEDS[api][number % len(SEEDS[api])], number)
        began = time.thread_time()
        reply = model.handle("POST", PATHS[api], headers_of(api), raw)
        took = time.thread_time() - began
        where = f"{api}, request {number}: {raw[:500]!r}"
        assert reply.status < 500, f"{where} -> {reply.body[:500]!r}"
        answer = json.loads(reply.body)
        assert reply.status == 200 or "error" in answer, where
        assert not WEEKLY or took < SECONDS, f"{took:.1f} s for {where}"
        if number == COUNT // 3:
            before = memory()
    assert not WEEKLY or memory() - before < GROWTH or sys.gettrace()
