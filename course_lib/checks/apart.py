"""Ask a practice model apart from the learner's, whose requests appear in no log of theirs."""

from __future__ import annotations

import json
from typing import Any

from course_lib import keys, models

__all__ = ["answer_apart", "refusal_apart", "text_apart"]


def answer_apart(**request: Any) -> tuple[int, dict[str, Any]]:
    """Return the status and the body with which the practice model answers a request to Messages."""
    from course_lib.practice import PracticeModel

    _, model = models.SETTINGS["ANTHROPIC"]  # the learner's own may be one that only the real service has
    body = json.dumps({"model": model, "max_tokens": 1000, **request}).encode("utf-8")
    headers = {"x-api-key": keys.DUMMY, "anthropic-version": "2023-06-01"}
    reply = PracticeModel().handle("POST", "/v1/messages", headers, body)
    return reply.status, json.loads(reply.body)


def refusal_apart(**request: Any) -> str:
    """Return the sentence with which the practice model refuses a request to Messages; "" if it does not."""
    status, answer = answer_apart(**request)
    return "" if status == 200 else str(answer["error"]["message"])


def text_apart(**request: Any) -> str:
    """Return the text of the practice model's answer to a request to Messages; "" if it refuses."""
    _, answer = answer_apart(**request)
    return "\n".join(block["text"] for block in answer.get("content", []) if block["type"] == "text")
