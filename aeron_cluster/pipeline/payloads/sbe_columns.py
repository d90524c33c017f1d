"""The fields of blocks, of all messages or entries at once, as arrays of Arrow.

Upstream: the decoders that SBE generates.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final

import numpy as np
import numpy.typing as npt

from aeron_cluster.pipeline.payloads.arrow_arrays import (
    bool_array,
    list_array,
    number_array,
    pa,
    struct_array,
    text_array,
)
from aeron_cluster.pipeline.payloads.sbe_types import (
    Block,
    Choices,
    Composite,
    Data,
    Enumeration,
    Group,
    Member,
    Primitive,
    Scalar,
)

if TYPE_CHECKING:
    from aeron_cluster.pipeline.payloads.problems import Problems
    from aeron_cluster.pipeline.payloads.sbe_dtypes import Integers, Mask

__all__ = ["Forms", "Items", "block_fields", "member_array"]

# Signed types that hold the unsigned ones.
_WIDER: Final = {
    "uint8": pa.int16(),
    "uint16": pa.int32(),
    "uint32": pa.int64(),
    "uint64": pa.decimal128(20, 0),
}


@dataclass(frozen=True, slots=True)
class Forms:
    """The options of conversion.

    Parameters
    ----------
    has_names : bool
        Of enums the names, as text, and of sets a truth for each choice; else their numbers.
    is_widened : bool
        Unsigned numbers as signed ones that hold them, for readers without them, as Spark: those of
        64 bits as decimals.
    """

    has_names: bool = True
    is_widened: bool = False


@dataclass(frozen=True, slots=True)
class Items:
    """Messages, or the entries of a group.

    Parameters
    ----------
    block_lengths, versions : array of int
        Those with which each was written.
    rows : array of int
        The payload of each.
    offsets : array of int
        The offset in it, in bytes.
    """

    block_lengths: Integers
    versions: Integers
    rows: Integers
    offsets: Integers

    @property
    def count(self) -> int:
        """The number of blocks."""
        return self.rows.size

    def have(self, since: int, end: int) -> Mask:
        """Return of each whether its version has a field, and its block is that long."""
        return (self.versions >= since) & (self.block_lengths >= end)


# ---- types ----


def block_fields(block: Block, forms: Forms) -> list[Any]:
    """Return the columns of a block as `pyarrow.Field`."""
    return [_field(each, forms) for each in block.items]


def _field(item: Member | Group | Data, forms: Forms) -> Any:
    match item:
        case Member():
            return pa.field(item.name, _member_type(item, forms))
        case Group():
            return pa.field(item.name, pa.list_(pa.struct(block_fields(item.block, forms))))
        case Data():
            return pa.field(item.name, pa.string() if item.encoding else pa.binary())


def _member_type(member: Member, forms: Forms) -> Any:
    match member.type:
        case Composite(members=members):
            return pa.struct([_field(each, forms) for each in members])
        case Enumeration(primitive=primitive):
            return pa.string() if forms.has_names else _number_type(primitive, forms)
        case Choices(primitive=primitive, bits=bits):
            if forms.has_names:
                return pa.struct([pa.field(name, pa.bool_()) for name, _ in bits])
            return _number_type(primitive, forms)
        case Scalar() as kind:
            if kind.is_text:
                return pa.string()
            if kind.count == 1 or member.constant is not None:
                return _number_type(kind.primitive, forms)
            if kind.primitive.name == "uint8":
                return pa.binary()
            return pa.list_(_number_type(kind.primitive, forms))


def _number_type(primitive: Primitive, forms: Forms) -> Any:
    name = "uint8" if primitive.name == "char" else primitive.name
    if forms.is_widened and name in _WIDER:
        return _WIDER[name]
    return {"float": pa.float32(), "double": pa.float64()}.get(name) or getattr(pa, name)()


# ---- values ----


def member_array(
    member: Member,
    blocks: npt.NDArray[Any],
    items: Items,
    base: int,
    forms: Forms,
    what: str,
    problems: Problems,
) -> Any:
    """Return a field of blocks.

    Parameters
    ----------
    member : Member
    blocks : structured array
        The enclosing blocks.
    items : Items
    base : int
        Its offset in the block, in bytes.
    forms : Forms
    what : str
        Its name, as ``Message.field``.
    problems : Problems
    """
    arrow_type = _member_type(member, forms)
    if member.length and member.name not in (blocks.dtype.names or ()):
        return pa.nulls(items.count, arrow_type)  # no payload has as much of the block
    present = items.have(member.since, base + member.end if member.length else 0)
    if member.constant is not None:
        # One value, and as many looks at it.
        value = pa.array(
            [member.constant if _is_by_name(member, forms) else _code(member)], arrow_type
        )
        return value.take(pa.array(np.zeros(items.count, np.int64), mask=~present))
    match member.type:
        case Composite() as kind:
            return _composite_array(
                kind, blocks, member, items, base + member.offset, forms, what, problems
            )
        case Enumeration() as kind:
            return _enum_array(kind, blocks[member.name], present, arrow_type, forms)
        case Choices() as kind:
            return _set_array(kind, blocks[member.name], present, arrow_type, forms)
        case Scalar() as kind:
            if kind.is_text:
                return _chars_array(kind, blocks, member, present, items, base, what, problems)
            return _scalar_array(kind, blocks[member.name], present, member, arrow_type)


def _is_by_name(member: Member, forms: Forms) -> bool:
    return forms.has_names or not isinstance(member.type, Enumeration)


def _code(member: Member) -> int:
    """Return the number of a constant that is a name of an enum."""
    assert isinstance(member.type, Enumeration)
    return dict(member.type.values)[str(member.constant)]


def _composite_array(
    kind: Composite,
    blocks: npt.NDArray[Any],
    member: Member,
    items: Items,
    begin: int,
    forms: Forms,
    what: str,
    problems: Problems,
) -> Any:
    inner = blocks[member.name] if kind.length else blocks
    children = [
        member_array(each, inner, items, begin, forms, f"{what}.{each.name}", problems)
        for each in kind.members
    ]
    # An older one may have had fewer members: it is there if any of them is.
    first = min((each.end for each in kind.members if each.length), default=0)
    present = items.have(member.since, begin + first)
    return struct_array(_member_type(member, forms), children, items.count, present)


def _not_null(values: npt.NDArray[Any], null: float | None) -> Mask:
    return np.asarray(~np.isnan(values) if null is None else values != null, np.bool_)


def _whole(arrow_type: Any, values: npt.NDArray[Any], present: Mask) -> Any:
    """Return numbers; of 64 bits without a sign as decimals, where they are widened."""
    if pa.types.is_decimal(arrow_type):
        return number_array(pa.uint64(), values, present).cast(arrow_type)
    return number_array(arrow_type, values, present)


def _scalar_array(
    kind: Scalar, values: npt.NDArray[Any], present: Mask, member: Member, arrow_type: Any
) -> Any:
    if kind.count == 1:
        if member.is_optional:
            present = present & _not_null(values, kind.null)
        return _whole(arrow_type, values, present)
    ends = np.arange(1, present.size + 1, dtype=np.int64) * kind.count
    flat = np.ascontiguousarray(values).reshape(-1)
    if pa.types.is_binary(arrow_type):
        child = number_array(pa.uint8(), flat)
        listed = list_array(pa.list_(pa.uint8()), ends, child, present)
        bits, offsets = listed.buffers()[:2]
        buffers = [bits, offsets, child.buffers()[1]]
        return pa.Array.from_buffers(
            arrow_type, present.size, buffers, null_count=listed.null_count
        )
    there = _not_null(flat, kind.null) if member.is_optional else np.ones(flat.size, np.bool_)
    return list_array(arrow_type, ends, _whole(arrow_type.value_type, flat, there), present)


def _chars_array(
    kind: Scalar,
    blocks: npt.NDArray[Any],
    member: Member,
    present: Mask,
    items: Items,
    base: int,
    what: str,
    problems: Problems,
) -> Any:
    """Return texts of fixed length: they end with the first zero, as Java's do."""
    flat = np.ascontiguousarray(blocks[member.name]).view(np.uint8)
    table = flat.reshape(-1, kind.count)
    is_zero = table == 0
    lengths = np.where(is_zero.any(axis=1), is_zero.argmax(axis=1), kind.count).astype(np.int64)
    if member.is_optional:
        present = present & (table[:, 0] != kind.null)
    lengths[~present] = 0
    begins = np.arange(items.count, dtype=np.int64) * kind.count

    def refuse(index: int, part: bytes) -> None:
        place = int(items.offsets[index]) + base + member.offset
        problems.add(int(items.rows[index]), place, what, f"text in {kind.encoding}", part)

    return text_array(flat, begins, lengths, present, kind.encoding, refuse)


def _enum_array(
    kind: Enumeration, values: npt.NDArray[Any], present: Mask, arrow_type: Any, forms: Forms
) -> Any:
    present = present & _not_null(values, kind.null)
    if not forms.has_names:
        return _whole(arrow_type, values, present)
    # Values unknown to the schema are their number, which is the name of none.
    found, indices = np.unique(values, return_inverse=True)
    known = {value: name for name, value in kind.values}
    names = pa.array([known.get(int(each), str(each)) for each in found], pa.string())
    return names.take(pa.array(indices.astype(np.int64), mask=~present))


def _set_array(
    kind: Choices, values: npt.NDArray[Any], present: Mask, arrow_type: Any, forms: Forms
) -> Any:
    if not forms.has_names:
        return _whole(arrow_type, values, present)
    plain = values.astype(np.uint64)
    children = [bool_array((plain >> np.uint64(bit)) & np.uint64(1) != 0) for _, bit in kind.bits]
    return struct_array(arrow_type, children, values.size, present)
