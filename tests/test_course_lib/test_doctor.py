"""doctor(): it finds what is wrong, advises on it, and never fails itself."""

from __future__ import annotations

import os
import socket
import sys
import tomllib
import types
from pathlib import Path

import pytest

import course_lib
from course_lib.classroom import doctor as doctor_module
from course_lib.classroom import keys, setup
from course_lib.classroom.doctor import doctor, numbers
from course_lib.messages import set_language

ROOT = Path(course_lib.__file__).parent.parent
GOOD = {
    "anthropic": "2.14.0",
    "openai": "3.57.0",
    "httpx2": "2.16.2",
    "pydantic": "2.14.4",
    "docstring-parser": "0.18.0",
    "python-dotenv": "1.2.4",
    "simpleeval": "1.0.7",
    "snowballstemmer": "3.1.1",
}


@pytest.fixture(autouse=True)
def healthy(monkeypatch, tmp_path):
    """A machine on which everything is fine, whatever this one is like."""
    setup.teardown()
    for name in list(os.environ):
        if name.endswith(("_KEY", "_TOKEN")) or name.upper().endswith("_PROXY") or name.startswith("COURSE_"):
            monkeypatch.delenv(name)
    monkeypatch.delenv("COLAB_RELEASE_TAG", raising=False)
    monkeypatch.delitem(sys.modules, "google.colab", raising=False)
    monkeypatch.chdir(tmp_path)
    keys.forget_colab()
    for name in GOOD:
        monkeypatch.delitem(sys.modules, name, raising=False)
    versions = dict(GOOD)
    monkeypatch.setattr(doctor_module, "installed", versions.get)
    yield versions
    setup.teardown()
    set_language("en")


def problem(report) -> doctor_module.Line:
    """Return the one problem of a report."""
    assert len(report.problems) == 1, report
    return report.problems[0]


def test_a_healthy_machine_has_no_problem():
    report = doctor()
    assert report.ok
    assert repr(report).endswith("Everything looks fine.")
    assert "anthropic 2.14.0" in repr(report)


def test_it_speaks_spanish():
    set_language("es")
    assert repr(doctor()).endswith("Todo parece en orden.")


def test_each_problem_has_one_line_of_advice(healthy):
    healthy.update(openai="2.54.0", anthropic="0.39.0", httpx="0.28.1")
    del healthy["httpx2"]
    report = doctor()
    assert len(report.problems) == 4
    for line in report.problems:
        assert line.advice and "\n" not in line.advice
    assert repr(report).count("what to do:") == 4


# --- packages -------------------------------------------------------------------------------------


def test_colabs_openai_is_too_old(healthy):
    healthy["openai"] = "2.54.0"
    found = problem(doctor())
    assert found.text == "openai 2.54.0 is too old: the course needs 3.57 or newer."
    assert 'pip install "openai>=3.57,<4"' in found.advice
    assert "estart" in found.advice


def test_a_missing_package_is_named_with_its_install_line(healthy):
    del healthy["httpx2"]
    assert 'pip install "httpx2>=2,<3"' in problem(doctor()).advice


def test_an_old_sdk_with_a_new_httpx_is_recognised(healthy):
    healthy.update(anthropic="0.39.0", httpx="0.28.1")
    (clash,) = [line for line in doctor().problems if "proxies" in line.text]
    assert "httpx" in clash.advice
    assert "restart" in clash.advice


def test_a_new_sdk_beside_httpx_is_fine(healthy):
    healthy["httpx"] = "0.28.1"
    assert doctor().ok


def test_a_package_that_changed_under_the_kernel_is_noticed(monkeypatch):
    monkeypatch.setitem(sys.modules, "openai", types.SimpleNamespace(__version__="2.54.0"))
    found = problem(doctor())
    assert "openai 2.54.0 is in use, but 3.57.0 is installed" in found.text
    assert "Restart" in found.advice


def test_optional_packages_may_be_missing():
    assert "langchain is not installed (only some lessons need it" in repr(doctor())


def test_a_lessons_report_does_not_depend_on_what_else_is_installed(healthy, monkeypatch):
    for module in doctor_module.OPTIONAL.values():
        monkeypatch.delitem(sys.modules, module, raising=False)
    course_lib.setup(lesson=0)
    bare = repr(doctor())
    healthy.update({"langchain": "1.5.2", "google-genai": "3.6.1"})
    assert repr(doctor()) == bare and "langchain" not in bare


def test_a_lessons_report_names_the_optional_packages_that_it_has_loaded(healthy, monkeypatch):
    healthy["google-genai"] = "3.6.1"
    monkeypatch.setitem(sys.modules, "google.genai", types.SimpleNamespace())
    course_lib.setup(lesson=4)
    assert "google-genai 3.6.1" in repr(doctor())


def test_an_old_python_is_a_problem(monkeypatch):
    monkeypatch.setattr(sys, "version_info", (3, 10, 2, "final", 0))
    assert "too old" in problem(doctor()).text


@pytest.mark.parametrize(
    ("version", "expected"),
    [("2.14.0", (2, 14, 0)), ("3.0.0rc1", (3, 0, 0)), ("1.2.post3", (1, 2)), ("x", ())],
)
def test_versions_compare_by_their_numbers(version, expected):
    assert numbers(version) == expected


def test_the_doctor_asks_for_what_the_package_asks_for():
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    asked = {requirement for _, requirement in doctor_module.REQUIRED.values()}
    assert set(project["dependencies"]) <= asked
    for minimum, requirement in doctor_module.REQUIRED.values():
        assert numbers(requirement.partition(">=")[2].partition(",")[0]) == minimum


# --- mode and keys --------------------------------------------------------------------------------


def test_it_tells_the_mode():
    assert "it would start practice mode" in repr(doctor())
    course_lib.setup()
    assert "practice mode" in repr(doctor())


def test_keys_are_found_or_not_but_never_shown(monkeypatch):
    monkeypatch.setenv("ANTHROPIC_API_KEY", "sk-SECRETPART")
    text = repr(doctor())
    assert "Anthropic: a key was found in the environment (ANTHROPIC_API_KEY)" in text
    assert "OpenAI: no key" in text
    assert "SECRETPART" not in text


def test_the_learners_key_is_seen_behind_practice_mode(monkeypatch):
    monkeypatch.setenv("ANTHROPIC_API_KEY", "sk-real")
    course_lib.setup()
    assert "Anthropic: a key was found" in repr(doctor())


def test_a_key_that_cannot_work_is_a_problem(monkeypatch):
    monkeypatch.setenv("OPENAI_API_KEY", "sk-ant-SECRETPART")
    found = problem(doctor())
    assert "looks like a key of Anthropic" in found.text
    assert "SECRETPART" not in repr(doctor())


def test_asking_for_live_without_a_key_is_a_problem(monkeypatch):
    monkeypatch.setenv("COURSE_LIVE", "1")
    assert "no key was found" in problem(doctor()).text


def test_colabs_secrets_are_not_opened_for_a_checkup(monkeypatch):
    monkeypatch.setenv("COLAB_RELEASE_TAG", "x")
    monkeypatch.setattr(keys, "colab_secret", lambda name: pytest.fail("Colab was asked"))
    text = repr(doctor())
    assert "running in Google Colab" in text
    assert "only in live mode" in text


def test_an_address_changed_after_setup_is_a_problem(monkeypatch):
    course_lib.setup()
    monkeypatch.setenv("ANTHROPIC_BASE_URL", "https://elsewhere")
    assert "ANTHROPIC_BASE_URL was changed after setup()" in problem(doctor()).text


def test_a_model_that_practice_does_not_know_is_a_problem(monkeypatch):
    monkeypatch.setenv("COURSE_OPENAI_MODEL", "gpt-999-huge")
    for _ in ("before setup()", "after"):
        found = problem(doctor())
        assert (
            "COURSE_OPENAI_MODEL is 'gpt-999-huge', a model that the practice model does not know"
            in found.text
        )
        assert "a current id such as gpt-5.4-mini" in found.advice
        course_lib.setup()
    assert setup.exchanges() == []


@pytest.mark.parametrize(
    ("name", "model"),
    [
        ("ANTHROPIC", "claude-opus-4-8"),
        ("OPENAI", "gpt-4o"),
        ("GEMINI", "models/gemini-3.5-flash"),
        ("OPENAI", "practice-sloppy"),
        ("OPENAI", ""),
    ],
)
def test_another_model_that_practice_knows_is_fine(monkeypatch, name, model):
    monkeypatch.setenv(f"COURSE_{name}_MODEL", model)
    assert doctor().ok


def test_each_unknown_model_is_named(monkeypatch):
    for name in ("ANTHROPIC", "OPENAI", "GEMINI"):
        monkeypatch.setenv(f"COURSE_{name}_MODEL", "a/strange id?")
    assert [line.text.split()[0] for line in doctor().problems] == [
        "COURSE_ANTHROPIC_MODEL",
        "COURSE_OPENAI_MODEL",
        "COURSE_GEMINI_MODEL",
    ]


def test_in_live_mode_the_practice_models_list_does_not_count(monkeypatch):
    monkeypatch.setenv("COURSE_OPENAI_MODEL", "gpt-999-huge")
    monkeypatch.setenv("COURSE_LIVE", "1")
    assert "gpt-999-huge" not in repr(doctor())


def test_a_line_of_dotenv_and_an_address_that_cannot_be_used_are_problems(monkeypatch, tmp_path):
    (tmp_path / ".env").write_text("set OPENAI_API_KEY=SECRETPART\n", encoding="utf-8")
    assert "Line 1 of your .env file" in problem(doctor()).text
    monkeypatch.setenv("OPENAI_BASE_URL", "gateway:SECRETPART")
    assert "OPENAI_BASE_URL in the environment is not an address" in problem(doctor()).text
    assert "SECRETPART" not in repr(doctor())


# --- this machine ---------------------------------------------------------------------------------


def test_a_machine_that_cannot_talk_to_itself_is_a_problem(monkeypatch):
    def refuse(*args, **kwargs):
        raise PermissionError("SECRETPART")

    monkeypatch.setattr(socket, "create_server", refuse)
    assert "127.0.0.1 failed (PermissionError)" in problem(doctor()).text


def test_a_practice_model_that_is_gone_is_a_problem(monkeypatch):
    course_lib.setup()
    with socket.create_server(("127.0.0.1", 0)) as server:
        port = server.getsockname()[1]
    model = sys.modules["practice_model.running"].current().model
    gone = types.SimpleNamespace(url=f"http://127.0.0.1:{port}", model=model)
    monkeypatch.setattr(sys.modules["practice_model.running"], "current", lambda: gone)
    assert "does not answer (ConnectionRefusedError)" in problem(doctor()).text


def test_a_proxy_before_setup_is_no_problem(monkeypatch):
    monkeypatch.setenv("HTTP_PROXY", "http://user:SECRETPART@proxy:3128")
    report = doctor()
    assert report.ok
    assert "setup() will keep" in repr(report)
    assert "SECRETPART" not in repr(report)
    course_lib.setup()
    assert "go past it" in repr(doctor())


def test_a_proxy_that_gets_our_own_requests_is_a_problem(monkeypatch):
    monkeypatch.setenv("HTTP_PROXY", "http://proxy:3128")
    course_lib.setup()
    monkeypatch.setenv("no_proxy", "corp.example")
    assert "NO_PROXY" in problem(doctor()).advice


def test_a_full_disk_is_a_problem(monkeypatch):
    monkeypatch.setattr(
        doctor_module.shutil, "disk_usage", lambda path: types.SimpleNamespace(free=3 * 2**20)
    )
    assert problem(doctor()).text == "Only 3 MB are free in the temporary folder."


def test_a_temporary_folder_that_cannot_be_written_is_a_problem(monkeypatch):
    def refuse():
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(doctor_module.tempfile, "TemporaryFile", refuse)
    assert "cannot be written (OSError)" in problem(doctor()).text


@pytest.mark.parametrize("broken", ["_python", "_packages", "_keys", "_proxy", "_temporary"])
def test_a_check_that_breaks_is_reported_and_the_others_go_on(monkeypatch, broken):
    def explode():
        raise RuntimeError("SECRETPART")
        yield

    explode.__name__ = broken
    monkeypatch.setattr(doctor_module, broken, explode)
    report = doctor()
    assert problem(report).text == f"The check '{broken.strip('_')}' itself failed (RuntimeError)."
    assert len(report.lines) > 5
    assert "SECRETPART" not in repr(report)


def test_an_unusable_switch_is_told_once_with_what_to_write(monkeypatch):
    monkeypatch.setenv("COURSE_LIVE", "banana")
    setup.teardown()
    told = [line for line in doctor().lines if "banana" in line.text]
    assert len(told) == 1 and "Set it to 1" in told[0].text and told[0].advice
