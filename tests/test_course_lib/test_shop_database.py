"""The shop's database: what is shipped, what a session gets, and what happens when a learner breaks it."""

from __future__ import annotations

import datetime
import gc
import os
import sqlite3
import stat
import subprocess
import sys
import threading
import warnings
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing
from pathlib import Path

import pytest

from course_lib import shop
from course_lib.shop import database, orders, support
from course_lib.shop.data import build
from course_lib.shop.database import PACKAGED_FILE


@pytest.fixture(autouse=True)
def fresh_shop():
    shop.reset()


def ask(sql, *values):
    with closing(shop.connect()) as connection:
        return [tuple(row) for row in connection.execute(sql, values)]


def content(path: Path):
    """Every table with its definition and rows, in order; not SQLite's own version stamps."""
    with closing(sqlite3.connect(path)) as connection:
        tables = connection.execute("SELECT name, sql FROM sqlite_master ORDER BY name").fetchall()
        # The tables behind the full-text index may differ between versions of SQLite; the articles may not.
        names = [name for name, sql in tables if sql and not name.startswith("help_articles_")]
        return {
            name: (sql, connection.execute(f"SELECT * FROM {name}").fetchall())
            for name, sql in tables
            if name in names
        }


def test_the_clock_stands_at_noon_of_a_friday():
    assert shop.today() == datetime.date(2026, 11, 20)
    assert shop.today().strftime("%A") == "Friday"
    assert shop.now() == datetime.datetime(2026, 11, 20, 12)


def test_the_shipped_file_is_what_the_script_builds(tmp_path):
    build(tmp_path / "shop.sqlite")
    assert content(PACKAGED_FILE) == content(tmp_path / "shop.sqlite")


def test_two_builds_are_equal_byte_for_byte(tmp_path):
    for name in ("one", "two"):
        build(tmp_path / name)
    assert (tmp_path / "one").read_bytes() == (tmp_path / "two").read_bytes()


def test_a_build_replaces_what_was_there(tmp_path):
    path = tmp_path / "shop.sqlite"
    path.write_bytes(b"not a database")
    build(path)
    assert content(path) == content(PACKAGED_FILE)


def test_every_reference_holds_and_the_file_is_sound():
    assert ask("PRAGMA foreign_key_check") == []
    assert ask("PRAGMA integrity_check") == [("ok",)]


def test_the_world_has_the_size_that_lessons_rely_on():
    tables = {
        "customers": 12,
        "products": 15,
        "stock": 15,
        "orders": 34,
        "tickets": 6,
        "refunds": 1,
        "weather": 20,
        "help_articles": 20,
        "messages": 50,
    }
    assert {table: ask(f"SELECT count(*) FROM {table}")[0][0] for table in tables} == tables


def test_nothing_happened_after_the_shop_s_now():
    assert ask("SELECT max(sent_at) <= ? FROM messages", "2026-11-20 12:00") == [(1,)]
    assert ask(
        "SELECT count(*) FROM orders WHERE max(placed_on, shipped_on, delivered_on) > '2026-11-20'"
    ) == [(0,)]


@pytest.mark.parametrize(
    "statement",
    [
        "UPDATE orders SET status = 'lost'",
        "UPDATE orders SET status = 'delivered' WHERE number = 1042",
        "UPDATE orders SET placed_on = 'yesterday' WHERE number = 1048",
        "UPDATE stock SET quantity = -1",
        "UPDATE stock SET quantity = 'many'",
        "INSERT INTO order_lines VALUES (1042, 'SKU-000', 1, 100)",
        "INSERT INTO messages VALUES (999, 99, '2026-11-20 10:00', 'hello')",
        "UPDATE tickets SET priority = 'urgent'",
        "DELETE FROM customers WHERE id = 1",
        "INSERT INTO refunds VALUES (600, 999, 100, '2026-11-20 12:00', NULL)",
        "UPDATE refunds SET amount_cents = 12.5",
        "UPDATE refunds SET amount_cents = -1200",
        "UPDATE refunds SET created_at = '2026-11-07'",
    ],
)
def test_the_database_refuses_what_makes_no_sense(statement):
    with closing(shop.connect()) as connection, pytest.raises(sqlite3.IntegrityError):
        connection.execute(statement)


def test_the_words_that_functions_take_are_those_of_the_database():
    schema = dict(ask("SELECT name, sql FROM sqlite_master WHERE type = 'table'"))
    for table, words in (
        ("orders", orders.STATUSES),
        ("tickets", support.CATEGORIES),
        ("tickets", support.PRIORITIES),
    ):
        assert f"IN ({', '.join(repr(word) for word in words)})" in schema[table]


def test_changes_are_saved_at_once_and_reset_takes_them_back():
    with closing(shop.connect()) as connection:
        connection.execute("DELETE FROM messages")
    assert shop.get_messages("all")["count"] == 0
    shop.reset()
    assert shop.get_messages("all")["count"] == 42


def test_a_session_never_touches_the_packaged_file():
    before = PACKAGED_FILE.read_bytes()
    with closing(shop.connect()) as connection:
        connection.execute("DROP TABLE messages")
    shop.create_ticket("other", "low", "hello")
    shop.reset()
    assert PACKAGED_FILE.read_bytes() == before
    assert sorted(path.name for path in PACKAGED_FILE.parent.glob("shop.sqlite*")) == ["shop.sqlite"]


def test_a_read_only_packaged_file_gives_a_copy_that_can_be_written(tmp_path, monkeypatch):
    packaged = tmp_path / "shop.sqlite"
    packaged.write_bytes(PACKAGED_FILE.read_bytes())
    packaged.chmod(stat.S_IREAD)
    monkeypatch.setattr(database, "PACKAGED_FILE", packaged)
    shop.reset()
    assert database._file().stat().st_mode & stat.S_IWRITE
    assert shop.create_ticket("other", "low", "hello") == {"number": 307, "status": "open"}


def test_a_dropped_table_is_explained_and_reset_mends_it():
    with closing(shop.connect()) as connection:
        connection.execute("DROP TABLE messages")
    with pytest.raises(shop.ShopBroken, match=r"no such table: messages.*shop\.reset\(\)"):
        shop.get_messages("week")
    shop.reset()
    assert shop.get_messages("week")["count"] == 6


def test_a_copy_overwritten_with_something_else_is_explained_and_reset_mends_it():
    database._file().write_bytes(b"this was a database once " * 100)
    with pytest.raises(shop.ShopBroken, match=r"shop\.reset\(\)"):
        shop.find_order(1042)
    shop.reset()
    assert shop.find_order(1042)["status"] == "shipped"


def test_a_deleted_copy_is_replaced_by_a_fresh_one():
    shop.create_ticket("other", "low", "hello")
    database._file().unlink()
    assert ask("SELECT count(*) FROM tickets") == [(6,)]


def test_a_connection_from_before_a_reset_keeps_working_on_the_old_copy():
    with closing(shop.connect()) as connection:
        connection.execute("DELETE FROM tickets")
        shop.reset()
        assert connection.execute("SELECT count(*) FROM tickets").fetchone()[0] == 0
    assert ask("SELECT count(*) FROM tickets") == [(6,)]


def test_many_resets_leave_only_two_copies():
    for _ in range(5):
        shop.reset()
    assert len(database._copies) == 2


def test_a_locked_database_is_explained(monkeypatch):
    monkeypatch.setattr(database, "PATIENCE", 0.05)
    with closing(shop.connect()) as connection:
        connection.execute("BEGIN IMMEDIATE")
        assert shop.get_messages("week")["count"] == 6, "reading goes on meanwhile"
        with pytest.raises(shop.ShopBroken, match="locked by another connection"):
            shop.create_ticket("other", "low", "hello")


def test_the_connection_of_a_reading_function_cannot_write():
    with pytest.raises(shop.ShopBroken, match="readonly"):
        with database.reading() as connection:
            connection.execute("DELETE FROM messages")


def test_only_tickets_and_refunds_open_a_connection_that_can_write(monkeypatch):
    modes = []
    real = database._open
    monkeypatch.setattr(database, "_open", lambda mode: modes.append(mode) or real(mode))
    shop.get_messages("week")
    shop.find_order(1036)
    shop.list_orders("alex@example.com")
    shop.check_inventory("SKU-990")
    shop.get_weather("Paris")
    shop.search_help("refund")
    with shop.signed_in_as("lucia@example.org"):
        pass
    assert modes == ["ro"] * 7
    shop.create_ticket("other", "low", "hello")
    shop.refund_order(1036, 1)
    assert modes[7:] == ["rw", "rw"]


def test_what_a_failed_change_wrote_is_taken_back():
    with pytest.raises(KeyError), database.changing() as connection:
        connection.execute("DELETE FROM refunds")
        raise KeyError
    assert ask("SELECT count(*) FROM refunds") == [(1,)]


def test_sixteen_threads_read_while_one_writes_tickets():
    together = threading.Barrier(17)

    def read(_):
        together.wait()
        return [
            (
                shop.get_messages("week")["count"],
                shop.find_order(1042)["total_usd"],
                shop.calculate("2 * 3.5"),
            )
            for _ in range(20)
        ]

    def write():
        together.wait()
        return [shop.create_ticket("other", "low", f"ticket {n}")["number"] for n in range(40)]

    with ThreadPoolExecutor(17) as pool:
        written = pool.submit(write)
        answers = [answer for part in pool.map(read, range(16)) for answer in part]
    assert set(answers) == {(6, 112.0, 7)} and len(answers) == 320
    assert written.result() == list(range(307, 347))


def test_the_first_use_by_several_threads_makes_one_copy(monkeypatch):
    monkeypatch.setattr(database, "_copies", [])
    with ThreadPoolExecutor(8) as pool:
        list(pool.map(lambda _: shop.get_messages("day"), range(8)))
    assert len(database._copies) == 1


def test_no_function_leaves_a_connection_open(monkeypatch):
    opened = []
    real = sqlite3.connect
    monkeypatch.setattr(sqlite3, "connect", lambda *a, **k: opened.append(real(*a, **k)) or opened[-1])
    with warnings.catch_warnings():
        warnings.simplefilter("error", ResourceWarning)
        shop.get_messages("week")
        shop.find_order(1042)
        shop.list_orders()
        shop.check_inventory("SKU-990")
        shop.get_weather("Paris")
        shop.search_help("refund")
        shop.create_ticket("other", "low", "hello")
        shop.refund_order(1036, 1)
        with pytest.raises(shop.NotFound):
            shop.refund_order(1041, 1)
        with pytest.raises(shop.NotFound):
            shop.get_weather("Atlantis")
        database._file().write_bytes(b"this was a database once " * 100)
        with pytest.raises(shop.ShopBroken):
            shop.find_order(1042)
        gc.collect()
    assert len(opened) == 11
    for connection in opened:
        with pytest.raises(sqlite3.ProgrammingError, match="closed"):
            connection.execute("SELECT 1")


def run(code):
    return subprocess.run(
        [sys.executable, "-W", "error", "-c", code],
        capture_output=True,
        text=True,
        encoding="utf-8",
        timeout=60,
    )


def test_importing_the_shop_loads_nothing_heavy():
    code = "import sys, course_lib.shop; print({'simpleeval', 'pydantic', 'anthropic'} & set(sys.modules))"
    assert run(code).stdout.strip() == "set()"


def test_the_temporary_copy_is_gone_when_python_ends():
    code = "from course_lib.shop import database; print(database._file())"
    finished = run(code)
    assert finished.stderr == ""
    assert finished.stdout.strip().endswith("shop.sqlite")
    assert not Path(finished.stdout.strip()).parent.exists()


@pytest.mark.skipif(not hasattr(os, "fork"), reason="no fork here")
def test_a_forked_child_leaves_the_database_of_its_parent_alone():
    program = (
        "import os, sys; from course_lib import shop; shop.create_ticket('other', 'low', 'x')\n"
        "child = os.fork()\n"
        "if child == 0: sys.exit(0)\n"
        "os.waitpid(child, 0); print(shop.create_ticket('other', 'low', 'y')['number'])"
    )
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, encoding="utf-8", check=True)
    assert done.stdout.strip() == "308"


def test_the_copy_of_a_killed_process_is_removed_by_the_next_and_that_of_a_living_one_is_not(tmp_path):
    program = (
        "import sys, time\nfrom course_lib import shop\nfrom course_lib.shop import database\n"
        "shop.find_order(1042)\nprint(database._copies[-1].parent, flush=True)\n"
        "time.sleep(60 if 'wait' in sys.argv else 0)"
    )
    environment = {**os.environ, "TMPDIR": str(tmp_path)}

    def begin(*arguments):
        return subprocess.Popen(
            [sys.executable, "-c", program, *arguments], env=environment, stdout=subprocess.PIPE, text=True
        )

    killed, living = begin("wait"), begin("wait")
    try:
        folders = [Path(process.stdout.readline().strip()) for process in (killed, living)]
        killed.kill()
        killed.wait()
        for folder in folders:
            os.utime(folder, (0, 0))  # as if they were old
        last = begin()
        last.communicate()
        assert last.returncode == 0
        assert [folder.exists() for folder in folders] == [False, True]
    finally:
        living.kill()
        for process in (killed, living):
            process.wait()
            process.stdout.close()
