"""Each path and name of ARCHITECTURE.md and of the docs' index exists."""

import re

import pytest

from tests.conftest import ROOT

PAGE = (ROOT / "ARCHITECTURE.md").read_text()
QUESTIONS = re.findall(r"^\| ([^|]+\?) \| (.+) \|$", PAGE, re.MULTILINE)
PATH = re.compile(r"`([\w.-]+(?:/[\w.-]*)+|\w+\.(?:py|md))`")
# Paths of a running system, and folders, which another test checks.
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


def test_every_folder_of_a_room_is_on_the_map():
    package = ROOT / "aeron_cluster"
    rooms = [each for each in package.iterdir() if (each / "__init__.py").exists()]
    missing = [each.name for each in rooms if f"`{each.name}/`" not in PAGE]
    for room in ("memory", "driver", "archive", "cluster", "simulator", "pipeline"):
        row = next(line for line in PAGE.splitlines() if line.startswith(f"| `{room}/`"))
        folders = [each for each in (package / room).iterdir() if (each / "__init__.py").exists()]
        missing += [f"{room}/{each.name}" for each in folders if f"`{each.name}/`" not in row]
    assert missing == []


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
