"""Gemini: what is accepted, what is refused and in which words, and what is answered."""

from __future__ import annotations

import base64
import json
from typing import Any

import pytest
import wire_tools
from hypothesis import given
from hypothesis import strategies as st

from practice_model import PracticeModel
from practice_model.facts.models import GEMINI_LISTED
from practice_model.request import Call, Decision, Request

MODEL = "gemini-3.5-flash-lite"
OLD = "gemini-2.5-flash"
PARAMETERS = {"type": "OBJECT", "properties": {"item": {"type": "STRING"}}, "required": ["item"]}
PRICE = {"name": "price", "description": "The price of an item.", "parameters": PARAMETERS}
WEATHER = {"name": "weather", "description": "The weather.", "parametersJsonSchema": {"type": "object"}}
ANSWER_KEYS = {"candidates", "usageMetadata", "modelVersion", "responseId"}


def user(*parts: Any) -> dict:
    return {"role": "user", "parts": [{"text": part} if isinstance(part, str) else part for part in parts]}


def model(*parts: Any) -> dict:
    return {**user(*parts), "role": "model"}


def call(name: str = "price", signature: str = "c2ln", **more: Any) -> dict:
    part = {"functionCall": {"name": name, "args": {"item": "bun"}, **more}}
    return {**part, "thoughtSignature": signature} if signature else part


def answer(name: str = "price", response: Any = None, **more: Any) -> dict:
    response = {"result": 2} if response is None else response
    return {"functionResponse": {"name": name, "response": response, **more}}


def body(*contents: dict, **more: Any) -> dict:
    return {"contents": list(contents) or [user("Price of bun?")], **more}


def tools(*functions: dict) -> list[dict]:
    return [{"functionDeclarations": list(functions)}]


class Scripted(wire_tools.Scripted):
    BEFORE_CALLS = THINKING = ""
    HELLO = "Hello, what can I do for you today?"


def path(method: str = "generateContent", model: str = MODEL, version: str = "v1beta") -> str:
    return f"/{version}/models/{model}:{method}"


def send(data: Any, *, to: str = "", model: str = MODEL, brain: Any = None, key: str = "practice"):
    """The status and the parsed answer."""
    method = "GET" if data is None else "POST"
    raw = b"" if data is None else json.dumps(data).encode("utf-8")
    headers = {"x-goog-api-key": key} if key else {}
    reply = PracticeModel(brain or Scripted()).handle(method, to or path(model=model), headers, raw)
    return reply.status, json.loads(reply.body if isinstance(reply.body, bytes) else b"".join(reply.body))


def refusal(data: Any, **options: Any) -> str:
    """The message of a 400."""
    status, found = send(data, **options)
    assert status == 400, found
    assert set(found) == {"error"}
    assert (found["error"]["code"], found["error"]["status"]) == (400, "INVALID_ARGUMENT")
    return found["error"]["message"]


def accepted(data: Any, **options: Any) -> dict:
    status, found = send(data, **options)
    assert status == 200, found
    return found


def neutral(data: Any, **options: Any) -> Request:
    """The request as `decide` sees it."""
    brain = Scripted(Decision(text="Hi."))
    accepted(data, brain=brain, **options)
    return brain.asked[0]


# Keys, paths, models ---------------------------------------------------------------------------------


def test_a_request_without_a_key_is_403():
    status, found = send(body(), key="")
    assert (status, found["error"]["status"]) == (403, "PERMISSION_DENIED")
    assert found["error"]["message"].startswith("Method doesn't allow unregistered callers")


def test_the_key_may_be_in_the_query():
    assert send(body(), key="", to=path() + "?key=practice")[0] == 200


@pytest.mark.parametrize("key", ["YOUR_API_KEY", "<your key>", "your-gemini-api-key", "an invalid key"])
def test_a_placeholder_is_not_a_key(key):
    status, found = send(body(), key=key)
    assert status == 400
    assert found["error"]["message"] == "API key not valid. Please pass a valid API key."
    assert found["error"]["details"][0]["reason"] == "API_KEY_INVALID"


@pytest.mark.parametrize("version", ["v1beta", "v1", "v1alpha"])
def test_each_version_of_the_api_is_served(version):
    assert send(body(), to=path(version=version))[0] == 200


def test_an_unknown_model_is_404_with_the_version_and_the_method():
    status, found = send(body(), to=path("streamGenerateContent", "gemini-3.5-flsh-lite", "v1"))
    assert status == 404
    error = (found[0] if isinstance(found, list) else found)["error"]
    assert error["status"] == "NOT_FOUND"
    assert error["message"] == (
        "models/gemini-3.5-flsh-lite is not found for API version v1, or is not supported for "
        "streamGenerateContent. Call ListModels to see the list of available models and their supported "
        "methods. (did you mean gemini-3.5-flash-lite?)"
    )


@pytest.mark.parametrize(
    "name", ["gemini-pro", "gemini-1.5-flash", "gemini-1.5-pro-latest-002", "gemini-2.5-pro-preview-05-06"]
)
def test_a_retired_model_is_404_and_says_so(name):
    status, found = send(body(), model=name)
    assert status == 404
    assert found["error"]["message"].startswith(f"This model models/{name} is no longer available.")


@pytest.mark.parametrize("name", [*GEMINI_LISTED, "gemini-2.0-flash", "gemini-3.9-pro", "gemini-4-argon"])
def test_a_known_model_answers_under_its_name(name):
    assert accepted(body(), model=name)["modelVersion"] == name


def test_the_list_of_models_comes_in_pages():
    first = accepted(None, to="/v1beta/models?pageSize=3")
    assert [one["name"] for one in first["models"]] == [f"models/{name}" for name in GEMINI_LISTED[:3]]
    rest = accepted(None, to=f"/v1beta/models?pageToken={first['nextPageToken']}")
    assert len(first["models"]) + len(rest["models"]) == len(GEMINI_LISTED)
    assert "nextPageToken" not in rest
    assert accepted(None, to=f"/v1/models/{MODEL}")["outputTokenLimit"] == 65_536
    assert send(None, to="/v1beta/models/gemini-9")[0] == 404


def test_a_body_that_is_not_json_is_refused_in_this_apis_shape():
    reply = PracticeModel(Scripted()).handle("POST", path(), {"x-goog-api-key": "k"}, b"{")
    error = json.loads(reply.body)["error"]
    assert (reply.status, error["status"]) == (400, "INVALID_ARGUMENT")
    assert error["message"].startswith("Invalid JSON payload received.")


def test_a_raw_line_break_in_a_string_is_taken():
    raw = b'{"contents": [{"parts": [{"text": "one\n\ttwo"}]}]}'
    brain = Scripted(Decision(text="Hi."))
    practice = PracticeModel(brain)
    assert practice.handle("POST", path(), {"x-goog-api-key": "k"}, raw).status == 200
    assert brain.asked[0].turns[-1].text == "one\n\ttwo"
    assert practice.log.list()[0].request["contents"][0]["parts"][0]["text"] == "one\n\ttwo"


@pytest.mark.parametrize(
    ("to", "headers"),
    [
        (f"/models/{MODEL}:generateContent", {}),
        (f"/models/{MODEL}:generateContent", {"authorization": "Bearer k"}),
        (f"/v1beta2/models/{MODEL}:generateContent", {}),
        (f"/v1beta/models/{MODEL}:embedContent", {}),
        (f"/v1beta/model/{MODEL}", {}),
        ("/v1beta", {}),
        (f"/models/{MODEL}", {}),
        ("/models", {}),
        ("/v2/interactions", {"x-goog-api-key": "k"}),
        ("/v1beta/openai/chat/completions", {"authorization": "Bearer k"}),
    ],
)
def test_a_route_that_gemini_has_not_is_404_in_its_shape(to, headers):
    reply = PracticeModel(Scripted()).handle("POST", to, headers, b"{}")
    error = json.loads(reply.body)["error"]
    assert (reply.status, error["code"], error["status"]) == (404, 404, "NOT_FOUND")
    assert "POST /v1beta/models/{model}:generateContent" in error["message"]


@pytest.mark.parametrize(
    ("to", "headers"),
    [
        ("/models", {"authorization": "Bearer k"}),
        ("/models/gpt-4o", {"authorization": "Bearer k"}),
        ("/v1/models/ft:gpt-4o-mini:shop::7", {"authorization": "Bearer k"}),
        ("/models", {"anthropic-version": "2023-06-01", "x-api-key": "k"}),
        ("/v2/chat", {"authorization": "Bearer k"}),
    ],
)
def test_paths_of_the_other_services_are_not_taken_for_geminis(to, headers):
    found = json.loads(PracticeModel(Scripted()).handle("GET", to, headers, b"").body)
    assert "status" not in found["error"]


# The shape of a request ------------------------------------------------------------------------------

UNKNOWN = 'Invalid JSON payload received. Unknown name "{}"{}: Cannot find field.'
TYPES = "type.googleapis.com/google.ai.generativelanguage.v1beta."


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"messages": []}, UNKNOWN.format("messages", "")),
        ({"temperature": 0}, UNKNOWN.format("temperature", "")),
        ({"function_Declarations": []}, UNKNOWN.format("function_Declarations", "")),
        ({"generationConfig": {"max_tokens": 5}}, UNKNOWN.format("max_tokens", " at 'generation_config'")),
        ({"contents": [{"content": "Hi"}]}, UNKNOWN.format("content", " at 'contents[0]'")),
        ({"contents": "Hi"}, f"Invalid value at 'contents' ({TYPES}Content), \"Hi\""),
        ({"contents": ["Hi"]}, f"Invalid value at 'contents[0]' ({TYPES}Content), \"Hi\""),
        (
            {"contents": [{"parts": [{"text": 5}]}]},
            "Invalid value at 'contents[0].parts[0].text' (TYPE_STRING), 5",
        ),
        (
            {"contents": [{"parts": [{"text": {}}]}]},
            "Invalid JSON payload received. Unknown name \"text\" at 'contents[0].parts[0]': Starting an "
            "object on a scalar field.",
        ),
        (
            {"contents": [user({"text": "Hi", "functionCall": {"name": "price"}})]},
            "Invalid value at 'contents[0].parts[0]' (oneof), oneof field 'data' is already set. "
            "Cannot set 'functionCall'",
        ),
        (
            {"contents": [model({"text": "Hi", "thoughtSignature": "not base64!"})]},
            "Invalid value at 'contents[0].parts[0].thought_signature' (TYPE_BYTES), Base64 decoding failed "
            'for "not base64!"',
        ),
        (
            {"generationConfig": {"maxOutputTokens": "many"}},
            "Invalid value at 'generation_config.max_output_tokens' (TYPE_INT32), \"many\"",
        ),
        (
            {"toolConfig": {"functionCallingConfig": {"mode": "required"}}},
            "Invalid value at 'tool_config.function_calling_config.mode' "
            f'({TYPES}FunctionCallingConfig.Mode), "required"',
        ),
        (
            {"contents": [model({"functionCall": {"name": "price", "args": "{}"}})]},
            "Invalid value at 'contents[0].parts[0].function_call.args' "
            '(type.googleapis.com/google.protobuf.Struct), "{}"',
        ),
        (
            {"contents": [user({"functionResponse": {"name": "price", "response": [2]}})]},
            'Invalid JSON payload received. Unknown name "response" at '
            "'contents[0].parts[0].function_response': Proto field is not repeating, cannot start list.",
        ),
        ({"tools": [{"type": "function"}]}, UNKNOWN.format("type", " at 'tools[0]'")),
    ],
)
def test_a_wrong_field_is_named_with_its_place(change, message):
    assert refusal({**body(), **change}) == message


def test_all_wrong_fields_are_told_at_once_and_listed_in_the_details():
    status, found = send({**body(), "model_name": "x", "generationConfig": {"n": 1}})
    assert status == 400
    assert found["error"]["message"].count("Cannot find field.") == 2
    violations = found["error"]["details"][0]["fieldViolations"]
    assert [violation.get("field") for violation in violations] == [None, "generation_config"]


@pytest.mark.parametrize("data", [[], "text", 5, None])
def test_a_body_that_is_not_an_object_is_refused(data):
    reply = PracticeModel(Scripted()).handle(
        "POST", path(), {"x-goog-api-key": "k"}, json.dumps(data).encode()
    )
    assert json.loads(reply.body)["error"]["message"] == (
        'Invalid JSON payload received. Unknown name "": Root element must be a message.'
    )


def test_both_spellings_of_a_field_and_the_short_forms_are_accepted():
    camel = body(
        systemInstruction=user("Be brief."), tools=tools(PRICE), generationConfig={"maxOutputTokens": 9}
    )
    snake = {
        "contents": {"parts": {"text": "Price of bun?"}},
        "system_instruction": {"parts": {"text": "Be brief."}},
        "tools": {"function_declarations": {**PRICE, "response": None}},
        "generation_config": {"max_output_tokens": "9"},
    }
    assert neutral(camel) == neutral(snake)


@pytest.mark.parametrize(
    "more",
    [
        {"safetySettings": [{"category": "HARM_CATEGORY_HARASSMENT", "threshold": "BLOCK_NONE"}]},
        {"tools": [{"googleSearch": {}}]},
        {
            "tools": [*tools(PRICE), {"codeExecution": {}}],
            "toolConfig": {"includeServerSideToolInvocations": True},
        },
        {
            "generationConfig": {
                "temperature": 0,
                "topP": 0.9,
                "topK": 40,
                "seed": 1,
                "stopSequences": ["END"],
            }
        },
        {"generationConfig": {"thinkingConfig": {"thinkingLevel": "LOW", "includeThoughts": True}}},
        {"generationConfig": {"responseModalities": ["TEXT"], "candidateCount": 1}},
        {"cachedContent": "cachedContents/x", "serviceTier": "standard", "labels": {"team": "a"}},
        {"tools": []},
        {"contents": [{"parts": [{"text": "Without a role"}]}]},
        {"contents": [user({"inlineData": {"mimeType": "image/png", "data": "aGk="}}, "What is it?")]},
    ],
)
def test_what_the_sdk_can_send_is_accepted(more):
    accepted({**body(), **more})


# The rules of the conversation -----------------------------------------------------------------------

ASK = user("Price of bun and tea?")
COUNT = (
    "Please ensure that the number of function response parts is equal to the number of function call parts "
    "of the function call turn."
)
CALL_TURN = (
    "Please ensure that function call turn comes immediately after a user turn or after a function response "
    "turn."
)
RESPONSE_TURN = "Please ensure that function response turn comes immediately after a function call turn."


@pytest.mark.parametrize(
    ("contents", "said"),
    [
        ([], "* GenerateContentRequest.contents: contents is not specified\n"),
        ([ASK, model()], "* GenerateContentRequest.contents[1].parts: contents.parts must not be empty.\n"),
        (
            [user({})],
            "* GenerateContentRequest.contents[0].parts[0].data: required oneof field 'data' must have one "
            "initialized field\n",
        ),
        (
            [ASK, model(call()), user(answer(name=""))],
            "* GenerateContentRequest.contents[2].parts[0].function_response.name: Name cannot be empty.\n",
        ),
        ([{"role": "system", "parts": [{"text": "Be brief."}]}], "Please use a valid role: user, model."),
        ([{"role": "assistant", "parts": [{"text": "Hi."}]}], "Please use a valid role: user, model."),
        ([ASK, model(call(), call("weather", "")), user(answer())], COUNT),
        ([ASK, model(call()), user(answer(), answer())], COUNT),
        ([ASK, model(call()), user("Well?")], COUNT),
        ([ASK, model(call())], COUNT),
        ([model(call()), user(answer())], CALL_TURN),
        ([ASK, user(call())], CALL_TURN),
        ([user(answer())], RESPONSE_TURN),
        ([ASK, model("Hm."), user(answer())], RESPONSE_TURN),
        ([ASK, model(call()), user(answer()), model("2."), user(answer())], RESPONSE_TURN),
        ([ASK, model(call(), answer())], RESPONSE_TURN),
        ([ASK, model("It costs")], "Requests ending with a model turn are not supported."),
    ],
)
def test_a_conversation_that_breaks_a_rule_is_told_which(contents, said):
    found = refusal({"contents": contents, "tools": tools(PRICE)})
    assert found == said or found.startswith(said + " (")


def test_a_wrong_number_of_responses_is_told_with_places_and_names():
    found = refusal(body(ASK, model(call(), call("weather", "")), user(answer())))
    assert found.endswith(
        "(contents[1] has 2 functionCall parts: price, weather; after it, contents[2] has 1 functionResponse "
        "part)"
    )


@pytest.mark.parametrize(
    "contents",
    [
        [ASK, model(call()), user(answer())],
        [ASK, model(call()), {**user(answer()), "role": "function"}],
        [ASK, model(call()), {**user(answer()), "role": "tool"}],
        [ASK, model("Let me see.", call(), call("weather", "")), user(answer(), answer("weather"))],
        [ASK, model(call()), model(call("weather", "")), user(answer(), answer("weather"))],
        [ASK, model(call()), user(answer()), user("And now?")],
        [ASK, model(call()), user(answer()), model(call("weather")), user(answer("weather"))],
        [user("Hi"), user("there"), model("Hello."), model("What is it?"), user("Nothing")],
        [ASK, model(call()), user(answer(response={}))],
        [ASK, model("", {"thoughtSignature": "c2ln"}), user("Go on")],
    ],
)
def test_a_conversation_that_keeps_the_rules_is_accepted(contents):
    accepted(body(*contents, tools=tools(PRICE)))


def test_only_older_models_take_the_beginning_of_an_answer():
    accepted(body(ASK, model("It costs")), model="gemini-3-flash-preview")


# Thought signatures ----------------------------------------------------------------------------------

NO_SIGNATURE = (
    "Function call is missing a thought_signature in functionCall parts. This is required for tools to work "
    "correctly, and missing thought_signature may lead to degraded model performance. Additional data, "
    "function call `default_api:{}` , position {}. Please refer to https://ai.google.dev/gemini-api/docs/"
    "thought-signatures for more details."
)


def test_a_call_of_the_current_turn_must_come_back_with_its_signature():
    unsigned = [ASK, model(call(signature="")), user(answer())]
    assert refusal(body(*unsigned)) == NO_SIGNATURE.format("price", 2)
    accepted(body(*unsigned), model=OLD)


def test_each_step_of_the_current_turn_needs_a_signature_on_its_first_call():
    step = [ASK, model(call(), call("weather", "")), user(answer(), answer("weather"))]
    accepted(body(*step))
    again = [*step, model(call("weather", "")), user(answer("weather"))]
    assert refusal(body(*again)) == NO_SIGNATURE.format("weather", 4)


def test_calls_of_earlier_turns_are_not_looked_at():
    accepted(body(ASK, model(call(signature="")), user(answer()), model("2."), user("Thanks.")))


def test_the_answer_carries_a_signature_that_is_accepted_when_it_comes_back():
    first = accepted(body(tools=tools(PRICE, WEATHER)))["candidates"][0]["content"]
    assert base64.b64decode(first["parts"][0]["thoughtSignature"])
    accepted(body(user("Price of bun?"), first, user(answer()), tools=tools(PRICE, WEATHER)))


# Functions -------------------------------------------------------------------------------------------

PLACE = "tools[0].function_declarations[0]"


def one(schema: Any) -> dict:
    """A function with one parameter of the given schema."""
    return {"name": "price", "parameters": {"type": "object", "properties": {"a": schema}}}


@pytest.mark.parametrize("name", ["", "1st", "a b", "a/b", "a" * 65])
def test_a_bad_name_is_named_with_its_place(name):
    said = refusal(body(tools=tools({**PRICE, "name": name})))
    assert said.startswith(f"* GenerateContentRequest.{PLACE}.name: Invalid function name. Must start with")


@pytest.mark.parametrize("name", ["_x", "a.b", "a:b", "a-b", "a" * 64])
def test_a_name_within_the_pattern_is_accepted(name):
    accepted(body(tools=tools({**PRICE, "name": name})))


def test_a_function_is_declared_once_over_all_tools():
    assert refusal(body(tools=tools(PRICE, PRICE))) == "Duplicate function declaration found: price"
    assert (
        refusal(body(tools=[*tools(PRICE), *tools(PRICE)])) == "Duplicate function declaration found: price"
    )


@pytest.mark.parametrize("key", ["additionalProperties", "$schema", "$defs", "$ref", "const", "prefixItems"])
def test_keywords_of_json_schema_are_unknown_in_parameters(key):
    at = f"{PLACE}.parameters.properties[0].value"
    assert refusal(body(tools=tools(one({"type": "STRING", key: "x"})))) == UNKNOWN.format(key, f" at '{at}'")


def test_parameters_may_be_named_like_keywords():
    names = {"const": {"type": "STRING"}, "$ref": {"type": "STRING"}}
    accepted(body(tools=tools({"name": "f", "parameters": {"type": "OBJECT", "properties": names}})))


@pytest.mark.parametrize(
    ("schema", "said"),
    [
        ({"type": "ARRAY"}, "properties[a].items: missing field."),
        ({"type": "OBJECT"}, "properties[a].properties: should be non-empty for OBJECT type"),
        ({"type": "INTEGER", "enum": ["1"]}, "properties[a].enum: only allowed for STRING type"),
        ({"type": "STRING", "enum": [""]}, "properties[a].enum[0]: cannot be empty"),
        ({}, "properties[a].type: must be specified when not using one_of, any_of or all_of fields"),
        (
            {"type": "STRING", "items": {"type": "STRING"}},
            "properties[a].items: field predicate failed: $type == Type.ARRAY",
        ),
        (
            {"type": "STRING", "properties": {"b": {"type": "STRING"}}},
            "properties[a].properties: only allowed for OBJECT type",
        ),
        ({"type": "STRING", "required": ["b"]}, "properties[a].required: only allowed for OBJECT type"),
        (
            {"type": "OBJECT", "properties": {"b": {"type": "STRING"}}, "required": ["c"]},
            "properties[a].required[0]: property is not defined",
        ),
        (
            {"type": "STRING", "format": "date"},
            "properties[a].format: only 'enum' and 'date-time' are supported for STRING type",
        ),
        ({"anyOf": [{"type": "ARRAY"}]}, "properties[a].any_of[0].items: missing field."),
        ({"type": "ARRAY", "items": {"type": "ARRAY"}}, "properties[a].items.items: missing field."),
    ],
)
def test_a_schema_outside_the_subset_is_refused_with_the_place(schema, said):
    assert refusal(body(tools=tools(one(schema)))) == f"* GenerateContentRequest.{PLACE}.parameters.{said}\n"


@pytest.mark.parametrize(
    ("schema", "said"),
    [
        (
            {"type": ["STRING", "NULL"]},
            'Invalid JSON payload received. Unknown name "type" at '
            f"'{PLACE}.parameters.properties[0].value': Proto field is not repeating, cannot start list.",
        ),
        (
            {"type": "str"},
            f"Invalid value at '{PLACE}.parameters.properties[0].value.type' ({TYPES}Type), \"str\"",
        ),
        (
            {"type": "STRING", "enum": [1]},
            f"Invalid value at '{PLACE}.parameters.properties[0].value.enum[0]' (TYPE_STRING), 1",
        ),
    ],
)
def test_a_schema_of_the_wrong_shape_is_refused_with_the_place(schema, said):
    assert refusal(body(tools=tools(one(schema)))) == said


@pytest.mark.parametrize(
    "schema",
    [
        {"type": "STRING", "nullable": True},
        {"type": "string", "enum": ["metric"], "description": "d", "format": "enum", "title": "A"},
        {"type": "ARRAY", "items": {"type": "NUMBER"}, "minItems": "1"},
        {"anyOf": [{"type": "STRING"}, {"type": "INTEGER"}]},
        {"type": "OBJECT", "properties": {"b": {"type": "BOOLEAN"}}, "propertyOrdering": ["b"]},
        {"type": "INTEGER", "minimum": 1, "maximum": 5, "default": 3, "example": 2},
    ],
)
def test_a_schema_inside_the_subset_is_accepted(schema):
    accepted(body(tools=tools(one(schema))))


@pytest.mark.parametrize("given", [{}, {"properties": {}}, {"properties": {}, "required": []}])
def test_parameters_may_be_an_object_without_a_property_or_left_out(given):
    empty = {"name": "price", "parameters": {"type": "OBJECT", **given}}
    assert neutral(body(tools=tools(empty))).tools[0].schema == {"type": "object"}
    accepted(body(tools=tools({"name": "price"})))


def test_parameters_without_a_property_can_require_none():
    empty = {"name": "price", "parameters": {"type": "OBJECT", "properties": {}, "required": ["item"]}}
    said = f"* GenerateContentRequest.{PLACE}.parameters.required[0]: property is not defined\n"
    assert refusal(body(tools=tools(empty))) == said


@pytest.mark.parametrize("name", ["parametersJsonSchema", "parameters_json_schema"])
def test_a_json_schema_of_parameters_may_be_named_in_both_spellings(name):
    schema = {"type": "object", "properties": {}, "additionalProperties": {"type": "string"}}
    accepted(body(tools=tools({"name": "f", name: schema})))
    status, found = send(body(tools=tools({"name": "f", name: {"type": "object", "properties": []}})))
    assert (status, found["error"]["status"]) == (400, "INVALID_ARGUMENT")
    assert found["error"]["message"].startswith(f"{PLACE}.parameters_json_schema: JSON schema is invalid.")


def test_the_root_of_a_schema_is_an_object():
    said = "Unable to submit request because `f` functionDeclaration `parameters` schema should be of type"
    assert refusal(body(tools=tools({"name": "f", "parameters": {"type": "STRING"}}))) == said + " OBJECT."
    assert (
        refusal(body(tools=tools({"name": "f", "parametersJsonSchema": {"type": "string"}})))
        == said + " OBJECT."
    )


def test_json_schema_is_taken_as_it_is():
    schema = {
        "$defs": {"Kind": {"enum": ["a", "b"], "type": "string"}},
        "type": "object",
        "properties": {"kind": {"$ref": "#/$defs/Kind"}, "pair": {"type": "array", "prefixItems": [{}]}},
        "additionalProperties": False,
    }
    asked = neutral(body(tools=tools({"name": "f", "parameters_json_schema": schema})))
    assert asked.tools[0].schema == schema
    wrong = {"type": "object", "properties": {"a": {"type": "strng"}}}
    assert "'strng' is not a type" in refusal(body(tools=tools({"name": "f", "parametersJsonSchema": wrong})))
    both = {**PRICE, "parametersJsonSchema": schema}
    assert "mutually exclusive" in refusal(body(tools=tools(both)))


def test_the_subset_of_openapi_becomes_json_schema():
    properties = {
        "unit": {"type": "STRING", "nullable": True, "enum": ["C", "F"]},
        "days": {"type": "INTEGER", "minimum": 1, "format": "int32"},
        "tags": {"type": "ARRAY", "items": {"type": "STRING"}, "maxItems": 3},
    }
    schema = {"type": "OBJECT", "properties": properties, "required": ["days"]}
    asked = neutral(body(tools=tools({"name": "f", "parameters": schema})))
    assert asked.tools[0].schema == {
        "type": "object",
        "properties": {
            "unit": {"type": ["string", "null"], "enum": ["C", "F", None]},
            "days": {"type": "integer", "minimum": 1},
            "tags": {"type": "array", "items": {"type": "string"}, "maxItems": 3},
        },
        "required": ["days"],
    }


# Function calling config, generation config ----------------------------------------------------------


def calling(mode: str, *names: str) -> dict:
    config = {"mode": mode, **({"allowedFunctionNames": list(names)} if names else {})}
    return {"toolConfig": {"functionCallingConfig": config}}


@pytest.mark.parametrize(
    ("more", "said"),
    [
        (calling("ANY"), "Function calling config is set without function_declarations."),
        (
            {"tools": [{"googleSearch": {}}], **calling("AUTO")},
            "Function calling config is set without function_declarations.",
        ),
        (
            {"tools": [{}]},
            "* GenerateContentRequest.tools[0].tool_type: required one_of 'tool_type' must have one "
            "initialized field\n",
        ),
        (
            {"tools": tools(PRICE), **calling("AUTO", "price")},
            "Please set allowed_function_names only when function calling mode is ANY.",
        ),
        (
            {"tools": [*tools(PRICE), {"googleSearch": {}}]},
            "Please enable tool_config.include_server_side_tool_invocations to use Built-in tools with "
            "Function calling.",
        ),
        ({"generationConfig": {"candidateCount": 2}}, "Multiple candidates is not enabled for this model"),
        (
            {"generationConfig": {"thinkingConfig": {"thinkingBudget": 600, "thinkingLevel": "LOW"}}},
            "You can only set only one of thinking budget and thinking level.",
        ),
        (
            {"generationConfig": {"thinkingConfig": {"thinkingBudget": 52428}}},
            "The thinking budget (52428) is invalid. Please choose a value between 512 and 24576.",
        ),
        (
            {"generationConfig": {"maxOutputTokens": 100_000}},
            "Unable to submit request because it has a maxOutputTokens value of 100000 but the supported "
            "range is from 1 (inclusive) to 65537 (exclusive). Update the value and try again.",
        ),
        (
            {"generationConfig": {"temperature": 3}},
            "* GenerateContentRequest.generation_config.temperature: "
            "temperature must be in the range [0.0, 2.0]\n",
        ),
        (
            {"generationConfig": {"responseMimeType": "text/html"}},
            "* GenerateContentRequest.generation_config.response_mime_type: allowed mimetypes are "
            "`text/plain`, `application/json`, `application/xml`, `application/yaml` and `text/x.enum`.\n",
        ),
        (
            {
                "generationConfig": {
                    "responseMimeType": "application/json",
                    "responseSchema": {"type": "OBJECT", "properties": {"a": {"type": "OBJECT"}}},
                }
            },
            "* GenerateContentRequest.generation_config.response_schema.properties[a].properties: should be "
            "non-empty for OBJECT type\n",
        ),
    ],
)
def test_a_request_that_breaks_a_rule_is_told_which(more, said):
    assert refusal(body(**more)) == said


def test_an_allowed_name_must_be_declared():
    said = refusal(body(tools=tools(PRICE), **calling("ANY", "price", "weather")))
    assert "allowed_function_names[1]: `weather` is not found in function_declarations" in said


@pytest.mark.parametrize(
    ("more", "said"),
    [
        (
            {"generationConfig": {"responseMimeType": "application/json"}},
            "Function calling with a response mime type: 'application/json' is unsupported",
        ),
        (
            {"generationConfig": {"thinkingConfig": {"thinkingLevel": "LOW"}}},
            "Thinking level is not supported for this model.",
        ),
        ({"tools": [*tools(PRICE), {"googleSearch": {}}]}, "Tool use with function calling is unsupported"),
    ],
)
def test_what_older_models_do_not_take(more, said):
    assert refusal({**body(tools=tools(PRICE)), **more}, model=OLD) == said


def test_the_pro_model_cannot_stop_thinking():
    config = {"thinkingConfig": {"thinkingBudget": 0}}
    assert refusal(body(generationConfig=config), model="gemini-2.5-pro") == (
        "Budget 0 is invalid. This model only works in thinking mode."
    )
    accepted(body(generationConfig=config), model=OLD)


# To the neutral request ------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("config", "mode", "name", "offered", "strict"),
    [
        ({}, "auto", "", ["price", "weather"], False),
        (calling("AUTO"), "auto", "", ["price", "weather"], False),
        (calling("NONE"), "none", "", ["price", "weather"], False),
        (calling("ANY"), "any", "", ["price", "weather"], True),
        (calling("any", "weather"), "tool", "weather", ["weather"], True),
        (calling("ANY", "price", "weather"), "any", "", ["price", "weather"], True),
        (calling("VALIDATED"), "auto", "", ["price", "weather"], True),
        (calling("VALIDATED", "price"), "auto", "", ["price"], True),
    ],
)
def test_the_function_calling_config_is_a_tool_choice(config, mode, name, offered, strict):
    asked = neutral(body(tools=tools(PRICE, WEATHER), **config))
    assert (asked.tool_choice.mode, asked.tool_choice.name) == (mode, name)
    assert [tool.name for tool in asked.tools] == offered
    assert {tool.strict for tool in asked.tools} == {strict}


@pytest.mark.parametrize(
    ("response", "content", "is_error"),
    [
        ({"result": 2}, "2", False),
        ({"output": "sunny"}, "sunny", False),
        ({"result": {"price": 2}}, '{"price": 2}', False),
        ({"price": 2, "currency": "€"}, '{"price": 2, "currency": "€"}', False),
        ({"error": "no such item"}, "no such item", True),
        ({"error": {"code": 4}}, '{"code": 4}', True),
        ({"error": None, "result": 2}, '{"error": null, "result": 2}', False),
        ({"output": 2, "error": "rounded"}, '{"output": 2, "error": "rounded"}', False),
        ({}, "{}", False),
    ],
)
def test_a_response_is_a_result_and_the_key_error_says_that_it_failed(response, content, is_error):
    result = neutral(body(ASK, model(call()), user(answer(response=response)))).turns[-1].results[0]
    assert (result.content, result.is_error) == (content, is_error)


@pytest.mark.parametrize(
    ("calls", "answers", "order"),
    [
        ([call(id="x"), call(id="y")], [answer(id="y"), answer(id="x")], [1, 0]),
        ([call(), call("weather")], [answer("weather"), answer()], [1, 0]),
        ([call(), call()], [answer(), answer()], [0, 1]),
        ([call(), call("weather")], [answer("other"), answer("weather")], [0, 1]),
    ],
)
def test_responses_belong_to_calls_by_id_then_by_name_then_by_place(calls, answers, order):
    asked = neutral(body(ASK, model(*calls), user(*answers)))
    made, results = asked.turns[1].calls, asked.turns[2].results
    assert [result.call_id for result in results] == [made[n].id for n in order]
    assert len({one.id for one in made}) == 2


def test_the_history_is_merged_into_turns_without_thoughts():
    image = {"inlineData": {"mimeType": "image/png", "data": "aGk="}}
    paper = {"fileData": {"mimeType": "application/pdf", "fileUri": "files/x"}}
    history = [user("Hi", image), user(paper), model({"text": "Hm.", "thought": True}, "Hello."), user("Bye")]
    asked = neutral(body(*history, systemInstruction={"parts": [{"text": "Be brief."}]}))
    assert asked.system == "Be brief."
    assert [(turn.role, turn.text, turn.media) for turn in asked.turns] == [
        ("user", "Hi", ("image", "document")),
        ("assistant", "Hello.", ()),
        ("user", "Bye", ()),
    ]


def test_limits_and_structured_output_reach_the_brain():
    schema = {"type": "OBJECT", "properties": {"a": {"type": "STRING"}}}
    config = {
        "maxOutputTokens": 50,
        "stopSequences": ["END"],
        "responseMimeType": "application/json",
        "responseSchema": schema,
    }
    asked = neutral(body(generationConfig=config))
    assert (asked.max_tokens, asked.stop_sequences) == (50, ("END",))
    assert asked.output_schema == {"type": "object", "properties": {"a": {"type": "string"}}}
    json_schema = {"responseMimeType": "application/json", "responseJsonSchema": {"minProperties": 1}}
    assert neutral(body(generationConfig=json_schema)).output_schema == {"minProperties": 1}
    assert neutral(body(generationConfig={"responseSchema": schema})).output_schema is None


# The answer ------------------------------------------------------------------------------------------


def test_a_text_is_one_part_and_ends_with_stop():
    found = accepted(body())
    assert set(found) == ANSWER_KEYS
    candidate = found["candidates"][0]
    assert candidate["content"]["role"] == "model"
    assert candidate["content"]["parts"][0]["text"] == "Hello, what can I do for you today?"
    assert (candidate["finishReason"], candidate["index"]) == ("STOP", 0)
    usage = found["usageMetadata"]
    assert usage["totalTokenCount"] == usage["promptTokenCount"] + usage["candidatesTokenCount"]


def test_a_call_is_a_part_with_an_id_and_ends_with_stop_as_well():
    candidate = accepted(body(tools=tools(PRICE)))["candidates"][0]
    part = candidate["content"]["parts"][0]
    assert part["functionCall"]["name"] == "price"
    assert part["functionCall"]["args"] == {"item": "bun"}
    assert part["functionCall"]["id"]
    assert candidate["finishReason"] == "STOP"
    assert candidate["finishMessage"] == "Model generated function call(s)."


def test_older_models_give_no_ids_and_only_the_first_of_several_calls_is_signed():
    two = Scripted(Decision(calls=(Call("price", {"item": "bun"}), Call("price", {"item": "tea"}))))
    new = accepted(body(tools=tools(PRICE)), brain=two)["candidates"][0]["content"]["parts"]
    assert ["thoughtSignature" in part for part in new] == [True, False]
    assert new[0]["functionCall"]["id"] != new[1]["functionCall"]["id"]
    old = accepted(body(tools=tools(PRICE)), brain=two, model=OLD)["candidates"][0]["content"]["parts"]
    assert all("id" not in part["functionCall"] for part in old)


def test_thoughts_are_shown_only_where_asked_for_and_counted_either_way():
    thoughtful = Scripted(Decision(text="2.", thinking="A price is asked for."))
    hidden = accepted(body(), brain=thoughtful, model=OLD)
    assert [part.get("thought") for part in hidden["candidates"][0]["content"]["parts"]] == [None]
    usage = hidden["usageMetadata"]
    assert usage["thoughtsTokenCount"] > 0
    parts = ("promptTokenCount", "candidatesTokenCount", "thoughtsTokenCount")
    assert usage["totalTokenCount"] == sum(usage[name] for name in parts)
    config = {"thinkingConfig": {"includeThoughts": True}}
    shown = accepted(body(generationConfig=config), brain=thoughtful)["candidates"][0]["content"]["parts"]
    assert shown[0] == {"text": "A price is asked for.", "thought": True}
    off = body(generationConfig={"thinkingConfig": {"thinkingBudget": 0}})
    assert "thoughtsTokenCount" not in accepted(off, brain=thoughtful, model=OLD)["usageMetadata"]


def test_the_limit_ends_with_max_tokens_and_a_call_that_does_not_fit_is_not_shown():
    short = accepted(body(generationConfig={"maxOutputTokens": 3}))["candidates"][0]
    assert short["finishReason"] == "MAX_TOKENS"
    assert "Hello, what can I do for you today?".startswith(short["content"]["parts"][0]["text"])
    none = accepted(body(tools=tools(PRICE), generationConfig={"maxOutputTokens": 3}))["candidates"][0]
    assert (none["finishReason"], none["content"]) == ("MAX_TOKENS", {"role": "model"})


@pytest.mark.parametrize(
    ("ending", "reason"), [("refusal", "SAFETY"), ("malformed", "MALFORMED_FUNCTION_CALL")]
)
def test_other_ends_have_their_own_reasons(ending, reason):
    candidate = accepted(body(), brain=Scripted(Decision(text="No.", ending=ending)))["candidates"][0]
    assert candidate["finishReason"] == reason
    assert "parts" not in candidate["content"]


def test_a_filtered_prompt_has_no_candidate():
    found = accepted(body(), brain=Scripted(Decision(ending="filtered")))
    assert found["promptFeedback"] == {"blockReason": "PROHIBITED_CONTENT"}
    assert "candidates" not in found


def test_arguments_that_are_no_json_are_a_malformed_call():
    broken = Scripted(Decision(calls=(Call("price", {}, raw='{"item": '),)))
    candidate = accepted(body(tools=tools(PRICE)), brain=broken)["candidates"][0]
    assert candidate["finishReason"] == "MALFORMED_FUNCTION_CALL"


def test_an_enum_is_answered_as_plain_text():
    config = {"responseMimeType": "text/x.enum", "responseSchema": {"type": "STRING", "enum": ["yes", "no"]}}
    found = accepted(body(generationConfig=config), brain=Scripted(Decision(text='{"value": "yes"}')))
    assert found["candidates"][0]["content"]["parts"][0]["text"] == "yes"


@pytest.mark.parametrize(
    ("schema", "text"),
    [
        ({"type": "ARRAY", "items": {"type": "STRING", "enum": ["Lima", "Madrid"]}}, '["Lima", "Madrid"]'),
        ({"type": "STRING", "enum": ["small", "large"]}, '"large"'),
        ({"type": "INTEGER"}, "3"),
    ],
)
def test_a_bare_list_or_value_is_answered_as_such(schema, text):
    config = {"responseMimeType": "application/json", "responseSchema": schema}
    data = body(user("Send 3 large ones to Lima and Madrid."), generationConfig=config)
    reply = PracticeModel().handle("POST", path(), {"x-goog-api-key": "k"}, json.dumps(data).encode())
    assert json.loads(reply.body)["candidates"][0]["content"]["parts"][0]["text"] == text


def test_a_bare_value_that_is_cut_off_stays_bare():
    config = {
        "responseMimeType": "application/json",
        "responseSchema": {"type": "STRING"},
        "maxOutputTokens": 6,
    }
    long = Scripted(Decision(text='{"value": "one two three four five six"}'))
    found = accepted(body(generationConfig=config), brain=long)["candidates"][0]
    assert found["finishReason"] == "MAX_TOKENS"
    assert found["content"]["parts"][0]["text"].startswith('"one')


def test_the_same_request_gets_the_same_answer():
    assert accepted(body(tools=tools(PRICE))) == accepted(body(tools=tools(PRICE)))
    assert accepted(body())["responseId"] != accepted(body(user("Hi")))["responseId"]


def test_tokens_are_counted_by_modality():
    image = {"inlineData": {"mimeType": "image/png", "data": "aGk="}}
    to = path("countTokens")
    alone = accepted(body(user("Hi there")), to=to)["totalTokens"]
    found = accepted(body(user("Hi there", image)), to=to)
    assert [one["modality"] for one in found["promptTokensDetails"]] == ["TEXT", "IMAGE"]
    assert found["totalTokens"] > alone
    whole = {
        "generateContentRequest": {"model": f"models/{MODEL}", **body(user("Hi there"), tools=tools(PRICE))}
    }
    assert accepted(whole, to=to)["totalTokens"] > alone
    assert refusal({}, to=to) == "* CountTokensRequest.contents: contents is not specified\n"


# Streaming -------------------------------------------------------------------------------------------


def chunks(data: Any, query: str = "?alt=sse", **options: Any) -> list[dict]:
    reply = PracticeModel(options.get("brain") or Scripted()).handle(
        "POST", path("streamGenerateContent") + query, {"x-goog-api-key": "k"}, json.dumps(data).encode()
    )
    assert reply.status == 200
    raw = b"".join(reply.body).decode()
    if not query:
        assert reply.headers["content-type"].startswith("application/json")
        return json.loads(raw)
    assert reply.headers["content-type"] == "text/event-stream"
    return [json.loads(block.removeprefix("data: ")) for block in raw.split("\n\n") if block]


@pytest.mark.parametrize("query", ["?alt=sse", ""])
def test_a_stream_says_what_the_answer_in_one_piece_says(query):
    data = body(generationConfig={"thinkingConfig": {"includeThoughts": True}}, tools=tools(PRICE))
    both = Scripted(Decision("Let me see what it costs.", (Call("price", {"item": "a"}),), "A price."))
    whole = accepted(data, brain=both)
    found = chunks(data, query, brain=both)
    assert len(found) >= 2
    parts = [part for chunk in found for part in chunk["candidates"][0]["content"]["parts"]]
    assert not any("text" in part for part in parts if not part.get("thought")), "no words beside a call"
    assert parts[-1] == whole["candidates"][0]["content"]["parts"][-1]
    assert {chunk["responseId"] for chunk in found} == {whole["responseId"]}
    assert ["finishReason" in chunk["candidates"][0] for chunk in found] == [False] * (len(found) - 1) + [
        True
    ]
    assert found[-1]["usageMetadata"] == whole["usageMetadata"]


def test_the_signature_of_a_text_is_on_its_last_piece():
    parts = [chunk["candidates"][0]["content"]["parts"][0] for chunk in chunks(body())]
    assert ["thoughtSignature" in part for part in parts] == [False] * (len(parts) - 1) + [True]


def test_a_stream_that_is_refused_is_an_error_and_without_sse_an_error_in_an_array():
    events, found = (
        send({}, to=path("streamGenerateContent") + "?alt=sse"),
        send({}, to=path("streamGenerateContent")),
    )
    assert events[0] == found[0] == 400
    assert found[1] == [events[1]]


# Nothing breaks it -----------------------------------------------------------------------------------

VALID = [
    body(
        ASK,
        model("Well.", call(), call("weather", "")),
        user(answer(), answer("weather")),
        tools=tools(PRICE),
    ),
    body(tools=tools(PRICE, WEATHER), **calling("ANY", "price")),
    body(
        systemInstruction=user("Be brief."),
        generationConfig={
            "maxOutputTokens": 20,
            "stopSequences": ["END"],
            "responseMimeType": "application/json",
            "responseSchema": PARAMETERS,
            "thinkingConfig": {"includeThoughts": True},
        },
    ),
    {"generateContentRequest": body(tools=tools(PRICE))},
]
JUNK = st.recursive(
    st.none()
    | st.booleans()
    | st.integers(-5, 2**40)
    | st.floats(allow_nan=False, allow_infinity=False)
    | st.text(max_size=6)
    | st.sampled_from(["STRING", "OBJECT", "user", "model", "price", "{place}", "application/json", "c2ln"]),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=5), inner, max_size=3),
    max_leaves=6,
)
PATHS = [
    path(),
    path("streamGenerateContent"),
    path("streamGenerateContent") + "?alt=sse",
    path("countTokens"),
]


def places(value: Any, here: tuple = ()) -> list[tuple]:
    found = [here] if here else []
    items = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    for key, child in items:
        found += places(child, (*here, key))
    return found


@st.composite
def mutated(draw: st.DrawFn) -> Any:
    """A valid request in which some values are replaced, removed, doubled or renamed."""
    data = json.loads(json.dumps(draw(st.sampled_from(VALID))))
    for _ in range(draw(st.integers(0, 3))):
        found = places(data)
        if not found:
            break
        *way, last = draw(st.sampled_from(found))
        parent = data
        for step in way:
            parent = parent[step]
        kind = draw(st.sampled_from(["replace", "remove", "double", "rename"]))
        if kind == "replace":
            parent[last] = draw(JUNK)
        elif kind == "remove":
            del parent[last]
        elif kind == "double" and isinstance(parent, list):
            parent.insert(last, json.loads(json.dumps(parent[last])))
        elif kind == "rename" and isinstance(parent, dict):
            parent[draw(st.text(max_size=5) | st.sampled_from(["items", "enum", "anyOf", "error"]))] = parent[
                last
            ]
    return data


@given(mutated(), st.sampled_from(PATHS))
def test_no_request_makes_it_fail(data, to):
    reply = PracticeModel().handle("POST", to, {"x-goog-api-key": "k"}, json.dumps(data).encode())
    raw = reply.body if isinstance(reply.body, bytes) else b"".join(reply.body)
    assert reply.status in (200, 400, 404), raw
    if reply.status != 200:
        found = json.loads(raw)
        error = (found[0] if isinstance(found, list) else found)["error"]
        assert error["code"] == reply.status
        assert error["message"]
