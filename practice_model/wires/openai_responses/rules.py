"""What the Responses API refuses beyond the shape of a request, as two tables of rules.

Each finder looks for its first violation and returns what the texts of its rule need, or None.
"""

from __future__ import annotations

from pathlib import PurePosixPath
from urllib.parse import urlsplit

from ..api import Found, WireRule, when
from ..conversation import Round, WireLink, call_without_result, over, repeated_result, result_of_no_call
from ..openai.rules import (
    BAD_SCHEMA,
    bad_answer_schema,
    choice_not_offered,
    effort_not_taken,
    effort_unknown,
    not_here,
    sampling,
)
from ..openai.shapes import options
from .history import ContinuedRequest, resolved
from .shapes import (
    FunctionCallOutput,
    ItemReference,
    OtherItem,
    Reasoning,
    ResponsesFunctionCall,
    ResponsesMessage,
)

# Items ------------------------------------------------------------------------------------------


def no_word_json(asked: ContinuedRequest) -> Found:
    if asked.request.answer_format.type != "json_object":
        return None
    text = f"{asked.request.input} {asked.request.instructions} {asked.before}"
    return None if "json" in text.lower() else {}


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
    """Return a reference, or reasoning without its content, to something that is not kept."""
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
    """Return a file that is sound, video, image or archive by its name."""
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


# The tables -------------------------------------------------------------------------------------

NOT_HERE = {
    "prompt": "it keeps no prompts; write `instructions` and `input`",
    "top_logprobs": "it does not work with probabilities",
}

REQUEST_RULES = (
    WireRule(
        when(lambda request: not (request.input or request.previous_response_id or request.conversation)),
        'One of "input" or "previous_response_id" or "prompt" or "conversation" must be provided.',
        "input",
        "missing_required_parameter",
    ),
    WireRule(
        when(lambda request: request.previous_response_id and request.conversation),
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
    *not_here(NOT_HERE),
    BAD_SCHEMA,
    WireRule(
        when(lambda request: request.tool_choice == "required" and not request.tools),
        "Tool choice 'required' must be specified with 'tools' parameter.",
        "tool_choice",
    ),
    WireRule(
        choice_not_offered,
        "Tool choice 'function' not found in 'tools' parameter. (no function is named '{name}'; "
        "offered: {offered_or_none})",
        "tool_choice",
    ),
    WireRule(
        bad_answer_schema,
        "Invalid schema for response_format '{name}': {problem}",
        "text.format.schema",
        "invalid_json_schema",
    ),
)

ITEM_RULES = (
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
    WireRule(output_without_call, "No tool call found for function call output with call_id {id}.", "input"),
    WireRule(
        over(_rounds, repeated_result),
        "Duplicate tool output found for function call {id}. "
        "(Send one `function_call_output` for each `call_id`.)",
        "input",
    ),
    WireRule(over(_rounds, call_without_result), "No tool output found for function call {id}.", "input"),
)
