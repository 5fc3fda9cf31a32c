"""Ask the practice model of the session what it makes of a learner's answer."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from .. import models, start

__all__ = ["Asked", "ask_practice"]


@dataclass(frozen=True)
class Asked:
    """How the practice model answered."""

    text: str = ""
    refusal: str = ""
    """The sentence of a status 400; "" where the request was accepted."""


def ask_practice(**request: Any) -> Asked | None:
    """Send a request to Messages; None where the practice model cannot be asked.

    That is so in live mode, where a check must cost nothing; before setup(), when the SDK would go to the
    real service; and with a model id that only the real service has.
    """
    if start.status() is None or start.is_live():
        return None
    from anthropic import Anthropic, BadRequestError, NotFoundError

    try:
        response = Anthropic(max_retries=0).messages.create(
            model=models.ANTHROPIC, max_tokens=1000, **request
        )
    except BadRequestError as error:
        return Asked(refusal=error.api_message or str(error))
    except NotFoundError:
        return None
    return Asked(text="\n".join(block.text for block in response.content if block.type == "text"))
