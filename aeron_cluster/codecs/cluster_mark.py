# Generated from schemas/cluster_mark.xml by tools/generate_codecs.py. Edit it, run the tool.
# mypy: disable-error-code="override"
"""The messages of schema 110, version 2."""

from __future__ import annotations

from enum import IntEnum
from typing import TYPE_CHECKING

from aeron_cluster.codecs.message import Data, Field, Message, Schema

if TYPE_CHECKING:
    from typing import NotRequired, TypedDict, Unpack

    from _typeshed import WriteableBuffer

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


__all__ = [
    "SCHEMA",
    "ClusterComponentType",
    "MarkFileHeader",
    "decode",
    "template_id_of",
]

SCHEMA = Schema(
    name="cluster_mark",
    schema_id=110,
    version=2,
    semantic_version="5.4",
    has_frame_length=False,
)
decode = SCHEMA.decode
template_id_of = SCHEMA.template_id_of


class ClusterComponentType(IntEnum):
    UNKNOWN = 0
    CONSENSUS_MODULE = 1
    CONTAINER = 2
    BACKUP = 3
    STANDBY = 4
    NULL_VALUE = -2147483648


class MarkFileHeader(Message):
    """``MarkFileHeader``."""

    __slots__ = (
        "version",
        "component_type",
        "activity_timestamp",
        "start_timestamp",
        "pid",
        "candidate_term_id",
        "archive_stream_id",
        "service_stream_id",
        "consensus_module_stream_id",
        "ingress_stream_id",
        "member_id",
        "service_id",
        "header_length",
        "error_buffer_length",
        "cluster_id",
        "aeron_directory",
        "control_channel",
        "ingress_channel",
        "service_name",
        "authenticator",
        "services_cluster_dir",
    )
    name = "MarkFileHeader"
    schema = SCHEMA
    template_id = 200
    block_length = 128
    fields = (
        Field("version", "i", 0, -2147483648),
        Field("component_type", "i", 4, -2147483648, enum=ClusterComponentType),
        Field("activity_timestamp", "q", 8, -9223372036854775808),
        Field("start_timestamp", "q", 16, -9223372036854775808),
        Field("pid", "q", 24, -9223372036854775808),
        Field("candidate_term_id", "q", 32, -9223372036854775808),
        Field("archive_stream_id", "i", 40, -2147483648),
        Field("service_stream_id", "i", 44, -2147483648),
        Field("consensus_module_stream_id", "i", 48, -2147483648),
        Field("ingress_stream_id", "i", 52, -2147483648),
        Field("member_id", "i", 56, -2147483648),
        Field("service_id", "i", 60, -2147483648),
        Field("header_length", "i", 64, -2147483648),
        Field("error_buffer_length", "i", 68, -2147483648),
        Field("cluster_id", "i", 72, -2147483648),
    )
    data = (
        Data("aeron_directory", is_text=True),
        Data("control_channel", is_text=True),
        Data("ingress_channel", is_text=True),
        Data("service_name", is_text=True),
        Data("authenticator", is_text=True),
        Data("services_cluster_dir", is_text=True, since=1),
    )
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
