"""Builds `shop.sqlite` from schema.sql and data.toml: `python -m course_lib.shop.data`."""

from __future__ import annotations

import sqlite3
import sys
import tomllib
from collections.abc import Iterable
from contextlib import closing
from operator import itemgetter
from pathlib import Path
from typing import Any

from .database import PACKAGED_FILE

_SCHEMA = Path(__file__).with_name("schema.sql")
_DATA = Path(__file__).with_name("data.toml")


def build(path: Path) -> None:
    """Write the database to a file, in place of what is there."""
    path.unlink(missing_ok=True)
    with closing(sqlite3.connect(path)) as connection:
        connection.execute("PRAGMA foreign_keys = ON")
        connection.executescript(_SCHEMA.read_text(encoding="utf-8"))
        with connection:
            _fill(connection)
        connection.execute("INSERT INTO help_articles (help_articles) VALUES ('optimize')")
        connection.commit()
        connection.execute("VACUUM")


def _fill(connection: sqlite3.Connection) -> None:
    data = tomllib.loads(_DATA.read_text(encoding="utf-8"))
    prices = {sku: cents for sku, _, cents, _ in data["products"]}
    rows: dict[str, Iterable[Iterable[Any]]] = {
        "customers": data["customers"],
        "products": data["products"],
        "stock": data["stock"],
        "orders": [order[:-1] for order in data["orders"]],
        "order_lines": [
            (order[0], sku, pieces, prices[sku])
            for order in data["orders"]
            for sku, pieces in order[-1].items()
        ],
        "messages": [
            (number, *message)
            for number, message in enumerate(sorted(data["messages"], key=itemgetter(1)), start=1)
        ],
        "tickets": data["tickets"],
        "refunds": data["refunds"],
        "weather": [row[:4] for row in data["weather"]],
        "city_names": [(name, row[0]) for row in data["weather"] for name in (row[0], *row[4])],
        "help_articles": [(one["title"], one["body"], one["language"]) for one in data["help_articles"]],
    }
    for table, values in rows.items():
        # TOML has no null, so the data say "" for what is not known.
        cells = [[None if cell == "" else cell for cell in row] for row in values]
        # The table's name is ours, from the lines above; everything else goes in as a parameter.
        places = ", ".join("?" * len(cells[0]))
        connection.executemany(f"INSERT INTO {table} VALUES ({places})", cells)


if __name__ == "__main__":
    build(PACKAGED_FILE)
    sys.stdout.write(f"Wrote {PACKAGED_FILE.name}, {PACKAGED_FILE.stat().st_size:,} bytes.\n")
