"""A conversation as plain JSON values, the same for all providers: it can be stored, and go on with another.

    {"role": "user", "text": "…"}
    {"role": "assistant", "text": "…", "calls": [{"id", "name", "arguments"}], "stop_reason": "tool_calls",
     "provider": "anthropic", "model": "…", "wire": […], "usage": {"input_tokens", "output_tokens"}}
    {"role": "tool", "results": [{"tool_call_id", "name", "content", "is_error"}]}

`wire` is the provider's own message, unchanged. The same provider gets it back, with the thinking and the
signatures that it asks for; another one gets the text and the calls, written its way. `arguments` are text
where the model wrote no JSON object. A call that the model could not finish has `"cut_off": True`.

    history = [user("What is the weather in Madrid?")]
    response = client.messages.create(messages=to_wire(history, "anthropic"), …)
    history.append(assistant(response, "anthropic", model))
    history.append(results(run_calls(unanswered(history), tools)))
"""

from __future__ import annotations

from .checking import check, repair, trim, unanswered
from .turns import PROVIDERS, assistant, results, user
from .wire import to_wire

__all__ = ["PROVIDERS", "assistant", "check", "repair", "results", "to_wire", "trim", "unanswered", "user"]
