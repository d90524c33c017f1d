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
from tests.unit.archive.pair_rig import MS, SEGMENT_LENGTH, Pair, S

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


def drive_for(pair, duration_ns, step=lambda: None):
    """Drive everything for a virtual time, and call a function in each pass."""
    end_ns = pair.world.time.now_ns + duration_ns

    def is_over():
        step()
        return pair.world.time.now_ns >= end_ns

    pair.run_until(is_over, 2 * duration_ns)


def test_merge_with_progress_takes_longer_than_its_timeout(pair, merging):
    """Only a time without progress counts, however long the machine runs already."""
    drive_for(pair, 10 * S)
    merging.publish(60)
    merge = merging.merge(merge_progress_timeout_ns=S)
    began_ns = pair.world.time.now_ns
    while len(merging.numbers) < 60:
        drive_for(pair, 100 * MS, merge.do_work)
        if merge.image is not None:
            merge.image.poll(merging.take, 1)
    assert pair.world.time.now_ns - began_ns > 5 * S
    merging.run(merge, lambda: merge.is_merged)


def test_late_live_stream_is_joined_within_a_second(pair, merging):
    """While the archive answers, the merge goes on: it requests the position again and again."""
    port = 40458
    merging.publish(100)
    pair.world.wire.block(pair.src.machine.network, pair.dst.machine.network, port=port)
    merge = merging.merge(live_destination=f"{LIVE}|endpoint=dst:{port}")
    drive_for(pair, 40 * S, lambda: merge.poll(merging.take))
    assert (merge.is_live_added, merge.is_merged, merge.has_failed) == (True, False, False)
    pair.world.wire.block(pair.src.machine.network, pair.dst.machine.network, False, port=port)
    drive_for(pair, S, lambda: merge.poll(merging.take))
    assert merge.is_merged


def test_merged_stream_needs_no_archive(pair, merging):
    """Its progress timeout is over, too: a live stream may be idle."""
    merging.publish(100)
    merge = merging.merge(merge_progress_timeout_ns=S)
    merging.run(merge, lambda: merge.is_merged)
    merging.archive.close()
    drive_for(pair, 3 * S, lambda: merge.poll(merging.take))
    merging.publish(10)
    merging.run(merge, lambda: len(merging.numbers) == 110)
    assert merge.is_merged


@pytest.mark.parametrize("is_merged", [False, True])
def test_merge_that_is_closed_twice_leaves_the_next_one_of_its_subscription(
    pair, merging, is_merged
):
    merging.publish(300)
    first = merging.merge()
    merging.run(first, lambda: first.is_merged or first.state is ReplayMergeState.CATCHUP)
    if is_merged:
        merging.run(first, lambda: first.is_merged)
    first.close()
    if is_merged:
        merging.subscription.async_remove_destination(LIVE_DESTINATION)
    drive_for(pair, 20 * S)
    assert merging.subscription.images == ()
    merging.numbers.clear()
    second = merging.merge()
    merging.run(second, lambda: second.state is ReplayMergeState.CATCHUP)
    first.close()
    merging.run(second, lambda: second.is_merged)
    assert merging.numbers[:5] == list(range(5))
    assert first.state is ReplayMergeState.CLOSED


def test_fails_with_the_error_that_ends_its_replay(pair, merging):
    merging.publish(300)
    pair.src.machine.files.remove(f"/data/{merging.recording_id}-{SEGMENT_LENGTH}.rec")
    merge = merging.merge()
    with pytest.raises(ArchiveError, match="segment") as raised:
        merging.run(merge, lambda: merge.is_merged)
    assert raised.value.code == ArchiveErrorCode.GENERIC
    assert merge.has_failed
    assert len(merging.numbers) < SEGMENT_LENGTH // 1000
    assert merging.late_errors == []


def test_fails_if_its_image_is_closed(pair, merging):
    merging.publish(300)
    merge = merging.merge(merge_progress_timeout_ns=30 * S)
    assert merge.subscription is merging.subscription
    merging.run(merge, lambda: merge.image is not None)
    pair.dst.aeron.async_reject_image(merge.image, "test")
    with pytest.raises(ClosedError, match="the image was closed unexpectedly"):
        merging.run(merge, lambda: merge.is_merged)
    assert merge.has_failed


def test_waits_while_the_recording_has_no_position(merging, monkeypatch):
    merging.publish(300)
    merge = merging.merge()
    merging.run(merge, lambda: merge.state is ReplayMergeState.ATTEMPT_LIVE_JOIN)
    with monkeypatch.context() as patch:
        patch.setattr(merge, "_request_position", lambda _now_ns: -1)
        assert merge.do_work() == 1
    assert merge.state is ReplayMergeState.ATTEMPT_LIVE_JOIN
    merging.run(merge, lambda: merge.is_live_added)


def test_fails_if_the_session_with_the_archive_is_closed(merging):
    merging.publish(300)
    merge = merging.merge()
    merging.run(merge, lambda: merge.state is ReplayMergeState.CATCHUP)
    merging.archive.close()
    with pytest.raises(ClosedError, match="the archive is not connected"):
        merge.do_work()
    assert merge.has_failed


@pytest.mark.parametrize("what", ["archive", "client", "subscription"])
def test_merge_is_closed_after_what_it_uses(pair, merging, what):
    merging.publish(300)
    merge = merging.merge()
    merging.run(merge, lambda: merge.state is ReplayMergeState.CATCHUP)
    match what:
        case "archive":
            merging.archive.close()
        case "client":
            pair.dst.aeron.close()
        case "subscription":
            merging.subscription.close()
    merge.close()
    assert merge.state is ReplayMergeState.CLOSED
    assert merge.do_work() == 0


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
