"""SessionStore: one specification for memory and file; threads, processes, kills, and files that cannot be
used."""

from __future__ import annotations

import contextlib
import dataclasses
import itertools
import json
import multiprocessing
import os
import shutil
import signal
import sqlite3
import subprocess
import sys
import tempfile
import textwrap
import threading
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing
from pathlib import Path, PurePosixPath
from types import SimpleNamespace

import pytest

import course_lib
from course_lib.agents import SessionStore, session_database, session_lock
from course_lib.errors import CourseError
from course_lib.providers import history
from course_lib.tools import ToolResult

needs_fork = pytest.mark.skipif(not hasattr(os, "fork"), reason="needs os.fork")
ROOT = Path(course_lib.__file__).parent.parent


def calling(*ids):
    calls = [{"id": one, "name": "price", "arguments": {"item": "bun"}} for one in ids]
    return {"role": "assistant", "text": "", "calls": calls}


def saying(text):
    return {"role": "assistant", "text": text, "calls": []}


def result(call_id):
    return history.results([ToolResult(call_id, "price", "2")])


EXCHANGE = [history.user("Price?"), calling("a"), result("a"), saying("2")]


@pytest.fixture(params=["memory", "file"])
def store(request, tmp_path):
    with SessionStore(None if request.param == "memory" else tmp_path / "sessions.sqlite") as store:
        yield store


# What both do -------------------------------------------------------------------------------------


def test_turns_come_back_in_order_and_sessions_do_not_mix(store):
    store.append("anna", EXCHANGE[:1])
    store.append("ben", [history.user("Hello")])
    store.append("anna", EXCHANGE[1:])
    assert store.get("anna") == EXCHANGE
    assert store.get("ben") == [history.user("Hello")]
    assert store.get("nobody") == []
    assert store.session_ids() == ["anna", "ben"]


def test_what_was_got_and_what_was_given_are_the_callers_own(store):
    given = json.loads(json.dumps(EXCHANGE))
    store.append("anna", given)
    given[1]["calls"][0]["arguments"]["item"] = "tea"
    store.get("anna")[1]["calls"].clear()
    store.get("anna").append("junk")
    assert store.get("anna") == EXCHANGE


def test_clear_forgets_one_session(store):
    store.append("anna", EXCHANGE)
    store.append("ben", EXCHANGE)
    store.clear("anna")
    store.clear("nobody")
    assert store.get("anna") == [] and store.session_ids() == ["ben"]
    store.append("anna", EXCHANGE[:1])
    assert store.get("anna") == EXCHANGE[:1]


def test_a_session_without_turns_is_none(store):
    store.append("anna", [])
    assert store.session_ids() == []


IDS = [
    "",
    " ",
    "a",
    "A",
    "é",
    "e\u0301",
    "用户 7",
    "👋",
    "a\0b",
    "a\0c",
    "%",
    "_",
    "'; DROP TABLE turns; --",
    "x" * 9999,
]


def test_a_session_id_is_any_text(store):
    for one in IDS:
        store.append(one, [history.user(f"I am {one!r}")])
    assert store.session_ids() == sorted(IDS)
    for one in IDS:
        assert store.get(one) == [history.user(f"I am {one!r}")]


@pytest.mark.parametrize("wrong", [None, 7, b"anna", ["anna"], "a\ud83d"])
def test_anything_else_is_no_session_id(store, wrong):
    for call in (store.get, store.clear, lambda one: store.append(one, EXCHANGE)):
        with pytest.raises(CourseError, match="ession id"):
            call(wrong)


def test_any_text_is_kept_as_it_is(store):
    text = "Grüße, 你好 👋🏽 \u202e \0 \r\n \u2028 \\u00e9 <b>'\""
    turns = [history.user(text), {**calling("é"), "text": text, "note": {text: [text, 1, 0.1, None, True]}}]
    store.append(text, turns)
    assert store.get(text) == turns


def test_a_call_is_claimed_once(store):
    store.append("anna", EXCHANGE)
    assert [store.claim("anna", key) for key in ("k", "k", "other")] == [True, False, True]
    assert store.claim("ben", "k")
    assert store.claimed("anna") == {"k", "other"} and store.claimed("nobody") == set()
    store.clear("anna")
    assert store.claimed("anna") == set() and store.claimed("ben") == {"k"}


def test_many_threads_claim_a_call_once(store):
    together = threading.Barrier(16)

    def claim(_):
        together.wait()
        return [store.claim("anna", f"call {n}") for n in range(20)]

    with ThreadPoolExecutor(16) as pool:
        claimed = list(pool.map(claim, range(16)))
    assert [sum(each) for each in zip(*claimed, strict=True)] == [1] * 20


def test_turns_have_numbers_that_grow_and_never_come_again(store):
    first = store.append("anna", EXCHANGE)
    other = store.append("ben", EXCHANGE[:1])
    assert store.get_numbered("anna") == (EXCHANGE, first)
    store.clear("anna")
    store.clear("ben")
    numbers = [*first, *other, *store.append("anna", EXCHANGE)]
    assert numbers == sorted(set(numbers)) and store.append("anna", []) == []


def test_turns_are_added_only_after_those_that_one_knows(store):
    (number,) = store.append("anna", EXCHANGE[:1], after=0)
    store.append("ben", EXCHANGE[:1])
    for known in (0, number + 1):
        with pytest.raises(CourseError, match="Another program went on with session 'anna'.*Read it again"):
            store.append("anna", EXCHANGE[1:], after=known)
    assert store.get("anna") == EXCHANGE[:1]
    store.append("anna", EXCHANGE[1:], after=number)
    assert store.get("anna") == EXCHANGE


def test_of_many_who_go_on_with_a_session_one_does(store):
    (number,) = store.append("anna", EXCHANGE[:1])
    together = threading.Barrier(8)

    def go_on(n):
        together.wait()
        try:
            return store.append("anna", [saying(str(n))], after=number)
        except CourseError:
            return None

    with ThreadPoolExecutor(8) as pool:
        assert sum(one is not None for one in pool.map(go_on, range(8))) == 1
    assert len(store.get("anna")) == 2


def test_each_store_has_a_key_and_a_file_keeps_its_own(tmp_path):
    keys = []
    for path in (None, None, tmp_path / "a.sqlite", tmp_path / "a.sqlite", tmp_path / "b.sqlite"):
        with SessionStore(path) as store:
            keys.append(store.key)
    assert keys[2] == keys[3] and len(set(keys)) == 4 and all(keys)


@pytest.mark.parametrize(
    "wrong",
    [
        [{"role": "user"}],
        [EXCHANGE[0], None],
        [EXCHANGE[0], {"role": "system", "text": "x"}],
        [{**EXCHANGE[0], "when": object()}],
        [{**EXCHANGE[0], "x": float("nan")}],
        [{"role": "user", "text": "\ud83d"}],
    ],
)
def test_turns_that_are_none_are_refused_and_nothing_is_added(store, wrong):
    with pytest.raises(CourseError, match=r"turns\[\d\]"):
        store.append("anna", wrong)
    assert store.get("anna") == []


@pytest.mark.parametrize("wrong", [None, EXCHANGE[0], "text", iter(EXCHANGE)])
def test_append_takes_a_list(store, wrong):
    with pytest.raises(CourseError, match=r"store.append\(session_id, \[turn\]\)"):
        store.append("anna", wrong)


def test_a_history_that_is_not_finished_is_kept_as_it_is_and_can_be_repaired(store):
    """A call may have been made, and its result not yet be there: that is what a store is for."""
    store.append("anna", EXCHANGE[:2])
    assert [call.id for call in history.unanswered(store.get("anna"))] == ["a"]
    mended = history.repair(store.get("anna"))
    assert mended[:2] == EXCHANGE[:2] and "unknown" in mended[2]["results"][0]["content"]


def test_a_closed_store_says_so(store):
    store.close()
    store.close()
    for call in (lambda: store.get("a"), lambda: store.append("a", EXCHANGE), store.session_ids):
        with pytest.raises(CourseError, match="closed. Make a new one"):
            call()


def test_sixteen_threads_lose_nothing_and_no_append_is_torn(store):
    def work(thread):
        for n in range(10):
            store.append("shared", [{**turn, "by": [thread, n]} for turn in EXCHANGE])
            store.append(f"own {thread}", [history.user(str(n))])
            assert len(store.get("shared")) % len(EXCHANGE) == 0

    with ThreadPoolExecutor(16) as pool:
        list(pool.map(work, range(16)))
    assert_whole(store.get("shared"), 16, 10)
    for thread in range(16):
        assert [turn["text"] for turn in store.get(f"own {thread}")] == [str(n) for n in range(10)]


def assert_whole(turns, writers, times):
    """Every append is there, in one piece, and each writer's in its order."""
    blocks = [turns[n : n + 4] for n in range(0, len(turns), 4)]
    marks = [block[0]["by"] for block in blocks]
    assert [[turn["role"] for turn in block] for block in blocks] == [[t["role"] for t in EXCHANGE]] * len(
        blocks
    )
    assert all(turn["by"] == mark for block, mark in zip(blocks, marks, strict=True) for turn in block)
    assert sorted(marks) == [[writer, n] for writer in range(writers) for n in range(times)]
    for writer in range(writers):
        assert [n for one, n in marks if one == writer] == list(range(times))


@pytest.mark.parametrize("how", ["FAIL", "ABORT", "ROLLBACK"])
def test_an_append_that_fails_on_the_way_leaves_nothing_behind(tmp_path, how):
    store = SessionStore(tmp_path / "sessions.sqlite")
    store.append("anna", EXCHANGE)
    store._connection.execute(
        "CREATE TEMP TRIGGER broken BEFORE INSERT ON turns WHEN NEW.role = 'tool' "
        f"BEGIN SELECT RAISE({how}, 'the disk burns'); END"
    )
    with pytest.raises(CourseError, match="the disk burns"):
        store.append("anna", EXCHANGE)
    store._connection.execute("DROP TRIGGER broken")
    assert store.get("anna") == EXCHANGE
    store.append("anna", EXCHANGE)
    assert store.get("anna") == EXCHANGE * 2


def test_a_full_disk_is_told_and_nothing_is_added(tmp_path):
    store = SessionStore(tmp_path / "sessions.sqlite")
    store.append("anna", EXCHANGE)
    store._connection.execute("PRAGMA max_page_count = 10")
    with pytest.raises(CourseError, match="no room left on its disk.*nothing was added"):
        store.append("anna", [*EXCHANGE, history.user("x" * 100_000)])
    assert store.get("anna") == EXCHANGE
    store._connection.execute("PRAGMA max_page_count = 100000")
    store.append("anna", EXCHANGE)
    assert store.get("anna") == EXCHANGE * 2


# Size ---------------------------------------------------------------------------------------------


@pytest.fixture(params=["memory", "file"])
def small(request, tmp_path):
    path = None if request.param == "memory" else tmp_path / "sessions.sqlite"
    with SessionStore(path, most_turns=6) as store:
        yield store


def test_the_oldest_exchanges_go_as_a_whole(small):
    small.append("ben", EXCHANGE)
    for n in range(5):
        small.append("anna", [history.user(str(n)), *EXCHANGE[1:]])
        turns = small.get("anna")
        assert turns == history.trim(turns, 6)
        assert turns[-4]["text"] == str(n) and len(turns) == 4
    assert small.get("ben") == EXCHANGE


def test_the_exchange_under_way_stays_however_long_it_gets(small):
    small.append("anna", [history.user("old"), saying("old")])
    small.append("anna", [history.user("Go")])
    for n in range(10):
        small.append("anna", [calling(str(n))])
        small.append("anna", [result(str(n))])
        history.check(small.get("anna"))
    turns = small.get("anna")
    assert turns[0] == history.user("Go") and len(turns) == 21
    small.append("anna", [saying("done"), history.user("Next")])
    assert small.get("anna") == [history.user("Next")]


@pytest.mark.parametrize("wrong", [0, -1, "3", 2.0, True])
def test_most_turns_is_a_number(wrong):
    with pytest.raises(CourseError, match="most_turns"):
        SessionStore(most_turns=wrong)


# Files --------------------------------------------------------------------------------------------


def test_a_file_is_there_after_the_program_ended(tmp_path):
    path = tmp_path / "sessions.sqlite"
    program = f"""
        from course_lib import SessionStore
        from course_lib.providers.history import user
        SessionStore({str(path)!r}).append("anna", [user("Grüße")])
    """
    run(program)
    for given in (path, str(path)):
        with SessionStore(given) as store:
            assert store.get("anna") == [history.user("Grüße")]


def run(program, **options):
    program = f"import sys; sys.path.insert(0, {str(ROOT)!r})\n{textwrap.dedent(program)}"
    return subprocess.run(
        [sys.executable, "-c", program], encoding="utf-8", capture_output=True, check=True, **options
    )


def test_the_file_is_plain_sqlite_with_json_that_one_can_read(tmp_path):
    path = tmp_path / "sessions.sqlite"
    with SessionStore(path) as store:
        store.append("anna", [history.user("Grüße")])
    connection = sqlite3.connect(path)
    rows = connection.execute("SELECT session, role, turn FROM turns").fetchall()
    assert rows == [("anna", "user", '{"role": "user", "text": "Grüße"}')]
    assert connection.execute("PRAGMA journal_mode").fetchone() == ("wal",)
    connection.close()


def test_a_file_of_the_first_version_is_taken_on(tmp_path):
    """Its turns stay, and calls can be claimed in it from then on."""
    path = tmp_path / "sessions.sqlite"
    with closing(sqlite3.connect(path)) as old, old:
        for statement in session_database._STEPS[0]:
            old.execute(statement)
        old.execute("PRAGMA user_version = 1")
        for turn in EXCHANGE:
            row = ("anna", turn["role"], json.dumps(turn))
            old.execute("INSERT INTO turns (session, role, turn) VALUES (?, ?, ?)", row)
    for claimed in (True, False):
        with SessionStore(path) as store:
            assert store.get("anna") == EXCHANGE
            assert store.key and store.claim("anna", "k") == claimed


def test_processes_take_on_a_file_of_the_first_version_at_once(tmp_path):
    path = tmp_path / "sessions.sqlite"
    with closing(sqlite3.connect(path)) as old, old:
        for statement in (*session_database._STEPS[0], "PRAGMA user_version = 1"):
            old.execute(statement)
    together = threading.Barrier(8)

    def claim(_):
        together.wait()
        with SessionStore(path) as store:  # a connection of its own, as a process has
            return store.key, store.claim("anna", "k")

    with ThreadPoolExecutor(8) as pool:
        found = list(pool.map(claim, range(8)))
    assert len({key for key, _ in found}) == 1 and sum(claimed for _, claimed in found) == 1


def test_an_empty_file_becomes_a_store(tmp_path):
    path = tmp_path / "sessions.sqlite"
    path.touch()
    with SessionStore(path) as store:
        store.append("anna", EXCHANGE)
    assert SessionStore(path).get("anna") == EXCHANGE


def test_a_store_in_memory_makes_no_file_and_shares_nothing(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    first, second = SessionStore(), SessionStore()
    first.append("anna", EXCHANGE)
    assert second.get("anna") == [] and list(tmp_path.iterdir()) == []


def no_database(path):
    path.write_bytes(b"Dear diary, this is not a database at all. " * 100)


def other_database(path):
    connection = sqlite3.connect(path)
    connection.execute("CREATE TABLE recipes (name TEXT)")
    connection.close()


def newer(path):
    SessionStore(path).close()
    connection = sqlite3.connect(path)
    connection.execute("PRAGMA user_version = 99")
    connection.close()


def damaged(path):
    with SessionStore(path) as store:
        store.append("anna", [history.user("x" * 5000)] * 50)
    data = bytearray(path.read_bytes())
    data[4096:] = b"\xaa" * (len(data) - 4096)
    path.write_bytes(data)


@pytest.mark.parametrize(
    ("make", "said"),
    [
        (no_database, "is a file of another kind. Give the path of a new file"),
        (other_database, "is the database of another program. Give the path of a new file"),
        (newer, "was written by a newer version of this course. Update"),
        (damaged, "cannot be used .*malformed.*Put back a copy"),
        (Path.mkdir, "is a folder. Give the path of a file"),
    ],
    ids=["no database", "other database", "newer", "damaged", "folder"],
)
def test_a_file_that_cannot_be_used_is_left_alone_and_told(tmp_path, make, said):
    path = tmp_path / "sessions.sqlite"
    make(path)
    before = path.read_bytes() if path.is_file() else None
    with pytest.raises(CourseError, match=f"sessions.sqlite {said}"):
        with SessionStore(path) as store:
            store.get("anna")
    assert (path.read_bytes() if path.is_file() else None) == before


def test_a_folder_that_does_not_exist_is_told(tmp_path):
    with pytest.raises(CourseError, match="has no folder to be in"):
        SessionStore(tmp_path / "missing" / "sessions.sqlite")


@pytest.mark.parametrize("wrong", [7, b"file", object(), "a\0b"])
def test_a_path_is_a_path(wrong):
    with pytest.raises(CourseError, match="takes the path of a file"):
        SessionStore(wrong)


def test_any_kind_of_path_and_the_own_folder(tmp_path, monkeypatch):
    monkeypatch.setenv("HOME", str(tmp_path))
    monkeypatch.setenv("USERPROFILE", str(tmp_path))
    with SessionStore("~/s.sqlite") as store:
        store.append("anna", EXCHANGE)
    assert store.path == tmp_path / "s.sqlite"
    with SessionStore(PurePosixPath(tmp_path.as_posix()) / "s.sqlite") as store:
        assert store.get("anna") == EXCHANGE


def test_a_row_that_somebody_changed_is_told(tmp_path):
    path = tmp_path / "sessions.sqlite"
    with SessionStore(path) as store:
        store.append("anna", EXCHANGE)
        connection = sqlite3.connect(path)
        connection.execute("UPDATE turns SET turn = '{' WHERE role = 'tool'")
        connection.commit()
        connection.close()
        with pytest.raises(CourseError, match="'anna'.*no JSON.*clear"):
            store.get("anna")
        store.clear("anna")
        assert store.get("anna") == []


def test_a_file_that_another_program_holds_is_told_and_works_again_after(tmp_path, monkeypatch):
    monkeypatch.setattr(session_database, "PATIENCE", 0.05)
    path = tmp_path / "sessions.sqlite"
    with SessionStore(path) as store:
        other = sqlite3.connect(path, isolation_level=None)
        other.execute("BEGIN IMMEDIATE")
        with pytest.raises(CourseError, match="is locked: another program has been writing"):
            store.append("anna", EXCHANGE)
        assert store.get("anna") == []  # who reads does not wait
        other.execute("ROLLBACK")
        store.append("anna", EXCHANGE)
        assert store.get("anna") == EXCHANGE
        other.close()


@pytest.fixture
def everybodys():
    """A folder that any user may look into; those of pytest are the user's own."""
    folder = Path(tempfile.mkdtemp(prefix="course-sessions-"))
    folder.chmod(0o755)
    yield folder
    folder.chmod(0o755)
    shutil.rmtree(folder)


@needs_fork
def test_a_file_that_cannot_be_written_is_told(everybodys):
    path = everybodys / "sessions.sqlite"
    with SessionStore(path) as store:
        store.append("anna", EXCHANGE)
    path.chmod(0o444)
    everybodys.chmod(0o555)

    def attempt():
        if os.geteuid() == 0:
            os.setuid(65534)  # an administrator may write everything
        assert os.access(path, os.R_OK) and not os.access(path, os.W_OK)
        with pytest.raises(CourseError, match="cannot be written. Allow it"):
            SessionStore(path).append("anna", EXCHANGE)
        with pytest.raises(CourseError, match="cannot be opened. See that you may"):
            SessionStore(everybodys / "new.sqlite")

    assert in_a_fork(attempt) == 0


def in_a_fork(work):
    """Run something in a forked process; its exit code, 0 if nothing was raised."""
    process = multiprocessing.get_context("fork").Process(target=work)
    process.start()
    process.join(60)
    if process.is_alive():
        process.kill()
        raise AssertionError("it hangs")
    return process.exitcode


# Processes ----------------------------------------------------------------------------------------


def test_four_processes_open_a_new_file_at_once_and_lose_nothing(tmp_path):
    path = tmp_path / "sessions.sqlite"
    program = f"""
        from concurrent.futures import ThreadPoolExecutor
        from course_lib import SessionStore
        process, exchange = int(sys.argv[1]), {EXCHANGE!r}
        sys.stdin.readline()
        store = SessionStore({str(path)!r})
        def work(thread):
            for n in range(8):
                store.append("shared", [{{**turn, "by": [process * 4 + thread, n]}} for turn in exchange])
        with ThreadPoolExecutor(4) as pool:
            list(pool.map(work, range(4)))
    """
    program = f"import sys; sys.path.insert(0, {str(ROOT)!r})\n{textwrap.dedent(program)}"
    processes = [
        subprocess.Popen(
            [sys.executable, "-c", program, str(n)], stdin=subprocess.PIPE, stderr=subprocess.PIPE, text=True
        )
        for n in range(4)
    ]
    for process in processes:
        process.stdin.write("go\n")
        process.stdin.flush()
    assert [process.communicate()[1] for process in processes] == [""] * 4
    with SessionStore(path) as store:
        assert_whole(store.get("shared"), 16, 8)


@pytest.mark.parametrize("moment", range(8))
def test_another_may_make_the_file_between_any_two_steps_of_opening_it(tmp_path, monkeypatch, moment):
    path, connect, steps = tmp_path / "sessions.sqlite", session_database.connect, itertools.count()

    def interrupted(statement):
        if next(steps) == moment:
            monkeypatch.setattr(session_database, "connect", connect)
            with contextlib.suppress(CourseError):  # it may have to wait for us
                other.append(SessionStore(path))

    def slow(database):
        connection = connect(database)
        connection.set_trace_callback(interrupted)
        return connection

    other = []
    monkeypatch.setattr(session_database, "PATIENCE", 0.01)
    monkeypatch.setattr(session_database, "connect", slow)
    with SessionStore(path) as store:
        assert next(steps) > moment
        monkeypatch.setattr(session_database, "connect", connect)
        store.append("anna", EXCHANGE)
        for one in [*other, SessionStore(path)]:
            assert one.get("anna") == EXCHANGE
            one.close()


def test_opening_tries_again_where_sqlite_does_not_wait_by_itself(tmp_path, monkeypatch):
    prepare, busy = session_database.prepare, [sqlite3.OperationalError("database is locked")] * 2

    def sometimes(connection):
        if busy:
            raise busy.pop()
        prepare(connection)

    monkeypatch.setattr(session_database, "prepare", sometimes)
    with SessionStore(tmp_path / "sessions.sqlite") as store:
        store.append("anna", EXCHANGE)
        assert store.get("anna") == EXCHANGE and not busy


@needs_fork
def test_a_fork_opens_the_file_for_itself_even_while_a_thread_uses_it(tmp_path):
    store = SessionStore(tmp_path / "sessions.sqlite")
    store.append("anna", EXCHANGE)
    held, free = threading.Event(), threading.Event()

    def hold():
        with store._lock:
            held.set()
            free.wait(30)

    thread = threading.Thread(target=hold)
    thread.start()
    held.wait(30)

    def work():
        assert store._connection is None  # that of the parent is not for two
        store.append("anna", store.get("anna"))

    try:
        assert in_a_fork(work) == 0
    finally:
        free.set()
        thread.join()
    assert store.get("anna") == EXCHANGE * 2


@needs_fork
def test_a_store_in_memory_is_copied_by_a_fork():
    store = SessionStore()
    store.append("anna", EXCHANGE)
    key = store.key

    def work():
        assert store.get("anna") == EXCHANGE
        assert store.key != key  # the two give the same numbers to different turns from here on
        store.append("anna", EXCHANGE)

    assert in_a_fork(work) == 0
    assert store.get("anna") == EXCHANGE


# Killed -------------------------------------------------------------------------------------------

STEPS = [EXCHANGE[:1], EXCHANGE[1:2], EXCHANGE[2:3], EXCHANGE[3:]]
POINTS = [*itertools.product(range(4), ["BEGIN", "INSERT", "COMMIT", "after"])]


@needs_fork
@pytest.mark.parametrize(("step", "moment"), POINTS)
def test_killed_at_any_moment_a_session_has_all_of_a_step_or_nothing_of_it(tmp_path, step, moment):
    path = tmp_path / "sessions.sqlite"

    def work():
        store = SessionStore(path)
        for n, turns in enumerate(STEPS):
            if n == step and moment != "after":
                store._connection.set_trace_callback(
                    lambda statement: statement.startswith(moment) and os.kill(os.getpid(), signal.SIGKILL)
                )
            store.append("anna", [{**turn, "half": half} for half in (1, 2) for turn in turns])
            if n == step:
                os.kill(os.getpid(), signal.SIGKILL)

    assert in_a_fork(work) == -signal.SIGKILL
    with SessionStore(path) as store:
        done = step + (moment == "after")
        assert len(store.get("anna")) == 2 * done
        connection = sqlite3.connect(path)
        assert connection.execute("PRAGMA integrity_check").fetchone() == ("ok",)
        connection.close()
        mended = history.repair(store.get("anna"))
        history.check(mended)
        assert history.unanswered(mended) == []
        store.append("anna", EXCHANGE)
        assert store.get("anna")[-4:] == EXCHANGE


@needs_fork
def test_killed_while_many_threads_write_the_file_stays_whole(tmp_path):
    path = tmp_path / "sessions.sqlite"

    def work():
        store, written = SessionStore(path), itertools.count()

        def write(thread):
            for n in range(100):
                store.append("shared", [{**turn, "by": [thread, n]} for turn in EXCHANGE])
                if next(written) == 60:
                    os.kill(os.getpid(), signal.SIGKILL)

        with ThreadPoolExecutor(8) as pool:
            list(pool.map(write, range(8)))

    assert in_a_fork(work) == -signal.SIGKILL
    with SessionStore(path) as store:
        turns = store.get("shared")
        assert len(turns) >= 4 * 60 and len(turns) % 4 == 0
        history.check(turns)


# One at a time ------------------------------------------------------------------------------------


def test_a_session_is_one_users_at_a_time(store):
    first, second = store, store if store.path is None else SessionStore(store.path)
    with first.alone("anna"):
        with pytest.raises(CourseError, match="A run of session 'anna' is still going on. Wait"):
            with second.alone("anna"):
                pytest.fail("two at once")
        with second.alone("ben"):
            pass
    with second.alone("anna"):
        pass
    with pytest.raises(ZeroDivisionError), first.alone("anna"):
        1 / 0  # noqa: B018
    with second.alone("anna"):
        pass


def test_one_of_many_threads_gets_a_session(store):
    together, got = threading.Barrier(8), []

    def go(n):
        together.wait()
        with contextlib.suppress(CourseError), store.alone("anna"):
            got.append(n)
            ended.wait(30)

    ended = threading.Event()
    with ThreadPoolExecutor(8) as pool:
        runs = [pool.submit(go, n) for n in range(8)]
        while sum(one.done() for one in runs) < 7:
            ended.wait(0.01)
        ended.set()
    assert len(got) == 1


def test_a_lease_that_cannot_be_given_back_is_over_all_the_same(tmp_path):
    with pytest.raises(CourseError, match="is closed"):
        with SessionStore(tmp_path / "s.sqlite") as store, store.alone("anna"):
            store.close()
            store.get("anna")
    with SessionStore(tmp_path / "s.sqlite") as store, store.alone("anna"):
        pass


@needs_fork
@pytest.mark.parametrize("ends", ["at once", "unwatched"])
def test_what_a_killed_process_had_is_free(tmp_path, ends):
    path = tmp_path / "s.sqlite"
    ours, theirs = multiprocessing.Pipe()

    def work():
        with SessionStore(path) as store, store.alone("anna"):
            theirs.send("mine")
            theirs.recv()

    process = multiprocessing.get_context("fork").Process(target=work)
    process.start()
    assert ours.recv() == "mine"
    with SessionStore(path) as store:
        with pytest.raises(CourseError, match=f"still going on in process {process.pid} of"):
            with store.alone("anna"):
                pass
        os.kill(process.pid, signal.SIGKILL)
        if ends == "at once":
            process.join()
        else:  # its parent has not asked yet how it ended
            os.waitid(os.P_PID, process.pid, os.WEXITED | os.WNOWAIT)
        with store.alone("anna"):
            pass
    process.join()


def test_what_nobody_can_see_ended_is_free_after_a_time(tmp_path, monkeypatch):
    """Another machine, a process id that was given again."""
    with SessionStore(tmp_path / "s.sqlite") as store:
        for other in ({"host": "elsewhere"}, {"pid": os.getppid()}):
            lease = dataclasses.replace(session_lock.SessionLock.new(), process="x", **other)
            with store._using("anna") as tables:
                assert tables.take("anna", lease) is None
            with pytest.raises(CourseError, match="still going on in process"), store.alone("anna"):
                pass
            now = session_lock.time.time() + session_lock.LONGEST_LOCK
            with monkeypatch.context() as later:
                later.setattr(session_lock, "time", SimpleNamespace(time=lambda now=now: now))
                with store.alone("anna"):
                    pass


@needs_fork
def test_a_fork_has_none_of_the_leases_of_its_parent():
    store = SessionStore()

    def work():
        with store.alone("anna"):
            pass

    with store.alone("anna"):
        assert in_a_fork(work) == 0


def test_a_file_of_an_older_version_gets_its_leases(tmp_path):
    path = tmp_path / "s.sqlite"
    with SessionStore(path) as store:
        store.append("anna", EXCHANGE)
    connection = sqlite3.connect(path)
    connection.execute("DROP TABLE leases")
    connection.execute("ALTER TABLE turns DROP COLUMN key")
    connection.execute("PRAGMA user_version = 2")
    connection.close()
    with SessionStore(path) as store, store.alone("anna"):
        turns, numbers = store.get_numbered("anna")
        assert turns == EXCHANGE
        numbers += store.append("anna", EXCHANGE)
        assert len({store.turn_key("anna", number) for number in numbers}) == 8


def test_the_key_of_a_turn_is_that_of_no_other_and_stays(store, tmp_path):
    numbers = store.append("anna", EXCHANGE) + store.append("ben", EXCHANGE)
    keys = [store.turn_key("anna", number) for number in numbers]
    assert len(set(keys)) == 8 and keys == [store.turn_key("anna", number) for number in numbers]
    if store.path is None:
        return
    store.close()
    shutil.copy(store.path, tmp_path / "copy.sqlite")
    added = []
    for path in (store.path, tmp_path / "copy.sqlite"):
        with SessionStore(path) as again:
            assert [again.turn_key("anna", number) for number in numbers] == keys
            added.append([again.turn_key("anna", number) for number in again.append("anna", EXCHANGE)])
    assert not set(added[0]) & set(added[1])
