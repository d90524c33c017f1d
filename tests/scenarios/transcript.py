"""Scenarios as transcripts: commands, a line of dashes, and their output.

A transcript is a text of blocks with a blank line between them. ``pytest --rewrite`` writes the
current output of the commands into the file, to be reviewed as a difference.
"""

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path

FOLDER = Path(__file__).parent
SEPARATOR = "----"

Interpreter = Callable[[str, dict[str, str]], list[str]]


@dataclass
class Block:
    """Comments, commands, and their expected output."""

    comments: list[str]
    commands: list[str]
    expected: list[str]

    def __str__(self) -> str:
        return "\n".join([*self.comments, *self.commands, SEPARATOR, *self.expected])


def blocks(text: str) -> Iterator[Block]:
    """Yield the blocks of a transcript."""
    for part in text.strip().split("\n\n"):
        lines = part.split("\n")
        comments = [line for line in lines if line.startswith("#")]
        rest = [line for line in lines if not line.startswith("#")]
        if SEPARATOR not in rest[1:]:
            raise ValueError(f"expected a line of dashes after {rest!r}")
        end = rest.index(SEPARATOR)
        yield Block(comments, rest[:end], rest[end + 1 :])


def run(path: Path, interpreter: Interpreter, *, rewrite: bool) -> None:
    """Run each command and compare its output, or rewrite it."""
    found = []
    for block in blocks(path.read_text()):
        reported = []
        for command in block.commands:
            name, *words = command.split()
            reported += interpreter(name, dict(word.split("=", 1) for word in words))
        if not rewrite:
            assert reported == block.expected, f"{path.name}: {'; '.join(block.commands)}"
        found.append(Block(block.comments, block.commands, reported))
    if rewrite:
        path.write_text("\n\n".join(map(str, found)) + "\n")
