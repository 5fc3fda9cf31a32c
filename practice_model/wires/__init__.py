"""The wire formats that the practice model speaks: one folder per API, with the same files in each.

    shapes.py   a request as Pydantic models, and what is said of a request that does not fit them
                (where two APIs nest the same differently, properties give it without the nesting)
    rules.py    what the service refuses beyond the shape: finders, each with the service's words
    answer.py   from the request to the neutral one, and from the decision to a response or a stream

`openai/` holds what the two OpenAI APIs share; the Responses API has a history.py for what it keeps, Gemini a
schemas.py for its subset of OpenAPI. What all share lies beside the folders: `api.py`, the nouns that an API
module is made of; `rules.py`, what a rule is, and how calls and results belong together; `schemas.py`, which
JSON Schemas are taken; `writing.py`, ids, token counts, events, and a decision within its request's limits.

For the core, an API's answer.py offers

    NAME                                    as the log shows it
    ROUTES                                  a tuple of Route
    STRICT_JSON                             whether strings in a body may hold no raw line breaks and tabs
    claims(path, headers) -> bool           whether a request is meant for this API (two share GET /v1/models)
    check_key(headers)                      raises Refused when there is no key
    error(refused, request_id) -> Reply     the error in this API's own shape
    request_id(*parts) -> str               in this API's own form

How a turn may end (`Written.stop`, see writing.py), each API says in its own words:

               Anthropic      Chat Completions       Responses                      Gemini
    end        end_turn       stop                   completed                      STOP
    calls      tool_use       tool_calls             completed                      STOP
    limit      max_tokens     length                 incomplete: max_output_tokens  MAX_TOKENS
    sequence   stop_sequence  stop                   -                              STOP
    refusal    refusal        stop, message.refusal  completed, a refusal part      SAFETY
    filtered   refusal        content_filter         incomplete: content_filter     blockReason
    pause      pause_turn     -                      -                              -
    malformed  -              -                      -                              MALFORMED_FUNCTION_CALL

`Written.refusal` is the text of a refusal. A call that Gemini could not read itself has no content there.
"""

from __future__ import annotations

from types import ModuleType


def load() -> tuple[ModuleType, ...]:
    """Return the API modules in the order in which they are asked `claims()`; the first is the default."""
    from .anthropic import answer as anthropic
    from .gemini import answer as gemini
    from .openai_chat import answer as openai_chat
    from .openai_responses import answer as openai_responses

    # Gemini before OpenAI: its paths are its own, while any bearer token may be meant for OpenAI.
    return (anthropic, gemini, openai_chat, openai_responses)
