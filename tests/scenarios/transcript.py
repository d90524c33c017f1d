"""Scenarios as transcripts: a command, a line of dashes, and what it says.

A transcript is a text of blocks with a blank line between them. ``pytest --rewrite`` writes what
the commands say now into the file, to be reviewed as a difference.
"""

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path

FOLDER = Path(__file__).parent
SEPARATOR = "----"

Interpreter = Callable[[str, dict[str, str]], list[str]]


@dataclass
class Block:
    """Comments, a command, and the lines it is expected to say."""

    comments: list[str]
    command: str
    expected: list[str]

    def __str__(self) -> str:
        return "\n".join([*self.comments, self.command, SEPARATOR, *self.expected])


def blocks(text: str) -> Iterator[Block]:
    """Yield the blocks of a transcript."""
    for part in text.strip().split("\n\n"):
        lines = part.split("\n")
        comments = [line for line in lines if line.startswith("#")]
        command, *rest = [line for line in lines if not line.startswith("#")]
        if not rest or rest[0] != SEPARATOR:
            raise ValueError(f"expected a line of dashes after {command!r}")
        yield Block(comments, command, rest[1:])


def run(path: Path, interpreter: Interpreter, *, rewrite: bool) -> None:
    """Run each command and compare what it says, or write that down."""
    found = []
    for block in blocks(path.read_text()):
        name, *words = block.command.split()
        arguments = dict(word.split("=", 1) for word in words)
        said = interpreter(name, arguments)
        if not rewrite:
            assert said == block.expected, f"{path.name}: {block.command}"
        found.append(Block(block.comments, block.command, said))
    if rewrite:
        path.write_text("\n\n".join(map(str, found)) + "\n")
