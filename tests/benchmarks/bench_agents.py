"""What a run of an agent costs, beside a loop written by hand on the bare SDK, against the same local server.

    python tests/benchmarks/bench_agents.py            # runs of two turns, sync and async
    python tests/benchmarks/bench_agents.py 200        # and one run of 200 turns on each API

CPU of this process alone; the practice server runs in another one. The ratios are what to compare between
machines: the two loops take turns, so that a busy moment meets both.
"""

from __future__ import annotations

import asyncio
import json
import os
import statistics
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

from course_lib.agents import Agent, Runner
from course_lib.tools import tool

ROOT = Path(__file__).parents[2]
ROUNDS = 60
SHORTER = 50
INSTRUCTIONS = "Help with the weather."
QUESTION = "What is the weather in Madrid?"
CLAUDE, GPT, GEMINI = "claude-haiku-5-5", "gpt-5.4-mini", "gemini-3.5-flash-lite"
SERVER = """
import re, sys
from practice_model import PracticeModel, Server
from practice_model.request import Call, Decision

def decide(request):
    wanted = int(re.search(r"[0-9]+ times", request.turns[0].text)[0].split()[0])
    asked = sum(1 for turn in request.turns if turn.results)
    if asked >= wanted:
        return Decision(text="It is sunny.")
    return Decision(calls=(Call("get_weather", {"city": f"City {asked}"}),))

with Server(PracticeModel(decide if "script" in sys.argv else None).handle) as server:
    print(server.url, flush=True)
    sys.stdin.read()
"""


@tool
def get_weather(city: str) -> str:
    """Get the current weather in a city.

    Args:
        city: The city, for example Lisbon.
    """
    return f"sunny in {city}, 21 degrees"


def started(*arguments: str) -> subprocess.Popen[str]:
    """A practice server in another process, and the variables that lead the clients to it."""
    server = subprocess.Popen(
        [sys.executable, "-c", SERVER, *arguments],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        encoding="utf-8",
        cwd=ROOT,
    )
    url = server.stdout.readline().strip()
    os.environ |= {
        "ANTHROPIC_BASE_URL": url,
        "OPENAI_BASE_URL": f"{url}/v1",
        "GOOGLE_GEMINI_BASE_URL": url,
        "NO_PROXY": "127.0.0.1,localhost",
        "no_proxy": "127.0.0.1,localhost",
    } | dict.fromkeys(("ANTHROPIC_API_KEY", "OPENAI_API_KEY", "GEMINI_API_KEY"), "practice")
    return server


# By hand, as the documentation of each SDK writes it. `create` is the client's method: sync or async. ------


def anthropic_loop(client: Any, question: str) -> Any:
    tools, messages = [get_weather.to_anthropic()], [{"role": "user", "content": question}]
    while True:
        message = yield client.messages.create(
            model=CLAUDE, max_tokens=1000, system=INSTRUCTIONS, messages=messages, tools=tools
        )
        messages.append({"role": "assistant", "content": message.content})
        calls = [block for block in message.content if block.type == "tool_use"]
        if not calls:
            return message.content[-1].text
        results = [
            {"type": "tool_result", "tool_use_id": call.id, "content": get_weather(**call.input)}
            for call in calls
        ]
        messages.append({"role": "user", "content": results})


def chat_loop(client: Any, question: str) -> Any:
    tools = [get_weather.to_openai()]
    messages: list[Any] = [
        {"role": "system", "content": INSTRUCTIONS},
        {"role": "user", "content": question},
    ]
    while True:
        completion = yield client.chat.completions.create(model=GPT, messages=messages, tools=tools)
        message = completion.choices[0].message
        messages.append(message)
        if not message.tool_calls:
            return message.content
        for call in message.tool_calls:
            content = get_weather(**json.loads(call.function.arguments))
            messages.append({"role": "tool", "tool_call_id": call.id, "content": content})


def responses_loop(client: Any, question: str) -> Any:
    tools = [get_weather.to_openai_responses()]
    items: list[Any] = [{"role": "user", "content": question}]
    while True:
        response = yield client.responses.create(
            model=GPT, instructions=INSTRUCTIONS, input=items, tools=tools
        )
        items += response.output
        calls = [item for item in response.output if item.type == "function_call"]
        if not calls:
            return response.output_text
        for call in calls:
            output = get_weather(**json.loads(call.arguments))
            items.append({"type": "function_call_output", "call_id": call.call_id, "output": output})


def gemini_loop(client: Any, question: str) -> Any:
    from google.genai import types

    tools = [types.Tool(function_declarations=[get_weather.to_gemini_declaration()])]
    config = types.GenerateContentConfig(system_instruction=INSTRUCTIONS, tools=tools)
    contents = [types.Content(role="user", parts=[types.Part(text=question)])]
    while True:
        response = yield client.models.generate_content(model=GEMINI, contents=contents, config=config)
        contents.append(response.candidates[0].content)
        if not response.function_calls:
            return response.text
        parts = []
        for call in response.function_calls:
            answer = types.FunctionResponse(
                id=call.id, name=call.name, response={"result": get_weather(**call.args)}
            )
            parts.append(types.Part(function_response=answer))
        contents.append(types.Content(role="user", parts=parts))


def by_hand(loop: Any, client: Any) -> Callable[..., str]:
    def run(question: str = QUESTION) -> str:
        steps, answer = loop(client, question), None
        try:
            while True:
                answer = steps.send(answer)
        except StopIteration as end:
            return end.value

    return run


def by_hand_async(loop: Any, client: Any) -> Callable[[], Any]:
    async def run() -> str:
        steps, answer = loop(client, QUESTION), None
        try:
            while True:
                answer = await steps.send(answer)
        except StopIteration as end:
            return end.value

    return run


def wires() -> dict[str, tuple[str, Any, Any, Any]]:
    """By the name of the API: the model, the loop by hand, and the two clients."""
    import anthropic
    import openai

    found = {
        "Anthropic": (
            f"anthropic:{CLAUDE}",
            anthropic_loop,
            anthropic.Anthropic,
            anthropic.AsyncAnthropic,
        ),
        "Chat": (f"openai:{GPT}", chat_loop, openai.OpenAI, openai.AsyncOpenAI),
        "Responses": (f"openai-responses:{GPT}", responses_loop, openai.OpenAI, openai.AsyncOpenAI),
    }
    try:
        from google import genai
    except ImportError:
        return found
    return found | {"Gemini": (f"gemini:{GEMINI}", gemini_loop, genai.Client, lambda: genai.Client().aio)}


def runner_for(model: str, max_turns: int = 10) -> Runner:
    return Runner(Agent("weather", INSTRUCTIONS, [get_weather], model), max_turns=max_turns)


def new_session() -> str:
    new_session.count += 1
    return f"session {new_session.count}"


new_session.count = 0


def report(name: str, hand: list[float], ours: list[float]) -> None:
    before, after = statistics.median(hand) * 1000, statistics.median(ours) * 1000
    print(f"  {name:18} by hand {before:6.2f} ms   Runner {after:6.2f} ms   {after / before:.2f} times")


def two_turns() -> None:
    print("A run of two turns, CPU")
    for name, (model, loop, client, _) in wires().items():
        hand, runner = by_hand(loop, client()), runner_for(model)
        ours = lambda runner=runner: runner.run(new_session(), QUESTION).content  # noqa: E731
        assert "sunny" in hand() and "sunny" in ours()
        taken: dict[Any, list[float]] = {hand: [], ours: []}
        for n in range(ROUNDS + 5):
            for run in taken:
                start = time.process_time()
                run()
                if n >= 5:
                    taken[run].append(time.process_time() - start)
        report(f"{name}, sync", taken[hand], taken[ours])
    for name, (model, loop, _, client) in wires().items():
        asyncio.run(two_turns_async(name, model, loop, client))


async def two_turns_async(name: str, model: str, loop: Any, client: Any) -> None:
    hand, runner = by_hand_async(loop, client()), runner_for(model)

    async def ours() -> str:
        return (await runner.run_async(new_session(), QUESTION)).content

    assert "sunny" in await hand() and "sunny" in await ours()
    taken: dict[Any, list[float]] = {hand: [], ours: []}
    for n in range(ROUNDS + 5):
        for run in taken:
            start = time.process_time()
            await run()
            if n >= 5:
                taken[run].append(time.process_time() - start)
    report(f"{name}, async", taken[hand], taken[ours])


def many_turns(count: int) -> None:
    """A long run, and beside a shorter one by hand, which would take minutes at full length."""
    print(f"A run of {count} turns, CPU, and one of {SHORTER} beside one by hand")
    for name, (model, loop, client, _) in wires().items():
        runner, hand = runner_for(model, max_turns=count + 1), by_hand(loop, client())
        runner.run(new_session(), "Ask 2 times.")  # the SDK is loaded and its client made
        hand("Ask 2 times.")

        def ours(turns: int, runner: Runner = runner) -> None:
            response = runner.run(new_session(), f"Ask {turns - 1} times.")
            assert response.turns == turns and len(response.tool_calls_executed) == turns - 1

        taken = [
            seconds(ours, count),
            seconds(ours, SHORTER),
            seconds(hand, f"Ask {SHORTER - 1} times."),
        ]
        long, short, before = taken
        print(
            f"  {name:10} {count} turns {long:6.2f} s    {SHORTER} turns {short:6.2f} s, "
            f"by hand {before:6.2f} s   {short / before:.2f} times"
        )


def seconds(run: Callable[..., Any], *arguments: Any) -> float:
    start = time.process_time()
    run(*arguments)
    return time.process_time() - start


def main() -> None:
    server = started()
    try:
        two_turns()
    finally:
        server.stdin.close()
        server.wait()
    if len(sys.argv) > 1:
        server = started("script")
        try:
            many_turns(int(sys.argv[1]))
        finally:
            server.stdin.close()
            server.wait()


if __name__ == "__main__":
    main()
