"""Generated cells and README blocks: they come from one address, and the check names what is out of date."""

from __future__ import annotations

import ast
import tomllib

import build_student
import course_notebooks as course
import furniture
import nbformat
import pytest
from course_notebooks import Setup, ToolError
from sample_course import ADDRESS, lesson


def source(small_course, name: str, cell_id: str) -> str:
    return next(cell.source for cell in small_course.read(name).cells if cell.id == cell_id)


def test_furniture_links_badge_index_previous_and_next(small_course):
    small_course.write("solutions/02_more.ipynb", lesson(2, "More"))
    furniture.apply(small_course.root)
    line = source(small_course, "solutions/01_add.ipynb", "furniture")
    badge = (
        "https://colab.research.google.com/github/someone/tool-use-course/blob/main/notebooks/01_add.ipynb"
    )
    assert f"({badge})" in line and "[Index](../notebooks/index.ipynb)" in line
    assert line.endswith(" · [← 00 Start](00_start.ipynb) · [02 More →](02_more.ipynb)")


def test_a_course_just_furnished_is_current(small_course):
    assert furniture.apply(small_course.root, check=True) == []


def test_a_broken_badge_is_named(small_course):
    line = source(small_course, "solutions/01_add.ipynb", "furniture")
    small_course.change("solutions/01_add.ipynb", "furniture", source=line.replace("someone", "nobody"))
    assert furniture.apply(small_course.root, check=True) == [
        "solutions/01_add.ipynb#furniture: out of date; run `make furniture`"
    ]


def test_another_address_is_carried_everywhere_from_its_one_place(small_course):
    project = small_course.path("pyproject.toml")
    text = project.read_text(encoding="utf-8").replace(ADDRESS, "https://github.com/forker/my-course")
    project.write_text(text, encoding="utf-8")
    assert len(furniture.apply(small_course.root, check=True)) == 12
    # 2 cells of furniture, 2 of setup, the last one's end, 4 blocks, the index and lessons.toml
    furniture.apply(small_course.root)
    readme = small_course.path("README.md").read_text(encoding="utf-8")
    lessons = [
        small_course.path(f"solutions/{n}.ipynb").read_text(encoding="utf-8") for n in ("00_start", "01_add")
    ]
    assert all("someone" not in content and "forker/my-course" in content for content in [readme, *lessons])


def test_the_end_of_a_lesson_leads_on_to_the_next_the_index_and_the_glossary(small_course):
    pages = "[Index](../notebooks/index.ipynb) · [Glossary](../notebooks/glossary.ipynb) · "
    first = source(small_course, "solutions/00_start.ipynb", "next")
    assert first.startswith(f"[01 Add →](01_add.ipynb) · {pages}")
    last = source(small_course, "solutions/01_add.ipynb", "next")
    assert f"({ADDRESS}/tree/main/course_lib)" in last and "[Index](../notebooks/index.ipynb)" in last
    assert "→" not in last


def test_the_students_links_stay_in_their_folder_wherever_it_is_copied(small_course):
    for cell_id in ("furniture", "next"):
        line = source(small_course, "notebooks/00_start.ipynb", cell_id)
        assert "(index.ipynb)" in line and "../" not in line


@pytest.mark.parametrize("change", ["gone", "not last"])
def test_the_cell_at_the_end_is_put_there(small_course, change):
    content = small_course.read("solutions/01_add.ipynb")
    cell = content.cells.pop()
    assert cell.id == "next"
    if change == "not last":
        content.cells.insert(3, cell)
    small_course.write("solutions/01_add.ipynb", content)
    assert furniture.apply(small_course.root, check=True)[0] == (
        "solutions/01_add.ipynb: no cell `next` at its end; run `make furniture`"
    )
    furniture.apply(small_course.root)
    assert small_course.read("solutions/01_add.ipynb").cells[-1] == cell
    assert furniture.apply(small_course.root, check=True) == []


def test_the_index_lists_the_lessons_and_runs_progress(small_course):
    cells = {cell.id: cell for cell in small_course.read("notebooks/index.ipynb").cells}
    row = next(line for line in cells["lessons"].source.splitlines() if line.startswith("| 01 |"))
    assert "[Add](01_add.ipynb) ([solved](../solutions/01_add.ipynb)) | add; count | 20 |" in row
    assert "[00 Start](00_start.ipynb)" in cells["begin"].source
    assert cells["progress"].source == "course_lib.progress()"
    assert cells["setup"].source.endswith("course_lib.setup()")
    nbformat.validate(small_course.read("notebooks/index.ipynb"))


@pytest.mark.parametrize(
    ("minutes", "hours"), [(["20", "20"], 1), (["90", "30-45"], 2), (["35", "none stated"], 1), (["5"], 1)]
)
def test_the_time_for_all_lessons_is_their_sum_in_readme_and_index(small_course, minutes, hours):
    for number, time in enumerate(minutes):
        name = ("00_start", "01_add")[number]
        content = time if time == "none stated" else f"{time} minutes"
        small_course.change(f"solutions/{name}.ipynb", "title", source=f"# 0{number} Title\n\n{content}.")
    for name in ("00_start", "01_add")[len(minutes) :]:
        small_course.path(f"solutions/{name}.ipynb").unlink()
    furniture.apply(small_course.root)
    said = f"Time for all {len(minutes)} lessons: about {hours} h."
    cells = {cell.id: cell.source for cell in small_course.read("notebooks/index.ipynb").cells}
    assert said in cells["begin"]
    assert said in small_course.path("README.md").read_text(encoding="utf-8")


def test_what_is_generated_beside_the_lessons_is_no_lesson(small_course):
    pages = {path.name for path in small_course.path("notebooks").glob("*.ipynb")}
    assert pages == {"00_start.ipynb", "01_add.ipynb", *course.PAGES}
    assert build_student.build(small_course.root, check=True) == []
    assert [path.name for path in course.sources(small_course.root, "notebooks")] == [
        "00_start.ipynb",
        "01_add.ipynb",
    ]


def test_the_page_for_a_tool_of_ones_own_is_there_in_each_language(small_course):
    small_course.write("solutions/es/01_add.ipynb", lesson(1, "Sumar"))
    furniture.apply(small_course.root)
    for folder, title in (("", "# Make your own tool"), ("es/", "# Haz tu propia herramienta")):
        page = small_course.read(f"notebooks/{folder}your_own_tool.ipynb")
        nbformat.validate(page)
        assert page.cells[0].source.startswith(title)
        assert "(your_own_tool.ipynb)" in small_course.read(f"notebooks/{folder}index.ipynb").cells[0].source


def test_an_index_that_is_not_current_is_named(small_course):
    small_course.change("solutions/01_add.ipynb", "title", source="# 01 Sum\n\n20 minutes.")
    problems = furniture.apply(small_course.root, check=True)
    assert "notebooks/index.ipynb: out of date; run `make furniture`" in problems
    assert "course_lib/classroom/checks/lessons.toml: out of date; run `make furniture`" in problems


def test_the_library_learns_files_titles_and_colabs_address(small_course):
    small_course.write("solutions/es/01_add.ipynb", lesson(1, "Sumar"))
    furniture.apply(small_course.root)
    found = tomllib.loads(
        small_course.path("course_lib/classroom/checks/lessons.toml").read_text(encoding="utf-8")
    )
    assert found["files"] == {"00": "00_start.ipynb", "01": "01_add.ipynb"}
    assert found["titles"] == {"en": {"00": "Start", "01": "Add"}, "es": {"01": "Sumar"}}
    assert found["colab"] == f"https://colab.research.google.com/github/{ADDRESS[19:]}/blob/main/notebooks/"


def test_a_translation_has_an_index_of_its_own_in_its_language(small_course):
    small_course.write("solutions/es/01_add.ipynb", lesson(1, "Sumar"))
    furniture.apply(small_course.root)
    cells = {cell.id: cell.source for cell in small_course.read("notebooks/es/index.ipynb").cells}
    assert "## Lecciones" in cells["lessons"]
    assert "[Sumar](01_add.ipynb) ([resuelta](../../solutions/es/01_add.ipynb))" in cells["lessons"]
    assert cells["setup"].endswith('course_lib.setup(lang="es")')
    assert "[Índice](../../notebooks/es/index.ipynb)" in source(
        small_course, "solutions/es/01_add.ipynb", "next"
    )


def test_the_readme_lists_the_lessons_that_exist_with_title_goals_and_minutes(small_course):
    readme = small_course.path("README.md").read_text(encoding="utf-8")
    row = next(line for line in readme.splitlines() if line.startswith("| 01 |"))
    assert "[Add](notebooks/01_add.ipynb) ([solved](solutions/01_add.ipynb)) | add; count | 20 |" in row
    assert "| 02 |" not in readme


def test_a_readme_block_edited_by_hand_is_named(small_course):
    readme = small_course.path("README.md")
    readme.write_text(readme.read_text(encoding="utf-8").replace("| Minutes |", "| Time |"), encoding="utf-8")
    assert furniture.apply(small_course.root, check=True) == [
        "README.md: the block 'lessons' is out of date; run `make furniture`"
    ]


def test_a_missing_marker_is_an_error_that_names_it():
    with pytest.raises(ToolError, match="<!-- /lessons -->"):
        furniture.fill("<!-- lessons -->", "lessons", "x")


def set_address(small_course, address: str) -> None:
    small_course.path("pyproject.toml").write_text(
        f'[project.urls]\nRepository = "{address}"\n[project]\nname = "x"\n', encoding="utf-8"
    )


@pytest.mark.parametrize(
    "written",
    [
        f"{ADDRESS}.git",
        f"{ADDRESS}/",
        f"{ADDRESS}.git/",
        ADDRESS.replace("https", "http"),
        ADDRESS.replace("github.com", "www.github.com"),
        ADDRESS.replace("github.com", "GitHub.com"),
        "git@github.com:someone/tool-use-course.git",
        "git@github.com:someone/tool-use-course",
        "ssh://git@github.com/someone/tool-use-course.git",
    ],
)
def test_each_way_to_write_the_address_means_the_same(small_course, written):
    set_address(small_course, written)
    assert course.repository(small_course.root) == ADDRESS
    assert furniture.apply(small_course.root, check=True) == []


def test_the_readme_says_what_owner_stands_for_until_the_address_is_set(small_course):
    readme = small_course.path("README.md")
    assert "`OWNER` in the links" not in readme.read_text(encoding="utf-8")
    set_address(small_course, "https://github.com/OWNER/course")
    furniture.apply(small_course.root)
    assert "`OWNER` in the links" in readme.read_text(encoding="utf-8")
    set_address(small_course, ADDRESS)
    furniture.apply(small_course.root)
    assert "OWNER" not in readme.read_text(encoding="utf-8")


def test_the_windows_commands_make_the_learners_copy_and_open_its_index(small_course):
    readme = small_course.path("README.md").read_text(encoding="utf-8")
    block = readme.split("<!-- clone-windows -->")[1].split("<!-- /clone-windows -->")[0]
    assert (course.ROOT / "tools" / "my_notebooks.py").is_file()
    copy, opened = (block.index(words) for words in ("tools\\my_notebooks.py", "my-notebooks/index.ipynb"))
    assert copy < opened


def test_a_name_with_dots_is_kept(small_course):
    set_address(small_course, "https://github.com/some-one/course.github.io")
    assert course.repository(small_course.root) == "https://github.com/some-one/course.github.io"


@pytest.mark.parametrize(
    "written",
    [
        "https://example.org/x",
        "https://gitlab.com/someone/course",
        "https://github.com/someone",
        "https://github.com/someone/.git",
        "https://github.com/someone/course/tree/main",
        "https://github.com/someone/course?tab=readme",
        "https://github.com.example.org/someone/course",
        "someone/course",
        "",
    ],
)
def test_an_address_that_colab_cannot_open_is_refused(small_course, written):
    set_address(small_course, written)
    with pytest.raises(ToolError, match="write https://github.com/OWNER/NAME"):
        course.repository(small_course.root)


def test_a_missing_address_is_refused_in_the_same_words(small_course):
    small_course.path("pyproject.toml").write_text('[project]\nname = "x"\n', encoding="utf-8")
    with pytest.raises(ToolError, match="write https://github.com/OWNER/NAME"):
        course.repository(small_course.root)


def test_the_setup_cell_keeps_arguments_and_extras_and_drops_the_rest():
    written = Setup("[langchain]", 'lesson=10, lang="es"').source(ADDRESS)
    assert Setup.of(written + "\nprint(1)", 10) == Setup("[langchain]", 'lesson=10, lang="es"')
    assert Setup.of("", 3) == Setup("", "lesson=3")
    assert Setup.of("course_lib.setup(lesson=4)", 3) == Setup("", "lesson=3")


def test_the_setup_cell_installs_only_where_the_course_is_not_found():
    written = Setup("", "lesson=1").source(ADDRESS)
    install = f'    %pip install -q "tool-use-course @ {ADDRESS}/archive/refs/heads/main.zip"'
    assert written.count("%pip") == 1 and f"is None:\n{install}\n" in written
    ast.parse(written.replace(install, "    pass"))
