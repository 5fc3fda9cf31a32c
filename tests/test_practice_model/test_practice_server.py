"""The loopback server: what clients of every kind get, and what is left when it is closed."""

from __future__ import annotations

import http.client
import json
import socket
import subprocess
import sys
import threading
from concurrent.futures import ThreadPoolExecutor
from urllib.parse import urlsplit

import anthropic
import pytest

from course_lib import practice
from practice_model import PracticeModel, Server
from practice_model.request import Decision
from practice_model.server.handle import MAX_BODY, MOST_PAGES, Reply

HEADERS = {"x-api-key": "practice", "anthropic-version": "2026-10-21"}
BODY = {"model": "claude-haiku-5-5", "max_tokens": 100, "messages": [{"role": "user", "content": "Hello"}]}
RAW = json.dumps(BODY).encode("utf-8")


@pytest.fixture
def server():
    with Server(PracticeModel(lambda request: Decision(text="Hi.")).handle) as running:
        yield running


def talk(server: Server, sent: bytes, *, finish: bool = False) -> bytes:
    """Send bytes as they are, and return everything that comes back."""
    with socket.create_connection(("127.0.0.1", server.port), timeout=30) as connection:
        connection.sendall(sent)
        if finish:
            connection.shutdown(socket.SHUT_WR)
        pieces = []
        while piece := connection.recv(65536):
            pieces.append(piece)
        return b"".join(pieces)


def request(body: bytes, *extra: str, host: str = "127.0.0.1") -> bytes:
    lines = [
        "POST /v1/messages HTTP/1.1",
        f"Host: {host}",
        *(f"{name}: {value}" for name, value in HEADERS.items()),
    ]
    return "\r\n".join([*lines, *extra, "", ""]).encode("latin-1") + body


def status_of(answer: bytes) -> int:
    return int(answer.split(b" ", 2)[1])


def json_of(answer: bytes) -> dict:
    return json.loads(answer.partition(b"\r\n\r\n")[2])


def sdk(server: Server, **options) -> anthropic.Anthropic:
    return anthropic.Anthropic(base_url=server.url, api_key="practice", max_retries=0, **options)


# Plain service -------------------------------------------------------------------------------------


def test_an_answer_says_its_length_and_closes_the_connection(server):
    answer = talk(server, request(RAW, f"Content-Length: {len(RAW)}"))
    head, _, body = answer.partition(b"\r\n\r\n")
    assert status_of(answer) == 200
    assert b"connection: close" in head.lower()
    assert f"content-length: {len(body)}".encode() in head.lower()
    assert json.loads(body)["content"][0]["text"] == "Hi."


def test_a_chunked_body_is_read(server):
    half = len(RAW) // 2
    chunks = b"".join(b"%x;ext=1\r\n%s\r\n" % (len(part), part) for part in (RAW[:half], RAW[half:]))
    answer = talk(server, request(chunks + b"0\r\nTrailer: x\r\n\r\n", "Transfer-Encoding: chunked"))
    assert status_of(answer) == 200


def test_a_client_that_asks_before_it_sends_is_told_to_go_on(server):
    answer = talk(server, request(RAW, f"Content-Length: {len(RAW)}", "Expect: 100-continue"))
    assert answer.startswith(b"HTTP/1.1 100 ")
    assert b"HTTP/1.1 200 " in answer


def test_head_sends_no_body(server):
    connection = http.client.HTTPConnection("127.0.0.1", server.port, timeout=30)
    connection.request("HEAD", "/v1/models", headers=HEADERS)
    response = connection.getresponse()
    assert (response.status, response.read()) == (200, b"")
    connection.close()


def test_options_is_answered_in_json(server):
    answer = talk(server, b"OPTIONS /v1/messages HTTP/1.1\r\nHost: localhost\r\n\r\n")
    assert status_of(answer) == 405
    assert json_of(answer)["type"] == "error"


def test_an_event_stream_arrives_piece_by_piece_and_ends_properly():
    def handle(*_):
        return Reply(200, {"content-type": "text/event-stream"}, iter([b"data: 1\n\n", b"", b"data: 2\n\n"]))

    with Server(handle) as server:
        connection = http.client.HTTPConnection("127.0.0.1", server.port, timeout=30)
        connection.request("GET", "/")
        assert connection.getresponse().read() == b"data: 1\n\ndata: 2\n\n"
        connection.close()


def test_an_event_stream_that_breaks_off_is_seen_to_be_broken():
    def pieces():
        yield b"data: 1\n\n"
        raise OSError("gone")

    with Server(lambda *_: Reply(200, {}, pieces())) as server:
        connection = http.client.HTTPConnection("127.0.0.1", server.port, timeout=30)
        connection.request("GET", "/")
        with pytest.raises(http.client.IncompleteRead):
            connection.getresponse().read()
        connection.close()


# Bad clients ---------------------------------------------------------------------------------------


def test_a_client_with_a_body_over_the_limit_receives_413(server):
    with pytest.raises(anthropic.APIStatusError) as caught:
        sdk(server).messages.create(
            **BODY | {"messages": [{"role": "user", "content": "x" * (MAX_BODY + 5_000_000)}]}
        )
    assert caught.value.status_code == 413
    assert caught.value.type == "request_too_large"


def test_a_chunked_body_over_the_limit_receives_413(server):
    chunk = b"100000\r\n" + b"x" * 0x100000 + b"\r\n"
    answer = talk(server, request(chunk * 12 + b"0\r\n\r\n", "Transfer-Encoding: chunked"))
    assert status_of(answer) == 413


@pytest.mark.parametrize("length", ["-1", "ten", "1.5", "", "+5", "9" * 30])
def test_a_bad_content_length_is_400(server, length):
    answer = talk(server, request(b"", f"Content-Length: {length}"), finish=True)
    assert status_of(answer) == 400
    assert "Content-Length" in json_of(answer)["error"]["message"]


def test_two_different_content_lengths_are_400(server):
    answer = talk(server, request(b"{}", "Content-Length: 2", "Content-Length: 3"), finish=True)
    assert status_of(answer) == 400
    assert "Content-Length" in json_of(answer)["error"]["message"]


@pytest.mark.parametrize("chunks", [b"zz\r\n{}\r\n0\r\n\r\n", b"-1\r\n\r\n", b"\r\n\r\n", b"f" * 2000])
def test_a_bad_chunk_is_400(server, chunks):
    answer = talk(server, request(chunks, "Transfer-Encoding: chunked"), finish=True)
    assert status_of(answer) == 400


@pytest.mark.parametrize(
    ("sent", "status"),
    [
        (b"GET /" + b"a" * 70_000 + b" HTTP/1.1\r\n\r\n", 414),
        (b"GET / HTTP/1.1\r\nX: " + b"a" * 70_000 + b"\r\n\r\n", 431),
        (b"GET / HTTP/1.1\r\n" + b"".join(b"X%d: 1\r\n" % n for n in range(200)) + b"\r\n", 431),
        (b"GET / HTTP/3.7\r\n\r\n", 505),
        (b"what is this\x00\r\n\r\n", 400),
        (b"\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03\r\n\r\n", 400),  # a browser that wants https
    ],
)
def test_what_is_not_http_is_refused_in_json(server, sent, status):
    answer = talk(server, sent, finish=True)
    assert status_of(answer) == status
    assert json_of(answer)["type"] == "error"


@pytest.mark.parametrize(
    "sent",
    [b"", b"POST", request(b"", "Content-Length: 100"), request(b"5\r\nab", "Transfer-Encoding: chunked")],
)
def test_a_client_that_hangs_up_does_no_harm(server, sent):
    talk(server, sent, finish=True)
    assert sdk(server).messages.create(**BODY).content[0].text == "Hi."


def test_the_server_is_reachable_on_loopback_only(server):
    assert server._server.server_address[0] == "127.0.0.1"


@pytest.mark.parametrize("host", ["evil.example", "evil.example:80", "127.0.0.1.evil.example", "192.168.0.1"])
def test_a_page_that_points_its_own_name_at_this_machine_is_refused(server, host):
    answer = talk(server, request(RAW, f"Content-Length: {len(RAW)}", host=host))
    assert status_of(answer) == 403
    assert "loopback" in json_of(answer)["error"]["message"]


@pytest.mark.parametrize("host", ["localhost", "LOCALHOST:8000", "127.0.0.1:1", "[::1]:99"])
def test_every_name_of_loopback_is_answered(server, host):
    assert status_of(talk(server, request(RAW, f"Content-Length: {len(RAW)}", host=host))) == 200


PATHS = {
    "/v1/messages": lambda body: body["type"] == "error" and body["error"]["type"] == "permission_error",
    "/v1/chat/completions": lambda body: "param" in body["error"],
    "/v1/responses": lambda body: "param" in body["error"],
    "/v1beta/models/gemini-2.5-flash:generateContent": lambda body: (
        body["error"]["status"] == "PERMISSION_DENIED"
    ),
    "/v1/models": lambda body: "error" in body,
    "/anything": lambda body: "error" in body,
}


def page_request(path: str, method: str, *headers: str) -> bytes:
    """What a browser sends for a web page: no key, no JSON, which would make it ask before."""
    lines = [f"{method} {path} HTTP/1.1", "Host: 127.0.0.1:8765", "Content-Type: text/plain", *headers]
    return "\r\n".join([*lines, f"Content-Length: {len(RAW)}", "", ""]).encode("latin-1") + RAW


@pytest.mark.parametrize("method", ["GET", "POST", "OPTIONS", "DELETE"])
@pytest.mark.parametrize("path", PATHS)
def test_a_page_of_another_machine_is_refused_in_the_form_of_the_route(server, path, method):
    answer = talk(server, page_request(path, method, "Origin: https://evil.example"))
    assert status_of(answer) == 403
    assert PATHS[path](json_of(answer))
    assert "evil.example" in json_of(answer)["error"]["message"]


FOREIGN = [
    "null",
    "http://localhost.evil.example",
    "http://127.0.0.1.evil.example:8888",
    "http://evil.example:8765",
    "http://192.168.0.7:8888",
    "http://[::2]",
    "file://",
    "localhost",
    "",
]


@pytest.mark.parametrize("origin", FOREIGN)
def test_whatever_is_not_plainly_this_machine_is_refused(server, origin):
    assert status_of(talk(server, page_request("/v1/models", "GET", f"Origin: {origin}"))) == 403


OWN = ["http://localhost", "http://localhost:8888", "https://127.0.0.1:3000", "HTTP://[::1]:5173"]


@pytest.mark.parametrize("origin", OWN)
def test_a_page_of_this_machine_is_answered(server, origin):
    answer = talk(server, request(RAW, f"Content-Length: {len(RAW)}", f"Origin: {origin}"))
    assert status_of(answer) == 200


def test_an_image_of_another_page_is_refused_and_a_click_on_a_link_is_not(server):
    image = ("Sec-Fetch-Site: cross-site", "Sec-Fetch-Mode: no-cors")
    assert status_of(talk(server, page_request("/v1/models", "GET", *image))) == 403
    click = ("Sec-Fetch-Site: cross-site", "Sec-Fetch-Mode: navigate", "x-api-key: practice")
    assert status_of(talk(server, page_request("/v1/models", "GET", *click))) != 403


def test_a_page_that_asks_again_and_again_fills_no_log():
    model = PracticeModel(lambda request: Decision(text="Hi."))
    with Server(model.handle) as server:
        sdk(server).messages.create(**BODY)
        for n in range(60):
            talk(server, page_request("/v1/messages", "POST", f"Origin: http://evil{n % 30}.example"))
        assert talk(server, page_request("/v1/messages", "POST", "Origin: null"))
    first, *refused = model.log.list()
    assert first.status == 200
    assert len(refused) == MOST_PAGES and {(one.status, one.request) for one in refused} == {(403, None)}


# Many clients --------------------------------------------------------------------------------------


def test_sixteen_threads_see_no_connection_error(server):
    def work(_):
        with sdk(server) as client:
            return [client.messages.create(**BODY).content[0].text for _ in range(25)]

    with ThreadPoolExecutor(16) as pool:
        answers = [text for texts in pool.map(work, range(16)) for text in texts]
    assert answers == ["Hi."] * 400


def test_silent_connections_do_not_keep_others_waiting(server):
    silent = [socket.create_connection(("127.0.0.1", server.port), timeout=30) for _ in range(60)]
    assert sdk(server).messages.create(**BODY).stop_reason == "end_turn"
    for connection in silent:
        connection.close()


# Our own bugs --------------------------------------------------------------------------------------

BROKEN = """
import sys
from practice_model import PracticeModel
from practice_model.__main__ import main

def broken(self, visit, request):
    places = {"one": "int('one')", "two": "int('two')"}
    return eval(compile(places[request.turns[-1].text], request.turns[-1].text, "eval"))

PracticeModel._ask_the_model = broken
sys.exit(main(["serve"]))
"""


def test_serve_prints_the_traceback_of_a_fault_of_ours_once_for_each_place():
    process = subprocess.Popen(
        [sys.executable, "-u", "-c", BROKEN],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        encoding="utf-8",
    )
    url = next(line for line in process.stdout if "answers at" in line).split()[-1]
    client = anthropic.Anthropic(base_url=url, api_key="practice", max_retries=0)
    for text in ("one", "one", "two", "one", "two"):
        with pytest.raises(anthropic.InternalServerError, match="bug in the practice model"):
            client.messages.create(**BODY | {"messages": [{"role": "user", "content": text}]})
    process.terminate()
    _, errors = process.communicate(timeout=30)
    assert errors.count("Traceback") == 2
    assert errors.count("ValueError: ") == 2
    assert "POST /v1/messages" in errors


# Life ----------------------------------------------------------------------------------------------


def practice_threads() -> list[str]:
    return [thread.name for thread in threading.enumerate() if thread.name.startswith("practice-")]


def test_close_frees_the_port_and_leaves_no_thread():
    before = practice_threads()
    server = Server(PracticeModel(lambda request: Decision(text="Hi.")).handle)
    silent = socket.create_connection(("127.0.0.1", server.port), timeout=30)
    sdk(server).messages.create(**BODY)
    port = server.port
    server.close()
    server.close()
    assert practice_threads() == before
    with pytest.raises(OSError):
        socket.create_connection(("127.0.0.1", port), timeout=30)
    silent.close()


def test_a_port_can_be_asked_for():
    with Server(lambda *_: Reply(200, {}, b"")) as first:
        port = first.port
    with Server(lambda *_: Reply(200, {}, b""), port=0) as other, pytest.raises(OSError):
        Server(lambda *_: Reply(200, {}, b""), port=other.port)
    assert port > 0


def test_start_gives_one_running_model_per_process():
    first = practice.start()
    assert practice.start() is first
    assert practice.current() is first
    assert urlsplit(first.url).hostname == "127.0.0.1"


def test_a_port_can_be_opened_again_right_after_it_was_closed():
    model = PracticeModel()
    server = Server(model.handle)
    port = int(server.url.rsplit(":", 1)[1])
    for _ in range(5):
        connection = http.client.HTTPConnection("127.0.0.1", port, timeout=10)
        connection.request("GET", "/v1/models", headers=HEADERS)
        assert connection.getresponse().read()
        connection.close()
    server.close()
    with Server(model.handle, port=port) as again:
        assert again.url == server.url
