"""An agent that talks with a user and runs its tools, with its sessions, its limits and its approvals."""

from __future__ import annotations

from .agent import Agent, Handover, HumanQueue
from .events import CallEnded, CallStarted, Done, ExecutedCall, Response, TextPiece, TurnEnded
from .runner import Runner
from .scripted import ScriptedModel, ScriptedTurn
from .sessions import SessionStore

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
