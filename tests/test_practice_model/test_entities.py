"""The plain facts that are found in a message."""

from __future__ import annotations

from datetime import date

import pytest

from practice_model.language.entities import country_of_demonym, read

TODAY = date(2026, 3, 11)

FACTS = [
    ("write to kim@example.org.", "email", ["kim@example.org"]),
    ("see https://example.org/a?b=1.", "url", ["https://example.org/a?b=1"]),
    ('the words "sea salt" and «pan»', "quoted", ["sea salt", "pan"]),
    ("don't say 'yes' yet", "quoted", ["yes"]),
    ("from -3 to 1,200.50", "number", [-3, 1200.5]),
    ("twenty-five chairs", "number", [25]),
    ("two hundred and six", "number", [206]),
    ("two hundred and six thousand", "number", [206_000]),
    ("one hundred and two hundred", "number", [100, 200]),
    ("two million three thousand and five", "number", [2_003_005]),
    ("hundred hundred thousand thousand million", "number", [100, 100_000, 1_000_000_000]),
    ("one hundred and " * 100, "number", [100] * 100),
    ("1,234,567.25 and 1.234,25", "number", [1_234_567.25, 1_234.25]),
    ("Ping 192.168.1.1", "number", []),
    ("version 1.234.5", "number", []),
    ("10.0.0.1 * 3", "expression", []),
    ("1,234.567.8 + 2", "expression", []),
    ("9" * 101, "number", []),
    ("9" * 100, "number", [int("9" * 100)]),
    ("two and three", "number", [2, 3]),
    ("$5k now", "number", [5000]),
    ("which one is it", "number", []),
    ("order #42 and TR-99812, INV-A7", "identifier", ["42", "TR-99812", "INV-A7"]),
    ("version 2.3.1 of a1b2c3d4e5", "identifier", ["2.3.1", "a1b2c3d4e5"]),
    ("read /etc/hosts and notes.txt", "path", ["/etc/hosts", "notes.txt"]),
    ("call +34 600 123 456 or 555-0199", "phone", ["+34 600 123 456", "555-0199"]),
    ("ask @kim in #general", "handle", ["@kim", "#general"]),
    ("at 5pm, or 17:30, or noon", "time", ["17:00", "17:30", "12:00"]),
    ("from New York to Oslo", "place", ["New York", "Oslo"]),
    ("a nice day", "place", []),
    ("in euros or in dollars", "currency", ["EUR", "USD"]),
    ("into French or German", "language", ["French", "German"]),
    ("Find Ana Torres and Dr. Serra", "name", ["Ana Torres", "Dr. Serra"]),
    ("12 * 7", "expression", ["12 * 7"]),
    ("what is 2 plus 3 times 4?", "expression", ["2 + 3 * 4"]),
    ("(2 + 3) * 4", "expression", ["(2 + 3) * 4"]),
    ("15% of 80", "expression", ["15 / 100 * 80"]),
    ("divide 10 by 4", "expression", ["10 / 4"]),
    ("subtract 5 from 20", "expression", ["20 - 5"]),
    ("add 3, 4 and 5", "expression", ["3 + 4 + 5"]),
    ("the square root of 144", "expression", ["144 ** 0.5"]),
    ("7 squared", "expression", ["7 ** 2"]),
    ("100-37", "expression", ["100 - 37"]),
    ("10-20 people, call 555-0199", "expression", []),
    ("(((2 + ", "expression", []),
]


@pytest.mark.parametrize(("text", "kind", "values"), FACTS, ids=[f"{row[1]}: {row[0]}" for row in FACTS])
def test_a_fact_in_english(text, kind, values):
    assert [entity.value for entity in read(text, TODAY, "en") if entity.kind == kind] == values


SPANISH = [
    ("1.500 o 2.500,50", "number", [1500, 2500.5]),
    ("treinta y dos sillas", "number", [32]),
    ("doscientos cincuenta", "number", [250]),
    ("dos mil trescientos millones", "number", [2_300_000_000]),
    ("mil millones y treinta y dos", "number", [1_000_000_000, 32]),
    ("tres veces 4", "number", [3, 4]),
    ("40 multiplicado por 12", "expression", ["40 * 12"]),
    ("9 por 8", "expression", ["9 * 8"]),
    ("suma 8 y 9", "expression", ["8 + 9"]),
    ("a las 5 y media de la tarde", "time", ["17:30"]),
    ("de Sevilla a Bogotá", "place", ["Sevilla", "Bogotá"]),
    ("50 libras", "currency", ["GBP"]),
    ("al francés", "language", ["francés"]),
]


@pytest.mark.parametrize(("text", "kind", "values"), SPANISH, ids=[f"{row[1]}: {row[0]}" for row in SPANISH])
def test_a_fact_in_spanish(text, kind, values):
    assert [entity.value for entity in read(text, TODAY, "es") if entity.kind == kind] == values


def test_a_fact_knows_the_words_beside_it():
    (weight,) = [
        entity for entity in read("send it with 2.5 kg of rice", TODAY, "en") if entity.kind == "number"
    ]
    assert (weight.before, weight.after) == ("send it with", "kg of")


@pytest.mark.parametrize(
    ("word", "country"),
    [
        ("Spaniards", ("Spain", "España")),
        ("española", ("Spain", "España")),
        ("JAPONESES", ("Japan", "Japón")),
        ("Swiss", ("Switzerland", "Suiza")),
        ("iraníes", ("Iran", "Irán")),
        ("South African", ("South Africa", "Sudáfrica")),
        ("estadounidense", ("United States", "Estados Unidos")),
        ("Catalan", None),  # a language, and no country
        ("Spain", None),
    ],
)
def test_a_demonym_names_its_country(word, country):
    assert country_of_demonym(word) == country


@pytest.mark.parametrize(
    "text",
    [
        "192.168.1.1",
        "version 1.234.5",
        "1.234.567.89",
        "1" + ",000" * 3000,
        "9" * 5000,
        "1." * 500,
        "0.0.0.0.0",
    ],
)
@pytest.mark.parametrize("language", ["en", "es"])
def test_what_is_no_number_is_read_without_failing(text, language):
    assert all(entity.kind != "number" for entity in read(text, date(2026, 3, 11), language))
