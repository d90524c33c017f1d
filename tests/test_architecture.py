"""Each path and name of ARCHITECTURE.md and of the docs' index exists."""

import re

import pytest

from tests.conftest import ROOT
from tests.test_source import ABOVE, PARTS

PAGE = (ROOT / "ARCHITECTURE.md").read_text()
ROWS = PAGE.partition("## Rooms")[2].partition("\n\n`include/")[0].splitlines()
QUESTIONS = re.findall(r"^\| ([^|]+\?) \| (.+) \|$", PAGE, re.MULTILINE)
PATH = re.compile(r"`([\w.-]+(?:/[\w.-]*)+|\w+\.(?:py|md))`")
# Paths of a running system, and folders, which other tests check.
NOT_OURS = re.compile(r"logbuffer$|\.dat$|/dev/shm|^\w+/$")


def place(name):
    """Return a path of the page, relative to the project's root or to the package."""
    return next(
        (each for each in (ROOT / name, ROOT / "aeron_cluster" / name) if each.exists()), None
    )


def paths(text):
    return [each for each in PATH.findall(text) if not NOT_OURS.search(each)]


def test_every_path_of_the_map_exists():
    found = paths(PAGE)
    assert len(found) > 100
    assert [name for name in found if place(name) is None] == []


def is_folder(name):
    return (ROOT / "aeron_cluster" / name / "__init__.py").exists()


def test_every_room_and_module_of_the_package_is_on_the_map_in_order():
    firsts = [line.split(" | ")[0] for line in ROWS]
    names = [name for first in firsts for name in re.findall(r"`(\w+)(?:/|\.py)`", first)]
    assert sorted(names) == sorted(ABOVE)
    assert [each for each in names if is_folder(each)] == [
        each for each in ABOVE if is_folder(each)
    ]


@pytest.mark.parametrize("room", [each for each in PARTS if "." not in each])
def test_the_folders_of_a_room_are_on_the_map_in_their_order(room):
    (row,) = (line for line in ROWS if line.startswith(f"| `{room}/`"))
    folders = [each for each in PARTS[room] if is_folder(f"{room}/{each}")]
    assert re.findall(r"`(\w+)/`", row.split(" | ")[2]) == folders


@pytest.mark.parametrize(
    "answer", [answer for _, answer in QUESTIONS], ids=[question for question, _ in QUESTIONS]
)
def test_answer_to_a_question_is_in_the_named_file(answer):
    files = [place(name) for name in paths(answer)]
    assert files
    assert None not in files
    for name in re.findall(r"`([A-Za-z_]+)`", answer):
        assert re.search(rf"\b{name}\b", files[0].read_text()) or any(
            re.search(rf"\b{name}\b", each.read_text()) for each in files
        ), name


def test_names_next_to_a_path_are_in_its_file():
    pairs = re.findall(r"`([A-Za-z_]+)` \(`([\w/.]+)`\)", PAGE)
    pairs += re.findall(r"\(`([A-Za-z_]+)`,\s+`([\w/.]+)`\)", PAGE)
    assert len(pairs) > 8
    for name, path in pairs:
        assert re.search(rf"\b{name}\b", place(path).read_text()), (name, path)


def test_map_has_at_least_twenty_questions():
    assert len(QUESTIONS) >= 20


def test_the_index_of_the_docs_has_every_page():
    index = (ROOT / "docs" / "README.md").read_text()
    links = set(re.findall(r"\]\(([\w./-]+\.md)\)", index))
    assert [each for each in links if not (ROOT / "docs" / each).exists()] == []
    pages = {str(each.relative_to(ROOT / "docs")) for each in (ROOT / "docs").rglob("*.md")}
    assert pages - {"README.md"} - links == set()
