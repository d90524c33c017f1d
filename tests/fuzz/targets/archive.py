"""Requests to an archive, in a session of a client."""

from __future__ import annotations

import contextlib
import shutil
import tempfile
from collections.abc import Iterator
from pathlib import Path

from aeron_cluster.codecs import archive as codecs
from aeron_cluster.errors import AeronClusterError
from tests.conftest import SHARED_MEMORY
from tests.fuzz.mutator import Mutator
from tests.fuzz.target import Feed, Target
from tests.golden.vectors import codec_vectors
from tests.unit.archive.archive_rig import ArchiveRig, Client

__all__ = ["TARGETS"]

_CHANNEL = "aeron:ipc?term-length=64k"
_STREAM = {"stream_id": 33, "channel": _CHANNEL}
_RECORDING = {"recording_id": 0}
_REPLAY = {
    **_RECORDING,
    "position": 0,
    "length": 1024,
    "file_io_max_length": 4096,
    "replay_token": -1,
    "replay_stream_id": 44,
    "replay_channel": _CHANNEL,
}
_HERE = "aeron:udp?endpoint=localhost:0"
# The archive replicates from itself.
_REPLICATION = {
    "src_recording_id": 0,
    "dst_recording_id": -1,
    "src_control_stream_id": 10,
    "src_control_channel": _CHANNEL,
    "live_destination": "",
}
_TAGS = {"channel_tag_id": -1, "subscription_tag_id": -1}
_PAGE = {"from_recording_id": 0, "record_count": 10}
_REQUESTS: tuple[tuple[type[codecs.Message], dict[str, object]], ...] = (
    (codecs.StartRecordingRequest, {**_STREAM, "source_location": codecs.SourceLocation.LOCAL}),
    (codecs.StopRecordingRequest, _STREAM),
    (codecs.StopRecordingSubscriptionRequest, {"subscription_id": 5}),
    (codecs.ReplayRequest, _REPLAY),
    (codecs.BoundedReplayRequest, {**_REPLAY, "limit_counter_id": 3}),
    (codecs.StopReplayRequest, {"replay_session_id": 1}),
    (codecs.StopAllReplaysRequest, _RECORDING),
    (codecs.ListRecordingsRequest, _PAGE),
    (codecs.ListRecordingsForUriRequest, {**_PAGE, **_STREAM}),
    (codecs.ListRecordingRequest, _RECORDING),
    (codecs.RecordingPositionRequest, _RECORDING),
    (codecs.MaxRecordedPositionRequest, _RECORDING),
    (codecs.StartPositionRequest, _RECORDING),
    (codecs.StopPositionRequest, _RECORDING),
    (codecs.TruncateRecordingRequest, {**_RECORDING, "position": 0}),
    (codecs.PurgeRecordingRequest, _RECORDING),
    (codecs.DetachSegmentsRequest, {**_RECORDING, "new_start_position": 65536}),
    (codecs.DeleteDetachedSegmentsRequest, _RECORDING),
    (codecs.AttachSegmentsRequest, _RECORDING),
    (codecs.KeepAliveRequest, {}),
    (
        codecs.FindLastMatchingRecordingRequest,
        {"min_recording_id": 0, "session_id": 1, **_STREAM},
    ),
    (
        codecs.ListRecordingSubscriptionsRequest,
        {"pseudo_index": 0, "subscription_count": 9, "apply_stream_id": 1, **_STREAM},
    ),
    (codecs.ReplicateRequest, _REPLICATION),
    (codecs.TaggedReplicateRequest, {**_REPLICATION, **_TAGS}),
    (
        codecs.ReplicateRequest2,
        {
            **_REPLICATION,
            **_TAGS,
            "stop_position": -1,
            "file_io_max_length": 4096,
            "replication_session_id": 6,
            "replication_channel": _HERE,
            "encoded_credentials": b"",
            "src_response_channel": "",
        },
    ),
    (codecs.StopReplicationRequest, {"replication_id": 7}),
)


@contextlib.contextmanager
def _archive(seed: int) -> Iterator[Feed]:
    directory = Path(tempfile.mkdtemp(prefix="aeron-cluster-fuzz-", dir=SHARED_MEMORY))
    rig = ArchiveRig(directory, archive_client={"control_response_channel": _HERE})
    try:
        client = Client(rig).connect()
        ids = {"control_session_id": client.session_id, "correlation_id": 7}
        valid = [kind.encode(**ids, **fields) for kind, fields in _REQUESTS]
        foreign = [each.encoded for each in codec_vectors() if each.schema == "archive"]
        mutator = Mutator([*valid * 8, *foreign], seed)
        source = rig.aeron.add_exclusive_publication(_CHANNEL, 33)

        def feed() -> bool:
            message = mutator.draw()
            if client.requests.is_connected and not _names_another_host(message):
                client.requests.offer(message)
            source.offer(b"recorded")
            rig.step()
            before = len(client.messages)
            client.poll()
            answers = client.messages[before:]
            client.messages.clear()
            return not any(
                isinstance(each, codecs.ControlResponse)
                and each.code == codecs.ControlResponseCode.ERROR
                for each in answers
            )

        yield feed
        for error in rig.errors:
            if not isinstance(error, AeronClusterError | OSError):
                raise error
    finally:
        rig.close()
        shutil.rmtree(directory, ignore_errors=True)


def _names_another_host(message: bytes) -> bool:
    """Return whether a message asks for a replication that would look up another host."""
    found = codecs.SCHEMA.messages.get(int.from_bytes(message[2:4], "little"))
    is_replication = found is not None and "Replicate" in found.__name__
    return is_replication and b"udp" in message.replace(_HERE.encode(), b"")


TARGETS = (Target("requests to an archive", _archive, renewal=300, share=4),)
