"""The word lists of the practice model: their form, not their contents."""

from __future__ import annotations

import re
from collections import Counter
from pathlib import Path

import pytest

from practice_model.language.text import exact, fold_once, singular

WORDS = Path(__file__).resolve().parents[2] / "practice_model" / "language" / "words"
FILES = ["lexicon.txt", "places.txt", "currencies.txt", "stopwords.txt", "labels.txt", "demonyms.txt"]
STOPWORD_SECTIONS = [
    "english",
    "english question words",
    "spanish",
    "spanish question words",
    "english generic",
    "spanish generic",
]


def read_sections(name: str) -> list[tuple[str, list[str]]]:
    """Read a word list as (section, lines) pairs in file order; lines before any section belong to ""."""
    sections: list[tuple[str, list[str]]] = [("", [])]
    for line in (WORDS / name).read_text(encoding="utf-8").splitlines():
        if line.startswith("## "):
            sections.append((line[3:], []))
        elif line and not line.startswith("# "):
            sections[-1][1].append(line)
    return [section for section in sections if section[1]]


def read_fields(name: str) -> list[list[str]]:
    """Split each line of a word list at its bars."""
    return [
        [field.strip() for field in line.split("|")] for _, lines in read_sections(name) for line in lines
    ]


def repeated(words: list[str]) -> list[str]:
    return [word for word, count in Counter(words).items() if count > 1]


@pytest.mark.parametrize("name", FILES)
def test_a_file_is_utf8_with_plain_line_ends_and_composed_accents(name: str) -> None:
    text = (WORDS / name).read_bytes().decode("utf-8")
    assert text.endswith("\n") and "\r" not in text and "\t" not in text and "\ufeff" not in text
    assert not re.search("[\u0300-\u036f]", text), (
        "accents are single letters (é), not a letter and a combining mark"
    )


@pytest.mark.parametrize("name", FILES)
def test_no_section_stands_twice(name: str) -> None:
    assert repeated([section for section, _ in read_sections(name)]) == []


def test_a_lexicon_line_has_a_concept_and_words_of_both_languages() -> None:
    for fields in read_fields("lexicon.txt"):
        assert len(fields) == 3 and all(fields), fields


def test_concept_ids_are_plain_and_unique() -> None:
    ids = [fields[0] for fields in read_fields("lexicon.txt")]
    assert [concept for concept in ids if not re.fullmatch(r"[a-z][a-z_]*", concept)] == []
    assert repeated(ids) == []


def test_concepts_are_sorted_within_their_section() -> None:
    for section, lines in read_sections("lexicon.txt"):
        ids = [line.split("|")[0].strip() for line in lines]
        assert ids == sorted(ids), section


def test_lexicon_words_are_lower_case_and_separated_by_single_spaces() -> None:
    for concept, *sides in read_fields("lexicon.txt"):
        for side in sides:
            for word in side.split(" "):
                assert re.fullmatch(r"~?[^\s~|,;A-Z]+", word), (concept, word)


def test_no_word_stands_twice_on_one_side_of_a_line() -> None:
    for concept, *sides in read_fields("lexicon.txt"):
        for side in sides:
            assert repeated(side.replace("~", "").split()) == [], concept


def test_each_side_of_a_line_begins_with_a_plain_word_and_ends_with_the_related_ones() -> None:
    for concept, *sides in read_fields("lexicon.txt"):
        for side in sides:
            related = [word.startswith("~") for word in side.split()]
            assert not related[0] and related == sorted(related), concept


def test_a_place_has_a_kind_a_code_and_a_name_in_both_languages() -> None:
    code = {"country": r"[A-Z]{2}", "city": r"[A-Z]{2}", "region": r"[A-Z]{2}-[A-Z0-9]{1,3}"}
    for fields in read_fields("places.txt"):
        assert len(fields) == 5, fields
        assert re.fullmatch(code[fields[0]], fields[1]) and fields[2] and fields[3], fields


def test_every_city_and_region_lies_in_a_listed_country() -> None:
    places = read_fields("places.txt")
    countries = {fields[1] for fields in places if fields[0] == "country"}
    assert {fields[1][:2] for fields in places} == countries


def test_country_and_region_codes_are_unique() -> None:
    assert repeated([fields[1] for fields in read_fields("places.txt") if fields[0] != "city"]) == []


def test_no_place_stands_twice_and_places_are_sorted_within_their_section() -> None:
    for section, lines in read_sections("places.txt"):
        keys = [tuple(field.strip() for field in line.split("|"))[1:3] for line in lines]
        assert keys == sorted(set(keys)), section


def test_no_name_of_a_place_is_written_twice_among_its_other_names() -> None:
    for fields in read_fields("places.txt"):
        others = [name.strip() for name in fields[4].split(",")] if fields[4] else []
        assert all(others) and repeated(others) == [], fields


def test_a_demonym_has_a_country_of_the_list_and_words_in_both_languages() -> None:
    countries = {fields[1]: fields[2:4] for fields in read_fields("places.txt") if fields[0] == "country"}
    rows = read_fields("demonyms.txt")
    assert [fields[0] for fields in rows] == sorted({fields[0] for fields in rows})
    for code, english, spanish, *sides in rows:
        assert countries[code] == [english, spanish] and len(sides) == 2, code
        for side in sides:
            words = side.split(", ")
            assert all(words) and repeated(words) == [] and side == side.lower(), code


def test_a_demonym_names_one_country() -> None:
    for side in (3, 4):
        words = [word for fields in read_fields("demonyms.txt") for word in fields[side].split(", ")]
        assert repeated(words) == []


def test_a_currency_has_a_code_a_symbol_and_names_in_both_languages() -> None:
    for fields in read_fields("currencies.txt"):
        assert len(fields) == 4 and all(fields), fields
        assert re.fullmatch(r"[A-Z]{3}", fields[0]), fields
        for side in fields[2:]:
            names = side.split(", ")
            assert all(names) and repeated(names) == [], fields


def test_currencies_are_sorted_and_unique() -> None:
    codes = [fields[0] for fields in read_fields("currencies.txt")]
    assert codes == sorted(set(codes))


def test_labels_have_two_sides_and_a_kind_and_are_sorted_and_unique() -> None:
    rows = read_fields("labels.txt")
    assert all(len(fields) == 3 and all(fields) for fields in rows)
    assert {fields[2] for fields in rows} == {"state", "verb", "field"}
    assert [fields[0] for fields in rows] == sorted({fields[0] for fields in rows})


def test_stopwords_have_the_sections_that_the_matcher_reads() -> None:
    assert [section for section, _ in read_sections("stopwords.txt")] == STOPWORD_SECTIONS


def test_stopwords_are_single_lower_case_words_sorted_within_their_section() -> None:
    for section, words in read_sections("stopwords.txt"):
        assert [word for word in words if re.search(r"[\s|~A-Z]", word)] == [], section
        assert words == sorted(set(words)), section


@pytest.mark.parametrize("language", ["english", "spanish"])
def test_a_word_belongs_to_one_stopword_section_of_its_language(language: str) -> None:
    words = [
        word
        for section, words in read_sections("stopwords.txt")
        if section.startswith(language)
        for word in words
    ]
    assert repeated(words) == []


@pytest.mark.parametrize("language", ["en", "es"])
def test_a_plural_that_is_only_related_hides_no_singular(language: str) -> None:
    # The exact form is found before the stem, so "~days" under week would keep "days" from meaning day.
    known = exact(language)
    related = [word for word, concepts in known.items() if 1 not in concepts.values()]
    hiding = [
        word
        for word in related
        if (one := singular(word, language)) != word and 1 in known.get(fold_once(one), {}).values()
    ]
    assert hiding == []
