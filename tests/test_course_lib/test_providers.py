"""providers: reading calls and writing turns and results, from SDK objects, dictionaries and merged
streams."""

from __future__ import annotations

import inspect
import json

import pytest

from course_lib import providers
from course_lib.providers import anthropic, gemini, openai_chat, openai_responses
from course_lib.tools import ToolCall, ToolResult

ARGUMENTS = {"item": "café", "count": 2}
TEXT = json.dumps(ARGUMENTS, ensure_ascii=False)
CALL = ToolCall("id_1", "price", ARGUMENTS)

ANTHROPIC = {
    "id": "msg_1",
    "type": "message",
    "role": "assistant",
    "model": "m",
    "content": [
        {"type": "thinking", "thinking": "Need a price.", "signature": "c2ln"},
        {"type": "text", "text": "One moment."},
        {"type": "tool_use", "id": "id_1", "name": "price", "input": ARGUMENTS},
    ],
    "stop_reason": "tool_use",
    "stop_sequence": None,
    "usage": {"input_tokens": 1, "output_tokens": 1},
}
CHAT = {
    "id": "chatcmpl_1",
    "object": "chat.completion",
    "created": 1,
    "model": "m",
    "choices": [
        {
            "index": 0,
            "finish_reason": "tool_calls",
            "logprobs": None,
            "message": {
                "role": "assistant",
                "content": None,
                "refusal": None,
                "tool_calls": [
                    {"id": "id_1", "type": "function", "function": {"name": "price", "arguments": TEXT}}
                ],
            },
        }
    ],
}
RESPONSES = {
    "id": "resp_1",
    "object": "response",
    "created_at": 1,
    "model": "m",
    "parallel_tool_calls": True,
    "tool_choice": "auto",
    "tools": [],
    "output": [
        {"type": "reasoning", "id": "rs_1", "summary": []},
        {
            "type": "function_call",
            "id": "fc_1",
            "call_id": "id_1",
            "name": "price",
            "arguments": TEXT,
            "status": "completed",
        },
    ],
}
GEMINI = {
    "candidates": [
        {
            "content": {
                "role": "model",
                "parts": [
                    {"text": "Need a price.", "thought": True},
                    {
                        "functionCall": {"id": "id_1", "name": "price", "args": ARGUMENTS},
                        "thoughtSignature": "/+7/+w==",
                    },
                ],
            },
            "finishReason": "STOP",
            "index": 0,
        }
    ],
    "responseId": "r",
}


def sdk_object(provider, response):
    if provider is anthropic:
        from anthropic.types import Message as Model
    elif provider is openai_chat:
        from openai.types.chat import ChatCompletion as Model
    elif provider is gemini:
        from google.genai.types import GenerateContentResponse as Model
    else:
        from openai.types.responses import Response as Model
    return Model.model_validate(response)


ALL = [(anthropic, ANTHROPIC), (openai_chat, CHAT), (openai_responses, RESPONSES), (gemini, GEMINI)]
EACH = pytest.mark.parametrize(
    ("provider", "response"), ALL, ids=["anthropic", "chat", "responses", "gemini"]
)
NOTHING = {anthropic: {"content": []}, openai_chat: {"choices": []}, openai_responses: {"output": []}}
NOTHING[gemini] = {"candidates": []}


@EACH
def test_calls_are_read_alike_from_dictionaries_and_sdk_objects(provider, response):
    assert provider.read_calls(response) == [CALL]
    assert provider.read_calls(sdk_object(provider, response)) == [CALL]


@EACH
def test_a_turn_is_written_alike_from_dictionaries_and_sdk_objects(provider, response):
    assert provider.write_turn(response) == provider.write_turn(sdk_object(provider, response))


@EACH
def test_what_is_written_can_be_read_again(provider, response):
    (*_, turn) = provider.write_turn(response)
    again = {"output": [turn]} if provider is openai_responses else turn
    assert provider.read_calls(again) == [CALL]


@EACH
def test_a_response_without_calls_has_none(provider, response):
    assert provider.read_calls(NOTHING[provider]) == []


def test_anthropic_keeps_thinking_first_and_its_signature_unchanged():
    (message,) = anthropic.write_turn(ANTHROPIC)
    assert [block["type"] for block in message["content"]] == ["thinking", "text", "tool_use"]
    assert message["content"][0]["signature"] == "c2ln"


def test_anthropic_sends_back_only_what_a_call_may_carry():
    block = {
        "type": "tool_use",
        "id": "a",
        "name": "price",
        "input": {},
        "caller": {"type": "direct"},
        "toolset_name": None,
    }
    ((sent,),) = (message["content"] for message in anthropic.write_turn({"content": [block]}))
    assert sent == {"type": "tool_use", "id": "a", "name": "price", "input": {}}


@pytest.mark.parametrize(
    ("stored", "sent"),
    [
        ('{"item": "bun"}', {"item": "bun"}),
        ("", {}),
        (None, {}),
        ("{item: bun}", {}),
        ('"{\\"a\\": 1}"', {"a": 1}),
        ("[1]", {}),
    ],
)
def test_anthropic_sends_input_back_as_an_object_always(stored, sent):
    block = {"type": "tool_use", "id": "a", "name": "price", "input": stored}
    ((again,),) = (message["content"] for message in anthropic.write_turn({"content": [block]}))
    assert again["input"] == sent


def test_anthropic_leaves_the_providers_own_calls_alone():
    assert (
        anthropic.read_calls(
            {"content": [{"type": "server_tool_use", "id": "s", "name": "web_search", "input": {}}]}
        )
        == []
    )


@pytest.mark.parametrize(
    ("written", "arguments"),
    [
        ("", {}),
        (None, {}),
        ("{}", {}),
        ('"{\\"a\\": 1}"', {"a": 1}),
        ('{"a": ', '{"a": '),
        ("[1]", "[1]"),
        ("7", "7"),
        ("null", "null"),
    ],
)
def test_arguments_that_hold_no_object_stay_the_text_they_were(written, arguments):
    call = {"id": "a", "function": {"name": "price", "arguments": written}}
    (read,) = openai_chat.read_calls({"tool_calls": [call]})
    assert read.arguments == arguments


def test_chat_sends_broken_arguments_back_as_an_empty_object():
    call = {"id": "a", "type": "function", "function": {"name": "price", "arguments": '{"a": '}}
    (turn,) = openai_chat.write_turn({"role": "assistant", "content": None, "tool_calls": [call]})
    assert turn["tool_calls"][0]["function"]["arguments"] == "{}" and turn["content"] is None


RESULTS = [ToolResult("a", "price", "2"), ToolResult("b", "price", "no such item", is_error=True)]


def test_anthropic_results_go_into_one_message_in_order_with_a_flag():
    assert anthropic.write_results(RESULTS) == [
        {
            "role": "user",
            "content": [
                {"type": "tool_result", "tool_use_id": "a", "content": "2"},
                {"type": "tool_result", "tool_use_id": "b", "content": "no such item", "is_error": True},
            ],
        }
    ]


def test_openai_results_say_in_the_text_that_they_are_errors():
    assert [message["content"] for message in openai_chat.write_results(RESULTS)] == [
        "2",
        "Error: no such item",
    ]
    assert [item["output"] for item in openai_responses.write_results(RESULTS)] == [
        "2",
        "Error: no such item",
    ]
    assert [item["call_id"] for item in openai_responses.write_results(RESULTS)] == ["a", "b"]
    already = openai_chat.write_results([ToolResult("a", "price", "Error 7", is_error=True)])
    assert already[0]["content"] == "Error 7"


@pytest.mark.parametrize("provider", [anthropic, openai_chat, openai_responses, gemini])
def test_no_results_write_nothing(provider):
    assert provider.write_results([]) == []


# Streams, also those of servers that bend the format ------------------------------------------------


def start(**block):
    return {
        "type": "content_block_start",
        "index": 0,
        "content_block": {"type": "tool_use", "id": "a", "name": "price", **block},
    }


def delta(piece, index=0):
    return {
        "type": "content_block_delta",
        "index": index,
        "delta": {"type": "input_json_delta", "partial_json": piece},
    }


STOP = {"type": "content_block_stop", "index": 0}
END = {"type": "message_delta", "delta": {"stop_reason": "tool_use"}, "usage": {}}


@pytest.mark.parametrize(
    ("events", "arguments"),
    [
        ([start(input={}), delta(""), delta('{"it'), delta('em": "b'), delta('un"}'), STOP], {"item": "bun"}),
        ([start(input={}), STOP], {}),
        ([start(input={}), delta(""), STOP], {}),
        ([start(input={"item": "bun"}), STOP], {"item": "bun"}),
        ([start(input={"item": "bun"}), delta(""), STOP], {"item": "bun"}),
        ([start(input={}), delta('{"item": bun}'), STOP], '{"item": bun}'),
        ([start(input={}), delta('{"item": "b'), STOP], '{"item": "b'),
    ],
    ids=["pieces", "no delta", "empty delta", "all at once", "all at once, then empty", "no JSON", "cut"],
)
def test_anthropic_input_is_assembled_from_its_pieces(events, arguments):
    merged = anthropic.merge_stream([*events, END])
    assert anthropic.read_calls(merged) == [ToolCall("a", "price", arguments)]


def test_anthropic_a_merged_turn_can_always_be_sent_back():
    merged = anthropic.merge_stream([start(input={}), delta('{"item": bun}'), STOP])
    ((block,),) = (message["content"] for message in anthropic.write_turn(merged))
    assert block["input"] == {}


def test_anthropic_text_thinking_and_usage_are_merged():
    events = [
        {
            "type": "message_start",
            "message": {"id": "m", "usage": {"input_tokens": 3, "output_tokens": 0}, "content": []},
        },
        {
            "type": "content_block_start",
            "index": 0,
            "content_block": {"type": "thinking", "thinking": "", "signature": ""},
        },
        {"type": "content_block_delta", "index": 0, "delta": {"type": "thinking_delta", "thinking": "Hm"}},
        {
            "type": "content_block_delta",
            "index": 0,
            "delta": {"type": "signature_delta", "signature": "c2ln"},
        },
        {"type": "content_block_start", "index": 1, "content_block": {"type": "text", "text": ""}},
        {"type": "content_block_delta", "index": 1, "delta": {"type": "text_delta", "text": "Hel"}},
        {"type": "content_block_delta", "index": 1, "delta": {"type": "text_delta", "text": "lo"}},
        {"type": "message_delta", "delta": {"stop_reason": "end_turn"}, "usage": {"output_tokens": 5}},
        {"type": "message_stop"},
    ]
    merged = anthropic.merge_stream(events)
    assert merged["content"] == [
        {"type": "thinking", "thinking": "Hm", "signature": "c2ln"},
        {"type": "text", "text": "Hello"},
    ]
    assert merged["stop_reason"] == "end_turn" and merged["usage"] == {"input_tokens": 3, "output_tokens": 5}


def chunk(*calls, finish=None):
    return {"choices": [{"index": 0, "delta": {"tool_calls": list(calls)}, "finish_reason": finish}]}


def piece(arguments="", **more):
    function = {"arguments": arguments, **({"name": more.pop("name")} if "name" in more else {})}
    return {**more, "function": function}


BUN = ToolCall("c", "price", {"item": "bun"})
TEA = ToolCall("d", "price", {"item": "tea"})


@pytest.mark.parametrize(
    ("chunks", "calls"),
    [
        (
            [
                chunk(piece(index=0, id="c", name="price")),
                chunk(piece('{"item":', index=0)),
                chunk(piece(' "bun"}', index=0)),
            ],
            [BUN],
        ),
        ([chunk(piece(id="c", name="price")), chunk(piece('{"item":')), chunk(piece(' "bun"}'))], [BUN]),
        (
            [
                chunk(piece('{"item": "bun"}', id="c", name="price")),
                chunk(piece('{"item": "tea"}', id="d", name="price")),
            ],
            [BUN, TEA],
        ),
        (
            [
                chunk(piece(index=1, id="c")),
                chunk(piece(index=1, name="price")),
                chunk(piece('{"item": "bun"}', index=1)),
            ],
            [BUN],
        ),
        (
            [
                chunk(piece('{"item":', index=0, id="c", name="price")),
                chunk(piece(' "bun"}', index=0, id="c", name="price")),
            ],
            [BUN],
        ),
        (
            [chunk(piece(index=0, id="c", name="pri")), chunk(piece('{"item": "bun"}', index=0, name="ce"))],
            [BUN],
        ),
        (
            [chunk(piece("{}", index=0, id="c", name="tide")), {"choices": [], "usage": {"total_tokens": 7}}],
            [ToolCall("c", "tide", {})],
        ),
        ([chunk(piece(index=0, id="c", name="tide"), finish="tool_calls")], [ToolCall("c", "tide", {})]),
        (
            [chunk(piece('{"item": "b', index=0, id="c", name="price"), finish="length")],
            [ToolCall("c", "price", '{"item": "b', cut_off=True)],
        ),
        (
            [
                chunk(piece(index=0, id="c", name="price"), piece(index=1, id="d", name="price")),
                chunk(piece('{"item": "tea"}', index=1)),
                chunk(piece('{"item": "bun"}', index=0)),
            ],
            [BUN, TEA],
        ),
    ],
    ids=[
        "plain",
        "no index",
        "no index, two calls",
        "index 1 first",
        "name repeated",
        "name split",
        "no choices",
        "no arguments",
        "cut",
        "interleaved",
    ],
)
def test_chat_calls_are_assembled_from_their_pieces(chunks, calls):
    end = [] if "finish_reason': '" in str(chunks) else [chunk(finish="tool_calls")]
    assert openai_chat.read_calls(openai_chat.merge_stream([*chunks, *end])) == calls


def test_chat_usage_and_text_are_merged():
    text = [{"choices": [{"index": 0, "delta": {"content": word}}]} for word in ("Hel", "lo")]
    merged = openai_chat.merge_stream([*text, {"choices": [], "usage": {"total_tokens": 7}}])
    assert merged["usage"]["total_tokens"] == 7 and merged["choices"][0]["message"]["content"] == "Hello"


def test_responses_the_last_event_holds_the_response():
    events = [
        {"type": "response.created", "response": {"id": "r", "output": []}},
        {"type": "response.completed", "response": RESPONSES},
    ]
    assert openai_responses.read_calls(openai_responses.merge_stream(events)) == [CALL]


def test_responses_a_broken_stream_gives_what_was_complete():
    events = [
        {"type": "response.created", "response": {"id": "r", "output": []}},
        {"type": "response.output_item.done", "output_index": 1, "item": RESPONSES["output"][1]},
        {"type": "response.function_call_arguments.delta", "output_index": 2, "delta": '{"it'},
    ]
    merged = openai_responses.merge_stream(events)
    assert openai_responses.read_calls(merged) == [CALL] and merged["status"] == "incomplete"


@pytest.mark.parametrize("name", providers.NAMES)
def test_each_module_has_what_a_module_of_an_api_has(name):
    module, listed = providers.module_of(name), providers.ProviderModule
    assert module.NAME == name
    assert [one for one in listed.__annotations__ if not hasattr(module, one)] == []
    for one, function in vars(listed).items():
        if inspect.isfunction(function) and not one.startswith("_"):
            parameters = list(inspect.signature(function).parameters)[1:]
            assert list(inspect.signature(getattr(module, one)).parameters) == parameters, one


def test_an_unknown_provider_is_named_with_those_there_are():
    with pytest.raises(AttributeError, match="no module 'mistral'; there are: anthropic"):
        providers.mistral  # noqa: B018


PARALLEL = {
    "one index for all": [
        chunk(piece('{"item": "bun"}', index=0, id="c", name="price")),
        chunk(piece('{"item":', index=0, id="d", name="price")),
        chunk(piece(' "tea"}', index=0)),
    ],
    "neither index nor id": [
        chunk(piece('{"item": "bun"}', name="price")),
        chunk(piece('{"item": "tea"}', name="tide")),
    ],
    "neither, of the same tool": [
        chunk(piece('{"item": ', name="price")),
        chunk(piece('"bun"}', name="price")),
        chunk(piece('{"item": "tea"}', name="price")),
    ],
    "the same index and no id": [
        chunk(piece('{"item": "bun"}', index=0, name="price")),
        chunk(piece('{"item": "tea"}', index=0, name="price")),
    ],
    "neither, in one chunk": [
        chunk(piece('{"item": "bun"}', name="price"), piece('{"item": "tea"}', name="price")),
    ],
    "index 1 arrives first": [
        chunk(piece('{"item": "tea"}', index=1, id="d", name="price")),
        chunk(piece('{"item": "bun"}', index=0, id="c", name="price")),
    ],
}


@pytest.mark.parametrize("chunks", PARALLEL.values(), ids=PARALLEL)
def test_chat_calls_of_one_turn_are_kept_apart_and_in_order(chunks):
    calls = openai_chat.read_calls(openai_chat.merge_stream(chunks))
    assert [call.arguments for call in calls] == [{"item": "bun"}, {"item": "tea"}]


def test_chat_arguments_that_come_as_an_object_are_taken():
    chunks = [chunk({"index": 0, "id": "c", "function": {"name": "price", "arguments": {"item": "bun"}}})]
    end = chunk(finish="tool_calls")
    assert openai_chat.read_calls(openai_chat.merge_stream([*chunks, end])) == [BUN]


def test_chat_events_of_the_sdks_stream_helper_are_unwrapped():
    chunks = [chunk(piece('{"item": "bun"}', index=0, id="c", name="price"), finish="tool_calls")]
    events = [{"type": "chunk", "chunk": one} for one in chunks] + [{"type": "content.done", "content": ""}]
    assert openai_chat.read_calls(openai_chat.merge_stream(events)) == [BUN]


def test_an_empty_turn_is_not_sent_or_sent_as_empty_text():
    assert anthropic.write_turn({"content": []}) == []
    assert openai_chat.write_turn({"role": "assistant", "content": None}) == [
        {"role": "assistant", "content": ""}
    ]


def test_what_the_sdks_parse_added_is_not_sent_back():
    text = {"type": "output_text", "text": "{}", "annotations": [], "parsed": {"a": 1}}
    item = {"type": "message", "role": "assistant", "content": [text]}
    ((sent,),) = (one["content"] for one in openai_responses.write_turn({"output": [item]}))
    assert sent == {"type": "output_text", "text": "{}", "annotations": []}


@pytest.mark.parametrize("text", ['{"price": NaN}', '{"price": -Infinity}'])
def test_nan_is_no_json(text):
    (call,) = openai_chat.read_calls(
        {"tool_calls": [{"id": "a", "function": {"name": "p", "arguments": text}}]}
    )
    assert call.arguments == text


@pytest.mark.parametrize("module", [openai_chat, openai_responses])
def test_arguments_that_were_encoded_twice_go_back_as_they_came(module):
    """The program gets the object; the model, what it wrote: neither once more nor once less encoded."""
    twice = json.dumps(TEXT)
    function = {"name": "price", "arguments": twice}
    responses = {
        openai_chat: {"tool_calls": [{"id": "id_1", "type": "function", "function": function}]},
        openai_responses: {"output": [{"type": "function_call", "call_id": "id_1", **function}]},
    }
    assert module.read_calls(responses[module]) == [CALL]
    (turn,) = module.write_turn(responses[module])
    assert (turn["tool_calls"][0]["function"] if "tool_calls" in turn else turn)["arguments"] == twice


@pytest.mark.parametrize("written", ['{"item": "caf', "", "[1]", "NaN", None])
def test_a_call_whose_arguments_are_no_object_is_written_so_that_it_is_taken(written):
    """A call that was cut off is broken JSON; the next request with it would be refused."""
    item = {"type": "function_call", "id": "fc_1", "call_id": "c", "name": "price", "status": "incomplete"}
    (sent,) = openai_responses.write_turn({"output": [{**item, "arguments": written}]})
    assert sent == {**item, "arguments": "{}"}
    call = {"id": "c", "type": "function", "function": {"name": "price", "arguments": written}}
    (sent,) = openai_chat.write_turn({"tool_calls": [call]})
    assert sent["tool_calls"][0]["function"]["arguments"] == "{}"


def test_chat_content_in_parts_is_read_from_a_stream_too():
    parts = [{"type": "thinking", "thinking": []}, {"type": "text", "text": "One "}]
    deltas = [{"content": parts}, {"content": "moment"}, {"content": [{"type": "text", "text": "."}]}]
    chunks = [{"choices": [{"index": 0, "delta": delta}]} for delta in deltas]
    assert openai_chat.merge_stream(chunks)["choices"][0]["message"]["content"] == "One moment."


def test_a_candidate_that_is_null_is_none():
    part = {"candidates": [{"content": {"parts": [{"text": "Hi"}]}, "finishReason": "STOP"}]}
    assert gemini.merge_stream([{"candidates": [None]}, part]) == gemini.merge_stream([part])


DETAILS = [
    {"reasoning_details": [{"index": 0, "type": "reasoning.text", "text": "Hm, "}]},
    {"reasoning_details": [{"index": 0, "type": "reasoning.text", "text": "tea."}]},
    {"reasoning_details": [{"index": 1, "type": "reasoning.encrypted", "data": "eA=="}]},
]


def test_chat_fields_that_only_some_servers_send_are_merged_and_go_back():
    chunks = [{"choices": [{"index": 0, "delta": delta}]} for delta in DETAILS]
    signed = {"extra_content": {"google": {"thought_signature": "c2ln"}}}
    call = piece("{}", index=0, id="c", name="price", **signed)
    merged = openai_chat.merge_stream([*chunks, chunk(call, finish="tool_calls")])
    (turn,) = openai_chat.write_turn(merged)
    assert turn["reasoning_details"] == [
        {"index": 0, "type": "reasoning.text", "text": "Hm, tea."},
        {"index": 1, "type": "reasoning.encrypted", "data": "eA=="},
    ]
    function = {"name": "price", "arguments": "{}"}
    assert turn["tool_calls"] == [{"id": "c", "type": "function", "function": function, **signed}]


def test_chat_fields_that_come_with_every_answer_of_openai_do_not_go_back():
    message = {
        "role": "assistant",
        "content": "Hi",
        "refusal": None,
        "annotations": [],
        "function_call": None,
    }
    whole = {"id": "r", "model": "m", "choices": [{"index": 0, "message": message, "finish_reason": "stop"}]}
    assert openai_chat.write_turn(whole) == [{"role": "assistant", "content": "Hi"}]
    assert openai_chat.write_turn({"id": "r", "choices": []}) == [{"role": "assistant", "content": ""}]


TOO_LARGE = {"n": 10**400}
TOO_DEEP = json.loads('{"n": ' + "[" * 300 + "]" * 300 + "}")


@pytest.mark.parametrize("arguments", [TOO_LARGE, TOO_DEEP], ids=["too large", "too deep"])
def test_arguments_that_no_request_can_carry_stay_text_and_are_not_sent_back(arguments):
    text = json.dumps(arguments)
    answers = [
        (anthropic, {"content": [{"type": "tool_use", "id": "c", "name": "price", "input": arguments}]}),
        (openai_chat, {"tool_calls": [{"id": "c", "function": {"name": "price", "arguments": text}}]}),
        (
            openai_responses,
            {"output": [{"type": "function_call", "call_id": "c", "name": "price", "arguments": text}]},
        ),
        (gemini, {"parts": [{"functionCall": {"id": "c", "name": "price", "args": arguments}}]}),
    ]
    for module, answer in answers:
        assert module.read_calls(answer) == [ToolCall("c", "price", text)]
        assert len(json.dumps(module.write_turn(answer))) < 300


def test_ids_are_text_whatever_a_server_sends():
    answers = [
        (anthropic, {"content": [{"type": "tool_use", "id": 7, "name": "price", "input": {}}]}),
        (openai_chat, {"tool_calls": [{"id": 7, "function": {"name": "price", "arguments": "{}"}}]}),
        (
            openai_responses,
            {"output": [{"type": "function_call", "call_id": 7, "name": "price", "arguments": "{}"}]},
        ),
        (gemini, {"parts": [{"functionCall": {"id": 7, "name": "price", "args": {}}}]}),
    ]
    for module, answer in answers:
        assert module.read_calls(answer) == [ToolCall("7", "price", {})]
        (turn,) = module.write_turn(answer)
        assert module.read_calls({"output": [turn]} if module is openai_responses else turn)[0].id == "7"
        assert '"7"' in json.dumps(turn)
    assert (
        openai_chat.read_calls(openai_chat.merge_stream([chunk(piece(index=0, id=7, name="price"))]))[0].id
        == "7"
    )
