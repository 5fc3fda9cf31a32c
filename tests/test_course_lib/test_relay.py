"""Live mode's relay: what it sends on, what it sends back, and what it refuses."""

from __future__ import annotations

import gzip
import http.client
import http.server
import json
import threading
from urllib.parse import urlsplit

import pytest

from course_lib.classroom.relay import Relay
from practice_model import Server
from practice_model.server.handle import MAX_BODY, Reply

JSON = {"content-type": "application/json"}


class Upstream:
    """A service on this machine: `answer` may be replaced; `requests` are what arrived."""

    def __init__(self):
        self.requests = []
        self.answer = lambda: Reply(200, dict(JSON), b'{"ok": true}')
        self.server = Server(self.handle)
        self.url = self.server.url

    def handle(self, method, path, headers, body):
        self.requests.append((method, path, headers, body))
        return self.answer()


@pytest.fixture(autouse=True)
def no_proxies(monkeypatch):
    for name in ("HTTP_PROXY", "HTTPS_PROXY", "ALL_PROXY", "NO_PROXY"):
        monkeypatch.delenv(name, raising=False)
        monkeypatch.delenv(name.lower(), raising=False)


@pytest.fixture
def upstream():
    upstream = Upstream()
    with upstream.server:
        yield upstream


@pytest.fixture
def relay(upstream):
    return Relay({"anthropic": upstream.url, "openai": f"{upstream.url}/v1", "gemini": f"{upstream.url}/"})


def message(reply: Reply) -> str:
    data = json.loads(reply.body)
    return data["error"]["message"]


# --- there ----------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("path", "arrives"),
    [
        ("/anthropic/v1/messages", "/v1/messages"),
        ("/anthropic/v1/messages?beta=true", "/v1/messages?beta=true"),
        ("/openai/v1/chat/completions", "/v1/chat/completions"),
        ("/openai/v1/responses", "/v1/responses"),
        ("/gemini/v1beta/models/g:generateContent?alt=sse", "/v1beta/models/g:generateContent?alt=sse"),
    ],
)
def test_the_prefix_chooses_the_service_and_is_taken_off(relay, upstream, path, arrives):
    assert relay.handle("POST", path, {}, b"{}").status == 200
    assert upstream.requests[0][1] == arrives


def test_method_body_and_headers_arrive(relay, upstream):
    headers = {
        "authorization": "Bearer sk-real",
        "x-api-key": "k",
        "anthropic-beta": "a,b",
        "user-agent": "me",
    }
    relay.handle(
        "POST", "/anthropic/v1/messages", {**headers, "content-type": "application/json"}, b'{"a": 1}'
    )
    method, _, arrived, body = upstream.requests[0]
    assert (method, body) == ("POST", b'{"a": 1}')
    assert {name: arrived[name] for name in headers} == headers
    assert arrived["content-type"] == "application/json"


def test_a_request_without_a_body_stays_without(relay, upstream):
    relay.handle("GET", "/anthropic/v1/models", {}, b"")
    method, _, headers, body = upstream.requests[0]
    assert (method, body) == ("GET", b"")
    assert "content-type" not in headers


def test_what_describes_the_connection_is_made_anew(relay, upstream):
    old = {
        "Host": "127.0.0.1:1",
        "Connection": "keep-alive",
        "Accept-Encoding": "gzip, br",
        "Content-Length": "99",
    }
    relay.handle("POST", "/anthropic/v1/messages", {**old, "Proxy-Authorization": "secret"}, b"{}")
    headers = upstream.requests[0][2]
    assert headers["host"] == urlsplit(upstream.url).netloc
    assert headers["accept-encoding"] == "identity"
    assert headers["content-length"] == "2"
    assert headers["connection"] == "close"
    assert "proxy-authorization" not in headers


# --- and back -------------------------------------------------------------------------------------


def test_an_error_of_the_service_comes_back_as_it_is(relay, upstream):
    upstream.answer = lambda: Reply(
        429, {**JSON, "retry-after": "7", "request-id": "r1"}, b'{"type": "error"}'
    )
    reply = relay.handle("POST", "/anthropic/v1/messages", {}, b"{}")
    assert (reply.status, reply.body) == (429, b'{"type": "error"}')
    assert reply.headers["retry-after"] == "7"
    assert reply.headers["request-id"] == "r1"
    assert not {"connection", "content-length"} & {name.lower() for name in reply.headers}


def test_a_body_that_comes_compressed_all_the_same_passes_unchanged(relay, upstream):
    packed = gzip.compress(b'{"a": 1}')
    upstream.answer = lambda: Reply(200, {**JSON, "content-encoding": "gzip"}, packed)
    assert relay.handle("GET", "/anthropic/v1/models", {}, b"").body == packed


def test_a_stream_passes_piece_by_piece(relay, upstream):
    """The service waits, between its two pieces, until the first one has come out of the relay."""
    first_is_through = threading.Event()

    def pieces():
        yield b"data: 1\n\n"
        assert first_is_through.wait(10)
        yield b"data: 2\n\n"

    upstream.answer = lambda: Reply(200, {"content-type": "text/event-stream; charset=utf-8"}, pieces())
    with Server(relay.handle) as server:
        connection = http.client.HTTPConnection(urlsplit(server.url).netloc, timeout=10)
        connection.request("POST", "/anthropic/v1/messages", b"{}")
        answer = connection.getresponse()
        assert answer.read1(100) == b"data: 1\n\n"
        first_is_through.set()
        assert answer.read() == b"data: 2\n\n"
        connection.close()
    (exchange,) = relay.log.list()
    assert exchange.response == [1, 2]  # as in practice mode: the data of each event


def test_a_stream_that_the_client_leaves_is_logged_as_far_as_it_came(relay, upstream):
    upstream.answer = lambda: Reply(
        200, {"content-type": "text/event-stream"}, iter([b"data: 1\n\n", b"data: 2\n\n"])
    )
    reply = relay.handle("POST", "/anthropic/v1/messages", {}, b"{}")
    next(reply.body)
    reply.body.close()
    (exchange,) = relay.log.list()
    assert exchange.response[0] == 1


# --- the log --------------------------------------------------------------------------------------


def test_exchanges_are_logged_with_keys_masked(relay, upstream):
    upstream.answer = lambda: Reply(200, {**JSON, "set-cookie": "session=SECRETPART"}, b'{"ok": true}')
    headers = {
        "authorization": "Bearer SECRETPART",
        "x-api-key": "SECRETPART",
        "x-goog-api-key": "SECRETPART",
    }
    relay.handle("POST", "/gemini/v1beta/models?key=SECRETPART&alt=sse", headers, b'{"model": "m"}')
    (exchange,) = relay.log.list()
    assert "SECRETPART" not in repr(exchange)
    assert exchange.path == "/v1beta/models?key=***&alt=sse"
    assert exchange.request == {"model": "m"}
    assert exchange.response == {"ok": True}
    assert (exchange.number, exchange.method, exchange.status) == (1, "POST", 200)
    assert exchange.seconds > 0


@pytest.mark.parametrize(
    ("path", "api"),
    [
        ("/anthropic/v1/messages", "anthropic"),
        ("/openai/v1/chat/completions", "openai_chat"),
        ("/openai/v1/responses", "openai_responses"),
        ("/gemini/v1beta/models", "gemini"),
    ],
)
def test_the_log_names_the_api(relay, path, api):
    relay.handle("POST", path, {}, b"{}")
    assert relay.log.list()[0].api == api


# --- what it refuses ------------------------------------------------------------------------------


@pytest.mark.parametrize("status", [301, 302, 303, 307, 308])
def test_a_redirect_is_not_followed_and_not_passed_on(relay, upstream, status):
    with Server(lambda *_: pytest.fail("the redirect was followed")) as other:
        upstream.answer = lambda: Reply(status, {"location": f"{other.url}/v1/messages"}, b"")
        reply = relay.handle("POST", "/anthropic/v1/messages", {"x-api-key": "sk-real"}, b"{}")
    assert reply.status == 502
    assert "location" not in reply.headers
    assert "ANTHROPIC_BASE_URL" in message(reply)


def test_a_path_of_no_provider_goes_nowhere(relay, upstream):
    for path in ("/v1/messages", "/other/v1", "/anthropicx/v1", "http://elsewhere/anthropic/v1"):
        assert relay.handle("POST", path, {}, b"{}").status == 409
    assert upstream.requests == []


def test_a_provider_that_is_not_live_is_refused_by_name(upstream):
    relay = Relay({"openai": f"{upstream.url}/v1"})
    reply = relay.handle("POST", "/anthropic/v1/messages", {}, b"{}")
    assert reply.status == 409
    assert "live mode for openai" in message(reply)


def test_after_practice_was_chosen_nothing_is_sent(relay, upstream):
    relay.upstreams = {}
    reply = relay.handle("POST", "/anthropic/v1/messages", {}, b"{}")
    assert reply.status == 409
    assert reply.headers["x-should-retry"] == "false"
    assert "Make the client again" in message(reply)
    assert upstream.requests == []


def test_a_web_page_of_another_machine_cannot_spend_the_learners_money(relay, upstream):
    reply = relay.handle("POST", "/openai/v1/responses", {"Origin": "https://evil.example"}, b"{}")
    assert reply.status == 403 and "evil.example" in message(reply)
    assert upstream.requests == [] and len(relay.log) == 0
    page = {"Origin": "http://localhost:8888"}
    assert relay.handle("POST", "/openai/v1/responses", page, b"{}").status == 200


def test_a_body_that_was_cut_off_is_not_sent(relay, upstream):
    reply = relay.handle("POST", "/anthropic/v1/messages", {}, b"x" * (MAX_BODY + 1))
    assert reply.status == 413
    assert upstream.requests == []


@pytest.mark.parametrize(
    ("path", "where"),
    [
        ("/anthropic/v1/messages", lambda data: data["type"] == "error" and data["error"]["type"]),
        ("/openai/v1/responses", lambda data: data["error"]["type"]),
        ("/gemini/v1beta/models", lambda data: data["error"]["status"]),
    ],
)
def test_no_connection_is_an_error_in_the_providers_shape(relay, upstream, path, where):
    upstream.server.close()
    reply = relay.handle("POST", path, {"x-api-key": "SECRETPART"}, b"{}")
    assert reply.status == 502
    assert where(json.loads(reply.body))
    assert "127.0.0.1 (ConnectionRefusedError)" in message(reply)
    assert "SECRETPART" not in reply.body.decode()
    assert relay.log.list()[0].status == 502


def test_a_base_url_that_is_no_url_is_an_answer_too():
    for base in ("nonsense", "ftp://example", "http://[bad"):
        assert Relay({"anthropic": base}).handle("POST", "/anthropic/v1/messages", {}, b"{}").status == 502


# --- proxies --------------------------------------------------------------------------------------


def test_a_proxy_in_the_environment_is_used(monkeypatch):
    asked = []

    class Proxy(http.server.BaseHTTPRequestHandler):
        def do_POST(self):  # noqa: N802 - the name that http.server looks for
            asked.append(self.path)
            self.send_response(204)
            self.end_headers()

        def log_message(self, *args):
            pass

    with http.server.HTTPServer(("127.0.0.1", 0), Proxy) as proxy:
        threading.Thread(target=proxy.handle_request, daemon=True).start()
        for name in ("HTTP_PROXY", "http_proxy"):
            monkeypatch.setenv(name, f"http://127.0.0.1:{proxy.server_port}")
        relay = Relay({"anthropic": "http://service.invalid"})
        assert relay.handle("POST", "/anthropic/v1/messages", {}, b"{}").status == 204
    assert asked == ["http://service.invalid/v1/messages"]


def test_no_proxy_is_honoured(relay, upstream, monkeypatch):
    monkeypatch.setenv("http_proxy", "http://127.0.0.1:9")
    monkeypatch.setenv("no_proxy", "127.0.0.1")
    assert relay.handle("POST", "/anthropic/v1/messages", {}, b"{}").status == 200


def test_a_socks_proxy_is_explained(monkeypatch):
    monkeypatch.setenv("all_proxy", "socks5://127.0.0.1:9")
    reply = Relay({"anthropic": "http://service.invalid"}).handle("POST", "/anthropic/v1/messages", {}, b"{}")
    assert "SOCKS" in message(reply)


# --- through the real SDKs ------------------------------------------------------------------------


def test_the_sdks_work_through_it(relay, upstream):
    anthropic, openai = pytest.importorskip("anthropic"), pytest.importorskip("openai")
    with Server(relay.handle) as server:
        upstream.answer = lambda: Reply(
            404, dict(JSON), b'{"type": "error", "error": {"type": "not_found_error"}}'
        )
        with anthropic.Anthropic(api_key="k", base_url=f"{server.url}/anthropic") as client:
            with pytest.raises(anthropic.NotFoundError):
                client.models.retrieve("old-model-2023")
        relay.upstreams = {}
        with openai.OpenAI(api_key="k", base_url=f"{server.url}/openai/v1") as client:
            with pytest.raises(openai.ConflictError, match="Make the client again"):
                client.models.list()
    assert upstream.requests[0][1] == "/v1/models/old-model-2023"


# --- a model that the service does not know ---------------------------------------------------------

MISSING = [
    (
        "/anthropic/v1/messages",
        404,
        {"type": "error", "error": {"type": "not_found_error", "message": "model: old"}},
    ),
    (
        "/openai/v1/chat/completions",
        404,
        {"error": {"message": "The model `old` does not exist", "code": "x"}},
    ),
    ("/openai/v1/responses", 400, {"error": {"message": "no model 'old'", "code": "model_not_found"}}),
    (
        "/gemini/v1beta/models/old:generateContent",
        404,
        {"error": {"code": 404, "message": "models/old is not found"}},
    ),
]


@pytest.mark.parametrize(("path", "status", "answer"), MISSING)
def test_the_learner_is_told_once_what_to_do_and_the_answer_stays_the_services(
    relay, upstream, capsys, path, status, answer
):
    body = json.dumps(answer).encode("utf-8")
    upstream.answer = lambda: Reply(status, dict(JSON), body)
    request = b"{}" if "gemini" in path else b'{"model": "old"}'
    for _ in range(2):
        reply = relay.handle("POST", path, {}, request)
        assert (reply.status, reply.body) == (status, body)
    told = capsys.readouterr()
    assert told.err.count("The service does not know the model 'old'") == 1 and told.out == ""
    assert "COURSE_" in told.err and "course_lib.setup()" in told.err


@pytest.mark.parametrize(
    ("status", "answer"),
    [
        (404, b'{"error": {"message": "Previous response resp_1 not found"}}'),
        (400, b'{"error": {"message": "bad field in old", "code": "invalid"}}'),
        (404, b"not json"),
        (404, b'{"error": "old"}'),
        (404, b"[]"),
        (200, b'{"error": {"message": "old"}}'),
    ],
)
def test_of_anything_else_nothing_is_said(relay, upstream, capsys, status, answer):
    upstream.answer = lambda: Reply(status, dict(JSON), answer)
    for request in (b'{"model": "old"}', b'{"model": 5}', b"[]", b""):
        relay.handle("POST", "/openai/v1/responses", {}, request)
    told = capsys.readouterr()
    assert told.err == told.out == ""
