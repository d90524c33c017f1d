"""The pages of the documentation, and their code blocks."""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from tests.conftest import ROOT

TUTORIAL = "docs/tutorial.md"
FOLLOWED = (
    TUTORIAL,
    "docs/how-to/archive.md",
    "docs/how-to/asyncio.md",
    "docs/how-to/backup.md",
    "docs/how-to/driver.md",
    "docs/how-to/failover.md",
    "docs/how-to/numba.md",
    "docs/how-to/options.md",
    "docs/how-to/service.md",
)
"""Pages whose blocks are run in their order: see ``tests/walkthrough.py``."""

_FENCE = re.compile(r"^(?P<fence>```+)(?P<language>[\w{}-]*)$")
_INDENT = "    "


@dataclass(frozen=True)
class Block:
    """A code block.

    Parameters
    ----------
    page : str
        The path of its page, relative to the root.
    line : int
        The line in the page at which the text begins.
    language : str
        The language of the fence; ``"sh"`` for an indented block, which has commands and their
        output.
    text : str
    """

    page: str
    line: int
    language: str
    text: str

    @property
    def first_line(self) -> str:
        """The first line, by which tests identify the block."""
        return self.text.partition("\n")[0].strip()


def pages() -> list[Path]:
    """Return the pages of the root, of the documentation and of the examples."""
    places = ("*.md", "docs/**/*.md", "examples/**/*.md", "benchmarks/*.md")
    return sorted({page for place in places for page in ROOT.glob(place)})


def blocks_of(page: Path) -> Iterator[Block]:
    """Yield the code blocks of a page, fenced and indented ones."""
    name = str(page.relative_to(ROOT))
    lines = page.read_text().splitlines()
    number = 0
    before = ""  # the last line that is not empty
    while number < len(lines):
        line = lines[number]
        if fence := _FENCE.match(line):
            end = lines.index(fence["fence"], number + 1)
            text = "\n".join(lines[number + 1 : end])
            yield Block(name, number + 2, fence["language"], text)
            number = end
        elif line.startswith(_INDENT) and not lines[number - 1] and not _is_of_list(before):
            end = number
            while end < len(lines) and (lines[end].startswith(_INDENT) or not lines[end]):
                end += 1
            text = "\n".join(each[len(_INDENT) :] for each in lines[number:end]).rstrip()
            yield Block(name, number + 1, "sh", text)
            number = end - 1
        if lines[number]:
            before = lines[number]
        number += 1


def _is_of_list(line: str) -> bool:
    return re.match(r"\s*([-*]|\d+\.) |  ", line) is not None


def all_blocks() -> list[Block]:
    """Return the code blocks of all pages."""
    return [block for page in pages() for block in blocks_of(page)]


def block_of(page: Path | str, begin: str) -> Block:
    """Return the block of a page that begins with a text.

    Parameters
    ----------
    page : Path or str
        Its path, relative to the root.
    begin : str
        Only one block of the page begins with it.
    """
    (found,) = [each for each in blocks_of(ROOT / page) if each.text.startswith(begin)]
    return found


def shape(text: str) -> str:
    """Return a text without what differs between runs: numbers, hashes, spaces, line breaks."""
    text = re.sub(r"\b(?=[0-9a-f]*\d)[0-9a-f]+\b(?:\.\.\.)?", "N", text)
    text = re.sub(r"N(?:[.,]N)+", "N", text)
    return " ".join(re.sub(r"N (ns|us|ms|s)\b", "N s", text).split())
