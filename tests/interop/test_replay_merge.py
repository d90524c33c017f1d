"""Our client merges a replay of a Java archive, and of ours, with the live stream."""

import contextlib

import pytest

from aeron_cluster.archive.client.archive_client import AeronArchive
from aeron_cluster.archive.client.replay_merge import ReplayMerge
from aeron_cluster.client import Aeron
from tests.interop.test_replication import CHANNEL, STREAM_ID, Side, until
from tests.unit.archive.pair_rig import message

COUNT = 200


@pytest.fixture(params=["java", "ours"])
def side(request, java, shm_dir, free_port):
    with contextlib.ExitStack() as stack:
        yield Side(stack, java, request.param, shm_dir / "side", free_port(3))


@pytest.fixture
def client(java, shm_dir, side):
    """Yield a client of the archive on a separate Java driver."""
    java.start("Driver", dir=shm_dir / "driver", idle="backoff").await_event("READY")
    with (
        Aeron.connect(aeron_dir=shm_dir / "driver") as aeron,
        AeronArchive.connect(
            aeron=aeron,
            control_channel=side.control_channel,
            control_response_channel="aeron:udp?endpoint=localhost:0",
            message_timeout_ns=120_000_000_000,
        ) as archive,
    ):
        yield archive


def test_a_replay_is_merged_with_its_live_stream(side, client, free_port):
    live = f"aeron:udp?control=localhost:{free_port()}|control-mode=dynamic"
    publication, recording_id = side.record(f"{live}|term-length=64k|fc=max|ssc=true")
    side.publish(publication, COUNT)
    numbers = []

    def take(view, _):
        numbers.append(int.from_bytes(bytes(view[:8]), "little"))

    subscription = client.aeron.add_subscription("aeron:udp?control-mode=manual", STREAM_ID)
    with ReplayMerge(
        subscription,
        client,
        f"aeron:udp?session-id={publication.session_id}",
        "aeron:udp?endpoint=localhost:0",
        f"{live}|endpoint=localhost:0",
        recording_id,
        0,
        merge_progress_timeout_ns=60_000_000_000,
    ) as merge:

        def poll(is_done):
            merge.poll(take, 100)
            return is_done()

        until(lambda: poll(lambda: merge.is_merged), lambda: repr(merge))
        for number in range(COUNT, 2 * COUNT):
            payload = message(number, 500)
            until(
                lambda payload=payload: poll(lambda: publication.offer(payload)),
                lambda: repr(publication),
            )
            # Few messages are in flight, so that lost ones can be retransmitted.
            until(
                lambda number=number: poll(lambda: len(numbers) > number - 16),
                lambda: f"{len(numbers)}",
            )
        until(lambda: poll(lambda: len(numbers) == 2 * COUNT), lambda: f"{len(numbers)}")
    assert numbers == list(range(2 * COUNT))


def test_a_replay_uses_a_response_channel(side, client):
    publication, recording_id = side.record(CHANNEL)
    stop = side.publish(publication, COUNT)
    side.await_recorded(recording_id, stop)
    numbers = []

    def take(view, _):
        numbers.append(int.from_bytes(bytes(view[:8]), "little"))

    with client.replay(
        recording_id, f"aeron:udp?control-mode=response|control=localhost:{side.port + 1}", 77
    ) as subscription:

        def is_done():
            subscription.poll(take, 100)
            return len(numbers) == COUNT

        until(is_done, lambda: f"{len(numbers)}")
    assert numbers == list(range(COUNT))
