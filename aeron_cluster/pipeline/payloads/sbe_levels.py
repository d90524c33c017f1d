"""The groups and variable parts of a message, in the order of the walk.

No counterpart in Aeron.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from aeron_cluster.pipeline.payloads.group_walker import GroupWalker

if TYPE_CHECKING:
    from aeron_cluster.pipeline.payloads.sbe_types import Block, Data, Group, Message

__all__ = ["Level", "Levels"]


@dataclass(frozen=True, slots=True)
class Level:
    """The message itself or one of its groups.

    Parameters
    ----------
    name : str
        The name, as ``Message.group``.
    group : Group, optional
        The group; None for the message.
    block : Block
    first_group, first_data : int
        The indices of its first group and its first variable part; the others follow.
    """

    name: str
    group: Group | None
    block: Block
    first_group: int
    first_data: int


class Levels:
    """All levels of a message; those of one parent are adjacent.

    Parameters
    ----------
    message : Message
    """

    def __init__(self, message: Message) -> None:
        self.levels: list[Level] = []
        self.parts: list[tuple[str, Data]] = []
        todo: list[tuple[str, Group | None, Block]] = [(message.name, None, message.block)]
        for name, group, block in todo:  # the loop appends to it
            self.levels.append(Level(name, group, block, len(todo), len(self.parts)))
            todo += [(f"{name}.{each.name}", each, each.block) for each in block.groups]
            self.parts += [(f"{name}.{each.name}", each) for each in block.data]

    def walker(self, *, is_big_endian: bool) -> GroupWalker:
        """Return a walker for payloads of the message."""
        return GroupWalker(
            [_level_numbers(each) for each in self.levels],
            [_part_numbers(each) for _, each in self.parts],
            is_big_endian,
        )


def _level_numbers(level: Level) -> tuple[int, ...]:
    children = (
        level.first_group,
        len(level.block.groups),
        level.first_data,
        len(level.block.data),
    )
    if level.group is None:
        return (0, 0, 0, 0, 0, 0, *children)
    block_length, count = level.group.header.numbers
    return (
        level.group.header.length,
        block_length.offset,
        block_length.width,
        count.offset,
        count.width,
        level.group.since,
        *children,
    )


def _part_numbers(data: Data) -> tuple[int, ...]:
    (length,) = data.header.numbers
    return data.header.length, length.offset, length.width, data.since
