"""setup(): practice by default, live on request, and the learner's environment comes back as it was."""

from __future__ import annotations

import json
import os
import sys
import threading
import urllib.request
from pathlib import Path

import pytest

import course_lib
from course_lib import practice
from course_lib.classroom import keys, setup
from course_lib.errors import CourseError, KeyNotFound, SetupError
from course_lib.messages import language, set_language
from practice_model import environment

ROOT = Path(course_lib.__file__).parent.parent


@pytest.fixture(autouse=True)
def own_environment(monkeypatch, tmp_path):
    """No keys, proxies or switches of whoever runs the tests; no .env above; setup() undone afterwards."""
    setup.teardown()
    for name in list(os.environ):
        if name.upper().startswith(("ANTHROPIC", "OPENAI", "GEMINI", "GOOGLE", "LANG", "COURSE_L", "COLAB")):
            monkeypatch.delenv(name)
        elif name.upper().endswith("_PROXY"):
            monkeypatch.delenv(name)
    monkeypatch.chdir(tmp_path)
    keys.forget_colab()
    yield
    setup.teardown()
    set_language("en")


def ask(url: str, key: str = "practice") -> int:
    """Send one message to an Anthropic address, without an SDK; return the status."""
    body = {"model": "claude-haiku-5-5", "max_tokens": 50, "messages": [{"role": "user", "content": "Hello"}]}
    headers = {"x-api-key": key, "content-type": "application/json", "anthropic-version": "2023-06-01"}
    request = urllib.request.Request(f"{url}/v1/messages", json.dumps(body).encode(), headers)
    try:
        with urllib.request.urlopen(request, timeout=10) as answer:
            return answer.status
    except urllib.error.HTTPError as error:
        return error.code


@pytest.fixture
def upstream():
    """A service on this machine that stands for the real one; it keeps the keys that it was sent."""
    seen = []
    model = practice.PracticeModel()

    def handle(method, path, headers, body):
        seen.append(headers.get("x-api-key"))
        return model.handle(method, path, headers, body)

    with practice.Server(handle) as server:
        server.keys_seen = seen
        yield server


# --- the status line ------------------------------------------------------------------------------


def test_one_line_says_that_it_is_no_llm(capsys):
    course_lib.setup(lesson=1)
    assert capsys.readouterr().out == (
        "Lesson 1. Practice mode: a rule-based stand-in answers, not an LLM. No key, no cost.\n"
    )


def test_the_line_is_the_same_on_every_machine_and_with_a_key(capsys, monkeypatch):
    course_lib.setup(lesson=1)
    monkeypatch.setenv("ANTHROPIC_API_KEY", "sk-real")
    course_lib.setup(lesson="01")
    first, second = capsys.readouterr().out.splitlines()
    assert first == second


def test_the_line_speaks_spanish(capsys):
    course_lib.setup(lesson=1, lang="es")
    assert capsys.readouterr().out.startswith("Lección 1. Modo de práctica:")
    assert language() == "es"


def test_without_a_lesson_the_line_names_none(capsys):
    course_lib.setup()
    assert capsys.readouterr().out.startswith("Practice mode")
    assert setup.lesson() is None


@pytest.mark.parametrize(("given", "number"), [(0, 0), (12, 12), ("01", 1), (" 7 ", 7)])
def test_a_lesson_is_a_number_or_its_digits(given, number):
    course_lib.setup(given)
    assert setup.lesson() == number


@pytest.mark.parametrize("given", ["one", "", "1.5", 1.0, -1, 100, True, "٣"])
def test_another_lesson_is_refused_with_the_right_form(given):
    with pytest.raises(SetupError, match=r"setup\(lesson=1\)"):
        course_lib.setup(given)


def test_an_unknown_language_lists_the_languages():
    with pytest.raises(SetupError, match='"en", "es"'):
        course_lib.setup(1, lang="fr")


@pytest.mark.parametrize("value", ["yes", 1, 0])
def test_live_is_true_or_false(value):
    with pytest.raises(SetupError, match="live=True"):
        course_lib.setup(live=value)


# --- practice mode --------------------------------------------------------------------------------


def test_every_sdk_is_pointed_at_this_machine():
    course_lib.setup()
    url = practice.current().url
    assert url.startswith("http://127.0.0.1:")
    assert os.environ["ANTHROPIC_BASE_URL"] == url
    assert os.environ["OPENAI_BASE_URL"] == f"{url}/v1"
    assert os.environ["GOOGLE_GEMINI_BASE_URL"] == url
    for name in ("ANTHROPIC_API_KEY", "OPENAI_API_KEY", "GEMINI_API_KEY"):
        assert os.environ[name] == "practice"
    assert os.environ["OPENAI_AGENTS_DISABLE_TRACING"] == "1"
    assert os.environ["LANGSMITH_TRACING"] == "false"


@pytest.mark.parametrize("name", [*environment.ELSEWHERE, *environment.PROXIES])
def test_nothing_that_leads_elsewhere_stays_and_all_of_it_comes_back(monkeypatch, name):
    monkeypatch.setenv(name, "the learner's")
    course_lib.setup()
    assert name not in os.environ
    setup.teardown()
    assert os.environ[name] == "the learner's"


def test_the_real_sdks_send_the_practice_key_to_this_machine(monkeypatch):
    anthropic, openai = pytest.importorskip("anthropic"), pytest.importorskip("openai")
    for name in ("ANTHROPIC_API_KEY", "ANTHROPIC_AUTH_TOKEN", "OPENAI_API_KEY", "OPENAI_ADMIN_KEY"):
        monkeypatch.setenv(name, "sk-real-SECRETPART")
    monkeypatch.setenv("ANTHROPIC_CUSTOM_HEADERS", "X-Api-Key: sk-real-SECRETPART")
    monkeypatch.setenv("OPENAI_ORG_ID", "org-real")
    course_lib.setup()
    for client in (anthropic.Anthropic(), openai.OpenAI()):
        assert client.api_key == "practice"
        assert str(client.base_url).startswith(practice.current().url)
        assert "SECRETPART" not in repr({**client.default_headers, **client.auth_headers})
    assert openai.OpenAI().organization is None


def test_proxy_exceptions_keep_what_is_there(monkeypatch):
    monkeypatch.setenv("NO_PROXY", "corp.example, 127.0.0.1")
    course_lib.setup()
    assert os.environ["NO_PROXY"] == "corp.example,127.0.0.1,localhost,::1"
    # The other spelling was missing: alone, our hosts in it would hide corp.example from who reads it.
    assert os.environ["no_proxy"] == "corp.example,127.0.0.1,localhost,::1"
    setup.teardown()
    assert os.environ["NO_PROXY"] == "corp.example, 127.0.0.1"


def test_a_message_gets_through_although_a_proxy_is_set(monkeypatch):
    monkeypatch.setenv("HTTP_PROXY", "http://127.0.0.1:9")
    monkeypatch.setenv("http_proxy", "http://127.0.0.1:9")
    course_lib.setup()
    assert ask(os.environ["ANTHROPIC_BASE_URL"]) == 200


# --- calling it again, and the learner's own changes ----------------------------------------------


def test_calling_it_twice_changes_nothing_more():
    course_lib.setup()
    first = dict(os.environ)
    course_lib.setup()
    assert dict(os.environ) == first


def test_what_was_there_before_comes_back_after_many_calls(monkeypatch):
    monkeypatch.setenv("ANTHROPIC_API_KEY", "sk-real")
    monkeypatch.setenv("ANTHROPIC_AUTH_TOKEN", "token")
    before = dict(os.environ)
    for lesson in (1, 2, 3):
        course_lib.setup(lesson)
    setup.teardown()
    assert dict(os.environ) == before


def test_teardown_leaves_what_the_learner_set_meanwhile():
    course_lib.setup()
    os.environ["OPENAI_BASE_URL"] = "http://mine"
    del os.environ["GEMINI_API_KEY"]
    setup.teardown()
    assert os.environ.pop("OPENAI_BASE_URL") == "http://mine"
    assert "GEMINI_API_KEY" not in os.environ


def test_a_key_that_the_learner_set_meanwhile_is_covered_and_comes_back():
    course_lib.setup()
    os.environ["ANTHROPIC_API_KEY"] = "sk-real"
    course_lib.setup()
    assert os.environ["ANTHROPIC_API_KEY"] == "practice"
    setup.teardown()
    assert os.environ.pop("ANTHROPIC_API_KEY") == "sk-real"


def test_teardown_before_any_setup_is_harmless():
    before = dict(os.environ)
    setup.teardown()
    assert dict(os.environ) == before


def test_two_threads_may_call_it_at_once(monkeypatch):
    monkeypatch.setenv("ANTHROPIC_API_KEY", "sk-real")
    before = dict(os.environ)
    together, failures = threading.Barrier(8), []

    def call(number):
        together.wait()
        try:
            for _ in range(5):
                course_lib.setup(number)
        except Exception as error:  # noqa: BLE001 - reported below
            failures.append(error)

    threads = [threading.Thread(target=call, args=(n,)) for n in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert failures == []
    assert os.environ["ANTHROPIC_API_KEY"] == "practice"
    setup.teardown()
    assert dict(os.environ) == before


def test_no_moment_shows_a_real_key_while_it_is_called_again(monkeypatch):
    """Each single change of a variable is looked at: what a client made at that moment would see."""
    monkeypatch.setenv("ANTHROPIC_API_KEY", "sk-real")
    course_lib.setup()
    seen = set()
    write = setup._overlay._write

    def watching(name, value):
        write(name, value)
        seen.add(os.environ.get("ANTHROPIC_API_KEY"))

    monkeypatch.setattr(setup._overlay, "_write", watching)
    course_lib.setup(2)
    assert seen == {"practice"}


# --- exchanges ------------------------------------------------------------------------------------


def test_before_setup_exchanges_sends_to_the_setup_cell():
    with pytest.raises(SetupError, match="setup cell"):
        course_lib.exchanges()


def test_exchanges_counts_from_the_last_setup():
    course_lib.setup()
    assert course_lib.exchanges() == []
    assert ask(os.environ["ANTHROPIC_BASE_URL"]) == 200
    assert [(e.number, e.method, e.path, e.status) for e in course_lib.exchanges()] == [
        (1, "POST", "/v1/messages", 200)
    ]
    course_lib.setup()
    assert course_lib.exchanges() == []


# --- live mode ------------------------------------------------------------------------------------


def test_live_without_a_key_says_what_to_do_and_changes_nothing(capsys):
    course_lib.setup(1)
    before = dict(os.environ)
    with pytest.raises(KeyNotFound) as caught:
        course_lib.setup(2, lang="es", live=True)
    text = str(caught.value)
    for part in ("el entorno", ".env", "ANTHROPIC_API_KEY", "course_lib.setup()", "no es Colab"):
        assert part in text
    assert isinstance(caught.value, CourseError)
    assert dict(os.environ) == before
    assert (setup.lesson(), language(), setup.is_live()) == (1, "en", False)


def test_the_advice_in_colab_is_colabs(monkeypatch):
    monkeypatch.setenv("COLAB_RELEASE_TAG", "x")
    monkeypatch.setitem(sys.modules, "google.colab", None)
    with pytest.raises(KeyNotFound, match="key icon") as caught:
        course_lib.setup(live=True)
    assert "Jupyter" not in str(caught.value)


def test_the_advice_repeats_what_was_wrong(monkeypatch):
    monkeypatch.setenv("OPENAI_API_KEY", "sk-ant-SECRETPART")
    monkeypatch.setenv("ANTHROPIC_KEY", "x")
    with pytest.raises(KeyNotFound) as caught:
        course_lib.setup(live=True)
    assert "looks like a key of Anthropic" in str(caught.value)
    assert "exactly ANTHROPIC_API_KEY" in str(caught.value)
    assert "SECRETPART" not in str(caught.value)


@pytest.mark.parametrize("word", ["1", "true", "YES", " on "])
def test_the_environment_can_ask_for_live(monkeypatch, word):
    monkeypatch.setenv("COURSE_LIVE", word)
    with pytest.raises(KeyNotFound):
        course_lib.setup()
    course_lib.setup(live=False)
    assert not setup.is_live()


@pytest.mark.parametrize("word", ["", "0", "false", "No", "off"])
def test_the_environment_can_ask_for_practice(monkeypatch, word):
    monkeypatch.setenv("COURSE_LIVE", word)
    monkeypatch.setenv("ANTHROPIC_API_KEY", "sk-real")
    course_lib.setup()
    assert not setup.is_live()


def test_an_unclear_switch_is_refused(monkeypatch):
    monkeypatch.setenv("COURSE_LIVE", "maybe")
    with pytest.raises(SetupError, match="'maybe'.*Set it to 1"):
        course_lib.setup()


def test_live_names_who_answers_and_who_does_not(monkeypatch, capsys):
    monkeypatch.setenv("OPENAI_API_KEY", "sk-real")
    course_lib.setup(lesson=2, live=True)
    line = capsys.readouterr().out
    assert line.startswith("Lesson 2. Live mode: OpenAI will answer.")
    assert "no key for Anthropic and Gemini" in line
    assert setup.is_live()


def test_a_provider_without_a_key_is_left_alone(monkeypatch):
    monkeypatch.setenv("OPENAI_API_KEY", "sk-real")
    monkeypatch.setenv("GOOGLE_GEMINI_BASE_URL", "http://mine")
    course_lib.setup()
    course_lib.setup(live=True)
    assert "ANTHROPIC_BASE_URL" not in os.environ
    assert "ANTHROPIC_API_KEY" not in os.environ
    assert os.environ["GOOGLE_GEMINI_BASE_URL"] == "http://mine"


def test_what_a_parent_process_left_of_practice_is_not_mixed_into_live(monkeypatch):
    monkeypatch.setenv("ANTHROPIC_API_KEY", "practice")
    monkeypatch.setenv("ANTHROPIC_BASE_URL", "http://127.0.0.1:9")
    monkeypatch.setenv("OPENAI_API_KEY", "sk-real")
    course_lib.setup(live=True)
    assert "ANTHROPIC_BASE_URL" not in os.environ
    assert "ANTHROPIC_API_KEY" not in os.environ


def test_live_uses_the_learners_key_and_address_and_logs_them_masked(monkeypatch, upstream):
    monkeypatch.setenv("ANTHROPIC_API_KEY", ' "sk-real-SECRETPART"\n')
    monkeypatch.setenv("ANTHROPIC_BASE_URL", upstream.url)
    course_lib.setup(live=True)
    assert os.environ["ANTHROPIC_API_KEY"] == "sk-real-SECRETPART"
    assert ask(os.environ["ANTHROPIC_BASE_URL"], os.environ["ANTHROPIC_API_KEY"]) == 200
    assert upstream.keys_seen == ["sk-real-SECRETPART"]
    (exchange,) = course_lib.exchanges()
    assert (exchange.path, exchange.status, exchange.number) == ("/v1/messages", 200, 1)
    assert exchange.response["role"] == "assistant"
    assert "SECRETPART" not in repr(exchange)


def test_a_key_from_the_file_is_used_and_goes_with_practice(tmp_path):
    (tmp_path / ".env").write_text("ANTHROPIC_API_KEY=sk-from-file\n", encoding="utf-8")
    course_lib.setup(live=True)
    assert os.environ["ANTHROPIC_API_KEY"] == "sk-from-file"
    course_lib.setup()
    assert os.environ["ANTHROPIC_API_KEY"] == "practice"
    setup.teardown()
    assert "ANTHROPIC_API_KEY" not in os.environ


def test_a_client_made_in_live_mode_cannot_go_on_after_practice(monkeypatch, upstream):
    monkeypatch.setenv("ANTHROPIC_API_KEY", "sk-real")
    monkeypatch.setenv("ANTHROPIC_BASE_URL", upstream.url)
    course_lib.setup(live=True)
    old_address = os.environ["ANTHROPIC_BASE_URL"]
    course_lib.setup()
    assert ask(old_address, "sk-real") == 409
    assert upstream.keys_seen == []


def test_live_keeps_the_learners_choice_about_tracing(monkeypatch):
    monkeypatch.setenv("OPENAI_API_KEY", "sk-real")
    monkeypatch.setenv("LANGSMITH_TRACING", "true")
    course_lib.setup(live=True)
    assert os.environ["LANGSMITH_TRACING"] == "true"


def test_going_live_and_back_leaves_the_environment_as_it_was(monkeypatch):
    monkeypatch.setenv("OPENAI_API_KEY", " sk-real ")
    monkeypatch.setenv("OPENAI_API_BASE", "http://gateway/v1")
    monkeypatch.setenv("GOOGLE_API_KEY", "AIza-x")
    before = dict(os.environ)
    course_lib.setup(live=True)
    assert "OPENAI_API_BASE" not in os.environ
    assert os.environ["GEMINI_API_KEY"] == "AIza-x"
    course_lib.setup()
    course_lib.setup(live=True)
    setup.teardown()
    assert dict(os.environ) == before


# --- clients that outlive a change of mode ---------------------------------------------------------


def test_a_client_made_in_practice_mode_is_refused_once_the_mode_is_live(monkeypatch):
    from anthropic import Anthropic, APIStatusError

    course_lib.setup(lesson=1)
    client = Anthropic()
    monkeypatch.setenv("COURSE_PROGRESS_FILE", "")
    setup.teardown()
    monkeypatch.setenv("ANTHROPIC_API_KEY", "sk-ant-not-a-real-key")
    course_lib.setup(lesson=1, live=True)
    with pytest.raises(APIStatusError, match="made in practice mode") as refused:
        client.messages.create(
            model="claude-haiku-5-5", max_tokens=9, messages=[{"role": "user", "content": "Hi"}]
        )
    assert refused.value.status_code == 409
    course_lib.setup(lesson=1)
    assert client.messages.create(
        model="claude-haiku-5-5", max_tokens=9, messages=[{"role": "user", "content": "Hi"}]
    ).content


@pytest.mark.parametrize("proxy", ["socks5://127.0.0.1:9", "garbage::://", "socks5h://user:word@host:1"])
def test_a_proxy_that_no_client_can_be_made_with_is_set_aside_in_practice_mode(proxy, monkeypatch):
    monkeypatch.setenv("ALL_PROXY", proxy)
    course_lib.setup(lesson=1)
    assert "ALL_PROXY" not in os.environ
    setup.teardown()
    assert os.environ["ALL_PROXY"] == proxy


@pytest.mark.parametrize(
    "proxy", ["http://127.0.0.1:9", "https://user:word@proxy.example:3128/", "proxy:8080"]
)
def test_an_ordinary_proxy_stays(proxy, monkeypatch):
    monkeypatch.setenv("ALL_PROXY", proxy)
    course_lib.setup(lesson=1)
    assert os.environ["ALL_PROXY"] == proxy
