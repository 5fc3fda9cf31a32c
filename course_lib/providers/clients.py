"""Which API a model's name means, and the client that asks it.

    "anthropic:claude-haiku-5-5"       "openai:gpt-5.4-mini"         "openai-responses:gpt-5.4-mini"
    "gemini:gemini-3.5-flash-lite"     "claude-haiku-5-5"            (its family is plain)
    (OpenAI(base_url="http://localhost:11434/v1"), "llama3.2")       a client of your own

A client is made when it is first needed, and with it its SDK imported. It is kept, because making one costs
more than a request, for as long as the variables that say where it should go stay the same; an async one
belongs to its event loop.
"""

from __future__ import annotations

import asyncio
import contextlib
import os
import threading
from dataclasses import dataclass
from typing import Any

from .. import models
from ..async_generators import at_the_end_of_loop
from ..errors import CourseError
from . import NAMES, ProviderModule, all_modules, module_of


@dataclass(frozen=True)
class Model:
    """A model as an agent names it, read."""

    provider: str
    id: str
    client: Any = None
    """The program's own; None for one that is made here."""


def read_model(model: Any) -> Model:
    """Return what an agent's `model` means. Raises CourseError if that is not plain, with what to write."""
    if model is None:
        return Model("anthropic", models.ANTHROPIC)
    if isinstance(model, tuple) and len(model) == 2 and isinstance(model[1], str) and model[1]:
        return _with_client(*model)
    if not isinstance(model, str) or not model:
        raise CourseError(
            f"{model!r} is no model. Write a text such as 'anthropic:{models.ANTHROPIC}', or a client and an "
            "id: (OpenAI(base_url=...), 'llama3.2')."
        )
    provider, colon, name = model.partition(":")
    if colon and name and provider in NAMES:
        return Model(provider, name)
    for one in all_modules():
        if one.MODEL_IDS is not None and one.MODEL_IDS.match(model):
            return Model(one.NAME, model)
    choices = ", ".join(f"'{one}:{name or model}'" for one in NAMES)
    raise CourseError(
        f"Which API '{model}' belongs to is not plain from its name. Write it before the id: {choices}; for "
        f"a server of your own, a client and the id: (OpenAI(base_url=...), '{model}')."
    )


def _with_client(client: Any, name: str) -> Model:
    bases = [(kind.__module__, kind.__name__) for kind in type(client).__mro__]
    roots = {".".join(module.split(".")[:2]) for module, _ in bases} | {m.split(".")[0] for m, _ in bases}
    found = [one.NAME for one in all_modules() if one.SDK in roots]
    if not found:
        raise CourseError(
            f"A {type(client).__name__} is no client that an agent can ask. Write (Anthropic(), id), "
            "(OpenAI(base_url=...), id) or (genai.Client(), id)."
        )
    for other in found[1:]:  # the same client asks both APIs of OpenAI
        if name.startswith(f"{other}:"):
            return Model(other, name.removeprefix(f"{other}:"), client)
    return Model(found[0], name, client)


def client_for(model: Model, asynchronous: bool) -> Any:
    """Return the client that asks this model. Raises CourseError if a given one is of the other kind."""
    if model.client is None:
        return _kept(module_of(model.provider), asynchronous)
    return module_of(model.provider).client_of_kind(model.client, asynchronous)


_lock = threading.Lock()
_waiting: dict[tuple[str, ...], Any] = {}
_of_loops: dict[asyncio.AbstractEventLoop, dict[tuple[str, ...], Any]] = {}


def _kept(provider: ProviderModule, asynchronous: bool) -> Any:
    """Return the client of an SDK; of this loop, too, as the connections of an async one belong to a loop."""
    key = (provider.SDK, *(os.environ.get(name, "") for name in provider.VARIABLES))
    with _lock:
        kept = _of_this_loop() if asynchronous else _waiting
        if key not in kept:
            kept[key] = provider.make_client(asynchronous)
        return kept[key]


def _of_this_loop() -> dict[tuple[str, ...], Any]:
    """Return the clients of the running loop, which are closed when it ends, and dropped."""
    loop = asyncio.get_running_loop()
    if loop not in _of_loops:
        # Of loops that were closed without an end. A client leads to its loop, so that no weak key is enough.
        for ended in [one for one in _of_loops if one.is_closed()]:
            del _of_loops[ended]
        _of_loops[loop] = {}
        at_the_end_of_loop(lambda: _close_clients(loop))
    return _of_loops[loop]


async def _close_clients(loop: asyncio.AbstractEventLoop) -> None:
    for client in _of_loops.pop(loop, {}).values():
        close = getattr(client, "aclose", None) or client.close  # of Gemini's SDK, and of the two others
        with contextlib.suppress(Exception):  # the loop ends in any case
            await close()
