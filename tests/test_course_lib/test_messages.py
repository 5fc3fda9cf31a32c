"""localized(): texts by key and language; the catalogues of all languages hold the same."""

from __future__ import annotations

import ast
import sys
from pathlib import Path

import pytest

import course_lib.messages as catalogue
from course_lib.errors import CourseError, MissingText, SetupError
from course_lib.messages import fields, language, languages, localized, set_language, texts

PACKAGE = Path(catalogue.__file__).parent


@pytest.fixture(autouse=True)
def english_again():
    yield
    set_language("en")


@pytest.fixture
def small_catalogue(tmp_path, monkeypatch):
    """A catalogue with two texts in English and one in Spanish."""
    for lang, text in {
        "en": '[a]\nhello = "Hello {name}"\n[a.b]\nonly = """\nOnly English\n"""\n',
        "es": '[a]\nhello = "Hola {name}"\n',
    }.items():
        (tmp_path / lang).mkdir()
        (tmp_path / lang / "one.toml").write_text(text, encoding="utf-8")
    monkeypatch.setattr(catalogue, "CATALOGUE", tmp_path)
    texts.cache_clear()
    yield tmp_path
    texts.cache_clear()


def test_a_text_is_found_by_its_dotted_key_and_filled(small_catalogue):
    assert localized("a.hello", name="Ada") == "Hello Ada"
    assert localized("a.b.only") == "Only English"


def test_the_language_can_be_changed(small_catalogue):
    set_language("es")
    assert language() == "es"
    assert localized("a.hello", name="Ada") == "Hola Ada"


def test_a_text_that_is_missing_in_spanish_comes_in_english(small_catalogue):
    set_language("es")
    assert localized("a.b.only") == "Only English"


def test_all_files_of_a_language_are_one_catalogue(small_catalogue):
    (small_catalogue / "en" / "two.toml").write_text('[c]\nd = "more"\n', encoding="utf-8")
    texts.cache_clear()
    assert localized("c.d") == "more"
    assert localized("a.hello", name="x") == "Hello x"


def test_a_key_that_stands_twice_is_reported(small_catalogue):
    (small_catalogue / "en" / "two.toml").write_text('[a]\nhello = "again"\n', encoding="utf-8")
    texts.cache_clear()
    with pytest.raises(MissingText, match="'a.hello' stands twice.*two.toml"):
        localized("a.hello", name="x")


def test_a_missing_text_is_a_key_error_in_plain_words(small_catalogue):
    with pytest.raises(KeyError) as caught:
        localized("a.nothing")
    assert isinstance(caught.value, CourseError)
    assert str(caught.value).startswith("The catalogue has no text 'a.nothing'.")


def test_a_missing_value_names_the_fields(small_catalogue):
    with pytest.raises(MissingText, match=r"needs \['name'\]; given: \['nome'\]"):
        localized("a.hello", nome="Ada")


def test_a_value_with_braces_is_not_filled_again(small_catalogue):
    assert localized("a.hello", name="{name}") == "Hello {name}"


def test_an_unknown_language_lists_the_known_ones_and_changes_nothing():
    set_language("es")
    with pytest.raises(SetupError, match='\'fr\'.*"en", "es"'):
        set_language("fr")
    assert language() == "es"


@pytest.mark.parametrize("lang", [name for name in languages() if name != "en"])
def test_every_language_has_the_same_keys_and_fields_as_english(lang):
    english, other = texts("en"), texts(lang)
    assert set(other) == set(english)
    for key, text in english.items():
        assert fields(other[key]) == fields(text), key
        assert other[key].strip(), key


def calls_of_localized() -> list[tuple[str, str, set[str]]]:
    """Return (file, key, keywords) of each text in the package that is asked for by a key written out."""
    keys = {"localized": ("{}",), "_problem": ("doctor.{}", "doctor.{}_advice")}
    found = []
    for file in PACKAGE.rglob("*.py"):
        for node in ast.walk(ast.parse(file.read_text(encoding="utf-8"))):
            if isinstance(node, ast.Call) and getattr(node.func, "id", "") in keys and node.args:
                key = node.args[0]
                if isinstance(key, ast.Constant):
                    keywords = {k.arg for k in node.keywords}
                    found += [(file.name, form.format(key.value), keywords) for form in keys[node.func.id]]
    return found


def test_every_text_that_the_package_asks_for_exists_with_its_fields():
    english = texts("en")
    for file, key, keywords in calls_of_localized():
        assert key in english, f"{file}: {key}"
        if None not in keywords:  # localized("…", **values)
            assert fields(english[key]) <= keywords, f"{file}: {key}"


def test_catalogues_load_with_encoding_warnings_as_errors():
    import subprocess

    code = "import course_lib.messages as s; s.set_language('es'); print(s.localized('setup.practice'))"
    command = [sys.executable, "-X", "warn_default_encoding", "-W", "error::EncodingWarning", "-c", code]
    subprocess.run(command, check=True, cwd=PACKAGE.parent, capture_output=True)
