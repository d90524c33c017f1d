"""Blocks of an SBE schema as NumPy types, and the blocks of many payloads.

No counterpart in Aeron.
"""

from __future__ import annotations

from typing import Any, TypeAlias

import numpy as np
import numpy.typing as npt

from aeron_cluster.errors import ConfigurationError
from aeron_cluster.pipeline.payloads.sbe_types import Block, Composite, Member, Scalar, Schema

__all__ = ["Bytes", "Integers", "Mask", "block_dtype", "blocks_at", "numpy_dtype"]

Bytes: TypeAlias = npt.NDArray[np.uint8]
Integers: TypeAlias = npt.NDArray[np.int64]
Mask: TypeAlias = npt.NDArray[np.bool_]


def numpy_dtype(schema: Schema, message: str, *groups: str) -> np.dtype[Any]:
    """Return the NumPy type of the block of a message or of a group in it.

    Parameters
    ----------
    schema : Schema
    message : str
    *groups : str
        The path to the group.

    Raises
    ------
    ConfigurationError
        The schema has no such message or group.
    """
    found = schema.message(message)
    if found is None:
        known = ", ".join(each.name for each in schema.messages)
        raise ConfigurationError("message", f"one of {known}", message)
    block = found.block
    for name in groups:
        inner = {each.name: each.block for each in block.groups}
        if name not in inner:
            raise ConfigurationError("groups", f"one of {', '.join(inner) or 'none'}", name)
        block = inner[name]
    return block_dtype(block, schema.byte_order)


def block_dtype(block: Block, byte_order: str, longest: int | None = None) -> np.dtype[Any]:
    """Return a structured type for a block, without its constants.

    Parameters
    ----------
    block : Block
    byte_order : str
    longest : int, optional
        The length of the block in payloads; later members are omitted, so that members that no
        payload has use no memory.
    """
    if longest is None or longest >= block.length:
        return _struct(block.members, block.length, byte_order)
    written = tuple(each for each in block.members if _is_written(each, longest))
    length = max([longest, *(each.end for each in written)])
    return _struct(written, length, byte_order)


def _is_written(member: Member, longest: int) -> bool:
    """Return whether a member is within a length; for a composite, whether a part of it is."""
    if isinstance(member.type, Composite):
        return member.offset < longest
    return member.end <= longest


def _struct(members: tuple[Member, ...], length: int, byte_order: str) -> np.dtype[Any]:
    there = [each for each in members if each.length > 0]
    return np.dtype(
        {
            "names": [each.name for each in there],
            "formats": [_format(each, byte_order) for each in there],
            "offsets": [each.offset for each in there],
            "itemsize": length,
        }
    )


def _format(member: Member, byte_order: str) -> np.dtype[Any]:
    match member.type:
        case Composite(members=members, length=length):
            return _struct(members, length, byte_order)
        case Scalar() as kind if kind.is_text:
            return np.dtype(f"S{kind.count}")
        case Scalar(primitive=primitive, count=count) if count > 1:
            return np.dtype((f"{byte_order}{primitive.code}", (count,)))
        case kind if kind.primitive.name == "char":
            return np.dtype("u1")  # values of enums are numbers
        case kind:
            return np.dtype(f"{byte_order}{kind.primitive.code}")


def blocks_at(data: Bytes, begins: Integers, dtype: np.dtype[Any]) -> npt.NDArray[Any]:
    """Return copies of the blocks at some offsets of some data.

    If a block extends beyond the data, the rest is zeros; readers check the length.
    """
    length = dtype.itemsize
    if length == 0 or begins.size == 0:
        return np.zeros(begins.size, dtype)
    missing = int(begins.max()) + length - data.size
    if missing > 0:
        data = np.concatenate([data, np.zeros(missing, np.uint8)])
    # Overlapping windows at each byte: indexing them copies whole blocks instead of bytes.
    windows = np.ndarray(
        (data.size - length + 1,), np.dtype((np.void, length)), buffer=data, strides=(1,)
    )
    return windows[begins].view(dtype)
