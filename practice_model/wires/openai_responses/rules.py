"""What the Responses API refuses beyond the shape of a request: the rules in their order.

First those on the request, then those on its items, which may go on with what came before.
"""

from __future__ import annotations

from itertools import zip_longest
from pathlib import PurePosixPath
from urllib.parse import urlsplit

from ..openai.rules import (
    BAD_SCHEMA,
    NOT_HERE,
    bad_answer_schema,
    bad_schema,
    choice_not_offered,
    effort_not_taken,
    effort_unknown,
    not_here,
    sampling_not_taken,
)
from ..openai.shapes import options
from ..rules import (
    Found,
    Round,
    Rules,
    WireLink,
    call_without_result,
    over,
    repeated,
    repeated_result,
    result_of_no_call,
    when,
)
from .history import ContinuedRequest, resolved
from .shapes import (
    FunctionCallOutput,
    ItemReference,
    OtherItem,
    Reasoning,
    ResponsesFunctionCall,
    ResponsesMessage,
    ResponsesRequest,
)

REQUEST_RULES = Rules()
ITEM_RULES = Rules()

# The request --------------------------------------------------------------------------------------


@REQUEST_RULES.refuse(
    'One of "input" or "previous_response_id" or "prompt" or "conversation" must be provided.',
    "input",
    "missing_required_parameter",
)
def no_input(request: ResponsesRequest) -> Found:
    return when(not (request.input or request.previous_response_id or request.conversation))


@REQUEST_RULES.refuse(
    "Mutually exclusive parameters: 'previous_response_id' and 'conversation'. "
    "Ensure you are only providing one of them.",
    "previous_response_id",
    "mutually_exclusive_parameters",
)
def two_conversations(request: ResponsesRequest) -> Found:
    return when(request.previous_response_id and request.conversation)


REQUEST_RULES.add(
    effort_not_taken,
    "Unsupported parameter: 'reasoning.effort' is not supported with this model.",
    "reasoning.effort",
    "unsupported_parameter",
)
REQUEST_RULES.add(
    effort_unknown,
    "Unsupported value: '{value}' is not supported with this model. Supported values are: {supported}.",
    "reasoning.effort",
    "unsupported_value",
)
REQUEST_RULES.add(
    sampling_not_taken,
    "Unsupported parameter: '{name}' is not supported with this model.",
    "{name}",
    "unsupported_parameter",
)
_WHY_NOT = {
    "prompt": "it keeps no prompts; write `instructions` and `input`",
    "top_logprobs": "it does not work with probabilities",
}
REQUEST_RULES.add(not_here(_WHY_NOT), *NOT_HERE)
REQUEST_RULES.add(bad_schema, *BAD_SCHEMA)


@REQUEST_RULES.refuse("Tool choice 'required' must be specified with 'tools' parameter.", "tool_choice")
def required_without_tools(request: ResponsesRequest) -> Found:
    return when(request.tool_choice == "required" and not request.tools)


REQUEST_RULES.add(
    choice_not_offered,
    "Tool choice 'function' not found in 'tools' parameter. (no function is named '{name}'; "
    "offered: {offered_or_none})",
    "tool_choice",
)
REQUEST_RULES.add(
    bad_answer_schema,
    "Invalid schema for response_format '{name}': {problem}",
    "text.format.schema",
    "invalid_json_schema",
)

# Items --------------------------------------------------------------------------------------------


@ITEM_RULES.refuse(
    "Response input messages must contain the word 'json' in some form to use 'text.format' of type "
    "'json_object'.",
    "input",
)
def no_word_json(asked: ContinuedRequest) -> Found:
    if asked.request.answer_format.type == "json_object":
        text = f"{asked.request.input} {asked.request.instructions} {asked.before}"
        yield from when("json" not in text.lower())


_CONTENT = {True: ("output_text", "refusal"), False: ("input_text", "input_image", "input_file")}
"""What a message holds that is the assistant's, and what any other."""


@ITEM_RULES.refuse(
    "Invalid value: '{type}'. Supported values are: {supported}.", "input[{n}].content[{m}]", "invalid_value"
)
def content_of_other_role(asked: ContinuedRequest) -> Found:
    for n, item in enumerate(asked.items):
        if isinstance(item, ResponsesMessage) and not isinstance(item.content, str):
            supported = _CONTENT[item.role == "assistant"]
            for m, part in enumerate(item.content):
                if part.type not in supported:
                    yield {"n": n, "m": m, "type": part.type, "supported": options(supported)}


_PREFIXES = {ResponsesMessage: "msg", ResponsesFunctionCall: "fc", Reasoning: "rs"}


@ITEM_RULES.refuse(
    "Invalid 'input[{n}].id': '{id}'. Expected an ID that begins with '{prefix}'.",
    "input[{n}].id",
    "invalid_value",
)
def id_of_other_kind(asked: ContinuedRequest) -> Found:
    for n, item in enumerate(asked.items):
        prefix = _PREFIXES.get(type(item))
        if prefix and item.id and not item.id.startswith(prefix):
            yield {"n": n, "id": item.id, "prefix": prefix}


@ITEM_RULES.refuse(
    "Duplicate item found with id {id}. Remove duplicate items from your input and try again.", "input"
)
def repeated_id(asked: ContinuedRequest) -> Found:
    ids = (getattr(item, "id", None) for item in asked.items if not isinstance(item, OtherItem))
    return ({"id": one} for one in repeated(filter(None, ids)))


@ITEM_RULES.refuse(
    "Item with id '{id}' not found. Items are not persisted when `store` is set to false. "
    "Try again with `store` set to true, or remove this item from your input.",
    "input",
    status=404,
)
def unknown_reference(asked: ContinuedRequest) -> Found:
    """Find references, or reasoning without its content, to something that is not kept."""
    for item in asked.items:
        bare = isinstance(item, Reasoning) and item.id and not item.encrypted_content
        if (bare or isinstance(item, ItemReference)) and asked.store.find_item(item.id) is None:
            yield {"id": item.id}


@ITEM_RULES.refuse(
    "Item '{id}' of type 'reasoning' was provided without its required following item.", "input"
)
def reasoning_alone(asked: ContinuedRequest) -> Found:
    for item, after in zip_longest(asked.items, asked.items[1:]):
        if isinstance(item, Reasoning) and item.id:
            alone = after is None or isinstance(after, FunctionCallOutput)
            if alone or (isinstance(after, ResponsesMessage) and after.role != "assistant"):
                yield {"id": item.id}


_NOT_DOCUMENTS = frozenset(
    """
    .mp3 .wav .ogg .flac .m4a .aac .mp4 .mov .avi .mkv .webm .png .jpg .jpeg .gif .webp .bmp .tiff .zip .gz
    .tar .7z .rar .exe .dll .bin .iso
    """.split()
)


@ITEM_RULES.refuse(
    "The file type you uploaded is not supported. Please try again with a pdf", "input", "unsupported_file"
)
def not_a_document(asked: ContinuedRequest) -> Found:
    """Find files that are sound, video, image or archive by their names."""
    for item in asked.items:
        content = getattr(item, "content", None) or getattr(item, "output", None)
        for part in content if isinstance(content, list) else []:
            if getattr(part, "type", "") == "input_file":
                name = part.filename or _path(part.file_url or "")
                yield from when(PurePosixPath(name).suffix.lower() in _NOT_DOCUMENTS)


def _path(url: str) -> str:
    try:
        return urlsplit(url).path
    except ValueError:
        return ""


# Calls and outputs --------------------------------------------------------------------------------


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


@ITEM_RULES.refuse("No tool call found for function call output with call_id {id}.", "input")
def output_without_call(asked: ContinuedRequest) -> Found:
    return [] if asked.elsewhere else result_of_no_call(_rounds(asked))


ITEM_RULES.add(
    over(_rounds, repeated_result),
    "Duplicate tool output found for function call {id}. "
    "(Send one `function_call_output` for each `call_id`.)",
    "input",
)
ITEM_RULES.add(over(_rounds, call_without_result), "No tool output found for function call {id}.", "input")
