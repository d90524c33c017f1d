"""Replays merged with the live stream, and replays through response channels."""

import contextlib

import pytest

from aeron_cluster.archive.client.archive_client import AeronArchive
from aeron_cluster.archive.client.replay_merge import ReplayMerge, ReplayMergeState
from aeron_cluster.archive.protocol.error_codes import ArchiveErrorCode
from aeron_cluster.errors import (
    ArchiveError,
    ClosedError,
    ConfigurationError,
    TimeoutExpiredError,
)
from aeron_cluster.memory.agents.idle_strategy import IdleStrategy
from tests.unit.archive.pair_rig import MS, Pair, S

STREAM_ID = 1001
LIVE = "aeron:udp?control=src:40456|control-mode=dynamic"
LIVE_DESTINATION = f"{LIVE}|endpoint=dst:0"


class Merging:
    """Publishes and records on one machine, merges on the other."""

    def __init__(self, pair):
        self.pair = pair
        self.numbers = []
        self.publication, self.recording_id = pair.src.record(
            STREAM_ID, f"{LIVE}|term-length=64k|fc=max|ssc=true"
        )
        self.sent = 0
        self.late_errors = []
        self.archive = AeronArchive.connect(
            aeron=pair.dst.aeron,
            agent_invoker=pair.drive,
            idle_strategy=IdleStrategy("noop"),
            control_channel=pair.src.control_channel,
            control_response_channel="aeron:udp?endpoint=dst:0",
            error_handler=self.late_errors.append,
        )
        self.subscription = pair.dst.aeron.add_subscription(
            "aeron:udp?control-mode=manual", STREAM_ID
        )

    def publish(self, count):
        self.pair.src.publish(self.publication, count, start=self.sent)
        self.sent += count

    def merge(self, **changes):
        values = {
            "replay_channel": f"aeron:udp?session-id={self.publication.session_id}",
            "replay_destination": "aeron:udp?endpoint=dst:0",
            "live_destination": LIVE_DESTINATION,
            "recording_id": self.recording_id,
            "start_position": 0,
        } | changes
        return ReplayMerge(self.subscription, self.archive, **values)

    def take(self, view, _):
        self.numbers.append(int.from_bytes(bytes(view[:8]), "little"))

    def run(self, merge, is_done):
        def step():
            merge.poll(self.take, 100)
            return is_done()

        self.pair.run_until(step)

    def close(self):
        self.archive.close()


@pytest.fixture
def pair():
    with contextlib.closing(Pair()) as made:
        yield made


@pytest.fixture
def merging(pair):
    with contextlib.closing(Merging(pair)) as made:
        yield made


@pytest.mark.parametrize("endpoint", ["dst:0", "dst:40457"])
def test_reads_the_past_and_then_the_live_stream(pair, merging, endpoint):
    merging.publish(300)
    merge = merging.merge(replay_destination=f"aeron:udp?endpoint={endpoint}")
    states = [merge.state]
    while not merge.is_merged:
        assert merging.sent < 2000
        merging.publish(1)
        next_ns = pair.world.time.now_ns + 20 * MS
        merging.run(merge, lambda next_ns=next_ns: pair.world.time.now_ns >= next_ns)
        if merge.state is not states[-1]:
            states.append(merge.state)
    assert merge.is_live_added
    assert states == sorted(states)
    # Only the live stream is left.
    pair.run_until(lambda: pair.src.counter("Archive Replay Sessions") == 0)
    merging.publish(20)  # at most a window of the replay
    merging.run(merge, lambda: len(merging.numbers) == merging.sent)
    assert merging.numbers == list(range(merging.sent))
    merge.close()
    assert merge.state is ReplayMergeState.CLOSED
    merging.publish(10)
    pair.run_until(
        lambda: merge.image.poll(merging.take, 10) == 0 and len(merging.numbers) == merging.sent
    )


def test_begins_where_configured(merging):
    merging.publish(100)
    begin = merging.publication.position
    merging.publish(100)
    merge = merging.merge(start_position=begin)
    merging.run(merge, lambda: merge.is_merged and len(merging.numbers) == 100)
    assert merging.numbers == list(range(100, 200))


def test_abandoned_merge_leaves_no_replay(pair, merging):
    merging.publish(300)
    with merging.merge() as merge:
        merging.run(merge, lambda: merge.state is ReplayMergeState.CATCHUP)
    assert merge.poll(merging.take) >= 0
    pair.run_until(lambda: pair.src.counter("Archive Replay Sessions") == 0)
    assert not merge.is_merged


def test_merge_abandoned_before_the_answer_leaves_no_replay(pair, merging):
    merging.publish(300)
    merge = merging.merge()
    merging.run(merge, lambda: merge.state is ReplayMergeState.REPLAY)
    merge.do_work()
    merge.close()
    merge.close()
    deadline_ns = pair.world.time.now_ns + S

    def is_over():
        merging.archive.poll()
        return pair.world.time.now_ns > deadline_ns

    pair.run_until(is_over)
    assert pair.src.counter("Archive Replay Sessions") == 0


@pytest.mark.parametrize(
    ("changes", "code"),
    [
        ({"recording_id": 9}, ArchiveErrorCode.UNKNOWN_RECORDING),
        ({"start_position": 33}, ArchiveErrorCode.GENERIC),
        ({"start_position": 1 << 40}, ArchiveErrorCode.INVALID_POSITION),
    ],
)
def test_fails_with_the_archives_error(merging, changes, code):
    merging.publish(10)
    merge = merging.merge(**changes)
    with pytest.raises(ArchiveError) as raised:
        merging.run(merge, lambda: merge.is_merged)
    assert raised.value.code == code
    assert merge.has_failed
    assert merge.do_work() == 0


def test_fails_without_progress(pair, merging):
    merging.publish(10)
    merge = merging.merge(
        live_destination="aeron:udp?endpoint=dst:40999", merge_progress_timeout_ns=S
    )
    begin_ns = pair.world.time.now_ns

    def never():
        # A query for the position is progress; only silence is not.
        if merge.state is ReplayMergeState.CATCHUP:
            pair.src.kill()
        return merge.is_merged

    with pytest.raises((TimeoutExpiredError, ClosedError)):
        merging.run(merge, never)
    assert merge.has_failed
    assert pair.world.time.now_ns - begin_ns < 30 * S


@pytest.mark.parametrize(
    "changes",
    [
        {"replay_channel": "aeron:ipc"},
        {"replay_destination": "aeron:ipc"},
        {"live_destination": "aeron:ipc"},
        {"replay_destination": "aeron:udp?control=dst:1"},
    ],
)
def test_rejects_channels_unfit_for_a_merge(merging, changes):
    with pytest.raises(ConfigurationError):
        merging.merge(**changes)


def test_rejects_a_subscription_without_manual_control(pair, merging):
    merging.subscription = pair.dst.aeron.add_subscription("aeron:udp?endpoint=dst:0", STREAM_ID)
    with pytest.raises(ConfigurationError, match="control-mode=manual"):
        merging.merge()


RESPONSE = "aeron:udp?control-mode=response|control=src:10002"


@pytest.mark.parametrize("is_bounded", [False, True])
def test_replays_through_a_response_channel(pair, merging, is_bounded):
    merging.publish(100)
    limit = merging.publication.position // 2
    counter = pair.src.aeron.add_counter(1001, "limit")
    counter.set(limit)
    subscription = merging.archive.replay(
        merging.recording_id,
        RESPONSE,
        77,
        limit_counter_id=counter.counter_id if is_bounded else None,
    )

    def take(count):
        subscription.poll(merging.take, 100)
        return len(merging.numbers) == count

    pair.run_until(lambda: take(50 if is_bounded else 100))
    if is_bounded:
        counter.set(merging.publication.position)
        pair.run_until(lambda: take(100))
    assert merging.numbers == list(range(100))
    subscription.close()


def test_a_response_channel_needs_a_subscription(merging):
    with pytest.raises(ConfigurationError, match="subscription_registration_id"):
        merging.archive.start_replay(merging.recording_id, RESPONSE, 77)
    with pytest.raises(ArchiveError) as raised:
        merging.archive.replay(99, RESPONSE, 77)
    assert raised.value.code == ArchiveErrorCode.UNKNOWN_RECORDING
