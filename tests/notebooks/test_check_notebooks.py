"""The form of notebooks: a good one passes, and each way of breaking it is named with file and cell."""

from __future__ import annotations

import json

import check_links
import check_notebooks
import course_notebooks as course
import nbformat
import pytest
from nbformat.v4 import new_output
from sample_course import code, prose

SOLUTION = "solutions/01_add.ipynb"
STUDENT = "notebooks/01_add.ipynb"


def problems(small_course, name: str = SOLUTION) -> list[str]:
    return check_notebooks.check_notebook(small_course.path(name), small_course.root)


def add(small_course, cell, name: str = SOLUTION) -> None:
    content = small_course.read(name)
    content.cells.append(cell)
    small_course.write(name, content)


@pytest.mark.parametrize(
    ("headings", "wrong"),
    [
        ((), []),
        (("Why", "What"), []),  # a lesson without steps
        (("An overview", "1. One", "2. Two"), []),
        (("1. One", "Two"), ["'## Two' has not its number; write '## 2. Two'"]),
        (("1. One", "3. Two", "3. Three"), ["'## 3. Two' has not its number; write '## 2. Two'"]),
        (("2. One",), ["'## 2. One' has not its number; write '## 1. One'"]),
    ],
)
def test_the_steps_of_a_lesson_are_numbered(small_course, headings, wrong):
    for number, heading in enumerate(headings):
        add(small_course, prose(f"step-{number}", f"## {heading}\n\n```text\n## no heading\n```"))
    add(small_course, prose("exercises", "## Exercises"))
    add(small_course, prose("done", "## What you can do now"))
    assert [text.split("the section ")[-1] for text in problems(small_course)] == wrong


def test_a_lesson_in_good_form_passes_in_both_editions(small_course):
    assert problems(small_course) == []
    assert problems(small_course, STUDENT) == []


@pytest.mark.parametrize(
    ("source", "found"),
    [
        ("reply.content[0].text", "line 1: content[0]; select content blocks by their type"),
        ("reply['content'][0]", "line 1: content[0]"),
        ("content = []\ncontent[0]", "line 2: content[0]"),
        ("reply.choices[0].message.tool_calls[0].id", "line 1: tool_calls[0]; loop over all calls"),
        ("reply.output[0]", "line 1: output[0]; select output items by their type"),
        ("reply.content[-1].text", "line 1: content[-1]; select content blocks by their type"),
        ("reply.content[1]", "line 1: content[1]"),
        ("reply.content[0:1]", "line 1: content[0:1]"),
        ("reply.content[:1]", "line 1: content[:1]"),
        ("reply.content[-1:]", "line 1: content[-1:]"),
        ("next(iter(reply.content)).text", "line 1: next(content)"),
        ("next(b for b in reply.content)", "line 1: next(content)"),
        ("list(reply.content)[0]", "line 1: content[0]"),
        ("reply.content.pop(0)", "line 1: content.pop()"),
        ("first, *others = reply.content", "line 1: unpacking content"),
        ("(block,) = reply.content", "line 1: unpacking content"),
        ("blocks = reply.content\nblocks[0]", "line 2: content[0]"),
        ("reply['message'].get('content')[0]", "line 1: content[0]"),
        ("[b.type for b in reply.content][0]", "line 1: content[0]"),
        ("reply.candidates[0].content.parts[0].text", "line 1: parts[0]; select parts by their kind"),
        ("choices[0].message.tool_calls[0]", "line 1: tool_calls[0]; loop over all calls"),
        ("(message.tool_calls or [])[0]", "line 1: tool_calls[0]"),
        ("calls = message.tool_calls or []\ncalls[-1]", "line 2: tool_calls[-1]"),
        ("reply.function_calls[0]", "line 1: function_calls[0]"),
        ("next(iter(reply.output))", "line 1: next(output)"),
        ("eval('1 + 1')", "line 1: eval(); call functions from a dictionary"),
        ("exec('x = 1')", "line 1: exec();"),
        ("try:\n    pass\nexcept:\n    pass", "line 3: bare except; name the exceptions"),
        ("model = 'claude-haiku-5-5'", "the model id 'claude-haiku-5-5'"),
        ("model = 'claude-3-opus-20240229'", "the model id 'claude-3-opus-20240229'"),
        ("model = 'gpt-5.4-mini'", "the model id 'gpt-5.4-mini'"),
        ("model = f'gemini-3-flash'", "the model id 'gemini-3-flash'"),
        ("model = 'o3'", "the model id 'o3'"),
        ("model = 'o4-mini'", "the model id 'o4-mini'"),
        ("model = 'gemini-flash-latest'", "the model id 'gemini-flash-latest'"),
        ("model = 'chatgpt-4o-latest'", "the model id 'chatgpt-4o-latest'"),
        ("model = 'gpt-oss-120b'", "the model id 'gpt-oss-120b'"),
        ("model = 'mistral-large-latest'", "the model id 'mistral-large-latest'"),
        ("model = 'claude-next'", "the model id 'claude-next'"),
        ("model = 'anthropic:claude-haiku-5-5'", "the model id 'claude-haiku-5-5'"),
        ("model = 'openai/o3'", "the model id 'openai/o3'"),
        ("model = 'models/gemini-pro'", "the model id 'models/gemini-pro'"),
        ("x = 1  # or claude-haiku-5-5", "the model id 'claude-haiku-5-5'"),
        ("run('llm -m gpt-5.4-mini hello')", "the model id 'gpt-5.4-mini'"),
        ("%pip install x\nreply.content[0]", "line 2: content[0]"),
        ("x = (1", "line 1 is not Python"),
        ("# only a comment", "a code cell without code"),
        ("\n".join(f"x{n} = {n}" for n in range(26)), "26 lines of code; the limit is 25"),
    ],
)
def test_a_habit_we_do_not_teach_is_named(small_course, source, found):
    add(small_course, code("new-cell", source))
    assert [line for line in problems(small_course) if line.startswith(f"{SOLUTION}#new-cell: {found}")]


@pytest.mark.parametrize(
    "source",
    [
        "# content[0] would be wrong here, and so would eval()\nx = 1",
        "print('never write tool_calls[0]')",
        "reply.choices[0].message",
        "output = [1]\noutput[0]",
        "content[1:]",
        "content[:200]",
        "reply.content[start : start + 1]",
        "next(b for b in reply.content if b.type == 'text')",
        "[b for b in reply.content if b.type == 'tool_use'][0]",
        "messages[-1]['content']",
        "for position, block in enumerate(reply.content): print(position)",
        "content.pop('note'); output.pop(0); parts = 'a b'.split(); parts[0]",
        "first, second = 'a b'.split()",
        "names = {'claude': 1, 'gpt': 2, 'o': 3, 'gemini': 4}",
        "print('Claude, GPT and Gemini: three families; see gpt-notes in o-3')",
        "%pip install -q x\n!ls\nawait something()",
        "%%bash\nls content[0]",
        "evaluate('1 + 1'); shop.eval_count",
        "try:\n    pass\nexcept ValueError:\n    pass",
        "models.ANTHROPIC",
        "\n".join(f"x{n} = {n}" for n in range(25)),
    ],
)
def test_what_only_looks_like_a_bad_habit_passes(small_course, source):
    add(small_course, code("new-cell", source))
    assert problems(small_course) == []


def test_a_cell_that_shows_a_mistake_may_make_it(small_course):
    add(small_course, code("wrong-first", "reply.content[0].text", tags=["shows-mistake"]))
    assert problems(small_course) == []


def test_prose_may_name_a_model_and_a_python_fence_may_not(small_course):
    add(small_course, prose("about", 'Live, `claude-haiku-5-5` answers.\n```json\n{"model": "gpt-5.4"}\n```'))
    assert problems(small_course) == []
    add(small_course, prose("fence", "```python\nask('claude-haiku-5-5')\n```"))
    assert [line.split(": ")[0] for line in problems(small_course)] == [f"{SOLUTION}#fence"]


RANDOM = "aB3dE6gH9jK2mN5pQ8sT1vW4yZ7"
KEYS = {
    "sk-ant-api03-": "Anthropic",
    "sk-proj-": "OpenAI",
    "sk-svcacct-": "OpenAI",
    "sk-": "OpenAI or a similar service",
    "sk-or-v1-": "OpenRouter",
    "AIza": "Google",
    "gsk_": "Groq",
    "hf_": "Hugging Face",
    "lsv2_pt_": "LangSmith",
    "ghp_": "GitHub",
}


@pytest.mark.parametrize("start", KEYS)
def test_a_key_in_a_cell_is_refused_and_never_shown(small_course, start):
    add(small_course, code("new-cell", f"x = 1\nclient = Anthropic(api_key='{start}{RANDOM}')"))
    (problem,) = problems(small_course)
    assert problem.startswith(
        f"{SOLUTION}#new-cell: line 2 holds what looks like an API key ({KEYS[start]}); take it out"
    )
    assert RANDOM[:4] not in problem


@pytest.mark.parametrize(
    "source",
    [
        "MISTRAL_API_KEY={}",
        'os.environ["MY_API_KEY"] = "{}"',
        "os.environ.setdefault('MY_API_KEY', '{}')",
        "client = Client(api_key='{}')",
        "headers = {{'Authorization': 'Bearer {}'}}",
        "%env COHERE_API_KEY={}",
    ],
)
@pytest.mark.parametrize("make", [code, prose])
def test_a_key_of_unknown_form_is_known_by_its_name(small_course, source, make):
    add(small_course, make("new-cell", source.format(RANDOM)))
    assert [line for line in problems(small_course) if "line 1 holds what looks like an API key or" in line]


@pytest.mark.parametrize(
    "source",
    [
        'client = Anthropic(api_key="my-own-secret-of-words")',
        "client = OpenAI(\n    api_key = 'abcdefgh')",
        'os.environ["ANTHROPIC_API_KEY"] = "correcthorsebattery"',
        'headers = {"x-api-key": "correcthorsebattery"}',
        'API_KEY = "latestcontest"',
    ],
)
@pytest.mark.parametrize("make", [code, prose])
def test_a_key_that_is_written_out_is_refused_however_it_looks(small_course, source, make):
    add(small_course, make("new-cell", source))
    (problem,) = problems(small_course)
    assert "holds what looks like an API key or another secret; take it out, and revoke it" in problem
    assert "correct" not in problem and "own" not in problem.replace("known", "")


@pytest.mark.parametrize("metadata", [{"note": f"sk-proj-{RANDOM}"}, {"a": [{"api_key": "correcthorse"}]}])
def test_a_key_in_the_notebooks_metadata_is_called_a_key_and_to_be_revoked(small_course, metadata):
    content = small_course.read(SOLUTION)
    content.metadata = nbformat.from_dict({**course.METADATA, **metadata})
    small_course.write(SOLUTION, content)
    assert any(
        line.startswith(f"{SOLUTION}: its notebook metadata holds what looks like an API key")
        and "revoke it" in line
        for line in problems(small_course)
    )


@pytest.mark.parametrize(
    "output",
    [
        new_output("stream", name="stderr", text=f"one\ntwo sk-proj-{RANDOM}\n"),
        new_output("execute_result", {"text/html": f"<b>\nsk-proj-{RANDOM}</b>"}, execution_count=1),
        new_output("display_data", {"application/json": {"a": [{"b": f"x\nsk-proj-{RANDOM}"}]}}),
        new_output("error", ename="E", evalue="", traceback=["", f"\x1b[31m'sk-proj-\x1b[0m{RANDOM}'"]),
    ],
)
def test_a_key_in_an_output_is_refused(small_course, output):
    cell = code("new-cell", "1")
    cell.outputs = [output]
    add(small_course, cell)
    found = [line for line in problems(small_course) if "what looks like an API key (OpenAI)" in line]
    assert len(found) == 1 and f"{SOLUTION}#new-cell: its output, line " in found[0]
    assert RANDOM[:4] not in found[0]


@pytest.mark.parametrize(
    "text",
    [
        "ANTHROPIC_API_KEY=...",
        "OPENAI_API_KEY = 'sk-proj-your-own-key-goes-here'",
        "api_key='sk-ant-api03-xxxxxxxxxxxxxxxxxxxxxxxxxxxxx'",
        "api_key = os.environ['MY_VERY_LONG_NAMED_API_KEY_2']",
        "OpenAI(base_url=url, api_key='practice')",
        "OpenAI(base_url=url, api_key='not-needed')",
        'os.environ["OPENAI_API_KEY"] = "<your key>"',
        'api_key="sk-ant-..."',
        'if api_key == "abcdefghij": name = api_key_name = "ANTHROPIC_API_KEY"',
        '{"api_key": "the key, as text"}',
        "The id toolu_01uh9PAOfeEiiKpCxV4PkOiP and msg_01Xk2aB3dE6gH9jK2m are no keys.",
        "api_key: 1234567890123456",
        "task-2026-11-20-report-for-the-team",
    ],
)
def test_what_only_looks_like_a_key_passes(small_course, text):
    add(small_course, prose("about", text))
    assert problems(small_course) == []


def test_a_fenced_block_that_a_small_window_would_wrap_is_refused(small_course):
    add(small_course, prose("picture", f"A picture:\n\n```text\n{'─' * 70}\n```"))
    assert problems(small_course) == []
    add(small_course, prose("wide", f"~~~\nshort\n{'─' * 71}\n~~~"))
    (problem,) = problems(small_course)
    assert problem.startswith(f"{SOLUTION}#wide: a fenced block of 71 columns ('short' …)")


@pytest.mark.parametrize("cell_id", ["3f2a9c1b", "a1b2c3d4-0000", "12", "Run-Loop", "run_loop", "run--loop"])
def test_an_id_without_meaning_is_refused(small_course, cell_id):
    add(small_course, code(cell_id, "1"))
    assert [line for line in problems(small_course) if line.startswith(f"{SOLUTION}#{cell_id}: the id ")]


@pytest.mark.parametrize("cell_id", ["run-loop", "ex-01-a-check", "setup", "facade", "decade-2", "step-1"])
def test_a_meaningful_id_passes(small_course, cell_id):
    content = small_course.read(SOLUTION)
    content.cells = [cell for cell in content.cells if cell.id != cell_id]
    if cell_id != "setup":
        content.cells.append(code(cell_id, "1"))
        small_course.write(SOLUTION, content)
    assert problems(small_course) == []


def test_an_id_that_stands_twice_is_named(small_course):
    add(small_course, code("ex-a", "1"))
    assert f"{SOLUTION}: the cell id 'ex-a' stands 2 times; give each cell its own" in problems(small_course)


def test_a_missing_id_is_named_although_nbformat_only_warns(small_course):
    path = small_course.path(SOLUTION)
    raw = json.loads(path.read_text(encoding="utf-8"))
    del raw["cells"][3]["id"]
    path.write_text(json.dumps(raw, indent=1, sort_keys=True, ensure_ascii=False) + "\n", encoding="utf-8")
    assert [line for line in problems(small_course) if line.startswith(f"{SOLUTION}#no-id: no cell id (")]


def test_another_setup_cell_is_refused_but_its_arguments_are_free(small_course):
    source = next(cell.source for cell in small_course.read(SOLUTION).cells if cell.id == "setup")
    small_course.change(SOLUTION, "setup", source=source.replace("lesson=1", 'lesson=1, lang="es"'))
    assert problems(small_course) == []
    extras = source.replace('"tool-use-course @', '"tool-use-course[langchain] @')
    small_course.change(SOLUTION, "setup", source=extras)
    assert problems(small_course) == []
    for other in (source + "\nx = 1", source.replace("lesson=1", "lesson=2"), source.replace("-q", "-q -U")):
        small_course.change(SOLUTION, "setup", source=other)
        assert problems(small_course) == [
            f"{SOLUTION}#setup: not the agreed setup cell of lesson 01; run `make furniture`"
        ]


@pytest.mark.parametrize("needed", ["setup", "furniture"])
def test_a_notebook_needs_its_generated_cells(small_course, needed):
    content = small_course.read(SOLUTION)
    content.cells = [cell for cell in content.cells if cell.id != needed]
    small_course.write(SOLUTION, content)
    assert [line for line in problems(small_course) if f"cell with the id {needed!r}" in line]


def test_a_solution_must_have_been_executed_and_hold_no_error(small_course):
    small_course.change(SOLUTION, "ex-a", execution_count=None, outputs=[])
    assert [line.split(",")[0] for line in problems(small_course)] == [f"{SOLUTION}#ex-a: not executed"]
    error = new_output("error", ename="KeyError", evalue="'x'", traceback=[])
    small_course.change(SOLUTION, "ex-a", execution_count=1, outputs=[error])
    assert problems(small_course)[0].startswith(f"{SOLUTION}#ex-a: its output is an uncaught KeyError")


def test_the_student_edition_holds_no_output(small_course):
    small_course.change(STUDENT, "ex-a", execution_count=1)
    assert problems(small_course, STUDENT)[0].startswith(f"{STUDENT}#ex-a: has an output or a count")


@pytest.mark.parametrize(
    ("change", "found"),
    [
        (
            {"kernelspec": {"name": "my-env-311", "display_name": "x", "language": "python"}},
            "kernelspec.name is",
        ),
        ({**course.METADATA, "colab": {"provenance": []}}, "notebook metadata is not the agreed one"),
    ],
)
def test_other_metadata_is_refused_and_fixed(small_course, change, found):
    content = small_course.read(SOLUTION)
    content.metadata = nbformat.from_dict(change)
    small_course.write(SOLUTION, content)
    assert problems(small_course)[0].startswith(f"{SOLUTION}: {found}")
    assert check_notebooks.fix(small_course.path(SOLUTION))
    assert problems(small_course) == []


def test_cell_metadata_of_an_editor_is_refused_and_fixed_and_tags_stay(small_course):
    small_course.change(SOLUTION, "ex-a", metadata={"tags": ["exercise"], "collapsed": True})
    assert problems(small_course) == [
        f"{SOLUTION}#ex-a: cell metadata collapsed; only tags and i18n are kept: run `make format`"
    ]
    check_notebooks.fix(small_course.path(SOLUTION))
    assert problems(small_course) == []
    assert small_course.read(SOLUTION).cells[3].metadata == {"tags": ["exercise"]}


def test_another_serialisation_is_refused_and_fixed_to_the_same_bytes(small_course):
    path = small_course.path(SOLUTION)
    before = path.read_bytes()
    path.write_text(json.dumps(json.loads(before), indent=2), encoding="utf-8")
    assert problems(small_course)[0].startswith(f"{SOLUTION}: not in the canonical serialisation")
    check_notebooks.fix(path)
    assert path.read_bytes() == before


def test_windows_line_ends_are_refused(small_course):
    path = small_course.path(SOLUTION)
    path.write_bytes(path.read_bytes().replace(b"\n", b"\r\n"))
    assert [line for line in problems(small_course) if "canonical serialisation" in line]


def test_an_older_format_is_refused(small_course):
    content = small_course.read(SOLUTION)
    content.nbformat_minor = 4
    small_course.write(SOLUTION, content)
    assert [line for line in problems(small_course) if "nbformat is 4.4; write 4.5" in line]


def test_a_large_file_is_refused(small_course):
    add(small_course, code("print-much", "much", "x" * 150_000))
    assert [line for line in problems(small_course) if "bytes, and the limit is 150,000" in line]


def test_a_file_name_without_number_is_refused(small_course):
    small_course.write("solutions/add.ipynb", small_course.read(SOLUTION))
    assert [line for line in problems(small_course, "solutions/add.ipynb") if "NN_words_of_the_title" in line]


@pytest.mark.parametrize("content", ["", "{}", "[]", "not json", '{"cells": [1], "nbformat": 4}'])
def test_a_file_that_is_no_notebook_is_named_without_a_trace(small_course, content):
    path = small_course.path(SOLUTION)
    path.write_text(content, encoding="utf-8")
    assert len(problems(small_course)) == 1
    assert "not a readable notebook" in problems(small_course)[0]


def test_all_problems_come_at_once(small_course):
    add(small_course, code("a-first", "reply.content[0]"))
    add(small_course, code("b-second", "eval('1')"))
    assert [line.split(":")[0] for line in problems(small_course)] == [
        f"{SOLUTION}#a-first",
        f"{SOLUTION}#b-second",
    ]


# ---- the setup cell ----


@pytest.mark.parametrize("live", ["True", "1", "is_live"])
def test_a_lesson_that_would_ask_real_models_is_named_once(small_course, live):
    cell = next(cell for cell in small_course.read(SOLUTION).cells if cell.id == "setup")
    source = cell.source.replace("lesson=1", f"lesson=1, live={live}")
    assert source != cell.source
    small_course.change(SOLUTION, "setup", source=source)
    assert [line.split(" would")[0] for line in problems(small_course)] == [f"{SOLUTION}#setup: live=…"]
    small_course.change(SOLUTION, "setup", source=source.replace(f"live={live}", "live=False"))
    assert problems(small_course) == []


# ---- one exercise, one number ----


@pytest.mark.parametrize(
    ("cell", "found"),
    [
        (prose("ex-01-b", "**01.e** Add."), "#ex-01-b: its text says **01.e** and its cell id 01.b"),
        (
            prose("ex-01-b", "Add two."),
            "#ex-01-b: the text of an exercise begins with its number; write **01.b**",
        ),
        (prose("ex-01-b", "**01.b** Add; `hint('01.c')` helps."), '#ex-01-b: hint("01.c" …) in a cell of'),
        (
            code("ex-01-b-check", 'check("01.z", x)'),
            '#ex-01-b-check: check("01.z" …) in a cell of exercise 01.b',
        ),
        (
            code("ex-01-b-check", "check( '1.b', x)"),
            '#ex-01-b-check: check("1.b" …) in a cell of exercise 01.b',
        ),
        (code("ex-01-b-hint", 'hint("01.a")'), '#ex-01-b-hint: hint("01.a" …) in a cell of exercise 01.b'),
        (
            prose("ex-02-b", "**02.b** Add."),
            "#ex-02-b: an exercise of lesson 02 in another; write 01 in its id",
        ),
    ],
)
def test_an_exercise_with_two_numbers_is_named(small_course, cell, found):
    add(small_course, cell)
    assert [line[: len(SOLUTION + found)] for line in problems(small_course)] == [SOLUTION + found]


def test_an_exercise_with_one_number_passes(small_course):
    add(small_course, prose("ex-01-b", "**01.b** Add, then see **02.c**."))
    add(small_course, code("ex-01-b-check", 'check("01.b", add)\nrecheck("x"); check(name)'))
    add(small_course, code("ex-01-b-hint", 'hint("01.b")'))
    add(small_course, code("hints-show", 'hint("01.c")'))
    assert problems(small_course) == []


# ---- links ----

HERE = "https://github.com/someone/tool-use-course"


@pytest.mark.parametrize(
    ("link", "found"),
    [
        ("[a](02_gone.ipynb)", "the link 02_gone.ipynb leads to solutions/02_gone.ipynb, which is not there"),
        (
            "[a](00_start.ipynb#gone)",
            "the link 00_start.ipynb#gone leads to a heading or cell that solutions/00_s",
        ),
        ("[a](#2.-Gone)", "the link #2.-Gone leads to a heading or cell that itself has not"),
        ("[`a`](<../gone.md> 'x')", "the link ../gone.md leads to gone.md, which is not there"),
        (
            "![a](pictures/a%20b.png)",
            "the link pictures/a%20b.png leads to solutions/pictures/a b.png, which",
        ),
        ("a [b][c]\n\n[c]: gone.md", "the link gone.md leads to solutions/gone.md, which is not there"),
        ('<img src="gone.png">', "the link gone.png leads to solutions/gone.png, which is not there"),
        (f"[a]({HERE}#gone)", f"the link {HERE}#gone leads to a heading or cell that README.md has not"),
        (f"[a]({HERE}/blob/main/gone.md)", f"the link {HERE}/blob/main/gone.md leads to gone.md, which is"),
        (
            "[a](00_start.ipynb#cell-id=gone)",
            "the link 00_start.ipynb#cell-id=gone leads to a heading or cell",
        ),
    ],
)
def test_a_link_that_leads_nowhere_is_named(small_course, link, found):
    add(small_course, prose("new-cell", f"See {link}"))
    place = f"{SOLUTION}#new-cell: "
    assert [line[: len(place + found)] for line in problems(small_course)] == [place + found]


@pytest.mark.parametrize(
    "link",
    [
        "[a](00_start.ipynb) and [b](../README.md#with-a-real-model), [c](../README.md#With-a-real-model)",
        "[a](#1-the-first-step), [b](#1.-The-first-step)",
        "[a](00_start.ipynb#cell-id=setup)",
        "[a](https://example.org/gone#x), [b](mailto:a@example.org), [c](//example.org/x)",
        f"[a]({HERE}), [b]({HERE}#course), [c]({HERE}/tree/main/course_lib), [d]({HERE}/issues)",
        "`[a](gone.md)` and `calls[0](gone)`\n\n```text\n[a](gone.md)\n```",
        "a list of [1, 2](see above)",
    ],
)
def test_a_link_that_leads_somewhere_or_out_of_the_course_passes(small_course, link):
    add(small_course, prose("first-step", "## 1. The `first` step"))
    add(small_course, prose("new-cell", link))
    assert problems(small_course) == []


def test_the_pages_beside_the_lessons_are_looked_at_too(small_course):
    assert check_links.check_pages(small_course.root) == []
    readme = small_course.path("README.md")
    readme.write_text(readme.read_text(encoding="utf-8") + "\n[a](gone.md)\n", encoding="utf-8")
    small_course.path("CONTRIBUTING.md").write_text("# Edit\n\n[a](#edit) [b](#gone)\n", encoding="utf-8")
    small_course.path("notebooks/01_add.ipynb").unlink()
    found = check_links.check_pages(small_course.root)
    assert found[0].startswith("README.md: the link notebooks/01_add.ipynb leads to")
    assert found[1].startswith("README.md: the link gone.md leads to")
    assert found[2].startswith(
        "CONTRIBUTING.md: the link #gone leads to a heading or cell that itself has not"
    )
    assert found[3].startswith("notebooks/index.ipynb#lessons: the link 01_add.ipynb leads to")
    assert len(found) == 4
