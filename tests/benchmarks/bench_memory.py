"""Whether the practice model's memory stays flat over 20,000 calls, in process and as a server.

    python tests/benchmarks/bench_memory.py            another number: bench_memory.py 100000

Every call asks something else: all four APIs, with and without streaming, with and without results. The
memory is what the process has resident; the server's is watched from outside. It grows while the log fills
(1,000 calls) and, more slowly, while what the brain remembers of words and sentences does (some 12,000 calls
without a repetition); then it should not grow.
"""

from __future__ import annotations

import http.client
import json
import re
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import psutil

from practice_model import PracticeModel

ROOT = Path(__file__).resolve().parents[2]
STEPS = 10
HEADERS = {
    "/v1/messages": {"x-api-key": "practice", "anthropic-version": "2026-10-21"},
    "/v1/": {"authorization": "Bearer practice"},
    "/v1beta/": {"x-goog-api-key": "practice"},
}
CITY = {"type": "object", "properties": {"city": {"type": "string"}}, "required": ["city"]}
TOOL = {"name": "get_weather", "description": "The weather in a city."}
PLACES = ["Madrid", "Tokyo", "Lisbon", "Lima", "Oslo", "Nairobi", "Quito"]

Send = Callable[[str, bytes], None]


def anthropic(question: str, result: str | None, stream: bool) -> tuple[str, Any]:
    messages: list[Any] = [{"role": "user", "content": question}]
    if result:
        use = {"type": "tool_use", "id": "toolu_a", "name": "get_weather", "input": {"city": "Madrid"}}
        back = {"type": "tool_result", "tool_use_id": "toolu_a", "content": result}
        messages += [{"role": "assistant", "content": [use]}, {"role": "user", "content": [back]}]
    tools = [TOOL | {"input_schema": CITY}]
    body = {"model": "claude-haiku-5-5", "max_tokens": 500, "messages": messages, "tools": tools}
    return "/v1/messages", body | {"stream": stream}


def chat(question: str, result: str | None, stream: bool) -> tuple[str, Any]:
    messages: list[Any] = [{"role": "user", "content": question}]
    if result:
        function = {"name": "get_weather", "arguments": '{"city": "Madrid"}'}
        calls = [{"id": "call_a", "type": "function", "function": function}]
        messages += [
            {"role": "assistant", "content": None, "tool_calls": calls},
            {"role": "tool", "tool_call_id": "call_a", "content": result},
        ]
    tools = [{"type": "function", "function": TOOL | {"parameters": CITY}}]
    body = {"model": "gpt-5.4-mini", "messages": messages, "tools": tools, "stream": stream}
    return "/v1/chat/completions", body


def responses(question: str, result: str | None, stream: bool) -> tuple[str, Any]:
    items: list[Any] = [{"role": "user", "content": question}]
    if result:
        call = {"type": "function_call", "call_id": "call_a", "name": "get_weather"}
        items += [
            call | {"arguments": '{"city": "Madrid"}'},
            {"type": "function_call_output", "call_id": "call_a", "output": result},
        ]
    tools = [TOOL | {"type": "function", "parameters": CITY, "strict": False}]
    return "/v1/responses", {"model": "gpt-5.4-mini", "input": items, "tools": tools, "stream": stream}


def gemini(question: str, result: str | None, stream: bool) -> tuple[str, Any]:
    contents: list[Any] = [{"role": "user", "parts": [{"text": question}]}]
    if result:
        call = {"name": "get_weather", "args": {"city": "Madrid"}}
        back = {"name": "get_weather", "response": {"result": result}}
        # The value by which Google's documentation lets a history through that another model wrote.
        signature = "skip_thought_signature_validator"
        contents += [
            {"role": "model", "parts": [{"functionCall": call, "thoughtSignature": signature}]},
            {"role": "user", "parts": [{"functionResponse": back}]},
        ]
    body = {"contents": contents, "tools": [{"functionDeclarations": [TOOL | {"parameters": CITY}]}]}
    method = "streamGenerateContent?alt=sse" if stream else "generateContent"
    return f"/v1beta/models/gemini-3.5-flash-lite:{method}", body


def request(number: int) -> tuple[str, bytes]:
    """The path and body of the call with this number; no two are alike."""
    make = (anthropic, chat, responses, gemini)[number % 4]
    question = f"What is the weather in {PLACES[number % 7]} for order {number}, shelf w{number}x?"
    result = f"sunny, {number} visitors, station s{number}" if number // 4 % 2 else None
    path, body = make(question, result, bool(number // 8 % 2))
    return path, json.dumps(body).encode("utf-8")


def headers(path: str) -> dict[str, str]:
    """The headers that the API of a path asks for."""
    return next(found for start, found in HEADERS.items() if path.startswith(start))


def watch(name: str, calls: int, process: psutil.Process, send: Send) -> None:
    """Make the calls, and print the process's memory after each tenth of them."""
    megabytes = []
    for step in range(STEPS):
        for number in range(step * calls // STEPS, (step + 1) * calls // STEPS):
            send(*request(number))
        megabytes.append(process.memory_info().rss / 2**20)
    half = len(megabytes) // 2
    growth = megabytes[-1] - megabytes[half - 1]
    print(f"{name:10} MB after each tenth: {' '.join(f'{one:.1f}' for one in megabytes)}")
    print(f"{'':10} over the second half: {growth:+.1f} MB, {process.num_threads()} threads", flush=True)


def in_process(calls: int) -> None:
    model = PracticeModel()

    def send(path: str, body: bytes) -> None:
        reply = model.handle("POST", path, headers(path), body)
        answer = reply.body if isinstance(reply.body, bytes) else b"".join(reply.body)
        assert reply.status == 200, answer

    watch("in process", calls, psutil.Process(), send)
    print(f"{'':10} {len(model.log)} exchanges in the log")


def as_server(calls: int) -> None:
    line = [sys.executable, "-u", "-m", "course_lib", "practice", "serve"]
    with subprocess.Popen(line, cwd=ROOT, stdout=subprocess.PIPE, encoding="utf-8") as server:
        try:
            text = ""
            while "Ctrl-C" not in text:
                said = server.stdout.readline()
                assert said, f"it ended early: {text}"
                text += said
            port = int(re.search(r"127\.0\.0\.1:(\d+)", text)[1])

            def send(path: str, body: bytes) -> None:
                connection = http.client.HTTPConnection("127.0.0.1", port, timeout=60)
                connection.request("POST", path, body, headers(path))
                response = connection.getresponse()
                answer = response.read()
                connection.close()
                assert response.status == 200, answer

            watch("server", calls, psutil.Process(server.pid), send)
        finally:
            server.terminate()
            server.communicate()  # or its last words would meet a closed pipe


def main() -> None:
    calls = int(sys.argv[1]) if len(sys.argv) > 1 else 20_000
    in_process(calls)
    as_server(calls)


if __name__ == "__main__":
    main()
