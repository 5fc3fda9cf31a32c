"""The practice model without a network: routing, the errors of HTTP, the log, and our own bugs."""

from __future__ import annotations

import json
import subprocess
import sys
import threading

import pytest

from practice_model import Explanation, PracticeModel
from practice_model.request import Call, Decision, Request, Score
from practice_model.server.exchanges import KEPT, LARGE, Exchange, Log, mask_headers
from practice_model.server.handle import MAX_BODY, Reply
from practice_model.wires.writing import count_tokens, cut_tokens, make_id, write

HEADERS = {"x-api-key": "practice", "anthropic-version": "2026-10-21", "content-type": "application/json"}
BODY = {"model": "claude-haiku-5-5", "max_tokens": 100, "messages": [{"role": "user", "content": "Hello"}]}


def hello(request: Request) -> Decision:
    return Decision(text=f"You said: {request.turns[-1].text}")


@pytest.fixture
def model() -> PracticeModel:
    return PracticeModel(hello)


def post(
    model: PracticeModel, body: object = BODY, headers: dict[str, str] = HEADERS, path: str = "/v1/messages"
):
    raw = body if isinstance(body, bytes) else json.dumps(body).encode("utf-8")
    reply = model.handle("POST", path, headers, raw)
    return reply, json.loads(reply.body)


def error_of(answer: dict) -> tuple[str, str]:
    assert answer["type"] == "error"
    return answer["error"]["type"], answer["error"]["message"]


# Routing and authentication ------------------------------------------------------------------------


def test_an_unknown_path_is_404_and_says_what_there_is(model):
    reply = model.handle("POST", "/v1/complete", HEADERS, b"{}")
    kind, message = error_of(json.loads(reply.body))
    assert (reply.status, kind) == (404, "not_found_error")
    assert "/v1/complete" in message and "POST /v1/messages" in message


def test_a_path_of_no_api_lists_the_routes_of_all_each_once(model):
    reply = model.handle("GET", "/", {}, b"")
    message = error_of(json.loads(reply.body))[1]
    for path in ("/v1/messages", "/v1/chat/completions", "/v1/responses", "/v1beta/models/{model}"):
        assert path in message
    assert reply.status == 404 and message.count("GET /v1/models;") == 1


def test_a_wrong_method_is_405_and_names_the_right_one(model):
    reply = model.handle("GET", "/v1/messages", HEADERS, b"")
    assert reply.status == 405
    assert reply.headers["allow"] == "POST"


@pytest.mark.parametrize("method", ["OPTIONS", "PUT", "DELETE", "BREW"])
def test_any_other_method_is_405_too(model, method):
    assert model.handle(method, "/v1/models", HEADERS, b"").status == 405


def test_head_is_get_without_a_body(model):
    reply = model.handle("HEAD", "/v1/models", HEADERS, b"")
    assert (reply.status, reply.body) == (200, b"")


@pytest.mark.parametrize("key", [{}, {"x-api-key": ""}, {"x-api-key": "  "}, {"authorization": "Bearer "}])
def test_a_request_without_a_key_is_401(model, key):
    headers = {name: value for name, value in HEADERS.items() if name != "x-api-key"} | key
    reply, answer = post(model, headers=headers)
    assert (reply.status, error_of(answer)[0]) == (401, "authentication_error")


@pytest.mark.parametrize("key", [{"x-api-key": "k"}, {"Authorization": "Bearer k"}])
def test_either_key_header_will_do_whatever_its_case(model, key):
    headers = {"Anthropic-Version": "2026-10-21", **key}
    assert post(model, headers=headers)[0].status == 200


def test_a_query_and_a_final_slash_do_not_disturb_routing(model):
    assert post(model, path="/v1/messages?beta=true")[0].status == 200
    assert post(model, path="/v1/messages/")[0].status == 200


# Bodies --------------------------------------------------------------------------------------------


def test_a_body_over_the_limit_is_413(model):
    reply, answer = post(model, b"x" * (MAX_BODY + 1))
    assert (reply.status, error_of(answer)[0]) == (413, "request_too_large")


@pytest.mark.parametrize(
    "body",
    [
        b"",
        b"{",
        b'{"a": 1,}',
        b"{'a': 1}",
        b"\xff\xfe",
        b'{"max_tokens": NaN}',
        b'{"max_tokens": 1e999}',
        b'{"text": "\\ud83d"}',
        b"[" * 100_000,
        b'{"n": ' + b"9" * 10_000 + b"}",
    ],
)
def test_a_body_that_is_not_json_is_400(model, body):
    reply, answer = post(model, body)
    assert reply.status == 400
    assert error_of(answer)[1].startswith("The request body is not valid JSON: ")


NO_JSON = "We could not parse the JSON body of your request. (HINT: "
CONTROL = "The request body is not valid JSON: unexpected control character in string: line 1 column "


@pytest.mark.parametrize("character", ["\n", "\t", "\r", "\x00", "\x1b"])
@pytest.mark.parametrize(
    ("path", "headers", "said"),
    [
        ("/v1/messages", HEADERS, CONTROL),
        ("/v1/chat/completions", {"authorization": "Bearer k"}, NO_JSON),
        ("/v1/responses", {"authorization": "Bearer k"}, NO_JSON),
    ],
)
def test_a_raw_control_character_in_a_string_is_refused_in_the_services_words(
    model, character, path, headers, said
):
    raw = json.dumps({"model": "one two"}).replace(" two", f"{character}two").encode()
    reply = model.handle("POST", path, headers, raw)
    assert reply.status == 400
    assert json.loads(reply.body)["error"]["message"].startswith(said)


def test_a_schema_nested_beyond_reason_is_refused_not_a_crash(model):
    schema: dict = {"type": "object"}
    for _ in range(400):
        schema = {"type": "object", "properties": {"a": schema}}
    body = BODY | {"tools": [{"name": "t", "input_schema": schema}]}
    assert post(model, body)[0].status in (200, 400)


# Names of calls in a history -----------------------------------------------------------------------

INVENTED = {
    "dot": "functions.get_weather",
    "blank": "get weather",
    "empty": "",
    "long": "x" * 70,
    "over": "x" * 201,
}
PATTERN = "string does not match pattern. Expected a string that matches the pattern '^[a-zA-Z0-9_-]+$'."
TOO_LONG = (
    "string too long. Expected a string with maximum length 64, but got a string with length {} instead."
)
EMPTY = "empty string. Expected a string with minimum length 1, but got an empty string instead."
BEARER = {"authorization": "Bearer k"}


def _asked(api: str, name: str) -> tuple[str, dict[str, str], dict]:
    """A path, headers and a body whose history has a call of this name, and its result."""
    function = {"name": name, "arguments": "{}"}
    if api == "anthropic":
        call = {"type": "tool_use", "id": "a", "name": name, "input": {}}
        result = {"type": "tool_result", "tool_use_id": "a", "content": "7"}
        said = [{"role": "assistant", "content": [call]}, {"role": "user", "content": [result]}]
        return "/v1/messages", HEADERS, BODY | {"messages": BODY["messages"] + said}
    if api == "gemini":
        called = {"role": "model", "parts": [{"functionCall": {"name": name, "args": {}}}]}
        done = {"role": "user", "parts": [{"functionResponse": {"name": name, "response": {"a": 7}}}]}
        contents = [{"role": "user", "parts": [{"text": "Go"}]}, called, done]
        path = "/v1beta/models/gemini-2.5-flash:generateContent"
        return path, {"x-goog-api-key": "k"}, {"contents": contents}
    if api in ("responses", "responses custom"):
        call = {"type": "function_call", "call_id": "a", "name": name, "arguments": "{}"}
        items = [{"role": "user", "content": "Go"}, call]
        items.append({"type": "function_call_output", "call_id": "a", "output": "7"})
        if api == "responses custom":
            items[1:] = [{"type": "custom_tool_call", "call_id": "a", "name": name, "input": "x"}]
        return "/v1/responses", BEARER, {"model": "gpt-5.4-mini", "input": items}
    said = {
        "chat": {"tool_calls": [{"id": "a", "type": "function", "function": function}]},
        "chat custom": {
            "tool_calls": [{"id": "a", "type": "custom", "custom": {"name": name, "input": "x"}}]
        },
        "chat legacy": {"function_call": function},
    }[api]
    result = {"role": "tool", "tool_call_id": "a", "content": "7"}
    results = [result] if api == "chat" else []
    messages = [{"role": "user", "content": "Go"}, {"role": "assistant", **said}, *results]
    return "/v1/chat/completions", BEARER, {"model": "gpt-5.4-mini", "messages": messages}


@pytest.mark.parametrize(
    ("api", "place"),
    [
        ("chat", "messages[1].tool_calls[0].function.name"),
        ("chat custom", "messages[1].tool_calls[0].custom.name"),
        ("chat legacy", "messages[1].function_call.name"),
        ("responses", "input[1].name"),
        ("responses custom", "input[1].name"),
    ],
)
@pytest.mark.parametrize(
    ("name", "said"),
    [
        ("dot", PATTERN),
        ("blank", PATTERN),
        ("empty", EMPTY),
        ("long", TOO_LONG.format(70)),
        ("over", TOO_LONG.format(201)),
    ],
)
def test_openai_refuses_an_invented_name_wherever_it_was_called(model, api, place, name, said):
    path, headers, body = _asked(api, INVENTED[name])
    error = post(model, body, headers, path)[1]["error"]
    assert (error["message"], error["param"]) == (f"Invalid '{place}': {said}", place)


@pytest.mark.parametrize(
    ("api", "refused"),
    [
        (
            "anthropic",
            {
                "empty": "messages.1.content.0.tool_use.name: String should have at least 1 character",
                "over": "messages.1.content.0.tool_use.name: String should have at most 200 characters",
            },
        ),
        (
            "gemini",
            {"empty": "* GenerateContentRequest.contents[1].parts[0].function_call.name: Name cannot be"},
        ),
    ],
)
@pytest.mark.parametrize("name", INVENTED)
def test_the_others_refuse_fewer_invented_names_each_in_its_words(model, api, refused, name):
    path, headers, body = _asked(api, INVENTED[name])
    reply, answer = post(model, body, headers, path)
    assert reply.status == (400 if name in refused else 200)
    assert answer.get("error", {}).get("message", "").startswith(refused.get(name, ""))


# Our own bugs --------------------------------------------------------------------------------------


def test_a_bug_of_ours_is_500_and_asks_not_to_be_retried(caplog):
    def broken(request: Request) -> Decision:
        raise KeyError("oops")

    reply, answer = post(PracticeModel(broken))
    assert reply.status == 500
    assert reply.headers["x-should-retry"] == "false"
    kind, message = error_of(answer)
    assert kind == "api_error" and "bug in the practice model" in message
    assert "oops" not in message, "the traceback belongs in the log only"
    assert "oops" in caplog.text


# The log -------------------------------------------------------------------------------------------


def test_every_exchange_is_logged_refused_ones_too(model):
    post(model)
    post(model, BODY | {"max_tokens": "many"})
    first, second = model.log.list()
    assert (first.number, first.api, first.method, first.path) == (1, "anthropic", "POST", "/v1/messages")
    assert (first.request, first.status) == (BODY, 200)
    assert first.response["content"][0]["text"] == "You said: Hello"
    assert (second.number, second.status, second.response["type"]) == (2, 400, "error")
    assert model.log.list(since=1) == [second]


def test_a_body_that_is_not_json_is_logged_as_text(model):
    post(model, b"not json")
    assert model.log.list()[0].request == "not json"


def test_keys_and_cookies_never_reach_the_log(model):
    post(
        model,
        headers=HEADERS
        | {"Authorization": "Bearer sk-secret", "x-api-key": "sk-secret", "Cookie": "sk-secret"},
    )
    assert "secret" not in repr(model.log.list())


def test_mask_keeps_not_even_the_end_of_a_key():
    assert mask_headers({"X-Api-Key": "sk-1234", "accept": "*/*"}) == {"X-Api-Key": "***", "accept": "*/*"}


def exchange(n: int) -> Exchange:
    return Exchange(0, "test", "POST", f"/{n}", {}, None, 200)


def test_the_log_forgets_the_oldest_by_count_and_by_bytes():
    log = Log(max_count=3, max_bytes=100)
    for n in range(5):
        log.append(exchange(n), size=10)
    assert [one.path for one in log.list()] == ["/2", "/3", "/4"]
    log.append(exchange(5), size=90)
    assert [one.path for one in log.list()] == ["/4", "/5"]


def test_one_exchange_that_is_too_large_is_kept_alone():
    log = Log(max_bytes=100)
    log.append(exchange(0), size=10)
    log.append(exchange(1), size=1000)
    assert [one.path for one in log.list()] == ["/1"]


def test_a_large_body_is_logged_as_the_beginning_of_its_text(model):
    text = json.dumps(BODY | {"metadata": {"note": "n" * LARGE, "key": "sk-" + "a1" * 20}})
    post(model, text.encode("utf-8"))
    post(model, b"[" + b"0," * LARGE + b"0]", path="/v1/complete")
    large, refused = (one.request for one in model.log.list())
    assert large.startswith('{"model": "claude-haiku-5-5"') and len(large) < 3_000
    assert str(len(text)) in large and "nn…" in large
    assert refused.startswith("[0,0,0") and len(refused) < 3_000


def test_the_beginning_of_a_large_body_shows_no_key(model):
    key = "sk-ant-" + "a1" * 20
    for before in (0, KEPT - 20, 2 * KEPT - 20):
        post(model, ("x" * before + " " + key + " " + "x" * LARGE).encode("utf-8"))
    assert all("a1a1a1" not in one.request for one in model.log.list())


def test_what_an_exchange_takes_is_what_it_holds_and_not_the_length_of_its_text():
    sent = [[] for _ in range(10_000)]
    held = Exchange(0, "test", "POST", "/", {}, sent, 200).memory
    assert held > 500_000 > 10 * len(json.dumps(sent))


def test_seven_large_bodies_do_not_make_the_log_grow(model):
    model.log.max_bytes = 10_000_000
    for _ in range(7):
        post(model, b"[" + b"[]," * 50_000 + b"[]]")
        post(model, b"[" + b"0," * 4_500_000 + b"0]")
    kept = model.log.list()
    assert sum(one.memory for one in kept) < 10_000_000
    assert len(kept) < 14, "each of the others takes 3 MB as JSON, though 150 KB as text"
    assert [type(one.request) for one in kept[-2:]] == [list, str]


def test_after_clear_numbers_begin_again():
    log = Log()
    log.append(exchange(0))
    log.clear()
    log.append(exchange(1))
    assert [one.number for one in log.list()] == [1]


def test_numbers_are_unique_across_threads(model):
    threads = [threading.Thread(target=lambda: [post(model) for _ in range(20)]) for _ in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert sorted(one.number for one in model.log.list()) == list(range(1, 161))


def test_an_event_stream_is_logged_when_it_has_been_sent(model):
    reply = model._logged(exchange(0), Reply(200, {}, iter([b"data: 1\n\n", b"data: 2\n\n"])), 0.0)
    assert len(model.log) == 0
    assert b"".join(reply.body) == b"data: 1\n\ndata: 2\n\n"
    assert model.log.list()[0].response == [1, 2]


def test_an_event_stream_that_is_cut_short_is_logged_as_far_as_it_got(model):
    reply = model._logged(exchange(0), Reply(200, {}, iter([b"data: 1\n\n", b"data: 2\n\n"])), 0.0)
    next(reply.body)
    reply.body.close()
    assert model.log.list()[0].response == [1]


# Determinism ---------------------------------------------------------------------------------------


def test_the_same_request_gets_the_same_bytes_from_another_model():
    assert post(PracticeModel(hello))[0] == post(PracticeModel(hello))[0]


def test_another_request_gets_another_id(model):
    other = BODY | {"messages": [{"role": "user", "content": "Goodbye"}]}
    assert post(model)[1]["id"] != post(model, other)[1]["id"]


def test_ids_look_like_the_real_ones():
    assert make_id("msg_01", "a").startswith("msg_01") and len(make_id("msg_01", "a")) == 28
    assert make_id("x", "ab", "c") != make_id("x", "a", "bc")


# Tokens and limits ---------------------------------------------------------------------------------


def test_english_prose_has_about_four_characters_a_token():
    text = "The quick brown fox jumps over the lazy dog, and nobody in the village knows why it does so. " * 5
    assert 3.5 < len(text) / count_tokens(text) < 5.5


@pytest.mark.parametrize(
    "text", ["", " ", "Hello, world", "¿Cuántos mensajes recibí?", "日本語", "a\n\n  b ", "{}"]
)
def test_cutting_at_all_of_a_text_keeps_all_of_it(text):
    assert cut_tokens(text, count_tokens(text)) == (text, count_tokens(text))
    assert cut_tokens(text, 0) == ("", 0)


def written(decision: Decision, **limits):
    return write(decision, Request(model="m", turns=(), **limits))


def test_a_stop_sequence_ends_the_text_and_what_would_follow():
    result = written(Decision("one STOP two", (Call("f", {}),)), stop_sequences=("STOP",))
    assert (result.text, result.stop, result.stop_sequence, result.calls) == ("one ", "sequence", "STOP", ())


def test_the_first_stop_sequence_in_the_text_wins():
    assert written(Decision("a b c"), stop_sequences=("c", "b")).stop_sequence == "b"


def test_max_tokens_before_the_stop_sequence_wins():
    result = written(Decision("word " * 50 + "STOP"), stop_sequences=("STOP",), max_tokens=3)
    assert (result.stop, result.stop_sequence, result.output_tokens) == ("limit", None, 3)


def test_a_call_that_does_not_fit_loses_its_last_arguments():
    call = Call("send", {"to": "Ana", "text": "a long letter " * 20})
    result = written(Decision(calls=(call,)), max_tokens=40)
    assert result.stop == "limit"
    assert result.calls[0].arguments == {"to": "Ana"}


def test_a_call_of_which_not_even_the_name_fits_is_dropped():
    result = written(Decision("Hi.", (Call("send", {}),)), max_tokens=5)
    assert (result.stop, result.text, result.calls) == ("limit", "Hi.", ())


def test_output_tokens_never_exceed_the_limit():
    decision = Decision("some text", (Call("a", {"x": 1}), Call("b", {"y": "z" * 50})), "a thought")
    for limit in range(80):
        assert written(decision, max_tokens=limit, thinking=True).output_tokens <= limit


# Explain -------------------------------------------------------------------------------------------


SCORED = Decision(
    calls=(Call("get_weather", {}),),
    scores=(
        Score("weather in <Rome>", "send_mail", 0.1, False, ("-weather",)),
        Score("weather in <Rome>", "get_weather", 0.9, True, ("weather", "city")),
    ),
)


def test_explain_shows_the_best_tool_first_with_its_reasons():
    lines = repr(Explanation(SCORED)).splitlines()
    assert (
        "get_weather" in lines[2] and "0.90" in lines[2] and "yes" in lines[2] and "weather, city" in lines[2]
    )
    assert "send_mail" in lines[3] and "against: weather" in lines[3]
    assert lines[-1] == "It called: get_weather."


def test_explain_escapes_html():
    shown = Explanation(SCORED)._repr_html_()
    assert "&lt;Rome&gt;" in shown and "<Rome>" not in shown


def test_explain_before_any_decision_says_so():
    assert "send it a message first" in repr(Explanation(None))


def test_the_last_decision_is_kept(model):
    post(model)
    assert model.last_decision.text == "You said: Hello"


# Import --------------------------------------------------------------------------------------------


def test_importing_practice_loads_no_sdk_and_no_http_client():
    code = (
        "import sys, practice_model as p; p.PracticeModel(lambda r: None); "
        "print(sorted({'anthropic', 'openai', 'httpx2', 'httpx', 'sqlite3'} & set(sys.modules)))"
    )
    result = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, encoding="utf-8", check=True
    )
    assert result.stdout.strip() == "[]"


MANY_QUESTIONS = """
import json, sys, threading
from concurrent.futures import ThreadPoolExecutor
from practice_model import PracticeModel

sys.setswitchinterval(1e-5)
HEADERS = {"x-api-key": "practice", "anthropic-version": "2026-10-21"}
SCHEMA = {"type": "object", "properties": {"colour": {"type": "string"}}}
TOOL = {"name": "find_lantern", "description": "Find lanterns by their colours.", "input_schema": SCHEMA}
WORDS = "searching colours lanterns lists glowing brightly winters shining corridors celebrations".split()
model, threads = PracticeModel(), int(sys.argv[1])
barrier = threading.Barrier(threads)

def ask(number):
    text = f"Which {WORDS[number % 10]} {WORDS[number // 10]} lanterns of colour {number} are there?"
    body = {"model": "claude-haiku-5-5", "max_tokens": 300, "tools": [TOOL]}
    body["messages"] = [{"role": "user", "content": text}]
    reply = model.handle("POST", "/v1/messages", HEADERS, json.dumps(body).encode())
    return number, reply.status, reply.body.decode()

def some(first):
    barrier.wait()
    return [ask(number) for number in range(first, 100, threads)]

with ThreadPoolExecutor(threads) as pool:
    answers = sorted(answer for part in pool.map(some, range(threads)) for answer in part)
json.dump(answers, sys.stdout)
"""


def test_eight_threads_in_a_fresh_process_get_the_same_answers_as_one():
    """A stemmer holds the word that it works on: shared between threads, it mixed words up."""

    def answers(threads: int) -> list:
        command = [sys.executable, "-c", MANY_QUESTIONS, str(threads)]
        return json.loads(subprocess.run(command, capture_output=True, encoding="utf-8", check=True).stdout)

    together = answers(8)
    assert [status for _, status, _ in together] == [200] * 100
    assert together == answers(1)


@pytest.mark.parametrize(
    "name", ["x-portkey-api-key", "helicone-auth", "ocp-apim-subscription-key", "x-secret"]
)
def test_a_gateways_own_key_header_is_masked_too(name):
    assert mask_headers({name: "abc", "content-type": "text/plain"}) == {
        name: "***",
        "content-type": "text/plain",
    }
