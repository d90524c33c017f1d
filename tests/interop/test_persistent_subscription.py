"""Our persistent subscription and asyncio client with Java's archive, on both drivers."""

import asyncio
import contextlib
import shutil
import tempfile
from pathlib import Path

import pytest

from aeron_cluster.archive import (
    FROM_START,
    ArchiveErrorCode,
    AsyncAeronArchive,
    PersistentSubscription,
    PersistentSubscriptionListener,
)
from aeron_cluster.client import Aeron
from aeron_cluster.codecs.channel_uri import ChannelUri
from aeron_cluster.driver import MediaDriver
from aeron_cluster.errors import ArchiveError, PersistentSubscriptionReason
from tests.conftest import SHARED_MEMORY
from tests.interop.java_peer import JavaPeers
from tests.interop.test_replication import FRAME_LENGTH, STREAM_ID, TIMEOUT_S, Side, until
from tests.unit.archive.pair_rig import message

COUNT = 200
TERM_LENGTH = 64 * 1024
S = 1_000_000_000


class Listener(PersistentSubscriptionListener):
    def __init__(self):
        self.events = []
        self.errors = []

    def on_live_joined(self):
        self.events.append("joined")

    def on_live_left(self):
        self.events.append("left")

    def on_error(self, error):
        self.errors.append(error)


@pytest.fixture(scope="module")
def side(java_class_path, tmp_path_factory, free_port):
    """Yield Java's archive and driver, shared by all tests."""
    with contextlib.ExitStack() as stack:
        peers = JavaPeers(java_class_path, tmp_path_factory.mktemp("peers"))
        stack.callback(peers.close)
        directory = Path(tempfile.mkdtemp(prefix="aeron-cluster-test-", dir=SHARED_MEMORY))
        stack.callback(shutil.rmtree, directory, ignore_errors=True)
        yield Side(stack, peers, "java", directory / "side", free_port(4))


class Following:
    """A recorded stream and a persistent subscription to it."""

    def __init__(self, side, control_port):
        self.side = side
        self.live = f"aeron:udp?control=localhost:{control_port}|control-mode=dynamic"
        self.published = ChannelUri.parse(f"{self.live}|term-length=64k|fc=max|ssc=true")
        self.publication, self.recording_id = side.record(self.published)
        self.listener = Listener()
        self.numbers = []
        self.sent = 0
        self.subscription = None
        self.fast = None

    def follow_fast(self):
        """Add a subscriber on Java's driver that reads everything published."""
        self.fast = self.side.aeron.add_subscription(f"{self.live}|endpoint=localhost:0", STREAM_ID)
        self.until(lambda: self.fast.is_connected)

    def subscribe(self, stack, aeron, replay_channel):
        self.subscription = stack.enter_context(
            PersistentSubscription.create(
                aeron=aeron,
                control_channel=self.side.control_channel,
                control_response_channel="aeron:udp?endpoint=localhost:0",
                message_timeout_ns=TIMEOUT_S * S,
                recording_id=self.recording_id,
                start_position=FROM_START,
                live_channel=f"{self.live}|endpoint=localhost:0",
                live_stream_id=STREAM_ID,
                replay_channel=replay_channel,
                replay_stream_id=STREAM_ID + 1,
                listener=self.listener,
            )
        )

    def take(self, view, _):
        self.numbers.append(int.from_bytes(bytes(view[:8]), "little"))

    def until(self, is_done, *, is_polling=True):
        def step():
            if self.fast is not None:
                self.fast.poll(_ignore, 50)
            if self.subscription is not None and is_polling:
                self.subscription.poll(self.take, 50)
                assert not self.subscription.has_failed, self.subscription.failure
            return is_done()

        until(step, lambda: f"{self.subscription!r}, {len(self.numbers)} of {self.sent}")

    def publish(self, count, *, is_polling=True):
        for number in range(self.sent, self.sent + count):
            payload = message(number, FRAME_LENGTH - 32)
            self.until(
                lambda payload=payload: self.publication.offer(payload), is_polling=is_polling
            )
            if is_polling and self.subscription.is_live:
                # Few messages are in flight, so that lost ones can be retransmitted.
                self.until(lambda number=number: len(self.numbers) > number - 16)
        self.sent += count

    def await_live(self):
        self.until(lambda: self.subscription.is_live)

    def await_all(self):
        self.until(lambda: len(self.numbers) >= self.sent)
        assert self.numbers == list(range(self.sent))

    def restart_publisher(self):
        """Close the publication, and extend its recording with another one."""
        archive = self.side.archive
        end = self.publication.position
        self.publication.close()
        self.until(lambda: archive.get_stop_position(self.recording_id) == end)
        self.until(lambda: not self.subscription.is_live)
        found = archive.list_recording(self.recording_id)
        self.publication = self.side.aeron.add_exclusive_publication(
            self.published.initial_position(end, found.initial_term_id, TERM_LENGTH), STREAM_ID
        )
        archive.extend_recording(
            self.recording_id,
            f"{self.live}|session-id={self.publication.session_id}",
            STREAM_ID,
        )
        self.until(lambda: archive.get_stop_position(self.recording_id) == -1)


@pytest.fixture
def following(side, free_port):
    with contextlib.ExitStack() as stack:
        made = Following(side, free_port())
        made.stack = stack
        yield made
        made.publication.close()
        if made.fast is not None:
            made.fast.close()


REPLAYS = {
    "any port": "aeron:udp?endpoint=localhost:0",
    "response": "aeron:udp?control-mode=response|control=localhost:{port}",
    "ipc": "aeron:ipc",
}


@pytest.mark.parametrize("replay", REPLAYS)
def test_a_subscription_continues_through_a_restart_of_the_publisher(
    side, following, free_port, replay
):
    following.publish(COUNT, is_polling=False)
    channel = REPLAYS[replay].format(port=free_port())
    following.subscribe(following.stack, side.aeron, channel)
    following.await_live()
    for _ in range(2):
        following.publish(COUNT)
        following.await_all()
        following.restart_publisher()
        following.publish(10)
        following.await_live()
    following.publish(COUNT)
    following.await_all()
    assert following.listener.events == ["joined", *["left", "joined"] * 2]
    assert following.listener.errors == []


def test_a_slow_subscription_reads_everything_under_loss(following, shm_dir):
    with (
        MediaDriver.launch(
            aeron_dir=str(shm_dir / "driver"),
            image_liveness_timeout_ns=S,
            debug_receive_data_loss_rate="0.05",
            debug_receive_data_loss_seed=1,
        ) as driver,
        Aeron.connect(aeron_dir=driver.context.aeron_dir) as aeron,
    ):
        following.publish(COUNT, is_polling=False)
        following.subscribe(following.stack, aeron, REPLAYS["any port"])
        following.await_live()
        following.publish(COUNT)
        following.await_all()
        # Another subscriber is so far ahead that data missing here cannot be retransmitted.
        following.follow_fast()
        following.publish(COUNT, is_polling=False)
        following.until(lambda: "left" in following.listener.events)
        following.await_live()
        following.publish(COUNT)
        following.await_all()
        assert following.listener.errors == []
        following.subscription.close()


def test_a_recording_that_javas_archive_does_not_have_ends_it(side, following):
    following.recording_id = 1 << 40
    following.subscribe(following.stack, side.aeron, REPLAYS["any port"])

    def has_failed():
        following.subscription.poll(following.take)
        return following.subscription.has_failed

    until(has_failed, lambda: repr(following.subscription))
    error = following.subscription.failure
    assert error.reason is PersistentSubscriptionReason.RECORDING_NOT_FOUND
    assert str(error) == f"unknown recording id: {1 << 40}"


def test_a_position_within_a_frame_has_the_error_of_javas_archive(side, following):
    following.publish(2, is_polling=False)
    side.await_recorded(following.recording_id, following.publication.position)
    following.subscribe(following.stack, side.aeron, REPLAYS["any port"])
    following.subscription._position = 64

    def has_failed():
        following.subscription.poll(following.take)
        return following.subscription.has_failed

    until(has_failed, lambda: repr(following.subscription))
    assert following.subscription.failure.reason is (
        PersistentSubscriptionReason.INVALID_START_POSITION
    )
    assert "does not point to a valid frame" in str(following.subscription.failure)


def test_requests_of_javas_archive_are_awaited(side, following):
    async def main():
        async with await AsyncAeronArchive.connect(
            aeron=side.aeron,
            control_channel=side.control_channel,
            control_response_channel="aeron:udp?endpoint=localhost:0",
            message_timeout_ns=TIMEOUT_S * S,
        ) as archive:
            recordings = await archive.list_recordings()
            starts = await asyncio.gather(
                *(archive.get_start_position(each.recording_id) for each in recordings * 20)
            )
            with pytest.raises(ArchiveError) as rejected:
                await archive.get_start_position(1 << 40)
            return [each.recording_id for each in recordings], starts, rejected.value.code

    found, starts, code = asyncio.run(main())
    assert following.recording_id in found
    assert starts == [0] * 20 * len(found)
    assert code == ArchiveErrorCode.UNKNOWN_RECORDING


def _ignore(*_):
    pass
