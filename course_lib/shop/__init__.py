"""The course's running world: one small shop that sells tea and coffee, on a SQLite file.

Its clock is fixed (`today()`), so outputs are the same in every run. Its functions become tools in the
lessons. Each session works on a copy of its own (`connect()`), which `reset()` restores.
"""

from __future__ import annotations

from .calculator import CalculatorError, calculate
from .database import connect, now, reset, today
from .orders import (
    calculate_shipping,
    calculate_vat,
    check_inventory,
    find_order,
    list_orders,
    refund_once,
    refund_order,
    signed_in_as,
)
from .support import create_ticket, get_messages, get_weather, search_help
from .values import NeedsApproval, NotAllowed, NotFound, ShopBroken

__all__ = [
    "CalculatorError",
    "NeedsApproval",
    "NotAllowed",
    "NotFound",
    "ShopBroken",
    "calculate",
    "calculate_shipping",
    "calculate_vat",
    "check_inventory",
    "connect",
    "create_ticket",
    "find_order",
    "get_messages",
    "get_weather",
    "list_orders",
    "now",
    "refund_once",
    "refund_order",
    "reset",
    "search_help",
    "signed_in_as",
    "today",
]
