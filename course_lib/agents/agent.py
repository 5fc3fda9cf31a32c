"""An agent, what its requests hold, and the tools that hand a conversation over to an agent or a person."""

from __future__ import annotations

import copy
import inspect
import re
import threading
from collections.abc import Awaitable, Callable, Collection, Mapping, Sequence
from dataclasses import dataclass, field
from functools import lru_cache, partial
from typing import Any

from ..errors import CourseError
from ..providers import module_of
from ..providers.clients import Model, read_model
from ..tools import Tool, check_limits, tools_by_name

# Handing a conversation over ---------------------------------------------------------------------------
# The call of such a tool is a call as any other, with a result in the history. That is all that has to be
# remembered: who has the conversation is read from its history, also after a restart.

_PUT = "A person will read the conversation and answer. Tell the user so, briefly."


@dataclass(frozen=True)
class Handover:
    """A conversation that waits for a person."""

    session_id: str
    reason: str


class HumanQueue:
    """People who take over what an agent cannot do: `Agent(tools=[..., HumanQueue("support")])`.

    The agent puts the conversation into the queue, with its reason, and tells the user so. `put` is what
    keeps it: a function, async or not, that gets a `Handover`, for instance one that opens a ticket. Without
    it they stand in `waiting`, and `take()` gives the oldest.
    """

    def __init__(
        self, name: str = "human", description: str = "", put: Callable[[Handover], Any] | None = None
    ) -> None:
        self.name = name
        self.description = description or (
            "Ask a person to take over this conversation. Use it when the user asks for a human, or when "
            "none of the other tools can help."
        )
        self.waiting: list[Handover] = []
        self.put = put or self.waiting.append
        self._lock = threading.Lock()
        # The session is not the model's to say: it is bound, and for each run anew.
        self._tool = _tool(name, self.description, partial(self._transfer, ""))

    def take(self) -> Handover | None:
        """Return the conversation that has waited longest, no longer in `waiting`; None if there is none."""
        with self._lock:
            return self.waiting.pop(0) if self.waiting else None

    def tool_for(self, session_id: str) -> Tool:
        """Return the tool that puts this session into the queue."""
        bound = copy.copy(self._tool)
        bound.function = partial(self._transfer, session_id)
        return bound

    def _transfer(self, session_id: str, reason: str) -> str | Awaitable[str]:
        """Hand over.

        Args:
            reason: What the user needs, and what was tried, in one or two sentences.
        """
        putting = self.put(Handover(session_id, reason))
        return _when_put(putting) if inspect.isawaitable(putting) else _PUT

    def __repr__(self) -> str:
        return f"<people {self.name}, {len(self.waiting)} waiting>"


async def _when_put(putting: Awaitable[Any]) -> str:
    await putting
    return _PUT


@lru_cache(maxsize=256)
def transfer_tool(name: str, about: str) -> Tool:
    """Return the tool that hands the conversation over to the agent of this name; `about` says when to."""

    def transfer() -> str:
        return f"The conversation is now with {name}, who has read it. Go on as {name}."

    return _tool(name, f"Hand the conversation over to {name}. {about}".strip(), transfer)


def _tool(name: str, description: str, function: Callable[..., Any]) -> Tool:
    # Providers take these letters only, and at most 64.
    plain = re.sub(r"\W+", "_", name, flags=re.ASCII).strip("_")[:50]
    if not plain:
        raise CourseError(f"{name!r} cannot name a tool. Give it a name with letters from a to z.")
    return Tool(function, name=f"transfer_to_{plain}", description=description)


# An agent and its requests -----------------------------------------------------------------------------


@dataclass(eq=False)  # two agents that hand over to each other could not be compared by what they hold
class Agent:
    """A model with a task and tools. It holds no conversation: one agent serves any number of them.

    Args:
        name: What it is called, also as a tool of other agents.
        instructions: What the model is told before the conversation (the system prompt).
        tools: Tools; other agents, to hand the conversation over to; `HumanQueue`s.
        model: "anthropic:<id>", "openai:<id>" (Chat Completions), "openai-responses:<id>", "gemini:<id>", an
            id whose family is plain ("claude-…", "gpt-…", "gemini-…"), or a client and an id:
            (OpenAI(base_url=…), "llama3.2"). Without it the course's model of Anthropic.
        description: For other agents, when to hand over to this one. Without it, its instructions say it.
        options: More fields of the request, as the API calls them: {"max_tokens": 500}.
    """

    name: str
    instructions: str = ""
    tools: Sequence[Tool | Agent | HumanQueue] = ()
    model: str | tuple[Any, str] | None = None
    description: str = ""
    options: dict[str, Any] = field(default_factory=dict)

    def __post_init__(self) -> None:
        """Raise CourseError, or ToolSchemaError, for what no provider could be asked with."""
        if not isinstance(self.name, str) or not self.name.strip():
            raise CourseError(f"The name of an agent is {self.name!r}. Write a text, such as 'support'.")
        if not isinstance(self.instructions, str):
            raise CourseError(f"The instructions of {self.name} are no text but {self.instructions!r}.")
        if isinstance(self.tools, Tool | Agent | HumanQueue):
            raise CourseError(f"tools of {self.name} is one tool. Write a list: tools=[...].")
        if not isinstance(self.tools, Collection) or isinstance(self.tools, str | Mapping):
            raise CourseError(
                f"tools of {self.name} is {self.tools!r}. Write a list: tools=[...], or leave it out."
            )
        if not isinstance(self.options, dict):
            raise CourseError(
                f"options of {self.name} is {self.options!r}. Write a dictionary, such as "
                '{"max_tokens": 500}, or leave it out.'
            )
        AgentRequest(self, "")

    def __repr__(self) -> str:
        return f"<agent {self.name}, {len(self.tools)} tools>"


class AgentRequest:
    """What all requests of an agent in one session have in common.

    Raises CourseError for what the program got wrong.

    model, provider  which model, and the module of its API
    tools            by name, those that hand over among them
    definitions      of the tools, as the API wants them
    transfers        the agents to hand over to, by the name of the tool that does it
    """

    def __init__(self, agent: Agent, session_id: str) -> None:
        self.agent = agent
        self.model: Model = read_model(agent.model)
        self.provider = module_of(self.model.provider)
        self.provider.check_options(agent.options)
        self.transfers: dict[str, Agent] = {}
        found = []
        for one in agent.tools:
            if isinstance(one, Agent):
                handing_over = transfer_tool(one.name, one.description or one.instructions)
                self.transfers[handing_over.name] = one
                one = handing_over
            elif isinstance(one, HumanQueue):
                one = one.tool_for(session_id)
            found.append(one)
        self.tools = tools_by_name(found)
        if self.provider.STRICT is not None:
            check_limits(found, self.provider.STRICT)
        self.definitions = self.provider.write_definitions(found)

    def body(self, written: list[Any]) -> dict[str, Any]:
        """Return the request that goes on with a history, which was written as its API wants it."""
        agent = self.agent
        body = self.provider.write_request(self.model.id, agent.instructions, written, self.definitions)
        return self.provider.fit_request(body | agent.options)


def all_agents(first: Agent) -> dict[str, Agent]:
    """Return, by name, an agent and all that a conversation can come to from it."""
    found: dict[str, Agent] = {}
    waiting = [first]
    while waiting:
        agent = waiting.pop()
        if agent.name not in found:
            found[agent.name] = agent
            waiting += [one for one in agent.tools if isinstance(one, Agent)]
        elif found[agent.name] is not agent:
            raise CourseError(f"Two agents are called '{agent.name}'. Give one of them another name.")
    return found
