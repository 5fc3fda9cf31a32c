"""Habits that the course does not teach, found in the syntax tree of a cell's code.

What a provider sends is a list of which the first entry is not always the wanted one. So nothing may pick an
entry by its place: by an index, a slice of one, unpacking, pop() or next(iter(…)), also under another name.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator

_FIRST_OF = {
    "content": "select content blocks by their type: the first may be thinking",
    "parts": "select parts by their kind: the first may be a thought",
    "tool_calls": "loop over all calls: a turn may hold several, or none",
    "function_calls": "loop over all calls: a turn may hold several, or none",
    "output": "select output items by their type: the first may be reasoning",
}
# As variables these are anything; as attributes or keys they are a provider's lists.
_ONLY_AS_FIELDS = {"output", "parts"}
_SAME_ENTRIES = {"list", "tuple", "iter", "reversed", "sorted"}

_FAMILY = (
    r"(?:claude|chatgpt|gpt|gemini|gemma|mistral|ministral|magistral|mixtral|codestral|devstral|pixtral|llama|qwen"
    r"|deepseek|grok|kimi|glm|phi|command-[ar])"
)
# A text that is nothing but a model id, or one with its provider: "anthropic:claude-…", "models/gemini-…".
_WHOLE_ID = re.compile(
    rf"(?:[a-z][\w.-]*[:/])*(?:[a-z]+\.)*(?:{_FAMILY}(?:-[\w.:-]*\w|\d[\w.:-]*)|o\d(?:-[\w.-]+)?)",
    re.IGNORECASE,
)
# In a longer text only what can hardly be a word of prose or a file's name.
_ID_IN_TEXT = re.compile(
    r"\b(?:claude-(?:[a-z]+-)?\d|(?:chat)?gpt-(?:\d|oss)|gemini-(?:\d|[a-z-]+-latest)|gemma-\d|o\d-(?:mini|pro|preview)\b"
    r"|(?:mistral|ministral|magistral|codestral|devstral|pixtral)-[a-z]+-(?:latest|\d)|llama-?\d|qwen-?\d"
    r"|deepseek-[a-z]*\d|grok-\d)[\w.-]*"
)


def habits(source: str) -> Iterator[str]:
    """All bad habits of a cell's Python; raises SyntaxError if it is none."""
    tree = ast.parse(source)
    names = _Names(tree)
    for node in ast.walk(tree):
        yield from _picks(node, names)
        called = node.func.id if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) else ""
        if called in ("eval", "exec"):
            yield f"line {node.lineno}: {called}(); call functions from a dictionary of the tools you allow"
        elif isinstance(node, ast.ExceptHandler) and node.type is None:
            yield f"line {node.lineno}: bare except; name the exceptions that you can handle"
    yield from model_ids(source, tree)


def model_ids(text: str, tree: ast.AST | None = None) -> Iterator[str]:
    """The model ids in a text; with its syntax tree also those that are only clear as a whole string."""
    found = [match[0] for match in _ID_IN_TEXT.finditer(text)]
    for node in ast.walk(tree) if tree else ():
        if isinstance(node, ast.Constant) and isinstance(node.value, str):
            value = node.value.strip()
            if _WHOLE_ID.fullmatch(value) and not any(model in value for model in found):
                found.append(value)
    for model in dict.fromkeys(found):
        instead = "models.ANTHROPIC, models.OPENAI or models.GEMINI"
        yield f"the model id {model!r}, which will be retired one day; write {instead}"


# --- an entry picked by its place -----------------------------------------------------------------


class _Names:
    """Which lists of a provider the expressions of a cell stand for, also under a variable's name."""

    def __init__(self, tree: ast.AST):
        self._aliases: dict[str, str] = {}
        for node in ast.walk(tree):
            if isinstance(node, ast.Assign | ast.AnnAssign | ast.NamedExpr) and node.value is not None:
                targets = node.targets if isinstance(node, ast.Assign) else [node.target]
                for target in targets:
                    if isinstance(target, ast.Name) and (field := self.field(node.value)):
                        self._aliases[target.id] = field

    def field(self, node: ast.AST) -> str | None:
        """The field an expression stands for: content for x.content, x["content"], list(x.content or [])."""
        name = None
        if isinstance(node, ast.Attribute):
            name = node.attr
        elif isinstance(node, ast.Subscript) and isinstance(node.slice, ast.Constant):
            name = node.slice.value
        elif isinstance(node, ast.Name):
            if node.id in self._aliases:
                return self._aliases[node.id]
            name = None if node.id in _ONLY_AS_FIELDS else node.id
        elif isinstance(node, ast.BoolOp):
            return next(filter(None, map(self.field, node.values)), None)
        elif isinstance(node, ast.Call):
            return self._of_call(node)
        elif isinstance(node, ast.GeneratorExp | ast.ListComp):
            return self._of_loop(node)
        return name if isinstance(name, str) and name in _FIRST_OF else None

    def _of_call(self, node: ast.Call) -> str | None:
        if isinstance(node.func, ast.Attribute) and node.func.attr == "get" and node.args:
            key = node.args[0]
            return key.value if isinstance(key, ast.Constant) and key.value in _FIRST_OF else None
        same = isinstance(node.func, ast.Name) and node.func.id in _SAME_ENTRIES
        return self.field(node.args[0]) if same and node.args else None

    def _of_loop(self, node: ast.GeneratorExp | ast.ListComp) -> str | None:
        """A comprehension that leaves nothing out has the same first entry."""
        only = node.generators[0]
        return self.field(only.iter) if len(node.generators) == 1 and not only.ifs else None


def _picks(node: ast.AST, names: _Names) -> Iterator[str]:
    for container, shown in _picked(node):
        field = names.field(container)
        if field:
            text = shown.format(field)
            yield f"line {node.lineno}: {text}; {_FIRST_OF[field]} (or tag the cell shows-mistake)"


def _picked(node: ast.AST) -> Iterator[tuple[ast.AST, str]]:
    """The container that a node takes one entry of by its place, and how to name that."""
    if isinstance(node, ast.Subscript) and _is_one_place(node.slice):
        yield node.value, "{}[" + ast.unparse(node.slice).replace("{", "{{").replace("}", "}}") + "]"
    elif isinstance(node, ast.Call):
        if isinstance(node.func, ast.Name) and node.func.id == "next" and node.args:
            yield node.args[0], "next({})"
        elif isinstance(node.func, ast.Attribute) and node.func.attr in ("pop", "__getitem__"):
            if not node.args or _is_one_place(node.args[0]):
                yield node.func.value, "{}." + node.func.attr + "()"
    elif isinstance(node, ast.Assign):
        for target in node.targets:
            if isinstance(target, ast.Tuple | ast.List):
                yield node.value, "unpacking {}"


def _is_one_place(index: ast.AST) -> bool:
    """Whether an index or slice of plain numbers takes one entry: 0, -1, 0:1, :1, -1:."""
    if not isinstance(index, ast.Slice):
        return isinstance(_number(index), int)
    if index.step is not None:
        return False
    low, high = _number(index.lower), _number(index.upper)
    if index.upper is None:
        return low == -1
    if not isinstance(high, int) or (index.lower is not None and low is None):
        return False
    return high - (low or 0) == 1


def _number(node: ast.AST | None) -> int | None:
    """The integer that an index is written as, or None."""
    try:
        value = ast.literal_eval(node) if node is not None else None
    except (ValueError, TypeError):
        return None
    return value if type(value) is int else None
