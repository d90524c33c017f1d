# Generated from schemas/node_state.xml by tools/generate_codecs.py. Edit it, run the tool.
# mypy: disable-error-code="override"
"""The messages of schema 112, version 10."""

from __future__ import annotations

from typing import TYPE_CHECKING

from aeron_cluster.codecs.message import Data, Field, Message, Schema

if TYPE_CHECKING:
    from typing import NotRequired, TypedDict, Unpack

    from _typeshed import WriteableBuffer

    class _NodeStateHeaderValues(TypedDict):
        version: int
        padding: int

    class _CandidateTermValues(TypedDict):
        candidate_term_id: int
        timestamp: int
        log_position: int

    class _ClusterMembersValues(TypedDict):
        leadership_term_id: int
        member_id: int
        high_member_id: int
        cluster_members: NotRequired[str | bytes]


__all__ = [
    "SCHEMA",
    "CandidateTerm",
    "ClusterMembers",
    "NodeStateFooter",
    "NodeStateHeader",
    "decode",
    "template_id_of",
]

SCHEMA = Schema(
    name="node_state",
    schema_id=112,
    version=10,
    semantic_version="5.3",
    has_frame_length=True,
)
decode = SCHEMA.decode
template_id_of = SCHEMA.template_id_of


class NodeStateHeader(Message):
    """``nodeStateHeader``."""

    __slots__ = (
        "version",
        "padding",
    )
    name = "NodeStateHeader"
    schema = SCHEMA
    template_id = 300
    block_length = 8
    fields = (
        Field("version", "i", 0, -2147483648),
        Field("padding", "i", 4, -2147483648),
    )
    version: int
    padding: int

    if TYPE_CHECKING:

        def __init__(self, **values: Unpack[_NodeStateHeaderValues]) -> None: ...
        @classmethod
        def encode(cls, **values: Unpack[_NodeStateHeaderValues]) -> bytes: ...
        @classmethod
        def encode_into(
            cls,
            buffer: WriteableBuffer,
            offset: int = 0,
            /,
            **values: Unpack[_NodeStateHeaderValues],
        ) -> int: ...
        @classmethod
        def encode_body(cls, **values: Unpack[_NodeStateHeaderValues]) -> bytes: ...


class CandidateTerm(Message):
    """``candidateTerm``."""

    __slots__ = (
        "candidate_term_id",
        "timestamp",
        "log_position",
    )
    name = "CandidateTerm"
    schema = SCHEMA
    template_id = 301
    block_length = 24
    fields = (
        Field("candidate_term_id", "q", 0, -9223372036854775808),
        Field("timestamp", "q", 8, -9223372036854775808),
        Field("log_position", "q", 16, -9223372036854775808),
    )
    candidate_term_id: int
    timestamp: int
    log_position: int

    if TYPE_CHECKING:

        def __init__(self, **values: Unpack[_CandidateTermValues]) -> None: ...
        @classmethod
        def encode(cls, **values: Unpack[_CandidateTermValues]) -> bytes: ...
        @classmethod
        def encode_into(
            cls, buffer: WriteableBuffer, offset: int = 0, /, **values: Unpack[_CandidateTermValues]
        ) -> int: ...
        @classmethod
        def encode_body(cls, **values: Unpack[_CandidateTermValues]) -> bytes: ...


class ClusterMembers(Message):
    """``ClusterMembers``."""

    __slots__ = (
        "leadership_term_id",
        "member_id",
        "high_member_id",
        "cluster_members",
    )
    name = "ClusterMembers"
    schema = SCHEMA
    template_id = 303
    block_length = 16
    fields = (
        Field("leadership_term_id", "q", 0, -9223372036854775808),
        Field("member_id", "i", 8, -2147483648),
        Field("high_member_id", "i", 12, -2147483648),
    )
    data = (Data("cluster_members", is_text=True),)
    leadership_term_id: int
    member_id: int
    high_member_id: int
    cluster_members: str

    if TYPE_CHECKING:

        def __init__(self, **values: Unpack[_ClusterMembersValues]) -> None: ...
        @classmethod
        def encode(cls, **values: Unpack[_ClusterMembersValues]) -> bytes: ...
        @classmethod
        def encode_into(
            cls,
            buffer: WriteableBuffer,
            offset: int = 0,
            /,
            **values: Unpack[_ClusterMembersValues],
        ) -> int: ...
        @classmethod
        def encode_body(cls, **values: Unpack[_ClusterMembersValues]) -> bytes: ...


class NodeStateFooter(Message):
    """``nodeStateFooter``."""

    __slots__ = ()
    name = "NodeStateFooter"
    schema = SCHEMA
    template_id = 304
    block_length = 0
