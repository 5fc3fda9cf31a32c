"""The loop of an agent: ask the model, run the tools that it asks for, show it the results, within limits.

`turns` is the loop. It is written once, as code that awaits, and serves both kinds of program: where the
program waits for its client and its tools, the loop never pauses, and `without_waiting` steps through it.
What it yields are events, and the last one has the response:

    for event in runner.run_stream("anna", "Where is order 1042?"):
        match event:
            case TextPiece(text):
                print(text, end="", flush=True)
            case CallStarted(call):
                print(f"[{call.name} ...]")
            case Done(response):
                print(response.usage)
"""

from __future__ import annotations

import inspect
import json
import time
from collections import Counter
from collections.abc import AsyncIterator, Awaitable
from dataclasses import dataclass, field
from typing import Any

from ..async_generators import NestedGenerator
from ..errors import CourseError, LoopLimitError
from ..execution import run_calls, run_calls_async
from ..execution.retrying import Retrying
from ..providers import history
from ..providers.clients import client_for, read_model
from ..providers.shared import get
from ..tools import Context, ToolCall, ToolResult
from .agent import Agent, AgentRequest
from .model_client import ModelClient, WireHistory
from .session_state import (
    SessionState,
    calls_of,
    chosen,
    needs_approval,
    outcome_unknown,
    refused,
    too_late,
    with_own_ids,
)
from .sessions import SessionStore


async def turns(run: Run) -> AsyncIterator[Event]:
    """Ask the model and run its calls, until it answers. Raise LoopLimitError at a limit."""
    async with NestedGenerator(run.execute(run.resumed, approved=run.is_approved)) as events:
        async for event in events:
            yield event
    while not run.stop_reason:
        run.meter.check()
        async with NestedGenerator(run.ask()) as pieces:
            async for piece in pieces:
                yield TextPiece(piece)
        turn = run.add_turn()  # stored before any of its calls runs
        yield TurnEnded(run.meter.turns, run.agent.name, turn)
        async with NestedGenerator(run.execute(run.ready_calls(turn))) as events:
            async for event in events:
                yield event
        run.stop_reason = run.reason_to_stop(turn)
    yield Done(run.response(run.stop_reason))


class Run:
    """One run of a session: the history so far, what was used, and what the loop does with them."""

    def __init__(
        self,
        settings: RunSettings,
        session_id: str,
        context: Context | None,
        *,
        asynchronous: bool,
        streaming: bool,
    ) -> None:
        self.settings, self.session_id, self.context = settings, session_id, context
        self.asynchronous, self.streaming = asynchronous, streaming
        self._state = state = SessionState(settings.store, session_id, settings.starting_agent)
        for agent in state.agents.values():  # raises at once where a client of one's own is not of this kind
            model = read_model(agent.model)
            if model.client is not None:
                client_for(model, self.asynchronous)
        self.history, self._last, self._key = state.turns, state.last, state.key
        self.meter = Meter(settings.limits)
        self.stop_reason = ""
        self.text = ""
        self.executed: list[ExecutedCall] = []
        self.resumed: list[ToolCall] = []
        self.is_approved = False  # of `resumed`; False: the program's `approve` is still to be asked
        self.waiting: list[ToolCall] = []
        self._answer: dict[str, Any] = {}
        self._asked_again = False
        self._hand_to(state.active)
        # After a handoff the open calls are still for the tools of the agent who made them.
        same = state.caller is state.active
        self._caller = self.request if same else AgentRequest(state.caller, session_id)

    @property
    def agent(self) -> Agent:
        """The agent who has the conversation."""
        return self.request.agent

    # Beginning ------------------------------------------------------------------------------------

    def begin(self, message: str) -> None:
        """Go on with what the user says. Calls that an earlier run left open are closed."""
        turn = history.user(message)
        waiting, lost = self._state.open_calls(self._caller, self.context)
        closed = [*map(refused, waiting), *map(outcome_unknown, lost)]
        self._remember(*([history.results(closed)] if closed else []), turn)

    def resume(self, approved: list[Any] | None) -> None:
        """Go on where a run stopped: to wait for approvals, or because the program ended.

        Without `approved` nobody has decided yet: calls that wait go on waiting.
        """
        if not self.history:
            raise CourseError(f"There is no session '{self.session_id}' to resume. Begin it with run(...).")
        waiting, lost = self._state.open_calls(self._caller, self.context)
        not_wanted: list[ToolCall] = []
        if approved is not None:
            keys = chosen(approved, waiting, self._state.approved_before(), self.session_id)
            not_wanted = [call for call in waiting if call.key not in keys]
            for call in waiting:
                if call.key in keys:  # another program may resume the session in this moment
                    (self.resumed if self._claim(call) else lost).append(call)
            self.is_approved = True
        elif "approve" in self.settings.tool_options:
            self.resumed = waiting
        elif waiting:
            self.waiting, self.stop_reason, self.text = waiting, "approval", self._state.turn["text"]
        self._add_results([*map(refused, not_wanted), *map(outcome_unknown, lost)])
        last = self.history[-1]
        if last["role"] == "assistant" and not last["calls"]:
            self.text = last["text"]
            self.stop_reason = self.reason_to_stop(last)

    # What the loop does ---------------------------------------------------------------------------

    async def ask(self) -> AsyncIterator[str]:
        """Ask the model. Yield the pieces of its text, where they are wanted as they arrive."""
        body = self.request.body(self._wire_history.of(self.history))
        seconds = self.meter.seconds_left()
        try:
            if self.streaming:
                async with NestedGenerator(self._client.stream(body, seconds, self._keep)) as pieces:
                    async for piece in pieces:
                        yield piece
            else:
                self._keep(await self._client.ask(body, seconds))
        except Exception:
            self.meter.check_time()  # if the time is over, that is the reason and not the error
            raise

    def add_turn(self) -> dict[str, Any]:
        """Add the model's turn to the history, and return it."""
        turn = with_own_ids(self._client.turn(self._answer))
        paused = bool(self.history) and self.history[-1].get("stop_reason") == "pause"
        self.text = self.text + turn["text"] if paused else turn["text"]
        self.meter.add(turn)
        self._remember(turn)
        self._key = self.settings.store.turn_key(self.session_id, self._last) if turn["calls"] else ""
        self._caller = self.request
        return turn

    def ready_calls(self, turn: dict[str, Any]) -> list[ToolCall]:
        """Return the calls of a turn that may run now. The others wait for an approval."""
        calls = calls_of(turn, self._key)
        if "approve" not in self.settings.tool_options:
            self.waiting = [call for call in calls if needs_approval(call, self._caller, self.context)]
        return [call for call in calls if call not in self.waiting]

    async def execute(self, calls: list[ToolCall], *, approved: bool = False) -> AsyncIterator[Event]:
        """Run calls, and remember what they gave. `approved` ones are claimed already."""
        if not calls:
            return
        for call in calls:
            yield CallStarted(call)
        tools, options = self._caller.tools.values(), self._options(approved)
        late = self.meter.is_late()  # the answer itself may have come too late
        if late:
            results = [too_late(call) for call in calls]
        elif self.asynchronous:
            results = await run_calls_async(calls, tools, **options)
        else:
            results = run_calls(calls, tools, **options)
        results, target = self._handed_over(results)
        self._add_results(results, target)
        for call, result in zip(calls, results, strict=True):
            done = ExecutedCall(call.id, call.name, call.arguments, result.content, result.is_error)
            self.executed.append(done)
            yield CallEnded(call, result)
        if target is not None:  # only now: what the calls gave is kept even if the other cannot be asked
            self._hand_to(target)
        if late:
            self.meter.check_time()
        self.meter.check_repeats(calls, results)

    def reason_to_stop(self, turn: dict[str, Any]) -> str:
        """Return why the run ends after this turn; empty where it goes on."""
        if self.waiting:
            return "approval"
        if get(self._answer, "stop_reason") == "model_context_window_exceeded":
            return "context_window"
        if turn["calls"] or turn["stop_reason"] == "pause":
            return ""
        if turn["stop_reason"] in ("other", "max_tokens") and not turn["text"] and not self._asked_again:
            # Gemini shows nothing of a call that it could not read: it is asked again, once.
            self._asked_again = True
            return ""
        return turn["stop_reason"]

    def response(self, stop_reason: str) -> Response:
        """Return what the run has come to."""
        return Response(
            self.text,
            self.executed,
            self.meter.turns,
            stop_reason,
            self.meter.usage,
            self.history,
            self.agent.name,
            self.waiting,
        )

    # Inside ---------------------------------------------------------------------------------------

    def _keep(self, answer: dict[str, Any]) -> None:
        self._answer = answer

    def _remember(self, *turns: dict[str, Any]) -> None:
        """Add turns to the session; CourseError if another program went on with it."""
        for turn in turns:  # in every one: a store with most_turns may drop the earlier ones
            turn.setdefault("agent", self.agent.name)
        self._last = self.settings.store.append(self.session_id, list(turns), after=self._last)[-1]
        self.history += turns

    def _add_results(self, results: list[ToolResult], target: Agent | None = None) -> None:
        if results:
            self._remember(history.results(results) | ({"agent": target.name} if target else {}))

    def _claim(self, call: ToolCall) -> bool:
        """Return whether this run is the one that may run a call that was approved.

        Claimed before the call runs: a call that is not claimed counts as waiting, so it would run a second
        time after the program was stopped inside it.
        """
        return self.settings.store.claim(self.session_id, call.key)

    def _ask_for_approval(self, call: ToolCall) -> Any:
        """Return what the program's function says of a call; one that it lets run is claimed."""

        def claimed_if_approved(answer: Any) -> Any:
            return self._claim(call) if answer is True else answer

        async def when_it_is_there(answer: Awaitable[Any]) -> Any:
            return claimed_if_approved(await answer)

        answer = self.settings.tool_options["approve"](call)
        return when_it_is_there(answer) if inspect.isawaitable(answer) else claimed_if_approved(answer)

    def _options(self, approved: bool) -> dict[str, Any]:
        """Return the options of `run_calls`: the runner's, and what is left of the time."""
        options = {"context": self.context, **self.settings.tool_options}
        if approved:
            options["approve"] = lambda call: True
        elif "approve" in options:
            options["approve"] = self._ask_for_approval
        limits = [one for one in (options.get("turn_timeout"), self.meter.seconds_left()) if one is not None]
        return options | ({"turn_timeout": min(limits)} if limits else {})

    def _handed_over(self, results: list[ToolResult]) -> tuple[list[ToolResult], Agent | None]:
        """Return the results, and the agent to whom one of them gives the conversation."""
        reason = "Only one agent can have the conversation: the first that it was handed over to has it."
        found, target = [], None
        for one in results:
            if one.name in self._caller.transfers and not one.is_error:
                if target is None:
                    target = self._caller.transfers[one.name]
                else:
                    one = ToolResult(one.tool_call_id, one.name, reason, is_error=True)
            found.append(one)
        return found, target

    def _hand_to(self, agent: Agent) -> None:
        self.request = AgentRequest(agent, self.session_id)
        self._client = ModelClient(self.request, self.asynchronous, self.settings.retrying)
        self._wire_history = WireHistory(self.request.model)


# What a run is given, and what it may use --------------------------------------------------------------


@dataclass(frozen=True)
class RunSettings:
    """What all runs of a Runner have in common."""

    starting_agent: Agent
    store: SessionStore
    limits: Limits
    retrying: Retrying
    tool_options: dict[str, Any]
    """Options of `run_calls`. Without `approve`, calls that need an approval end the run."""


@dataclass(frozen=True)
class Limits:
    """What a run may use; None is no limit."""

    max_turns: int = 10
    token_budget: int | None = None
    time_budget: float | None = None
    max_repeats: int | None = 3

    def __post_init__(self) -> None:
        """Raise CourseError for a limit that is not a positive number."""
        for name, value in vars(self).items():
            whole = name != "time_budget"
            kinds: Any = int if whole else int | float
            if value is None and name != "max_turns":
                continue
            if isinstance(value, bool) or not isinstance(value, kinds) or not value > 0:
                what = "a whole number from 1 on" if whole else "seconds, more than 0"
                or_none = "" if name == "max_turns" else ", or None for no limit"
                raise CourseError(f"{name} is {value!r}; write {what}{or_none}.")


class Meter:
    """What a run has used so far. Each check raises LoopLimitError, with the name of the limit as `limit`."""

    def __init__(self, limits: Limits) -> None:
        self.limits = limits
        self.turns = 0
        self.usage = {"input_tokens": 0, "output_tokens": 0}
        self._started = time.monotonic()
        self._failures: Counter[tuple[str, str, str]] = Counter()

    def add(self, turn: dict[str, Any]) -> None:
        """Count a turn of the model."""
        self.turns += 1
        for name in self.usage:
            self.usage[name] += turn["usage"][name]

    def seconds_left(self) -> float | None:
        """Return how long the run may still take; None where it may take any time."""
        budget = self.limits.time_budget
        return None if budget is None else max(0.001, budget - (time.monotonic() - self._started))

    def check(self) -> None:
        """Raise if the model may not be asked once more."""
        limits, used = self.limits, sum(self.usage.values())
        if self.turns >= limits.max_turns:
            raise LoopLimitError(
                f"The model took {self.turns} turns and still asks for tools: max_turns={limits.max_turns} "
                "is reached. Look at what it calls and what the tools answer (error.response); if the task "
                "needs more turns, raise max_turns.",
                "max_turns",
            )
        if limits.token_budget is not None and used >= limits.token_budget:
            raise LoopLimitError(
                f"The run has used {used:,} tokens of its token_budget={limits.token_budget:,}. Each turn "
                "sends all of the history again: shorten what the tools return, or raise the budget.",
                "token_budget",
            )
        self.check_time()

    def is_late(self) -> bool:
        """Return whether the time is over."""
        budget = self.limits.time_budget
        return budget is not None and time.monotonic() - self._started >= budget

    def check_time(self) -> None:
        """Raise if the time is over."""
        if self.is_late():
            budget = self.limits.time_budget
            raise LoopLimitError(
                f"The run has taken its time_budget of {budget:g} s. Look at which call took long "
                "(error.response), or raise the budget.",
                "time_budget",
            )

    def check_repeats(self, calls: list[ToolCall], results: list[ToolResult]) -> None:
        """Raise if one of these calls has failed in the same way as often as it may."""
        failed = {
            (call.name, json.dumps(call.arguments, sort_keys=True, ensure_ascii=False), result.content)
            for call, result in zip(calls, results, strict=True)
            if result.is_error
        }
        self._failures.update(failed)  # once for each turn: within one, the model saw no result
        for name, arguments, content in failed:
            if self._failures[name, arguments, content] == self.limits.max_repeats:
                raise LoopLimitError(
                    f"{name} was called {self.limits.max_repeats} times with {arguments[:200]} and failed "
                    f"each time in the same way: {content[:300]!r}. Mend the tool, or let its error say what "
                    "the model can do instead.",
                    "repeated_call",
                )


# What it yields: events, and at the end the response -------------------------------------------------


@dataclass(frozen=True)
class ExecutedCall:
    """A call of a run that got its result, or its error."""

    id: str
    name: str
    arguments: dict[str, Any] | str
    content: str
    is_error: bool = False


@dataclass(frozen=True)
class Response:
    """What a run came to; not to be confused with the response of a provider."""

    content: str
    """What the model says to the user; of a run that ended early, what it said last."""
    tool_calls_executed: list[ExecutedCall] = field(default_factory=list)
    turns: int = 0
    """How many turns the model took."""
    stop_reason: str = "end"
    """"end" is an answer; "refusal", "max_tokens" (the answer is cut off), "context_window" (no room is left)
    and "other" come from the service; "approval" waits for `resume`; "max_turns", "token_budget",
    "time_budget" and "repeated_call" are limits of the runner."""
    usage: dict[str, int] = field(default_factory=dict)
    """"input_tokens" and "output_tokens" of all the turns together."""
    messages: list[dict[str, Any]] = field(default_factory=list, repr=False)
    """The session's history, as `providers.history` describes it. Its turns also have `agent`: who has the
    conversation after them."""
    agent: str = ""
    """Who has the conversation now."""
    waiting: list[ToolCall] = field(default_factory=list)
    """The calls that wait for an approval."""


@dataclass(frozen=True)
class TextPiece:
    """Some words of the model, as they arrive."""

    text: str


@dataclass(frozen=True)
class TurnEnded:
    """The model has said all of its turn; the calls in it have not run yet."""

    number: int
    """From 1 on, in this run."""
    agent: str
    turn: dict[str, Any]
    """As it stands in the history."""


@dataclass(frozen=True)
class CallStarted:
    """A tool begins to run. All the calls of a turn start before the first of them ends."""

    call: ToolCall


@dataclass(frozen=True)
class CallEnded:
    """What a call gave, or why it gave nothing."""

    call: ToolCall
    result: ToolResult


@dataclass(frozen=True)
class Done:
    """The run is over; always the last event, unless the run raises."""

    response: Response


Event = TextPiece | TurnEnded | CallStarted | CallEnded | Done
