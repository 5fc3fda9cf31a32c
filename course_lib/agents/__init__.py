"""An agent that talks with a user and runs its tools, with its sessions, its limits and its approvals."""

from __future__ import annotations

from typing import TYPE_CHECKING

from .agent import Agent, Handover, HumanQueue
from .run import CallEnded, CallStarted, Done, ExecutedCall, Response, TextPiece, TurnEnded
from .runner import Runner
from .sessions import SessionStore

if TYPE_CHECKING:
    from .scripted import ScriptedModel, ScriptedTurn

__all__ = [
    "Agent",
    "CallEnded",
    "CallStarted",
    "Done",
    "ExecutedCall",
    "Handover",
    "HumanQueue",
    "Response",
    "Runner",
    "ScriptedModel",
    "ScriptedTurn",
    "SessionStore",
    "TextPiece",
    "TurnEnded",
]


def __getattr__(name: str) -> object:
    if name not in ("ScriptedModel", "ScriptedTurn"):
        raise AttributeError(f"module '{__name__}' has no attribute '{name}'")
    from . import scripted  # for tests: programs do without it

    return getattr(scripted, name)
