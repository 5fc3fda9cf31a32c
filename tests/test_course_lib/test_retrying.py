"""Retrying: asks again where it is worth it, as long as it may; through the real SDKs, without waiting."""

from __future__ import annotations

import asyncio
import json
import subprocess
import sys
from datetime import UTC, datetime, timedelta
from email.utils import format_datetime
from types import SimpleNamespace

import anthropic
import httpx2
import openai
import pytest
from google import genai

from course_lib.errors import CourseError, ServiceError
from course_lib.execution.retrying import Retrying, seconds_to_wait, worth_retrying
from practice_model import PracticeModel
from practice_model.server.inprocess import AsyncPracticeTransport, PracticeTransport

HELLO = [{"role": "user", "content": "Hello"}]


@pytest.fixture
def model():
    return PracticeModel()


@pytest.fixture
def asks(model):
    """One way to ask each API, with clients that do not retry by themselves; stream=True reads to the end."""
    http = httpx2.Client(transport=PracticeTransport(model.handle))
    claude = anthropic.Anthropic(
        api_key="practice", base_url="http://practice", http_client=http, max_retries=0
    )
    gpt = openai.OpenAI(api_key="practice", base_url="http://practice/v1", http_client=http, max_retries=0)
    google = genai.Client(
        api_key="practice",
        http_options={"base_url": "http://practice", "httpx_client": http, "timeout": 5000},
    )

    def ask_gemini(stream=False):
        ask = google.models.generate_content_stream if stream else google.models.generate_content
        return ask(model="gemini-3.5-flash-lite", contents="Hello")

    found = {
        "anthropic": lambda **more: claude.messages.create(
            model="claude-haiku-5-5", max_tokens=100, messages=HELLO, timeout=5, **more
        ),
        "chat": lambda **more: gpt.chat.completions.create(
            model="gpt-5.4-mini", messages=HELLO, timeout=5, **more
        ),
        "responses": lambda **more: gpt.responses.create(
            model="gpt-5.4-mini", input="Hello", timeout=5, **more
        ),
        "gemini": ask_gemini,
    }
    yield found
    http.close()


APIS = ("anthropic", "chat", "responses", "gemini")


def error_of(ask, **more):
    with pytest.raises(Exception) as caught:  # noqa: PT011 (whatever the SDK raises)
        answer = ask(**more)
        if more.get("stream"):
            list(answer)
    return caught.value


# What is worth it ---------------------------------------------------------------------------------


@pytest.mark.parametrize("api", APIS)
@pytest.mark.parametrize(
    ("fault", "worth"),
    [
        ("rate_limit", True),
        ("overloaded", True),
        ("server_error", True),
        ("unavailable", True),
        ("timeout", True),
        ("connection_dropped", True),
        ("quota", False),
    ],
)
def test_the_errors_of_the_sdks_that_may_pass_are_worth_it(model, asks, api, fault, worth):
    with model.faults(fault):
        error = error_of(asks[api])
    assert worth_retrying(error) is worth, error


BREAKS = [(api, fault) for api in APIS for fault in ("stream_dropped", "stream_error")]
BREAKS.remove(("responses", "stream_error"))  # openai gives this error as an event, and raises nothing


@pytest.mark.parametrize(("api", "fault"), BREAKS)
def test_a_stream_that_breaks_in_the_middle_is_worth_it(model, asks, api, fault):
    with model.faults(fault):
        assert worth_retrying(error_of(asks[api], stream=True))


def refused(status: int, body: dict | None = None, **headers: str):
    """An answer with this status, as each SDK raises it."""
    found = []
    for make in (
        lambda http: anthropic.Anthropic(api_key="k", base_url="http://x", http_client=http, max_retries=0),
        lambda http: openai.OpenAI(api_key="k", base_url="http://x", http_client=http, max_retries=0),
    ):
        headers = {name.replace("_", "-"): value for name, value in headers.items()}
        content = json.dumps(body or {"error": {"type": "t", "message": "m"}})
        answer = httpx2.MockTransport(
            lambda request, headers=headers, content=content: httpx2.Response(
                status, headers=headers, text=content
            )
        )
        with httpx2.Client(transport=answer) as http:
            found.append(error_of(lambda make=make, http=http: make(http).models.list()))
    return found


@pytest.mark.parametrize("status", [400, 401, 402, 403, 404, 412, 413, 422, 431, 501, 505])
def test_a_request_that_is_wrong_stays_wrong(status):
    assert [worth_retrying(error) for error in refused(status)] == [False, False]


@pytest.mark.parametrize("status", [408, 409, 429, 500, 502, 503, 504, 529])
def test_a_service_that_fails_may_recover(status):
    assert [worth_retrying(error) for error in refused(status)] == [True, True]


def test_a_service_that_says_whether_to_retry_is_believed():
    assert [worth_retrying(error) for error in refused(500, x_should_retry="false")] == [False, False]
    assert [worth_retrying(error) for error in refused(400, x_should_retry="true")] == [True, True]


def test_an_empty_account_is_told_from_a_rate_limit():
    body = {"error": {"type": "insufficient_quota", "code": "insufficient_quota", "message": "m"}}
    assert not any(worth_retrying(error) for error in refused(429, body)[1:])


def odd(**fields):
    error = Exception("odd")
    vars(error).update(fields)
    return error


@pytest.mark.parametrize(
    ("error", "worth"),
    [
        (ConnectionResetError("reset"), True),
        (TimeoutError(), True),
        (httpx2.ConnectError("refused"), True),
        (httpx2.ReadTimeout("slow"), True),
        (httpx2.RemoteProtocolError("the stream broke"), True),
        (httpx2.LocalProtocolError("no header"), False),
        (ServiceError("with status 200", {"code": 503}), True),
        (ServiceError("with status 200", {"code": "server_error"}), True),
        (ServiceError("with status 200", {"code": 400}), False),
        (ServiceError("a web page"), False),
        (httpx2.UnsupportedProtocol("no http"), False),
        (ValueError("max_tokens"), False),
        (TypeError("Could not resolve authentication method"), False),
        (KeyError("x"), False),
        (OSError("disk is full"), False),
        (KeyboardInterrupt(), False),
        (odd(status_code="500"), False),
        (odd(status_code=True, code=None, response=3), False),
        (odd(response=SimpleNamespace(headers=7), type=["overloaded_error"]), False),
    ],
    ids=lambda value: type(value).__name__,
)
def test_other_errors(error, worth):
    assert worth_retrying(error) is worth


def test_an_address_that_is_none_is_not_worth_it():
    client = anthropic.Anthropic(api_key="k", base_url="nowhere://x", max_retries=0)
    with client:
        assert not worth_retrying(error_of(client.models.list))


# How long to wait ---------------------------------------------------------------------------------


@pytest.mark.parametrize("api", APIS)
def test_each_service_is_asked_how_long_to_wait(model, asks, api):
    with model.faults("rate_limit", retry_after=7):
        assert seconds_to_wait(error_of(asks[api])) == 7


def with_headers(**headers):
    headers = {name.replace("_", "-"): value for name, value in headers.items()}
    return SimpleNamespace(status_code=429, response=SimpleNamespace(headers=headers))


@pytest.mark.parametrize(
    ("headers", "expected"),
    [
        ({"retry_after": "20"}, 20),
        ({"Retry_After": "2.5"}, 2.5),
        ({"retry_after_ms": "1500"}, 1.5),
        ({"retry_after_ms": "1500", "retry_after": "20"}, 1.5),
        ({"retry_after_ms": "soon", "retry_after": "20"}, 20),
        ({"retry_after": "-3"}, 0),
        ({"retry_after": "soon"}, None),
        ({"retry_after": "nan"}, None),
        ({"retry_after": ""}, None),
        ({}, None),
    ],
)
def test_the_headers_that_say_it(headers, expected):
    assert seconds_to_wait(with_headers(**headers)) == expected


def test_a_date_says_it_too():
    soon = datetime.now(UTC) + timedelta(seconds=100)
    assert 95 < seconds_to_wait(with_headers(retry_after=format_datetime(soon, usegmt=True))) <= 100
    assert seconds_to_wait(with_headers(retry_after="Wed, 21 Oct 2015 07:28:00 GMT")) == 0


@pytest.mark.parametrize(
    "details",
    [
        None,
        "text",
        {"error": "text"},
        {"error": {"details": 3}},
        {"error": {"details": ["x", {}, {"retryDelay": 3}, {"retryDelay": "soon"}]}},
    ],
)
def test_a_body_that_says_nothing(details):
    assert seconds_to_wait(SimpleNamespace(details=details)) is None


def test_gemini_says_it_in_the_body():
    details = {"error": {"details": [{"@type": "Help"}, {"retryDelay": "20.5s"}]}}
    assert seconds_to_wait(SimpleNamespace(code=429, details=details)) == 20.5


# Asking again -------------------------------------------------------------------------------------


class Clock(list):
    """Sleeps no time, and remembers for how long it was asked to."""

    def __call__(self, seconds):
        self.append(seconds)


@pytest.mark.parametrize("api", APIS)
def test_it_asks_again_until_it_goes_well(model, asks, api):
    clock = Clock()
    with model.faults("rate_limit", times=2, retry_after=7) as fault:
        answer = Retrying(sleep=clock)(asks[api])
    assert answer is not None and fault.hits == 2 and clock == [7, 7]


@pytest.mark.parametrize("api", APIS)
def test_it_gives_up_with_the_services_own_error(model, asks, api):
    clock = Clock()
    with model.faults("server_error", times=9) as fault:
        error = error_of(lambda: Retrying(attempts=3, sleep=clock)(asks[api]))
    assert fault.hits == 3 and len(clock) == 2
    assert type(error) is type(error_of_one(model, asks[api]))


def error_of_one(model, ask):
    with model.faults("server_error"):
        return error_of(ask)


def test_what_is_not_worth_it_is_raised_at_once(model, asks):
    clock = Clock()
    with model.faults("quota", times=9) as fault:
        error_of(lambda: Retrying(sleep=clock)(asks["chat"]))
    assert fault.hits == 1 and not clock


def broken(times, error=None):
    """A request that fails so many times, and the list of its attempts."""
    made = []

    def request(answer="done"):
        made.append(1)
        if len(made) <= times:
            raise error or ConnectionError("broken")
        return answer

    return request, made


def test_without_a_word_from_the_service_the_waits_grow_as_those_of_the_sdks():
    clock = Clock()
    request, made = broken(7)
    assert Retrying(attempts=8, sleep=clock)(request, answer="yes") == "yes" and len(made) == 8
    for waited, most in zip(clock, [0.5, 1, 2, 4, 8, 8, 8], strict=True):
        assert 0.75 * most <= waited <= most


def test_all_attempts_together_are_bounded():
    clock = Clock()
    request, made = broken(99, with_status(429, retry_after="20"))
    with pytest.raises(Refused):
        Retrying(attempts=99, most_seconds=50, sleep=clock)(request)
    assert clock == [20, 20] and len(made) == 3


def test_it_does_not_wait_for_what_is_too_far_away():
    clock = Clock()
    request, made = broken(1, with_status(429, retry_after="3600"))
    with pytest.raises(Refused):
        Retrying(sleep=clock)(request)
    assert not clock and len(made) == 1


class Refused(Exception):
    status_code = 429


def with_status(status, **headers):
    error = Refused(status)
    error.status_code, error.response = status, with_headers(**headers).response
    return error


def test_a_loop_with_attempts_asks_again_for_more_than_one_call():
    clock, texts = Clock(), []
    request, made = broken(2)
    for attempt in Retrying(sleep=clock):
        with attempt:
            texts.append(attempt.number)
            request()
    assert texts == [1, 2, 3] and len(clock) == 2


def test_a_broken_stream_is_read_again_from_its_start(model, asks):
    with model.faults("stream_dropped"):
        for attempt in Retrying(sleep=Clock()):
            with attempt:
                events = list(asks["anthropic"](stream=True))
    assert events[-1].type == "message_stop" and attempt.number == 2


def test_the_same_retrying_serves_many_requests():
    ask = Retrying(attempts=2, sleep=Clock())
    for _ in range(3):
        request, made = broken(1)
        assert ask(request) == "done" and len(made) == 2


def test_ctrl_c_and_mistakes_are_not_asked_again():
    for error in (KeyboardInterrupt(), ValueError("x")):
        request, made = broken(9, error)
        with pytest.raises(type(error)):
            Retrying(sleep=Clock())(request)
        assert len(made) == 1


def test_async_requests_are_asked_again_without_blocking(model):
    clock = Clock()

    async def sleep(seconds):
        clock(seconds)

    async def main():
        http = httpx2.AsyncClient(transport=AsyncPracticeTransport(model.handle))
        async with anthropic.AsyncAnthropic(
            api_key="practice", base_url="http://practice", http_client=http, max_retries=0
        ) as client:
            ask = Retrying(sleep=sleep)
            question = {"model": "claude-haiku-5-5", "max_tokens": 100, "messages": HELLO}
            with model.faults("overloaded", times=2, retry_after=3):
                first = await ask.run_async(client.messages.create, **question)
            with model.faults("overloaded", retry_after=3):
                async for attempt in ask:
                    with attempt:
                        second = await client.messages.create(**question)
            return first, second

    first, second = asyncio.run(main())
    assert first.content and second.content and clock == [3, 3, 3]


def test_cancelling_ends_the_waiting():
    request, made = broken(9, with_status(429, retry_after="30"))

    async def ask():
        return request()

    async def main():
        task = asyncio.ensure_future(Retrying().run_async(ask))
        await asyncio.sleep(0.01)
        task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await task

    asyncio.run(main())
    assert len(made) == 1


@pytest.mark.parametrize(
    "options", [{"attempts": 0}, {"attempts": 1.5}, {"most_seconds": -1}, {"most_seconds": "60"}]
)
def test_a_mistake_of_the_program_is_told(options):
    with pytest.raises(CourseError, match="write"):
        Retrying(**options)


def test_no_sdk_is_imported():
    names = ("anthropic", "openai", "google.genai")
    program = (
        f"import course_lib.execution.retrying, sys; print([one for one in {names} if one in sys.modules])"
    )
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, encoding="utf-8", check=True)
    assert done.stdout.strip() == "[]"


def test_an_asynchronous_request_in_the_other_form_is_told():
    async def create():
        return 1

    with pytest.raises(CourseError, match="await retrying.run_async"):
        Retrying()(create)
    with pytest.raises(CourseError, match="not asynchronous"):
        asyncio.run(Retrying().run_async(lambda: 1))
    with pytest.raises(CourseError, match="must be a function"):
        Retrying()("a response")
