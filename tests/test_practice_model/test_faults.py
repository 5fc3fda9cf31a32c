"""Faults: a service that fails, a connection that breaks, a model that goes wrong, when asked to."""

from __future__ import annotations

import asyncio
import json
import threading
import time
from collections.abc import Iterator
from typing import Any

import anthropic
import httpx2
import openai
import pytest

from course_lib import practice
from practice_model import PracticeModel, Server
from practice_model import running as running_module
from practice_model.failures.injected import NAMES
from practice_model.request import Call, Decision, Request
from practice_model.server.exchanges import parsed_events
from practice_model.server.inprocess import AsyncPracticeTransport, PracticeTransport

MODEL = "claude-haiku-5-5"
SCHEMA = {
    "type": "object",
    "properties": {
        "city": {"type": "string"},
        "days": {"type": "integer"},
        "unit": {"type": "string", "enum": ["celsius", "fahrenheit"]},
    },
    "required": ["city", "days"],
}
WEATHER = {"name": "get_weather", "description": "The weather in a city.", "input_schema": SCHEMA}
ARGUMENTS = {"city": "Paris", "days": 3, "unit": "celsius"}


def body(**more: Any) -> dict[str, Any]:
    messages = [{"role": "user", "content": "The weather in Paris?"}]
    return {"model": MODEL, "max_tokens": 1000, "messages": messages, "tools": [WEATHER], **more}


def brain(request: Request) -> Decision:
    if not request.tools or request.turns[-1].results:
        return Decision(text="It is sunny in Paris, and it will stay so.")
    return Decision(text="I look that up.", calls=(Call("get_weather", ARGUMENTS),))


@pytest.fixture
def model() -> PracticeModel:
    return PracticeModel(brain)


@pytest.fixture(params=["server", "transport"])
def client(request, model) -> Iterator[anthropic.Anthropic]:
    if request.param == "server":
        with Server(model.handle) as server, anthropic.Anthropic(api_key="k", base_url=server.url) as client:
            yield client
    else:
        http_client = httpx2.Client(transport=PracticeTransport(model.handle))
        with anthropic.Anthropic(api_key="k", http_client=http_client) as client:
            yield client


# The service fails --------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("name", "exception", "status", "kind"),
    [
        ("rate_limit", anthropic.RateLimitError, 429, "rate_limit_error"),
        ("overloaded", anthropic.InternalServerError, 529, "overloaded_error"),
        ("server_error", anthropic.InternalServerError, 500, "api_error"),
        ("unavailable", anthropic.InternalServerError, 503, "api_error"),
        ("quota", anthropic.BadRequestError, 400, "invalid_request_error"),
    ],
)
def test_each_failure_arrives_as_the_sdk_exception(client, model, name, exception, status, kind):
    with model.faults(name, times=10), pytest.raises(exception) as caught:
        client.messages.create(**body())
    assert (caught.value.status_code, caught.value.type) == (status, kind)
    assert caught.value.request_id.startswith("req_01")
    assert client.messages.create(**body()).stop_reason == "tool_use", "nothing is left of it afterwards"


def test_a_rate_limit_says_when_to_try_again_and_what_the_limits_are(client, model):
    with model.faults("rate_limit", retry_after=30), pytest.raises(anthropic.RateLimitError) as caught:
        client.with_options(max_retries=0).messages.create(**body())
    headers = caught.value.response.headers
    assert (headers["retry-after"], headers["retry-after-ms"]) == ("30", "30000")
    assert headers["anthropic-ratelimit-requests-remaining"] == "0"


def test_the_sdk_heals_two_failures_by_itself(client, model):
    with model.faults("rate_limit", times=2) as fault:
        assert client.messages.create(**body()).stop_reason == "tool_use"
    assert fault.hits == 2
    assert [one.status for one in model.log.list()] == [429, 429, 200]


def test_three_failures_reach_the_program(client, model):
    with model.faults("overloaded", times=3), pytest.raises(anthropic.APIStatusError):
        client.messages.create(**body())


def test_only_first_attempts_fail_where_asked_so(client, model):
    with model.faults("server_error", attempts=1) as fault:
        for _ in range(3):
            client.messages.create(**body())
    assert fault.hits == 3
    assert [one.status for one in model.log.list()] == [500, 200] * 3


def test_the_first_requests_can_be_spared(client, model):
    with model.faults("server_error", skip=1, times=3):
        client.messages.create(**body())
        with pytest.raises(anthropic.InternalServerError):
            client.messages.create(**body())


def test_what_does_not_ask_for_an_answer_is_spared(client, model):
    with model.faults("server_error") as fault:
        client.messages.count_tokens(model=MODEL, messages=body()["messages"])
        client.models.list()
    assert fault.hits == 0


def test_another_api_is_spared(client, model):
    with (
        model.faults("server_error", api="openai") as others,
        model.faults("server_error", api="anthropic") as ours,
    ):
        client.messages.create(**body())
    assert (others.hits, ours.hits) == (0, 1)


def test_the_inner_of_two_comes_first_and_the_outer_after_it(client, model):
    patient = client.with_options(max_retries=0)
    with model.faults("rate_limit", times=2):
        with model.faults("server_error"):
            with pytest.raises(anthropic.InternalServerError):
                patient.messages.create(**body())
            with pytest.raises(anthropic.RateLimitError):
                patient.messages.create(**body())
        with pytest.raises(anthropic.RateLimitError):
            patient.messages.create(**body())
        patient.messages.create(**body())


def test_from_many_threads_exactly_as_many_requests_fail_as_asked(model):
    def ask() -> None:
        model.handle("POST", "/v1/messages", HEADERS, json.dumps(body()).encode())

    with model.faults("rate_limit", times=37):
        threads = [threading.Thread(target=lambda: [ask() for _ in range(10)]) for _ in range(8)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
    assert sorted(one.status for one in model.log.list()) == [200] * 43 + [429] * 37


def test_a_request_that_breaks_a_rule_is_told_so_after_the_service_recovers(client, model):
    with model.faults("rate_limit", times=1), pytest.raises(anthropic.BadRequestError):
        client.messages.create(**body(messages=[]))
    assert [one.status for one in model.log.list()] == [429, 400]


# By a header --------------------------------------------------------------------------------------

HEADERS = {"x-api-key": "practice", "anthropic-version": "2026-10-21"}


def test_one_request_can_ask_for_a_fault_by_a_header(client):
    with pytest.raises(anthropic.RateLimitError):
        client.messages.create(**body(), extra_headers={"x-practice-fault": "rate_limit"})
    healed = {"x-practice-fault": "rate_limit; attempts=1"}
    assert client.messages.create(**body(), extra_headers=healed).stop_reason == "tool_use"
    refused = client.messages.create(**body(), extra_headers={"x-practice-fault": "refusal"})
    assert refused.stop_reason == "refusal"


@pytest.mark.parametrize(
    "header", ["no_such_fault", "rate_limit; attempts", "rate_limit; times=2", "timeout; seconds=x"]
)
def test_a_wrong_header_is_refused_with_what_there_is(client, header):
    with pytest.raises(anthropic.BadRequestError, match="x-practice-fault"):
        client.messages.create(**body(), extra_headers={"x-practice-fault": header})


# Time and the connection --------------------------------------------------------------------------


def test_a_timeout_is_the_client_giving_up(client, model):
    impatient = client.with_options(timeout=0.2, max_retries=0)
    with model.faults("timeout", seconds=30), pytest.raises(anthropic.APITimeoutError):
        impatient.messages.create(**body())
    assert impatient.with_options(timeout=30).messages.create(**body()).stop_reason == "tool_use"


def test_a_retry_heals_a_timeout(client, model):
    impatient = client.with_options(timeout=0.5, max_retries=1)
    with model.faults("timeout", attempts=1, seconds=30) as fault:
        assert impatient.messages.create(**body()).stop_reason == "tool_use"
    assert fault.hits == 1


def test_a_client_with_more_patience_gets_its_answer(client, model):
    with model.faults("timeout", seconds=0.05):
        assert client.messages.create(**body()).stop_reason == "tool_use"


def test_closing_the_server_does_not_wait_for_an_answer_that_is_held_back(model):
    server = Server(model.handle)
    client = anthropic.Anthropic(api_key="k", base_url=server.url, max_retries=0)
    with model.faults("timeout", seconds=3600) as fault:
        failures: list[Exception] = []

        def ask() -> None:
            try:
                client.messages.create(**body())
            except anthropic.APIConnectionError as error:
                failures.append(error)

        thread = threading.Thread(target=ask)
        thread.start()
        while not fault.hits:
            time.sleep(0.01)
        server.close()
        thread.join(timeout=30)
    assert not thread.is_alive() and len(failures) == 1


def test_a_connection_that_breaks_before_the_answer(client, model, caplog):
    with model.faults("connection_dropped"), pytest.raises(anthropic.APIConnectionError):
        client.with_options(max_retries=0).messages.create(**body())
    assert (model.log.list()[-1].status, model.log.list()[-1].response) == (0, None)
    with model.faults("connection_dropped", attempts=1):
        assert client.messages.create(**body()).stop_reason == "tool_use"
    assert not [record for record in caplog.records if record.name == "practice_model"]


def test_a_connection_that_breaks_in_mid_stream(client, model):
    with model.faults("stream_dropped"), pytest.raises((anthropic.APIConnectionError, httpx2.TransportError)):
        with client.messages.stream(**body()) as stream:
            stream.get_final_message()
    kinds = [one["type"] for one in model.log.list()[-1].response]
    assert kinds[0] == "message_start" and "message_stop" not in kinds


def test_a_connection_that_breaks_in_the_middle_of_an_answer_in_one_piece(client, model):
    with model.faults("stream_dropped"), pytest.raises(anthropic.APIConnectionError):
        client.with_options(max_retries=0).messages.create(**body())


def test_an_error_in_mid_stream_arrives_as_the_sdk_exception(client, model):
    with model.faults("stream_error") as fault:
        client.messages.create(**body())
        assert fault.hits == 0, "an answer in one piece has no middle"
        with (
            pytest.raises(anthropic.APIStatusError, match="Overloaded"),
            client.messages.stream(**body()) as stream,
        ):
            stream.get_final_message()
    assert model.log.list()[-1].response[-1]["type"] == "error"


def test_the_asynchronous_transport_fails_alike(model):
    async def failures() -> list[type]:
        http_client = httpx2.AsyncClient(transport=AsyncPracticeTransport(model.handle), timeout=1)
        client = anthropic.AsyncAnthropic(api_key="k", max_retries=0, http_client=http_client, timeout=1)
        found = []
        for name in ("timeout", "connection_dropped", "rate_limit"):
            with model.faults(name):
                try:
                    await client.messages.create(**body())
                except anthropic.APIError as error:
                    found.append(type(error))
        return found

    expected = [anthropic.APITimeoutError, anthropic.APIConnectionError, anthropic.RateLimitError]
    assert asyncio.run(failures()) == expected


# The model goes wrong -----------------------------------------------------------------------------


def call_of(message: Any) -> Any:
    return next(block for block in message.content if block.type == "tool_use")


@pytest.mark.parametrize(
    ("name", "arguments"),
    [
        ("wrong_type", {**ARGUMENTS, "days": "3"}),
        ("missing_argument", {"city": "Paris", "unit": "celsius"}),
        ("outside_enum", {**ARGUMENTS, "unit": "CELSIUS"}),
        ("extra_argument", {**ARGUMENTS, "verbose": True}),
    ],
)
def test_arguments_that_do_not_fit(client, model, name, arguments):
    with model.faults(name):
        message = client.messages.create(**body())
    assert (call_of(message).input, message.stop_reason) == (arguments, "tool_use")
    assert name.split("_")[0] in model.last_decision.mistakes[0]


def test_a_tool_that_nobody_offered(client, model):
    with model.faults("unknown_tool"):
        call = call_of(client.messages.create(**body()))
    assert (call.name, call.input) == ("fetch_weather", ARGUMENTS)


def test_an_input_that_max_tokens_cuts_off(client, model):
    with model.faults("truncated", times=2):
        whole = client.messages.create(**body())
        with client.messages.stream(**body()) as stream:
            streamed = stream.get_final_message()
    assert whole.stop_reason == streamed.stop_reason == "max_tokens"
    assert call_of(whole).input == call_of(streamed).input
    assert set(call_of(whole).input) < set(ARGUMENTS)


def test_a_text_that_max_tokens_cuts_off(client, model):
    with model.faults("truncated"):
        message = client.messages.create(**body(tools=[]))
    assert message.stop_reason == "max_tokens"
    assert "It is sunny in Paris, and it will stay so.".startswith(message.content[0].text)


@pytest.mark.parametrize("name", ["refusal", "filtered"])
def test_a_refusal_has_no_content_and_details(client, model, name):
    with model.faults(name, times=2):
        message = client.messages.create(**body())
        with client.messages.stream(**body()) as stream:
            streamed = stream.get_final_message()
    assert (message.stop_reason, message.content) == ("refusal", [])
    assert message.stop_details.type == "refusal"
    assert (streamed.stop_reason, streamed.stop_details) == ("refusal", message.stop_details)


def test_a_paused_turn_goes_on_when_it_is_sent_back_as_it_is(client, model):
    with model.faults("pause_turn", times=2):
        paused = client.messages.create(**body(tools=[]))
        with client.messages.stream(**body(tools=[])) as stream:
            assert stream.get_final_message().stop_reason == "pause_turn"
    assert paused.stop_reason == "pause_turn"
    assert [block.type for block in paused.content] == ["text", "server_tool_use"]
    messages = [*body()["messages"], paused.to_param()]
    assert client.messages.create(**body(tools=[], messages=messages)).stop_reason == "end_turn"


@pytest.mark.parametrize("name", ["truncated_json", "doubled_json", "broken_json"])
def test_arguments_can_be_broken_as_text_only_where_they_stream(client, model, name):
    with model.faults(name) as fault:
        assert call_of(client.messages.create(**body())).input == ARGUMENTS
        assert fault.hits == 0
        pieces = [
            one.delta.partial_json
            for one in client.messages.create(**body(), stream=True)
            if one.type == "content_block_delta" and one.delta.type == "input_json_delta"
        ]
    text = "".join(pieces)
    assert fault.hits == 1
    if name == "doubled_json":
        assert json.loads(json.loads(text)) == ARGUMENTS
    else:
        with pytest.raises(ValueError):
            json.loads(text)


def test_a_mistake_that_is_not_possible_waits_for_a_request_that_allows_it(client, model):
    with model.faults("unknown_tool") as fault:
        client.messages.create(**body(tools=[]))
        assert fault.hits == 0
        client.messages.create(**body())
    assert fault.hits == 1


def test_explain_says_what_was_wrong_on_purpose(model):
    with model.faults("wrong_type"):
        model.handle("POST", "/v1/messages", HEADERS, json.dumps(body()).encode())
    said = practice.Explanation(model.last_decision).summary()
    assert 'Wrong on purpose: wrong type: days is "3" and not 3' in said


# The other APIs -----------------------------------------------------------------------------------

CHAT_TOOL = {"type": "function", "function": {"name": "get_weather", "parameters": SCHEMA}}
RESPONSES_TOOL = {"type": "function", "name": "get_weather", "parameters": SCHEMA, "strict": False}


@pytest.fixture
def openai_client(model) -> Iterator[openai.OpenAI]:
    with Server(model.handle) as server:
        with openai.OpenAI(api_key="k", base_url=f"{server.url}/v1", max_retries=0, timeout=30) as client:
            yield client


def chat(client: openai.OpenAI, **more: Any) -> Any:
    messages = [{"role": "user", "content": "The weather in Paris?"}]
    return client.chat.completions.create(model="gpt-5.4-mini", messages=messages, tools=[CHAT_TOOL], **more)


def respond(client: openai.OpenAI, **more: Any) -> Any:
    return client.responses.create(
        model="gpt-5.4-mini", input="The weather in Paris?", tools=[RESPONSES_TOOL], **more
    )


@pytest.mark.parametrize("ask", [chat, respond])
@pytest.mark.parametrize(
    ("name", "exception", "status", "code"),
    [
        ("rate_limit", openai.RateLimitError, 429, "rate_limit_exceeded"),
        ("quota", openai.RateLimitError, 429, "insufficient_quota"),
        ("overloaded", openai.InternalServerError, 503, None),
        ("server_error", openai.InternalServerError, 500, None),
        ("unavailable", openai.InternalServerError, 503, None),
    ],
)
def test_openai_reports_failures_in_its_own_way(openai_client, model, ask, name, exception, status, code):
    with model.faults(name, times=10) as fault, pytest.raises(exception) as caught:
        ask(openai_client.with_options(max_retries=2))
    assert (caught.value.status_code, caught.value.code) == (status, code)
    assert fault.hits == (1 if name == "quota" else 3), "an empty account is not asked again"


@pytest.mark.parametrize("ask", [chat, respond])
def test_openai_connections_break_and_time_out(openai_client, model, ask):
    for name in ("connection_dropped", "stream_dropped"):
        with model.faults(name), pytest.raises(openai.APIConnectionError):
            ask(openai_client)
    with model.faults("timeout", seconds=30), pytest.raises(openai.APITimeoutError):
        ask(openai_client.with_options(timeout=0.2))
    with model.faults("stream_dropped"), pytest.raises((openai.APIConnectionError, httpx2.TransportError)):
        list(ask(openai_client, stream=True))


def test_openai_errors_in_mid_stream(openai_client, model):
    with model.faults("stream_error"), pytest.raises(openai.APIError, match="overloaded"):
        list(chat(openai_client, stream=True))
    with model.faults("stream_error"):
        last = list(respond(openai_client, stream=True))[-1]
    assert (last.type, last.message) == (
        "error",
        "That model is currently overloaded with other requests. You can retry your request.",
    )


@pytest.mark.parametrize(
    ("name", "written"),
    [
        ("truncated_json", '{"city": "Paris", "days": 3, "unit": "celsius'),
        ("doubled_json", json.dumps(json.dumps(ARGUMENTS))),
        ("broken_json", repr(ARGUMENTS)),
    ],
)
def test_openai_carries_arguments_as_text_which_can_be_broken(openai_client, model, name, written):
    with model.faults(name, times=2):
        call = chat(openai_client).choices[0].message.tool_calls[0].function
        item = next(one for one in respond(openai_client).output if one.type == "function_call")
    assert call.arguments == item.arguments == written


def test_chat_ends_as_the_real_one_does(openai_client, model):
    ends = {}
    for name in ("truncated", "refusal", "filtered"):
        with model.faults(name):
            choice = chat(openai_client).choices[0]
        ends[name] = (choice.finish_reason, choice.message.refusal, bool(choice.message.tool_calls))
    assert ends == {
        "truncated": ("length", None, True),
        "refusal": ("stop", "I can't help with that.", False),
        "filtered": ("content_filter", None, False),
    }


def test_responses_end_as_the_real_ones_do(openai_client, model):
    ends = {}
    for name in ("truncated", "refusal", "filtered"):
        with model.faults(name):
            answer = respond(openai_client)
        reason = answer.incomplete_details and answer.incomplete_details.reason
        ends[name] = (answer.status, reason, [item.type for item in answer.output])
    assert ends == {
        "truncated": ("incomplete", "max_output_tokens", ["function_call"]),
        "refusal": ("completed", None, ["message"]),
        "filtered": ("incomplete", "content_filter", []),
    }


def gemini(model: PracticeModel, method: str = "generateContent") -> tuple[int, Any, Any]:
    declaration = {"name": "get_weather", "description": "Weather.", "parametersJsonSchema": SCHEMA}
    asked = {
        "contents": [{"role": "user", "parts": [{"text": "The weather in Paris?"}]}],
        "tools": [{"functionDeclarations": [declaration]}],
    }
    path = f"/v1beta/models/gemini-2.5-flash:{method}"
    reply = model.handle("POST", path, {"x-goog-api-key": "k"}, json.dumps(asked).encode())
    raw = reply.body if isinstance(reply.body, bytes) else b"".join(reply.body)
    return reply.status, reply.headers, parsed_events(raw)


def test_gemini_fails_and_ends_in_its_own_way(model):
    ends = {}
    for name in (
        "rate_limit",
        "overloaded",
        "server_error",
        "refusal",
        "filtered",
        "truncated",
        "broken_json",
    ):
        with model.faults(name):
            status, _, answer = gemini(model)
        if status != 200:
            ends[name] = (status, answer["error"]["status"])
        elif "candidates" in answer:
            ends[name] = answer["candidates"][0]["finishReason"]
        else:
            ends[name] = list(answer["promptFeedback"])
    assert ends == {
        "rate_limit": (429, "RESOURCE_EXHAUSTED"),
        "overloaded": (503, "UNAVAILABLE"),
        "server_error": (500, "INTERNAL"),
        "refusal": "SAFETY",
        "filtered": ["blockReason"],
        "truncated": "MAX_TOKENS",
        "broken_json": "MALFORMED_FUNCTION_CALL",
    }


def test_gemini_says_when_to_try_again(model):
    with model.faults("rate_limit", retry_after=2):
        _, headers, answer = gemini(model)
    assert answer["error"]["details"][0]["retryDelay"] == "2s"
    assert headers["retry-after"] == "2"


def test_gemini_errors_in_mid_stream(model):
    with model.faults("stream_error"):
        _, _, events = gemini(model, "streamGenerateContent?alt=sse")
    assert events[-1]["error"]["status"] == "UNAVAILABLE"


def test_only_anthropic_pauses(openai_client, model):
    with model.faults("pause_turn") as fault:
        chat(openai_client)
        respond(openai_client)
        gemini(model)
    assert fault.hits == 0


def test_openai_means_both_of_its_apis(openai_client, model):
    with model.faults("rate_limit", api="openai", times=2) as both:
        for ask in (chat, respond):
            with pytest.raises(openai.RateLimitError):
                ask(openai_client)
    with model.faults("rate_limit", api="openai_responses") as one:
        chat(openai_client)
        with pytest.raises(openai.RateLimitError):
            respond(openai_client)
    assert (both.hits, one.hits) == (2, 1)


# The words ----------------------------------------------------------------------------------------


def test_an_unknown_fault_is_told_which_there_are(model):
    with pytest.raises(ValueError, match=r"no fault 'rate_limits'.*rate_limit, quota, overloaded"):
        model.faults("rate_limits")


@pytest.mark.parametrize(
    "options",
    [
        {"times": 0},
        {"times": True},
        {"attempts": -1},
        {"skip": 1.5},
        {"api": "cohere"},
        {"seconds": 0},
        {"seconds": float("nan")},
        {"retry_after": 1e9},
    ],
)
def test_a_wrong_option_is_an_error(model, options):
    with pytest.raises(ValueError):
        model.faults("rate_limit", **options)


def test_a_fault_shows_what_it_does_and_how_often_it_did(model):
    fault = model.faults("rate_limit", times=2)
    assert repr(fault) == f"<fault rate_limit: {NAMES['rate_limit']}; hits: 0, 2 to come>"


def test_a_fault_outside_its_block_is_not_in_force(client, model):
    model.faults("rate_limit", times=10)
    assert client.messages.create(**body()).stop_reason == "tool_use"


def test_practice_faults_acts_on_the_running_model(monkeypatch):
    monkeypatch.setattr(running_module, "_running", None)
    with pytest.raises(RuntimeError, match="setup"):
        practice.faults("rate_limit")
    running = practice.start()
    try:
        client = anthropic.Anthropic(api_key="k", base_url=running.url, max_retries=0)
        with practice.faults("rate_limit"), pytest.raises(anthropic.RateLimitError):
            client.messages.create(**body())
    finally:
        running.server.close()
