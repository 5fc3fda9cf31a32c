"""JSON Schema from Python: from a function, from a type; clean, strict, and in every provider's dialect.

    signatures   what a function asks for             docstrings   what it says of itself
    building     Pydantic's schema of the arguments   cleaning     the same without noise
    strict       the strict forms                     subset       what strict modes take
    gemini       Gemini's subset of OpenAPI           telling      the rest, in descriptions
    limits       how large a request may be           checking     arguments into Python objects
    wording      what is wrong with arguments

Nothing here knows an SDK, and the schemas are plain dictionaries.
"""

from __future__ import annotations

from .building import arguments_of, arguments_of_model, schema_for, schema_of
from .checking import check_arguments, read_arguments
from .cleaning import clean, short_null
from .context import RUNNING, Context
from .gemini import reasons_against_gemini, to_gemini
from .limits import OverLimit, limits_exceeded
from .signatures import Parameter, Signature, read_model, read_signature
from .strict import reasons_against, strict, without_tuples
from .walking import Schema, walk

__all__ = [
    "RUNNING",
    "Context",
    "OverLimit",
    "Parameter",
    "Schema",
    "Signature",
    "arguments_of",
    "arguments_of_model",
    "check_arguments",
    "clean",
    "limits_exceeded",
    "read_arguments",
    "read_model",
    "read_signature",
    "reasons_against",
    "reasons_against_gemini",
    "schema_of",
    "short_null",
    "strict",
    "to_gemini",
    "walk",
    "without_tuples",
]

