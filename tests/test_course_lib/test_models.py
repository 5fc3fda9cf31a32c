"""Model ids: one place, overridable, and a useful word when a service no longer knows one."""

from __future__ import annotations

import pytest

from course_lib import models
from course_lib.classroom.relay import when_missing


@pytest.fixture(autouse=True)
def no_overrides(monkeypatch):
    for variable, _ in models.SETTINGS.values():
        monkeypatch.delenv(variable, raising=False)


def test_there_are_defaults():
    assert (models.ANTHROPIC, models.OPENAI) == ("claude-haiku-5-5", "gpt-5.4-mini")
    assert models.GEMINI.startswith("gemini-")
    assert models.SLOPPY == "practice-sloppy"


@pytest.mark.parametrize("name", ["ANTHROPIC", "OPENAI", "GEMINI"])
def test_an_environment_variable_replaces_one_at_any_time(monkeypatch, name):
    default = getattr(models, name)
    monkeypatch.setenv(f"COURSE_{name}_MODEL", " newer ")
    assert getattr(models, name) == "newer"
    monkeypatch.setenv(f"COURSE_{name}_MODEL", " ")
    assert getattr(models, name) == default


def test_only_what_differs_from_the_default_is_an_override(monkeypatch):
    assert models.overrides() == {}
    monkeypatch.setenv("COURSE_OPENAI_MODEL", "newer")
    monkeypatch.setenv("COURSE_ANTHROPIC_MODEL", models.SETTINGS["ANTHROPIC"][1])
    assert models.overrides() == {"OPENAI": "newer"}


def test_a_misspelt_name_lists_the_names():
    with pytest.raises(AttributeError, match="ANTHROPIC, OPENAI, GEMINI, SLOPPY"):
        models.ANTROPIC  # noqa: B018


def test_the_advice_on_an_unknown_model_names_it_the_setting_and_the_offline_way():
    text = when_missing("old-model-2023")
    assert "old-model-2023" in text
    assert "COURSE_ANTHROPIC_MODEL" in text
    assert "course_lib.setup()" in text


@pytest.mark.parametrize(
    ("model", "variable"),
    [("claude-2", "ANTHROPIC"), ("gpt-4", "OPENAI"), ("o4-mini", "OPENAI"), ("gemini-1.0-pro", "GEMINI")],
)
def test_the_advice_names_the_setting_of_the_family(model, variable):
    assert f"variable COURSE_{variable}_MODEL," in when_missing(model)


def test_the_advice_follows_an_override(monkeypatch):
    monkeypatch.setenv("COURSE_GEMINI_MODEL", "my-own")
    assert "variable COURSE_GEMINI_MODEL," in when_missing("my-own")
