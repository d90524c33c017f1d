# Generated from schemas/cluster_mark.xml by tools/generate_codecs.py. Edit it, run the tool.
# mypy: disable-error-code="override"
from enum import IntEnum
from typing import NotRequired, TypedDict, Unpack

from _typeshed import ReadableBuffer, WriteableBuffer

from aeron_cluster.codecs.message import Message, Schema

__all__ = [
    "SCHEMA",
    "ClusterComponentType",
    "MarkFileHeader",
    "decode",
    "template_id_of",
]

SCHEMA: Schema

def decode(buffer: ReadableBuffer, offset: int = 0, length: int | None = None) -> Message: ...
def template_id_of(buffer: ReadableBuffer, offset: int = 0, length: int | None = None) -> int: ...

class ClusterComponentType(IntEnum):
    UNKNOWN = 0
    CONSENSUS_MODULE = 1
    CONTAINER = 2
    BACKUP = 3
    STANDBY = 4
    NULL_VALUE = -2147483648

class _MarkFileHeaderValues(TypedDict):
    version: int
    component_type: ClusterComponentType | int
    activity_timestamp: int
    start_timestamp: int
    pid: int
    candidate_term_id: int
    archive_stream_id: int
    service_stream_id: int
    consensus_module_stream_id: int
    ingress_stream_id: int
    member_id: int
    service_id: int
    header_length: int
    error_buffer_length: int
    cluster_id: int
    aeron_directory: NotRequired[str | bytes]
    control_channel: NotRequired[str | bytes]
    ingress_channel: NotRequired[str | bytes]
    service_name: NotRequired[str | bytes]
    authenticator: NotRequired[str | bytes]
    services_cluster_dir: NotRequired[str | bytes]

class MarkFileHeader(Message):
    version: int
    component_type: ClusterComponentType
    activity_timestamp: int
    start_timestamp: int
    pid: int
    candidate_term_id: int
    archive_stream_id: int
    service_stream_id: int
    consensus_module_stream_id: int
    ingress_stream_id: int
    member_id: int
    service_id: int
    header_length: int
    error_buffer_length: int
    cluster_id: int
    aeron_directory: str
    control_channel: str
    ingress_channel: str
    service_name: str
    authenticator: str
    services_cluster_dir: str
    def __init__(self, **values: Unpack[_MarkFileHeaderValues]) -> None: ...
    @classmethod
    def encode(cls, **values: Unpack[_MarkFileHeaderValues]) -> bytes: ...
    @classmethod
    def encode_into(
        cls, buffer: WriteableBuffer, offset: int = 0, /, **values: Unpack[_MarkFileHeaderValues]
    ) -> int: ...
    @classmethod
    def encode_body(cls, **values: Unpack[_MarkFileHeaderValues]) -> bytes: ...
