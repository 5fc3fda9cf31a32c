"""Anthropic Messages: what is accepted, what is refused and in which words, and what is answered."""

from __future__ import annotations

import asyncio
import json
from typing import Any

import anthropic
import httpx2
import pytest
from anthropic.types import Message, MessageTokensCount, ModelInfo
from anthropic.types.beta import BetaMessage
from wire_tools import Scripted

from practice_model import PracticeModel, Server
from practice_model.request import Call, Decision, Request
from practice_model.server.inprocess import AsyncPracticeTransport, PracticeTransport

MODEL = "claude-haiku-5-5"
WITH_BUDGET = "claude-haiku-4-5"  # later models take no budget for thinking
OLD_VERSION = "2023-06-01"
SCHEMA = {"type": "object", "properties": {"item": {"type": "string"}}, "required": ["item"]}
PRICE = {"name": "price", "description": "The price of an item.", "input_schema": SCHEMA}


def user(*content: Any) -> dict:
    return {"role": "user", "content": content[0] if isinstance(content[0], str) else list(content)}


def assistant(*content: Any) -> dict:
    return {**user(*content), "role": "assistant"}


def text(words: str) -> dict:
    return {"type": "text", "text": words}


def use(call_id: str, item: str = "bun") -> dict:
    return {"type": "tool_use", "id": call_id, "name": "price", "input": {"item": item}}


def result(call_id: str, content: Any = "2", **more: Any) -> dict:
    return {"type": "tool_result", "tool_use_id": call_id, "content": content, **more}


def body(*messages: dict, **more: Any) -> dict:
    return {"model": MODEL, "max_tokens": 1000, "messages": list(messages) or [user("Price of bun?")], **more}


def send(
    data: Any, *, path: str = "/v1/messages", brain: Any = None, version: str = "2026-10-21", **headers: str
):
    """The status and the parsed answer."""
    headers = {"x-api-key": "practice", "anthropic-version": version, **headers}
    method = "GET" if data is None else "POST"
    raw = b"" if data is None else json.dumps(data).encode("utf-8")
    reply = PracticeModel(brain or Scripted()).handle(method, path, headers, raw)
    return reply.status, json.loads(reply.body)


def refusal(data: Any, **options: Any) -> str:
    """The message of a 400."""
    status, answer = send(data, **options)
    assert (status, answer["type"]) == (400, "error"), answer
    assert answer["error"]["type"] == "invalid_request_error"
    return answer["error"]["message"]


def neutral(data: dict, **options: Any) -> Request:
    """The request as `decide` sees it."""
    brain = Scripted(Decision(text="Hi."))
    status, answer = send(data, brain=brain, **options)
    assert status == 200, answer
    return brain.asked[0]


# The shape of a request, and the words for what is wrong with it -----------------------------------


@pytest.mark.parametrize("field", ["model", "max_tokens", "messages"])
def test_a_missing_field_is_named(field):
    data = {name: value for name, value in body().items() if name != field}
    assert refusal(data) == f"{field}: Field required"


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"temperature": 0}, "temperature: Extra inputs are not permitted"),
        ({"top_p": 0.5}, "top_p: Extra inputs are not permitted"),
        ({"top_k": 5}, "top_k: Extra inputs are not permitted"),
        ({"max_token": 5}, "max_token: Extra inputs are not permitted"),
        ({"parallel_tool_calls": True}, "parallel_tool_calls: Extra inputs are not permitted"),
        ({"max_tokens": "5"}, "max_tokens: Input should be a valid integer"),
        ({"max_tokens": -1}, "max_tokens: Input should be greater than or equal to 0"),
        ({"messages": "Hello"}, "messages: Input should be a valid list"),
        ({"system": 5}, "system: Input should be a valid list"),
        ({"system": [{"type": "image"}]}, "system.0.type: Input should be 'text'"),
        ({"stop_sequences": "x"}, "stop_sequences: Input should be a valid list"),
        ({"metadata": {"user": "x"}}, "metadata.user: Extra inputs are not permitted"),
        ({"tool_choice": "auto"}, "tool_choice: Input should be a valid dictionary"),
        ({"tool_choice": {"type": "tool"}}, "tool_choice.tool.name: Field required"),
        (
            {"tool_choice": {"type": "required"}},
            "tool_choice: Input tag 'required' found using 'type' does not match any of the expected tags: "
            "'auto', 'any', 'tool', 'none'",
        ),
        (
            {"thinking": {"type": "enabled", "budget_tokens": 1000}},
            "thinking.enabled.budget_tokens: Input should be greater than or equal to 1024",
        ),
        ({"thinking": {"type": "enabled"}}, "thinking.enabled.budget_tokens: Field required"),
        (
            {"output_config": {"format": {"type": "json_schema"}}},
            "output_config.format.schema: Field required",
        ),
        ({"output_config": {"effort": "huge"}}, None),
        ({"mcp_servers": []}, "mcp_servers: Extra inputs are not permitted"),
    ],
)
def test_a_wrong_field_is_named_with_its_path(change, message):
    said = refusal(body(**change))
    assert said == message if message else said.startswith("output_config.effort: Input should be 'low'")


@pytest.mark.parametrize(
    ("tool", "message"),
    [
        ({"name": "price"}, "tools.0.custom.input_schema: Field required"),
        ({"input_schema": SCHEMA}, "tools.0.custom.name: Field required"),
        ({**PRICE, "parameters": {}}, "tools.0.custom.parameters: Extra inputs are not permitted"),
        ({**PRICE, "input_schema": {}}, "tools.0.custom.input_schema.type: Field required"),
        (
            {**PRICE, "input_schema": {"type": "string"}},
            "tools.0.custom.input_schema.type: Input should be 'object'",
        ),
        (
            {**PRICE, "name": "a.b"},
            "tools.0.custom.name: String should match pattern '^[a-zA-Z0-9_-]{1,128}$'",
        ),
        ({**PRICE, "name": ""}, "tools.0.custom.name: String should match pattern '^[a-zA-Z0-9_-]{1,128}$'"),
        ({**PRICE, "name": "a" * 129}, "tools.0.custom.name: String should have at most 128 characters"),
    ],
)
def test_a_wrong_tool_is_named_with_its_path(tool, message):
    assert refusal(body(tools=[tool])) == message


def test_a_tool_in_the_shape_of_another_provider_is_told_which_types_there_are():
    said = refusal(body(tools=[{"type": "function", "function": PRICE}]))
    assert said.startswith(
        "tools.0: Input tag 'function' found using 'type' does not match any of the expected tags"
    )
    assert "'custom'" in said


@pytest.mark.parametrize(
    ("block", "message"),
    [
        ({"type": "tool_result"}, "messages.0.content.1.tool_result.tool_use_id: Field required"),
        (
            {**use("toolu_a"), "input": '{"item": "bun"}'},
            "messages.0.content.1.tool_use.input: Input should be a valid dictionary",
        ),
        (
            {**use("toolu_a"), "input": None},
            "messages.0.content.1.tool_use.input: Input should be a valid dictionary",
        ),
        (use("a b"), "messages.0.content.1.tool_use.id: String should match pattern '^[a-zA-Z0-9_-]+$'"),
        ({"text": "x"}, "messages.0.content.1.type: Field required"),
        ({"type": "text"}, "messages.0.content.1.text.text: Field required"),
        (
            {**text("x"), "parsed_output": 1},
            "messages.0.content.1.text.parsed_output: Extra inputs are not permitted",
        ),
        ("x", "messages.0.content.1: Input should be a valid dictionary"),
    ],
)
def test_a_wrong_block_is_named_with_its_path(block, message):
    assert refusal(body(user(text("Hi"), block))) == message


@pytest.mark.parametrize(
    ("message", "said"),
    [
        (
            {"role": "tool", "content": "2"},
            "messages.0.role: Input should be 'user', 'assistant' or 'system'",
        ),
        ({"role": "user"}, "messages.0.content: Field required"),
        ({"role": "user", "content": None}, "messages.0.content: Input should be a valid list"),
        ({"role": "user", "content": "x", "name": "Ana"}, "messages.0.name: Extra inputs are not permitted"),
        ("Hello", "messages.0: Input should be a valid dictionary"),
    ],
)
def test_a_wrong_message_is_named_with_its_path(message, said):
    assert refusal(body(message)) == said


@pytest.mark.parametrize("data", [[], "text", 5])
def test_a_body_that_is_not_an_object_is_refused(data):
    assert refusal(data) == "Input should be a valid dictionary"


@pytest.mark.parametrize(
    "more",
    [
        {"system": "Be brief."},
        {
            "system": [
                {"type": "text", "text": "Be brief.", "cache_control": {"type": "ephemeral", "ttl": "1h"}}
            ]
        },
        {"metadata": {"user_id": "u"}, "service_tier": "auto", "inference_geo": "us", "speed": "standard"},
        {
            "container": "c",
            "diagnostics": {"previous_message_id": None},
            "cache_control": {"type": "ephemeral"},
        },
        {"stop_sequences": ["END"], "stream": False, "output_config": {"effort": "low"}},
        {"thinking": {"type": "adaptive", "display": "omitted"}},
        {"thinking": {"type": "disabled"}},
        {"thinking": {"type": "adaptive", "display": "summarized"}},
        {"tools": [{**PRICE, "type": None, "strict": None, "eager_input_streaming": None}]},
        {
            "tools": [
                {
                    **PRICE,
                    "type": "custom",
                    "input_examples": [{"item": "bun"}],
                    "allowed_callers": ["direct"],
                }
            ]
        },
        {"tools": [{"type": "web_search_20260318", "name": "web_search", "max_uses": 3}]},
        {"tools": [PRICE], "tool_choice": {"type": "any", "disable_parallel_tool_use": True}},
        {"tools": [PRICE], "tool_choice": {"type": "none"}},
        {"max_tokens": 0},
    ],
)
def test_what_the_sdk_can_send_is_accepted(more):
    assert send(body(**more))[0] == 200


def test_content_that_the_course_does_not_teach_is_accepted():
    image = {"type": "image", "source": {"type": "url", "url": "https://example.com/a.png"}}
    document = {
        "type": "document",
        "source": {"type": "text", "media_type": "text/plain", "data": "x"},
        "title": "T",
    }
    search = {"type": "server_tool_use", "id": "srvtoolu_1", "name": "web_search", "input": {}}
    found = {"type": "web_search_tool_result", "tool_use_id": "srvtoolu_1", "content": []}
    history = [user(image, document, text("?")), assistant(search, found, text("This.")), user("Thanks")]
    assert neutral(body(*history)).turns[0].media == ("image", "document")


def test_beta_fields_are_accepted_where_a_beta_is_asked_for():
    data = body(context_management={"edits": []}, mcp_servers=[])
    assert send(data, path="/v1/messages?beta=true")[0] == 200
    assert send(data, **{"anthropic-beta": "context-management-2025-06-27"})[0] == 200


def test_older_api_versions_still_take_sampling_parameters_within_their_range():
    assert send(body(temperature=0.5, top_p=1, top_k=40), version=OLD_VERSION)[0] == 200
    assert (
        refusal(body(temperature=2), version=OLD_VERSION)
        == "temperature: Input should be less than or equal to 1"
    )


def test_the_version_header_is_required_and_checked():
    assert refusal(body(), version="") == "anthropic-version: header is required"
    assert refusal(body(), version="2099-01-01") == 'anthropic-version: "2099-01-01" is not a valid version'


def test_a_thread_is_refused_in_the_way_that_the_tool_runner_understands():
    status, answer = send(body(thread={"type": "create"}))
    assert status == 400
    assert answer["error"]["details"] == {
        "error_code": "thread_unsupported_request",
        "unsupported": ["thread"],
    }


# The rules of the protocol -------------------------------------------------------------------------

ASK = user("Price of bun and tea?")
NO_RESULT = (
    "`tool_use` ids were found without `tool_result` blocks immediately after: {}. "
    "Each `tool_use` block must have a corresponding `tool_result` block in the next message."
)
EMPTY = (
    "messages.{}: all messages must have non-empty content except for the optional final assistant message"
)
NO_PREFILL = (
    "This model does not support assistant message prefill. The conversation must end with a user message."
)
FIRST = 'messages: first message must use the "user" role, not "{}" (instructions go into `system`)'
NO_CALL = (
    "unexpected `tool_use_id` found in `tool_result` blocks: {}. "
    "Each `tool_result` block must have a corresponding `tool_use` block in the previous message."
)


@pytest.mark.parametrize(
    ("messages", "said"),
    [
        ([ASK, assistant(use("toolu_a"))], "messages.1: " + NO_RESULT.format("toolu_a")),
        ([ASK, assistant(use("toolu_a")), user("Well?")], "messages.1: " + NO_RESULT.format("toolu_a")),
        (
            [ASK, assistant(use("toolu_a"), use("toolu_b")), user(result("toolu_a"))],
            "messages.1: " + NO_RESULT.format("toolu_b"),
        ),
        (
            [ASK, assistant(use("toolu_a"), use("toolu_b")), user("Well?")],
            "messages.1: " + NO_RESULT.format("toolu_a, toolu_b"),
        ),
        (  # results split over two messages
            [
                ASK,
                assistant(use("toolu_a"), use("toolu_b")),
                user(result("toolu_a")),
                user(result("toolu_b")),
            ],
            "messages.1: " + NO_RESULT.format("toolu_b"),
        ),
        (  # the result comes one message too late
            [ASK, assistant(use("toolu_a")), user("Wait"), user(result("toolu_a"))],
            "messages.1: " + NO_RESULT.format("toolu_a"),
        ),
        ([user(result("toolu_a"), text("And tea?"))], "messages.0.content.0: " + NO_CALL.format("toolu_a")),
        (
            [ASK, assistant(use("toolu_a")), user(result("toolu_a"), result("toolu_x"))],
            "messages.2.content.1: " + NO_CALL.format("toolu_x"),
        ),
        (
            [
                ASK,
                assistant(use("toolu_a")),
                user(result("toolu_a")),
                assistant("2."),
                user(result("toolu_a")),
            ],
            "messages.4.content.0: " + NO_CALL.format("toolu_a"),
        ),
        (
            [ASK, assistant(use("toolu_a")), user(result("toolu_a"), result("toolu_a"))],
            "messages.2.content.1: each tool_use must have a single result. "
            "Found multiple `tool_result` blocks with id: toolu_a",
        ),
        (
            [ASK, assistant(use("toolu_a"), use("toolu_a")), user(result("toolu_a"))],
            "messages.1.content.1: `tool_use` ids must be unique (found again: toolu_a)",
        ),
        (
            [ASK, assistant(use("toolu_a")), user(text("Hurry"), result("toolu_a"))],
            "messages.1: "
            + NO_RESULT.format("toolu_a")
            + " (messages.2.content.1 comes after other content: put "
            "the results first, text after them)",
        ),
        (
            [user(use("toolu_a"))],
            "messages.0.content.0: `tool_use` blocks can only be in `assistant` messages",
        ),
        (
            [ASK, assistant(result("a"))],
            "messages.1.content.0: `tool_result` blocks can only be in `user` messages",
        ),
        (
            [assistant("Hi")],
            FIRST.format("assistant"),
        ),
        (
            [{"role": "system", "content": "Be brief."}, ASK],
            FIRST.format("system"),
        ),
        (
            [ASK, assistant("Hi."), {"role": "system", "content": "Be brief."}],
            "messages.2: role 'system' must follow a 'user' message",
        ),
        (
            [user(""), assistant("Hi."), user("Hi")],
            EMPTY.format(0),
        ),
        (
            [ASK, assistant("Hi."), {"role": "user", "content": []}],
            EMPTY.format(2),
        ),
        (
            [user(text("a"), text(""))],
            "messages: text content blocks must be non-empty (messages.0.content.1)",
        ),
        (
            [user(" \n")],
            "messages: text content blocks must contain non-whitespace text (messages.0.content.0)",
        ),
        (
            [ASK, assistant("It costs")],
            NO_PREFILL,
        ),
        (
            [ASK, assistant("It costs ")],
            "messages: final assistant content cannot end with trailing whitespace",
        ),
    ],
)
def test_a_conversation_that_breaks_a_rule_is_told_which_and_where(messages, said):
    assert refusal(body(*messages, tools=[PRICE])) == said


def test_a_conversation_needs_a_message():
    assert refusal(body() | {"messages": []}) == "messages: at least one message is required"


def test_an_empty_block_of_the_system_prompt_is_refused():
    assert refusal(body(system=[text("")])) == "system: text content blocks must be non-empty (system.0)"


@pytest.mark.parametrize(
    "messages",
    [
        [ASK, assistant(use("toolu_a")), user(result("toolu_a"), text("And now?"))],
        [ASK, assistant(use("toolu_a"), use("toolu_b")), user(result("toolu_b"), result("toolu_a"))],
        [ASK, assistant(text("Let me see."), use("toolu_a")), user(result("toolu_a", is_error=True))],
        [ASK, assistant(use("toolu_a")), user({"type": "tool_result", "tool_use_id": "toolu_a"})],
        [ASK, assistant(use("toolu_a")), user(result("toolu_a", [text("2")]))],
        # Two assistant messages in a row are one turn, and an id may come again in another turn.
        [
            ASK,
            assistant(use("toolu_a")),
            assistant(use("toolu_b")),
            user(result("toolu_a"), result("toolu_b")),
        ],
        [ASK, assistant(use("a")), user(result("a")), assistant(use("a")), user(result("a"))],
        [user("Hi"), user("there"), assistant("Hello."), assistant("What is it?"), user("Nothing")],
        [user("Hi"), {"role": "system", "content": "Be brief."}],
        # What the SDK gives back of an answer, with all its fields.
        [
            ASK,
            assistant(
                {**text("Well."), "citations": None},
                {**use("a"), "caller": {"type": "direct"}, "toolset_name": None},
            ),
            user(result("a")),
        ],
        # A paused turn is sent back as it came.
        [
            ASK,
            assistant(
                text("Looking."), {"type": "server_tool_use", "id": "s", "name": "web_search", "input": {}}
            ),
        ],
    ],
)
def test_a_conversation_that_keeps_the_rules_is_accepted(messages):
    status, answer = send(body(*messages, tools=[PRICE]))
    assert status == 200, answer


def test_only_older_models_take_the_beginning_of_an_answer():
    assert send(body(ASK, assistant("It costs")) | {"model": "claude-sonnet-4-5"})[0] == 200


def test_only_newer_models_take_system_messages():
    data = body(ASK, {"role": "system", "content": "Be brief."}) | {"model": "claude-haiku-4-5"}
    assert refusal(data) == "role 'system' is not supported on this model (messages.1)"


@pytest.mark.parametrize(
    "thought",
    [
        {"type": "thinking", "thinking": "Hm.", "signature": "c2ln"},
        {"type": "redacted_thinking", "data": "c2ln"},
    ],
)
def test_a_turn_may_not_end_with_a_thought(thought):
    words = f"messages.1: The final block in an assistant message cannot be `{thought['type']}`."
    said = {"type": "text", "text": "One moment."}
    for blocks in ([thought], [said, thought]):
        assert refusal(body(ASK, assistant(*blocks), user("Well?"))) == words
    assert answer_to(body(ASK, assistant(thought, said), user("Well?")))["content"]


def test_with_thinking_enabled_the_thinking_block_must_come_back():
    history = [ASK, assistant(use("a")), user(result("a"))]
    on = {"thinking": {"type": "enabled", "budget_tokens": 1024}, "max_tokens": 2048, "tools": [PRICE]}
    on["model"] = WITH_BUDGET
    assert refusal(body(*history) | on).startswith(
        "messages.1.content.0.type: Expected `thinking` or `redacted_thinking`, but found `tool_use`."
    )
    history[1]["content"].insert(0, {"type": "thinking", "thinking": "Hm.", "signature": "c2ln"})
    assert send(body(*history) | on)[0] == 200


# Tools ---------------------------------------------------------------------------------------------


def test_tool_names_must_be_unique():
    assert refusal(body(tools=[PRICE, PRICE])) == "tools: Tool names must be unique. (twice: price)"


@pytest.mark.parametrize(
    ("properties", "problem"),
    [
        (
            {"a": {"type": "strng"}},
            "properties.a.type 'strng' is not a type; the types are string, number, integer",
        ),
        ({"a": {"type": "str"}}, "properties.a.type 'str' is not a type"),
        ({"a": "string"}, "properties.a should be an object"),
        ({"a": {"type": "string", "enum": "x"}}, "properties.a.enum should be a list"),
        ({"a": {"type": "integer", "minimum": "0"}}, "properties.a.minimum should be a number"),
        (
            {"a": {"type": "integer", "exclusiveMinimum": True}},
            "properties.a.exclusiveMinimum should be a number",
        ),
        ({"a": {"type": "array", "items": [{"type": "string"}]}}, "properties.a.items should be a schema"),
        ({"a": {"anyOf": []}}, "properties.a.anyOf should be a list of schemas"),
        (
            {"a": {"type": "string", "required": True}},
            "properties.a.required should be a list of different names",
        ),
        (
            {"a": {"type": "object", "required": ["b", "b"]}},
            "properties.a.required should be a list of different names",
        ),
        ({"a": {"type": "string", "minLength": -1}}, "properties.a.minLength should be a whole number"),
    ],
)
def test_a_schema_that_is_not_json_schema_is_refused_with_the_place(properties, problem):
    said = refusal(body(tools=[{**PRICE, "input_schema": {"type": "object", "properties": properties}}]))
    assert said.startswith(
        "tools.0.custom.input_schema: JSON schema is invalid. It must match JSON Schema draft"
    )
    assert f"({problem}" in said


@pytest.mark.parametrize("name", ["postal code", "año", "filter[id]", "x" * 65])
def test_a_field_name_that_the_service_refuses_is_named(name):
    schema = {"type": "object", "properties": {"city": {"type": "string"}, name: {"type": "string"}}}
    assert refusal(body(tools=[{**PRICE, "input_schema": schema}])) == (
        "tools.0.custom.input_schema.properties: Property keys should match pattern "
        f"'^[a-zA-Z0-9_.-]{{1,64}}$' (this one does not: {name})"
    )
    # The service looks at the outermost ones only.
    inner = {"type": "object", "properties": {"at": schema}}
    assert send(body(tools=[{**PRICE, "input_schema": inner}]))[0] == 200


def test_a_union_at_the_top_of_a_schema_is_refused():
    schema = {"type": "object", "anyOf": [{"required": ["item"]}]}
    assert refusal(body(tools=[{**PRICE, "input_schema": schema}])) == (
        "tools.0.custom.input_schema: input_schema does not support oneOf, allOf, or anyOf at the top level"
    )


def strict(schema: dict) -> dict:
    return {**PRICE, "strict": True, "input_schema": {"additionalProperties": False, **schema}}


def one(schema: dict) -> dict:
    return {"type": "object", "properties": {"a": schema}, "required": ["a"]}


@pytest.mark.parametrize(
    ("schema", "problem"),
    [
        (
            {"type": "object", "additionalProperties": {"type": "string"}},
            "For 'object' type, 'additionalProperties' must be false",
        ),
        (
            one({"type": "object"}),
            "For 'object' type, 'additionalProperties' must be explicitly set to false",
        ),
        (one({"type": "integer", "minimum": 1}), "For 'integer' type, property 'minimum' is not supported"),
        (
            one({"type": "integer", "minimum": 1, "maximum": 5}),
            "For 'integer' type, properties maximum, minimum are not supported",
        ),
        (
            one({"type": ["string", "null"], "maxLength": 5}),
            "For 'string' type, property 'maxLength' is not supported",
        ),
        (
            one({"type": "array", "minItems": 2}),
            "For 'array' type, 'minItems' values other than 0 or 1 are not supported",
        ),
        (one({"type": "array", "maxItems": 2}), "For 'array' type, property 'maxItems' is not supported"),
        (one({"oneOf": [{"type": "string"}]}), "'oneOf' is not supported"),
        (
            one({"type": "string", "format": "zip-code"}),
            "For 'string' type, format 'zip-code' is not supported",
        ),
        (
            one({"type": "string", "pattern": "(?=a)"}),
            "Patterns with backreferences, lookaround or word boundaries",
        ),
        (one({"enum": [["a"]]}), "An enum may hold strings, numbers, true, false and null only"),
        (
            one({"$ref": "https://example.com/s"}),
            "$ref 'https://example.com/s' does not point into this schema",
        ),
        (
            {
                "$defs": {"N": {"additionalProperties": False, **one({"$ref": "#/$defs/N"})}},
                **one({"$ref": "#/$defs/N"}),
            },
            "Recursive schemas are not supported",
        ),
    ],
)
def test_a_strict_schema_outside_the_subset_is_refused(schema, problem):
    assert refusal(body(tools=[strict(schema)])).startswith(f"tools.0.custom: {problem}")
    assert send(body(tools=[{**strict(schema), "strict": False}]))[0] == 200, "without strict it is allowed"


@pytest.mark.parametrize(
    "schema",
    [
        one({"type": "string", "enum": ["a", "b"], "description": "d", "default": "a"}),
        one({"anyOf": [{"type": "string", "format": "date"}, {"type": "null"}]}),
        one({"type": "array", "items": {"type": "number"}, "minItems": 1}),
        one({"type": "string", "pattern": "^[A-Z]{3}$"}),
        {"$defs": {"C": {"type": "string"}}, **one({"$ref": "#/$defs/C"})},
    ],
)
def test_a_strict_schema_inside_the_subset_is_accepted(schema):
    assert send(body(tools=[strict(schema)]))[0] == 200


def test_the_limits_on_strict_schemas_count_over_all_tools():
    def tools(count: int, schema: dict) -> list[dict]:
        return [{**strict(schema), "name": f"t{n}"} for n in range(count)]

    optional = {"type": "object", "properties": {name: {"type": "string"} for name in "abcde"}}
    union = one({"anyOf": [{"type": "string"}, {"type": "null"}]})
    assert refusal(body(tools=tools(21, one({"type": "string"})))).startswith(
        "tools: Too many strict tools (21)"
    )
    assert "too many optional parameters (25; limit: 24)" in refusal(body(tools=tools(5, optional)))
    assert "too many parameters with union types (17" in refusal(body(tools=tools(17, union)))
    four_optional = {"type": "object", "properties": {name: {"type": "string"} for name in "abcd"}}
    for at_the_limit in (tools(6, four_optional), tools(16, union), tools(20, one({"type": "string"}))):
        assert send(body(tools=at_the_limit))[0] == 200


def test_the_output_format_obeys_the_same_subset():
    config = {"format": {"type": "json_schema", "schema": one({"type": "string"})}}
    assert refusal(body(output_config=config)).startswith("output_config.format.schema: For 'object' type")
    config["format"]["schema"]["additionalProperties"] = False
    assert neutral(body(output_config=config)).output_schema == config["format"]["schema"]


# Tool choice, thinking, limits, models -------------------------------------------------------------


@pytest.mark.parametrize(
    "model", ["claude-opus-5-5", "claude-sonnet-5-5", "claude-fable-5-1", "claude-mythos-5-2"]
)
@pytest.mark.parametrize("choice", [{"type": "any"}, {"type": "tool", "name": "price"}])
def test_the_newest_large_models_refuse_forced_tool_use(model, choice):
    data = body(tools=[PRICE], tool_choice=choice) | {"model": model}
    said = 'tool_choice: type "tool" and "any" are not supported for this model.'
    assert refusal(data) == said
    del data["max_tokens"]
    assert refusal(data, path="/v1/messages/count_tokens") == said


@pytest.mark.parametrize(
    "model", ["claude-haiku-5-5", "claude-opus-5", "claude-sonnet-5", "claude-haiku-4-5"]
)
def test_other_models_take_forced_tool_use(model):
    assert send(body(tools=[PRICE], tool_choice={"type": "any"}) | {"model": model})[0] == 200


NO_BUDGET = (
    '"thinking.type.enabled" is not supported for this model. Use "thinking.type.adaptive" and '
    '"output_config.effort" to control thinking behavior.'
)
NOT_OFF = NO_BUDGET.replace("enabled", "disabled")
BETWEEN_TOOLS = 'To turn thinking off on this model, send "thinking": {"type": "between_tools"} instead'
NO_BETWEEN_TOOLS = '"thinking.type.between_tools" is not supported for this model.'


@pytest.mark.parametrize(
    ("models", "kind", "said"),
    [
        ("haiku-4-5 haiku-4-5-20251001 opus-4-5 opus-4-0 sonnet-4-5 opus-4-6 sonnet-4-6", "enabled", None),
        ("haiku-5-5 opus-4-7 opus-4-8 opus-5 opus-5-5 sonnet-5 sonnet-5-5", "enabled", NO_BUDGET),
        ("fable-5 fable-5-1 fable-5-2 mythos-5 mythos-5-1 mythos-5-2", "enabled", NO_BUDGET),
        ("haiku-5-5 opus-4-6 opus-4-7 opus-5 sonnet-4-6 sonnet-5-5 fable-5 mythos-5-2", "adaptive", None),
        ("haiku-4-5 opus-4-5 sonnet-4-0", "adaptive", "adaptive thinking is not supported on this model ("),
        ("haiku-4-5 haiku-5-5 opus-4-6 opus-4-8 opus-5 sonnet-5", "disabled", None),
        ("opus-5-5 fable-5 fable-5-2 mythos-5 mythos-5-1", "disabled", NOT_OFF),
        ("sonnet-5-5", "disabled", BETWEEN_TOOLS),
        ("sonnet-5-5", "between_tools", None),
        ("haiku-4-5 haiku-5-5 opus-4-8 opus-5-5 sonnet-5 fable-5-1", "between_tools", NO_BETWEEN_TOOLS),
    ],
)
def test_each_model_takes_its_own_kinds_of_thinking(models, kind, said):
    thinking = {"type": kind, **({"budget_tokens": 1024} if kind == "enabled" else {})}
    for model in models.split():
        data = body(thinking=thinking) | {"model": f"claude-{model}", "max_tokens": 2000}
        if said is None:
            assert send(data)[0] == 200, model
        else:
            assert refusal(data).startswith(said), model


def test_no_model_with_thinking_turned_off_takes_the_efforts_that_need_it():
    def off(model, effort, kind="disabled"):
        return body(thinking={"type": kind}, output_config={"effort": effort}) | {"model": model}

    said = (
        "output_config.effort 'xhigh' is not supported when thinking is disabled on this model. "
        "Use effort 'high' or below, or enable thinking."
    )
    for model, kind in (
        ("claude-haiku-5-5", "disabled"),
        ("claude-opus-5", "disabled"),
        ("claude-sonnet-5-5", "between_tools"),
    ):
        assert refusal(off(model, "xhigh", kind)) == said
        assert send(off(model, "high", kind))[0] == 200
    assert send(off("claude-opus-4-8", "max"))[0] == 200


def test_a_budget_that_no_model_takes_is_refused_before_the_forced_tool():
    data = body(
        tools=[PRICE], tool_choice={"type": "any"}, thinking={"type": "enabled", "budget_tokens": 1024}
    )
    assert refusal(data | {"max_tokens": 2000}) == NO_BUDGET


@pytest.mark.parametrize(
    ("more", "said"),
    [
        (
            {"tool_choice": {"type": "auto"}},
            "tool_choice: tool_choice may only be specified while providing tools",
        ),
        (
            {"tools": [PRICE], "tool_choice": {"type": "tool", "name": "weather"}},
            "tool_choice: Tool 'weather' not found in provided tools (provided: price)",
        ),
        (
            {
                "tools": [PRICE],
                "tool_choice": {"type": "any"},
                "model": WITH_BUDGET,
                "max_tokens": 2_000,
                "thinking": {"type": "enabled", "budget_tokens": 1_024},
            },
            "Thinking may not be enabled when tool_choice forces tool use.",
        ),
        (
            {
                "model": WITH_BUDGET,
                "max_tokens": 1024,
                "thinking": {"type": "enabled", "budget_tokens": 1024},
            },
            "`max_tokens` must be greater than `thinking.budget_tokens`.",
        ),
        (
            {"max_tokens": 200_000},
            f"max_tokens: 200000 > 128000, which is the maximum allowed number of output tokens for {MODEL}",
        ),
        ({"stop_sequences": ["END", " "]}, "stop_sequences: each stop sequence must contain non-whitespace"),
        ({"tools": [{**PRICE, "defer_loading": True}]}, "At least one tool must have defer_loading=false."),
    ],
)
def test_a_request_that_breaks_a_rule_is_told_which(more, said):
    assert refusal(body(**more)) == said


@pytest.mark.parametrize(
    "model",
    [
        "claude-haiku-5-5",
        "claude-haiku-4-5-20251001",
        "claude-sonnet-4-0",
        "claude-opus-4-8",
        "practice-sloppy",
    ],
)
def test_known_families_of_models_are_served_and_echoed(model):
    status, answer = send(body() | {"model": model})
    assert (status, answer["model"]) == (200, model)


@pytest.mark.parametrize(
    ("model", "hint"),
    [
        ("claude-3-opus-20240229", "retired"),
        ("claude-2.1", "retired"),
        ("claude-instant-1.2", "retired"),
        ("claude-haiku-55", "did you mean claude-haiku-5-5?"),
        ("claude-haiku-4.5", "did you mean claude-haiku-4-5?"),
        ("gpt-5.5", "GET /v1/models"),
    ],
)
def test_retired_and_unknown_models_are_404_with_a_hint(model, hint):
    status, answer = send(body() | {"model": model})
    assert (status, answer["error"]["type"]) == (404, "not_found_error")
    assert answer["error"]["message"].startswith(f"model: {model} (")
    assert hint in answer["error"]["message"]


# To the neutral request ----------------------------------------------------------------------------


def test_the_history_reaches_the_brain_without_the_wire_format():
    asked = neutral(
        body(
            ASK,
            assistant(text("Let me see."), use("a"), use("b", "tea")),
            user(
                result("a", [text("2"), {"type": "image", "source": {}}]),
                result("b", "no tea", is_error=True),
                text("So?"),
            ),
            system=[text("Be brief."), text("Be kind.")],
            tools=[{**strict(one({"type": "string"})), "name": "lookup"}],
            tool_choice={"type": "tool", "name": "lookup", "disable_parallel_tool_use": True},
            stop_sequences=["END"],
        )
    )
    assert [turn.role for turn in asked.turns] == ["user", "assistant", "user"]
    assert [(call.name, call.arguments, call.id) for call in asked.turns[1].calls] == [
        ("price", {"item": "bun"}, "a"),
        ("price", {"item": "tea"}, "b"),
    ]
    assert [(one.call_id, one.content, one.is_error) for one in asked.turns[2].results] == [
        ("a", "2\n[image]", False),
        ("b", "no tea", True),
    ]
    assert (asked.turns[1].text, asked.turns[2].text, asked.system) == (
        "Let me see.",
        "So?",
        "Be brief.\nBe kind.",
    )
    assert (asked.tools[0].name, asked.tools[0].strict) == ("lookup", True)
    assert (asked.tool_choice.mode, asked.tool_choice.name, asked.tool_choice.parallel) == (
        "tool",
        "lookup",
        False,
    )
    assert (asked.max_tokens, asked.stop_sequences, asked.thinking) == (1000, ("END",), False)


def test_messages_of_one_role_in_a_row_are_one_turn():
    asked = neutral(body(user("Hi"), user("there")))
    assert [(turn.role, turn.text) for turn in asked.turns] == [("user", "Hi\n\nthere")]


def test_a_deferred_tool_is_seen_once_a_result_refers_to_it():
    tools = [PRICE, {**PRICE, "name": "stock", "defer_loading": True}]
    found = result("a", [{"type": "tool_reference", "tool_name": "stock"}])
    assert [tool.name for tool in neutral(body(tools=tools)).tools] == ["price"]
    history = [ASK, assistant(use("a")), user(found)]
    assert [tool.name for tool in neutral(body(*history, tools=tools)).tools] == ["price", "stock"]
    named = [ASK, assistant(use("a")), user(result("a", '{"found": [{"name": "stock"}]}'))]
    assert [tool.name for tool in neutral(body(*named, tools=tools)).tools] == ["price", "stock"]


def test_tools_of_the_provider_are_not_offered_to_the_brain():
    assert neutral(body(tools=[{"type": "bash_20250124", "name": "bash"}])).tools == ()


# From the decision ---------------------------------------------------------------------------------


def answer_to(data: dict, decision: Decision | None = None) -> dict:
    status, answer = send(data, brain=Scripted(decision))
    assert status == 200, answer
    Message.model_validate(answer, strict=True)
    BetaMessage.model_validate(answer, strict=True)
    return answer


def test_a_call_comes_after_the_text_with_ids_in_the_real_form():
    answer = answer_to(body(tools=[PRICE]))
    assert [block["type"] for block in answer["content"]] == ["text", "tool_use"]
    assert answer["content"][1] | {"id": ""} == {
        "type": "tool_use",
        "id": "",
        "name": "price",
        "input": {"item": "bun"},
        "caller": {"type": "direct"},
    }
    assert answer["content"][1]["id"].startswith("toolu_01") and answer["id"].startswith("msg_01")
    assert (answer["stop_reason"], answer["stop_sequence"], answer["stop_details"]) == (
        "tool_use",
        None,
        None,
    )


def test_several_calls_have_different_ids():
    calls = (Call("price", {"item": "bun"}), Call("price", {"item": "bun"}))
    ids = [block["id"] for block in answer_to(body(tools=[PRICE]), Decision(calls=calls))["content"]]
    assert len(set(ids)) == 2


def test_usage_has_the_keys_of_the_real_service():
    usage = answer_to(body())["usage"]
    assert set(usage) == {
        "input_tokens",
        "output_tokens",
        "output_tokens_details",
        "cache_creation_input_tokens",
        "cache_read_input_tokens",
        "cache_creation",
        "service_tier",
        "inference_geo",
    }
    assert usage["output_tokens"] == 2


def test_thinking_comes_first_where_it_is_on_and_counts():
    answer = answer_to(body(tools=[PRICE], thinking={"type": "adaptive", "display": "summarized"}))
    assert [block["type"] for block in answer["content"]] == ["thinking", "text", "tool_use"]
    assert answer["content"][0]["thinking"] == "A price is asked for." and answer["content"][0]["signature"]
    assert answer["usage"]["output_tokens_details"]["thinking_tokens"] == 6


def test_omitted_thinking_shows_only_its_signature():
    block = answer_to(body(thinking={"type": "adaptive", "display": "omitted"}))["content"][0]
    assert block["thinking"] == "" and block["signature"]


@pytest.mark.parametrize(
    ("model", "thinking", "shown"),
    [
        ("claude-haiku-5-5", {"type": "adaptive"}, False),
        ("claude-opus-4-7", {"type": "adaptive"}, False),
        ("claude-fable-5", {"type": "adaptive", "display": None}, False),
        ("claude-opus-4-6", {"type": "adaptive"}, True),
        ("claude-sonnet-4-5", {"type": "enabled", "budget_tokens": 1024}, True),
    ],
)
def test_since_opus_4_7_the_text_of_thinking_comes_only_where_it_is_asked_for(model, thinking, shown):
    block = answer_to(body(thinking=thinking) | {"model": model, "max_tokens": 2000})["content"][0]
    assert (block["type"], bool(block["thinking"]), bool(block["signature"])) == ("thinking", shown, True)


@pytest.mark.parametrize("thinking", [None, {"type": "disabled"}])
def test_thinking_is_absent_where_it_is_not_on(thinking):
    assert answer_to(body(thinking=thinking))["content"][0]["type"] == "text"


def test_between_tools_the_thinking_comes_after_results_and_shows_its_text():
    data = body(tools=[PRICE], thinking={"type": "between_tools"}) | {"model": "claude-sonnet-5-5"}
    assert answer_to(data)["content"][0]["type"] == "text"
    data["messages"] = [ASK, assistant(use("a")), user(result("a"))]
    assert answer_to(data)["content"][0]["thinking"]


@pytest.mark.parametrize(
    ("model", "effort", "thinks"),
    [
        ("claude-haiku-5-5", "high", True),
        ("claude-opus-5-5", "max", True),
        ("claude-haiku-5-5", "low", False),
        ("claude-opus-4-8", "high", False),
    ],
)
def test_at_a_high_effort_a_model_that_thinks_by_itself_does_so_unasked(model, effort, thinks):
    answer = answer_to(body(output_config={"effort": effort}) | {"model": model})
    assert (answer["content"][0]["type"] == "thinking") == thinks
    cut = answer_to(body(output_config={"effort": effort}) | {"model": model, "max_tokens": 2})
    assert (cut["stop_reason"] == "max_tokens" and cut["content"][0]["type"] == "thinking") == thinks


@pytest.mark.parametrize("choice", [{"type": "any"}, {"type": "tool", "name": "price"}])
@pytest.mark.parametrize("model", ["claude-haiku-5-5", "claude-opus-4-8", "claude-sonnet-4-6"])
def test_a_forced_call_is_taken_beside_adaptive_thinking_and_leaves_no_room_for_it(model, choice):
    data = body(tools=[PRICE], tool_choice=choice, thinking={"type": "adaptive"}) | {"model": model}
    assert "thinking" not in [block["type"] for block in answer_to(data)["content"]]


def test_an_answer_is_cut_at_max_tokens():
    answer = answer_to(body() | {"max_tokens": 3}, Decision(text="one two three four"))
    assert (answer["content"], answer["stop_reason"]) == ([text("one two three")], "max_tokens")
    assert answer["usage"]["output_tokens"] == 3


def test_a_call_that_does_not_fit_is_cut_and_the_stop_reason_says_so():
    calls = (Call("price", {"item": "bun " * 50}),)
    answer = answer_to(body(tools=[PRICE]) | {"max_tokens": 30}, Decision(calls=calls))
    assert (answer["content"][0]["input"], answer["stop_reason"]) == ({}, "max_tokens")


def test_max_tokens_zero_generates_nothing():
    answer = answer_to(body() | {"max_tokens": 0})
    assert (answer["content"], answer["stop_reason"]) == ([], "max_tokens")


def test_a_stop_sequence_ends_the_answer_and_is_reported():
    answer = answer_to(body(stop_sequences=["three"]), Decision(text="one two three four"))
    assert answer["content"] == [text("one two ")]
    assert (answer["stop_reason"], answer["stop_sequence"]) == ("stop_sequence", "three")


def test_a_decision_to_say_nothing_is_an_empty_message():
    answer = answer_to(body(), Decision())
    assert (answer["content"], answer["stop_reason"]) == ([], "end_turn")


# Counting and models -------------------------------------------------------------------------------


def count(**more: Any) -> int:
    data = {name: value for name, value in body(**more).items() if name != "max_tokens"}
    status, answer = send(data, path="/v1/messages/count_tokens")
    assert status == 200, answer
    assert set(answer) == {"input_tokens"}
    MessageTokensCount.model_validate(answer)
    return answer["input_tokens"]


def test_count_tokens_agrees_with_the_usage_of_the_same_request():
    assert count(tools=[PRICE]) == answer_to(body(tools=[PRICE]))["usage"]["input_tokens"]


def test_everything_that_the_model_reads_counts():
    assert (
        count()
        < count(system="Be brief.")
        < count(tools=[PRICE])
        < count(tools=[PRICE, PRICE | {"name": "b"}])
    )


def test_count_tokens_refuses_what_it_does_not_take():
    said = refusal(body(), path="/v1/messages/count_tokens")
    assert said == "max_tokens: Extra inputs are not permitted"


def test_the_list_of_models_has_pages():
    status, first = send(None, path="/v1/models?limit=3")
    assert (status, len(first["data"]), first["has_more"]) == (200, 3, True)
    _, second = send(None, path=f"/v1/models?limit=3&after_id={first['last_id']}")
    assert {one["id"] for one in first["data"]}.isdisjoint(one["id"] for one in second["data"])
    _, back = send(None, path=f"/v1/models?limit=3&before_id={second['first_id']}")
    assert back["data"] == first["data"]
    assert send(None, path="/v1/models?limit=many")[0] == 400


def test_a_model_can_be_looked_up():
    status, answer = send(None, path="/v1/models/claude-haiku-4-5")
    ModelInfo.model_validate(answer)
    assert (status, answer["display_name"], answer["max_tokens"]) == (200, "Claude Haiku 4.5", 64_000)
    assert send(None, path="/v1/models/claude-2")[0] == 404


# The real SDK, through both adapters ---------------------------------------------------------------


@pytest.fixture(params=["server", "transport"])
def clients(request):
    """A synchronous client and a maker of asynchronous ones, through the server or in process."""
    model = PracticeModel(Scripted())
    if request.param == "server":
        with Server(model.handle) as server:
            options = {"base_url": server.url, "api_key": "practice", "max_retries": 0}
            with anthropic.Anthropic(**options) as client:
                yield client, lambda: anthropic.AsyncAnthropic(**options)
        return

    def in_process() -> anthropic.AsyncAnthropic:
        http_client = httpx2.AsyncClient(transport=AsyncPracticeTransport(model.handle))
        return anthropic.AsyncAnthropic(api_key="practice", max_retries=0, http_client=http_client)

    http_client = httpx2.Client(transport=PracticeTransport(model.handle))
    with anthropic.Anthropic(api_key="practice", max_retries=0, http_client=http_client) as client:
        yield client, in_process


def test_the_sdk_completes_a_tool_conversation(clients):
    client, _ = clients
    messages: list[Any] = [user("Price of bun?")]
    first = client.messages.create(model=MODEL, max_tokens=500, messages=messages, tools=[PRICE])
    call = next(block for block in first.content if block.type == "tool_use")
    messages += [{"role": "assistant", "content": first.content}, user(result(call.id, "2 euros"))]
    second = client.messages.create(model=MODEL, max_tokens=500, messages=messages, tools=[PRICE])
    assert (first.stop_reason, second.stop_reason, second.content[0].text) == (
        "tool_use",
        "end_turn",
        "2 euros",
    )


def test_the_asynchronous_sdk_completes_a_tool_conversation(clients):
    _, make_client = clients

    async def talk() -> str:
        async with make_client() as client:
            messages: list[Any] = [user("Price of bun?")]
            first = await client.messages.create(
                model=MODEL, max_tokens=500, messages=messages, tools=[PRICE]
            )
            call = next(block for block in first.content if block.type == "tool_use")
            messages += [first.to_param(), user(result(call.id, "2 euros"))]
            second = await client.messages.create(
                model=MODEL, max_tokens=500, messages=messages, tools=[PRICE]
            )
            return second.content[0].text

    assert asyncio.run(talk()) == "2 euros"
    assert asyncio.run(talk()) == "2 euros", "a second event loop works as well as the first"


@pytest.mark.parametrize("options", [{}, {"thread": False}])
def test_the_tool_runner_works_with_and_without_a_thread(clients, options):
    client, _ = clients

    @anthropic.beta_tool
    def price(item: str) -> str:
        """The price of an item."""
        return f"{item}: 2 euros"

    runner = client.beta.messages.tool_runner(
        model=MODEL, max_tokens=500, messages=[user("Price of bun?")], tools=[price], **options
    )
    assert runner.until_done().content[0].text == "bun: 2 euros"


def test_errors_arrive_as_the_sdk_exceptions_with_their_ids(clients):
    client, _ = clients
    with pytest.raises(anthropic.BadRequestError) as bad:
        client.messages.create(**body(ASK, assistant(use("toolu_a")), user("Well?")))
    assert "toolu_a" in str(bad.value) and bad.value.request_id.startswith("req_01")
    with pytest.raises(anthropic.NotFoundError):
        client.messages.create(**body() | {"model": "claude-3-opus-20240229"})
    with pytest.raises(anthropic.BadRequestError, match="temperature"):
        client.messages.create(**body(), extra_body={"temperature": 0})


def test_the_sdk_counts_and_lists(clients):
    client, _ = clients
    assert client.messages.count_tokens(model=MODEL, messages=[user("Hi")]).input_tokens > 0
    assert MODEL in [one.id for one in client.models.list(limit=4)]
    assert client.models.retrieve(MODEL).display_name == "Claude Haiku 5.5"


def test_the_raw_response_has_the_headers_that_the_sdk_reads(clients):
    client, _ = clients
    raw = client.messages.with_raw_response.create(**body())
    assert raw.headers["content-type"] == "application/json"
    assert raw.headers["request-id"] == raw.request_id
    assert raw.parse().content[0].text == "Hello."
