# Generated from schemas/archive_mark.xml by tools/generate_codecs.py. Edit it, run the tool.
# mypy: disable-error-code="override"
"""The messages of schema 100, version 2."""

from __future__ import annotations

from typing import TYPE_CHECKING

from aeron_cluster.codecs.message import Data, Field, Message, Schema

if TYPE_CHECKING:
    from typing import NotRequired, TypedDict, Unpack

    from _typeshed import WriteableBuffer

    class _MarkFileHeaderValues(TypedDict):
        version: int
        activity_timestamp: int
        start_timestamp: int
        pid: int
        control_stream_id: int
        local_control_stream_id: int
        events_stream_id: int
        header_length: NotRequired[int]
        error_buffer_length: NotRequired[int]
        archive_id: NotRequired[int]
        control_channel: NotRequired[str | bytes]
        local_control_channel: NotRequired[str | bytes]
        events_channel: NotRequired[str | bytes]
        aeron_directory: NotRequired[str | bytes]


__all__ = [
    "SCHEMA",
    "MarkFileHeader",
    "decode",
    "template_id_of",
]

SCHEMA = Schema(
    name="archive_mark",
    schema_id=100,
    version=2,
    semantic_version="5.2",
    has_frame_length=False,
)
decode = SCHEMA.decode
template_id_of = SCHEMA.template_id_of


class MarkFileHeader(Message):
    """``MarkFileHeader``, a record in a file."""

    __slots__ = (
        "version",
        "activity_timestamp",
        "start_timestamp",
        "pid",
        "control_stream_id",
        "local_control_stream_id",
        "events_stream_id",
        "header_length",
        "error_buffer_length",
        "archive_id",
        "control_channel",
        "local_control_channel",
        "events_channel",
        "aeron_directory",
    )
    name = "MarkFileHeader"
    schema = SCHEMA
    template_id = 200
    block_length = 128
    fields = (
        Field("version", "i", 0, -2147483648),
        Field("activity_timestamp", "q", 8, -9223372036854775808),
        Field("start_timestamp", "q", 16, -9223372036854775808),
        Field("pid", "q", 24, -9223372036854775808),
        Field("control_stream_id", "i", 32, -2147483648),
        Field("local_control_stream_id", "i", 36, -2147483648),
        Field("events_stream_id", "i", 40, -2147483648),
        Field("header_length", "i", 44, 0, since=1, is_optional=True),
        Field("error_buffer_length", "i", 48, 0, since=1, is_optional=True),
        Field("archive_id", "q", 56, -1, since=2, is_optional=True),
    )
    data = (
        Data("control_channel", is_text=True),
        Data("local_control_channel", is_text=True),
        Data("events_channel", is_text=True),
        Data("aeron_directory", is_text=True),
    )
    version: int
    activity_timestamp: int
    start_timestamp: int
    pid: int
    control_stream_id: int
    local_control_stream_id: int
    events_stream_id: int
    header_length: int
    error_buffer_length: int
    archive_id: int
    control_channel: str
    local_control_channel: str
    events_channel: str
    aeron_directory: str

    if TYPE_CHECKING:

        def __init__(self, **values: Unpack[_MarkFileHeaderValues]) -> None: ...
        @classmethod
        def encode(cls, **values: Unpack[_MarkFileHeaderValues]) -> bytes: ...
        @classmethod
        def encode_into(
            cls,
            buffer: WriteableBuffer,
            offset: int = 0,
            /,
            **values: Unpack[_MarkFileHeaderValues],
        ) -> int: ...
        @classmethod
        def encode_body(cls, **values: Unpack[_MarkFileHeaderValues]) -> bytes: ...
