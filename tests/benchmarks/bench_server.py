"""How fast the practice server answers, beside a bare http.server echo in the same run.

    python tests/benchmarks/bench_server.py

Reports the median latency of one client, the calls a second of eight clients, and whether 32 threads of 100
calls each see a connection error. The ratios to the echo are what to compare between machines.
"""

from __future__ import annotations

import http.client
import json
import statistics
import threading
import time
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

from practice_model import PracticeModel, Server
from practice_model.request import Decision

HEADERS = {"x-api-key": "practice", "anthropic-version": "2026-10-21", "content-type": "application/json"}
TOOL = {
    "name": "get_weather",
    "description": "The weather in a city.",
    "input_schema": {"type": "object", "properties": {"city": {"type": "string"}}, "required": ["city"]},
}
BODY = json.dumps(
    {
        "model": "claude-haiku-5-5",
        "max_tokens": 500,
        "messages": [{"role": "user", "content": "What is the weather in Lisbon?"}],
        "tools": [TOOL],
    }
).encode("utf-8")


class Echo(BaseHTTPRequestHandler):
    def do_POST(self) -> None:
        body = self.rfile.read(int(self.headers["Content-Length"]))
        self.send_response(200)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *args: object) -> None:
        """Quiet."""


class EchoServer(ThreadingHTTPServer):
    request_queue_size = 128


def call(port: int) -> None:
    connection = http.client.HTTPConnection("127.0.0.1", port, timeout=60)
    connection.request("POST", "/v1/messages", BODY, HEADERS)
    response = connection.getresponse()
    response.read()
    connection.close()
    assert response.status == 200, response.status


def measure(port: int) -> tuple[float, float]:
    """The median milliseconds of one call, and the calls a second of eight clients."""
    for _ in range(20):
        call(port)
    times = []
    for _ in range(300):
        started = time.perf_counter()
        call(port)
        times.append(1000 * (time.perf_counter() - started))
    started = time.perf_counter()
    with ThreadPoolExecutor(8) as pool:
        list(pool.map(lambda _: [call(port) for _ in range(100)], range(8)))
    return statistics.median(times), 800 / (time.perf_counter() - started)


def count_errors(port: int) -> int:
    """Connection errors of 32 threads with 100 calls each."""
    errors = []

    def work(_: int) -> None:
        for _ in range(100):
            try:
                call(port)
            except OSError as error:
                errors.append(error)

    with ThreadPoolExecutor(32) as pool:
        list(pool.map(work, range(32)))
    return len(errors)


def report(name: str, decide: Callable | None, echo: tuple[float, float]) -> None:
    with Server(PracticeModel(decide).handle) as server:
        latency, rate = measure(server.port)
        errors = count_errors(server.port)
    print(
        f"{name:18} {latency:6.2f} ms ({latency / echo[0]:.1f} x echo)  {rate:6.0f} calls/s "
        f"({rate / echo[1]:.2f} x echo)  {errors} connection errors in 3200 calls"
    )


def main() -> None:
    echo_server = EchoServer(("127.0.0.1", 0), Echo)
    threading.Thread(target=echo_server.serve_forever, daemon=True).start()
    echo = measure(echo_server.server_address[1])
    echo_server.shutdown()
    print(f"{'echo':18} {echo[0]:6.2f} ms               {echo[1]:6.0f} calls/s")
    report("without a brain", lambda request: Decision(text="Hi."), echo)
    report("practice model", None, echo)


if __name__ == "__main__":
    main()
