# Generated from schemas/node_state.xml by tools/generate_codecs.py. Edit it, run the tool.
# mypy: disable-error-code="override"
from typing import NotRequired, TypedDict, Unpack

from _typeshed import ReadableBuffer, WriteableBuffer

from aeron_cluster.codecs.message import Message, Schema

__all__ = [
    "SCHEMA",
    "CandidateTerm",
    "ClusterMembers",
    "NodeStateFooter",
    "NodeStateHeader",
    "decode",
    "template_id_of",
]

SCHEMA: Schema

def decode(buffer: ReadableBuffer, offset: int = 0, length: int | None = None) -> Message: ...
def template_id_of(buffer: ReadableBuffer, offset: int = 0, length: int | None = None) -> int: ...

class _NodeStateHeaderValues(TypedDict):
    version: int
    padding: int

class NodeStateHeader(Message):
    version: int
    padding: int
    def __init__(self, **values: Unpack[_NodeStateHeaderValues]) -> None: ...
    @classmethod
    def encode(cls, **values: Unpack[_NodeStateHeaderValues]) -> bytes: ...
    @classmethod
    def encode_into(
        cls, buffer: WriteableBuffer, offset: int = 0, /, **values: Unpack[_NodeStateHeaderValues]
    ) -> int: ...
    @classmethod
    def encode_body(cls, **values: Unpack[_NodeStateHeaderValues]) -> bytes: ...

class _CandidateTermValues(TypedDict):
    candidate_term_id: int
    timestamp: int
    log_position: int

class CandidateTerm(Message):
    candidate_term_id: int
    timestamp: int
    log_position: int
    def __init__(self, **values: Unpack[_CandidateTermValues]) -> None: ...
    @classmethod
    def encode(cls, **values: Unpack[_CandidateTermValues]) -> bytes: ...
    @classmethod
    def encode_into(
        cls, buffer: WriteableBuffer, offset: int = 0, /, **values: Unpack[_CandidateTermValues]
    ) -> int: ...
    @classmethod
    def encode_body(cls, **values: Unpack[_CandidateTermValues]) -> bytes: ...

class _ClusterMembersValues(TypedDict):
    leadership_term_id: int
    member_id: int
    high_member_id: int
    cluster_members: NotRequired[str | bytes]

class ClusterMembers(Message):
    leadership_term_id: int
    member_id: int
    high_member_id: int
    cluster_members: str
    def __init__(self, **values: Unpack[_ClusterMembersValues]) -> None: ...
    @classmethod
    def encode(cls, **values: Unpack[_ClusterMembersValues]) -> bytes: ...
    @classmethod
    def encode_into(
        cls, buffer: WriteableBuffer, offset: int = 0, /, **values: Unpack[_ClusterMembersValues]
    ) -> int: ...
    @classmethod
    def encode_body(cls, **values: Unpack[_ClusterMembersValues]) -> bytes: ...

class NodeStateFooter(Message): ...
