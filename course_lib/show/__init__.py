"""What a learner looks at: a conversation, the JSON on the wire, a request as the model reads it.

    show.conversation(messages)   who said what, which tool was called with what, what came back
    show.wire()                   what was sent and what came back since setup()
    show.prompt()                 the last request as the model reads it, with its share of tokens
    show.names()                  the same thing in each provider's format, looked up in what was sent
    show.timeline(results)        when each call of a turn started and ended

Each returns an object that a notebook shows as HTML and print() as text. Nothing here changes what it is
given.
"""

from __future__ import annotations

from .conversation_view import conversation, timeline
from .exchanges import names, prompt, wire

__all__ = ["conversation", "names", "prompt", "timeline", "wire"]
