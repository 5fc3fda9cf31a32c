"""The rules of the Responses API that go beyond the shape of a request, as one table.

The messages are worded as the real service words them; what is in round brackets at their end is the practice
model's own help. The first rule that a request breaks is the one it is told.
"""

from __future__ import annotations

from collections.abc import Callable

from . import openai_models as models
from . import openai_responses_conversation as conversation
from . import openai_strict
from . import openai_tools as tools
from .openai_responses_conversation import Asked
from .openai_responses_shapes import AllowedChoice, FunctionChoice, FunctionTool, ResponsesRequest
from .openai_rules import Found, Rule
from .openai_shapes import options

# Models and limits ------------------------------------------------------------------------------------


def effort(request: ResponsesRequest) -> str | None:
    return request.reasoning.effort if request.reasoning else None


def effort_not_taken(asked: Asked) -> Found:
    return {} if effort(asked.request) and not models.efforts(asked.request.model) else None


def effort_unknown(asked: Asked) -> Found:
    wanted, taken = effort(asked.request), models.efforts(asked.request.model)
    if wanted is None or wanted in taken:
        return None
    return {"value": wanted, "supported": options(list(taken))}


def sampling(name: str) -> Callable[[Asked], Found]:
    def find(asked: Asked) -> Found:
        value = getattr(asked.request, name)
        if value in (None, 1) or models.takes_sampling(asked.request.model, effort(asked.request)):
            return None
        return {"name": name}

    return find


NOT_HERE = {
    "prompt": "it keeps no prompts; write `instructions` and `input`",
    "top_logprobs": "it does not work with probabilities",
}


def not_here(asked: Asked) -> Found:
    names = [name for name in NOT_HERE if getattr(asked.request, name)]
    return {"name": names[0], "why": NOT_HERE[names[0]]} if names else None


# Tools and formats ------------------------------------------------------------------------------------


def functions(request: ResponsesRequest) -> list[tools.Offered]:
    """The functions on offer. Where `strict` is left out, a schema that fits the strict subset is strict."""
    found = []
    for n, tool in enumerate(request.tools or []):
        if isinstance(tool, FunctionTool) and not tool.defer_loading:
            place = f"tools[{n}].parameters"
            found.append(
                tools.Offered(place, tool.name, tool.description or "", tool.parameters, is_strict(tool))
            )
    return found


def is_strict(tool: FunctionTool) -> bool:
    if tool.strict is not None or not isinstance(tool.parameters, dict):
        return bool(tool.strict)
    return not (openai_strict.problem(tool.parameters) or openai_strict.strict_problem(tool.parameters))


def choice(request: ResponsesRequest) -> tools.Choice:
    wanted = request.tool_choice
    if wanted is None or isinstance(wanted, str):
        return tools.Choice(wanted or "auto")
    if isinstance(wanted, FunctionChoice):
        return tools.Choice("named", (wanted.name,))
    if isinstance(wanted, AllowedChoice):
        names = tuple(str(tool.get("name")) for tool in wanted.tools if tool.get("type") == "function")
        return tools.Choice(wanted.mode, names, only=True)
    return tools.Choice("none")  # a tool that the provider runs: it is never used here


def required_without_tools(asked: Asked) -> Found:
    request = asked.request
    return {} if request.tool_choice == "required" and not request.tools else None


def choice_not_offered(asked: Asked) -> Found:
    offered = [function.name for function in functions(asked.request)]
    unknown = [name for name in choice(asked.request).names if name not in offered]
    return {"name": unknown[0], "offered": ", ".join(offered) or "none"} if unknown else None


def bad_schema(asked: Asked) -> Found:
    return tools.schema_problem(functions(asked.request))


def bad_answer_schema(asked: Asked) -> Found:
    wanted = asked.request.text.format if asked.request.text else None
    if getattr(wanted, "type", "") != "json_schema":
        return None
    return tools.answer_schema_problem(wanted.name, wanted.json_schema, bool(wanted.strict))


def no_word_json(asked: Asked) -> Found:
    wanted = asked.request.text.format if asked.request.text else None
    if getattr(wanted, "type", "") != "json_object":
        return None
    text = f"{asked.request.input} {asked.request.instructions} {asked.before}"
    return None if "json" in text.lower() else {}


# The table ----------------------------------------------------------------------------------------------

RULES = (
    Rule(
        conversation.nothing_asked,
        'One of "input" or "previous_response_id" or "prompt" or "conversation" must be provided.',
        "input",
        "missing_required_parameter",
    ),
    Rule(
        conversation.two_histories,
        "Mutually exclusive parameters: 'previous_response_id' and 'conversation'. "
        "Ensure you are only providing one of them.",
        "previous_response_id",
        "mutually_exclusive_parameters",
    ),
    Rule(
        effort_not_taken,
        "Unsupported parameter: 'reasoning.effort' is not supported with this model.",
        "reasoning.effort",
        "unsupported_parameter",
    ),
    Rule(
        effort_unknown,
        "Unsupported value: '{value}' is not supported with this model. Supported values are: {supported}.",
        "reasoning.effort",
        "unsupported_value",
    ),
    *(
        Rule(
            sampling(name),
            "Unsupported parameter: '{name}' is not supported with this model.",
            name,
            "unsupported_parameter",
        )
        for name in ("temperature", "top_p")
    ),
    Rule(not_here, "'{name}' is not in the practice model: {why}.", "{name}", "unsupported_parameter"),
    Rule(
        bad_schema,
        "Invalid schema for function '{name}': {problem}",
        "{place}",
        "invalid_function_parameters",
    ),
    Rule(
        required_without_tools,
        "Tool choice 'required' must be specified with 'tools' parameter.",
        "tool_choice",
    ),
    Rule(
        choice_not_offered,
        "Tool choice 'function' not found in 'tools' parameter. (no function is named '{name}'; "
        "offered: {offered})",
        "tool_choice",
    ),
    Rule(
        bad_answer_schema,
        "Invalid schema for response_format '{name}': {problem}",
        "text.format.schema",
        "invalid_json_schema",
    ),
    Rule(
        no_word_json,
        "Response input messages must contain the word 'json' in some form to use 'text.format' of type "
        "'json_object'.",
        "input",
    ),
    Rule(
        conversation.content_of_other_role,
        "Invalid value: '{type}'. Supported values are: {supported}.",
        "input[{n}].content[{m}]",
        "invalid_value",
    ),
    Rule(
        conversation.id_of_other_kind,
        "Invalid 'input[{n}].id': '{id}'. Expected an ID that begins with '{prefix}'.",
        "input[{n}].id",
        "invalid_value",
    ),
    Rule(
        conversation.repeated_id,
        "Duplicate item found with id {id}. Remove duplicate items from your input and try again.",
        "input",
    ),
    Rule(
        conversation.unknown_reference,
        "Item with id '{id}' not found. Items are not persisted when `store` is set to false. "
        "Try again with `store` set to true, or remove this item from your input.",
        "input",
        None,
        404,
    ),
    Rule(
        conversation.reasoning_alone,
        "Item '{id}' of type 'reasoning' was provided without its required following item.",
        "input",
    ),
    Rule(
        conversation.not_a_document,
        "The file type you uploaded is not supported. Please try again with a pdf",
        "input",
        "unsupported_file",
    ),
    Rule(
        conversation.output_without_call,
        "No tool call found for function call output with call_id {id}.",
        "input",
    ),
    Rule(
        conversation.repeated_output,
        "Duplicate tool output found for function call {id}. "
        "(Send one `function_call_output` for each `call_id`.)",
        "input",
    ),
    Rule(conversation.call_without_output, "No tool output found for function call {id}.", "input"),
)
