"""The page "Make your own tool" as a notebook: a bench for a definition of the learner's own.

Called by tools/furniture.py. What the page says between its cells stands in course_lib/catalogue.
"""

from __future__ import annotations

from pathlib import Path

import course_notebooks as course
import nbformat
from course_notebooks import ROOT, Setup, label
from index_page import text
from nbformat.v4 import new_code_cell, new_markdown_cell, new_notebook

NAME = "your_own_tool.ipynb"
_BENCH = '''\
from anthropic import Anthropic
from IPython.display import display

from course_lib import models, practice
from course_lib.tools import tool

client = Anthropic()


@tool
def water_plant(plant: str, millilitres: int = 200) -> dict:
    """Give a plant water. Use it when the user asks to water a plant, or says that one is dry.

    Args:
        plant: The name of the plant, for example "fern".
        millilitres: How much water.
    """
    return {"ok": True}


def ask(question, *tools):
    response = client.messages.create(
        model=models.ANTHROPIC,
        max_tokens=1000,
        tools=[one.to_anthropic() for one in tools],
        messages=[{"role": "user", "content": question}],
    )
    print(question)
    for block in response.content:
        print("  ", block.text if block.type == "text" else f"{block.name} {block.input}")
    display(practice.explain())'''
_ASK = """\
for question in (
    "Water the fern with 150 ml, please.",
    "My ficus looks dry.",
    "Riega la orquídea con 50 ml",
):
    ask(question, water_plant)"""
_HASTY = '''\
@tool
def plant(x: str, n: int) -> dict:
    """Plant data."""
    return {"ok": True}


ask("My ficus looks dry.", plant)'''
_LIMIT = """\
ask("What is the capital of Peru?", water_plant)"""


def page(folder: Path, root: Path = ROOT) -> nbformat.NotebookNode:
    """The page of one edition; `folder` is that of its lessons in solutions/."""
    lang, address = course.language(folder, root), course.repository(root)
    place = root / "notebooks" / folder.relative_to(root / "solutions")
    badge = course.colab_badge(address, label(place / NAME, root))
    links = f"{badge} · [{text(lang, 'index')}](index.ipynb) · [{text(lang, 'glossary')}](glossary.ipynb)"
    setup = Setup("", "" if lang == "en" else f'lang="{lang}"').source(address)
    cells = [
        new_markdown_cell(f"# {text(lang, 'own_tool')}\n\n{links}", id="title"),
        new_markdown_cell(text(lang, "own_tool_begin"), id="begin"),
        new_code_cell(setup, id="setup"),
        new_code_cell(_BENCH, id="bench"),
        new_code_cell(_ASK, id="ask"),
        new_markdown_cell(text(lang, "own_tool_definition"), id="definition"),
        new_code_cell(_HASTY, id="hasty"),
        new_markdown_cell(text(lang, "own_tool_limits"), id="limits"),
        new_code_cell(_LIMIT, id="limit"),
        new_markdown_cell(text(lang, "own_tool_real", readme=address), id="real"),
    ]
    return new_notebook(cells=cells, metadata=nbformat.from_dict(course.METADATA))
