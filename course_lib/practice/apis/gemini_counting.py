"""How many tokens a Gemini request has. An estimate, the same every time."""

from __future__ import annotations

from typing import Any

from .. import tokens
from ..writing import CALL_OVERHEAD
from .gemini_schema import to_json_schema
from .gemini_shapes import Content, FunctionDeclaration, GenerateContentRequest, Part

MEDIA_TOKENS = {"IMAGE": 258, "DOCUMENT": 258, "AUDIO": 320, "VIDEO": 2630}

__all__ = ["count_input", "modality", "parameters"]


def count_input(request: GenerateContentRequest) -> dict[str, int]:
    """The tokens of a request by kind of content: {"TEXT": 52, "IMAGE": 258}."""
    counts = {"TEXT": 0}
    contents = [request.system_instruction] if request.system_instruction else []
    for content in [*contents, *request.contents]:
        _count_content(content, counts)
    for function in request.declarations:
        counts["TEXT"] += 8 + tokens.count_json([function.name, function.description, parameters(function)])
    return counts


def _count_content(content: Content, counts: dict[str, int]) -> None:
    for part in content.parts:
        for media in [part, *(part.function_response.parts if part.function_response else [])]:
            kind = modality(media)
            if kind:
                counts[kind] = counts.get(kind, 0) + MEDIA_TOKENS[kind]
        counts["TEXT"] += _count_part(part)


def _count_part(part: Part) -> int:
    if part.text is not None:
        return tokens.count(part.text)
    if part.function_call is not None:
        call = part.function_call
        return CALL_OVERHEAD + tokens.count(call.name) + tokens.count_json(call.args or {})
    if part.function_response is not None:
        response = part.function_response
        return CALL_OVERHEAD + tokens.count(response.name) + tokens.count_json(response.response or {})
    return 0


def modality(part: Any) -> str:
    """IMAGE, DOCUMENT, AUDIO or VIDEO for a part that is a file; else nothing."""
    blob = part.inline_data or part.file_data
    if blob is None:
        return ""
    kind = blob.mime_type.partition("/")[0].upper()
    return kind if kind in ("IMAGE", "AUDIO", "VIDEO") else "DOCUMENT"


def parameters(function: FunctionDeclaration) -> dict[str, Any]:
    """The JSON Schema of a function's arguments, in whichever of the two fields it came."""
    if function.parameters is not None:
        return to_json_schema(function.parameters)
    schema = function.parameters_json_schema
    return schema if isinstance(schema, dict) else {"type": "object", "properties": {}}
