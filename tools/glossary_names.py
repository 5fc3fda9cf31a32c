"""The names of the same thing in each provider's API, looked up in a tool call made with each of them.

    python tools/glossary_names.py en    print the table, as Markdown, in a language of the catalogue

The practice model answers; no SDK is needed, because only what travels counts.
"""

from __future__ import annotations

import io
import json
import os
import subprocess
import sys
import urllib.request
from contextlib import redirect_stdout
from functools import cache

from clean_environment import clean
from course_notebooks import ROOT, ToolError

QUESTION = "Where is order 1042?"
RESULT = '{"status": "shipped"}'
KEY = "practice"  # any text will do


@cache
def names_table(lang: str) -> str:
    """The table, made in a process of its own: setup() changes the environment of the one it runs in."""
    env = clean(os.environ) | {"PYTHONIOENCODING": "utf-8"}
    command = [sys.executable, __file__, lang]
    done = subprocess.run(command, cwd=ROOT, env=env, capture_output=True, encoding="utf-8")
    if done.returncode:
        raise ToolError(f"tools/glossary_names.py failed: {done.stderr.strip().splitlines()[-1]}")
    return done.stdout.strip()


def _table(lang: str) -> str:
    """show.names() as Markdown: for each idea a list with a line per API."""
    from course_lib.show.page import Grid

    (grid,) = (part for part in _page(lang).parts if isinstance(part, Grid))
    blocks = []
    for idea, cells in grid.rows:
        lines = [f"- {api}: {_code(cell)}" for api, cell in zip(grid.head, cells, strict=True)]
        blocks.append("\n".join([f"*{idea[0].upper()}{idea[1:]}*", "", *lines]))
    return "\n\n".join(blocks)


def _code(cell: str) -> str:
    """A place as code, with the remark behind it as text."""
    place, _, remark = cell.partition("  ")
    return f"`{place}` {remark}".rstrip()


def _page(lang: str):
    """Ask the same question on four APIs, each with a tool and its result, and return show.names()."""
    from course_lib import models, providers, shop, show
    from course_lib.classroom import setup
    from course_lib.tools import tool

    with redirect_stdout(io.StringIO()):
        setup.setup(lang=lang)
    one = tool(shop.find_order)
    user = {"role": "user", "content": QUESTION}
    contents = {"role": "user", "parts": [{"text": QUESTION}]}
    bearer = {"authorization": f"Bearer {KEY}"}
    claude = {"model": models.ANTHROPIC, "max_tokens": 500, "tools": [one.to_anthropic()]}
    anthropic_key = {"x-api-key": KEY, "anthropic-version": "2023-06-01"}
    _round(providers.anthropic, "/v1/messages", anthropic_key, "messages", user, claude)
    chat = {"model": models.OPENAI, "tools": [one.to_openai()]}
    _round(providers.openai_chat, "/v1/chat/completions", bearer, "messages", user, chat)
    responses = {"model": models.OPENAI, "tools": [one.to_openai_responses()]}
    _round(providers.openai_responses, "/v1/responses", bearer, "input", user, responses)
    declared = {"tools": [{"functionDeclarations": [one.to_gemini_declaration()]}]}
    gemini = f"/v1beta/models/{models.GEMINI}:generateContent"
    _round(providers.gemini, gemini, {"x-goog-api-key": KEY}, "contents", contents, declared)
    return show.names()


def _round(provider, path: str, key: dict, history: str, question: dict, request: dict) -> None:
    """One tool call and its result: two requests. `history` is what the API calls the conversation."""
    from course_lib.tools import ToolResult

    answer = _post(path, key, {**request, history: [question]})
    results = [ToolResult(call.id, call.name, RESULT) for call in provider.read_calls(answer)]
    turns = [question, *provider.write_turn(answer), *provider.write_results(results)]
    _post(path, key, {**request, history: turns})


def _post(path: str, key: dict, body: dict) -> dict:
    address = os.environ["ANTHROPIC_BASE_URL"] + path
    headers = {"content-type": "application/json", **key}
    request = urllib.request.Request(address, json.dumps(body).encode(), headers)
    # Without proxies: the practice model is on this machine.
    with urllib.request.build_opener(urllib.request.ProxyHandler({})).open(request) as response:
        return json.load(response)


if __name__ == "__main__":
    print(_table(*sys.argv[1:]))
