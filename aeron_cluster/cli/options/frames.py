"""Frames as commands print them: a line for the header, and rows of bytes."""

from __future__ import annotations

from itertools import pairwise
from typing import TYPE_CHECKING, Any, Final

import click

if TYPE_CHECKING:
    from collections.abc import Callable

    from aeron_cluster.logbuffer.frame import Frame

__all__ = ["frame_lines", "frame_object", "hex_dump", "payload_option"]

_ROW: Final = 16


def payload_option(function: Callable[..., Any]) -> Callable[..., Any]:
    """Add ``--bytes``, as ``payload_limit``."""
    return click.option(
        "--bytes",
        "payload_limit",
        type=click.IntRange(0),
        metavar="COUNT",
        help="How many bytes of each payload to show; by default all.",
    )(function)


def hex_dump(data: bytes) -> str:
    """Return rows of 16 bytes, each with its offset, bytes and text."""
    rows = []
    for begin, end in pairwise([*range(0, len(data), _ROW), len(data)]):
        row = data[begin:end]
        text = row.decode("utf-8", "replace").replace("\r\n", " ").replace("\n", " ")
        rows.append(f"{begin:06d}:  {row.hex(' ') + ' ':{3 * _ROW}}  |  {text}\n")
    return "".join(rows)


def frame_lines(where: str, frame: Frame, payload_limit: int | None) -> str:
    """Return a frame as text.

    Parameters
    ----------
    where : str
        The frame's location, such as ``position 96``.
    frame : Frame
    payload_limit : int, optional
        Bytes of the payload, at most.
    """
    flags = f" {'|'.join(frame.flag_names)}" if frame.flag_names else ""
    reserved = f" reserved {frame.reserved_value}" if frame.reserved_value else ""
    head = (
        f"{where}: {frame.kind_name}{flags}, length {frame.length}, term {frame.term_id} offset"
        f" {frame.term_offset}, session {frame.session_id}, stream {frame.stream_id}{reserved}\n"
    )
    if frame.kind_name == "PAD":
        return head
    return head + hex_dump(frame.payload[:payload_limit])


def frame_object(frame: Frame, payload_limit: int | None) -> dict[str, object]:
    """Return a frame as an object for JSON."""
    return {
        "offset": frame.offset,
        "length": frame.length,
        "kind": frame.kind_name,
        "flags": frame.flag_names,
        "version": frame.version,
        "term_id": frame.term_id,
        "term_offset": frame.term_offset,
        "session_id": frame.session_id,
        "stream_id": frame.stream_id,
        "reserved_value": frame.reserved_value,
        "payload": "" if frame.kind_name == "PAD" else frame.payload[:payload_limit].hex(),
    }
