"""A user encodes and decodes messages; mypy checks the types, and missing fields."""

from typing import assert_type

from aeron_cluster.codecs import cluster
from aeron_cluster.codecs.message import Message


def connect(buffer: bytearray) -> int:
    """Encode one message in both ways."""
    encoded = cluster.SessionConnectRequest.encode(
        correlation_id=1,
        response_stream_id=2,
        response_channel="aeron:ipc",
        encoded_credentials=b"x",
    )
    assert_type(encoded, bytes)
    cluster.SessionConnectRequest.encode(correlation_id=1)  # type: ignore[call-arg]
    cluster.SessionConnectRequest.encode(correlation="1")  # type: ignore[call-arg]
    return cluster.SessionKeepAlive.encode_into(
        buffer, 8, leadership_term_id=1, cluster_session_id=2
    )


def name_of(buffer: memoryview) -> str:
    """Read a message's fields by its class."""
    message = cluster.decode(buffer, 8)
    assert_type(message, Message)
    match message:
        case cluster.SessionEvent():
            assert_type(message.code, cluster.EventCode)
            assert_type(message.leader_heartbeat_timeout_ns, int)
            return message.detail
        case cluster.BackupResponse(snapshots=snapshots):
            assert_type(snapshots, list[cluster.BackupResponse.Snapshots])
            return message.cluster_members
        case _:
            return message.name
