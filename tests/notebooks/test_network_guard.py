"""The guard refuses and writes down other machines, lets this one through, and children inherit it."""

from __future__ import annotations

import asyncio
import os
import socket
import subprocess
import sys

import network_guard
import pytest

# Reserved for documentation: nothing answers there, even if the guard failed.
ELSEWHERE = "192.0.2.1"


@pytest.fixture
def record(tmp_path, monkeypatch):
    """A record of this test's own, so that the attempts made here do not fail the session."""
    path = tmp_path / "record.txt"
    monkeypatch.setenv(network_guard.RECORD_VARIABLE, str(path))
    return path


def test_the_guard_is_armed_in_this_process():
    assert network_guard.RECORD_VARIABLE in os.environ
    assert network_guard._armed


@pytest.mark.parametrize("address", [(ELSEWHERE, 80), ("2001:db8::1", 80, 0, 0)])
def test_a_connection_to_another_machine_is_refused_and_written_down(record, address):
    family = socket.AF_INET6 if len(address) == 4 else socket.AF_INET
    with (
        socket.socket(family) as client,
        pytest.raises(network_guard.NetworkForbidden, match="network guard"),
    ):
        client.settimeout(1)
        client.connect(address)
    (line,) = network_guard.attempts(record)
    assert address[0] in line and "test_network_guard.py" in line


def test_a_name_is_not_even_resolved(record):
    with pytest.raises(network_guard.NetworkForbidden):
        socket.create_connection(("example.invalid", 443), timeout=1)
    assert network_guard.attempts(record)[0].startswith("socket.getaddrinfo to 'example.invalid'")


def test_a_datagram_to_another_machine_is_refused(record):
    with socket.socket(type=socket.SOCK_DGRAM) as client, pytest.raises(network_guard.NetworkForbidden):
        client.sendto(b"x", (ELSEWHERE, 53))
    assert len(network_guard.attempts(record)) == 1


def test_an_asynchronous_connection_is_refused(record):
    with pytest.raises(network_guard.NetworkForbidden):
        asyncio.run(asyncio.open_connection(ELSEWHERE, 80))
    assert network_guard.attempts(record)


def test_an_attempt_is_written_down_even_if_the_error_is_swallowed(record):
    try:
        socket.create_connection((ELSEWHERE, 80), timeout=1)
    except OSError:
        pass
    assert len(network_guard.attempts(record)) >= 1


@pytest.mark.parametrize("host", ["127.0.0.1", "localhost"])
def test_this_machine_is_let_through(record, host):
    with socket.create_server(("127.0.0.1", 0)) as server:
        with socket.create_connection((host, server.getsockname()[1]), timeout=5):
            pass
    assert network_guard.attempts(record) == []


def test_what_runs_at_that_moment_is_written_down_also_by_a_child_that_was_started_before(record, request):
    script = "import socket\nfor _ in range(2):\n  input()\n  try: socket.getaddrinfo('a.example', 80)\n"
    script += "  except OSError: print('refused', flush=True)"
    pipes = {"stdin": subprocess.PIPE, "stdout": subprocess.PIPE, "encoding": "utf-8"}
    with subprocess.Popen([sys.executable, "-c", script], **pipes) as child:
        for place in ("a.ipynb#first", "a.ipynb#second"):
            network_guard.enter(place)
            child.stdin.write("\n")
            child.stdin.flush()
            assert child.stdout.readline() == "refused\n"
    network_guard.enter(request.node.nodeid)
    assert [line.rsplit(" in ", 1)[1] for line in network_guard.attempts(record)] == [
        "a.ipynb#first",
        "a.ipynb#second",
    ]


def test_a_test_is_named_by_its_node_id(record, request):
    with pytest.raises(network_guard.NetworkForbidden):
        socket.getaddrinfo("a.example", 80)
    (line,) = network_guard.attempts(record)
    assert line.endswith(f", in {request.node.nodeid}")


@pytest.mark.parametrize("host", ["::1", "::ffff:127.0.0.1", "127.8.8.8", "", None, b"localhost", "0.0.0.0"])
def test_every_spelling_of_this_machine_counts(host):
    assert network_guard.is_local(host)


@pytest.mark.parametrize(
    "host", [ELSEWHERE, "10.0.0.1", "::ffff:192.0.2.1", "localhost.example.invalid", "127.0.0.1.example"]
)
def test_no_other_machine_passes_for_this_one(host):
    assert not network_guard.is_local(host)


def test_a_subprocess_inherits_the_guard(record):
    script = f"import socket\ntry: socket.create_connection(({ELSEWHERE!r}, 80), 1)\n"
    script += "except OSError as error: print(type(error).__name__)"
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, encoding="utf-8")
    assert done.stdout.strip() == "NetworkForbidden"
    assert len(network_guard.attempts(record)) >= 1
