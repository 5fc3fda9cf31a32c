"""Dates in words, in English and Spanish."""

from __future__ import annotations

from datetime import date

import pytest

from practice_model.language.dates import find_dates

WEDNESDAY = date(2026, 3, 11)

DAYS = [
    ("on 2026-04-02", "2026-04-02"),
    ("today", "2026-03-11"),
    ("yesterday evening", "2026-03-10"),
    ("the day after tomorrow", "2026-03-13"),
    ("mañana", "2026-03-12"),
    ("pasado mañana", "2026-03-13"),
    ("anteayer", "2026-03-09"),
    ("in 3 days", "2026-03-14"),
    ("dentro de 2 semanas", "2026-03-25"),
    ("5 days ago", "2026-03-06"),
    ("hace 10 días", "2026-03-01"),
    ("on Friday", "2026-03-13"),
    ("next Friday", "2026-03-13"),
    ("next Wednesday", "2026-03-18"),
    ("last Friday", "2026-03-06"),
    ("el viernes pasado", "2026-03-06"),
    ("el próximo lunes", "2026-03-16"),
    ("since Monday", "2026-03-09"),
    ("desde el viernes", "2026-03-06"),
    ("May 5", "2026-05-05"),
    ("5 May 2027", "2027-05-05"),
    ("the 3rd of June", "2026-06-03"),
    ("el 3 de junio de 2026", "2026-06-03"),
    ("14/02/2026", "2026-02-14"),
    ("02/14/2026", "2026-02-14"),
]


@pytest.mark.parametrize(("text", "day"), DAYS, ids=[row[0] for row in DAYS])
def test_a_day(text, day):
    (span,) = find_dates(text, WEDNESDAY)
    assert (span.first.isoformat(), span.unit) == (day, "day")


SPANS = [
    ("last week", "2026-03-04", "2026-03-11", "week"),
    ("la semana pasada", "2026-03-04", "2026-03-11", "week"),
    ("la última semana", "2026-03-04", "2026-03-11", "week"),
    ("this month", "2026-03-01", "2026-03-11", "month"),
    ("este año", "2026-01-01", "2026-03-11", "year"),
    ("next month", "2026-03-11", "2026-04-11", "month"),
    ("the last 3 months", "2025-12-11", "2026-03-11", "month"),
    ("los últimos 7 días", "2026-03-04", "2026-03-11", "day"),
    ("past year", "2025-03-11", "2026-03-11", "year"),
]


@pytest.mark.parametrize(("text", "first", "last", "unit"), SPANS, ids=[row[0] for row in SPANS])
def test_a_span_of_days(text, first, last, unit):
    (span,) = find_dates(text, WEDNESDAY)
    assert (span.first.isoformat(), span.last.isoformat(), span.unit) == (first, last, unit)


@pytest.mark.parametrize(
    "text", ["31 February", "2026-13-01", "you may go", "por la mañana", "99 centuries ago", "sol y mar"]
)
def test_what_is_no_date_is_left_out(text):
    assert find_dates(text, WEDNESDAY) == []


@pytest.mark.parametrize(
    "text", ["in 999999999 years", "hace 99999999999 días", "9999-12-31 and in 900000 weeks"]
)
def test_dates_beyond_the_calendar_are_no_error(text):
    find_dates(text, WEDNESDAY)


def test_a_month_after_the_31st_is_the_last_day_of_the_next():
    (span,) = find_dates("in 1 month", date(2026, 1, 31))
    assert span.first == date(2026, 2, 28)


@pytest.mark.parametrize("text", ["a parcel of 2000 g", "un paquete de 2000 gramos", "for 2000 euros"])
def test_an_amount_is_no_year(text):
    assert find_dates(text, WEDNESDAY) == []
