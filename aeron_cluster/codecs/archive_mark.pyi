# Generated from schemas/archive_mark.xml by tools/generate_codecs.py. Edit it, run the tool.
# mypy: disable-error-code="override"
from typing import NotRequired, TypedDict, Unpack

from _typeshed import ReadableBuffer, WriteableBuffer

from aeron_cluster.codecs.message import Message, Schema

__all__ = [
    "SCHEMA",
    "MarkFileHeader",
    "decode",
    "template_id_of",
]

SCHEMA: Schema

def decode(buffer: ReadableBuffer, offset: int = 0, length: int | None = None) -> Message: ...
def template_id_of(buffer: ReadableBuffer, offset: int = 0, length: int | None = None) -> int: ...

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

class MarkFileHeader(Message):
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
    def __init__(self, **values: Unpack[_MarkFileHeaderValues]) -> None: ...
    @classmethod
    def encode(cls, **values: Unpack[_MarkFileHeaderValues]) -> bytes: ...
    @classmethod
    def encode_into(
        cls, buffer: WriteableBuffer, offset: int = 0, /, **values: Unpack[_MarkFileHeaderValues]
    ) -> int: ...
    @classmethod
    def encode_body(cls, **values: Unpack[_MarkFileHeaderValues]) -> bytes: ...
