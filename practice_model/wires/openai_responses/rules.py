"""What the Responses API refuses beyond the shape of a request, as one table of rules.

Each finder looks for its first violation and returns what the texts of its rule need, or None.
"""

from __future__ import annotations

from collections.abc import Callable
from pathlib import PurePosixPath
from urllib.parse import urlsplit

from ...facts.models import gpt
from ..api import Found, WireRule
from ..conversation import Round, WireLink, call_without_result, over, repeated_result, result_of_no_call
from ..openai.rules import Choice, Offered, answer_schema_problem, schema_problem, takes_sampling
from ..openai.schemas import parameters_problem, strict_problem
from ..openai.shapes import options
from .history import ContinuedRequest, resolved
from .shapes import (
    FunctionCallOutput,
    ItemReference,
    OtherItem,
    Reasoning,
    ResponsesAllowedChoice,
    ResponsesFunctionCall,
    ResponsesFunctionChoice,
    ResponsesFunctionTool,
    ResponsesMessage,
    ResponsesRequest,
)

# Models and limits ------------------------------------------------------------------------------


def effort(request: ResponsesRequest) -> str | None:
    return request.reasoning.effort if request.reasoning else None


def effort_not_taken(asked: ContinuedRequest) -> Found:
    return {} if effort(asked.request) and not gpt(asked.request.model).efforts else None


def effort_unknown(asked: ContinuedRequest) -> Found:
    wanted, taken = effort(asked.request), gpt(asked.request.model).efforts
    if wanted is None or wanted in taken:
        return None
    return {"value": wanted, "supported": options(list(taken))}


def sampling(name: str) -> Callable[[ContinuedRequest], Found]:
    def find(asked: ContinuedRequest) -> Found:
        value = getattr(asked.request, name)
        if value in (None, 1) or takes_sampling(asked.request.model, effort(asked.request)):
            return None
        return {"name": name}

    return find


NOT_HERE = {
    "prompt": "it keeps no prompts; write `instructions` and `input`",
    "top_logprobs": "it does not work with probabilities",
}


def not_here(asked: ContinuedRequest) -> Found:
    names = [name for name in NOT_HERE if getattr(asked.request, name)]
    return {"name": names[0], "why": NOT_HERE[names[0]]} if names else None


# Tools and formats ------------------------------------------------------------------------------


def functions(request: ResponsesRequest) -> list[Offered]:
    """Return the functions on offer, strict where they say so or, saying nothing, fit the subset."""
    found = []
    for n, tool in enumerate(request.tools or []):
        if isinstance(tool, ResponsesFunctionTool) and not tool.defer_loading:
            place = f"tools[{n}].parameters"
            found.append(Offered(place, tool.name, tool.description or "", tool.parameters, is_strict(tool)))
    return found


def is_strict(tool: ResponsesFunctionTool) -> bool:
    if tool.strict is not None or not isinstance(tool.parameters, dict):
        return bool(tool.strict)
    return not (parameters_problem(tool.parameters) or strict_problem(tool.parameters))


def choice(request: ResponsesRequest) -> Choice:
    wanted = request.tool_choice
    if wanted is None or isinstance(wanted, str):
        return Choice(wanted or "auto")
    if isinstance(wanted, ResponsesFunctionChoice):
        return Choice("named", (wanted.name,))
    if isinstance(wanted, ResponsesAllowedChoice):
        names = tuple(str(tool.get("name")) for tool in wanted.tools if tool.get("type") == "function")
        return Choice(wanted.mode, names, only=True)
    return Choice("none")  # a tool that the provider runs: it is never used here


def required_without_tools(asked: ContinuedRequest) -> Found:
    request = asked.request
    return {} if request.tool_choice == "required" and not request.tools else None


def choice_not_offered(asked: ContinuedRequest) -> Found:
    offered = [function.name for function in functions(asked.request)]
    unknown = [name for name in choice(asked.request).names if name not in offered]
    return {"name": unknown[0], "offered": ", ".join(offered) or "none"} if unknown else None


def bad_schema(asked: ContinuedRequest) -> Found:
    return schema_problem(functions(asked.request))


def bad_answer_schema(asked: ContinuedRequest) -> Found:
    wanted = asked.request.text.format if asked.request.text else None
    if getattr(wanted, "type", "") != "json_schema":
        return None
    return answer_schema_problem(wanted.name, wanted.json_schema, bool(wanted.strict))


def no_word_json(asked: ContinuedRequest) -> Found:
    wanted = asked.request.text.format if asked.request.text else None
    if getattr(wanted, "type", "") != "json_object":
        return None
    text = f"{asked.request.input} {asked.request.instructions} {asked.before}"
    return None if "json" in text.lower() else {}


# Items ------------------------------------------------------------------------------------------


def nothing_asked(asked: ContinuedRequest) -> Found:
    request = asked.request
    return {} if not (request.input or request.previous_response_id or request.conversation) else None


def two_histories(asked: ContinuedRequest) -> Found:
    return {} if asked.request.previous_response_id and asked.request.conversation else None


_PREFIXES = {ResponsesMessage: "msg", ResponsesFunctionCall: "fc", Reasoning: "rs"}


def id_of_other_kind(asked: ContinuedRequest) -> Found:
    for n, item in enumerate(asked.items):
        prefix = _PREFIXES.get(type(item))
        if prefix and item.id and not item.id.startswith(prefix):
            return {"n": n, "id": item.id, "prefix": prefix}
    return None


def repeated_id(asked: ContinuedRequest) -> Found:
    seen: set[str] = set()
    for item in asked.items:
        if getattr(item, "id", None) and not isinstance(item, OtherItem):
            if item.id in seen:
                return {"id": item.id}
            seen.add(item.id)
    return None


def unknown_reference(asked: ContinuedRequest) -> Found:
    """A reference, or reasoning without its content, to something that is not kept."""
    for item in asked.items:
        bare = isinstance(item, Reasoning) and item.id and not item.encrypted_content
        if (bare or isinstance(item, ItemReference)) and asked.store.find_item(item.id) is None:
            return {"id": item.id}
    return None


def reasoning_alone(asked: ContinuedRequest) -> Found:
    for n, item in enumerate(asked.items):
        if isinstance(item, Reasoning) and item.id:
            after = asked.items[n + 1] if n + 1 < len(asked.items) else None
            alone = after is None or isinstance(after, FunctionCallOutput)
            if alone or (isinstance(after, ResponsesMessage) and after.role != "assistant"):
                return {"id": item.id}
    return None


_OUTPUT_CONTENT = ("output_text", "refusal")


def content_of_other_role(asked: ContinuedRequest) -> Found:
    for n, item in enumerate(asked.items):
        if not isinstance(item, ResponsesMessage) or isinstance(item.content, str):
            continue
        for m, part in enumerate(item.content):
            if (part.type in _OUTPUT_CONTENT) != (item.role == "assistant"):
                mine = ["input_text", "input_image", "input_file"]
                supported = list(_OUTPUT_CONTENT) if item.role == "assistant" else mine
                return {"n": n, "m": m, "type": part.type, "supported": options(supported)}
    return None


_NOT_DOCUMENTS = frozenset(
    """
    .mp3 .wav .ogg .flac .m4a .aac .mp4 .mov .avi .mkv .webm .png .jpg .jpeg .gif .webp .bmp .tiff .zip .gz
    .tar .7z .rar .exe .dll .bin .iso
    """.split()
)


def not_a_document(asked: ContinuedRequest) -> Found:
    """A file that is sound, video, image or archive by its name."""
    for item in asked.items:
        content = getattr(item, "content", None) or getattr(item, "output", None)
        for part in content if isinstance(content, list) else []:
            if getattr(part, "type", "") == "input_file":
                name = part.filename or _path(part.file_url or "")
                if PurePosixPath(name).suffix.lower() in _NOT_DOCUMENTS:
                    return {}
    return None


def _path(url: str) -> str:
    try:
        return urlsplit(url).path
    except ValueError:
        return ""


# Calls and outputs ------------------------------------------------------------------------------


def _rounds(asked: ContinuedRequest) -> list[Round]:
    """Return all calls and outputs as one round: an output may come anywhere after its call."""
    calls: list[WireLink] = []
    outputs: list[WireLink] = []
    for n, item in enumerate((*asked.before, *(resolved(asked, one) for one in asked.items))):
        fields = item if isinstance(item, dict) else vars(item)
        if fields.get("type") in ("function_call", "function_call_output"):
            links = calls if fields["type"] == "function_call" else outputs
            links.append(WireLink(fields["call_id"], n))
    return [Round(calls, outputs)]


def output_without_call(asked: ContinuedRequest) -> Found:
    return None if asked.elsewhere else result_of_no_call(_rounds(asked))


# The table --------------------------------------------------------------------------------------


RULES = (
    WireRule(
        nothing_asked,
        'One of "input" or "previous_response_id" or "prompt" or "conversation" must be provided.',
        "input",
        "missing_required_parameter",
    ),
    WireRule(
        two_histories,
        "Mutually exclusive parameters: 'previous_response_id' and 'conversation'. "
        "Ensure you are only providing one of them.",
        "previous_response_id",
        "mutually_exclusive_parameters",
    ),
    WireRule(
        effort_not_taken,
        "Unsupported parameter: 'reasoning.effort' is not supported with this model.",
        "reasoning.effort",
        "unsupported_parameter",
    ),
    WireRule(
        effort_unknown,
        "Unsupported value: '{value}' is not supported with this model. Supported values are: {supported}.",
        "reasoning.effort",
        "unsupported_value",
    ),
    *(
        WireRule(
            sampling(name),
            "Unsupported parameter: '{name}' is not supported with this model.",
            name,
            "unsupported_parameter",
        )
        for name in ("temperature", "top_p")
    ),
    WireRule(not_here, "'{name}' is not in the practice model: {why}.", "{name}", "unsupported_parameter"),
    WireRule(
        bad_schema,
        "Invalid schema for function '{name}': {problem}",
        "{place}",
        "invalid_function_parameters",
    ),
    WireRule(
        required_without_tools,
        "Tool choice 'required' must be specified with 'tools' parameter.",
        "tool_choice",
    ),
    WireRule(
        choice_not_offered,
        "Tool choice 'function' not found in 'tools' parameter. (no function is named '{name}'; "
        "offered: {offered})",
        "tool_choice",
    ),
    WireRule(
        bad_answer_schema,
        "Invalid schema for response_format '{name}': {problem}",
        "text.format.schema",
        "invalid_json_schema",
    ),
    WireRule(
        no_word_json,
        "Response input messages must contain the word 'json' in some form to use 'text.format' of type "
        "'json_object'.",
        "input",
    ),
    WireRule(
        content_of_other_role,
        "Invalid value: '{type}'. Supported values are: {supported}.",
        "input[{n}].content[{m}]",
        "invalid_value",
    ),
    WireRule(
        id_of_other_kind,
        "Invalid 'input[{n}].id': '{id}'. Expected an ID that begins with '{prefix}'.",
        "input[{n}].id",
        "invalid_value",
    ),
    WireRule(
        repeated_id,
        "Duplicate item found with id {id}. Remove duplicate items from your input and try again.",
        "input",
    ),
    WireRule(
        unknown_reference,
        "Item with id '{id}' not found. Items are not persisted when `store` is set to false. "
        "Try again with `store` set to true, or remove this item from your input.",
        "input",
        None,
        404,
    ),
    WireRule(
        reasoning_alone,
        "Item '{id}' of type 'reasoning' was provided without its required following item.",
        "input",
    ),
    WireRule(
        not_a_document,
        "The file type you uploaded is not supported. Please try again with a pdf",
        "input",
        "unsupported_file",
    ),
    WireRule(
        output_without_call,
        "No tool call found for function call output with call_id {id}.",
        "input",
    ),
    WireRule(
        over(_rounds, repeated_result),
        "Duplicate tool output found for function call {id}. "
        "(Send one `function_call_output` for each `call_id`.)",
        "input",
    ),
    WireRule(over(_rounds, call_without_result), "No tool output found for function call {id}.", "input"),
)
