"""Keys: where they are looked for, what pasting adds to them, and what is said when there is none."""

from __future__ import annotations

import sys
import types

import pytest
from dotenv import dotenv_values

from course_lib.classroom import keys
from course_lib.classroom.keys import clean, decode, read_dotenv, search
from course_lib.errors import BadKey, SetupError
from practice_model.facts.services import SERVICES


@pytest.fixture(autouse=True)
def outside_colab(monkeypatch):
    monkeypatch.delitem(sys.modules, "google.colab", raising=False)
    monkeypatch.delitem(sys.modules, "google.colab.userdata", raising=False)
    monkeypatch.delenv("COLAB_RELEASE_TAG", raising=False)
    keys.forget_colab()
    yield
    keys.forget_colab()


@pytest.fixture
def empty(tmp_path, monkeypatch):
    """A folder in which, and above which, no .env is found."""
    monkeypatch.chdir(tmp_path)
    return tmp_path


def values(found) -> dict[str, str]:
    return {id: key.value for id, key in found.keys.items()}


# --- cleaning -------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "pasted",
    [
        "sk-test-4",
        "sk-test-4\n",
        "\r\n sk-test-4\t",
        '"sk-test-4"',
        " 'sk-test-4' ",
        "“sk-test-4”",
        "«sk-test-4»",
        "`sk-test-4`",
        "sk-test-4\u200b",
        "\ufeffsk-test-4",
        "sk-\u200dtest\u2060-4",
        "sk\u00ad-test-4",
        "\u00a0sk-test-4\u00a0",
        "ANTHROPIC_API_KEY=sk-test-4",
        'export ANTHROPIC_API_KEY="sk-test-4"',
        "OPENAI_API_KEY: 'sk-test-4',",
        "$env:OPENAI_API_KEY = 'sk-test-4'",
        "set OPENAI_API_KEY=sk-test-4",
        "Bearer sk-test-4",
        "Authorization_key: Bearer sk-test-4;",
    ],
)
def test_what_pasting_adds_is_taken_off(pasted):
    assert clean(pasted) == "sk-test-4"


@pytest.mark.parametrize("pasted", [None, "", "   ", '""', "\u200b", "\n", "ANTHROPIC_API_KEY="])
def test_nothing_counts_as_no_key(pasted):
    assert clean(pasted) is None


def test_characters_that_belong_to_a_key_stay():
    assert clean("AIza-_x=y+z/9=") == "AIza-_x=y+z/9="


@pytest.mark.parametrize(
    ("pasted", "reason"),
    [
        ("sk-first SECRETPART", "blank"),
        ("sk-first\nSECRETPART", "line break"),
        ("sk-SECRETPARTñ", "no key has"),
        ("sk-SECRETPART\x07x", "no key has"),
        ("<SECRETPART>", "example text"),
        ("sk-ant-...", "example text"),
        ("your-api-key-here", "example text"),
        ("YOUR_ANTHROPIC_KEY", "example text"),
        ("sk-ant-xxxxxxxx", "example text"),
    ],
)
def test_what_cannot_be_a_key_is_refused_without_showing_it(pasted, reason):
    with pytest.raises(BadKey, match=reason) as caught:
        clean(pasted)
    assert "SECRETPART" not in str(caught.value)
    assert caught.value.__cause__ is None


# --- the order of places --------------------------------------------------------------------------


def test_the_environment_comes_first(empty):
    (empty / ".env").write_text("ANTHROPIC_API_KEY=sk-from-file\n", encoding="utf-8")
    found = search({"ANTHROPIC_API_KEY": "sk-from-env"}, empty)
    assert values(found) == {"anthropic": "sk-from-env"}
    assert found.keys["anthropic"].where == "environment"


def test_an_empty_variable_lets_the_file_answer(empty):
    (empty / ".env").write_text("ANTHROPIC_API_KEY=sk-from-file\n", encoding="utf-8")
    found = search({"ANTHROPIC_API_KEY": "  "}, empty)
    assert values(found) == {"anthropic": "sk-from-file"}
    assert found.keys["anthropic"].where == "dotenv"


def test_the_file_is_found_above_the_notebook(empty):
    (empty / ".env").write_text("OPENAI_API_KEY=sk-up\n", encoding="utf-8")
    deep = empty / "course" / "notebooks"
    deep.mkdir(parents=True)
    assert values(search({}, deep)) == {"openai": "sk-up"}


def test_the_nearest_file_wins(empty):
    (empty / ".env").write_text("OPENAI_API_KEY=sk-far\n", encoding="utf-8")
    near = empty / "near"
    near.mkdir()
    (near / ".env").write_text("OPENAI_API_KEY=sk-near\n", encoding="utf-8")
    assert values(search({}, near)) == {"openai": "sk-near"}


def test_a_folder_called_env_is_passed_over(empty):
    (empty / ".env").write_text("OPENAI_API_KEY=sk-up\n", encoding="utf-8")
    (empty / "sub" / ".env").mkdir(parents=True)
    assert values(search({}, empty / "sub")) == {"openai": "sk-up"}


def test_gemini_takes_googles_name_too(empty):
    found = search({"GOOGLE_API_KEY": "AIza-test"}, empty)
    assert values(found) == {"gemini": "AIza-test"}
    assert found.keys["gemini"].name == "GOOGLE_API_KEY"


def test_the_practice_key_is_no_key(empty):
    environ = {"ANTHROPIC_API_KEY": "practice", "ANTHROPIC_BASE_URL": "http://127.0.0.1:9/x"}
    (empty / ".env").write_text("ANTHROPIC_API_KEY=sk-real\n", encoding="utf-8")
    found = search(environ, empty)
    assert values(found) == {"anthropic": "sk-real"}
    # Its address is left over from practice as well: a real key must not go there.
    assert found.keys["anthropic"].base_url == "https://api.anthropic.com"


def test_a_key_knows_the_address_it_is_for(empty):
    (empty / ".env").write_text("OPENAI_API_KEY=k\nOPENAI_BASE_URL=http://gateway/v1\n", encoding="utf-8")
    found = search({"ANTHROPIC_API_KEY": "a", "ANTHROPIC_API_URL": "http://other"}, empty)
    assert found.keys["openai"].base_url == "http://gateway/v1"
    assert found.keys["anthropic"].base_url == "http://other"


def test_no_representation_shows_a_key(empty):
    (empty / ".env").write_text("OPENAI_API_KEY=sk-SECRETPART\n", encoding="utf-8")
    found = search({"ANTHROPIC_API_KEY": "sk-SECRETPART"}, empty)
    assert len(found.keys) == 2
    assert "SECRETPART" not in repr(found)
    assert "SECRETPART" not in repr(keys.ColabSecret("sk-SECRETPART"))


# --- the .env file as editors write it ------------------------------------------------------------


@pytest.mark.parametrize(
    "raw",
    [
        b"ANTHROPIC_API_KEY=sk-test-2\nOPENAI_API_KEY=sk-test-3\n",
        b"\xef\xbb\xbfANTHROPIC_API_KEY=sk-test-2\r\nOPENAI_API_KEY=sk-test-3\r\n",
        "ANTHROPIC_API_KEY=sk-test-2\r\nOPENAI_API_KEY=sk-test-3\r\n".encode("utf-16"),
        "ANTHROPIC_API_KEY=sk-test-2\r\nOPENAI_API_KEY=sk-test-3\r\n".encode("utf-16-le"),
        "ANTHROPIC_API_KEY=sk-test-2\r\nOPENAI_API_KEY=sk-test-3\r\n".encode("utf-16-be"),
        b"export ANTHROPIC_API_KEY = 'sk-test-2' # mine\nOPENAI_API_KEY=\"sk-test-3\"\n",
        "ANTHROPIC_API_KEY=“sk-test-2”\nOPENAI_API_KEY=sk-test-3\u200b\n".encode(),
    ],
    ids=["plain", "notepad", "powershell", "utf-16-le", "utf-16-be", "shell", "word processor"],
)
def test_both_keys_are_read_whatever_wrote_the_file(empty, raw):
    (empty / ".env").write_bytes(raw)
    assert values(search({}, empty)) == {"anthropic": "sk-test-2", "openai": "sk-test-3"}


def test_a_dollar_sign_in_a_key_is_kept(empty):
    (empty / ".env").write_text("OPENAI_API_KEY=a${HOME}b\n", encoding="utf-8")
    assert values(search({}, empty)) == {"openai": "a${HOME}b"}


def test_a_file_that_is_no_text_is_reported(empty):
    (empty / ".env").write_bytes(b"OPENAI_API_KEY=\xff\xfa\xe9")
    assert "UTF-8" in read_dotenv(empty).problem


def test_a_hidden_ending_is_reported(empty):
    (empty / ".env.txt").write_text("OPENAI_API_KEY=a\n", encoding="utf-8")
    assert ".env.txt" in read_dotenv(empty).problem


def test_a_missing_package_is_reported_and_nothing_fails(empty, monkeypatch):
    (empty / ".env").write_text("OPENAI_API_KEY=a\n", encoding="utf-8")
    monkeypatch.setitem(sys.modules, "dotenv.parser", None)
    found = search({}, empty)
    assert found.keys == {}
    assert "pip install python-dotenv" in found.problems[0]


def test_text_without_a_mark_is_utf_8():
    assert decode("ñ".encode()) == "ñ"


# --- what is said on the way ----------------------------------------------------------------------


def test_an_empty_entry_is_named_with_its_place(empty):
    (empty / ".env").write_text("ANTHROPIC_API_KEY=\n", encoding="utf-8")
    assert search({}, empty).problems == [
        "ANTHROPIC_API_KEY is there in your .env file, but it is empty. Paste the key after the name."
    ]


@pytest.mark.parametrize(
    ("name", "right"),
    [
        ("ANTHROPIC_KEY", "ANTHROPIC_API_KEY"),
        ("anthropic_api_key", "ANTHROPIC_API_KEY"),
        ("ANTROPIC_API_KEY", "ANTHROPIC_API_KEY"),
        ("CLAUDE_API_KEY", "ANTHROPIC_API_KEY"),
        ("OPENAI_APIKEY", "OPENAI_API_KEY"),
        ("OPEN_AI_API_KEY", "OPENAI_API_KEY"),
        ("OPENAI_API_KEYS", "OPENAI_API_KEY"),
    ],
)
def test_a_name_that_is_nearly_right_is_pointed_out(empty, name, right):
    (empty / ".env").write_text(f"{name}=sk-SECRETPART\n", encoding="utf-8")
    (problem,) = search({}, empty).problems
    assert name in problem
    assert f"exactly {right}" in problem
    assert "SECRETPART" not in problem


def test_other_services_names_are_not_taken_for_misspelt(empty):
    environ = {"AZURE_OPENAI_API_KEY": "a", "HF_TOKEN": "b", "ANTHROPIC_MODEL": "c", "OPENAI_LOG": "d"}
    assert search(environ, empty).problems == []


@pytest.mark.parametrize(
    ("name", "value", "said"),
    [
        ("OPENAI_API_KEY", "sk-ant-api03-SECRETPART", "of Anthropic, not of OpenAI"),
        ("ANTHROPIC_API_KEY", "sk-proj-SECRETPART", "of OpenAI, not of Anthropic"),
        ("ANTHROPIC_API_KEY", "AIzaSECRETPART", "of Gemini, not of Anthropic"),
        ("GEMINI_API_KEY", "sk-ant-SECRETPART", "of Anthropic, not of Gemini"),
        ("ANTHROPIC_API_KEY", "sk-ant-admin01-SECRETPART", "admin key"),
        ("ANTHROPIC_API_KEY", "two SECRETPART", "blank"),
    ],
)
def test_a_key_under_the_wrong_name_is_not_used(empty, name, value, said):
    found = search({name: value}, empty)
    assert found.keys == {}
    (problem,) = found.problems
    assert name in problem
    assert said in problem
    assert "SECRETPART" not in problem


def test_a_gateway_may_use_any_key(empty):
    environ = {"ANTHROPIC_API_KEY": "sk-proj-x", "ANTHROPIC_BASE_URL": "https://gateway"}
    assert values(search(environ, empty)) == {"anthropic": "sk-proj-x"}


# --- Colab ----------------------------------------------------------------------------------------


class SecretNotFoundError(Exception):
    pass


class NotebookAccessError(Exception):
    pass


class TimeoutException(Exception):  # noqa: N818 - Colab's own name
    pass


@pytest.fixture
def colab(monkeypatch):
    """A stand-in for google.colab: set `.answer`; read `.asked`."""
    fake = types.SimpleNamespace(answer=lambda name: "", asked=[])

    def get(name):
        fake.asked.append(name)
        return fake.answer(name)

    package, userdata = types.ModuleType("google.colab"), types.ModuleType("google.colab.userdata")
    userdata.get = get
    package.userdata = userdata
    monkeypatch.setitem(sys.modules, "google", types.ModuleType("google"))
    monkeypatch.setitem(sys.modules, "google.colab", package)
    monkeypatch.setitem(sys.modules, "google.colab.userdata", userdata)
    return fake


def failing_with(error: type[Exception]):
    def answer(name):
        raise error(f"Secret {name}")

    return answer


def test_a_secret_is_found_and_cleaned(empty, colab):
    colab.answer = lambda name: ' "sk-test-4"\n' if name == "OPENAI_API_KEY" else ""
    found = search({}, empty)
    assert values(found) == {"openai": "sk-test-4"}
    assert found.keys["openai"].where == "colab"


def test_colab_is_not_asked_for_what_was_found_before(empty, colab):
    search({"ANTHROPIC_API_KEY": "a", "OPENAI_API_KEY": "b", "GEMINI_API_KEY": "c"}, empty)
    assert colab.asked == []


def test_colab_is_not_asked_when_told_not_to(empty, colab):
    search({}, empty, colab=False)
    assert colab.asked == []


def test_a_missing_secret_is_said(empty, colab):
    colab.answer = failing_with(SecretNotFoundError)
    found = search({}, empty)
    assert found.keys == {}
    assert found.problems == [
        "Colab has no secret called ANTHROPIC_API_KEY, OPENAI_API_KEY, GEMINI_API_KEY, GOOGLE_API_KEY."
    ]


def test_with_one_key_the_missing_others_are_no_problem(empty, colab):
    colab.answer = lambda name: "sk-test-4" if name == "ANTHROPIC_API_KEY" else ""
    assert search({}, empty).problems == []


def test_missing_access_says_which_switch(empty, colab):
    colab.answer = failing_with(NotebookAccessError)
    assert any("switch on 'Notebook access'" in problem for problem in search({}, empty).problems)


def test_what_the_learner_can_mend_is_asked_again(empty, colab):
    colab.answer = failing_with(NotebookAccessError)
    search({}, empty)
    colab.answer = lambda name: "sk-test-4"
    assert values(search({}, empty))["anthropic"] == "sk-test-4"


@pytest.mark.parametrize("error", [TimeoutException, TimeoutError, RuntimeError, AttributeError])
def test_a_colab_that_does_not_answer_is_asked_once(empty, colab, error):
    colab.answer = failing_with(error)
    first, second = search({}, empty), search({}, empty)
    assert len(colab.asked) == 1
    assert first.keys == second.keys == {}
    assert first.problems == second.problems
    assert len(first.problems) == 1


def test_a_timeout_says_where_secrets_work(empty, colab):
    colab.answer = failing_with(TimeoutException)
    assert "not from VS Code" in search({}, empty).problems[0]


def test_an_import_that_fails_is_no_error(empty, monkeypatch):
    monkeypatch.setitem(sys.modules, "google.colab", None)
    assert search({}, empty).problems == []
    monkeypatch.setenv("COLAB_RELEASE_TAG", "release-colab")
    found = search({}, empty)
    assert found.keys == {}
    assert len(found.problems) == 1


def test_a_secret_for_another_provider_is_refused(empty, colab):
    colab.answer = lambda name: "sk-ant-SECRETPART" if name == "OPENAI_API_KEY" else ""
    found = search({}, empty)
    assert "openai" not in found.keys
    assert any("OPENAI_API_KEY in Colab Secrets" in problem for problem in found.problems)


def test_every_provider_is_complete():
    for provider in SERVICES:
        assert provider.key_names and provider.base_urls and provider.address.startswith("https://")


# --- lines of .env and addresses that cannot be used ------------------------------------------------


@pytest.mark.parametrize(
    "line",
    [
        "set OPENAI_API_KEY=SECRETPART",
        "setx OPENAI_API_KEY SECRETPART",
        '$env:OPENAI_API_KEY="SECRETPART"',
        "OPENAI_API_KEY: SECRETPART",
        "OPENAI_API_KEY SECRETPART",
        "openai_api_key -> SECRETPART",
    ],
)
def test_a_line_of_dotenv_that_is_not_read_is_named_without_its_text(empty, line, caplog):
    (empty / ".env").write_text(f"# keys\n\nOTHER=1\n\n{line}\n", encoding="utf-8")
    found = search({})
    problems = [problem for problem in found.problems if "Line 5 of your .env file" in problem]
    assert len(problems) == 1 and "Write it as OPENAI_API_KEY=your key" in problems[0]
    assert "SECRETPART" not in repr(found) + caplog.text


def test_a_line_that_is_not_read_does_not_matter_where_the_key_is_found(empty):
    (empty / ".env").write_text("set OPENAI_API_KEY=x\nsome words\n", encoding="utf-8")
    assert search({"OPENAI_API_KEY": "sk-test-4"}).problems == []
    (empty / ".env").write_text("some words\nANTHROPIC_API_KEY=k\n", encoding="utf-8")
    assert search({}).problems == []


def test_the_other_lines_are_read_as_python_dotenv_reads_them(empty):
    text = "set OPENAI_API_KEY=x\nexport ANTHROPIC_API_KEY = 'a#$b' # note\nEMPTY=\nBARE\nOTHER=\"g\\n\"\n"
    (empty / ".env").write_text(text, encoding="utf-8")
    expected = dict(dotenv_values(empty / ".env", interpolate=False))
    assert read_dotenv(empty).values == expected and expected["ANTHROPIC_API_KEY"] == "a#$b"


@pytest.mark.parametrize(
    "address",
    [
        "gateway.example/v1",
        "htp://gateway",
        "https:///v1",
        "http://host:port/v1",
        "https://a b",
        "http://[::1",
        "sk-x",
    ],
)
def test_an_address_that_is_none_is_refused_with_its_name_and_not_shown(empty, address):
    with pytest.raises(SetupError) as error:
        search({"OPENAI_BASE_URL": address, "OPENAI_API_KEY": "k"})
    assert str(error.value).startswith("OPENAI_BASE_URL in the environment is not an address.")
    assert "https://api.openai.com/v1" in str(error.value) and address not in str(error.value)


def test_an_address_in_dotenv_is_looked_at_too(empty):
    (empty / ".env").write_text("ANTHROPIC_BASE_URL=gateway\nANTHROPIC_API_KEY=k\n", encoding="utf-8")
    with pytest.raises(SetupError, match="ANTHROPIC_BASE_URL in your .env file"):
        search({})


@pytest.mark.parametrize("address", ["http://127.0.0.1:9", "https://gateway.example/v1/", "http://[::1]:80"])
def test_an_address_of_ones_own_is_kept(empty, address):
    assert search({"OPENAI_BASE_URL": address, "OPENAI_API_KEY": "k"}).keys["openai"].base_url == address
