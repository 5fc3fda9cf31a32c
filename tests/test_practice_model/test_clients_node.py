"""The JavaScript SDKs, from Node, against `practice serve`, through environment variables alone.

They need Node and the packages of tests/node: npm ci --prefix tests/node
"""

from __future__ import annotations

import json
import os
import re
import shutil
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

FOLDER = Path(__file__).parents[1] / "node"
NODE = shutil.which("node")
BOTH = ["get_time Tokyo", "get_weather Madrid"]
MINE = re.compile(r"(?i)(anthropic|openai)_.*|(https?|all)_proxy|node_.*")

pytestmark = [
    pytest.mark.skipif(NODE is None, reason="needs Node"),
    pytest.mark.skipif(
        not (FOLDER / "node_modules" / "openai").is_dir(), reason="needs npm ci --prefix tests/node"
    ),
]


@pytest.fixture(scope="module")
def variables() -> Iterator[dict[str, str]]:
    """The environment that `practice serve` asks for, while it serves."""
    clean = {name: value for name, value in os.environ.items() if not MINE.fullmatch(name)}
    line = [sys.executable, "-u", "-m", "course_lib", "practice", "serve", "--port", "0"]
    process = subprocess.Popen(
        line,
        cwd=FOLDER.parent.parent,
        env=clean | {"PYTHONIOENCODING": "utf-8"},
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        encoding="utf-8",
    )
    try:
        text = ""
        while "Ctrl-C" not in text:
            said = process.stdout.readline()
            assert said, f"it ended early: {text}"
            text += said
        yield clean | dict(re.findall(r"^export (\w+)=(\S*)$", text, flags=re.MULTILINE))
    finally:
        process.kill()
        process.wait()
        process.stdout.close()


def converse(script: str, conversation: str, variables: dict[str, str]) -> dict[str, Any]:
    """What a conversation of tests/node reports."""
    done = subprocess.run(
        [NODE, str(FOLDER / script), conversation], env=variables, capture_output=True, encoding="utf-8"
    )
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout)


@pytest.mark.parametrize(
    ("script", "conversation"),
    [
        ("anthropic.mjs", "create"),
        ("anthropic.mjs", "stream"),
        ("anthropic.mjs", "runner"),
        ("anthropic.mjs", "runner_stream"),
        ("anthropic.mjs", "runner_without_thread"),
        ("openai.mjs", "chat"),
        ("openai.mjs", "chat_stream"),
        ("openai.mjs", "chat_run_tools"),
        ("openai.mjs", "responses"),
        ("openai.mjs", "responses_stream"),
    ],
)
def test_a_conversation_with_two_tools(script, conversation, variables):
    told = converse(script, conversation, variables)
    assert told["called"] == BOTH
    assert "21" in told["text"] and "18:30" in told["text"]
    assert (told["pieces"] > 1) == ("stream" in conversation)


@pytest.mark.parametrize("script", ["anthropic.mjs", "openai.mjs"])
def test_a_call_without_a_result_is_the_sdks_own_exception(script, variables):
    assert converse(script, "unanswered", variables)["text"] == "BadRequestError names the call"
